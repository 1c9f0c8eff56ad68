// A touch by its key, wherever the bodies are: its gap as a smooth function of the poses, for those who follow it. A
// point keeps to the line of its edge; *beyond tells how far it has left the edge, which the caller has to judge.
#include "outline/touch.h"

static double beyond_of(double along, double length) { return fmax(-along, along - length); }

// The line that a shape has under this number
static void line_of(const ss_shape2* s, int edge, ss_vec2* point, ss_vec2* out, double* length)
{
  if (s->kind == SS_SHAPE2_HALFPLANE) {
    *point = s->center;
    *out = s->normal;
    *length = INFINITY;
  } else {
    *point = s->outline->point[edge];
    *out = ss_right2(s->outline->edge[edge].along);
    *length = s->outline->edge[edge].length;
  }
}

// Point (or circle) `feature` of shape p on edge `edge` of shape e
static void on_edge(const ss_shape2* e, const ss_pose2* pe, int edge, const ss_shape2* p, const ss_pose2* pp,
                    int feature, bool of_a, ss_touch2* t, double* beyond)
{
  ss_vec2 start, out;
  double length, radius = p->kind == SS_SHAPE2_CIRCLE ? p->radius : 0;
  line_of(e, edge, &start, &out, &length);
  ss_vec2 c = ss_place2(pp, p->kind == SS_SHAPE2_CIRCLE ? p->center : p->outline->point[feature]);
  ss_vec2 d = ss_sub2(ss_unplace2(pe, c), start), n = ss_turn2(pe, out);
  t->gap = ss_dot2(out, d) - radius;
  t->along = ss_cross2(out, d);
  t->normal = of_a ? n : ss_scale2(-1, n);
  t->turns = of_a ? SS_TURNS_WITH_A : SS_TURNS_WITH_B;
  t->center_a = t->center_b = c;
  *(of_a ? &t->radius_b : &t->radius_a) = radius;
  t->point = radius > 0 ? ss_sub2(c, ss_scale2(radius, n)) : c;  // as ss_touch2_rate() moves it
  *beyond = isfinite(length) ? beyond_of(t->along, length) : -INFINITY;
}

static void round_touch(ss_vec2 ca, double ra, ss_vec2 cb, double rb, ss_touch2* t)
{
  ss_vec2 d = ss_sub2(cb, ca);
  double length = ss_length2(d);
  t->gap = length - ra - rb;
  t->normal = length > 0 ? ss_scale2(1/length, d) : (ss_vec2){0, 1};
  t->turns = SS_TURNS_ROUND;
  t->center_a = ca;
  t->center_b = cb;
  t->radius_a = ra;
  t->radius_b = rb;
  t->point = ss_add2(ca, ss_scale2(ra, t->normal));
}

// Whether a point of outline p can lie on an edge of outline e
static bool can_lie(const ss_outline* e, const ss_pose2* pe, int edge, const ss_outline* p, const ss_pose2* pp, int j)
{
  ss_vec2 out = ss_unturn2(pp, ss_turn2(pe, ss_right2(e->edge[edge].along)));
  return ss_dot2(p->edge[j].along, out) >= -0.02 && ss_dot2(p->edge[ss_outline_before(p, j)].along, out) <= 0.02;
}

// Corners that meet: the one of the four edges there that the other corner can lie on, those of a first
static bool corners(const ss_shape2* a, const ss_pose2* pa, int i, const ss_shape2* b, const ss_pose2* pb, int j,
                    ss_touch2* t, double* beyond)
{
  const ss_outline *x = a->outline, *y = b->outline;
  if (!x->closed || !y->closed) return false;
  for (int k = 0; k < 2; k++) {
    int edge = k ? ss_outline_before(x, i) : i;
    if (!can_lie(x, pa, edge, y, pb, j)) continue;
    on_edge(a, pa, edge, b, pb, j, true, t, beyond);
    return true;
  }
  for (int k = 0; k < 2; k++) {
    int edge = k ? ss_outline_before(y, j) : j;
    if (!can_lie(y, pb, edge, x, pa, i)) continue;
    on_edge(b, pb, edge, a, pa, i, false, t, beyond);
    return true;
  }
  return false;
}

bool ss_touch_follow(const ss_shape2* a, const ss_pose2* pa, const ss_shape2* b, const ss_pose2* pb, uint64_t key,
                     ss_touch2* t, double* beyond)
{
  int fa = ss_key2_feature_a(key), fb = ss_key2_feature_b(key);
  *t = (ss_touch2){.key = key};
  *beyond = -INFINITY;
  switch (ss_key2_kind(key)) {
  case SS_POINT_OF_B: on_edge(a, pa, fa, b, pb, fb, true, t, beyond); return true;
  case SS_POINT_OF_A: on_edge(b, pb, fb, a, pa, fa, false, t, beyond); return true;
  default: break;
  }
  bool round_a = a->kind == SS_SHAPE2_CIRCLE, round_b = b->kind == SS_SHAPE2_CIRCLE;
  if (!round_a && !round_b) return corners(a, pa, fa, b, pb, fb, t, beyond);
  round_touch(ss_place2(pa, round_a ? a->center : a->outline->point[fa]), round_a ? a->radius : 0,
              ss_place2(pb, round_b ? b->center : b->outline->point[fb]), round_b ? b->radius : 0, t);
  return true;
}
