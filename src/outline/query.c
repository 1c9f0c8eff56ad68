// Questions to an outline by its tree of boxes: is a point inside, how far is it away, does a segment meet an edge.
#include "outline/outline.h"

static ss_vec2 end_of(const ss_outline* o, int i) { return o->point[ss_outline_next(o, i)]; }

// ---- inside --------------------------------------------------------------------------------------------------------

// Crossings of a ray from c to the right with the edges of a node
static int count_crossings(const ss_outline* o, int k, ss_vec2 c)
{
  const ss_outline_node* node = &o->node[k];
  ss_vec2 d = ss_sub2(c, node->center);
  double slack = 1e-15*(fabs(c.x) + fabs(c.y) + o->size);  // boxes are known up to round-off
  if (fabs(d.y) > node->half.y + slack || d.x > node->half.x + slack) return 0;
  if (node->right) return count_crossings(o, k + 1, c) + count_crossings(o, node->right, c);
  int n = 0;
  for (int i = node->first; i < node->first + node->n; i++) {
    ss_vec2 a = o->point[i], b = end_of(o, i);
    n += (a.y > c.y) != (b.y > c.y) && c.x < a.x + (b.x - a.x)*(c.y - a.y)/(b.y - a.y);
  }
  return n;
}

bool ss_outline_inside(const ss_outline* o, ss_vec2 c) { return count_crossings(o, 0, c)%2 == 1; }

// ---- distance ------------------------------------------------------------------------------------------------------

double ss_segment_distance(ss_vec2 a, ss_vec2 b, ss_vec2 c)
{
  ss_vec2 e = ss_sub2(b, a), d = ss_sub2(c, a);
  double x = fmin(fmax(ss_dot2(e, d)/ss_dot2(e, e), 0), 1);
  return ss_length2(ss_sub2(d, ss_scale2(x, e)));
}

static double distance_to_box(const ss_outline_node* node, ss_vec2 c)
{
  double x = fmax(fabs(c.x - node->center.x) - node->half.x, 0), y = fmax(fabs(c.y - node->center.y) - node->half.y, 0);
  return hypot(x, y);
}

// The least of `least` and the distances to the edges of a node, the nearer child first; *edge: which one it is of
static double nearest(const ss_outline* o, int k, ss_vec2 c, double least, int* edge)
{
  const ss_outline_node* node = &o->node[k];
  if (!node->right) {
    for (int i = node->first; i < node->first + node->n; i++) {
      double d = ss_segment_distance(o->point[i], end_of(o, i), c);
      if (d >= least) continue;
      least = d;
      *edge = i;
    }
    return least;
  }
  int child[2] = {k + 1, node->right};
  double d[2] = {distance_to_box(&o->node[child[0]], c), distance_to_box(&o->node[child[1]], c)};
  for (int j = 0; j < 2; j++) {
    int next = (d[1] < d[0]) != j;
    if (d[next] < least) least = nearest(o, child[next], c, least, edge);
  }
  return least;
}

double ss_outline_nearest(const ss_outline* o, ss_vec2 c, int* edge)
{
  *edge = 0;
  return nearest(o, 0, c, INFINITY, edge);
}

double ss_outline_distance(const ss_outline* o, ss_vec2 c)
{
  int edge;
  return ss_outline_nearest(o, c, &edge);
}

// ---- segments ------------------------------------------------------------------------------------------------------

// The boxes of node and segment, and the line of the segment against the corners of the box
static bool may_meet(const ss_outline_node* node, ss_vec2 p, ss_vec2 q)
{
  ss_vec2 m = ss_sub2(ss_scale2(0.5, ss_add2(p, q)), node->center), h = ss_scale2(0.5, ss_sub2(q, p));
  double x = fabs(h.x), y = fabs(h.y), slack = 1e-15*(fabs(p.x) + fabs(p.y) + fabs(q.x) + fabs(q.y));
  if (fabs(m.x) > node->half.x + x + slack || fabs(m.y) > node->half.y + y + slack) return false;
  return fabs(ss_cross2(h, m)) <= x*node->half.y + y*node->half.x + slack*(x + y);
}

static bool is_same(ss_vec2 a, ss_vec2 b) { return a.x == b.x && a.y == b.y; }

static bool cuts(const ss_outline* o, int k, const int but[2], ss_vec2 p, ss_vec2 q, double slack)
{
  const ss_outline_node* node = &o->node[k];
  if (!may_meet(node, p, q)) return false;
  if (node->right) return cuts(o, k + 1, but, p, q, slack) || cuts(o, node->right, but, p, q, slack);
  for (int i = node->first; i < node->first + node->n; i++) {
    ss_vec2 a = o->point[i], b = end_of(o, i);
    if (i == but[0] || i == but[1] || is_same(q, a) || is_same(q, b)) continue;
    if (ss_segments_meet(p, q, a, b) && ss_segment_distance(a, b, p) > slack) return true;
  }
  return false;
}

bool ss_outline_cuts(const ss_outline* o, int i, int j, ss_vec2 p, ss_vec2 q, double slack)
{
  return cuts(o, 0, (int[]){i, j}, p, q, slack);
}
