// What the sweeps share.
#ifndef SS_MULTIBODY_DYNAMICS_H
#define SS_MULTIBODY_DYNAMICS_H

#include "multibody/alone.h"

/// The force that a body needs for the acceleration A, at its centre of mass: m (a - g) and J w' + w x J w, with
/// a = A.v + w x v
SS_INLINE ss_spatial ss_tree_body_force(const ss_tree_work* w, int b, const ss_spatial* A)
{
  const ss_spatial* V = w->V + b;
  const ss_sym3* J = w->J + b;
  ss_vec3 a = ss_sub(ss_add(A->v, ss_cross(V->w, V->v)), w->tree->gravity);
  return (ss_spatial){.w = ss_add(ss_sym3_mul(J, A->w), ss_cross(V->w, ss_sym3_mul(J, V->w))),
                      .v = ss_scale(w->tree->body[b].mass, a)};
}

/// h -= k (q - q_s), the springs of all joints
void ss_tree_add_springs(const ss_tree_work* work, double* h);

/// Makes gyroscopic forces in h those of a time, see ss_tree_accelerate().
void ss_tree_add_spin(const ss_tree_work* work, const ss_tree_time* time, double* h);

/// du = M^-1 (tau + h), with the factors at hand. tau may be NULL: zero. Gyroscopic forces of bodies alone are those of
/// the time from now on, in which they neither give nor take energy, or implicit; NULL: of this instant.
void ss_tree_accelerate(ss_tree_work* work, const ss_tree_time* time, const double* tau, double* du);

#endif
