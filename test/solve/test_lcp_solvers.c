// Every solver of the table on every LCP of test/data/lcp and of the data set beside the project, judged by the
// residual alone; and what all of them must keep to: closed forms, units, broken data, the arena.
// link: -Wl,--wrap=malloc
// apart: shared_data
#include "families.h"
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

static double A[FAMILY_MAX*FAMILY_MAX], b[FAMILY_MAX], x[FAMILY_MAX], y[FAMILY_MAX];

static int mallocs;

void* __real_malloc(size_t bytes);
void* __wrap_malloc(size_t bytes);

void* __wrap_malloc(size_t bytes)
{
  mallocs++;
  return __real_malloc(bytes);
}

static ss_status solve(const ss_lcp* lcp, ss_lcp_solver solver, ss_lcp_solution* s)
{
  ss_lcp_def def = ss_lcp_def_default();
  def.solver = solver;
  *s = (ss_lcp_solution){.x = x, .y = y};
  ss_arena* arena = ss_arena_create(ss_lcp_solve_size(lcp->n));
  int before = mallocs;
  ss_status status = ss_lcp_solve(lcp, &def, arena, s);
  assert_int_equal(mallocs, before);
  assert_true(ss_arena_peak(arena) <= ss_lcp_solve_size(lcp->n));
  ss_arena_destroy(arena);
  return status;
}

#define EACH_SOLVER(s) for (ss_lcp_solver s = SS_LCP_AUTO; s < SS_LCP_SOLVER_COUNT; s++)

static void test_names(void** state)
{
  (void)state;
  EACH_SOLVER(s)
  {
    ss_lcp_solver found = SS_LCP_SOLVER_COUNT;
    assert_true(ss_lcp_solver_find(ss_lcp_solver_name(s), &found));
    assert_int_equal(found, s);
  }
  ss_lcp_solver untouched = SS_LCP_PGS;
  assert_false(ss_lcp_solver_find("simplex", &untouched) || ss_lcp_solver_find(NULL, &untouched));
  assert_int_equal(untouched, SS_LCP_PGS);
  assert_null(ss_lcp_solver_name((ss_lcp_solver)77));
}

// ---- data set ----

typedef struct score {
  int problems, solvable, solved[SS_LCP_SOLVER_COUNT];
} score;

static void check_status(const ss_problem* p, ss_lcp_solver solver, ss_status status, const ss_lcp_solution* s)
{
  double r = ss_lcp_residual(&p->lcp, s->x);
  if (status < 0) fail_msg("%s, %s: %s", p->name, ss_lcp_solver_name(solver), ss_status_text(status));
  if ((status == SS_OK) != (r <= 1e-10))
    fail_msg("%s, %s: residual %g, but %s", p->name, ss_lcp_solver_name(solver), r, ss_status_text(status));
  assert_true(r == s->residual);
}

// Lemke's method decides what is solvable; test_data_set.c checks that it decides rightly
static void score_problem(const ss_problem* p, const cJSON* answer, void* context)
{
  score* total = context;
  (void)answer;
  assert_in_range(p->lcp.n, 0, FAMILY_MAX);
  ss_lcp_solution s;
  bool solvable = solve(&p->lcp, SS_LCP_LEMKE, &s) == SS_OK;
  total->problems++;
  total->solvable += solvable;
  EACH_SOLVER(k)
  {
    ss_status status = solve(&p->lcp, k, &s);
    check_status(p, k, status, &s);
    total->solved[k] += status == SS_OK;
    bool spd = strstr(p->name, "spd") != NULL;
    if ((spd || k == SS_LCP_AUTO) && (status == SS_OK) != solvable)
      fail_msg("%s, %s: %s", p->name, ss_lcp_solver_name(k), ss_status_text(status));
    if (status == SS_OK && !solvable) fail_msg("%s: %s solves what has no solution", p->name, ss_lcp_solver_name(k));
  }
}

static score score_folder(const char* folder)
{
  score total = {0};
  each_problem(folder, NULL, score_problem, &total);
  printf("%s: %d problems, %d solvable\n", folder, total.problems, total.solvable);
  EACH_SOLVER(k) printf("  %-12s %d\n", ss_lcp_solver_name(k), total.solved[k]);
  return total;
}

static void test_own_copies(void** state)
{
  (void)state;
  assert_true(score_folder(SS_SOURCE_DIR "/test/data/lcp").problems >= 37);
}

static void test_shared_data(void** state)
{
  (void)state;
  needs_something(there_is(SHARED_ANSWERS), "%s", SHARED_ANSWERS);
  score total = score_folder(SS_SHARED_DATA "/problems/lcp");
  assert_true(total.problems >= 50 && total.solved[SS_LCP_AUTO] >= 46);
}

// ---- closed forms ----

// y_i = d_i x_i + b_i: x_i = max(0, -b_i/d_i)
static void test_diagonal(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int n = 1; n <= FAMILY_MAX; n += 1 + n/3) {
    memset(A, 0, sizeof A);
    for (int i = 0; i < n; i++) {
      A[i*n + i] = pow(10, 3*uniform(&seed));
      b[i] = uniform(&seed);
    }
    ss_lcp lcp = {.n = n, .A = A, .b = b};
    EACH_SOLVER(k)
    {
      ss_lcp_solution s;
      assert_int_equal(solve(&lcp, k, &s), SS_OK);
      for (int i = 0; i < n; i++) {
        double wanted = b[i] < 0 ? -b[i]/A[i*n + i] : 0;
        if (fabs(x[i] - wanted) > 1e-10*wanted)
          fail_msg("%s, n %d: x_%d is %g, not %g", ss_lcp_solver_name(k), n, i, x[i], wanted);
      }
    }
  }
}

// The last of a block that falls on a rough floor; see examples/solve_lcp.c: Lambda_N = 2, sticks with Lambda_T = -0.6
static void test_block_on_floor(void** state)
{
  (void)state;
  const double m = 2, mu = 0.5, At[9] = {1/m, 0, 0, -mu/m, 1/m, 1, 2*mu, -1, 0}, bt[3] = {-1, 0.3, 0};
  ss_lcp lcp = {.n = 3, .A = At, .b = bt};
  EACH_SOLVER(k)
  {
    ss_lcp_solution s;
    ss_status status = solve(&lcp, k, &s);
    if (status != SS_OK) fail_msg("%s: %s", ss_lcp_solver_name(k), ss_status_text(status));
    assert_true(fabs(x[0] - 2) < 1e-9 && fabs(x[1] - mu*x[0] + 0.6) < 1e-9 && fabs(x[2]) < 1e-9);
  }
}

// A positive definite A has one solution: all solvers find the same x
static void test_solvers_agree(void** state)
{
  (void)state;
  uint64_t seed = 2;
  for (int n = 2; n <= FAMILY_MAX; n += 1 + n/2) {
    double exact[FAMILY_MAX];
    make_spd(n, &seed, A, b);
    ss_lcp lcp = {.n = n, .A = A, .b = b};
    ss_lcp_solution s;
    assert_int_equal(solve(&lcp, SS_LCP_LEMKE, &s), SS_OK);
    memcpy(exact, x, sizeof x);
    EACH_SOLVER(k)
    {
      assert_int_equal(solve(&lcp, k, &s), SS_OK);
      double tol = k == SS_LCP_PGS ? 1e-7 : 1e-12;  // condition 1e3; the iteration stops at 1e-11, the others do not
      for (int i = 0; i < n; i++)
        if (fabs(x[i] - exact[i]) > tol*(1 + fabs(exact[i])))
          fail_msg("%s, n %d: x_%d is %.15g, not %.15g", ss_lcp_solver_name(k), n, i, x[i], exact[i]);
    }
  }
}

// Murty's problem takes pivoting with a bad rule 2^n steps: A upper triangular with 2 above the diagonal, b = -1.
// Solution x = (0, .., 0, 1). A P-matrix that is not symmetric.
static void test_murty(void** state)
{
  (void)state;
  enum { N = 80 };
  memset(A, 0, sizeof A);
  for (int i = 0; i < N; i++) {
    A[i*N + i] = 1;
    for (int j = i + 1; j < N; j++) A[i*N + j] = 2;
    b[i] = -1;
  }
  ss_lcp lcp = {.n = N, .A = A, .b = b};
  const ss_lcp_solver able[] = {SS_LCP_AUTO, SS_LCP_LEMKE, SS_LCP_BLOCK_PIVOT};
  for (int k = 0; k < 3; k++) {
    ss_lcp_solution s;
    ss_status status = solve(&lcp, able[k], &s);
    if (status != SS_OK) fail_msg("%s: %s", ss_lcp_solver_name(able[k]), ss_status_text(status));
    for (int i = 0; i < N; i++) assert_true(x[i] == (i == N - 1));
  }
}

// ---- units, broken data, memory ----

// Other units of rows and columns (alike, so that A stays symmetric), by powers of two: the same answer
static void test_units(void** state)
{
  (void)state;
  uint64_t seed = 3;
  for (int n = 3; n <= FAMILY_MAX; n *= 2) {
    static double scaled[FAMILY_MAX*FAMILY_MAX];
    double unit[FAMILY_MAX], scaled_b[FAMILY_MAX];
    make_spd(n, &seed, A, b);
    for (int i = 0; i < n; i++) unit[i] = ldexp(1, (int)(30*uniform(&seed)));
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) scaled[i*n + j] = unit[i]*A[i*n + j]*unit[j];
      scaled_b[i] = unit[i]*b[i];
    }
    ss_lcp lcp = {.n = n, .A = scaled, .b = scaled_b}, plain = {.n = n, .A = A, .b = b};
    EACH_SOLVER(k)
    {
      ss_lcp_solution s;
      double before[FAMILY_MAX];
      assert_int_equal(solve(&plain, k, &s), SS_OK);
      memcpy(before, x, sizeof x);
      ss_status status = solve(&lcp, k, &s);
      if (status != SS_OK) fail_msg("%s, n %d: %s", ss_lcp_solver_name(k), n, ss_status_text(status));
      for (int i = 0; i < n; i++) assert_true(fabs(x[i]*unit[i] - before[i]) <= 1e-7*(1 + before[i]));
    }
  }
}

static void test_broken_data(void** state)
{
  (void)state;
  uint64_t seed = 4;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int n = 1; n <= FAMILY_MAX; n = 2*n + 1)
    for (int c = 0; c < 6; c++) {
      make_spd(n, &seed, A, b);
      b[0] = -1;
      if (c < 3) A[n*n - 1] = bad[c];
      else b[n/2] = bad[c - 3];
      ss_lcp lcp = {.n = n, .A = A, .b = b};
      EACH_SOLVER(k)
      {
        ss_lcp_solution s;
        x[0] = 42;
        ss_status status = solve(&lcp, k, &s);
        if (status != SS_ERR_NUMERIC) fail_msg("%s, n %d: %s", ss_lcp_solver_name(k), n, ss_status_text(status));
        assert_true(x[0] == 42);  // a failure leaves the outputs alone
      }
    }
}

// Huge and tiny numbers, zero matrices: an answer or an honest status, never a NaN in x
static void test_extremes(void** state)
{
  (void)state;
  const double sizes[] = {0, 5e-324, 1e-300, 1e300, 1.7e308};
  for (int p = 0; p < 5; p++)
    for (int q = 0; q < 5; q++)
      for (int sign = 0; sign < 4; sign++) {
        double a = sign & 1 ? -sizes[p] : sizes[p], c = sign & 2 ? -sizes[q] : sizes[q];
        const double Ae[4] = {a, c, c, a}, be[2] = {-sizes[q], a};
        ss_lcp lcp = {.n = 2, .A = Ae, .b = be};
        EACH_SOLVER(k)
        {
          ss_lcp_solution s;
          ss_status status = solve(&lcp, k, &s);
          if (status < 0) continue;
          assert_true(isfinite(x[0]) && isfinite(x[1]) && x[0] >= 0 && x[1] >= 0);
          assert_true((status == SS_OK) == (ss_lcp_residual(&lcp, x) <= 1e-10));
        }
      }
}

static void test_arguments(void** state)
{
  (void)state;
  ss_lcp_def def = ss_lcp_def_default();
  make_spd(4, &(uint64_t){5}, A, b);
  b[0] = -1;
  ss_lcp lcp = {.n = 4, .A = A, .b = b}, no_matrix = {.n = 4, .A = NULL, .b = b};
  ss_lcp negative = {.n = -1, .A = A, .b = b}, empty = {.n = 0, .A = NULL, .b = NULL};
  ss_lcp_solution s = {.x = x, .y = y}, no_x = {.y = y};
  ss_arena *arena = ss_arena_create(ss_lcp_solve_size(4)), *small = ss_arena_create(64);
  EACH_SOLVER(k)
  {
    def.solver = k;
    assert_int_equal(ss_lcp_solve(&no_matrix, &def, arena, &s), SS_ERR_ARGUMENT);
    assert_int_equal(ss_lcp_solve(&negative, &def, arena, &s), SS_ERR_ARGUMENT);
    assert_int_equal(ss_lcp_solve(&lcp, &def, arena, &no_x), SS_ERR_ARGUMENT);
    assert_int_equal(ss_lcp_solve(&lcp, &def, NULL, &s), SS_ERR_ARGUMENT);
    assert_int_equal(ss_lcp_solve(&lcp, &def, small, &s), SS_ERR_CAPACITY);
    assert_int_equal(ss_lcp_solve(&empty, &def, arena, &s), SS_OK);
    assert_int_equal(ss_lcp_solve(&lcp, &def, arena, &s), SS_OK);
    assert_true(ss_arena_mark(arena) == 0);
  }
  def.solver = SS_LCP_SOLVER_COUNT;
  assert_int_equal(ss_lcp_solve(&lcp, &def, arena, &s), SS_ERR_ARGUMENT);
  def = ss_lcp_def_default();
  def.solver = SS_LCP_PGS;
  def.relaxation = 2;
  assert_int_equal(ss_lcp_solve(&lcp, &def, arena, &s), SS_ERR_ARGUMENT);
  ss_arena_destroy(arena);
  ss_arena_destroy(small);
}

// auto tells which solver it took
static void test_auto_tells(void** state)
{
  (void)state;
  ss_lcp_solution s;
  make_spd(8, &(uint64_t){6}, A, b);
  assert_int_equal(solve(&(ss_lcp){.n = 8, .A = A, .b = b}, SS_LCP_AUTO, &s), SS_OK);
  assert_int_equal(s.solver, SS_LCP_BLOCK_PIVOT);
  make_spd(32, &(uint64_t){6}, A, b);
  assert_int_equal(solve(&(ss_lcp){.n = 32, .A = A, .b = b}, SS_LCP_AUTO, &s), SS_OK);
  assert_int_equal(s.solver, SS_LCP_LEMKE);
  make_spd(96, &(uint64_t){6}, A, b);
  assert_int_equal(solve(&(ss_lcp){.n = 96, .A = A, .b = b}, SS_LCP_AUTO, &s), SS_OK);
  assert_int_equal(s.solver, SS_LCP_BLOCK_PIVOT);
  make_friction(32, 32, 0.7, 10, &(uint64_t){6}, A, b);
  assert_int_equal(solve(&(ss_lcp){.n = 96, .A = A, .b = b}, SS_LCP_AUTO, &s), SS_OK);
  assert_int_equal(s.solver, SS_LCP_LEMKE);
}

// Games of two players with k strategies each, zero blocks on the diagonal: Lemke's method ends on rays, auto goes on
static void test_bimatrix_games(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int k = 7; k <= 19; k += 4) {
    int n = 2*k;
    ss_lcp lcp = {.n = n, .A = A, .b = b};
    ss_lcp_solution s;
    memset(A, 0, sizeof A);
    for (int i = 0; i < k; i++)
      for (int j = 0; j < k; j++) {
        A[i*n + k + j] = 1.5 + uniform(&seed);
        A[(k + i)*n + j] = 1.5 + uniform(&seed);
      }
    for (int i = 0; i < n; i++) b[i] = -1;
    assert_int_equal(solve(&lcp, SS_LCP_LEMKE, &s), SS_RAY);
    assert_int_equal(solve(&lcp, SS_LCP_AUTO, &s), SS_OK);
    assert_true(s.solver == SS_LCP_NEWTON_FB || s.solver == SS_LCP_NEWTON_MIN);
    assert_true(ss_lcp_residual(&lcp, x) <= 1e-10);
  }
}

int main(int argc, char** argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_names),          cmocka_unit_test(test_own_copies),
    cmocka_unit_test(test_shared_data),    cmocka_unit_test(test_diagonal),
    cmocka_unit_test(test_block_on_floor), cmocka_unit_test(test_solvers_agree),
    cmocka_unit_test(test_murty),          cmocka_unit_test(test_units),
    cmocka_unit_test(test_broken_data),    cmocka_unit_test(test_extremes),
    cmocka_unit_test(test_arguments),      cmocka_unit_test(test_auto_tells),
    cmocka_unit_test(test_bimatrix_games),
  };
  return run_tests_apart(argc, argv, "*shared_data*", tests, NULL, NULL);
}
