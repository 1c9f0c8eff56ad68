// The convex hull of a mesh by Qhull [Barber, Dobkin & Huhdanpaa 1996], once, when a scene is made. Coplanar triangles
// are one face. Coordinates stay those of the mesh: Qhull only says which vertices are corners, and of which faces.
#include "collide/hull.h"
#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPLAIN(...) ss_error_set(error, SS_ERR_INPUT, __VA_ARGS__)

// A vertex so far within the hull, in parts of its size, makes a mesh concave
#define WITHIN 1e-6

void ss_hull_destroy(ss_hull* h)
{
  if (!h || --h->users > 0) return;
  free(h->vertex);
  free(h->normal);
  free(h->first);
  free(h->loop);
  free(h->loop_edge);
  free(h->edge);
  free(h->around);
  free(h->ring);
  free(h->turned);
  free(h);
}

static bool allocate(ss_hull* h, int vertices, int faces, int corners)
{
  h->vertex = calloc((size_t)vertices, sizeof *h->vertex);
  h->normal = calloc((size_t)faces, sizeof *h->normal);
  h->first = calloc((size_t)faces + 1, sizeof *h->first);
  h->loop = calloc((size_t)corners, sizeof *h->loop);
  h->loop_edge = calloc((size_t)corners, sizeof *h->loop_edge);
  h->edge = calloc((size_t)corners, sizeof *h->edge);
  return h->vertex && h->normal && h->first && h->loop && h->loop_edge && h->edge;
}

// The normal of a polygon [Newell]: exact for planar ones, the mean for others
static ss_vec3 normal_of(const ss_hull* h, int face)
{
  ss_vec3 sum = {0, 0, 0};
  int begin = h->first[face], end = h->first[face + 1];
  double length;
  for (int i = begin + 1; i + 1 < end; i++) {
    ss_vec3 o = h->vertex[h->loop[begin]];
    sum = ss_add(sum, ss_cross(ss_sub(h->vertex[h->loop[i]], o), ss_sub(h->vertex[h->loop[i + 1]], o)));
  }
  return ss_direction(sum, &length);
}

// Edges from the loops: each is in two of them, once in either direction. Lists hold the edges that begin at a corner.
static bool find_edges(ss_hull* h)
{
  int* head = malloc(sizeof(int)*(size_t)h->n_vertex);
  int* next = malloc(sizeof(int)*(size_t)(h->first[h->n_face] + 1));
  bool enough = head && next;
  for (int i = 0; enough && i < h->n_vertex; i++) head[i] = -1;
  for (int f = 0; enough && f < h->n_face; f++)
    for (int i = h->first[f]; i < h->first[f + 1]; i++) {
      int from = h->loop[i], to = h->loop[i + 1 < h->first[f + 1] ? i + 1 : h->first[f]], e = head[to];
      while (e >= 0 && h->edge[e].to != from) e = next[e];
      if (e < 0) {
        e = h->n_edge++;
        h->edge[e] = (ss_hull_edge){from, to, f, -1};
        next[e] = head[from];
        head[from] = e;
      } else {
        h->edge[e].right = f;
      }
      h->loop_edge[i] = e;
    }
  free(head);
  free(next);
  for (int e = 0; enough && e < h->n_edge; e++) enough = h->edge[e].right >= 0;
  return enough;
}

// Corners and loops from Qhull's facets; corner[i] becomes the number of vertex i among the corners, -1 if it is none
static bool take(qhT* qh, const double* vertex, int* corner, ss_hull* h)
{
  int corners = 0;
  for (facetT* f = qh->facet_list; f && f->next; f = f->next) corners += qh_setsize(qh, f->vertices);
  if (!allocate(h, qh->num_vertices, qh->num_facets, corners)) return false;
  for (vertexT* v = qh->vertex_list; v && v->next; v = v->next) corner[qh_pointid(qh, v->point)] = 1;
  for (int i = 0; i < qh->num_points; i++) {
    if (corner[i] < 0) continue;
    corner[i] = h->n_vertex;
    h->vertex[h->n_vertex++] = ss_vec3_from(vertex + 3*i);
  }
  for (facetT* facet = qh->facet_list; facet && facet->next; facet = facet->next) {
    setT* loop = qh_facet3vertex(qh, facet);
    int at = h->first[h->n_face], count = qh_setsize(qh, loop);
    for (int i = 0; i < count; i++) h->loop[at++] = corner[qh_pointid(qh, SETelemt_(loop, i, vertexT)->point)];
    qh_settempfree(qh, &loop);
    h->first[++h->n_face] = at;
    ss_vec3 n = normal_of(h, h->n_face - 1);
    if (ss_dot3(n, ss_vec3_from(facet->normal)) < 0) {  // Qhull's loops may run clockwise
      for (int i = h->first[h->n_face - 1], k = at - 1; i < k; i++, k--) {
        int swap = h->loop[i];
        h->loop[i] = h->loop[k];
        h->loop[k] = swap;
      }
      n = ss_scale(-1, n);
    }
    h->normal[h->n_face - 1] = n;
  }
  return find_edges(h);
}

// Centred and of size one, as Qhull likes it; the farthest from the middle is returned
static double normalise(int n, const double* vertex, coordT* out)
{
  double lo[3], hi[3], size = 0;
  for (int k = 0; k < 3; k++) lo[k] = hi[k] = vertex[k];
  for (int i = 0; i < 3*n; i++) lo[i%3] = fmin(lo[i%3], vertex[i]), hi[i%3] = fmax(hi[i%3], vertex[i]);
  for (int k = 0; k < 3; k++) size = fmax(size, 0.5*(hi[k] - lo[k]));
  for (int i = 0; i < 3*n; i++) out[i] = size > 0 ? (vertex[i] - 0.5*(lo[i%3] + hi[i%3]))/size : 0;
  return size;
}

// No vertex is within the hull
static bool all_on_hull(int n, const double* vertex, const int* corner, const ss_hull* h, double size)
{
  for (int i = 0; i < n; i++) {
    bool on = corner[i] >= 0;
    for (int f = 0; !on && f < h->n_face; f++) {
      ss_vec3 d = ss_sub(ss_vec3_from(vertex + 3*i), h->vertex[h->loop[h->first[f]]]);
      on = ss_dot3(h->normal[f], d) > -WITHIN*size;
    }
    if (!on) return false;
  }
  return true;
}

// ---- directions ----------------------------------------------------------------------------------------------------

// Up to so many corners or faces all are looked at
#define FEW 64
// Corners that are equally high, of large hulls
#define PLATEAU 64

static double height_of(const ss_hull* h, int corner, ss_vec3 d) { return ss_dot3(d, h->vertex[corner]); }

// From corner to corner uphill: a polytope has no other high point
static int climb(const ss_hull* h, ss_vec3 d, int corner)
{
  double high = height_of(h, corner, d);
  for (int last = -1; last != corner;) {
    last = corner;
    for (int i = h->around[last]; i < h->around[last + 1]; i++) {
      int other = ss_hull_other(h->edge + h->ring[i], last);
      double at = height_of(h, other, d);
      if (at > high) high = at, corner = other;
    }
  }
  return corner;
}

// Which of the directions with components -1, 0, 1 is about d
static int about(ss_vec3 d)
{
  double little = 0.4*fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
  int x = d.x > little ? 2 : d.x < -little ? 0 : 1, y = d.y > little ? 2 : d.y < -little ? 0 : 1;
  return x + 3*y + 9*(d.z > little ? 2 : d.z < -little ? 0 : 1);
}

int ss_hull_corner(const ss_hull* h, ss_vec3 d)
{
  if (h->n_vertex > FEW) return climb(h, d, h->start[about(d)]);
  int best = 0;
  double most = height_of(h, 0, d);
  for (int i = 1; i < h->n_vertex; i++) {
    double along = height_of(h, i, d);
    if (along > most) most = along, best = i;
  }
  return best;
}

int ss_hull_edge_between(const ss_hull* h, int from, int to)
{
  for (int i = h->around[from]; i < h->around[from + 1]; i++)
    if (ss_hull_other(h->edge + h->ring[i], from) == to) return h->ring[i];
  return -1;
}

// ---- faces by their normals: a k-d tree, the middle of a range of `turned` parts it --------------------------------

static double component(ss_vec3 a, int k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }

// Puts the face that belongs in the middle of from .. to - 1 there, smaller ones before it
static void part(const ss_hull* h, int* face, int from, int to, int axis)
{
  int middle = from + (to - from)/2;
  for (int low = from, high = to - 1; low < high;) {
    double pivot = component(h->normal[face[middle]], axis);
    int i = low, k = high;
    while (i <= k) {
      while (component(h->normal[face[i]], axis) < pivot) i++;
      while (component(h->normal[face[k]], axis) > pivot) k--;
      if (i > k) break;
      int swap = face[i];
      face[i++] = face[k];
      face[k--] = swap;
    }
    if (k < middle) low = i;
    if (i > middle) high = k;
  }
}

static void sort_faces(const ss_hull* h, int* face, int from, int to, int axis)
{
  if (to - from < 2) return;
  int middle = from + (to - from)/2;
  part(h, face, from, to, axis);
  sort_faces(h, face, from, middle, (axis + 1)%3);
  sort_faces(h, face, middle + 1, to, (axis + 1)%3);
}

// The largest n . d of unit vectors whose component is at most (at least) s, for one c of d that is more (less)
static double most_beyond(double c, double s)
{
  return c*s + sqrt(fmax(0, 1 - c*c))*sqrt(fmax(0, 1 - s*s));
}

static void find_face(const ss_hull* h, ss_vec3 d, int from, int to, int axis, int* best, double* most)
{
  if (from >= to) return;
  int middle = from + (to - from)/2, face = h->turned[middle];
  double along = ss_dot3(h->normal[face], d), c = component(d, axis), s = component(h->normal[face], axis);
  if (along > *most || (along == *most && face < *best)) *most = along, *best = face;
  bool before = c < s;
  find_face(h, d, before ? from : middle + 1, before ? middle : to, (axis + 1)%3, best, most);
  if (most_beyond(c, s) < *most - 1e-12) return;
  find_face(h, d, before ? middle + 1 : from, before ? to : middle, (axis + 1)%3, best, most);
}

int ss_hull_face(const ss_hull* h, ss_vec3 d)
{
  int best = 0;
  double length;
  if (h->n_face > FEW) {
    double most = -INFINITY;
    find_face(h, ss_direction(d, &length), 0, h->n_face, 0, &best, &most);
    return best;
  }
  for (int f = 1; f < h->n_face; f++)
    if (ss_dot3(h->normal[f], d) > ss_dot3(h->normal[best], d)) best = f;
  return best;
}

// ---- places --------------------------------------------------------------------------------------------------------

// How far x is above a face, and how far the origin is below it
static double above(const ss_hull* h, int f, ss_vec3 x, double* depth)
{
  ss_vec3 o = h->vertex[h->loop[h->first[f]]];
  *depth = ss_dot3(h->normal[f], o);
  return ss_dot3(h->normal[f], ss_sub(x, o));
}

// The face that the way from the origin to x and on passes through: from face to face, the one with the greatest
// n . x/depth, a corner of the dual polytope. By how much that is more than one is returned.
static double pierced(const ss_hull* h, ss_vec3 x, int* face)
{
  double depth, most = above(h, *face, x, &depth)/depth;
  for (int last = -1; last != *face;) {
    last = *face;
    for (int i = h->first[last]; i < h->first[last + 1]; i++) {
      const ss_hull_edge* e = h->edge + h->loop_edge[i];
      int other = e->left == last ? e->right : e->left;
      double ratio = above(h, other, x, &depth)/depth;
      if (ratio > most) most = ratio, *face = other;
    }
  }
  return most;
}

bool ss_hull_holds(const ss_hull* h, ss_vec3 x, double slack)
{
  double depth;
  if (ss_norm(x) > h->bound + slack) return false;
  if (h->n_face > FEW && h->inner > 0) {
    int face = h->edge[h->ring[h->around[ss_hull_corner(h, x)]]].left;
    double beyond = pierced(h, x, &face);
    if (above(h, face, x, &depth) > slack) return false;
    if (beyond*h->bound <= slack) return true;  // no face is farther from the origin than that
  }
  for (int f = 0; f < h->n_face; f++)
    if (above(h, f, x, &depth) > slack) return false;
  return true;
}

// Corners that are no lower than `low` hang together: from the highest one on. Their number, -1 if they are too many.
static int plateau(const ss_hull* h, ss_vec3 n, double low, int* corner)
{
  int count = 1;
  corner[0] = ss_hull_corner(h, n);
  for (int at = 0; at < count; at++) {
    for (int i = h->around[corner[at]]; i < h->around[corner[at] + 1]; i++) {
      int other = ss_hull_other(h->edge + h->ring[i], corner[at]), k = 0;
      if (height_of(h, other, n) < low) continue;
      while (k < count && corner[k] != other) k++;
      if (k < count) continue;
      if (count == PLATEAU) return -1;
      corner[count++] = other;
    }
  }
  return count;
}

bool ss_hull_top(const ss_hull* h, ss_vec3 n, double height, double slack, ss_vec3* mean)
{
  int corner[PLATEAU], count = 0;
  if (fabs(height_of(h, ss_hull_corner(h, n), n) - height) > slack) return false;
  int some = h->n_vertex > FEW ? plateau(h, n, height - slack, corner) : -1;
  ss_vec3 sum = {0, 0, 0};
  for (int k = 0; k < (some < 0 ? h->n_vertex : some); k++) {
    int i = some < 0 ? k : corner[k];
    if (height_of(h, i, n) < height - slack) continue;
    sum = ss_add(sum, h->vertex[i]);
    count++;
  }
  *mean = ss_scale(1.0/count, sum);
  return true;
}

// ---- making ---------------------------------------------------------------------------------------------------------

// The edges of each corner: those of corner i are list[first[i]] .. list[first[i + 1] - 1]
static void edges_of_corners(const ss_hull* h, int* first, int* list)
{
  for (int i = 0; i < h->n_vertex + 2; i++) first[i] = 0;
  for (int e = 0; e < h->n_edge; e++) first[h->edge[e].from + 2]++, first[h->edge[e].to + 2]++;
  for (int i = 0; i < h->n_vertex; i++) first[i + 2] += first[i + 1];
  for (int e = 0; e < h->n_edge; e++) {
    list[first[h->edge[e].from + 1]++] = e;
    list[first[h->edge[e].to + 1]++] = e;
  }
}

static bool make_walks(ss_hull* h)
{
  h->around = malloc(sizeof *h->around*((size_t)h->n_vertex + 2));
  h->ring = malloc(sizeof *h->ring*(2*(size_t)h->n_edge + 1));
  h->turned = malloc(sizeof *h->turned*((size_t)h->n_face + 1));
  if (!h->around || !h->ring || !h->turned) return false;
  edges_of_corners(h, h->around, h->ring);
  for (int i = 0, last = 0; i < 27; i++)
    last = h->start[i] = climb(h, (ss_vec3){i%3 - 1, i/3%3 - 1, i/9 - 1}, last);
  for (int f = 0; f < h->n_face; f++) h->turned[f] = f;
  sort_faces(h, h->turned, 0, h->n_face, 0);
  h->inner = INFINITY;
  for (int f = 0; f < h->n_face; f++)
    h->inner = fmin(h->inner, ss_dot3(h->normal[f], h->vertex[h->loop[h->first[f]]]));
  return true;
}

// ---- width ---------------------------------------------------------------------------------------------------------

// From face to face; what is below one is near to what is below its neighbour. False if memory is short.
static bool measure_width(ss_hull* h)
{
  int* below = malloc(sizeof *below*((size_t)h->n_face + 1));
  int* queue = malloc(sizeof *queue*((size_t)h->n_face + 1));
  bool enough = below && queue;
  if (enough) {
    h->thin = INFINITY;
    for (int f = 0; f < h->n_face; f++) below[f] = -1;
    below[0] = climb(h, ss_scale(-1, h->normal[0]), 0);
    queue[0] = 0;
    for (int at = 0, end = 1; at < end; at++) {
      int f = queue[at], begin = h->first[f];
      ss_vec3 across = ss_sub(h->vertex[h->loop[begin]], h->vertex[below[f]]);
      h->thin = fmin(h->thin, 0.5*ss_dot3(h->normal[f], across));
      for (int i = begin; i < h->first[f + 1]; i++) {
        const ss_hull_edge* e = h->edge + h->loop_edge[i];
        int next = e->left == f ? e->right : e->left;
        if (below[next] >= 0) continue;
        below[next] = climb(h, ss_scale(-1, h->normal[next]), below[f]);
        queue[end++] = next;
      }
    }
  }
  free(below);
  free(queue);
  return enough;
}

// ---- life ----------------------------------------------------------------------------------------------------------

static bool run_qhull(int n, const double* vertex, coordT* point, int* corner, ss_hull* h)
{
  FILE* nowhere = fopen("/dev/null", "w");
  if (!nowhere) return false;
  qhT qh;
  qh_zero(&qh, nowhere);
  char options[] = "qhull Pp";
  bool done = !qh_new_qhull(&qh, 3, n, point, False, options, NULL, nowhere);
  if (done) done = take(&qh, vertex, corner, h);
  qh_freeqhull(&qh, !qh_ALL);
  int held, total;
  qh_memfreeshort(&qh, &held, &total);
  fclose(nowhere);
  return done;
}

ss_hull* ss_hull_create(int n, const double* vertex, const char* label, ss_error* error)
{
  ss_hull* h = calloc(1, sizeof *h);
  coordT* point = malloc(sizeof(coordT)*3*(size_t)n);
  int* corner = malloc(sizeof(int)*(size_t)n);
  bool enough = h && point && corner, done = false;
  if (h) h->users = 1;
  if (enough) {
    for (int i = 0; i < n; i++) corner[i] = -1;
    double size = normalise(n, vertex, point);
    done = size > 0 && run_qhull(n, vertex, point, corner, h) && make_walks(h) && measure_width(h);
    if (done) h->convex = all_on_hull(n, vertex, corner, h, size);
    for (int i = 0; done && i < h->n_vertex; i++) {
      const double x[3] = {h->vertex[i].x, h->vertex[i].y, h->vertex[i].z};
      for (int k = 0; k < 3; k++) h->half[k] = fmax(h->half[k], fabs(x[k]));
      h->bound = fmax(h->bound, ss_norm(h->vertex[i]));
    }
  }
  free(point);
  free(corner);
  if (done) return h;
  ss_hull_destroy(h);
  if (enough) COMPLAIN("%s: the %d vertices of the mesh have no convex hull; they must not lie in a plane", label, n);
  else ss_error_set(error, SS_ERR_MEMORY, "%s: no memory for a mesh of %d vertices", label, n);
  return NULL;
}
