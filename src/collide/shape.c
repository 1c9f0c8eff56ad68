// Shapes: names, checks, placing them in the world.
#include "collide/shape.h"
#include <stdio.h>

// Sizes and positions beyond these are mistakes; within them products of two lengths are finite and not zero
#define LEAST 1e-100
#define MOST 1e100

const char* ss_shape_name(ss_shape_kind kind)
{
  static const char* const names[SS_SHAPE_COUNT] = {"plane",    "sphere",    "capsule", "box",
                                                    "cylinder", "ellipsoid", "mesh",    "height field"};
  return (unsigned)kind < SS_SHAPE_COUNT ? names[kind] : "unknown";
}

#define COMPLAIN(...) ss_error_set(error, SS_ERR_INPUT, __VA_ARGS__)

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
  for (int i = 0; i < 3 && (kind == SS_SHAPE_BOX || kind == SS_SHAPE_ELLIPSOID); i++)
    if (!(shape->half[i] >= LEAST && shape->half[i] <= MOST))
      return COMPLAIN("%s: half[%d] is %g m; it must be positive, up to %g", label, i, shape->half[i], MOST);
  return SS_OK;
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
  switch (shape->kind) {
  case SS_SHAPE_CAPSULE: return shape->half_length;
  case SS_SHAPE_BOX: return ss_norm(ss_vec3_from(shape->half));
  default: return 0;
  }
}

static ss_vec3 box_extent(const ss_placed* p)
{
  const double* h = p->shape->half;
  ss_vec3 x = p->side, y = ss_cross(p->axis, p->side), z = p->axis;
  return (ss_vec3){fabs(x.x)*h[0] + fabs(y.x)*h[1] + fabs(z.x)*h[2], fabs(x.y)*h[0] + fabs(y.y)*h[1] + fabs(z.y)*h[2],
                   fabs(x.z)*h[0] + fabs(y.z)*h[1] + fabs(z.z)*h[2]};
}

ss_vec3 ss_shape_extent(const ss_placed* p)
{
  if (p->shape) return box_extent(p);
  double h = p->half_length, r = p->radius;
  return (ss_vec3){fabs(p->axis.x)*h + r, fabs(p->axis.y)*h + r, fabs(p->axis.z)*h + r};
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
