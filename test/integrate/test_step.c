// One step and many: constraints, projection, activity, failure, energy balance of driven systems.
#include "text_run.h"
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

// A pendulum in Cartesian coordinates with a bilateral constraint (given twice: redundant) against the same in its
// angle
static double cartesian_error(double dt)
{
  char text[600];
  snprintf(text, sizeof text,
           "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
           "constraints: {rod: x^2 + y^2 - 1, again: 2*x^2 + 2*y^2 - 2}\n"
           "initial: {x: sin(1), y: -cos(1)}\nrun: {dt: %.17g}\n", dt);
  run a = start(text);
  run b = start("coordinates: [phi]\nkinetic: phi'^2/2\npotential: -9.81*cos(phi)\ninitial: {phi: 1}\n"
                "run: {dt: 1e-4}\n");
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
  assert_true(e2 < 4e-6);
  assert_true(order > 1.9 && order < 2.1);
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
  run r = start("coordinates: [x]\nkinetic: x'^2/2\ncontacts: {belt: {slide: \"x' - 2\", bound: 3}}\n"
                "run: {dt: 1e-3}\n");
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
  projected.def.project = SS_PROJECTION_ON;
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

// One step of three masses that have nothing to do with each other: x is pulled back, y moves on, z rests
static void expect_losses(const char* contacts, double normal, double friction, bool gains)
{
  char text[800];
  snprintf(text, sizeof text, "coordinates: [x, y, z]\nkinetic: (x'^2 + y'^2 + z'^2)/2\npotential: 20*x + 10*z\n"
           "contacts: {%s}\ninitial: {x': 1.2, y': -3}\nrun: {dt: 0.1}\n", contacts);
  run r = start(text);
  go(&r, 0.1);
  const ss_step_info* info = ss_work_info(r.w);
  if (!(fabs(info->loss_normal - normal) < 1e-13 && fabs(info->loss_friction - friction) < 1e-13))
    fail_msg("%s: lost %.17g by normal impulses, not %.17g, and %.17g by friction, not %.17g", contacts,
             info->loss_normal, normal, info->loss_friction, friction);
  if (info->gains_energy != gains) fail_msg("%s: gains_energy is %d", contacts, info->gains_energy);
  stop(&r);
}

// Sliding that turns around within a step: x' from 1.2 by -2 of the pull and 0.1 of friction to -0.7, so that friction
// seems to give 0.1*0.25. Of a contact it stands with its normal impulse, of a friction element nowhere, whatever else
// there is: neither y against a stop, which takes 9/2, nor friction of y, which takes 0.1*(3 + 2.9)/2, changes it.
static void test_losses_of_parts(void** state)
{
  (void)state;
#define ELEMENT "f: {slide: x', bound: 1}"
#define CONTACT "c: {gap: z, slide: x', bound: 1}"
#define HITS "b: {gap: y}"
#define SLIDES "s: {slide: y', bound: 1}"
  expect_losses(HITS, 4.5, 0, false);
  expect_losses(SLIDES, 0, 0.295, false);
  expect_losses(ELEMENT, 0, 0, true);
  expect_losses(ELEMENT ", " HITS, 4.5, 0, false);
  expect_losses(ELEMENT ", " SLIDES, 0, 0.295, false);
  expect_losses(CONTACT, -0.025, 0, true);
  expect_losses(CONTACT ", " HITS, 4.475, 0, false);
  expect_losses(CONTACT ", " SLIDES, -0.025, 0.295, false);
#undef ELEMENT
#undef CONTACT
#undef HITS
#undef SLIDES
}

// Appends to the text of a model
static void put(char* text, size_t size, const char* format, ...)
{
  size_t at = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + at, size - at, format, args);
  va_end(args);
}

// A stack of n blocks at rest: neighbours fall together, so that nothing but round-off moves them apart
static void check_stack(int n, ss_integrator integrator, ss_projection project)
{
  char text[4000] = "parameters: {g: 9.81}\ncoordinates: [";
  for (int i = 0; i < n; i++) put(text, sizeof text, "%sy%d", i ? ", " : "", i);
  put(text, sizeof text, "]\nkinetic: ");
  for (int i = 0; i < n; i++) put(text, sizeof text, "%s%d.3*y%d'^2/2", i ? " + " : "", i + 1, i);
  put(text, sizeof text, "\npotential: g*(");
  for (int i = 0; i < n; i++) put(text, sizeof text, "%s%d.3*y%d", i ? " + " : "", i + 1, i);
  put(text, sizeof text, ")\ncontacts:\n  c0: {gap: y0}\n");
  for (int i = 1; i < n; i++) put(text, sizeof text, "  c%d: {gap: y%d - y%d - 0.1}\n", i, i, i - 1);
  put(text, sizeof text, "initial: {");
  for (int i = 0; i < n; i++) put(text, sizeof text, "%sy%d: %d*0.1", i ? ", " : "", i, i);
  put(text, sizeof text, "}\nrun: {dt: 1e-3}\n");
  run r = start(text);
  r.def.integrator = integrator;
  r.def.project = project;
  go(&r, 5);
  long events = ss_ledger_get_counts(r.ledger)->events;
  if (events) fail_msg("%d blocks at rest, %s, projection %s: %ld events", n, ss_integrator_name(integrator),
                       ss_projection_name(project), events);
  for (int i = 0; i < n; i++) assert_true(fabs(r.s->q[i] - 0.1*i) < 1e-3);
  stop(&r);
}

static void test_stacks_rest(void** state)
{
  (void)state;
  for (ss_projection project = 0; project < SS_PROJECTION_COUNT; project++) {
    check_stack(3, SS_MOREAU, project);
    check_stack(12, SS_MOREAU, project);
    check_stack(3, SS_EULER, project);
    check_stack(12, SS_EULER, project);
  }
}

// Constraints that cannot be held are reported, not left behind in silence
static void test_lost_constraints(void** state)
{
  (void)state;
  run r = start("coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\n"
                "constraints: {circle: x^2 + y^2 - 1, pull: x - 2*t}\ninitial: {y: 1, x': 2}\nrun: {dt: 1e-3}\n");
  go(&r, 0.4);  // x = 0.8: possible
  assert_true(ss_work_info(r.w)->constraint_error < 1e-12);
  ss_status st = SS_OK;
  while (r.s->t < 0.6 && st == SS_OK) st = ss_step(r.system, &r.def, r.s, r.w);
  assert_int_not_equal(st, SS_OK);  // x > 1 is not
  assert_true(r.s->t < 0.52);
  stop(&r);

  r = start("coordinates: [x]\nkinetic: x'^2/2\nconstraints: {a: x, b: x - 1}\nrun: {dt: 1e-3}\n");
  assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_INACCURATE);
  assert_true(ss_work_info(r.w)->constraint_error > 0.4);
  stop(&r);
}

// A contact whose normal direction the constraints already hold carries nothing, and its friction stops nobody
static void test_contact_held_by_constraint(void** state)
{
  (void)state;
  run r = start("coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\nconstraints: {rail: y}\n"
                "contacts: {floor: {gap: y, slide: x', mu: 0.15}}\ninitial: {x': 1}\nrun: {dt: 1e-3}\n");
  go(&r, 1);
  assert_true(fabs(r.s->u[0] - 1) < 1e-12);
  assert_true(fabs(ss_work_info(r.w)->contact[0].Lambda[0]) < 1e-12);
  assert_true(fabs(ss_work_info(r.w)->Lambda_bilateral[0] - 9.81e-3) < 1e-12);
  stop(&r);
}

// A pendulum in Cartesian coordinates (bilateral) that bounces off a wall (contact) with e = 1 loses no energy and
// swings
// with the period of the free pendulum, one impact in each half
static void test_constraint_and_impact(void** state)
{
  (void)state;
  run r = start("coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\nconstraints: {rod: x^2 + y^2 - 1}\n"
                "contacts: {wall: {gap: x, eps_n: 1}}\ninitial: {x: sin(0.5), y: -cos(0.5)}\nrun: {dt: 1e-4}\n");
  go(&r, 10);
  const ss_energy_ledger* e = ss_ledger_energy(r.ledger);
  double change = e->kinetic + e->potential + 9.81*cos(0.5);
  if (fabs(change) > 1e-4) fail_msg("the energy changed by %g J", change);
  assert_true(fabs(hypot(r.s->q[0], r.s->q[1]) - 1) < 1e-13);
  assert_true(r.s->q[0] > -1e-3);
  double T = 2*acos(-1)/sqrt(9.81)*(1 + 0.25/16 + 11*0.0625/3072);  // series of the elliptic integral
  assert_int_equal(ss_ledger_get_counts(r.ledger)->impacts, (long)((10 - T/4)/(T/2)) + 1);
  stop(&r);
}

// Tangential restitution: a superball (J = 2/5 m R^2) that does not slide reverses its contact velocity by eps_t
static void test_tangential_restitution(void** state)
{
  (void)state;
  run r = start("parameters: {m: 1, R: 0.05}\ncoordinates: [x, y, phi]\nkinetic: m/2*(x'^2 + y'^2) + m*R^2/5*phi'^2\n"
                "contacts: {floor: {gap: y, slide: x' + R*phi', mu: 2, eps_n: 0.9, eps_t: 0.6}}\n"
                "initial: {y: 1e-6, x': 1, y': -3, phi': 10}\nrun: {dt: 1e-4}\n");
  double slide = r.s->u[0] + 0.05*r.s->u[2], spin = 0.05*r.s->u[0] - 0.4*0.0025*r.s->u[2];  // about the contact point
  go(&r, 2e-4);
  assert_true(fabs(r.s->u[0] + 0.05*r.s->u[2] + 0.6*slide) < 1e-12);
  assert_true(fabs(r.s->u[1] - 2.7) < 1e-12);
  assert_true(fabs(0.05*r.s->u[0] - 0.4*0.0025*r.s->u[2] - spin) < 1e-13);
  stop(&r);
}

// Kane's paradox: with friction, Newton's law creates energy in some oblique impacts of a rod; that is counted
static void test_energy_gain_is_counted(void** state)
{
  (void)state;
  run r = start("parameters: {m: 1, l: 1}\ncoordinates: [x, y, theta]\nkinetic: m/2*(x'^2 + y'^2) + m*l^2/24*theta'^2\n"
                "contacts: {tip: {gap: y - l/2*sin(theta), slide: x' + l/2*sin(theta)*theta', mu: 0.88, eps_n: 0.9}}\n"
                "initial: {y: 0.5*sin(0.788) + 1e-5, theta: 0.788, x': 0.0355, y': -1.058, theta': 4.639}\n"
                "run: {dt: 1e-4}\n");
  const double before = 0.5*(0.0355*0.0355 + 1.058*1.058) + 4.639*4.639/24;
  go(&r, 3e-4);
  const ss_energy_ledger* e = ss_ledger_energy(r.ledger);
  print_message("impact of a rod: %.6f J before, %.6f J after\n", before, e->kinetic);
  assert_int_equal(ss_ledger_get_counts(r.ledger)->impacts, 1);
  assert_true(e->kinetic > before);
  assert_int_equal(ss_ledger_get_counts(r.ledger)->energy_gain, 1);
  stop(&r);
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
  assert_string_equal(ss_work_message(r.w), "the acceleration of 'x' is not finite at t = 0.625: a force is not, or "
                                              "the motion diverges; is dt too large?");
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
  ss_work *wa = ss_work_create(system, &error), *wb = ss_work_create(system, &error), *wc = ss_work_create(system,
                                                                                                           &error);
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
    cmocka_unit_test(test_losses_of_parts), cmocka_unit_test(test_projection), cmocka_unit_test(test_stacks_rest),
    cmocka_unit_test(test_lost_constraints), cmocka_unit_test(test_contact_held_by_constraint),
    cmocka_unit_test(test_constraint_and_impact), cmocka_unit_test(test_tangential_restitution),
    cmocka_unit_test(test_energy_gain_is_counted), cmocka_unit_test(test_euler), cmocka_unit_test(test_failure),
    cmocka_unit_test(test_split_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
