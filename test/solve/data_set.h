// The problems of a folder and what is known about them, for the tests of the data sets. Include it after cmocka.h.
#ifndef TEST_SOLVE_DATA_SET_H
#define TEST_SOLVE_DATA_SET_H

#include "base/text.h"
#include <cjson/cJSON.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/problem.h>
#include <string.h>

#define OWN_ANSWERS(class) SS_SOURCE_DIR "/test/data/" class "/answers.json"
#define SHARED_ANSWERS SS_SHARED_DATA "/problems/answers.json"

static inline bool there_is(const char* path)
{
  FILE* f = fopen(path, "r");  // a folder too
  if (f) fclose(f);
  return f != NULL;
}

static inline cJSON* read_answers(const char* path)
{
  char* text = ss_read_file(path, NULL, NULL);
  cJSON* json = text ? cJSON_Parse(text) : NULL;
  free(text);
  if (!json) fail_msg("%s cannot be read", path);
  return json;
}

/// The one known solution, NULL if there are several or none is known.
static inline const cJSON* unique_solution(const cJSON* answer)
{
  const cJSON* x = cJSON_GetObjectItem(answer, "x");  // our own copy of the answers
  if (x) return x;
  const cJSON* count = cJSON_GetObjectItem(answer, "n_solutions");
  if (!cJSON_IsNumber(count) || count->valuedouble != 1) return NULL;
  return cJSON_GetArrayItem(cJSON_GetObjectItem(answer, "solutions"), 0);
}

/// Fails if x is not the one solution, where there is one.
static inline void check_unique(const char* name, int n, const double* x, const cJSON* answer)
{
  const cJSON* known = unique_solution(answer);
  for (int i = 0; known && i < n; i++) {
    double wanted = cJSON_GetArrayItem(known, i)->valuedouble;
    if (fabs(x[i] - wanted) > 1e-8*(1 + fabs(wanted))) fail_msg("%s: x_%d is %.12g, not %.12g", name, i, x[i], wanted);
  }
}

static inline bool is_solvable(const cJSON* answer) { return cJSON_IsTrue(cJSON_GetObjectItem(answer, "solvable")); }

static inline int is_problem_file(const struct dirent* entry)
{
  const char* dot = strrchr(entry->d_name, '.');
  if (strcmp(entry->d_name, "answers.json") == 0) return 0;
  return dot && (strcmp(dot, ".json") == 0 || strcmp(dot, ".hdf5") == 0);
}

/// Calls check() for every problem of the folder with what is known about it (NULL if answers is); returns how many.
static inline int each_problem(const char* folder, const cJSON* answers,
                               void check(const ss_problem* problem, const cJSON* answer, void* context), void* context)
{
  struct dirent** entry = NULL;
  int n = scandir(folder, &entry, is_problem_file, alphasort);
  for (int i = 0; i < n; i++) {
    char path[1024];
    ss_error error;
    snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
    ss_problem* problem = ss_problem_load(path, &error);
    if (!problem) fail_msg("%s: %s", path, error.text);
    const cJSON* answer = answers ? cJSON_GetObjectItem(answers, problem->name) : NULL;
    if (answers && !answer) fail_msg("%s: no answer is known", problem->name);
    check(problem, answer, context);
    ss_problem_destroy(problem);
    free(entry[i]);
  }
  free(entry);
  return n;
}

#endif
