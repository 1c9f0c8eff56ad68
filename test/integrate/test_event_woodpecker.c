// The woodpecker of Glocker & Studer 2005 by located events: its limit cycle to nine digits, the same by both laws of
// impact, and independent of the tolerance.
#include "run.h"

enum { BEAK, LOWER, UPPER };

static run woodpecker(double rtol, ss_impact_law law)
{
  run r = run_open("woodpecker", 0.5, NULL);
  r.step.integrator = SS_EVENT_DRIVEN;
  r.step.event.rtol = rtol;
  r.step.impact = law;
  run_until(&r, 10);
  return r;
}

// Number of the last event of this contact and kind before the last but one second
static long last_event(const run* r, int contact, ss_event_kind kind)
{
  long found = -1;
  for (long i = 0; i < r->n && r->list[i].event.t < 9; i++)
    if (r->list[i].event.contact == contact && r->list[i].event.kind == kind) found = i;
  assert_true(found >= 0);
  return found;
}

// Nine events, as SB Table 1 tells them for the same toy, in the same order
static void test_cycle(void** state)
{
  (void)state;
  static const struct { int contact; ss_event_kind kind; ss_contact_state before, after; } cycle[] = {
    {BEAK, SS_EVENT_IMPACT, SS_OPEN, SS_OPEN},        {UPPER, SS_EVENT_IMPACT, SS_OPEN, SS_SLIP_POS},
    {UPPER, SS_EVENT_DETACH, SS_SLIP_POS, SS_OPEN},   {LOWER, SS_EVENT_IMPACT, SS_OPEN, SS_OPEN},
    {LOWER, SS_EVENT_IMPACT, SS_OPEN, SS_SLIP_NEG},   {LOWER, SS_EVENT_STICK, SS_SLIP_NEG, SS_STICK},
    {LOWER, SS_EVENT_SLIP, SS_STICK, SS_SLIP_NEG},    {LOWER, SS_EVENT_DETACH, SS_SLIP_NEG, SS_OPEN},
    {UPPER, SS_EVENT_IMPACT, SS_OPEN, SS_OPEN},       {BEAK, SS_EVENT_IMPACT, SS_OPEN, SS_OPEN},
  };
  run r = woodpecker(1e-10, SS_IMPACT_NEWTON);
  long first = last_event(&r, BEAK, SS_EVENT_IMPACT);
  for (int i = 0; i < 10; i++) {
    const ss_event* e = &r.list[first + i].event;
    assert_int_equal(e->contact, cycle[i].contact);
    assert_int_equal(e->kind, cycle[i].kind);
    assert_int_equal(e->state_before, cycle[i].before);
    assert_int_equal(e->state, cycle[i].after);
  }
  expect_near("period", r.list[first + 9].event.t - r.list[first].event.t, 145.976e-3, 5e-6);
  expect_near("fall", r.list[first].q[0] - r.list[first + 9].q[0], 19.444e-3, 5e-6);
  const ss_energy_ledger* e = ss_ledger_energy(r.ledger);
  expect_near("defect", e->defect, 0, 1e-9*e->loss_friction);
  expect_between("residual", ss_ledger_get_counts(r.ledger)->max_residual, 0, 1e-10);
  run_close(&r);
}

// The sleeve leaves the pole when the spring is relaxed: phi_S = phi_M, and it slides.
static void test_detachment(void** state)
{
  (void)state;
  run r = woodpecker(1e-10, SS_IMPACT_NEWTON);
  const seen* s = &r.list[last_event(&r, LOWER, SS_EVENT_DETACH)];
  double M = r.list[last_event(&r, LOWER, SS_EVENT_DETACH)].q[1];
  expect_near("phi_S - phi_M", s->q[2] - M, 0, 1e-6);
  run_close(&r);
}

static void expect_same_events(const run* a, const run* b, double tol)
{
  assert_int_equal(a->n, b->n);
  for (long i = 0; i < a->n; i++) {
    assert_int_equal(a->list[i].event.kind, b->list[i].event.kind);
    expect_near("event", a->list[i].event.t, b->list[i].event.t, tol);
  }
}

// 68 cycles: event times agree to 1e-7 s where rtol differs by 1000, to 1e-9 s where the law of impact does.
static void test_agreement(void** state)
{
  (void)state;
  run coarse = woodpecker(1e-8, SS_IMPACT_NEWTON), fine = woodpecker(1e-11, SS_IMPACT_NEWTON);
  run newton = woodpecker(1e-10, SS_IMPACT_NEWTON), poisson = woodpecker(1e-10, SS_IMPACT_POISSON);
  expect_same_events(&coarse, &fine, 1e-7);
  expect_same_events(&newton, &poisson, 1e-9);
  run_close(&coarse);
  run_close(&fine);
  run_close(&newton);
  run_close(&poisson);
}

// The event of this kind at this contact that is nearest in time
static double nearest(const run* r, const ss_event* e)
{
  double best = INFINITY;
  for (long i = 0; i < r->n; i++) {
    const ss_event* f = &r->list[i].event;
    if (f->contact == e->contact && f->kind == e->kind && fabs(f->t - e->t) < fabs(best - e->t)) best = f->t;
  }
  return best;
}

// Time-stepping converges to it: every event of the first second within 0.3 ms at dt = 1e-5 s.
static void test_moreau_converges(void** state)
{
  (void)state;
  run exact = run_open("woodpecker", 0.1, NULL), moreau = run_open("woodpecker", 1e-5, NULL);
  exact.step.integrator = SS_EVENT_DRIVEN;
  run_until(&exact, 1);
  run_until(&moreau, 1);
  assert_int_equal(exact.n, 63);
  for (long i = 0; i < exact.n; i++) {
    const ss_event* e = &exact.list[i].event;
    expect_near(ss_event_kind_text(e->kind), nearest(&moreau, e), e->t, 3e-4);
  }
  run_close(&exact);
  run_close(&moreau);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cycle),
    cmocka_unit_test(test_detachment),
    cmocka_unit_test(test_agreement),
    cmocka_unit_test(test_moreau_converges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
