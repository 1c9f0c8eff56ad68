// What round-off of impulses leaves of a contact problem.
#ifndef SS_CONTACT_ROUND_OFF_H
#define SS_CONTACT_ROUND_OFF_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "math/worst.h"

/// Of xi = G Lambda + b (m rows), in the units of ss_contact_residual(): impulses that are doubles cannot be told to
/// solve the problem any better. A light body between heavy ones has velocities that are small differences: with 1e-6
/// of their mass they are known to some 1e-10 of b.
static inline double ss_contact_round_off(int m, const double* G, const double* b, const double* Lambda)
{
  double worst = 0, reference = 0, size = 0;
  for (int r = 0; r < m; r++) size = ss_worse(size, fabs(b[r]));
  double unit = ss_unit_of(size);
  for (int r = 0; r < m; r++) {
    const double* row = G + (size_t)r*(size_t)m;
    double g = row[r], terms = fabs(b[r]);
    if (!(g > 0)) continue;
    for (int j = 0; j < m; j++) terms += fabs(row[j]*Lambda[j]);
    worst = ss_worse(worst, terms*unit/sqrt(g));
    reference = ss_worse(reference, fabs(b[r])*unit/sqrt(g));
  }
  return reference > 0 ? 4*DBL_EPSILON*worst/reference : 0;  // of impulses, products, sums, and of pivots
}

/// Whether a residual is within tol, or within what round-off leaves. Below 4 epsilon tol is taken at its word.
static inline bool ss_contact_within(double residual, double tol, int m, const double* G, const double* b,
                                     const double* Lambda)
{
  return residual <= tol || (tol >= 4*DBL_EPSILON && residual <= ss_contact_round_off(m, G, b, Lambda));
}

#endif
