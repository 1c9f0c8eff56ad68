// How far x is from solving an LCP: one measure for all solvers, computed from the data alone.
//
// The componentwise backward error [Oettli & Prager 1964]: y_i = 0 holds exactly for data that differ from A and b by
// the relative amount |y_i|/Y_i in each entry, Y_i = |b_i| + sum_j |a_ij||x_j|, and for no closer data. Scaling row i
// of A and b scales y_i and Y_i alike; scaling column j of A and dividing x_j by the same changes neither: units do not
// matter.
#include "solve/residual.h"
#include "math/simd.h"
#include <float.h>
#include <math.h>

enum {
  BLOCK = 64,  // rows whose Y is kept at hand
  WIDE = 8,    // from this size on rows are summed four entries at a time
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

SS_CLONES static void wide_sums(int n, int rows, const double* A, const double* b, const double* x, double* y,
                                double* Y)
{
  for (int i = 0; i < rows; i++) {
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

// y_i and Y_i of `rows` rows from `first` on
static void row_sums(const ss_lcp* lcp, int first, int rows, const double* x, double* y, double* Y)
{
  int n = lcp->n;
  const double *A = lcp->A + (size_t)first*(size_t)n, *b = lcp->b + first;
  if (n >= WIDE) {
    wide_sums(n, rows, A, b, x, y, Y);
    return;
  }
  for (int i = 0; i < rows; i++) {
    y[i] = b[i];
    Y[i] = fabs(b[i]);
    add_products(n, A + i*n, x, y + i, Y + i);
  }
}

// The rows at hand
typedef struct block {
  int first, rows;
  const double *y, *Y;  // of these rows
} block;

// E_i = max_k |a_ki||x_i|/Y_k: what dropping x_i changes; infinite if column i is zero, where nothing says what size of
// x_i is small. Rows that are not at hand are summed anew.
static double effect(const ss_lcp* lcp, const double* x, int i, const block* at)
{
  double largest = 0;
  for (int k = 0; k < lcp->n; k++) {
    double part = fabs(lcp->A[(size_t)k*(size_t)lcp->n + (size_t)i]*x[i]), y, Y;
    if (part == 0) continue;
    if (k >= at->first && k < at->first + at->rows) Y = at->Y[k - at->first];
    else row_sums(lcp, k, 1, x, &y, &Y);
    if (part > largest*Y) largest = part/Y;
  }
  return largest > 0 ? largest : INFINITY;
}

// Row i:  x_i > 0   |y_i|/Y_i, or E_i if that is less and y_i >= 0: a speck of x_i where there should be none
//         x_i = 0   max(0, -y_i)/Y_i
//         x_i < 0   max(E_i, max(0, -y_i)/Y_i)
// E_i costs O(n) and is computed only if it matters: not for round-off, nor below `worst`, the largest residual so far.
static double row_residual(const ss_lcp* lcp, const double* x, int i, const block* at, double worst)
{
  double y = at->y[i - at->first], Y = at->Y[i - at->first];
  double relative = Y > 0 ? fabs(y)/Y : 0;
  if (x[i] == 0) return y < 0 ? relative : 0;
  if (x[i] < 0) return fmax(effect(lcp, x, i, at), y < 0 ? relative : 0);
  if (y < 0 || relative <= worst || relative <= DBL_EPSILON) return relative;
  return fmin(relative, effect(lcp, x, i, at));
}

double ss_lcp_residual_y(const ss_lcp* lcp, const double* x, double* y)
{
  double y_block[BLOCK], Y[BLOCK], worst = 0;
  for (int first = 0; first < lcp->n; first += BLOCK) {
    int rows = lcp->n - first < BLOCK ? lcp->n - first : BLOCK;
    double* y_at = y ? y + first : y_block;
    row_sums(lcp, first, rows, x, y_at, Y);
    for (int k = 0; k < rows; k++)
      if (!(Y[k] <= DBL_MAX)) return INFINITY;  // a NaN or an infinity somewhere, or an overflow
    block at = {first, rows, y_at, Y};
    for (int k = 0; k < rows; k++) {
      double r = row_residual(lcp, x, first + k, &at, worst);
      if (r > worst) worst = r;
    }
  }
  return worst;
}

double ss_lcp_residual(const ss_lcp* lcp, const double* x) { return ss_lcp_residual_y(lcp, x, NULL); }
