// Parts of a system: coordinates that share an entry of M or a row of W, whatever the state. A row with an expression
// that only happens to be zero somewhere is not zero.
#include "system/parts.h"

#include <stdlib.h>

static int top(int* up, int i)
{
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

static void join(int* up, int i, int j) { up[top(up, i)] = top(up, j); }

// Row number `node` joins the coordinates that it depends on
static void join_row(const ss_graph* g, int nv, const ss_expr* row, int node, int* up)
{
  for (int j = 0; j < nv; j++)
    if (!ss_expr_is_zero(g, row[j])) join(up, node, j);
}

// Numbers in the order of the rows
static int number(int nv, int rows, int* up, int* count, int* part)
{
  int n = 0;
  for (int i = 0; i < nv + rows; i++) count[i] = -1;
  for (int r = 0; r < rows; r++) {
    int root = top(up, nv + r);
    if (count[root] < 0) count[root] = n++;
    part[r] = count[root];
  }
  return n;
}

int ss_find_parts(const ss_graph* g, const ss_system_def* names, const ss_expr* M, const ss_expr* W, const ss_expr* W_b,
                  int* part)
{
  int nv = names->nv, nb = names->n_bilateral, rows = nb;
  for (int i = 0; i < names->n_contact; i++) rows += ss_contact_rows(names->contact[i].kind);
  int* up = malloc(2*sizeof *up*((size_t)nv + (size_t)rows));  // of the coordinates, then the rows; then scratch
  if (!up) return -1;
  for (int i = 0; i < nv + rows; i++) up[i] = i;
  for (int i = 0; i < nv; i++) join_row(g, nv, M + i*nv, i, up);
  for (int r = 0; r < nb; r++) join_row(g, nv, W_b + r*nv, nv + r, up);
  for (int i = 0, r = 0; i < names->n_contact; i++) {
    int first = r, n = ss_contact_rows(names->contact[i].kind);
    for (; r < first + n; r++) {
      join_row(g, nv, W + r*nv, nv + nb + r, up);
      join(up, nv + nb + first, nv + nb + r);
    }
  }
  int n = number(nv, rows, up, up + nv + rows, part);
  free(up);
  return n;
}
