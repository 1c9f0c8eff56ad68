// Block principal pivoting [Kostreva 1978; Judice & Pires 1994]. From a set F of unknowns,
//
//   A_FF x_F = -b_F,  x_G = 0,  y_G = A_GF x_F + b_G,  y_F = 0
//
// all i of F with x_i < 0 and all i of G with y_i < 0 change sides at once. As long as their number falls this is a
// Newton method that ends after a few factorisations. When it does not fall for some exchanges in a row, the last such
// i alone changes sides until it does [Murty 1974], which ends for every P-matrix. Symmetric positive definite A by
// Cholesky, others by LU. No scaling is needed: what is negative is judged relative to the terms of its row.
#include "base/arena.h"
#include "math/dense.h"
#include "solve/lcp_solvers.h"
#include "solve/residual.h"
#include <float.h>

enum {
  PATIENCE = 10,   // block exchanges without progress before single ones
  EXCHANGES = 100, // allowed, and one for each unknown, unless the def says otherwise
  TILE = 16,
};

// Relative to the terms of its row this is zero
static const double ZERO = 1e-13;

typedef struct state {
  const ss_lcp* lcp;
  int n, k;                // unknowns; size of F
  bool symmetric;          // with a positive diagonal
  double *M, *x, *y, *Y, *v;  // n x n factors of A_FF; n: the candidate, y and its sizes, scratch
  int *F, *piv;            // n
  bool* in;                // n: i is in F
} state;

size_t ss_lcp_block_pivot_size(int n)
{
  if (n <= 0) return 0;
  size_t m = (size_t)n;
  return ss_arena_bytes(sizeof(double)*m*m) + ss_arena_bytes(4*sizeof(double)*m) + ss_arena_bytes(2*sizeof(int)*m) +
         ss_arena_bytes(sizeof(bool)*m);
}

static bool take(state* w, ss_arena* arena)
{
  size_t n = (size_t)w->n;
  w->M = ss_arena_array(arena, double, n*n);
  w->x = ss_arena_array(arena, double, 4*n);
  w->F = ss_arena_array(arena, int, 2*n);
  w->in = ss_arena_array(arena, bool, n);
  if (!w->M || !w->x || !w->F || !w->in) return false;
  w->y = w->x + n;
  w->Y = w->y + n;
  w->v = w->Y + n;
  w->piv = w->F + n;
  return true;
}

static double entry(const ss_lcp* lcp, int i, int j) { return lcp->A[(size_t)i*(size_t)lcp->n + (size_t)j]; }

// A = A^T up to round-off with a positive diagonal; by tiles, since columns are far apart in memory
static bool is_symmetric(const ss_lcp* lcp)
{
  int n = lcp->n;
  for (int i = 0; i < n; i++)
    if (!(entry(lcp, i, i) > 0)) return false;
  for (int i0 = 0; i0 < n; i0 += TILE)
    for (int j0 = 0; j0 <= i0; j0 += TILE)
      for (int i = i0; i < i0 + TILE && i < n; i++)
        for (int j = j0; j < j0 + TILE && j < i; j++) {
          double a = entry(lcp, i, j), b = entry(lcp, j, i);
          if (fabs(a - b) > 4*DBL_EPSILON*fabs(a)) return false;
        }
  return true;
}

// The factors of A_FF. False if it is singular, or not positive definite where it should be.
static bool factor(state* w)
{
  w->k = 0;
  for (int i = 0; i < w->n; i++)
    if (w->in[i]) w->F[w->k++] = i;
  int k = w->k;
  for (int p = 0; p < k; p++) {
    const double* a = w->lcp->A + (size_t)w->F[p]*(size_t)w->n;
    double* m = w->M + (size_t)p*(size_t)k;
    int end = w->symmetric ? p + 1 : k;
    for (int q = 0; q < end; q++) m[q] = a[w->F[q]];
  }
  return w->symmetric ? ss_chol_factor(k, w->M) : ss_lu_factor(k, w->M, w->piv);
}

// x_F += A_FF^-1 v, and y and Y of the new x
static void add_solution(state* w)
{
  if (w->symmetric) ss_chol_solve(w->k, w->M, w->v);
  else ss_lu_solve(w->k, w->M, w->piv, w->v);
  for (int p = 0; p < w->k; p++) w->x[w->F[p]] += w->v[p];
  ss_lcp_row_sums(w->lcp, w->x, w->y, w->Y);
}

static bool solve_basis(state* w)
{
  if (!factor(w)) return false;
  for (int i = 0; i < w->n; i++) w->x[i] = 0;
  for (int p = 0; p < w->k; p++) w->v[p] = -w->lcp->b[w->F[p]];
  add_solution(w);
  return isfinite(ss_norm_inf(w->n, w->Y));
}

// Must i change sides?
static bool is_wrong(const state* w, int i)
{
  if (w->in[i]) return w->x[i] < 0 && ss_lcp_effect(w->lcp, w->x, w->Y, i) >= ZERO;
  return w->y[i] < -ZERO*w->Y[i];
}

static int count_wrong(const state* w)
{
  int wrong = 0;
  for (int i = 0; i < w->n; i++) wrong += is_wrong(w, i);
  return wrong;
}

// All that are wrong, or the last of them
static void exchange(const state* w, bool single)
{
  for (int i = w->n - 1; i >= 0; i--) {
    if (!is_wrong(w, i)) continue;
    w->in[i] = !w->in[i];
    if (single) return;
  }
}

// Keeps x without its negative specks if it is better than the best so far
static void offer(state* w, ss_lcp_solution* best)
{
  for (int i = 0; i < w->n; i++)
    if (w->x[i] < 0) w->x[i] = 0;
  double r = ss_lcp_residual_y(w->lcp, w->x, w->y, w->Y);
  if (!(r < best->residual)) return;
  for (int i = 0; i < w->n; i++) {
    best->x[i] = w->x[i];
    best->y[i] = w->y[i];
  }
  best->residual = r;
}

// The last x, and once more with its error in y_F solved for
static void finish(state* w, ss_lcp_solution* best)
{
  offer(w, best);
  if (best->residual <= DBL_EPSILON*(4 + 0.25*w->n)) return;
  for (int p = 0; p < w->k; p++) w->v[p] = -w->y[w->F[p]];
  add_solution(w);
  offer(w, best);
}

// True if it has ended on a basis where nothing is wrong
static bool pivot(state* w, const bool* guess, int limit, int* iterations)
{
  int fewest = w->n + 1, idle = 0;
  for (int i = 0; i < w->n; i++) w->in[i] = guess ? guess[i] : w->lcp->b[i] < 0;
  for (*iterations = 0; *iterations < limit;) {
    ++*iterations;
    if (!solve_basis(w)) return false;
    int wrong = count_wrong(w);
    if (wrong == 0) return true;
    idle = wrong < fewest ? 0 : idle + 1;
    if (wrong < fewest) fewest = wrong;
    exchange(w, idle > PATIENCE);
  }
  return false;
}

static ss_status solve(state* w, const ss_lcp_def* def, ss_lcp_solution* s)
{
  for (int i = 0; i < w->n; i++) w->x[i] = 0;
  ss_lcp_row_sums(w->lcp, w->x, w->y, w->Y);
  if (!isfinite(ss_norm_inf(w->n, w->Y))) return SS_ERR_NUMERIC;
  s->residual = INFINITY;
  s->iterations = s->attempts = 0;
  s->infeasible = false;
  offer(w, s);
  if (s->residual == 0) {
    for (int i = 0; i < w->n && s->basis; i++) s->basis[i] = false;
    return SS_OK;
  }
  w->symmetric = is_symmetric(w->lcp);
  s->attempts = 1;
  const bool* guess = def->warm_start ? s->basis : NULL;
  int limit = def->max_iter > 0 ? def->max_iter : EXCHANGES + w->n, spent = 0;
  bool ended = pivot(w, guess, limit, &s->iterations);
  if (!ended && guess) {  // a guess with a singular A_FF
    spent = s->iterations;
    ended = pivot(w, NULL, limit, &s->iterations);
  }
  s->iterations += spent;
  if (ended) finish(w, s);
  if (!(s->residual <= def->tol)) return ended ? SS_INACCURATE : SS_NOT_CONVERGED;
  for (int i = 0; i < w->n && ended && s->basis; i++) s->basis[i] = w->in[i];
  return SS_OK;
}

ss_status ss_lcp_block_pivot(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution)
{
  if (!lcp->A || !lcp->b || !solution->x || !solution->y) return SS_ERR_ARGUMENT;
  state w = {.lcp = lcp, .n = lcp->n};
  size_t mark = ss_arena_mark(arena);
  solution->solver = SS_LCP_BLOCK_PIVOT;
  ss_status status = take(&w, arena) ? solve(&w, def, solution) : SS_ERR_CAPACITY;
  ss_arena_release(arena, mark);
  return status;
}
