// The impulses that one contact may have, K = { Lambda_N >= 0, |Lambda_T| <= mu Lambda_N + bound }: the friction cone
// where bound is 0, a disk where there is no normal row.
#ifndef SS_SOLVE_FRICTION_CONE_H
#define SS_SOLVE_FRICTION_CONE_H

#include "math/worst.h"

/// Without the library call that fmax() and fmin() are
static inline double ss_larger(double a, double b) { return a > b ? a : b; }
static inline double ss_smaller(double a, double b) { return a < b ? a : b; }

/// Length of the tangential part of a contact's rows
static inline double ss_tangential(int dim, const double* x)
{
  return dim == 2 ? fabs(x[1]) : sqrt(x[1]*x[1] + x[2]*x[2]);
}

/// Euclidean projection of x onto { x_N >= 0, |x_T| <= mu x_N + bound }
static inline void ss_project_cone(int dim, double mu, double bound, double* x)
{
  double t = ss_tangential(dim, x);
  if (x[0] >= 0 && t <= mu*x[0] + bound) return;                   // inside
  double n = mu > 1 ? (x[0]/mu + (t - bound))/(mu + 1/mu) : (x[0] + mu*(t - bound))/(1 + mu*mu);  // onto the side, ...
  x[0] = n < 0 ? 0 : n;  // ... or below its end. NaN stays NaN
  double limit = mu*x[0] + bound;
  if (t > limit)
    for (int c = 1; c < dim; c++) x[c] *= limit/t;
}

/// The nearest impulse of that set with the same normal part, or with none if that is negative
static inline void ss_clip_to_disk(int dim, double mu, double bound, double* x)
{
  if (x[0] < 0) x[0] = 0;
  double t = ss_tangential(dim, x), limit = mu*x[0] + bound;
  if (t > limit)
    for (int c = 1; c < dim; c++) x[c] *= limit/t;
}

/// The violation of the law by one contact as a velocity: with L = g Lambda, g = trace G_ii, the largest of
///   |L - P_K(L - xi^)|,   xi^ = xi + mu|xi_T| e_N,   K = { L_N >= 0, |L_T| <= mu L_N + g bound }
///   |min(L_N, xi_N)|,     |L_T - P_r(L_T - xi_T)|,   P_r onto the disk with the radius r = mu max(L_N, 0) + g bound.
/// The first alone shrinks like 1/sqrt(1 + mu^2): for a large mu it does not see that xi_N < 0. All numbers are taken
/// times `unit`, a power of two. NaN if one of them is not finite; mu may be as large as it likes.
static inline double ss_contact_violation(int dim, double mu, double bound, double g, double unit,
                                          const double* Lambda, const double* xi)
{
  double L[3] = {0}, v[3] = {0}, x[3] = {0}, b = g*bound*unit;
  for (int c = 0; c < dim; c++) {
    L[c] = g*Lambda[c]*unit;
    v[c] = xi[c]*unit;
    x[c] = L[c] - v[c];
  }
  double s = ss_tangential(dim, v), t = ss_tangential(dim, x);
  if (0*(L[0] + v[0] + s + t) != 0) return NAN;
  double raised = x[0] - mu*s, n = raised, part = 1;  // of P_K: its normal part, and what remains of x_T
  if (!(raised >= 0 && t <= mu*raised + b)) {
    n = mu > 1 ? (x[0]/mu + (t - b - s))/(mu + 1/mu) : (x[0] + mu*(t - b - s))/(1 + mu*mu);
    n = ss_larger(n, 0);
    part = t > mu*n + b ? (mu*n + b)/t : 1;
  }
  double radius = mu*ss_larger(L[0], 0) + b, share = t > radius ? radius/t : 1;
  double normal = ss_smaller(L[0], v[0]), disk = 0, map = (L[0] - n)*(L[0] - n);
  for (int c = 1; c < dim; c++) {
    map += (L[c] - part*x[c])*(L[c] - part*x[c]);
    disk += (L[c] - share*x[c])*(L[c] - share*x[c]);
  }
  return sqrt(ss_larger(ss_larger(map, normal*normal), disk));
}

/// The exact solution of one contact alone, 0 <= G Lambda + q etc. with G dim x dim; *alpha is the sliding number
/// xi_T = -alpha Lambda_T, start value on entry and kept for the next time. Lambda is unchanged and false if there is
/// none to be found, as where G_NN is not positive.
bool ss_solve_one_contact(int dim, const double* G, const double* q, double mu, double bound, double* alpha,
                          double* Lambda);

#endif
