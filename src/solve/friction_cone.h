// The impulses that one contact may have, K = { Lambda_N >= 0, |Lambda_T| <= mu Lambda_N + bound }: the friction cone
// where bound is 0, a disk where there is no normal row.
#ifndef SS_SOLVE_FRICTION_CONE_H
#define SS_SOLVE_FRICTION_CONE_H

#include <math.h>
#include <stdbool.h>

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
  double n = (x[0] + mu*(t - bound))/(1 + mu*mu);                  // onto the side of the cone, or below its end
  x[0] = n < 0 ? 0 : n;  // NaN stays NaN
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

/// |Lambda - P_K(Lambda - rho xi^)|/rho with xi^ = xi + mu|xi_T| e_N: the violation of the law as a velocity
static inline double ss_contact_violation(int dim, double mu, double bound, double rho, const double* Lambda,
                                          const double* xi)
{
  double x[3], sum = 0;
  for (int c = 0; c < dim; c++) x[c] = Lambda[c] - rho*xi[c];
  x[0] -= rho*mu*ss_tangential(dim, xi);
  ss_project_cone(dim, mu, bound, x);
  for (int c = 0; c < dim; c++) sum += (Lambda[c] - x[c])*(Lambda[c] - x[c]);
  return sqrt(sum)/rho;
}

/// The exact solution of one contact alone, 0 <= G Lambda + q etc. with G dim x dim; *alpha is the sliding number
/// xi_T = -alpha Lambda_T, start value on entry and kept for the next time. Lambda is unchanged and false if there is
/// none to be found, as where G_NN is not positive.
bool ss_solve_one_contact(int dim, const double* G, const double* q, double mu, double bound, double* alpha,
                          double* Lambda);

#endif
