// LCPs with a sparse A: what is checked, how it is made dense for the methods that need it, and how auto chooses.
//
// Measured (bench/bench_lcp sparse): on obstacle problems newton-min takes 10 to 30 factorisations whatever the size.
// Up to SS_LCP_DENSE_MAX unknowns Lemke's method is still a way out where Newton's methods fail.
#include "base/arena.h"
#include "math/sparse.h"
#include "solve/lcp_solvers.h"
#include "solve/newton.h"

enum { SMALL = 200 };  // up to this size a dense problem is as fast

static size_t dense_bytes(int n) { return ss_arena_bytes(sizeof(double)*(size_t)n*(size_t)n); }

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

size_t ss_lcp_sparse_size(const ss_lcp* lcp)
{
  int n = lcp->n;
  if (n <= 0 || !lcp->S || !lcp->S->start) return 0;
  size_t size = larger(ss_newton_sparse_size(n, lcp->S->start[n]), ss_lcp_pgs_sparse_size(n));
  if (n <= SS_LCP_DENSE_MAX) size = larger(size, dense_bytes(n) + ss_lcp_dense_size(n));
  return size + 3*ss_arena_bytes(sizeof(double)*(size_t)n);  // the best x of auto; sizes and effects of the judge
}

ss_status ss_lcp_sparse_check(const ss_lcp* lcp)
{
  if (lcp->S->rows != lcp->n || lcp->S->cols != lcp->n) return SS_ERR_ARGUMENT;
  return ss_sparse_check(lcp->S, "A", NULL);
}

ss_status ss_lcp_as_dense(ss_lcp_method* solve, const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena,
                          ss_lcp_solution* solution)
{
  size_t n = (size_t)lcp->n, mark = ss_arena_mark(arena);
  double* A = lcp->n <= SS_LCP_DENSE_MAX ? ss_arena_array(arena, double, n*n) : NULL;
  if (!A) return SS_ERR_CAPACITY;
  ss_sparse_dense(lcp->S, A);
  ss_lcp dense = {.n = lcp->n, .A = A, .b = lcp->b};
  ss_status status = solve(&dense, def, arena, solution);
  ss_arena_release(arena, mark);
  return status;
}

bool ss_lcp_is_better_dense(const ss_lcp* lcp)
{
  size_t n = (size_t)lcp->n, entries = (size_t)lcp->S->start[n];
  return lcp->n <= SMALL || (lcp->n <= SS_LCP_DENSE_MAX && 4*entries > n*n);
}
