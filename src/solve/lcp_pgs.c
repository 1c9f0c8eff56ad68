// Projected Gauss-Seidel with relaxation (projected SOR) [Cryer 1971; Cottle, Pang & Stone 1992, chapter 5]:
//
//   x_i <- max(0, x_i - omega (b_i + sum_j a_ij x_j)/s_i),   i = 1 .. n in turn,   0 < omega < 2
//
// with s_i = a_ii: converges for every symmetric positive definite A. Where a_ii is not positive, as in the row
// Lambda_L = 2 mu Lambda_N - Lambda_R of planar friction, s_i = sum_j |a_ij a_ji|/a_jj, an estimate of the diagonal
// that eliminating the other unknowns would leave: the step of Arrow & Hurwicz for the multiplier of a constraint.
// There is no proof for that case; the residual tells.
#include "base/arena.h"
#include "math/dense.h"
#include "math/sparse.h"
#include "solve/lcp_solvers.h"
#include "solve/search.h"

enum {
  SWEEPS = 5000,   // unless the def says otherwise
  LOOK_EVERY = 8,  // sweeps between two looks at the residual, which costs as much as a sweep
  PATIENCE = 25,   // looks without progress that end it
};

size_t ss_lcp_pgs_sparse_size(int n)
{
  return n > 0 ? ss_search_sparse_size(n) + ss_arena_bytes(2*sizeof(double)*(size_t)n) : 0;
}

size_t ss_lcp_pgs_size(int n) { return n > 0 ? ss_search_size(n) + ss_arena_bytes(2*sizeof(double)*(size_t)n) : 0; }

static double entry(const ss_lcp* lcp, int i, int j)
{
  return lcp->A ? lcp->A[(size_t)i*(size_t)lcp->n + (size_t)j] : ss_sparse_entry(lcp->S, i, j);
}

// |a_ij a_ji|/a_jj
static double through(const ss_lcp* lcp, int i, int j)
{
  double d = entry(lcp, j, j);
  return d > 0 && j != i ? fabs(entry(lcp, i, j)/d*entry(lcp, j, i)) : 0;
}

// What the other unknowns would leave on a diagonal that is not positive
static double eliminated(const ss_lcp* lcp, int i)
{
  double sum = 0;
  const ss_sparse* S = lcp->S;
  if (lcp->A)
    for (int j = 0; j < lcp->n; j++) sum += through(lcp, i, j);
  else
    for (int e = S->start[i]; e < S->start[i + 1]; e++) sum += through(lcp, i, S->col[e]);
  return sum;
}

// step_i = omega/s_i, 0 where nothing tells it: such an x_i stays zero
static void choose_steps(const ss_lcp* lcp, double omega, double* step)
{
  for (int i = 0; i < lcp->n; i++) {
    double d = entry(lcp, i, i);
    if (!(d > 0)) d = eliminated(lcp, i);
    step[i] = d > 0 ? omega/d : 0;
    if (!isfinite(step[i])) step[i] = 0;
  }
}

static void sweep(const ss_lcp* lcp, const double* step, double* x)
{
  int n = lcp->n;
  for (int i = 0; i < n; i++) {
    double moved = x[i] - step[i]*(lcp->b[i] + ss_dot(n, lcp->A + (size_t)i*(size_t)n, x));
    x[i] = moved > 0 ? moved : 0;
  }
}

static void sweep_sparse(const ss_lcp* lcp, const double* step, double* x)
{
  const ss_sparse* S = lcp->S;
  for (int i = 0; i < lcp->n; i++) {
    double sum = lcp->b[i];
    for (int e = S->start[i]; e < S->start[i + 1]; e++) sum += S->value[e]*x[S->col[e]];
    double moved = x[i] - step[i]*sum;
    x[i] = moved > 0 ? moved : 0;
  }
}

// Sweeps until the tolerance is met with a margin, nothing improves any more, or x leaves the numbers
static void relax(ss_search* w, const double* step, double* x)
{
  int n = w->lcp->n, limit = w->def->max_iter > 0 ? w->def->max_iter : SWEEPS, idle = 0;
  for (int k = 0; k < n; k++) x[k] = 0;
  for (int done = 1; done <= limit && idle < PATIENCE; done++) {
    if (w->lcp->A) sweep(w->lcp, step, x);
    else sweep_sparse(w->lcp, step, x);
    w->best->iterations = done;
    if (done%LOOK_EVERY && done != limit) continue;
    double before = w->best->residual;
    for (int k = 0; k < n; k++) w->t.x[k] = x[k];
    ss_search_offer(w);
    idle = w->best->residual < 0.99*before ? 0 : idle + 1;
    if (w->best->residual <= 0.1*w->def->tol || !isfinite(ss_norm_inf(n, x))) return;
  }
}

ss_status ss_lcp_pgs(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution)
{
  ss_search w;
  bool done;
  size_t mark = ss_arena_mark(arena);
  solution->solver = SS_LCP_PGS;
  ss_status status = ss_search_begin(&w, lcp, def, arena, solution, &done);
  double* step = done ? NULL : ss_arena_take(arena, 2*sizeof(double)*(size_t)lcp->n);
  if (step) {
    solution->attempts = 1;
    choose_steps(lcp, def->relaxation, step);
    relax(&w, step, step + lcp->n);
    status = ss_search_end(&w, SS_NOT_CONVERGED);
  } else if (!done) {
    status = SS_ERR_CAPACITY;
  }
  ss_arena_release(arena, mark);
  return status;
}
