// States to start from that do not fit: they are put right in the first step, and booked as projection.
#include "run.h"

static const char rod[] =
  "coordinates: {x: m, y: m}\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
  "constraints: {rod: sqrt(x^2 + y^2) - 1}\ninitial: {x: %s, x': %s, y': 0.5}\n";

static run start(const char* x, const char* rate, ss_integrator integrator)
{
  char text[400];
  snprintf(text, sizeof text, rod, x, rate);
  run r = run_parse(text, 1e-4);
  r.step.integrator = integrator;
  return r;
}

// A velocity along a rigid rod: 2 m/s are lost, T = 2 J, by all integrators, and they are no defect.
static void test_velocity(void** state)
{
  (void)state;
  for (int i = 0; i < SS_INTEGRATOR_COUNT; i++) {
    run r = start("1", "2", (ss_integrator)i), right = start("1", "0", (ss_integrator)i);
    run_until(&r, 0.1);
    run_until(&right, 0.1);
    const ss_energy_ledger *e = ss_ledger_energy(r.ledger), *f = ss_ledger_energy(right.ledger);
    double tol = i == SS_EVENT_DRIVEN ? 1e-9 : 2e-3;  // time-stepping goes along the rod for part of a step
    expect_near("taken out", e->work_projection - f->work_projection, -2, tol);
    expect_near("defect", e->defect - f->defect, 0, tol);
    expect_near("x", r.state->q[0], right.state->q[0], i == SS_EVENT_DRIVEN ? 1e-10 : 1e-3);
    run_close(&r);
    run_close(&right);
  }
}

// A rod that is 0.1 m too long where it starts has its length after the first step.
static void test_position(void** state)
{
  (void)state;
  run r = start("1.1", "0", SS_EVENT_DRIVEN);
  run_step(&r);
  expect_near("length", hypot(r.state->q[0], r.state->q[1]), 1, 1e-12);
  expect_near("defect", ss_ledger_energy(r.ledger)->defect, 0, 1e-10);
  run_close(&r);
}

static void test_overlap(void** state)
{
  (void)state;
  run r = run_parse("coordinates: {y: m}\nkinetic: y'^2/2\npotential: 9.81*y\ncontacts: {floor: {gap: y}}\n"
                    "initial: {y: -0.25}\n", 1e-3);
  r.step.integrator = SS_EVENT_DRIVEN;
  run_step(&r);
  expect_near("penetration", ss_ledger_get_counts(r.ledger)->max_penetration, 0.25, 0);
  expect_near("lifted", ss_ledger_energy(r.ledger)->work_projection, 9.81*0.25, 1e-12);
  expect_near("defect", ss_ledger_energy(r.ledger)->defect, 0, 1e-12);
  run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_velocity), cmocka_unit_test(test_position), cmocka_unit_test(test_overlap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
