// Warm starts: a right basis is only checked, a near one is mended, and a wrong one spoils nothing.
#include "families.h"
#include "less.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stickslip/lcp.h>
#include <cmocka.h>

enum { MOST = LESS > 1 ? FAMILY_MAX/4 : FAMILY_MAX };  // n
static double A[FAMILY_MAX*FAMILY_MAX], b[FAMILY_MAX], x[FAMILY_MAX], y[FAMILY_MAX];
static bool basis[FAMILY_MAX];
static ss_arena* arena;

static int make_arena(void** state)
{
  (void)state;
  arena = ss_arena_create(ss_lcp_solve_size(FAMILY_MAX));
  return arena ? 0 : -1;
}

static int drop_arena(void** state)
{
  (void)state;
  ss_arena_destroy(arena);
  return 0;
}

static ss_status solve(int n, ss_lcp_solver solver, bool warm, ss_lcp_solution* s)
{
  ss_lcp lcp = {.n = n, .A = A, .b = b};
  ss_lcp_def def = ss_lcp_def_default();
  def.solver = solver;
  def.warm_start = warm;
  *s = (ss_lcp_solution){.x = x, .y = y, .basis = basis};
  ss_status status = ss_lcp_solve(&lcp, &def, arena, s);
  if (status == SS_OK) assert_true(ss_lcp_residual(&lcp, x) <= 1e-10);
  return status;
}

static void make(int kind, int n, uint64_t* seed)
{
  if (kind == 0) make_spd(n, seed, A, b);
  else make_friction(n/3, kind == 1 ? n : n/3, 0.8, 3, seed, A, b);
}

// The basis of the solution given back: no pivot, the same x
static void test_right_basis(void** state)
{
  (void)state;
  uint64_t seed = 1;
  const ss_lcp_solver solvers[] = {SS_LCP_LEMKE, SS_LCP_BLOCK_PIVOT, SS_LCP_AUTO};
  for (int kind = 0; kind < 3; kind++)
    for (int n = 3; n <= MOST; n *= 2)
      for (int k = 0; k < 3; k++) {
        double cold[FAMILY_MAX];
        ss_lcp_solution s;
        make(kind, n, &seed);
        if (solve(n, solvers[k], false, &s) != SS_OK) {
          assert_int_equal(solvers[k], SS_LCP_BLOCK_PIVOT);  // which cannot do friction
          continue;
        }
        memcpy(cold, x, sizeof x);
        assert_int_equal(solve(n, solvers[k], true, &s), SS_OK);
        if (s.solver == SS_LCP_LEMKE) assert_int_equal(s.iterations, 0);
        if (s.solver == SS_LCP_BLOCK_PIVOT) assert_true(s.iterations <= 1);
        for (int i = 0; i < n; i++) assert_true(fabs(x[i] - cold[i]) <= 1e-9*(1 + fabs(cold[i])));
      }
}

// A motion in small steps: b changes a little each time. Most steps need no exchange at all; for many contacts some end
// on a singular basis and start cold.
static void test_small_steps(void** state)
{
  (void)state;
  uint64_t seed = 2;
  for (int kind = 0; kind < 3; kind++)
    for (int n = 6; n <= FAMILY_MAX; n *= 4) {
      double from[FAMILY_MAX], to[FAMILY_MAX], other[FAMILY_MAX];
      long cold = 0, warm = 0;
      ss_lcp_solution s;
      make(kind, n, &seed);
      memcpy(from, b, sizeof b);
      for (int i = 0; i < n; i++) {
        other[i] = 0;  // b + A r stays in the range of G where it was
        to[i] = uniform(&seed);
      }
      for (int i = 0; i < (kind ? 2*n/3 : n); i++)
        for (int j = 0; j < (kind ? 2*n/3 : n); j++) other[i] += A[i*n + j]*to[j];
      assert_int_equal(solve(n, SS_LCP_LEMKE, false, &s), SS_OK);
      bool last[FAMILY_MAX];
      memcpy(last, basis, sizeof basis);
      for (int step = 1; step <= 50; step++) {
        for (int i = 0; i < n; i++) b[i] = from[i] + 0.02*step*other[i];
        ss_status wanted = solve(n, SS_LCP_LEMKE, false, &s);
        cold += s.iterations;
        memcpy(basis, last, sizeof basis);
        ss_status status = solve(n, SS_LCP_LEMKE, true, &s);
        warm += s.iterations;
        if (wanted == SS_OK) assert_int_equal(status, SS_OK);
        memcpy(last, basis, sizeof basis);
      }
      print_message("kind %d, n %2d: %ld pivots cold, %ld warm\n", kind, n, cold, warm);
      assert_true(n < 96 ? 20*warm < cold : 3*warm < cold);
    }
}

// Any basis at all: the verdict is that of a cold start
static void test_wrong_basis(void** state)
{
  (void)state;
  uint64_t seed = 3;
  int unsolved = 0;
  for (int c = 0; c < 4000/LESS; c++) {
    int n = 3*(1 + c%8);
    ss_lcp_solution s;
    if (c%4 == 3) {  // indefinite: many have no solution
      fill_uniform(n*n, A, &seed);
      fill_uniform(n, b, &seed);
    } else {
      make(c%4, n, &seed);
    }
    ss_lcp_solver solver = c%2 ? SS_LCP_LEMKE : SS_LCP_AUTO;
    ss_status cold = solve(n, solver, false, &s);
    for (int i = 0; i < n; i++) basis[i] = c%5 == 0 ? true : c%5 == 1 ? false : uniform(&seed) > 0;
    ss_status warm = solve(n, solver, true, &s);
    if (cold == SS_OK ? warm != SS_OK : n <= 12 && warm == SS_OK)  // up to 12 unknowns a cold start decides it
      fail_msg("problem %d: %s, but warm %s", c, ss_status_text(cold), ss_status_text(warm));
    unsolved += cold != SS_OK;
  }
  assert_true(unsolved > 100/LESS);
}

// A guess that is singular, or without an array, is no guess
static void test_no_basis(void** state)
{
  (void)state;
  ss_lcp_solution s;
  const double M[4] = {1, 1, 1, 1};
  memcpy(A, M, sizeof M);
  b[0] = -1;
  b[1] = -2;
  basis[0] = basis[1] = true;
  assert_int_equal(solve(2, SS_LCP_LEMKE, true, &s), SS_OK);
  assert_true(x[0] == 0 && x[1] == 2 && !basis[0] && basis[1]);
  ss_lcp_def def = ss_lcp_def_default();
  def.warm_start = true;
  ss_lcp_solution bare = {.x = x, .y = y};
  assert_int_equal(ss_lcp_solve(&(ss_lcp){.n = 2, .A = A, .b = b}, &def, arena, &bare), SS_OK);
  b[0] = b[1] = 1;
  basis[0] = true;
  assert_int_equal(solve(2, SS_LCP_LEMKE, true, &s), SS_OK);  // x = 0 solves it
  assert_false(basis[0] || basis[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_right_basis),
    cmocka_unit_test(test_small_steps),
    cmocka_unit_test(test_wrong_basis),
    cmocka_unit_test(test_no_basis),
  };
  return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
