// The sets that friction impulses come from: checks, gauge, support function, projection.
#include "base/text.h"
#include "solve/friction_set.h"
#include <math.h>

// ---- ellipses ----

static bool is_ellipse(const ss_friction_set* set) { return set && set->shape == SS_SET_ELLIPSE; }
static bool is_polygon(const ss_friction_set* set) { return set && set->shape == SS_SET_POLYGON; }

void ss_set_stretch(const ss_friction_set* set, const double v[2], double out[2])
{
  double x = v[0], y = v[1];
  if (is_ellipse(set)) {
    double c = cos(set->angle), s = sin(set->angle);
    x = set->a[0]*v[0]*c - set->a[1]*v[1]*s;
    y = set->a[0]*v[0]*s + set->a[1]*v[1]*c;
  }
  out[0] = x;
  out[1] = y;
}

// v along the axes of an ellipse; for other sets as it is
static void along_axes(const ss_friction_set* set, const double v[2], double out[2])
{
  double x = v[0], y = v[1];
  if (is_ellipse(set)) {
    double c = cos(set->angle), s = sin(set->angle);
    x = c*v[0] + s*v[1];
    y = c*v[1] - s*v[0];
  }
  out[0] = x;
  out[1] = y;
}

void ss_set_stretch_t(const ss_friction_set* set, const double v[2], double out[2])
{
  along_axes(set, v, out);
  for (int i = 0; i < 2 && is_ellipse(set); i++) out[i] *= set->a[i];
}

void ss_set_shrink(const ss_friction_set* set, const double v[2], double out[2])
{
  along_axes(set, v, out);
  for (int i = 0; i < 2 && is_ellipse(set); i++) out[i] /= set->a[i];
}

// ---- polygons ----

typedef struct edge {
  double v[2], along[2], normal[2], distance, length;  // begins at v; normal.c <= distance within the polygon
} edge;

static edge edge_at(const ss_friction_set* set, int j)
{
  const double *v = set->vertex + 2*j, *w = set->vertex + 2*((j + 1)%set->n);
  double d[2] = {w[0] - v[0], w[1] - v[1]}, length = hypot(d[0], d[1]);
  edge e = {.v = {v[0], v[1]}, .along = {d[0]/length, d[1]/length}, .length = length};
  e.normal[0] = e.along[1];
  e.normal[1] = -e.along[0];
  e.distance = e.normal[0]*v[0] + e.normal[1]*v[1];
  return e;
}

static double dot(const double a[2], const double b[2]) { return a[0]*b[0] + a[1]*b[1]; }

double ss_friction_set_psi(const ss_friction_set* set, const double c[2])
{
  if (!set || !c) return NAN;
  double x[2], psi = 0;
  ss_set_shrink(set, c, x);
  if (!is_polygon(set)) return hypot(x[0], x[1]);
  for (int j = 0; j < set->n; j++) {
    edge e = edge_at(set, j);
    psi = fmax(psi, dot(e.normal, c)/e.distance);
  }
  return psi;
}

double ss_friction_set_support(const ss_friction_set* set, const double d[2])
{
  if (!set || !d) return NAN;
  double x[2], most = 0;
  ss_set_stretch_t(set, d, x);
  if (!is_polygon(set)) return hypot(x[0], x[1]);
  for (int j = 0; j < set->n; j++) most = fmax(most, dot(set->vertex + 2*j, d));
  return most;
}

// ---- projection ----

static void set_slopes(double* dx, double* dr, double a, double b, double c, const double by_r[2])
{
  if (!dx) return;
  dx[0] = a;
  dx[1] = dx[2] = b;
  dx[3] = c;
  dr[0] = by_r[0];
  dr[1] = by_r[1];
}

// Inside nothing changes. Outside x goes to r t, t = x/|x|, with the derivative (r/|x|)(1 - t t^T).
static void project_disk(double r, double x[2], double* dx, double* dr)
{
  double length = hypot(x[0], x[1]), t[2], s;
  if (length <= r) {
    set_slopes(dx, dr, 1, 0, 1, (double[2]){0, 0});
    return;
  }
  t[0] = x[0]/length;
  t[1] = x[1]/length;
  s = r/length;
  set_slopes(dx, dr, s*t[1]*t[1], -s*t[0]*t[1], s*t[0]*t[0], t);
  x[0] = r*t[0];
  x[1] = r*t[1];
}

// Onto the nearest edge, derivative along it, or corner, derivative 0
static void project_polygon(const ss_friction_set* set, double r, double x[2], double* dx, double* dr)
{
  double nearest = INFINITY, at = 0;
  edge best = {0};
  bool inside = true;
  for (int j = 0; j < set->n; j++) {
    edge e = edge_at(set, j);
    double from[2] = {x[0] - r*e.v[0], x[1] - r*e.v[1]}, s = fmin(fmax(dot(from, e.along), 0), r*e.length);
    double away = hypot(from[0] - s*e.along[0], from[1] - s*e.along[1]);
    if (dot(from, e.normal) > 0) inside = false;
    if (away < nearest) {
      nearest = away;
      at = s;
      best = e;
    }
  }
  if (inside) {
    set_slopes(dx, dr, 1, 0, 1, (double[2]){0, 0});
    return;
  }
  double corner = at <= 0 ? 0 : at >= r*best.length ? best.length : -1;
  const double *t = best.along, *n = best.normal;
  if (corner >= 0) set_slopes(dx, dr, 0, 0, 0, (double[2]){best.v[0] + corner*t[0], best.v[1] + corner*t[1]});
  else set_slopes(dx, dr, t[0]*t[0], t[0]*t[1], t[1]*t[1], (double[2]){n[0]*best.distance, n[1]*best.distance});
  for (int i = 0; i < 2; i++) x[i] = r*best.v[i] + at*t[i];
}

void ss_set_project(const ss_friction_set* set, double r, double x[2], double* dx, double* dr)
{
  if (is_polygon(set)) project_polygon(set, r, x, dx, dr);
  else project_disk(r, x, dx, dr);
}

// ---- checks ----

static ss_status check_ellipse(const ss_friction_set* set, ss_error* error)
{
  for (int i = 0; i < 2; i++)
    if (!(set->a[i] > 0 && isfinite(set->a[i])))
      return ss_error_set(error, SS_ERR_INPUT, "semi-axis a[%d] is %g; it must be positive", i, set->a[i]);
  if (!isfinite(set->angle)) return ss_error_set(error, SS_ERR_INPUT, "angle is not a finite number");
  return SS_OK;
}

static ss_status check_polygon(const ss_friction_set* set, ss_error* error)
{
  if (set->n < 3 || !set->vertex)
    return ss_error_set(error, SS_ERR_INPUT, "a polygon has 3 vertices or more, not %d", set->n);
  double turn = 0;
  for (int j = 0; j < set->n; j++) {
    if (!isfinite(set->vertex[2*j]) || !isfinite(set->vertex[2*j + 1]))
      return ss_error_set(error, SS_ERR_INPUT, "vertex %d is not finite", j + 1);
    edge e = edge_at(set, j), f = edge_at(set, (j + 1)%set->n);
    if (!(e.length > 0 && f.length > 0)) return ss_error_set(error, SS_ERR_INPUT, "vertex %d is there twice", j + 1);
    double sine = dot(e.along, f.normal);  // of the angle from e to f
    if (!(e.distance > 0))
      return ss_error_set(error, SS_ERR_INPUT, "the origin is not to the left of the edge after vertex %d: vertices go "
                          "around it counter-clockwise", j + 1);
    if (!(sine > 0))
      return ss_error_set(error, SS_ERR_INPUT, "vertex %d is no corner of a convex polygon", (j + 1)%set->n + 1);
    turn += atan2(sine, dot(e.along, f.along));
  }
  if (turn > 7) return ss_error_set(error, SS_ERR_INPUT, "the polygon winds around the origin more than once");
  return SS_OK;
}

ss_status ss_friction_set_check(const ss_friction_set* set, ss_error* error)
{
  if (!set) return ss_error_null(error, "the set");
  switch (set->shape) {
    case SS_SET_DISK: return SS_OK;
    case SS_SET_ELLIPSE: return check_ellipse(set, error);
    case SS_SET_POLYGON: return check_polygon(set, error);
    default: return ss_error_set(error, SS_ERR_INPUT, "%d is no shape of a set", (int)set->shape);
  }
}

// ---- facets ----

// Where two facets meet; false if they are parallel
static bool meet(const double* n1, double d1, const double* n2, double d2, double at[2])
{
  double det = n1[0]*n2[1] - n1[1]*n2[0];
  if (!(fabs(det) > 1e-12*hypot(n1[0], n1[1])*hypot(n2[0], n2[1]))) return false;
  at[0] = (d1*n2[1] - d2*n1[1])/det;
  at[1] = (d2*n1[0] - d1*n2[0])/det;
  return true;
}

static bool within(int n, const double* normal, const double* distance, const double at[2])
{
  for (int j = 0; j < n; j++)
    if (dot(normal + 2*j, at) > distance[j]*(1 + 1e-12)) return false;
  return true;
}

// Sorts the new point in by its angle, unless it is there already
static void insert(int* count, double* vertex, const double at[2])
{
  double angle = atan2(at[1], at[0]), size = hypot(at[0], at[1]);
  int place = *count;
  for (int j = 0; j < *count; j++)
    if (hypot(vertex[2*j] - at[0], vertex[2*j + 1] - at[1]) <= 1e-12*size) return;
  for (; place > 0 && atan2(vertex[2*place - 1], vertex[2*place - 2]) > angle; place--) {
    vertex[2*place] = vertex[2*place - 2];
    vertex[2*place + 1] = vertex[2*place - 1];
  }
  vertex[2*place] = at[0];
  vertex[2*place + 1] = at[1];
  ++*count;
}

// Is there a way to infinity, t with normal_j.t <= 0 for all j? Then also one along a facet.
static bool unbounded(int n, const double* normal)
{
  for (int i = 0; i < 2*n; i++) {
    const double *own = normal + 2*(i/2), sign = i%2 ? -1 : 1, t[2] = {-sign*own[1], sign*own[0]};
    bool open = true;
    for (int j = 0; j < n && open; j++)
      open = dot(normal + 2*j, t) <= 1e-12*hypot(normal[2*j], normal[2*j + 1])*hypot(t[0], t[1]);
    if (open) return true;
  }
  return false;
}

ss_status ss_friction_set_facets(int n, const double* normal, const double* distance, double* vertex, int* count,
                                 ss_error* error)
{
  if (!normal || !distance || !vertex || !count) return ss_error_null(error, "an array of facets or vertices");
  *count = 0;
  for (int i = 0; i < n; i++)
    if (!(distance[i] > 0 && isfinite(distance[i]) && hypot(normal[2*i], normal[2*i + 1]) > 0))
      return ss_error_set(error, SS_ERR_INPUT, "facet %d needs a normal and a positive distance", i + 1);
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n && *count < n; j++) {
      double at[2];
      if (meet(normal + 2*i, distance[i], normal + 2*j, distance[j], at) && within(n, normal, distance, at))
        insert(count, vertex, at);
    }
  ss_friction_set set = {.shape = SS_SET_POLYGON, .n = *count, .vertex = vertex};
  if (*count >= 3 && !unbounded(n, normal) && ss_friction_set_check(&set, NULL) == SS_OK) return SS_OK;
  return ss_error_set(error, SS_ERR_INPUT, "the facets do not bound a polygon around the origin");
}
