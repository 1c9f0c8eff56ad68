// Contact problems that come one after the other while contacts come and go, given by blocks of J = W^T L^-T: three
// rows per contact or of bilateral ones, six velocities per block, several blocks for a tree. Memory is kept, and so is
// the order of elimination as long as contacts join the same blocks.
#ifndef SS_SOLVE_FRICTION_BLOCKS_H
#define SS_SOLVE_FRICTION_BLOCKS_H

#include "solve/friction_batch.h"
#include "solve/friction_run.h"

enum { SS_BLOCK_ROWS = 3, SS_BLOCK_SIZE = 6, SS_BLOCK_STRIDE = 8, SS_BLOCK_NUMBERS = SS_BLOCK_ROWS*SS_BLOCK_STRIDE };

/// What is filled in from outside, after ss_friction_blocks_size(), of `space`: start, col, value but for what pads its
/// rows, trace, b, layout.count, layout.element; mu and bound; run.Lambda is the start. Contacts without friction have
/// their row first, friction elements second; rows that are not there are zero. Blocks of bilateral rows come first,
/// with mu and bound 0.
typedef struct ss_friction_blocks {
  ss_friction_space space;
  ss_friction_run run;
  double *mu, *bound;  // k: those of space
  bool contrary;       // bilateral rows contradict one another: no impulses solve the problem
  double* contradiction;  // rows of n_free: by how much, then
  ss_friction_batches batches;
  ss_arena* arena;     // all arrays of this problem
  size_t bytes;        // its size
  int size[5];         // what the arrays were taken for
  size_t mark;         // behind them
  int* pattern;        // what the order of elimination was found for: count and blocks of each contact that differs
  int n_pattern, pattern_room;  // ... from the one before
  int analyses;        // made so far
  double most;         // products of blocks that it was allowed to take
} ss_friction_blocks;

ss_friction_blocks* ss_friction_blocks_create(void);
void ss_friction_blocks_destroy(ss_friction_blocks* blocks);  ///< NULL is fine

/// Room for k contacts, of which the first n_free are up to three bilateral rows each, with n_block blocks in all,
/// `pairs` pairs of blocks of one contact, between n_body blocks of velocities. False if memory is short. Allocates
/// when it is more than ever before.
bool ss_friction_blocks_size(ss_friction_blocks* blocks, int n_free, int k, int n_block, int pairs, int n_body);

/// The problem with the relative compliance kappa, from run.Lambda if `warm`; best impulses and their velocities are in
/// run.Lambda and run.xi, and run.r is their residual in the opinion of the solver. True if that is at most tol. Above
/// `enough` they are improved to round-off nevertheless. What is done follows from the problem and the start alone, not
/// from what was solved before, and not from the number of threads in the pool, which may be NULL.
bool ss_friction_blocks_solve(ss_friction_blocks* blocks, const ss_friction_def* def, double kappa, bool warm,
                              double enough, ss_pool* pool);

#endif
