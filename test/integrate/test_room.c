// Fixed lists of contacts that are too long for dense matrices: refused by name before memory is taken.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

#include "base/room.h"

static ss_status mass(const ss_at* at, double* M)
{
  (void)at;
  M[0] = 1;
  return SS_OK;
}

static ss_status force(const ss_at* at, double* h)
{
  (void)at;
  h[0] = 0;
  return SS_OK;
}

static ss_status contacts(const ss_at* at, double* gap, double* W, double* w_hat)
{
  (void)at;
  (void)gap;
  (void)W;
  (void)w_hat;
  return SS_OK;
}

static void expect(int n, ss_status status, const char* words)
{
  static const char* const names[] = {"x"};
  ss_error error = {0};
  ss_contact_def* law = calloc((size_t)n, sizeof *law);
  char(*name)[16] = calloc((size_t)n, sizeof *name);
  assert_true(law && name);
  for (int i = 0; i < n; i++) {
    snprintf(name[i], sizeof name[i], "c%d", i);
    law[i] = (ss_contact_def){.name = name[i], .kind = SS_CONTACT_PLANAR, .mu = 0.5};
  }
  ss_system* system = ss_system_create(&(ss_system_def){.name = "many", .nv = 1, .coordinate = names, .n_contact = n,
    .contact = law, .mass_is_constant = true, .mass = mass, .force = force, .contacts = contacts}, &error);
  if (!system) fail_msg("%s", error.text);
  assert_null(ss_work_create(system, &error));
  if (error.status != status || !strstr(error.text, words)) fail_msg("%d: %s", error.status, error.text);
  ss_system_destroy(system);
  free(law);
  free(name);
}

static void test_too_much_memory(void** state)
{
  (void)state;
  if (ss_half_of_memory() > (size_t)30 << 30) skip();  // it would fit
  expect(7400, SS_ERR_MEMORY, "7400 contacts with 14800 rows take");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_too_much_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
