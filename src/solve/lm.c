// The regular and the projected Levenberg-Marquardt method.
#include "solve/lm.h"
#include "math/dense.h"
#include <math.h>

static const double PSI_TOL = 1e-30;  // [MJ section 5.1]

enum {
  MEMORY = 10,    // values of psi that the line search looks back on
  WATCHDOG = 20,  // iterations after which the best value must have gone down
};

// Arrays in the caller's block
typedef struct scratch {
  int n;
  double *J, *H;  // n x n; H has room for the 2n x n matrix of least squares
  double *phi, *g, *dx, *trial, *trial_phi, *best;
} scratch;

size_t ss_lm_doubles(int n) { return 3*(size_t)n*(size_t)n + 8*(size_t)n; }

static scratch divide(int n, double* work)
{
  size_t N = (size_t)n;
  double* v = work + 3*N*N;
  return (scratch){n, work, work + N*N, v, v + N, v + 2*N, v + 3*N, v + 4*N, v + 5*N};
}

static double half_square(int n, const double* v) { return 0.5*ss_dot(n, v, v); }

static double evaluate(const ss_lm_problem* p, const double* x, double* phi)
{
  p->phi(p->user, x, phi);
  return half_square(p->n, phi);
}

// J and the gradient g = J^T phi
static void linearise(const ss_lm_problem* p, const scratch* s, const double* x)
{
  p->jacobian(p->user, x, s->J);
  ss_gemv_t(p->n, p->n, s->J, s->phi, s->g);
}

static void copy(int n, const double* from, double* to)
{
  for (int i = 0; i < n; i++) to[i] = from[i];
}

// ---- regular ----

// Parameters of the paper
static const double R_MIN = 0.3, R_MAX = 0.8, LAMBDA_START = 1e-3, LAMBDA_STEP = 20, LAMBDA_MIN = 1e-25;

static const double LAMBDA_MAX = 1e20;  // no step helps

// J^T J into the second half of H; J is transposed into the first
static double* normal_matrix(const scratch* s)
{
  size_t n = (size_t)s->n;
  double *Jt = s->H, *N = s->H + n*n;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) Jt[j*n + i] = s->J[i*n + j];
  ss_abt_sym(s->n, s->n, Jt, Jt, N);
  return N;
}

// dx = -(J^T J + lambda 1)^-1 g; false if round-off makes the matrix indefinite
static bool damped_step(const scratch* s, const double* N, double lambda)
{
  size_t n = (size_t)s->n;
  copy(s->n*s->n, N, s->H);
  for (size_t i = 0; i < n; i++) {
    s->H[i*n + i] += lambda;
    s->dx[i] = -s->g[i];
  }
  if (!ss_chol_factor(s->n, s->H)) return false;
  ss_chol_solve(s->n, s->H, s->dx);
  return true;
}

// psi at x + dx, which goes to trial
static double try_step(const ss_lm_problem* p, const scratch* s, const double* x)
{
  for (int i = 0; i < s->n; i++) s->trial[i] = x[i] + s->dx[i];
  return evaluate(p, s->trial, s->trial_phi);
}

static void accept(const scratch* s, double* x)
{
  copy(s->n, s->trial, x);
  copy(s->n, s->trial_phi, s->phi);
}

ss_lm_end ss_lm_regular(const ss_lm_problem* p, int max_iter, double* work, double* x, int* used)
{
  scratch s = divide(p->n, work);
  double lambda = LAMBDA_START, psi = evaluate(p, x, s.phi), *N = NULL;
  for (int k = 0; k < max_iter && !ss_stopped(p->stop); k++) {
    if (psi < PSI_TOL) return SS_LM_ZERO;
    ++*used;
    if (!N) {
      linearise(p, &s, x);
      N = normal_matrix(&s);
    }
    double r = -1, next = psi;
    if (damped_step(&s, N, lambda)) {
      // q(x + dx) - q(x) with q = |phi + J dx|^2/2 and H dx = -g
      double model = 0.5*ss_dot(s.n, s.g, s.dx) - 0.5*lambda*ss_dot(s.n, s.dx, s.dx);
      next = try_step(p, &s, x);
      if (model < 0 && next < psi) r = (next - psi)/model;
    }
    if (r < R_MIN) lambda *= LAMBDA_STEP;
    if (r > R_MAX) lambda = fmax(lambda/LAMBDA_STEP, LAMBDA_MIN);
    if (lambda > LAMBDA_MAX) return SS_LM_STUCK;
    if (!(r > 0)) continue;
    accept(&s, x);
    psi = next;
    N = NULL;
    if (p->done(p->user, x)) return SS_LM_DONE;
  }
  return SS_LM_LIMIT;
}

// ---- least squares ----

// The matrix [J; d 1] by columns. When column k is eliminated, all that is not zero are its n + 1 rows k .. n + k.
static void append(const scratch* s, double d)
{
  size_t n = (size_t)s->n;
  for (size_t j = 0; j < n; j++) {
    double* c = s->H + 2*n*j;
    for (size_t i = 0; i < n; i++) {
      c[i] = s->J[i*n + j];
      c[n + i] = i == j ? d : 0;
    }
  }
}

// v -= u (u.v) 2/(u.u), over m entries; scale = 2/(u.u)
static void reflect(int m, const double* u, double scale, double* v) { ss_axpy(m, -scale*ss_dot(m, u, v), u, v); }

// dx minimises |J dx + phi|^2 + d^2 |dx|^2, by Householder reflections; rhs has 2n entries. Spoils H.
static void least_squares(const scratch* s, double d, double* rhs)
{
  int n = s->n;
  size_t N = (size_t)n;
  append(s, d);
  for (size_t i = 0; i < N; i++) {
    rhs[i] = -s->phi[i];
    rhs[N + i] = 0;
  }
  for (size_t k = 0; k < N; k++) {
    double *u = s->H + 2*N*k + k, norm = sqrt(ss_dot(n + 1, u, u)), first = u[0];
    double alpha = first > 0 ? -norm : norm, square = norm*(norm + fabs(first));  // u.u/2 of u = c - alpha e
    if (!(norm > 0)) continue;
    u[0] = first - alpha;
    for (size_t j = k + 1; j < N; j++) reflect(n + 1, u, 1/square, s->H + 2*N*j + k);
    reflect(n + 1, u, 1/square, rhs + k);
    u[0] = alpha;
  }
  for (size_t i = N; i-- > 0;) {
    double sum = rhs[i], pivot = s->H[2*N*i + i];
    for (size_t j = i + 1; j < N; j++) sum -= s->H[2*N*j + i]*s->dx[j];
    s->dx[i] = pivot != 0 ? sum/pivot : 0;
  }
}

// ---- projected ----

static const double ENOUGH = 0.99995;  // a full step that reduces |phi| so far is taken at once [Kanzow & Petra 2005]
static const double SLOPE = 1e-4, SHORTEST = 1e-12;

static double clamp(double v, double lower, double upper) { return fmin(fmax(v, lower), upper); }

// psi at the projection of x + t dx, which goes to trial
static double try_projected(const ss_lm_problem* p, const scratch* s, const double* x, double t)
{
  for (int i = 0; i < s->n; i++) s->trial[i] = clamp(x[i] + t*s->dx[i], p->lower[i], p->upper[i]);
  return evaluate(p, s->trial, s->trial_phi);
}

// Armijo's rule along the projected path, against `reference`; the step on success, 0 on failure
static double search(const ss_lm_problem* p, const scratch* s, const double* x, double reference, double* psi)
{
  for (double t = 1; t > SHORTEST; t *= 0.5) {
    *psi = try_projected(p, s, x, t);
    double slope = 0;
    for (int i = 0; i < s->n; i++) slope += s->g[i]*(s->trial[i] - x[i]);
    if (slope < 0 && *psi <= reference + SLOPE*slope) return t;
  }
  return 0;
}

// The step of least squares, if that does not lead down the gradient; false if neither does
static bool step(const ss_lm_problem* p, const scratch* s, const double* x, double reference, double psi, double* next)
{
  *next = try_projected(p, s, x, 1);
  if (*next <= ENOUGH*ENOUGH*psi) return true;
  if (search(p, s, x, reference, next) > 0) return true;
  double size = fmax(ss_norm_inf(s->n, s->g), 1);
  for (int i = 0; i < s->n; i++) s->dx[i] = -s->g[i]/size;
  return search(p, s, x, reference, next) > 0;
}

// Largest of the values that are remembered
static double largest(int count, const double* values)
{
  double v = values[0];
  for (int i = 1; i < count && i < MEMORY; i++) v = fmax(v, values[i]);
  return v;
}

// The best iterate, and when it was found
typedef struct watch {
  double psi;
  int since;
  bool monotone;  // until the best value goes down again
} watch;

// True if the method goes back to the best iterate
static bool watchdog(const scratch* s, watch* w, double psi, double* x)
{
  if (psi < w->psi) {
    *w = (watch){.psi = psi};
    copy(s->n, x, s->best);
    return false;
  }
  if (++w->since < WATCHDOG || w->monotone) return false;
  *w = (watch){.psi = w->psi, .monotone = true};
  copy(s->n, s->best, x);
  return true;
}

// lambda goes with psi, as local convergence wants; far away it stays small [Kanzow & Petra 2005]
static double damping(double psi) { return fmin(1e-3, fmax(1e-16, 1e-6*psi)); }

ss_lm_end ss_lm_projected(const ss_lm_problem* p, int max_iter, double* work, double* x, int* used)
{
  scratch s = divide(p->n, work);
  double values[MEMORY], *rhs = s.best + p->n;  // the last two vectors
  for (int i = 0; i < p->n; i++) x[i] = clamp(x[i], p->lower[i], p->upper[i]);
  double psi = evaluate(p, x, s.phi);
  watch w = {.psi = psi};
  int count = 0;
  copy(p->n, x, s.best);
  for (int k = 0; k < max_iter && !ss_stopped(p->stop); k++) {
    if (psi < PSI_TOL) return SS_LM_ZERO;
    ++*used;
    values[count++ % MEMORY] = psi;
    linearise(p, &s, x);
    least_squares(&s, sqrt(damping(psi)), rhs);
    double next, reference = w.monotone ? psi : largest(count, values);
    if (!step(p, &s, x, reference, psi, &next)) return SS_LM_STUCK;
    accept(&s, x);
    psi = next;
    if (p->done(p->user, x)) return SS_LM_DONE;
    if (watchdog(&s, &w, psi, x)) {
      psi = evaluate(p, x, s.phi);
      count = 0;
    }
  }
  if (w.psi < psi) copy(p->n, s.best, x);
  return SS_LM_LIMIT;
}
