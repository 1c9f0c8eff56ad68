// Condition estimates against the true condition number, from an inverse in long double.
#include "math/dense.h"
#include "matrices.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MAX = 60 };

static double A[MAX*MAX], F[MAX*MAX], work[3*MAX];
static int piv[MAX];

// |A^-1|_1 by Gauss-Jordan with row pivoting in long double
static double true_inverse_norm1(int n)
{
  static long double T[MAX][2*MAX];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      T[i][j] = A[i*n + j];
      T[i][n + j] = i == j;
    }
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k; i < n; i++)
      if (fabsl(T[i][k]) > fabsl(T[p][k])) p = i;
    for (int j = 0; j < 2*n; j++) {
      long double t = T[k][j];
      T[k][j] = T[p][j];
      T[p][j] = t;
    }
    for (int j = 2*n - 1; j >= k; j--) T[k][j] /= T[k][k];
    for (int i = 0; i < n; i++)
      for (int j = 2*n - 1; i != k && j >= k; j--) T[i][j] -= T[i][k]*T[k][j];
  }
  double norm = 0;
  for (int j = 0; j < n; j++) {
    long double sum = 0;
    for (int i = 0; i < n; i++) sum += fabsl(T[i][n + j]);
    norm = fmax(norm, (double)sum);
  }
  return norm;
}

// Estimated over true reciprocal condition by LU and, for a positive definite matrix, by Cholesky: both in [1, factor]
static double check(int n, bool spd, double factor)
{
  double norm = ss_norm1(n, A), truth = 1/(norm*true_inverse_norm1(n));
  memcpy(F, A, sizeof A);
  assert_true(ss_lu_factor(n, F, piv));
  double ratio = ss_lu_rcond(n, F, piv, norm, work)/truth;
  if (ratio < 0.99 || ratio > factor) fail_msg("LU, n %d: estimate over truth is %g", n, ratio);
  if (!spd) return ratio;
  memcpy(F, A, sizeof A);
  assert_true(ss_chol_factor(n, F));
  double chol = ss_chol_rcond(n, F, norm, work)/truth;
  if (chol < 0.99 || chol > factor) fail_msg("Cholesky, n %d: estimate over truth is %g", n, chol);
  return fmax(chol, ratio);
}

static void test_hilbert(void** state)
{
  (void)state;
  for (int n = 1; n <= 9; n++) {  // beyond, the factors in double no longer know the condition to a percent
    fill_hilbert(n, A);
    check(n, true, 3);
  }
}

// Random matrices: nearly all within a factor of 3, the worst within 10
static void test_random(void** state)
{
  (void)state;
  uint64_t seed = 1;
  int count = 0, beyond = 0;
  for (int n = 1; n < MAX; n += 1 + n/9)
    for (int c = 0; c < 20; c++) {
      bool spd = c%2;
      if (spd) fill_spd(n, n, 1e-3, A, &seed);
      else fill_uniform(n*n, A, &seed);
      count++;
      beyond += check(n, spd, 10) > 3;
    }
  if (beyond*50 > count) fail_msg("%d of %d estimates are off by more than 3", beyond, count);
}

static void test_extremes(void** state)
{
  (void)state;
  A[0] = 4;
  check(1, true, 1.001);
  assert_true(ss_chol_rcond(0, A, 0, work) == 1);
  assert_true(ss_lu_rcond(1, A, piv, 0, work) == 0);
  memset(A, 0, sizeof A);
  for (int i = 0; i < 20; i++) A[i*20 + i] = 1;
  check(20, true, 1.001);
  A[19*20 + 19] = 1e-12;
  check(20, true, 1.001);
}

static void test_norm(void** state)
{
  (void)state;
  const double M[4] = {1, -2, -3, 4};
  assert_true(ss_norm1(2, M) == 6);
  const double N[4] = {NAN, -2, -3, 4};
  assert_true(isnan(ss_norm1(2, N)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_hilbert),
    cmocka_unit_test(test_random),
    cmocka_unit_test(test_extremes),
    cmocka_unit_test(test_norm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
