// How deep a convex solid is in a height field, for `stickslip verify`: columns of the field, and points of the solid.
#ifndef CLI_VERIFY_HEIGHTS_H
#define CLI_VERIFY_HEIGHTS_H

#include "verify_distance.h"

/// The deepest of sampled points of the solid below the surface, and of columns of the field inside of the solid, m;
/// 0: none. place: the frame of the field; at, reach: a ball around the solid, in the world.
double cli_field_depth(const cli_solid* place, const ss_scene_hfield* field, const cli_solid* solid,
                       const double at[3], double reach);

#endif
