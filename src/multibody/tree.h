// A tree made ready, and what follows from a position and a velocity.
//
// Frames. Inside, every body is kept in its principal frame: origin at the centre of mass, axes along the principal
// axes of inertia. All spatial quantities are in world axes, at the centre of mass of their body. Then a body's own
// inertia is (J, m) with no coupling, going from body to body is a shift by one vector and needs no rotation of 6 x 6
// matrices, and numbers stay of the size of a body however long the tree is (a common point would lose digits with the
// distance).
//
// Body 0 is the world: the recursions need no special case at the root. Public body numbers are one less.
#ifndef SS_MULTIBODY_TREE_H
#define SS_MULTIBODY_TREE_H

#include <stickslip/tree.h>
#include "math/spatial.h"

/// A hinge, a slide or a ball; a free joint is three slides and a ball.
typedef struct ss_tree_joint {
  ss_joint_kind kind;
  int source;      ///< joint of the definition
  int iq, iv, nv;  ///< where its numbers begin in q and u, and how many there are in u
  double ref;      ///
  ss_vec3 axis;    ///< in the body frame, length one
  ss_vec3 anchor;  ///< in the body frame
} ss_tree_joint;

/// A body that hangs by one hinge, the usual kind: all constants of its kinematics multiplied out.
typedef struct ss_tree_hinge {
  ss_quat cosine, sine;  ///< turn from the parent's principal frame: cos(angle/2) cosine + sin(angle/2) sine
  ss_vec3 to_anchor;     ///< from the parent's centre of mass to the anchor, in the parent's principal frame
  ss_vec3 from_anchor;   ///< from the anchor to the centre of mass, in the principal frame
  ss_vec3 axis;          ///< in the principal frame
} ss_tree_hinge;

typedef struct ss_tree_body {
  int parent;
  int joint, n_joint;  ///< its joints
  int iv, nv;          ///< its velocities
  bool is_hinge;       ///< exactly one joint, a hinge
  bool massless;       ///< neither mass nor inertia
  bool gathers;        ///< has a child that is not the body behind it
  bool alone;          ///< free to move, with no other body in its tree and no armature (alone.h)
  double mass_root;    ///< alone: 1/sqrt(mass)
  ss_vec3 inertia_root;  ///< alone: 1/sqrt(principal)
  double mass;         ///
  ss_vec3 principal;   ///< principal moments of inertia
  ss_vec3 position;    ///< body frame before its joints in the parent's principal frame
  ss_quat rotation;    ///< likewise
  ss_vec3 com;         ///< centre of mass in the body frame
  ss_quat axes;        ///< principal axes in the body frame
  ss_vec3 origin;      ///< origin of the body frame in the principal frame
  ss_tree_hinge hinge; ///< if is_hinge
} ss_tree_body;

/// A kinematic tree of more than one body that is alone (turning.c)
typedef struct ss_turn_tree {
  bool turns;      ///< c(q, u) can be there
  int velocities;  ///
  int free_from;   ///< the first of its velocities if it hangs on nothing, else -1
  double mass;     ///
} ss_turn_tree;

/// Its motion in a step
typedef struct ss_turn {
  double angle;          ///< how far its fastest body turns in the step, rad
  bool fast;             ///< so far that T must be looked after
  ss_vec3 P;             ///< velocity of the centre of mass; zero if it hangs on something
  double T;              ///< kinetic energy against that, J
  double power, size;    ///< u . c and u . M u likewise
  double kept;           ///< the size that stays
  ss_vec3 P_start;       ///< P at the start of the step
  double T_start;        ///< T likewise
  double T_here;         ///< T with u_1 at the position of the step
  double s, F, dF;       ///< size of u_E that is tried, by how much the energy is off, J, and its derivative by log s
  double terms;          ///< of the terms that F is made of
  ss_vec3 Q;             ///< of a change of velocity D: what the centre of mass has of it
  ss_vec3 centre;        ///< the acceleration that it has without u'
  double mixed, change;  ///< u . M D and the energy of D, likewise
  double s_last, F_last; ///< likewise, the one before
  double low, high;      ///< s that are too small, too large
  bool done;             ///
} ss_turn;

struct ss_tree {
  int n_body;             ///< with the world
  int n_joint, nq, nv;    ///< n_joint: hinges, slides and balls
  ss_vec3 gravity;        ///
  ss_tree_body* body;     ///< n_body
  ss_tree_joint* joint;   ///< n_joint
  int* body_of;           ///< nv: the body that a velocity moves
  int* parent_of;         ///< nv: the velocity before it on the way to the root, -1 if there is none
  int* depth;             ///< nv: how many there are before it
  int* joint_of;          ///< nv: joint of the definition
  double* armature;       ///< nv
  double* damping;        ///< nv
  int n_spring;           ///
  int* spring;            ///< n_spring: joints that have one
  int n_gather;           ///
  int* gather;            ///< n_gather: bodies that gather, the world among them
  int n_massless;         ///
  int* massless;          ///< n_massless: bodies without mass, the world among them
  bool can_turn;          ///< some tree does
  int n_turn;             ///< kinematic trees that are not bodies alone
  int* turn_of;           ///< n_body: the one that a body belongs to, -1: none
  ss_turn_tree* turn;     ///< n_turn
  int n_hinge;            ///< bodies that hang by one hinge; in their order:
  int* hinge_iq;          ///< n_hinge: where the angle is in q
  double* hinge_ref;      ///< n_hinge: angle of the reference pose
  ss_tree_def def;        ///< copies
  int* joint_iq;          ///< def.n_joint
  int* joint_iv;          ///< def.n_joint
  int* joint_head;        ///< n_body: used while joints are sorted
  char* names;            ///< of the definition
  ss_body_def* body_defs;
  ss_joint_def* joint_defs;
  ss_arena* arena;        ///< holds all of this
};

struct ss_tree_work {
  const ss_tree* tree;
  // position
  double* q;             ///< nq
  double* half;          ///< n_hinge + 3: half angles of the bodies that hang by one hinge
  double *sine, *cosine; ///< n_hinge + 3: of these
  ss_quat* rotation;     ///< n_body, of the principal frames; of length one but for round-off
  ss_mat3* R;            ///< n_body, the same, orthogonal
  ss_vec3* com;          ///< n_body
  ss_vec3* d;            ///< n_body, from the parent's centre of mass
  ss_sym3* J;            ///< n_body, inertia about the centre of mass
  ss_spatial* S;         ///< nv: motion of the body per unit of velocity
  // velocity
  double* u;             ///< nv
  ss_spatial* V;         ///< n_body: velocities
  ss_spatial* A;         ///< n_body: accelerations if u' = 0, in the sense of spatial vectors
  // articulated bodies
  ss_spatial_matrix* I;  ///< n_body: what bodies that gather have gathered
  double* rotor;         ///< nv: armature and what ss_tree_set_implicit() adds to it
  double* D_inv;         ///< nv: 1/(S . I S + rotor)
  bool has_alone;        ///< K and D_inv of bodies alone are there
  ss_spatial* K;         ///< nv: I S/D, for the first velocity of a body at the parent's centre of mass
  double (*size)[2];     ///< n_body: of rotational and translational inertia that a massless body carries
  int singular;          ///< joint of the definition, or -1
  // scratch
  ss_spatial* f;         ///< n_body
  ss_spatial* a;         ///< n_body; that of the world stays zero
  ss_spatial* T;         ///< n_body: velocities for any v; that of the world stays zero
  double* e;             ///< nv
  double* x;             ///< nv
  double* h;             ///< nv
  ss_turn* turn;         ///< n_turn
  double* room;          ///< 6 nv, if the tree can turn
  struct ss_tree_work* aside;  ///< to look at other positions with, if the tree can turn
  ss_arena* arena;
};

/// Where the origin of a body's frame is
static inline ss_vec3 ss_tree_origin(const ss_tree_work* work, int body)
{
  return ss_add(work->com[body + 1], ss_mul(work->R + body + 1, work->tree->body[body + 1].origin));
}

#endif
