// Poisson's law of impacts in the time-stepping integrators.
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

static run start_by(const char* text, ss_integrator integrator, ss_impact_law law)
{
  run r = start(text);
  r.def.integrator = integrator;
  r.def.impact = law;
  return r;
}

static void near(const char* what, double value, double expected, double tol)
{
  if (!(fabs(value - expected) <= tol)) fail_msg("%s = %.12g, expected %.12g", what, value, expected);
}

#define BALL "coordinates: [x, y, a]\nkinetic: (x'^2 + y'^2 + 0.4*a'^2)/2\npotential: 10*y\n"

// Without friction, or where N and T are not coupled, the laws agree: the same bits of motion but for round-off
static void test_ball_as_newton(void** state)
{
  (void)state;
  const char* text = BALL "contacts: {floor: {gap: y, slide: x' + a', mu: 0.2, eps_n: 0.8}}\n"
                          "initial: {y: 0.3, x': 1}\nrun: {dt: 1e-4}\n";
  for (int i = 0; i < 2; i++) {
    run p = start_by(text, (ss_integrator)i, SS_IMPACT_POISSON), n = start_by(text, (ss_integrator)i, SS_IMPACT_NEWTON);
    go(&p, 3);
    go(&n, 3);
    for (int k = 0; k < 3; k++) {
      near("position", p.s->q[k], n.s->q[k], 1e-3);
      near("velocity", p.s->u[k], n.s->u[k], 1e-3);
    }
    assert_true(p.s->q[1] < 1e-3);  // it has come to rest
    assert_int_equal(ss_ledger_get_counts(p.ledger)->impacts, ss_ledger_get_counts(n.ledger)->impacts);
    stop(&p);
    stop(&n);
  }
}

// eps_n = 1: Moreau's rule keeps the energy of a ball exactly, by either law
static void test_elastic_ball_keeps_energy(void** state)
{
  (void)state;
  run r = start_by(BALL "contacts: {floor: {gap: y, slide: x', eps_n: 1}}\ninitial: {y: 1, x': 1}\nrun: {dt: 1e-3}\n",
                SS_MOREAU, SS_IMPACT_POISSON);
  go(&r, 10);
  const ss_energy_ledger* e = ss_ledger_energy(r.ledger);
  near("energy", e->kinetic + e->potential, 10.5, 1e-11);
  assert_true(ss_ledger_get_counts(r.ledger)->impacts >= 10);
  stop(&r);
}

// A superball: gamma_T+ = -nu eps_n eps_t gamma_T-, where Newton's law has -eps_t gamma_T-
static void test_superball(void** state)
{
  (void)state;
  const char* text = BALL "contacts: {floor: {gap: y, slide: x' + a', mu: 0.5, eps_n: 0.9, eps_t: 0.8, nu: 1}}\n"
                          "initial: {y: 1e-5, y': -2, x': 1}\nrun: {dt: 1e-4}\n";
  run p = start_by(text, SS_MOREAU, SS_IMPACT_POISSON), n = start_by(text, SS_MOREAU, SS_IMPACT_NEWTON);
  go(&p, 2e-4);
  go(&n, 2e-4);
  near("Poisson's recoil", p.s->u[0] + p.s->u[2], -0.72, 1e-2);
  near("Newton's recoil", n.s->u[0] + n.s->u[2], -0.8, 1e-2);
  stop(&p);
  stop(&n);
}

// A rod falls on one end. The step in which it hits ends with the velocities of the impact alone, up to order dt.
#define ROD "coordinates: [x, y, a]\nkinetic: (x'^2 + y'^2 + a'^2/3)/2\npotential: 10*y\n" \
            "contacts: {floor: {gap: y - 0.6*sin(a) - 0.8*cos(a), slide: x' + a'*(0.8*cos(a) + 0.6*sin(a)), "

static double rod_error(double dt, ss_impact_law law, const double* expected, double mu, double eps, double v)
{
  char text[600];
  snprintf(text, sizeof text, ROD "mu: %g, eps_n: %g}}\ninitial: {y: 0.8 + 0.1*%.17g, y': -1, x': %g}\n"
           "run: {dt: %.17g}\n", mu, eps, dt, v, dt);
  run r = start_by(text, SS_MOREAU, law);
  go(&r, dt);
  const ss_contact_result* c = ss_work_info(r.w)->contact;
  double error = hypot(c->gamma_after[0] - expected[0], c->gamma_after[1] - expected[1]);
  assert_true(c->Lambda[0] > 0 && c->state != SS_OPEN);
  assert_int_equal(ss_work_info(r.w)->gains_energy, law == SS_IMPACT_NEWTON && v > 0.55);
  stop(&r);
  return error;
}

static void test_rod(void** state)
{
  (void)state;
  const double kane_N[] = {0.9, 0}, kane_P[] = {0.633698630136986, 0}, stick_P[] = {0.997260273972603, 0};
  const double turn_P[] = {0.78848, -0.37664};
  for (double dt = 1e-4; dt > 1e-7; dt /= 10) {
    assert_true(rod_error(dt, SS_IMPACT_NEWTON, kane_N, 0.5, 0.9, 0.6) < 100*dt);
    assert_true(rod_error(dt, SS_IMPACT_POISSON, kane_P, 0.5, 0.9, 0.6) < 100*dt);
    assert_true(rod_error(dt, SS_IMPACT_POISSON, stick_P, 1, 0.8, -0.5) < 100*dt);
    assert_true(rod_error(dt, SS_IMPACT_POISSON, turn_P, 0.2, 0.8, 0.5) < 100*dt);
  }
}

// One end of a flat rod rests, the other hits: Poisson's law throws the resting end up, Newton's does not
static void test_resting_contact_joins(void** state)
{
  (void)state;
  const char* text = "coordinates: [y, a]\nkinetic: (y'^2 + a'^2/3)/2\n"
                     "contacts: {left: {gap: y - sin(a), eps_n: 1}, right: {gap: y + sin(a)}}\n"
                     "initial: {y': -0.5, a': -0.5}\nrun: {dt: 1e-6}\n";
  run p = start_by(text, SS_MOREAU, SS_IMPACT_POISSON), n = start_by(text, SS_MOREAU, SS_IMPACT_NEWTON);
  go(&p, 1e-6);
  go(&n, 1e-6);
  near("left, Poisson", p.s->u[0] - p.s->u[1], 0.5, 1e-5);
  near("right, Poisson", p.s->u[0] + p.s->u[1], 0, 1e-5);
  near("left, Newton", n.s->u[0] - n.s->u[1], 0, 1e-5);
  near("right, Newton", n.s->u[0] + n.s->u[1], 0, 1e-5);
  stop(&p);
  stop(&n);
}

// A pendulum on a bilateral rod hits a wall: the rod stays as long as it is, and the speed is given back
static void test_bilateral(void** state)
{
  (void)state;
  run r = start_by("coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: 10*y\nconstraints: {rod: x^2 + y^2 - 1}\n"
                "contacts: {wall: {gap: x, eps_n: 0.5}}\ninitial: {x: sin(0.5), y: -cos(0.5)}\nrun: {dt: 1e-4}\n",
                SS_MOREAU, SS_IMPACT_POISSON);
  const double rise = 0.25*(1 - cos(0.5));
  double highest = -1;
  bool hit = false;
  while (r.s->t < 1.5) {
    go(&r, r.s->t + r.def.dt);
    hit = hit || ss_work_info(r.w)->contact->Lambda[0] > 0;
    if (hit) highest = fmax(highest, r.s->q[1]);
  }
  assert_true(fabs(hypot(r.s->q[0], r.s->q[1]) - 1) < 1e-12);
  near("height after the impact", 1 + highest, rise, 1e-3);
  stop(&r);
}

static void test_refuses_unknown_law(void** state)
{
  (void)state;
  run r = start_by(BALL, SS_MOREAU, (ss_impact_law)7);
  assert_int_equal(ss_step(r.system, &r.def, r.s, r.w), SS_ERR_ARGUMENT);
  assert_string_equal(ss_work_message(r.w), "there is no such law of impacts");
  stop(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ball_as_newton),
    cmocka_unit_test(test_elastic_ball_keeps_energy),
    cmocka_unit_test(test_superball),
    cmocka_unit_test(test_rod),
    cmocka_unit_test(test_resting_contact_joins),
    cmocka_unit_test(test_bilateral),
    cmocka_unit_test(test_refuses_unknown_law),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
