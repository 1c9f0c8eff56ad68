// Lemke's method: closed forms, degenerate and unsolvable problems, broken data, memory, random families.
// link: -Wl,--wrap=malloc
#include "families.h"
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stickslip/lcp.h>
#include <cmocka.h>

enum { MAX = FAMILY_MAX };

static int mallocs;

void* __real_malloc(size_t bytes);
void* __wrap_malloc(size_t bytes);

void* __wrap_malloc(size_t bytes)
{
  mallocs++;
  return __real_malloc(bytes);
}

static double A[MAX*MAX], b[MAX], x[MAX], y[MAX], ray[MAX];
static ss_arena* arena;
static ss_lcp_solution s;

static int make_arena(void** state)
{
  (void)state;
  arena = ss_arena_create(ss_lcp_lemke_size(MAX));
  return arena ? 0 : -1;
}

static int drop_arena(void** state)
{
  (void)state;
  ss_arena_destroy(arena);
  return 0;
}

static ss_status solve_with(int n, const double* matrix, const double* vector, ss_lcp_def def)
{
  ss_lcp lcp = {.n = n, .A = matrix, .b = vector};
  s = (ss_lcp_solution){.x = x, .y = y, .ray = ray};
  ss_status status = ss_lcp_lemke(&lcp, &def, arena, &s);
  if (status == SS_OK) {  // what it says is checked, always
    assert_true(s.residual <= def.tol);
    assert_true(ss_lcp_residual(&lcp, x) == s.residual);
  }
  assert_int_equal(ss_arena_mark(arena), 0);
  return status;
}

static ss_status solve(int n, const double* matrix, const double* vector)
{
  return solve_with(n, matrix, vector, ss_lcp_def_default());
}

static void expect(int n, const double* wanted)
{
  for (int i = 0; i < n; i++)
    if (fabs(x[i] - wanted[i]) > 1e-14*(1 + fabs(wanted[i]))) fail_msg("x_%d is %.17g, not %.17g", i, x[i], wanted[i]);
}

// ---- closed forms ----

static void test_one_unknown(void** state)
{
  (void)state;
  double a = 4, c = -2;
  assert_int_equal(solve(1, &a, &c), SS_OK);
  assert_true(x[0] == 0.5 && y[0] == 0);
  c = 3;
  assert_int_equal(solve(1, &a, &c), SS_OK);
  assert_true(x[0] == 0 && y[0] == 3 && s.iterations == 0);
  c = 0;
  assert_int_equal(solve(1, &a, &c), SS_OK);
  assert_true(x[0] == 0 && y[0] == 0);
  a = -1;  // Painleve's indeterminacy: x = 0 and x = 1 both solve it
  c = 1;
  assert_int_equal(solve(1, &a, &c), SS_OK);
}

static void test_several_unknowns(void** state)
{
  (void)state;
  const double deudeu[] = {2, 1, 1, 2}, q[] = {-5, -6};
  assert_int_equal(solve(2, deudeu, q), SS_OK);
  expect(2, (double[]){4.0/3, 7.0/3});
  // one closed, one open
  const double M[] = {1, -2, 0, 1}, r[] = {-1, 3};
  assert_int_equal(solve(2, M, r), SS_OK);
  expect(2, (double[]){1, 0});
  const double diagonal[] = {2, 0, 0, 0, 4, 0, 0, 0, 8}, t[] = {-1, 1, -2};
  assert_int_equal(solve(3, diagonal, t), SS_OK);
  expect(3, (double[]){0.5, 0, 0.25});
}

// A block of mass m on a plane with friction, in each of its states, masses from grams to supertankers
static void test_block_on_a_plane(void** state)
{
  (void)state;
  const double mu = 0.5;
  for (double m = 1e-3; m < 1e10; m *= 10) {
    const double G[4] = {1/m, 0, 0, 1/m};
    const double cases[][4] = {
      // b_N, b_T, Lambda_N, Lambda_T
      {0.5, 1, 0, 0},           {-2, 0.25, 2*m, -0.25*m}, {-2, -0.25, 2*m, 0.25*m},
      {-2, 4, 2*m, -mu*2*m},    {-2, -4, 2*m, mu*2*m},    {-2, 0, 2*m, 0},
      {-1e-9, 3, 1e-9*m, -mu*1e-9*m},
    };
    for (int c = 0; c < 7; c++) {
      const double* k = cases[c];
      make_friction_lcp(1, G, k, &mu, A, b);
      assert_int_equal(solve(3, A, b), SS_OK);
      double N = x[0], T = x[1] - mu*x[0];
      if (fabs(N - k[2]) > 1e-14*m || fabs(T - k[3]) > 1e-14*m) fail_msg("m %g, case %d: %g, %g", m, c, N, T);
    }
  }
}

// Murty's and Fathi's matrices make Lemke's method with covering vector e visit up to 2^n bases; closed-form solutions
static void test_long_paths(void** state)
{
  (void)state;
  for (int n = 2; n <= 12; n++) {
    for (int i = 0; i < n; i++) {
      b[i] = -1;
      for (int j = 0; j < n; j++) A[i*n + j] = j > i ? 2 : j == i;
    }
    double wanted[MAX] = {0};
    wanted[n - 1] = 1;
    assert_int_equal(solve(n, A, b), SS_OK);
    expect(n, wanted);
  }
}

// ---- degeneracy ----

// A circulant: all rows tie at every step, and pivoting without a rule for ties goes round in circles
static void test_cycling_example(void** state)
{
  (void)state;
  const double M[] = {1, 2, 0, 0, 1, 2, 2, 0, 1}, q[] = {-1, -1, -1};
  assert_int_equal(solve(3, M, q), SS_OK);
  expect(3, (double[]){1.0/3, 1.0/3, 1.0/3});
}

// v >= 0 with A^T v <= 0 and b.v < 0 proves that no x >= 0 gives A x + b >= 0 (Farkas)
static bool proves_infeasible(int n, const double* v)
{
  double bv = 0;
  for (int i = 0; i < n; i++) {
    if (v[i] < 0) return false;
    bv += b[i]*v[i];
  }
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += A[i*n + j]*v[i];
    if (sum > 1e-12) return false;
  }
  return bv < -1e-12;
}

// A = B B^T with small whole numbers: singular, every ratio a tie. Such a problem is solved or proved infeasible.
static void test_semidefinite_in_whole_numbers(void** state)
{
  (void)state;
  uint64_t seed = 5;
  int solved = 0, infeasible = 0;
  for (int c = 0; c < 3000; c++) {
    int n = 1 + c%9, rank = 1 + c%4;
    double B[9*4];
    for (int i = 0; i < n*rank; i++) B[i] = floor(1.5*uniform(&seed) + 0.5);
    for (int i = 0; i < n; i++) {
      b[i] = floor(1.5*uniform(&seed) + 0.5);
      for (int j = 0; j < n; j++) {
        A[i*n + j] = 0;
        for (int l = 0; l < rank; l++) A[i*n + j] += B[i*rank + l]*B[j*rank + l];
      }
    }
    ss_status status = solve(n, A, b);
    if (status == SS_OK) solved++;
    else if (status == SS_RAY && proves_infeasible(n, ray)) infeasible++;
    else fail_msg("problem %d: %s, and the ray proves nothing", c, ss_status_text(status));
  }
  assert_true(solved > 1000 && infeasible > 300);
}

// ---- rays ----

// The direction d of a ray: d >= 0, and where d_i > 0 the artificial variable can only make up for (A d)_i <= 0
static void check_ray(int n, const double* M)
{
  double largest = 0;
  for (int i = 0; i < n; i++) {
    assert_true(ray[i] >= 0);
    largest = fmax(largest, ray[i]);
    double sum = 0, size = 0;
    for (int j = 0; j < n; j++) {
      sum += M[i*n + j]*ray[j];
      size += fabs(M[i*n + j]*ray[j]);
    }
    if (ray[i] > 0 && sum > 1e-13*size) fail_msg("(A d)_%d = %g of %g", i, sum, size);
  }
  assert_true(largest == 1);
}

static void test_unsolvable(void** state)
{
  (void)state;
  const double minus = -1, none = -1;  // Painleve's inconsistency
  assert_int_equal(solve(1, &minus, &none), SS_RAY);
  check_ray(1, &minus);
  const double M[] = {1, -1, -1, 1}, q[] = {1, -2};  // 1.(M x + q) = -1
  assert_int_equal(solve(2, M, q), SS_RAY);
  check_ray(2, M);
  const double P[] = {0, 1, 0, -1, 0, 0, 0, 0, -1}, r[] = {-1, 1, -1};  // x_3 cannot be anything
  assert_int_equal(solve(3, P, r), SS_RAY);
  check_ray(3, P);
  ss_lcp_solution no_ray = {.x = x, .y = y};
  ss_lcp_def def = ss_lcp_def_default();
  assert_int_equal(ss_lcp_lemke(&(ss_lcp){.n = 1, .A = &minus, .b = &none}, &def, arena, &no_ray), SS_RAY);
}

// A game of matching pennies: every covering vector leads to a ray at once, looking through the bases finds x = (1, 1)
static void test_small_problems_are_enumerated(void** state)
{
  (void)state;
  const double M[] = {0, 1, 1, 0}, q[] = {-1, -1};
  ss_lcp_def once = ss_lcp_def_default();
  once.attempts = 1;
  assert_int_equal(solve_with(2, M, q, once), SS_RAY);
  check_ray(2, M);
  assert_int_equal(solve(2, M, q), SS_OK);
  expect(2, (double[]){1, 1});
}

// Indefinite problems too large to enumerate: other covering vectors solve more of them
static void test_attempts(void** state)
{
  (void)state;
  uint64_t seed = 6;
  int with_one = 0, with_all = 0;
  ss_lcp_def once = ss_lcp_def_default();
  once.attempts = 1;
  for (int c = 0; c < 300; c++) {
    int n = 14;
    fill_uniform(n*n, A, &seed);
    fill_uniform(n, b, &seed);
    for (int i = 0; i < n; i++) A[i*n + i] += 1;
    bool one = solve_with(n, A, b, once) == SS_OK;
    assert_int_equal(s.attempts, 1);
    bool all = solve(n, A, b) == SS_OK;
    assert_true(all || !one);
    with_one += one;
    with_all += all;
  }
  if (with_all <= with_one + 10) fail_msg("%d solved with one covering vector, %d with all", with_one, with_all);
}

static void test_limits(void** state)
{
  (void)state;
  uint64_t seed = 9;
  make_spd(40, &seed, A, b);
  ss_lcp_def def = ss_lcp_def_default();
  def.max_iter = 2;
  def.attempts = 1;
  assert_int_equal(solve_with(40, A, b, def), SS_NOT_CONVERGED);
  assert_true(s.residual > def.tol && s.residual <= 1);
  for (int i = 0; i < 40; i++) assert_true(x[i] >= 0 && isfinite(y[i]));
  def = ss_lcp_def_default();
  def.tol = DBL_MIN;  // impossible: said as it is, with a solution
  assert_int_equal(solve_with(40, A, b, def), SS_INACCURATE);
  assert_true(s.residual < 1e-14);
}

// ---- broken input ----

static void test_broken_data_leaves_everything(void** state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  uint64_t seed = 3;
  const int sizes[] = {1, 3, 6, 17};
  ss_lcp_def def = ss_lcp_def_default();
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 4; k++) {
      int n = sizes[k];
      make_spd(n, &seed, A, b);
      double* places[] = {&A[0], &A[n*n - 1], &A[n*n/2], &b[0], &b[n - 1]};
      for (int p = 0; p < 5; p++) {
        double good = *places[p];
        *places[p] = bad[c];
        for (int i = 0; i < n; i++) x[i] = y[i] = ray[i] = 7;
        ss_lcp_solution out = {.x = x, .y = y, .ray = ray, .iterations = 7, .attempts = 7, .residual = 7};
        assert_int_equal(ss_lcp_lemke(&(ss_lcp){.n = n, .A = A, .b = b}, &def, arena, &out), SS_ERR_NUMERIC);
        for (int i = 0; i < n; i++) assert_true(x[i] == 7 && y[i] == 7 && ray[i] == 7);
        assert_true(out.iterations == 7 && out.attempts == 7 && out.residual == 7);
        *places[p] = good;
      }
    }
}

static void test_broken_arguments(void** state)
{
  (void)state;
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp good = {.n = 1, .A = A, .b = b}, none = {.n = 0, .A = NULL, .b = NULL}, negative = {.n = -1, .A = A, .b = b};
  ss_lcp no_A = {.n = 1, .A = NULL, .b = b}, no_b = {.n = 1, .A = A, .b = NULL};
  ss_lcp_solution out = {.x = x, .y = y}, empty = {0};
  A[0] = 1;
  b[0] = -1;
  assert_int_equal(ss_lcp_lemke(&none, &def, arena, &empty), SS_OK);
  assert_int_equal(ss_lcp_lemke(&none, &def, NULL, &empty), SS_OK);
  assert_int_equal(ss_lcp_lemke(&negative, &def, arena, &out), SS_ERR_ARGUMENT);
  assert_int_equal(ss_lcp_lemke(&no_A, &def, arena, &out), SS_ERR_ARGUMENT);
  assert_int_equal(ss_lcp_lemke(&no_b, &def, arena, &out), SS_ERR_ARGUMENT);
  assert_int_equal(ss_lcp_lemke(NULL, &def, arena, &out), SS_ERR_ARGUMENT);
  assert_int_equal(ss_lcp_lemke(&good, NULL, arena, &out), SS_ERR_ARGUMENT);
  assert_int_equal(ss_lcp_lemke(&good, &def, NULL, &out), SS_ERR_ARGUMENT);
  assert_int_equal(ss_lcp_lemke(&good, &def, arena, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_lcp_lemke(&good, &def, arena, &empty), SS_ERR_ARGUMENT);
}

// Numbers at the ends of the range: whatever comes out, it is a status and finite numbers
static void test_extreme_numbers(void** state)
{
  (void)state;
  const double sizes[] = {5e-324, 1e-308, 1e-200, 1e-30, 1, 1e30, 1e200, 1e307};
  uint64_t seed = 4;
  for (int c = 0; c < 64; c++) {
    make_spd(5, &seed, A, b);
    for (int i = 0; i < 25; i++) A[i] *= sizes[c/8];
    for (int i = 0; i < 5; i++) b[i] *= sizes[c%8];
    ss_status status = solve(5, A, b);
    if (status == SS_ERR_NUMERIC) continue;
    for (int i = 0; i < 5; i++) assert_true(isfinite(x[i]) && isfinite(y[i]) && x[i] >= 0);
    int ratio = c%8 - c/8;  // neither b/A nor its inverse leaves the range
    if (c/8 >= 2 && c%8 >= 2 && c/8 < 7 && abs(ratio) <= 2) assert_int_equal(status, SS_OK);
  }
}

// ---- memory ----

static void test_size_is_exact_and_nothing_is_allocated(void** state)
{
  (void)state;
  uint64_t seed = 8;
  ss_lcp_def def = ss_lcp_def_default();
  assert_int_equal(ss_lcp_lemke_size(0), 0);
  for (int n = 1; n <= 40; n++) {
    size_t size = ss_lcp_lemke_size(n);
    ss_arena *small = ss_arena_create(size - 64), *exact = ss_arena_create(size);
    make_spd(n, &seed, A, b);
    b[0] = -1;
    ss_lcp lcp = {.n = n, .A = A, .b = b};
    ss_lcp_solution out = {.x = x, .y = y};
    assert_int_equal(ss_lcp_lemke(&lcp, &def, small, &out), SS_ERR_CAPACITY);
    mallocs = 0;
    assert_int_equal(ss_lcp_lemke(&lcp, &def, exact, &out), SS_OK);
    assert_int_equal(mallocs, 0);
    assert_int_equal(ss_arena_peak(exact), size);
    ss_arena_destroy(small);
    ss_arena_destroy(exact);
  }
}

static void test_same_bits_twice(void** state)
{
  (void)state;
  uint64_t seed = 12;
  for (int k = 1; k <= 16; k *= 2) {
    double before[MAX];
    make_friction(k, 2*k, 1, 3, &seed, A, b);
    assert_int_equal(solve(3*k, A, b), SS_OK);
    memcpy(before, x, sizeof x);
    memset(x, 0, sizeof x);
    assert_int_equal(solve(3*k, A, b), SS_OK);
    assert_memory_equal(before, x, sizeof(double)*3*(size_t)k);
  }
}

// ---- families ----

static void test_positive_definite(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int c = 0; c < 3000; c++) {
    make_spd(1 + c%30, &seed, A, b);
    assert_int_equal(solve(1 + c%30, A, b), SS_OK);
    assert_true(s.attempts <= 1 && s.residual <= 1e-14);
  }
}

// Planar friction, one to four contacts, with as many degrees of freedom as rows or only half as many (G singular)
static void test_friction(void** state)
{
  (void)state;
  uint64_t seed = 2;
  for (int c = 0; c < 10000; c++) {
    int k = 1 + c%4, nv = c/4%2 ? 2*k : k;
    make_friction(k, nv, 1, 3, &seed, A, b);
    ss_status status = solve(3*k, A, b);
    if (status) fail_msg("problem %d, k %d, nv %d: %s", c, k, nv, ss_status_text(status));
  }
}

// Small velocities beside large ones
static void test_friction_of_all_sizes(void** state)
{
  (void)state;
  uint64_t seed = 3;
  for (int c = 0; c < 3000; c++) {
    int k = 1 + c%8;
    make_friction(k, 2*k, 0.8, 3, &seed, A, b);
    for (int i = 0; i < 2*k; i++) b[i] *= pow(10, -6 + 6*uniform(&seed));
    ss_status status = solve(3*k, A, b);
    if (status) fail_msg("problem %d, k %d: %s", c, k, ss_status_text(status));
  }
}

// Rows and columns in units between 1e-6 and 1e6: solved as before, with the same answer in those units
static void test_units_do_not_matter(void** state)
{
  (void)state;
  uint64_t seed = 4;
  for (int c = 0; c < 500; c++) {
    int n = 1 + c%20;
    double row[MAX], column[MAX], before[MAX];
    make_spd(n, &seed, A, b);
    assert_int_equal(solve(n, A, b), SS_OK);
    memcpy(before, x, sizeof x);
    for (int i = 0; i < n; i++) {
      row[i] = pow(10, 6*uniform(&seed));
      column[i] = pow(10, 6*uniform(&seed));
    }
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) A[i*n + j] *= row[i]*column[j];
      b[i] *= row[i];
    }
    assert_int_equal(solve(n, A, b), SS_OK);
    for (int i = 0; i < n; i++)
      if (fabs(x[i]*column[i] - before[i]) > 1e-10*(1 + before[i])) fail_msg("%g, not %g", x[i]*column[i], before[i]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_unknown),
    cmocka_unit_test(test_several_unknowns),
    cmocka_unit_test(test_block_on_a_plane),
    cmocka_unit_test(test_long_paths),
    cmocka_unit_test(test_cycling_example),
    cmocka_unit_test(test_semidefinite_in_whole_numbers),
    cmocka_unit_test(test_unsolvable),
    cmocka_unit_test(test_small_problems_are_enumerated),
    cmocka_unit_test(test_attempts),
    cmocka_unit_test(test_limits),
    cmocka_unit_test(test_broken_data_leaves_everything),
    cmocka_unit_test(test_broken_arguments),
    cmocka_unit_test(test_extreme_numbers),
    cmocka_unit_test(test_size_is_exact_and_nothing_is_allocated),
    cmocka_unit_test(test_same_bits_twice),
    cmocka_unit_test(test_positive_definite),
    cmocka_unit_test(test_friction),
    cmocka_unit_test(test_friction_of_all_sizes),
    cmocka_unit_test(test_units_do_not_matter),
  };
  return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
