// The solvers of the MLCP: closed forms, random families, agreement, units, statuses, bad data.
#include "mlcp_families.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

static mixed p;
static double z[MIXED_MAX], w[MIXED_MAX], ray[MIXED_MAX];
static ss_arena* arena;

static const ss_mlcp_solver each[] = {SS_MLCP_AUTO, SS_MLCP_PATH, SS_MLCP_PFB_RLM, SS_MLCP_PFB_PLM};

#define EACH(s) for (int s = 0; s < 4; s++)

static ss_status solve_by(ss_mlcp_solver solver, ss_mlcp_solution* out)
{
  ss_mlcp mlcp = as_mlcp(&p);
  ss_mlcp_def def = ss_mlcp_def_default();
  def.solver = solver;
  *out = (ss_mlcp_solution){.z = z, .w = w, .ray = ray};
  return ss_mlcp_solve(&mlcp, &def, arena, out);
}

static void expect_solved(const char* what, ss_mlcp_solver solver, double tol)
{
  ss_mlcp_solution s;
  ss_status status = solve_by(solver, &s);
  ss_mlcp mlcp = as_mlcp(&p);
  double r = ss_mlcp_residual(&mlcp, z);
  if (status != SS_OK || !(r <= tol) || r != s.residual)
    fail_msg("%s, n %d, %s: %s, residual %g", what, p.n, ss_mlcp_solver_name(solver), ss_status_text(status), r);
}

static void expect_z(const char* what, int n, const double* wanted, double tol)
{
  for (int i = 0; i < n; i++)
    if (!(fabs(z[i] - wanted[i]) <= tol*(1 + fabs(wanted[i]))))
      fail_msg("%s: z_%d is %.17g, not %.17g", what, i, z[i], wanted[i]);
}

// ---- closed forms ----

// w = a z + c with a > 0: z is -c/a put into its bounds
static void test_one_unknown(void** state)
{
  (void)state;
  const double bounds[][2] = {{0, INFINITY}, {-INFINITY, 1}, {-1, 1}, {-INFINITY, INFINITY},
                              {0.5, 0.5},    {2, 7},         {-9, -4}};
  const double units[] = {1, 1e-9, 1e12};
  for (int k = 0; k < 7; k++)
    for (int u = 0; u < 3; u++)
      for (double c = -8; c <= 8; c += 0.5)
        EACH(s)
        {
          double lower = bounds[k][0]*units[u], upper = bounds[k][1]*units[u];
          p = (mixed){.n = 1, .A = {2}, .b = {c*units[u]}, .lower = {lower}, .upper = {upper}};
          double solution = fmin(fmax(-c*units[u]/2, lower), upper);
          expect_solved("one unknown", each[s], 1e-15);
          if (fabs(z[0] - solution) > 1e-15*fabs(solution))
            fail_msg("bounds %d, c %g: %g, not %g", k, c, z[0], solution);
        }
}

// A block pushed with force f against dry friction of at most 1: the relay w = m z + ... of GS. Speed v = z1 is free,
// the friction z2 in [-1, 1] opposes it:  v - f - z2 = 0,  w2 = v.
static void test_relay(void** state)
{
  (void)state;
  for (double f = -3; f <= 3; f += 0.25)
    EACH(s)
    {
      p = (mixed){.n = 2, .A = {1, -1, 1, 0}, .b = {-f, 0}, .lower = {-INFINITY, -1}, .upper = {INFINITY, 1}};
      double friction = fmin(fmax(-f, -1), 1), wanted[2] = {f + friction, friction};
      expect_solved("relay", each[s], 1e-15);
      expect_z("relay", 2, wanted, 1e-15);
    }
}

// Nearest point of the simplex x >= 0, sum x = 1 to (2, 1, -1): (1, 0, 0), multiplier -1 by x1 - 2 - lambda = 0
static void test_simplex(void** state)
{
  (void)state;
  const double wanted[] = {1, 0, 0, -1};
  EACH(s)
  {
    p = (mixed){.n = 4, .A = {1, 0, 0, -1, 0, 1, 0, -1, 0, 0, 1, -1, 1, 1, 1, 0}, .b = {-2, -1, 1, -1}};
    set_bounds(&p, 0, 3, 0, INFINITY);
    set_bounds(&p, 3, 1, -INFINITY, INFINITY);
    expect_solved("simplex", each[s], 1e-15);
    expect_z("simplex", 4, wanted, 1e-15);
  }
}

// Only equations: A z = -b, Hilbert's matrix of order 6 and z = 1
static void test_linear_system(void** state)
{
  (void)state;
  EACH(s)
  {
    p.n = 6;
    fill_hilbert(6, p.A);
    double ones[6];
    for (int i = 0; i < 6; i++) {
      p.b[i] = 0;
      for (int j = 0; j < 6; j++) p.b[i] -= p.A[i*6 + j];
      ones[i] = 1;
    }
    set_bounds(&p, 0, 6, -INFINITY, INFINITY);
    expect_solved("Hilbert", each[s], 1e-15);
    expect_z("Hilbert", 6, ones, 1e-8);
  }
}

static void test_all_fixed_and_none(void** state)
{
  (void)state;
  EACH(s)
  {
    p = (mixed){.n = 2, .A = {0, 1, 1, 0}, .b = {5, -5}, .lower = {3, -4}, .upper = {3, -4}};
    expect_solved("fixed", each[s], 0);
    assert_true(z[0] == 3 && z[1] == -4 && w[0] == 1 && w[1] == -2);
    p.n = 0;
    expect_solved("nothing", each[s], 0);
  }
}

// ---- families ----

static void test_programs(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int turn = 0; turn < 40; turn++) {
    int nx = 3 + turn%20, equations = 1 + nx/3, redundant = equations > 2 ? turn%3 : 0;
    make_program(nx, equations, redundant, &seed, &p);
    EACH(s) expect_solved("program", each[s], 1e-10);
  }
}

// One solution: all solvers find it
static void test_boxes_agree(void** state)
{
  (void)state;
  uint64_t seed = 2;
  double first[MIXED_MAX];
  for (int n = 1; n < 60; n += 1 + n/8)
    for (int turn = 0; turn < 4; turn++) {
      make_box(n, &seed, &p);
      EACH(s)
      {
        expect_solved("box", each[s], 1e-13);
        if (s == 0) memcpy(first, z, sizeof first);
        expect_z("box", n, first, 1e-12);
      }
    }
}

static void test_polyhedral_friction(void** state)
{
  (void)state;
  uint64_t seed = 3;
  for (int turn = 0; turn < 30; turn++) {
    int k = 1 + turn%8, bilateral = turn%5, redundant = bilateral > 1 ? turn%3 : 0;
    if (redundant > 0 && redundant >= bilateral) redundant = 1;
    make_polyhedral(bilateral, redundant, k, turn%2 ? 2*k + 6 : k + 6, 0.5, &seed, &p);
    expect_solved("friction", SS_MLCP_AUTO, 1e-10);
    expect_solved("friction", SS_MLCP_PATH, 1e-10);
  }
}

// Bodies of 1e10 kg: G is tiny beside the ones of the friction rows, and all solvers must see it
static void test_heavy_bodies(void** state)
{
  (void)state;
  uint64_t seed = 12;
  for (int k = 1; k < 7; k++) {
    make_polyhedral(3, 1, k, 3*k + 4, 0.5, &seed, &p);
    for (int i = 0; i < p.n - k; i++)
      for (int j = 0; j < p.n - k; j++) p.A[i*p.n + j] *= 1e-10;
    EACH(s) expect_solved("heavy", each[s], 1e-10);
  }
}

// ---- units ----

// Equations and unknowns in other units: the same solution, in those units
static void test_units_do_not_matter(void** state)
{
  (void)state;
  uint64_t seed = 4;
  double plain[MIXED_MAX], col[MIXED_MAX];
  for (int turn = 0; turn < 12; turn++)
    EACH(s)
    {
      int n = 8 + turn;
      make_box(n, &seed, &p);
      expect_solved("units", each[s], 1e-13);
      memcpy(plain, z, sizeof plain);
      double size = pow(10, 9*uniform(&seed));
      for (int j = 0; j < n; j++) col[j] = pow(10, 6*uniform(&seed));
      for (int i = 0; i < n; i++) {
        double row = pow(10, 6*uniform(&seed));
        for (int j = 0; j < n; j++) p.A[i*n + j] *= row*col[j];
        p.b[i] *= row*size;
      }
      for (int i = 0; i < n; i++) {
        p.lower[i] *= size/col[i];
        p.upper[i] *= size/col[i];
      }
      expect_solved("units", each[s], 1e-13);
      for (int i = 0; i < n; i++)
        if (fabs(z[i]*col[i]/size - plain[i]) > 1e-11)
          fail_msg("%s: z_%d is %g in its units, not %g", ss_mlcp_solver_name(each[s]), i, z[i]*col[i]/size, plain[i]);
    }
}

// ---- no solution ----

// Two equations that contradict each other: the witness v has v^T A = 0 and v.b < 0
static void test_contradiction(void** state)
{
  (void)state;
  uint64_t seed = 5;
  for (int turn = 0; turn < 10; turn++) {
    ss_mlcp_solution s;
    make_program(6, 3, 1, &seed, &p);
    p.b[8] += 0.1;
    for (int by = 0; by < 2; by++) {
      assert_int_equal(solve_by(each[by], &s), SS_RAY);
      assert_true(s.residual > 1e-10 && s.residual < INFINITY);
      double vb = 0;
      for (int i = 0; i < p.n; i++) vb += ray[i]*p.b[i];
      assert_true(vb < -1e-3);
      for (int j = 0; j < p.n; j++) {
        double sum = 0;
        for (int i = 0; i < p.n; i++) sum += ray[i]*p.A[i*p.n + j];
        if (fabs(sum) > 1e-13) fail_msg("v^T A is %g in column %d", sum, j);
      }
    }
    for (int by = 2; by < 4; by++) assert_true(solve_by(each[by], &s) > SS_OK);
  }
}

// w = -1 whatever z >= 0 is: a ray; with an upper bound there is a solution, there
static void test_ray(void** state)
{
  (void)state;
  ss_mlcp_solution s;
  p = (mixed){.n = 1, .A = {0}, .b = {-1}, .lower = {0}, .upper = {INFINITY}};
  assert_int_equal(solve_by(SS_MLCP_PATH, &s), SS_RAY);
  assert_true(ray[0] == 1 && s.residual == 1 && z[0] == 0 && w[0] == -1);
  assert_int_equal(solve_by(SS_MLCP_AUTO, &s), SS_RAY);
  p.upper[0] = 4;
  EACH(k) expect_solved("bounded", each[k], 0);
  assert_true(z[0] == 4);
}

// x1 + x2 = -1 with x >= 0 does not contradict itself as equations do, but has no solution
static void test_infeasible_program(void** state)
{
  (void)state;
  ss_mlcp_solution s;
  p = (mixed){.n = 3, .A = {1, 0, -1, 0, 1, -1, 1, 1, 0}, .b = {0, 0, 1}};
  set_bounds(&p, 0, 2, 0, INFINITY);
  set_bounds(&p, 2, 1, -INFINITY, INFINITY);
  assert_int_equal(solve_by(SS_MLCP_PATH, &s), SS_RAY);
  assert_int_equal(solve_by(SS_MLCP_AUTO, &s), SS_RAY);
}

static void test_iteration_limit(void** state)
{
  (void)state;
  uint64_t seed = 6;
  make_polyhedral(2, 0, 6, 18, 0.5, &seed, &p);
  ss_mlcp mlcp = as_mlcp(&p);
  for (int s = SS_MLCP_PATH; s < SS_MLCP_SOLVER_COUNT; s++) {
    ss_mlcp_def def = ss_mlcp_def_default();
    ss_mlcp_solution out = {.z = z, .w = w};
    def.solver = (ss_mlcp_solver)s;
    def.max_iter = 1;
    ss_status status = ss_mlcp_solve(&mlcp, &def, arena, &out);
    assert_true(status == SS_OK ? out.residual <= def.tol : out.residual > def.tol && status > 0);
    assert_true(out.residual == ss_mlcp_residual(&mlcp, z));
  }
}

// ---- warm start, bad data ----

static void test_warm_start(void** state)
{
  (void)state;
  uint64_t seed = 7;
  for (int s = SS_MLCP_PFB_RLM; s < SS_MLCP_SOLVER_COUNT; s++) {
    ss_mlcp_solution cold, warm;
    make_box(40, &seed, &p);
    assert_int_equal(solve_by((ss_mlcp_solver)s, &cold), SS_OK);
    ss_mlcp mlcp = as_mlcp(&p);
    ss_mlcp_def def = ss_mlcp_def_default();
    def.solver = (ss_mlcp_solver)s;
    def.warm_start = true;
    warm = cold;
    assert_int_equal(ss_mlcp_solve(&mlcp, &def, arena, &warm), SS_OK);
    assert_true(warm.iterations <= cold.iterations);
    for (int i = 0; i < p.n; i++) z[i] = i%2 ? NAN : INFINITY;  // a guess that is none does no harm
    assert_int_equal(ss_mlcp_solve(&mlcp, &def, arena, &warm), SS_OK);
  }
}

static void test_bad_data(void** state)
{
  (void)state;
  uint64_t seed = 8;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  ss_mlcp_solution s;
  make_box(9, &seed, &p);
  EACH(k)
  {
    for (int c = 0; c < 3; c++) {
      double* places[] = {&p.A[0], &p.A[80], &p.b[4]};
      for (int at = 0; at < 3; at++) {
        double good = *places[at];
        *places[at] = bad[c];
        assert_int_equal(solve_by(each[k], &s), SS_ERR_NUMERIC);
        *places[at] = good;
      }
    }
    double lower = p.lower[2];
    p.lower[2] = p.upper[2] + 1;
    assert_int_equal(solve_by(each[k], &s), SS_ERR_ARGUMENT);
    p.lower[2] = NAN;
    assert_int_equal(solve_by(each[k], &s), SS_ERR_ARGUMENT);
    p.lower[2] = lower;
  }
  p.lower[2] = p.upper[2] = INFINITY;  // a number that z_2 cannot be
  assert_int_equal(solve_by(SS_MLCP_AUTO, &s), SS_ERR_ARGUMENT);
}

static void test_bad_arguments(void** state)
{
  (void)state;
  uint64_t seed = 9;
  make_box(9, &seed, &p);
  ss_mlcp mlcp = as_mlcp(&p);
  ss_mlcp_def def = ss_mlcp_def_default();
  ss_mlcp_solution s = {.z = z, .w = w}, none = {0};
  assert_int_equal(ss_mlcp_solve(NULL, &def, arena, &s), SS_ERR_ARGUMENT);
  assert_int_equal(ss_mlcp_solve(&mlcp, NULL, arena, &s), SS_ERR_ARGUMENT);
  assert_int_equal(ss_mlcp_solve(&mlcp, &def, NULL, &s), SS_ERR_ARGUMENT);
  assert_int_equal(ss_mlcp_solve(&mlcp, &def, arena, NULL), SS_ERR_ARGUMENT);
  assert_int_equal(ss_mlcp_solve(&mlcp, &def, arena, &none), SS_ERR_ARGUMENT);
  def.pfb_lambda = 0;
  assert_int_equal(ss_mlcp_solve(&mlcp, &def, arena, &s), SS_ERR_ARGUMENT);
  def = ss_mlcp_def_default();
  def.solver = SS_MLCP_SOLVER_COUNT;
  assert_int_equal(ss_mlcp_solve(&mlcp, &def, arena, &s), SS_ERR_ARGUMENT);
  assert_null(ss_mlcp_solver_name(SS_MLCP_SOLVER_COUNT));
  assert_string_equal(ss_mlcp_solver_name(SS_MLCP_PFB_RLM), "mlcp-pfb-rlm");
}

// The size that is told suffices, to the byte for the largest solver, and what is less is refused
static void test_capacity(void** state)
{
  (void)state;
  uint64_t seed = 10;
  for (int n = 1; n < 40; n += 3)
    EACH(k)
    {
      make_box(n, &seed, &p);
      ss_mlcp mlcp = as_mlcp(&p);
      ss_mlcp_def def = ss_mlcp_def_default();
      def.solver = each[k];
      ss_mlcp_solution s = {.z = z, .w = w};
      ss_arena *exact = ss_arena_create(ss_mlcp_solve_size(n)), *small = ss_arena_create(ss_mlcp_solve_size(n)/8);
      assert_int_equal(ss_mlcp_solve(&mlcp, &def, exact, &s), SS_OK);
      assert_int_equal(ss_arena_mark(exact), 0);
      assert_int_equal(ss_mlcp_solve(&mlcp, &def, small, &s), SS_ERR_CAPACITY);
      ss_arena_destroy(exact);
      ss_arena_destroy(small);
    }
}

// Numbers of all sizes and kinds, also nonsense: no crash, no NaN, and SS_OK only if the residual is met
static void test_nonsense(void** state)
{
  (void)state;
  uint64_t seed = 11;
  const double odd[] = {0, 1, -1, 1e300, -1e300, 1e-300, 5e-324, 1e150, -1e-150, 3};
  for (int turn = 0; turn < 300; turn++) {
    int n = p.n = 1 + turn%7;
    for (int i = 0; i < n*n; i++) p.A[i] = odd[(int)(5 + 5*uniform(&seed))%10];
    for (int i = 0; i < n; i++) {
      p.b[i] = odd[(int)(5 + 5*uniform(&seed))%10];
      double a = odd[(int)(5 + 5*uniform(&seed))%10], b = odd[(int)(5 + 5*uniform(&seed))%10];
      p.lower[i] = turn%3 ? fmin(a, b) : -INFINITY;
      p.upper[i] = turn%2 ? fmax(a, b) : INFINITY;
    }
    EACH(k)
    {
      ss_mlcp_solution s;
      ss_status status = solve_by(each[k], &s);
      if (status == SS_ERR_NUMERIC) continue;  // sums overflow
      assert_true(status >= 0);
      assert_true(status != SS_OK || s.residual <= 1e-10);
      for (int i = 0; i < n; i++)
        if (!(isfinite(z[i]) && z[i] >= p.lower[i] && z[i] <= p.upper[i]))
          fail_msg("turn %d, %s: z_%d is %g in %g .. %g, residual %g", turn, ss_mlcp_solver_name(each[k]), i,
                   z[i], p.lower[i], p.upper[i], s.residual);
    }
  }
}

static int set_up(void** state)
{
  (void)state;
  arena = ss_arena_create(ss_mlcp_solve_size(MIXED_MAX));
  return arena ? 0 : -1;
}

static int tear_down(void** state)
{
  (void)state;
  ss_arena_destroy(arena);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_unknown),        cmocka_unit_test(test_relay),
    cmocka_unit_test(test_simplex),            cmocka_unit_test(test_linear_system),
    cmocka_unit_test(test_all_fixed_and_none), cmocka_unit_test(test_programs),
    cmocka_unit_test(test_boxes_agree),        cmocka_unit_test(test_polyhedral_friction),
    cmocka_unit_test(test_units_do_not_matter), cmocka_unit_test(test_contradiction),
    cmocka_unit_test(test_ray),                cmocka_unit_test(test_infeasible_program),
    cmocka_unit_test(test_iteration_limit),    cmocka_unit_test(test_warm_start),
    cmocka_unit_test(test_bad_data),           cmocka_unit_test(test_bad_arguments),
    cmocka_unit_test(test_capacity),           cmocka_unit_test(test_nonsense),
    cmocka_unit_test(test_heavy_bodies),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
