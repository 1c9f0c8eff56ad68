// For tests and studies: random polygons, and touches by trying everything.
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

// ---- every point against every edge, by the angles of the paper ----

// From direction a to direction b, counter-clockwise, 0 .. 2 pi
static inline double angle_from(ss_vec2 a, ss_vec2 b)
{
  double angle = atan2(ss_cross2(a, b), ss_dot2(a, b));
  return angle < 0 ? angle + 2*PI : angle;
}

static inline double inner_angle(const ss_outline* o, int k)
{
  return angle_from(ss_sub2(o->point[ss_outline_next(o, k)], o->point[k]),
                    ss_sub2(o->point[ss_outline_before(o, k)], o->point[k]));
}

// The neighbours of point j of b, seen from a, are not below the line of an edge of a with this direction
static inline bool can_touch(const ss_outline* b, const ss_pose2* pose, int j, ss_vec2 edge)
{
  if (inner_angle(b, j) > PI) return false;
  for (int side = 0; side < 2; side++) {
    int k = side ? ss_outline_next(b, j) : ss_outline_before(b, j);
    ss_vec2 d = ss_turn2(pose, ss_sub2(b->point[k], b->point[j]));
    if (asin(ss_cross2(edge, d)/ss_length2(edge)/ss_length2(d)) > asin(0.02)) return false;
  }
  return true;
}

// Angle at corner k between the edge to point `to` and point c: within the half-angle of the corner, or not
static inline bool within_half(const ss_outline* a, int k, int to, const ss_outline* b, const ss_pose2* pose, int j,
                               ss_vec2 c, double depth, double beyond, double reach)
{
  int other = to == ss_outline_next(a, k) ? ss_outline_before(a, k) : ss_outline_next(a, k);
  double phi = inner_angle(a, k);
  ss_vec2 edge = ss_sub2(a->point[to], a->point[k]), out = ss_sub2(a->point[other], a->point[k]);
  ss_vec2 d = ss_sub2(c, a->point[k]);
  if (beyond > reach) return false;
  if (phi > PI) return beyond <= fmin(ss_length2(edge), ss_length2(out))*fmax(cos(phi - PI), 0.5);
  double angle = acos(ss_dot2(edge, d)/ss_length2(edge)/ss_length2(d));
  if (angle <= (depth >= 0 ? phi/2 : PI - phi/2)) return true;
  double turned = to == ss_outline_next(a, k) ? -1 : 1;  // the other edge runs towards k, or away from it
  ss_vec2 along = ss_scale2(turned, out);
  return depth >= 0 && ss_cross2(along, d) >= 0 && !can_touch(b, pose, j, along);
}

static inline bool touches_edge(const ss_outline* a, int i, const ss_outline* b, const ss_pose2* pose, int j,
                                ss_look2 look)
{
  int k = ss_outline_next(a, i);
  ss_vec2 c = ss_place2(pose, b->point[j]), AB = ss_sub2(a->point[k], a->point[i]), AC = ss_sub2(c, a->point[i]);
  double length = ss_length2(AB), h = ss_cross2(AB, AC)/length, x = ss_dot2(AB, AC)/length;
  double reach = fmax(look.margin, look.skin);
  return h < look.skin && h >= -look.margin && can_touch(b, pose, j, AB) &&
         within_half(a, i, k, b, pose, j, c, h, -x, reach) && within_half(a, k, i, b, pose, j, c, h, x - length, reach);
}

static inline int by_key(const void* x, const void* y)
{
  uint64_t a = *(const uint64_t*)x, b = *(const uint64_t*)y;
  return a < b ? -1 : a > b;
}

/// All keys, sorted; *n of them. The caller frees them.
static inline uint64_t* every_touch(const ss_outline* a, const ss_pose2* pa, const ss_outline* b, const ss_pose2* pb,
                                    ss_look2 look, int* n)
{
  ss_pose2 ab = ss_between2(pa, pb), ba = ss_between2(pb, pa);
  uint64_t* key = malloc(sizeof *key*2*(size_t)(a->n + b->n)*64);
  *n = 0;
  for (int i = 0; i < a->n; i++) {
    for (int j = 0; j < b->n; j++) {
      if (touches_edge(a, i, b, &ab, j, look)) key[(*n)++] = ss_key2(0, 1, SS_POINT_OF_B, i, j);
      if (touches_edge(b, j, a, &ba, i, look)) key[(*n)++] = ss_key2(0, 1, SS_POINT_OF_A, i, j);
    }
  }
  qsort(key, (size_t)*n, sizeof *key, by_key);
  return key;
}

/// The same by the trees.
static inline uint64_t* found_touches(const ss_outline* a, const ss_pose2* pa, const ss_outline* b, const ss_pose2* pb,
                                      ss_look2 look, ss_touches* t)
{
  t->n = 0;
  ss_touch_outlines(a, pa, 0, b, pb, 1, look, t);
  uint64_t* key = malloc(sizeof *key*((size_t)t->n + 1));
  for (int i = 0; i < t->n; i++) key[i] = t->list[i].key;
  qsort(key, (size_t)t->n, sizeof *key, by_key);
  return key;
}

/// A pose near which two stars of radius one begin to overlap
static inline ss_pose2 random_pose(uint64_t* seed)
{
  double angle = 2*PI*random_number(seed), r = 1.1 + 0.9*random_number(seed);
  return ss_pose2_make(r*cos(angle), r*sin(angle), 2*PI*random_number(seed));
}

#endif
