// The spin of a body that turns freely: energy and angular momentum stay, however fast it is; second order.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "multibody/alone.h"
#include "multibody/dynamics.h"

static ss_vec3 turned(ss_vec3 I, ss_vec3 w, double dt)
{
  return ss_add(w, ss_scale(dt, ss_spin_acceleration(I, w, dt)));
}

static void test_invariants(void** state)
{
  (void)state;
  const ss_vec3 I[] = {{1, 2, 2.5}, {0.1, 1, 1.05}, {1e-9, 1.5e-9, 2e-9}, {1e80, 2e80, 2e80}, {1, 1, 1}};
  for (int k = 0; k < 5; k++)
    for (double size = 1e-12; size < 1e5; size *= 10) {
      ss_vec3 w = {size, 0.3*size, -2*size}, u = w;
      for (int i = 0; i < 200; i++) u = turned(I[k], u, 1e-3);
      ss_vec3 a = {I[k].x*w.x, I[k].y*w.y, I[k].z*w.z}, b = {I[k].x*u.x, I[k].y*u.y, I[k].z*u.z};
      double T0 = ss_dot3(a, w), T = ss_dot3(b, u);
      if (!(fabs(T/T0 - 1) < 1e-11)) fail_msg("at %g rad/s the energy changes by %g", size, T/T0 - 1);
      if (!(fabs(ss_norm(b)/ss_norm(a) - 1) < 1e-11)) fail_msg("at %g rad/s the momentum changes", size);
    }
}

// A symmetric body: the spin goes round its axis with the rate (I_z - I_x)/I_x w_z
static void test_order(void** state)
{
  (void)state;
  const ss_vec3 I = {1, 1, 1.8}, w = {3, 0, 5};
  double rate = 0.8*5, last = 0;
  for (int n = 20; n <= 640; n *= 2) {
    ss_vec3 u = w;
    for (int i = 0; i < n; i++) u = turned(I, u, 1.0/n);
    double error = hypot(u.x - 3*cos(rate), u.y - 3*sin(rate));
    assert_true(fabs(u.z - 5) < 1e-12);
    if (last > 0 && !(last/error > 3.7)) fail_msg("halving dt makes the error %g times less", last/error);
    last = error;
  }
}

// At an instant: Euler's equations; over a short time nearly so
static void test_instant(void** state)
{
  (void)state;
  const ss_vec3 I = {1, 2, 2.5}, w = {3, -1, 5};
  ss_vec3 a = ss_spin_acceleration(I, w, 0), b = ss_spin_acceleration(I, w, 1e-5);
  assert_true(fabs(a.x - (2 - 2.5)/1*(-1)*5) < 1e-14 && fabs(a.y - (2.5 - 1)/2*3*5) < 1e-13);
  assert_true(fabs(a.z - (1 - 2)/2.5*3*-1) < 1e-14);
  assert_true(ss_norm(ss_sub(a, b)) < 1e-3);
}

// Forces over a time are those that the accelerations come from: M a = h, for a body with its mass off its origin
static void test_forces(void** state)
{
  (void)state;
  ss_body_def body = {.parent = SS_WORLD, .mass = 2, .com = {0.1, -0.2, 0.3}, .inertia = {1, 2, 2.5, 0.1, -0.2, 0.3}};
  ss_joint_def joint = {.kind = SS_JOINT_FREE};
  ss_tree_def def = {.n_body = 1, .body = &body, .n_joint = 1, .joint = &joint, .gravity = {0, 0, -9.81}};
  ss_tree* tree = ss_tree_create(&def, NULL);
  ss_tree_work* work = ss_tree_work_create(tree, NULL);
  double q[7] = {1, 2, 3, 0.5, -0.5, 0.5, 0.5}, u[6] = {1, -1, 2, 30, 20, -10}, h[6], a[6], b[6];
  ss_tree_set_position(work, q);
  ss_tree_set_velocity(work, u);
  assert_int_equal(ss_tree_factor(work), SS_OK);
  for (double dt = 0; dt < 2; dt = dt*10 + 1e-3) {
    ss_tree_force(work, h);
    ss_tree_add_spin(work, &(ss_tree_time){.dt = dt}, h);
    ss_tree_solve(work, h, a);
    ss_tree_accelerate(work, &(ss_tree_time){.dt = dt}, NULL, b);
    for (int i = 0; i < 6; i++)
      if (!(fabs(a[i] - b[i]) < 1e-8)) fail_msg("dt = %g, velocity %d: %g and %g", dt, i, a[i], b[i]);
  }
  ss_tree_work_destroy(work);
  ss_tree_destroy(tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_invariants), cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_instant), cmocka_unit_test(test_forces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
