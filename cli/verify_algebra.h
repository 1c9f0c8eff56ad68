// Small dense systems of equations in long double, for `stickslip verify`.
#ifndef CLI_VERIFY_ALGEBRA_H
#define CLI_VERIFY_ALGEBRA_H

#include <stdbool.h>

/// L (n x n) = Cholesky's factor of M (n x n, row by row). False if M is not positive definite.
bool cli_cholesky(int n, const double* M, long double* L);

/// x = (L L^T)^-1 x
void cli_cholesky_solve(int n, const long double* L, long double* x);

/// A x = b (b in the last column of A, n x (n + 1), which is overwritten) by elimination with full pivoting; x is 0
/// where A says nothing. order: n numbers of scratch. False then: x is not unique.
bool cli_eliminate(int n, long double* A, long double* x, int* order);

#endif
