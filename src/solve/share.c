// The backward error |y_i|/Y_i, Y_i = |b_i| + sum_j |a_ij||x_j|, is fooled by huge x: of
//
//   A = [1 -1; -1 1],  b = (-1, -1),   x = (1e11, 1e11),   y = (-1, -1)
//
// it says 5e-12, since changing A by that much makes x exact. But y is as wrong as can be: there is no x >= 0 with
// y >= 0. What is wrong has to be small beside b as well, unless it is b that is small: where other rows have driven x
// to its size, b_i may be anything. So rows are taken together that unknowns connect, x_j being of some importance in
// both, and the largest share |b_k|/Y_k among them is what the given numbers are worth there. If it is below a
// thousandth, and y_i/Y_i not below a thousandth of it, y_i counts relative to b. Shares do not change with units.
#include "solve/share.h"
#include <math.h>

static const double MATTERS = 1e-3;  // part of the largest term of a row

// Number of entries of row i, their columns (NULL: all) and values
static int row_of(const ss_rows* rows, int i, const int** col, const double** a)
{
  const ss_sparse* S = rows->A ? NULL : rows->S;
  *col = S ? S->col + S->start[i] : NULL;
  *a = S ? S->value + S->start[i] : rows->A + (size_t)i*(size_t)rows->n;
  return S ? S->start[i + 1] - S->start[i] : rows->n;
}

static void start(const ss_rows* rows, double* share, double* top, double* largest)
{
  const int* col;
  const double* a;
  for (int i = 0; i < rows->n; i++) {
    int count = row_of(rows, i, &col, &a);
    share[i] = rows->Y[i] > 0 ? fabs(rows->given[i])/rows->Y[i] : 0;
    top[i] = largest[i] = 0;
    for (int e = 0; e < count; e++) top[i] = fmax(top[i], fabs(a[e]*rows->x[col ? col[e] : e]));
  }
}

// The share of row i goes to the unknowns that matter in it, and theirs to the row. True if something has changed.
static bool pass_on(const ss_rows* rows, int i, double* share, const double* top, double* largest)
{
  const int* col;
  const double *a, old = share[i];
  int count = row_of(rows, i, &col, &a);
  bool changed = false;
  if (top[i] == 0) return false;
  for (int e = 0; e < count; e++) {
    int j = col ? col[e] : e;
    if (fabs(a[e]*rows->x[j]) >= MATTERS*top[i]) share[i] = fmax(share[i], largest[j]);
  }
  for (int e = 0; e < count; e++) {
    int j = col ? col[e] : e;
    if (!(fabs(a[e]*rows->x[j]) >= MATTERS*top[i]) || !(largest[j] < share[i])) continue;
    largest[j] = share[i];
    changed = true;
  }
  return changed || share[i] > old;
}

// Down and up in turn, until nothing changes; a chain of rows in any order takes few turns
void ss_share_of_rows(const ss_rows* rows, double* share, double* top, double* col)
{
  start(rows, share, top, col);
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < rows->n; i++) changed |= pass_on(rows, i, share, top, col);
    for (int i = rows->n - 1; i >= 0 && changed; i--) pass_on(rows, i, share, top, col);
  }
}

// With what the rounding of y alone may be: at a share of 1e-13 nothing is left of b
double ss_share_residual(double r, double share)
{
  double of_row = r + DBL_EPSILON;
  if (!(share > 0 && share < SS_SHARE_LOST && of_row > SS_SHARE_DIGITS*share)) return r;
  return fmax(r, fmin(1, of_row/share));
}
