// link: -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc
// No step allocates: every allocation of the program is counted.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

#include "count_allocations.h"

static void expect_no_allocation(const char* name, ss_integrator integrator, bool project)
{
  ss_error error = {0};
  long before_all = calls;
  ss_model* model = ss_model_load(name, NULL, &error);
  if (!model) fail_msg("%s: %s", name, error.text);
  assert_true(calls > before_all);  // the counter counts
  const ss_system* system = ss_model_system(model);
  ss_state* s = ss_state_create(system);
  ss_work* w = ss_work_create(system, &error);
  ss_ledger* ledger = ss_ledger_create(system);
  ss_step_def def = ss_model_run(model)->step;
  def.integrator = integrator;
  def.project = project;
  def.account = true;
  ss_model_initial(model, s);
  if (integrator == SS_EVENT_DRIVEN) assert_true(ss_step(system, &def, s, w) >= 0);  // takes its memory once
  long before = calls;
  for (int i = 0; i < 2000; i++) {
    assert_true(ss_step(system, &def, s, w) >= 0);
    ss_ledger_step(ledger, s, ss_work_info(w), NULL);
  }
  assert_int_equal(calls, before);
  ss_ledger_destroy(ledger);
  ss_work_destroy(w);
  ss_state_destroy(s);
  ss_model_destroy(model);
}

static void test_no_allocation(void** state)
{
  (void)state;
  const char* const names[] = {"woodpecker", "ball", "rocking-block", "double-pendulum-wall", "stickslip-oscillator"};
  for (int i = 0; i < 5; i++) {
    expect_no_allocation(names[i], SS_MOREAU, false);
    expect_no_allocation(names[i], SS_MOREAU, true);
    expect_no_allocation(names[i], SS_EULER, false);
    expect_no_allocation(names[i], SS_EVENT_DRIVEN, false);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
