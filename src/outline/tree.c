// The tree of boxes of an outline [Slavic & Boltezar 2006, section 3.2.1], made once in the frame of the body, and what
// can be told from it alone: whether the outline crosses itself.
#include "outline/outline.h"

enum { LEAF = 2 };  // edges, that is two or three points

// The angle of an edge, also of the one before the first and the one behind the last: a closed outline turns once.
// The end of an open one can touch with all that is in front of it.
static double angle_of(const ss_outline* o, int i)
{
  const double turn = 6.283185307179586, quarter = turn/4;
  if (i < 0) return o->closed ? o->edge[o->n_edge - 1].angle - turn : o->edge[0].angle - quarter;
  if (i < o->n_edge) return o->edge[i].angle;
  return o->closed ? o->edge[0].angle + turn : o->edge[o->n_edge - 1].angle + quarter;
}

static void find_normals(const ss_outline* o, ss_outline_node* node)
{
  double low = INFINITY, high = -INFINITY;
  for (int i = node->first - 1; i <= node->first + node->n; i++) {
    low = fmin(low, angle_of(o, i));
    high = fmax(high, angle_of(o, i));
  }
  node->angle = (low + high)/2;
  node->spread = (high - low)/2;
  node->normal = (ss_vec2){cos(node->angle), sin(node->angle)};
  node->high = node->to = -INFINITY;
  node->from = INFINITY;
  for (int i = node->first; i <= node->first + node->n; i++) {
    int k = i < o->n ? i : 0;
    double along = ss_cross2(node->normal, o->point[k]);
    node->high = fmax(node->high, ss_dot2(node->normal, o->point[k]));
    node->from = fmin(node->from, along);
    node->to = fmax(node->to, along);
    if (o->corner[k].kind == SS_CORNER_REFLEX) node->extend = fmax(node->extend, o->corner[k].extend);
  }
}

static int make_node(ss_outline* o, int first, int n)
{
  int k = o->n_node++;
  ss_outline_node* node = &o->node[k];
  ss_vec2 low = o->point[first], high = low;
  for (int i = first; i < first + n; i++) {
    ss_vec2 p = o->point[ss_outline_next(o, i)];
    low = (ss_vec2){fmin(low.x, p.x), fmin(low.y, p.y)};
    high = (ss_vec2){fmax(high.x, p.x), fmax(high.y, p.y)};
  }
  *node = (ss_outline_node){.center = ss_scale2(0.5, ss_add2(low, high)), .half = ss_scale2(0.5, ss_sub2(high, low)),
                            .first = first, .n = n};
  find_normals(o, node);
  if (n <= LEAF) return k;
  make_node(o, first, n/2);
  int right = make_node(o, first + n/2, n - n/2);
  o->node[k].right = right;
  return k;
}

void ss_outline_make_tree(ss_outline* o)
{
  o->n_node = 0;
  make_node(o, 0, o->n_edge);
}

// ---- boxes ---------------------------------------------------------------------------------------------------------

// Four axes may separate them
bool ss_outline_boxes_meet(const ss_outline_node* a, const ss_outline_node* b, const ss_pose2* pose, double r)
{
  double c = fabs(pose->c), s = fabs(pose->s);
  ss_vec2 d = ss_sub2(ss_place2(pose, b->center), a->center);
  if (fabs(d.x) > a->half.x + c*b->half.x + s*b->half.y + r) return false;
  if (fabs(d.y) > a->half.y + s*b->half.x + c*b->half.y + r) return false;
  ss_vec2 e = ss_unturn2(pose, d);
  return fabs(e.x) <= b->half.x + c*a->half.x + s*a->half.y + r &&
         fabs(e.y) <= b->half.y + s*a->half.x + c*a->half.y + r;
}

// ---- crossing ------------------------------------------------------------------------------------------------------

static double side(ss_vec2 a, ss_vec2 b, ss_vec2 c) { return ss_cross2(ss_sub2(b, a), ss_sub2(c, a)); }

static bool between(double a, double b, double x) { return fmin(a, b) <= x && x <= fmax(a, b); }

static bool on_segment(ss_vec2 a, ss_vec2 b, ss_vec2 c)
{
  return side(a, b, c) == 0 && between(a.x, b.x, c.x) && between(a.y, b.y, c.y);
}

static bool apart(double a, double b, double c, double d) { return fmax(a, b) < fmin(c, d) || fmax(c, d) < fmin(a, b); }

// Boxes first: of segments on one line the sides are round-off
bool ss_segments_meet(ss_vec2 a, ss_vec2 b, ss_vec2 c, ss_vec2 d)
{
  if (apart(a.x, b.x, c.x, d.x) || apart(a.y, b.y, c.y, d.y)) return false;
  if (on_segment(a, b, c) || on_segment(a, b, d) || on_segment(c, d, a) || on_segment(c, d, b)) return true;
  return (side(a, b, c) > 0) != (side(a, b, d) > 0) && (side(c, d, a) > 0) != (side(c, d, b) > 0);
}

static bool edges_meet(const ss_outline* o, int i, int j)
{
  if (i == j || ss_outline_next(o, i) == j || ss_outline_next(o, j) == i) return false;  // neighbours
  return ss_segments_meet(o->point[i], o->point[ss_outline_next(o, i)], o->point[j], o->point[ss_outline_next(o, j)]);
}

static bool leaves_meet(const ss_outline* o, const ss_outline_node* a, const ss_outline_node* b, int* i, int* j)
{
  for (*i = a->first; *i < a->first + a->n; (*i)++)
    for (*j = b->first; *j < b->first + b->n; (*j)++)
      if (edges_meet(o, *i, *j)) return true;
  return false;
}

static bool nodes_meet(const ss_outline* o, int ka, int kb, int* i, int* j)
{
  const ss_outline_node *a = &o->node[ka], *b = &o->node[kb];
  ss_vec2 d = ss_sub2(b->center, a->center);
  double slack = 1e-15*o->size;
  if (fabs(d.x) > a->half.x + b->half.x + slack || fabs(d.y) > a->half.y + b->half.y + slack) return false;
  if (!a->right && !b->right) return leaves_meet(o, a, b, i, j);
  if (ka == kb)
    return nodes_meet(o, ka + 1, ka + 1, i, j) || nodes_meet(o, a->right, a->right, i, j) ||
           nodes_meet(o, ka + 1, a->right, i, j);
  if (!b->right || (a->right && a->n >= b->n))
    return nodes_meet(o, ka + 1, kb, i, j) || nodes_meet(o, a->right, kb, i, j);
  return nodes_meet(o, ka, kb + 1, i, j) || nodes_meet(o, ka, b->right, i, j);
}

bool ss_outline_crosses(const ss_outline* o, int* i, int* j) { return nodes_meet(o, 0, 0, i, j); }
