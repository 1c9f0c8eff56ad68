// How deep bodies are in each other, however deep that is: for the start of a simulation. Later overlaps are found
// within the skin (outlines.c).
#include "outline/touch.h"

// ---- places --------------------------------------------------------------------------------------------------------
// The deepest place of one outline in the other need not be a corner. It is searched by bounds: along a way of length r
// the distance to an outline changes by no more than r, and no place of a segment is farther from an edge, nor deeper,
// than the farther one of its ends. So faces that lie on each other are done at once.

// Places of `inner`, seen from the closed outline `outer`
typedef struct dive {
  const ss_outline *outer, *inner;
  ss_pose2 pose;   // of the inner one
  double deepest;  // found so far
  double slack;    // places that are deeper by less are not looked for
} dive;

// How deep c is inside; negative: how far outside
static double depth_of(const ss_outline* o, ss_vec2 c)
{
  double d = ss_outline_distance(o, c);
  return ss_outline_inside(o, c) ? d : -d;
}

// Whether places between p and q, with c in the middle, may be deeper than what has been found
static bool may_be_deeper(dive* d, ss_vec2 p, ss_vec2 c, ss_vec2 q)
{
  int i;
  const ss_outline* o = d->outer;
  double distance = ss_outline_nearest(o, c, &i), depth = ss_outline_inside(o, c) ? distance : -distance;
  d->deepest = fmax(d->deepest, depth);
  if (depth + ss_length2(ss_sub2(q, p))/2 <= d->deepest + d->slack) return false;
  ss_vec2 a = o->point[i], b = o->point[ss_outline_next(o, i)];
  return fmax(ss_segment_distance(a, b, p), ss_segment_distance(a, b, q)) > d->deepest + d->slack;
}

static void search_segment(dive* d, ss_vec2 p, ss_vec2 q)
{
  ss_vec2 c = ss_scale2(0.5, ss_add2(p, q));
  if (!may_be_deeper(d, p, c, q)) return;
  search_segment(d, p, c);
  search_segment(d, c, q);
}

static void search_node(dive* d, int k)
{
  const ss_outline* o = d->inner;
  const ss_outline_node* node = &o->node[k];
  ss_vec2 c = ss_place2(&d->pose, node->center);
  double r = ss_length2(node->half);  // the centre itself need not be a place of the outline
  if (depth_of(d->outer, c) + r <= d->deepest + d->slack) return;
  if (node->right) {
    search_node(d, k + 1);
    search_node(d, node->right);
    return;
  }
  for (int i = node->first; i < node->first + node->n; i++)
    search_segment(d, ss_place2(&d->pose, o->point[i]), ss_place2(&d->pose, o->point[ss_outline_next(o, i)]));
}

static double depth_in(const ss_shape2* a, const ss_pose2* pa, const ss_shape2* b, const ss_pose2* pb, double slack)
{
  if (!a->outline->closed) return 0;
  dive d = {a->outline, b->outline, ss_between2(pa, pb), 0, fmax(slack, 1e-9*a->outline->size)};
  search_node(&d, 0);
  return d.deepest;
}

// ---- crossed edges -------------------------------------------------------------------------------------------------
// Thin bodies that cross are nowhere deep in each other, but cannot be separated by a short way. An edge of each leads
// right through the other body; the shortest way out leads past one of their four ends.

typedef struct crossing {
  const ss_outline *a, *b;
  ss_pose2 pose;   // of b, seen from a
  double deepest;  // way out, found so far
} crossing;

static void cross_edges(crossing* c, int i, int j)
{
  ss_vec2 p = c->a->point[i], q = c->a->point[ss_outline_next(c->a, i)];
  ss_vec2 r = c->b->point[j], s = c->b->point[ss_outline_next(c->b, j)];
  ss_vec2 u = ss_place2(&c->pose, r), v = ss_place2(&c->pose, s);
  if (!ss_segments_meet(p, q, u, v)) return;
  double out = fmin(fmin(ss_segment_distance(p, q, u), ss_segment_distance(p, q, v)),
                    fmin(ss_segment_distance(u, v, p), ss_segment_distance(u, v, q)));
  if (out <= c->deepest || ss_outline_inside(c->a, u) || ss_outline_inside(c->a, v)) return;
  if (ss_outline_inside(c->b, ss_unplace2(&c->pose, p)) || ss_outline_inside(c->b, ss_unplace2(&c->pose, q))) return;
  c->deepest = out;
}

static void cross_nodes(crossing* c, int ka, int kb)
{
  const ss_outline_node *a = &c->a->node[ka], *b = &c->b->node[kb];
  if (!ss_outline_boxes_meet(a, b, &c->pose, 0)) return;
  if (!a->right && !b->right) {
    for (int i = a->first; i < a->first + a->n; i++)
      for (int j = b->first; j < b->first + b->n; j++) cross_edges(c, i, j);
  } else if (!b->right || (a->right && a->n >= b->n)) {
    cross_nodes(c, ka + 1, kb);
    cross_nodes(c, a->right, kb);
  } else {
    cross_nodes(c, ka, kb + 1);
    cross_nodes(c, ka, b->right);
  }
}

static double depth_of_crossing(const ss_shape2* a, const ss_pose2* pa, const ss_shape2* b, const ss_pose2* pb)
{
  if (!a->outline->closed || !b->outline->closed) return 0;
  crossing c = {a->outline, b->outline, ss_between2(pa, pb), 0};
  cross_nodes(&c, 0, 0);
  return c.deepest;
}

// ---- all -----------------------------------------------------------------------------------------------------------

static double depth_of_circle(const ss_shape2* a, const ss_pose2* pa, const ss_shape2* circle, const ss_pose2* pb)
{
  ss_vec2 c = ss_unplace2(pa, ss_place2(pb, circle->center));
  bool inside = a->outline->closed && ss_outline_inside(a->outline, c);
  return inside ? circle->radius + ss_outline_distance(a->outline, c) : 0;
}

double ss_overlap_depth(const ss_shape2* a, const ss_pose2* pa, const ss_shape2* b, const ss_pose2* pb, double slack)
{
  bool outline_a = a->kind == SS_SHAPE2_OUTLINE, outline_b = b->kind == SS_SHAPE2_OUTLINE;
  if (outline_a && outline_b)
    return fmax(fmax(depth_in(a, pa, b, pb, slack), depth_in(b, pb, a, pa, slack)), depth_of_crossing(a, pa, b, pb));
  if (outline_a && b->kind == SS_SHAPE2_CIRCLE) return depth_of_circle(a, pa, b, pb);
  return outline_b && a->kind == SS_SHAPE2_CIRCLE ? depth_of_circle(b, pb, a, pa) : 0;
}
