// Direct current through a resistor and a diode that the source drives backwards, as a mixed complementarity problem:
// equations and a complementarity in one system.
#include <math.h>
#include <stdio.h>
#include <stickslip/mlcp.h>

int main(void)
{
  // Unknowns z = (i, v): the current i (A) is free, so its row is an equation,  w_1 = R i - v - E = 0;
  // the voltage v (V) that the diode holds back is complementary to the current,  0 <= w_2 = i  _|_  v >= 0.
  const double R = 10, E[2] = {5, -5};
  const double A[4] = {R, -1, 1, 0}, lower[2] = {-INFINITY, 0}, upper[2] = {INFINITY, INFINITY};
  ss_mlcp_def def = ss_mlcp_def_default();
  ss_arena* arena = ss_arena_create(ss_mlcp_solve_size(2));  // once; it serves any number of solves
  int failed = !arena;
  for (int k = 0; k < 2 && arena; k++) {
    double z[2] = {0}, w[2] = {0}, b[2] = {-E[k], 0};
    ss_mlcp mlcp = {.n = 2, .A = A, .b = b, .lower = lower, .upper = upper};
    ss_mlcp_solution s = {.z = z, .w = w};
    ss_status status = ss_mlcp_solve(&mlcp, &def, arena, &s);
    if (status < 0) return fprintf(stderr, "%s\n", ss_status_text(status)), 1;
    printf("%+g V: current %g A, %g V held back by the diode; %s by %s, residual %.1e\n", E[k], z[0], z[1],
           ss_status_text(status), ss_mlcp_solver_name(s.solver), s.residual);
    failed |= status != SS_OK || fabs(z[0] - (E[k] > 0 ? 0.5 : 0)) > 1e-12;
  }
  ss_arena_destroy(arena);
  return failed;
}
