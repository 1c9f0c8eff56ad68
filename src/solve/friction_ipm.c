// Interior point method for the exact cone. With S = diag(1/mu, 1, 1) the impulse z = (mu Lambda_N, Lambda_T), Lambda
// = S z, and the velocity y = S xi + |xi_T| e_0 both lie in the Lorentz cone, and the law is z o y = 0 (Jordan
// product). Steps are Newton's for z o y = sigma m e in the scaling of Nesterov and Todd [Vandenberghe 2010], W z =
// W^-1 y, with Mehrotra's predictor and corrector. The derivative t of |xi_T| is kept in the matrix, which makes it
// unsymmetric and converges to Coulomb's law directly, without an outer iteration on |xi_T|:
//   dz = (W^2 + delta)^-1 (W c - (S xi + |xi_T| e_0 - y) - (S + e_0 t^T) dxi),    K = S (W^2 + delta)^-1 (S + e_0 t^T)
// delta = 1/(1e8 rho) is a proximal term that keeps K bounded when rows are redundant.
#include "solve/friction_cone.h"
#include "solve/friction_run.h"
#include <string.h>

enum { OWN_LIMIT = 100 };

// The scaling of one contact. For mu = 0 the cone is the half line: d = 1.
typedef struct scaling {
  int d;
  double beta, w[3];  // W = beta [[w_0, w_1^T], [w_1, 1 + w_1 w_1^T/(w_0 + 1)]]
  double lambda[3];   // W z = W^-1 y
} scaling;

// ---- one cone ----

static double inner(int d, const double* a, const double* b)
{
  double sum = 0;
  for (int i = 0; i < d; i++) sum += a[i]*b[i];
  return sum;
}

// a_0^2 - |a_1|^2, by the product that loses no digits
static double det(int d, const double* a)
{
  double t = 0;
  for (int i = 1; i < d; i++) t += a[i]*a[i];
  t = sqrt(t);
  return (a[0] - t)*(a[0] + t);
}

// out = W x, or W^-1 x
static void scale(const scaling* s, bool inverse, const double* x, double* out)
{
  double sign = inverse ? -1 : 1, factor = inverse ? 1/s->beta : s->beta, wx = 0;
  for (int i = 1; i < s->d; i++) wx += sign*s->w[i]*x[i];
  double first = x[0];
  out[0] = factor*(s->w[0]*first + wx);
  for (int i = 1; i < s->d; i++) out[i] = factor*(x[i] + sign*s->w[i]*(first + wx/(s->w[0] + 1)));
}

static bool make_scaling(int d, const double* z, const double* y, scaling* s)
{
  double dz = det(d, z), dy = det(d, y);
  s->d = d;
  if (!(dz > 0) || !(dy > 0) || !(z[0] > 0) || !(y[0] > 0)) return false;
  double rz = 1/sqrt(dz), ry = 1/sqrt(dy);
  double gamma = sqrt(0.5*(1 + rz*ry*inner(d, z, y)));
  s->beta = sqrt(sqrt(dy/dz));
  for (int i = 0; i < d; i++) s->w[i] = (ry*y[i] + (i ? -1 : 1)*rz*z[i])/(2*gamma);
  scale(s, false, z, s->lambda);
  return isfinite(s->beta) && isfinite(s->lambda[0]);
}

// P = (W^2 + delta)^-1 from the eigenvectors of W: (1, +-w_1/|w_1|) and what is orthogonal to them
static void inverse_square(const scaling* s, double delta, double P[9])
{
  double t = 0, n[3] = {0};
  for (int i = 1; i < s->d; i++) t += s->w[i]*s->w[i];
  t = sqrt(t);
  double large = s->beta*(s->w[0] + t), small = s->beta/(s->w[0] + t);
  double a = 1/(large*large + delta), b = 1/(small*small + delta), c = 1/(s->beta*s->beta + delta);
  for (int i = 1; i < s->d; i++) n[i] = t > 0 ? s->w[i]/t : i == 1;
  if (s->d == 1) { P[0] = 1/(s->beta*s->beta + delta); return; }
  P[0] = 0.5*(a + b);
  for (int i = 1; i < s->d; i++) {
    P[i] = P[i*s->d] = 0.5*(a - b)*n[i];
    for (int j = 1; j < s->d; j++) P[i*s->d + j] = 0.5*(a + b)*n[i]*n[j] + c*((i == j) - n[i]*n[j]);
  }
}

// lambda o out = r
static void divide(const scaling* s, const double* r, double* out)
{
  const double* l = s->lambda;
  double sum = l[0]*r[0];
  for (int i = 1; i < s->d; i++) sum -= l[i]*r[i];
  double first = sum/det(s->d, l);
  for (int i = 1; i < s->d; i++) out[i] = (r[i] - first*l[i])/l[0];
  out[0] = first;
}

// Largest step along dx that stays in the cone
static double room(int d, const double* x, const double* dx)
{
  double a = dx[0]*dx[0], h = x[0]*dx[0], c = det(d, x), best = dx[0] < 0 ? -x[0]/dx[0] : 1e10;
  for (int i = 1; i < d; i++) {
    a -= dx[i]*dx[i];
    h -= x[i]*dx[i];
  }
  double disc = h*h - a*c;
  if (disc < 0) return best;
  double q = -(h + (h > 0 ? sqrt(disc) : -sqrt(disc)));
  double one = a != 0 ? q/a : -1, two = q != 0 ? c/q : -1;
  if (one > 0 && one < best) best = one;
  if (two > 0 && two < best) best = two;
  return best;
}

// ---- all contacts ----

typedef struct iterate {
  ss_friction_run* run;
  double *z, *y, *dz, *dy;  // m each
  bool symmetric;           // the derivative of |xi_T| is left out
  double keep;              // part of the infeasibility that a step aims to remove
} iterate;

static int cone_size(const ss_friction_space* s, int k) { return s->mu[k] > 0 ? s->dim : 1; }

static double normal_factor(const ss_friction_space* s, int k) { return s->mu[k] > 0 ? 1/s->mu[k] : 1; }

// S xi + |xi_T| e_0 - y, and t
static void infeasibility(const iterate* it, int k, double r[3], double t[3])
{
  const ss_friction_space* s = it->run->s;
  const double *xi = it->run->xi + k*s->dim, *y = it->y + k*s->dim;
  int d = cone_size(s, k);
  double size = d > 1 ? ss_tangential(s->dim, xi) : 0;
  for (int i = 0; i < d; i++) {
    r[i] = (i ? xi[i] : normal_factor(s, k)*xi[0] + size) - y[i];
    t[i] = i && size > 0 && !it->symmetric ? xi[i]/size : 0;
  }
}

// K of all contacts; false if an iterate is not inside its cone
static bool matrices(iterate* it)
{
  const ss_friction_space* s = it->run->s;
  int dim = s->dim;
  memset(it->run->K, 0, (size_t)(s->m*dim)*sizeof(double));
  for (int k = 0; k < s->k; k++) {
    scaling w = {0};
    double P[9] = {0}, r[3] = {0}, t[3] = {0}, *K = it->run->K + (size_t)(k*dim*dim), n = normal_factor(s, k);
    int d = cone_size(s, k);
    if (!make_scaling(d, it->z + k*dim, it->y + k*dim, &w)) return false;
    inverse_square(&w, 1e-8/s->rho[k], P);
    infeasibility(it, k, r, t);
    for (int i = 0; i < d; i++)
      for (int j = 0; j < d; j++) K[i*dim + j] = (i ? 1 : n)*(P[i*d + j]*(j ? 1 : n) + P[i*d]*t[j]);
  }
  return true;
}

// c = lambda^-1 o (target e - lambda o lambda - (W dz) o (W^-1 dy)); the last term only with `second`
static void right_side(const scaling* w, double target, bool second, const double* dz, const double* dy, double c[3])
{
  double r[3] = {0}, a[3] = {0}, b[3] = {0};
  int d = w->d;
  r[0] = target - inner(d, w->lambda, w->lambda);
  for (int i = 1; i < d; i++) r[i] = -2*w->lambda[0]*w->lambda[i];
  if (second) {
    scale(w, false, dz, a);
    scale(w, true, dy, b);
    r[0] -= inner(d, a, b);
    for (int i = 1; i < d; i++) r[i] -= a[0]*b[i] + b[0]*a[i];
  }
  divide(w, r, c);
}

// dz and dy of one linear solve
static void direction(iterate* it, double target, bool second)
{
  ss_friction_run* run = it->run;
  ss_friction_space* s = run->s;
  int dim = s->dim;
  for (int k = 0; k < s->k; k++) {
    scaling w = {0};
    double P[9] = {0}, r[3] = {0}, t[3] = {0}, c[3] = {0}, g[3] = {0}, *to = run->Lambda0 + k*dim;
    const double *K = run->K + (size_t)(k*dim*dim), *xi = run->xi + k*dim, *Lambda = run->Lambda + k*dim;
    int d = cone_size(s, k);
    make_scaling(d, it->z + k*dim, it->y + k*dim, &w);
    inverse_square(&w, 1e-8/s->rho[k], P);
    infeasibility(it, k, r, t);
    right_side(&w, target, second, it->dz + k*dim, it->dy + k*dim, c);
    scale(&w, false, c, g);
    for (int i = 0; i < d; i++) g[i] -= it->keep*r[i];
    for (int i = 0; i < dim; i++) {
      to[i] = Lambda[i];
      for (int j = 0; j < dim; j++) to[i] += K[i*dim + j]*xi[j];
      for (int j = 0; i < d && j < d; j++) to[i] += (i ? 1 : normal_factor(s, k))*P[i*d + j]*g[j];
    }
  }
  ss_friction_step(s, run->Lambda, run->xi, run->Lambda0, run->plus);
  ss_friction_xi(s, run->plus, run->xi_plus);
  for (int k = 0; k < s->k; k++) {
    double r[3] = {0}, t[3] = {0}, along = 0;
    int d = cone_size(s, k);
    infeasibility(it, k, r, t);
    for (int i = 1; i < d; i++) along += t[i]*(run->xi_plus[k*dim + i] - run->xi[k*dim + i]);
    for (int i = 0; i < d; i++) {
      int at = k*dim + i;
      double n = normal_factor(s, k), dxi = run->xi_plus[at] - run->xi[at];
      it->dz[at] = (run->plus[at] - run->Lambda[at])/(i ? 1 : n);
      it->dy[at] = it->keep*r[i] + (i ? dxi : n*dxi + along);
    }
  }
}

static double longest_step(const iterate* it)
{
  const ss_friction_space* s = it->run->s;
  double step = 1e10;
  for (int k = 0; k < s->k; k++) {
    int d = cone_size(s, k), at = k*s->dim;
    step = ss_smaller(step, ss_smaller(room(d, it->z + at, it->dz + at), room(d, it->y + at, it->dy + at)));
  }
  return step;
}

// Mean of z.y after a step
static double gap(const iterate* it, double step)
{
  const ss_friction_space* s = it->run->s;
  double sum = 0;
  for (int k = 0; k < s->k; k++)
    for (int i = k*s->dim; i < k*s->dim + cone_size(s, k); i++)
      sum += (it->z[i] + step*it->dz[i])*(it->y[i] + step*it->dy[i]);
  return sum/s->k;
}

static bool move(iterate* it, double step)
{
  ss_friction_run* run = it->run;
  const ss_friction_space* s = run->s;
  for (int k = 0; k < s->k; k++)
    for (int i = 0; i < cone_size(s, k); i++) {
      int at = k*s->dim + i;
      it->z[at] += step*it->dz[at];
      it->y[at] += step*it->dy[at];
      run->Lambda[at] = it->z[at]*(i ? 1 : normal_factor(s, k));
    }
  return ss_friction_judge(run, SS_FRICTION_IPM);
}

// Inside the cones, `push` times the size of b away from the current impulses and velocities
static void start(iterate* it, double push)
{
  ss_friction_run* run = it->run;
  const ss_friction_space* s = run->s;
  for (int pass = 0; pass < 2; pass++) {  // first z, hence Lambda and xi; then y
    for (int k = 0; k < s->k; k++) {
      int d = cone_size(s, k), at = k*s->dim;
      double n = normal_factor(s, k);
      double *Lambda = run->Lambda + at, *xi = run->xi + at, *z = it->z + at, *y = it->y + at;
      if (pass == 0) {
        ss_clip_to_disk(s->dim, s->mu[k], Lambda);
        for (int i = 0; i < s->dim; i++) z[i] = i ? Lambda[i] : Lambda[0]/n + push*s->rho[k]*s->scale;
        Lambda[0] = n*z[0];
      } else {
        for (int i = 1; i < s->dim; i++) y[i] = xi[i];
        y[0] = n*ss_larger(xi[0], 0) + (d > 1 ? ss_tangential(s->dim, xi) : 0) + push*s->scale;
      }
    }
    if (pass == 0) ss_friction_judge(run, SS_FRICTION_IPM);
  }
}

bool ss_friction_ipm(ss_friction_run* run, ss_ipm_variant v, int limit)
{
  iterate it = {.run = run, .z = run->z, .y = run->y, .dz = run->dz, .dy = run->dy, .keep = 1};
  double target = ss_larger(run->tol, v.handover);
  bool jammed = false;
  if (run->s->k == 0 || run->s->scale == 0) return ss_friction_judge(run, SS_FRICTION_IPM);
  start(&it, v.push);
  for (int n = 0; n < limit && run->r > target; n++) {
    run->ipm++;
    it.symmetric = jammed;
    it.keep = 1;
    if (!matrices(&it) || !ss_friction_factor(run->s, run->K)) return false;
    double mean = gap(&it, 0), sigma, step;
    direction(&it, 0, false);  // predictor
    step = ss_smaller(1, longest_step(&it));
    sigma = pow(ss_larger(gap(&it, step), 0)/mean, 3);
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
  return ss_friction_newton(run, 10, 8);  // the last digits
}
