// The central path of the exact law, for piles with more contacts than their motion has freedom. There impulses can be
// shifted far while velocities hardly change; which contacts slide and which open is decided by the last digits, and
// methods that ask for it at once never end. On the path every contact pushes, slides and opens a little. With
// L = tr(G_ii) Lambda, y the velocity, r = mu L_N + bound, L_T = l t, y_T = -w t, |t| = 1:
//   L_N y_N = sigma,    w (r - l) = share sigma l/(r + l)
// and sigma = 0 is the law. Friction makes the path turn: sigma rises before it falls again, up to dozens of times, and
// interior point methods, which know only one direction, jam at the first turn. Here it is followed by its length
// [Allgower & Georg 1990]. Which way is on is told by the determinant of the matrix, whose sign changes at every turn,
// so that it does not matter if a turn is jumped over or a neighbouring branch is met.
// L and y are both unknowns, as in primal-dual interior point methods [Wright 1997], and each step has one factor: back
// to the path, and along it as far as all products above stay near their targets. L_T turns along its circle and not
// along the tangent, which would leave the cone at once.
// Residuals are about sqrt(sigma) there, but the impulses are shared out rightly: a few sweeps from a point of the path
// reach a tenth or less of its residual.
#include "solve/friction_cone.h"
#include "solve/friction_run.h"
#include <string.h>

enum { MOST_SYSTEMS = 130, ROUNDS = 3, FEWEST_SWEEPS = 30 };
#define PROXIMAL 1e-8  // keeps K bounded where rows are redundant
#define LEAST 0.1      // products in units of their targets
#define GREATEST 100
#define STICKS 0.2     // (r - l)/r above which L_T moves freely
#define TURN 0.3       // angle of L_T in a step where it does not
#define NEAR 10        // length of a correction from which on the path is followed
#define WORTH 100      // residuals in units of the tolerance that sweeps are tried from

typedef struct point {
  double *L, *y;  // m each; bilateral rows: Lambda, 0
} point;

typedef struct central {
  ss_friction_run* run;
  double sigma, share;
  int strict;                   // the contact that the last point failed at
  point at, back, along, next;  // the point; to the path; d/d log sigma on it; the point tried
} central;

static bool has_normal(const ss_friction_space* s, int k) { return !s->layout.element[k]; }
static bool has_friction(const ss_friction_space* s, int k) { return s->mu[k] > 0 || s->bound[k] > 0; }
static double unit(const ss_friction_space* s, int i) { return i < s->n_free*s->dim ? 1 : s->rho[i/s->dim]; }

// ---- one contact ----

typedef struct sliding {
  double r, l, w, t[3];  // radius, |L_T|, |y_T|, direction of L_T
} sliding;

static sliding sliding_of(const ss_friction_space* s, int k, const double* L, const double* y)
{
  sliding f = {.r = s->mu[k]*L[0] + s->bound[k]/s->rho[k]};
  f.l = ss_tangential(s->dim, L);
  f.w = ss_tangential(s->dim, y);
  for (int i = 1; i < s->dim; i++) f.t[i] = f.l > 0 ? L[i]/f.l : i == 1;
  return f;
}

// dL = a + da d(log sigma) - K dy, from the derivatives of both equations; across t, L and y turn by the same angle
static void linearise(const central* c, int k, double* K, double* a, double* da)
{
  const ss_friction_space* s = c->run->s;
  int dim = s->dim;
  const double *L = c->at.L + k*dim, *y = c->at.y + k*dim, sigma = c->sigma, share = c->share*sigma;
  if (has_normal(s, k)) {
    K[0] = L[0]/y[0];
    da[0] = sigma/y[0];
    a[0] = da[0] - L[0];
  }
  if (!has_friction(s, k)) return;
  sliding f = sliding_of(s, k, L, y);
  double sum = f.r + f.l, W = f.w + share*f.r/(sum*sum), follow = s->mu[k]*(f.w + share*f.l/(sum*sum))/W;
  double target = share*f.l/sum, kt = (f.r - f.l)/W, kn = f.w > 0 ? f.l/f.w : f.r*f.r/share;
  double at = follow*a[0] - (target - f.w*(f.r - f.l))/W, dat = follow*da[0] - target/W;
  for (int i = 1; i < dim; i++) {
    a[i] = at*f.t[i];
    da[i] = dat*f.t[i];
    K[i*dim] = follow*K[0]*f.t[i];
    for (int j = 1; j < dim; j++) K[i*dim + j] = (kt - kn)*f.t[i]*f.t[j] + (i == j ? kn : 0);
  }
}

// M = T M, dim x n
static void multiply(int dim, int n, const double* T, double* M)
{
  double copy[9];
  memcpy(copy, M, (size_t)(dim*n)*sizeof *copy);
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < n; j++) {
      M[i*n + j] = 0;
      for (int e = 0; e < dim; e++) M[i*n + j] += T[i*dim + e]*copy[e*n + j];
    }
}

// The proximal term: dL = a - K (dy + PROXIMAL dL)
static bool limit(int dim, double* K, double* a, double* da)
{
  double T[9];
  for (int e = 0; e < dim*dim; e++) T[e] = PROXIMAL*K[e] + (e%(dim + 1) == 0);
  if (!ss_invert_small(dim, T)) return false;
  multiply(dim, dim, T, K);
  multiply(dim, 1, T, a);
  multiply(dim, 1, T, da);
  return true;
}

// ---- directions ----

// Right-hand sides: Lambda0 for the way back, and its change for the way along into `change`
static bool aim(const central* c, double* change)
{
  ss_friction_run* run = c->run;
  const ss_friction_space* s = run->s;
  int dim = s->dim, free = s->n_free*dim;
  memset(run->K, 0, (size_t)(s->m*dim)*sizeof(double));
  for (int i = 0; i < free; i++) {
    run->K[i*dim + i%dim] = s->rho_free[i]/PROXIMAL;
    run->Lambda0[i] = c->at.L[i];
    change[i] = 0;
  }
  for (int k = s->n_free; k < s->k; k++) {
    double *K = run->K + (size_t)(k*dim*dim), a[3] = {0}, da[3] = {0};
    linearise(c, k, K, a, da);
    if (!limit(dim, K, a, da)) return false;
    for (int i = 0; i < dim; i++) {
      double sum = c->at.L[k*dim + i] + a[i];
      for (int j = 0; j < dim; j++) sum += K[i*dim + j]*c->at.y[k*dim + j];
      run->Lambda0[k*dim + i] = s->rho[k]*sum;
      change[k*dim + i] = s->rho[k]*da[i];
    }
    for (int e = 0; e < dim*dim; e++) K[e] *= s->rho[k];
  }
  return true;
}

// What a step to Lambda0 changes, beyond `by` (or NULL)
static void read_step(const central* c, const point* by, point* out)
{
  ss_friction_run* run = c->run;
  ss_friction_space* s = run->s;
  ss_friction_step(s, run->Lambda, run->xi, run->Lambda0, run->plus);
  ss_friction_xi(s, run->plus, run->xi_plus);
  for (int i = 0; i < s->m; i++) {
    out->L[i] = run->plus[i]/unit(s, i) - c->at.L[i] - (by ? by->L[i] : 0);
    out->y[i] = i < s->n_free*s->dim ? 0 : run->xi_plus[i] - c->at.y[i] - (by ? by->y[i] : 0);
  }
}

// Both directions by one factor; run->Lambda and run->xi belong to c->at
static bool find_directions(const central* c)
{
  ss_friction_run* run = c->run;
  double* change = c->next.L;
  run->ipm++;
  if (!aim(c, change) || !ss_friction_factor(run->s, run->K)) return false;
  point back = c->back, along = c->along;
  read_step(c, NULL, &back);
  for (int i = 0; i < run->s->m; i++) run->Lambda0[i] += change[i];
  read_step(c, &back, &along);
  return true;
}

// Scalar product of directions in units of the point
static double inner(const central* c, const point* a, const point* b)
{
  const ss_friction_space* s = c->run->s;
  double sum = 0;
  for (int k = s->n_free; k < s->k; k++) {
    int n = k*s->dim;
    double L = c->at.L[n], y = c->at.y[n];
    if (has_normal(s, k)) sum += a->L[n]*b->L[n]/(L*L) + a->y[n]*b->y[n]/(y*y);
    if (!has_friction(s, k)) continue;
    sliding f = sliding_of(s, k, c->at.L + n, c->at.y + n);
    double w = f.w + (has_normal(s, k) ? y : c->sigma/f.r);
    for (int i = n + 1; i < n + s->dim; i++) sum += a->L[i]*b->L[i]/(f.r*f.r) + a->y[i]*b->y[i]/(w*w);
  }
  return sum;
}

// ---- the next point ----

// How far a product is from its target: at most 1 is near enough
static double distance(double product) { return ss_larger(product/GREATEST, LEAST/product); }

// L_T, y_T of contact k at f, moved by dL, dy: to the point tried, with its radius r
static double move_friction(const central* c, int k, sliding f, double r, const double* dL, const double* dy,
                            double sigma)
{
  const ss_friction_space* s = c->run->s;
  int n = k*s->dim;
  double t[3] = {0}, size = 0, cosine = 0, l = f.l, w = f.w, across = 0;
  for (int i = 1; i < s->dim; i++) {
    t[i] = c->at.L[n + i] + dL[i];
    size += t[i]*t[i];
  }
  size = sqrt(size);
  for (int i = 1; i < s->dim; i++) {
    t[i] = size > 0 ? t[i]/size : f.t[i];
    cosine += t[i]*f.t[i];
    l += dL[i]*f.t[i];
    w -= dy[i]*f.t[i];
    across -= (c->at.y[n + i] + dy[i])*t[i];
  }
  if (f.r - f.l > STICKS*f.r) {
    l = size;
    w = across;
  } else if (!(cosine > 1 - 0.5*TURN*TURN)) return INFINITY;
  if (!(l >= 0 && l < r)) return INFINITY;
  double target = c->share*sigma*l/(r + l);
  if (!(w > 0) && l < 0.5*r && w > -0.5*c->share*sigma/r) w = target/(r - l);  // hardly a direction
  if (!(w > 0) && l > 0) return INFINITY;
  for (int i = 1; i < s->dim; i++) {
    c->next.L[n + i] = l*t[i];
    c->next.y[n + i] = -w*t[i];
  }
  return l > 0.1*r ? distance(w*(r - l)/target) : 0;
}

static double move_contact(const central* c, int k, double part, double m, double sigma)
{
  const ss_friction_space* s = c->run->s;
  int dim = s->dim, n = k*dim;
  double dL[3] = {0}, dy[3] = {0}, far = 0, r = s->bound[k]/s->rho[k];
  for (int i = 0; i < dim; i++) {
    dL[i] = part*c->back.L[n + i] + m*c->along.L[n + i];
    dy[i] = part*c->back.y[n + i] + m*c->along.y[n + i];
    c->next.L[n + i] = c->next.y[n + i] = 0;
  }
  if (has_normal(s, k)) {
    double L = c->at.L[n] + dL[0], y = c->at.y[n] + dy[0];
    if (!(L > 0 && y > 0)) return INFINITY;
    c->next.L[n] = L;
    c->next.y[n] = y;
    far = distance(L*y/sigma);
    r += s->mu[k]*L;
  }
  if (!has_friction(s, k)) return far;
  sliding f = sliding_of(s, k, c->at.L + n, c->at.y + n);
  return ss_larger(far, move_friction(c, k, f, r, dL, dy, sigma));
}

// The point next = at + part back + m along. Returns the distance of the contact that is farthest from its targets.
// Contacts are asked in turn, first the one that the last point failed at: a shorter way mostly fails there too.
static double try_point(central* c, double part, double m, double sigma, double limit_at)
{
  const ss_friction_space* s = c->run->s;
  double far = 0;
  if (!(sigma > 0)) return INFINITY;
  for (int i = 0; i < s->n_free*s->dim; i++)
    c->next.L[i] = c->at.L[i] + part*c->back.L[i] + m*c->along.L[i];
  for (int i = s->n_free, k = c->strict; i < s->k && far <= limit_at; i++, k = k + 1 < s->k ? k + 1 : s->n_free) {
    far = ss_larger(far, move_contact(c, k, part, m, sigma));
    if (far > limit_at) c->strict = k;
  }
  return far <= limit_at ? far : INFINITY;
}

// Towards the path at the same sigma. True if the point is near it now.
static bool approach(central* c, bool* near)
{
  double part = 1, size = sqrt(inner(c, &c->back, &c->back));
  while (part > 1e-4 && !(try_point(c, part, 0, c->sigma, 10) < INFINITY)) part *= 0.8;
  *near = part == 1 && size < NEAR;
  return part > 1e-4;
}

// Back to the path across it, and along it as far as possible. False if no point is found.
static bool follow(central* c)
{
  double onwards = c->run->s->lu->sign > 0 ? -1 : 1;
  double m0 = -inner(c, &c->along, &c->back)/(1 + inner(c, &c->along, &c->along));
  for (int i = 0; i < c->run->s->m; i++) {
    c->back.L[i] += m0*c->along.L[i];
    c->back.y[i] += m0*c->along.y[i];
  }
  for (double m = 0.99*onwards; fabs(m) > 1e-6; m *= 0.7) {
    double sigma = c->sigma*(1 + m0 + m);
    if (!(try_point(c, 1, m, sigma, 1) <= 1)) continue;
    c->sigma = sigma;
    return true;
  }
  for (double part = 1; part > 1e-4; part *= 0.8) {
    double sigma = c->sigma*(1 + part*m0);
    if (!(try_point(c, part, 0, sigma, part < 1 ? 1e3 : 1) < INFINITY)) continue;
    c->sigma = sigma;
    return true;
  }
  return false;
}

// ---- the whole way ----

// Everything as large as the velocities that are given
static void start(central* c)
{
  ss_friction_run* run = c->run;
  const ss_friction_space* s = run->s;
  c->sigma = s->scale*s->scale;
  memset(c->at.y, 0, (size_t)s->m*sizeof(double));
  for (int i = 0; i < s->m; i++) c->at.L[i] = i < s->n_free*s->dim ? run->Lambda[i] : 0;
  for (int k = s->n_free; k < s->k; k++)
    if (has_normal(s, k)) c->at.L[k*s->dim] = c->at.y[k*s->dim] = s->scale;
}

// Lambda of the point
static void set_impulses(const central* c)
{
  ss_friction_run* run = c->run;
  for (int i = 0; i < run->s->m; i++) run->Lambda[i] = unit(run->s, i)*c->at.L[i];
}

// The point tried is the next one
static bool take(central* c)
{
  point from = c->at;
  c->at = c->next;
  c->next = from;
  set_impulses(c);
  return ss_friction_judge(c->run, SS_FRICTION_IPM);
}

// Sweeps from this point, which is returned to. They take about as long as a factor: a contact is as much work as a
// product of blocks.
static bool sweep_from_here(const central* c)
{
  ss_friction_run* run = c->run;
  ss_friction_space* s = run->s;
  if (run->r > WORTH*run->tol) return false;
  int sweeps = s->lu->products > (double)FEWEST_SWEEPS*s->k ? (int)(s->lu->products/s->k) : FEWEST_SWEEPS;
  sweeps = ss_friction_at_most(run, SS_FRICTION_NSGS, sweeps);
  if (sweeps == 0) return false;
  if (s->batches) {
    ss_friction_momentum a = ss_friction_momentum_start(s, run->plus, run->xi_plus, run->Lambda);
    if (ss_friction_conjugate(run, &a, sweeps)) return true;
  } else if (ss_friction_nsgs(run, sweeps)) return true;
  set_impulses(c);
  ss_friction_xi(s, run->Lambda, run->xi);
  return false;
}

// As far as so many systems lead
static bool go(ss_friction_run* run, double share, int most)
{
  central c = {.run = run, .share = share, .strict = run->s->n_free, .at = {run->z, run->y}, .back = {run->dz, run->dy},
               .along = {run->anchor, run->shift}, .next = {run->held, run->rigid}};
  bool near = false;
  start(&c);
  set_impulses(&c);
  ss_friction_judge(run, SS_FRICTION_IPM);
  for (int n = 0; n < most && !ss_friction_stopped(run); n++) {
    if (!find_directions(&c) || !(near ? follow(&c) : approach(&c, &near))) return false;
    if (take(&c) || (near && sweep_from_here(&c))) return true;
  }
  return false;
}

bool ss_friction_central(ss_friction_run* run)
{
  const ss_friction_space* s = run->s;
  if (!s->lu || s->scale == 0 || s->k == s->n_free) return false;
  static const double share[ROUNDS] = {3, 1, 5};  // other paths, other turns
  for (int i = 0, most; i < ROUNDS && (most = ss_friction_at_most(run, SS_FRICTION_IPM, MOST_SYSTEMS)) > 0; i++) {
    if (go(run, share[i], most)) return true;
    ss_friction_return(run);
  }
  return false;
}
