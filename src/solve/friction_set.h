// The sets that friction impulses come from: disks, ellipses E(disk), polygons.
#ifndef SS_SOLVE_FRICTION_SET_H
#define SS_SOLVE_FRICTION_SET_H

#include <stickslip/dissipation.h>

/// out = E v and out = E^T v, where an ellipse is E of the unit disk, E = (a1 e1, a2 e2); E = 1 for other sets and NULL
void ss_set_stretch(const ss_friction_set* set, const double v[2], double out[2]);
void ss_set_stretch_t(const ss_friction_set* set, const double v[2], double out[2]);

/// out = E^-1 v
void ss_set_shrink(const ss_friction_set* set, const double v[2], double out[2]);

/// x goes to P_rS(x), the nearest point of r S, for disks (or NULL) and polygons; r >= 0. With dx (2 x 2, row by row)
/// and dr (2), unless NULL, its derivatives by x and by r: one of them where there are several.
void ss_set_project(const ss_friction_set* set, double r, double x[2], double* dx, double* dr);

#endif
