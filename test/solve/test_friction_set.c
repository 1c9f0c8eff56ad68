// Every contact problem of test/data/contact, and of the data set beside the project, by every method, judged by the
// residual alone. What each method solves to 1e-8 is counted and printed; `auto` has to solve all that can be solved.
// apart: shared_data
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/problem.h>
#include <string.h>
#include <cmocka.h>

#include "../apart.h"
#include "data_set.h"

static const char* const unsolvable[] = {"gen_squeeze2d", NULL};  // two walls closing on one ball

static bool among(const char* const* list, const char* name)
{
  for (; *list; list++)
    if (strcmp(*list, name) == 0) return true;
  return false;
}

// Solves one problem by one method; true if it reached 1e-8. A claim that the residual does not bear out is a failure.
static bool solve(const ss_problem* file, ss_friction_method method)
{
  const ss_friction_problem* p = &file->contact;
  size_t m = (size_t)ss_friction_rows(p);
  ss_error error;
  if (method >= SS_FRICTION_MLCP_PATH && m > 24) return false;  // on dense arrays: a test has no time for more
  ss_friction_solver* solver = ss_friction_solver_create(p, &error);
  if (!solver) fail_msg("%s: %s", file->name, error.text);
  ss_friction_def def = ss_friction_def_default();
  def.method = method;
  if (method == SS_FRICTION_NSGS) def.max_iter = 1000;  // a test has no time for more
  ss_friction_solution s = {.Lambda = calloc(m + 1, sizeof(double))};
  ss_status status = ss_friction_solve(solver, &def, &s);
  double residual = NAN;
  assert_int_equal(ss_friction_residual(p, s.Lambda, NULL, &residual, &error), SS_OK);
  if (status < 0) fail_msg("%s by %s: %s", file->name, ss_friction_method_name(method), ss_status_text(status));
  if ((status == SS_OK) != (s.residual <= def.tol))
    fail_msg("%s: the status is not what the residual says", file->name);
  if (!(fabs(residual - s.residual) <= 1e-9 + 1e-3*residual))  // the solver's own xi differs by round-off
    fail_msg("%s by %s: residual %g, claimed %g", file->name, ss_friction_method_name(method), residual, s.residual);
  ss_friction_solver_destroy(solver);
  free(s.Lambda);
  return status == SS_OK;
}

static void check(const ss_problem* file, const cJSON* answer, void* context)
{
  int* solved = context;  // SS_FRICTION_METHODS
  (void)answer;
  for (int method = 0; method < SS_FRICTION_METHODS; method++) {
    bool good = solve(file, (ss_friction_method)method);
    solved[method] += good;
    if (good && among(unsolvable, file->name)) fail_msg("%s has no solution", file->name);
    if (!good && method == SS_FRICTION_AUTO) {
      if (!among(unsolvable, file->name)) fail_msg("%s: not solved", file->name);
      printf("  not solved: %s\n", file->name);
    }
  }
}

static void check_folder(const char* folder, int at_least)
{
  int solved[SS_FRICTION_METHODS] = {0}, n = each_problem(folder, NULL, check, solved);
  for (int method = 0; method < SS_FRICTION_METHODS; method++)
    printf("  %-7s %d of %d solved to 1e-8\n", ss_friction_method_name((ss_friction_method)method), solved[method], n);
  assert_true(n >= at_least);
}

static void own_problems(void** state)
{
  (void)state;
  check_folder(SS_SOURCE_DIR "/test/data/contact", 16);
}

static void shared_data(void** state)
{
  (void)state;
  needs_something(there_is(SHARED_ANSWERS), "%s", SHARED_ANSWERS);
  check_folder(SS_SHARED_DATA "/problems/contact", 100);
}

int main(int argc, char** argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(own_problems), cmocka_unit_test(shared_data)};
  return run_tests_apart(argc, argv, "*shared_data*", tests, NULL, NULL);
}
