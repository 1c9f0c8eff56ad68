// Hulls of meshes: how thick they are, and one of them for all geoms of a mesh.
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_width), cmocka_unit_test(test_shared)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
