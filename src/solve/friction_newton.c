// Primal-dual Newton (friction_linear.h) with R_i = c rho_i. c = kappa0/r follows the residual, so the proximal term
// vanishes at the solution and redundant contacts do no harm (Levenberg-Marquardt). Bilateral rows always stick.
#include "solve/friction_linear.h"
#include "solve/friction_run.h"
#include <string.h>

enum { OWN_LIMIT = 200, SWEEPS_FIRST = 20, SWEEPS_BACK = 8, WATCHDOG = 4, POLISH = 3, FREE_STEPS = 4 };

static const double c_max = 1e7;  // round-off grows like 1e-16 c
static const double round_off = 1e-14;
#define CHORD 0.01  // a step by old factors leaves at most so much

static void linearise_free(ss_friction_run* run, double c)
{
  const ss_friction_space* s = run->s;
  int dim = s->dim;
  memset(run->K, 0, (size_t)(s->m*dim)*sizeof(double));
  for (int i = 0; i < s->n_free*dim; i++) {
    run->K[i*dim + i%dim] = c*s->rho_free[i];
    run->Lambda0[i] = run->Lambda[i];
  }
}

void ss_friction_linearise(ss_friction_run* run, double c, double c_free)
{
  const ss_friction_space* s = run->s;
  int dim = s->dim;
  linearise_free(run, c_free);
  for (int k = s->n_free; k < s->k; k++)
    ss_linearise_contact(dim, s->mu[k], s->bound[k], s->rho[k], c*s->rho[k], run->Lambda + k*dim, run->xi + k*dim,
                         run->K + (size_t)(k*dim*dim), run->Lambda0 + k*dim);
}

// The largest t <= 1 for which a sticking impulse plus t times its change stays in the cone
static double room_in_cone(int dim, double mu, double bound, const double* from, const double* to)
{
  double limit = mu*from[0] + bound, rise = mu*(to[0] - from[0]), a = -rise*rise, h = -limit*rise, c = -limit*limit;
  for (int i = 1; i < dim; i++) {
    double d = to[i] - from[i];
    a += d*d;
    h += from[i]*d;
    c += from[i]*from[i];
  }
  if (c > 0) return 0;
  double end = a + 2*h + c;
  if (end <= 0 && to[0] >= 0) return 1;
  double root = h*h - a*c;
  if (root < 0) return 1;
  double t = h > 0 ? -c/(h + sqrt(root)) : a != 0 ? (-h + sqrt(root))/a : 1;  // a t^2 + 2 h t + c = 0, c <= 0
  return t > 0 && t < 1 ? t : 1;
}

// Part of the way to plus at which the first sticking contact reaches the edge of its cone
static double first_boundary(const ss_friction_run* run, double c)
{
  const ss_friction_space* s = run->s;
  double t = 1;
  for (int k = s->n_free; k < s->k; k++) {
    const double *K = run->K + (size_t)(k*s->dim*s->dim), *from = run->Lambda + k*s->dim, *to = run->plus + k*s->dim;
    double room = 1;
    if (K[s->dim + 1] == c*s->rho[k]) room = room_in_cone(s->dim, s->mu[k], s->bound[k], from, to);
    else if (K[0] != 0 && to[0] < 0 && from[0] > 0) room = from[0]/(from[0] - to[0]);
    if (room < t) t = room;
  }
  return t;
}

static void clip(const ss_friction_space* s, double* Lambda)
{
  for (int k = s->n_free; k < s->k; k++) ss_clip_to_disk(s->dim, s->mu[k], s->bound[k], Lambda + k*s->dim);
}

// Residual of an impulse that may be taken
static double try_impulse(ss_friction_run* run, const double* Lambda)
{
  ss_friction_xi(run->s, Lambda, run->xi_plus);
  double r = ss_friction_space_residual(run->s, Lambda, run->xi_plus);
  return isnan(r) ? INFINITY : r;
}

// A step to the first change of state, taken if it does not raise the residual: a pivot
static bool take_pivot(ss_friction_run* run, double t)
{
  if (!(t > 0.01 && t < 1)) return false;
  for (int i = 0; i < run->s->m; i++) run->y[i] = run->Lambda[i] + t*(run->plus[i] - run->Lambda[i]);
  clip(run->s, run->y);
  double r = try_impulse(run, run->y);
  if (!(r <= run->r)) return false;
  ss_friction_take(run, run->y, run->xi_plus, r, SS_FRICTION_NEWTON);
  return true;
}

// The best point of this attempt, to come back to. (The best of the whole solve may lie elsewhere, where it was stuck.)
static void drop_anchor(ss_friction_run* run, double* r_anchor)
{
  if (run->r >= *r_anchor) return;
  memcpy(run->anchor, run->Lambda, (size_t)run->s->m*sizeof(double));
  *r_anchor = run->r;
}

// Factors for c, into run->K and s
static bool make_factors(ss_friction_run* run, double c)
{
  ss_friction_linearise(run, c, c);
  bool good = ss_friction_factor(run->s, run->K);
  run->c_factors = good ? c : 0;
  run->factors = run->s->factors;
  return good;
}

// No contact slides, and each is in the state that it has in the factors
static bool same_states(const ss_friction_run* run)
{
  const ss_friction_space* s = run->s;
  int dim = s->dim, row = ss_friction_row(dim);
  for (int k = s->n_free; k < s->k; k++) {
    const double *K = run->K + (size_t)(k*dim*dim), *old = s->K + (size_t)(k*dim*row);
    bool closed = K[0] != 0, sticks = K[dim + 1] == run->c_factors*s->rho[k];
    if (closed != (old[0] != 0) || K[dim + 1] != old[row + 1]) return false;
    if (!sticks && (s->bound[k] > 0 || (closed && s->mu[k] > 0))) return false;
  }
  return true;
}

// A step with factors that are there, which cost more than all the rest. As long as nothing slides the law is linear
// within its states, so that only c stands between such a step and one with factors of its own: it nearly always does.
// (Where something slides it nearly never does, as its direction counts c-fold.)
static bool take_chord(ss_friction_run* run)
{
  double r = run->r;
  if (run->c_factors == 0 || run->factors != run->s->factors || run->s->kappa > 0) return false;
  ss_friction_linearise(run, run->c_factors, run->c_factors);
  if (!same_states(run)) return false;
  ss_friction_chord(run->s, run->K, run->Lambda, run->xi, run->Lambda0, run->plus);
  clip(run->s, run->plus);
  double r_plus = try_impulse(run, run->plus);
  if (!(r_plus < CHORD*r)) return false;
  run->newton++;
  ss_friction_take(run, run->plus, run->xi_plus, r_plus, SS_FRICTION_NEWTON);
  return true;
}

bool ss_friction_newton(ss_friction_run* run, double kappa0, int limit)
{
  return ss_friction_judge(run, SS_FRICTION_NEWTON) || ss_friction_newton_known(run, kappa0, limit);
}

bool ss_friction_newton_known(ss_friction_run* run, double kappa0, int limit)
{
  double damp = 1, r_anchor = INFINITY, before = 0;
  int patience = WATCHDOG;
  run->r_attempt = ss_smaller(run->r_attempt, run->r);
  for (int it = 0; it < limit && run->r > run->tol && !ss_friction_stopped(run); it++) {
    double r = run->r, c = damp*kappa0/r, t = 0, r_plus = INFINITY;
    if (r < CHORD*before && take_chord(run)) continue;
    run->newton++;
    drop_anchor(run, &r_anchor);
    c = c < 3 ? 3 : c > c_max ? c_max : c;
    if (make_factors(run, c)) {
      ss_friction_step(run->s, run->Lambda, run->xi, run->Lambda0, run->plus);
      t = first_boundary(run, c);
      memcpy(run->shift, run->plus, (size_t)run->s->m*sizeof(double));
      clip(run->s, run->shift);
      r_plus = try_impulse(run, run->shift);
    }
    bool better = r_plus < 0.9*r;
    if (better || (patience > 0 && r_plus < 30*r_anchor)) {
      patience = better ? WATCHDOG : patience - 1;
      ss_friction_take(run, run->shift, run->xi_plus, r_plus, SS_FRICTION_NEWTON);
      if (r_plus < 0.3*r) damp = damp < 0.25 ? 4*damp : 1;
    } else if (!take_pivot(run, t)) {
      memcpy(run->Lambda, run->anchor, (size_t)run->s->m*sizeof(double));
      ss_friction_sweep(run->s, ss_friction_at_most(run, SS_FRICTION_NSGS, SWEEPS_BACK), run->Lambda);
      ss_friction_judge(run, SS_FRICTION_NSGS);
      damp = damp > 1e-6 ? 0.1*damp : 1;
      patience = WATCHDOG;
    }
    before = r;
  }
  return run->r <= run->tol;
}

static double fastest_free(const ss_friction_run* run)
{
  double most = 0;
  for (int i = 0; i < run->s->n_free*run->s->dim; i++) most = ss_larger(most, fabs(run->xi[i]));
  return most;
}

double ss_friction_free_impulses(ss_friction_run* run)
{
  ss_friction_space* s = run->s;
  double left = fastest_free(run);
  linearise_free(run, c_max);
  if (!ss_friction_factor(s, run->K)) return left;
  for (int i = 0; i < FREE_STEPS && left > round_off*s->scale; i++) {
    double before = left;
    memcpy(run->Lambda0, run->Lambda, (size_t)s->m*sizeof(double));
    ss_friction_step(s, run->Lambda, run->xi, run->Lambda0, run->plus);
    memcpy(run->Lambda, run->plus, (size_t)s->n_free*(size_t)s->dim*sizeof(double));
    ss_friction_xi(s, run->Lambda, run->xi);
    left = fastest_free(run);
    if (!(left < 0.1*before)) break;
  }
  return left;
}

void ss_friction_polish(ss_friction_run* run, double enough)
{
  if (!run->s->lu || run->r_best <= enough) return;
  for (int i = 0; i < POLISH && run->r_best > round_off; i++) {
    double before = run->r_best;
    if (take_chord(run)) {
      if (run->r <= enough) return;
      continue;
    }
    run->newton++;
    if (!make_factors(run, c_max)) return;
    ss_friction_step(run->s, run->Lambda, run->xi, run->Lambda0, run->plus);
    clip(run->s, run->plus);
    double r = try_impulse(run, run->plus);
    if (!(r < before)) return;
    ss_friction_take(run, run->plus, run->xi_plus, r, SS_FRICTION_NEWTON);
    if (r > 0.1*before) return;
  }
}

bool ss_friction_run_newton(ss_friction_run* run)
{
  if (ss_friction_judge(run, SS_FRICTION_NEWTON)) return true;
  if (ss_friction_nsgs(run, ss_friction_at_most(run, SS_FRICTION_NSGS, SWEEPS_FIRST))) return true;
  return ss_friction_newton(run, 10, run->max_iter ? run->max_iter : OWN_LIMIT);
}
