// The tableau: scales are powers of two and undo units, pivots keep the equations, a ray is a ray.
#include "families.h"
#include "solve/tableau.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

enum { MAX = 36 };

static double A[MAX*MAX], b[MAX];

static ss_tableau make_tableau(const ss_lcp* lcp)
{
  ss_tableau t;
  ss_tableau_init(&t, lcp->n, malloc(ss_tableau_size(lcp->n)));
  assert_true(ss_tableau_scale(&t, lcp));
  for (int i = 0; i < t.stride; i++) t.cover[i] = i < t.n;
  t.tie_tol = 1e-12;
  t.z_tol = 1e-10;
  return t;
}

static bool is_power_of_two(double a)
{
  int exponent;
  return frexp(a, &exponent) == 0.5;
}

static void test_scales(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int c = 0; c < 100; c++) {
    int n = 1 + c%MAX;
    make_spd(n, &seed, A, b);
    for (int i = 0; i < n; i++) {
      double r = pow(10, 8*uniform(&seed));
      for (int j = 0; j < n; j++) A[i*n + j] *= r*pow(10, 8*sin(j + c));
      b[i] *= r;
    }
    ss_tableau t = make_tableau(&(ss_lcp){.n = n, .A = A, .b = b});
    double largest = 0;
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += fabs(t.row[k]*A[k*n + i]*t.col[i]);
      assert_true(is_power_of_two(t.row[i]) && is_power_of_two(t.col[i]));
      assert_true(sum >= 1 && sum < 2);  // columns come last
      assert_true(t.b[i] == t.row[i]*b[i]*t.beta);
      largest = fmax(largest, fabs(t.b[i]));
    }
    assert_true(largest >= 1 && largest < 2);
    free(t.T);
  }
}

// The friction row xi_R = G_TN Lambda_N + G_TT Lambda_R + xi_L: the entry 1 of xi_L must not hide a small G
static void test_single_entries_do_not_set_the_scale(void** state)
{
  (void)state;
  const double heavy[] = {1e-12, 3e-13, 0, 2e-13, 1e-12, 1, 1, -1, 0}, q[] = {-1, 0.5, 0};
  ss_tableau t = make_tableau(&(ss_lcp){.n = 3, .A = heavy, .b = q});
  double scaled = t.row[1]*heavy[4]*t.col[1];
  assert_true(scaled > 0.1 && scaled < 2);
  assert_true(t.row[1]*heavy[5]*t.col[2] == 1);
  free(t.T);
}

// basic = rhs + T nonbasic must hold for any values of the nonbasic variables: take random x and z, y from the LCP
static void check_equations(const ss_tableau* t, uint64_t* seed)
{
  int n = t->n;
  double value[2*MAX + 1];
  for (int j = 0; j <= 2*n; j++) value[j] = uniform(seed);
  for (int i = 0; i < n; i++) {
    value[n + i] = t->b[i] + t->cover[i]*value[2*n];
    for (int j = 0; j < n; j++) value[n + i] += t->row[i]*A[i*n + j]*t->col[j]*value[j];
  }
  for (int i = 0; i < n; i++) {
    double sum = t->rhs[i];
    for (int v = 0; v <= 2*n; v++)
      if (t->place[v] >= 0) sum += t->T[t->place[v]*t->stride + i]*value[v];
    double error = fabs(sum - value[t->basic[i]]);
    if (error > 1e-8) fail_msg("n %d, row %d: off by %g", n, i, error);
    assert_int_equal(t->place[t->basic[i]], -1 - i);
  }
}

static void test_pivots_keep_the_equations(void** state)
{
  (void)state;
  uint64_t seed = 2;
  for (int c = 0; c < 300; c++) {
    int n = 3*(1 + c%12), used = 0;
    make_friction(n/3, 2*n/3, 0.8, 2, &seed, A, b);
    b[0] = -0.5;
    ss_lcp lcp = {.n = n, .A = A, .b = b};
    ss_tableau t = make_tableau(&lcp);
    ss_path end = ss_tableau_follow(&t, &lcp, 1 + c%9, &used);  // somewhere on the way
    if (end == SS_PATH_LIMIT) {
      assert_int_equal(used, 1 + c%9);
      check_equations(&t, &seed);
    }
    free(t.T);
  }
}

// A second path gives the same as the first: nothing of the first is left behind
static void test_paths_can_be_repeated(void** state)
{
  (void)state;
  uint64_t seed = 3;
  for (int n = 2; n <= MAX; n++) {
    make_spd(n, &seed, A, b);
    b[n - 1] = -1;
    ss_lcp lcp = {.n = n, .A = A, .b = b};
    ss_tableau t = make_tableau(&lcp);
    double first[MAX];
    int used = 0, again = 0;
    assert_int_equal(ss_tableau_follow(&t, &lcp, 1000, &used), SS_PATH_SOLVED);
    ss_tableau_solution(&t, 0, first);
    assert_int_equal(ss_tableau_follow(&t, &lcp, 1000, &again), SS_PATH_SOLVED);
    ss_tableau_solution(&t, 0, t.x);
    assert_int_equal(used, again);
    assert_memory_equal(first, t.x, sizeof(double)*(size_t)n);
    free(t.T);
  }
}

static void test_ray(void** state)
{
  (void)state;
  const double M[] = {1, -1, -1, 1}, q[] = {1, -2};
  ss_lcp lcp = {.n = 2, .A = M, .b = q};
  ss_tableau t = make_tableau(&lcp);
  int used = 0;
  assert_int_equal(ss_tableau_follow(&t, &lcp, 1000, &used), SS_PATH_RAY);
  ss_tableau_ray(&t, t.x);
  assert_true(t.x[0] == 1 && t.x[1] == 1);  // M d = 0: x can grow for ever
  free(t.T);
}

static void test_refuses_what_is_not_finite(void** state)
{
  (void)state;
  uint64_t seed = 4;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int n = 1; n < 12; n++)
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < n*n + n; k += 1 + n/3) {
        make_spd(n, &seed, A, b);
        *(k < n*n ? &A[k] : &b[k - n*n]) = bad[c];
        ss_tableau t;
        ss_tableau_init(&t, n, malloc(ss_tableau_size(n)));
        assert_false(ss_tableau_scale(&t, &(ss_lcp){.n = n, .A = A, .b = b}));
        free(t.T);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_scales),
    cmocka_unit_test(test_single_entries_do_not_set_the_scale),
    cmocka_unit_test(test_pivots_keep_the_equations),
    cmocka_unit_test(test_paths_can_be_repeated),
    cmocka_unit_test(test_ray),
    cmocka_unit_test(test_refuses_what_is_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
