// The linear complementarity problem:  y = A x + b,  0 <= y  _|_  x >= 0      [Glocker & Studer 2005, section 2]
#ifndef STICKSLIP_LCP_H
#define STICKSLIP_LCP_H

#include <stickslip/attempt.h>
#include <stickslip/sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Start from {0} or name the fields: there may be more of them one day.
typedef struct ss_lcp {
  int n;               ///< unknowns
  const double* A;     ///< n x n, row by row; NULL if A is sparse
  const double* b;     ///< n
  const ss_sparse* S;  ///< n x n: A if it is sparse (A NULL)
} ss_lcp;

/// Largest n up to which ss_lcp_solve() makes a sparse A dense for lemke and block-pivot; beyond it: SS_ERR_CAPACITY.
#define SS_LCP_DENSE_MAX 2000

/// The solvers; docs/solvers.md tells what each is good for.
typedef enum ss_lcp_solver {
  SS_LCP_AUTO,         ///< block pivoting where it is faster, Lemke's method, after rays Newton's
  SS_LCP_LEMKE,        ///< Lemke's method: general, exact
  SS_LCP_PGS,          ///< projected Gauss-Seidel with relaxation: approximate
  SS_LCP_NEWTON_MIN,   ///< semismooth Newton method for min(x, y) = 0
  SS_LCP_NEWTON_FB,    ///< semismooth Newton method for the function of Fischer and Burmeister
  SS_LCP_BLOCK_PIVOT,  ///< block principal pivoting: for P-matrices, the fastest for large ones
  SS_LCP_SOLVER_COUNT
} ss_lcp_solver;

/// "auto", "lemke", "pgs", "newton-min", "newton-fb", "block-pivot"; NULL if there is no such solver.
SS_API const char* ss_lcp_solver_name(ss_lcp_solver solver);

/// The solver of this name. False if there is none (or name is NULL); *solver is then left alone.
SS_API bool ss_lcp_solver_find(const char* name, ss_lcp_solver* solver);

/// How to solve an LCP. Start from ss_lcp_def_default(); change what you need.
typedef struct ss_lcp_def {
  ss_lcp_solver solver;  ///< read by ss_lcp_solve() only                                        default SS_LCP_AUTO
  int max_iter;          ///< per attempt; 0 means 50 n + 1000 pivots, 5000 sweeps (pgs), 100 steps (newton-min,
                         ///< newton-fb), 100 + n exchanges (block-pivot)                        default 0
  double tol;            ///< on ss_lcp_residual(), relative, above zero                         default 1e-10
  int attempts;          ///< covering vectors or starting points tried in turn after a failure  default 16
  bool warm_start;       ///< solution->basis holds a guess (auto, lemke, block-pivot), e.g. the basis of the step
                         ///< before; if it leads nowhere they start as usual                   default false
  double relaxation;     ///< of pgs, in (0, 2): below 1 damps, above 1 accelerates              default 1
  const volatile int* stop;  ///< lemke: a flag, not 0 ends the solve soon, as max_iter does     default NULL
} ss_lcp_def;

SS_API ss_lcp_def ss_lcp_def_default(void);

/// What a solve found. The arrays belong to the caller.
typedef struct ss_lcp_solution {
  double* x;        ///< n
  double* y;        ///< n, = A x + b computed afresh from x
  double* ray;      ///< n, or NULL if not wanted: after SS_RAY the direction in x on which the first attempt ended
  int iterations;   ///< pivots, sweeps or steps, all attempts together
  int attempts;     ///< covering vectors or starting points used
  double residual;  ///< ss_lcp_residual() of x
  ss_lcp_solver solver;  ///< which one found x: after SS_LCP_AUTO the one that it chose
  bool infeasible;       ///< after SS_RAY: the ray proves that there is no solution, see ss_lcp_proves_infeasible()
  bool* basis;           ///< n, or NULL if not wanted: after SS_OK whether y_i = 0 in the basis of x; with warm_start
                         ///< also the guess, which a failure leaves as it was
  ss_attempt_log log;    ///< what ss_lcp_solve() has tried
} ss_lcp_solution;

/// Bytes of arena that ss_lcp_solve() needs for n unknowns, whatever the solver.
SS_API size_t ss_lcp_solve_size(int n);

/// Bytes of arena that ss_lcp_solve() needs for this problem, dense or sparse, whatever the solver. For a sparse one it
/// reads n, S and its row starts, which must be in order (ss_sparse_check()).
SS_API size_t ss_lcp_size(const ss_lcp* lcp);

/// Solves by def->solver. The residual is computed by ss_lcp_residual() afterwards, whatever the solver believes: SS_OK
/// only if it is at most def->tol. SS_NOT_CONVERGED, SS_RAY and SS_INACCURATE leave the best x found. SS_ERR_NUMERIC if
/// A or b holds a NaN or an infinity; SS_ERR_CAPACITY if the arena is too small. Nothing is allocated, except that
/// newton-min, newton-fb and auto take the factors of a sparse A from the heap and give them back, as does the residual
/// with 3 n numbers if n > 256 and b may be lost; SS_ERR_CAPACITY if there is not enough for the factors, or if lemke
/// or block-pivot is asked for a sparse A with n > SS_LCP_DENSE_MAX.
SS_API ss_status ss_lcp_solve(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution);

/// Bytes of arena that ss_lcp_lemke() needs for n unknowns.
SS_API size_t ss_lcp_lemke_size(int n);

/// Lemke's method with the lexicographic ratio test [Cottle, Pang & Stone 1992, section 4.4].
/// SS_OK only if the residual of x, computed by ss_lcp_residual(), is at most def->tol. SS_RAY, SS_NOT_CONVERGED and
/// SS_INACCURATE leave the best x found. SS_ERR_NUMERIC if A or b holds a NaN or an infinity; SS_ERR_CAPACITY if the
/// arena is too small.
SS_API ss_status ss_lcp_lemke(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* solution);

/// The smallest r such that x solves, exactly, an LCP whose data A and b differ from these by the relative amount r,
/// entry by entry; but an x_i > 0 where y_i > 0 (a speck) or an x_i < 0 counts as what dropping it would change in the
/// rows, relative to their terms; and where x is so large that b is lost in its rows, y must be small beside b
/// (docs/solvers.md). Does not change when unknowns or equations are rescaled. INFINITY if something is not finite.
/// O(n^2), or O(entries) if A is sparse. NaN only if n > 256 and there is no memory for 6 n numbers.
SS_API double ss_lcp_residual(const ss_lcp* lcp, const double* x);

/// Whether v >= 0 (n) proves that no x >= 0 gives y >= 0: A^T v <= 0 and b.v < 0, so that v.(A x + b) < 0 for every
/// such x (Farkas). The products may be above 0 by 1e-13 of their terms; b.v must be below 0 by 1e-6 of its terms.
SS_API bool ss_lcp_proves_infeasible(const ss_lcp* lcp, const double* v);

// ---- all solutions ----

/// Largest n of ss_lcp_enumerate(), which looks at up to 2^n complementary bases.
#define SS_LCP_ENUMERATE_MAX 20

typedef enum ss_lcp_count {
  SS_LCP_NONE,     ///< no solution
  SS_LCP_FINITE,   ///< isolated solutions only
  SS_LCP_INFINITE  ///< some piece is more than a point
} ss_lcp_count;

/// A polyhedron of solutions: the convex hull of its vertices, plus any sum of non-negative multiples of its rays. One
/// vertex and no ray is an isolated solution.
typedef struct ss_lcp_piece {
  unsigned set;      ///< bit i: y_i = 0 on the piece; otherwise x_i = 0
  int n_vertices;    ///< at least 1
  int n_rays;        ///<
  double* vertices;  ///< n_vertices x n, each solves the LCP
  double* rays;      ///< n_rays x n, directions in x, largest entry 1
} ss_lcp_piece;

/// All solutions of an LCP: the union of its pieces, none of which lies within another. Owned by itself.
typedef struct ss_lcp_solutions {
  ss_lcp_count count;    ///< meant literally only if complete
  bool complete;         ///< false if some face had too many corners to look at: there may be more
  int n;                 ///< unknowns
  int n_pieces;          ///<
  ss_lcp_piece* pieces;  ///< n_pieces, isolated solutions first
} ss_lcp_solutions;

/// Finds every solution for n <= SS_LCP_ENUMERATE_MAX; milliseconds for n = 12, seconds for n = 20. Vertices have a
/// residual of at most def->tol. SS_OK also if there is none; then *solutions is to be destroyed by the caller. On a
/// failure (SS_ERR_ARGUMENT, SS_ERR_NUMERIC, SS_ERR_MEMORY) it is left alone.
SS_API ss_status ss_lcp_enumerate(const ss_lcp* lcp, const ss_lcp_def* def, ss_lcp_solutions** solutions);
SS_API void ss_lcp_solutions_destroy(ss_lcp_solutions* solutions);  ///< NULL is fine

#ifdef __cplusplus
}
#endif
#endif
