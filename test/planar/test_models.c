// Models of the catalogue with bodies, for a short time: overlaps within what is allowed, energies in balance.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>
#include "less.h"

// A model of the catalogue while it runs
typedef struct play {
  ss_model* model;
  ss_step_def step;
  ss_state* state;
  ss_work* work;
  ss_ledger* ledger;
} play;

static play begin(const char* name)
{
  ss_error error = {0};
  play p = {.model = ss_model_load(name, NULL, &error)};
  if (!p.model) fail_msg("%s:%d: %s", name, error.line, error.text);
  const ss_system* system = ss_model_system(p.model);
  p.step = ss_model_run(p.model)->step;
  p.step.account = true;
  p.state = ss_state_create(system);
  p.work = ss_work_create(system, &error);
  p.ledger = ss_ledger_create(system);
  assert_true(p.state && p.work && p.ledger);
  ss_model_initial(p.model, p.state);
  return p;
}

// One step; the number of its events
static int go(play* p, const ss_event** event)
{
  ss_status st = ss_step(ss_model_system(p->model), &p->step, p->state, p->work);
  if (st != SS_OK) fail_msg("step %ld: %s %s", p->state->step, ss_status_text(st), ss_work_message(p->work));
  return ss_ledger_step(p->ledger, p->state, ss_work_info(p->work), event);
}

static void end(play* p)
{
  ss_ledger_destroy(p->ledger);
  ss_work_destroy(p->work);
  ss_state_destroy(p->state);
  ss_model_destroy(p->model);
}

static void run_model(const char* name, double until, double depth, double impacts, double balance)
{
  play p = begin(name);
  const ss_event* event;
  while (p.state->t < until) go(&p, &event);
  const ss_ledger_counts* c = ss_ledger_get_counts(p.ledger);
  const ss_energy_ledger* e = ss_ledger_energy(p.ledger);
  if (c->max_penetration > depth) fail_msg("%s: overlap %g, %g is allowed", name, c->max_penetration, depth);
  if ((double)c->impacts < impacts) fail_msg("%s: %ld impacts, expected at least %g", name, c->impacts, impacts);
  double moved = fabs(e->work_drive) + fabs(e->loss_normal) + fabs(e->loss_friction);
  if (fabs(e->defect) > balance*moved) fail_msg("%s: defect %g of %g", name, e->defect, moved);
  end(&p);
}

static void test_brush(void** state)
{
  (void)state;
  run_model("brush", 0.01, 5e-6, 100, 1e-9);
}

// By events, while the ring starts: the brush sticks to it, slides, hits the ring and the guide; the books are closed,
// and no impact gains energy.
static void test_brush_events(void** state)
{
  (void)state;
  play p = begin("brush");
  p.step.integrator = SS_EVENT_DRIVEN;
  long sticks = 0, slides = 0, guide = 0;
  while (p.state->t < fmax(1.1e-3, 4e-3/LESS)) {
    const ss_event* event;
    for (int i = go(&p, &event) - 1; i >= 0; i--) {
      sticks += event[i].state == SS_STICK;
      slides += event[i].state == SS_SLIP_POS || event[i].state == SS_SLIP_NEG;
      guide += strstr(ss_work_contact_name(p.work, event[i].contact), "guide") != NULL;
    }
  }
  const ss_energy_ledger* e = ss_ledger_energy(p.ledger);
  assert_true(sticks > 0 && slides > 0 && guide > 0);
  assert_int_equal(ss_ledger_get_counts(p.ledger)->energy_gain, 0);
  assert_true(fabs(e->defect) <= 1e-9*(fabs(e->work_drive) + e->loss_normal + e->loss_friction));
  end(&p);
}

static void test_gears(void** state)
{
  (void)state;
  run_model("gear-rattle", 0.02, 5e-6, 5, 1e-4);  // drag: moreau is of order 1 in forces that depend on rates
}

// By events, for five turns: teeth that met once and are behind one another now, or on other sides of their gears, are
// no contacts (the wheel was thrown by 1.3 rad, and on with 2000 rad/s)
static void test_gears_events(void** state)
{
  (void)state;
  play p = begin("gear-rattle");
  const ss_event* event;
  p.step.integrator = SS_EVENT_DRIVEN;
  p.step.dt = 0.01;
  while (p.state->t < 0.55/LESS) {
    double before = p.state->q[0];
    go(&p, &event);
    assert_true(fabs(p.state->q[0] - before) < 0.7 && fabs(p.state->u[0]) < 100);
  }
  end(&p);
}

static void test_rocks(void** state)
{
  (void)state;
  run_model("rockfall", 1.2, 0.005, 20, 1e-9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_brush), cmocka_unit_test(test_brush_events),
                                     cmocka_unit_test(test_gears), cmocka_unit_test(test_gears_events),
                                     cmocka_unit_test(test_rocks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
