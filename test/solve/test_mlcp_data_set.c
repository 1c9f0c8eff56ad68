// Every MLCP of test/data/mlcp, and of the data set beside the project if it is there, by every solver, judged by the
// residual and, where the solution is unique, by z. Problems without a solution must be reported.
#include <cjson/cJSON.h>
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/problem.h>
#include <string.h>
#include <cmocka.h>

#include "base/text.h"

static int solved[SS_MLCP_SOLVER_COUNT], solvable_count;

static cJSON* read_json(const char* path)
{
  char* text = ss_read_file(path, NULL, NULL);
  cJSON* json = text ? cJSON_Parse(text) : NULL;
  free(text);
  return json;
}

// The one known solution, NULL if there are several or none is known
static const cJSON* unique_solution(const cJSON* answer)
{
  const cJSON* x = cJSON_GetObjectItem(answer, "x");  // our own copy of the answers
  if (x) return x;
  const cJSON* count = cJSON_GetObjectItem(answer, "n_solutions");
  if (!cJSON_IsNumber(count) || count->valuedouble != 1) return NULL;
  return cJSON_GetArrayItem(cJSON_GetObjectItem(answer, "solutions"), 0);
}

static void check_solution(const char* name, int n, const double* z, const cJSON* known)
{
  for (int i = 0; known && i < n; i++) {
    double wanted = cJSON_GetArrayItem(known, i)->valuedouble;
    if (fabs(z[i] - wanted) > 1e-8*(1 + fabs(wanted))) fail_msg("%s: z_%d is %.12g, not %.12g", name, i, z[i], wanted);
  }
}

// `auto` must solve what can be solved; the others may fail, but not tell anything wrong
static void check_solver(const ss_problem* problem, ss_mlcp_solver solver, ss_arena* arena, double* z,
                         const cJSON* answer)
{
  const ss_mlcp* mlcp = &problem->mlcp;
  ss_mlcp_def def = ss_mlcp_def_default();
  ss_mlcp_solution s = {.z = z, .w = z + mlcp->n, .ray = z + 2*mlcp->n};
  def.solver = solver;
  ss_status status = ss_mlcp_solve(mlcp, &def, arena, &s);
  bool solvable = cJSON_IsTrue(cJSON_GetObjectItem(answer, "solvable"));
  double r = ss_mlcp_residual(mlcp, z);
  const char *name = problem->name, *by = ss_mlcp_solver_name(solver);
  if (r != s.residual || (status == SS_OK) != (r <= 1e-10)) fail_msg("%s by %s: %d, residual %g", name, by, status, r);
  if (!solvable && status <= SS_OK) fail_msg("%s by %s: solved, but it has no solution", name, by);
  if (solvable && status != SS_OK && solver == SS_MLCP_AUTO) fail_msg("%s: %s, %g", name, ss_status_text(status), r);
  if (status == SS_OK) check_solution(name, mlcp->n, z, unique_solution(answer));
  solved[solver] += status == SS_OK;
}

static void check_problem(const char* path, const cJSON* answers)
{
  ss_error error;
  ss_problem* problem = ss_problem_load(path, &error);
  if (!problem) fail_msg("%s: %s", path, error.text);
  const cJSON* answer = cJSON_GetObjectItem(answers, problem->name);
  if (!answer) fail_msg("%s: no answer is known", problem->name);
  solvable_count += cJSON_IsTrue(cJSON_GetObjectItem(answer, "solvable"));
  double* z = calloc(3*(size_t)problem->mlcp.n, sizeof *z);
  ss_arena* arena = ss_arena_create(ss_mlcp_solve_size(problem->mlcp.n));
  for (int s = 0; s < SS_MLCP_SOLVER_COUNT; s++) check_solver(problem, (ss_mlcp_solver)s, arena, z, answer);
  ss_arena_destroy(arena);
  ss_problem_destroy(problem);
  free(z);
}

// All *.json of a folder except the answers; returns how many
static int check_folder(const char* folder, const char* answers_path)
{
  DIR* dir = opendir(folder);
  if (!dir) return 0;
  cJSON* answers = read_json(answers_path);
  assert_non_null(answers);
  int count = 0;
  memset(solved, 0, sizeof solved);
  solvable_count = 0;
  for (struct dirent* entry; (entry = readdir(dir));) {
    const char* dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".json") != 0 || strcmp(entry->d_name, "answers.json") == 0) continue;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    check_problem(path, answers);
    count++;
  }
  closedir(dir);
  cJSON_Delete(answers);
  for (int s = 0; s < SS_MLCP_SOLVER_COUNT; s++)
    printf("%-13s %d of %d solved\n", ss_mlcp_solver_name((ss_mlcp_solver)s), solved[s], solvable_count);
  return count;
}

static void test_own_copies(void** state)
{
  (void)state;
  int count = check_folder(SS_SOURCE_DIR "/test/data/mlcp", SS_SOURCE_DIR "/test/data/mlcp/answers.json");
  assert_true(count >= 10);
}

static void test_shared_data(void** state)
{
  (void)state;
  int count = check_folder(SS_SHARED_DATA "/problems/mlcp", SS_SHARED_DATA "/problems/answers.json");
  if (count == 0) printf("skipped: there is no %s/problems/mlcp\n", SS_SHARED_DATA);
  else printf("%d problems\n", count);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_own_copies),
    cmocka_unit_test(test_shared_data),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
