// What Newton's method makes of one contact: K and Lambda0 of the step Lambda+ = Lambda0 - K xi+.
// The projection form of the law [Alart & Curnier 1991], with two different constants: rho = 1/trace G_ii decides the
// state of the contact, R regularises. With x = Lambda - rho xi:
//   N       open  x_N <= 0           K_N = 0,        Lambda0_N = 0
//           closed                   K_N = R e_N^T,  Lambda0_N = Lambda_N
//   T       stick |x_T| <= limit     K_T = R,        Lambda0_T = Lambda_T
//           slip  t = x_T/|x_T|      K_T = mu t K_N + k_c (1 - t t^T),  beta = limit/|x_T|,
//                                    k_c = 1/(1/R + (1 - beta)/(beta rho)),
//                                    Lambda0_T = (mu Lambda0_N + bound) t + k_c/R (1 - t t^T) Lambda_T
// where limit = mu x_N + bound, bound alone if open.
#ifndef SS_SOLVE_FRICTION_LINEAR_H
#define SS_SOLVE_FRICTION_LINEAR_H

#include "solve/friction_cone.h"

// Tangential rows of K and Lambda0; K_N and Lambda0_N are there
static inline void ss_linearise_slip(int dim, double mu, double bound, double rho, double R, const double* x,
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

/// K (dim x dim, row by row) is zero on entry
static inline void ss_linearise_contact(int dim, double mu, double bound, double rho, double R, const double* Lambda,
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
  else if (closed || bound > 0) ss_linearise_slip(dim, mu, bound, rho, R, x, Lambda, K, Lambda0);
  else
    for (int i = 1; i < dim; i++) Lambda0[i] = 0;
}

#endif
