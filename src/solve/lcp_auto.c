// The solver that chooses: block pivoting where it is faster, Lemke's method for all the rest, and where that ends on
// rays Newton's.
//
// Measured (bench/bench_lcp): for n unknowns Lemke's method takes about n/2 pivots of n^2 operations each, bound by
// memory from n = 300 on; block pivoting of a positive definite A takes about 5 factorisations of half the size. They
// are equal at n = 24; block pivoting is twice as fast at n = 96, 3 times at 384, 8 times at 1000. On frictional
// problems, whose diagonal has zeros, it fails: no P-matrix. Bimatrix games lead Lemke's
// method into rays for every covering vector; Newton's methods solve 19 of 20.
#include "solve/basis.h"
#include "solve/lcp_solvers.h"
#include "solve/newton.h"

enum { LARGE = 64 };  // from this size on block pivoting is tried first

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

size_t ss_lcp_auto_size(int n)
{
  size_t size = ss_lcp_lemke_size(n);
  if (n > SS_ENUMERATE_MAX) size = larger(size, ss_newton_size(n));
  return n < LARGE ? size : larger(size, ss_lcp_block_pivot_size(n));
}

// Necessary for a P-matrix
static bool has_positive_diagonal(const ss_lcp* lcp)
{
  size_t n = (size_t)lcp->n;
  for (size_t i = 0; i < n; i++)
    if (!(lcp->A[i*n + i] > 0)) return false;
  return true;
}

// Up to SS_ENUMERATE_MAX unknowns Lemke's method has looked at every basis, and after one covering vector it has proved
// that there is no solution, or was not to try harder
static bool is_final(const ss_lcp* lcp, ss_status status, const ss_lcp_solution* s)
{
  return status != SS_RAY || lcp->n <= SS_ENUMERATE_MAX || s->attempts <= 1;
}

ss_status ss_lcp_auto(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* s)
{
  int spent = 0;
  if (lcp->n >= LARGE && lcp->A && has_positive_diagonal(lcp)) {
    ss_status status = ss_lcp_block_pivot(lcp, def, arena, s);
    if (status <= SS_OK) return status;
    spent = s->iterations;
  }
  ss_status status = ss_lcp_lemke(lcp, def, arena, s);
  if (!is_final(lcp, status, s)) {
    spent += s->iterations;
    ss_status newton = ss_lcp_newton_fb(lcp, def, arena, s);
    if (newton > SS_OK) {
      spent += s->iterations;
      newton = ss_lcp_newton_min(lcp, def, arena, s);
    }
    if (newton <= SS_OK) status = newton;
  }
  s->iterations += spent;
  return status;
}
