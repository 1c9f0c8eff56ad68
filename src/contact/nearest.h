// The admissible point of a plane that is nearest to the origin.
#ifndef SS_CONTACT_NEAREST_H
#define SS_CONTACT_NEAREST_H

#include <stickslip/base.h>

/// Which values some unknowns may have that follow one another
typedef struct ss_near_set {
  enum { SS_FROM, SS_CONE, SS_DISK } shape;  ///< x >= low;  x_0 >= 0, |(x_1, ..)| <= mu x_0 + bound;  |x| <= bound
  int first, count;
  double low, mu, bound;
} ss_near_set;

/// min |x|^2/2 with R x = g, R (rank x n) with orthonormal rows, and x in k sets that cover all unknowns. False, and x
/// is left alone, if no such x is found or the arena is full (ss_nearest_size()). z (n; may be NULL) gets the point
/// that x is the projection of; with `warm` the search begins there, which is that of a problem nearby.
bool ss_nearest(int rank, int n, const double* R, const double* g, int k, const ss_near_set* set, bool warm,
                ss_arena* arena, double* z, double* x);
size_t ss_nearest_size(int n);

#endif
