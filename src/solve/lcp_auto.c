// The solver that chooses: block pivoting where it is faster, Lemke's method for all the rest, and where that ends on
// rays Newton's.
//
// Measured (bench/bench_lcp): for n unknowns Lemke's method takes about n/2 pivots of n^2 operations each, bound by
// memory from n = 300 on; block pivoting of a positive definite A takes about 5 factorisations of half the size. They
// are equal at n = 24 (up to n = 16 lcp_small.c has been tried before, which is faster); block pivoting is twice as
// fast at n = 96, 3 times at 384, 8 times at 1000. On frictional problems, whose diagonal has zeros, it fails: no
// P-matrix. Bimatrix games lead Lemke's method into rays for every covering vector; Newton's methods solve 19 of 20.
#include "base/arena.h"
#include "solve/basis.h"
#include "solve/lcp_solvers.h"
#include "solve/newton.h"
#include <math.h>
#include <string.h>

enum { LARGE = 64 };  // from this size on block pivoting is tried first

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

size_t ss_lcp_auto_size(int n)
{
  size_t size = ss_lcp_lemke_size(n);
  if (n > SS_ENUMERATE_MAX) size = larger(size, ss_newton_size(n));
  if (n >= LARGE) size = larger(size, ss_lcp_block_pivot_size(n));
  return n > 0 ? size + ss_arena_bytes(sizeof(double)*(size_t)n) : 0;
}

// The attempts so far
typedef struct run {
  const ss_lcp* lcp;
  const ss_lcp_def* def;
  ss_arena* arena;
  ss_lcp_solution* s;
  double* x;              // n: the best of the attempts that have failed
  double residual;        // of it; INFINITY if there is none
  ss_lcp_solver solver;   // that found it
  int iterations, starts; // all attempts together; the starts of the solver that found x
} run;

// A failure is written down, and its x kept if it is the best so far. What an error leaves alone is not looked at.
static ss_status attempt(run* r, ss_lcp_method* solve, const char* why)
{
  ss_lcp_solution* s = r->s;
  bool dense = r->lcp->A || solve == ss_lcp_newton_min || solve == ss_lcp_newton_fb || solve == ss_lcp_pgs;
  ss_status status = dense ? solve(r->lcp, r->def, r->arena, s) : ss_lcp_as_dense(solve, r->lcp, r->def, r->arena, s);
  if (status < 0) return status;
  r->iterations += s->iterations;
  ss_attempt_add(&s->log, (ss_attempt){ss_lcp_solver_name(s->solver), why, s->residual, status, s->iterations});
  if (status == SS_OK || !(s->residual < r->residual)) return status;
  memcpy(r->x, s->x, sizeof(double)*(size_t)r->lcp->n);
  r->residual = s->residual;
  r->solver = s->solver;
  r->starts = s->attempts;
  return status;
}

// Necessary for a P-matrix
static bool has_positive_diagonal(const ss_lcp* lcp)
{
  size_t n = (size_t)lcp->n;
  for (size_t i = 0; i < n; i++)
    if (!(lcp->A[i*n + i] > 0)) return false;
  return true;
}

// Up to SS_ENUMERATE_MAX unknowns Lemke's method has looked at every basis, and after one covering vector it has proved
// that there is no solution, or was not to try harder
static bool is_final(const ss_lcp* lcp, ss_status status, const ss_lcp_solution* s)
{
  return status != SS_RAY || lcp->n <= SS_ENUMERATE_MAX || s->attempts <= 1;
}

// Lemke's method tells most when it fails, so its status stands if the others fail as well
static ss_status try_in_turn(run* r)
{
  const ss_lcp* lcp = r->lcp;
  const char* why = lcp->n < LARGE ? "fewer than 64 unknowns" : "the diagonal is not positive";
  if (lcp->n >= LARGE && lcp->A && has_positive_diagonal(lcp)) {
    ss_status status = attempt(r, ss_lcp_block_pivot, "the diagonal is positive: perhaps a P-matrix");
    if (status <= SS_OK) return status;
    why = "block pivoting failed: no P-matrix";
  }
  ss_status status = attempt(r, ss_lcp_lemke, why);
  if (status <= SS_OK || is_final(lcp, status, r->s)) return status;
  ss_status newton = attempt(r, ss_lcp_newton_fb, "rays, but no proof that there is no solution");
  if (newton > SS_OK) newton = attempt(r, ss_lcp_newton_min, "the last that is left");
  return newton <= SS_OK ? newton : status;
}

// Newton's methods keep A sparse; the others follow if they fail, or if their factors are too large
static ss_status try_sparse(run* r)
{
  ss_status status = attempt(r, ss_lcp_newton_min, "sparse"), lemke = SS_NOT_CONVERGED;
  if (status == SS_OK || status == SS_ERR_NUMERIC || status == SS_ERR_ARGUMENT) return status;
  if (status != SS_ERR_CAPACITY) status = attempt(r, ss_lcp_newton_fb, "newton-min has failed");
  if (status == SS_OK) return status;
  if (r->lcp->n <= SS_LCP_DENSE_MAX) {
    lemke = attempt(r, ss_lcp_lemke, "Newton's methods have failed, and it can be made dense");
    if (lemke <= SS_OK || r->s->infeasible) return lemke;
  }
  status = attempt(r, ss_lcp_pgs, "the last that is left");
  return status <= SS_OK ? status : lemke;
}

ss_status ss_lcp_auto(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* s)
{
  if (!lcp->A && lcp->S && ss_lcp_is_better_dense(lcp)) return ss_lcp_as_dense(ss_lcp_auto, lcp, def, arena, s);
  size_t mark = ss_arena_mark(arena);
  run r = {lcp, def, arena, s, ss_arena_array(arena, double, lcp->n), INFINITY, SS_LCP_AUTO, 0, 0};
  bool sparse = !lcp->A && lcp->S;
  ss_status status = !r.x ? SS_ERR_CAPACITY : sparse ? try_sparse(&r) : try_in_turn(&r);
  if (status > SS_OK && r.residual < s->residual) {  // an earlier attempt came nearer
    memcpy(s->x, r.x, sizeof(double)*(size_t)lcp->n);
    s->solver = r.solver;
    s->attempts = r.starts;
  }
  if (status >= 0) s->iterations = r.iterations;
  ss_arena_release(arena, mark);
  return status;
}
