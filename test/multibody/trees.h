// Trees for tests: random ones with all kinds of joints, chains; random positions and velocities.
#ifndef TEST_TREES_H
#define TEST_TREES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/tree.h>

#define MOST_BODIES 1000

typedef struct tree_case {
  ss_body_def body[MOST_BODIES];
  ss_joint_def joint[3*MOST_BODIES];
  ss_tree_def def;
  ss_tree* tree;
  ss_tree_work* work;
  int nq, nv;
  double *q, *u;  // nq, nv
} tree_case;

static uint64_t seed_state = 1;

// Uniform in -1 .. 1 (a linear congruential generator: the same numbers everywhere)
static inline double uniform(void)
{
  seed_state = seed_state*6364136223846793005ull + 1442695040888963407ull;
  return (double)(int64_t)(seed_state >> 11)/(double)(1ull << 52) - 1;
}

static inline void random_body(ss_body_def* body, int parent)
{
  *body = (ss_body_def){.parent = parent, .mass = 1.5 + uniform()};
  for (int i = 0; i < 3; i++) {
    body->position[i] = uniform();
    body->com[i] = 0.3*uniform();
  }
  for (int i = 0; i < 4; i++) body->rotation[i] = uniform();
  // sum over a few points of mass: the inertia of some body
  for (int k = 0; k < 6; k++) {
    double x = 0.4*uniform(), y = 0.4*uniform(), z = 0.4*uniform();
    const double I[6] = {y*y + z*z, x*x + z*z, x*x + y*y, -x*y, -x*z, -y*z};
    for (int i = 0; i < 6; i++) body->inertia[i] += I[i];
  }
}

static inline void random_joint(ss_joint_def* joint, int body, ss_joint_kind kind)
{
  *joint = (ss_joint_def){.kind = kind, .body = body};
  for (int i = 0; i < 3; i++) {
    joint->axis[i] = uniform();
    joint->anchor[i] = 0.3*uniform();
  }
  if (kind <= SS_JOINT_SLIDE) joint->ref = uniform();
}

static inline void finish_case(tree_case* c)
{
  ss_error error = {0};
  c->tree = ss_tree_create(&c->def, &error);
  if (!c->tree) fail_msg("%s", error.text);
  c->work = ss_tree_work_create(c->tree, &error);
  assert_non_null(c->work);
  c->nq = ss_tree_nq(c->tree);
  c->nv = ss_tree_nv(c->tree);
  c->q = calloc((size_t)c->nq + 1, sizeof(double));
  c->u = calloc((size_t)c->nv + 1, sizeof(double));
  ss_tree_reference(c->tree, c->q);
}

static inline void random_state(tree_case* c)
{
  for (int i = 0; i < c->nv; i++) c->u[i] = 3*uniform();
  ss_tree_reference(c->tree, c->q);
  ss_tree_advance(c->tree, c->q, c->u, 1, c->q);
  for (int i = 0; i < c->nv; i++) c->u[i] = 2*uniform();
  ss_tree_set_position(c->work, c->q);
  ss_tree_set_velocity(c->work, c->u);
}

// n bodies, branches of any kind; up to three joints per body; floating: the root is free and the only one
static inline tree_case* random_tree(uint64_t seed, int n, bool floating)
{
  tree_case* c = calloc(1, sizeof *c);
  seed_state = seed;
  for (int i = 0; i < 10; i++) uniform();
  int nj = 0;
  for (int b = 0; b < n; b++) {
    int parent = b - 1 - (int)((uniform() + 1)*(n < 50 ? 2 : 12));  // near relatives: deep, and with branches
    if (floating && parent < 0) parent = b ? 0 : -1;
    random_body(c->body + b, parent < -1 ? -1 : parent);
    int kind = (int)((uniform() + 1)*5);  // 0..9
    bool free_root = c->body[b].parent == -1 && (floating || kind < 3);
    if (free_root)
      random_joint(c->joint + nj++, b, SS_JOINT_FREE);
    else if (kind < 4)
      random_joint(c->joint + nj++, b, SS_JOINT_HINGE);
    else if (kind < 5)
      random_joint(c->joint + nj++, b, SS_JOINT_SLIDE);
    else if (kind < 6)
      random_joint(c->joint + nj++, b, SS_JOINT_BALL);
    else if (kind < 7)
      random_joint(c->joint + nj++, b, SS_JOINT_FIXED);
    else if (kind < 9)
      for (int k = 0; k < kind - 5; k++) random_joint(c->joint + nj++, b, (ss_joint_kind)((k + b)%2));
    else {  // a slide that carries a ball
      random_joint(c->joint + nj++, b, SS_JOINT_SLIDE);
      random_joint(c->joint + nj++, b, SS_JOINT_BALL);
    }
  }
  c->def = (ss_tree_def){.n_body = n, .body = c->body, .n_joint = nj, .joint = c->joint, .gravity = {1, -2, -9.81}};
  return c;
}

// n bodies that move freely, every fourth with a body on a hinge behind it: many are trees by themselves
static inline tree_case* random_crowd(uint64_t seed, int n)
{
  tree_case* c = calloc(1, sizeof *c);
  seed_state = seed;
  for (int b = 0; b < n; b++) {
    bool hangs = b%4 == 3;
    random_body(c->body + b, hangs ? b - 1 : -1);
    random_joint(c->joint + b, b, hangs ? SS_JOINT_HINGE : SS_JOINT_FREE);
  }
  c->def = (ss_tree_def){.n_body = n, .body = c->body, .n_joint = n, .joint = c->joint, .gravity = {1, -2, -9.81}};
  return c;
}

// A chain of n hinges, the axes in turn along y and, every third, x
static inline tree_case* chain(int n, bool planar)
{
  tree_case* c = calloc(1, sizeof *c);
  for (int b = 0; b < n; b++) {
    c->body[b] = (ss_body_def){.parent = b - 1, .position = {0, 0, b ? -1 : 0}, .mass = 1, .com = {0, 0, -0.5},
                               .inertia = {1.0/12, 1.0/12, 0.01}};
    c->joint[b] = (ss_joint_def){.kind = SS_JOINT_HINGE, .body = b, .axis = {0, 1, 0}};
    if (!planar && b%3 == 2) c->joint[b].axis[0] = 1, c->joint[b].axis[1] = 0;
  }
  c->def = (ss_tree_def){.n_body = n, .body = c->body, .n_joint = n, .joint = c->joint, .gravity = {0, 0, -9.81}};
  return c;
}

static inline void destroy_case(tree_case* c)
{
  ss_tree_work_destroy(c->work);
  ss_tree_destroy(c->tree);
  free(c->q);
  free(c->u);
  free(c);
}

// |a - b|/|b|, largest entries
static inline double difference(int n, const double* a, const double* b)
{
  double most = 0, size = 1e-300;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    size = fmax(size, fabs(b[i]));
    if (!isfinite(a[i])) return INFINITY;
  }
  return most/size;
}

#define NEAR(n, a, b, tol, what)                                                          \
  do {                                                                                    \
    double difference_ = difference(n, a, b);                                             \
    if (!(difference_ <= (tol))) fail_msg("%s differ by %g, relative", what, difference_); \
  } while (0)

#endif
