// The residual of an LCP with its y at hand; the public functions are in stickslip/lcp.h and stickslip/contact.h.
#ifndef SS_SOLVE_RESIDUAL_H
#define SS_SOLVE_RESIDUAL_H

#include <stickslip/lcp.h>

/// ss_lcp_residual() that also gives y = A x + b and the sizes Y_i = |b_i| + sum_j |a_ij||x_j| of its rows, n each.
double ss_lcp_residual_y(const ss_lcp* lcp, const double* x, double* y, double* Y);

#endif
