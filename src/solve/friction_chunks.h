// Groups of contacts for several threads.
#ifndef SS_SOLVE_FRICTION_CHUNKS_H
#define SS_SOLVE_FRICTION_CHUNKS_H

#include "solve/friction_space.h"

enum { SS_LEAST_CHUNKED = 1000 };  // contacts

/// space->chunks from start and col; bodies get other numbers in col. A function of the pattern alone, never of the
/// number of threads. None (n = 0) for fewer than SS_LEAST_CHUNKED contacts. `pairs`: the sum of the squares of their
/// numbers of blocks. False if the arena has less than ss_friction_chunks_size() bytes.
bool ss_friction_find_chunks(ss_friction_space* space, int pairs, ss_arena* arena);
size_t ss_friction_chunks_size(int k, int pairs, int n_body);

#endif
