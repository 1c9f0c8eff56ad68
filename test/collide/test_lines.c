// Sides of cylinders and capsules side by side, and along edges: contacts at the ends of the stretch that they have in
// common, with gaps in closed form, the same whatever round-off is; their rates; how one of them is left as lines
// cross.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "collide/solids.h"

static void compose(const ss_pose* outer, const ss_pose* inner, ss_pose* out)
{
  const double *p = outer->rotation, *q = inner->rotation;
  double n = sqrt(p[0]*p[0] + p[1]*p[1] + p[2]*p[2] + p[3]*p[3]), pq[3];
  to_world(outer, inner->position, out->position);
  cross(p + 1, q + 1, pq);
  out->rotation[0] = (p[0]*q[0] - dot(p + 1, q + 1))/n;
  for (int i = 0; i < 3; i++) out->rotation[1 + i] = (p[0]*q[1 + i] + q[0]*p[1 + i] + pq[i])/n;
}

// ---- closed forms --------------------------------------------------------------------------------------------------

static void end_of(const solid* p, int end, double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = p->at[i] + (end ? 1 : -1)*p->shape.half_length*p->axis[2][i];
}

// Of a point from the axis of a shape, as a line without ends
static double from_axis(const solid* q, const double x[3])
{
  const double d[3] = {x[0] - q->at[0], x[1] - q->at[1], x[2] - q->at[2]};
  double m[3];
  cross(d, q->axis[2], m);
  return norm(m);
}

static double rim_from_axis(const solid* p, const double end[3], const solid* q, double angle)
{
  double x[3];
  for (int i = 0; i < 3; i++)
    x[i] = end[i] + p->shape.radius*(cos(angle)*p->axis[0][i] + sin(angle)*p->axis[1][i]);
  return from_axis(q, x);
}

// The least over a rim, by golden sections about the side that is turned to q
static double end_gap(const solid* p, int which, const solid* q)
{
  double end[3], d[3];
  end_of(p, which, end);
  if (p->shape.kind == SS_SHAPE_CAPSULE) return from_axis(q, end) - p->shape.radius - q->shape.radius;
  for (int i = 0; i < 3; i++) d[i] = q->at[i] - end[i];
  double along = dot(d, q->axis[2]), golden = 0.5*(sqrt(5) - 1);
  for (int i = 0; i < 3; i++) d[i] -= along*q->axis[2][i];
  double middle = atan2(dot(d, p->axis[1]), dot(d, p->axis[0])), lo = middle - 0.8, hi = middle + 0.8;
  for (int k = 0; k < 60; k++) {
    double x = hi - golden*(hi - lo), y = lo + golden*(hi - lo);
    if (rim_from_axis(p, end, q, x) < rim_from_axis(p, end, q, y)) hi = y;
    else lo = x;
  }
  return rim_from_axis(p, end, q, 0.5*(lo + hi)) - q->shape.radius;
}

// One of the contacts is at x, `near` at most away, and has this gap
static bool has_contact(int n, const ss_touch* t, const double x[3], double near, double gap, double most)
{
  for (int i = 0; i < n; i++)
    if (distance(t[i].point, x) < near && fabs(t[i].gap - gap) <= most) return true;
  return false;
}

typedef struct pair {
  solid a, b;
  double tilt;  // the angle between the axes, roughly
  double size;
} pair;

// A contact at the end of the stretch that is towards `end` of a: at that end of a or at the one of b, whichever
// comes first along the axis of a
static void check_end(const pair* p, int end, int n, const ss_touch* t)
{
  double sign = end ? 1 : -1, a[3], b[3], d[3];
  int end_b = dot(p->a.axis[2], p->b.axis[2]) < 0 ? 1 - end : end;
  end_of(&p->a, end, a);
  end_of(&p->b, end_b, b);
  for (int i = 0; i < 3; i++) d[i] = b[i] - a[i];
  double later = sign*dot(d, p->a.axis[2]), unsure = 1e-5*p->size + 2*p->tilt*p->size;
  double gap_a = end_gap(&p->a, end, &p->b), gap_b = end_gap(&p->b, end_b, &p->a);
  // the point is a radius away from the end, and half of the gap
  double near_a = p->a.shape.radius + 0.05*p->size, near_b = p->b.shape.radius + 0.05*p->size, most = 4e-15*p->size;
  bool found = later > -unsure && has_contact(n, t, a, near_a, gap_a, most);
  found = found || (later < unsure && has_contact(n, t, b, near_b, gap_b, most));
  bool balls = p->a.shape.kind == SS_SHAPE_CAPSULE && p->b.shape.kind == SS_SHAPE_CAPSULE;  // end to end
  found = found || (balls && fabs(later) < unsure &&
                    has_contact(n, t, a, near_a, norm(d) - p->a.shape.radius - p->b.shape.radius, most));
  if (!found)
    fail_msg("kinds %d and %d, tilt %g: of %d contacts none is at end %d with the gap %.17g or %.17g (first %.17g)",
             (int)p->a.shape.kind, (int)p->b.shape.kind, p->tilt, n, end, gap_a, gap_b, n ? t[0].gap : NAN);
}

// No contact is nearer than the shapes are apart along the normal of the nearest, which so is proved
static void check_least(const pair* p, int n, const ss_touch* t)
{
  int best = 0;
  for (int i = 0; i < n; i++) {
    if (t[i].gap < t[best].gap) best = i;
    assert_near(norm(t[i].frame), 1, 1e-15);
    for (int k = 0; k < 3; k++) assert_near(t[i].point_b[k] - t[i].point_a[k], t[i].gap*t[i].frame[k], 4e-15*p->size);
  }
  assert_near(apart_along(&p->a, &p->b, t[best].frame), t[best].gap, 1e-11*p->size);
}

// b beside a, from 1 cm apart to 1 cm into one another; some with ends that coincide, or of one length and shifted
static pair random_pair(int k, ss_shape_kind one, ss_shape_kind two)
{
  ss_shape_def a = random_shape(one), b = random_shape(two);
  a.half_length += 0.5;
  b.half_length += 0.5;
  if (k%5 < 2) b.half_length = a.half_length;
  double shift = k%5 ? 0.6*(a.half_length + b.half_length)*uniform() : 0;
  double tilt = k%3 ? pow(10, -9 + 6.5*uniform()) : 0;
  double way = 4*uniform(), turn = 4*uniform(), gap = 0.01*uniform()*pow(10, 6*(uniform() - 1));
  double reach = a.radius + b.radius + gap;
  bool back = k%7 < 3;  // the other way round
  // turned by the tilt about some axis across z, before about z
  double c = cos(tilt/2), s = sin(tilt/2), cz = cos(turn), sz = sin(turn);
  ss_pose tilted = {{reach*cos(way), reach*sin(way), shift}, {c, s*cos(3*turn), s*sin(3*turn), 0}};
  ss_pose spin = {{0, 0, 0}, {cz, 0, 0, sz}}, flip = {{0, 0, 0}, {0, 1, 0, 0}}, local = tilted, turned;
  compose(&tilted, &spin, &local);
  turned = local;
  if (back) compose(&local, &flip, &turned);
  ss_pose world = random_pose(1), b_pose;
  compose(&world, &turned, &b_pose);
  return (pair){solid_at(&a, &world), solid_at(&b, &b_pose), tilt, a.half_length + b.half_length + reach};
}

static const ss_shape_kind kinds[][2] = {{SS_SHAPE_CYLINDER, SS_SHAPE_CYLINDER}, {SS_SHAPE_CYLINDER, SS_SHAPE_CAPSULE},
                                         {SS_SHAPE_CAPSULE, SS_SHAPE_CYLINDER}, {SS_SHAPE_CAPSULE, SS_SHAPE_CAPSULE}};

static void test_side_by_side(void** state)
{
  (void)state;
  seed_state = 71;
  for (int k = 0; k < 40000/LESS; k++) {
    pair p = random_pair(k/4, kinds[k%4][0], kinds[k%4][1]);
    ss_touch t[SS_TOUCH_MOST];
    int n = ss_shape_touch(&p.a.shape, &p.a.pose, &p.b.shape, &p.b.pose, 1, t);
    assert_in_range(n, 2, 3);
    int crossings = 0;
    for (int i = 0; i < n; i++) crossings += t[i].side_a == SS_SIDE_LINE && t[i].side_b == SS_SIDE_LINE;
    assert_int_equal(n - crossings, 2);
    check_least(&p, n, t);
    for (int end = 0; end < 2; end++) check_end(&p, end, n, t);
    if (p.tilt > 0) continue;
    assert_int_equal(n, 2);
    assert_near(t[0].gap, from_axis(&p.b, p.a.at) - p.a.shape.radius - p.b.shape.radius, 4e-15*p.size);
    assert_near(dot(t[0].frame, t[1].frame), 1, 1e-14);
  }
}

// Logs from parallel to crossed: where axes cross there is a contact with their distance less both radii; the ends come
// with gaps that grow by as much as they turn away, to 30 degrees
static void test_turning(void** state)
{
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    ss_shape_def a = {.kind = kinds[kind][0], .radius = 0.1, .half_length = 0.3}, b = a;
    b.kind = kinds[kind][1];
    b.half_length = 0.2;
    double before[2] = {0, 0};
    for (int k = 0; k <= 4000; k++) {
      double yaw = 1e-4*k, gap[2] = {NAN, NAN};
      ss_pose one = {{0, 0, 0}, {1, 0, 0, 0}}, two = {{0, 0.2, 0}, {cos(yaw/2), 0, sin(yaw/2), 0}};
      ss_touch t[SS_TOUCH_MOST];
      int n = ss_shape_touch(&a, &one, &b, &two, 0.1, t);
      assert_int_equal(n, k ? 3 : 2);
      for (int i = 0; i < n; i++) {
        if (fabs(t[i].point[2]) > 0.1) gap[t[i].point[2] > 0] = t[i].gap;
        else assert_near(t[i].gap, 0, 1e-16);
      }
      for (int i = 0; i < 2; i++) {
        assert_true(gap[i] >= before[i] && gap[i] < before[i] + 1e-5);
        before[i] = gap[i];
      }
      assert_near(gap[0], gap[1], 1e-16);
      double off = 0.2*sin(yaw), least = sqrt(0.04 + off*off) - 0.2;  // the end of the axis as that of a capsule
      assert_true(gap[0] > least - 1e-15 && gap[0] < least + 0.1*yaw*yaw + 1e-15);
    }
    ss_pose one = {{0, 0, 0}, {1, 0, 0, 0}}, two = {{0, 0.2, 0}, {cos(0.3), 0, sin(0.3), 0}};
    ss_touch t[SS_TOUCH_MOST];
    assert_int_equal(ss_shape_touch(&a, &one, &b, &two, 0.1, t), 1);
  }
}

// ---- points that stay ----------------------------------------------------------------------------------------------

// Ends that coincide, or that are shifted; with noise of 1e-13, apart or into one another
static void test_no_flicker(void** state)
{
  (void)state;
  seed_state = 12;
  for (int s = 0; s < 80; s++) {
    ss_shape_def a = {.kind = kinds[s%4][0], .radius = 0.1, .half_length = 0.2}, b = a;
    uint64_t key[2] = {0, 0};
    double shift = s < 40 ? 0 : 0.1*uniform(), way = 4*uniform();
    b.kind = kinds[s%4][1];
    for (int k = 0; k < 300/LESS; k++) {
      ss_touch t[SS_TOUCH_MOST];
      ss_pose one = {{0, 0, 0}, {1, 0, 0, 0}}, two = {{0.2*cos(way), 0.2*sin(way), shift}, {1, 0, 0, 0}};
      for (int i = 0; i < 3; i++) two.position[i] += 1e-13*uniform();
      for (int i = 0; i < 4; i++) two.rotation[i] += 1e-13*uniform();
      assert_int_equal(ss_shape_touch(&a, &one, &b, &two, 1e-9, t), 2);
      for (int i = 0; i < 2; i++) {
        if (k == 0) key[i] = t[i].key;
        assert_true(t[i].key == key[i]);
      }
    }
  }
}

// ---- edges ---------------------------------------------------------------------------------------------------------

// A log along the edge of a box, 45 degrees beyond its faces: longer, shorter, shifted, of one length
static void test_along_edge(void** state)
{
  (void)state;
  static const double vertex[24] = {-.5, -1, -1, .5, -1, -1, -.5, 1, -1, .5, 1, -1,
                                    -.5, -1, 1,  .5, -1, 1,  -.5, 1, 1,  .5, 1, 1};
  const ss_shape_def table[] = {{.kind = SS_SHAPE_BOX, .half = {0.5, 1, 1}},
                                {.kind = SS_SHAPE_MESH, .n_vertex = 8, .vertex = vertex}};
  const double half[] = {0.3, 0.5, 0.5, 0.8, 0.8}, at[] = {0, 0, 0.1, 0, 0.5}, gap[] = {0, 1e-9, -1e-9, 0.01, -0.01};
  for (int k = 0; k < 2*2*5*5; k++) {
    double h = half[k/4%5], x = at[k/4%5], g = gap[k/20], out = sqrt(0.5)*(0.1 + g);
    ss_shape_def log = {.kind = k%2 ? SS_SHAPE_CYLINDER : SS_SHAPE_CAPSULE, .radius = 0.1, .half_length = h};
    ss_pose one = {{0, 0, 0}, {1, 0, 0, 0}}, two = {{x, 1 + out, 1 + out}, {1, 0, 1, 0}};
    ss_touch t[SS_TOUCH_MOST];
    int n = ss_shape_touch(table + k/2%2, &one, &log, &two, 0.05, t);
    for (int end = 0; end < 2; end++) {
      double place = end ? fmin(0.5, x + h) : fmax(-0.5, x - h);
      const double middle[3] = {place, 1 + sqrt(0.125)*g, 1 + sqrt(0.125)*g};
      if (!has_contact(n, t, middle, 1e-12, g, 2e-15))
        fail_msg("log %d: of %d contacts none is at %g with the gap %g", k, n, place, g);
    }
    assert_in_range(n, 2, 4);  // a capsule has both of its ends, too
  }
}

// ---- rates ---------------------------------------------------------------------------------------------------------

static bool contact_at(const pair* p, const ss_twist twist[2], double time, int feature, ss_touch* out,
                       ss_point_motion at[2])
{
  ss_touch t[SS_TOUCH_MOST];
  ss_pose pose[2] = {moved(&p->a.pose, twist, time), moved(&p->b.pose, twist + 1, time)};
  int n = ss_shape_touch(&p->a.shape, pose, &p->b.shape, pose + 1, 1, t);
  for (int i = 0; i < n; i++) {
    if (t[i].feature != feature) continue;
    *out = t[i];
    for (int k = 0; k < 2; k++) {
      const double *o = pose[k].position, r[3] = {t[i].point[0] - o[0], t[i].point[1] - o[1], t[i].point[2] - o[2]};
      cross(twist[k].angular, r, at[k].linear);
      for (int j = 0; j < 3; j++) {
        at[k].linear[j] += twist[k].linear[j];
        at[k].angular[j] = twist[k].angular[j];
      }
    }
    return true;
  }
  return false;
}

static double normal_velocity(const ss_touch* t, const ss_point_motion at[2])
{
  const double v[3] = {at[1].linear[0] - at[0].linear[0], at[1].linear[1] - at[0].linear[1],
                       at[1].linear[2] - at[0].linear[2]};
  return dot(t->frame, v);
}

// The gap changes by N.(v_B - v_A) in every motion. In motions that keep the axes parallel, as logs that roll on one
// another, w_bar has all that the accelerations of material points lack.
static void test_rates(void** state)
{
  (void)state;
  seed_state = 5;
  int compared = 0;
  for (int k = 0; k < 8000/LESS; k++) {
    bool roll = k%2;
    pair p = random_pair(3*(k/8) + (roll ? 0 : 1), kinds[k/2%4][0], kinds[k/2%4][1]);
    ss_twist twist[2];
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 3; j++) {
        twist[i].linear[j] = uniform();
        twist[i].angular[j] = uniform();
      }
    for (int i = 0; roll && i < 2; i++) {
      double w = uniform();
      for (int j = 0; j < 3; j++) twist[i].angular[j] = w*p.a.axis[2][j];
    }
    ss_touch now[SS_TOUCH_MOST];
    int n = ss_shape_touch(&p.a.shape, &p.a.pose, &p.b.shape, &p.b.pose, 1, now);
    for (int i = 0; i < n; i++) {
      const double h = 1e-4, time[] = {0, -2*h, -h, h, 2*h};
      double gap[5], velocity[5];
      ss_touch t;
      ss_point_motion at[2], first[2];
      bool all = true;
      for (int j = 0; all && j < 5; j++) {
        all = contact_at(&p, twist, time[j], now[i].feature, &t, at);
        all = all && t.side_a == now[i].side_a && t.side_b == now[i].side_b;
        if (!all) break;
        gap[j] = t.gap;
        velocity[j] = normal_velocity(&t, at);
        if (j == 0) memcpy(first, at, sizeof first);
      }
      if (!all) continue;
      compared++;
      double rate = (gap[1] - 8*gap[2] + 8*gap[3] - gap[4])/(12*h);
      assert_near(rate, velocity[0], 1e-8);
      if (!roll) continue;
      double second = (velocity[1] - 8*velocity[2] + 8*velocity[3] - velocity[4])/(12*h), r[3], a[2][3];
      ss_touch_change change;
      ss_touch_rate(now + i, first, first + 1, &change);
      for (int b = 0; b < 2; b++) {
        for (int j = 0; j < 3; j++) r[j] = first[b].linear[j] - twist[b].linear[j];
        cross(twist[b].angular, r, a[b]);
      }
      assert_near(change.w_bar[0] + dot(now[i].frame, a[1]) - dot(now[i].frame, a[0]), second, 1e-8*(1 + fabs(second)));
    }
  }
  assert_true(compared > 10000/LESS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_side_by_side), cmocka_unit_test(test_turning), cmocka_unit_test(test_no_flicker),
    cmocka_unit_test(test_along_edge),   cmocka_unit_test(test_rates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
