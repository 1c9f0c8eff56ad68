// Distances and overlaps of round shapes in closed form. Shapes that touch in one point with the common normal n, moved
// along n by g, are apart by g; moved into one another by d they overlap by d along n as long as d is at most the sum
// of their least radii of curvature: balls of these radii roll within them [Blaschke 1916], and the sum of the balls
// is in the difference of the shapes and holds a ball of radius d about the origin.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "collide/convex.h"
#include "collide/hull.h"

static double uniform(void)
{
  static uint64_t state = 7;
  state = state*6364136223846793005ull + 1442695040888963407ull;
  return (double)(state >> 11)/(double)(1ull << 53);
}

static ss_vec3 any(void) { return (ss_vec3){2*uniform() - 1, 2*uniform() - 1, 2*uniform() - 1}; }

static double vertex[36];

static ss_shape_def any_shape(ss_shape_kind kind)
{
  ss_shape_def s = {.kind = kind, .radius = 0.2 + uniform(), .half_length = 0.2 + uniform(),
                    .half = {0.2 + uniform(), 0.2 + uniform(), 0.2 + uniform()}, .n_vertex = 12, .vertex = vertex};
  for (int i = 0; i < 36; i++) vertex[i] = 2*uniform() - 1;
  assert_int_equal(ss_shape_prepare(&s, "shape", NULL), SS_OK);
  return s;
}

static ss_placed any_place(const ss_shape_def* s)
{
  ss_vec3 v = any();
  return ss_shape_place(s, (ss_vec3){0, 0, 0}, ss_quat_normalized((ss_quat){2*uniform() - 1, v.x, v.y, v.z}));
}

// The least radius of curvature of the surface
static double least_radius(const ss_shape_def* s)
{
  double least = fmin(s->half[0], fmin(s->half[1], s->half[2])), most = fmax(s->half[0], fmax(s->half[1], s->half[2]));
  return s->kind == SS_SHAPE_ELLIPSOID ? least*least/most : 0;
}

static void assert_apart(const ss_placed* a, const ss_placed* b, double gap, ss_vec3 n)
{
  ss_apart s = ss_convex_apart(a, b, INFINITY);
  double size = a->bound + b->bound;
  ss_vec3 w = ss_sub(s.b, s.a);
  if (fabs(s.gap - gap) > 1e-13*size || ss_norm(ss_sub(s.normal, n)) > 1e-9)
    print_error("%s, %s: gap %.17g for %.17g, normal off by %g\n", ss_shape_name(ss_placed_kind(a)),
                ss_shape_name(ss_placed_kind(b)), s.gap, gap, ss_norm(ss_sub(s.normal, n)));
  assert_true(fabs(s.gap - gap) <= 1e-13*size);
  assert_true(ss_norm(ss_sub(s.normal, n)) <= 1e-9);
  assert_true(ss_norm(ss_sub(w, ss_scale(s.gap, s.normal))) <= 1e-11*size);
}

static void test_ellipsoids(void** unused)
{
  static const ss_shape_kind kinds[] = {SS_SHAPE_SPHERE,   SS_SHAPE_CAPSULE,   SS_SHAPE_BOX,
                                        SS_SHAPE_CYLINDER, SS_SHAPE_ELLIPSOID, SS_SHAPE_MESH};
  for (int k = 0; k < 6*400; k++) {
    ss_shape_def one = any_shape(SS_SHAPE_ELLIPSOID), two = any_shape(kinds[k%6]);
    ss_placed a = any_place(&one), b = any_place(&two);
    double length, deepest = least_radius(&one) + least_radius(&two);
    const double gap[] = {0.3, 1e-2, 1e-5, 1e-9, 0, -1e-9, -1e-5, -0.1*deepest, -0.99*deepest};
    ss_vec3 n = ss_direction(any(), &length);
    int corner;
    ss_vec3 touching = ss_sub(ss_support(&a, n, &corner), ss_support(&b, ss_scale(-1, n), &corner));
    for (int i = 0; i < 9; i++) {
      b.center = ss_add(touching, ss_scale(gap[i], n));
      assert_apart(&a, &b, gap[i], n);
    }
    ss_shape_release(&one);
    ss_shape_release(&two);
  }
  (void)unused;
}

// Sides of cylinders that cross in their middles, and ends on ends: d is less than what the cylinders are thick
static void test_cylinders(void** unused)
{
  for (int k = 0; k < 500; k++) {
    ss_shape_def one = any_shape(SS_SHAPE_CYLINDER), two = any_shape(SS_SHAPE_CYLINDER);
    double angle = 0.1 + uniform(), d = 0.05*uniform(), both = one.radius + two.radius;
    ss_placed a = ss_shape_place(&one, (ss_vec3){0, 0, 0}, (ss_quat){1, 0, 0, 0});
    ss_placed b = ss_shape_place(&two, (ss_vec3){both - d, 0, 0}, (ss_quat){cos(angle), sin(angle), 0, 0});
    assert_apart(&a, &b, -d, (ss_vec3){1, 0, 0});
    double high = one.half_length + two.half_length, aside = uniform()*(both - 0.2);
    b = ss_shape_place(&two, (ss_vec3){aside, 0, high - d}, (ss_quat){1, 0, 0, 0});
    assert_apart(&a, &b, -d, (ss_vec3){0, 0, 1});
  }
  (void)unused;
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ellipsoids), cmocka_unit_test(test_cylinders)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
