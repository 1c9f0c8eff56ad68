// Where a touch ends, another one goes on [Slavic & Boltezar 2006, section 3.2: contact points that slide from edge to
// edge]. A point C that comes to the end V of its edge meets another corner there. The normals that both corners allow
// reach from that of the edge to that of the other edge at V, or of one of the two edges that meet in C: of the
// touches that are possible there the one whose normal has turned least goes on. It leads away from the first one, so
// that it opens, unless both lie on one line. A circle passes from the edge to the corner and from there to the next
// edge; its normal does not jump.
#include "outline/touch.h"

#include <string.h>

#define TILT 0.02    // rad: edges that lead into the other body by less lie flat on it, as where touches are found
#define FLAT 1e-9    // rad: normals that differ by less are one

// A touch as a point of one shape on an edge of the other
typedef struct contact {
  const ss_outline *edges, *points;
  ss_pose2 pose;  // of the points, seen from the edges
  int edge, point;
  bool of_a;      // the edge is one of shape a
} contact;

static contact read_key(const ss_pair2* p, uint64_t key)
{
  bool of_a = ss_key2_kind(key) == SS_POINT_OF_B;
  int fa = ss_key2_feature_a(key), fb = ss_key2_feature_b(key);
  return (contact){.edges = (of_a ? p->a : p->b)->outline, .points = (of_a ? p->b : p->a)->outline,
                   .pose = of_a ? ss_between2(p->pa, p->pb) : ss_between2(p->pb, p->pa), .edge = of_a ? fa : fb,
                   .point = of_a ? fb : fa, .of_a = of_a};
}

static uint64_t key_on_edge(uint64_t key, bool of_a, int edge, int point)
{
  return ss_key2(ss_key2_a(key), ss_key2_b(key), of_a ? SS_POINT_OF_B : SS_POINT_OF_A, of_a ? edge : point,
                 of_a ? point : edge);
}

// The edge that ends in corner k, that begins there; -1: none
static int edge_before(const ss_outline* o, int k) { return o->closed || k > 0 ? ss_outline_before(o, k) : -1; }
static int edge_behind(const ss_outline* o, int k) { return o->closed || k < o->n - 1 ? k : -1; }

// Whether corner k can lie on an edge with this outward normal, in the frame of the corner
static bool can_lie(const ss_outline* o, int k, ss_vec2 out)
{
  int before = edge_before(o, k), behind = edge_behind(o, k);
  if (o->corner[k].kind == SS_CORNER_REFLEX) return false;
  return (behind < 0 || ss_dot2(o->edge[behind].along, out) >= -TILT) &&
         (before < 0 || ss_dot2(o->edge[before].along, out) <= TILT);
}

static ss_vec2 outward(const ss_outline* o, int edge) { return ss_right2(o->edge[edge].along); }

// From corner k along an edge that meets there
static ss_vec2 away_from(const ss_outline* o, int k, int edge)
{
  return edge == edge_behind(o, k) ? o->edge[edge].along : ss_scale2(-1, o->edge[edge].along);
}

static double angle(ss_vec2 a, ss_vec2 b) { return fabs(atan2(ss_cross2(a, b), ss_dot2(a, b))); }

// ---- points --------------------------------------------------------------------------------------------------------

// Which of the touches at V, where c ends, is turned least against its normal. As the point leaves the edge at V, V
// comes onto an edge of the point that reaches back over the first one, and leaves one that reaches on: where flush
// faces have passed each other nothing goes on.
static uint64_t next_of_point(const contact* c, uint64_t key, int V)
{
  const ss_outline *e = c->edges, *p = c->points;
  ss_vec2 normal = outward(e, c->edge);
  int other = edge_before(e, V) == c->edge ? edge_behind(e, V) : edge_before(e, V);
  const int side[2] = {edge_behind(p, c->point), edge_before(p, c->point)};
  ss_vec2 back = away_from(e, V, c->edge);
  double least = INFINITY;
  uint64_t next = 0;
  if (other >= 0 && can_lie(p, c->point, ss_unturn2(&c->pose, outward(e, other)))) {
    next = key_on_edge(key, c->of_a, other, c->point);
    least = angle(normal, outward(e, other)) - FLAT;
  }
  for (int i = 0; i < 2; i++) {  // V on an edge that meets in the point
    if (side[i] < 0) continue;
    ss_vec2 out = ss_turn2(&c->pose, outward(p, side[i]));
    double turn = angle(normal, ss_scale2(-1, out));
    bool reaches_on = ss_dot2(ss_turn2(&c->pose, away_from(p, c->point, side[i])), back) < -TILT;
    if (turn >= least || reaches_on || !can_lie(e, V, out)) continue;
    least = turn;
    next = key_on_edge(key, !c->of_a, side[i], V);
  }
  return next;
}

// ---- circles -------------------------------------------------------------------------------------------------------

static uint64_t key_at_corner(uint64_t key, bool outline_is_a, int corner)
{
  return ss_key2(ss_key2_a(key), ss_key2_b(key), SS_TWO_POINTS, outline_is_a ? corner : 0, outline_is_a ? 0 : corner);
}

// From the edge to the corner V at its end, or past it where it is straight
static uint64_t next_of_circle(const ss_outline* o, uint64_t key, bool of_a, int edge, int V)
{
  int before = edge_before(o, V), behind = edge_behind(o, V);
  bool straight = before >= 0 && behind >= 0 &&
                  fabs(ss_cross2(o->edge[before].along, o->edge[behind].along)) <= SS_STRAIGHT;
  return straight ? key_on_edge(key, of_a, before == edge ? behind : before, 0) : key_at_corner(key, of_a, V);
}

// From the corner to the edge on whose side the centre of the circle is
static uint64_t next_of_corner(const ss_pair2* p, uint64_t key)
{
  bool of_a = p->a->kind == SS_SHAPE2_OUTLINE;
  const ss_shape2 *s = of_a ? p->a : p->b, *circle = of_a ? p->b : p->a;
  const ss_outline* o = s->outline;
  int V = of_a ? ss_key2_feature_a(key) : ss_key2_feature_b(key);
  ss_vec2 c = ss_unplace2(of_a ? p->pa : p->pb, ss_place2(of_a ? p->pb : p->pa, circle->center));
  ss_vec2 d = ss_sub2(c, o->point[V]);
  int before = edge_before(o, V), behind = edge_behind(o, V);
  double back = before < 0 ? INFINITY : ss_dot2(o->edge[before].along, d);
  double on = behind < 0 ? INFINITY : -ss_dot2(o->edge[behind].along, d);
  return key_on_edge(key, of_a, back < on ? before : behind, 0);
}

// ---- all -----------------------------------------------------------------------------------------------------------

uint64_t ss_touch_next(const ss_pair2* p, uint64_t key)
{
  if (ss_key2_kind(key) == SS_TWO_POINTS) return next_of_corner(p, key);
  contact c = read_key(p, key);
  ss_touch2 t;
  ss_touch_follow(p, key, &t);
  int V = t.along > c.edges->edge[c.edge].length/2 ? ss_outline_next(c.edges, c.edge) : c.edge;
  if (!c.points) return next_of_circle(c.edges, key, c.of_a, c.edge, V);
  return next_of_point(&c, key, V);
}

// Whether an edge of corner C leads from it the same way as the edge from its corner V: faces that meet flush
static bool is_flush(const contact* c, int V)
{
  const int side[2] = {edge_before(c->points, c->point), edge_behind(c->points, c->point)};
  ss_vec2 away = away_from(c->edges, V, c->edge);
  for (int i = 0; i < 2; i++) {
    if (side[i] < 0) continue;
    ss_vec2 other = ss_turn2(&c->pose, away_from(c->points, c->point, side[i]));
    if (ss_dot2(away, other) > 0 && fabs(ss_cross2(away, other)) <= TILT) return true;
  }
  return false;
}

// Corners that meet: of the four edges there one that the other corner can lie on, of faces that meet flush if there
// are any; of those the one that it approaches least, so that corners pass that slide by each other at one height; of
// those the one whose end is farthest
uint64_t ss_touch_watch(const ss_pair2* p, uint64_t key, ss_vec2 slip)
{
  if (ss_key2_kind(key) != SS_TWO_POINTS || !p->a->outline || !p->b->outline) return key;
  const int corner[2] = {ss_key2_feature_a(key), ss_key2_feature_b(key)};
  double speed = ss_length2(slip), most[3] = {-INFINITY, 0, 0};
  uint64_t best = 0;
  for (int i = 0; i < 4; i++) {
    bool of_a = i < 2;
    const ss_outline *e = (of_a ? p->a : p->b)->outline, *o = (of_a ? p->b : p->a)->outline;
    int V = corner[!of_a], C = corner[of_a], edge = i%2 ? edge_before(e, V) : edge_behind(e, V);
    if (edge < 0) continue;
    uint64_t candidate = key_on_edge(key, of_a, edge, C);
    contact c = read_key(p, candidate);
    ss_touch2 t;
    double room = ss_touch_follow(p, candidate, &t), leaves = fmin(0, ss_dot2(t.normal, slip) + FLAT*speed);
    bool lies = can_lie(o, C, ss_unturn2(&c.pose, outward(e, edge)));
    const double merit[3] = {lies + (lies && is_flush(&c, V)), leaves, room};
    int k = 0;
    while (k < 2 && merit[k] == most[k]) k++;
    if (!(merit[k] > most[k])) continue;
    memcpy(most, merit, sizeof most);
    best = candidate;
  }
  return best;
}
