// An outline is checked once, when it is made: everything after that can rely on it.
#include "outline/outline.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COINCIDE 1e-12  // of the size: points nearer than this are one
#define FOLD 1e-9       // an edge that goes back along the one before

// The number that the caller knows a point by, from 1
static int named(const ss_outline* o, int i) { return ss_outline_number(o, i) + 1; }

static ss_status check_points(int n, const ss_vec2* p, bool closed, ss_error* error)
{
  int least = closed ? 3 : 2;
  if (n < least)
    return ss_error_set(error, SS_ERR_INPUT, "%s outline needs at least %d points, there %s %d",
                        closed ? "a closed" : "an open", least, n == 1 ? "is" : "are", n);
  if (n > SS_OUTLINE_POINTS)
    return ss_error_set(error, SS_ERR_INPUT, "an outline has at most %d points, there are %d", SS_OUTLINE_POINTS, n);
  for (int i = 0; i < n; i++)
    if (!isfinite(p[i].x) || !isfinite(p[i].y))
      return ss_error_set(error, SS_ERR_INPUT, "point %d of the outline is not finite", i + 1);
    else if (fabs(p[i].x) > 1e100 || fabs(p[i].y) > 1e100)
      return ss_error_set(error, SS_ERR_INPUT, "point %d of the outline, (%g, %g), is not within 1e100 m", i + 1,
                          p[i].x, p[i].y);
  return SS_OK;
}

static double size_of(int n, const ss_vec2* p)
{
  ss_vec2 low = p[0], high = p[0];
  for (int i = 1; i < n; i++) {
    low = (ss_vec2){fmin(low.x, p[i].x), fmin(low.y, p[i].y)};
    high = (ss_vec2){fmax(high.x, p[i].x), fmax(high.y, p[i].y)};
  }
  return ss_length2(ss_sub2(high, low));
}

static ss_status make_edges(ss_outline* o, ss_error* error)
{
  for (int i = 0; i < o->n_edge; i++) {
    int j = ss_outline_next(o, i);
    ss_vec2 d = ss_sub2(o->point[j], o->point[i]);
    double length = ss_length2(d);
    if (!(length > COINCIDE*o->size))
      return ss_error_set(error, SS_ERR_INPUT, "points %d and %d of the outline coincide", named(o, i), named(o, j));
    ss_edge* e = &o->edge[i];
    *e = (ss_edge){ss_scale2(1/length, d), length, 0};
    if (i == 0) e->angle = atan2(-e->along.x, e->along.y);
    else e->angle = e[-1].angle + atan2(ss_cross2(e[-1].along, e->along), ss_dot2(e[-1].along, e->along));
  }
  return SS_OK;
}

// The bisector of the inner angle: the mean of the inward normals of both edges, or at a fold their directions
static ss_status make_corner(ss_outline* o, int i, ss_error* error)
{
  ss_corner* c = &o->corner[i];
  if (!o->closed && (i == 0 || i == o->n - 1)) {
    *c = (ss_corner){SS_CORNER_END, ss_left2(o->edge[i ? i - 1 : 0].along), 0};
    return SS_OK;
  }
  const ss_edge *before = &o->edge[ss_outline_before(o, i)], *after = &o->edge[i];
  double turn = ss_cross2(before->along, after->along), straight = ss_dot2(before->along, after->along);
  if (straight < 0 && fabs(turn) < FOLD)
    return ss_error_set(error, SS_ERR_INPUT, "the outline goes back along itself at point %d", named(o, i));
  ss_vec2 mean = straight > 0 ? ss_left2(ss_add2(before->along, after->along)) : ss_sub2(after->along, before->along);
  if (straight <= 0 && turn < 0) mean = ss_scale2(-1, mean);
  c->bisector = ss_scale2(1/ss_length2(mean), mean);
  c->kind = turn >= -SS_STRAIGHT ? SS_CORNER_CONVEX : SS_CORNER_REFLEX;
  c->extend = fmin(before->length, after->length)*fmax(straight, 0.5);
  return SS_OK;
}

// A closed outline that does not cross itself runs counter-clockwise if its area is positive
static ss_status check_shape(const ss_outline* o, ss_error* error)
{
  int i, j;
  if (ss_outline_crosses(o, &i, &j))
    return ss_error_set(error, SS_ERR_INPUT, "the outline crosses itself: its edges at points %d and %d meet",
                        named(o, i), named(o, j));
  if (o->closed && !(ss_outline_weigh(o).area > 0))
    return ss_error_set(error, SS_ERR_INPUT,
                        "the outline runs clockwise; it must run counter-clockwise: reverse the order of its points");
  return SS_OK;
}

static ss_outline* take(int n, bool closed)
{
  ss_outline* o = calloc(1, sizeof *o);
  if (!o) return NULL;
  *o = (ss_outline){.n = n, .n_edge = closed ? n : n - 1, .closed = closed, .reversed = !closed};
  o->point = malloc(sizeof *o->point*(size_t)n);
  o->edge = malloc(sizeof *o->edge*(size_t)n);
  o->corner = malloc(sizeof *o->corner*(size_t)n);
  o->node = malloc(sizeof *o->node*2*(size_t)n);
  if (o->point && o->edge && o->corner && o->node) return o;
  ss_outline_destroy(o);
  return NULL;
}

ss_outline* ss_outline_create(int n, const ss_vec2* point, bool closed, ss_error* error)
{
  if (closed && n > 3 && point[0].x == point[n - 1].x && point[0].y == point[n - 1].y) n--;
  if (check_points(n, point, closed, error) < 0) return NULL;
  ss_outline* o = take(n, closed);
  if (!o) {
    ss_error_set(error, SS_ERR_MEMORY, "no memory for an outline with %d points", n);
    return NULL;
  }
  for (int i = 0; i < n; i++) o->point[i] = point[closed ? i : n - 1 - i];  // the solid on the left
  o->size = size_of(n, point);
  ss_status st = make_edges(o, error);
  for (int i = 0; st >= 0 && i < n; i++) st = make_corner(o, i, error);
  if (st >= 0) ss_outline_make_tree(o);
  if (st >= 0) st = check_shape(o, error);
  if (st >= 0) return o;
  ss_outline_destroy(o);
  return NULL;
}

void ss_outline_destroy(ss_outline* o)
{
  if (!o) return;
  free(o->point);
  free(o->edge);
  free(o->corner);
  free(o->node);
  free(o);
}

// Sums over triangles from a point of the outline, which keeps digits where it is far from the origin
ss_outline_mass ss_outline_weigh(const ss_outline* o)
{
  ss_vec2 origin = o->point[0], first = {0, 0};
  double area = 0, second = 0;
  for (int i = 0; i < o->n; i++) {
    ss_vec2 a = ss_sub2(o->point[i], origin), b = ss_sub2(o->point[ss_outline_next(o, i)], origin);
    double c = ss_cross2(a, b);
    area += c/2;
    first = ss_add2(first, ss_scale2(c/6, ss_add2(a, b)));
    second += c/12*(ss_dot2(a, a) + ss_dot2(a, b) + ss_dot2(b, b));
  }
  ss_vec2 center = ss_scale2(1/area, first);
  return (ss_outline_mass){area, ss_add2(origin, center), second - area*ss_dot2(center, center)};
}
