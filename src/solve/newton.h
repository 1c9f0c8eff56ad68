// Semismooth Newton methods: an LCP as n equations phi(x_i, y_i) = 0, where phi(a, b) = 0 <=> a, b >= 0 and a b = 0.
#ifndef SS_SOLVE_NEWTON_H
#define SS_SOLVE_NEWTON_H

#include <stickslip/lcp.h>

typedef struct ss_ncp_function {
  double (*value)(double x, double y);                            ///< phi
  void (*slopes)(double x, double y, double* by_x, double* by_y);  ///< an element of its generalised gradient
} ss_ncp_function;

/// x + y - sqrt(x^2 + y^2), whose square is smooth: the merit function for every phi.
extern const ss_ncp_function ss_fischer_burmeister;

/// Bytes of arena that ss_newton() needs.
size_t ss_newton_size(int n);

/// The damped method of De Luca, Facchinei & Kanzow for this phi.
ss_status ss_newton(const ss_ncp_function* phi, const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena,
                    ss_lcp_solution* solution);

#endif
