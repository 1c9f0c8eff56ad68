// A search for a solution of an LCP: the best x so far, and the tableau that holds the scales and the scratch for more.
#ifndef SS_SOLVE_SEARCH_H
#define SS_SOLVE_SEARCH_H

#include "solve/tableau.h"
#include <stdint.h>

typedef struct ss_search {
  const ss_lcp* lcp;
  const ss_lcp_def* def;
  ss_lcp_solution* best;  ///< x, y, residual: the best so far
  ss_tableau t;
} ss_search;

/// Bytes of arena that ss_search_begin() takes.
size_t ss_search_size(int n);
size_t ss_search_sparse_size(int n);  ///< for a sparse problem: vectors only

/// Checks the arguments and the data, takes the tableau from the arena and computes its scales. *done: the answer is
/// known (x = 0, an error), and the status is it; otherwise SS_OK and nothing found yet.
ss_status ss_search_begin(ss_search* w, const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena,
                          ss_lcp_solution* solution, bool* done);

/// Keeps the candidate in t.x if it is better than the best so far.
void ss_search_offer(ss_search* w);

/// Offers the solution that t.rhs and t.place hold, entries below `speck` as zero. True if nothing better can be
/// expected.
bool ss_search_offer_solution(ss_search* w, double speck);

/// Solves the basis {j : t.place[j] < 0} afresh from A and b and offers it. False if it is singular.
bool ss_search_offer_basis(ss_search* w);

/// Solves the basis that the caller guessed, and those next to it. True if the tolerance is met; otherwise the best x
/// so far is kept, and the search goes on as if nothing had been. Overwrites T.
bool ss_search_warm(ss_search* w, const bool* basis);

/// What t.place holds, for solution->basis (if it is wanted).
void ss_search_tell_basis(const ss_search* w);

/// The residual is round-off.
bool ss_search_exact(const ss_search* w);

/// The residual is at most the tolerance.
bool ss_search_good(const ss_search* w);

/// Ends it: x = 0 if there is no finite candidate. SS_OK if the tolerance is met, otherwise `missed`.
ss_status ss_search_end(ss_search* w, ss_status missed);

#endif
