// Sparse matrices inside the library: products and the transposed matrix.
#ifndef SS_MATH_SPARSE_H
#define SS_MATH_SPARSE_H

#include <stickslip/sparse.h>

/// y += A x
void ss_sparse_multiply_add(const ss_sparse* A, const double* x, double* y);

/// y += A^T x
void ss_sparse_multiply_add_t(const ss_sparse* A, const double* x, double* y);

/// A as an array (rows x cols).
void ss_sparse_dense(const ss_sparse* A, double* out);

/// The entry at (i, j), 0 if there is none.
double ss_sparse_entry(const ss_sparse* A, int i, int j);

/// A new matrix A^T. False if memory is short.
bool ss_sparse_transpose(const ss_sparse* A, ss_sparse* out);

#endif
