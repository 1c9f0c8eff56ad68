// What auto tells of its attempts, and what it leaves when it gives up: the best x, and a ray or a proof.
#include "families.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stickslip/lcp.h>
#include <stickslip/mlcp.h>
#include <cmocka.h>

static double A[FAMILY_MAX*FAMILY_MAX], b[FAMILY_MAX], x[FAMILY_MAX], y[FAMILY_MAX], ray[FAMILY_MAX];

static ss_status solve(int n, ss_lcp_solver solver, ss_lcp_solution* s)
{
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp lcp = {.n = n, .A = A, .b = b};
  def.solver = solver;
  *s = (ss_lcp_solution){.x = x, .y = y, .ray = ray};
  ss_arena* arena = ss_arena_create(ss_lcp_solve_size(n));
  ss_status status = ss_lcp_solve(&lcp, &def, arena, s);
  ss_arena_destroy(arena);
  return status;
}

static void check_log(const ss_lcp_solution* s, int count, const char* const* names)
{
  int iterations = 0;
  assert_int_equal(s->log.count, count);
  for (int k = 0; k < count; k++) {
    const ss_attempt* a = &s->log.attempt[k];
    assert_string_equal(a->solver, names[k]);
    assert_true(a->why && *a->why);
    assert_true((a->status == SS_OK) == (a->residual <= 1e-10));
    assert_true(a->status == SS_OK ? k == count - 1 : 1);  // the first that succeeds is the last that is tried
    iterations += a->iterations;
  }
  assert_int_equal(iterations, s->iterations);
}

static void test_each_solver_logs_itself(void** state)
{
  (void)state;
  for (ss_lcp_solver k = SS_LCP_LEMKE; k < SS_LCP_SOLVER_COUNT; k++) {
    ss_lcp_solution s;
    make_spd(12, &(uint64_t){1}, A, b);
    assert_int_equal(solve(12, k, &s), SS_OK);
    check_log(&s, 1, (const char*[]){ss_lcp_solver_name(k)});
  }
}

static void test_auto_logs_its_choices(void** state)
{
  (void)state;
  ss_lcp_solution s;
  make_spd(96, &(uint64_t){1}, A, b);
  assert_int_equal(solve(96, SS_LCP_AUTO, &s), SS_OK);
  check_log(&s, 1, (const char*[]){"block-pivot"});
  make_friction(32, 32, 0.7, 10, &(uint64_t){6}, A, b);
  assert_int_equal(solve(96, SS_LCP_AUTO, &s), SS_OK);
  check_log(&s, 1, (const char*[]){"lemke"});
}

// A game of two players: Lemke's method ends on rays, Newton's finds an equilibrium; the log has both
static void test_log_of_a_game(void** state)
{
  (void)state;
  enum { K = 7, N = 2*K };
  uint64_t seed = 1;
  for (int i = 0; i < N*N; i++) A[i] = 0;
  for (int i = 0; i < K; i++)
    for (int j = 0; j < K; j++) {
      A[i*N + K + j] = 1.5 + uniform(&seed);
      A[(K + i)*N + j] = 1.5 + uniform(&seed);
    }
  for (int i = 0; i < N; i++) b[i] = -1;
  ss_lcp_solution s;
  assert_int_equal(solve(N, SS_LCP_AUTO, &s), SS_OK);
  assert_true(s.log.count >= 2);
  assert_string_equal(s.log.attempt[0].solver, "lemke");
  assert_int_equal(s.log.attempt[0].status, SS_RAY);
}

// y_1 = -x_1 - 1 has no solution, beside 19 rows that have one: feasible by no x, so the ray proves it
static void test_proof_of_infeasibility(void** state)
{
  (void)state;
  enum { N = 20 };
  ss_lcp_solution s;
  make_spd(N, &(uint64_t){3}, A, b);
  for (int j = 0; j < N; j++) A[j] = A[j*N] = 0;
  A[0] = -1;
  b[0] = -1;
  assert_int_equal(solve(N, SS_LCP_AUTO, &s), SS_RAY);
  assert_true(s.infeasible);
  assert_true(ss_lcp_proves_infeasible(&(ss_lcp){.n = N, .A = A, .b = b}, ray));
  check_log(&s, 1, (const char*[]){"lemke"});
  ss_sparse S;
  assert_int_equal(ss_sparse_from_dense(N, N, A, &S, NULL), SS_OK);
  assert_true(ss_lcp_proves_infeasible(&(ss_lcp){.n = N, .S = &S, .b = b}, ray));
  ray[1] += 1;
  assert_false(ss_lcp_proves_infeasible(&(ss_lcp){.n = N, .S = &S, .b = b}, ray));
  ss_sparse_free(&S);
}

// What is no proof is not taken for one
static void test_false_proofs(void** state)
{
  (void)state;
  const double M[4] = {-1, 0, 0, 1}, q[2] = {-1, -1}, up[4] = {1e-9, 0, 0, 1};
  ss_lcp lcp = {.n = 2, .A = M, .b = q}, feasible = {.n = 2, .A = up, .b = q};
  assert_true(ss_lcp_proves_infeasible(&lcp, (const double[]){1, 0}));
  assert_false(ss_lcp_proves_infeasible(&lcp, (const double[]){0, 1}));        // its column rises
  assert_false(ss_lcp_proves_infeasible(&lcp, (const double[]){0, 0}));        // says nothing
  assert_false(ss_lcp_proves_infeasible(&lcp, (const double[]){-1, 0}));       // not v >= 0
  assert_false(ss_lcp_proves_infeasible(&lcp, (const double[]){NAN, 0}));
  assert_false(ss_lcp_proves_infeasible(&feasible, (const double[]){1, 0}));  // x_1 = 1e9 is a solution
  ss_lcp plus = {.n = 2, .A = M, .b = (const double[]){1, -1}};
  assert_false(ss_lcp_proves_infeasible(&plus, (const double[]){1, 0}));      // b.v > 0
}

// y_0 = x_1 - 1, y_1 = 1: feasible, but y_1 > 0 forces x_1 = 0 and then y_0 = -1. No solver finds a solution, none can
// prove it; auto has tried them all and returns the nearest x.
static void test_best_of_all_attempts(void** state)
{
  (void)state;
  enum { N = 16 };
  for (int i = 0; i < N*N; i++) A[i] = 0;
  for (int i = 0; i < N; i++) {
    A[i*N + i] = 1;
    b[i] = 0.5 - i%2;
  }
  A[0] = A[N + 1] = 0;
  A[1] = 1;
  b[0] = -1;
  b[1] = 1;
  ss_lcp_solution s;
  assert_int_equal(solve(N, SS_LCP_AUTO, &s), SS_RAY);
  assert_false(s.infeasible);
  assert_int_equal(s.log.count, 3);
  double best = INFINITY;
  for (int k = 0; k < 3; k++) best = fmin(best, s.log.attempt[k].residual);
  assert_true(s.residual == best && best > 1e-3);
  assert_true(ss_lcp_residual(&(ss_lcp){.n = N, .A = A, .b = b}, x) == s.residual);
}

// More attempts than places: the last is in the last place, all are counted
static void test_long_log(void** state)
{
  (void)state;
  ss_attempt_log log = {0};
  for (int k = 0; k < SS_ATTEMPT_MAX + 3; k++) ss_attempt_add(&log, (ss_attempt){.solver = "x", .iterations = k});
  assert_int_equal(log.count, SS_ATTEMPT_MAX + 3);
  assert_int_equal(ss_attempts_listed(&log), SS_ATTEMPT_MAX);
  assert_int_equal(log.attempt[SS_ATTEMPT_MAX - 1].iterations, SS_ATTEMPT_MAX + 2);
  assert_int_equal(log.attempt[0].iterations, 0);
}

// ---- mixed ----

static ss_status solve_mixed(int n, const double* M, const double* q, const double* lower, ss_mlcp_solution* s)
{
  static const double none[2] = {INFINITY, INFINITY};
  ss_mlcp mlcp = {.n = n, .A = M, .b = q, .lower = lower, .upper = none};
  ss_mlcp_def def = ss_mlcp_def_default();
  *s = (ss_mlcp_solution){.z = x, .w = y, .ray = ray};
  ss_arena* arena = ss_arena_create(ss_mlcp_solve_size(n));
  ss_status status = ss_mlcp_solve(&mlcp, &def, arena, s);
  ss_arena_destroy(arena);
  return status;
}

static void test_mixed_log(void** state)
{
  (void)state;
  ss_mlcp_solution s;
  const double open[2] = {-INFINITY, -INFINITY}, zero[2] = {0, 0};
  assert_int_equal(solve_mixed(2, (const double[]){1, 2, 3, 4}, (const double[]){1, 1}, open, &s), SS_OK);
  assert_int_equal(s.log.count, 1);
  assert_string_equal(s.log.attempt[0].solver, "mlcp-path");
  // x + y = 1 and x + y = 2: a proof v with v^T A = 0, v.b < 0, and nothing else is tried
  const double M[4] = {1, 1, 1, 1}, q[2] = {-1, -2};
  assert_int_equal(solve_mixed(2, M, q, open, &s), SS_RAY);
  assert_true(s.infeasible && s.log.count == 1);
  assert_true(ray[0]*M[0] + ray[1]*M[2] == 0 && ray[0]*M[1] + ray[1]*M[3] == 0 && ray[0]*q[0] + ray[1]*q[1] < 0);
  // w = -z - 1, z >= 0: a ray; all are tried
  assert_int_equal(solve_mixed(1, (const double[]){-1}, (const double[]){-1}, zero, &s), SS_RAY);
  assert_int_equal(s.log.count, 3);
  assert_false(s.infeasible);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_solver_logs_itself), cmocka_unit_test(test_auto_logs_its_choices),
    cmocka_unit_test(test_log_of_a_game),           cmocka_unit_test(test_proof_of_infeasibility),
    cmocka_unit_test(test_false_proofs),            cmocka_unit_test(test_best_of_all_attempts),
    cmocka_unit_test(test_long_log),                cmocka_unit_test(test_mixed_log),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
