// What the sweeps share.
#ifndef SS_MULTIBODY_DYNAMICS_H
#define SS_MULTIBODY_DYNAMICS_H

#include "multibody/tree.h"

/// work->f: the force that each body needs for the acceleration A, at its centre of mass: m (a - g) and J w' + w x J w,
/// with a = A.v + w x v. To be compiled into a function that has SS_CLONES.
SS_INLINE void ss_tree_body_forces(ss_tree_work* w, const ss_spatial* A)
{
  const ss_tree* tree = w->tree;
  ss_vec3 g = tree->gravity;
  for (int b = 0; b < tree->n_body; b++) {
    const ss_spatial* V = w->V + b;
    const ss_sym3* J = w->J + b;
    ss_vec3 a = ss_sub(ss_add(A[b].v, ss_cross(V->w, V->v)), g);
    w->f[b] = (ss_spatial){.w = ss_add(ss_sym3_mul(J, A[b].w), ss_cross(V->w, ss_sym3_mul(J, V->w))),
                           .v = ss_scale(tree->body[b].mass, a)};
  }
}

/// h -= k (q - q_s), the springs of all joints
void ss_tree_add_springs(const ss_tree_work* work, double* h);

#endif
