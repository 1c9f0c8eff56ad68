// Zones of touch sensors: does a half line meet a convex shape? The part of the line p + t d, t >= 0, that is inside is
// an interval, cut down condition by condition.
#include "machine/machine.h"

typedef struct interval {
  double from, to;
} interval;

// |p + t d| <= half
static void cut_slab(interval* t, double p, double d, double half)
{
  if (d == 0) {
    if (fabs(p) > half) t->to = -1;
    return;
  }
  double a = (-half - p)/d, b = (half - p)/d;
  t->from = fmax(t->from, fmin(a, b));
  t->to = fmin(t->to, fmax(a, b));
}

// a t^2 + 2 b t + c <= 0, a >= 0; a = 0 means b = 0, too
static void cut_round(interval* t, double a, double b, double c)
{
  double root = b*b - a*c;
  if (a == 0 ? c > 0 : root < 0) {
    t->to = -1;
    return;
  }
  if (a == 0) return;
  t->from = fmax(t->from, (-b - sqrt(root))/a);
  t->to = fmin(t->to, (-b + sqrt(root))/a);
}

static bool meets_ball(ss_vec3 p, ss_vec3 d, double radius)
{
  interval t = {0, INFINITY};
  cut_round(&t, ss_dot3(d, d), ss_dot3(p, d), ss_dot3(p, p) - radius*radius);
  return t.from <= t.to;
}

static bool meets_cylinder(ss_vec3 p, ss_vec3 d, double radius, double half)
{
  interval t = {0, INFINITY};
  cut_round(&t, d.x*d.x + d.y*d.y, p.x*d.x + p.y*d.y, p.x*p.x + p.y*p.y - radius*radius);
  cut_slab(&t, p.z, d.z, half);
  return t.from <= t.to;
}

static bool meets_box(ss_vec3 p, ss_vec3 d, const double half[3])
{
  interval t = {0, INFINITY};
  cut_slab(&t, p.x, d.x, half[0]);
  cut_slab(&t, p.y, d.y, half[1]);
  cut_slab(&t, p.z, d.z, half[2]);
  return t.from <= t.to;
}

bool ss_zone_holds(ss_scene_shape shape, const double size[3], ss_vec3 p, ss_vec3 d)
{
  switch (shape) {
  case SS_SCENE_SPHERE: return meets_ball(p, d, size[0]);
  case SS_SCENE_BOX: return meets_box(p, d, size);
  case SS_SCENE_CYLINDER: return meets_cylinder(p, d, size[0], size[1]);
  case SS_SCENE_CAPSULE:
    return meets_cylinder(p, d, size[0], size[1]) || meets_ball((ss_vec3){p.x, p.y, p.z - size[1]}, d, size[0]) ||
           meets_ball((ss_vec3){p.x, p.y, p.z + size[1]}, d, size[0]);
  case SS_SCENE_ELLIPSOID:
    return meets_ball((ss_vec3){p.x/size[0], p.y/size[1], p.z/size[2]},
                      (ss_vec3){d.x/size[0], d.y/size[1], d.z/size[2]}, 1);
  default: return false;
  }
}
