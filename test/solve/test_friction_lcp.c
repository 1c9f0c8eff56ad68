// Planar friction, k contacts on 2k degrees of freedom (fric) or on k (fricdef: G is singular): b = W^T u is in the
// range of G, so every problem has a solution, and lemke and auto find one for every seed. bench_lcp study has more.
#define FAMILY_MAX 384
#include "families.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stickslip/lcp.h>
#include <cmocka.h>

static double A[FAMILY_MAX*FAMILY_MAX], b[FAMILY_MAX], x[FAMILY_MAX], y[FAMILY_MAX];

static void check(int k, bool deficient, double mu, int seeds)
{
  int n = 3*k;
  ss_arena* arena = ss_arena_create(ss_lcp_solve_size(n));
  const ss_lcp_solver solvers[] = {SS_LCP_LEMKE, SS_LCP_AUTO};
  for (int c = 0; c < seeds; c++) {
    uint64_t seed = 1000*(uint64_t)k + (uint64_t)c;
    make_friction_mu(k, deficient ? k : 2*k, mu, 2, &seed, A, b);
    ss_lcp lcp = {.n = n, .A = A, .b = b};
    for (int s = 0; s < 2; s++) {
      ss_lcp_def def = ss_lcp_def_default();
      ss_lcp_solution solution = {.x = x, .y = y};
      def.solver = solvers[s];
      ss_status status = ss_lcp_solve(&lcp, &def, arena, &solution);
      if (status != SS_OK || ss_lcp_residual(&lcp, x) > 1e-10)
        fail_msg("k %d, seed %d, mu %g, %s: %s", k, c, mu, ss_lcp_solver_name(solvers[s]), ss_status_text(status));
    }
  }
  ss_arena_destroy(arena);
}

static void test_fric(void** state)
{
  (void)state;
  for (double mu = 0.3; mu < 2; mu += 0.7) {
    check(2, false, mu, 50);
    check(8, false, mu, 50);
    check(32, false, mu, 10);
  }
  check(128, false, 0.3, 2);
}

static void test_fricdef(void** state)
{
  (void)state;
  for (double mu = 0.3; mu < 2; mu += 0.7) {
    check(2, true, mu, 50);
    check(8, true, mu, 50);
    check(32, true, mu, 10);
  }
  check(128, true, 0.3, 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_fric), cmocka_unit_test(test_fricdef)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
