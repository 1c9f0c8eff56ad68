// Forces from outside (ss_step_def.force): against closed forms, in the energy ledger, and on bodies of scenes.
#include <math.h>
#include <stdio.h>

#include "text_run.h"

#define BLOCK \
  "coordinates: {x: m, y: m}\n" \
  "parameters: {m: 2, g: 10, mu: 0.5}\n" \
  "kinetic: m/2*(x'^2 + y'^2)\n" \
  "potential: m*g*y\n" \
  "contacts: {floor: {gap: y, slide: x', mu: mu}}\n" \
  "run: {dt: 0.001}\n"

static const ss_integrator all[] = {SS_MOREAU, SS_EULER, SS_JEAN, SS_EVENT_DRIVEN};

static void near(double value, double expected, double tol, const char* what)
{
  if (!(fabs(value - expected) <= tol)) fail_msg("%s: %.12g is not %.12g", what, value, expected);
}

// In free fall:  u = F t/m,  and the work of the force is F x, as far as the integrator knows x
static void test_flight(void** state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    run r = start(BLOCK "initial: {y: 100}\n");
    const double F[2] = {3, 20};  // carries the weight
    r.def.integrator = all[k];
    r.def.force = F;
    go(&r, 1);
    near(r.s->u[0], 1.5, 1e-9, "u");
    near(r.s->u[1], 0, 1e-9, "v");
    near(r.s->q[0], 0.75, all[k] == SS_EULER ? 1e-3 : 1e-9, "x");
    near(r.s->q[1], 100, 1e-9, "y");
    const ss_energy_ledger* e = ss_ledger_energy(r.ledger);
    near(e->work_drive, 2*1.5*1.5/2, 1e-9, "the work of the force");
    near(e->work_forces, 0, 0, "forces of the model");
    near(e->defect, 0, 1e-9, "defect");
    stop(&r);
  }
}

// On the floor: below mu m g nothing moves and no work is done; above it u = (F - mu m g) t/m
static void test_friction(void** state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    run r = start(BLOCK);
    double F[2] = {9.9, 0};
    r.def.integrator = all[k];
    r.def.force = F;
    go(&r, 0.5);
    near(r.s->q[0], 0, 1e-12, "it sticks");
    near(ss_ledger_energy(r.ledger)->work_drive, 0, 1e-12, "no way, no work");
    F[0] = 14;
    r.s->has_mode = false;
    go(&r, 1.5);
    near(r.s->u[0], 2, 1e-9, "it slides");
    const ss_energy_ledger* e = ss_ledger_energy(r.ledger);
    near(e->work_drive, 14, 1e-8, "F x");
    near(e->loss_friction, 10, 1e-8, "mu m g x");
    r.def.force = NULL;
    r.s->has_mode = false;
    go(&r, 2.5);
    near(r.s->u[0], 0, 1e-9, "and comes to rest without it");
    near(ss_ledger_energy(r.ledger)->work_drive, 14, 1e-8, "no more work");
    stop(&r);
  }
}

// The same as a force that stands in the model, to the last bit
static void test_as_in_model(void** state)
{
  (void)state;
  static const char hanging[] = "coordinates: {x: m, a: rad}\nkinetic: x'^2 + cos(a)*x'*a' + a'^2\n"
                                "potential: -10*cos(a) + 4*x^2\ninitial: {a: 1}\nrun: {dt: 0.001}\n";
  char with[400];
  snprintf(with, sizeof with, "%sforces: {x: 3, a: -2}\n", hanging);
  for (int k = 0; k < 3; k++) {
    run a = start(hanging), b = start(with);
    const double F[2] = {3, -2};
    a.def.integrator = b.def.integrator = all[k];
    a.def.force = F;
    go(&a, 0.5);
    go(&b, 0.5);
    for (int i = 0; i < 2; i++) near(a.s->q[i], b.s->q[i], 1e-12, "q");
    near(ss_ledger_energy(a.ledger)->work_drive, ss_ledger_energy(b.ledger)->work_forces, 1e-9, "work");
    stop(&a);
    stop(&b);
  }
}

static void test_not_finite(void** state)
{
  (void)state;
  for (int k = 0; k < 4; k++) {
    run r = start(BLOCK "initial: {y: 100}\n");
    const double F[2] = {NAN, 0};
    r.def.integrator = all[k];
    r.def.force = F;
    assert_true(ss_step(r.system, &r.def, r.s, r.w) < 0);
    assert_true(r.s->t == 0);
    stop(&r);
  }
}

// A ball of a scene, pushed off its centre: momentum F t, moment of momentum r x F t, the work in the ledger
static void test_push(void** state)
{
  (void)state;
  run r = start("<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody><body name='b' pos='1 2 3'><freejoint/>"
                "<geom type='sphere' size='0.1' mass='2'/></body></worldbody></mujoco>");
  const ss_machine* machine = ss_model_machine(r.model);
  ss_tree_work* work = ss_tree_work_create(ss_machine_tree(machine), NULL);
  double tau[6], p[3], L[3], end[3];
  const double F[3] = {0.5, -1, 2}, point[3] = {1, 2, 3.1}, body_origin[3] = {1, 2, 3};
  ss_tree_set_position(work, r.s->q);
  assert_int_equal(ss_machine_push(machine, work, 1, point, F, tau), SS_ERR_ARGUMENT);
  assert_int_equal(ss_machine_push(machine, work, 0, point, (const double[]){0, INFINITY, 0}, tau), SS_ERR_ARGUMENT);
  assert_int_equal(ss_machine_push(machine, work, 0, point, F, tau), SS_OK);
  r.def.force = tau;
  for (int i = 0; i < 10; i++) go(&r, (i + 1)*0.001);
  ss_tree_set_position(work, r.s->q);
  ss_tree_set_velocity(work, r.s->u);
  ss_tree_momentum(work, p, L);
  ss_tree_com(work, end);
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double spin = L[k] - (end[i]*p[j] - end[j]*p[i]);
    double moment = (point[i] - body_origin[i])*F[j] - (point[j] - body_origin[j])*F[i];
    near(p[k], 0.01*F[k], 1e-12, "momentum");
    near(spin, 0.01*moment, 1e-7, "moment of momentum");  // held in the axes of the body, which turns a little
  }
  near(ss_ledger_energy(r.ledger)->work_drive, ss_tree_kinetic(work), 1e-9, "work");
  ss_tree_work_destroy(work);
  stop(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_flight),       cmocka_unit_test(test_friction), cmocka_unit_test(test_as_in_model),
    cmocka_unit_test(test_not_finite), cmocka_unit_test(test_push),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
