// phi(x, y) = x + y - sqrt(x^2 + y^2), the function of Fischer and Burmeister [Fischer 1992]. Its square is
// continuously differentiable, so that every stationary point of the merit function solves an LCP with a P0-matrix [De
// Luca, Facchinei & Kanzow 1996].
#include "solve/lcp_solvers.h"
#include "solve/newton.h"
#include <math.h>

// For x, y > 0 without cancellation: 2 x y/(x + y + r)
static double value(double x, double y)
{
  double r = sqrt(x*x + y*y), s = x + y;
  return s > 0 ? 2*x*y/(s + r) : s - r;
}

// (1 - x/r, 1 - y/r); at the origin the gradient in the direction (1, 1)
static void slopes(double x, double y, double* by_x, double* by_y)
{
  double r = sqrt(x*x + y*y);
  *by_x = r > 0 ? 1 - x/r : 1 - sqrt(0.5);
  *by_y = r > 0 ? 1 - y/r : 1 - sqrt(0.5);
}

const ss_ncp_function ss_fischer_burmeister = {value, slopes};

ss_status ss_lcp_newton_fb(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution)
{
  solution->solver = SS_LCP_NEWTON_FB;
  return ss_newton_solve(&ss_fischer_burmeister, lcp, def, arena, solution);
}
