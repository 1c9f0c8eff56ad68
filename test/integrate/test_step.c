// One step and many: constraints, projection, activity, failure, energy balance of driven systems.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

typedef struct run {
  ss_model* model;
  const ss_system* system;
  ss_state* s;
  ss_work* w;
  ss_ledger* ledger;
  ss_step_def def;
} run;

static run start(const char* text)
{
  ss_error error = {0};
  run r = {.model = ss_model_parse(text, strlen(text), "test", NULL, &error)};
  if (!r.model) fail_msg("%d:%d: %s", error.line, error.column, error.text);
  r.system = ss_model_system(r.model);
  r.s = ss_state_create(r.system);
  r.w = ss_work_create(r.system, &error);
  r.ledger = ss_ledger_create(r.system);
  r.def = ss_model_run(r.model)->step;
  r.def.account = true;
  ss_model_initial(r.model, r.s);
  return r;
}

static void go(run* r, double until)
{
  while (r->s->t < until - r->def.dt/2) {
    ss_status st = ss_step(r->system, &r->def, r->s, r->w);
    if (st != SS_OK) fail_msg("t = %g: %s: %s", r->s->t, ss_status_text(st), ss_work_message(r->w));
    ss_ledger_step(r->ledger, r->s, ss_work_info(r->w), NULL);
  }
}

static void stop(run* r)
{
  ss_ledger_destroy(r->ledger);
  ss_work_destroy(r->w);
  ss_state_destroy(r->s);
  ss_model_destroy(r->model);
}

// A pendulum in Cartesian coordinates with a bilateral constraint (given twice: redundant) against the same in its angle
static double cartesian_error(double dt)
{
  char text[600];
  snprintf(text, sizeof text,
           "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
           "constraints: {rod: x^2 + y^2 - 1, again: 2*x^2 + 2*y^2 - 2}\n"
           "initial: {x: sin(1), y: -cos(1)}\nrun: {dt: %.17g}\n", dt);
  run a = start(text);
  run b = start("coordinates: [phi]\nkinetic: phi'^2/2\npotential: -9.81*cos(phi)\ninitial: {phi: 1}\nrun: {dt: 1e-4}\n");
  go(&a, 2);
  go(&b, 2);
  double error = hypot(a.s->q[0] - sin(b.s->q[0]), a.s->q[1] + cos(b.s->q[0]));
  assert_true(fabs(hypot(a.s->q[0], a.s->q[1]) - 1) < 1e-13);  // the projection keeps the rod's length
  assert_true(ss_work_info(a.w)->residual < 1e-12);
  stop(&a);
  stop(&b);
  return error;
}

static void test_bilateral_pendulum(void** state)
{
  (void)state;
  double e1 = cartesian_error(4e-3), e2 = cartesian_error(2e-3), order = log2(e1/e2);
  print_message("Cartesian pendulum: errors %.3g, %.3g, order %.2f\n", e1, e2, order);
  assert_true(e2 < 2e-3);
  assert_true(order > 0.8);
}

// The force in the rod is the impulse over dt: m (g cos(phi) + l phi'^2), here with W = (2x, 2y), so half of it
static void test_constraint_force(void** state)
{
  (void)state;
  run r = start("coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
                "constraints: {rod: x^2 + y^2 - 1}\ninitial: {y: -1, x': 0.5}\nrun: {dt: 1e-5}\n");
  go(&r, 1e-5);
  double force = ss_work_info(r.w)->Lambda_bilateral[0]/1e-5*2;
  if (fabs(fabs(force) - (9.81 + 0.25)) > 1e-4) fail_msg("force in the rod: %.8g, expected %.8g", force, 9.81 + 0.25);
  stop(&r);
}

// Energy balance of systems that are driven in every way. The defect is the method's error: second order, but first
// where forces depend on the rates, which the rule takes from the start of the step (h(q_M, u_A, t_M)).
static void check_balance(const char* text, double until, int order)
{
  double defect[2];
  for (int i = 0; i < 2; i++) {
    run r = start(text);
    r.def.dt = i ? 5e-4 : 1e-3;
    go(&r, until);
    const ss_energy_ledger* e = ss_ledger_energy(r.ledger);
    assert_true(fabs(e->work_forces) + fabs(e->work_drive) > 0.01);  // something was driven
    defect[i] = fabs(e->defect);
    stop(&r);
  }
  double measured = log2(defect[0]/defect[1]);
  print_message("defect %.3g at dt 1e-3, %.3g at dt 5e-4: order %.2f\n", defect[0], defect[1], measured);
  if (fabs(measured - order) > 0.2) fail_msg("order %.2f, expected %d", measured, order);
}

static void test_energy_balance(void** state)
{
  (void)state;
  // damping and a force in time
  check_balance("coordinates: [x]\nkinetic: x'^2/2\npotential: 8*x^2\ndamping: 0.3*x'^2\nforces: {x: 3*cos(2*t)}\n"
                "initial: {x: 1}\n", 3, 1);
  // a pendulum whose support moves: T depends on t, linear terms in the rate
  check_balance("coordinates: [phi]\ndefinitions: {x: 0.4*sin(3*t) + sin(phi), y: -cos(phi)}\n"
                "kinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\ninitial: {phi: 0.3}\n", 3, 2);
  // a bead on a rod turning at constant speed: no explicit t, yet a motor does work
  check_balance("coordinates: [r]\nkinetic: (r'^2 + r^2*4)/2\npotential: 20*(r - 1)^2\ninitial: {r: 1.5}\n", 3, 2);
  // a spring whose stiffness changes: V depends on t
  check_balance("coordinates: [x]\nkinetic: x'^2/2\npotential: (5 + 2*sin(t))*x^2\ninitial: {x: 1}\n", 3, 2);
}

// A block that a belt drags along: the drive's work is friction force times belt speed
static void test_belt_work(void** state)
{
  (void)state;
  run r = start("coordinates: [x]\nkinetic: x'^2/2\ncontacts: {belt: {slide: \"x' - 2\", bound: 3}}\nrun: {dt: 1e-3}\n");
  go(&r, 0.5);  // accelerates at 3 m/s^2, does not reach 2 m/s
  const ss_energy_ledger* e = ss_ledger_energy(r.ledger);
  assert_true(fabs(r.s->u[0] - 1.5) < 1e-12);
  assert_true(fabs(e->work_drive - 3*2*0.5) < 1e-12);
  assert_true(fabs(e->loss_friction - 3*(2*0.5 - 0.375)) < 1e-12);
  assert_true(fabs(e->defect) < 1e-13);
  stop(&r);
}

// A table that moves up carries the block: w_hat of the normal direction
static void test_moving_gap(void** state)
{
  (void)state;
  run r = start("coordinates: [y]\nkinetic: y'^2/2\npotential: 9.81*y\ncontacts: {table: {gap: y - 0.5*t}}\n"
                "initial: {y': 0.5}\nrun: {dt: 1e-3}\n");
  go(&r, 1);
  assert_true(fabs(r.s->u[0] - 0.5) < 1e-13);
  const ss_energy_ledger* e = ss_ledger_energy(r.ledger);
  assert_true(fabs(e->work_drive - 9.81*0.5) < 1e-9);  // the table lifts 1 kg by half a metre
  stop(&r);
}

// Restitution 0 leaves a penetration of order dt; the projection removes it and accounts for the lift
static void test_projection(void** state)
{
  (void)state;
  const char* text = "coordinates: [y]\nkinetic: y'^2/2\npotential: 9.81*y\ncontacts: {floor: {gap: y}}\n"
                     "initial: {y: 1}\nrun: {dt: 1e-3}\n";
  run plain = start(text), projected = start(text);
  projected.def.project = true;
  go(&plain, 1);
  go(&projected, 1);
  assert_true(plain.s->q[0] < -1e-5 && plain.s->q[0] > -5e-3);
  assert_true(fabs(projected.s->q[0] + 9.81*1e-6) < 1e-15);  // what a free body falls in a step stays: dt^2 g
  assert_int_equal(ss_work_info(projected.w)->contact[0].state, SS_CLOSED);  // rests, does not flicker
  assert_int_equal(ss_ledger_get_counts(projected.ledger)->impacts, 1);
  const ss_energy_ledger* e = ss_ledger_energy(projected.ledger);
  assert_true(e->work_projection > 0);
  assert_true(fabs(e->defect) < 1e-12);
  stop(&plain);
  stop(&projected);
}

// euler gives no restitution to a contact that separates; both integrators reverse an approach
static void test_euler(void** state)
{
  (void)state;
  run r = start("coordinates: [y]\nkinetic: y'^2/2\npotential: 9.81*y\ncontacts: {floor: {gap: y, eps_n: 0.5}}\n"
                "initial: {y: 1e-5, y': -2}\nrun: {dt: 1e-3, integrator: euler}\n");
  go(&r, 1e-3);
  assert_true(fabs(r.s->u[0] - 1) < 1e-12);
  r.s->q[0] = -1e-3;  // penetrating and separating slowly: may be stopped, never pushed back in
  r.s->u[0] = 1e-4;
  go(&r, 2e-3);
  assert_true(r.s->u[0] >= 0);
  stop(&r);
}

// A failed step leaves the state as it was and says why
static void test_failure(void** state)
{
  (void)state;
  run r = start("coordinates: [x]\nkinetic: x'^2/2\nforces: {x: sqrt(0.5 - t)}\nrun: {dt: 0.25}\n");
  go(&r, 0.5);
  double q = r.s->q[0], u = r.s->u[0];
  assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_ERR_NUMERIC);
  assert_string_equal(ss_work_message(r.w), "a force is not finite at t = 0.625");
  assert_true(r.s->q[0] == q && r.s->u[0] == u && r.s->t == 0.5);
  r.def.dt = -1;
  assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_ERR_ARGUMENT);
  r.def.dt = NAN;
  assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_ERR_ARGUMENT);
  stop(&r);
}

// A run split in two equals the whole run, bit for bit
static void test_split_run(void** state)
{
  (void)state;
  ss_error error = {0};
  ss_model* m = ss_model_load("woodpecker", NULL, &error);
  const ss_system* system = ss_model_system(m);
  ss_step_def def = ss_step_def_default();
  ss_state *a = ss_state_create(system), *b = ss_state_create(system);
  ss_work *wa = ss_work_create(system, &error), *wb = ss_work_create(system, &error), *wc = ss_work_create(system, &error);
  ss_model_initial(m, a);
  ss_model_initial(m, b);
  assert_int_equal(ss_simulate(system, &def, 0, 20000, a, wa, NULL, NULL), SS_OK);
  assert_int_equal(ss_simulate(system, &def, 0, 7001, b, wb, NULL, NULL), SS_OK);
  assert_int_equal(ss_simulate(system, &def, 0, 20000, b, wc, NULL, NULL), SS_OK);
  assert_memory_equal(a->q, b->q, 3*sizeof(double));
  assert_memory_equal(a->u, b->u, 3*sizeof(double));
  assert_true(a->t == b->t);
  ss_work_destroy(wa);
  ss_work_destroy(wb);
  ss_work_destroy(wc);
  ss_state_destroy(a);
  ss_state_destroy(b);
  ss_model_destroy(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bilateral_pendulum), cmocka_unit_test(test_constraint_force),
    cmocka_unit_test(test_energy_balance), cmocka_unit_test(test_belt_work), cmocka_unit_test(test_moving_gap),
    cmocka_unit_test(test_projection), cmocka_unit_test(test_euler), cmocka_unit_test(test_failure),
    cmocka_unit_test(test_split_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
