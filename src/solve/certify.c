// The residual of LCPs and mixed problems with twice the digits. Both are the same measure (residual.c,
// mlcp_residual.c), written here as its definition says, without shortcuts:
//   r = max_i min( inside, at lower, at upper ),  with w = A z + b, W_i = |b_i| + sum_j |a_ij||z_j|,
//   inside    |w_i|/W_i if lower_i <= z_i <= upper_i        at c     max( D_i(c), (-+w_i)+/W_i )
//   D_i(c) = min( |z_i - c|/|c|, max_k |a_ki||z_i - c|/W_k ),  infinite where neither says what is small,
// and relative to what is given where that is lost (share.c).
#include "solve/share.h"
#include "solve/twofold.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <stickslip/certify.h>

typedef struct data {
  int n;
  const double* A;
  const ss_sparse* S;
  const double *b, *lower, *upper, *z;
  ss_twofold* w;   // n
  double* W;       // n
  double* column;  // n: max_k |a_ki|/W_k
  double *given, *share, *scratch;  // n, n, 2n: see share.h
} data;

// Number of entries of row i, their columns (NULL: all) and values
static int row_of(const data* d, int i, const int** col, const double** a)
{
  *col = d->S ? d->S->col + d->S->start[i] : NULL;
  *a = d->S ? d->S->value + d->S->start[i] : d->A + (size_t)i*(size_t)d->n;
  return d->S ? d->S->start[i + 1] - d->S->start[i] : d->n;
}

static bool at_bound(const data* d, int j) { return d->z[j] == d->lower[j] || d->z[j] == d->upper[j]; }

static void sum_rows(data* d)
{
  const int* col;
  const double* a;
  for (int i = 0; i < d->n; i++) {
    int count = row_of(d, i, &col, &a);
    d->w[i] = ss_tw(d->b[i]);
    d->W[i] = d->given[i] = fabs(d->b[i]);
    for (int e = 0; e < count; e++) {
      int j = col ? col[e] : e;
      d->w[i] = ss_tw_add(d->w[i], ss_tw_product(a[e], d->z[j]));
      d->W[i] += fabs(a[e]*d->z[j]);
      if (at_bound(d, j)) d->given[i] = fmax(d->given[i], fabs(a[e]*d->z[j]));
    }
  }
}

static void measure_columns(data* d)
{
  const int* col;
  const double* a;
  for (int i = 0; i < d->n; i++) d->column[i] = 0;
  for (int k = 0; k < d->n; k++) {
    int count = row_of(d, k, &col, &a);
    for (int e = 0; e < count; e++) {
      int i = col ? col[e] : e;
      double part = a[e] == 0 ? 0 : fabs(a[e])/d->W[k];  // infinite: a row of zeros but for z_i = 0
      if (part > d->column[i]) d->column[i] = part;
    }
  }
}

// D_i(c)
static double distance(const data* d, int i, double c)
{
  if (isinf(c)) return INFINITY;
  double gap = fabs(ss_tw_double(ss_tw_sum(d->z[i], -c)));
  if (gap == 0) return 0;
  double of_bound = gap/fabs(c), of_column = d->column[i] > 0 ? d->column[i]*gap : INFINITY;
  return fmin(of_bound, of_column);
}

static double row_residual(const data* d, int i)
{
  double w = ss_tw_double(d->w[i]), relative = d->W[i] > 0 ? fabs(w)/d->W[i] : 0, best = INFINITY;
  bool inside = d->z[i] >= d->lower[i] && d->z[i] <= d->upper[i];
  if (inside) best = relative;
  best = fmin(best, fmax(distance(d, i, d->lower[i]), w < 0 ? relative : 0));
  return fmin(best, fmax(distance(d, i, d->upper[i]), w > 0 ? relative : 0));
}

static double certify(data* d)
{
  double worst = 0;
  for (int i = 0; i < d->n; i++)
    if (!isfinite(d->z[i])) return INFINITY;
  sum_rows(d);
  for (int i = 0; i < d->n; i++)
    if (!(d->W[i] <= DBL_MAX) || !isfinite(ss_tw_double(d->w[i]))) return INFINITY;
  measure_columns(d);
  ss_rows rows = {d->n, d->A, d->S, d->z, d->W, d->given};
  ss_share_of_rows(&rows, d->share, d->scratch, d->scratch + d->n);
  for (int i = 0; i < d->n; i++) {
    double r = ss_share_residual(row_residual(d, i), d->share[i]);
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

double ss_mlcp_certify(const ss_mlcp* m, const double* z)
{
  if (!m || !z) return NAN;
  size_t n = (size_t)m->n;
  double* memory = malloc((8*n + 1)*sizeof(double));
  if (!memory) return NAN;
  data d = {.n = m->n, .A = m->A, .S = m->S, .b = m->b, .lower = m->lower, .upper = m->upper, .z = z,
            .w = (ss_twofold*)memory, .W = memory + 2*n, .column = memory + 3*n,
            .given = memory + 4*n, .share = memory + 5*n, .scratch = memory + 6*n};
  double r = certify(&d);
  free(memory);
  return r;
}

double ss_lcp_certify(const ss_lcp* lcp, const double* x)
{
  if (!lcp || (lcp->n && !x)) return NAN;
  size_t n = (size_t)lcp->n;
  double* bounds = malloc((2*n + 1)*sizeof(double));
  if (!bounds) return NAN;
  for (size_t i = 0; i < n; i++) {
    bounds[i] = 0;
    bounds[n + i] = INFINITY;
  }
  ss_mlcp m = {.n = lcp->n, .A = lcp->A, .b = lcp->b, .lower = bounds, .upper = bounds + n, .S = lcp->S};
  double r = ss_mlcp_certify(&m, x);
  free(bounds);
  return r;
}
