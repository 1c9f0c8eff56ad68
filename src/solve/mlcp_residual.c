// How far z is from solving an MLCP: the measure of residual.c with bounds, computed from the data alone.
//
// Row i can hold in three ways, each at the price of a relative change of the data; the cheapest counts:
//   inside      |w_i|/W_i                          if lower_i <= z_i <= upper_i
//   at lower    max( D_i(lower_i), (-w_i)+/W_i )
//   at upper    max( D_i(upper_i), (+w_i)+/W_i )
// W_i = |b_i| + sum_j |a_ij||z_j| [Oettli & Prager 1964]. D_i(c) is the price of counting z_i as c: the change of the
// bound, |z_i - c|/|c|, or of A and b, max_k |a_ki||z_i - c|/W_k, whichever is less. For lower = 0, upper = infinity
// this is ss_lcp_residual(), also in that w_i counts relative to what is given where that is lost: share.c. Given is
// b_i, and a_ij z_j where z_j is at a bound.
#include "solve/mlcp.h"
#include "math/sparse.h"
#include "solve/share.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum {
  BLOCK = 64,  // rows whose W is kept at hand
  FEW = 64,    // unknowns up to which no heap is needed where b is lost
};

static double entry(const ss_mlcp* m, int i, int j)
{
  return m->A ? m->A[(size_t)i*(size_t)m->n + (size_t)j] : ss_sparse_entry(m->S, i, j);
}

// w_i, W_i and what is given in row i
typedef struct row {
  double w, W, given;
} row;

static row row_sums(const ss_mlcp* m, int i, const double* z)
{
  const ss_sparse* S = m->S;
  const double* a = m->A ? m->A + (size_t)i*(size_t)m->n : S->value + S->start[i];
  const int* col = m->A ? NULL : S->col + S->start[i];
  int count = m->A ? m->n : S->start[i + 1] - S->start[i];
  row r = {m->b[i], fabs(m->b[i]), fabs(m->b[i])};
  for (int k = 0; k < count; k++) {
    int j = col ? col[k] : k;
    double p = a[k]*z[j], size = fabs(p);
    r.w += p;
    r.W += size;
    if (size > r.given && (z[j] == m->lower[j] || z[j] == m->upper[j])) r.given = size;
  }
  return r;
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
    double part = fabs(entry(m, k, i))*gap;
    if (part == 0) continue;
    double W = k >= at->first && k < at->first + at->rows ? at->W[k - at->first] : row_sums(m, k, z).W;
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

// The residual where what is given may be lost; NaN if there is no memory
static double residual_by_share(const ss_mlcp* m, const double* z)
{
  double few[6*FEW], *memory = few, worst = 0;
  size_t n = (size_t)m->n;
  if (m->n > FEW && !(memory = malloc(6*n*sizeof *memory))) return NAN;
  double *w = memory, *W = w + n, *given = W + n, *share = given + n;
  for (int i = 0; i < m->n; i++) {
    row r = row_sums(m, i, z);
    w[i] = r.w;
    W[i] = r.W;
    given[i] = r.given;
  }
  ss_rows rows = {m->n, m->A, m->S, z, W, given};
  block all = {0, m->n, w, W};
  ss_share_of_rows(&rows, share, share + n, share + 2*n);
  for (int i = 0; i < m->n; i++) worst = fmax(worst, ss_share_residual(row_residual(m, z, i, &all, 0), share[i]));
  if (memory != few) free(memory);
  return worst;
}

double ss_mlcp_residual_w(const ss_mlcp* m, const double* z, double* w)
{
  double w_block[BLOCK], W[BLOCK], worst = 0, least = 1;
  if (!m || (m->n && !z)) return NAN;
  for (int first = 0; first < m->n; first += BLOCK) {
    int rows = m->n - first < BLOCK ? m->n - first : BLOCK;
    double* w_at = w ? w + first : w_block;
    for (int k = 0; k < rows; k++) {
      row r = row_sums(m, first + k, z);
      w_at[k] = r.w;
      W[k] = r.W;
      if (r.given > 0) least = fmin(least, r.given/r.W);
      if (!(r.W <= DBL_MAX) || !isfinite(z[first + k])) return INFINITY;  // in the data, in z, or an overflow
    }
    block at = {first, rows, w_at, W};
    for (int k = 0; k < rows; k++) {
      double r = row_residual(m, z, first + k, &at, worst);
      if (!(r <= worst)) worst = r;
    }
  }
  return least < ss_share_limit(worst) ? residual_by_share(m, z) : worst;
}

double ss_mlcp_residual(const ss_mlcp* mlcp, const double* z) { return ss_mlcp_residual_w(mlcp, z, NULL); }
