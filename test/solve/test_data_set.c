// Every LCP of test/data/lcp, and of the data set beside the project if it is there, judged by the residual and, where
// the solution is unique, by x. Unsolvable ones must end on a ray.
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

static void check_solution(const char* name, int n, const double* x, const cJSON* known)
{
  for (int i = 0; known && i < n; i++) {
    double wanted = cJSON_GetArrayItem(known, i)->valuedouble;
    if (fabs(x[i] - wanted) > 1e-8*(1 + fabs(wanted))) fail_msg("%s: x_%d is %.12g, not %.12g", name, i, x[i], wanted);
  }
}

static void check_problem(const char* path, const cJSON* answers)
{
  ss_error error;
  ss_problem* problem = ss_problem_load(path, &error);
  if (!problem) fail_msg("%s: %s", path, error.text);
  const cJSON* answer = cJSON_GetObjectItem(answers, problem->name);
  if (!answer) fail_msg("%s: no answer is known", problem->name);
  int n = problem->lcp.n;
  double* x = calloc(2*(size_t)n, sizeof *x);
  ss_arena* arena = ss_arena_create(ss_lcp_lemke_size(n));
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solution s = {.x = x, .y = x + n};
  ss_status status = ss_lcp_lemke(&problem->lcp, &def, arena, &s);
  bool solvable = cJSON_IsTrue(cJSON_GetObjectItem(answer, "solvable"));
  if (status != (solvable ? SS_OK : SS_RAY)) fail_msg("%s: %s", problem->name, ss_status_text(status));
  if (solvable) {
    double r = ss_lcp_residual(&problem->lcp, x);
    if (!(r <= 1e-10)) fail_msg("%s: residual %g", problem->name, r);
    check_solution(problem->name, n, x, unique_solution(answer));
  }
  ss_arena_destroy(arena);
  ss_problem_destroy(problem);
  free(x);
}

// All *.json of a folder except the answers; returns how many
static int check_folder(const char* folder, const char* answers_path)
{
  DIR* dir = opendir(folder);
  if (!dir) return 0;
  cJSON* answers = read_json(answers_path);
  assert_non_null(answers);
  int count = 0;
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
  return count;
}

static void test_own_copies(void** state)
{
  (void)state;
  int count = check_folder(SS_SOURCE_DIR "/test/data/lcp", SS_SOURCE_DIR "/test/data/lcp/answers.json");
  assert_true(count >= 37);
}

static void test_shared_data(void** state)
{
  (void)state;
  int count = check_folder(SS_SHARED_DATA "/problems/lcp", SS_SHARED_DATA "/problems/answers.json");
  if (count == 0) printf("skipped: there is no %s/problems/lcp\n", SS_SHARED_DATA);
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
