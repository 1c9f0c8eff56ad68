// Pivoted Cholesky: rank, permutation, factor, units, solution of consistent singular systems.
#include "math/dense.h"
#include "matrices.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MAX = 24 };

static double A[MAX*MAX], L[MAX*MAX], x[MAX], rhs[MAX], work[MAX];
static int perm[MAX];

static void check_factor(int n, int rank)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      long double sum = 0;
      for (int k = 0; k <= j && k < rank; k++) sum += (long double)L[i*n + k]*L[j*n + k];
      double a = A[perm[i]*n + perm[j]], size = sqrt(A[perm[i]*n + perm[i]]*A[perm[j]*n + perm[j]]);
      if (fabsl(sum - a) > 1e-13*size) fail_msg("n %d rank %d (%d, %d): %.17Lg, not %.17g", n, rank, i, j, sum, a);
    }
  int seen[MAX] = {0};
  for (int i = 0; i < n; i++) seen[perm[i]]++;
  for (int i = 0; i < n; i++) assert_int_equal(seen[i], 1);
}

static void test_rank_of_random_matrices(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int n = 1; n < MAX; n++)
    for (int k = 1; k <= n; k++) {
      fill_spd(n, k, 0, A, &seed);
      memcpy(L, A, sizeof A);
      int rank = ss_chol_pivoted(n, L, perm, 1e-11);
      assert_int_equal(rank, k);
      check_factor(n, rank);
    }
}

// Rows in other units: the same pivots, hence the same choice of independent rows
static void test_units_do_not_matter(void** state)
{
  (void)state;
  uint64_t seed = 2;
  int before[MAX];
  for (int n = 2; n < MAX; n += 3) {
    int k = (n + 1)/2;
    fill_spd(n, k, 0, A, &seed);
    memcpy(L, A, sizeof A);
    assert_int_equal(ss_chol_pivoted(n, L, before, 1e-11), k);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) A[i*n + j] = ldexp(A[i*n + j], (i*7)%41 - 20 + (j*7)%41 - 20);
    memcpy(L, A, sizeof A);
    assert_int_equal(ss_chol_pivoted(n, L, perm, 1e-11), k);
    check_factor(n, k);
    assert_memory_equal(perm, before, sizeof(int)*(size_t)n);
  }
}

static void test_solves_consistent_systems(void** state)
{
  (void)state;
  uint64_t seed = 3;
  for (int n = 1; n < MAX; n++) {
    int k = (n + 1)/2;
    fill_spd(n, k, 0, A, &seed);
    fill_uniform(n, x, &seed);
    for (int i = 0; i < n; i++) {
      rhs[i] = 0;
      for (int j = 0; j < n; j++) rhs[i] += A[i*n + j]*x[j];
    }
    memcpy(L, A, sizeof A);
    memcpy(x, rhs, sizeof x);
    int rank = ss_chol_pivoted(n, L, perm, 1e-11);
    ss_chol_pivoted_solve(n, rank, L, perm, x, work);
    for (int i = 0; i < n; i++) {
      double r = -rhs[i];
      for (int j = 0; j < n; j++) r += A[i*n + j]*x[j];
      if (fabs(r) > 1e-10*n) fail_msg("n %d: row %d misses by %g", n, i, r);
    }
  }
}

static void test_rows_without_a_diagonal_are_dependent(void** state)
{
  (void)state;
  double Z[9] = {0, 0, 0, 0, 4, 0, 0, 0, NAN};
  assert_int_equal(ss_chol_pivoted(3, Z, perm, 1e-12), 1);
  assert_int_equal(perm[0], 1);
  double one[1] = {-1};
  assert_int_equal(ss_chol_pivoted(1, one, perm, 1e-12), 0);
  assert_int_equal(ss_chol_pivoted(0, one, perm, 1e-12), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rank_of_random_matrices),
    cmocka_unit_test(test_units_do_not_matter),
    cmocka_unit_test(test_solves_consistent_systems),
    cmocka_unit_test(test_rows_without_a_diagonal_are_dependent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
