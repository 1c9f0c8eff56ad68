// The solvers of an LCP, each in its file: they take what they need from the arena and leave the best x they found. All
// have the arguments of ss_lcp_solve(); ..._size() tells the bytes of arena.
#ifndef SS_SOLVE_LCP_SOLVERS_H
#define SS_SOLVE_LCP_SOLVERS_H

#include <stickslip/lcp.h>

size_t ss_lcp_auto_size(int n);
ss_status ss_lcp_auto(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution);

size_t ss_lcp_pgs_size(int n);
ss_status ss_lcp_pgs(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution);

ss_status ss_lcp_newton_min(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution);
ss_status ss_lcp_newton_fb(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution);

size_t ss_lcp_block_pivot_size(int n);
ss_status ss_lcp_block_pivot(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution);

#endif
