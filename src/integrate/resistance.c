// Bounds that follow normal impulses: resistance against spin and rolling, |Lambda_T| <= c Lambda_N of its contact.
// The bounds are held, the problem is solved, they are taken from what came out, and so on [as Panagiotopoulos 1975
// does for Coulomb's law]. Where the torques do not change the load (a ball on a plane) the second solve is exact; else
// the changes shrink by about c over the size of the body each time. The residual is that of the law itself.
#include <math.h>
#include <string.h>

#include "integrate/islands.h"

enum { MOST_ROUNDS = 60, ROUNDS_BEFORE_DAMPING = 12 };
#define ENOUGH 1e-13  // of the largest |b| of the island

// What the law allows with the impulses at hand; those of an impact that came before count too
static double limit_of(const ss_work* w, const ss_loaded* c, const double* Lambda)
{
  double N = Lambda[c->load] + (w->impact_Lambda ? w->impact_Lambda[c->load] : 0);
  return c->mu*fmax(N, 0);
}

// The part of |L - P(L - xi)| beyond what the solve has left, P onto the disk of the radius g bound, L = g Lambda: with
// `bound` in place of that of the solve
static double violation(const ss_work* w, const ss_loaded* c, double g, double bound)
{
  int normal = w->kind[c->contact] == SS_CONTACT_SPATIAL, rows = ss_contact_rows(w->kind[c->contact]) - normal;
  const double *Lambda = w->solution.Lambda + c->first + normal, *xi = w->solution.xi + c->first + normal;
  double x[2] = {0, 0}, size = 0, sum = 0;
  for (int k = 0; k < rows; k++) {
    x[k] = g*Lambda[k] - xi[k];
    size = hypot(size, x[k]);
  }
  double part = size > g*bound ? g*bound/size : 1;
  for (int k = 0; k < rows; k++) sum = hypot(sum, g*Lambda[k] - part*x[k]);
  return sum;
}

static ss_status find_trace(const ss_work* w, ss_loaded* c)
{
  double G[9];
  int rows = ss_contact_rows(w->kind[c->contact]);
  ss_status st = w->op->delassus(&w->at, rows, w->source + c->first, G);
  c->trace = 0;
  for (int k = 0; k < rows && st >= 0; k++) c->trace += G[k*rows + k];
  return st;
}

// How far the bounds of the solve are from the law; they are those of the law afterwards, or half way there. Of facets
// the solver alone knows the law for given bounds, so that the change of these is taken.
static double revise(ss_work* w, const ss_friction_def* how, double part)
{
  double worst = 0;
  for (int i = 0; i < w->n_loaded; i++) {
    const ss_loaded* c = &w->loaded[i];
    double g = c->trace, limit = limit_of(w, c, w->solution.Lambda), scale = w->island[w->island_of[c->first]].scale;
    double error = how->polyhedral ? g*fabs(limit - w->bound[c->contact]) : violation(w, c, g, limit);
    if (error > 0) worst = fmax(worst, scale > 0 ? error/scale : INFINITY);
    w->bound[c->contact] += part*(limit - w->bound[c->contact]);
  }
  return worst;
}

// The next solve starts from what this one has found
static void keep_guess(ss_work* w)
{
  memcpy(w->guess, w->solution.Lambda, sizeof(double)*(size_t)w->problem.m);
  w->has_guess = true;
}

ss_status ss_solve_loaded(ss_work* w, const ss_step_def* def)
{
  if (!w->n_loaded) return ss_solve_islands(w, def);
  double worst = INFINITY, before;
  ss_status st = SS_OK;
  for (int i = 0; i < w->n_loaded && st >= 0; i++) {
    w->bound[w->loaded[i].contact] = w->has_guess ? limit_of(w, &w->loaded[i], w->guess) : 0;
    st = find_trace(w, &w->loaded[i]);
  }
  if (st < 0) return st;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    before = worst;
    w->solution.residual = 0;
    w->has_jump = false;  // that of the round before
    st = ss_solve_islands(w, def);
    if (st < 0) return st;
    worst = revise(w, &def->friction, round < ROUNDS_BEFORE_DAMPING ? 1 : 0.5);
    if (worst <= ENOUGH || (worst <= def->friction.tol && worst > before/2)) break;
    keep_guess(w);
  }
  w->solution.residual = fmax(w->solution.residual, worst);
  return st == SS_OK && !(worst <= def->friction.tol) ? SS_NOT_CONVERGED : st;
}
