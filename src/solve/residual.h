// The residual of an LCP with its y at hand; the public functions are in stickslip/lcp.h and stickslip/contact.h.
#ifndef SS_SOLVE_RESIDUAL_H
#define SS_SOLVE_RESIDUAL_H

#include <stickslip/lcp.h>

/// ss_lcp_residual() that also gives y = A x + b and the sizes Y_i = |b_i| + sum_j |a_ij||x_j| of its rows, n each.
double ss_lcp_residual_y(const ss_lcp* lcp, const double* x, double* y, double* Y);

/// The same for a sparse A, O(entries); E (n) is scratch.
double ss_lcp_residual_sparse(const ss_lcp* lcp, const double* x, double* y, double* Y, double* E);

/// y = A x + b and these sizes alone, for either kind of A.
void ss_lcp_row_sums(const ss_lcp* lcp, const double* x, double* y, double* Y);

/// What dropping x_i changes in the rows of a dense A, relative to their sizes: max_k |a_ki||x_i|/Y_k.
double ss_lcp_effect(const ss_lcp* lcp, const double* x, const double* Y, int i);

#endif
