// Rates of contacts against differences along motions: gap, normal, frame, contact points, relative acceleration.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "collide/shapes.h"

typedef struct motion {
  ss_shape_def shape[2];
  ss_pose pose[2];
  ss_twist twist[2];  // constant, so that material points accelerate by w x (w x r) alone
} motion;

// Everything that has a rate, in one vector
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

// Of the same kind, and at the same face
static bool is_like(const ss_touch* t, const ss_touch* like)
{
  return t->side_a == like->side_a && t->side_b == like->side_b && dot(t->frame, like->frame) > 0.99;
}

// The contact of that feature at time t, and how the bodies move there; false if it is not there, or of another kind
static bool contact_at(const motion* m, double t, int feature, const ss_touch* like, ss_touch* touch,
                       ss_point_motion at[2], ss_pose pose[2])
{
  ss_touch all[SS_TOUCH_MOST];
  for (int i = 0; i < 2; i++) pose[i] = moved(m->pose + i, m->twist + i, t);
  int n = ss_shape_touch(m->shape, pose, m->shape + 1, pose + 1, 100, all);
  for (int i = 0; i < n; i++)
    if (all[i].feature == feature && (!like || is_like(all + i, like))) {
      *touch = all[i];
      for (int k = 0; k < 2; k++) point_motion(pose + k, m->twist + k, touch->point, at + k);
      return true;
    }
  return false;
}

static bool values_at(const motion* m, double t, const ss_touch* like, double* out)
{
  ss_touch touch;
  ss_point_motion at[2];
  ss_pose pose[2];
  if (!contact_at(m, t, like->feature, like, &touch, at, pose)) return false;
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

// Central differences of fourth order
static bool differences(const motion* m, const ss_touch* like, double h, double* rate)
{
  double f[4][SIZE];
  const double t[4] = {-2*h, -h, h, 2*h};
  for (int k = 0; k < 4; k++)
    if (!values_at(m, t[k], like, f[k])) return false;
  for (int i = 0; i < SIZE; i++) rate[i] = (f[0][i] - 8*f[1][i] + 8*f[2][i] - f[3][i])/(12*h);
  return true;
}

// What ss_touch_rate() says they are; gamma' with the accelerations of the material points
static void exact_rates(const motion* m, const ss_touch* touch, const ss_point_motion at[2], double* rate)
{
  ss_touch_change c;
  ss_touch_rate(touch, at, at + 1, &c);
  rate[GAP] = c.gamma[0];
  memcpy(rate + POINT, c.point, sizeof c.point);
  memcpy(rate + POINT_A, c.point_a, sizeof c.point_a);
  memcpy(rate + POINT_B, c.point_b, sizeof c.point_b);
  double a[2][3], wr[3];
  for (int k = 0; k < 2; k++) {
    const double* w = m->twist[k].angular;
    for (int i = 0; i < 3; i++) wr[i] = at[k].linear[i] - m->twist[k].linear[i];
    cross(w, wr, a[k]);
  }
  for (int i = 0; i < 3; i++) {
    const double* f = touch->frame + 3*i;
    cross(c.spin, f, rate + FRAME + 3*i);
    rate[GAMMA + i] = dot(f, a[1]) - dot(f, a[0]) + c.w_bar[i];
  }
  for (int i = 0; i < 3; i++) assert_near(rate[FRAME + i], c.normal[i], 1e-11*(1 + norm(c.normal)));
}

// True if it could be compared. Differences know their own error: that with half the step is 16 times smaller.
static bool compare(const motion* m, int feature, double scale)
{
  ss_touch touch;
  ss_point_motion at[2];
  ss_pose pose[2];
  double coarse[SIZE], fine[SIZE], exact[SIZE];
  if (!contact_at(m, 0, feature, NULL, &touch, at, pose)) return false;
  bool flat = touch.side_a == SS_SIDE_FACE || touch.side_b == SS_SIDE_FACE;
  if (!flat && touch.gap + touch.radius_a + touch.radius_b < 0.02) return false;  // cores meet: the normal jumps
  if (!differences(m, &touch, 1e-3*scale, coarse) || !differences(m, &touch, 5e-4*scale, fine)) return false;
  exact_rates(m, &touch, at, exact);
  for (int i = 0; i < SIZE; i++) {
    double tolerance = 0.2*fabs(coarse[i] - fine[i]) + 2e-11/scale*(1 + fabs(exact[i]));
    if (!(fabs(exact[i] - fine[i]) <= tolerance))
      fail_msg("kinds %d, %d, feature %d: rate %d is %.12g, by differences %.12g", (int)m->shape[0].kind,
               (int)m->shape[1].kind, feature, i, exact[i], fine[i]);
  }
  return true;
}

static ss_twist random_twist(void)
{
  ss_twist twist;
  for (int i = 0; i < 3; i++) twist.angular[i] = uniform(), twist.linear[i] = uniform();
  return twist;
}

static const ss_shape_kind kinds[][2] = {
  {SS_SHAPE_PLANE, SS_SHAPE_SPHERE},   {SS_SHAPE_PLANE, SS_SHAPE_CAPSULE},   {SS_SHAPE_SPHERE, SS_SHAPE_SPHERE},
  {SS_SHAPE_SPHERE, SS_SHAPE_CAPSULE}, {SS_SHAPE_CAPSULE, SS_SHAPE_CAPSULE}, {SS_SHAPE_CAPSULE, SS_SHAPE_PLANE},
  {SS_SHAPE_CAPSULE, SS_SHAPE_SPHERE}, {SS_SHAPE_PLANE, SS_SHAPE_BOX},       {SS_SHAPE_BOX, SS_SHAPE_SPHERE},
  {SS_SHAPE_CAPSULE, SS_SHAPE_BOX},    {SS_SHAPE_BOX, SS_SHAPE_BOX},
};
#define KINDS (int)(sizeof kinds/sizeof *kinds)

static void test_random_motions(void** state)
{
  (void)state;
  seed_state = 5;
  int compared[KINDS] = {0};
  for (int k = 0; k < 1000*KINDS; k++) {
    motion m;
    for (int i = 0; i < 2; i++) {
      m.shape[i] = random_shape(kinds[k%KINDS][i]);
      m.pose[i] = random_pose(2);
      m.twist[i] = random_twist();
    }
    ss_touch t[SS_TOUCH_MOST];
    int n = ss_shape_touch(m.shape, m.pose, m.shape + 1, m.pose + 1, 100, t);
    for (int j = 0; j < n; j++) compared[k%KINDS] += compare(&m, t[j].feature, 1);
  }
  for (int i = 0; i < KINDS; i++) assert_true(compared[i] > 900);  // few are lost where a feature ends nearby
}

// The gap's rate is N.(v_B - v_A), wherever along the normal the velocities are taken
static void test_gap_rate_along_the_normal(void** state)
{
  (void)state;
  seed_state = 9;
  for (int k = 0; k < 2000; k++) {
    motion m;
    for (int i = 0; i < 2; i++) {
      m.shape[i] = random_shape(kinds[k%KINDS][i]);
      m.pose[i] = random_pose(2);
      m.twist[i] = random_twist();
    }
    ss_touch t[SS_TOUCH_MOST];
    int n = ss_shape_touch(m.shape, m.pose, m.shape + 1, m.pose + 1, 100, t);
    for (int j = 0; j < n; j++) {
      ss_point_motion a, b, on_a, on_b;
      ss_touch_change c;
      point_motion(m.pose, m.twist, t[j].point, &a);
      point_motion(m.pose + 1, m.twist + 1, t[j].point, &b);
      point_motion(m.pose, m.twist, t[j].point_a, &on_a);
      point_motion(m.pose + 1, m.twist + 1, t[j].point_b, &on_b);
      ss_touch_rate(t + j, &a, &b, &c);
      assert_near(c.gamma[0], dot(t[j].frame, on_b.linear) - dot(t[j].frame, on_a.linear), 1e-13);
    }
  }
}

// Two bodies that move as one: no relative velocity, no change of the gap; the contact goes along
static void test_moving_as_one(void** state)
{
  (void)state;
  seed_state = 4;
  for (int k = 0; k < 700; k++) {
    motion m;
    for (int i = 0; i < 2; i++) {
      m.shape[i] = random_shape(kinds[k%KINDS][i]);
      m.pose[i] = random_pose(2);
    }
    m.twist[0] = random_twist();
    ss_touch t[SS_TOUCH_MOST];
    int n = ss_shape_touch(m.shape, m.pose, m.shape + 1, m.pose + 1, 100, t);
    for (int j = 0; j < n; j++) {
      ss_point_motion a;
      ss_touch_change c;
      point_motion(m.pose, m.twist, t[j].point, &a);
      ss_touch_rate(t + j, &a, &a, &c);
      for (int i = 0; i < 3; i++) {
        assert_near(c.gamma[i], 0, 0);
        assert_near(c.w_bar[i], 0, 1e-11);
        assert_near(c.point[i], a.linear[i], 1e-11);
      }
    }
  }
}

// A ball that rolls on a floor: the contact point moves with the centre, the point of the ball there has the
// acceleration v^2/r upwards, and the relative velocity stays zero
static void test_rolling_ball(void** state)
{
  (void)state;
  ss_shape_def floor = {.kind = SS_SHAPE_PLANE}, ball = {.kind = SS_SHAPE_SPHERE, .radius = 0.5};
  ss_pose o = {{0}, {1, 0, 0, 0}}, pose = {{1, 2, 0.5}, {1, 0, 0, 0}};
  ss_touch t[SS_TOUCH_MOST];
  assert_int_equal(ss_shape_touch(&floor, &o, &ball, &pose, 0.1, t), 1);
  ss_point_motion rest = {{0}, {0}}, rolling = {{0, 6, 0}, {0, 0, 0}};  // v = w r = 3 along x
  ss_touch_change c;
  ss_touch_rate(t, &rest, &rolling, &c);
  assert_near(c.point[0], 3, 1e-15);
  assert_near(c.w_bar[0], -18, 1e-14);  // against the acceleration v^2/r = 18 of the material point
  assert_near(c.w_bar[1], 0, 1e-15);
  assert_near(c.w_bar[2], 0, 1e-15);
}

// A ball that rolls inside no plane but over another ball: tangents turn smoothly all the way round
static void test_frame_is_smooth(void** state)
{
  (void)state;
  ss_shape_def ball = {.kind = SS_SHAPE_SPHERE, .radius = 1};
  ss_pose o = {{0}, {0}};
  for (int axis = 0; axis < 3; axis++) {
    ss_touch before[SS_TOUCH_MOST], t[SS_TOUCH_MOST];
    for (int k = 0; k <= 3600; k++) {
      double angle = k*0.1*3.14159265358979/180;
      ss_pose pose = {{0}, {0}};
      pose.position[axis] = 2*cos(angle);
      pose.position[(axis + 1)%3] = 2*sin(angle);
      assert_int_equal(ss_shape_touch(&ball, &o, &ball, &pose, 0.1, t), 1);
      if (k > 0) assert_true(distance(t->frame + 3, before->frame + 3) < 0.02);  // a step turns the normal by 0.0017
      *before = *t;
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_random_motions),       cmocka_unit_test(test_gap_rate_along_the_normal),
    cmocka_unit_test(test_moving_as_one),        cmocka_unit_test(test_rolling_ball),
    cmocka_unit_test(test_frame_is_smooth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
