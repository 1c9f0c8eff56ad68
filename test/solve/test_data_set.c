// Every LCP of test/data/lcp, and of the data set beside the project, judged by the residual and, where the solution is
// unique, by x. Unsolvable ones must end on a ray.
// apart: shared_data
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../apart.h"
#include "data_set.h"

static void check(const ss_problem* problem, const cJSON* answer, void* context)
{
  (void)context;
  int n = problem->lcp.n;
  double* x = calloc(2*(size_t)n, sizeof *x);
  ss_arena* arena = ss_arena_create(ss_lcp_lemke_size(n));
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solution s = {.x = x, .y = x + n};
  ss_status status = ss_lcp_lemke(&problem->lcp, &def, arena, &s);
  if (status != (is_solvable(answer) ? SS_OK : SS_RAY)) fail_msg("%s: %s", problem->name, ss_status_text(status));
  if (is_solvable(answer)) {
    double r = ss_lcp_residual(&problem->lcp, x);
    if (!(r <= 1e-10)) fail_msg("%s: residual %g", problem->name, r);
    check_unique(problem->name, n, x, answer);
  }
  ss_arena_destroy(arena);
  free(x);
}

static void check_folder(const char* folder, const char* answers_path, int at_least)
{
  cJSON* answers = read_answers(answers_path);
  int count = each_problem(folder, answers, check, NULL);
  printf("%d problems\n", count);
  assert_true(count >= at_least);
  cJSON_Delete(answers);
}

static void test_own_copies(void** state)
{
  (void)state;
  check_folder(SS_SOURCE_DIR "/test/data/lcp", OWN_ANSWERS("lcp"), 37);
}

static void test_shared_data(void** state)
{
  (void)state;
  needs_something(there_is(SHARED_ANSWERS), "%s", SHARED_ANSWERS);
  check_folder(SS_SHARED_DATA "/problems/lcp", SHARED_ANSWERS, 50);
}

int main(int argc, char** argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_own_copies),
    cmocka_unit_test(test_shared_data),
  };
  return run_tests_apart(argc, argv, "*shared_data*", tests, NULL, NULL);
}
