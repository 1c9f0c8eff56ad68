// An x so large that b is lost in its rows has a tiny backward error and solves nothing: it must not pass, in whatever
// units, by whatever solver, beside whatever other rows. An x that other rows have made large must.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stickslip/certify.h>
#include <string.h>
#include <cmocka.h>

enum { MAX = 40 };

// [1 -1; -1 1] with b = -1 has no solution: y_1 + y_2 = -2 for every x. Beside it rows y_i = x_i - 1, which have one.
static double A[MAX*MAX], b[MAX], lower[MAX], upper[MAX];

static void make_contradiction(int n)
{
  memset(A, 0, sizeof A);
  for (int i = 0; i < n; i++) {
    A[i*n + i] = 1;
    upper[i] = INFINITY;
    lower[i] = 0;
    b[i] = -1;
  }
  A[1] = A[n] = -1;
}

// The four numbers that judge x, dense and sparse
static void judge(int n, const double* x, double r[8])
{
  ss_sparse S;
  assert_int_equal(ss_sparse_from_dense(n, n, A, &S, NULL), SS_OK);
  ss_lcp lcp = {.n = n, .A = A, .b = b}, thin = {.n = n, .b = b, .S = &S};
  ss_mlcp mlcp = {.n = n, .A = A, .b = b, .lower = lower, .upper = upper}, thin_m = mlcp;
  thin_m.A = NULL;
  thin_m.S = &S;
  r[0] = ss_lcp_residual(&lcp, x), r[1] = ss_lcp_residual(&thin, x);
  r[2] = ss_mlcp_residual(&mlcp, x), r[3] = ss_mlcp_residual(&thin_m, x);
  r[4] = ss_lcp_certify(&lcp, x), r[5] = ss_lcp_certify(&thin, x);
  r[6] = ss_mlcp_certify(&mlcp, x), r[7] = ss_mlcp_certify(&thin_m, x);
  ss_sparse_free(&S);
}

static void expect_lost(int n, const double* x, const char* what)
{
  double r[8];
  judge(n, x, r);
  for (int k = 0; k < 8; k++)
    if (!(r[k] > 1e-3)) fail_msg("%s: x_1 = %g, residual %d is %g", what, x[0], k, r[k]);
}

static void test_residuals(void** state)
{
  (void)state;
  for (int n = 2; n <= MAX; n += 19) {
    double x[MAX];
    make_contradiction(n);
    for (int i = 2; i < n; i++) x[i] = 1;
    for (double size = 16; size < 1e19; size *= 4) {
      x[0] = x[1] = size;
      expect_lost(n, x, "both wrong");
      x[0] = size + 1;
      expect_lost(n, x, "one wrong");
    }
  }
}

// A bound is a given number as b is: z_3 = 1, its upper bound, stands for b
static void test_bounds(void** state)
{
  (void)state;
  const double M[] = {1, -1, -1, -1, 1, -1, 0, 0, 1}, zero[3] = {0, 0, -2}, up[] = {INFINITY, INFINITY, 1};
  ss_mlcp mlcp = {.n = 3, .A = M, .b = zero, .lower = lower, .upper = up};
  memset(lower, 0, sizeof lower);
  for (double size = 16; size < 1e19; size *= 4) {
    double z[] = {size, size, 1};
    assert_true(ss_mlcp_residual(&mlcp, z) > 1e-3);
    assert_true(ss_mlcp_certify(&mlcp, z) > 1e-3);
  }
}

static void test_solvers(void** state)
{
  (void)state;
  double x[MAX], y[MAX];
  for (int n = 3; n <= MAX; n += 37) {
    make_contradiction(n);
    ss_sparse S;
    assert_int_equal(ss_sparse_from_dense(n, n, A, &S, NULL), SS_OK);
    for (int sparse = 0; sparse < 2; sparse++)
      for (int k = 0; k < SS_LCP_SOLVER_COUNT; k++) {
        ss_lcp lcp = {.n = n, .A = sparse ? NULL : A, .b = b, .S = sparse ? &S : NULL};
        ss_lcp_def def = ss_lcp_def_default();
        ss_lcp_solution s = {.x = x, .y = y};
        def.solver = (ss_lcp_solver)k;
        ss_arena* arena = ss_arena_create(ss_lcp_size(&lcp));
        ss_status status = ss_lcp_solve(&lcp, &def, arena, &s);
        if (status <= SS_OK) fail_msg("%s, n = %d: %s", ss_lcp_solver_name(def.solver), n, ss_status_text(status));
        if (k == SS_LCP_AUTO && !s.infeasible) fail_msg("auto, n = %d: no proof", n);
        ss_arena_destroy(arena);
      }
    ss_sparse_free(&S);
  }
}

static void test_mixed_solvers(void** state)
{
  (void)state;
  double z[MAX], w[MAX];
  make_contradiction(3);
  for (int free_unknowns = 0; free_unknowns < 2; free_unknowns++) {
    lower[0] = lower[1] = free_unknowns ? -INFINITY : 0;
    for (int k = 0; k < SS_MLCP_SOLVER_COUNT; k++) {
      ss_mlcp mlcp = {.n = 3, .A = A, .b = b, .lower = lower, .upper = upper};
      ss_mlcp_def def = ss_mlcp_def_default();
      ss_mlcp_solution s = {.z = z, .w = w};
      def.solver = (ss_mlcp_solver)k;
      ss_arena* arena = ss_arena_create(ss_mlcp_solve_size(3));
      ss_status status = ss_mlcp_solve(&mlcp, &def, arena, &s);
      if (status <= SS_OK) fail_msg("%s: %s", ss_mlcp_solver_name(def.solver), ss_status_text(status));
      ss_arena_destroy(arena);
    }
  }
}

// ---- what must pass ----

static void expect_solved(int n, const double* x, const char* what)
{
  double r[8];
  judge(n, x, r);
  for (int k = 0; k < 8; k++)
    if (!(r[k] <= 1e-10)) fail_msg("%s: residual %d is %g", what, k, r[k]);
}

// x_1 = 1 by its own row, and each x_i = x_(i-1) by row i, where b_i is 16 or more digits below and met by none of them
static void test_driven_by_others(void** state)
{
  (void)state;
  double x[MAX];
  int n = MAX;
  make_contradiction(n);
  memset(A, 0, sizeof A);
  for (int turned = 0; turned < 2; turned++) {
    for (int i = 0; i < n; i++) {
      int row = turned ? n - 1 - i : i;
      memset(A + row*n, 0, sizeof(double)*(size_t)n);
      A[row*n + row] = 1;
      if (i > 0) A[row*n + row + (turned ? 1 : -1)] = -1;
      b[row] = i == 0 ? -1 : 1e-17;
      x[row] = 1 + 1e-12*i;
    }
    expect_solved(n, x, "chain");
  }
}

// b = 0 there: any x_1 = x_2 will do, and only the terms tell what is small
static void test_nothing_given(void** state)
{
  (void)state;
  double x[3] = {5 + 1e-11, 5, 1};
  make_contradiction(3);
  b[0] = b[1] = 0;
  expect_solved(3, x, "homogeneous");
}

// Condition 1e6: x is 1e6 times what b alone would make it, and right to four digits
static void test_ill_conditioned(void** state)
{
  (void)state;
  make_contradiction(2);
  A[0] = A[3] = 1 + 1e-6;
  double x[2] = {1e6*(1 + 1e-5), 1e6*(1 + 1e-5)};
  expect_solved(2, x, "ill-conditioned");
}

// Unknowns and equations in other units: the same number to the last bit, as the factors are powers of two
static void test_units(void** state)
{
  (void)state;
  double x[3] = {1e9, 1e9, 1}, was[8], is[8];
  make_contradiction(3);
  judge(3, x, was);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) A[3*i + j] *= ldexp(1, 30*i)*ldexp(1, -20*j);
    b[i] *= ldexp(1, 30*i);
    x[i] *= ldexp(1, 20*i);
  }
  judge(3, x, is);
  assert_memory_equal(was, is, sizeof was);
}

// ---- what is not a number ----

// Column 2 is empty: no sum knows x_2
static void test_not_finite(void** state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  make_contradiction(2);
  A[1] = A[2] = A[3] = 0;
  b[1] = 1;
  for (int k = 0; k < 3; k++) {
    double x[2] = {1, bad[k]}, r[8];
    judge(2, x, r);
    for (int j = 0; j < 8; j++)
      if (r[j] != INFINITY) fail_msg("x_2 = %g: residual %d is %g", bad[k], j, r[j]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_residuals),        cmocka_unit_test(test_bounds),
    cmocka_unit_test(test_solvers),          cmocka_unit_test(test_mixed_solvers),
    cmocka_unit_test(test_driven_by_others), cmocka_unit_test(test_nothing_given),
    cmocka_unit_test(test_ill_conditioned),  cmocka_unit_test(test_units),
    cmocka_unit_test(test_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
