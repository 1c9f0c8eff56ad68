// A touch by its key, wherever the bodies are: its gap as a smooth function of the poses, for those who follow it. A
// point keeps to the line of its edge, a circle to its edge or its corner, until that ends; what goes on from there is
// next.c.
#include "outline/touch.h"

// The line that a shape has under this number
static void line_of(const ss_shape2* s, int edge, ss_vec2* point, ss_vec2* out)
{
  bool flat = s->kind == SS_SHAPE2_HALFPLANE;
  *point = flat ? s->center : s->outline->point[edge];
  *out = flat ? s->normal : ss_right2(s->outline->edge[edge].along);
}

// x and y to the ends of a feature, infinite where it has none: near an end the way to it, smooth in between
static double room_between(double x, double y)
{
  if (isinf(x) || isinf(y)) return fmin(x, y);
  return x + y > 0 ? x*y/(x + y) : fmin(x, y);
}

// On an edge: beyond a valley it does not end, the other edge is in the way there
static double room_on_edge(const ss_shape2* s, int edge, double along)
{
  if (s->kind == SS_SHAPE2_HALFPLANE) return INFINITY;
  const ss_outline* o = s->outline;
  bool start = o->corner[edge].kind != SS_CORNER_REFLEX;
  bool end = o->corner[ss_outline_next(o, edge)].kind != SS_CORNER_REFLEX;
  return room_between(start ? along : INFINITY, end ? o->edge[edge].length - along : INFINITY);
}

// Around corner k, of a circle whose centre is d away from it, in the frame of the outline
static double room_at_corner(const ss_outline* o, int k, ss_vec2 d)
{
  bool first = !o->closed && k == 0, last = !o->closed && k == o->n - 1;
  return room_between(first ? INFINITY : ss_dot2(o->edge[ss_outline_before(o, k)].along, d),
                      last ? INFINITY : -ss_dot2(o->edge[k].along, d));
}

// Point (or circle) `feature` of shape p on edge `edge` of shape e
static double on_edge(const ss_shape2* e, const ss_pose2* pe, int edge, const ss_shape2* p, const ss_pose2* pp,
                      int feature, bool of_a, ss_touch2* t)
{
  ss_vec2 start, out;
  double radius = p->kind == SS_SHAPE2_CIRCLE ? p->radius : 0;
  line_of(e, edge, &start, &out);
  ss_vec2 c = ss_place2(pp, p->kind == SS_SHAPE2_CIRCLE ? p->center : p->outline->point[feature]);
  ss_vec2 d = ss_sub2(ss_unplace2(pe, c), start), n = ss_turn2(pe, out);
  t->gap = ss_dot2(out, d) - radius;
  t->along = ss_cross2(out, d);
  t->normal = of_a ? n : ss_scale2(-1, n);
  t->turns = of_a ? SS_TURNS_WITH_A : SS_TURNS_WITH_B;
  t->center_a = t->center_b = c;
  *(of_a ? &t->radius_b : &t->radius_a) = radius;
  t->point = radius > 0 ? ss_sub2(c, ss_scale2(radius, n)) : c;  // as ss_touch2_rate() moves it
  return room_on_edge(e, edge, t->along);
}

static double round_touch(const ss_pair2* p, int fa, int fb, ss_touch2* t)
{
  bool round_a = p->a->kind == SS_SHAPE2_CIRCLE, round_b = p->b->kind == SS_SHAPE2_CIRCLE;
  ss_vec2 ca = ss_place2(p->pa, round_a ? p->a->center : p->a->outline->point[fa]);
  ss_vec2 cb = ss_place2(p->pb, round_b ? p->b->center : p->b->outline->point[fb]), d = ss_sub2(cb, ca);
  double length = ss_length2(d);
  t->radius_a = round_a ? p->a->radius : 0;
  t->radius_b = round_b ? p->b->radius : 0;
  t->gap = length - t->radius_a - t->radius_b;
  t->normal = length > 0 ? ss_scale2(1/length, d) : (ss_vec2){0, 1};
  t->turns = SS_TURNS_ROUND;
  t->center_a = ca;
  t->center_b = cb;
  t->point = ss_add2(ca, ss_scale2(t->radius_a, t->normal));
  if (!round_a) return room_at_corner(p->a->outline, fa, ss_unturn2(p->pa, d));
  return round_b ? INFINITY : room_at_corner(p->b->outline, fb, ss_unturn2(p->pb, ss_scale2(-1, d)));
}

double ss_touch_follow(const ss_pair2* p, uint64_t key, ss_touch2* t)
{
  int fa = ss_key2_feature_a(key), fb = ss_key2_feature_b(key);
  *t = (ss_touch2){.key = key};
  switch (ss_key2_kind(key)) {
  case SS_POINT_OF_B: return on_edge(p->a, p->pa, fa, p->b, p->pb, fb, true, t);
  case SS_POINT_OF_A: return on_edge(p->b, p->pb, fb, p->a, p->pa, fa, false, t);
  default: return round_touch(p, fa, fb, t);
  }
}

static bool has_point(const ss_shape2* s, int feature)
{
  return s->kind == SS_SHAPE2_CIRCLE || (s->outline && feature < s->outline->n);
}

static bool has_edge(const ss_shape2* s, int edge)
{
  return s->kind == SS_SHAPE2_HALFPLANE || (s->outline && edge < s->outline->n_edge);
}

bool ss_touch_has_key(const ss_pair2* p, uint64_t key)
{
  int fa = ss_key2_feature_a(key), fb = ss_key2_feature_b(key);
  switch (ss_key2_kind(key)) {
  case SS_POINT_OF_B: return has_edge(p->a, fa) && has_point(p->b, fb);
  case SS_POINT_OF_A: return has_edge(p->b, fb) && has_point(p->a, fa);
  default: return has_point(p->a, fa) && has_point(p->b, fb);
  }
}
