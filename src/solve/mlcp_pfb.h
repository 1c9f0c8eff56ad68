// The MLCP as equations phi(z) = 0 by the penalised Fischer-Burmeister function.
#ifndef SS_SOLVE_MLCP_PFB_H
#define SS_SOLVE_MLCP_PFB_H

#include "solve/mlcp.h"

/// phi (n) at the scaled z; w (n) receives A z + b.
void ss_pfb_phi(const ss_mlcp_scaled* s, double lambda, const double* z, double* w, double* phi);

/// J = dphi/dz (n x n, row by row) at z with its w; where phi has a kink, one of its generalised Jacobians. mark (n) is
/// scratch.
void ss_pfb_jacobian(const ss_mlcp_scaled* s, double lambda, const double* z, const double* w, double* mark, double* J);

#endif
