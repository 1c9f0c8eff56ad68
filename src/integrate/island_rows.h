// Rows of an island of velocity space.
#ifndef SS_INTEGRATE_ISLAND_ROWS_H
#define SS_INTEGRATE_ISLAND_ROWS_H

#include "solve/friction_blocks.h"

/// Row k of the blocks of a group
typedef struct ss_block_row {
  int group, k;
} ss_block_row;

/// Whether group c is a contact that slides
bool ss_block_slides(const ss_friction_blocks* b, int c);

/// Rows without velocity in the solution at hand, into `out`; returns how many. The first *still of them are of
/// contacts that do not slide, the others normal rows of those that do.
int ss_block_rows_rest(const ss_friction_blocks* b, ss_block_row* out, int* still);

/// Leaves out rows that can be told to depend on no others: all that meet a block of velocities, if they are
/// independent there; then what is left is looked at again. Returns how many are left, in their order.
int ss_block_rows_peel(const ss_friction_space* p, int n, ss_block_row* rows, int* still);

/// A (n x n): entries of G, in the lower half at least. J: as many numbers as ss_block_rows_spread() says of m >= n
/// rows.
void ss_block_rows_G(const ss_friction_space* p, int n, const ss_block_row* rows, double* J, double* A);
size_t ss_block_rows_spread(const ss_friction_space* p, int m);

#endif
