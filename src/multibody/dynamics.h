// What the sweeps share.
#ifndef SS_MULTIBODY_DYNAMICS_H
#define SS_MULTIBODY_DYNAMICS_H

#include <stickslip/system.h>

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

/// Makes gyroscopic forces of bodies alone in h those of a time, see ss_tree_accelerate().
void ss_tree_add_spin(const ss_tree_work* work, const ss_tree_time* time, double* h);

/// The same of trees that turn. tau: what h has of forces from outside the tree. Needs the factors.
/// The velocity that is set may be another one then.
void ss_tree_add_turning(ss_tree_work* work, const ss_tree_time* time, const double* tau, double* h);

/// work->h = tau - damping - springs; tau NULL: zero
void ss_tree_apply(ss_tree_work* work, const double* tau);

/// du = M^-1 (tau + h), with the factors at hand. tau may be NULL: zero. Gyroscopic forces are those of the time from
/// now on, in which they neither give nor take energy, or implicit (of bodies alone); NULL: of this instant.
/// True: the velocity that is set is another one then.
bool ss_tree_accelerate(ss_tree_work* work, const ss_tree_time* time, const double* tau, double* du);

/// du = M^-1 (x - c), no springs, no dampers, and gyroscopic forces of trees at this instant
void ss_tree_accelerate_by(ss_tree_work* work, const ss_tree_time* time, const double* x, double* du);

/// Makes du of trees that turn fast the mean acceleration over a time, in which c neither gives nor takes energy
/// (turning.c). work->h has the forces that are not c or gravity. True if there are any: the velocity that is set is
/// another one then.
bool ss_tree_turn(ss_tree_work* work, const ss_tree_time* time, double* du);

/// A step in two stages, in both of which the velocity of its middle is set: D_a, D_e (nv) are what all forces change
/// it by from the start to the middle, and from there to the end. alpha (4 n_turn): what part of the velocity, against
/// the centre of mass, is to be taken from both, so that c does no work, and what velocity of that of a tree that hangs
/// on nothing. False if there is no such part, or it is not small.
bool ss_tree_balance(ss_tree_work* a, ss_tree_work* e, double dt, const double* D_a, const double* D_e, double* alpha);
/// x -= that, with the velocity that is set
void ss_tree_lean(ss_tree_work* work, const double* alpha, double* x);
/// Whether c matters in a step: some tree turns, and dampers (nv, N s/m or N m s/rad) take little of its energy
bool ss_tree_turns(ss_tree_work* work, double dt, const double* damper);

/// Whether a body of a tree could turn so far within dt that an implicit step makes no sense. bound (n_body): scratch
bool ss_tree_turns_far(const ss_tree* tree, const double* u, double dt, double* bound);

/// T and V, *whole as ss_tree_kinetic() and ss_tree_potential() have them, and added to the parts that bodies (n_body
/// of the definition; -1: none) and velocities belong to
void ss_tree_energies(const ss_tree_work* work, const int* body_part, const int* velocity_part, ss_energy* whole,
                      ss_energy* part);

/// The magnitudes of the terms of V, added to the parts (part NULL: to the first)
void ss_tree_potential_size(const ss_tree_work* work, const int* body_part, const int* velocity_part, double* part);

/// Which trees can turn
void ss_tree_find_turning(ss_tree* tree);

#endif
