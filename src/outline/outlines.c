// Outline against outline: descent of two trees of boxes, then points against edges [Slavic & Boltezar 2006, section
// 3.2], in both directions.
//
// A point C touches the edge from A to B if it lies in the region of that edge, no deeper than the skin (36) and no
// farther than the margin. The solid is on the left of AB, gap = -h with the depth h = AB x AC/|AB|      (33)
// Region at a convex corner: up to the bisector of the inner angle                                      (34), (35)
// and outside up to its continuation, so that each point belongs to one of two neighbours.
// Where we go beyond the paper:
// - at a reflex corner, a valley, both edges bound the free space: a point there has two contacts, as it must have to
//   lie in it. Edges count beyond such a corner, as far as the neighbour goes.
// - C must be able to touch: it is no valley, and both edges that meet in it lead away from AB, or along it. If the
//   neighbour beyond the bisector cannot be touched and C lies inside both, it belongs to AB: boxes side by side on a
//   floor are not pushed up and down by their lower corners.
#include "outline/touch.h"

#define TILT 0.02  // rad: edges that lead into the other body by less lie flat on it

// One direction of the search: points of `points` against edges of `edges`
typedef struct search {
  const ss_outline *edges, *points;
  ss_pose2 pose;    // of the points, seen from the edges
  ss_pose2 world;   // of the edges
  int i_edges, i_points;
  double margin, skin, reach;
  ss_touches* out;
} search;

// Both edges that meet in point j lead away from an edge with this direction, or along it
static bool leads_away(const search* s, int j, ss_vec2 along)
{
  const ss_outline* o = s->points;
  if (o->corner[j].kind == SS_CORNER_REFLEX) return false;
  ss_vec2 out = ss_unturn2(&s->pose, ss_right2(along));  // outward normal, in the frame of the points
  bool start = !o->closed && j == 0, end = !o->closed && j == o->n - 1;
  if (!end && ss_dot2(o->edge[j].along, out) < -TILT) return false;
  return start || ss_dot2(o->edge[ss_outline_before(o, j)].along, out) <= TILT;
}

// Whether c, point j, is on the side of edge i at its corner k; beyond: how far it is past the corner, along the edge
static bool within_corner(const search* s, int i, int k, bool is_end, ss_vec2 c, int j, double depth, double beyond)
{
  const ss_outline* o = s->edges;
  const ss_corner* corner = &o->corner[k];
  if (beyond > s->reach) return false;
  if (corner->kind == SS_CORNER_END) return beyond <= 0;
  if (corner->kind == SS_CORNER_REFLEX) return beyond <= corner->extend;
  double side = ss_cross2(corner->bisector, ss_sub2(c, o->point[k]));
  if (is_end ? side >= 0 : side < 0) return true;
  int other = is_end ? k : ss_outline_before(o, k);
  const ss_edge* e = &o->edge[other];
  return depth >= 0 && other != i && ss_cross2(e->along, ss_sub2(c, o->point[k])) >= 0 && !leads_away(s, j, e->along);
}

static void test_point(search* s, int i, int j, ss_vec2 c)
{
  const ss_outline* o = s->edges;
  const ss_edge* e = &o->edge[i];
  ss_vec2 d = ss_sub2(c, o->point[i]);
  double depth = ss_cross2(e->along, d), along = ss_dot2(e->along, d);
  if (!(depth < s->skin && -depth <= s->margin)) return;
  if (!leads_away(s, j, e->along) || !within_corner(s, i, i, false, c, j, depth, -along) ||
      !within_corner(s, i, ss_outline_next(o, i), true, c, j, depth, along - e->length))
    return;
  bool of_a = s->i_edges < s->i_points;  // the edge is one of shape a
  ss_vec2 n = ss_turn2(&s->world, ss_right2(e->along)), p = ss_place2(&s->world, c);
  ss_touch2 t = {.gap = -depth, .point = p, .center_a = p, .center_b = p, .along = along};
  t.turns = of_a ? SS_TURNS_WITH_A : SS_TURNS_WITH_B;
  t.normal = of_a ? n : ss_scale2(-1, n);
  t.key = of_a ? ss_key2(s->i_edges, s->i_points, SS_POINT_OF_B, i, j)
               : ss_key2(s->i_points, s->i_edges, SS_POINT_OF_A, j, i);
  ss_touches_add(s->out, &t);
}

// Points of a leaf: the first ones of its edges, of the last leaf of an open outline also the last one
static int leaf_points(const ss_outline* o, const ss_outline_node* leaf)
{
  return leaf->n + (!o->closed && leaf->first + leaf->n == o->n_edge);
}

static void test_leaves(search* s, const ss_outline_node* edges, const ss_outline_node* points)
{
  int n = leaf_points(s->points, points);
  for (int j = points->first; j < points->first + n; j++) {
    ss_vec2 c = ss_place2(&s->pose, s->points->point[j]);
    for (int i = edges->first; i < edges->first + edges->n; i++) test_point(s, i, j, c);
  }
}

// Boxes with their own axes, b at `pose` seen from a, no farther apart than r: four axes that may separate them
static bool boxes_meet(const ss_outline_node* a, const ss_outline_node* b, const ss_pose2* pose, double r)
{
  double c = fabs(pose->c), s = fabs(pose->s);
  ss_vec2 d = ss_sub2(ss_place2(pose, b->center), a->center);
  if (fabs(d.x) > a->half.x + c*b->half.x + s*b->half.y + r) return false;
  if (fabs(d.y) > a->half.y + s*b->half.x + c*b->half.y + r) return false;
  ss_vec2 e = ss_unturn2(pose, d);
  return fabs(e.x) <= b->half.x + c*a->half.x + s*a->half.y + r &&
         fabs(e.y) <= b->half.y + s*a->half.x + c*a->half.y + r;
}

// `to` has points of b against edges of a, `from` the other way
static void descend(search* to, search* from, int ka, int kb)
{
  const ss_outline_node *a = &to->edges->node[ka], *b = &to->points->node[kb];
  if (!boxes_meet(a, b, &to->pose, 1.5*to->reach)) return;  // a point is at most sqrt(2) reach off its edge
  if (!a->right && !b->right) {
    test_leaves(to, a, b);
    test_leaves(from, b, a);
  } else if (!b->right || (a->right && a->half.x + a->half.y >= b->half.x + b->half.y)) {
    descend(to, from, ka + 1, kb);
    descend(to, from, a->right, kb);
  } else {
    descend(to, from, ka, kb + 1);
    descend(to, from, ka, b->right);
  }
}

void ss_touch_outlines(const ss_outline* a, const ss_pose2* pa, int ia, const ss_outline* b, const ss_pose2* pb, int ib,
                       ss_look2 look, ss_touches* out)
{
  double reach = fmax(look.margin, look.skin);
  search to = {.edges = a, .points = b, .pose = ss_between2(pa, pb), .world = *pa, .i_edges = ia, .i_points = ib,
               .margin = look.margin, .skin = look.skin, .reach = reach, .out = out};
  search from = {.edges = b, .points = a, .pose = ss_between2(pb, pa), .world = *pb, .i_edges = ib, .i_points = ia,
                 .margin = look.margin, .skin = look.skin, .reach = reach, .out = out};
  descend(&to, &from, 0, 0);
}
