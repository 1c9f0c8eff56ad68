// Shapes and where they touch: geometry alone, without masses and forces. A scene is a list of geoms (shapes fixed to
// bodies); from the poses of the bodies it finds the contact points whose gap is below a margin, in an order and with
// keys that stay the same from step to step. SI units, quaternions w first. Formulas: docs/collision.md.
#ifndef STICKSLIP_SHAPE_H
#define STICKSLIP_SHAPE_H

#include <stickslip/base.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The body number of the world, the same as in tree.h.
#define SS_WORLD (-1)

// ---- shapes --------------------------------------------------------------------------------------------------------

/// Kinds of shapes. Contacts are found between all but planes and height fields among themselves and with one another;
/// ss_collider_create() refuses what could meet otherwise. What is set apart by filters may be of any kind.
typedef enum ss_shape_kind {
  SS_SHAPE_PLANE,      ///< the half-space z <= 0: infinite, solid below
  SS_SHAPE_SPHERE,     ///< radius
  SS_SHAPE_CAPSULE,    ///< all points within radius of the segment from z = -half_length to half_length
  SS_SHAPE_BOX,        ///< half
  SS_SHAPE_CYLINDER,   ///< radius, half_length along z
  SS_SHAPE_ELLIPSOID,  ///< half: its semi-axes
  SS_SHAPE_MESH,       ///< convex
  SS_SHAPE_HEIGHTS,    ///< height field: n_row, n_col, height, half; solid below its triangles, without end
  SS_SHAPE_OTHER,      ///< something that contacts cannot be found of
  SS_SHAPE_COUNT
} ss_shape_kind;

/// A shape in its own frame. Zero-initialise, then fill what the kind names.
typedef struct ss_shape_def {
  ss_shape_kind kind;
  double radius;       ///< m, > 0
  double half_length;  ///< m, >= 0
  double half[3];      ///< half of the edges, m, > 0; of a height field the first two
  int n_vertex;           ///< of a mesh, from 4 on
  const double* vertex;   ///< 3 n_vertex, m, in any order; their convex hull is the shape. Copied when a scene is made
  struct ss_hull* hull;   ///< leave NULL: made of the vertices by ss_collider_create()
  int n_row, n_col;       ///< of a height field, from 2 on: points along y and x, evenly between -half and half
  const double* height;   ///< n_row n_col, row by row from y = -half[1] on, z in m. Copied when a scene is made
  struct ss_heights* heights;  ///< leave NULL, likewise
} ss_shape_def;

/// A mesh is what its hull is, or all but: no vertex is within the hull by more than a millionth of its size. The
/// shape of others is their hull. True for all other kinds, false if there is no hull.
SS_API bool ss_shape_is_convex(const ss_shape_def* shape);

SS_API const char* ss_shape_name(ss_shape_kind kind);               ///< e.g. "capsule"; "unknown" if it is none
SS_API bool ss_shape_pair_known(ss_shape_kind a, ss_shape_kind b);  ///< contacts between the two can be found

/// Position and turn of a frame in another one. A zero rotation is no rotation.
typedef struct ss_pose {
  double position[3];  ///< m
  double rotation[4];  ///< quaternion of any length
} ss_pose;

// ---- contact points ------------------------------------------------------------------------------------------------

/// Most contact points of one pair.
#define SS_TOUCH_MOST 8

/// How a contact point moves over its shape, see ss_touch_rate().
typedef enum ss_touch_side {
  SS_SIDE_POINT,  ///< the surface is a sphere about a point fixed to the body
  SS_SIDE_LINE,   ///< the surface is a cylinder about an axis fixed to the body
  SS_SIDE_FACE,   ///< the surface is a plane fixed to the body
} ss_touch_side;

/// A contact point between geoms a and b, a < b. Vectors are in world coordinates.
typedef struct ss_touch {
  uint64_t key;           ///< pair and feature: the same from step to step; contacts are sorted by it
  int geom_a, geom_b;     ///
  int body_a, body_b;     ///< SS_WORLD for the world
  int feature;            ///< which of the points that the pair may have
  double gap;             ///< signed distance, m; < 0: penetration
  double point_a[3];      ///< on the surface of a, m
  double point_b[3];      ///< on the surface of b = point_a + gap N
  double point[3];        ///< the contact point: half-way between the two
  double frame[9];        ///< right-handed unit vectors, row by row: N from a to b, T1, T2
  double radius_a;        ///< of the sphere or cylinder that the surface of a is there, m; 0 for a plane
  double radius_b;        ///
  double axis_a[3];       ///< unit vector along the cylinder, if side_a is SS_SIDE_LINE
  double axis_b[3];       ///
  ss_touch_side side_a;   ///
  ss_touch_side side_b;   ///
  double bend_a[3];       ///< radii of curvature beyond radius_a, m: how the point of a moves over it as its normal
                          ///< turns, along T1 by T1, along T1 by T2 and along T2 by T2. Zero but for contacts of rims
                          ///< and ellipsoids that are followed
  double bend_b[3];       ///
} ss_touch;

/// Contact points of two shapes whose gap is below margin, into touch (SS_TOUCH_MOST); their count is returned, -1 if
/// the shapes are not valid or the pair is not known. Geoms are numbered 0 and 1, bodies likewise. For many shapes use
/// a scene.
SS_API int ss_shape_touch(const ss_shape_def* a, const ss_pose* pose_a, const ss_shape_def* b, const ss_pose* pose_b,
                          double margin, ss_touch* touch);

/// Velocity of a body at a contact point.
typedef struct ss_point_motion {
  double angular[3];  ///< rad/s
  double linear[3];   ///< of the material point that is at touch->point, m/s
} ss_point_motion;

/// How a contact changes while the bodies move.
typedef struct ss_touch_change {
  double gamma[3];   ///< relative velocity, b against a, along the frame; gamma[0] is the rate of the gap, m/s
  double point[3];   ///< velocity of the contact point (which is no material point), m/s
  double point_a[3]; ///< the same on the surface of a, m/s
  double point_b[3]; ///
  double normal[3];  ///< N', 1/s
  double spin[3];    ///< angular velocity of the frame, rad/s
  double w_bar[3];   ///< what gamma' has beside the accelerations a_b - a_a of the material points along the frame:
                     ///< gamma' = F (a_b - a_a) + w_bar, m/s^2
} ss_touch_change;

/// Exact rates of a contact for the velocities of its two bodies. With the bias of ss_tree_node_velocity() at
/// touch->point, w_bar adds up to the constant term of gamma' = W^T u' + w_bar.
SS_API void ss_touch_rate(const ss_touch* touch, const ss_point_motion* a, const ss_point_motion* b,
                          ss_touch_change* change);

// ---- scenes --------------------------------------------------------------------------------------------------------

/// A shape fixed to a body. Start from ss_geom_def_default().
typedef struct ss_geom_def {
  const char* name;       ///< shown in messages; may be NULL
  ss_shape_def shape;     ///
  int body;               ///< a body of the scene, or SS_WORLD                             default SS_WORLD
  ss_pose pose;           ///< of the shape in the body's frame                             default the body's frame
  unsigned contype;       ///< two geoms can meet if contype & conaffinity is not 0 ...     default 1
  unsigned conaffinity;   ///< ... for one of the two orders                                default 1
  double margin;          ///< added to the margin of every call, m, >= 0                   default 0
} ss_geom_def;

SS_API ss_geom_def ss_geom_def_default(void);

/// What the filter has to know of a body.
typedef struct ss_collider_body {
  int parent;  ///< a body listed before, or SS_WORLD
  bool fixed;  ///< it cannot move against its parent
  ss_pose pose;  ///< of a fixed body in its parent's frame; rotation all zero: not known, no seams between the two
} ss_collider_body;

/// Two bodies, either may be SS_WORLD.
typedef struct ss_body_pair { int a, b; } ss_body_pair;

/// Two geoms.
typedef struct ss_geom_pair { int a, b; } ss_geom_pair;

/// A scene. Geoms of bodies that are fixed to one another never meet; geoms of parent and child do not, unless the
/// parent is (fixed to) the world or parents_meet is true. Geoms of `pair` can meet whatever the other filters say.
typedef struct ss_collider_def {
  int n_geom;
  const ss_geom_def* geom;     ///< n_geom
  int n_body;
  const ss_collider_body* body;   ///< n_body; NULL: they all hang on the world and can move
  int n_exclude;
  const ss_body_pair* exclude; ///< n_exclude pairs of bodies whose geoms do not meet
  int n_pair;
  const ss_geom_pair* pair;    ///< n_pair pairs of geoms that can meet
  bool parents_meet;
} ss_collider_def;

/// A scene made ready: constant, threads can share it.
typedef struct ss_collider ss_collider;

/// Checks and copies the definition. NULL and *error (may be NULL) if it is not valid: the text names the geom. Pairs
/// of shapes between which no contacts can be found are an error unless a filter keeps them apart.
SS_API ss_collider* ss_collider_create(const ss_collider_def* def, ss_error* error);
SS_API void ss_collider_destroy(ss_collider* collider);  ///< NULL is fine
SS_API bool ss_collider_can_meet(const ss_collider* collider, int geom_a, int geom_b);  ///< what the filter says

/// What changes from step to step. One per thread; the scene must outlive it.
typedef struct ss_collider_work ss_collider_work;

SS_API ss_collider_work* ss_collider_work_create(const ss_collider* collider, ss_error* error);
SS_API void ss_collider_work_destroy(ss_collider_work* work);  ///< NULL is fine

/// Finds all contact points with gap < margin + margins of the two geoms + reach of their two bodies.
///   body    n_body poses of the body frames in the world
///   margin  m, >= 0
///   reach   n_body: how far a point of the body may get until the next call, m, >= 0, so that nothing passes through
///           unseen (ss_collider_reach()); may be NULL: 0
///   touch   the contacts, sorted by key; owned by work, valid until the next call
/// They depend on the arguments alone, not on earlier calls. SS_ERR_ARGUMENT if a number is not finite or negative,
/// SS_ERR_MEMORY; nothing else is allocated once the lists are long enough (see ss_collider_info).
SS_API ss_status ss_collider_find(ss_collider_work* work, const ss_pose* body, double margin, const double* reach,
                               const ss_touch** touch, int* n);

/// Velocity of a body.
typedef struct ss_twist {
  double angular[3];  ///< rad/s
  double linear[3];   ///< of the origin of the body frame, m/s
} ss_twist;

/// reach (n_body): dt times the greatest speed that a shape of the body has, m. Spheres that turn about their centres
/// go nowhere. The reach of a plane that turns counts as far as the geom farthest from it.
SS_API void ss_collider_reach(const ss_collider* collider, const ss_pose* body, const ss_twist* twist, double dt,
                           double* reach);

/// What the last call of ss_collider_find() did, and what the work grew to.
typedef struct ss_collider_counts {
  int listed;      ///< pairs kept for some steps because they are near one another
  int tested;      ///< pairs asked for contacts: not known to be apart
  int touches;     ///< contact points
  long calls;      ///< of ss_collider_find()
  long renewals;   ///< calls that made the list of near pairs anew
  long grown;      ///< allocations since creation: stays the same once capacities suffice
  bool all_pairs;  ///< so few pairs that the list holds all of them and is never renewed
} ss_collider_counts;

SS_API ss_collider_counts ss_collider_info(const ss_collider_work* work);

// ---- from step to step ---------------------------------------------------------------------------------------------

/// What is kept of a contact for the next step: part of the state of a run.
typedef struct ss_touch_memory {
  uint64_t key;
  double point[3];
  double Lambda[3];  ///< impulse along N, T1, T2
} ss_touch_memory;

/// Lambda (3 n) of the n contacts as a start for the next solve: those of the same key in memory, 0 where there is
/// none. The impulse of a contact that has ended is added to the nearest one of the same pair, if the pair still has
/// any, so that the sum stays when a point hands over to another. Both lists are sorted by key. Returns how many of the
/// n had a predecessor of their key.
SS_API int ss_touch_recall(int n_memory, const ss_touch_memory* memory, int n, const ss_touch* touch, double* Lambda);

/// memory (n) of n contacts and their impulses Lambda (3 n).
SS_API void ss_touch_remember(int n, const ss_touch* touch, const double* Lambda, ss_touch_memory* memory);

#ifdef __cplusplus
}
#endif
#endif
