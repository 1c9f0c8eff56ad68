// LU factors of a sparse matrix of d x d blocks (d = 1, 2, 3 or 6) whose pattern is symmetric, by rows, without
// pivoting between blocks: for matrices that are near "one plus positive", as in Newton steps on contact problems.
// The order of elimination and the fill are found once; factors for new numbers allocate nothing.
#ifndef SS_MATH_BLOCK_LU_H
#define SS_MATH_BLOCK_LU_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ss_block_lu {
  int n, d;       // blocks per side, size of a block
  int stride;     // numbers per row of a block: 1, 2, 4 or 8, so that rows fill vectors; those after the first d are 0
  int* place;     // n: row of the matrix -> row of the factor
  int* start;     // n + 1: first block of a row of the factor
  int* diagonal;  // n: the diagonal block of a row
  int* col;       // column of each block, rising within a row
  int* at;        // n: scratch
  double* value;  // d*stride numbers per block, row by row
  double* x;      // n*stride: scratch
  double products;  // of blocks, in one factorisation
  int sign;         // of the determinant of what was factored last
  const volatile int* stop;  // NULL, or a flag: not 0 ends a factorisation under way, which then has failed
} ss_block_lu;

/// The structure of a matrix with blocks at (i, col[start[i]..start[i+1]-1]) and their mirror images; the diagonal is
/// always there. NULL if memory is short, or if the factors would have more than `limit` blocks or take more than
/// `most` products: that is noticed on the way, long before the whole order is found.
ss_block_lu* ss_block_lu_create(int n, int d, const int* start, const int* col, size_t limit, double most);
void ss_block_lu_destroy(ss_block_lu* lu);  ///< NULL is fine

/// Where block (i, j) is: the numbers at lu->value + index*d*stride. -1 if the structure has none.
int ss_block_lu_find(const ss_block_lu* lu, int i, int j);

void ss_block_lu_clear(ss_block_lu* lu);           ///< all blocks 0
bool ss_block_lu_factor(ss_block_lu* lu);          ///< in place; false if a diagonal block is singular or NaN
void ss_block_lu_solve(ss_block_lu* lu, double* x);  ///< A x = rhs; x holds rhs on entry

/// An order of elimination by minimum degree, on the elimination graph itself [Rose 1972; George & Liu 1989].
/// row_start (n + 1) and row_col are new: the blocks right of the diagonal in each row of the factor, in terms of the
/// new order, sorted. *products: most of them on entry, their number on return; a row with d blocks right of the
/// diagonal takes d (d + 1). False if memory is short, or there are more than limit blocks or more products.
bool ss_minimum_degree(int n, const int* start, const int* col, size_t limit, double* products, int* place,
                       int** row_start, int** row_col);

#endif
