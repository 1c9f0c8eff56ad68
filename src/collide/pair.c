// The table of pairs, and the pairs of planes, spheres and one capsule.
#include "collide/shape.h"

// clang-format off
#define CONVEX ss_touch_convex
#define HEIGHTS ss_touch_heights
static ss_pair_function* const table[SS_SHAPE_COUNT][SS_SHAPE_COUNT] = {
  //                      plane sphere                  capsule                   box
  //                                                                              cylinder ellipsoid mesh    heights
  [SS_SHAPE_PLANE]     = {NULL, ss_touch_plane_sphere,  ss_touch_plane_capsule,   ss_touch_plane_box,
                          ss_touch_plane_cylinder, ss_touch_plane_ellipsoid, ss_touch_plane_mesh,    NULL},
  [SS_SHAPE_SPHERE]    = {NULL, ss_touch_sphere_sphere, ss_touch_sphere_capsule,  ss_touch_sphere_box,
                                                                                  CONVEX,  CONVEX,   CONVEX, HEIGHTS},
  [SS_SHAPE_CAPSULE]   = {NULL, NULL,                   ss_touch_capsule_capsule, ss_touch_capsule_box,
                                                                                  CONVEX,  CONVEX,   CONVEX, HEIGHTS},
  [SS_SHAPE_BOX]       = {NULL, NULL,                   NULL,                     ss_touch_box_box,
                                                                                  CONVEX,  CONVEX,   CONVEX, HEIGHTS},
  [SS_SHAPE_CYLINDER]  = {NULL, NULL, NULL, NULL,                                 CONVEX,  CONVEX,   CONVEX, HEIGHTS},
  [SS_SHAPE_ELLIPSOID] = {NULL, NULL, NULL, NULL,                                 NULL,    CONVEX,   CONVEX, HEIGHTS},
  [SS_SHAPE_MESH]      = {NULL, NULL, NULL, NULL,                                 NULL,    NULL,     CONVEX, HEIGHTS},
};
// clang-format on

ss_pair_function* ss_pair_lookup(ss_shape_kind a, ss_shape_kind b) { return table[a][b]; }

bool ss_shape_pair_known(ss_shape_kind a, ss_shape_kind b)
{
  if ((unsigned)a >= SS_SHAPE_COUNT || (unsigned)b >= SS_SHAPE_COUNT) return false;
  return table[a][b] || table[b][a];
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

// gap = N.(center - o) - r
static bool plane_ball(const ss_placed* plane, ss_vec3 center, double radius, double margin, ss_near* near)
{
  double gap = ss_dot3(plane->axis, ss_sub(center, plane->center)) - radius;
  if (!(gap < margin)) return false;
  *near = (ss_near){.normal = plane->axis, .core_b = center, .side_a = SS_SIDE_FACE, .gap = gap,
                    .tangent = plane->side, .radius_b = radius};
  near->core_a = ss_sub(center, ss_scale(radius + gap, plane->axis));
  return true;
}

int ss_touch_plane_sphere(const ss_placed* plane, const ss_placed* sphere, double margin, ss_near* near)
{
  return plane_ball(plane, sphere->center, sphere->radius, margin, near);
}

// Either end is a sphere: feature 0 at -half_length, 1 at +half_length
int ss_touch_plane_capsule(const ss_placed* plane, const ss_placed* capsule, double margin, ss_near* near)
{
  int n = 0;
  for (int end = 0; end < 2 && (end == 0 || capsule->half_length > 0); end++) {
    ss_vec3 arm = ss_scale(end ? capsule->half_length : -capsule->half_length, capsule->axis);
    if (!plane_ball(plane, ss_add(capsule->center, arm), capsule->radius, margin, near + n)) continue;
    near[n++].feature = end;
  }
  return n;
}

// gap = |d| - r_A - r_B; concentric spheres touch along z
int ss_touch_sphere_sphere(const ss_placed* a, const ss_placed* b, double margin, ss_near* near)
{
  double length, reach = margin + a->radius + b->radius;
  ss_vec3 d = ss_sub(b->center, a->center);
  if (!(ss_dot3(d, d) < reach*reach) || !(reach > 0)) return 0;
  ss_vec3 n = ss_direction(d, &length);
  if (length == 0) n = (ss_vec3){0, 0, 1};
  double gap = length - a->radius - b->radius;
  if (!(gap < margin)) return 0;
  *near = (ss_near){.normal = n, .core_a = a->center, .core_b = b->center, .gap = gap};
  ss_near_round(a, b, near);
  return 1;
}

// The point of the axis nearest to the centre; a centre on the axis is pushed across it
int ss_touch_sphere_capsule(const ss_placed* sphere, const ss_placed* capsule, double margin, ss_near* near)
{
  double length, h = capsule->half_length;
  double s = ss_dot3(capsule->axis, ss_sub(sphere->center, capsule->center));
  bool inside = s > -h && s < h;
  s = fmin(fmax(s, -h), h);
  ss_vec3 core = ss_add(capsule->center, ss_scale(s, capsule->axis));
  ss_vec3 n = ss_direction(ss_sub(core, sphere->center), &length);
  double gap = length - sphere->radius - capsule->radius;
  if (!(gap < margin)) return 0;
  if (length == 0) n = ss_across(capsule->axis);
  *near = (ss_near){.normal = n, .core_a = sphere->center, .core_b = core, .gap = gap};
  ss_near_round(sphere, capsule, near);
  near->side_b = inside ? SS_SIDE_LINE : SS_SIDE_POINT;
  return 1;
}

// ---- contacts ------------------------------------------------------------------------------------------------------

static void exchange(ss_vec3* a, ss_vec3* b)
{
  ss_vec3 c = *a;
  *a = *b;
  *b = c;
}

void ss_near_turn(ss_near* near)
{
  double radius = near->radius_a;
  ss_touch_side side = near->side_a;
  exchange(&near->core_a, &near->core_b);
  exchange(&near->axis_a, &near->axis_b);
  near->radius_a = near->radius_b;
  near->radius_b = radius;
  near->side_a = near->side_b;
  near->side_b = side;
  near->normal = ss_scale(-1, near->normal);
}

// Tangents: one that is fixed to the face, else those of the normal; T2 = N x T1
static void fill_frame(const ss_near* near, double* frame)
{
  ss_vec3 n = near->normal, t1, t2;
  if (near->side_a == SS_SIDE_FACE || near->side_b == SS_SIDE_FACE) {
    t1 = near->tangent;
    t2 = ss_cross(n, t1);
  } else {
    ss_frame_from_normal(n, &t1, &t2);
  }
  ss_vec3_to(n, frame);
  ss_vec3_to(t1, frame + 3);
  ss_vec3_to(t2, frame + 6);
}

void ss_near_fill(const ss_near* near, ss_touch* t)
{
  ss_vec3 n = near->normal;
  ss_vec3 p_a = ss_add(near->core_a, ss_scale(near->radius_a, n));
  ss_vec3 p_b = ss_sub(near->core_b, ss_scale(near->radius_b, n));
  t->feature = near->feature;
  t->gap = near->gap;
  ss_vec3_to(p_a, t->point_a);
  ss_vec3_to(p_b, t->point_b);
  ss_vec3_to(ss_scale(0.5, ss_add(p_a, p_b)), t->point);
  fill_frame(near, t->frame);
  t->radius_a = near->radius_a;
  t->radius_b = near->radius_b;
  t->side_a = near->side_a;
  t->side_b = near->side_b;
  ss_vec3_to(near->axis_a, t->axis_a);
  ss_vec3_to(near->axis_b, t->axis_b);
  for (int i = 0; i < 3; i++) t->bend_a[i] = t->bend_b[i] = 0;
}

int ss_touch_placed(ss_shape_kind kind_a, const ss_placed* a, ss_shape_kind kind_b, const ss_placed* b, double margin,
                    ss_touch* touch)
{
  ss_near near[SS_TOUCH_MOST];
  bool turned = kind_a > kind_b;
  ss_pair_function* meet = turned ? table[kind_b][kind_a] : table[kind_a][kind_b];
  if (!meet) return 0;  // two planes never touch
  int n = turned ? meet(b, a, margin, near) : meet(a, b, margin, near);
  for (int i = 0; i < n; i++) {
    if (turned) ss_near_turn(near + i);
    ss_near_fill(near + i, touch + i);
  }
  return n;
}

int ss_shape_touch(const ss_shape_def* a, const ss_pose* pose_a, const ss_shape_def* b, const ss_pose* pose_b,
                   double margin, ss_touch* touch)
{
  if (!a || !b || !pose_a || !pose_b || !touch) return -1;
  if (ss_shape_check(a, "a", NULL) < 0 || ss_shape_check(b, "b", NULL) < 0) return -1;
  if (!ss_shape_pair_known(a->kind, b->kind) || !ss_pose_valid(pose_a) || !ss_pose_valid(pose_b)) return -1;
  if (isnan(margin)) return -1;
  ss_shape_def one = *a, two = *b;
  int n = -1;
  if (ss_shape_prepare(&one, "a", NULL) >= 0 && ss_shape_prepare(&two, "b", NULL) >= 0) {
    ss_placed pa = ss_shape_place(&one, ss_vec3_from(pose_a->position), ss_pose_turn(pose_a));
    ss_placed pb = ss_shape_place(&two, ss_vec3_from(pose_b->position), ss_pose_turn(pose_b));
    n = ss_touch_placed(a->kind, &pa, b->kind, &pb, margin, touch);
  }
  if (!a->hull && !a->heights) ss_shape_release(&one);
  if (!b->hull && !b->heights) ss_shape_release(&two);
  for (int i = 0; i < n; i++) {
    touch[i].key = ss_touch_key(0, 1, touch[i].feature);
    touch[i].geom_a = touch[i].body_a = 0;
    touch[i].geom_b = touch[i].body_b = 1;
  }
  return n;
}
