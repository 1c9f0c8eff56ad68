// Contacts of two shapes: closed forms, an independent minimisation, symmetry, degenerate cases.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "collide/shapes.h"

#define UP {{0, 0, 0}, {1, 0, 0, 0}}

static ss_shape_def plane(void) { return (ss_shape_def){.kind = SS_SHAPE_PLANE}; }
static ss_shape_def sphere(double r) { return (ss_shape_def){.kind = SS_SHAPE_SPHERE, .radius = r}; }

static ss_shape_def capsule(double r, double h)
{
  return (ss_shape_def){.kind = SS_SHAPE_CAPSULE, .radius = r, .half_length = h};
}

// Turned so that the axis z points along x
static ss_pose along_x(double x, double y, double z) { return (ss_pose){{x, y, z}, {1, 0, 1, 0}}; }

static void assert_vector(const double* a, double x, double y, double z, double tolerance)
{
  assert_near(a[0], x, tolerance);
  assert_near(a[1], y, tolerance);
  assert_near(a[2], z, tolerance);
}

// ---- closed forms --------------------------------------------------------------------------------------------------

static void test_sphere_on_plane(void** state)
{
  (void)state;
  ss_touch t[SS_TOUCH_MOST];
  ss_pose floor = UP, ball = {{3, 4, 2.25}, {0}};
  ss_shape_def p = plane(), s = sphere(2);
  assert_int_equal(ss_shape_touch(&p, &floor, &s, &ball, 0.25, t), 0);  // the gap must be below the margin
  assert_int_equal(ss_shape_touch(&p, &floor, &s, &ball, 0.3, t), 1);
  assert_near(t->gap, 0.25, 0);
  assert_vector(t->point_a, 3, 4, 0, 0);
  assert_vector(t->point_b, 3, 4, 0.25, 0);
  assert_vector(t->frame, 0, 0, 1, 0);
  assert_vector(t->frame + 3, 1, 0, 0, 0);
  assert_vector(t->frame + 6, 0, 1, 0, 0);
  ball.position[2] = -7;  // deep inside: still upwards
  assert_int_equal(ss_shape_touch(&s, &ball, &p, &floor, 0, t), 1);
  assert_near(t->gap, -9, 0);
  assert_vector(t->frame, 0, 0, -1, 0);
}

static void test_capsule_on_plane(void** state)
{
  (void)state;
  ss_touch t[SS_TOUCH_MOST];
  ss_pose floor = UP, lying = along_x(1, 2, 0.5), standing = {{1, 2, 2.5}, {0}};
  ss_shape_def p = plane(), c = capsule(0.5, 2), short_one = capsule(0.5, 0);
  assert_int_equal(ss_shape_touch(&p, &floor, &c, &lying, 0.01, t), 2);
  assert_vector(t[0].point_b, -1, 2, 0, 1e-15);
  assert_vector(t[1].point_b, 3, 2, 0, 1e-15);
  assert_int_equal(t[0].feature, 0);
  assert_int_equal(t[1].feature, 1);
  assert_true(t[0].key < t[1].key);
  assert_int_equal(ss_shape_touch(&p, &floor, &c, &standing, 0.01, t), 1);
  assert_vector(t[0].point, 1, 2, 0, 1e-15);
  assert_int_equal(ss_shape_touch(&p, &floor, &short_one, &lying, 0.01, t), 1);  // a sphere
  assert_vector(t[0].point, 1, 2, 0, 1e-15);
}

static void test_spheres_and_capsules(void** state)
{
  (void)state;
  ss_touch t[SS_TOUCH_MOST];
  ss_pose o = UP, at = {{3, 0, 4}, {0}}, x = along_x(0, 0, 4), far = {{5, 0, 4}, {0}};
  ss_shape_def s = sphere(1), big = sphere(3.5), c = capsule(0.5, 2);
  assert_int_equal(ss_shape_touch(&s, &o, &big, &at, 1, t), 1);
  assert_near(t->gap, 0.5, 1e-15);
  assert_vector(t->frame, 0.6, 0, 0.8, 1e-15);
  assert_int_equal(ss_shape_touch(&s, &o, &c, &x, 3, t), 1);  // against the cylinder
  assert_near(t->gap, 2.5, 1e-15);
  assert_int_equal(t->side_b, SS_SIDE_LINE);
  assert_int_equal(ss_shape_touch(&s, &far, &c, &x, 3, t), 1);  // against the end at x = 2
  assert_near(t->gap, 1.5, 1e-14);
  assert_int_equal(t->side_b, SS_SIDE_POINT);
  assert_vector(t->frame, -1, 0, 0, 1e-15);
}

// Logs on one another: crossed, side by side, shifted, in line
static void test_two_capsules(void** state)
{
  (void)state;
  ss_touch t[SS_TOUCH_MOST];
  ss_shape_def c = capsule(0.5, 2);
  ss_pose low = along_x(0, 0, 0), across = {{0.3, 0.2, 1.25}, {1, -1, 0, 0}}, above = along_x(0, 0, 1.25);
  assert_int_equal(ss_shape_touch(&c, &low, &c, &across, 1, t), 1);
  assert_int_equal(t->feature, 0);
  assert_near(t->gap, 0.25, 1e-15);
  assert_vector(t->frame, 0, 0, 1, 1e-15);
  assert_vector(t->point_a, 0.3, 0, 0.5, 1e-15);
  assert_int_equal(ss_shape_touch(&c, &low, &c, &above, 1, t), 2);
  assert_vector(t[0].point, -2, 0, 0.625, 1e-14);
  assert_vector(t[1].point, 2, 0, 0.625, 1e-14);
  above.position[0] = 1;  // shifted: the ends of what lies side by side
  assert_int_equal(ss_shape_touch(&c, &low, &c, &above, 1, t), 2);
  assert_vector(t[0].point, 2, 0, 0.625, 1e-14);   // the end + of the lower one
  assert_vector(t[1].point, -1, 0, 0.625, 1e-14);  // the end - of the upper one
  assert_int_equal(t[0].feature, 2);
  assert_int_equal(t[1].feature, 3);
  ss_pose behind = along_x(5.25, 0, 0);
  assert_int_equal(ss_shape_touch(&c, &low, &c, &behind, 1, t), 1);
  assert_near(t->gap, 0.25, 1e-14);
  assert_vector(t->frame, 1, 0, 0, 1e-14);
}

// ---- against a slow method -----------------------------------------------------------------------------------------

// A point of the core: the centre, or a place s in -1 .. 1 on the axis
static void core_point(const ss_shape_def* shape, const ss_pose* pose, double s, double out[3])
{
  const double x[3] = {0, 0, s*shape->half_length};
  to_world(pose, x, out);
}

typedef struct couple { const ss_shape_def *a, *b; const ss_pose *pose_a, *pose_b; } couple;

// The distance of two core points, or of one from a plane
static double core_distance(const couple* c, double s, double t)
{
  double p[3], q[3];
  core_point(c->b, c->pose_b, t, q);
  if (c->a->kind == SS_SHAPE_PLANE) {
    const double z[3] = {0, 0, 1};
    double tip[3];
    to_world(c->pose_a, z, tip);
    double up = 0;
    for (int i = 0; i < 3; i++) up += (tip[i] - c->pose_a->position[i])*(q[i] - c->pose_a->position[i]);
    return up;
  }
  core_point(c->a, c->pose_a, s, p);
  return distance(p, q);
}

// The least of a convex function of t in -1 .. 1: a grid, then golden sections
static double least_over_t(const couple* c, double s)
{
  if (c->b->kind != SS_SHAPE_CAPSULE) return core_distance(c, s, 0);
  const double ratio = 0.6180339887498949;
  double lo = -1, hi = 1, t1 = hi - ratio*(hi - lo), t2 = lo + ratio*(hi - lo);
  double f1 = core_distance(c, s, t1), f2 = core_distance(c, s, t2);
  for (int k = 0; k < 34; k++) {
    if (f1 < f2) {
      hi = t2, t2 = t1, f2 = f1, t1 = hi - ratio*(hi - lo);
      f1 = core_distance(c, s, t1);
    } else {
      lo = t1, t1 = t2, f1 = f2, t2 = lo + ratio*(hi - lo);
      f2 = core_distance(c, s, t2);
    }
  }
  return fmin(fmin(f1, f2), fmin(core_distance(c, s, -1), core_distance(c, s, 1)));
}

static double least_distance(const couple* c)
{
  if (c->a->kind != SS_SHAPE_CAPSULE) return least_over_t(c, 0);
  const double ratio = 0.6180339887498949;
  double lo = -1, hi = 1, s1 = hi - ratio*(hi - lo), s2 = lo + ratio*(hi - lo);
  double f1 = least_over_t(c, s1), f2 = least_over_t(c, s2);
  for (int k = 0; k < 34; k++) {
    if (f1 < f2) {
      hi = s2, s2 = s1, f2 = f1, s1 = hi - ratio*(hi - lo);
      f1 = least_over_t(c, s1);
    } else {
      lo = s1, s1 = s2, f1 = f2, s2 = lo + ratio*(hi - lo);
      f2 = least_over_t(c, s2);
    }
  }
  return fmin(fmin(f1, f2), fmin(least_over_t(c, -1), least_over_t(c, 1)));
}

// Signed distance of a point from a shape: minus inside
static double height_over(const ss_shape_def* shape, const ss_pose* pose, const double point[3])
{
  ss_pose there = {{point[0], point[1], point[2]}, {0}};
  ss_shape_def dot_shape = {.kind = SS_SHAPE_SPHERE};
  couple c = {shape, &dot_shape, pose, &there};
  if (shape->kind == SS_SHAPE_PLANE) return core_distance(&c, 0, 0);
  couple turned = {&dot_shape, shape, &there, pose};
  return least_over_t(&turned, 0) - shape->radius;
}

static const ss_shape_kind pairs[5][2] = {
  {SS_SHAPE_PLANE, SS_SHAPE_SPHERE},    {SS_SHAPE_PLANE, SS_SHAPE_CAPSULE},   {SS_SHAPE_SPHERE, SS_SHAPE_SPHERE},
  {SS_SHAPE_SPHERE, SS_SHAPE_CAPSULE}, {SS_SHAPE_CAPSULE, SS_SHAPE_CAPSULE},
};

// The least gap is that of the minimisation; every contact's points lie on both surfaces; none is left out
static void check_configuration(const couple* c)
{
  ss_touch t[SS_TOUCH_MOST];
  int n = ss_shape_touch(c->a, c->pose_a, c->b, c->pose_b, 100, t);
  assert_in_range(n, 1, SS_TOUCH_MOST);
  double least = INFINITY, expected = least_distance(c) - c->a->radius - c->b->radius;
  for (int i = 0; i < n; i++) {
    assert_sound(t + i, 20, 4e-15);
    least = fmin(least, t[i].gap);
    assert_true(i == 0 || t[i].key > t[i - 1].key);
    double up_a = height_over(c->a, c->pose_a, t[i].point_a), up_b = height_over(c->b, c->pose_b, t[i].point_b);
    if (t[i].gap < expected + 1e-12) {  // the nearest points are on the surfaces
      assert_near(up_a, 0, 1e-9);
      assert_near(up_b, 0, 1e-9);
    } else {  // others are on the sphere about an end, which is within the surface
      assert_true(up_a < 1e-9 && up_a > -c->a->radius - 1e-9);
      assert_true(up_b < 1e-9 && up_b > -c->b->radius - 1e-9);
    }
  }
  // golden sections end within 1e-7 of the place: 1e-14/distance off in the value
  assert_near(least, expected, 1e-9);
  assert_int_equal(ss_shape_touch(c->a, c->pose_a, c->b, c->pose_b, expected - 1e-8, t), 0);
}

static void test_against_minimisation(void** state)
{
  (void)state;
  seed_state = 7;
  for (int k = 0; k < 100000/LESS; k++) {
    const ss_shape_kind* kinds = pairs[k%5];
    ss_shape_def a = random_shape(kinds[0]), b = random_shape(kinds[1]);
    ss_pose pose_a = random_pose(1.5), pose_b = random_pose(1.5);
    couple c = {&a, &b, &pose_a, &pose_b};
    check_configuration(&c);
  }
}

// Nearly parallel capsules: no contact between the two ends may be deeper than what is reported
static void test_nearly_parallel(void** state)
{
  (void)state;
  seed_state = 11;
  for (int k = 0; k < 2000; k++) {
    ss_shape_def a = random_shape(SS_SHAPE_CAPSULE), b = random_shape(SS_SHAPE_CAPSULE);
    ss_pose pose_a = random_pose(1), pose_b = pose_a;
    double small = pow(10, -1 - 15*fabs(uniform()));
    for (int i = 0; i < 3; i++) pose_b.position[i] += uniform();
    for (int i = 0; i < 4; i++) pose_b.rotation[i] += small*uniform();
    couple c = {&a, &b, &pose_a, &pose_b};
    check_configuration(&c);
  }
}

// ---- symmetry ------------------------------------------------------------------------------------------------------

static void assert_mirrored(const ss_touch* t, const ss_touch* r)
{
  assert_near(r->gap, t->gap, 1e-14);
  for (int i = 0; i < 3; i++) {
    assert_near(r->point_a[i], t->point_b[i], 1e-13);
    assert_near(r->point_b[i], t->point_a[i], 1e-13);
    assert_near(r->frame[i], -t->frame[i], 1e-13);
  }
  assert_int_equal(r->side_a, t->side_b);
  assert_int_equal(r->side_b, t->side_a);
}

static void test_symmetry(void** state)
{
  (void)state;
  seed_state = 3;
  for (int k = 0; k < 20000/LESS; k++) {
    ss_shape_def a = random_shape(pairs[k%5][0]), b = random_shape(pairs[k%5][1]);
    ss_pose pose_a = random_pose(2), pose_b = random_pose(2);
    ss_touch t[SS_TOUCH_MOST], r[SS_TOUCH_MOST];
    int n = ss_shape_touch(&a, &pose_a, &b, &pose_b, 1, t);
    assert_int_equal(ss_shape_touch(&b, &pose_b, &a, &pose_a, 1, r), n);
    for (int i = 0; i < n; i++) {  // points of two capsules come in another order
      int best = 0;
      for (int j = 1; j < n; j++)
        if (distance(r[j].point, t[i].point) < distance(r[best].point, t[i].point)) best = j;
      assert_mirrored(t + i, r + best);
    }
  }
}

// ---- degenerate ----------------------------------------------------------------------------------------------------

static void assert_finite(const ss_touch* t, double gap, double size)
{
  assert_sound(t, size, 4e-15);
  assert_near(t->gap, gap, 1e-14*size);
  ss_touch_change change;
  ss_point_motion a = {{1, 2, 3}, {4, 5, 6}}, b = {{-1, 2, -3}, {4, -5, 6}};
  ss_touch_rate(t, &a, &b, &change);
  for (int i = 0; i < 3; i++) {
    assert_true(isfinite(change.w_bar[i]) && isfinite(change.gamma[i]));
    assert_true(isfinite(change.spin[i]) && isfinite(change.point[i]));
  }
}

static void test_degenerate(void** state)
{
  (void)state;
  ss_touch t[SS_TOUCH_MOST];
  ss_pose o = UP, x = along_x(0, 0, 0), shifted = along_x(1, 0, 0), tip = {{0, 0, 2}, {0}};
  ss_shape_def s = sphere(1), c = capsule(0.5, 2), point = capsule(0.5, 0);
  assert_int_equal(ss_shape_touch(&s, &o, &s, &o, 0, t), 1);  // concentric
  assert_finite(t, -2, 2);
  assert_int_equal(ss_shape_touch(&s, &o, &c, &o, 0, t), 1);  // a centre on the axis: out across it
  assert_finite(t, -1.5, 2);
  assert_near(t->frame[2], 0, 1e-15);
  assert_int_equal(ss_shape_touch(&s, &tip, &c, &o, 0, t), 1);  // on its very end
  assert_finite(t, -1.5, 2);
  assert_int_equal(ss_shape_touch(&c, &o, &c, &x, 0, t), 1);  // axes that meet: out across both
  assert_finite(t, -1, 2);
  assert_vector(t->frame, 0, 1, 0, 1e-15);
  int n = ss_shape_touch(&c, &x, &c, &shifted, 0, t);  // axes that lie on one another
  assert_in_range(n, 1, 2);
  for (int i = 0; i < n; i++) assert_finite(t + i, -1, 2);
  n = ss_shape_touch(&c, &x, &c, &x, 0, t);  // the same capsule
  assert_in_range(n, 1, 2);
  for (int i = 0; i < n; i++) assert_finite(t + i, -1, 2);
  assert_int_equal(ss_shape_touch(&point, &o, &point, &tip, 2, t), 1);  // no length: spheres
  assert_finite(t, 1, 2);
  assert_int_equal(ss_shape_touch(&point, &o, &c, &x, 2, t), 1);
  assert_finite(t, -1, 2);
  assert_int_equal(ss_shape_touch(&c, &x, &point, &tip, 2, t), 1);
  assert_finite(t, 1, 2);
}

// The same picture at all sizes
static void test_sizes(void** state)
{
  (void)state;
  const double sizes[] = {1e-90, 1e-30, 1e-9, 1e9, 1e30, 1e90};
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 200; k++) {
      seed_state = (uint64_t)(k + 1);
      double f = sizes[i];
      ss_shape_def a = random_shape(pairs[k%5][0]), b = random_shape(pairs[k%5][1]), big_a = a, big_b = b;
      ss_pose pose_a = random_pose(2), pose_b = random_pose(2), far_a = pose_a, far_b = pose_b;
      big_a.radius *= f, big_a.half_length *= f, big_b.radius *= f, big_b.half_length *= f;
      for (int j = 0; j < 3; j++) far_a.position[j] *= f, far_b.position[j] *= f;
      ss_touch t[SS_TOUCH_MOST], large[SS_TOUCH_MOST];
      int n = ss_shape_touch(&a, &pose_a, &b, &pose_b, 1, t);
      assert_int_equal(ss_shape_touch(&big_a, &far_a, &big_b, &far_b, f, large), n);
      for (int j = 0; j < n; j++) {
        assert_near(large[j].gap/f, t[j].gap, 1e-13);
        assert_near(distance(large[j].frame, t[j].frame), 0, 1e-11);
      }
    }
  ss_touch t[SS_TOUCH_MOST];  // a grain on a planet
  ss_shape_def planet = sphere(6.4e6), grain = sphere(1e-6);
  ss_pose o = UP, top = {{0, 0, 6.4e6}, {0}};
  assert_int_equal(ss_shape_touch(&planet, &o, &grain, &top, 0, t), 1);
  assert_finite(t, -1e-6, 6.4e6);
}

static void test_refused(void** state)
{
  (void)state;
  ss_touch t[SS_TOUCH_MOST];
  ss_pose o = UP, broken = {{NAN, 0, 0}, {0}};
  ss_shape_def s = sphere(1), none = sphere(0), hills = {.kind = SS_SHAPE_HEIGHTS}, p = plane();
  ss_shape_def unknown = {.kind = (ss_shape_kind)99};
  assert_int_equal(ss_shape_touch(&s, &o, &none, &o, 0, t), -1);
  assert_int_equal(ss_shape_touch(&s, &o, &hills, &o, 0, t), -1);
  assert_int_equal(ss_shape_touch(&p, &o, &p, &o, 0, t), -1);
  assert_int_equal(ss_shape_touch(&s, &broken, &s, &o, 0, t), -1);
  assert_int_equal(ss_shape_touch(&unknown, &o, &s, &o, 0, t), -1);
  assert_true(ss_shape_pair_known(SS_SHAPE_SPHERE, SS_SHAPE_HEIGHTS));
  assert_false(ss_shape_pair_known(SS_SHAPE_PLANE, SS_SHAPE_HEIGHTS));
  assert_false(ss_shape_pair_known(SS_SHAPE_SPHERE, SS_SHAPE_OTHER));
  assert_true(ss_shape_pair_known(SS_SHAPE_CAPSULE, SS_SHAPE_PLANE));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sphere_on_plane), cmocka_unit_test(test_capsule_on_plane),
    cmocka_unit_test(test_spheres_and_capsules), cmocka_unit_test(test_two_capsules),
    cmocka_unit_test(test_against_minimisation), cmocka_unit_test(test_nearly_parallel),
    cmocka_unit_test(test_symmetry), cmocka_unit_test(test_degenerate), cmocka_unit_test(test_sizes),
    cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
