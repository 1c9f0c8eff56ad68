// The woodpecker with four degrees of freedom: the sequence of Slavic & Boltezar 2006, Table 1, and Newton's cycle,
// which is another one.
#include "run.h"

enum { BEAK, LL, LR, UL, UR };

static run woodpecker(ss_impact_law law, double until)
{
  run r = run_open("woodpecker4", 0.5, NULL);
  r.step.impact = law;
  run_until(&r, until);
  return r;
}

// Number of the first event of this contact and kind, after `after` and with a normal speed of approach of at least v
static long next(const run* r, long after, int contact, ss_event_kind kind, double v)
{
  for (long i = after + 1; i < r->n; i++) {
    const ss_event* e = &r->list[i].event;
    if (e->contact == contact && e->kind == kind && -e->gamma_before[0] >= v) return i;
  }
  fail_msg("no event %s of contact %d after event %ld", ss_event_kind_text(kind), contact, after);
  return -1;
}

// Table 1, right: every event that it lists, in its order, within 2 ms. Between them are the impacts in ever shorter
// time by which LR and UL come to rest (line 3), and second, softer impacts of LL, UL and UR.
static void test_table_1(void** state)
{
  (void)state;
  static const struct { double ms; int contact; ss_event_kind kind; double v; } table[] = {
    {14.2, LR, SS_EVENT_DETACH, 0},  {14.2, UL, SS_EVENT_IMPACT, 0.1},  {22.8, LR, SS_EVENT_IMPACT, 0.1},
    {47.4, LR, SS_EVENT_STICK, 0},   {91.2, LR, SS_EVENT_SLIP, 0},      {95.4, LR, SS_EVENT_DETACH, 0},
    {95.4, UL, SS_EVENT_DETACH, 0},  {105.4, LL, SS_EVENT_IMPACT, 0.1}, {111.2, BEAK, SS_EVENT_IMPACT, 0.1},
    {123.2, LL, SS_EVENT_DETACH, 0}, {134.8, UR, SS_EVENT_IMPACT, 0},   {138.8, LR, SS_EVENT_IMPACT, 0.1},
  };
  run r = woodpecker(SS_IMPACT_POISSON, 0.5);
  long first = next(&r, next(&r, -1, BEAK, SS_EVENT_IMPACT, 0), LR, SS_EVENT_IMPACT, 0.1), at = first;
  for (size_t i = 0; i < sizeof table/sizeof *table; i++) {
    double t;
    do {  // of several impacts the one that the table means
      at = next(&r, at, table[i].contact, table[i].kind, table[i].v);
      t = 1e3*(r.list[at].event.t - r.list[first].event.t);
    } while (t < table[i].ms - 2);
    expect_near(ss_event_kind_text(table[i].kind), t, table[i].ms, 2);
  }
  expect_near("period, ms", 1e3*(r.list[at].event.t - r.list[first].event.t), 139.7623, 1e-4);
  expect_near("period, paper", 1e3*(r.list[at].event.t - r.list[first].event.t), 138.8, 0.01*138.8);
  expect_near("fall, paper", 1e3*(r.list[first].q[1] - r.list[at].q[1]), 12, 0.1*12);
  const ss_energy_ledger* e = ss_ledger_energy(r.ledger);
  expect_near("defect", e->defect, 0, 1e-9*e->loss_friction);
  run_close(&r);
}

// Where the beak hits, LL is closed: Newton's law reverses half of the beak's own approach, Poisson's gives back half
// of an impulse that LL has a part in. By Newton's law UR never touches, and the cycle is 14 ms shorter.
static void test_newton(void** state)
{
  (void)state;
  run r = woodpecker(SS_IMPACT_NEWTON, 2);
  long first = -1, at = -1;
  for (long i = next(&r, -1, BEAK, SS_EVENT_IMPACT, 0); i < r.n; i++) {
    if (r.list[i].event.contact == BEAK) {
      first = at;
      at = i;
      expect_near("rebound of the beak", r.list[i].event.gamma_after[0], -0.5*r.list[i].event.gamma_before[0], 1e-12);
    }
    if (r.list[i].event.t > 1.5) assert_int_not_equal(r.list[i].event.contact, UR);
  }
  expect_near("period, ms", 1e3*(r.list[at].event.t - r.list[first].event.t), 125.5022, 1e-3);
  expect_near("fall, mm", 1e3*(r.list[first].q[1] - r.list[at].q[1]), 7.566, 1e-2);
  run_close(&r);
}

// By outlines, with contacts from the geometry: the same events, one by one to 1e-8 s, and the same positions and
// velocities to 1e-8 as by expressions, over one cycle. Where several contacts have an event at one time their order
// may differ.
static void test_polygons(void** state)
{
  (void)state;
  static const char* const name[] = {"beak - pole e2", "left p2 - pole e4", "right p1 - pole e2", "left p3 - pole e4",
                                     "right p4 - pole e2"};
  double cycle = 0.139762;
  run text = run_open("woodpecker4", cycle, NULL), shape = run_open("woodpecker4-polygons", cycle, NULL);
  run_until(&text, cycle);
  run_until(&shape, cycle);
  for (int i = 0; i < 4; i++) {
    expect_near("q", shape.state->q[i], text.state->q[i], 1e-8);
    expect_near("u", shape.state->u[i], text.state->u[i], 1e-8);
  }
  assert_int_equal(shape.n, text.n);
  for (long i = 0; i < text.n; i++) {
    const ss_event* e = &text.list[i].event;
    bool found = false;
    for (long k = i > 0 ? i - 1 : 0; k <= i + 1 && k < shape.n && !found; k++) {
      const ss_event* f = &shape.list[k].event;
      found = f->kind == e->kind && fabs(f->t - e->t) <= 1e-8 &&
              strcmp(ss_work_contact_name(shape.work, f->contact), name[e->contact]) == 0;
    }
    if (!found) fail_msg("%s of %s at %.12g s is missing", ss_event_kind_text(e->kind), name[e->contact], e->t);
  }
  run_close(&text);
  run_close(&shape);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_table_1), cmocka_unit_test(test_newton),
                                     cmocka_unit_test(test_polygons)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
