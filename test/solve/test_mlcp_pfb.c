// The penalised Fischer-Burmeister equations of an MLCP: their zeros, and their Jacobian against differences.
#include "solve/lm.h"
#include "solve/mlcp_pfb.h"
#include "mlcp_families.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { N = 24 };

static mixed p;
static double J[N*N], phi[N], plus[N], minus[N], w[N], z[N], mark[N];

static ss_mlcp_scaled plain(void)
{
  static double one[N];
  for (int i = 0; i < N; i++) one[i] = 1;
  return (ss_mlcp_scaled){p.n, p.A, p.b, p.lower, p.upper, one, one, 1};
}

// z inside, below and above its bounds, w of both signs: all branches of (46) and (47) and of the boxes
static void test_jacobian_is_the_derivative(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int turn = 0; turn < 50; turn++) {
    make_box(N, &seed, &p);
    ss_mlcp_scaled s = plain();
    double lambda = turn%5 == 0 ? 1 : 0.5*(1 + uniform(&seed));
    fill_uniform(N, z, &seed);
    ss_pfb_phi(&s, lambda, z, w, phi);
    ss_pfb_jacobian(&s, lambda, z, w, mark, J);
    for (int j = 0; j < N; j++) {
      double middle = z[j], h = 1e-6;
      z[j] = middle + h;
      ss_pfb_phi(&s, lambda, z, w, plus);
      z[j] = middle - h;
      ss_pfb_phi(&s, lambda, z, w, minus);
      z[j] = middle;
      for (int i = 0; i < N; i++) {
        double slope = (plus[i] - minus[i])/(2*h);
        if (fabs(slope - J[i*N + j]) > 1e-6) fail_msg("dphi_%d/dz_%d is %g, not %g", i, j, slope, J[i*N + j]);
      }
    }
  }
}

// At a kink, z_i = 0 and w_i = 0, the Jacobian is the limit along the direction of (45): y_j = 1 on the kinks
static void test_jacobian_at_a_kink(void** state)
{
  (void)state;
  p = (mixed){.n = 2, .A = {2, 1, -1, 3}, .b = {0, 0}, .upper = {INFINITY, INFINITY}};
  ss_mlcp_scaled s = plain();
  double limit[4], h = 1e-9, at[2] = {h, h};
  z[0] = z[1] = 0;
  ss_pfb_phi(&s, 0.9, z, w, phi);
  ss_pfb_jacobian(&s, 0.9, z, w, mark, J);
  ss_pfb_phi(&s, 0.9, at, w, phi);
  ss_pfb_jacobian(&s, 0.9, at, w, mark, limit);
  for (int k = 0; k < 4; k++) assert_true(fabs(J[k] - limit[k]) < 1e-8);
  // by hand: row 0 moves by 3, so 0.9 (1 - 1/sqrt(10)) e_0 + 0.9 (1 - 3/sqrt(10)) A_0
  assert_true(fabs(J[1] - 0.9*(1 - 3/sqrt(10))*1) < 1e-15);
  assert_true(fabs(J[0] - 0.9*(1 - 1/sqrt(10)) - 0.9*(1 - 3/sqrt(10))*2) < 1e-15);
}

// phi = 0 exactly at the solutions of w = a z + c on bounds, nowhere else
static void test_zeros_are_solutions(void** state)
{
  (void)state;
  const double bounds[][2] = {{0, INFINITY}, {-INFINITY, 1}, {-1, 1}, {-INFINITY, INFINITY}, {0.5, 0.5}};
  for (int k = 0; k < 5; k++)
    for (double c = -3; c <= 3; c += 0.5) {
      p = (mixed){.n = 1, .A = {1}, .b = {c}, .lower = {bounds[k][0]}, .upper = {bounds[k][1]}};
      ss_mlcp_scaled s = plain();
      double solution = fmin(fmax(-c, bounds[k][0]), bounds[k][1]);
      for (double at = -4; at <= 4; at += 0.25) {
        z[0] = at;
        ss_pfb_phi(&s, 0.8, z, w, phi);
        if ((at == solution) != (fabs(phi[0]) < 1e-12)) fail_msg("bounds %d, c %g, z %g: phi %g", k, c, at, phi[0]);
      }
    }
}

// ---- the methods on a problem of their own: Rosenbrock's valley, zero at (1, 1) ----

static void rosenbrock(void* user, const double* x, double* f)
{
  (void)user;
  f[0] = 10*(x[1] - x[0]*x[0]);
  f[1] = 1 - x[0];
}

static void rosenbrock_slope(void* user, const double* x, double* D)
{
  (void)user;
  D[0] = -20*x[0];
  D[1] = 10;
  D[2] = -1;
  D[3] = 0;
}

static bool go_on(void* user, const double* x)
{
  (void)user;
  (void)x;
  return false;
}

static void test_both_methods_find_the_valley(void** state)
{
  (void)state;
  double work[3*4 + 8*2], lower[2] = {-2, -2}, upper[2] = {3, 3};
  assert_true(sizeof work/sizeof *work == ss_lm_doubles(2));
  ss_lm_problem f = {2, NULL, rosenbrock, rosenbrock_slope, go_on, lower, upper, NULL};
  for (int m = 0; m < 2; m++) {
    double x[2] = {-1.2, 1};
    int used = 0;
    ss_lm_end end = (m ? ss_lm_projected : ss_lm_regular)(&f, 200, work, x, &used);
    assert_true(end == SS_LM_ZERO || end == SS_LM_STUCK);
    assert_true(fabs(x[0] - 1) < 1e-10 && fabs(x[1] - 1) < 1e-10 && used < 200);
  }
}

// With the valley's end cut off the projected method stops at the bound, where the constrained minimum is
static void test_projection(void** state)
{
  (void)state;
  double work[3*4 + 8*2], lower[2] = {-2, -2}, upper[2] = {0.5, 3}, x[2] = {-1.2, 1};
  ss_lm_problem f = {2, NULL, rosenbrock, rosenbrock_slope, go_on, lower, upper, NULL};
  int used = 0;
  ss_lm_projected(&f, 200, work, x, &used);
  if (fabs(x[0] - 0.5) > 1e-6 || fabs(x[1] - 0.25) > 1e-6) fail_msg("ended at %g, %g after %d", x[0], x[1], used);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_jacobian_is_the_derivative),   cmocka_unit_test(test_jacobian_at_a_kink),
    cmocka_unit_test(test_zeros_are_solutions),          cmocka_unit_test(test_both_methods_find_the_valley),
    cmocka_unit_test(test_projection),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
