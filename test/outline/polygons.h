// For tests and studies: random polygons, and what must touch by plain geometry.
#ifndef TEST_OUTLINE_POLYGONS_H
#define TEST_OUTLINE_POLYGONS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "outline/touch.h"

static const double PI = 3.14159265358979323846;

// Numbers between 0 and 1 [Marsaglia 2003: xorshift]
static inline double random_number(uint64_t* seed)
{
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return (double)(*seed >> 11)/9007199254740992.0;
}

// A star around the origin with n points, radii between 1 - rough and 1: not convex, never crosses itself. A few waves
// make bays that are larger than single points.
static inline ss_outline* random_polygon(int n, double rough, uint64_t* seed, ss_error* error)
{
  ss_vec2* p = malloc(sizeof *p*(size_t)n);
  if (!p) return NULL;
  double phase = 2*PI*random_number(seed), waves = floor(2 + 5*random_number(seed)), large = 0.3*random_number(seed);
  for (int i = 0; i < n; i++) {
    double angle = 2*PI*(i + 0.8*random_number(seed))/n;
    double r = (1 - rough*random_number(seed))*(1 - large*(1 + sin(waves*angle + phase))/2);
    p[i] = (ss_vec2){r*cos(angle), r*sin(angle)};
  }
  ss_outline* o = ss_outline_create(n, p, true, error);
  free(p);
  return o;
}

static inline int by_key(const void* x, const void* y)
{
  uint64_t a = *(const uint64_t*)x, b = *(const uint64_t*)y;
  return a < b ? -1 : a > b;
}

// ---- what must be found, by true distances -----------------------------------------------------------------------
// Nothing here knows of trees, bisectors or regions: points are inside or outside by winding numbers, near by distances
// to all edges, hidden by trying all edges. What is near a limit, by LIMIT, is left open.

#define LIMIT 1e-9

typedef struct place {
  bool inside;
  int edge;          // the nearest one
  double distance;
  bool on_edge;      // the nearest place is between the ends of the edge
} place;

// Signed angle under which a closed polygon is seen from c, in turns: 1 inside, 0 outside
static inline double winding(const ss_outline* o, ss_vec2 c)
{
  double sum = 0;
  for (int i = 0; i < o->n; i++) {
    ss_vec2 a = ss_sub2(o->point[i], c), b = ss_sub2(o->point[ss_outline_next(o, i)], c);
    sum += atan2(ss_cross2(a, b), ss_dot2(a, b));
  }
  return sum/(2*PI);
}

// Distance from c to the edge from point i; *x: place of the foot, 0 .. 1 if it is between the ends
static inline double edge_distance(const ss_outline* o, int i, ss_vec2 c, double* x)
{
  ss_vec2 a = o->point[i], d = ss_sub2(o->point[ss_outline_next(o, i)], a);
  *x = ss_dot2(ss_sub2(c, a), d)/ss_dot2(d, d);
  return ss_length2(ss_sub2(c, ss_add2(a, ss_scale2(fmin(fmax(*x, 0), 1), d))));
}

static inline place find_place(const ss_outline* o, ss_vec2 c)
{
  place p = {.distance = INFINITY};
  for (int i = 0; i < o->n; i++) {
    double x, d = edge_distance(o, i, c, &x);
    if (d >= p.distance) continue;
    p.edge = i;
    p.distance = d;
    p.on_edge = x > LIMIT && x < 1 - LIMIT;
  }
  p.inside = winding(o, c) > 0.5;
  return p;
}

// Whether point j of o, at `pose` seen from the other one, can lie on an edge of that with this direction: a corner
// below 180 degrees whose sides do not lead into it by more than 0.02. 1: yes, 0: no, -1: too close to tell
static inline int can_lie(const ss_outline* o, const ss_pose2* pose, int j, ss_vec2 edge)
{
  ss_vec2 side[2];
  double least = INFINITY;
  for (int k = 0; k < 2; k++) {
    ss_vec2 d = ss_sub2(o->point[k ? ss_outline_next(o, j) : ss_outline_before(o, j)], o->point[j]);
    side[k] = ss_turn2(pose, ss_scale2(1/ss_length2(d), d));
    least = fmin(least, -ss_cross2(edge, side[k])/ss_length2(edge));
  }
  double corner = ss_cross2(side[1], side[0]), along = ss_dot2(edge, ss_sub2(side[1], side[0]))/ss_length2(edge);
  if (fabs(corner) < 1e-7 || fabs(least + 0.02) < LIMIT) return -1;
  if (least > 0.03 && corner > 0) return 1;
  return corner > 0 && least >= -0.02 && along < 0;  // its solid is on the other side of the edge
}

// Whether another edge is met on the way from c to its foot on edge i
static inline bool is_covered(const ss_outline* o, int i, ss_vec2 c, double x)
{
  ss_vec2 a = o->point[i], foot = ss_add2(a, ss_scale2(x, ss_sub2(o->point[ss_outline_next(o, i)], a)));
  for (int k = 0; k < o->n; k++) {
    if (k == i) continue;
    ss_vec2 p = o->point[k], q = o->point[ss_outline_next(o, k)], d = ss_sub2(q, p), w = ss_sub2(foot, c);
    double s = ss_cross2(d, ss_sub2(c, p)), t = ss_cross2(d, ss_sub2(foot, p));
    double u = ss_cross2(w, ss_sub2(p, c)), v = ss_cross2(w, ss_sub2(q, c));
    if ((s > 0) != (t > 0) && (u > 0) != (v > 0)) return true;
  }
  return false;
}

// The shallowest depth of c below an edge that it sees, is able to lie on and has its foot on; infinite: none
static inline double least_depth(const ss_outline* e, const ss_outline* p, const ss_pose2* pose, int j, ss_vec2 c)
{
  double least = INFINITY;
  for (int i = 0; i < e->n; i++) {
    ss_vec2 edge = ss_sub2(e->point[ss_outline_next(e, i)], e->point[i]);
    double x, d = edge_distance(e, i, c, &x);
    if (x < 0 || x > 1 || d >= least || ss_cross2(edge, ss_sub2(c, e->point[i])) < 0) continue;
    if (can_lie(p, pose, j, edge) == 1 && !is_covered(e, i, c, x)) least = d;
  }
  return least;
}

// The gap that was found for point j on this edge, or the shallowest overlap (edge < 0); NAN: none
static inline double found_gap(const ss_touches* t, ss_touch2_kind kind, int edge, int j)
{
  double gap = NAN;
  for (int i = 0; i < t->n; i++) {
    uint64_t key = t->list[i].key;
    int e = kind == SS_POINT_OF_B ? ss_key2_feature_a(key) : ss_key2_feature_b(key);
    int p = kind == SS_POINT_OF_B ? ss_key2_feature_b(key) : ss_key2_feature_a(key);
    if (ss_key2_kind(key) != kind || p != j || (edge >= 0 ? e != edge : t->list[i].gap >= 0)) continue;
    gap = isnan(gap) ? t->list[i].gap : fmax(gap, t->list[i].gap);
  }
  return gap;
}

// Where two segments, a to b and c to d, cross: the part of the way from a to b; NAN: nowhere
static inline double crossing(ss_vec2 a, ss_vec2 b, ss_vec2 c, ss_vec2 d)
{
  ss_vec2 u = ss_sub2(b, a), v = ss_sub2(d, c), w = ss_sub2(c, a);
  double area = ss_cross2(u, v), x = ss_cross2(w, v)/area, y = ss_cross2(w, u)/area;
  return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? x : NAN;
}

// Whether point j of p, at c and outside of e, has an edge that leads into e where that is about as deep, seen from an
// edge of e, as the overlap that was found: then both bodies overlap there
static inline bool overlaps_beside(const ss_outline* e, const ss_outline* p, const ss_pose2* pose, int j, ss_vec2 c,
                                   double overlap)
{
  for (int k = 0; k < 2*e->n; k++) {
    ss_vec2 q = ss_place2(pose, p->point[k%2 ? ss_outline_next(p, j) : ss_outline_before(p, j)]);
    double x = crossing(c, q, e->point[k/2], e->point[ss_outline_next(e, k/2)]);
    if (isnan(x)) continue;
    ss_vec2 meet = ss_add2(c, ss_scale2(x, ss_sub2(q, c)));
    for (int i = 0; i < e->n; i++) {
      ss_vec2 edge = ss_sub2(e->point[ss_outline_next(e, i)], e->point[i]);
      double length = ss_length2(edge), deep = ss_cross2(edge, ss_sub2(meet, e->point[i]))/length;
      if (fabs(ss_cross2(edge, ss_sub2(c, e->point[i]))/length - overlap) < LIMIT && deep > 0.9*overlap - LIMIT)
        return true;
    }
  }
  return false;
}

/// How many touches geometry says that there are, and how many of these, and of false ones, were found
typedef struct verdict {
  long expected, missed, false_overlaps;
} verdict;

// Points of p against edges of e; *v is added to
static inline void judge_points(const ss_outline* e, const ss_outline* p, const ss_pose2* pose, ss_touch2_kind kind,
                                ss_look2 look, const ss_touches* t, verdict* v)
{
  for (int j = 0; j < p->n; j++) {
    ss_vec2 c = ss_place2(pose, p->point[j]);
    place at = find_place(e, c);
    double overlap = -found_gap(t, kind, -1, j);
    if (at.distance < LIMIT) continue;
    if (!isnan(overlap) && !at.inside && !overlaps_beside(e, p, pose, j, c, overlap)) v->false_overlaps++;
    if (!at.on_edge || fabs(at.distance - (at.inside ? look.skin : look.margin)) < LIMIT) continue;
    ss_vec2 edge = ss_sub2(e->point[ss_outline_next(e, at.edge)], e->point[at.edge]);
    int can = can_lie(p, pose, j, edge);
    if (can == 1 && at.distance < (at.inside ? look.skin : look.margin)) {
      double gap = found_gap(t, kind, at.edge, j);
      v->expected++;
      if (!(fabs(gap - (at.inside ? -at.distance : at.distance)) < LIMIT)) v->missed++;
    } else if (can == 0 && at.inside) {  // the nearest of the other edges
      double least = least_depth(e, p, pose, j, c);
      if (least >= look.skin - LIMIT) continue;
      v->expected++;
      if (isnan(overlap) || overlap > least + LIMIT) v->missed++;
    }
  }
}

static inline verdict judge(const ss_outline* a, const ss_pose2* pa, const ss_outline* b, const ss_pose2* pb,
                            ss_look2 look, const ss_touches* t)
{
  ss_pose2 ab = ss_between2(pa, pb), ba = ss_between2(pb, pa);
  verdict v = {0};
  judge_points(a, b, &ab, SS_POINT_OF_B, look, t, &v);
  judge_points(b, a, &ba, SS_POINT_OF_A, look, t, &v);
  return v;
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

/// A pose at which b is about this deep in a, from a random side
static inline ss_pose2 random_pose(const ss_outline* a, const ss_pose2* pa, const ss_outline* b, double deep,
                                   uint64_t* seed)
{
  ss_shape2 sa = {.outline = a}, sb = {.outline = b};
  double side = 2*PI*random_number(seed), turn = 2*PI*random_number(seed), near = 0, far = 3;
  for (int k = 0; k < 12; k++) {
    double r = (near + far)/2;
    ss_pose2 pb = ss_pose2_make(pa->p.x + r*cos(side), pa->p.y + r*sin(side), turn);
    *(ss_overlap_depth(&sa, pa, &sb, &pb, 0.1*deep) > deep ? &near : &far) = r;
  }
  return ss_pose2_make(pa->p.x + far*cos(side), pa->p.y + far*sin(side), turn);
}

/// Random polygons near each other, and how far to look
typedef struct random_pair {
  ss_outline *a, *b;
  ss_pose2 pa, pb;
  ss_look2 look;
} random_pair;

static inline random_pair make_pair(uint64_t* seed, ss_error* error)
{
  random_pair r;
  int n[2];
  double rough[2];
  for (int k = 0; k < 2; k++) n[k] = (int)(3*pow(500/3.0, random_number(seed)));
  for (int k = 0; k < 2; k++) rough[k] = random_number(seed) < 0.5 ? 0.2*random_number(seed) : 0.6/n[k];
  r.a = random_polygon(n[0], rough[0], seed, error);
  r.b = random_polygon(n[1], rough[1], seed, error);
  r.pa = ss_pose2_make(0.3, -0.2, 6*random_number(seed));
  r.pb = random_pose(r.a, &r.pa, r.b, pow(10, -4 + 3*random_number(seed)), seed);
  r.look = (ss_look2){.margin = 0.03*random_number(seed), .skin = 0.1*random_number(seed)};
  return r;
}

static inline void free_pair(random_pair* r)
{
  ss_outline_destroy(r->a);
  ss_outline_destroy(r->b);
}

#endif
