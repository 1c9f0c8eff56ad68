// Block elimination of free unknowns in a full tableau, with pivots of one and of two rows.
#include "solve/mlcp_eliminate.h"
#include "math/dense.h"
#include <math.h>

// On the scale where entries are of order one
static const double GOOD_PIVOT = 1e-4;   // single pivots that are taken without looking further
static const double PIVOT_TOL = 1e-11;   // smaller ones are round-off of a zero

bool ss_is_free(const ss_mlcp_scaled* s, int i) { return isinf(s->lower[i]) && isinf(s->upper[i]); }

bool ss_is_box(const ss_mlcp_scaled* s, int i)
{
  return !isinf(s->lower[i]) && !isinf(s->upper[i]) && s->lower[i] < s->upper[i];
}

size_t ss_elimination_doubles(int n) { return (size_t)n*(size_t)n + 3*(size_t)n; }
size_t ss_elimination_ints(int n) { return 4*(size_t)n; }

void ss_elimination_init(ss_elimination* e, int n, double* doubles, int* ints)
{
  size_t N = (size_t)n;
  *e = (ss_elimination){.n = n, .T = doubles, .rhs = doubles + N*N, .ref = doubles + N*N + N,
                        .sign = doubles + N*N + 2*N, .basic = ints, .nonbasic = ints + n, .place = ints + 2*n,
                        .conflict = -1};
}

static double* row_of(const ss_elimination* e, int r) { return e->T + (size_t)r*(size_t)e->n; }

static void fill(ss_elimination* e, const ss_mlcp_scaled* s)
{
  int n = e->n;
  for (int i = 0; i < n; i++) {
    e->sign[i] = isinf(s->lower[i]) && !isinf(s->upper[i]) ? -1 : 1;
    e->ref[i] = !isinf(s->lower[i]) ? s->lower[i] : !isinf(s->upper[i]) ? s->upper[i] : 0;
    e->basic[i] = n + i;
    e->nonbasic[i] = i;
    e->place[i] = -1 - i;
    e->place[n + i] = i;
  }
  for (int i = 0; i < n; i++) {
    const double* a = s->A + (size_t)i*(size_t)n;
    e->rhs[i] = e->sign[i]*(s->b[i] + ss_dot(n, a, e->ref));
    for (int j = 0; j < n; j++) row_of(e, i)[j] = e->sign[i]*a[j]*e->sign[j];
  }
}

// ---- pivots ----

// Row r is solved for the variable of column c and put into the others
static void pivot(ss_elimination* e, int r, int c)
{
  int n = e->n, entering = e->nonbasic[c], leaving = e->basic[r];
  double *p = row_of(e, r), inverse = 1/p[c];
  for (int j = 0; j < n; j++) p[j] *= -inverse;
  p[c] = inverse;
  e->rhs[r] *= -inverse;
  for (int i = 0; i < n; i++) {
    double *to = row_of(e, i), f = to[c];
    if (i == r || f == 0) continue;
    to[c] = 0;
    ss_axpy(n, f, p, to);
    e->rhs[i] += f*e->rhs[r];
  }
  e->basic[r] = entering;
  e->nonbasic[c] = leaving;
  e->place[entering] = r;
  e->place[leaving] = -1 - c;
}

// Rows whose basic variable is the v of a free unknown, columns whose variable is a free t: what is still to be done
static bool open_row(const ss_elimination* e, const ss_mlcp_scaled* s, int r)
{
  return e->basic[r] >= e->n && ss_is_free(s, e->basic[r] - e->n);
}

static bool open_column(const ss_elimination* e, const ss_mlcp_scaled* s, int c)
{
  return e->nonbasic[c] < e->n && ss_is_free(s, e->nonbasic[c]);
}

// A pivot: rows and columns, the second pair -1 if it is single
typedef struct choice {
  double size;
  int r, c, r2, c2;
} choice;

static choice best_single(const ss_elimination* e, const ss_mlcp_scaled* s)
{
  choice best = {.size = 0, .r2 = -1, .c2 = -1};
  for (int r = 0; r < e->n; r++)
    for (int c = 0; c < e->n && open_row(e, s, r); c++) {
      double size = fabs(row_of(e, r)[c]);
      if (size > best.size && open_column(e, s, c)) best = (choice){size, r, c, -1, -1};
    }
  return best;
}

// The complementary pair i that lets an equation and a free unknown in: t_i for the equation, the free one for v_i
static void offer_pair(const ss_elimination* e, const ss_mlcp_scaled* s, int i, int r, choice* best)
{
  int column = -1 - e->place[i], row = e->place[e->n + i];
  if (column < 0 || row < 0) {  // v_i has left already: the same with their roles exchanged
    column = -1 - e->place[e->n + i];
    row = e->place[i];
  }
  double first = fabs(row_of(e, r)[column]);
  for (int c = 0; c < e->n && first > best->size; c++) {
    double size = fmin(first, fabs(row_of(e, row)[c]));
    if (size > best->size && open_column(e, s, c)) *best = (choice){size, r, column, row, c};
  }
}

static choice best_pair(const ss_elimination* e, const ss_mlcp_scaled* s)
{
  choice best = {0};
  for (int r = 0; r < e->n; r++)
    for (int i = 0; i < e->n && open_row(e, s, r); i++)
      if (!ss_is_free(s, i) && !ss_is_fixed(s, i)) offer_pair(e, s, i, r, &best);
  return best;
}

static void take(ss_elimination* e, const choice* p)
{
  pivot(e, p->r, p->c);
  if (p->r2 >= 0) pivot(e, p->r2, p->c2);
}

// ---- what is left over ----

// Columns that can still change a row: not the v of free unknowns, which are zero, nor fixed t
static bool live_column(const ss_elimination* e, const ss_mlcp_scaled* s, int c)
{
  int v = e->nonbasic[c], i = v < e->n ? v : v - e->n;
  return v < e->n ? !ss_is_fixed(s, i) : !ss_is_free(s, i);
}

// Row r: v_r = rhs + ... with all live coefficients zero. Is rhs zero? It is v.b with the v of the witness, so what
// counts is its size beside sum |v_k b_k|.
static bool contradicts(const ss_elimination* e, const ss_mlcp_scaled* s, int r, double tol)
{
  const double* T = row_of(e, r);
  int n = e->n;
  double size = fabs(s->b[e->basic[r] - n]);
  for (int c = 0; c < n; c++) {
    if (live_column(e, s, c) && fabs(T[c]) > PIVOT_TOL*100) return false;
    int v = e->nonbasic[c];
    if (v >= n) size += fabs(T[c]*s->b[v - n]);
    else if (ss_is_fixed(s, v)) size += fabs(T[c]*e->ref[v]);
  }
  return fabs(e->rhs[r]) > tol*size + 1e-14;
}

void ss_eliminate(ss_elimination* e, const ss_mlcp_scaled* s, double tol)
{
  fill(e, s);
  for (;;) {
    choice p = best_single(e, s);
    if (p.size < GOOD_PIVOT) {
      choice pair = best_pair(e, s);
      if (pair.size > p.size) p = pair;
    }
    if (p.size <= PIVOT_TOL) break;
    take(e, &p);
  }
  e->conflict = -1;
  for (int r = 0; r < e->n; r++)
    if (open_row(e, s, r) && contradicts(e, s, r, tol)) e->conflict = r;
}

// ---- results ----

void ss_elimination_dz(const ss_elimination* e, const double* x, double* dz)
{
  for (int i = 0; i < e->n; i++) {
    int at = e->place[i];
    dz[i] = e->sign[i]*(at < 0 ? x[-1 - at] : ss_dot(e->n, row_of(e, at), x));
  }
}

void ss_elimination_z(const ss_elimination* e, const double* x, double* zhat)
{
  ss_elimination_dz(e, x, zhat);
  for (int i = 0; i < e->n; i++) {
    int at = e->place[i];
    zhat[i] += e->ref[i] + (at < 0 ? 0 : e->sign[i]*e->rhs[at]);
  }
}

void ss_elimination_witness(const ss_elimination* e, double* v)
{
  int n = e->n, at = e->basic[e->conflict] - n;
  for (int i = 0; i < n; i++) v[i] = 0;
  for (int c = 0; c < n; c++)
    if (e->nonbasic[c] >= n) v[e->nonbasic[c] - n] = -row_of(e, e->conflict)[c];
  v[at] = 1;
  if (e->rhs[e->conflict] > 0)
    for (int i = 0; i < n; i++) v[i] = 0 - v[i];  // no -0
}
