// Lemke's method for the LCP: the attempts with different covering vectors, and the judgement of what they find.
#include "solve/basis.h"
#include "solve/residual.h"
#include "solve/tableau.h"
#include "base/arena.h"
#include <float.h>
#include <math.h>
#include <stdint.h>

enum { ENUMERATE_FIRST = 6 };  // up to this size all bases are looked through right after the first failure

ss_lcp_def ss_lcp_def_default(void) { return (ss_lcp_def){.max_iter = 0, .tol = 1e-10, .attempts = 16}; }

// A solve under way
typedef struct run {
  const ss_lcp* lcp;
  const ss_lcp_def* def;
  ss_lcp_solution* best;
  ss_tableau t;
  int paths;  // followed so far, two for each covering vector
  bool saw_ray, saw_limit, saw_solution;
  bool infeasible;  // the first ray proves that no x >= 0 gives y >= 0
} run;

size_t ss_lcp_lemke_size(int n) { return n > 0 ? ss_arena_bytes(ss_tableau_size(n)) : 0; }

// ---- covering vectors ----

// Uniform in (0, 1), the same on every machine (splitmix64)
static double pseudo_random(uint64_t* seed)
{
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30))*0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27))*0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5)/9007199254740992.0;
}

// All ones; then |b|; then in turn one large entry among small ones, and random positive entries
static double cover_entry(const ss_tableau* t, int number, int i, int special, uint64_t* seed)
{
  if (number == 0) return 1;
  if (number == 1) return fabs(t->b[i]) + 1.0/64;
  if (number%2 == 0) return i == special ? 1 : 1.0/64;
  return pseudo_random(seed) + 1.0/64;
}

static void choose_cover(ss_tableau* t, int number)
{
  uint64_t seed = (uint64_t)number;
  int special = (int)(pseudo_random(&seed)*t->n);
  for (int i = 0; i < t->n; i++) t->cover[i] = cover_entry(t, number, i, special, &seed);
  for (int i = t->n; i < t->stride; i++) t->cover[i] = 0;
}

// Below what is a number zero? Singular matrices want much: their last pivot is often a tie between the artificial
// variable and another one, round-off decides it the wrong way, and the path runs into a ray that is none. Small
// entries of b beside large ones want little. So first a fixed part of the smallest entry of b, and if that fails the
// other extreme.
static void choose_tolerances(ss_tableau* t, bool again)
{
  double unit = t->smallest_b < 1 ? t->smallest_b : 1;
  if (again) unit = unit < 1e-3 ? 1 : 0;
  t->tie_tol = 1e-11*unit > 1e-15 ? 1e-11*unit : 1e-15;
  t->z_tol = 1e-8*unit > 1e-14 ? 1e-8*unit : 1e-14;
}

// ---- candidates ----

// What the rounding of y = A x + b alone leaves
static double round_off(int n) { return DBL_EPSILON*(4 + 0.25*n); }

// Keeps the candidate in t.x if it is better than the best so far
static void offer(run* w)
{
  double r = ss_lcp_residual_y(w->lcp, w->t.x, w->t.y);
  if (!(r < w->best->residual)) return;
  for (int i = 0; i < w->lcp->n; i++) {
    w->best->x[i] = w->t.x[i];
    w->best->y[i] = w->t.y[i];
  }
  w->best->residual = r;
}

// The solution of the present basis, degenerate entries as exact zeros: a row like 2 mu Lambda_N - Lambda_R with both
// zero has no other scale to measure a speck of round-off by. True if nothing better can be expected.
static bool offer_solution(run* w, double speck)
{
  ss_tableau_solution(&w->t, speck, w->t.x);
  offer(w);
  return w->best->residual <= round_off(w->lcp->n);
}

// From the tableau, and if round-off shows in it from the matrix itself
static void offer_basis(run* w)
{
  if (offer_solution(w, 16*DBL_EPSILON)) return;
  if (ss_basis_solve(&w->t, w->lcp) && !offer_solution(w, 0)) offer_solution(w, 1e-12);
}

static bool good_enough(const run* w) { return w->best->residual <= w->def->tol; }

// ---- rays ----

// v >= 0 with A^T v <= 0 and b.v < 0: then v.(A x + b) < 0 for every x >= 0, so y >= 0 is impossible (Farkas). The ray
// of a semidefinite problem is such a v.
static bool proves_infeasible(const ss_lcp* lcp, const double* v)
{
  int n = lcp->n;
  double bv = 0, size = 0;
  for (int i = 0; i < n; i++) {
    bv += lcp->b[i]*v[i];
    size += fabs(lcp->b[i]*v[i]);
  }
  if (!(bv < -1e-6*size)) return false;
  for (int j = 0; j < n; j++) {
    double sum = 0, parts = 0;
    for (int i = 0; i < n; i++) {
      double p = lcp->A[(size_t)i*(size_t)n + (size_t)j]*v[i];
      sum += p;
      parts += fabs(p);
    }
    if (!(sum <= 1e-13*parts)) return false;
  }
  return true;
}

static void note_ray(run* w)
{
  if (w->saw_ray) return;
  w->saw_ray = true;
  ss_tableau_ray(&w->t, w->t.x);
  w->infeasible = proves_infeasible(w->lcp, w->t.x);
  for (int i = 0; i < w->lcp->n && w->best->ray; i++) w->best->ray[i] = w->t.x[i];
}

// ---- attempts ----

static void attempt(run* w)
{
  int n = w->lcp->n, limit = w->def->max_iter > 0 ? w->def->max_iter : 50*n + 1000;
  choose_cover(&w->t, w->paths/2);
  choose_tolerances(&w->t, w->paths%2);
  ss_path end = ss_tableau_follow(&w->t, w->lcp, limit, &w->best->iterations);
  w->best->attempts = w->paths++/2 + 1;
  if (end == SS_PATH_SOLVED) w->saw_solution = true;
  if (end == SS_PATH_LIMIT) w->saw_limit = true;
  if (end == SS_PATH_RAY) note_ray(w);
  offer_basis(w);
}

static void enumerate(run* w)
{
  if (!ss_basis_enumerate(&w->t, w->lcp, w->def->tol)) return;
  offer(w);
  if (w->best->residual > round_off(w->lcp->n) && ss_basis_solve(&w->t, w->lcp)) offer_solution(w, 0);
}

// The same covering vector with other tolerances, then others, and for small problems every basis
static void try_harder(run* w)
{
  int n = w->lcp->n, covers = w->def->attempts;
  if (covers < 1 || n <= ENUMERATE_FIRST) covers = 1;
  while (w->paths < 2*covers && !good_enough(w)) attempt(w);
  if (w->def->attempts > 1 && n <= SS_ENUMERATE_MAX && !good_enough(w)) enumerate(w);
}

static ss_status verdict(const run* w)
{
  if (good_enough(w)) return SS_OK;
  if (w->saw_solution) return SS_INACCURATE;
  return w->saw_limit ? SS_NOT_CONVERGED : SS_RAY;
}

static void set_zero(const ss_lcp* lcp, ss_lcp_solution* s)
{
  for (int i = 0; i < lcp->n; i++) {
    s->x[i] = 0;
    s->y[i] = lcp->b[i];
  }
}

static ss_status solve(run* w)
{
  w->best->residual = INFINITY;
  w->best->iterations = w->best->attempts = 0;
  attempt(w);
  bool hopeless = w->infeasible || w->best->residual <= round_off(w->lcp->n);
  if (!good_enough(w) && !hopeless) try_harder(w);
  if (w->best->residual == INFINITY) set_zero(w->lcp, w->best);  // only overflows: no x that one could show
  return verdict(w);
}

// x = 0 solves it
static ss_status trivial(const ss_lcp* lcp, ss_lcp_solution* s)
{
  set_zero(lcp, s);
  s->residual = 0;
  s->iterations = s->attempts = 0;
  return SS_OK;
}

static bool all_nonnegative(int n, const double* b)
{
  for (int i = 0; i < n; i++)
    if (!(b[i] >= 0)) return false;
  return true;
}

ss_status ss_lcp_lemke(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution)
{
  if (!lcp || !def || !solution || lcp->n < 0) return SS_ERR_ARGUMENT;
  if (lcp->n == 0) return trivial(lcp, solution);
  if (!lcp->A || !lcp->b || !arena || !solution->x || !solution->y) return SS_ERR_ARGUMENT;
  run w = {.lcp = lcp, .def = def, .best = solution};
  size_t mark = ss_arena_mark(arena);
  void* block = ss_arena_take(arena, ss_tableau_size(lcp->n));
  if (!block) return SS_ERR_CAPACITY;
  ss_tableau_init(&w.t, lcp->n, block);
  ss_status status;
  if (!ss_tableau_scale(&w.t, lcp)) status = SS_ERR_NUMERIC;
  else if (all_nonnegative(lcp->n, lcp->b)) status = trivial(lcp, solution);
  else status = solve(&w);
  ss_arena_release(arena, mark);
  return status;
}
