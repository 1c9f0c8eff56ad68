// Outline against outline: descent of two trees of boxes, then points against edges [Slavic & Boltezar 2006, section
// 3.2], in both directions.
//
// The solid is on the left of the edge from A to B, gap = -h with the depth h = AB x AC/|AB|            (33)
// A point C of the other body touches AB if h is no more than the skin                                  (36),
// C is able to touch it: it is no valley, and both edges that meet in C lead away from AB, or along it,
// - inside: AB is the nearest of the edges that C is able to touch. Between two neighbours of which it can touch both
//   this is the test of the half-angles (34), (35); boxes side by side on a floor are not pushed up and down by their
//   lower corners. No other part of the outline lies between C and AB: then C is in the solid, however thin or winding
//   that is. Beyond such a part C counts only if it has come through AB just now: the step was too large.
// - outside, no farther than the margin: C is between the bisectors of the corners, continued, so that each point
//   belongs to one of two neighbours.
// Faces of stacks end on one line, and corners meet: where C is at the end of an edge up to round-off (the slack), it
// counts, unless the neighbour has it for certain. A contact that is told twice is told once later (reduce.c).
// At a reflex corner, a valley, both edges bound the free space: a point there has two contacts, as it must have to lie
// in it. Edges count beyond such a corner, as far as the neighbour goes.
#include "outline/touch.h"
#include <float.h>
#include <stdlib.h>

#define TILT 0.02    // rad: edges that lead into the other body by less lie flat on it
#define AS_DEEP 0.9  // of the depth of a point: where its edge leads into the body beside it
#define STEEP 0.1    // rad: edges that turn by less are one floor rather than a floor and a wall
#define FACING 0.8   // rad: boxes with sides that differ by less have a front
#define SLACK (32*DBL_EPSILON)  // of the coordinates: a point seen from an edge is known to a third of it

// One direction of the search: points of `points` against edges of `edges`
typedef struct search {
  const ss_outline *edges, *points;
  ss_pose2 pose;    // of the points, seen from the edges
  ss_pose2 world;   // of the edges
  int i_edges, i_points;
  double margin, skin, reach;
  double slack;     // round-off of where the points are
  const ss_look2* look;
  ss_vec2 v;        // velocity of the points' body at the origin of the edges, relative to them and in their frame
  double omega;     // ..., and its angular velocity
  ss_touches* out;
} search;

// ---- points against edges ------------------------------------------------------------------------------------------

// Both edges that meet in point j lead away from an edge with this direction, or along it
static bool leads_away(const search* s, int j, ss_vec2 along)
{
  const ss_outline* o = s->points;
  if (o->corner[j].kind == SS_CORNER_REFLEX) return false;
  ss_vec2 out = ss_unturn2(&s->pose, ss_right2(along));  // outward normal, in the frame of the points
  if (ss_dot2(o->corner[j].bisector, out) <= 0) return false;
  bool start = !o->closed && j == 0, end = !o->closed && j == o->n - 1;
  if (!end && ss_dot2(o->edge[j].along, out) < -TILT) return false;
  return start || ss_dot2(o->edge[ss_outline_before(o, j)].along, out) <= TILT;
}

// How far c, outside of a convex corner k, is past the bisector, seen from the edge that ends there, or begins. What is
// on the bisector belongs to the first.
static double past_bisector(const search* s, int k, bool is_end, ss_vec2 c)
{
  double side = ss_cross2(s->edges->corner[k].bisector, ss_sub2(c, s->edges->point[k]));
  return is_end ? -side : side == 0 ? DBL_MIN : side;
}

// Whether edge i, which begins at the convex corner k or ends there, has point j at c for certain
static bool has_point(const search* s, int i, int k, int j, ss_vec2 c)
{
  const ss_edge* e = &s->edges->edge[i];
  ss_vec2 d = ss_sub2(c, s->edges->point[k]);
  bool is_end = i != k;
  double beyond = (is_end ? 1 : -1)*ss_dot2(e->along, d);
  bool within = ss_cross2(e->along, d) > 0 ? beyond <= 0 : past_bisector(s, k, is_end, c) <= 0;
  return within && leads_away(s, j, e->along);
}

// Whether point j at c is on the side of the edge at its corner k; beyond: how far it is past the corner, along the
// edge
static bool within_corner(const search* s, int k, bool is_end, int j, ss_vec2 c, double depth, double beyond)
{
  const ss_corner* corner = &s->edges->corner[k];
  if (corner->kind == SS_CORNER_REFLEX) return beyond <= fmin(corner->extend, s->reach);
  if (corner->kind == SS_CORNER_END) return beyond <= s->slack;
  if (beyond > s->reach) return false;
  double past = depth > 0 ? beyond : past_bisector(s, k, is_end, c);
  if (past <= 0) return true;
  return past <= s->slack && !has_point(s, is_end ? k : ss_outline_before(s->edges, k), k, j, c);
}

// Whether point j at c, on its way through edge i and along another one that begins in its corner k, gets over that:
// it can lie on the other edge and is level with it, now and when it comes to the line of edge i, or came there.
// Sliders are not stopped by the joints of what they slide on.
static bool gets_over(const search* s, int i, int k, int j, ss_vec2 c, double depth)
{
  const ss_outline* o = s->edges;
  if (o->corner[k].kind != SS_CORNER_CONVEX) return false;
  ss_vec2 wall = o->edge[i].along, along = o->edge[i == k ? ss_outline_before(o, k) : k].along;
  double level = s->look->level, height = -ss_cross2(along, ss_sub2(c, o->point[k]));
  if (fabs(height) > level || (ss_dot2(wall, along) > 0 && fabs(ss_cross2(wall, along)) < STEEP)) return false;
  ss_vec2 v = ss_add2(s->v, ss_scale2(s->omega, ss_left2(c)));
  double nearer = ss_cross2(wall, v), sink = ss_cross2(along, v), dt = s->look->dt;
  if (nearer*dt <= s->slack || fabs(sink) > nearer || !leads_away(s, j, along)) return false;
  double t = fmin(fmax(-depth/nearer, -dt), dt);
  return height - t*sink >= -level;
}

static void test_point(search* s, int i, int j, ss_vec2 c)
{
  const ss_outline* o = s->edges;
  const ss_edge* e = &o->edge[i];
  ss_vec2 d = ss_sub2(c, o->point[i]);
  double depth = ss_cross2(e->along, d), along = ss_dot2(e->along, d);
  if (!(depth < s->skin && -depth <= s->margin)) return;
  if (!within_corner(s, i, false, j, c, depth, -along) ||
      !within_corner(s, ss_outline_next(o, i), true, j, c, depth, along - e->length) || !leads_away(s, j, e->along))
    return;
  if (s->look->level > 0 &&
      (gets_over(s, i, i, j, c, depth) || gets_over(s, i, ss_outline_next(o, i), j, c, depth)))
    return;
  bool of_a = s->i_edges < s->i_points;  // the edge is one of shape a
  ss_vec2 n = ss_turn2(&s->world, ss_right2(e->along)), p = ss_place2(&s->world, c);
  ss_touch2 t = {.gap = -depth, .point = p, .center_a = p, .center_b = p, .along = along};
  t.turns = of_a ? SS_TURNS_WITH_A : SS_TURNS_WITH_B;
  t.normal = of_a ? n : ss_scale2(-1, n);
  t.key = of_a ? ss_key2(s->i_edges, s->i_points, SS_POINT_OF_B, i, j)
               : ss_key2(s->i_points, s->i_edges, SS_POINT_OF_A, j, i);
  if (ss_touch_may_close(&t, s->look)) ss_touches_add(s->out, &t);
}

// ---- trees ---------------------------------------------------------------------------------------------------------

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

// Whether some normal of a may be opposite to one of b, as it is where one touches the other
static bool faces(const ss_outline_node* a, const ss_outline_node* b, const ss_pose2* pose)
{
  double spread = a->spread + b->spread + 1.01*TILT;
  return spread >= 3.14 || -ss_dot2(a->normal, ss_turn2(pose, b->normal)) >= cos(spread);
}

// How much nearer to box a some point of box b may come, at c seen from a: as ss_touch_may_close() has it, with the
// normals of a and the velocities in b
static double margin_of(const search* s, const ss_outline_node* a, const ss_outline_node* b, ss_vec2 c)
{
  const ss_look2* look = s->look;
  if (!look->a) return s->margin;
  ss_vec2 v = ss_add2(s->v, ss_scale2(s->omega, ss_left2(c)));
  double speed = sqrt(ss_dot2(v, v)), around = fabs(s->omega)*(b->half.x + b->half.y);
  double nearer = fmax(-ss_dot2(v, a->normal), 0) + a->spread*speed + around;
  double turn = (fabs(look->a->omega) + fabs(look->b->omega))*look->dt;
  return fmin(s->margin, (2*nearer + turn*(speed + around))*look->dt + look->near);
}

// How far a point may be past the end of its edge, in these boxes: in a valley as far as edges extend; outside a corner
// by less than tan(spread) times the margin
static double past_end(const search* s, const ss_outline_node* a, const ss_outline_node* b)
{
  double spread = fmax(a->spread, b->spread);
  return spread > FACING ? s->reach : fmin(fmax(a->extend, b->extend) + 1.3*spread*s->margin, s->reach);
}

// Whether box b has a part in front of box a, no farther than the margin, or behind it: points of a touch edges of b,
// and the other way round, only there. Between the normals of both are the spread and the tilt.
static bool is_before(const search* s, const ss_outline_node* a, const ss_outline_node* b)
{
  if (a->spread > FACING) return true;
  ss_vec2 n = ss_unturn2(&s->pose, a->normal), c = ss_place2(&s->pose, b->center);
  double high = fabs(n.x)*b->half.x + fabs(n.y)*b->half.y, wide = fabs(n.y)*b->half.x + fabs(n.x)*b->half.y;
  double past = past_end(s, a, b), beside = (a->spread + TILT)*s->reach + past, along = ss_cross2(a->normal, c);
  if (along + wide < a->from - beside || along - wide > a->to + beside) return false;
  double low = ss_dot2(a->normal, c) - high - a->high - (a->spread + TILT)*past;
  return low <= 0 || (low <= s->margin && low <= margin_of(s, a, b, c));
}

// `to` has points of b against edges of a, `from` the other way
static void descend(search* to, search* from, int ka, int kb)
{
  const ss_outline_node *a = &to->edges->node[ka], *b = &to->points->node[kb];
  if (!ss_outline_boxes_meet(a, b, &to->pose, 1.5*to->reach)) return;  // a point is at most sqrt(2) reach off its edge
  if (!faces(a, b, &to->pose) || !is_before(to, a, b) || !is_before(from, b, a)) return;
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

// ---- the nearest edge ----------------------------------------------------------------------------------------------

static int edge_of(const ss_touch2* t)
{
  return ss_key2_kind(t->key) == SS_POINT_OF_B ? ss_key2_feature_a(t->key) : ss_key2_feature_b(t->key);
}

static int point_of(const ss_touch2* t)
{
  return ss_key2_kind(t->key) == SS_POINT_OF_B ? ss_key2_feature_b(t->key) : ss_key2_feature_a(t->key);
}

// Point by point, those of b first
static int by_point(const void* x, const void* y)
{
  const ss_touch2 *a = x, *b = y;
  int ka = ss_key2_kind(a->key), kb = ss_key2_kind(b->key), pa = point_of(a), pb = point_of(b);
  if (ka != kb) return ka - kb;
  return pa != pb ? pa - pb : edge_of(a) - edge_of(b);
}

static bool same_point(const ss_touch2* a, const ss_touch2* b)
{
  return ss_key2_kind(a->key) == ss_key2_kind(b->key) && point_of(a) == point_of(b);
}

// Edges i and j meet in a valley
static bool share_valley(const ss_outline* o, int i, int j)
{
  int k = ss_outline_next(o, i) == j ? j : ss_outline_next(o, j) == i ? i : -1;
  return k >= 0 && o->corner[k].kind == SS_CORNER_REFLEX;
}

// How far the point is from its edge, which may be past its end in a valley
static double distance(const search* s, const ss_touch2* t)
{
  double beyond = fmax(fmax(-t->along, t->along - s->edges->edge[edge_of(t)].length), 0);
  return beyond > 0 ? hypot(beyond, t->gap) : fabs(t->gap);
}

// An edge of the corner at c: direction away from it, and whether the solid is on the left of that
typedef struct side {
  ss_vec2 d;
  double length;
  bool left;
} side;

// How deep p is behind the line of an edge of the corner at c; negative: in front of it
static double behind(side f, ss_vec2 c, ss_vec2 p)
{
  double depth = ss_cross2(f.d, ss_sub2(p, c));
  return f.left ? depth : -depth;
}

// Whether the edge `back` of the point at c, which is past edge `wall`, leads back through that, under its corner k and
// about as deep. The corner is a touch by itself if it is inside, on this edge.
static bool leads_back(const search* s, const ss_touch2* t, ss_vec2 c, side back, side other, int k, int wall)
{
  const ss_edge* e = &s->edges->edge[wall];
  ss_vec2 V = s->edges->point[k], out = ss_right2(e->along);
  double into = -ss_dot2(back.d, out), past = ss_dot2(out, ss_sub2(c, V));
  if (into <= TILT || past > into*back.length || behind(back, c, V) <= 0) return false;
  if (ss_dot2(back.d, ss_sub2(V, c)) > s->slack && behind(other, c, V) >= 0) return false;
  ss_vec2 meet = ss_add2(c, ss_scale2(past/into, back.d)), face = s->edges->edge[edge_of(t)].along;
  bool on_wall = fabs(ss_dot2(e->along, ss_sub2(meet, V))) <= e->length;
  return on_wall && ss_cross2(face, ss_sub2(meet, V)) >= -AS_DEEP*t->gap;
}

// Corners beside each other, of which neither is inside of the other body while these overlap: the point is past edge
// `wall`, which meets the edge of the touch in its corner k, and an edge of its own leads back through the wall
static bool is_pinched(const search* s, const ss_touch2* t, int k, int wall)
{
  const ss_outline* o = s->points;
  int j = point_of(t), before = ss_outline_before(o, j);
  ss_vec2 c = ss_unplace2(&s->world, t->point);
  if (s->edges->corner[k].kind != SS_CORNER_CONVEX || o->corner[j].kind != SS_CORNER_CONVEX) return false;
  side a = {ss_turn2(&s->pose, o->edge[j].along), o->edge[j].length, true};
  side b = {ss_scale2(-1, ss_turn2(&s->pose, o->edge[before].along)), o->edge[before].length, false};
  return leads_back(s, t, c, a, b, k, wall) || leads_back(s, t, c, b, a, k, wall);
}

// Whether another part of the outline lies between the point and its edge
static bool is_hidden(const search* s, const ss_touch2* t)
{
  const ss_outline* o = s->edges;
  int i = edge_of(t), next = ss_outline_next(o, i);
  double length = o->edge[i].length;
  ss_vec2 c = ss_unplace2(&s->world, t->point);
  ss_vec2 foot = t->along <= s->slack            ? o->point[i]
                 : t->along < length - s->slack ? ss_add2(o->point[i], ss_scale2(t->along, o->edge[i].along))
                                                : o->point[next];
  if (!ss_outline_cuts(o, i, i, c, foot, s->slack)) return false;
  int before = ss_outline_before(o, i);
  if (is_pinched(s, t, i, before) && !ss_outline_cuts(o, i, before, c, foot, s->slack)) return false;
  return !is_pinched(s, t, next, next) || ss_outline_cuts(o, i, next, c, foot, s->slack);
}

// Whether the point was in front of its edge before: its way within dt, seen from the edge, leads through
static bool came_through(const search* s, const ss_touch2* t, const ss_look2* look)
{
  if (!look->a) return false;
  const ss_edge* e = &s->edges->edge[edge_of(t)];
  ss_vec2 v = ss_sub2(ss_velocity2(look->b, t->point), ss_velocity2(look->a, t->point));
  double sink = -look->dt*ss_dot2(v, t->normal);  // deeper by this
  if (sink < -t->gap) return false;
  ss_vec2 way = ss_scale2(ss_key2_kind(t->key) == SS_POINT_OF_B ? look->dt : -look->dt, v);
  double x = t->along + t->gap/sink*ss_dot2(ss_turn2(&s->world, e->along), way);
  return x > s->slack && x < e->length - s->slack;
}

// The nearest overlap of a point that counts, where what it lies on up to round-off is one: what is hidden and has not
// come through does not, and its gap becomes infinite. n: none
static int find_nearest(const search* s, ss_touch2* t, int n, const ss_look2* look)
{
  for (;;) {
    int nearest = n;
    for (int i = 0; i < n; i++)
      if (t[i].gap < s->slack && (nearest == n || distance(s, &t[i]) < distance(s, &t[nearest]))) nearest = i;
    if (nearest == n) return n;
    t[nearest].through = is_hidden(s, &t[nearest]);
    if (!t[nearest].through || came_through(s, &t[nearest], look)) return nearest;
    t[nearest].gap = INFINITY;
  }
}

// Of the overlaps of one point, the nearest and those in a valley with it; returns how many
static int choose(const search* s, ss_touch2* t, int n, const ss_look2* look)
{
  int kept = 0, nearest = find_nearest(s, t, n, look);
  if (nearest == n) return 0;
  int edge = edge_of(&t[nearest]);
  for (int i = 0; i < n; i++)
    if (t[i].gap < s->slack && (i == nearest || share_valley(s->edges, edge, edge_of(&t[i])))) t[kept++] = t[i];
  return kept;
}

// Overlaps, and what touches up to the slack, to the end of the list; returns the number of the first one
static int part_overlaps(ss_touch2* t, int n, double slack)
{
  int k = 0;
  for (int i = 0; i < n; i++) {
    if (t[i].gap < slack) continue;
    ss_touch2 gap = t[i];
    t[i] = t[k];
    t[k++] = gap;
  }
  return k;
}

static void choose_all(const search* to, const search* from, ss_touches* out, int first, const ss_look2* look)
{
  first += part_overlaps(out->list + first, out->n - first, to->slack);
  ss_touch2* t = out->list + first;
  int n = out->n - first, kept = 0;
  if (n > 1) qsort(t, (size_t)n, sizeof *t, by_point);
  for (int i = 0, k; i < n; i = k) {
    for (k = i + 1; k < n && same_point(&t[k], &t[i]);) k++;
    int stay = choose(ss_key2_kind(t[i].key) == SS_POINT_OF_B ? to : from, t + i, k - i, look);
    for (int j = 0; j < stay; j++) t[kept++] = t[i + j];
  }
  out->n = first + kept;
}

static void set_motion(search* s, const ss_motion2* edges, const ss_motion2* points)
{
  s->omega = points->omega - edges->omega;
  s->v = ss_unturn2(&s->world, ss_sub2(ss_velocity2(points, s->world.p), ss_velocity2(edges, s->world.p)));
}

// Of the numbers that say where its points are
static double extent(const ss_outline* o, const ss_pose2* at)
{
  const ss_outline_node* root = o->node;
  double own = fabs(root->center.x) + fabs(root->center.y) + root->half.x + root->half.y;
  return own + fabs(at->p.x) + fabs(at->p.y);
}

void ss_touch_outlines(const ss_outline* a, const ss_pose2* pa, int ia, const ss_outline* b, const ss_pose2* pb, int ib,
                       ss_look2 look, ss_touches* out)
{
  int first = out->n;
  double reach = fmax(look.margin, look.skin), slack = SLACK*(extent(a, pa) + extent(b, pb));
  search to = {.edges = a, .points = b, .pose = ss_between2(pa, pb), .world = *pa, .i_edges = ia, .i_points = ib,
               .margin = look.margin, .skin = look.skin, .reach = reach, .slack = slack, .look = &look, .out = out};
  search from = {.edges = b, .points = a, .pose = ss_between2(pb, pa), .world = *pb, .i_edges = ib, .i_points = ia,
                 .margin = look.margin, .skin = look.skin, .reach = reach, .slack = slack, .look = &look, .out = out};
  if (look.a) {
    set_motion(&to, look.a, look.b);
    set_motion(&from, look.b, look.a);
  }
  descend(&to, &from, 0, 0);
  if (!out->failed && out->n > first) choose_all(&to, &from, out, first, &look);
}
