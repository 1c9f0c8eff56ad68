// How far x is from solving an LCP: one measure for all solvers, computed from the data alone.
//
// The componentwise backward error [Oettli & Prager 1964]: y_i = 0 holds exactly for data that differ from A and b by
// the relative amount |y_i|/Y_i in each entry, Y_i = |b_i| + sum_j |a_ij||x_j|, and for no closer data. Scaling row i
// of A and b scales y_i and Y_i alike; scaling column j of A and dividing x_j by the same changes neither: units do not
// matter. Where x is so large that b is lost in its row, y_i counts relative to b: share.c.
#include "solve/residual.h"
#include "math/simd.h"
#include "solve/share.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum {
  FEW = 256,  // unknowns up to which the public function needs no heap
  WIDE = 8,   // from this size on rows are summed four entries at a time
};

// *y += sum_j a_j x_j,  *Y += sum_j |a_j x_j|
SS_INLINE void add_products(int n, const double* a, const double* x, double* y, double* Y)
{
  double sum = *y, size = *Y;
  for (int j = 0; j < n; j++) {
    double p = a[j]*x[j];
    sum += p;
    size += fabs(p);
  }
  *y = sum;
  *Y = size;
}

SS_CLONES static void wide_sums(int n, const double* A, const double* b, const double* x, double* y, double* Y)
{
  for (int i = 0; i < n; i++) {
    const double* a = A + (size_t)i*(size_t)n;
    ss_v4 sum = {b[i]}, size = {fabs(b[i])};
    int j = 0;
    for (; j + 4 <= n; j += 4) {
      ss_v4 p = SS_V4C(a + j)*SS_V4C(x + j);
      sum += p;
      size += SS_V4_ABS(p);
    }
    y[i] = SS_V4_SUM(sum);
    Y[i] = SS_V4_SUM(size);
    add_products(n - j, a + j, x + j, y + i, Y + i);
  }
}

static void sparse_sums(const ss_sparse* S, const double* b, const double* x, double* y, double* Y)
{
  for (int i = 0; i < S->rows; i++) {
    double sum = b[i], size = fabs(b[i]);
    for (int e = S->start[i]; e < S->start[i + 1]; e++) {
      double p = S->value[e]*x[S->col[e]];
      sum += p;
      size += fabs(p);
    }
    y[i] = sum;
    Y[i] = size;
  }
}

// y_i and Y_i of all rows
void ss_lcp_row_sums(const ss_lcp* lcp, const double* x, double* y, double* Y)
{
  int n = lcp->n;
  if (!lcp->A) {
    sparse_sums(lcp->S, lcp->b, x, y, Y);
    return;
  }
  const double *A = lcp->A, *b = lcp->b;
  if (n >= WIDE) {
    wide_sums(n, A, b, x, y, Y);
    return;
  }
  for (int i = 0; i < n; i++) {
    y[i] = b[i];
    Y[i] = fabs(b[i]);
    add_products(n, A + i*n, x, y + i, Y + i);
  }
}

// What is known of a candidate
typedef struct sums {
  const double *x, *y, *Y;  // n each
  const double* E;          // n: the effects of all x_i, NULL if they are to be computed one by one
} sums;

// E_i = max_k |a_ki||x_i|/Y_k: what dropping x_i changes; infinite if column i is zero, where nothing says what size of
// x_i is small.
static double effect(const ss_lcp* lcp, const sums* at, int i)
{
  if (at->E) return at->E[i] > 0 ? at->E[i] : INFINITY;
  size_t n = (size_t)lcp->n;
  const double* a = lcp->A + i;
  double largest = 0, x = fabs(at->x[i]);
  for (size_t k = 0; k < n; k++, a += n) {
    double part = fabs(*a)*x;
    if (part > largest*at->Y[k]) largest = part/at->Y[k];
  }
  return largest > 0 ? largest : INFINITY;
}

// Row i:  x_i > 0   |y_i|/Y_i, or E_i if that is less and y_i >= 0: a speck of x_i where there should be none
//         x_i = 0   max(0, -y_i)/Y_i
//         x_i < 0   max(E_i, max(0, -y_i)/Y_i)
// E_i costs O(n) and is computed only if it matters: not for round-off, nor below `worst`, the largest residual so far.
static double row_residual(const ss_lcp* lcp, const sums* at, int i, double worst)
{
  double x = at->x[i], y = at->y[i], Y = at->Y[i];
  double relative = Y > 0 ? fabs(y)/Y : 0;
  if (x == 0) return y < 0 ? relative : 0;
  if (x < 0) return fmax(effect(lcp, at, i), y < 0 ? relative : 0);
  if (y < 0 || relative <= worst || relative <= DBL_EPSILON) return relative;
  return fmin(relative, effect(lcp, at, i));
}

static bool may_lose_b(const ss_lcp* lcp, const double* Y, double r)
{
  double limit = ss_share_limit(r);
  bool lost = false;
  for (int i = 0; i < lcp->n; i++) {
    double size = fabs(lcp->b[i]);
    lost |= (size < limit*Y[i]) & (size > 0);
  }
  return lost;
}

// The same where b may be lost
static double worst_share(const ss_lcp* lcp, const sums* at, double worst)
{
  double few[3*FEW], *share = few;
  size_t n = (size_t)lcp->n;
  ss_rows rows = {lcp->n, lcp->A, lcp->S, at->x, at->Y, lcp->b};
  if (!may_lose_b(lcp, at->Y, worst)) return worst;
  if (lcp->n > FEW && !(share = malloc(3*n*sizeof *share))) return NAN;
  ss_share_of_rows(&rows, share, share + n, share + 2*n);
  for (int i = 0; i < lcp->n; i++) worst = fmax(worst, ss_share_residual(row_residual(lcp, at, i, 0), share[i]));
  if (share != few) free(share);
  return worst;
}

static double worst_row(const ss_lcp* lcp, const sums* at)
{
  double worst = 0;
  for (int i = 0; i < lcp->n; i++) {
    double r = row_residual(lcp, at, i, worst);
    if (r > worst) worst = r;
  }
  return worst_share(lcp, at, worst);
}

// False after a NaN or an infinity somewhere, or an overflow
static bool is_finite(int n, const double* Y)
{
  for (int i = 0; i < n; i++)
    if (!(Y[i] <= DBL_MAX)) return false;
  return true;
}

double ss_lcp_residual_y(const ss_lcp* lcp, const double* x, double* y, double* Y)
{
  sums at = {x, y, Y, NULL};
  ss_lcp_row_sums(lcp, x, y, Y);
  return is_finite(lcp->n, Y) ? worst_row(lcp, &at) : INFINITY;
}

double ss_lcp_residual_sparse(const ss_lcp* lcp, const double* x, double* y, double* Y, double* E)
{
  const ss_sparse* S = lcp->S;
  sums at = {x, y, Y, E};
  ss_lcp_row_sums(lcp, x, y, Y);
  for (int i = 0; i < lcp->n; i++) E[i] = fabs(x[i]);  // a NaN in an empty column is in no sum
  if (!is_finite(lcp->n, Y) || !is_finite(lcp->n, E)) return INFINITY;
  for (int i = 0; i < lcp->n; i++) E[i] = 0;
  for (int k = 0; k < lcp->n; k++)
    for (int e = S->start[k]; e < S->start[k + 1]; e++) {
      double part = fabs(S->value[e])*fabs(x[S->col[e]]), *largest = &E[S->col[e]];
      if (part > *largest*Y[k]) *largest = part/Y[k];
    }
  return worst_row(lcp, &at);
}

double ss_lcp_effect(const ss_lcp* lcp, const double* x, const double* Y, int i)
{
  sums at = {x, NULL, Y, NULL};
  return effect(lcp, &at, i);
}

double ss_lcp_residual(const ss_lcp* lcp, const double* x)
{
  if (!lcp || (lcp->n && !x)) return NAN;
  double few[3*FEW], *y = few;
  size_t n = (size_t)lcp->n;
  if (lcp->n > FEW) y = malloc(3*n*sizeof *y);
  if (!y) return NAN;
  double r = lcp->A || lcp->n == 0 ? ss_lcp_residual_y(lcp, x, y, y + n)
                                   : ss_lcp_residual_sparse(lcp, x, y, y + n, y + 2*n);
  if (y != few) free(y);
  return r;
}
