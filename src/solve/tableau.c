// Lemke's path in a dense condensed tableau, stored by columns so that a pivot adds a multiple of one column to each of
// the others [Cottle, Pang & Stone 1992, section 4.4].
#include "solve/tableau.h"
#include "math/simd.h"
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// After scaling entries and right-hand side are of order one: smaller coefficients are round-off of a zero and block
// nothing
static const double PIVOT_TOL = 1e-11;

static size_t stride_of(int n) { return ((size_t)n + 3)/4*4; }

static size_t doubles(int n) { return stride_of(n)*((size_t)n + 9); }

size_t ss_tableau_size(int n)
{
  return sizeof(double)*doubles(n) + sizeof(int)*(4*(size_t)n + 1) + sizeof(bool)*(2*(size_t)n + 1);
}

size_t ss_tableau_vectors_size(int n) { return sizeof(double)*8*stride_of(n) + sizeof(int)*(4*(size_t)n + 1); }

// The vectors behind `rhs`
static void place_vectors(ss_tableau* t, int n, double* rhs)
{
  size_t stride = stride_of(n);
  t->n = n;
  t->stride = (int)stride;
  t->rhs = rhs;
  t->b = t->rhs + stride;
  t->cover = t->b + stride;
  t->row = t->cover + stride;
  t->col = t->row + stride;
  t->x = t->col + stride;
  t->y = t->x + stride;
  t->Y = t->y + stride;
  t->basic = (int*)(t->Y + stride);
  t->index = t->basic + n;
  t->place = t->index + n;
  t->loaded = false;
  t->stop = NULL;
}

void ss_tableau_init(ss_tableau* t, int n, void* block)
{
  t->T = block;
  place_vectors(t, n, t->T + stride_of(n)*((size_t)n + 1));
  t->stays = (bool*)(t->place + 2*n + 1);
  t->rebuilt = 0;
  t->lost = false;
}

void ss_tableau_init_vectors(ss_tableau* t, int n, void* block)
{
  t->T = NULL;
  place_vectors(t, n, block);
}

static double* column(const ss_tableau* t, int j) { return t->T + (size_t)j*(size_t)t->stride; }

// What the inner loops need, by value: the compiler keeps it in registers while it writes into the tableau, and where
// the stride is a constant (see follow() and scale()) it unrolls the loops over a column.
typedef struct view {
  int n;
  size_t stride;
  double *T, *rhs;
} view;

#define COLUMN(v, j) ((v).T + (size_t)(j)*(v).stride)
#define FOUR_ROWS(v, i) for (size_t i = 0; i < (v).stride; i += 4)

// ---- scaling ----

// A^T into T, rows beyond n zero
SS_INLINE void load(view v, const double* a)
{
  for (int j = 0; j < v.n; j++) {
    double* c = COLUMN(v, j);
    SS_V4(c + v.stride - 4) = (ss_v4){0};
    const double* from = a + j;
    for (int i = 0; i < v.n; i++, from += v.n) c[i] = *from;
  }
}

// The power of two that brings s into [1, 2), for s below 2^1022; 1 for zero and denormal s
SS_INLINE double normalizer(double s)
{
  const uint64_t exponent_mask = 0x7ff0000000000000u, exponents_of_inverses = 0x7fe0000000000000u;
  uint64_t bits;
  memcpy(&bits, &s, sizeof bits);
  bits = exponents_of_inverses - (bits & exponent_mask);
  double inverse;
  memcpy(&inverse, &bits, sizeof inverse);
  return s >= DBL_MIN ? inverse : 1;
}

// A column with a single entry takes any scale, so it must not decide that of its row: in the friction row
// xi_R = G_TN Lambda_N + G_TT Lambda_R + xi_L  of a body of 1e12 kg the last entry would hide the others.
SS_INLINE bool has_several_entries(view v, const double* c)
{
  ss_v4i count = {0};
  FOUR_ROWS(v, i) count -= SS_V4C(c + i) != 0.0;
  return count[0] + count[1] + count[2] + count[3] > 1;
}

// sum_i = sum of |a_ij| over the columns with several entries, all_i = over all columns
SS_INLINE void row_sums(view v, double* sum, double* all)
{
  FOUR_ROWS(v, i) SS_V4(sum + i) = SS_V4(all + i) = (ss_v4){0};
  for (int j = 0; j < v.n; j++) {
    const double* c = COLUMN(v, j);
    double weight = has_several_entries(v, c) ? 1 : 0;
    FOUR_ROWS(v, i)
    {
      ss_v4 size = SS_V4_ABS(SS_V4C(c + i));
      SS_V4(sum + i) += weight*size;
      SS_V4(all + i) += size;
    }
  }
}

// The scaled b, from the scales of the rows; false if something is not finite
SS_INLINE bool scale_rows(ss_tableau* t, view v, const double* lcp_b, const double* sum, const double* all)
{
  double largest = 0, smallest = DBL_MAX, check = 0, *row = t->row, *b = t->b;
  SS_V4(row + v.stride - 4) = SS_V4(b + v.stride - 4) = (ss_v4){0};
  for (int i = 0; i < v.n; i++) {
    double r = normalizer(sum[i] > 0 ? sum[i] : all[i]), scaled = r*lcp_b[i], size = fabs(scaled);
    row[i] = r;
    b[i] = scaled;
    check += all[i] + size;
    largest = size > largest ? size : largest;
    smallest = size > 0 && size < smallest ? size : smallest;
  }
  double beta = normalizer(largest);
  FOUR_ROWS(v, i) SS_V4(b + i) *= beta;
  t->beta = beta;
  t->smallest_b = smallest*beta;
  return check < 0x1p1022;
}

// Rows by these sums, then columns by theirs: a full matrix s_i m_ij t_j gets the scale of m whatever s and t are
SS_INLINE bool scale_all(ss_tableau* t, const ss_lcp* lcp, size_t stride)
{
  view v = {t->n, stride, t->T, t->rhs};
  double *sum = t->rhs, *all = t->cover, *row = t->row, *col = t->col;
  load(v, lcp->A);
  t->loaded = true;
  row_sums(v, sum, all);
  bool finite = scale_rows(t, v, lcp->b, sum, all);
  for (int j = 0; j < v.n; j++) {
    const double* c = COLUMN(v, j);
    ss_v4 size = {0};
    FOUR_ROWS(v, i) size += SS_V4_ABS(SS_V4C(c + i))*SS_V4C(row + i);
    col[j] = normalizer(SS_V4_SUM(size));
  }
  return finite;
}

SS_CLONES static bool scale(ss_tableau* t, const ss_lcp* lcp)
{
  if (t->stride == 4) return scale_all(t, lcp, 4);
  if (t->stride == 8) return scale_all(t, lcp, 8);
  return scale_all(t, lcp, (size_t)t->stride);
}

bool ss_tableau_scale(ss_tableau* t, const ss_lcp* lcp) { return scale(t, lcp); }

// The same for a sparse A; `basic` counts the entries of the columns
bool ss_tableau_scale_sparse(ss_tableau* t, const ss_lcp* lcp)
{
  const ss_sparse* S = lcp->S;
  view v = {t->n, (size_t)t->stride, NULL, NULL};
  double *sum = t->rhs, *all = t->cover, *size = t->x;
  int* count = t->basic;
  for (int j = 0; j < t->n; j++) count[j] = 0;
  for (int e = 0; e < S->start[t->n]; e++) count[S->col[e]] += S->value[e] != 0;
  for (int i = 0; i < t->stride; i++) sum[i] = all[i] = size[i] = 0;
  for (int i = 0; i < t->n; i++)
    for (int e = S->start[i]; e < S->start[i + 1]; e++) {
      double a = fabs(S->value[e]);
      all[i] += a;
      if (count[S->col[e]] > 1) sum[i] += a;
    }
  bool finite = scale_rows(t, v, lcp->b, sum, all);
  for (int i = 0; i < t->n; i++)
    for (int e = S->start[i]; e < S->start[i + 1]; e++) size[S->col[e]] += fabs(S->value[e])*t->row[i];
  for (int j = 0; j < t->n; j++) t->col[j] = normalizer(size[j]);
  return finite;
}

// ---- start ----

// The row that z enters: largest -b_i/d_i; of equal ones the last, whose perturbation is the smallest
SS_INLINE int first_row(int n, const double* b, const double* cover)
{
  int r = 0;
  double largest = -DBL_MAX;
  for (int i = 0; i < n; i++) {
    double z = -b[i]/cover[i];
    r = z >= largest ? i : r;
    largest = z >= largest ? z : largest;
  }
  return r;
}

// c -= p f, with entry r apart
SS_INLINE void eliminate(view v, int r, double at_r, double p, const double* f, double* c)
{
  FOUR_ROWS(v, i) SS_V4(c + i) -= p*SS_V4C(f + i);
  c[r] = at_r;
}

// The tableau after z has entered in row r:  z = (y_r - b_r - A_r x)/d_r put into the other rows. Returns r.
SS_INLINE int start(const ss_tableau* t, view v)
{
  const double *b = t->b, *cover = t->cover, *row = t->row, *col = t->col;
  int n = v.n, r = first_row(n, b, cover), *basic = t->basic, *place = t->place;
  double inverse = 1/cover[r], *f = COLUMN(v, n);
  FOUR_ROWS(v, i)
  {
    SS_V4(f + i) = SS_V4C(cover + i)*inverse;
    SS_V4(v.rhs + i) = SS_V4C(b + i);
  }
  for (int j = 0; j < n; j++) {
    double *c = COLUMN(v, j), s = col[j];
    FOUR_ROWS(v, i) SS_V4(c + i) *= s*SS_V4C(row + i);
    eliminate(v, r, -c[r]*inverse, c[r], f, c);
    basic[j] = n + j;
    place[j] = j;
    place[n + j] = -1 - j;
  }
  eliminate(v, r, -b[r]*inverse, b[r], f, v.rhs);
  f[r] = inverse;
  basic[r] = 2*n;
  place[2*n] = -1 - r;
  place[n + r] = n;
  return r;
}

// ---- ratio test ----

// Smallest rhs_i/-c_i over the rows that fall; INFINITY if none does
SS_INLINE double smallest_ratio(view v, const double* c)
{
  const ss_v4 none = {INFINITY, INFINITY, INFINITY, INFINITY};
  ss_v4 q = none;
  FOUR_ROWS(v, i)
  {
    ss_v4i falls = SS_V4C(c + i) < -PIVOT_TOL;
    ss_v4 ratio = SS_V4_SELECT(falls, SS_V4C(v.rhs + i)/-SS_V4C(c + i), none);
    q = SS_V4_SELECT(ratio < q, ratio, q);
  }
  double p = q[0] < q[1] ? q[0] : q[1], s = q[2] < q[3] ? q[2] : q[3];
  p = p < s ? p : s;
  return p > 0 ? p : 0;  // round-off may have left a rhs just below zero
}

// Coefficient of eps^(k+1) in row i when b_k is raised by eps^(k+1)
static double perturbation(const ss_tableau* t, int k, int i)
{
  int at = t->place[t->n + k];
  return at < 0 ? -1 - at == i : -column(t, at)[i];
}

// The lexicographically smaller of rows p and q that fall at the same time; the larger pivot if even that does not tell
static int lexicographic(const ss_tableau* t, const double* c, int p, int q)
{
  for (int k = 0; k < t->n; k++) {
    double a = perturbation(t, k, p)/-c[p], b = perturbation(t, k, q)/-c[q];
    if (fabs(a - b) <= PIVOT_TOL*(fabs(a) + fabs(b))) continue;
    return a < b ? p : q;
  }
  return c[p] < c[q] ? p : q;
}

// The row that blocks the entering column c, -1 if none does; z is the row of the artificial variable
SS_INLINE int blocking_row(const ss_tableau* t, view v, const double* c, int z)
{
  int r = -1;
  double step = smallest_ratio(v, c), tie = t->tie_tol;
  if (step == INFINITY) return -1;
  if (c[z] < -PIVOT_TOL && v.rhs[z] + c[z]*step <= t->z_tol) return z;
  for (int i = 0; i < v.n; i++)
    if (c[i] < -PIVOT_TOL && v.rhs[i] + c[i]*step <= tie) r = r < 0 ? i : lexicographic(t, c, r, i);
  return r;
}

// ---- pivot ----

// Row r is solved for the variable of column s and put into the others; the right-hand side is the last column
SS_INLINE void pivot(view v, int r, int s)
{
  double *c = COLUMN(v, s), inverse = -1/c[r];
  for (int j = 0; j <= v.n + 1; j++) {
    double *to = COLUMN(v, j), f = to[r]*inverse;
    if (f == 0 || j == s) continue;
    FOUR_ROWS(v, i) SS_V4(to + i) += f*SS_V4C(c + i);
    to[r] = f;
  }
  FOUR_ROWS(v, i) SS_V4(c + i) *= -inverse;
  c[r] = -inverse;
}

// The last pivot: only the right-hand side is still wanted
SS_INLINE void let_z_leave(view v, const double* c, int r)
{
  double step = v.rhs[r]/-c[r];
  FOUR_ROWS(v, i) SS_V4(v.rhs + i) += step*SS_V4C(c + i);
  v.rhs[r] = step;
}

// ---- a new tableau ----

enum { FEW = 8 };  // pivots after which a new tableau is still as good as new

// The tableau with all y basic and z in the last column. `basic` and `place` follow.
static void load_start(ss_tableau* t, const ss_lcp* lcp)
{
  int n = t->n;
  view v = {n, (size_t)t->stride, t->T, t->rhs};
  load(v, lcp->A);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) column(t, j)[i] *= t->row[i]*t->col[j];
  for (int i = 0; i < t->stride; i++) {
    column(t, n)[i] = t->cover[i];
    t->rhs[i] = t->b[i];
  }
  for (int j = 0; j < n; j++) {
    t->basic[j] = n + j;
    t->place[j] = j;
    t->place[n + j] = -1 - j;
  }
  t->place[2*n] = n;
}

static void exchange(ss_tableau* t, int r, int s, int entering)
{
  view v = {t->n, (size_t)t->stride, t->T, t->rhs};
  int leaving = t->basic[r];
  pivot(v, r, s);
  t->place[leaving] = s;
  t->place[entering] = -1 - r;
  t->basic[r] = entering;
}

// Of the rows whose variable is to leave, that with the largest entry in column c; -1 if they are all zero
static int best_row(const ss_tableau* t, const double* c, const bool* stays)
{
  int best = -1;
  double largest = 0;
  for (int i = 0; i < t->n; i++)
    if (!stays[t->basic[i]] && fabs(c[i]) > largest) {
      largest = fabs(c[i]);
      best = i;
    }
  return best;
}

// The tableau of the present basis from A, b and d: Gauss-Jordan elimination, each column by its largest entry. False
// if the basis is singular; the old tableau is lost then.
static bool rebuild(ss_tableau* t, const ss_lcp* lcp)
{
  int n = t->n;
  bool* stays = t->stays;
  for (int k = 0; k <= 2*n; k++) stays[k] = t->place[k] < 0;
  load_start(t, lcp);
  for (int k = 0; k <= 2*n; k++) {
    if (!stays[k] || t->place[k] < 0) continue;
    int r = best_row(t, column(t, t->place[k]), stays);
    if (r < 0) return false;
    exchange(t, r, t->place[k], k);
  }
  return true;
}

// Updating a tableau of an ill-conditioned problem loses digits until nothing seems to block any more: the basic values
// still satisfy their rows, but the columns are wrong. So a ray must be one in a new tableau too. Returns the row that
// blocks in that, or -1; z is the row of the artificial variable. If the basis is singular the ray of the old tableau,
// which is lost, stays in t->y.
static int look_again(ss_tableau* t, const ss_lcp* lcp, int entering, int* z)
{
  view v = {t->n, (size_t)t->stride, t->T, t->rhs};
  t->entering = entering;
  ss_tableau_ray(t, t->y);
  t->lost = !rebuild(t, lcp);
  if (t->lost) return -1;
  t->rebuilt++;
  *z = -1 - t->place[2*t->n];
  return blocking_row(t, v, column(t, t->place[entering]), *z);
}

SS_INLINE ss_path walk(ss_tableau* t, const ss_lcp* lcp, size_t stride, int max_iter, int* iterations)
{
  view v = {t->n, stride, t->T, t->rhs};
  int n = v.n, used = 1, fresh = 1, *basic = t->basic, *place = t->place;
  ss_path end = SS_PATH_LIMIT;
  if (!t->loaded) load(v, lcp->A);
  t->loaded = t->lost = false;
  int entering = start(t, v), z = entering;  // first the x of the row that z has entered
  for (; used < max_iter && end == SS_PATH_LIMIT && !ss_stopped(t->stop); used++) {
    int s = place[entering], r = blocking_row(t, v, COLUMN(v, s), z);
    if (r < 0 && used - fresh >= FEW) {
      r = look_again(t, lcp, entering, &z);
      s = place[entering];
      fresh = used;
    }
    if (r < 0) {
      end = SS_PATH_RAY;
      break;
    }
    int leaving = basic[r];
    if (r == z) {
      let_z_leave(v, COLUMN(v, s), r);
      end = SS_PATH_SOLVED;
    } else {
      pivot(v, r, s);
    }
    place[leaving] = s;
    place[entering] = -1 - r;
    basic[r] = entering;
    entering = leaving < n ? leaving + n : leaving - n;
  }
  t->entering = entering;
  *iterations += used;
  return end;
}

SS_CLONES static ss_path follow(ss_tableau* t, const ss_lcp* lcp, int max_iter, int* iterations)
{
  if (t->stride == 4) return walk(t, lcp, 4, max_iter, iterations);
  if (t->stride == 8) return walk(t, lcp, 8, max_iter, iterations);
  return walk(t, lcp, (size_t)t->stride, max_iter, iterations);
}

ss_path ss_tableau_follow(ss_tableau* t, const ss_lcp* lcp, int max_iter, int* iterations)
{
  return follow(t, lcp, max_iter, iterations);
}

// ---- results ----

void ss_tableau_solution(const ss_tableau* t, double speck, double* x)
{
  double unit = 1/t->beta;
  for (int j = 0; j < t->n; j++) {
    int at = t->place[j];
    double v = at < 0 ? t->rhs[-1 - at] : 0;
    x[j] = v > speck ? v*t->col[j]*unit : 0;
  }
}

// Nothing blocks the entering variable: basic x_j changes by its coefficient, the entering x itself by one
void ss_tableau_ray(const ss_tableau* t, double* ray)
{
  if (t->lost) {
    memcpy(ray, t->y, sizeof(double)*(size_t)t->n);
    return;
  }
  const double* c = column(t, t->place[t->entering]);
  double largest = 0;
  for (int j = 0; j < t->n; j++) {
    int at = t->place[j];
    double v = at < 0 ? c[-1 - at] : j == t->entering;
    ray[j] = v > PIVOT_TOL ? v*t->col[j] : 0;
    if (ray[j] > largest) largest = ray[j];
  }
  for (int j = 0; j < t->n && largest > 0; j++) ray[j] /= largest;
}
