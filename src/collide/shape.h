// Shapes placed in the world, and the table of functions that find the contacts of two of them.
#ifndef SS_COLLIDE_SHAPE_H
#define SS_COLLIDE_SHAPE_H

#include <stickslip/shape.h>
#include "math/vec3.h"

/// A shape in the world: what the pair functions read.
typedef struct ss_placed {
  ss_vec3 center;      ///< origin of its frame
  ss_vec3 axis;        ///< its z axis: normal of a plane, direction of a capsule
  ss_vec3 side;        ///< its x axis, not for spheres and capsules
  double radius;       ///< of spheres and capsules
  double half_length;  ///< 0 but for capsules
  double bound;        ///< how far the core (the shape without its radius) is from the center at most
  const ss_shape_def* shape;  ///< NULL for planes, spheres and capsules
} ss_placed;

/// Not for planes.
static inline ss_shape_kind ss_placed_kind(const ss_placed* p)
{
  return p->shape ? p->shape->kind : p->half_length > 0 ? SS_SHAPE_CAPSULE : SS_SHAPE_SPHERE;
}

/// A direction in the frame of a placed shape, and back.
static inline ss_vec3 ss_to_local(const ss_placed* p, ss_vec3 d)
{
  return (ss_vec3){ss_dot3(d, p->side), ss_dot3(d, ss_cross(p->axis, p->side)), ss_dot3(d, p->axis)};
}

static inline ss_vec3 ss_to_world(const ss_placed* p, ss_vec3 x)
{
  return ss_add(ss_scale(x.x, p->side), ss_add(ss_scale(x.y, ss_cross(p->axis, p->side)), ss_scale(x.z, p->axis)));
}

/// A contact as the pair functions give it. The surface of each side is the set of points at distance `radius` from a
/// core, which is a point, an axis or (radius 0) a face.
typedef struct ss_near {
  ss_vec3 normal;  ///< unit vector from a to b
  ss_vec3 core_a, core_b;
  ss_vec3 axis_a, axis_b;    ///< unit vectors, of axes (SS_SIDE_LINE)
  ss_vec3 tangent;           ///< unit vector fixed to a face, if one of the sides is SS_SIDE_FACE
  double radius_a, radius_b;
  ss_touch_side side_a, side_b;
  double gap;
  int feature;
} ss_near;

/// Contacts of a and b with gap < margin into near (SS_TOUCH_MOST); returns how many.
typedef int ss_pair_function(const ss_placed* a, const ss_placed* b, double margin, ss_near* near);

ss_pair_function ss_touch_plane_sphere, ss_touch_plane_capsule, ss_touch_sphere_sphere, ss_touch_sphere_capsule,
  ss_touch_capsule_capsule, ss_touch_plane_box, ss_touch_sphere_box, ss_touch_capsule_box, ss_touch_box_box,
  ss_touch_plane_cylinder, ss_touch_plane_ellipsoid, ss_touch_plane_mesh, ss_touch_convex, ss_touch_heights;

/// Axes and radii of two spheres or capsules, as ss_near has them
static inline void ss_near_round(const ss_placed* a, const ss_placed* b, ss_near* near)
{
  near->radius_a = a->radius;
  near->radius_b = b->radius;
  near->axis_a = a->axis;
  near->axis_b = b->axis;
}

/// A contact from what a pair function gives, complete but for key, geoms and bodies
void ss_near_fill(const ss_near* near, ss_touch* touch);

/// Exchanges the two sides
void ss_near_turn(ss_near* near);

/// NULL if the pair is not known; for kind_a <= kind_b.
ss_pair_function* ss_pair_lookup(ss_shape_kind kind_a, ss_shape_kind kind_b);

/// Contacts of two placed shapes of any order, complete but for key, geoms and bodies. The pair must be known.
int ss_touch_placed(ss_shape_kind kind_a, const ss_placed* a, ss_shape_kind kind_b, const ss_placed* b, double margin,
                    ss_touch* touch);

/// Below this sine a cylinder stands upright: no point of its rim is the lowest
#define SS_UPRIGHT 1e-7

// ---- contacts that are followed (smooth.c) -------------------------------------------------------------------------

/// Features of a cylinder on a plane from SS_RIM_LEVEL on are points fixed to its rims; below, their lowest ones. What
/// goes on where these end is nothing that can be followed.
enum { SS_RIM_LEVEL = 8, SS_RIM_FLAT = 16, SS_RIM_TIPS = 17 };

/// How far a contact is from where it ends, and what goes on there
typedef struct ss_border {
  double room;  ///< m, negative: beyond; infinite: it does not end
  int next;     ///< feature; -1: none
  ss_vec3 at, way;  ///< room' = way . (v_b - v_a) at this point, as far as it is known: zero if not
} ss_border;

/// Whether the pair has contacts that ss_touch_smooth() follows. The order does not matter.
bool ss_touch_is_smooth(ss_shape_kind kind_a, ss_shape_kind kind_b);

/// The feature by which it does, of one that the pair function tells
int ss_smooth_feature(ss_shape_kind kind_a, const ss_placed* a, ss_shape_kind kind_b, const ss_placed* b, int feature);

/// That contact wherever the shapes are, with the curvature of both surfaces; 0 if it has no place.
int ss_touch_smooth(ss_shape_kind kind_a, const ss_placed* a, ss_shape_kind kind_b, const ss_placed* b, int feature,
                    ss_touch* touch, ss_border* border);

/// The same of a capsule and a box (bars.c), with the normal from the capsule to the box
int ss_bar_feature(const ss_placed* capsule, const ss_placed* box, int feature);
int ss_bar_touch(const ss_placed* capsule, const ss_placed* box, int feature, ss_near* near, ss_border* border);

/// The sine of the angle by which a cylinder on a plane leans
double ss_rim_lean(const ss_placed* plane, const ss_placed* solid);

/// SS_ERR_INPUT and *error if a number is missing or out of bounds. `label` names the shape.
ss_status ss_shape_check(const ss_shape_def* shape, const char* label, ss_error* error);

/// Makes the hull of a mesh, or the copy of a height field, that has none. SS_ERR_INPUT or SS_ERR_MEMORY and *error if
/// it cannot be made.
ss_status ss_shape_prepare(ss_shape_def* shape, const char* label, ss_error* error);

/// Frees what ss_shape_prepare() made
void ss_shape_release(ss_shape_def* shape);

/// Geoms and feature as one number, in the order in which contacts are sorted
static inline uint64_t ss_touch_key(int geom_a, int geom_b, int feature)
{
  return (uint64_t)geom_a << 42 | (uint64_t)geom_b << 20 | (uint64_t)feature;
}

/// The same read back
static inline int ss_key_geom_a(uint64_t key) { return (int)(key >> 42); }
static inline int ss_key_geom_b(uint64_t key) { return (int)(key >> 20 & ((1u << 22) - 1)); }
static inline int ss_key_feature(uint64_t key) { return (int)(key & ((1u << 20) - 1)); }

/// Most geoms of a scene and features of a pair, so that a key can name them
#define SS_MOST_GEOMS (1 << 22)
#define SS_MOST_FEATURES (1 << 20)

/// Finite numbers, and a rotation that is zero or a quaternion
bool ss_pose_valid(const ss_pose* pose);

/// The rotation as a unit quaternion
ss_quat ss_pose_turn(const ss_pose* pose);

/// The shape at a position with a turn. Boxes and other solids keep the pointer.
ss_placed ss_shape_place(const ss_shape_def* shape, ss_vec3 position, ss_quat turn);

/// ss_placed.bound of a shape
double ss_shape_bound(const ss_shape_def* shape);

/// Half of how thick a shape is where it is thinnest; infinite for planes, height fields and what is not known
double ss_shape_thin(const ss_shape_def* shape);

/// Half the edges of the box (world axes) about a finite shape
ss_vec3 ss_shape_extent(const ss_placed* placed);

/// A unit vector across the unit vector a, deterministic: the one nearest to z, or to x where a is almost z.
ss_vec3 ss_across(ss_vec3 a);

/// d/|d| and |d|, also where |d|^2 is not a number that a double can hold; zero if d is.
ss_vec3 ss_direction(ss_vec3 d, double* length);

// ---- frames (frame.c) ----------------------------------------------------------------------------------------------

/// T1 and T2 of a normal: e1 and e2 turned by the shortest turn from the reference direction e to the normal.
void ss_frame_from_normal(ss_vec3 normal, ss_vec3* t1, ss_vec3* t2);

/// The angular velocity of that frame when the normal changes by normal_rate.
ss_vec3 ss_frame_spin(ss_vec3 normal, ss_vec3 normal_rate);

#endif
