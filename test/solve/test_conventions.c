// What all classes of problems promise alike: names, tolerances, what a failure leaves, what a log tells.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stickslip/dissipation.h>
#include <stickslip/friction.h>
#include <stickslip/lcp.h>
#include <stickslip/mlcp.h>
#include <string.h>
#include <cmocka.h>

// Every number has a name that leads back to it; other numbers have none, other names (and NULL) leave it alone
#define CHECK_NAMES(type, count, name_of, find)                     \
  do {                                                              \
    for (int k = 0; k < (int)(count); k++) {                        \
      type found = (type)(count);                                   \
      assert_true(find(name_of((type)k), &found));                  \
      assert_int_equal(found, k);                                   \
    }                                                               \
    type untouched = (type)1;                                       \
    assert_null(name_of((type)(count)));                            \
    assert_null(name_of((type)-1));                                 \
    assert_false(find("simplex", &untouched));                      \
    assert_false(find(NULL, &untouched));                           \
    assert_int_equal(untouched, 1);                                 \
  } while (0)

static void test_names(void** state)
{
  (void)state;
  CHECK_NAMES(ss_lcp_solver, SS_LCP_SOLVER_COUNT, ss_lcp_solver_name, ss_lcp_solver_find);
  CHECK_NAMES(ss_mlcp_solver, SS_MLCP_SOLVER_COUNT, ss_mlcp_solver_name, ss_mlcp_solver_find);
  CHECK_NAMES(ss_friction_method, SS_FRICTION_METHODS, ss_friction_method_name, ss_friction_method_find);
  CHECK_NAMES(ss_dissipation_method, SS_DISSIPATION_METHODS, ss_dissipation_method_name, ss_dissipation_method_find);
}

// ---- tolerances ----

static const double one = 1, minus_one = -1, zero = 0, infinite = INFINITY;
static double x, y;

static ss_status solve_lcp(double tol, ss_arena* arena)
{
  ss_lcp lcp = {.n = 1, .A = &one, .b = &minus_one};
  ss_lcp_solution s = {.x = &x, .y = &y};
  ss_lcp_def def = ss_lcp_def_default();
  def.tol = tol;
  ss_status status = ss_lcp_solve(&lcp, &def, arena, &s);
  assert_int_equal(ss_lcp_lemke(&lcp, &def, arena, &s), status);
  ss_lcp_solutions* all = NULL;
  assert_int_equal(ss_lcp_enumerate(&lcp, &def, &all), status);
  ss_lcp_solutions_destroy(all);
  return status;
}

static ss_status solve_mlcp(double tol, ss_arena* arena)
{
  ss_mlcp mlcp = {.n = 1, .A = &one, .b = &minus_one, .lower = &zero, .upper = &infinite};
  ss_mlcp_solution s = {.z = &x, .w = &y};
  ss_mlcp_def def = ss_mlcp_def_default();
  def.tol = tol;
  return ss_mlcp_solve(&mlcp, &def, arena, &s);
}

static ss_status solve_dissipation(double tol, ss_arena* arena)
{
  ss_contact_kind normal = SS_CONTACT_NORMAL;
  ss_contact_problem p = {.n_contact = 1, .m = 1, .G = &one, .b = &minus_one, .kind = &normal, .mu = &zero,
                          .bound = &zero};
  ss_dissipation_solution s = {.Lambda = &x};
  ss_dissipation_def def = ss_dissipation_def_default();
  def.tol = tol;
  return ss_dissipation_solve(&p, NULL, &def, arena, &s);
}

static void test_tolerances(void** state)
{
  (void)state;
  const double bad[] = {0, -1, NAN};
  ss_arena* arena = ss_arena_create(1 << 20);
  for (int k = 0; k < 3; k++) {
    assert_int_equal(solve_lcp(bad[k], arena), SS_ERR_ARGUMENT);
    assert_int_equal(solve_mlcp(bad[k], arena), SS_ERR_ARGUMENT);
    assert_int_equal(solve_dissipation(bad[k], arena), SS_ERR_ARGUMENT);
  }
  assert_int_equal(solve_lcp(1e-10, arena), SS_OK);
  assert_int_equal(solve_mlcp(1e-10, arena), SS_OK);
  assert_int_equal(solve_dissipation(1e-10, arena), SS_OK);
  ss_arena_destroy(arena);
}

// ---- what a failure leaves ----

// y_1 + y_2 = -2 for every x: no solver succeeds, and the guess stays
static void test_basis_after_failure(void** state)
{
  (void)state;
  const double A[] = {1, -1, 0, -1, 1, 0, 0, 0, 1}, b[] = {-1, -1, -1};
  double xs[3], ys[3];
  ss_lcp lcp = {.n = 3, .A = A, .b = b};
  ss_arena* arena = ss_arena_create(ss_lcp_solve_size(3));
  for (int k = 0; k < SS_LCP_SOLVER_COUNT; k++)
    for (int guess = 0; guess < 8; guess++) {
      bool basis[3] = {guess & 1, guess & 2, guess & 4};
      ss_lcp_def def = ss_lcp_def_default();
      ss_lcp_solution s = {.x = xs, .y = ys, .basis = basis};
      def.solver = (ss_lcp_solver)k;
      def.warm_start = true;
      assert_true(ss_lcp_solve(&lcp, &def, arena, &s) > SS_OK);
      if (basis[0] + 2*basis[1] + 4*basis[2] != guess)
        fail_msg("%s: guess %d, left %d%d%d", ss_lcp_solver_name(def.solver), guess, basis[2], basis[1], basis[0]);
    }
  ss_arena_destroy(arena);
}

// ---- what a log tells ----

static void test_nothing_to_solve(void** state)
{
  (void)state;
  for (int k = 0; k < SS_LCP_SOLVER_COUNT; k++) {
    ss_lcp_def def = ss_lcp_def_default();
    ss_lcp_solution s;
    memset(&s, 0x55, sizeof s);
    s.basis = NULL;
    def.solver = (ss_lcp_solver)k;
    assert_int_equal(ss_lcp_solve(&(ss_lcp){0}, &def, NULL, &s), SS_OK);
    assert_int_equal(s.log.count, 0);
  }
}

// Each attempt on a problem without a solution tells what it has found itself, as if it had been the only one
static void test_each_its_own(void** state)
{
  (void)state;
  const double A[] = {1, -1, 0, -1, 1, 0, 0, 0, 1}, b[] = {-1, -2, -1}, lower[3] = {0},
               upper[] = {INFINITY, INFINITY, INFINITY};
  double z[3], w[3];
  ss_mlcp mlcp = {.n = 3, .A = A, .b = b, .lower = lower, .upper = upper};
  ss_mlcp_def def = ss_mlcp_def_default();
  ss_mlcp_solution all = {.z = z, .w = w};
  ss_arena* arena = ss_arena_create(ss_mlcp_solve_size(3));
  assert_true(ss_mlcp_solve(&mlcp, &def, arena, &all) > SS_OK);
  assert_int_equal(all.log.count, 3);
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    ss_mlcp_solution s = {.z = z, .w = w};
    assert_true(ss_mlcp_solver_find(all.log.attempt[k].solver, &def.solver));
    assert_true(ss_mlcp_solve(&mlcp, &def, arena, &s) > SS_OK);
    double told = all.log.attempt[k].residual;
    if (told != s.log.attempt[0].residual) fail_msg("%s: %g, not %g", all.log.attempt[k].solver, told, s.residual);
    least = fmin(least, told);
  }
  assert_true(all.residual == least);
  ss_arena_destroy(arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_tolerances),
    cmocka_unit_test(test_basis_after_failure),
    cmocka_unit_test(test_nothing_to_solve),
    cmocka_unit_test(test_each_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
