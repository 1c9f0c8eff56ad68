// Every MLCP of test/data/mlcp, and of the data set beside the project, by every solver, judged by the residual and,
// where the solution is unique, by z. Problems without a solution must be reported.
// apart: shared_data
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../apart.h"
#include "data_set.h"

typedef struct score {
  int solved[SS_MLCP_SOLVER_COUNT], solvable;
} score;

// `auto` must solve what can be solved; the others may fail, but not tell anything wrong
static bool check_solver(const ss_problem* problem, ss_mlcp_solver solver, ss_arena* arena, double* z,
                         const cJSON* answer)
{
  const ss_mlcp* mlcp = &problem->mlcp;
  ss_mlcp_def def = ss_mlcp_def_default();
  ss_mlcp_solution s = {.z = z, .w = z + mlcp->n, .ray = z + 2*mlcp->n};
  def.solver = solver;
  ss_status status = ss_mlcp_solve(mlcp, &def, arena, &s);
  double r = ss_mlcp_residual(mlcp, z);
  const char *name = problem->name, *by = ss_mlcp_solver_name(solver);
  if (r != s.residual || (status == SS_OK) != (r <= 1e-10)) fail_msg("%s by %s: %d, residual %g", name, by, status, r);
  if (!is_solvable(answer) && status <= SS_OK) fail_msg("%s by %s: solved, but it has no solution", name, by);
  if (is_solvable(answer) && status != SS_OK && solver == SS_MLCP_AUTO)
    fail_msg("%s: %s, %g", name, ss_status_text(status), r);
  if (status == SS_OK) check_unique(name, mlcp->n, z, answer);
  return status == SS_OK;
}

static void check(const ss_problem* problem, const cJSON* answer, void* context)
{
  score* total = context;
  double* z = calloc(3*(size_t)problem->mlcp.n, sizeof *z);
  ss_arena* arena = ss_arena_create(ss_mlcp_size(&problem->mlcp));
  total->solvable += is_solvable(answer);
  for (int s = 0; s < SS_MLCP_SOLVER_COUNT; s++)
    total->solved[s] += check_solver(problem, (ss_mlcp_solver)s, arena, z, answer);
  ss_arena_destroy(arena);
  free(z);
}

static void check_folder(const char* folder, const char* answers_path, int at_least)
{
  score total = {0};
  cJSON* answers = read_answers(answers_path);
  int count = each_problem(folder, answers, check, &total);
  for (int s = 0; s < SS_MLCP_SOLVER_COUNT; s++)
    printf("%-13s %d of %d solved\n", ss_mlcp_solver_name((ss_mlcp_solver)s), total.solved[s], total.solvable);
  assert_true(count >= at_least);
  cJSON_Delete(answers);
}

static void test_own_copies(void** state)
{
  (void)state;
  check_folder(SS_SOURCE_DIR "/test/data/mlcp", OWN_ANSWERS("mlcp"), 10);
}

static void test_shared_data(void** state)
{
  (void)state;
  needs_something(there_is(SHARED_ANSWERS), "%s", SHARED_ANSWERS);
  check_folder(SS_SHARED_DATA "/problems/mlcp", SHARED_ANSWERS, 26);
}

int main(int argc, char** argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_own_copies),
    cmocka_unit_test(test_shared_data),
  };
  return run_tests_apart(argc, argv, "*shared_data*", tests, NULL, NULL);
}
