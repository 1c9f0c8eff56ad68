// Bodies in a global problem.
#ifndef SS_SOLVE_FRICTION_BODIES_H
#define SS_SOLVE_FRICTION_BODIES_H

#include "solve/friction_space.h"

/// Finds the structure of J = H^T L^-T by blocks and bodies: layout, body, n_body, start, col, room for value, and what
/// the numbers pass through. False if memory is short, or if M cannot be one of bodies (6 rows each, 3 in the plane).
bool ss_friction_find_bodies(ss_friction_space* s, const ss_friction_problem* problem);
void ss_friction_forget_bodies(ss_friction_space* s);

/// J and b of a problem with this structure. False, and neither is changed, if a body's mass is not symmetric positive
/// definite or M couples bodies.
bool ss_friction_fill_bodies(ss_friction_space* s, const ss_friction_problem* problem);

#endif
