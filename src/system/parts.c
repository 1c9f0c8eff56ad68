// Parts of a system: coordinates that share an entry of M or a row of W, whatever the state. A row with an expression
// that only happens to be zero somewhere is not zero.
#include "system/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/sets.h"

// Row number `node` joins the coordinates that it depends on
static void join_row(const ss_graph* g, int nv, const ss_expr* row, int node, int* up)
{
  for (int j = 0; j < nv; j++)
    if (!ss_expr_is_zero(g, row[j])) ss_sets_join(up, node, j);
}

// Numbers in the order of the rows
static int number(int nv, int rows, int* up, int* count, int* part)
{
  int n = 0;
  for (int i = 0; i < nv + rows; i++) count[i] = -1;
  for (int r = 0; r < rows; r++) {
    int root = ss_set_root(up, nv + r);
    if (count[root] < 0) count[root] = n++;
    part[r] = count[root];
  }
  return n;
}

static int count_rows(const ss_system_def* names)
{
  int rows = names->n_bilateral;
  for (int i = 0; i < names->n_contact; i++) rows += ss_contact_rows(names->contact[i].kind);
  return rows;
}

// What M and the rows join, of the coordinates, then the rows
static void join_all(const ss_graph* g, const ss_system_def* names, const ss_expr* M, const ss_expr* W,
                     const ss_expr* W_b, int* up)
{
  int nv = names->nv, nb = names->n_bilateral, rows = count_rows(names);
  ss_sets_apart(up, nv + rows);
  for (int i = 0; i < nv; i++) join_row(g, nv, M + i*nv, i, up);
  for (int r = 0; r < nb; r++) join_row(g, nv, W_b + r*nv, nv + r, up);
  for (int i = 0, r = 0; i < names->n_contact; i++) {
    int first = r, n = ss_contact_rows(names->contact[i].kind);
    for (; r < first + n; r++) {
      join_row(g, nv, W + r*nv, nv + nb + r, up);
      ss_sets_join(up, nv + nb + first, nv + nb + r);
    }
  }
}

int ss_find_parts(const ss_graph* g, const ss_system_def* names, const ss_expr* M, const ss_expr* W, const ss_expr* W_b,
                  int* part)
{
  int nv = names->nv, rows = count_rows(names);
  int* up = malloc(2*sizeof *up*((size_t)nv + (size_t)rows));  // of the coordinates, then the rows; then scratch
  if (!up) return -1;
  join_all(g, names, M, W, W_b, up);
  int n = number(nv, rows, up, up + nv + rows, part);
  free(up);
  return n;
}

// Coordinate i with those that expression e depends on. Operands come before their users.
static void join_variables(const ss_graph* g, ss_expr e, int i, char* used, int* up)
{
  memset(used, 0, (size_t)e + 1);
  used[e] = 1;
  for (ss_expr k = e; k >= 0; k--) {
    const ss_node* node = &g->node[k];
    if (!used[k]) continue;
    if (node->op == SS_OP_VAR && node->arg[0] < 2*g->nv) ss_sets_join(up, i, node->arg[0]%g->nv);
    for (int j = 0; j < ss_op_operands(node->op); j++) used[node->arg[j]] = 1;
  }
}

bool ss_find_coupled(const ss_graph* g, const ss_system_def* names, const ss_expr* M, const ss_expr* W,
                     const ss_expr* W_b, const ss_expr* h, int* coupled)
{
  int nv = names->nv;
  int* up = malloc(sizeof *up*((size_t)nv + (size_t)count_rows(names) + 1));
  char* used = malloc((size_t)g->n);
  if (up && used) {
    join_all(g, names, M, W, W_b, up);
    for (int i = 0; i < nv; i++) join_variables(g, h[i], i, used, up);
    for (int i = 0; i < nv; i++) coupled[i] = ss_set_root(up, i);
  }
  bool ok = up && used;
  free(up);
  free(used);
  return ok;
}
