// Volume and inertia of meshes: over their faces, or over the facets of the convex hull of their vertices.
#include <math.h>
#include "collide/hull.h"
#include "io/mjcf.h"

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

// Over the fans of the hull's faces
static bool hull_moments(int n, const double* vertex, ss_vec3 o, moments* m)
{
  ss_hull* hull = ss_hull_create(n, vertex, "mesh", NULL);
  for (int f = 0; hull && f < hull->n_face; f++) {
    const int* corner = hull->loop + hull->first[f];
    ss_vec3 a = ss_sub(hull->vertex[corner[0]], o);
    for (int i = 2; i < hull->first[f + 1] - hull->first[f]; i++)
      add_tetrahedron(m, a, ss_sub(hull->vertex[corner[i - 1]], o), ss_sub(hull->vertex[corner[i]], o));
  }
  bool found = hull != NULL;
  ss_hull_destroy(hull);
  return found;
}

static void face_moments(const ss_scene_mesh* mesh, ss_vec3 o, moments* m)
{
  for (int i = 0; i < mesh->n_face; i++) {
    ss_vec3 c[3];
    for (int k = 0; k < 3; k++) c[k] = ss_sub(ss_vec3_from(mesh->vertex + 3*mesh->face[3*i + k]), o);
    add_tetrahedron(m, c[0], c[1], c[2]);
  }
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
  if (mesh->n_face && surface != SS_MESH_OPEN) face_moments(mesh, o, &m);
  else if (!hull_moments(n, mesh->vertex, o, &m)) return false;
  return finish(&m, o, extent, solid);
}
