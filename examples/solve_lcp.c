// A block that falls on a rough floor, as a linear complementarity problem: does it stick or slide?
#include <math.h>
#include <stdio.h>
#include <stickslip/lcp.h>

int main(void)
{
  // 2 kg, hits with 1 m/s while it slides with 0.3 m/s, mu = 0.5.  x = (Lambda_N, Lambda_T + mu Lambda_N, xi_L)
  const double m = 2, mu = 0.5;
  const double A[9] = {1/m, 0, 0, -mu/m, 1/m, 1, 2*mu, -1, 0}, b[3] = {-1, 0.3, 0};
  double x[3] = {0}, y[3] = {0}, ray[3];
  ss_lcp lcp = {.n = 3, .A = A, .b = b};
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solution solution = {.x = x, .y = y, .ray = ray};
  ss_arena* arena = ss_arena_create(ss_lcp_lemke_size(lcp.n));  // once; it serves any number of solves
  ss_status status = arena ? ss_lcp_lemke(&lcp, &def, arena, &solution) : SS_ERR_MEMORY;
  printf("%s, residual %.1e, %d pivots\n", ss_status_text(status), solution.residual, solution.iterations);
  printf("normal impulse %g N s, friction impulse %g N s: it %s\n", x[0], x[1] - mu*x[0],
         fabs(y[1] - x[2]) < 1e-12 ? "sticks" : "slides");
  ss_arena_destroy(arena);
  return status == SS_OK ? 0 : 1;
}
