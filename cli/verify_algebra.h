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

/// Of the solutions of A x = b the one with the least sum of x_i^2/weight_i (all > 0), by A D A' y = b, x = D A' y. A:
/// n rows of n + 1, the last one b, kept; room: n (n + 2).
void cli_solve_weighted(int n, const long double* A, const long double* weight, long double* x, long double* room,
                        int* order);

/// x (n) without what m vectors can add to it; base (m x n) is overwritten by orthonormal ones, zero where a vector
/// says nothing new (Gram-Schmidt).
void cli_take_out(int n, int m, long double* base, long double* x);

#endif
