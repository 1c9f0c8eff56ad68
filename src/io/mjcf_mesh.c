// Volume and inertia of meshes: over their faces, or over the facets of the convex hull of their vertices.
#include <math.h>
#include <stdlib.h>
#include "io/mjcf.h"

enum { MOST_HULL = 64 };  // vertices of a hull that is found by trying all planes

// Volume V, first moment and second moments over tetrahedra with the corner o, which is subtracted from all points
typedef struct moments { double V; ss_vec3 first; ss_sym3 second; } moments;

// A tetrahedron (0, a, b, c): V = a.(b x c)/6, int x = V/4 sum, int x x^T = V/20 (sum p p^T + s s^T), s = a + b + c
static void add_tetrahedron(moments* m, ss_vec3 a, ss_vec3 b, ss_vec3 c)
{
  double V = ss_dot3(a, ss_cross(b, c))/6;
  ss_vec3 s = ss_add(a, ss_add(b, c)), p[4] = {a, b, c, s};
  m->V += V;
  m->first = ss_add(m->first, ss_scale(V/4, s));
  for (int i = 0; i < 4; i++) {
    m->second.xx += V/20*p[i].x*p[i].x;
    m->second.yy += V/20*p[i].y*p[i].y;
    m->second.zz += V/20*p[i].z*p[i].z;
    m->second.xy += V/20*p[i].x*p[i].y;
    m->second.xz += V/20*p[i].x*p[i].z;
    m->second.yz += V/20*p[i].y*p[i].z;
  }
}

// A closed surface that is turned inside out has the negative of all its moments.
// About the centre:  J = (tr S) 1 - S with S = int x x^T - V c c^T
static bool finish(const moments* m, ss_vec3 o, double extent, ss_mj_solid* solid)
{
  if (!(fabs(m->V) > 1e-12*extent*extent*extent)) return false;
  ss_vec3 c = ss_scale(1/m->V, m->first);
  double V = m->V, xx = m->second.xx - V*c.x*c.x, yy = m->second.yy - V*c.y*c.y, zz = m->second.zz - V*c.z*c.z;
  double sign = V > 0 ? 1 : -1;
  solid->volume = fabs(V);
  solid->centre = ss_add(o, c);
  solid->inertia = (ss_sym3){sign*(yy + zz), sign*(xx + zz), sign*(xx + yy), -sign*(m->second.xy - V*c.x*c.y),
                             -sign*(m->second.xz - V*c.x*c.z), -sign*(m->second.yz - V*c.y*c.z)};
  return solid->inertia.xx > 0 && solid->inertia.yy > 0 && solid->inertia.zz > 0;
}

// Two directions in the plane with the normal n
static void plane_axes(ss_vec3 n, ss_vec3* s, ss_vec3* t)
{
  ss_vec3 e = fabs(n.x) < 0.6 ? (ss_vec3){1, 0, 0} : (ss_vec3){0, 1, 0};
  *s = ss_cross(n, e);
  *s = ss_scale(1/ss_norm(*s), *s);
  *t = ss_cross(n, *s);
}

typedef struct flat { double s, t; ss_vec3 p; } flat;

static int by_place(const void* a, const void* b)
{
  const flat *p = a, *q = b;
  if (p->s != q->s) return p->s < q->s ? -1 : 1;
  return p->t < q->t ? -1 : p->t > q->t;
}

static double area(const flat* a, const flat* b, const flat* c)
{
  return (b->s - a->s)*(c->t - a->t) - (b->t - a->t)*(c->s - a->s);
}

// The facet that n points span in a plane with the normal N: their hull, counter-clockwise (monotone chain), as a fan
static void add_facet(moments* m, ss_vec3 N, int n, flat* f)
{
  flat hull[2*MOST_HULL + 2];
  int k = 0;
  ss_vec3 S, T;
  plane_axes(N, &S, &T);
  for (int i = 0; i < n; i++) {
    f[i].s = ss_dot3(S, f[i].p);
    f[i].t = ss_dot3(T, f[i].p);
  }
  qsort(f, (size_t)n, sizeof *f, by_place);
  for (int i = 0; i < n; i++) {
    while (k >= 2 && area(hull + k - 2, hull + k - 1, f + i) <= 0) k--;
    hull[k++] = f[i];
  }
  for (int i = n - 2, lower = k + 1; i >= 0; i--) {
    while (k >= lower && area(hull + k - 2, hull + k - 1, f + i) <= 0) k--;
    hull[k++] = f[i];
  }
  for (int i = 1; i + 2 < k; i++) add_tetrahedron(m, hull[0].p, hull[i].p, hull[i + 1].p);
}

// Whether all points lie below the plane of i, j, k; if so its points are collected. *N is its outward normal.
static int supported(int n, const ss_vec3* p, int i, int j, int k, double tol, ss_vec3* N, flat* f)
{
  ss_vec3 c = ss_cross(ss_sub(p[j], p[i]), ss_sub(p[k], p[i]));
  double length = ss_norm(c);
  int above = 0, below = 0, on = 0;
  if (!(length > tol*tol)) return 0;
  c = ss_scale(1/length, c);
  for (int a = 0; a < n; a++) {
    double d = ss_dot3(c, ss_sub(p[a], p[i]));
    if (d > tol) above++;
    else if (d < -tol) below++;
    else f[on++].p = p[a];
    if (above && below) return 0;
  }
  *N = above ? ss_scale(-1, c) : c;
  return above || below ? on : 0;
}

// All planes through three points that have the others on one side, each once. O(n^4), for small meshes
static bool hull_moments(int n, const ss_vec3* p, double extent, moments* m)
{
  static const int most = 4*MOST_HULL;
  struct { ss_vec3 N; double d; } seen[4*MOST_HULL];
  flat f[MOST_HULL];
  int n_seen = 0;
  double tol = 1e-9*extent;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      for (int k = j + 1; k < n; k++) {
        ss_vec3 N;
        int on = supported(n, p, i, j, k, tol, &N, f);
        double d = on ? ss_dot3(N, p[i]) : 0;
        bool old = !on;
        for (int a = 0; a < n_seen && !old; a++)
          old = fabs(seen[a].d - d) < 4*tol && ss_norm(ss_sub(seen[a].N, N)) < 1e-6;
        if (old) continue;
        if (n_seen == most) return false;
        seen[n_seen].N = N;
        seen[n_seen++].d = d;
        add_facet(m, N, on, f);
      }
  return true;
}

bool ss_mj_mesh_solid(const ss_scene_mesh* mesh, ss_mesh_surface surface, ss_mj_solid* solid)
{
  int n = mesh->n_vertex;
  if (n < 4) return false;
  ss_vec3 o = {0, 0, 0};
  double extent = 0;
  for (int i = 0; i < n; i++) o = ss_add(o, ss_scale(1.0/n, ss_vec3_from(mesh->vertex + 3*i)));
  for (int i = 0; i < n; i++) extent = fmax(extent, ss_norm(ss_sub(ss_vec3_from(mesh->vertex + 3*i), o)));
  moments m = {0};
  if (mesh->n_face && !(surface == SS_MESH_OPEN && n <= MOST_HULL)) {
    for (int i = 0; i < mesh->n_face; i++) {
      ss_vec3 c[3];
      for (int k = 0; k < 3; k++) c[k] = ss_sub(ss_vec3_from(mesh->vertex + 3*mesh->face[3*i + k]), o);
      add_tetrahedron(&m, c[0], c[1], c[2]);
    }
    return finish(&m, o, extent, solid);
  }
  if (n > MOST_HULL) return false;
  ss_vec3 p[MOST_HULL];
  for (int i = 0; i < n; i++) p[i] = ss_sub(ss_vec3_from(mesh->vertex + 3*i), o);
  return hull_moments(n, p, extent, &m) && finish(&m, o, extent, solid);
}
