// The solvers of an LCP, each in its file: they take what they need from the arena and leave the best x they found. All
// have the arguments of ss_lcp_solve(); ..._size() tells the bytes of arena.
#ifndef SS_SOLVE_LCP_SOLVERS_H
#define SS_SOLVE_LCP_SOLVERS_H

#include <stickslip/lcp.h>

typedef ss_status ss_lcp_method(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution);

/// Largest n of ss_lcp_small().
#define SS_LCP_SMALL 16

/// Block pivoting of a small dense problem with symmetric A. False, and *solution is left alone, if its x is not exact
/// up to round-off.
bool ss_lcp_small(const ss_lcp* lcp, const ss_lcp_def* def, ss_lcp_solution* solution);

size_t ss_lcp_auto_size(int n);
ss_status ss_lcp_auto(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution);

size_t ss_lcp_pgs_size(int n);
size_t ss_lcp_pgs_sparse_size(int n);
ss_status ss_lcp_pgs(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution);

ss_status ss_lcp_newton_min(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution);
ss_status ss_lcp_newton_fb(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution);

size_t ss_lcp_block_pivot_size(int n);
ss_status ss_lcp_block_pivot(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution);

// ---- sparse A: auto, pgs and the Newton methods take it as it is ----

size_t ss_lcp_dense_size(int n);                   ///< the most that a method needs for a dense problem
size_t ss_lcp_sparse_size(const ss_lcp* lcp);      ///< the same for this sparse one
ss_status ss_lcp_sparse_check(const ss_lcp* lcp);  ///< SS_ERR_ARGUMENT, SS_ERR_NUMERIC
bool ss_lcp_is_better_dense(const ss_lcp* lcp);    ///< small, or full

/// Solves by a method for dense problems. SS_ERR_CAPACITY if n > SS_LCP_DENSE_MAX.
ss_status ss_lcp_as_dense(ss_lcp_method* solve, const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena,
                          ss_lcp_solution* solution);

#endif
