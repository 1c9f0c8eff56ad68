// Interior point method for the exact cone. The impulse z = (mu Lambda_N + bound, Lambda_T) and the velocity y both lie
// in the Lorentz cone, and the law is z o y = 0 (Jordan product) with
//   y_T = xi_T,   xi_N + mu|xi_T| = mu y_0 + eta,   0 <= eta _|_ Lambda_N >= 0
// where eta = 0 and y_0 follows if there is no bound, as Lambda_N >= 0 is then part of the cone. For mu = bound = 0
// the cone is the half line. Steps are Newton's for z o y = sigma m e in the scaling of Nesterov and Todd, W z = W^-1 y
// [Vandenberghe 2010], with Mehrotra's predictor and corrector. The derivative t of |xi_T| is kept in the matrix, which
// makes it unsymmetric and converges to Coulomb's law directly, without an outer iteration on |xi_T|. With B = diag(mu,
// 1, 1), c the scaled target and r the infeasibility:
//   dLambda = Q (g - (1 + mu e_N t^T) dxi),    g = B W c + e_N (target - eta Lambda_N)/Lambda_N - r,
//   Q = (B W^2 B + e_N e_N^T eta/Lambda_N + delta)^-1,    K = Q (1 + mu e_N t^T)
// delta = 1/(1e8 rho) is a proximal term that keeps K bounded when rows are redundant. Bilateral rows have only that.
#include "solve/friction_cone.h"
#include "solve/friction_run.h"
#include <string.h>

enum { OWN_LIMIT = 100 };

typedef struct iterate {
  ss_friction_run* run;
  double *z, *y, *dz, *dy;  // m each
  bool symmetric;           // the derivative of |xi_T| is left out
  double keep;              // part of the infeasibility that a step aims to remove
} iterate;

static int cone_size(const ss_friction_space* s, int k)
{
  if (s->mu[k] > 0 || s->bound[k] > 0) return s->dim;
  return s->layout.element[k] ? 0 : 1;
}

// z_0 for Lambda_N = 1: mu, but 1 on the half line
static double normal_factor(const ss_friction_space* s, int k)
{
  return s->mu[k] > 0 || s->bound[k] > 0 ? s->mu[k] : 1;
}

static bool has_eta(const ss_friction_space* s, int k) { return s->bound[k] > 0 && !s->layout.element[k]; }

// ---- the matrix ----

// r = (xi_N + mu|xi_T| - mu y_0 - eta, xi_T - y_T), and t
static void infeasibility(const iterate* it, int k)
{
  const ss_friction_space* s = it->run->s;
  ss_ipm_contact* at = &it->run->contact[k];
  const double *xi = it->run->xi + k*s->dim, *y = it->y + k*s->dim;
  int d = cone_size(s, k);
  double size = d > 1 ? ss_tangential(s->dim, xi) : 0;
  for (int i = 0; i < s->dim; i++) {
    at->r[i] = i < d ? xi[i] - y[i] : 0;
    at->t[i] = i && i < d && size > 0 && !it->symmetric ? xi[i]/size : 0;
  }
  at->r[0] = xi[0] + s->mu[k]*size - normal_factor(s, k)*y[0] - at->eta;
  if (s->layout.element[k]) at->r[0] = 0;
}

// Q with a bound; a friction element has only its tangential rows
static bool invert_bounded(const iterate* it, int k, double delta)
{
  const ss_friction_space* s = it->run->s;
  ss_ipm_contact* at = &it->run->contact[k];
  int dim = s->dim;
  bool element = s->layout.element[k];
  ss_lorentz_square(&at->w, at->Q);
  for (int i = 0; i < dim; i++) {
    at->Q[i*dim] *= s->mu[k];
    at->Q[i] *= s->mu[k];
  }
  at->Q[0] += element ? 1 : at->eta/it->run->Lambda[k*dim];
  for (int i = element; i < dim; i++) at->Q[i*dim + i] += delta;
  if (!ss_invert_small(dim, at->Q)) return false;
  if (element) at->Q[0] = 0;
  return true;
}

static void invert_cone(const iterate* it, int k, double delta)
{
  const ss_friction_space* s = it->run->s;
  ss_ipm_contact* at = &it->run->contact[k];
  double P[9] = {0}, n = normal_factor(s, k);
  int d = at->w.d, dim = s->dim;
  ss_lorentz_inverse_square(&at->w, delta, P);
  memset(at->Q, 0, sizeof at->Q);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) at->Q[i*dim + j] = P[i*d + j]/((i ? 1 : n)*(j ? 1 : n));
}

// K of all blocks; false if an iterate is not inside its cone
static bool matrices(iterate* it)
{
  const ss_friction_space* s = it->run->s;
  int dim = s->dim;
  memset(it->run->K, 0, (size_t)(s->m*dim)*sizeof(double));
  for (int i = 0; i < s->n_free*dim; i++) it->run->K[i*dim + i%dim] = 1e8*s->rho_free[i];
  for (int k = s->n_free; k < s->k; k++) {
    ss_ipm_contact* at = &it->run->contact[k];
    double *K = it->run->K + (size_t)(k*dim*dim), delta = 1e-8/s->rho[k];
    int d = cone_size(s, k);
    if (d == 0) continue;
    if (!ss_lorentz_scaling(d, it->z + k*dim, it->y + k*dim, &at->w)) return false;
    infeasibility(it, k);
    if (s->bound[k] == 0) invert_cone(it, k, delta);
    else if (!invert_bounded(it, k, delta)) return false;
    for (int i = 0; i < d; i++)
      for (int j = 0; j < d; j++) K[i*dim + j] = at->Q[i*dim + j] + s->mu[k]*at->Q[i*dim]*at->t[j];
  }
  return true;
}

// ---- the step ----

// Lambda0 = Lambda + K xi + Q g
static void aim(const iterate* it, int k, double target, bool second)
{
  const ss_friction_run* run = it->run;
  const ss_friction_space* s = run->s;
  ss_ipm_contact* at = &run->contact[k];
  int dim = s->dim, d = at->w.d;
  const double *K = run->K + (size_t)(k*dim*dim), *xi = run->xi + k*dim, *Lambda = run->Lambda + k*dim;
  double c[3] = {0}, g[3] = {0}, *to = run->Lambda0 + k*dim;
  ss_lorentz_target(&at->w, target, second, it->dz + k*dim, it->dy + k*dim, c);
  ss_lorentz_scale(&at->w, false, c, g);
  at->rise = g[0];
  at->fall = 0;
  if (has_eta(s, k)) {
    double change = second ? at->deta*(run->plus[k*dim] - Lambda[0]) : 0;
    at->fall = (target - change)/Lambda[0] - at->eta;
  }
  g[0] = normal_factor(s, k)*g[0] + at->fall;
  for (int i = 0; i < d; i++) g[i] -= it->keep*at->r[i];
  for (int i = 0; i < dim; i++) {
    to[i] = Lambda[i];
    for (int j = 0; j < dim; j++) to[i] += K[i*dim + j]*xi[j] + at->Q[i*dim + j]*g[j];
  }
}

// dz, dy and deta that belong to Lambda+
static void read_step(const iterate* it, int k)
{
  const ss_friction_run* run = it->run;
  const ss_friction_space* s = run->s;
  ss_ipm_contact* at = &run->contact[k];
  int dim = s->dim, d = at->w.d;
  double n = normal_factor(s, k), dxi[3] = {0}, W2[9], *dz = it->dz + k*dim, *dy = it->dy + k*dim, along = 0;
  for (int i = 0; i < d; i++) {
    dxi[i] = run->xi_plus[k*dim + i] - run->xi[k*dim + i];
    dz[i] = (i ? 1 : n)*(run->plus[k*dim + i] - run->Lambda[k*dim + i]);
    dy[i] = it->keep*at->r[i] + dxi[i];
    along += at->t[i]*dxi[i];
  }
  if (s->bound[k] == 0) {
    dy[0] = (dy[0] + s->mu[k]*along)/n;
    return;
  }
  ss_lorentz_square(&at->w, W2);
  dy[0] = at->rise;
  for (int i = 0; i < d; i++) dy[0] -= W2[i]*dz[i];
  if (has_eta(s, k))
    at->deta = at->fall - at->eta/run->Lambda[k*dim]*(run->plus[k*dim] - run->Lambda[k*dim]);
}

// One linear solve
static void direction(iterate* it, double target, bool second)
{
  ss_friction_run* run = it->run;
  ss_friction_space* s = run->s;
  memcpy(run->Lambda0, run->Lambda, (size_t)s->m*sizeof(double));
  for (int k = s->n_free; k < s->k; k++)
    if (cone_size(s, k) > 0) aim(it, k, target, second);
  ss_friction_step(s, run->Lambda, run->xi, run->Lambda0, run->plus);
  ss_friction_xi(s, run->plus, run->xi_plus);
  for (int k = s->n_free; k < s->k; k++)
    if (cone_size(s, k) > 0) read_step(it, k);
}

static double longest_step(const iterate* it)
{
  const ss_friction_run* run = it->run;
  const ss_friction_space* s = run->s;
  double step = 1e10;
  for (int k = s->n_free; k < s->k; k++) {
    int d = cone_size(s, k), at = k*s->dim;
    if (d == 0) continue;
    step = ss_smaller(step, ss_lorentz_room(d, it->z + at, it->dz + at));
    step = ss_smaller(step, ss_lorentz_room(d, it->y + at, it->dy + at));
    if (!has_eta(s, k)) continue;
    double dn = run->plus[at] - run->Lambda[at];
    if (dn < 0) step = ss_smaller(step, -run->Lambda[at]/dn);
    if (run->contact[k].deta < 0) step = ss_smaller(step, -run->contact[k].eta/run->contact[k].deta);
  }
  return step;
}

// Mean of z.y and eta Lambda_N after a step
static double gap(const iterate* it, double step)
{
  const ss_friction_run* run = it->run;
  const ss_friction_space* s = run->s;
  double sum = 0;
  int count = 0;
  for (int k = s->n_free; k < s->k; k++) {
    int d = cone_size(s, k), first = k*s->dim;
    count += d > 0;
    for (int i = first; i < first + d; i++) sum += (it->z[i] + step*it->dz[i])*(it->y[i] + step*it->dy[i]);
    if (!has_eta(s, k)) continue;
    double normal = run->Lambda[first] + (step > 0 ? step*(run->plus[first] - run->Lambda[first]) : 0);
    sum += normal*(run->contact[k].eta + step*run->contact[k].deta);
    count++;
  }
  return count ? sum/count : 0;
}

static void place_z(const iterate* it, int k)
{
  const ss_friction_space* s = it->run->s;
  const double* Lambda = it->run->Lambda + k*s->dim;
  double* z = it->z + k*s->dim;
  for (int i = 1; i < s->dim; i++) z[i] = Lambda[i];
  z[0] = normal_factor(s, k)*Lambda[0] + s->bound[k];
}

static bool move(iterate* it, double step)
{
  ss_friction_run* run = it->run;
  const ss_friction_space* s = run->s;
  for (int i = 0; i < s->m; i++) run->Lambda[i] += step*(run->plus[i] - run->Lambda[i]);
  for (int k = s->n_free; k < s->k; k++) {
    place_z(it, k);
    for (int i = k*s->dim; i < k*s->dim + cone_size(s, k); i++) it->y[i] += step*it->dy[i];
    if (has_eta(s, k)) run->contact[k].eta += step*run->contact[k].deta;
  }
  return ss_friction_judge(run, SS_FRICTION_IPM);
}

// Inside the cones, `push` times the size of b away from the current impulses and velocities
static void start(iterate* it, double push)
{
  ss_friction_run* run = it->run;
  const ss_friction_space* s = run->s;
  memset(it->dz, 0, (size_t)s->m*sizeof(double));  // gap() reads them before the first direction is known
  memset(it->dy, 0, (size_t)s->m*sizeof(double));
  for (int k = s->n_free; k < s->k; k++) {
    double *Lambda = run->Lambda + k*s->dim, n = normal_factor(s, k);
    ss_clip_to_disk(s->dim, s->mu[k], s->bound[k], Lambda);
    if (s->bound[k] > 0)
      for (int i = 1; i < s->dim; i++) Lambda[i] *= 0.9;
    if (!s->layout.element[k]) Lambda[0] += push*s->rho[k]*s->scale/(s->bound[k] > 0 ? 1 : n);
    place_z(it, k);
  }
  ss_friction_judge(run, SS_FRICTION_IPM);
  for (int k = s->n_free; k < s->k; k++) {
    const double* xi = run->xi + k*s->dim;
    double *y = it->y + k*s->dim, n = normal_factor(s, k), normal = ss_larger(xi[0], 0);
    for (int i = 1; i < s->dim; i++) y[i] = xi[i];
    y[0] = (s->bound[k] > 0 ? 0 : normal/n) + (cone_size(s, k) > 1 ? ss_tangential(s->dim, xi) : 0) + push*s->scale;
    run->contact[k].eta = has_eta(s, k) ? normal + push*s->scale : 0;
    run->contact[k].deta = 0;
  }
}

bool ss_friction_ipm(ss_friction_run* run, ss_ipm_variant v, int limit)
{
  iterate it = {.run = run, .z = run->z, .y = run->y, .dz = run->dz, .dy = run->dy, .keep = 1};
  double target = ss_larger(run->tol, v.handover);
  bool jammed = false;
  if (run->s->k == 0 || run->s->scale == 0) return ss_friction_judge(run, SS_FRICTION_IPM);
  start(&it, v.push);
  for (int n = 0; n < limit && run->r > target && !ss_friction_stopped(run); n++) {
    run->ipm++;
    it.symmetric = jammed;
    it.keep = 1;
    if (!matrices(&it) || !ss_friction_factor(run->s, run->K)) return false;
    double mean = gap(&it, 0), sigma, step;
    direction(&it, 0, false);  // predictor
    step = ss_smaller(1, longest_step(&it));
    sigma = mean > 0 ? pow(ss_larger(gap(&it, step), 0)/mean, 3) : 0;
    sigma = sigma < 1e-8 ? 1e-8 : sigma > 1 ? 1 : sigma;
    if (jammed && sigma < 0.7) sigma = 0.7;
    if (v.scaled) it.keep = 1 - sigma;
    direction(&it, sigma*mean, !jammed);
    step = ss_smaller(1, 0.99*longest_step(&it));
    if (!(step > 1e-9)) return false;
    move(&it, step);
    if (!isfinite(run->r)) return false;
    jammed = v.jam_rule && (step < 0.1 || (jammed && step < 0.5));
  }
  return run->r <= run->tol;
}

bool ss_friction_run_ipm(ss_friction_run* run)
{
  ss_ipm_variant v = {.push = 1, .jam_rule = true, .handover = 1e-6};
  if (ss_friction_judge(run, SS_FRICTION_IPM)) return true;
  if (ss_friction_ipm(run, v, run->max_iter ? run->max_iter : OWN_LIMIT)) return true;
  return ss_friction_newton(run, 10, ss_friction_at_most(run, SS_FRICTION_NEWTON, 8));  // the last digits
}
