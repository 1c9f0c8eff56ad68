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

// Pairs of random polygons with 3 to 500 points: what true distances say is found, no overlap is false
static void test_every_touch(void** state)
{
  (void)state;
  uint64_t seed = 20060419;
  ss_touches t = {0};
  ss_error error = {0};
  long total = 0;
  for (int k = 0; k < 600; k++) {
    random_pair r = make_pair(&seed, &error);
    if (!r.a || !r.b) fail_msg("pair %d: %s", k, error.text);
    t.n = 0;
    ss_touch_outlines(r.a, &r.pa, 0, r.b, &r.pb, 1, r.look, &t);
    verdict v = judge(r.a, &r.pa, r.b, &r.pb, r.look, &t);
    if (v.missed || v.false_overlaps)
      fail_msg("pair %d (%d and %d points): %ld of %ld touches missed, %ld overlaps are false", k, r.a->n, r.b->n,
               v.missed, v.expected, v.false_overlaps);
    total += v.expected;
    free_pair(&r);
  }
  assert_true(total > 800);
  ss_touches_free(&t);
}

// A quadrangle with the face from (0, 0) to (1, 0), its solid below, or above it; turned and scaled
static ss_outline* make_stone(bool above, const double lean[2], double high, double angle, double size)
{
  const ss_vec2 lower[4] = {{lean[0], -high}, {1 + lean[1], -high}, {1, 0}, {0, 0}};
  const ss_vec2 upper[4] = {{0, 0}, {1, 0}, {1 + lean[1], high}, {lean[0], high}};
  ss_vec2 p[4];
  ss_pose2 turned = ss_pose2_make(0, 0, angle);
  for (int i = 0; i < 4; i++) p[i] = ss_turn2(&turned, ss_scale2(size, (above ? upper : lower)[i]));
  return make(4, p, true);
}

// Stones that lie face on face, of one width up to `shift`, apart or overlapping by `gap`: both ends of the face touch,
// however they lean, are turned (in their points, or their poses), large or far away. Told once, and nothing else.
static void test_stones(void** state)
{
  (void)state;
  uint64_t seed = 77;
  ss_touches t = {0};
  const double shifts[] = {0, 0, 0, 1e-16, 1e-15, 1e-14, 1e-12, 1e-9, 1e-6};
  for (int k = 0; k < 40000; k++) {
    double number[12];
    for (int i = 0; i < 12; i++) number[i] = random_number(&seed);
    double size = pow(10, 12*number[0] - 6), far = number[1] < 0.5 ? 0 : size*pow(10, 5*number[2]);
    double angle = number[3] < 0.2 ? floor(8*number[4])*PI/4 : 7*number[4], in_points = number[5] < 0.5 ? angle : 0;
    double shift = (number[6] < 0.5 ? -1 : 1)*shifts[(int)(9*number[7])];
    double gap = number[8] < 0.2 ? 0 : (number[9] < 0.2 ? 1e-10 : -1)*pow(10, -16 + 13*number[8]);
    const double lean[2][2] = {{number[9] - 0.5, number[10] - 0.5}, {number[10] - 0.5, number[11] - 0.5}};
    const double none[2] = {0, 0};
    bool upright = number[11] < 0.3;
    ss_shape2 a = {.outline = make_stone(false, upright ? none : lean[0], 0.5, in_points, size)};
    ss_shape2 b = {.outline = make_stone(true, upright ? none : lean[1], 0.7, in_points, size)};
    ss_pose2 turned = ss_pose2_make(0, 0, angle), pa = ss_pose2_make(far, -far/3, angle - in_points), pb = pa;
    ss_vec2 off = ss_turn2(&turned, (ss_vec2){shift*size, gap*size});
    pb.p = ss_add2(pb.p, off);
    t.n = 0;
    ss_touch_pair(&a, &pa, 0, &b, &pb, 1, (ss_look2){.margin = 2e-9*size, .skin = 4e-3*size}, &t);
    double from = INFINITY, to = -INFINITY, off_by = 0;
    for (int i = 0; i < t.n; i++) {
      double x = ss_dot2(ss_turn2(&turned, (ss_vec2){1, 0}), ss_sub2(t.list[i].point, pa.p))/size;
      from = fmin(from, x);
      to = fmax(to, x);
      off_by = fmax(off_by, fabs(t.list[i].gap/size - gap));
    }
    double slack = 1e-13 + 1e-14*far/size;
    if (t.n != 2 || off_by > slack || fabs(from) > fabs(shift) + slack || fabs(to - 1) > fabs(shift) + slack)
      fail_msg("pair %d: %d touches from %g to %g, gap %g, off by %g; shift %g, size %g, far %g", k, t.n, from, to - 1,
               gap, off_by, shift, size, far);
    ss_outline_destroy((ss_outline*)a.outline);
    ss_outline_destroy((ss_outline*)b.outline);
  }
  ss_touches_free(&t);
}

static ss_outline* make_disc(int n)
{
  ss_vec2* p = malloc(sizeof *p*(size_t)n);
  for (int i = 0; i < n; i++) p[i] = (ss_vec2){cos(2*PI*i/n), sin(2*PI*i/n)};
  ss_outline* o = make(n, p, true);
  free(p);
  return o;
}

// Two discs drawn finely, 0.1 mm apart: no overlap, whatever the skin, and the least gap is the distance, up to
// what edges are tilted and flat
static void test_fine_discs(void** state)
{
  (void)state;
  ss_touches t = {0};
  for (int n = 250; n <= 4000; n *= 2) {
    ss_outline* disc = make_disc(n);
    for (int k = 0; k < 20; k++) {
      double turn = 0.1*k, apart = 1e-4, least = INFINITY;
      ss_pose2 pa = ss_pose2_make(0, 0, turn), pb = ss_pose2_make(0, 2 + apart, 0.73*k);
      t.n = 0;
      ss_touch_outlines(disc, &pa, 0, disc, &pb, 1, (ss_look2){.margin = 2e-3, .skin = 0.1}, &t);
      for (int i = 0; i < t.n; i++) least = fmin(least, t.list[i].gap);
      double flat = 1 - cos(PI/n);  // of an edge between its corners
      if (!(least >= apart*cos(2*PI/n) && least <= apart + 2.01*flat)) fail_msg("%d points: least gap %g", n, least);
    }
    ss_outline_destroy(disc);
  }
  ss_touches_free(&t);
}

// Behind a thin wall a point is not in it, unless it has just come through
static void test_thin(void** state)
{
  (void)state;
  ss_outline* wall = make(4, (ss_vec2[]){{-1, 0}, {1, 0}, {1, 0.001}, {-1, 0.001}}, true);
  ss_outline* plate = make(4, (ss_vec2[]){{-0.1, 0}, {0.1, 0}, {0.1, 0.001}, {-0.1, 0.001}}, true);
  ss_shape2 sa = {.outline = wall}, sb = {.outline = plate};
  ss_pose2 pa = ss_pose2_make(0, 0, 0), above = ss_pose2_make(0, 0.0011, 0), below = ss_pose2_make(0, -0.0002, 0);
  ss_motion2 rest = {{0, 0}, {0, 0}, 0}, falls = {{0, -0.0002}, {0, -2}, 0}, rises = {{0, -0.0002}, {0, 2}, 0};
  ss_look2 look = {.margin = 0.01, .skin = 0.05};
  ss_touches t = {0};
  ss_touch_pair(&sa, &pa, 0, &sb, &above, 1, look, &t);
  assert_int_equal(t.n, 2);
  for (int i = 0; i < t.n; i++) expect_near("gap", t.list[i].gap, 1e-4, 1e-15);
  look = (ss_look2){.margin = 0.01, .skin = 0.05, .a = &rest, .b = &falls, .dt = 1e-3, .near = 0.01};
  t.n = 0;
  ss_touch_pair(&sa, &pa, 0, &sb, &below, 1, look, &t);
  int through = 0;
  for (int i = 0; i < t.n; i++) through += t.list[i].through;
  assert_int_equal(through, 2);
  look.b = &rises;
  t.n = 0;
  ss_touch_pair(&sa, &pa, 0, &sb, &below, 1, look, &t);
  for (int i = 0; i < t.n; i++) assert_false(t.list[i].through);
  ss_touches_free(&t);
  ss_outline_destroy(wall);
  ss_outline_destroy(plate);
}

// How deep shapes are in each other: corners, bars that cross, one inside the other, thousands of points, ground
static void test_depth(void** state)
{
  (void)state;
  ss_outline* bar = make(4, (ss_vec2[]){{-1, -0.1}, {1, -0.1}, {1, 0.1}, {-1, 0.1}}, true);
  ss_outline *disc = make_disc(20000), *ground = make(2, (ss_vec2[]){{-9, 0}, {9, 0}}, false);
  ss_shape2 b = {.outline = bar}, d = {.outline = disc}, g = {.outline = ground};
  ss_shape2 circle = {SS_SHAPE2_CIRCLE, NULL, {0, 0}, 0.05, {0, 0}};
  const struct { const ss_shape2 *a, *b; double x, y, angle, depth; } cases[] = {
    {&b, &b, 0, 0, PI/2, 0.9},          // crossed, no corner is inside: 0.9 to the ends
    {&b, &b, 0.3, 0.85, PI/2, 0.25},      // the end of one sticks out by 0.05
    {&b, &b, 0, 0.199, 0, 1e-3},        // flat
    {&b, &b, 0, 0.2, 0, 0},             // on each other
    {&b, &b, 1.99, 0.05, 0, 0.01},      // end into end
    {&b, &b, 0, 1.05, PI/2, 0.05},      // an end in the side
    {&d, &b, 0, 0, 0.3, 0.9},           // long way inside
    {&d, &d, 0.3, 0, 0.1, 0.3},
    {&d, &d, 2.001, 0, 0, 0},
    {&g, &d, 0, 0.7, 0, 0.3},           // sunk into the ground
    {&g, &d, 0, 1.01, 0, 0},
    {&b, &circle, 0.5, 0.04, 0, 0.11},
    {&circle, &b, 0.5, 0.2, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    ss_pose2 pa = ss_pose2_make(0, 0, 0), pb = ss_pose2_make(cases[i].x, cases[i].y, cases[i].angle);
    double depth = ss_overlap_depth(cases[i].a, &pa, cases[i].b, &pb, 1e-5);
    if (fabs(depth - cases[i].depth) > 2e-5) fail_msg("case %zu: depth %g, expected %g", i, depth, cases[i].depth);
  }
  ss_outline_destroy(bar);
  ss_outline_destroy(disc);
  ss_outline_destroy(ground);
}

// Fewer points for pictures: all others are near the lines between them; ends, and at least four of a closed one, stay
static void test_sketch(void** state)
{
  (void)state;
  enum { N = 20000 };
  static int kept[N];
  ss_vec2* p = malloc(sizeof *p*N);
  for (int i = 0; i < N; i++) p[i] = (ss_vec2){i*1e-3, (i/5000)%2 + 0.01*sin(i*1e-2)};
  ss_outline *ground = make(N, p, false), *disc = make_disc(N);
  const ss_outline* both[2] = {ground, disc};
  for (int k = 0; k < 2; k++) {
    const ss_outline* o = both[k];
    int n = ss_outline_sketch(o, 1e-3, kept);
    if (n > N/10) fail_msg("%d points of %d", n, N);
    for (int i = 0; i < n; i++) {
      int last = i + 1 < n ? kept[i + 1] : N;
      for (int j = kept[i]; j < last; j++) {
        double d = ss_segment_distance(o->point[kept[i]], o->point[last%N], o->point[j]);
        if (d > 1e-3) fail_msg("point %d is %g off", j, d);
      }
    }
    assert_int_equal(kept[0], 0);
    assert_true(o->closed || kept[n - 1] == N - 1);
    assert_true(ss_outline_sketch(o, 1e9, kept) >= (o->closed ? 4 : 2));
    assert_int_equal(ss_outline_sketch(o, 0, kept), N);
  }
  ss_outline_destroy(ground);
  ss_outline_destroy(disc);
  free(p);
}

// Inside and distance by the tree against all edges
static void test_query(void** state)
{
  (void)state;
  uint64_t seed = 5;
  ss_error error = {0};
  for (int k = 0; k < 40; k++) {
    ss_outline* o = random_polygon(3 + 10*k, 0.3*random_number(&seed), &seed, &error);
    for (int i = 0; i < 100; i++) {
      ss_vec2 c = {2.4*random_number(&seed) - 1.2, 2.4*random_number(&seed) - 1.2};
      place p = find_place(o, c);
      assert_int_equal(ss_outline_inside(o, c), p.inside);
      expect_near("distance", ss_outline_distance(o, c), p.distance, 1e-12);
    }
    ss_outline_destroy(o);
  }
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

// A touch by its key, dt after the bodies were at the origins of these motions
static ss_touch2 follow(const ss_shape2* a, const ss_motion2* ma, const ss_shape2* b, const ss_motion2* mb,
                        uint64_t key, double dt)
{
  ss_pose2 pose[2];
  const ss_motion2* m[2] = {ma, mb};
  for (int k = 0; k < 2; k++) {
    ss_vec2 p = ss_add2(m[k]->origin, ss_scale2(dt, m[k]->v));
    pose[k] = ss_pose2_make(p.x, p.y, m[k]->omega*dt);
  }
  ss_pair2 pair = {a, b, &pose[0], &pose[1]};
  ss_touch2 t;
  ss_touch_follow(&pair, key, &t);
  return t;
}

static void expect_rate(const char* what, ss_vec2 rate, ss_vec2 before, ss_vec2 after, double dt)
{
  ss_vec2 d = ss_scale2(1/(2*dt), ss_sub2(after, before));
  expect_near(what, rate.x, d.x, 1e-8);
  expect_near(what, rate.y, d.y, 1e-8);
}

// Gaps and normals of circles and half-planes, and their rates against differences
static void test_round(void** state)
{
  (void)state;
  ss_outline* box = make(4, square, true);
  ss_shape2 polygon = {.outline = box}, circle = {SS_SHAPE2_CIRCLE, NULL, {0.1, 0}, 0.25, {0, 0}};
  ss_shape2 plane = {SS_SHAPE2_HALFPLANE, NULL, {0, 0}, 0, {0, 1}};
  ss_shape2 other = {SS_SHAPE2_CIRCLE, NULL, {0, 0.2}, 0.5, {0, 0}};
  const struct { const ss_shape2 *a, *b; double x, y, gap; int n; } cases[] = {
    {&polygon, &circle, 0.4, 1.26, 0.01, 1},                       // above the box
    {&circle, &polygon, 0.36, -0.5, 0.01, 1},                         // to the left of it
    {&polygon, &circle, 1.1, 1.2, hypot(0.2, 0.2) - 0.25, 1},  // at its corner
    {&plane, &circle, 3, 0.24, -0.01, 1},
    {&plane, &polygon, 3, -0.02, -0.02, 2},
    {&polygon, &polygon, 0.3, 1.01, 0.01, 2},
    {&circle, &other, 0.1, 0.5, 0.7 - 0.75, 1},
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    ss_touches t = {0};
    ss_motion2 ma = {{0, 0}, {0.3, -0.2}, 0.7}, mb = {{cases[i].x, cases[i].y}, {-0.5, 0.4}, -0.9};
    ss_pose2 pa = ss_pose2_make(0, 0, 0), pb = ss_pose2_make(cases[i].x, cases[i].y, 0);
    ss_touch_pair(cases[i].a, &pa, 0, cases[i].b, &pb, 1, (ss_look2){.margin = 0.1, .skin = 0.1}, &t);
    assert_int_equal(t.n, cases[i].n);
    for (int k = 0; k < t.n; k++) {
      uint64_t key = t.list[k].key;
      double dt = 1e-5;
      ss_touch2 now = follow(cases[i].a, &ma, cases[i].b, &mb, key, 0);
      ss_touch2 before = follow(cases[i].a, &ma, cases[i].b, &mb, key, -dt);
      ss_touch2 after = follow(cases[i].a, &ma, cases[i].b, &mb, key, dt);
      expect_near("gap", t.list[k].gap, cases[i].gap, 1e-12);
      expect_near("gap as it is followed", now.gap, cases[i].gap, 1e-12);
      ss_vec2 dp, dn;
      ss_touch2_rate(&now, &ma, &mb, &dp, &dn);
      expect_rate("turn of the normal", dn, before.normal, after.normal, dt);
      expect_rate("velocity of the point", dp, before.point, after.point, dt);
    }
    ss_touches_free(&t);
  }
  ss_outline_destroy(box);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_refused),     cmocka_unit_test(test_crossing), cmocka_unit_test(test_mass),
    cmocka_unit_test(test_every_touch), cmocka_unit_test(test_flat),     cmocka_unit_test(test_fine_ground),
    cmocka_unit_test(test_valley),      cmocka_unit_test(test_round),    cmocka_unit_test(test_fine_discs),
    cmocka_unit_test(test_sketch),      cmocka_unit_test(test_stones),
    cmocka_unit_test(test_thin),        cmocka_unit_test(test_depth),    cmocka_unit_test(test_query),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
