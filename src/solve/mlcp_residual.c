// How far z is from solving an MLCP: the measure of residual.c with bounds, computed from the data alone.
//
// Row i can hold in three ways, each at the price of a relative change of the data; the cheapest counts:
//   inside      |w_i|/W_i                          if lower_i <= z_i <= upper_i
//   at lower    max( D_i(lower_i), (-w_i)+/W_i )
//   at upper    max( D_i(upper_i), (+w_i)+/W_i )
// W_i = |b_i| + sum_j |a_ij||z_j| [Oettli & Prager 1964]. D_i(c) is the price of counting z_i as c: the change of the
// bound, |z_i - c|/|c|, or of A and b, max_k |a_ki||z_i - c|/W_k, whichever is less. For lower = 0, upper = infinity
// this is ss_lcp_residual().
#include "solve/mlcp.h"
#include "math/sparse.h"
#include <float.h>
#include <math.h>

enum { BLOCK = 64 };  // rows whose W is kept at hand

static double entry(const ss_mlcp* m, int i, int j)
{
  return m->A ? m->A[(size_t)i*(size_t)m->n + (size_t)j] : ss_sparse_entry(m->S, i, j);
}

static void row_sums(const ss_mlcp* m, int i, const double* z, double* w, double* W)
{
  const ss_sparse* S = m->S;
  const double* a = m->A ? m->A + (size_t)i*(size_t)m->n : S->value + S->start[i];
  const int* col = m->A ? NULL : S->col + S->start[i];
  int count = m->A ? m->n : S->start[i + 1] - S->start[i];
  double sum = m->b[i], size = fabs(m->b[i]);
  for (int k = 0; k < count; k++) {
    double p = a[k]*z[col ? col[k] : k];
    sum += p;
    size += fabs(p);
  }
  *w = sum;
  *W = size;
}

// The rows at hand
typedef struct block {
  int first, rows;
  const double *w, *W;  // of these rows
} block;

// D_i(c); infinite if neither c nor column i says what size of z_i - c is small. Rows that are not at hand are summed
// anew; that is seldom asked for.
static double distance(const ss_mlcp* m, const double* z, int i, double c, const block* at)
{
  double gap = fabs(z[i] - c), largest = 0;
  if (gap == 0) return 0;
  if (isinf(c)) return INFINITY;
  double limit = gap/fabs(c);
  for (int k = 0; k < m->n && largest < limit; k++) {
    double part = fabs(entry(m, k, i))*gap, w, W;
    if (part == 0) continue;
    if (k >= at->first && k < at->first + at->rows) W = at->W[k - at->first];
    else row_sums(m, k, z, &w, &W);
    if (part > largest*W) largest = part/W;
  }
  return largest > 0 ? fmin(largest, limit) : limit;
}

// Prices are computed only if they matter: not for round-off, nor below `worst`, the largest residual so far.
static double row_residual(const ss_mlcp* m, const double* z, int i, const block* at, double worst)
{
  double w = at->w[i - at->first], W = at->W[i - at->first], relative = W > 0 ? fabs(w)/W : 0;
  double lower = m->lower[i], upper = m->upper[i], price = INFINITY;
  if (z[i] >= lower && z[i] <= upper) {
    if (relative <= worst || relative <= DBL_EPSILON) return relative;
    if ((z[i] == lower && w >= 0) || (z[i] == upper && w <= 0)) return 0;
    price = relative;
  }
  if (w >= 0 || z[i] < lower) price = fmin(price, fmax(distance(m, z, i, lower, at), w < 0 ? relative : 0));
  if (w <= 0 || z[i] > upper) price = fmin(price, fmax(distance(m, z, i, upper, at), w > 0 ? relative : 0));
  return price;
}

double ss_mlcp_residual_w(const ss_mlcp* m, const double* z, double* w)
{
  double w_block[BLOCK], W[BLOCK], worst = 0;
  for (int first = 0; first < m->n; first += BLOCK) {
    int rows = m->n - first < BLOCK ? m->n - first : BLOCK;
    double* w_at = w ? w + first : w_block;
    for (int k = 0; k < rows; k++) {
      row_sums(m, first + k, z, &w_at[k], &W[k]);
      if (!(W[k] <= DBL_MAX)) return INFINITY;  // a NaN or an infinity somewhere, or an overflow
    }
    block at = {first, rows, w_at, W};
    for (int k = 0; k < rows; k++) {
      double r = row_residual(m, z, first + k, &at, worst);
      if (!(r <= worst)) worst = r;
    }
  }
  return worst;
}

double ss_mlcp_residual(const ss_mlcp* mlcp, const double* z) { return ss_mlcp_residual_w(mlcp, z, NULL); }
