// LU with partial pivoting: both solves, and refusal of singular matrices.
#include "math/dense.h"
#include "matrices.h"
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MAX = 180 };

static double A[MAX*MAX], LU[MAX*MAX], x[MAX], rhs[MAX];
static int piv[MAX];

// Backward error: |A x - rhs| against |A||x|, with room for the growth of the pivots
static void check_solution(int n, bool transposed)
{
  double worst = 0, size = 0;
  for (int i = 0; i < n; i++) {
    long double r = -rhs[i];
    double row = 0;
    for (int j = 0; j < n; j++) {
      double a = transposed ? A[j*n + i] : A[i*n + j];
      r += (long double)a*x[j];
      row += fabs(a*x[j]);
    }
    worst = fmax(worst, (double)fabsl(r));
    size = fmax(size, row);
  }
  if (worst > 10*(n + 2)*DBL_EPSILON*size) fail_msg("n %d, transposed %d: %g of %g", n, transposed, worst, size);
}

static void check_both(int n, uint64_t* seed)
{
  memcpy(LU, A, sizeof A);
  assert_true(ss_lu_factor(n, LU, piv));
  fill_uniform(n, rhs, seed);
  memcpy(x, rhs, sizeof x);
  ss_lu_solve(n, LU, piv, x);
  check_solution(n, false);
  memcpy(x, rhs, sizeof x);
  ss_lu_solve_t(n, LU, piv, x);
  check_solution(n, true);
}

static void test_random(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int n = 0; n < MAX; n += n < 60 ? 1 : 9) {
    fill_uniform(n*n, A, &seed);
    check_both(n, &seed);
  }
}

// A cyclic shift: every diagonal entry is zero, so every step must exchange rows
static void test_permutation(void** state)
{
  (void)state;
  uint64_t seed = 2;
  for (int n = 2; n < MAX; n += 8) {
    memset(A, 0, sizeof A);
    for (int i = 0; i < n; i++) A[i*n + (i + 1)%n] = 1;
    check_both(n, &seed);
  }
}

static void test_refuses_singular_and_nan(void** state)
{
  (void)state;
  uint64_t seed = 3;
  const int sizes[] = {1, 2, 3, 8, 31, 64, 100};
  for (int s = 0; s < 7; s++) {
    int n = sizes[s];
    fill_uniform(n*n, A, &seed);
    for (int i = 0; i < n; i++) A[i*n + n/2] = 0;
    assert_false(ss_lu_factor(n, A, piv));
    const double bad[] = {NAN, INFINITY};
    for (int c = 0; c < 2; c++)
      for (int k = 0; k < n*n; k += 1 + n*n/7) {
        fill_uniform(n*n, A, &seed);
        A[k] = bad[c];
        assert_false(ss_lu_factor(n, A, piv));
      }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_random),
    cmocka_unit_test(test_permutation),
    cmocka_unit_test(test_refuses_singular_and_nan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
