// How the triangles of a mesh fit together. A surface is closed and consistent if every edge belongs to two triangles
// that run along it in opposite directions. A closed surface in one piece, without handles (Euler: V - E + F = 2), that
// is nowhere bent inwards at an edge is taken as that of a convex body.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "base/sets.h"
#include "io/mesh.h"
#include "math/vec3.h"

// An edge of a triangle: its ends, the lesser first, and the triangle's third vertex
typedef struct edge { int low, high, third; bool forward; } edge;

static int by_ends(const void* a, const void* b)
{
  const edge *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  if (p->high != q->high) return p->high < q->high ? -1 : 1;
  return (int)p->forward - (int)q->forward;
}

static ss_vec3 at(const double* vertex, int i) { return ss_vec3_from(vertex + 3*i); }

// How far the vertex of one triangle lies in front of the other triangle that has this edge: > 0 where the surface is
// bent inwards
static double bend(const double* vertex, const edge* a, const edge* b)
{
  const edge* forward = a->forward ? a : b;
  const edge* other = a->forward ? b : a;
  ss_vec3 p = at(vertex, forward->low);
  ss_vec3 n = ss_cross(ss_sub(at(vertex, forward->high), p), ss_sub(at(vertex, forward->third), p));
  double length = ss_norm(n);
  return length > 0 ? ss_dot3(n, ss_sub(at(vertex, other->third), p))/length : 0;
}

static double extent(int n, const double* vertex)
{
  double size = 0;
  for (int i = 0; i < n; i++) size = fmax(size, ss_norm(ss_sub(at(vertex, i), at(vertex, 0))));
  return size;
}

// Vertices that triangles have
static int count_used(int n_vertex, int n_face, const int* face)
{
  bool* used = calloc((size_t)n_vertex + 1, sizeof *used);
  int n = 0;
  for (int i = 0; used && i < 3*n_face; i++) {
    n += !used[face[i]];
    used[face[i]] = true;
  }
  free(used);
  return n;
}

// Whether all triangles hang together
static bool connected(int n_vertex, int n_face, const int* face)
{
  int* up = malloc(sizeof *up*((size_t)n_vertex + 1));
  bool one = up != NULL;
  if (up) ss_sets_apart(up, n_vertex);
  for (int i = 0; up && i < 3*n_face; i++) ss_sets_join(up, face[i], face[i/3*3]);
  for (int i = 1; one && i < 3*n_face; i++) one = ss_set_root(up, face[i]) == ss_set_root(up, face[0]);
  free(up);
  return one;
}

static ss_mesh_surface look(int n_vertex, const double* vertex, int n_face, const int* face, const edge* e)
{
  double least = 0, most = 0, tol = 1e-6*extent(n_vertex, vertex);
  int n = 3*n_face;
  if (n%2) return SS_MESH_OPEN;
  for (int i = 0; i < n; i += 2) {
    const edge *a = e + i, *b = e + i + 1;
    bool pair = a->low == b->low && a->high == b->high && a->forward != b->forward;
    bool third = i + 2 < n && e[i + 2].low == a->low && e[i + 2].high == a->high;
    if (!pair || third) return SS_MESH_OPEN;
    double d = bend(vertex, a, b);
    least = fmin(least, d);
    most = fmax(most, d);
  }
  bool outward = most <= tol, inward = least >= -tol;  // turned inside out, it is bent outwards everywhere
  bool sphere = count_used(n_vertex, n_face, face) - n/2 + n_face == 2;  // Euler
  bool all = count_used(n_vertex, n_face, face) == n_vertex;             // others could lie outside
  return (outward || inward) && sphere && all && connected(n_vertex, n_face, face) ? SS_MESH_CONVEX : SS_MESH_CLOSED;
}

ss_mesh_surface ss_mesh_look(int n_vertex, const double* vertex, int n_face, const int* face)
{
  if (!n_face) return SS_MESH_CONVEX;
  edge* e = malloc(sizeof *e*3*(size_t)n_face);
  if (!e) return SS_MESH_OPEN;
  for (int i = 0; i < 3*n_face; i++) {
    int a = face[i], b = face[i/3*3 + (i + 1)%3], c = face[i/3*3 + (i + 2)%3];
    e[i] = (edge){a < b ? a : b, a < b ? b : a, c, a < b};
  }
  qsort(e, 3*(size_t)n_face, sizeof *e, by_ends);
  ss_mesh_surface surface = look(n_vertex, vertex, n_face, face, e);
  free(e);
  return surface;
}
