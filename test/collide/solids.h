// Convex shapes by their support functions h(n) = max n.x and by what is within them: an account of the shapes that is
// independent of how contacts are found. For shapes that are apart, points p_a in A and p_b in B with p_b - p_a = gap N
// and gap = -h_A(N) - h_B(-N) prove that the gap is the distance. For shapes that overlap, the depth is the least of
// h_A(n) + h_B(-n) over all n.
#ifndef TEST_SOLIDS_H
#define TEST_SOLIDS_H

#include "collide/shapes.h"

// A shape made ready: its frame in the world
typedef struct solid {
  ss_shape_def shape;
  ss_pose pose;
  double at[3], axis[3][3];  // centre, axes
} solid;

static inline solid solid_at(const ss_shape_def* shape, const ss_pose* pose)
{
  solid s = {.shape = *shape, .pose = *pose};
  const double o[3] = {0, 0, 0};
  to_world(pose, o, s.at);
  for (int i = 0; i < 3; i++) {
    double e[3] = {i == 0, i == 1, i == 2}, tip[3];
    to_world(pose, e, tip);
    for (int k = 0; k < 3; k++) s.axis[i][k] = tip[k] - s.at[k];
  }
  return s;
}

static inline void local_direction(const solid* s, const double n[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = dot(n, s->axis[i]);
}

// h(n) about the centre of the shape
static inline double reach_along(const solid* s, const double n[3])
{
  double c[3];
  const double* h = s->shape.half;
  local_direction(s, n, c);
  switch (s->shape.kind) {
  case SS_SHAPE_SPHERE: return s->shape.radius*norm(n);
  case SS_SHAPE_CAPSULE: return s->shape.radius*norm(n) + fabs(c[2])*s->shape.half_length;
  case SS_SHAPE_BOX: return fabs(c[0])*h[0] + fabs(c[1])*h[1] + fabs(c[2])*h[2];
  case SS_SHAPE_CYLINDER: return s->shape.radius*hypot(c[0], c[1]) + fabs(c[2])*s->shape.half_length;
  case SS_SHAPE_ELLIPSOID: return sqrt(h[0]*h[0]*c[0]*c[0] + h[1]*h[1]*c[1]*c[1] + h[2]*h[2]*c[2]*c[2]);
  case SS_SHAPE_MESH: {
    double most = -INFINITY;
    for (int i = 0; i < s->shape.n_vertex; i++) most = fmax(most, dot(c, s->shape.vertex + 3*i));
    return most;
  }
  default: return NAN;
  }
}

// -h_A(n) - h_B(-n): how far the shapes are apart along the unit vector n
static inline double apart_along(const solid* a, const solid* b, const double n[3])
{
  const double d[3] = {b->at[0] - a->at[0], b->at[1] - a->at[1], b->at[2] - a->at[2]};
  const double back[3] = {-n[0], -n[1], -n[2]};
  return dot(n, d) - reach_along(a, n) - reach_along(b, back);
}

static inline void plane_through(const double* p, const double* q, const double* r, double m[3], double* offset,
                                 double* length)
{
  const double u[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, v[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
  cross(u, v, m);
  *length = norm(m);
  for (int i = 0; i < 3; i++) m[i] /= *length;
  *offset = dot(m, p);
}

// How far outside of the shape a point is, roughly: 0 on the surface, negative inside
static inline double outside(const solid* s, const double x[3])
{
  const double d[3] = {x[0] - s->at[0], x[1] - s->at[1], x[2] - s->at[2]}, *h = s->shape.half;
  double c[3];
  local_direction(s, d, c);
  switch (s->shape.kind) {
  case SS_SHAPE_SPHERE: return norm(c) - s->shape.radius;
  case SS_SHAPE_CAPSULE: {
    double z = fmax(-s->shape.half_length, fmin(c[2], s->shape.half_length));
    return sqrt(c[0]*c[0] + c[1]*c[1] + (c[2] - z)*(c[2] - z)) - s->shape.radius;
  }
  case SS_SHAPE_BOX: return fmax(fabs(c[0]) - h[0], fmax(fabs(c[1]) - h[1], fabs(c[2]) - h[2]));
  case SS_SHAPE_CYLINDER: return fmax(hypot(c[0], c[1]) - s->shape.radius, fabs(c[2]) - s->shape.half_length);
  case SS_SHAPE_ELLIPSOID:
    return (sqrt(c[0]*c[0]/h[0]/h[0] + c[1]*c[1]/h[1]/h[1] + c[2]*c[2]/h[2]/h[2]) - 1)*fmin(h[0], fmin(h[1], h[2]));
  case SS_SHAPE_MESH: {  // beyond a plane through three vertices that has all others on one side
    double most = -INFINITY;
    const double* v = s->shape.vertex;
    int n = s->shape.n_vertex;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) {
          if (i == j || j == k || k == i) continue;
          double m[3], offset, length;
          plane_through(v + 3*i, v + 3*j, v + 3*k, m, &offset, &length);
          bool supports = length > 1e-9;
          for (int l = 0; l < n; l++) supports = supports && dot(m, v + 3*l) < offset + 1e-12;
          if (supports) most = fmax(most, dot(m, c) - offset);
        }
    return most;
  }
  default: return NAN;
  }
}

// Directions in which a polyhedron can overlap another one least: across its faces, and across its edges with others'
static inline int edge_directions(const solid* s, double out[][3])
{
  if (s->shape.kind == SS_SHAPE_CAPSULE) {
    memcpy(out[0], s->axis[2], sizeof out[0]);
    return 1;
  }
  int n = 0;
  for (int i = 0; s->shape.kind == SS_SHAPE_MESH && i < s->shape.n_vertex; i++)
    for (int j = 0; j < i; j++, n++) {
      double p[3], q[3];
      to_world(&s->pose, s->shape.vertex + 3*i, p);
      to_world(&s->pose, s->shape.vertex + 3*j, q);
      for (int k = 0; k < 3; k++) out[n][k] = p[k] - q[k];
    }
  if (s->shape.kind != SS_SHAPE_BOX) return n;
  memcpy(out, s->axis, sizeof s->axis);
  return 3;
}

static inline int face_directions(const solid* s, double out[][3])
{
  int n = 0;
  for (int i = 0; s->shape.kind == SS_SHAPE_MESH && i < s->shape.n_vertex; i++)
    for (int j = 0; j < i; j++)
      for (int k = 0; k < j; k++, n++) {
        double p[3][3], offset, length;
        to_world(&s->pose, s->shape.vertex + 3*i, p[0]);
        to_world(&s->pose, s->shape.vertex + 3*j, p[1]);
        to_world(&s->pose, s->shape.vertex + 3*k, p[2]);
        plane_through(p[0], p[1], p[2], out[n], &offset, &length);
      }
  if (s->shape.kind == SS_SHAPE_MESH) return n;
  if (s->shape.kind == SS_SHAPE_CYLINDER) {
    memcpy(out[0], s->axis[2], sizeof out[0]);
    return 1;
  }
  if (s->shape.kind != SS_SHAPE_BOX) return 0;
  memcpy(out, s->axis, sizeof s->axis);
  return 3;
}

static inline void try_direction(const solid* a, const solid* b, const double n[3], double* best)
{
  double length = norm(n);
  if (!(length > 1e-9)) return;
  const double e[3] = {n[0]/length, n[1]/length, n[2]/length}, back[3] = {-e[0], -e[1], -e[2]};
  *best = fmax(*best, fmax(apart_along(a, b, e), apart_along(a, b, back)));
}

// The greatest of apart_along() over faces, pairs of edges and some random directions
static inline double apart_at_best(const solid* a, const solid* b, int random)
{
  double e[2][64][3], f[64][3], n[3], best = -INFINITY;
  const solid* both[2] = {a, b};
  int count[2];
  for (int k = 0; k < 2; k++) {
    count[k] = edge_directions(both[k], e[k]);
    int faces = face_directions(both[k], f);
    for (int i = 0; i < faces; i++) try_direction(a, b, f[i], &best);
  }
  for (int i = 0; i < count[0]; i++)
    for (int j = 0; j < count[1]; j++) {
      cross(e[0][i], e[1][j], n);
      try_direction(a, b, n, &best);
    }
  for (int i = 0; i < random; i++) {
    for (int k = 0; k < 3; k++) n[k] = uniform();
    try_direction(a, b, n, &best);
  }
  return best;
}

#endif
