// Dot, axpy, matrix times vector: against long double sums, at every length through the change to BLAS.
#include "math/dense.h"
#include "matrices.h"
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MAX = 300 };

static double a[MAX*MAX], x[MAX], y[MAX];

// The error of a sum of n products is at most about n eps times the sum of their sizes
static void check(int n, long double sum, long double size, double got)
{
  if (fabsl(got - sum) > n*DBL_EPSILON*size) fail_msg("n %d: %.17g instead of %.17Lg", n, got, sum);
}

static void test_dot(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int n = 0; n < MAX; n++) {
    fill_uniform(n, x, &seed);
    fill_uniform(n, y, &seed);
    long double sum = 0, size = 0;
    for (int i = 0; i < n; i++) {
      sum += (long double)x[i]*y[i];
      size += fabsl((long double)x[i]*y[i]);
    }
    check(n, sum, size, ss_dot(n, x, y));
  }
}

static void test_axpy_stays_inside(void** state)
{
  (void)state;
  uint64_t seed = 2;
  for (int n = 0; n < MAX - 1; n++) {
    double before[MAX];
    fill_uniform(MAX, x, &seed);
    fill_uniform(MAX, y, &seed);
    memcpy(before, y, sizeof y);
    ss_axpy(n, 0.7, x, y);
    for (int i = 0; i < n; i++) check(2, before[i] + 0.7L*x[i], 1 + fabsl(before[i]), y[i]);
    assert_true(y[n] == before[n]);
  }
}

static void check_products(int m, int n, uint64_t* seed)
{
  fill_uniform(m*n, a, seed);
  fill_uniform(MAX, x, seed);
  y[m] = 7;
  ss_gemv(m, n, a, x, y);
  assert_true(y[m] == 7);
  for (int i = 0; i < m; i++) {
    long double sum = 0;
    for (int j = 0; j < n; j++) sum += (long double)a[i*n + j]*x[j];
    check(n, sum, n, y[i]);
  }
  y[n] = 7;
  ss_gemv_t(m, n, a, x, y);
  assert_true(y[n] == 7);
  for (int j = 0; j < n; j++) {
    long double sum = 0;
    for (int i = 0; i < m; i++) sum += (long double)a[i*n + j]*x[i];
    check(m, sum, m, y[j]);
  }
}

static void test_matrix_times_vector(void** state)
{
  (void)state;
  uint64_t seed = 3;
  for (int m = 0; m < 14; m++)
    for (int n = 0; n < 14; n++) check_products(m, n, &seed);
  for (int n = 14; n < MAX - 1; n += 13) check_products(n, MAX - 1 - n, &seed);
}

static void test_largest(void** state)
{
  (void)state;
  double v[4] = {1, -3, 2, 0};
  assert_true(ss_norm_inf(4, v) == 3);
  assert_true(ss_norm_inf(0, v) == 0);
  v[1] = NAN;
  assert_true(isnan(ss_norm_inf(4, v)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_dot),
    cmocka_unit_test(test_axpy_stays_inside),
    cmocka_unit_test(test_matrix_times_vector),
    cmocka_unit_test(test_largest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
