// The solver that chooses: block pivoting where it is faster, Lemke's method for all the rest.
//
// Measured (bench/bench_lcp): for n unknowns Lemke's method takes about n/2 pivots of n^2 operations each, bound by
// memory from n = 300 on; block pivoting of a positive definite A takes about 5 factorisations of half the size. They
// are equal at n = 24; block pivoting is twice as fast at n = 96, 3 times at 384, 8 times at 1000. On frictional
// problems, whose diagonal has zeros, it fails: no P-matrix.
#include "solve/lcp_solvers.h"

enum { LARGE = 64 };  // from this size on block pivoting is tried first

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

size_t ss_lcp_auto_size(int n)
{
  if (n < LARGE) return ss_lcp_lemke_size(n);
  return larger(ss_lcp_lemke_size(n), ss_lcp_block_pivot_size(n));
}

// Necessary for a P-matrix
static bool has_positive_diagonal(const ss_lcp* lcp)
{
  size_t n = (size_t)lcp->n;
  for (size_t i = 0; i < n; i++)
    if (!(lcp->A[i*n + i] > 0)) return false;
  return true;
}

ss_status ss_lcp_auto(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution)
{
  int spent = 0;
  if (lcp->n >= LARGE && lcp->A && has_positive_diagonal(lcp)) {
    ss_status status = ss_lcp_block_pivot(lcp, def, arena, solution);
    if (status <= SS_OK) return status;
    spent = solution->iterations;
  }
  ss_status status = ss_lcp_lemke(lcp, def, arena, solution);
  solution->iterations += spent;
  return status;
}
