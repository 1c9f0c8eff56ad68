// Contacts of rims and ellipsoids that are followed: rates against differences along motions, points against the
// surfaces, order of the two shapes. Two ways to differ: the place itself (closed forms, or Newton's method on the
// normal), and its rates, which know the curvature.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "collide/hull.h"
#include "collide/shape.h"
#include "collide/shapes.h"

typedef struct motion {
  ss_shape_def shape[2];
  ss_pose pose[2];
  ss_twist twist[2];  // constant
} motion;

enum { GAP, POINT, POINT_A = 4, POINT_B = 7, FRAME = 10, GAMMA = 19, SIZE = 22 };

static void point_motion(const ss_pose* pose, const ss_twist* twist, const double at[3], ss_point_motion* out)
{
  const double r[3] = {at[0] - pose->position[0], at[1] - pose->position[1], at[2] - pose->position[2]};
  double wr[3];
  cross(twist->angular, r, wr);
  for (int i = 0; i < 3; i++) {
    out->angular[i] = twist->angular[i];
    out->linear[i] = twist->linear[i] + wr[i];
  }
}

static ss_placed placed_at(const motion* m, int i, double t)
{
  ss_pose pose = moved(m->pose + i, m->twist + i, t);
  return ss_shape_place(&m->shape[i], ss_vec3_from(pose.position), ss_pose_turn(&pose));
}

static int feature;  // that is looked at

static bool border_at(const motion* m, double t, ss_touch* touch, ss_border* border)
{
  ss_placed a = placed_at(m, 0, t), b = placed_at(m, 1, t);
  return ss_touch_smooth(m->shape[0].kind, &a, m->shape[1].kind, &b, feature, touch, border) == 1;
}

static bool contact_at(const motion* m, double t, ss_touch* touch)
{
  ss_border border;
  return border_at(m, t, touch, &border);
}

static bool values_at(const motion* m, double t, const ss_touch* like, double* out)
{
  ss_touch touch;
  ss_point_motion at[2];
  if (!contact_at(m, t, &touch) || touch.side_a != like->side_a || touch.side_b != like->side_b) return false;
  if (dot(touch.frame, like->frame) < 0.9) return false;  // another face, another edge
  for (int k = 0; k < 2; k++) {
    ss_pose pose = moved(m->pose + k, m->twist + k, t);
    point_motion(&pose, m->twist + k, touch.point, at + k);
  }
  out[GAP] = touch.gap;
  memcpy(out + POINT, touch.point, sizeof touch.point);
  memcpy(out + POINT_A, touch.point_a, sizeof touch.point_a);
  memcpy(out + POINT_B, touch.point_b, sizeof touch.point_b);
  memcpy(out + FRAME, touch.frame, sizeof touch.frame);
  for (int i = 0; i < 3; i++) {
    const double v[3] = {at[1].linear[0] - at[0].linear[0], at[1].linear[1] - at[0].linear[1],
                         at[1].linear[2] - at[0].linear[2]};
    out[GAMMA + i] = dot(touch.frame + 3*i, v);
  }
  return true;
}

static bool differences(const motion* m, const ss_touch* like, double h, double* rate)
{
  double f[4][SIZE];
  const double t[4] = {-2*h, -h, h, 2*h};
  for (int k = 0; k < 4; k++)
    if (!values_at(m, t[k], like, f[k])) return false;
  for (int i = 0; i < SIZE; i++) rate[i] = (f[0][i] - 8*f[1][i] + 8*f[2][i] - f[3][i])/(12*h);
  return true;
}

static void exact_rates(const motion* m, const ss_touch* touch, double* rate)
{
  ss_point_motion at[2];
  ss_touch_change c;
  double a[2][3], wr[3];
  for (int k = 0; k < 2; k++) point_motion(m->pose + k, m->twist + k, touch->point, at + k);
  ss_touch_rate(touch, at, at + 1, &c);
  rate[GAP] = c.gamma[0];
  memcpy(rate + POINT, c.point, sizeof c.point);
  memcpy(rate + POINT_A, c.point_a, sizeof c.point_a);
  memcpy(rate + POINT_B, c.point_b, sizeof c.point_b);
  for (int k = 0; k < 2; k++) {  // material points accelerate by w x (w x r) alone
    for (int i = 0; i < 3; i++) wr[i] = at[k].linear[i] - m->twist[k].linear[i];
    cross(m->twist[k].angular, wr, a[k]);
  }
  for (int i = 0; i < 3; i++) {
    const double* f = touch->frame + 3*i;
    cross(c.spin, f, rate + FRAME + 3*i);
    rate[GAMMA + i] = dot(f, a[1]) - dot(f, a[0]) + c.w_bar[i];
  }
}

static const ss_shape_kind kinds[][2] = {
  {SS_SHAPE_PLANE, SS_SHAPE_ELLIPSOID}, {SS_SHAPE_CYLINDER, SS_SHAPE_PLANE}, {SS_SHAPE_SPHERE, SS_SHAPE_CYLINDER},
  {SS_SHAPE_ELLIPSOID, SS_SHAPE_SPHERE}, {SS_SHAPE_SPHERE, SS_SHAPE_MESH}, {SS_SHAPE_CAPSULE, SS_SHAPE_ELLIPSOID},
  {SS_SHAPE_ELLIPSOID, SS_SHAPE_BOX}, {SS_SHAPE_CYLINDER, SS_SHAPE_ELLIPSOID}, {SS_SHAPE_ELLIPSOID, SS_SHAPE_ELLIPSOID},
  {SS_SHAPE_MESH, SS_SHAPE_ELLIPSOID},
};
#define KINDS (int)(sizeof kinds/sizeof *kinds)

static const double corners[] = {-1, -0.5, -0.4, 1, -0.6, -0.5, 0.2, 1, -0.3, 0.1, 0.1, 0.9, -0.3, 0.3, -0.9};

static ss_shape_def shape_of(ss_shape_kind kind)
{
  ss_shape_def s = {.kind = kind};
  if (kind == SS_SHAPE_SPHERE || kind == SS_SHAPE_CAPSULE || kind == SS_SHAPE_CYLINDER) s.radius = 0.3 + 0.2*uniform();
  if (kind == SS_SHAPE_CAPSULE || kind == SS_SHAPE_CYLINDER) s.half_length = 0.5 + 0.3*uniform();
  for (int i = 0; i < 3 && (kind == SS_SHAPE_BOX || kind == SS_SHAPE_ELLIPSOID); i++) s.half[i] = 0.5 + 0.3*uniform();
  if (kind == SS_SHAPE_MESH) s.n_vertex = 5, s.vertex = corners;
  return s;
}

static void random_motion(motion* m, int k)
{
  for (int i = 0; i < 2; i++) {
    m->shape[i] = shape_of(kinds[k][i]);
    assert_true(ss_shape_prepare(&m->shape[i], "test", NULL) >= 0);
    m->pose[i] = random_pose(i ? 2 : 0);
    for (int j = 0; j < 3; j++) m->twist[i].angular[j] = uniform(), m->twist[i].linear[j] = uniform();
  }
}

static void forget(motion* m)
{
  for (int i = 0; i < 2; i++) ss_shape_release(&m->shape[i]);
}

// Differences know their own error: that with half the step is 16 times smaller. Rims that are almost level turn fast.
static int compare(const motion* m, int k)
{
  ss_touch touch;
  double coarse[SIZE], fine[SIZE], exact[SIZE];
  if (!contact_at(m, 0, &touch) || touch.gap < 0.05) return 0;
  if (!differences(m, &touch, 1e-3, coarse) || !differences(m, &touch, 5e-4, fine)) return 0;
  exact_rates(m, &touch, exact);
  for (int i = 0; i < SIZE; i++) {
    double tolerance = 0.2*fabs(coarse[i] - fine[i]) + 4e-11*(1 + fabs(exact[i]));
    if (!(fabs(exact[i] - fine[i]) <= tolerance))
      fail_msg("pair %d: rate %d is %.12g, by differences %.12g within %.2g", k, i, exact[i], fine[i], tolerance);
  }
  return 1;
}

static void test_rates(void** state)
{
  (void)state;
  seed_state = 5;
  int compared[KINDS] = {0};
  for (int k = 0; k < 400*KINDS; k++) {
    motion m;
    random_motion(&m, k%KINDS);
    compared[k%KINDS] += compare(&m, k%KINDS);
    forget(&m);
  }
  for (int i = 0; i < KINDS; i++)
    if (compared[i] < 100) fail_msg("pair %d: only %d motions", i, compared[i]);
}

// ---- capsules and boxes ---------------------------------------------------------------------------------------------

enum { FEATURES = 72 };

static void random_bar(motion* m)
{
  bool turned = uniform() > 0;
  for (int i = 0; i < 2; i++) {
    m->shape[i] = shape_of((i == 1) == turned ? SS_SHAPE_CAPSULE : SS_SHAPE_BOX);
    m->pose[i] = random_pose(i ? 1.5 : 0);
    for (int j = 0; j < 3; j++) m->twist[i].angular[j] = uniform(), m->twist[i].linear[j] = uniform();
  }
}

// Every contact by itself, far beyond its ends too; its room by its own rate, where that is known
static void test_bar_rates(void** state)
{
  (void)state;
  seed_state = 8;
  int compared = 0, ends = 0;
  for (int k = 0; k < 40*FEATURES; k++) {
    motion m;
    random_bar(&m);
    feature = k%FEATURES;
    compared += compare(&m, k);
    ss_touch t, other;
    ss_border here, b[2];
    assert_true(border_at(&m, 0, &t, &here) && border_at(&m, -1e-4, &other, b) && border_at(&m, 1e-4, &other, b + 1));
    bool same = b[0].next == here.next && b[1].next == here.next, known = ss_norm(here.way) > 0;
    if (!same || !known) continue;
    ss_point_motion at[2];
    double x[3], way[3], v[3];
    ss_vec3_to(here.at, x);
    ss_vec3_to(here.way, way);
    for (int i = 0; i < 2; i++) point_motion(m.pose + i, m.twist + i, x, at + i);
    for (int i = 0; i < 3; i++) v[i] = at[1].linear[i] - at[0].linear[i];
    assert_near(dot(way, v), (b[1].room - b[0].room)/2e-4, 1e-6);
    ends++;
  }
  feature = 0;
  if (compared < 20*FEATURES || ends < 10*FEATURES) fail_msg("%d motions, %d ends", compared, ends);
}

// The nearest of those that have not ended is the distance of the two shapes; what goes on where one ends is as near,
// with the same normal
static void test_bar_distance(void** state)
{
  (void)state;
  seed_state = 12;
  int apart = 0;
  for (int k = 0; k < 3000; k++) {
    motion m;
    random_bar(&m);
    ss_touch t, all[SS_TOUCH_MOST];
    ss_border border;
    double least = INFINITY, told = INFINITY;
    for (feature = 0; feature < FEATURES; feature++) {
      bool over_face = feature < 52 && feature%26 < 6;  // from behind it has a gap below zero
      if (!border_at(&m, 0, &t, &border) || border.room < 0 || (over_face && t.gap < 0)) continue;
      least = fmin(least, t.gap);
    }
    feature = 0;
    int n = ss_shape_touch(m.shape, m.pose, m.shape + 1, m.pose + 1, INFINITY, all);
    ss_placed a = placed_at(&m, 0, 0), b = placed_at(&m, 1, 0);
    for (int i = 0; i < n; i++) told = fmin(told, all[i].gap);
    if (told < 1e-3) continue;
    apart++;
    assert_near(least, told, 1e-12);
    for (int i = 0; i < n; i++) {  // the nearest one of the list is that one
      feature = ss_smooth_feature(m.shape[0].kind, &a, m.shape[1].kind, &b, all[i].feature);
      assert_true(border_at(&m, 0, &t, &border));
      if (all[i].gap == told) assert_near(t.gap, told, 1e-12);
      if (all[i].gap == told) assert_true(border.room >= 0);
    }
    feature = 0;
  }
  assert_true(apart > 1000);
}

// ---- all ------------------------------------------------------------------------------------------------------------

// a and b exchanged: the same gap, the opposite normal, the same points, the same bends in the other's frame
static void test_order(void** state)
{
  (void)state;
  seed_state = 3;
  for (int k = 0; k < 50*KINDS; k++) {
    motion m, n;
    ss_touch t, o;
    random_motion(&m, k%KINDS);
    for (int i = 0; i < 2; i++) {
      n.shape[i] = m.shape[1 - i];
      n.pose[i] = m.pose[1 - i];
      n.twist[i] = m.twist[1 - i];
    }
    assert_true(contact_at(&m, 0, &t) == contact_at(&n, 0, &o));
    if (t.gap > 0) {
      assert_near(t.gap, o.gap, 1e-13);
      for (int i = 0; i < 3; i++) {
        assert_near(t.frame[i], -o.frame[i], 1e-12);
        assert_near(t.point_a[i], o.point_b[i], 1e-12);
        assert_near(t.point_b[i], o.point_a[i], 1e-12);
      }
      assert_near(t.bend_a[0] + t.bend_a[2], o.bend_b[0] + o.bend_b[2], 1e-10*(1 + fabs(t.bend_a[0] + t.bend_a[2])));
    }
    forget(&m);
  }
}

// The lowest point of a rim that leans by any angle: gap = z - h cos - r sin; the radius of curvature is r/sin
static void test_rim(void** state)
{
  (void)state;
  ss_shape_def floor = {.kind = SS_SHAPE_PLANE}, coin = {.kind = SS_SHAPE_CYLINDER, .radius = 0.3, .half_length = 0.1};
  for (double lean = 1; lean > 1e-7; lean *= 0.1) {
    ss_quat turn = {cos(lean/2), sin(lean/2), 0, 0};
    ss_placed a = ss_shape_place(&floor, (ss_vec3){0, 0, 0}, (ss_quat){1, 0, 0, 0});
    ss_placed b = ss_shape_place(&coin, (ss_vec3){1, 2, 3}, turn);
    ss_touch t;
    assert_near(ss_rim_lean(&a, &b), sin(lean), 1e-15);
    for (int end = 0; end < 2; end++) {
      ss_border border;
      assert_int_equal(ss_touch_smooth(SS_SHAPE_PLANE, &a, SS_SHAPE_CYLINDER, &b, 4*end, &t, &border), 1);
      assert_near(t.gap, 3 - 0.3*sin(lean) + (end ? 0.1 : -0.1)*cos(lean), 1e-15);
      double most = fmax(fabs(t.bend_b[0]), fabs(t.bend_b[2]));
      assert_near(most*sin(lean), 0.3, 1e-9);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rates), cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_rim), cmocka_unit_test(test_bar_rates),
                                     cmocka_unit_test(test_bar_distance)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
