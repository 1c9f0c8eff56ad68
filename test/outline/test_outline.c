// Outlines: what is refused and why, mass from points, and touches against trying everything.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "polygons.h"
#include <cmocka.h>

static void expect_near(const char* what, double value, double expected, double tol)
{
  if (!(fabs(value - expected) <= tol)) fail_msg("%s = %.15g, expected %.15g within %g", what, value, expected, tol);
}

static void expect_refused(int n, const ss_vec2* p, bool closed, const char* words)
{
  ss_error error = {0};
  ss_outline* o = ss_outline_create(n, p, closed, &error);
  if (o) fail_msg("accepted, but: %s", words);
  if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

static ss_outline* make(int n, const ss_vec2* p, bool closed)
{
  ss_error error = {0};
  ss_outline* o = ss_outline_create(n, p, closed, &error);
  if (!o) fail_msg("%s", error.text);
  return o;
}

static void test_refused(void** state)
{
  (void)state;
  expect_refused(2, (ss_vec2[]){{0, 0}, {1, 0}}, true, "at least 3 points, there are 2");
  expect_refused(1, (ss_vec2[]){{0, 0}}, false, "at least 2 points, there is 1");
  expect_refused(3, (ss_vec2[]){{0, 0}, {1, 0}, {NAN, 1}}, true, "point 3 of the outline is not finite");
  expect_refused(4, (ss_vec2[]){{0, 0}, {1, 0}, {1, 0}, {0, 1}}, true, "points 2 and 3 of the outline coincide");
  expect_refused(4, (ss_vec2[]){{0, 0}, {0, 1}, {1, 1}, {1, 0}}, true, "clockwise");
  expect_refused(4, (ss_vec2[]){{0, 0}, {1, 1}, {1, 0}, {0, 1}}, true, "crosses itself: its edges at points 1 and 3");
  expect_refused(4, (ss_vec2[]){{0, 0}, {2, 0}, {1, 0}, {1, 1}}, true, "goes back along itself at point 2");
  expect_refused(5, (ss_vec2[]){{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}}, true, "crosses itself");  // touches
  expect_refused(4, (ss_vec2[]){{0, 0}, {1, 0}, {0.5, 1}, {0.5, -1}}, false, "crosses itself");
}

// A crossing somewhere in thousands of points is found, by the numbers of the file
static void test_crossing(void** state)
{
  (void)state;
  enum { N = 5000 };
  ss_vec2* p = malloc(sizeof *p*N);
  for (int i = 0; i < N; i++) p[i] = (ss_vec2){cos(2*PI*i/N), sin(2*PI*i/N)};
  ss_vec2 other = p[1234];
  p[1234] = p[3333];
  p[1234].x *= 1.5;
  p[1234].y *= 1.5;
  ss_error error = {0};
  assert_null(ss_outline_create(N, p, true, &error));
  int i = 0, j = 0;
  assert_int_equal(sscanf(strstr(error.text, "points"), "points %d and %d", &i, &j), 2);
  assert_true(i == 1234 || i == 1235 || j == 1234 || j == 1235);
  p[1234] = other;
  ss_outline_destroy(make(N, p, true));
  free(p);
}

// Rectangle, triangle, an L, far from the origin
static void test_mass(void** state)
{
  (void)state;
  ss_outline* o = make(4, (ss_vec2[]){{1e3, 0}, {1e3 + 3, 0}, {1e3 + 3, 2}, {1e3, 2}}, true);
  ss_outline_mass m = ss_outline_weigh(o);
  expect_near("area", m.area, 6, 1e-12);
  expect_near("center", m.center.x, 1001.5, 1e-12);
  expect_near("inertia", m.inertia, 6*(9 + 4)/12.0, 1e-11);
  ss_outline_destroy(o);
  o = make(6, (ss_vec2[]){{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}, true);  // three squares
  m = ss_outline_weigh(o);
  expect_near("area", m.area, 3, 1e-14);
  expect_near("center", m.center.x, 2.5/3, 1e-14);
  double d0 = 2*pow(2.5/3 - 0.5, 2), d1 = pow(1.5 - 2.5/3, 2) + pow(0.5 - 2.5/3, 2);
  expect_near("inertia", m.inertia, 3/6.0 + d0 + 2*d1, 1e-13);
  ss_outline_destroy(o);
}

// 1500 pairs of random polygons with 3 to 500 points: the same points on the same edges as by trying all
static void test_every_touch(void** state)
{
  (void)state;
  uint64_t seed = 20060419;
  ss_touches t = {0};
  ss_error error = {0};
  long total = 0;
  for (int pair = 0; pair < 1500; pair++) {
    int na = (int)(3*pow(500/3.0, random_number(&seed))), nb = (int)(3*pow(500/3.0, random_number(&seed)));
    ss_outline* a = random_polygon(na, 0.2*random_number(&seed), &seed, &error);
    ss_outline* b = random_polygon(nb, 0.2*random_number(&seed), &seed, &error);
    if (!a || !b) fail_msg("pair %d: %s", pair, error.text);
    ss_pose2 pa = ss_pose2_make(0.3, -0.2, 6*random_number(&seed)), pb = random_pose(&seed);
    ss_look2 look = {.margin = 0.03*random_number(&seed), .skin = 0.1*random_number(&seed)};
    int n;
    uint64_t* all = every_touch(a, &pa, b, &pb, look, &n);
    uint64_t* found = found_touches(a, &pa, b, &pb, look, &t);
    if (n != t.n || memcmp(all, found, sizeof *all*(size_t)n) != 0)
      fail_msg("pair %d (%d and %d points): %d touches, by trying all %d", pair, na, nb, t.n, n);
    total += n;
    free(all);
    free(found);
    ss_outline_destroy(a);
    ss_outline_destroy(b);
  }
  assert_true(total > 1500);
  ss_touches_free(&t);
}

static int touch(const ss_outline* a, ss_pose2 pa, const ss_outline* b, ss_pose2 pb, ss_touches* t)
{
  ss_shape2 sa = {.outline = a}, sb = {.outline = b};
  t->n = 0;
  ss_touch_pair(&sa, &pa, 0, &sb, &pb, 1, (ss_look2){.margin = 1e-3, .skin = 0.05}, t);
  return t->n;
}

static const ss_vec2 square[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};

// A box on a box: two points, whichever box has them, also where corners coincide, with keys that round-off leaves
static void test_flat(void** state)
{
  (void)state;
  ss_outline* o = make(4, square, true);
  ss_touches t = {0};
  uint64_t key[2] = {0};
  for (int i = -1; i <= 1; i++) {
    assert_int_equal(touch(o, ss_pose2_make(0, 0, 0), o, ss_pose2_make(i*1e-12, 1 - 1e-7, 0), &t), 2);
    for (int k = 0; k < 2; k++) {
      expect_near("gap", t.list[k].gap, -1e-7, 1e-12);
      expect_near("normal", t.list[k].normal.y, 1, 1e-12);
    }
    uint64_t now[2] = {t.list[0].key, t.list[1].key};
    qsort(now, 2, sizeof *now, by_key);
    if (i >= 0) assert_memory_equal(now, key, sizeof key);
    memcpy(key, now, sizeof key);
  }
  assert_int_equal(touch(o, ss_pose2_make(0, 0, 0), o, ss_pose2_make(0.3, 1, 0), &t), 2);
  assert_int_equal(touch(o, ss_pose2_make(0, 0, 0), o, ss_pose2_make(1 - 1e-6, 1e-9, 0), &t), 2);  // side by side
  for (int k = 0; k < 2; k++) expect_near("normal", t.list[k].normal.x, 1, 1e-12);
  ss_touches_free(&t);
  ss_outline_destroy(o);
}

// A box on ground with many points in line: two contacts, not one for each point
static void test_fine_ground(void** state)
{
  (void)state;
  enum { N = 401 };
  ss_vec2 p[N];
  for (int i = 0; i < N; i++) p[i] = (ss_vec2){i*0.01, 0};
  ss_outline *ground = make(N, p, false), *box = make(4, square, true);
  ss_touches t = {0};
  assert_int_equal(touch(ground, ss_pose2_make(0, 0, 0), box, ss_pose2_make(1.005, 0, 0), &t), 2);
  expect_near("left", fmin(t.list[0].point.x, t.list[1].point.x), 1.005, 1e-12);
  expect_near("right", fmax(t.list[0].point.x, t.list[1].point.x), 2.005, 1e-12);
  for (int k = 0; k < 2; k++) expect_near("normal", t.list[k].normal.y, 1, 1e-12);
  ss_touches_free(&t);
  ss_outline_destroy(ground);
  ss_outline_destroy(box);
}

// A corner in a valley rests on both of its sides
static void test_valley(void** state)
{
  (void)state;
  ss_outline* ground = make(3, (ss_vec2[]){{-1, 1}, {0, 0}, {1, 1}}, false);
  ss_outline* wedge = make(3, (ss_vec2[]){{0, 0}, {0.3, 1}, {-0.3, 1}}, true);
  ss_touches t = {0};
  const double shift[] = {0, 1e-6, -1e-6};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(touch(ground, ss_pose2_make(0, 0, 0), wedge, ss_pose2_make(shift[i], -1e-5, 0), &t), 2);
    expect_near("normals", ss_dot2(t.list[0].normal, t.list[1].normal), 0, 1e-12);
  }
  ss_touches_free(&t);
  ss_outline_destroy(ground);
  ss_outline_destroy(wedge);
}

// Gaps and normals of circles and half-planes, and their rates against differences
static void test_round(void** state)
{
  (void)state;
  ss_outline* box = make(4, square, true);
  ss_shape2 polygon = {.outline = box}, circle = {SS_SHAPE2_CIRCLE, NULL, {0.1, 0}, 0.25, {0, 0}};
  ss_shape2 plane = {SS_SHAPE2_HALFPLANE, NULL, {0, 0}, 0, {0, 1}};
  ss_shape2 other = {SS_SHAPE2_CIRCLE, NULL, {0, 0.2}, 0.5, {0, 0}};
  const struct { const ss_shape2 *a, *b; double x, y, angle, gap; int n; } cases[] = {
    {&polygon, &circle, 0.4, 1.26, 0, 0.01, 1},                       // above the box
    {&circle, &polygon, -0.15, 0.5, 0, 0.01 - 0.01, 0},               // placed below
    {&polygon, &circle, 1.1, 1.2, 0, hypot(0.2, 0.2) - 0.25, 1},      // at its corner
    {&plane, &circle, 3, 0.24, 0, -0.01, 1},
    {&plane, &polygon, 3, -0.02, 0, -0.02, 2},
    {&circle, &other, 0.1, 0.5, 0, 0.7 - 0.75, 1},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    if (!cases[i].n) continue;
    ss_touches t = {0}, later = {0};
    ss_pose2 pa = ss_pose2_make(0, 0, 0), pb = ss_pose2_make(cases[i].x, cases[i].y, cases[i].angle);
    ss_look2 look = {.margin = 0.5, .skin = 0.1};
    ss_touch_pair(cases[i].a, &pa, 0, cases[i].b, &pb, 1, look, &t);
    assert_int_equal(t.n, cases[i].n);
    expect_near("gap", t.list[0].gap, cases[i].gap, 1e-12);
    ss_motion2 ma = {{0, 0}, {0.3, -0.2}, 0.7}, mb = {{cases[i].x, cases[i].y}, {-0.5, 0.4}, -0.9};
    double dt = 1e-6;
    ss_vec2 dp, dn;
    ss_touch2_rate(&t.list[0], &ma, &mb, &dp, &dn);
    pa = ss_pose2_make(0.3*dt, -0.2*dt, 0.7*dt);
    pb = ss_pose2_make(cases[i].x - 0.5*dt, cases[i].y + 0.4*dt, cases[i].angle - 0.9*dt);
    ss_touch_pair(cases[i].a, &pa, 0, cases[i].b, &pb, 1, look, &later);
    expect_near("turn of the normal", dn.x, (later.list[0].normal.x - t.list[0].normal.x)/dt, 1e-5);
    expect_near("turn of the normal", dn.y, (later.list[0].normal.y - t.list[0].normal.y)/dt, 1e-5);
    ss_touches_free(&t);
    ss_touches_free(&later);
  }
  ss_outline_destroy(box);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_refused),     cmocka_unit_test(test_crossing), cmocka_unit_test(test_mass),
    cmocka_unit_test(test_every_touch), cmocka_unit_test(test_flat),     cmocka_unit_test(test_fine_ground),
    cmocka_unit_test(test_valley),      cmocka_unit_test(test_round),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
