// C = A B^T, rectangular and symmetric.
#include "math/dense.h"
#include "matrices.h"
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MAX = 80 };

static double A[MAX*MAX], B[MAX*MAX], C[MAX*MAX + 1];

static void check(int m, int n, int k)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      long double sum = 0;
      for (int l = 0; l < k; l++) sum += (long double)A[i*k + l]*B[j*k + l];
      if (fabsl(C[i*n + j] - sum) > k*k*DBL_EPSILON)
        fail_msg("%d x %d, k %d, (%d, %d): %.17g instead of %.17Lg", m, n, k, i, j, C[i*n + j], sum);
    }
}

static void test_all_shapes(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int m = 0; m < 9; m++)
    for (int n = 0; n < 9; n++)
      for (int k = 0; k < 13; k++) {
        fill_uniform(m*k, A, &seed);
        fill_uniform(n*k, B, &seed);
        C[m*n] = 7;
        ss_abt(m, n, k, A, B, C);
        check(m, n, k);
        assert_true(C[m*n] == 7);
      }
  for (int n = 9; n < MAX; n += 5) {
    fill_uniform(MAX*MAX, A, &seed);
    fill_uniform(MAX*MAX, B, &seed);
    ss_abt(MAX - n, n, n, A, B, C);
    check(MAX - n, n, n);
  }
}

// A = S^T and B = D S^T with D diagonal: A B^T = S^T D S is symmetric
static void test_symmetric_is_exactly_symmetric(void** state)
{
  (void)state;
  uint64_t seed = 2;
  for (int m = 0; m < MAX; m += m < 9 ? 1 : 7)
    for (int k = 1; k < MAX; k += k < 9 ? 1 : 11) {
      fill_uniform(m*k, A, &seed);
      for (int i = 0; i < m; i++)
        for (int l = 0; l < k; l++) B[i*k + l] = A[i*k + l]*(1 + 0.125*l);
      C[m*m] = 7;
      ss_abt_sym(m, k, A, B, C);
      check(m, m, k);
      assert_true(C[m*m] == 7);
      for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++) assert_true(C[i*m + j] == C[j*m + i]);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_all_shapes),
    cmocka_unit_test(test_symmetric_is_exactly_symmetric),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
