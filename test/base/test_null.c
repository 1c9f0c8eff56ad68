// What the headers promise of NULL: functions that take what comes from outside refuse it, those that destroy take it,
// and an error that nobody wants may be left out.
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <stickslip/stickslip.h>
#include <stickslip/machine.h>
#include <stickslip/table.h>
#include <cmocka.h>

static void refused(const void* result, ss_error* error)
{
  assert_null(result);
  assert_int_equal(error->status, SS_ERR_ARGUMENT);
  assert_non_null(strstr(error->text, "NULL"));
  *error = (ss_error){0};
}

static void test_readers(void** state)
{
  (void)state;
  ss_error e = {0};
  refused(ss_model_load(NULL, NULL, &e), &e);
  refused(ss_model_parse(NULL, 3, "a", NULL, &e), &e);
  refused(ss_model_parse("a", 1, NULL, NULL, &e), &e);
  refused(ss_scene_load(NULL, 0, NULL, &e), &e);
  refused(ss_scene_parse(NULL, 0, NULL, 0, NULL, &e), &e);
  refused(ss_scene_parse("a", 1, "a", 2, NULL, &e), &e);
  refused(ss_problem_load(NULL, &e), &e);
  refused(ss_problem_parse(NULL, 0, NULL, &e), &e);
  refused(ss_table_load(NULL, &e), &e);
  refused(ss_run_open(NULL, &e), &e);
  refused(ss_run_column(NULL, NULL, &e), &e);
  refused(ss_record_create(NULL, NULL, NULL, &e), &e);
  refused(ss_record_resume(NULL, 1, &e), &e);
  refused(ss_work_create(NULL, &e), &e);
  refused(ss_run_model(NULL, NULL, &e), &e);
  refused(ss_run_events(NULL, NULL, NULL, &e), &e);
  assert_null(ss_run_columns(NULL, NULL));
  assert_string_equal(ss_run_unit(NULL, NULL), "");
  assert_int_equal(ss_table_column(NULL, NULL), -1);
  assert_null(ss_model_load(NULL, NULL, NULL));
  assert_null(ss_run_open(NULL, NULL));
}

static void test_statuses(void** state)
{
  (void)state;
  assert_int_equal(ss_problem_save(NULL, NULL, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_table_save(NULL, NULL, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_record_row_add(NULL, NULL, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_record_event_add(NULL, NULL, NULL, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_record_contacts_add(NULL, NULL, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_csv_header(NULL, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_csv_row(NULL, NULL, 0, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_csv_event_header(NULL, false), SS_ERR_ARGUMENT);
  assert_int_equal(ss_csv_event(NULL, NULL, NULL, false), SS_ERR_ARGUMENT);
  assert_int_equal(ss_step(NULL, NULL, NULL, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_simulate(NULL, NULL, 0, 1, NULL, NULL, NULL, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_inspect(NULL, NULL, NULL, NULL, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_state_copy(NULL, NULL), SS_ERR_ARGUMENT);
  assert_null(ss_state_create(NULL));
  assert_null(ss_ledger_create(NULL));
}

static void test_makers(void** state)
{
  (void)state;
  ss_error e = {0};
  refused(ss_system_create(NULL, &e), &e);
  refused(ss_machine_create(NULL, &e), &e);
  refused(ss_collider_create(NULL, &e), &e);
  refused(ss_collider_work_create(NULL, &e), &e);
  refused(ss_tree_work_create(NULL, &e), &e);
  refused(ss_tree_mass_create(NULL, &e), &e);
  refused(ss_friction_solver_create(NULL, &e), &e);
  refused(ss_scene_redundant(NULL, &e), &e);
  refused(ss_orbit_find(NULL, NULL, NULL, &e), &e);
}

typedef struct row {
  const char* name;
  int status;
} row;

// Statuses, of functions that have an error to fill and of those that have none
static void test_more_statuses(void** state)
{
  (void)state;
  ss_error e;
  const row list[] = {
    {"ss_run_row", ss_run_row(NULL, 0, NULL, NULL, NULL, NULL, &e)},
    {"ss_run_last", ss_run_last(NULL, NULL, NULL, NULL, NULL, &e)},
    {"ss_run_motion", ss_run_motion(NULL, 0, NULL, &e)},
    {"ss_run_contacts", ss_run_contacts(NULL, 0, NULL, &e)},
    {"ss_run_contacts_at", ss_run_contacts_at(NULL, 0, &e)},
    {"ss_sparse_from_triplets", ss_sparse_from_triplets(1, 1, 1, NULL, NULL, NULL, NULL, &e)},
    {"ss_sparse_from_dense", ss_sparse_from_dense(1, 1, NULL, NULL, &e)},
    {"ss_sparse_check", ss_sparse_check(NULL, "A", &e)},
    {"ss_friction_validate", ss_friction_validate(NULL, &e)},
    {"ss_friction_solver_update", ss_friction_solver_update(NULL, NULL, &e)},
    {"ss_friction_solve", ss_friction_solve(NULL, NULL, NULL)},
    {"ss_friction_residual", ss_friction_residual(NULL, NULL, NULL, NULL, &e)},
    {"ss_friction_certify", ss_friction_certify(NULL, NULL, NULL, &e)},
    {"ss_friction_set_check", ss_friction_set_check(NULL, &e)},
    {"ss_contact_solve", ss_contact_solve(NULL, NULL, NULL, NULL)},
    {"ss_contact_solve_form", ss_contact_solve_form(NULL, SS_PLANAR_LONG, NULL, NULL, NULL)},
    {"ss_contact_solve_spatial", ss_contact_solve_spatial(NULL, NULL, NULL, NULL)},
    {"ss_impact_solve", ss_impact_solve(NULL, NULL, NULL, NULL)},
    {"ss_impact_enumerate", ss_impact_enumerate(NULL, NULL, NULL)},
    {"ss_solutions_at", ss_solutions_at(NULL, NULL, NULL, NULL, NULL)},
    {"ss_follow", ss_follow(NULL, NULL)},
    {"ss_ledger_restore", ss_ledger_restore(NULL, 0, NULL, NULL, NULL)},
  };
  for (size_t i = 0; i < sizeof list/sizeof *list; i++)
    if (list[i].status != SS_ERR_ARGUMENT) fail_msg("%s: %d", list[i].name, list[i].status);
  assert_true(ss_run_resume_row(NULL, NULL, &e) < -1);
  assert_false(ss_run_cycle(NULL, 0, 1, 0, SS_EVENT_IMPACT, NULL, &e));
  assert_false(ss_state_reserve(NULL, 3));
  assert_int_equal(ss_solutions_count(NULL), 0);
}

static void test_judges(void** state)
{
  (void)state;
  assert_true(isnan(ss_lcp_residual(NULL, NULL)));
  assert_true(isnan(ss_contact_residual(NULL, NULL)));
  assert_true(isnan(ss_spatial_residual(NULL, NULL)));
  assert_true(isnan(ss_lcp_certify(NULL, NULL)));
  assert_true(isnan(ss_mlcp_certify(NULL, NULL)));
  assert_true(isnan(ss_contact_certify(NULL, NULL)));
  assert_true(isnan(ss_mlcp_residual(NULL, NULL)));
  assert_true(isnan(ss_dissipation_residual(NULL, NULL, NULL)));
  assert_true(isnan(ss_impact_residual(NULL, NULL, 0, NULL, NULL)));
}

static void test_ends(void** state)
{
  (void)state;
  ss_model_destroy(NULL);
  ss_scene_destroy(NULL);
  ss_problem_destroy(NULL);
  ss_table_destroy(NULL);
  ss_run_close(NULL);
  ss_work_destroy(NULL);
  ss_state_destroy(NULL);
  ss_ledger_destroy(NULL);
  assert_int_equal(ss_record_close(NULL, NULL, NULL), SS_OK);
}

// A state or a workspace of another model
static void test_other_sizes(void** state)
{
  (void)state;
  ss_model *a = ss_model_load("ball", NULL, NULL), *b = ss_model_load("woodpecker", NULL, NULL);
  const ss_system *sa = ss_model_system(a), *sb = ss_model_system(b);
  ss_state *x = ss_state_create(sa), *y = ss_state_create(sb);
  ss_work *wa = ss_work_create(sa, NULL), *wb = ss_work_create(sb, NULL);
  ss_step_def def = ss_model_run(a)->step;
  ss_model_initial(a, x);
  for (int i = 0; i < 2; i++, def.integrator = SS_EVENT_DRIVEN) {
    assert_int_equal(ss_step(sa, &def, y, wa), SS_ERR_ARGUMENT);
    assert_non_null(strstr(ss_work_message(wa), "another system"));
    assert_int_equal(ss_step(sa, &def, x, wb), SS_ERR_ARGUMENT);
    assert_true(ss_step(sa, &def, x, wa) >= 0);
  }
  assert_int_equal(ss_state_copy(x, y), SS_ERR_ARGUMENT);
  assert_int_equal(ss_inspect(sa, y, wa, NULL, NULL), SS_ERR_ARGUMENT);
  ss_state_destroy(x);
  ss_state_destroy(y);
  ss_work_destroy(wa);
  ss_work_destroy(wb);
  ss_model_destroy(a);
  ss_model_destroy(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_readers), cmocka_unit_test(test_statuses),
                                     cmocka_unit_test(test_makers), cmocka_unit_test(test_more_statuses),
                                     cmocka_unit_test(test_judges),
                                     cmocka_unit_test(test_ends), cmocka_unit_test(test_other_sizes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
