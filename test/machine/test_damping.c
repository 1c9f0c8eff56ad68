// Dampers over a step: no step is too long for them, and short ones are as exact as the scheme.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "machines.h"

static const ss_integrator schemes[] = {SS_MOREAU, SS_EULER, SS_JEAN};
enum { SCHEMES = sizeof schemes/sizeof *schemes };

// A wheel of the inertia 0.01 that a damper stops, or the velocity gain of an actuator, which is the same
#define WHEEL(joint, rest)                                                                            \
  "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='axle' axis='0 0 1' " joint "/>"     \
  "<inertial pos='0 0 0' mass='1' diaginertia='0.01 0.01 0.01'/></body></worldbody>" rest "</mujoco>"

static const char wheel[] = WHEEL("damping='0.05'", "");
static const char driven[] = WHEEL("", "<actuator><velocity joint='axle' kv='0.0125' gear='2'/></actuator>");

typedef struct outcome {
  double q, u, gain, booked;  // rad, rad/s; energy that was gained, and that the ledger has for it, J
} outcome;

static outcome run(const char* text, ss_integrator scheme, double dt, int steps)
{
  machine_case c;
  ss_error error = {0};
  outcome out = {0};
  open_case(&c, text);
  const ss_system* system = ss_machine_system(c.machine);
  ss_state* s = ss_state_create(system);
  ss_work* w = ss_work_create(system, &error);
  ss_step_def def = ss_step_def_default();
  def.integrator = scheme;
  def.dt = dt;
  def.account = true;
  s->u[0] = 3;
  for (int i = 0; i < steps; i++) {
    assert_int_equal(ss_step(system, &def, s, w), SS_OK);
    const ss_step_info* info = ss_work_info(w);
    out.gain += info->after.kinetic - info->before.kinetic;
    out.booked += info->work_forces;
  }
  out.q = s->q[0];
  out.u = s->u[0];
  ss_work_destroy(w);
  ss_state_destroy(s);
  close_case(&c);
  return out;
}

// One step leaves (6 - 2 z)/(6 + 4 z + z^2) of the velocity, z = d dt/I, Pade's approximant of exp(-z)
static void test_one_step(void** state)
{
  (void)state;
  const double dt[] = {1e-4, 0.01, 0.2, 2, 20, 1e4};
  for (int i = 0; i < SCHEMES; i++)
    for (size_t k = 0; k < sizeof dt/sizeof *dt; k++) {
      double z = 5*dt[k], left = (6 - 2*z)/(6 + 4*z + z*z);
      for (int way = 0; way < 2; way++)
        assert_true(fabs(run(way ? driven : wheel, schemes[i], dt[k], 1).u - 3*left) < 1e-12);
    }
}

// q -> 3/5 (1 - exp(-5 t)): u of order 3, q of order 2 by the midpoint rule
static void test_order(void** state)
{
  (void)state;
  double exact = 0.6*(1 - exp(-1)), speed = 3*exp(-1);
  for (int i = 0; i < SCHEMES; i++) {
    double coarse = run(wheel, schemes[i], 0.02, 10).q - exact, fine = run(wheel, schemes[i], 0.01, 20).q - exact;
    double order = log2(fabs(coarse/fine)), expected = schemes[i] == SS_EULER ? 1 : 2;
    assert_true(fabs(order - expected) < 0.05);
    coarse = run(wheel, schemes[i], 0.02, 10).u - speed;
    fine = run(wheel, schemes[i], 0.01, 20).u - speed;
    assert_true(fabs(log2(fabs(coarse/fine)) - 3) < 0.1);
  }
  assert_true(fabs(run(wheel, SS_EVENT_DRIVEN, 0.02, 10).q - exact) < 1e-10);
}

// What is booked is what is lost, up to second order in dt; and it is lost, whatever the step
static void test_energy(void** state)
{
  (void)state;
  for (int i = 0; i < SCHEMES; i++) {
    outcome a = run(wheel, schemes[i], 0.02, 10), b = run(wheel, schemes[i], 0.01, 20);
    assert_true(fabs(a.gain - a.booked) < 0.02*fabs(a.gain));
    assert_true(fabs((a.gain - a.booked)/(b.gain - b.booked) - 4) < 0.4);
    assert_true(run(wheel, schemes[i], 50, 20).gain < 0 && fabs(run(wheel, schemes[i], 50, 20).u) < 1e-10);
  }
}

// A leg of light links with strong dampers on the ground: 2 I/d is 0.2 ms, the step 10 ms
static void test_robot(void** state)
{
  (void)state;
  const char* text =
    "<mujoco><option timestep='0.01'/><default><joint axis='0 1 0' damping='2'/><geom density='300'/></default>"
    "<worldbody><geom type='plane' size='5 5 1' friction='0.8'/><body pos='0 0 0.5'><freejoint/>"
    "<geom type='box' size='0.2 0.1 0.05'/><body pos='0.15 0 0'><joint name='hip'/>"
    "<geom type='capsule' size='0.02' fromto='0 0 0 0.1 0 -0.15'/><body pos='0.1 0 -0.15'><joint name='knee'/>"
    "<geom type='capsule' size='0.015' fromto='0 0 0 -0.1 0 -0.15'/></body></body></body></worldbody></mujoco>";
  for (int i = 0; i < SCHEMES; i++) {
    machine_case c;
    open_case(&c, text);
    const ss_system* system = ss_machine_system(c.machine);
    ss_state* s = ss_state_create(system);
    ss_work* w = ss_work_create(system, NULL);
    ss_step_def def = ss_step_def_default();
    def.integrator = schemes[i];
    def.dt = 0.01;
    ss_scene_initial(c.scene, -1, s->q, s->u);
    for (int k = 0; k < 300; k++) {
      ss_status st = ss_step(system, &def, s, w);
      assert_true(st == SS_OK || (st == SS_INACCURATE && schemes[i] == SS_JEAN));  // its rounds, in an impact
      for (int j = 0; j < c.nv; j++) assert_true(fabs(s->u[j]) < 60);
    }
    for (int j = 0; j < c.nv; j++) assert_true(fabs(s->u[j]) < 0.2);  // it has come to rest, or nearly so
    ss_work_destroy(w);
    ss_state_destroy(s);
    close_case(&c);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_step), cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_energy), cmocka_unit_test(test_robot)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
