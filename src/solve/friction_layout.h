// The rows of a problem in blocks of one size, which is what all loops work on. Blocks of bilateral rows ("free") come
// first, then one block per contact: (N), (N, T), (N, T1, T2), or (-, T) for a friction element. Rows that a block does
// not need are empty: no velocity, no impulse.
#ifndef SS_SOLVE_FRICTION_LAYOUT_H
#define SS_SOLVE_FRICTION_LAYOUT_H

#include <stickslip/friction.h>

typedef struct ss_friction_layout {
  int dim;         // rows of a block, 2 or 3
  int n_free, k;   // free blocks, blocks in all
  int rows;        // rows of the problem
  int* slot;       // rows: the place of each among the k*dim rows of blocks; NULL: its own number
  int* count;      // k: rows that a block has
  bool* element;   // k: a friction element, without normal row
  double *mu, *bound;  // k: 0 in free blocks
} ss_friction_layout;

/// Rows of a block: 3 if the problem or one of its contacts is spatial, else 2
int ss_friction_block_size(const ss_friction_problem* problem);

/// Only bilateral rows that touch the same columns of `pattern` (in groups of `group`) share a block, because blocks
/// couple all that they touch; with NULL any do. False if memory is short.
bool ss_friction_lay_out(const ss_friction_problem* problem, const ss_sparse* pattern, int group,
                         ss_friction_layout* layout);
void ss_friction_layout_free(ss_friction_layout* layout);

/// mu and bound of a problem with the same kinds
void ss_friction_layout_laws(ss_friction_layout* layout, const ss_friction_problem* problem);

/// From rows of the problem to rows of blocks, and back
void ss_friction_spread(const ss_friction_layout* layout, const double* row, double* block);
void ss_friction_collect(const ss_friction_layout* layout, const double* block, double* row);

/// The matrix with its rows (and, if square, columns) in blocks. Shares what it can with A: free it with
/// ss_friction_pad_free(). False if memory is short.
bool ss_friction_pad(const ss_friction_layout* layout, const ss_sparse* A, bool square, ss_sparse* out);
void ss_friction_pad_free(const ss_sparse* A, ss_sparse* out);

/// The residual from its parts: trace G_ii of each block (with compliance), Lambda, xi in blocks, and the scale
/// |b|_inf. NaN if one of them is.
double ss_friction_measure(const ss_friction_layout* layout, const double* trace, const double* Lambda,
                           const double* xi, double scale);

/// The same of blocks `from` .. `to` - 1 of a problem in space, for a scale that is finite
double ss_friction_measure_part(const ss_friction_layout* layout, const double* trace, const double* Lambda,
                                const double* xi, double scale, int from, int to);

#endif
