// How deep bodies are in each other, however deep that is: for the start of a simulation. Every point and every edge is
// looked at, unless there are too many; later overlaps are found within the skin by the trees.
#include "outline/touch.h"

// By the crossings of a ray to the right
static bool is_inside(const ss_outline* o, ss_vec2 c)
{
  bool inside = false;
  for (int i = 0; i < o->n; i++) {
    ss_vec2 a = o->point[i], b = o->point[ss_outline_next(o, i)];
    if ((a.y > c.y) != (b.y > c.y) && c.x < a.x + (b.x - a.x)*(c.y - a.y)/(b.y - a.y)) inside = !inside;
  }
  return inside;
}

static double distance_to(const ss_outline* o, ss_vec2 c)
{
  double least = INFINITY;
  for (int i = 0; i < o->n_edge; i++) {
    ss_vec2 d = ss_sub2(c, o->point[i]);
    double x = fmin(fmax(ss_dot2(o->edge[i].along, d), 0), o->edge[i].length);
    least = fmin(least, ss_length2(ss_sub2(d, ss_scale2(x, o->edge[i].along))));
  }
  return least;
}

// The deepest point of b in a
static double depth_in(const ss_outline* a, const ss_pose2* pa, const ss_outline* b, const ss_pose2* pb)
{
  ss_pose2 pose = ss_between2(pa, pb);
  double deepest = 0;
  for (int j = 0; j < b->n; j++) {
    ss_vec2 c = ss_place2(&pose, b->point[j]);
    if (is_inside(a, c)) deepest = fmax(deepest, distance_to(a, c));
  }
  return deepest;
}

#define MANY 2e7  // points times edges that are too many to try

double ss_overlap_depth(const ss_shape2* a, const ss_pose2* pa, const ss_shape2* b, const ss_pose2* pb)
{
  bool solid_a = a->kind == SS_SHAPE2_OUTLINE && a->outline->closed;
  bool solid_b = b->kind == SS_SHAPE2_OUTLINE && b->outline->closed;
  if (solid_a && solid_b && (double)a->outline->n*b->outline->n > MANY) return 0;
  if (solid_a && solid_b)
    return fmax(depth_in(a->outline, pa, b->outline, pb), depth_in(b->outline, pb, a->outline, pa));
  if (solid_b) return ss_overlap_depth(b, pb, a, pa);
  if (!solid_a || b->kind != SS_SHAPE2_CIRCLE) return 0;
  ss_vec2 c = ss_unplace2(pa, ss_place2(pb, b->center));
  return is_inside(a->outline, c) ? b->radius + distance_to(a->outline, c) : 0;
}
