// Equilibration of an MLCP by powers of two: the largest entry of each row and of each column comes near one.
#include "solve/mlcp.h"
#include <float.h>
#include <math.h>

enum { SWEEPS = 12 };

static const double HUGE_BOUND = 0x1p1000;  // finite bounds stay finite

// Entries of a row or column: stride 1 or n
static int entries(int n, const double* a, int stride)
{
  int count = 0;
  for (int k = 0; k < n; k++) count += a[(size_t)k*(size_t)stride] != 0;
  return count;
}

// The power of two that halves the binary exponent of s
static double half_inverse(double s, bool* moved)
{
  if (!(s > 0)) return 1;
  int e;
  frexp(s, &e);
  int shift = e >= 0 ? e/2 : -((1 - e)/2);  // towards 1/2 <= s < 2
  if (shift != 0) *moved = true;
  return ldexp(1, -shift);
}

// Largest |a_k| over the entries that are not alone in the other direction (alone = 1), or of all if there are no
// others: a column with a single entry takes any scale and must not decide that of its row, nor the other way round.
static double largest(int n, const double* a, int stride, const double* alone)
{
  double some = 0, all = 0;
  for (int k = 0; k < n; k++) {
    double size = fabs(a[(size_t)k*(size_t)stride]);
    if (size > all) all = size;
    if (size > some && alone[k] == 0) some = size;
  }
  return some > 0 ? some : all;
}

static void scale_row(ss_mlcp_scaled* s, int i, double f)
{
  s->row[i] *= f;
  for (int j = 0; j < s->n; j++) s->A[(size_t)i*(size_t)s->n + (size_t)j] *= f;
}

static void scale_column(ss_mlcp_scaled* s, int j, double f)
{
  s->col[j] *= f;
  for (int i = 0; i < s->n; i++) s->A[(size_t)i*(size_t)s->n + (size_t)j] *= f;
}

// Rows and columns in turn, each by the root of what is needed [Ruiz 2001]; lower and upper are scratch
static void equilibrate(ss_mlcp_scaled* s)
{
  int n = s->n;
  double *row_alone = s->lower, *col_alone = s->upper;
  bool moved = true;
  for (int i = 0; i < n; i++) {
    row_alone[i] = entries(n, s->A + (size_t)i*(size_t)n, 1) == 1;
    col_alone[i] = entries(n, s->A + i, n) == 1;
  }
  for (int sweep = 0; sweep < SWEEPS && moved; sweep++) {
    moved = false;
    for (int i = 0; i < n; i++) {
      double f = half_inverse(largest(n, s->A + (size_t)i*(size_t)n, 1, col_alone), &moved);
      if (f != 1) scale_row(s, i, f);
    }
    for (int j = 0; j < n; j++) {
      double f = half_inverse(largest(n, s->A + j, n, row_alone), &moved);
      if (f != 1) scale_column(s, j, f);
    }
  }
}

// ---- two scales in one matrix ----

// Rows like  v = G lambda + sigma  and  mu lambda_N - lambda_T  hold each other's largest entry at one while G, of a
// heavy body, is tiny. Then scales are sought that bring all entries near one, not only the largest ones.
static bool has_two_scales(const ss_mlcp_scaled* s)
{
  size_t small = 0, all = 0;
  for (size_t k = 0; k < (size_t)s->n*(size_t)s->n; k++) {
    double size = fabs(s->A[k]);
    all += size > 0;
    small += size > 0 && size < 0x1p-16;
  }
  return 8*small > all;
}

// Mean binary exponent of the entries of a row or column, rounded towards zero
static int mean_exponent(int n, const double* a, int stride)
{
  int sum = 0, count = 0, e;
  for (int k = 0; k < n; k++) {
    double v = a[(size_t)k*(size_t)stride];
    if (v == 0) continue;
    frexp(v, &e);
    sum += e;
    count++;
  }
  return count ? sum/count : 0;
}

// Least squares of log |row_i a_ij col_j|, by rows and columns in turn [Curtis & Reid 1972]
static void level(ss_mlcp_scaled* s)
{
  bool moved = true;
  for (int sweep = 0; sweep < SWEEPS && moved; sweep++) {
    moved = false;
    for (int i = 0; i < s->n; i++) {
      int e = mean_exponent(s->n, s->A + (size_t)i*(size_t)s->n, 1);
      if (e != 0) scale_row(s, i, ldexp(1, -e));
      moved = moved || e != 0;
    }
    for (int j = 0; j < s->n; j++) {
      int e = mean_exponent(s->n, s->A + j, s->n);
      if (e != 0) scale_column(s, j, ldexp(1, -e));
      moved = moved || e != 0;
    }
  }
}

// ---- b and the bounds ----

static double scaled_bound(double bound, double f)
{
  double v = bound*f;
  if (isinf(bound) || fabs(v) < HUGE_BOUND) return v;
  return copysign(HUGE_BOUND, v);
}

// The bound next to zero, or zero
static double reference(double lower, double upper) { return lower > 0 ? lower : upper < 0 ? upper : 0; }

// Scale of b: largest entry of w at the point next to zero, or of the bounds if that is nothing
static double size_of_b(const ss_mlcp* m, const ss_mlcp_scaled* s)
{
  double size = 0, bounds = 0;
  for (int i = 0; i < s->n; i++) {
    const double* a = m->A + (size_t)i*(size_t)s->n;
    double w = m->b[i];
    for (int j = 0; j < s->n; j++) w += a[j]*reference(m->lower[j], m->upper[j]);
    size = fmax(size, fabs(w)*s->row[i]);
    double z = reference(m->lower[i], m->upper[i]);
    bounds = fmax(bounds, fabs(z)/s->col[i]);
  }
  if (!(size > 0)) size = bounds;
  return size > 0x1p-1000 && size < 0x1p1000 ? size : 1;
}

bool ss_mlcp_scale(const ss_mlcp* m, ss_mlcp_scaled* s)
{
  int n = s->n = m->n;
  double check = 0;
  for (size_t k = 0; k < (size_t)n*(size_t)n; k++) check += fabs(s->A[k] = m->A[k]);
  for (int i = 0; i < n; i++) {
    check += fabs(m->b[i]);
    s->row[i] = s->col[i] = 1;
  }
  if (!(check <= DBL_MAX)) return false;
  equilibrate(s);
  if (has_two_scales(s)) {
    level(s);
    equilibrate(s);
  }
  int e;
  frexp(size_of_b(m, s), &e);
  s->beta = ldexp(1, 1 - e);
  for (int i = 0; i < n; i++) {
    s->b[i] = m->b[i]*s->row[i]*s->beta;
    s->lower[i] = scaled_bound(m->lower[i], s->beta/s->col[i]);
    s->upper[i] = scaled_bound(m->upper[i], s->beta/s->col[i]);
    if (!(fabs(s->b[i]) <= DBL_MAX)) return false;
  }
  return true;
}
