// All solutions of an LCP: closed forms, the example of Ma et al., and the public data set.
// apart: shared_data
#include "../math/matrices.h"
#include "base/text.h"
#include <cjson/cJSON.h>
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

static ss_lcp_solutions* enumerate(int n, const double* A, const double* b)
{
  ss_lcp lcp = {.n = n, .A = A, .b = b};
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solutions* all = NULL;
  assert_int_equal(ss_lcp_enumerate(&lcp, &def, &all), SS_OK);
  assert_non_null(all);
  assert_true(all->complete && all->n == n);
  for (int k = 0; k < all->n_pieces; k++)
    for (int v = 0; v < all->pieces[k].n_vertices; v++)
      assert_true(ss_lcp_residual(&lcp, all->pieces[k].vertices + v*n) <= def.tol);
  return all;
}

static int count_points(const ss_lcp_solutions* all)
{
  int points = 0;
  for (int k = 0; k < all->n_pieces; k++) points += all->pieces[k].n_vertices == 1 && all->pieces[k].n_rays == 0;
  return points;
}

// y = a x + b with one unknown: all four cases, and y = 0 for every x
static void test_one_unknown(void** state)
{
  (void)state;
  const struct { double a, b; ss_lcp_count count; int points; } cases[] = {
    {1, -2, SS_LCP_FINITE, 1}, {1, 2, SS_LCP_FINITE, 1},   {-1, 2, SS_LCP_FINITE, 2}, {-1, -2, SS_LCP_NONE, 0},
    {0, 1, SS_LCP_FINITE, 1},  {0, 0, SS_LCP_INFINITE, 0}, {0, -1, SS_LCP_NONE, 0},   {1, 0, SS_LCP_FINITE, 1},
  };
  for (size_t k = 0; k < sizeof cases/sizeof *cases; k++) {
    ss_lcp_solutions* all = enumerate(1, &cases[k].a, &cases[k].b);
    if (all->count != cases[k].count || count_points(all) != cases[k].points)
      fail_msg("y = %g x + %g: count %d, %d points", cases[k].a, cases[k].b, (int)all->count, count_points(all));
    ss_lcp_solutions_destroy(all);
  }
}

// A = -1, b = 1 on the diagonal: every x_i is 0 or 1, so 2^n solutions
static void test_all_corners_of_a_cube(void** state)
{
  (void)state;
  enum { N = 8 };
  double A[N*N] = {0}, b[N];
  for (int i = 0; i < N; i++) {
    A[i*N + i] = -1;
    b[i] = 1;
  }
  ss_lcp_solutions* all = enumerate(N, A, b);
  assert_int_equal(all->n_pieces, 1 << N);
  assert_int_equal(all->count, SS_LCP_FINITE);
  ss_lcp_solutions_destroy(all);
}

// y_1 = y_2 = x_1 + x_2 - 1: the segment between (1, 0) and (0, 1)
static void test_segment(void** state)
{
  (void)state;
  const double A[4] = {1, 1, 1, 1}, b[2] = {-1, -1};
  ss_lcp_solutions* all = enumerate(2, A, b);
  assert_int_equal(all->count, SS_LCP_INFINITE);
  assert_int_equal(all->n_pieces, 1);
  assert_int_equal(all->pieces[0].n_vertices, 2);
  assert_int_equal(all->pieces[0].n_rays, 0);
  for (int v = 0; v < 2; v++) {
    const double* x = all->pieces[0].vertices + 2*v;
    assert_true(fabs(x[0] + x[1] - 1) < 1e-15 && fabs(x[0]*x[1]) < 1e-15);
  }
  ss_lcp_solutions_destroy(all);
}

// The rod of Ma et al. 2016, eq. (7), lifted by F_y/m = 1 under 45 degrees with mu = 1: x = (1, alpha, alpha), alpha >=
// 0. x = (g_N, g_T+, g_T-), y = (F_N, F_T+, F_T-). Only g_N and g_T = g_T+ - g_T- enter y: with the inverse mass matrix
// (g_N, g_T) = K (F_N, F_T) + (1, 0),  F_T+- = (mu F_N +- F_T)/2.  K here: m = 1, J = 1/3, l = 1 at 45 degrees.
static void test_ma(void** state)
{
  (void)state;
  const double K[4] = {2.5, 1.5, 1.5, 2.5}, det = K[0]*K[3] - K[1]*K[2];
  const double I[4] = {K[3]/det, -K[1]/det, -K[2]/det, K[0]/det};  // (F_N, F_T) = I (g_N - 1, g_T)
  const double F[3][2] = {{I[0], I[1]}, {(I[0] + I[2])/2, (I[1] + I[3])/2}, {(I[0] - I[2])/2, (I[1] - I[3])/2}};
  double A[9], b[3];
  for (int i = 0; i < 3; i++) {
    A[3*i] = F[i][0];
    A[3*i + 1] = F[i][1];
    A[3*i + 2] = -F[i][1];
    b[i] = -F[i][0];
  }
  ss_lcp_solutions* all = enumerate(3, A, b);
  assert_int_equal(all->count, SS_LCP_INFINITE);
  bool found = false;
  for (int k = 0; k < all->n_pieces; k++) {
    const ss_lcp_piece* p = &all->pieces[k];
    if (p->n_rays != 1 || p->n_vertices != 1) continue;
    const double *v = p->vertices, *r = p->rays;
    found |= fabs(v[0] - 1) < 1e-14 && v[1] == 0 && v[2] == 0 && r[0] == 0 && r[1] == 1 && fabs(r[2] - 1) < 1e-14;
  }
  assert_true(found);
  ss_lcp_solutions_destroy(all);
}

// A = 0, b = 0: the whole cone x >= 0, with its n rays
static void test_whole_cone(void** state)
{
  (void)state;
  const double zero[16] = {0};
  ss_lcp_solutions* all = enumerate(4, zero, zero);
  assert_int_equal(all->n_pieces, 1);
  assert_int_equal(all->pieces[0].n_vertices, 1);
  assert_int_equal(all->pieces[0].n_rays, 4);
  ss_lcp_solutions_destroy(all);
}

// Other units change nothing but the units of x
static void test_units(void** state)
{
  (void)state;
  uint64_t seed = 7;
  for (int turn = 0; turn < 20; turn++) {
    enum { N = 6 };
    double A[N*N], b[N], scaled[N*N], scaled_b[N];
    fill_uniform(N*N, A, &seed);
    fill_uniform(N, b, &seed);
    double row[N], column[N];
    for (int i = 0; i < N; i++) {
      row[i] = pow(10, 6*uniform(&seed));
      column[i] = pow(10, 6*uniform(&seed));
    }
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) scaled[i*N + j] = row[i]*A[i*N + j]*column[j];
      scaled_b[i] = row[i]*b[i];
    }
    ss_lcp_solutions *one = enumerate(N, A, b), *two = enumerate(N, scaled, scaled_b);
    assert_int_equal(one->n_pieces, two->n_pieces);
    for (int k = 0; k < one->n_pieces; k++) {
      assert_int_equal(one->pieces[k].set, two->pieces[k].set);
      for (int j = 0; j < N; j++) {
        double x = one->pieces[k].vertices[j];
        assert_true(fabs(two->pieces[k].vertices[j]*column[j] - x) <= 1e-9*(1 + x));
      }
    }
    ss_lcp_solutions_destroy(one);
    ss_lcp_solutions_destroy(two);
  }
}

static void test_bad_arguments(void** state)
{
  (void)state;
  static double A[21*21], b[21];
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solutions* all = NULL;
  ss_lcp large = {.n = 21, .A = A, .b = b}, none = {.n = 0, .A = A, .b = b};
  ss_lcp empty = {.n = 2, .A = NULL, .b = b}, nan = {.n = 2, .A = A, .b = b};
  assert_int_equal(ss_lcp_enumerate(&large, &def, &all), SS_ERR_ARGUMENT);
  assert_int_equal(ss_lcp_enumerate(&none, &def, &all), SS_ERR_ARGUMENT);
  assert_int_equal(ss_lcp_enumerate(&empty, &def, &all), SS_ERR_ARGUMENT);
  assert_int_equal(ss_lcp_enumerate(NULL, &def, &all), SS_ERR_ARGUMENT);
  A[1] = NAN;
  assert_int_equal(ss_lcp_enumerate(&nan, &def, &all), SS_ERR_NUMERIC);
  assert_null(all);
  ss_lcp_solutions_destroy(NULL);
}

// ---- data set ----

// Each known isolated solution is found
static void check_points(const char* name, const ss_lcp_solutions* all, const cJSON* known)
{
  const cJSON* point;
  cJSON_ArrayForEach(point, known)
  {
    bool found = false;
    for (int k = 0; k < all->n_pieces && !found; k++) {
      double distance = 0;
      for (int j = 0; j < all->n; j++) {
        double x = cJSON_GetArrayItem(point, j)->valuedouble;
        distance = fmax(distance, fabs(all->pieces[k].vertices[j] - x)/(1 + fabs(x)));
      }
      found = distance < 1e-8;
    }
    if (!found) fail_msg("%s: a known solution was not found", name);
  }
}

// Which x vary on some piece, and whether one is unbounded
static void check_pieces(const char* name, const ss_lcp_solutions* all, const cJSON* answer)
{
  unsigned varying = 0, wanted = 0;
  bool unbounded = false;
  for (int k = 0; k < all->n_pieces; k++) {
    const ss_lcp_piece* p = &all->pieces[k];
    unbounded |= p->n_rays > 0;
    for (int j = 0; j < all->n; j++) {
      for (int v = 1; v < p->n_vertices; v++)
        if (fabs(p->vertices[v*all->n + j] - p->vertices[j]) > 1e-8) varying |= 1u << j;
      for (int r = 0; r < p->n_rays; r++)
        if (p->rays[r*all->n + j] > 1e-8) varying |= 1u << j;
    }
  }
  const cJSON* index;
  cJSON_ArrayForEach(index, cJSON_GetObjectItem(answer, "varying_components")) wanted |= 1u << index->valueint;
  if (varying != wanted) fail_msg("%s: varying %x, not %x", name, varying, wanted);
  bool known = cJSON_IsTrue(cJSON_GetObjectItem(answer, "unbounded"));
  if (unbounded != known) fail_msg("%s: unbounded %d, not %d", name, unbounded, known);
}

static bool check_problem(const char* folder, const cJSON* answer)
{
  if (!cJSON_GetObjectItem(answer, "complete")) return false;
  char path[1024];
  ss_error error;
  snprintf(path, sizeof path, "%s/lcp/%s.json", folder, answer->string);
  ss_problem* problem = ss_problem_load(path, &error);
  if (!problem) fail_msg("%s: %s", path, error.text);
  const ss_lcp* lcp = &problem->lcp;
  ss_lcp_solutions* all = enumerate(lcp->n, lcp->A, lcp->b);
  int isolated = cJSON_GetObjectItem(answer, "isolated")->valueint;
  int pieces = cJSON_GetObjectItem(answer, "continuous_pieces")->valueint;
  ss_lcp_count count = pieces ? SS_LCP_INFINITE : isolated ? SS_LCP_FINITE : SS_LCP_NONE;
  if (all->count != count) fail_msg("%s: count %d, not %d", answer->string, (int)all->count, (int)count);
  if (count_points(all) != isolated) fail_msg("%s: %d points, not %d", answer->string, count_points(all), isolated);
  check_points(answer->string, all, cJSON_GetObjectItem(answer, "solutions"));
  if (pieces) check_pieces(answer->string, all, answer);
  ss_lcp_solutions_destroy(all);
  ss_problem_destroy(problem);
  return true;
}

static void test_shared_data(void** state)
{
  (void)state;
  needs_something(there_is(SHARED_ANSWERS), "%s", SHARED_ANSWERS);
  cJSON *answers = read_answers(SHARED_ANSWERS), *answer;
  int count = 0;
  cJSON_ArrayForEach(answer, answers)
  {
    const cJSON* cls = cJSON_GetObjectItem(answer, "cls");
    bool lcp = cJSON_IsString(cls) && strcmp(cls->valuestring, "lcp") == 0;
    if (lcp) count += check_problem(SS_SHARED_DATA "/problems", answer);
  }
  printf("%d problems\n", count);
  assert_true(count >= 30);
  cJSON_Delete(answers);
}

int main(int argc, char** argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_unknown), cmocka_unit_test(test_all_corners_of_a_cube),
    cmocka_unit_test(test_segment),     cmocka_unit_test(test_ma),
    cmocka_unit_test(test_whole_cone),  cmocka_unit_test(test_units),
    cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_shared_data),
  };
  return run_tests_apart(argc, argv, "*shared_data*", tests, NULL, NULL);
}
