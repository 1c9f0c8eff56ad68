// Principal axes of a symmetric 3 x 3 matrix.
#ifndef SS_MATH_PRINCIPAL_H
#define SS_MATH_PRINCIPAL_H

#include "math/vec3.h"

/// A = R diag(p) R^T with the rotation R of *axes. A diagonal matrix keeps its axes. Jacobi's method.
ss_vec3 ss_sym3_principal(const ss_sym3* A, ss_quat* axes);

#endif
