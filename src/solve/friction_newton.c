// Primal-dual Newton on the projection form of the law [Alart & Curnier 1991], with two different constants:
// rho_i = 1/trace G_ii decides the state of a contact, R_i = c rho_i regularises. c = kappa0/r follows the residual,
// so the proximal term vanishes at the solution and redundant contacts do no harm (Levenberg-Marquardt). With x =
// Lambda - rho xi:
//   N       open  x_N <= 0           K_N = 0,        Lambda0_N = 0
//           closed                   K_N = R e_N^T,  Lambda0_N = Lambda_N
//   T       stick |x_T| <= limit     K_T = R,        Lambda0_T = Lambda_T
//           slip  t = x_T/|x_T|      K_T = mu t K_N + k_c (1 - t t^T),  beta = limit/|x_T|,
//                                    k_c = 1/(1/R + (1 - beta)/(beta rho)),
//                                    Lambda0_T = (mu Lambda0_N + bound) t + k_c/R (1 - t t^T) Lambda_T
// where limit = mu x_N + bound, bound alone if open, and Lambda+ = Lambda0 - K xi+. Bilateral rows always stick.
#include "solve/friction_cone.h"
#include "solve/friction_run.h"
#include <string.h>

enum { OWN_LIMIT = 200, SWEEPS_FIRST = 20, SWEEPS_BACK = 8, WATCHDOG = 4 };

static const double c_max = 1e7;  // round-off grows like 1e-16 c

// Tangential rows of K and Lambda0; K_N and Lambda0_N are there
static void linearise_slip(int dim, double mu, double bound, double rho, double R, const double* x,
                           const double* Lambda, double* K, double* Lambda0)
{
  double tau = ss_tangential(dim, x), limit = mu*ss_larger(x[0], 0) + bound, t[3] = {0}, along = 0;
  double beta = tau > 0 ? limit/tau : 0;
  double kc = beta > 0 ? 1/(1/R + (1 - beta)/(beta*rho)) : 0;
  for (int i = 1; i < dim; i++) {
    t[i] = tau > 0 ? x[i]/tau : 0;
    along += t[i]*Lambda[i];
  }
  for (int i = 1; i < dim; i++) {
    K[i*dim] = K[0]*mu*t[i];
    for (int j = 1; j < dim; j++) K[i*dim + j] = kc*((i == j) - t[i]*t[j]);
    Lambda0[i] = (mu*Lambda0[0] + bound)*t[i] + kc/R*(Lambda[i] - along*t[i]);
  }
}

static void linearise_contact(int dim, double mu, double bound, double rho, double R, const double* Lambda,
                              const double* xi, double* K, double* Lambda0)
{
  double x[3] = {0};
  for (int i = 0; i < dim; i++) x[i] = Lambda[i] - rho*xi[i];
  bool closed = x[0] > 0;
  double limit = (closed ? mu*x[0] : 0) + bound;
  K[0] = closed ? R : 0;
  Lambda0[0] = closed ? Lambda[0] : 0;
  if (limit > 0 && ss_tangential(dim, x) <= limit)
    for (int i = 1; i < dim; i++) {
      K[i*dim + i] = R;
      Lambda0[i] = Lambda[i];
    }
  else if (closed || bound > 0) linearise_slip(dim, mu, bound, rho, R, x, Lambda, K, Lambda0);
  else
    for (int i = 1; i < dim; i++) Lambda0[i] = 0;
}

// K and Lambda0 of every block
static void linearise(ss_friction_run* run, double c)
{
  const ss_friction_space* s = run->s;
  int dim = s->dim;
  memset(run->K, 0, (size_t)(s->m*dim)*sizeof(double));
  for (int i = 0; i < s->n_free*dim; i++) {
    run->K[i*dim + i%dim] = c*s->rho_free[i];
    run->Lambda0[i] = run->Lambda[i];
  }
  for (int k = s->n_free; k < s->k; k++)
    linearise_contact(dim, s->mu[k], s->bound[k], s->rho[k], c*s->rho[k], run->Lambda + k*dim, run->xi + k*dim,
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

bool ss_friction_newton(ss_friction_run* run, double kappa0, int limit)
{
  double damp = 1, r_anchor = INFINITY;
  int patience = WATCHDOG;
  if (ss_friction_judge(run, SS_FRICTION_NEWTON)) return true;
  for (int it = 0; it < limit; it++) {
    run->newton++;
    drop_anchor(run, &r_anchor);
    double r = run->r, c = damp*kappa0/r, t = 0, r_plus = INFINITY;
    c = c < 3 ? 3 : c > c_max ? c_max : c;
    linearise(run, c);
    if (ss_friction_factor(run->s, run->K)) {
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
      ss_friction_sweep(run->s, SWEEPS_BACK, run->Lambda);
      ss_friction_judge(run, SS_FRICTION_NSGS);
      damp = damp > 1e-6 ? 0.1*damp : 1;
      patience = WATCHDOG;
    }
    if (run->r <= run->tol) return true;
  }
  return false;
}

bool ss_friction_run_newton(ss_friction_run* run)
{
  if (ss_friction_judge(run, SS_FRICTION_NEWTON)) return true;
  if (ss_friction_nsgs(run, ss_friction_at_most(run, SWEEPS_FIRST))) return true;
  return ss_friction_newton(run, 10, run->max_iter ? run->max_iter : OWN_LIMIT);
}
