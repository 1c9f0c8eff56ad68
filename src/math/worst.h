// What residuals share: the largest of violations, none of which may be lost, in units that do not overflow or vanish.
#ifndef SS_MATH_WORST_H
#define SS_MATH_WORST_H

#include <math.h>
#include <stdbool.h>

/// The larger of two, or NaN if one of them is: a violation that cannot be computed is not to be lost
static inline double ss_worse(double a, double b) { return !(b <= a) && a == a ? b : a; }

/// A power of two that brings `size` next to 1: squares of what is compared with it stay in the range of a double
static inline double ss_unit_of(double size)
{
  int e = 0;
  if (size > 0 && isfinite(size)) frexp(size, &e);
  return ldexp(1, e > 1022 ? -1022 : e < -1022 ? 1022 : -e);
}

/// Whether all of n numbers are finite
static inline bool ss_finite(int n, const double* x)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += 0*x[i];
  return sum == 0;
}

#endif
