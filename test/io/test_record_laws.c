// The record refuses rows with impulses that no contact can give, and takes those that are off by round-off, by the
// tolerance of the solver, or by what the step tells; in a fixed list of contacts and in one that comes and goes.
#include "io/record_laws.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

static const ss_contact_def laws[] = {
  {.name = "foot", .kind = SS_CONTACT_SPATIAL, .mu = 0.5},
  {.name = "stop", .kind = SS_CONTACT_NORMAL},
  {.name = "brake", .kind = SS_CONTACT_FRICTION, .bound = 2},
  {.name = "shoe", .kind = SS_CONTACT_PLANAR, .mu = 0.2, .mu_static = 0.4},
  {.name = "lining", .kind = SS_CONTACT_PLANAR, .varies = true}};
enum { N = sizeof laws/sizeof *laws };

// Contact i with these impulses among others that are right; listed: each has its law with it
static ss_status check(int i, double n, double t1, double t2, double residual, bool listed, ss_error* error)
{
  ss_step_def def = ss_step_def_default();
  def.dt = 0.1;
  ss_record_limits limits = ss_record_limits_of(&def, listed ? NULL : laws);
  ss_contact_result contact[N] = {{.Lambda = {1, 0.3, 0.4}}, {.contact = 1, .Lambda = {1}}, {.contact = 2},
                                  {.contact = 3}, {.contact = 4}};
  ss_contact_item item[N] = {{0}};
  for (int k = 0; k < N; k++) item[k].law = &laws[k];
  memcpy(contact[i].Lambda, (double[]){n, t1, t2}, sizeof contact[i].Lambda);
  ss_step_info info = {.n_contact = N, .contact = contact, .item = listed ? item : NULL, .residual = residual};
  return ss_record_check_laws(&limits, &info, 2, error);
}

static void expect(bool good, int i, double n, double t1, double t2)
{
  for (int listed = 0; listed < 2; listed++) {
    ss_error error = {0};
    ss_status st = check(i, n, t1, t2, 0, listed, &error);
    if (st != (good ? SS_OK : SS_ERR_NUMERIC)) fail_msg("contact %d, %g %g %g: %s", i, n, t1, t2, error.text);
    assert_int_equal(error.text[0] == 0, good);
    if (!good) assert_non_null(strstr(error.text, listed ? "number" : laws[i].name));
  }
}

static void test_no_contact_pulls(void** state)
{
  (void)state;
  for (int i = 0; i < N; i++) {
    if (i == 2) continue;
    expect(true, i, 0, 0, 0);
    expect(true, i, -1e-9, 0, 0);
    expect(false, i, -1e-3, 0, 0);
  }
}

static void test_friction_is_in_its_cone(void** state)
{
  (void)state;
  expect(true, 0, 1, 0.3, -0.4);
  expect(true, 0, 1, 0.3, -0.4 - 1e-9);
  expect(false, 0, 1, 0.31, -0.4);
  expect(false, 0, 0, 0.01, 0);
  expect(true, 2, 0, -0.2, 0);
  expect(false, 2, 0, 0.21, 0);
  expect(true, 3, 1, 0.4, 0);  // as it may at rest
  expect(false, 3, 1, 0.41, 0);
  expect(true, 4, 1, 3, 0);    // the limit is not known here
}

// What the step says of itself counts
static void test_a_residual_is_allowed_for(void** state)
{
  (void)state;
  ss_error error = {0};
  assert_int_equal(check(0, -1e-3, 0, 0, 1e-3, false, &error), SS_OK);
  assert_int_equal(check(0, -1e-1, 0, 0, 1e-3, false, &error), SS_ERR_NUMERIC);
}

// Contacts without a load have round-off of what constraints carry, or of nothing at all
static void test_round_off_of_constraints_is_allowed_for(void** state)
{
  (void)state;
  ss_step_def def = ss_step_def_default();
  ss_record_limits limits = ss_record_limits_of(&def, laws);
  ss_error error = {0};
  double held = 1;
  ss_contact_result contact = {.Lambda = {-1e-12}};
  ss_step_info info = {.n_contact = 1, .contact = &contact, .n_bilateral = 1, .Lambda_bilateral = &held};
  assert_int_equal(ss_record_check_laws(&limits, &info, 0, &error), SS_OK);
  held = 0;
  assert_int_equal(ss_record_check_laws(&limits, &info, 0, &error), SS_ERR_NUMERIC);
  contact.Lambda[0] = -1e-39;
  assert_int_equal(ss_record_check_laws(&limits, &info, 0, &error), SS_OK);
}

// Through the record itself: the row is not added, and the file stays good.
static void test_the_record_refuses_the_row(void** state)
{
  (void)state;
  static const char text[] = "coordinates: {x: m}\nkinetic: x'^2/2\ncontacts: {floor: {gap: x}}\n";
  char path[] = "/tmp/stickslip-laws-XXXXXX";
  ss_error error = {0};
  close(mkstemp(path));
  ss_model* model = ss_model_parse(text, strlen(text), "floor", NULL, &error);
  assert_non_null(model);
  ss_state* s = ss_state_create(ss_model_system(model));
  ss_record* record = ss_record_create(path, model, ss_model_run(model), &error);
  assert_non_null(record);
  ss_contact_result contact = {.Lambda = {1}};
  ss_step_info info = {.n_contact = 1, .contact = &contact};
  ss_record_row row = {.state = s, .info = &info};
  assert_int_equal(ss_record_row_add(record, &row, &error), SS_OK);
  contact.Lambda[0] = -1;
  assert_int_equal(ss_record_row_add(record, &row, &error), SS_ERR_NUMERIC);
  assert_non_null(strstr(error.text, "floor"));
  assert_int_equal(ss_record_close(record, "failed", &error), SS_OK);
  ss_run* run = ss_run_open(path, &error);
  assert_int_equal(ss_run_get_info(run)->n_rows, 1);
  ss_run_close(run);
  ss_state_destroy(s);
  ss_model_destroy(model);
  unlink(path);
}

// Contacts that come and go are called by their names, too: those that are in the file, and those that are not yet
static void test_listed_contacts_have_names(void** state)
{
  (void)state;
  char path[] = "/tmp/stickslip-laws-XXXXXX";
  ss_error error = {0};
  close(mkstemp(path));
  ss_model* model = ss_model_load("stack30", NULL, &error);
  if (!model) fail_msg("%s", error.text);
  const ss_run_def* run = ss_model_run(model);
  ss_state* s = ss_state_create(ss_model_system(model));
  ss_work* w = ss_work_create(ss_model_system(model), &error);
  ss_model_initial(model, s);
  assert_true(ss_step(ss_model_system(model), &run->step, s, w) >= 0);
  ss_record* record = ss_record_create(path, model, run, &error);
  if (!record) fail_msg("%s", error.text);
  assert_int_equal(ss_record_contacts_add(record, w, &error), SS_OK);

  int n = ss_work_info(w)->n_contact;
  assert_true(n > 64);  // more than the record keeps in memory
  ss_contact_result* contact = malloc(sizeof *contact*(size_t)n);
  assert_non_null(contact);
  for (int i = 0; i < n; i += n - 1) {
    ss_step_info info = *ss_work_info(w);
    memcpy(contact, info.contact, sizeof *contact*(size_t)n);
    contact[i].Lambda[0] = -1;
    info.contact = contact;
    ss_record_row row = {.state = s, .info = &info};
    assert_int_equal(ss_record_row_add(record, &row, &error), SS_ERR_NUMERIC);
    const char* name = ss_work_contact_name(w, contact[i].contact);
    assert_true(name && name[0]);
    if (!strstr(error.text, name)) fail_msg("'%s' is not named in: %s", name, error.text);
  }
  free(contact);
  assert_int_equal(ss_record_close(record, "failed", &error), SS_OK);
  ss_work_destroy(w);
  ss_state_destroy(s);
  ss_model_destroy(model);
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_no_contact_pulls),
    cmocka_unit_test(test_friction_is_in_its_cone),
    cmocka_unit_test(test_a_residual_is_allowed_for),
    cmocka_unit_test(test_round_off_of_constraints_is_allowed_for),
    cmocka_unit_test(test_the_record_refuses_the_row),
    cmocka_unit_test(test_listed_contacts_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
