// The LCP residual: zero for solutions, finds what is wrong, does not depend on units.
#include "math/matrices.h"
#include "solve/residual.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MAX = 150 };

static double A[MAX*MAX], b[MAX], x[MAX], y[MAX];

// A random LCP with a known solution: y, x >= 0 complementary, b = y - A x in long double
static ss_lcp with_solution(int n, uint64_t* seed)
{
  fill_uniform(n*n, A, seed);
  for (int i = 0; i < n; i++) {
    double u = uniform(seed);
    x[i] = u > 0 ? u : 0;
    y[i] = u < 0 ? -u : 0;
  }
  for (int i = 0; i < n; i++) {
    long double sum = y[i];
    for (int j = 0; j < n; j++) sum -= (long double)A[i*n + j]*x[j];
    b[i] = (double)sum;
  }
  return (ss_lcp){.n = n, .A = A, .b = b};
}

static void test_solutions_leave_round_off(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int n = 1; n < MAX; n += 1 + n/10) {
    ss_lcp lcp = with_solution(n, &seed);
    double r = ss_lcp_residual(&lcp, x);
    if (r > 1e-15) fail_msg("n %d: %g", n, r);
  }
}

static void test_gives_y(void** state)
{
  (void)state;
  uint64_t seed = 2;
  for (int n = 1; n < MAX; n += 13) {
    double again[MAX], sizes[MAX];
    ss_lcp lcp = with_solution(n, &seed);
    assert_true(ss_lcp_residual_y(&lcp, x, again, sizes) == ss_lcp_residual(&lcp, x));
    for (int i = 0; i < n; i++)
      if (fabs(again[i] - y[i]) > 1e-15*n) fail_msg("n %d, y_%d: %g instead of %g", n, i, again[i], y[i]);
  }
}

// x = 2 solves y = x - 2. Errors seen in closed form.
static void test_one_unknown(void** state)
{
  (void)state;
  const double a = 1, two = -2, plus = 2;
  ss_lcp solvable = {.n = 1, .A = &a, .b = &two};
  double at = 2;
  assert_true(ss_lcp_residual(&solvable, &at) == 0);
  at = 0;  // y = -2 of parts that add up to 2
  assert_true(ss_lcp_residual(&solvable, &at) == 1);
  at = 3;  // y = 1 of 5; dropping x would change 3 of 5
  assert_true(ss_lcp_residual(&solvable, &at) == 0.2);
  at = 1;  // y = -1 of 3
  assert_true(ss_lcp_residual(&solvable, &at) == 1.0/3);
  ss_lcp open = {.n = 1, .A = &a, .b = &plus};
  at = 0;
  assert_true(ss_lcp_residual(&open, &at) == 0);
  at = 1e-20;  // y = 2 is far from zero, but the speck of x does not matter
  assert_true(ss_lcp_residual(&open, &at) <= 1e-20);
  at = -1;  // dropping x changes 1 of 3
  assert_true(ss_lcp_residual(&open, &at) == 1.0/3);
  at = -1e-20;
  double tiny = ss_lcp_residual(&open, &at);
  assert_true(tiny > 0 && tiny <= 1e-20);
}

static void test_finds_the_wrong_part(void** state)
{
  (void)state;
  uint64_t seed = 3;
  for (int n = 2; n < MAX; n += 1 + n/5) {
    ss_lcp lcp = with_solution(n, &seed);
    for (int i = 0; i < n; i += 1 + n/7) {
      double right = x[i];
      x[i] = right > 0 ? 0 : 0.3;  // open what is closed, close what is open
      assert_true(ss_lcp_residual(&lcp, x) > 1e-5);
      x[i] = -0.3;
      assert_true(ss_lcp_residual(&lcp, x) > 1e-5);
      x[i] = right;
    }
  }
}

// Rows and columns in other units. Powers of two change nothing at all; others only by round-off.
static void test_units_do_not_matter(void** state)
{
  (void)state;
  uint64_t seed = 4;
  for (int n = 1; n < 100; n += 1 + n/6) {
    static double scaled_A[MAX*MAX];
    double scaled_b[MAX], scaled_x[MAX];
    ss_lcp lcp = with_solution(n, &seed), scaled = {.n = n, .A = scaled_A, .b = scaled_b};
    for (int wrong = 0; wrong < 2; wrong++) {
      if (wrong)
        for (int i = 0; i < n; i++) x[i] += 0.1*uniform(&seed);
      for (int exact = 0; exact < 2; exact++) {
        double row[MAX], column[MAX];
        for (int i = 0; i < n; i++) {
          row[i] = exact ? ldexp(1, (int)(20*uniform(&seed))) : pow(10, 6*uniform(&seed));
          column[i] = exact ? ldexp(1, (int)(20*uniform(&seed))) : pow(10, 6*uniform(&seed));
        }
        for (int i = 0; i < n; i++) {
          for (int j = 0; j < n; j++) scaled_A[i*n + j] = row[i]*A[i*n + j]*column[j];
          scaled_b[i] = row[i]*b[i];
          scaled_x[i] = x[i]/column[i];
        }
        double r = ss_lcp_residual(&lcp, x), s = ss_lcp_residual(&scaled, scaled_x);
        if (exact ? r != s : fabs(r - s) > 1e-15) fail_msg("n %d: %.17g became %.17g", n, r, s);
      }
    }
  }
}

static void test_broken_data_is_infinitely_wrong(void** state)
{
  (void)state;
  uint64_t seed = 5;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int n = 1; n < MAX; n += 1 + n/3)
    for (int c = 0; c < 3; c++) {
      ss_lcp lcp = with_solution(n, &seed);
      double* places[] = {&A[n*n - 1], &A[n/2*n + n/3], &b[n/2], &x[n/2]};
      for (int k = 0; k < 4; k++) {
        double good = *places[k];
        *places[k] = bad[c];
        assert_true(ss_lcp_residual(&lcp, x) == INFINITY);
        *places[k] = good;
      }
    }
}

static void test_empty_and_zero(void** state)
{
  (void)state;
  ss_lcp empty = {.n = 0, .A = A, .b = b};
  assert_true(ss_lcp_residual(&empty, x) == 0);
  const double zero[4] = {0};
  ss_lcp zeros = {.n = 2, .A = zero, .b = zero};
  assert_true(ss_lcp_residual(&zeros, zero) == 0);
  // a column of zeros does not tell what a small x is: x > 0 beside y > 0 is wrong by all of y, x < 0 without measure
  const double one[1] = {1}, five[1] = {5}, minus[1] = {-5};
  ss_lcp flat = {.n = 1, .A = zero, .b = one};
  assert_true(ss_lcp_residual(&flat, zero) == 0);
  assert_true(ss_lcp_residual(&flat, five) == 1);
  assert_true(isinf(ss_lcp_residual(&flat, minus)));
}

// y_i = x_i - 2: many rows wrong at once in a problem whose sums need the heap. x_i = 3 is wrong by y = 1 of 5.
static void test_large_and_wrong_everywhere(void** state)
{
  (void)state;
  enum { LARGE = 300 };
  static double I[LARGE*LARGE], minus_two[LARGE], at[LARGE];
  for (int i = 0; i < LARGE; i++) {
    I[i*LARGE + i] = 1;
    minus_two[i] = -2;
    at[i] = 3;
  }
  ss_lcp lcp = {.n = LARGE, .A = I, .b = minus_two};
  assert_true(ss_lcp_residual(&lcp, at) == 0.2);
  at[LARGE - 1] = -1;  // y = -3 of 3
  assert_true(ss_lcp_residual(&lcp, at) == 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_solutions_leave_round_off),
    cmocka_unit_test(test_gives_y),
    cmocka_unit_test(test_one_unknown),
    cmocka_unit_test(test_finds_the_wrong_part),
    cmocka_unit_test(test_units_do_not_matter),
    cmocka_unit_test(test_broken_data_is_infinitely_wrong),
    cmocka_unit_test(test_empty_and_zero),
    cmocka_unit_test(test_large_and_wrong_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
