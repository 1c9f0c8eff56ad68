// What all solvers of an LCP share: arguments checked, scales, candidates judged by the residual alone.
#include "solve/search.h"
#include "base/arena.h"
#include "solve/basis.h"
#include "solve/residual.h"
#include <float.h>
#include <math.h>

size_t ss_search_size(int n) { return n > 0 ? ss_arena_bytes(ss_tableau_size(n)) : 0; }

size_t ss_search_sparse_size(int n) { return n > 0 ? ss_arena_bytes(ss_tableau_vectors_size(n)) : 0; }

static void set_zero(const ss_lcp* lcp, ss_lcp_solution* s)
{
  for (int i = 0; i < lcp->n; i++) {
    s->x[i] = 0;
    s->y[i] = lcp->b[i];
  }
}

// x = 0 solves it
static ss_status trivial(const ss_lcp* lcp, ss_lcp_solution* s)
{
  set_zero(lcp, s);
  s->residual = 0;
  s->iterations = s->attempts = 0;
  s->infeasible = false;
  for (int i = 0; i < lcp->n && s->basis; i++) s->basis[i] = false;
  return SS_OK;
}

static bool all_nonnegative(int n, const double* b)
{
  for (int i = 0; i < n; i++)
    if (!(b[i] >= 0)) return false;
  return true;
}

// The tableau and its scales
static ss_status prepare(ss_tableau* t, const ss_lcp* lcp, ss_arena* arena)
{
  void* block = ss_arena_take(arena, lcp->A ? ss_tableau_size(lcp->n) : ss_tableau_vectors_size(lcp->n));
  if (!block) return SS_ERR_CAPACITY;
  if (lcp->A) ss_tableau_init(t, lcp->n, block);
  else ss_tableau_init_vectors(t, lcp->n, block);
  return (lcp->A ? ss_tableau_scale(t, lcp) : ss_tableau_scale_sparse(t, lcp)) ? SS_OK : SS_ERR_NUMERIC;
}

ss_status ss_search_begin(ss_search* w, const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena,
                          ss_lcp_solution* solution, bool* done)
{
  *done = true;
  if (!lcp || !def || !solution || lcp->n < 0 || !(def->tol > 0)) return SS_ERR_ARGUMENT;
  if (lcp->n == 0) return trivial(lcp, solution);
  if ((!lcp->A && !lcp->S) || !lcp->b || !arena || !solution->x || !solution->y) return SS_ERR_ARGUMENT;
  w->lcp = lcp;
  w->def = def;
  w->best = solution;
  ss_status status = prepare(&w->t, lcp, arena);
  if (status < 0) return status;
  if (all_nonnegative(lcp->n, lcp->b)) return trivial(lcp, solution);
  *done = false;
  solution->residual = INFINITY;
  solution->iterations = solution->attempts = 0;
  solution->infeasible = false;
  return SS_OK;
}

void ss_search_offer(ss_search* w)
{
  double r = w->lcp->A ? ss_lcp_residual_y(w->lcp, w->t.x, w->t.y, w->t.Y)
                       : ss_lcp_residual_sparse(w->lcp, w->t.x, w->t.y, w->t.Y, w->t.cover);
  if (!(r < w->best->residual)) return;
  for (int i = 0; i < w->lcp->n; i++) {
    w->best->x[i] = w->t.x[i];
    w->best->y[i] = w->t.y[i];
  }
  w->best->residual = r;
}

// What the rounding of y = A x + b alone leaves
static double round_off(int n) { return DBL_EPSILON*(4 + 0.25*n); }

bool ss_search_exact(const ss_search* w) { return w->best->residual <= round_off(w->lcp->n); }

bool ss_search_good(const ss_search* w) { return w->best->residual <= w->def->tol; }

// Degenerate entries become exact zeros: a row like 2 mu Lambda_N - Lambda_R with both zero has no other scale to
// measure a speck of round-off by.
bool ss_search_offer_solution(ss_search* w, double speck)
{
  ss_tableau_solution(&w->t, speck, w->t.x);
  ss_search_offer(w);
  return ss_search_exact(w);
}

bool ss_search_offer_basis(ss_search* w)
{
  if (!ss_basis_solve(&w->t, w->lcp)) return false;
  if (!ss_search_offer_solution(w, 0)) ss_search_offer_solution(w, 1e-12);
  return true;
}

void ss_search_tell_basis(const ss_search* w)
{
  for (int i = 0; i < w->lcp->n && w->best->basis; i++) w->best->basis[i] = w->t.place[i] < 0;
}

ss_status ss_search_end(ss_search* w, ss_status missed)
{
  if (w->best->residual == INFINITY) set_zero(w->lcp, w->best);  // only overflows: no x that one could show
  return ss_search_good(w) ? SS_OK : missed;
}
