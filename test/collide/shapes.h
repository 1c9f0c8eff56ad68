// Shapes, poses and motions for tests: random ones, and placing them by formulas of their own.
#ifndef TEST_SHAPES_H
#define TEST_SHAPES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/shape.h>
#include "less.h"

// In double precision; cmocka's own compares floats
#define assert_near(a, b, tolerance)                                                                             \
  do {                                                                                                           \
    double left_ = (a), right_ = (b), most_ = (tolerance);                                                       \
    if (!(fabs(left_ - right_) <= most_))                                                                        \
      fail_msg(#a " is %.17g, " #b " is %.17g: off by %.3g > %.3g", left_, right_, left_ - right_, most_);        \
  } while (0)

static uint64_t seed_state = 1;

// Uniform in -1 .. 1 (a linear congruential generator: the same numbers everywhere)
static inline double uniform(void)
{
  seed_state = seed_state*6364136223846793005ull + 1442695040888963407ull;
  return (double)(int64_t)(seed_state >> 11)/(double)(1ull << 52) - 1;
}

static inline double dot(const double* a, const double* b) { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]; }
static inline double norm(const double* a) { return sqrt(dot(a, a)); }

static inline void cross(const double* a, const double* b, double* out)
{
  out[0] = a[1]*b[2] - a[2]*b[1];
  out[1] = a[2]*b[0] - a[0]*b[2];
  out[2] = a[0]*b[1] - a[1]*b[0];
}

static inline double distance(const double* a, const double* b)
{
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return norm(d);
}

// x of the pose's frame in the world, by the rotation matrix of a quaternion of any length
static inline void to_world(const ss_pose* pose, const double x[3], double out[3])
{
  const double* r = pose->rotation;
  double w = r[0], a = r[1], b = r[2], c = r[3], n = w*w + a*a + b*b + c*c;
  if (n == 0) n = w = 1;
  const double R[3][3] = {{w*w + a*a - b*b - c*c, 2*(a*b - w*c), 2*(a*c + w*b)},
                          {2*(a*b + w*c), w*w - a*a + b*b - c*c, 2*(b*c - w*a)},
                          {2*(a*c - w*b), 2*(b*c + w*a), w*w - a*a - b*b + c*c}};
  for (int i = 0; i < 3; i++) out[i] = pose->position[i] + dot(R[i], x)/n;
}

// Vertices of random meshes: the last 64 stay
static inline void random_mesh(ss_shape_def* shape)
{
  static double vertex[64][24];
  static int next = 0;
  double* v = vertex[next = (next + 1)%64];
  shape->n_vertex = 4 + (int)(2.4999*(uniform() + 1));
  shape->vertex = v;
  for (int i = 0; i < shape->n_vertex; i++) {
    double x[3] = {uniform(), uniform(), uniform()}, size = (0.6 + 0.5*uniform())/norm(x);
    for (int k = 0; k < 3; k++) v[3*i + k] = size*x[k];
  }
}

static inline ss_shape_def random_shape(ss_shape_kind kind)
{
  ss_shape_def shape = {.kind = kind};
  bool round = kind == SS_SHAPE_SPHERE || kind == SS_SHAPE_CAPSULE || kind == SS_SHAPE_CYLINDER;
  if (round) shape.radius = 0.6 + 0.5*uniform();
  if (round && kind != SS_SHAPE_SPHERE) shape.half_length = 1 + uniform();
  bool edges = kind == SS_SHAPE_BOX || kind == SS_SHAPE_ELLIPSOID;
  for (int i = 0; edges && i < 3; i++) shape.half[i] = 0.6 + 0.5*uniform();
  if (kind == SS_SHAPE_MESH) random_mesh(&shape);
  return shape;
}

static inline ss_pose random_pose(double size)
{
  ss_pose pose;
  for (int i = 0; i < 3; i++) pose.position[i] = size*uniform();
  for (int i = 0; i < 4; i++) pose.rotation[i] = uniform();
  return pose;
}

// The pose after a time t of constant velocity of the origin and constant angular velocity (world axes)
static inline ss_pose moved(const ss_pose* pose, const ss_twist* twist, double t)
{
  ss_pose out = *pose;
  for (int i = 0; i < 3; i++) out.position[i] += t*twist->linear[i];
  double w = norm(twist->angular), half = 0.5*w*t, s = w > 0 ? sin(half)/w : 0, c = cos(half);
  const double *r = pose->rotation, v[3] = {s*twist->angular[0], s*twist->angular[1], s*twist->angular[2]};
  double vr[3];
  cross(v, r + 1, vr);
  out.rotation[0] = c*r[0] - dot(v, r + 1);
  for (int i = 0; i < 3; i++) out.rotation[1 + i] = c*r[1 + i] + r[0]*v[i] + vr[i];
  return out;
}

// What every contact promises, whatever the pair. round: round-off of its gap, as a part of the size of the shapes
static inline void assert_sound(const ss_touch* t, double size, double round)
{
  const double *n = t->frame, *t1 = t->frame + 3, *t2 = t->frame + 6;
  double third[3];
  cross(n, t1, third);
  assert_near(norm(n), 1, 1e-14);
  assert_near(norm(t1), 1, 1e-14);
  assert_near(dot(n, t1), 0, 1e-14);
  assert_near(distance(third, t2), 0, 1e-14);
  for (int i = 0; i < 3; i++) {
    assert_near(t->point_b[i] - t->point_a[i], t->gap*n[i], round*size);
    assert_near(t->point[i], 0.5*(t->point_a[i] + t->point_b[i]), 1e-15*size);
  }
}

#endif
