// Trees of rigid bodies in minimal coordinates:  M(q) u' + c(q, u) = tau,  with recursions of cost O(n). Bodies hang
// by joints on other bodies or on the world; loops are closed by nodes (see ss_tree_node). SI units, radians,
// quaternions w first. Where quaternions appear q is longer than u. Equations and sources: docs/multibody.md.
// NULL is refused by those that create or check (ss_tree_create, ss_tree_work_create, ss_tree_mass_create, ...) and
// taken by those that destroy; the recursions do not look, and crash.
#ifndef STICKSLIP_TREE_H
#define STICKSLIP_TREE_H

#include <stickslip/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The body number of the world.
#define SS_WORLD (-1)

/// How a joint moves. In brackets: numbers in q, numbers in u.
typedef enum ss_joint_kind {
  SS_JOINT_HINGE,  ///< turns about the axis (1, 1): angle, rad
  SS_JOINT_SLIDE,  ///< moves along the axis (1, 1): distance, m
  SS_JOINT_BALL,   ///< turns about the anchor (4, 3): quaternion; angular velocity in the frame after the joint
  SS_JOINT_FREE,   ///< moves freely in the world (7, 6): position and quaternion of the body frame; velocity of its
                   ///< origin in world axes, angular velocity in body axes. Alone on a body that hangs on the world.
  SS_JOINT_FIXED,  ///< does not move (0, 0): the same as no joint
} ss_joint_kind;

/// Zero-initialise, then fill. A body may have several joints: the first one listed is next to the parent, and moves
/// the axes and anchors of those that follow.
typedef struct ss_joint_def {
  const char* name;       ///< shown in messages; may be NULL
  ss_joint_kind kind;     ///
  int body;               ///< the body that it moves
  double axis[3];         ///< hinge, slide: in the body frame at q = ref; any length but zero
  double anchor[3];       ///< hinge, ball: point on the axis in the body frame, m
  double ref;             ///< hinge, slide: the coordinate of the pose given by the body's position and rotation
  double stiffness;       ///< spring, N/m or N m/rad, >= 0; not for free joints
  double springref;       ///< hinge, slide: coordinate where the spring is at ease; a ball joint's: no rotation
  double damping;         ///< force per velocity on each of its numbers in u, N s/m or N m s/rad, >= 0
  double armature;        ///< rotor inertia, added to the diagonal of M, kg or kg m^2, >= 0
  double friction;        ///< dry friction force or moment, N or N m, >= 0; kept for the contact problem
  bool limited;           ///< range holds
  double range[2];        ///< hinge, slide: least and greatest coordinate; ball: 0 and the greatest angle
} ss_joint_def;

/// Zero-initialise, then fill. A zero rotation is no rotation.
typedef struct ss_body_def {
  const char* name;     ///< shown in messages; may be NULL
  int parent;           ///< a body listed before, or SS_WORLD
  double position[3];   ///< of the body frame in the parent's, m
  double rotation[4];   ///< likewise, quaternion; any length
  double mass;          ///< kg, >= 0
  double com[3];        ///< centre of mass in the body frame, m
  double inertia[6];    ///< about the centre of mass in body axes, kg m^2: entries xx, yy, zz, xy, xz, yz
} ss_body_def;

/// A tree. Plain data, owned by whoever made it.
typedef struct ss_tree_def {
  int n_body;
  const ss_body_def* body;    ///< n_body, parents first
  int n_joint;
  const ss_joint_def* joint;  ///< n_joint; the order of those of one body matters
  double gravity[3];          ///< m/s^2, e.g. {0, 0, -9.81}
} ss_tree_def;

/// A tree made ready: constant, threads can share it.
typedef struct ss_tree ss_tree;

/// Checks and copies the definition. NULL and *error (may be NULL) if it is not valid: the text names body or joint.
SS_API ss_tree* ss_tree_create(const ss_tree_def* def, ss_error* error);
SS_API void ss_tree_destroy(ss_tree* tree);  ///< NULL is fine

/// The definition as the tree keeps it, quaternions and axes of length one, names never NULL.
SS_API const ss_tree_def* ss_tree_get(const ss_tree* tree);
SS_API int ss_tree_nq(const ss_tree* tree);                         ///< numbers in q
SS_API int ss_tree_nv(const ss_tree* tree);                         ///< numbers in u: degrees of freedom
SS_API int ss_joint_velocities(ss_joint_kind kind);                  ///< numbers in u of a joint of this kind
SS_API void ss_tree_joint_at(const ss_tree* tree, int joint, int* iq, int* iv);  ///< where its numbers begin
SS_API void ss_tree_reference(const ss_tree* tree, double* q);      ///< nq: the pose of the definition

// ---- along q -------------------------------------------------------------------------------------------------------

/// q_out = q moved for dt with the constant velocity u; turns are exact (exponential map), quaternions of length one.
/// q_out may be q.
SS_API void ss_tree_advance(const ss_tree* tree, const double* q, const double* u, double dt, double* q_out);

/// dq (nq) = q' where the velocity is u; that of a quaternion of any length is across it. size (nq; may be NULL): the
/// sum of the magnitudes of the terms.
SS_API void ss_tree_rate(const ss_tree* tree, const double* q, const double* u, double* dq, double* size);

/// du (nv): the velocity that leads from q0 to q1 in unit time, the inverse of ss_tree_advance(); turns up to pi.
SS_API void ss_tree_difference(const ss_tree* tree, const double* q0, const double* q1, double* du);

// ---- at a position and a velocity ----------------------------------------------------------------------------------

/// Everything that follows from q and u. One per thread; nothing is allocated after its creation.
typedef struct ss_tree_work ss_tree_work;

SS_API ss_tree_work* ss_tree_work_create(const ss_tree* tree, ss_error* error);  ///< the tree must outlive it
SS_API void ss_tree_work_destroy(ss_tree_work* work);                            ///< NULL is fine

/// Poses of all bodies, and what depends on them alone. Everything else comes after this. q: nq, kept by value where it
/// is needed; quaternions of any length but zero.
SS_API void ss_tree_set_position(ss_tree_work* work, const double* q);

/// Velocities of all bodies, and their accelerations if u' = 0. Comes after the position.
SS_API void ss_tree_set_velocity(ss_tree_work* work, const double* u);

/// c (nv): gyroscopic forces and gravity, so that M u' + c = tau. Recursive Newton-Euler.
SS_API void ss_tree_bias(ss_tree_work* work, double* c);

/// h (nv): all finite forces of the tree, springs and dampers - c, so that M u' = h + tau.
SS_API void ss_tree_force(ss_tree_work* work, double* h);

/// tau = M u' + c for the accelerations du (nv). Inverse dynamics without springs and dampers.
SS_API void ss_tree_inverse(ss_tree_work* work, const double* du, double* tau);

/// Articulated-body inertias: the factors of M, without M. SS_ERR_NUMERIC if M is singular here (a joint that moves no
/// mass); ss_tree_singular() then names the joint. Comes after the position, before the three that follow.
SS_API ss_status ss_tree_factor(ss_tree_work* work);

/// From the next ss_tree_factor() on its factors, and all that is made of them, have these nv numbers on the diagonal
/// of M, too; NULL: none, as at first. For forces that are linear in the velocity at the end of a step. Inverse
/// dynamics, energies and ss_tree_mass are those of M without. SS_ERR_ARGUMENT, and nothing changes, if a number is
/// negative or not finite, or not zero for a body that moves freely with nothing that hangs on it, no armature and no
/// damper.
SS_API ss_status ss_tree_set_implicit(ss_tree_work* work, const double* added);
SS_API int ss_tree_singular(const ss_tree_work* work);  ///< the joint that made ss_tree_factor() fail; -1 if none did

/// y = M^-1 x in O(n). y may be x.
SS_API void ss_tree_solve(ss_tree_work* work, const double* x, double* y);

/// du = M^-1 (tau + h): forward dynamics at the position and velocity set; factors M. tau may be NULL: zero.
SS_API ss_status ss_tree_forward(ss_tree_work* work, const double* tau, double* du);

/// Energies, J. Kinetic energy includes armatures; potential energy is that of gravity and springs.
SS_API double ss_tree_kinetic(const ss_tree_work* work);
SS_API double ss_tree_potential(const ss_tree_work* work);

/// Centre of mass; mass in kg is returned, point (may be NULL) in m.
SS_API double ss_tree_com(const ss_tree_work* work, double point[3]);
/// Momentum, and moment of momentum about the origin of the world. Without armatures.
SS_API void ss_tree_momentum(const ss_tree_work* work, double linear[3], double angular[3]);

/// Position (3), rotation (quaternion, 4) and the same as a matrix (row by row, 9) of the body frame. Any may be NULL.
SS_API void ss_tree_pose(const ss_tree_work* work, int body, double* position, double* rotation, double* matrix);

/// Angular velocity and velocity, in world axes, of the point of the body that is at `point` (world) now.
SS_API void ss_tree_point_velocity(const ss_tree_work* work, int body, const double point[3], double angular[3],
                                   double linear[3]);

/// Velocities of all bodies for any v (nv), 6 numbers for each: angular velocity and velocity of the origin of the body
/// frame, in world axes. The velocity that is set stays.
SS_API void ss_tree_twists(ss_tree_work* work, const double* v, double* twist);

/// The same for accelerations if u' = 0: J' u, the bias of the rows of ss_tree_jacobian().
SS_API void ss_tree_point_bias(const ss_tree_work* work, int body, const double point[3], double angular[3],
                               double linear[3]);

/// The velocities that move a body: their numbers in rising order into chain (up to nv), their count is returned.
SS_API int ss_tree_chain(const ss_tree* tree, int body, int* chain);

/// Rows of the Jacobian of that point (position: 3 x count) and of the body's angular velocity (rotation: 3 x count)
/// for the velocities of ss_tree_chain(); row by row, count numbers each. Either may be NULL. The count is returned.
SS_API int ss_tree_jacobian(const ss_tree_work* work, int body, const double point[3], double* position,
                            double* rotation);

// ---- the mass matrix itself ----------------------------------------------------------------------------------------

/// M and its factor L^T D L with the zeros that the branches leave [Featherstone 2008, sections 6.2, 6.5]. Costs
/// O(sum of depths) memory and O(sum of squared depths) time: for small trees, and as a check.
typedef struct ss_tree_mass ss_tree_mass;

SS_API ss_tree_mass* ss_tree_mass_create(const ss_tree* tree, ss_error* error);
SS_API void ss_tree_mass_destroy(ss_tree_mass* mass);  ///< NULL is fine
SS_API void ss_tree_mass_update(ss_tree_mass* mass, const ss_tree_work* work);  ///< composite rigid bodies
SS_API void ss_tree_mass_dense(const ss_tree_mass* mass, double* M);            ///< nv x nv; before mass_factor()
SS_API ss_status ss_tree_mass_factor(ss_tree_mass* mass);                       ///< in place; SS_ERR_NUMERIC
SS_API void ss_tree_mass_solve(const ss_tree_mass* mass, const double* x, double* y);  ///< y = M^-1 x; may be x

// ---- contacts and loops --------------------------------------------------------------------------------------------

/// A contact, or a place where a loop is closed, between two bodies (either may be SS_WORLD). Its rows are relative
/// velocities, body b against body a, along the directions of its frame: normal first, pointing from a to b.
/// Or, if `terms` is not 0, a row in joint space (limits, couplings, dry friction of joints): sum of coefficient[i]
/// u[velocity[i]]; rows is 1 and nothing else is read. A velocity stands in it at most once.
typedef struct ss_tree_node {
  int body_a, body_b;
  double point_a[3], point_b[3];  ///< material points in world coordinates; in a contact they are the same
  double frame[9];                ///< directions in world coordinates, row by row: N, T1, T2
  int rows;                       ///< how many of them count, 1..3
  bool rotation;                  ///< angular velocities instead of velocities of the points
  int terms;                      ///< 0, or 1..3
  int velocity[3];                ///< numbers in u
  double coefficient[3];          ///
} ss_tree_node;

/// Rows of n nodes in all; -1 if a node is not valid (body or velocity numbers, rows 1..3).
SS_API int ss_tree_node_rows(const ss_tree* tree, int n, const ss_tree_node* node);

/// gamma = J u and, at rest of u', its bias: gamma' = J u' + w_bar for directions that keep still. Either may be NULL.
SS_API void ss_tree_node_velocity(const ss_tree_work* work, int n, const ss_tree_node* node, double* gamma,
                                  double* w_bar);

/// gamma = J v for any v (nv), and size (may be NULL): |v_a| + |v_b| of the two points (or of the angular velocities),
/// in joint space the sum of the magnitudes of the terms. One pass over the bodies; the velocity that is set stays.
SS_API void ss_tree_node_rates(ss_tree_work* work, const double* v, int n, const ss_tree_node* node, double* gamma,
                               double* size);

/// tau (nv) = J^T Lambda: the generalised force of forces (or impulses) in the rows. O(n_body + n).
SS_API void ss_tree_node_force(ss_tree_work* work, int n, const ss_tree_node* node, const double* Lambda, double* tau);

/// One row of J as a sparse one: columns into col (rising, up to nv), numbers into value; the count is returned.
SS_API int ss_tree_node_row(const ss_tree_work* work, const ss_tree_node* node, int row, int* col, double* value);

/// How to find G = J M^-1 J^T.
typedef enum ss_tree_delassus_method {
  SS_DELASSUS_AUTO,       ///< the one that should cost less; the factors if there are rows in joint space
  SS_DELASSUS_RECURSION,  ///< operational-space recursion, O(n_body) + O(rows^2); no mass matrix, no joint space
  SS_DELASSUS_FACTOR,     ///< by rows of J and the articulated factors of M, O(rows n) + O(rows^2 n)
} ss_tree_delassus_method;

/// Bytes of arena that ss_tree_delassus() needs for up to so many rows.
SS_API size_t ss_tree_delassus_size(const ss_tree* tree, int rows);

/// The operational-space matrix (Delassus operator) of the nodes: G (rows x rows, row by row). Comes after
/// ss_tree_factor(). SS_ERR_ARGUMENT if a node is not valid (rows in joint space by recursion are not),
/// SS_ERR_CAPACITY if the arena is too small.
SS_API ss_status ss_tree_delassus(ss_tree_work* work, ss_tree_delassus_method method, int n, const ss_tree_node* node,
                                  ss_arena* arena, double* G);

#ifdef __cplusplus
}
#endif
#endif
