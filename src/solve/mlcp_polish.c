// From an approximate z to one that is exact up to round-off: the equations of its active set, solved.
#include "math/dense.h"
#include "solve/mlcp.h"
#include <float.h>
#include <math.h>

enum {
  STEPS = 10,    // of refinement at most
  PATIENCE = 3,  // without success
  REPAIRS = 4,   // of the active set
};

static const double RANK_TOL = 1e-11, SLACK = 1e-14;  // on the scale where A and b are of order one

bool ss_mlcp_good_enough(const ss_mlcp_run* run) { return run->best->residual <= run->def->tol; }

// What the rounding of w = A z + b alone leaves
static double round_off(int n) { return DBL_EPSILON*(4 + 0.25*n); }

// ---- offers ----

// The z that belongs to z^, at a bound if it is within speck of it
static double unscaled(const ss_mlcp_run* run, int i, double zhat, double speck)
{
  const ss_mlcp_scaled* s = &run->s;
  if (isinf(s->lower[i]) && isinf(s->upper[i])) return fabs(zhat) <= speck ? 0 : zhat*s->col[i]/s->beta;
  if (zhat <= s->lower[i] + speck) return run->mlcp->lower[i];
  if (zhat >= s->upper[i] - speck) return run->mlcp->upper[i];
  return fmin(fmax(zhat*s->col[i]/s->beta, run->mlcp->lower[i]), run->mlcp->upper[i]);
}

bool ss_mlcp_offer(ss_mlcp_run* run, const double* zhat, double speck)
{
  int n = run->s.n;
  for (int i = 0; i < n; i++) run->z[i] = unscaled(run, i, zhat[i], speck);
  double r = ss_mlcp_residual_w(run->mlcp, run->z, run->w);
  if (r < run->found) run->found = r;
  if (r < run->best->residual) {
    for (int i = 0; i < n; i++) {
      run->best->z[i] = run->z[i];
      run->best->w[i] = run->w[i];
    }
    run->best->residual = r;
    run->best->solver = run->solver;
  }
  return r <= round_off(n);
}

// ---- solutions of an active set ----

// The unknowns inside into run->index, the others at their bounds
static int start(ss_mlcp_run* run, const double* zhat)
{
  const ss_mlcp_scaled* s = &run->s;
  int k = 0;
  for (int i = 0; i < s->n; i++) {
    run->zhat[i] = run->state[i] == SS_AT_LOWER ? s->lower[i] : run->state[i] == SS_AT_UPPER ? s->upper[i] : zhat[i];
    if (run->state[i] == SS_INSIDE) run->index[k++] = i;
  }
  return k;
}

static void gather(ss_mlcp_run* run, int k)
{
  const int* S = run->index;
  for (int p = 0; p < k; p++)
    for (int q = 0; q < k; q++)
      run->M[(size_t)p*(size_t)k + (size_t)q] = run->s.A[(size_t)S[p]*(size_t)run->s.n + (size_t)S[q]];
}

// rhs = -w_S at z^
static void defect(ss_mlcp_run* run, int k)
{
  const ss_mlcp_scaled* s = &run->s;
  for (int p = 0; p < k; p++) {
    int i = run->index[p];
    run->rhs[p] = -s->b[i] - ss_dot(s->n, s->A + (size_t)i*(size_t)s->n, run->zhat);
  }
}

static bool finite(int k, const double* v)
{
  double sum = 0;
  for (int p = 0; p < k; p++) sum += fabs(v[p]);
  return sum <= DBL_MAX;
}

// With entries of all sizes as zeros: in a row whose terms should all vanish a speck of round-off has nothing to be
// measured by but itself
static bool offer_specks(ss_mlcp_run* run)
{
  return ss_mlcp_offer(run, run->zhat, 1e-12) || ss_mlcp_offer(run, run->zhat, 1e-20) ||
         ss_mlcp_offer(run, run->zhat, 1e-28);
}

typedef void solver(const ss_mlcp_run* run, int k, int rank, double* v);

// Newton's correction until nothing is gained any more. Rows whose terms are much smaller than others' want more than
// the usual one or two steps.
static bool refine(ss_mlcp_run* run, int k, int rank, solver* solve)
{
  double least = INFINITY;
  for (int step = 0, idle = 0; step < STEPS && idle < PATIENCE; step++, idle++) {
    defect(run, k);
    solve(run, k, rank, run->rhs);
    if (!finite(k, run->rhs)) return false;
    for (int p = 0; p < k; p++) run->zhat[run->index[p]] += run->rhs[p];
    if (ss_mlcp_offer(run, run->zhat, 0)) return true;
    if (run->best->residual < least) {
      least = run->best->residual;
      idle = -1;
    }
  }
  return offer_specks(run);
}

static void solve_lu(const ss_mlcp_run* run, int k, int rank, double* v)
{
  (void)rank;
  ss_lu_solve(k, run->M, run->piv, v);
}

static bool by_lu(ss_mlcp_run* run, int k)
{
  gather(run, k);
  return ss_lu_factor(k, run->M, run->piv) && refine(run, k, k, solve_lu);
}

// ---- elimination with complete pivoting ----

static void swap(double* a, double* b)
{
  double c = *a;
  *a = *b;
  *b = c;
}

static void swap_rows(int k, double* M, int p, int q)
{
  for (int j = 0; j < k && p != q; j++) swap(&M[(size_t)p*(size_t)k + (size_t)j], &M[(size_t)q*(size_t)k + (size_t)j]);
}

static void swap_columns(int k, double* M, int p, int q)
{
  for (int i = 0; i < k && p != q; i++) swap(&M[(size_t)i*(size_t)k + (size_t)p], &M[(size_t)i*(size_t)k + (size_t)q]);
}

// The largest entry from row and column c on goes to place (c, c); its size
static double choose_pivot(int k, double* M, int c, int* row, int* column)
{
  double largest = -1;
  for (int p = c; p < k; p++)
    for (int q = c; q < k; q++) {
      double size = fabs(M[(size_t)p*(size_t)k + (size_t)q]);
      if (!(size > largest)) continue;
      largest = size;
      row[c] = p;
      column[c] = q;
    }
  swap_rows(k, M, c, row[c]);
  swap_columns(k, M, c, column[c]);
  return largest;
}

// L U in place, with the exchanges of each step; returns the rank
static int factor_any_rank(int k, double* M, int* row, int* column)
{
  for (int c = 0; c < k; c++) {
    if (!(choose_pivot(k, M, c, row, column) > RANK_TOL)) return c;
    const double* pivot_row = M + (size_t)c*(size_t)k;
    for (int p = c + 1; p < k; p++) {
      double *to = M + (size_t)p*(size_t)k, f = to[c]/pivot_row[c];
      to[c] = f;
      ss_axpy(k - c - 1, -f, pivot_row + c + 1, to + c + 1);
    }
  }
  return k;
}

// Unknowns beyond the rank stay as they are: their change is zero. Equations beyond it hold only if they are
// consistent.
static void solve_any_rank(const ss_mlcp_run* run, int k, int rank, double* v)
{
  const double* M = run->M;
  const int *row = run->piv, *column = run->order;
  for (int c = 0; c < rank; c++) swap(&v[c], &v[row[c]]);
  for (int p = 1; p < rank; p++) v[p] -= ss_dot(p, M + (size_t)p*(size_t)k, v);
  for (int p = rank; p < k; p++) v[p] = 0;
  for (int p = rank - 1; p >= 0; p--) {
    const double* m = M + (size_t)p*(size_t)k;
    v[p] = (v[p] - ss_dot(rank - p - 1, m + p + 1, v + p + 1))/m[p];
  }
  for (int c = rank - 1; c >= 0; c--) swap(&v[c], &v[column[c]]);
}

static bool by_complete_pivoting(ss_mlcp_run* run, int k)
{
  gather(run, k);
  int rank = factor_any_rank(k, run->M, run->piv, run->order);
  return refine(run, k, rank, solve_any_rank);
}

// ---- repair ----

// Unknowns that the equations have driven out of their bounds go there, those whose w has the wrong sign come inside.
// False if there are none: the active set stands.
static bool repair(ss_mlcp_run* run)
{
  const ss_mlcp_scaled* s = &run->s;
  bool changed = false;
  for (int i = 0; i < s->n; i++) {
    double z = run->zhat[i], w = s->b[i] + ss_dot(s->n, s->A + (size_t)i*(size_t)s->n, run->zhat);
    int old = run->state[i], state = old;
    if (s->lower[i] == s->upper[i]) continue;
    if (old == SS_INSIDE && z < s->lower[i]) state = SS_AT_LOWER;
    if (old == SS_INSIDE && z > s->upper[i]) state = SS_AT_UPPER;
    if ((old == SS_AT_LOWER && w < -SLACK) || (old == SS_AT_UPPER && w > SLACK)) state = SS_INSIDE;
    changed = changed || state != old;
    run->state[i] = state;
  }
  return changed;
}

// The equations of the active set, of the repaired one, and so on
static bool rounds(ss_mlcp_run* run, const double* zhat, bool solve(ss_mlcp_run*, int))
{
  for (int round = 0; round < REPAIRS; round++) {
    int k = start(run, zhat);
    if (k == 0 ? ss_mlcp_offer(run, run->zhat, 0) : solve(run, k)) return true;
    if (!finite(run->s.n, run->zhat) || !repair(run)) break;
  }
  return false;
}

bool ss_mlcp_polish(ss_mlcp_run* run, const double* zhat)
{
  for (int i = 0; i < run->s.n; i++) run->saved[i] = run->state[i];
  if (rounds(run, zhat, by_lu) || ss_mlcp_good_enough(run)) return true;
  for (int i = 0; i < run->s.n; i++) run->state[i] = run->saved[i];
  return rounds(run, zhat, by_complete_pivoting) || ss_mlcp_good_enough(run);
}
