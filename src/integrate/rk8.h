// One step of the Runge-Kutta method of order 8 by Dormand and Prince, for  y' = f(t, y),  z' = g(t, y).
#ifndef SS_INTEGRATE_RK8_H
#define SS_INTEGRATE_RK8_H

#include <stickslip/base.h>

#define SS_RK8_STAGES 12

/// The right-hand side: dy (n) and dz (nz) one after the other. A negative status ends the step.
typedef ss_status (*ss_rk8_function)(void* user, double t, const double* y, double* dy);

/// Sizes, memory, function.
typedef struct ss_rk8 {
  int n;          ///< components of y
  int nz;         ///< quadratures z, on which the right-hand side does not depend
  int n_checked;  ///< components of (y, z), from the first, whose errors count
  double* k;      ///< stages x (n + nz): derivatives; the first row is f at the start of the step, given by the caller
  double* stage;  ///< n
  ss_rk8_function f;
  void* user;
} ss_rk8;

/// One step of size h from (t, y): y1 (n) at its end, dz (nz) the growth of the quadratures. Nothing else is kept, so
/// that steps of any other size can be tried from the same start.
ss_status ss_rk8_step(const ss_rk8* rk, double t, double h, const double* y, double* y1, double* dz);

/// The error of the step just done relative to scale (n_checked): at most 1 if it is to be accepted.
double ss_rk8_error(const ss_rk8* rk, double h, const double* scale);

/// out (n): the difference of the step just done from that of order 5, component by component.
void ss_rk8_difference(const ss_rk8* rk, double h, double* out);

/// Where in a step its stages lie, 0 .. 1, and the order of their numbers in time. The first and the last are its ends.
extern const double ss_rk8_at[SS_RK8_STAGES];
extern const int ss_rk8_in_time[SS_RK8_STAGES];

/// The integral over a step of size h of a function with these values at its stages, and its difference from those of
/// order 5 and 3 (a third of it), one of which can vanish by chance.
double ss_rk8_integral(double h, const double f[SS_RK8_STAGES]);
double ss_rk8_integral_error(double h, const double f[SS_RK8_STAGES]);

#endif
