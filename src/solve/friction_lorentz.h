// The Lorentz cone { a_0 >= |a_1| } for the interior point method: Jordan product and the scaling of Nesterov and Todd
// [Vandenberghe 2010].
#ifndef SS_SOLVE_FRICTION_LORENTZ_H
#define SS_SOLVE_FRICTION_LORENTZ_H

#include <math.h>
#include <stdbool.h>

// The scaling of one contact. For mu = 0 the cone is the half line: d = 1.
typedef struct ss_scaling {
  int d;
  double beta, w[3];  // W = beta [[w_0, w_1^T], [w_1, 1 + w_1 w_1^T/(w_0 + 1)]]
  double lambda[3];   // W z = W^-1 y
} ss_scaling;

static inline double ss_lorentz_inner(int d, const double* a, const double* b)
{
  double sum = 0;
  for (int i = 0; i < d; i++) sum += a[i]*b[i];
  return sum;
}

// a_0^2 - |a_1|^2, by the product that loses no digits
static inline double ss_lorentz_det(int d, const double* a)
{
  double t = 0;
  for (int i = 1; i < d; i++) t += a[i]*a[i];
  t = sqrt(t);
  return (a[0] - t)*(a[0] + t);
}

// out = W x, or W^-1 x
static inline void ss_lorentz_scale(const ss_scaling* s, bool inverse, const double* x, double* out)
{
  double sign = inverse ? -1 : 1, factor = inverse ? 1/s->beta : s->beta, wx = 0;
  for (int i = 1; i < s->d; i++) wx += sign*s->w[i]*x[i];
  double first = x[0];
  out[0] = factor*(s->w[0]*first + wx);
  for (int i = 1; i < s->d; i++) out[i] = factor*(x[i] + sign*s->w[i]*(first + wx/(s->w[0] + 1)));
}

static inline bool ss_lorentz_scaling(int d, const double* z, const double* y, ss_scaling* s)
{
  double dz = ss_lorentz_det(d, z), dy = ss_lorentz_det(d, y);
  s->d = d;
  if (!(dz > 0) || !(dy > 0) || !(z[0] > 0) || !(y[0] > 0)) return false;
  double rz = 1/sqrt(dz), ry = 1/sqrt(dy);
  double gamma = sqrt(0.5*(1 + rz*ry*ss_lorentz_inner(d, z, y)));
  s->beta = sqrt(sqrt(dy/dz));
  for (int i = 0; i < d; i++) s->w[i] = (ry*y[i] + (i ? -1 : 1)*rz*z[i])/(2*gamma);
  ss_lorentz_scale(s, false, z, s->lambda);
  return isfinite(s->beta) && isfinite(s->lambda[0]);
}

// P = (W^2 + delta)^-1 from the eigenvectors of W: (1, +-w_1/|w_1|) and what is orthogonal to them
static inline void ss_lorentz_inverse_square(const ss_scaling* s, double delta, double P[9])
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

// W^2 = beta^2 (2 w w^T - diag(1, -1, -1))
static inline void ss_lorentz_square(const ss_scaling* s, double A[9])
{
  for (int i = 0; i < s->d; i++)
    for (int j = 0; j < s->d; j++)
      A[i*s->d + j] = s->beta*s->beta*(2*s->w[i]*s->w[j] + (i == j ? (i ? 1 : -1) : 0));
}

// lambda o out = r
static inline void ss_lorentz_divide(const ss_scaling* s, const double* r, double* out)
{
  const double* l = s->lambda;
  double sum = l[0]*r[0];
  for (int i = 1; i < s->d; i++) sum -= l[i]*r[i];
  double first = sum/ss_lorentz_det(s->d, l);
  for (int i = 1; i < s->d; i++) out[i] = (r[i] - first*l[i])/l[0];
  out[0] = first;
}

// Largest step along dx that stays in the cone
static inline double ss_lorentz_room(int d, const double* x, const double* dx)
{
  double a = dx[0]*dx[0], h = x[0]*dx[0], c = ss_lorentz_det(d, x), best = dx[0] < 0 ? -x[0]/dx[0] : 1e10;
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

// c = lambda^-1 o (target e - lambda o lambda - (W dz) o (W^-1 dy)); the last term only with `second`
static inline void ss_lorentz_target(const ss_scaling* w, double target, bool second, const double* dz,
                                     const double* dy, double c[3])
{
  double r[3] = {0}, a[3] = {0}, b[3] = {0};
  int d = w->d;
  r[0] = target - ss_lorentz_inner(d, w->lambda, w->lambda);
  for (int i = 1; i < d; i++) r[i] = -2*w->lambda[0]*w->lambda[i];
  if (second) {
    ss_lorentz_scale(w, false, dz, a);
    ss_lorentz_scale(w, true, dy, b);
    r[0] -= ss_lorentz_inner(d, a, b);
    for (int i = 1; i < d; i++) r[i] -= a[0]*b[i] + b[0]*a[i];
  }
  ss_lorentz_divide(w, r, c);
}

#endif
