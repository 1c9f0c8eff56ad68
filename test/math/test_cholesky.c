// Cholesky: L L^T = A, solves, refusal of what is not positive definite.
#include "math/dense.h"
#include "matrices.h"
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MAX = 180 };

static double A[MAX*MAX], L[MAX*MAX], x[MAX], rhs[MAX];

// |A - L L^T| is at most about n eps sqrt(a_ii a_jj)      [Higham 2002, theorem 10.3]
static void check_factor(int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      long double sum = 0;
      for (int k = 0; k <= j; k++) sum += (long double)L[i*n + k]*L[j*n + k];
      if (fabsl(sum - A[i*n + j]) > (n + 2)*DBL_EPSILON*sqrt(A[i*n + i]*A[j*n + j]))
        fail_msg("n %d, (%d, %d): %.17Lg instead of %.17g", n, i, j, sum, A[i*n + j]);
    }
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) assert_true(L[i*n + j] == A[i*n + j]);
}

// The backward error of the solution is that of the factorisation
static void check_solution(int n)
{
  double worst = 0, size = 0;
  for (int i = 0; i < n; i++) {
    long double r = -rhs[i];
    for (int j = 0; j < n; j++) r += (long double)A[i*n + j]*x[j];
    worst = fmax(worst, (double)fabsl(r));
    double row = 0;
    for (int j = 0; j < n; j++) row += fabs(A[i*n + j]*x[j]);
    size = fmax(size, row);
  }
  if (worst > 4*(n + 2)*DBL_EPSILON*size) fail_msg("n %d: residual %g of %g", n, worst, size);
}

static void test_factor_and_solve(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int n = 0; n < MAX; n += n < 40 ? 1 : 9) {
    fill_spd(n, n, 0.1, A, &seed);
    memcpy(L, A, sizeof A);
    assert_true(ss_chol_factor(n, L));
    check_factor(n);
    fill_uniform(n, rhs, &seed);
    memcpy(x, rhs, sizeof x);
    ss_chol_solve(n, L, x);
    check_solution(n);
  }
}

static void test_hilbert(void** state)
{
  (void)state;
  fill_hilbert(10, A);
  memcpy(L, A, sizeof A);
  assert_true(ss_chol_factor(10, L));
  check_factor(10);
}

static void test_refuses_indefinite_and_nan(void** state)
{
  (void)state;
  const int sizes[] = {1, 2, 5, 31, 64, 100};
  uint64_t seed = 2;
  for (int s = 0; s < 6; s++) {
    int n = sizes[s];
    for (int k = 0; k < n; k += 1 + n/5) {
      const double bad[] = {-1, 0, NAN, INFINITY};
      for (int c = 0; c < 4; c++) {
        fill_spd(n, n, 1, L, &seed);
        for (int j = 0; j < n && bad[c] == 0; j++) L[k*n + j] = L[j*n + k] = 0;
        L[k*n + k] = bad[c];
        assert_false(ss_chol_factor(n, L));
      }
      if (k == 0) continue;
      fill_spd(n, n, 1, L, &seed);
      L[k*n + k/2] = NAN;
      assert_false(ss_chol_factor(n, L));
    }
  }
}

// A bound of x . y that no unit changes: x_j times c_j, y_j over c_j, A_ij times c_i c_j
static void test_size(void** state)
{
  (void)state;
  enum { N = 5 };
  uint64_t seed = 7;
  double y[N], size[2], sum = 0;
  fill_spd(N, N, 1, A, &seed);
  for (int i = 0; i < N; i++) x[i] = cos(3*i), y[i] = sin(2*i + 1);
  for (int i = 0; i < N; i++) sum += x[i]*y[i];
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) L[i*N + j] = A[i*N + j]*(k ? pow(1e3, i + j) : 1);
    for (int i = 0; i < N && k; i++) x[i] *= pow(1e3, i), y[i] /= pow(1e3, i);
    assert_true(ss_chol_factor(N, L));
    size[k] = ss_chol_size(N, L, x, y);
  }
  assert_true(size[0] >= fabs(sum));
  assert_true(fabs(size[1] - size[0]) <= 1e-13*size[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_factor_and_solve),
    cmocka_unit_test(test_hilbert),
    cmocka_unit_test(test_refuses_indefinite_and_nan),
    cmocka_unit_test(test_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
