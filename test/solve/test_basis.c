// Complementary bases: the refined solution of one, and the search through all.
#include "families.h"
#include "solve/basis.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { MAX = 40 };

static double A[MAX*MAX], b[MAX];

static ss_tableau make_tableau(const ss_lcp* lcp)
{
  ss_tableau t;
  ss_tableau_init(&t, lcp->n, malloc(ss_tableau_size(lcp->n)));
  assert_true(ss_tableau_scale(&t, lcp));
  return t;
}

// Rows and columns of very different size: y = 0 to the last bits of each row
static void test_solution_is_small_row_by_row(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int n = 1; n <= MAX; n++) {
    make_spd(n, &seed, A, b);
    for (int i = 0; i < n; i++) {
      double r = pow(10, 5*uniform(&seed));
      for (int j = 0; j < n; j++) A[i*n + j] *= r*pow(10, 5*sin(j));
      b[i] *= r;
    }
    ss_lcp lcp = {.n = n, .A = A, .b = b};
    ss_tableau t = make_tableau(&lcp);
    for (int j = 0; j < n; j++) t.place[j] = j%3 == 2 ? 0 : -1;  // two of three are basic
    assert_true(ss_basis_solve(&t, &lcp));
    ss_tableau_solution(&t, -HUGE_VAL, t.x);
    for (int i = 0; i < n; i++) {
      if (i%3 == 2) {
        assert_true(t.x[i] == 0);
        continue;
      }
      long double sum = b[i], size = fabs(b[i]);
      for (int j = 0; j < n; j++) {
        sum += (long double)A[i*n + j]*t.x[j];
        size += fabsl((long double)A[i*n + j]*t.x[j]);
      }
      if (fabsl(sum) > 1e-15L*size) fail_msg("n %d, row %d: %Lg of %Lg", n, i, sum, size);
    }
    free(t.T);
  }
}

static void test_singular_basis_is_refused(void** state)
{
  (void)state;
  const double M[] = {1, 1, 1, 1}, q[] = {-1, -1};
  ss_lcp lcp = {.n = 2, .A = M, .b = q};
  ss_tableau t = make_tableau(&lcp);
  t.place[0] = t.place[1] = -1;
  assert_false(ss_basis_solve(&t, &lcp));
  free(t.T);
}

// Random matrices with a solution put in: enumeration finds one, of whatever kind
static void test_enumeration_finds_a_solution(void** state)
{
  (void)state;
  uint64_t seed = 2;
  for (int c = 0; c < 400; c++) {
    int n = 1 + c%8;
    double x[8], y[8];
    fill_uniform(n*n, A, &seed);
    for (int i = 0; i < n; i++) {
      double u = uniform(&seed);
      x[i] = u > 0 ? u : 0;
      y[i] = u < 0 ? -u : 0;
      if (c%3 == 0) A[i*n + c%n] = floor(2*uniform(&seed));  // some singular principal parts
    }
    for (int i = 0; i < n; i++) {
      b[i] = y[i];
      for (int j = 0; j < n; j++) b[i] -= A[i*n + j]*x[j];
    }
    ss_lcp lcp = {.n = n, .A = A, .b = b};
    ss_tableau t = make_tableau(&lcp);
    assert_true(ss_basis_enumerate(&t, &lcp, 1e-10));
    assert_true(ss_lcp_residual(&lcp, t.x) <= 1e-10);
    free(t.T);
  }
}

static void test_enumeration_sees_that_there_is_none(void** state)
{
  (void)state;
  const double M[] = {1, -1, -1, 1}, q[] = {1, -2};
  ss_lcp lcp = {.n = 2, .A = M, .b = q};
  ss_tableau t = make_tableau(&lcp);
  assert_false(ss_basis_enumerate(&t, &lcp, 1e-10));
  free(t.T);
}

// A singular basis with a whole line of solutions: x_1 + x_2 = 1
static void test_enumeration_uses_singular_bases(void** state)
{
  (void)state;
  const double M[] = {0, 0, 1, 0, 0, 1, 1, 1, 0}, q[] = {-1, -1, -1};  // only S = {1, 2, 3} solves it, rank 2
  ss_lcp lcp = {.n = 3, .A = M, .b = q};
  ss_tableau t = make_tableau(&lcp);
  assert_true(ss_basis_enumerate(&t, &lcp, 1e-10));
  assert_true(fabs(t.x[0] + t.x[1] - 1) < 1e-15 && fabs(t.x[2] - 1) < 1e-15);
  free(t.T);
}

// Nearly singular but solvable, x of order 1e6; and so nearly singular that x would leave nothing of b
static void test_enumeration_and_nearly_singular_bases(void** state)
{
  (void)state;
  const double M[] = {-0.62500816128777592, 0.90431081410496306, 0, -1.8768798192884577, 2.7156168870818416, 1,
                      2.0482938124471923, -1, 0};
  const double q[] = {-0.094248941856878321, -0.28302542261432567, 0};
  ss_lcp lcp = {.n = 3, .A = M, .b = q};
  ss_tableau t = make_tableau(&lcp);
  assert_true(ss_basis_enumerate(&t, &lcp, 1e-10));
  assert_true(fabs(t.x[0]/1233651.8209 - 1) < 1e-2);  // the condition number is 1e13
  free(t.T);
  const double N[] = {1, -1, -1, 1 + 1e-15}, r[] = {1, -2};
  lcp = (ss_lcp){.n = 2, .A = N, .b = r};
  t = make_tableau(&lcp);
  assert_false(ss_basis_enumerate(&t, &lcp, 1e-10));
  free(t.T);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_solution_is_small_row_by_row),
    cmocka_unit_test(test_singular_basis_is_refused),
    cmocka_unit_test(test_enumeration_finds_a_solution),
    cmocka_unit_test(test_enumeration_sees_that_there_is_none),
    cmocka_unit_test(test_enumeration_uses_singular_bases),
    cmocka_unit_test(test_enumeration_and_nearly_singular_bases),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
