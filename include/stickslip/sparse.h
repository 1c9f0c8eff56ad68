// Sparse matrices, compressed by rows.
#ifndef STICKSLIP_SPARSE_H
#define STICKSLIP_SPARSE_H

#include <stickslip/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Row i holds the entries start[i] .. start[i+1]-1. Plain data: a view of arrays that somebody owns.
typedef struct ss_sparse {
  int rows, cols;
  const int* start;     ///< rows + 1, start[0] = 0, never falling
  const int* col;       ///< start[rows] columns, rising within a row
  const double* value;  ///< start[rows]
} ss_sparse;

/// A matrix from `count` entries x at (row, col), in any order; entries at the same place add up. The arrays of *out
/// are new: free them with ss_sparse_free(). SS_ERR_INPUT if a place is outside, SS_ERR_NUMERIC if a number is not
/// finite; *error (may be NULL) tells which.
SS_API ss_status ss_sparse_from_triplets(int rows, int cols, int count, const int* row, const int* col, const double* x,
                                         ss_sparse* out, ss_error* error);

/// A new matrix with what a dense one (row by row) has that is not zero.
SS_API ss_status ss_sparse_from_dense(int rows, int cols, const double* dense, ss_sparse* out, ss_error* error);

/// Frees the arrays made by the two functions above and leaves an empty matrix.
SS_API void ss_sparse_free(ss_sparse* matrix);

/// Whether starts, columns and numbers are in order. *error (may be NULL) says what is wrong with `name`.
SS_API ss_status ss_sparse_check(const ss_sparse* matrix, const char* name, ss_error* error);

#ifdef __cplusplus
}
#endif
#endif
