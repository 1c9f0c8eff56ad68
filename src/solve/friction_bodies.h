// Bodies in a global problem.
#ifndef SS_SOLVE_FRICTION_BODIES_H
#define SS_SOLVE_FRICTION_BODIES_H

#include "solve/friction_space.h"

/// If M couples only the rows of one body (6, or 3 in the plane) and is symmetric positive definite: fills body,
/// n_body, start, col, value with J = H^T L^-T by contacts and bodies, and b. False, and nothing is changed, otherwise.
bool ss_friction_use_bodies(ss_friction_space* s, const ss_friction_problem* problem);

#endif
