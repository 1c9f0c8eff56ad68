// phi(x, y) = min(x, y): its Newton step solves a complementary basis, x_i = 0 where x_i <= y_i and y_i = 0 elsewhere,
// so the method ends after finitely many steps where it converges [Pang 1990; Fischer & Kanzow 1996]. |min(x, y)|^2 is
// not differentiable; the steps are judged by the merit of Fischer and Burmeister, see newton.c.
#include "solve/lcp_solvers.h"
#include "solve/newton.h"

static double value(double x, double y) { return x < y ? x : y; }

static void slopes(double x, double y, double* by_x, double* by_y)
{
  *by_x = x <= y;
  *by_y = x > y;
}

ss_status ss_lcp_newton_min(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution)
{
  static const ss_ncp_function min = {value, slopes};
  solution->solver = SS_LCP_NEWTON_MIN;
  return ss_newton_solve(&min, lcp, def, arena, solution);
}
