// Shapes: names, checks, placing them in the world.
#include "collide/heights.h"
#include "collide/hull.h"
#include <stdio.h>

// Sizes and positions beyond these are mistakes; within them products of two lengths are finite and not zero
#define LEAST 1e-100
#define MOST 1e100
#define MOST_VERTICES 1000000

const char* ss_shape_name(ss_shape_kind kind)
{
  static const char* const names[SS_SHAPE_COUNT] = {"plane",    "sphere",    "capsule", "box",
                                                    "cylinder", "ellipsoid", "mesh",    "height field",
                                                    "other"};
  return (unsigned)kind < SS_SHAPE_COUNT ? names[kind] : "unknown";
}

#define COMPLAIN(...) ss_error_set(error, SS_ERR_INPUT, __VA_ARGS__)

static ss_status check_mesh(const ss_shape_def* shape, const char* label, ss_error* error)
{
  if (shape->n_vertex < 4 || shape->n_vertex > MOST_VERTICES || !shape->vertex)
    return COMPLAIN("%s: %d vertices of a mesh; from 4 to %d", label, shape->n_vertex, MOST_VERTICES);
  for (int i = 0; i < 3*shape->n_vertex; i++)
    if (!(fabs(shape->vertex[i]) <= MOST))
      return COMPLAIN("%s: vertex %d of the mesh is not finite or beyond %g m", label, i/3, MOST);
  return SS_OK;
}

static ss_status check_heights(const ss_shape_def* shape, const char* label, ss_error* error)
{
  int rows = shape->n_row, cols = shape->n_col;
  if (rows < 2 || cols < 2 || !shape->height || rows > MOST_VERTICES/cols)
    return COMPLAIN("%s: %d x %d points of a height field; from 2 x 2 on, %d in all", label, rows, cols,
                    MOST_VERTICES);
  for (int i = 0; i < rows*cols; i++)
    if (!(fabs(shape->height[i]) <= MOST))
      return COMPLAIN("%s: height %d of row %d is not finite or beyond %g m", label, i%cols, i/cols, MOST);
  return SS_OK;
}

ss_status ss_shape_check(const ss_shape_def* shape, const char* label, ss_error* error)
{
  ss_shape_kind kind = shape->kind;
  if ((unsigned)kind >= SS_SHAPE_COUNT)
    return COMPLAIN("%s: shape %d is unknown; it must be from 0 to %d", label, (int)kind, SS_SHAPE_COUNT - 1);
  bool has_radius = kind == SS_SHAPE_SPHERE || kind == SS_SHAPE_CAPSULE || kind == SS_SHAPE_CYLINDER;
  if (has_radius && !(shape->radius >= LEAST && shape->radius <= MOST))
    return COMPLAIN("%s: radius %g m of a %s; it must be positive, up to %g", label, shape->radius,
                    ss_shape_name(kind), MOST);
  bool has_length = kind == SS_SHAPE_CAPSULE || kind == SS_SHAPE_CYLINDER;
  if (has_length && !(shape->half_length >= 0 && shape->half_length <= MOST))
    return COMPLAIN("%s: half_length %g m of a %s; it must be zero or positive, up to %g", label, shape->half_length,
                    ss_shape_name(kind), MOST);
  int edges = kind == SS_SHAPE_BOX || kind == SS_SHAPE_ELLIPSOID ? 3 : kind == SS_SHAPE_HEIGHTS ? 2 : 0;
  for (int i = 0; i < edges; i++)
    if (!(shape->half[i] >= LEAST && shape->half[i] <= MOST))
      return COMPLAIN("%s: half[%d] is %g m; it must be positive, up to %g", label, i, shape->half[i], MOST);
  if (kind == SS_SHAPE_HEIGHTS) return check_heights(shape, label, error);
  return kind == SS_SHAPE_MESH ? check_mesh(shape, label, error) : SS_OK;
}

ss_status ss_shape_prepare(ss_shape_def* shape, const char* label, ss_error* error)
{
  ss_error local = {0};
  if (shape->kind == SS_SHAPE_HEIGHTS && !shape->heights) {
    shape->heights = ss_heights_create(shape);
    return shape->heights ? SS_OK : ss_error_set(error, SS_ERR_MEMORY, "%s: no memory for the height field", label);
  }
  if (shape->kind != SS_SHAPE_MESH || shape->hull) return SS_OK;
  shape->hull = ss_hull_create(shape->n_vertex, shape->vertex, label, error ? error : &local);
  return shape->hull ? SS_OK : error ? error->status : local.status;
}

void ss_shape_release(ss_shape_def* shape)
{
  ss_hull_destroy(shape->hull);
  ss_heights_destroy(shape->heights);
  shape->hull = NULL;
  shape->heights = NULL;
}

bool ss_shape_is_convex(const ss_shape_def* shape)
{
  if (!shape) return false;
  if (shape->kind != SS_SHAPE_MESH) return true;
  if (ss_shape_check(shape, "", NULL) < 0) return false;
  ss_shape_def ready = *shape;
  if (ss_shape_prepare(&ready, "", NULL) < 0) return false;
  bool convex = ready.hull->convex;
  if (!shape->hull) ss_hull_destroy(ready.hull);
  return convex;
}

bool ss_pose_valid(const ss_pose* pose)
{
  for (int i = 0; i < 3; i++)
    if (!(fabs(pose->position[i]) <= MOST)) return false;
  const double* r = pose->rotation;
  double n2 = r[0]*r[0] + r[1]*r[1] + r[2]*r[2] + r[3]*r[3];
  return n2 == 0 || (n2 > 1e-200 && n2 < 1e200);
}

ss_quat ss_pose_turn(const ss_pose* pose) { return ss_quat_normalized(ss_quat_from(pose->rotation)); }

ss_placed ss_shape_place(const ss_shape_def* shape, ss_vec3 position, ss_quat turn)
{
  ss_placed placed = {.center = position};
  if (shape->kind == SS_SHAPE_SPHERE || shape->kind == SS_SHAPE_CAPSULE) placed.radius = shape->radius;
  if (shape->kind == SS_SHAPE_SPHERE) return placed;
  placed.axis = ss_quat_rotate(turn, (ss_vec3){0, 0, 1});
  if (shape->kind == SS_SHAPE_CAPSULE) {
    placed.half_length = placed.bound = shape->half_length;
    return placed;
  }
  placed.side = ss_quat_rotate(turn, (ss_vec3){1, 0, 0});
  if (shape->kind == SS_SHAPE_PLANE) return placed;
  placed.shape = shape;
  placed.bound = ss_shape_bound(shape);
  return placed;
}

double ss_shape_bound(const ss_shape_def* shape)
{
  const double* h = shape->half;
  switch (shape->kind) {
  case SS_SHAPE_CAPSULE: return shape->half_length;
  case SS_SHAPE_BOX: return ss_norm(ss_vec3_from(h));
  case SS_SHAPE_CYLINDER: return hypot(shape->radius, shape->half_length);
  case SS_SHAPE_ELLIPSOID: return fmax(h[0], fmax(h[1], h[2]));
  case SS_SHAPE_MESH: return shape->hull ? shape->hull->bound : 0;
  case SS_SHAPE_HEIGHTS: return shape->heights ? ss_norm(ss_vec3_from(shape->heights->half)) : 0;
  default: return 0;
  }
}

double ss_shape_thin(const ss_shape_def* shape)
{
  const double* h = shape->half;
  switch (shape->kind) {
  case SS_SHAPE_SPHERE:
  case SS_SHAPE_CAPSULE: return shape->radius;
  case SS_SHAPE_CYLINDER: return fmin(shape->radius, shape->half_length);
  case SS_SHAPE_BOX:
  case SS_SHAPE_ELLIPSOID: return fmin(h[0], fmin(h[1], h[2]));
  case SS_SHAPE_MESH: return shape->hull ? shape->hull->thin : INFINITY;
  default: return INFINITY;
  }
}

// Along a world axis, whose components along the axes of the shape are x, y, z
static double extent_along(const ss_placed* p, double x, double y, double z)
{
  const ss_shape_def* s = p->shape;
  const double* h = s->kind == SS_SHAPE_MESH ? s->hull->half : s->kind == SS_SHAPE_HEIGHTS ? s->heights->half : s->half;
  if (s->kind == SS_SHAPE_CYLINDER) return s->radius*sqrt(x*x + y*y) + s->half_length*fabs(z);
  if (s->kind == SS_SHAPE_ELLIPSOID) return sqrt(h[0]*h[0]*x*x + h[1]*h[1]*y*y + h[2]*h[2]*z*z);
  return fabs(x)*h[0] + fabs(y)*h[1] + fabs(z)*h[2];
}

ss_vec3 ss_shape_extent(const ss_placed* p)
{
  double h = p->half_length, r = p->radius;
  if (!p->shape) return (ss_vec3){fabs(p->axis.x)*h + r, fabs(p->axis.y)*h + r, fabs(p->axis.z)*h + r};
  ss_vec3 x = p->side, y = ss_cross(p->axis, p->side), z = p->axis;
  return (ss_vec3){extent_along(p, x.x, y.x, z.x), extent_along(p, x.y, y.y, z.y), extent_along(p, x.z, y.z, z.z)};
}

ss_vec3 ss_across(ss_vec3 a)
{
  ss_vec3 e = fabs(a.z) < 0.9 ? (ss_vec3){0, 0, 1} : (ss_vec3){1, 0, 0};
  double length;
  return ss_direction(ss_sub(e, ss_scale(ss_dot3(e, a), a)), &length);
}

ss_vec3 ss_direction(ss_vec3 d, double* length)
{
  double n2 = ss_dot3(d, d);
  if (n2 > 1e-280 && n2 < 1e280) {
    *length = sqrt(n2);
    return ss_scale(1/ *length, d);
  }
  double m = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
  *length = 0;
  if (m == 0) return (ss_vec3){0, 0, 0};
  d = (ss_vec3){d.x/m, d.y/m, d.z/m};
  double n = ss_norm(d);
  *length = m*n;
  return ss_scale(1/n, d);
}
