// The MLCP residual: that of the LCP where the bounds are 0 and infinity, zero for solutions, independent of units.
#include "solve/mlcp.h"
#include <stickslip/lcp.h>
#include "mlcp_families.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static mixed p;
static double z[MIXED_MAX], w[MIXED_MAX];

// A problem with a known solution: z at a bound with w of the right sign, or inside with w = 0; b = w - A z
static ss_mlcp with_solution(int n, uint64_t* seed)
{
  p.n = n;
  fill_uniform(n*n, p.A, seed);
  for (int i = 0; i < n; i++) {
    double u = uniform(seed), c = uniform(seed);
    p.lower[i] = i%4 == 1 ? -INFINITY : c;
    p.upper[i] = i%4 == 2 ? INFINITY : c + 1;
    bool at_lower = u < -0.3 && i%4 != 1, at_upper = u > 0.3 && i%4 != 2;
    z[i] = at_lower ? p.lower[i] : at_upper ? p.upper[i] : c + 0.5;
    w[i] = at_lower ? -u : at_upper ? -u : 0;
  }
  for (int i = 0; i < n; i++) {
    long double sum = w[i];
    for (int j = 0; j < n; j++) sum -= (long double)p.A[i*n + j]*z[j];
    p.b[i] = (double)sum;
  }
  return as_mlcp(&p);
}

static void test_solutions_leave_round_off(void** state)
{
  (void)state;
  uint64_t seed = 1;
  double again[MIXED_MAX];
  for (int n = 1; n < 150; n += 1 + n/10) {
    ss_mlcp mlcp = with_solution(n, &seed);
    double r = ss_mlcp_residual_w(&mlcp, z, again);
    if (r > 1e-14) fail_msg("n %d: %g", n, r);
    assert_true(r == ss_mlcp_residual(&mlcp, z));
    for (int i = 0; i < n; i++) assert_true(fabs(again[i] - w[i]) < 1e-14*n);
  }
}

static void test_is_that_of_the_lcp(void** state)
{
  (void)state;
  uint64_t seed = 2;
  for (int n = 1; n < 150; n += 1 + n/10) {
    ss_mlcp mlcp = with_solution(n, &seed);
    set_bounds(&p, 0, n, 0, INFINITY);
    for (int i = 0; i < n && n%2; i++) p.A[i*n + n/2] = 0;  // a column that says nothing about its unknown
    ss_lcp lcp = {.n = n, .A = p.A, .b = p.b};
    for (int turn = 0; turn < 4; turn++) {
      for (int i = 0; i < n; i++) z[i] = turn == 0 ? 0 : i%turn ? uniform(&seed) : 1e-9*uniform(&seed);
      double a = ss_mlcp_residual(&mlcp, z), b = ss_lcp_residual(&lcp, z);
      if (isinf(b) ? a != b : fabs(a - b) > 1e-13*b) fail_msg("n %d: %.17g instead of %.17g", n, a, b);
    }
  }
}

// w = z - 2 on [1, 5]: z = 2
static void test_one_unknown(void** state)
{
  (void)state;
  const double a = 1, b = -2, lower = 1, upper = 5;
  ss_mlcp box = {.n = 1, .A = &a, .b = &b, .lower = &lower, .upper = &upper};
  double at = 2;
  assert_true(ss_mlcp_residual(&box, &at) == 0);
  at = 3;  // w = 1 of 5; moving z to its bound would change 2 of 5, the bound 2 of 1
  assert_true(ss_mlcp_residual(&box, &at) == 0.2);
  at = 1;  // w = -1 of 3
  assert_true(ss_mlcp_residual(&box, &at) == 1.0/3);
  at = 0.5;  // w = -1.5 of 2.5 at the lower bound, which is 0.5 of 1 away, 0.5 of 2.5 in the equation
  assert_true(ss_mlcp_residual(&box, &at) == 0.6);
}

// w = z + 3 on [1, 5]: z = 1; w = -z - 3 on the same: z = 5
static void test_bounds(void** state)
{
  (void)state;
  double a = 1, b = 3, lower = 1, upper = 5, at = 1;
  ss_mlcp box = {.n = 1, .A = &a, .b = &b, .lower = &lower, .upper = &upper};
  assert_true(ss_mlcp_residual(&box, &at) == 0);
  at = 1 + 0x1p-40;  // a speck above the bound
  assert_true(ss_mlcp_residual(&box, &at) < 0x1p-40);
  at = 1 - 0x1p-40;
  assert_true(ss_mlcp_residual(&box, &at) < 0x1p-40 && ss_mlcp_residual(&box, &at) > 0);
  at = 5;
  assert_true(ss_mlcp_residual(&box, &at) == 0.5);  // 4 of 8 in the equation, 4/1 of the bound, w 8 of 8
  a = -1;
  b = -3;
  assert_true(ss_mlcp_residual(&box, &at) == 0);
  upper = 1;  // fixed: any w will do
  at = 1;
  assert_true(ss_mlcp_residual(&box, &at) == 0);
  lower = -INFINITY;
  upper = INFINITY;  // free: an equation
  assert_true(ss_mlcp_residual(&box, &at) == 1);
  at = -3;
  assert_true(ss_mlcp_residual(&box, &at) == 0);
}

static void test_units_do_not_matter(void** state)
{
  (void)state;
  static mixed q;
  uint64_t seed = 4;
  for (int n = 1; n < 100; n += 1 + n/6) {
    ss_mlcp mlcp = with_solution(n, &seed);
    double y[MIXED_MAX];
    for (int wrong = 0; wrong < 2; wrong++) {
      for (int i = 0; i < n && wrong; i++) z[i] += 0.1*uniform(&seed);
      q.n = n;
      for (int i = 0; i < n; i++) {
        double row = ldexp(1, (int)(20*uniform(&seed))), col = ldexp(1, (int)(20*uniform(&seed)));
        for (int j = 0; j < n; j++) q.A[i*n + j] = row*p.A[i*n + j];
        q.b[i] = row*p.b[i];
        q.lower[i] = col;  // for the next loop
      }
      for (int j = 0; j < n; j++) {
        double col = q.lower[j];
        for (int i = 0; i < n; i++) q.A[i*n + j] *= col;
        y[j] = z[j]/col;
        q.lower[j] = p.lower[j]/col;
        q.upper[j] = p.upper[j]/col;
      }
      ss_mlcp scaled = as_mlcp(&q);
      assert_true(ss_mlcp_residual(&mlcp, z) == ss_mlcp_residual(&scaled, y));
    }
  }
}

static void test_broken_data_is_infinitely_wrong(void** state)
{
  (void)state;
  uint64_t seed = 5;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int n = 1; n < 150; n += 1 + n/3)
    for (int c = 0; c < 3; c++) {
      ss_mlcp mlcp = with_solution(n, &seed);
      double* places[] = {&p.A[n*n - 1], &p.A[n/2*n + n/3], &p.b[n/2], &z[n/2]};
      for (int k = 0; k < 4; k++) {
        double good = *places[k];
        *places[k] = bad[c];
        assert_true(ss_mlcp_residual(&mlcp, z) == INFINITY);
        *places[k] = good;
      }
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_solutions_leave_round_off), cmocka_unit_test(test_is_that_of_the_lcp),
    cmocka_unit_test(test_one_unknown),               cmocka_unit_test(test_bounds),
    cmocka_unit_test(test_units_do_not_matter),       cmocka_unit_test(test_broken_data_is_infinitely_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
