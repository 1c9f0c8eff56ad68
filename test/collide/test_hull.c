// Hulls of meshes: how thick they are, what is farthest along a direction, and one of them for all geoms of a mesh.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "collide/collider.h"
#include "collide/hull.h"

static double uniform(void)
{
  static uint64_t state = 3;
  state = state*6364136223846793005ull + 1442695040888963407ull;
  return (double)(state >> 11)/(double)(1ull << 53);
}

// Across each of its faces, to the vertex that is farthest of all
static double width(const ss_hull* h)
{
  double least = INFINITY;
  for (int f = 0; f < h->n_face; f++) {
    double deepest = 0;
    for (int i = 0; i < h->n_vertex; i++) {
      ss_vec3 d = ss_sub(h->vertex[h->loop[h->first[f]]], h->vertex[i]);
      deepest = fmax(deepest, ss_dot3(h->normal[f], d));
    }
    least = fmin(least, deepest);
  }
  return least;
}

// Random points in boxes, on spheres, and on grids, where many are equally deep
static void test_width(void** unused)
{
  enum { MOST = 300 };
  static double x[3*MOST];
  for (int k = 0; k < 300; k++) {
    int n = 8 + k%(MOST - 8);
    for (int i = 0; i < n; i++) {
      double* p = x + 3*i;
      for (int c = 0; c < 3; c++) p[c] = (2*uniform() - 1)*(1 + c);
      double length = k%3 == 1 ? ss_norm(ss_vec3_from(p)) : 1;
      for (int c = 0; c < 3; c++) p[c] = k%3 == 2 ? floor(3*p[c]) : p[c]/length;
    }
    ss_hull* h = ss_hull_create(n, x, "mesh", NULL);
    assert_non_null(h);
    assert_true(fabs(h->thin - 0.5*width(h)) < 1e-12*h->bound);
    ss_shape_def shape = {.kind = SS_SHAPE_MESH, .hull = h};
    assert_true(ss_shape_thin(&shape) == h->thin);
    ss_hull_destroy(h);
  }
  (void)unused;
}

static ss_vec3 random_direction(void)
{
  double length;
  return ss_direction((ss_vec3){2*uniform() - 1, 2*uniform() - 1, 2*uniform() - 1}, &length);
}

// Points on a sphere, on a flat dome with a foot, in a box, on the edges of a prism with 100 sides
static int sample(int kind, double* x)
{
  int n = 0;
  for (int i = 0; i < 1000; i++, n++) {
    double* p = x + 3*n;
    double a = 2*M_PI*(i%100)/100;
    if (kind == 0) ss_vec3_to(random_direction(), p);
    else if (kind == 3) p[0] = cos(a), p[1] = sin(a), p[2] = i < 100 ? -1 : i < 200 ? 1 : 2*uniform() - 1;
    else for (int k = 0; k < 3; k++) p[k] = 2*uniform() - 1;
    if (kind == 1) p[2] = -0.01*(p[0]*p[0] + p[1]*p[1]);
  }
  for (int i = 0; i < 4 && kind == 1; i++, n++) ss_vec3_to((ss_vec3){i & 1 ? 1 : -1, i & 2 ? 1 : -1, -0.2}, x + 3*n);
  for (int i = 0; i < 3*n && kind == 1; i += 3) x[i + 2] += 0.1;
  return n;
}

// Of all corners and faces, in turn: what walking must find
static void check_directions(const ss_hull* h, ss_vec3 d)
{
  double most = -INFINITY, slack = 1e-6*h->bound;
  int face = 0, count = 0;
  ss_vec3 sum = {0, 0, 0}, mean;
  for (int i = 0; i < h->n_vertex; i++) most = fmax(most, ss_dot3(d, h->vertex[i]));
  for (int f = 1; f < h->n_face; f++)
    if (ss_dot3(h->normal[f], d) > ss_dot3(h->normal[face], d)) face = f;
  assert_true(ss_dot3(d, h->vertex[ss_hull_corner(h, d)]) >= most - 1e-15*h->bound);
  assert_true(ss_dot3(h->normal[ss_hull_face(h, d)], d) >= ss_dot3(h->normal[face], d) - 1e-15);
  for (int i = 0; i < h->n_vertex; i++) {
    if (ss_dot3(d, h->vertex[i]) < most - slack) continue;
    sum = ss_add(sum, h->vertex[i]);
    count++;
  }
  assert_true(ss_hull_top(h, d, most, slack, &mean));
  assert_true(ss_norm(ss_sub(mean, ss_scale(1.0/count, sum))) < 1e-13*h->bound);
  assert_false(ss_hull_top(h, d, most - 3*slack, slack, &mean));
}

static void check_place(const ss_hull* h, ss_vec3 x, double slack)
{
  bool holds = ss_norm(x) <= h->bound + slack;
  for (int f = 0; f < h->n_face; f++)
    holds = holds && ss_dot3(h->normal[f], ss_sub(x, h->vertex[h->loop[h->first[f]]])) <= slack;
  assert_int_equal(ss_hull_holds(h, x, slack), holds);
}

// From corner to corner and from face to face is the same as all of them
static void test_walks(void** unused)
{
  (void)unused;
  static double x[3*1100];
  for (int kind = 0; kind < 4; kind++) {
    ss_hull* h = ss_hull_create(sample(kind, x), x, "mesh", NULL);
    assert_non_null(h);
    assert_true(h->n_vertex > 64 && h->n_face > 64 && h->inner > 0);
    for (int k = 0; k < 2000; k++) check_directions(h, random_direction());
    for (int f = 0; f < h->n_face; f++) check_directions(h, h->normal[f]);
    for (int k = 0; k < 4000; k++) {  // in it, about it, on its surface and a little beside that
      ss_vec3 p = ss_scale(1.5*h->bound*uniform(), random_direction()), on = h->vertex[k%h->n_vertex];
      int f = k%h->n_face;
      ss_vec3 side = ss_scale(0.5, ss_add(h->vertex[h->loop[h->first[f]]], h->vertex[h->loop[h->first[f] + 2]]));
      check_place(h, p, 1e-6);
      check_place(h, on, 1e-6);
      check_place(h, side, 1e-6);
      for (int j = 0; j < 8; j++) check_place(h, ss_add(side, ss_scale((j - 1.5)*3.7e-7, h->normal[f])), 1e-6);
    }
    for (int e = 0; e < h->n_edge; e++) {
      assert_int_equal(ss_hull_edge_between(h, h->edge[e].from, h->edge[e].to), e);
      assert_int_equal(ss_hull_edge_between(h, h->edge[e].to, h->edge[e].from), e);
    }
    assert_int_equal(ss_hull_edge_between(h, 0, 0), -1);
    ss_hull_destroy(h);
  }
}

static void test_shared(void** unused)
{
  static const double cube[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
  static const double wedge[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  ss_geom_def geom[4];
  for (int g = 0; g < 4; g++) {
    geom[g] = ss_geom_def_default();
    geom[g].shape = (ss_shape_def){.kind = SS_SHAPE_MESH, .n_vertex = g == 1 ? 4 : 8, .vertex = g == 1 ? wedge : cube};
  }
  ss_collider_def def = {.n_geom = 4, .geom = geom};
  ss_collider* s = ss_collider_create(&def, NULL);
  assert_non_null(s);
  assert_ptr_equal(s->geom[0].shape.hull, s->geom[2].shape.hull);
  assert_ptr_equal(s->geom[0].shape.hull, s->geom[3].shape.hull);
  assert_ptr_not_equal(s->geom[0].shape.hull, s->geom[1].shape.hull);
  assert_int_equal(s->geom[0].shape.hull->users, 3);
  assert_true(s->geom[0].shape.hull->thin == 0.5);
  ss_collider_destroy(s);
  (void)unused;
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_width), cmocka_unit_test(test_walks),
                                     cmocka_unit_test(test_shared)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
