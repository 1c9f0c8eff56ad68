// Lemke's method for the LCP: the attempts with different covering vectors, and the judgement of what they find.
#include "solve/basis.h"
#include "solve/pseudo_random.h"
#include "solve/search.h"
#include <float.h>
#include <math.h>
#include <stdint.h>

enum { ENUMERATE_FIRST = 6 };  // up to this size all bases are looked through right after the first failure

// A solve under way
typedef struct run {
  ss_search s;
  int paths;  // followed so far, two for each covering vector
  bool saw_ray, saw_limit, saw_solution;
  bool infeasible;  // the first ray proves that no x >= 0 gives y >= 0
} run;

size_t ss_lcp_lemke_size(int n) { return ss_search_size(n); }

// ---- covering vectors ----

// All ones; then |b|; then in turn one large entry among small ones, and random positive entries
static double cover_entry(const ss_tableau* t, int number, int i, int special, uint64_t* seed)
{
  if (number == 0) return 1;
  if (number == 1) return fabs(t->b[i]) + 1.0/64;
  if (number%2 == 0) return i == special ? 1 : 1.0/64;
  return ss_pseudo_random_part(seed) + 1.0/64;
}

static void choose_cover(ss_tableau* t, int number)
{
  uint64_t seed = (uint64_t)number;
  int special = (int)(ss_pseudo_random_part(&seed)*t->n);
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

// From the tableau, and if round-off shows in it from the matrix itself
static void offer_basis(ss_search* s)
{
  if (!ss_search_offer_solution(s, 16*DBL_EPSILON)) ss_search_offer_basis(s);
}

// ---- rays ----

static void note_ray(run* w)
{
  if (w->saw_ray) return;
  w->saw_ray = true;
  ss_tableau_ray(&w->s.t, w->s.t.x);
  w->infeasible = ss_lcp_proves_infeasible(w->s.lcp, w->s.t.x);
  for (int i = 0; i < w->s.lcp->n && w->s.best->ray; i++) w->s.best->ray[i] = w->s.t.x[i];
}

// ---- attempts ----

static void attempt(run* w)
{
  int n = w->s.lcp->n, limit = w->s.def->max_iter > 0 ? w->s.def->max_iter : 50*n + 1000;
  choose_cover(&w->s.t, w->paths/2);
  choose_tolerances(&w->s.t, w->paths%2);
  w->s.t.stop = w->s.def->stop;
  ss_path end = ss_tableau_follow(&w->s.t, w->s.lcp, limit, &w->s.best->iterations);
  w->s.best->attempts = w->paths++/2 + 1;
  if (end == SS_PATH_SOLVED) w->saw_solution = true;
  if (end == SS_PATH_LIMIT) w->saw_limit = true;
  if (end == SS_PATH_RAY) note_ray(w);
  offer_basis(&w->s);
}

static void enumerate(run* w)
{
  if (!ss_basis_enumerate(&w->s.t, w->s.lcp, w->s.def->tol)) return;
  ss_search_offer(&w->s);
  if (!ss_search_exact(&w->s)) ss_search_offer_basis(&w->s);
}

// The same covering vector with other tolerances, then others, and for small problems every basis
static void try_harder(run* w)
{
  int n = w->s.lcp->n, covers = w->s.def->attempts;
  if (covers < 1 || n <= ENUMERATE_FIRST) covers = 1;
  while (w->paths < 2*covers && !ss_search_good(&w->s) && !ss_stopped(w->s.def->stop)) attempt(w);
  if (w->s.def->attempts > 1 && n <= SS_ENUMERATE_MAX && !ss_search_good(&w->s)) enumerate(w);
}

static ss_status verdict(const run* w)
{
  if (w->saw_solution) return SS_INACCURATE;
  return w->saw_limit ? SS_NOT_CONVERGED : SS_RAY;
}

ss_status ss_lcp_lemke(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution)
{
  run w = {.paths = 0};
  bool done;
  if (lcp && lcp->n > 0 && !lcp->A) return SS_ERR_ARGUMENT;  // sparse: ss_lcp_solve() makes it dense
  if (solution) solution->solver = SS_LCP_LEMKE;
  size_t mark = arena ? ss_arena_mark(arena) : 0;
  ss_status status = ss_search_begin(&w.s, lcp, def, arena, solution, &done);
  if (!done) {
    bool warm = def->warm_start && solution->basis && ss_search_warm(&w.s, solution->basis);
    if (!warm) attempt(&w);
    if (!ss_search_good(&w.s) && !w.infeasible && !ss_search_exact(&w.s)) try_harder(&w);
    status = ss_search_end(&w.s, verdict(&w));
    if (status == SS_OK) ss_search_tell_basis(&w.s);  // the search ended with the basis that was good
    solution->infeasible = w.infeasible && status == SS_RAY;
  }
  if (arena) ss_arena_release(arena, mark);
  return status;
}
