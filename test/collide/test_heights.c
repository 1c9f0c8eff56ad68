// Contacts with height fields: a level or inclined one is a plane; distances are those to the prisms below the
// triangles; a body that is lowered to the surface touches it, and no contact has a normal that a slide would catch on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "collide/solids.h"

#define ROWS 9
#define COLS 11
static double height[ROWS*COLS];

static ss_shape_def field(double half_x, double half_y)
{
  return (ss_shape_def){.kind = SS_SHAPE_HEIGHTS, .n_row = ROWS, .n_col = COLS, .height = height,
                        .half = {half_x, half_y}};
}

static const ss_pose home = {{0, 0, 0}, {1, 0, 0, 0}};
static const ss_shape_kind bodies[] = {SS_SHAPE_SPHERE,   SS_SHAPE_CAPSULE,   SS_SHAPE_BOX,
                                       SS_SHAPE_CYLINDER, SS_SHAPE_ELLIPSOID, SS_SHAPE_MESH};
#define BODIES (int)(sizeof bodies/sizeof *bodies)

static bool is_round(ss_shape_kind kind) { return kind == SS_SHAPE_CYLINDER || kind == SS_SHAPE_ELLIPSOID; }

static int least_of(int n, const ss_touch* t)
{
  int best = 0;
  for (int i = 1; i < n; i++)
    if (t[i].gap < t[best].gap) best = i;
  return best;
}

static void assert_all_sound(int n, const ss_touch* t)
{
  for (int i = 0; i < n; i++) {
    double third[3];
    cross(t[i].frame, t[i].frame + 3, third);
    assert_near(norm(t[i].frame), 1, 1e-12);
    assert_near(dot(t[i].frame, t[i].frame + 3), 0, 1e-12);
    assert_near(distance(third, t[i].frame + 6), 0, 1e-12);
    for (int k = 0; k < 3; k++) assert_near(t[i].point_b[k] - t[i].point_a[k], t[i].gap*t[i].frame[k], 1e-12);
    assert_true(i == 0 || t[i].key > t[i - 1].key);
  }
}

// A plane z = a x + b y as a field and as a plane: the same least gap and normal, for what is above it and a little
// below
static void compare_with_plane(double a, double b)
{
  for (int r = 0; r < ROWS; r++)
    for (int c = 0; c < COLS; c++) height[r*COLS + c] = a*(-20 + 4.0*c) + b*(-20 + 5.0*r);
  ss_shape_def hills = field(20, 20), plane = {.kind = SS_SHAPE_PLANE};
  double n[3] = {-a, -b, 1}, length = norm(n);
  for (int k = 0; k < 3; k++) n[k] /= length;
  ss_pose slope = {{0, 0, 0}, {1 + n[2], -n[1], n[0], 0}};  // the shortest turn from z to n
  for (int k = 0; k < 1200/LESS; k++) {
    ss_touch t[SS_TOUCH_MOST], p[SS_TOUCH_MOST];
    ss_shape_def body = random_shape(bodies[k%BODIES]);
    ss_pose pose = random_pose(8);
    pose.position[2] = 0;
    int m = ss_shape_touch(&plane, &slope, &body, &pose, 100, p);
    double off = p[least_of(m, p)].gap - (k%3 ? 1e-3*uniform() : 0.1*(uniform() + 1));
    for (int i = 0; i < 3; i++) pose.position[i] -= off*n[i];
    m = ss_shape_touch(&plane, &slope, &body, &pose, 1, p);
    int count = ss_shape_touch(&hills, &home, &body, &pose, 1, t);
    assert_true(count > 0 && m > 0);
    assert_all_sound(count, t);
    assert_near(t[least_of(count, t)].gap, p[least_of(m, p)].gap, 1e-11);
    for (int i = 0; i < count; i++)
      if (t[i].gap < 1e-2) assert_near(dot(t[i].frame, n), 1, 1e-9);
  }
}

static void test_plane(void** state)
{
  (void)state;
  seed_state = 4;
  compare_with_plane(0, 0);
  compare_with_plane(0.3, -0.2);
}

// ---- hills ---------------------------------------------------------------------------------------------------------

static void make_hills(double rough)
{
  for (int i = 0; i < ROWS*COLS; i++) height[i] = rough*uniform();
}

static ss_pose lifted(const ss_pose* pose, const double* n, double by)
{
  ss_pose out = *pose;
  for (int i = 0; i < 3; i++) out.position[i] += by*n[i];
  return out;
}

// The least distance to a prism that reaches from a triangle of the field 3 m down
static double brute_force(const ss_shape_def* f, const ss_shape_def* body, const ss_pose* pose)
{
  double best = INFINITY, dx = 2*f->half[0]/(COLS - 1), dy = 2*f->half[1]/(ROWS - 1);
  for (int r = 0; r + 1 < ROWS; r++)
    for (int c = 0; c + 1 < COLS; c++)
      for (int which = 0; which < 2; which++) {
        const int at[3][2] = {{r, c}, {r + which, c + 1}, {r + 1, c + !which}};
        double v[18];
        for (int i = 0; i < 6; i++) {
          const int* k = at[i%3];
          v[3*i] = -f->half[0] + dx*k[1];
          v[3*i + 1] = -f->half[1] + dy*k[0];
          v[3*i + 2] = height[k[0]*COLS + k[1]] - (i < 3 ? 0 : 3);
        }
        ss_shape_def prism = {.kind = SS_SHAPE_MESH, .n_vertex = 6, .vertex = v};
        ss_touch t[SS_TOUCH_MOST];
        int n = ss_shape_touch(&prism, &home, body, pose, 10, t);
        if (n > 0) best = fmin(best, t[least_of(n, t)].gap);
      }
  return best;
}

// Bodies above hills: the least gap is the distance; lowered by it and by a little more, they overlap, by no more than
// that little
static void check_hills(double rough, double size, int count)
{
  for (int k = 0; k < count/LESS; k++) {
    make_hills(rough);
    ss_touch t[SS_TOUCH_MOST];
    ss_shape_def hills = field(2, 1.5), body = random_shape(bodies[k%BODIES]);
    body.radius *= size, body.half_length *= size;
    for (int i = 0; i < 3; i++) body.half[i] *= size;
    double scaled[24];
    for (int i = 0; body.kind == SS_SHAPE_MESH && i < 3*body.n_vertex; i++) scaled[i] = size*body.vertex[i];
    body.vertex = scaled;
    ss_pose pose = random_pose(1);
    pose.position[2] = rough + 2.5*size;
    double slack = is_round(body.kind) ? 1e-6 : 1e-10, far = brute_force(&hills, &body, &pose);
    const double up[3] = {0, 0, 1};
    for (int step = 0; step < 40 && far > 1e-3; step++) {  // nearer and nearer, straight down
      int n = ss_shape_touch(&hills, &home, &body, &pose, far + 0.01, t);
      if (n < 1) fail_msg("kind %d: no contact at a distance of %.17g", (int)body.kind, far);
      assert_all_sound(n, t);
      assert_near(t[least_of(n, t)].gap, far, slack);
      assert_int_equal(ss_shape_touch(&hills, &home, &body, &pose, far - 10*slack, t), 0);
      pose = lifted(&pose, up, -0.9*far);
      far = brute_force(&hills, &body, &pose);
    }
    int n = ss_shape_touch(&hills, &home, &body, &pose, far + 1e-3, t);
    assert_true(n > 0);
    const double into[] = {1e-9, 1e-6, 1e-4};
    ss_touch nearest = t[least_of(n, t)];
    for (int i = 0; i < 3; i++) {
      ss_pose deep = lifted(&pose, nearest.frame, -nearest.gap - into[i]);
      n = ss_shape_touch(&hills, &home, &body, &deep, 1e-3, t);
      double gap = n > 0 ? t[least_of(n, t)].gap : NAN;
      // beside a ridge another face may be nearer than the one that was come from
      if (!(gap <= slack && gap >= -into[i]*(1 + 1e-6) - slack)) {
        char where[200];
        snprintf(where, sizeof where, "seed %d, kind %d, %d contacts", k, (int)body.kind, n);
        fail_msg("%s: %.3g into the hills, the gap is %.17g", where, into[i], gap);
      }
    }
  }
}

static void test_hills(void** state)
{
  (void)state;
  seed_state = 5;
  check_hills(0.1, 0.3, 40);
  check_hills(0.1, 0.05, 40);
  check_hills(0.5, 0.3, 40);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_plane), cmocka_unit_test(test_hills)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
