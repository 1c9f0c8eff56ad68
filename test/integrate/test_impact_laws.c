// Impact laws as settings of a run: hits one by one, restitution limited by energy; and what compliant models say.
#include "integrate/run.h"

static run open_with(const char* name, const ss_override* set, ss_integrator integrator, double dt)
{
  run r = run_open(name, dt, set);
  r.step.integrator = integrator;
  return r;
}

static void expect_speeds(const run* r, double v1, double v2, double v3, double tol)
{
  expect_near("v1", r->state->u[0], v1, tol);
  expect_near("v2", r->state->u[1], v2, tol);
  expect_near("v3", r->state->u[2], v3, tol);
}

// Masses that touch behave as nearly touching ones, by steps and by events
static void test_one_by_one(void** state)
{
  (void)state;
  for (int k = 0; k < 3; k++) {
    run r = open_with("three-masses", NULL, (ss_integrator[]){SS_MOREAU, SS_JEAN, SS_EVENT_DRIVEN}[k], 1e-3);
    r.step.order = SS_IMPACTS_SEQUENTIAL;
    run_until(&r, 1);
    expect_speeds(&r, 0, 0, 1, 1e-13);
    run_close(&r);
  }
}

// Springs instead: the ratio of their stiffness leads from one rigid answer to the other, their size does not matter
static void test_springs(void** state)
{
  static const struct { const char *k, *lg; double v[3], tol; } cases[] = {
    {"1e6", "-8", {-1.0/3, 2.0/3, 2.0/3}, 1e-7},
    {"1e6", "8", {0, 0, 1}, 1e-6},
    {"1e4", "0", {-0.130261694, 0.15022957, 0.980032124}, 1e-8},
    {"1e8", "0", {-0.130261694, 0.15022957, 0.980032124}, 1e-8},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    const ss_override set[] = {{"k", cases[i].k}, {"lg", cases[i].lg}, {0}};
    run r = open_with("three-masses-springs", set, SS_EVENT_DRIVEN, 1e-3);
    run_until(&r, 0.5);
    expect_speeds(&r, cases[i].v[0], cases[i].v[1], cases[i].v[2], cases[i].tol);
    run_close(&r);
  }
}

// The impulse of a contact in the first step
static double first_impulse(const char* name, const ss_override* set, int contact, double* speed)
{
  run r = open_with(name, set, SS_EVENT_DRIVEN, 1e-6);
  assert_true(ss_step(r.system, &r.step, r.state, r.work) >= 0);
  const ss_contact_result* c = &ss_work_info(r.work)->contact[contact];
  double Lambda = c->Lambda[0];
  *speed = c->gamma_after[0];
  run_close(&r);
  return Lambda;
}

// The struck rod, rigid: nothing at D, which leaves. Bent by a torsion spring, whatever its stiffness:
//   Lambda_D = alpha m2 (c - a)/6,  alpha = ms a v0/(d.M d),  d the only motion that B and D allow
static void test_rod(void** state)
{
  const double m1 = 0.65, m2 = 0.35, a = 0.3, c = 0.65, ms = 0.1, p = c - a;
  double dMd = m1*((p - c/2)*(p - c/2) + c*c/12) + m2*(p*p/4 + p*p/12) + ms*a*a, speed;
  (void)state;
  expect_near("rigid", first_impulse("rod-strike", NULL, 2, &speed), 0, 0);
  assert_true(speed > 0.1);
  const char* const k[] = {"1", "1e4", "1e8"};
  for (int i = 0; i < 3; i++) {
    const ss_override set[] = {{"k", k[i]}, {0}};
    expect_near("spring", first_impulse("rod-strike-spring", set, 2, &speed), ms*a/dMd*m2*p/6, 1e-15);
  }
}

// Kane's paradox. T after the impact by Newton's law: the normal velocity is -e times that before, friction at its
// limit; computed by hand for rods at 20 and 30 degrees
static void test_kane(void** state)
{
  (void)state;
  const double before = 0.0231814108635;
  for (int k = 0; k < 2; k++) {
    ss_integrator by = k ? SS_MOREAU : SS_EVENT_DRIVEN;
    double tol = k ? 1e-6 : 1e-12, dt = k ? 1e-6 : 1e-3, until = k ? 1e-5 : 1e-3;
    run r = open_with("kane", NULL, by, dt);
    run_until(&r, until);
    expect_near("Newton", ss_ledger_energy(r.ledger)->kinetic, 0.0639253154169, tol);
    assert_int_equal(ss_ledger_get_counts(r.ledger)->energy_gain, 1);
    run_close(&r);
    r = open_with("kane", NULL, by, dt);
    r.step.energy_limited = true;
    run_until(&r, until);
    expect_near("limited", ss_ledger_energy(r.ledger)->kinetic, before, tol);
    if (!k) assert_int_equal(ss_ledger_get_counts(r.ledger)->energy_gain, 0);  // a step has finite forces besides
    run_close(&r);
    r = open_with("kane", NULL, by, dt);
    r.step.impact = SS_IMPACT_POISSON;
    run_until(&r, until);
    assert_true(ss_ledger_energy(r.ledger)->kinetic < 0.6*before);
    run_close(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_by_one), cmocka_unit_test(test_springs),
                                     cmocka_unit_test(test_rod), cmocka_unit_test(test_kane)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
