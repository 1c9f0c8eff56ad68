// A guess of the basis, e.g. that of the step before: solved by one factorisation if it is right, and mended by a few
// exchanges if it is near [Kostreva 1978]. From a set S of unknowns,
//
//   A_SS x_S = -b_S,  y = A x + b
//
// all i of S with x_i < 0 and all others with y_i < 0 change sides, as long as they get fewer. A basis that is off by
// much, or singular, is given up after two or three factorisations, each about a twelfth of a cold start.
#include "solve/basis.h"
#include "solve/residual.h"
#include "solve/search.h"

enum { TRIES = 8 };  // factorisations

static const double ZERO = 1e-13;  // of the terms of its row

// x of the basis as it is, with negative entries, into t->x, and its y
static void look(ss_search* w)
{
  ss_tableau* t = &w->t;
  for (int j = 0; j < t->n; j++) t->x[j] = t->place[j] < 0 ? t->rhs[-1 - t->place[j]]*t->col[j]/t->beta : 0;
  ss_lcp_row_sums(w->lcp, t->x, t->y, t->Y);
}

// What is on the wrong side changes it; returns how many
static int exchange(ss_tableau* t)
{
  int wrong = 0;
  for (int i = 0; i < t->n; i++) {
    bool in = t->place[i] < 0, leaves = in && t->x[i] < 0, enters = !in && t->y[i] < -ZERO*t->Y[i];
    if (!leaves && !enters) continue;
    t->place[i] = in ? 0 : -1;
    wrong++;
  }
  return wrong;
}

// Refined only if that is needed. False if the basis is singular.
static bool offer(ss_search* w)
{
  if (!ss_basis_factor(&w->t, w->lcp)) return false;
  if (ss_search_offer_solution(w, 0)) return true;
  ss_basis_refine(&w->t, w->lcp);
  if (!ss_search_offer_solution(w, 0)) ss_search_offer_solution(w, 1e-12);
  return true;
}

bool ss_search_warm(ss_search* w, const bool* basis)
{
  ss_tableau* t = &w->t;
  int fewest = t->n + 1, idle = 0;
  for (int j = 0; j < t->n; j++) t->place[j] = basis[j] ? -1 : 0;
  t->loaded = false;  // the factors take the place of A
  for (int k = 0; k < TRIES && offer(w) && !ss_search_good(w); k++) {
    look(w);
    int wrong = exchange(t);
    idle = wrong < fewest ? 0 : idle + 1;
    if (wrong == 0 || idle > 1) return false;
    if (wrong < fewest) fewest = wrong;
    w->best->iterations += wrong;
  }
  return ss_search_good(w);
}
