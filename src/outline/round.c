// Circles and half-planes, against each other and against outlines; and how touches move.
#include "outline/touch.h"

// ---- circles -------------------------------------------------------------------------------------------------------

// Two circles, or a circle and a point; b of radius 0 is a point. Centres that coincide have no normal of their own.
static void touch_round(ss_vec2 ca, double ra, ss_vec2 cb, double rb, uint64_t key, double margin, ss_touches* out)
{
  ss_vec2 d = ss_sub2(cb, ca);
  double length = ss_length2(d), gap = length - ra - rb;
  if (gap > margin) return;
  ss_vec2 n = length > 0 ? ss_scale2(1/length, d) : (ss_vec2){0, 1};
  ss_touch2 t = {.key = key, .gap = gap, .normal = n, .turns = SS_TURNS_ROUND, .center_a = ca, .center_b = cb,
                 .radius_a = ra, .radius_b = rb, .point = ss_add2(ca, ss_scale2(ra + gap/2, n))};
  ss_touches_add(out, &t);
}

// An outline and a circle at c, in the frame of the outline
typedef struct rolling {
  const ss_outline* o;
  ss_pose2 world;
  ss_vec2 c, c_world;
  double radius;
  bool of_a;  // the outline is shape a
  int ia, ib;
  ss_look2 look;
  ss_touches* out;
} rolling;

static void test_edge(const rolling* r, int i)
{
  const ss_edge* e = &r->o->edge[i];
  ss_vec2 d = ss_sub2(r->c, r->o->point[i]);
  double along = ss_dot2(e->along, d), gap = -ss_cross2(e->along, d) - r->radius;
  if (along < 0 || along > e->length || gap > r->look.margin || -gap > r->look.skin + r->radius) return;
  ss_vec2 n = ss_turn2(&r->world, ss_right2(e->along));
  ss_touch2 t = {.gap = gap, .normal = r->of_a ? n : ss_scale2(-1, n), .center_a = r->c_world, .center_b = r->c_world,
                 .point = ss_sub2(r->c_world, ss_scale2(r->radius + gap/2, n)), .along = along};
  t.turns = r->of_a ? SS_TURNS_WITH_A : SS_TURNS_WITH_B;
  *(r->of_a ? &t.radius_b : &t.radius_a) = r->radius;
  t.key = r->of_a ? ss_key2(r->ia, r->ib, SS_POINT_OF_B, i, 0) : ss_key2(r->ia, r->ib, SS_POINT_OF_A, 0, i);
  ss_touches_add(r->out, &t);
}

// The region of a corner: beyond the ends of both edges
static void test_corner(const rolling* r, int i)
{
  const ss_outline* o = r->o;
  ss_vec2 d = ss_sub2(r->c, o->point[i]);
  bool start = !o->closed && i == 0, end = !o->closed && i == o->n - 1;
  if (o->corner[i].kind == SS_CORNER_REFLEX) return;
  if (!end && ss_dot2(o->edge[i].along, d) >= 0) return;
  if (!start && ss_dot2(o->edge[ss_outline_before(o, i)].along, d) <= 0) return;
  ss_vec2 p = ss_place2(&r->world, o->point[i]);
  if (r->of_a)
    touch_round(p, 0, r->c_world, r->radius, ss_key2(r->ia, r->ib, SS_TWO_POINTS, i, 0), r->look.margin, r->out);
  else
    touch_round(r->c_world, r->radius, p, 0, ss_key2(r->ia, r->ib, SS_TWO_POINTS, 0, i), r->look.margin, r->out);
}

static void roll(const rolling* r, int k)
{
  const ss_outline* o = r->o;
  const ss_outline_node* node = &o->node[k];
  double reach = r->radius + fmax(r->look.margin, r->look.skin);
  if (fabs(r->c.x - node->center.x) > node->half.x + reach || fabs(r->c.y - node->center.y) > node->half.y + reach)
    return;
  if (node->right) {
    roll(r, k + 1);
    roll(r, node->right);
    return;
  }
  for (int i = node->first; i < node->first + node->n; i++) {
    test_edge(r, i);
    test_corner(r, i);
  }
  if (!o->closed && node->first + node->n == o->n_edge) test_corner(r, o->n - 1);
}

// ---- half-planes ---------------------------------------------------------------------------------------------------

// A half-plane with its edge through p, and an outline; both in the frame of the outline
typedef struct lying {
  const ss_outline* o;
  ss_pose2 world;
  ss_vec2 p, n;
  bool of_a;  // the half-plane is shape a
  int ia, ib;
  double margin;
  ss_touches* out;
} lying;

static void test_point(const lying* l, int j)
{
  ss_vec2 c = l->o->point[j], d = ss_sub2(c, l->p);
  double gap = ss_dot2(l->n, d);
  if (gap > l->margin) return;
  ss_vec2 n = ss_turn2(&l->world, l->n), w = ss_place2(&l->world, c);
  ss_touch2 t = {.gap = gap, .normal = l->of_a ? n : ss_scale2(-1, n), .center_a = w, .center_b = w, .point = w,
                 .along = ss_cross2(l->n, d)};
  t.turns = l->of_a ? SS_TURNS_WITH_A : SS_TURNS_WITH_B;
  t.key = l->of_a ? ss_key2(l->ia, l->ib, SS_POINT_OF_B, 0, j) : ss_key2(l->ia, l->ib, SS_POINT_OF_A, j, 0);
  ss_touches_add(l->out, &t);
}

static void lie(const lying* l, int k)
{
  const ss_outline_node* node = &l->o->node[k];
  double low = ss_dot2(l->n, ss_sub2(node->center, l->p)) - fabs(l->n.x)*node->half.x - fabs(l->n.y)*node->half.y;
  if (low > l->margin) return;
  if (node->right) {
    lie(l, k + 1);
    lie(l, node->right);
    return;
  }
  int last = node->first + node->n - (l->o->closed || node->first + node->n < l->o->n_edge);
  for (int j = node->first; j <= last; j++) test_point(l, j);
}

// A circle at c over a half-plane through p with the normal n, in the world
static void touch_flat_round(ss_vec2 p, ss_vec2 n, ss_vec2 c, double radius, bool of_a, int ia, int ib, double margin,
                             ss_touches* out)
{
  double gap = ss_dot2(n, ss_sub2(c, p)) - radius;
  if (gap > margin) return;
  ss_touch2 t = {.gap = gap, .normal = of_a ? n : ss_scale2(-1, n), .center_a = c, .center_b = c,
                 .point = ss_sub2(c, ss_scale2(radius + gap/2, n)), .turns = of_a ? SS_TURNS_WITH_A : SS_TURNS_WITH_B};
  *(of_a ? &t.radius_b : &t.radius_a) = radius;
  t.key = ss_key2(ia, ib, of_a ? SS_POINT_OF_B : SS_POINT_OF_A, 0, 0);
  ss_touches_add(out, &t);
}

// ---- all pairs -----------------------------------------------------------------------------------------------------

// s, which is round or a half-plane, against an outline; of_a: the outline is shape a
static void touch_outline(const ss_outline* o, const ss_pose2* po, const ss_shape2* s, const ss_pose2* ps, bool of_a,
                          int ia, int ib, ss_look2 look, ss_touches* out)
{
  ss_vec2 c = ss_place2(ps, s->center);
  if (s->kind == SS_SHAPE2_CIRCLE) {
    rolling r = {.o = o, .world = *po, .c = ss_unplace2(po, c), .c_world = c, .radius = s->radius, .of_a = of_a,
                 .ia = ia, .ib = ib, .look = look, .out = out};
    roll(&r, 0);
  } else {
    lying l = {.o = o, .world = *po, .p = ss_unplace2(po, c), .n = ss_unturn2(po, ss_turn2(ps, s->normal)),
               .of_a = !of_a, .ia = ia, .ib = ib, .margin = look.margin, .out = out};
    lie(&l, 0);
  }
}

static void touch_simple(const ss_shape2* a, const ss_pose2* pa, int ia, const ss_shape2* b, const ss_pose2* pb, int ib,
                         double margin, ss_touches* out)
{
  bool flat_a = a->kind == SS_SHAPE2_HALFPLANE, flat_b = b->kind == SS_SHAPE2_HALFPLANE;
  ss_vec2 ca = ss_place2(pa, a->center), cb = ss_place2(pb, b->center);
  if (flat_a && flat_b) return;
  if (flat_a) touch_flat_round(ca, ss_turn2(pa, a->normal), cb, b->radius, true, ia, ib, margin, out);
  else if (flat_b) touch_flat_round(cb, ss_turn2(pb, b->normal), ca, a->radius, false, ia, ib, margin, out);
  else touch_round(ca, a->radius, cb, b->radius, ss_key2(ia, ib, SS_TWO_POINTS, 0, 0), margin, out);
}

void ss_touch_pair(const ss_shape2* a, const ss_pose2* pa, int ia, const ss_shape2* b, const ss_pose2* pb, int ib,
                   ss_look2 look, ss_touches* out)
{
  int first = out->n;
  bool outline_a = a->kind == SS_SHAPE2_OUTLINE, outline_b = b->kind == SS_SHAPE2_OUTLINE;
  if (outline_a && outline_b) ss_touch_outlines(a->outline, pa, ia, b->outline, pb, ib, look, out);
  else if (outline_a) touch_outline(a->outline, pa, b, pb, true, ia, ib, look, out);
  else if (outline_b) touch_outline(b->outline, pb, a, pa, false, ia, ib, look, out);
  else touch_simple(a, pa, ia, b, pb, ib, look.margin, out);
  if (!(outline_a && outline_b) && !out->failed) ss_touches_drop_far(out, first, look);
  bool points = (outline_a && b->kind != SS_SHAPE2_CIRCLE) || (outline_b && a->kind != SS_SHAPE2_CIRCLE);
  if (points && !out->failed) ss_touches_reduce(out, first, a, b);
}

// ---- motion --------------------------------------------------------------------------------------------------------

// The normal turns with the body whose edge it is on, or with the line of the centres; the point is on the circle, or
// is the point, of the other body (of a, if both are round).
void ss_touch2_rate(const ss_touch2* t, const ss_motion2* a, const ss_motion2* b, ss_vec2* point, ss_vec2* normal)
{
  ss_vec2 va = ss_velocity2(a, t->center_a), vb = ss_velocity2(b, t->center_b), side = ss_left2(t->normal);
  double distance = ss_length2(ss_sub2(t->center_b, t->center_a));
  double turn = t->turns == SS_TURNS_WITH_A ? a->omega
                : t->turns == SS_TURNS_WITH_B ? b->omega
                : distance > 0 ? ss_dot2(side, ss_sub2(vb, va))/distance : 0;
  *normal = ss_scale2(turn, side);
  *point = t->turns == SS_TURNS_WITH_A ? ss_sub2(vb, ss_scale2(t->radius_b, *normal))
                                       : ss_add2(va, ss_scale2(t->radius_a, *normal));
}
