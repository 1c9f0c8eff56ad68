// The integrator rattle with text models: order 2 in smooth motion with contacts and constraints, impacts, no overlap.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "text_run.h"

static run load(const char* path, ss_integrator integrator, double dt)
{
  ss_error error = {0};
  run r = {.model = ss_model_load(path, NULL, &error)};
  if (!r.model) fail_msg("%s: %s", path, error.text);
  r.system = ss_model_system(r.model);
  r.s = ss_state_create(r.system);
  r.w = ss_work_create(r.system, &error);
  r.ledger = ss_ledger_create(r.system);
  r.def = ss_model_run(r.model)->step;
  r.def.integrator = integrator;
  r.def.project = SS_PROJECTION_AUTO;
  r.def.dt = dt;
  r.def.account = true;
  ss_model_initial(r.model, r.s);
  return r;
}

static void near(double a, double b, double off)
{
  if (!(fabs(a - b) <= off)) fail_msg("%.12g is not %.12g within %g", a, b, off);
}

// q and u at `until`
static void end_of(const char* path, ss_integrator integrator, double dt, double until, double* z)
{
  run r = load(path, integrator, dt);
  assert_int_equal(ss_simulate(r.system, &r.def, 0, lround(until/dt), r.s, r.w, NULL, NULL), SS_OK);
  for (int i = 0; i < r.s->nv; i++) {
    z[i] = r.s->q[i];
    z[r.s->nv + i] = r.s->u[i];
  }
  stop(&r);
}

#define LADDER SS_SOURCE_DIR "/test/data/rattle/ladder.yaml"

// Both ends slide: gaps stay closed without an impact, forces are those of the smooth motion
static void test_ladder(void** state)
{
  (void)state;
  run r = load(LADDER, SS_RATTLE, 1e-3);
  while (r.s->t < 0.5 - 5e-4) {
    assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_OK);
    ss_ledger_step(r.ledger, r.s, ss_work_info(r.w), NULL);
    for (int i = 0; i < 2; i++) near(ss_work_info(r.w)->contact[i].gap, 0, 1e-14);
  }
  assert_int_equal(ss_ledger_get_counts(r.ledger)->events, 0);
  near(ss_work_info(r.w)->contact[0].force[0], 74.802, 0.002*74.802);
  near(ss_work_info(r.w)->contact[1].force[0], 35.098, 0.002*35.098);
  near(ss_ledger_energy(r.ledger)->loss_normal, 0, 1e-12);
  stop(&r);
}

static void test_order_of_sliding(void** state)
{
  (void)state;
  double exact[6], z[6], coarse = 0, fine = 0;
  end_of(LADDER, SS_EVENT_DRIVEN, 0.5, 0.5, exact);
  end_of(LADDER, SS_RATTLE, 4e-3, 0.5, z);
  for (int i = 0; i < 6; i++) coarse = fmax(coarse, fabs(z[i] - exact[i]));
  end_of(LADDER, SS_RATTLE, 2e-3, 0.5, z);
  for (int i = 0; i < 6; i++) fine = fmax(fine, fabs(z[i] - exact[i]));
  near(coarse/fine, 4, 0.4);
}

// Moving M and constraints: a pendulum in Cartesian coordinates against its angle
static void test_constraint(void** state)
{
  (void)state;
  const char* text = "coordinates: {x: m, y: m}\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
                     "constraints: {rod: (x^2 + y^2 - 1)/2}\ninitial: {x: 1}\n"
                     "run: {dt: %g, until: 1, integrator: rattle}\n";
  double x[2];
  for (int k = 0; k < 2; k++) {
    char own[512];
    snprintf(own, sizeof own, text, k ? 1e-3 : 2e-3);
    run r = start(own);
    while (r.s->t < 1 - 1e-4) {
      assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_OK);
      assert_true(ss_work_info(r.w)->constraint_error <= 1e-14);
      near(r.s->q[0]*r.s->u[0] + r.s->q[1]*r.s->u[1], 0, 1e-13);  // on velocity level
    }
    x[k] = r.s->q[0];
    stop(&r);
  }
  run angle = start("coordinates: {phi: rad}\nkinetic: phi'^2/2\npotential: -9.81*cos(phi)\ninitial: {phi: pi/2}\n"
                    "run: {dt: 1, until: 1, integrator: event, rtol: 1e-12}\n");
  go(&angle, 1);
  double exact = sin(angle.s->q[0]);
  stop(&angle);
  near((x[0] - exact)/(x[1] - exact), 4, 0.2);
}

// A ball that hits the floor has eps times its speed afterwards, never overlaps, and comes to rest
static void test_ball(void** state)
{
  (void)state;
  run r = start("coordinates: {y: m}\nkinetic: y'^2/2\npotential: 9.81*y\ncontacts: {floor: {gap: y, eps_n: 0.5}}\n"
                "initial: {y: 1}\nrun: {dt: 1e-3, until: 2, integrator: rattle}\n");
  double rise = 0;
  while (r.s->t < 2) {
    double before = r.s->u[0];
    assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_OK);
    assert_true(r.s->q[0] >= -1e-15);
    if (rise == 0 && r.s->u[0] > 0) {
      rise = r.s->u[0];
      near(rise, -0.5*before, 1e-12);
    }
  }
  near(rise, 0.5*sqrt(2*9.81), 9.81*1e-3);  // up to what a step adds to the speed
  near(r.s->q[0], 0, 1e-15);
  near(r.s->u[0], 0, 1e-15);
  stop(&r);
}

// The toy goes through its cycle as event-driven steps have it
static void test_woodpecker(void** state)
{
  (void)state;
  double exact[6], z[6];
  end_of("woodpecker", SS_EVENT_DRIVEN, 1e-2, 0.25, exact);
  end_of("woodpecker", SS_RATTLE, 1e-5, 0.25, z);
  for (int i = 0; i < 3; i++) near(z[i], exact[i], 8e-5*(1 + fabs(exact[3 + i])));  // 8 impacts, each up to a step late
}

// A mass on a belt with static and kinetic friction: the same cycle
static void test_static_friction(void** state)
{
  (void)state;
  double exact[2], z[2];
  end_of("belt", SS_EVENT_DRIVEN, 1e-2, 2, exact);
  end_of("belt", SS_RATTLE, 1e-4, 2, z);
  near(z[0], exact[0], 1e-3*(fabs(exact[0]) + 0.1));
}

// Poisson's law: a ball that falls keeps eps of its velocity, as by Newton's
static void test_poisson(void** state)
{
  (void)state;
  double newton[4], poisson[4];
  end_of("ball", SS_RATTLE, 1e-3, 1, newton);
  run r = load("ball", SS_RATTLE, 1e-3);
  r.def.impact = SS_IMPACT_POISSON;
  for (int i = 0; i < 1000; i++) assert_true(ss_step(r.system, &r.def, r.s, r.w) >= 0);
  memcpy(poisson, r.s->q, 2*sizeof(double));
  stop(&r);
  near(poisson[1], newton[1], 1e-3);
}

static void test_refusals(void** state)
{
  (void)state;
  run r = load("ball", SS_RATTLE, 1e-3);
  r.def.project = SS_PROJECTION_ON;
  assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_ERR_ARGUMENT);
  assert_non_null(strstr(ss_work_message(r.w), "rattle"));
  stop(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ladder),     cmocka_unit_test(test_order_of_sliding), cmocka_unit_test(test_constraint),
    cmocka_unit_test(test_ball),       cmocka_unit_test(test_woodpecker),       cmocka_unit_test(test_static_friction),
    cmocka_unit_test(test_poisson),    cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
