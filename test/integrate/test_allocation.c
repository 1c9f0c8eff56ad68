// link: -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc
// No step allocates: every allocation of the program is counted.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <stickslip/machine.h>
#include <stickslip/stickslip.h>

#include "count_allocations.h"

static void expect_no_allocation(const char* name, ss_integrator integrator, ss_projection project)
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
  if (integrator == SS_EVENT_DRIVEN || integrator == SS_RATTLE)  // which take their memory once
    assert_true(ss_step(system, &def, s, w) >= 0);
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
    expect_no_allocation(names[i], SS_MOREAU, SS_PROJECTION_OFF);
    expect_no_allocation(names[i], SS_MOREAU, SS_PROJECTION_ON);
    expect_no_allocation(names[i], SS_EULER, SS_PROJECTION_OFF);
    expect_no_allocation(names[i], SS_EVENT_DRIVEN, SS_PROJECTION_AUTO);
    expect_no_allocation(names[i], SS_RATTLE, SS_PROJECTION_AUTO);
  }
}

// A machine, once its lists are as long as the run needs: the same run once more
static void expect_no_allocation_of_scene(const char* name, ss_integrator integrator, long steps)
{
  char path[512];
  ss_error error = {0};
  snprintf(path, sizeof path, "%s/models/%s.xml", SS_SOURCE_DIR, name);
  ss_scene* scene = ss_scene_load(path, 0, NULL, &error);
  if (!scene) fail_msg("%s: %s", name, error.text);
  ss_machine* machine = ss_machine_create(scene, &error);
  if (!machine) fail_msg("%s: %s", name, error.text);
  const ss_system* system = ss_machine_system(machine);
  ss_state* s = ss_state_create(system);
  ss_work* w = ss_work_create(system, &error);
  ss_ledger* ledger = ss_ledger_create(system);
  ss_step_def def = ss_step_def_default();
  def.integrator = integrator;
  def.dt = scene->option.timestep;
  def.account = true;
  long before = 0;
  for (int run = 0; run < 2; run++) {
    before = calls;
    s->t = 0;
    ss_scene_initial(scene, scene->run.key, s->q, s->u);
    for (long i = 0; i < steps; i++) {
      assert_true(ss_step(system, &def, s, w) >= 0);
      ss_ledger_step(ledger, s, ss_work_info(w), NULL);
    }
  }
  if (calls != before) fail_msg("%s allocates %ld times", name, calls - before);
  ss_ledger_destroy(ledger);
  ss_work_destroy(w);
  ss_state_destroy(s);
  ss_machine_destroy(machine);
  ss_scene_destroy(scene);
}

static void test_no_allocation_of_machines(void** state)
{
  (void)state;
  expect_no_allocation_of_scene("pendulum12", SS_EULER, 10000);
  expect_no_allocation_of_scene("chain100", SS_EULER, 100);
  expect_no_allocation_of_scene("gripper-hold", SS_MOREAU, 1000);
  expect_no_allocation_of_scene("four-bar", SS_MOREAU, 1000);
  expect_no_allocation_of_scene("four-bar", SS_RATTLE, 200);
  expect_no_allocation_of_scene("gripper-hold", SS_RATTLE, 200);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_allocation),
                                     cmocka_unit_test(test_no_allocation_of_machines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
