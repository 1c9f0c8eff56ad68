// The mixed linear complementarity problem:  w = A z + b,  lower <= z <= upper,  and for each i
//   w_i = 0 where lower_i < z_i < upper_i,   w_i >= 0 where z_i = lower_i,   w_i <= 0 where z_i = upper_i.
// Free unknowns have bounds -INFINITY, INFINITY (an equation w_i = 0); complementary ones 0, INFINITY; both bounds
// finite make a box (a relay); lower = upper fixes z_i.              [Mylapilli & Jain 2017, section 2.2 and (44)]
#ifndef STICKSLIP_MLCP_H
#define STICKSLIP_MLCP_H

#include <stickslip/attempt.h>
#include <stickslip/sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Start from {0} or name the fields: there may be more of them one day.
typedef struct ss_mlcp {
  int n;                ///< unknowns
  const double* A;      ///< n x n, row by row; NULL if A is sparse
  const double* b;      ///< n
  const double* lower;  ///< n; -INFINITY: none
  const double* upper;  ///< n; INFINITY: none
  const ss_sparse* S;   ///< n x n: A if it is sparse (A NULL)
} ss_mlcp;

/// Largest n up to which a sparse A is solved, as a dense one; beyond it ss_mlcp_solve() says SS_ERR_CAPACITY.
#define SS_MLCP_DENSE_MAX 2000

typedef enum ss_mlcp_solver {
  SS_MLCP_AUTO,     ///< the others in turn until the residual is met
  SS_MLCP_PATH,     ///< pivoting: free unknowns into the basis first, then a Lemke path    [MJ section 3.2]
  SS_MLCP_PFB_RLM,  ///< penalised Fischer-Burmeister, Levenberg-Marquardt                 [MJ sections 3.3, 5.1]
  SS_MLCP_PFB_PLM,  ///< the same with projected Levenberg-Marquardt                       [MJ section 5.2]
  SS_MLCP_SOLVER_COUNT
} ss_mlcp_solver;

/// "auto", "mlcp-path", "mlcp-pfb-rlm", "mlcp-pfb-plm"; NULL if there is no such solver.
SS_API const char* ss_mlcp_solver_name(ss_mlcp_solver solver);

/// The solver of this name. False if there is none (or name is NULL); *solver is then left alone.
SS_API bool ss_mlcp_solver_find(const char* name, ss_mlcp_solver* solver);

/// How to solve an MLCP. Start from ss_mlcp_def_default(); change what you need.
typedef struct ss_mlcp_def {
  ss_mlcp_solver solver;  ///<                                                                default SS_MLCP_AUTO
  int max_iter;           ///< pivots or iterations allowed; 0: each solver's own limit       default 0
  double tol;             ///< on ss_mlcp_residual(), relative, above zero                    default 1e-10
  double pfb_lambda;      ///< weight of the Fischer-Burmeister term in PFB, 0 < lambda <= 1  default 0.95
  bool warm_start;        ///< z holds a guess (iterative solvers)                            default false
  const volatile int* stop;  ///< a flag: not 0 ends the solve soon, as max_iter does          default NULL
} ss_mlcp_def;

SS_API ss_mlcp_def ss_mlcp_def_default(void);

/// What a solve found. The arrays belong to the caller.
typedef struct ss_mlcp_solution {
  double* z;              ///< n
  double* w;              ///< n, = A z + b computed afresh from z
  double* ray;            ///< n, or NULL if not wanted: after SS_RAY the direction in z on which the path ended, or if
                          ///< equations contradict each other a combination v of them with v^T A = 0, v.b < 0
  ss_mlcp_solver solver;  ///< the one that found it
  int iterations;         ///< all solvers together
  double residual;        ///< ss_mlcp_residual() of z
  bool infeasible;        ///< after SS_RAY: equations contradict each other, and the ray is the v that shows it
  ss_attempt_log log;     ///< what ss_mlcp_solve() has tried
} ss_mlcp_solution;

/// Bytes of arena that ss_mlcp_solve() needs for n unknowns.
SS_API size_t ss_mlcp_solve_size(int n);

/// The same for this problem, dense or sparse.
SS_API size_t ss_mlcp_size(const ss_mlcp* mlcp);

/// SS_OK only if the residual of z is at most def->tol. SS_RAY, SS_NOT_CONVERGED and SS_INACCURATE leave the best z
/// found. SS_ERR_NUMERIC if A or b holds a NaN or an infinity or w overflows, SS_ERR_ARGUMENT if lower > upper or a
/// bound is NaN.
SS_API ss_status ss_mlcp_solve(const ss_mlcp* mlcp, const ss_mlcp_def* def, ss_arena* arena,
                               ss_mlcp_solution* solution);

/// As ss_lcp_residual(), for bounds: the smallest relative change of the data for which z is exact; and where z is so
/// large that b and the bounds are lost in its rows, w must be small beside those. Does not change when unknowns or
/// equations are rescaled (bounds with the unknowns). INFINITY if something is not finite. O(n^2); if A is sparse
/// O(entries), and O(n log n) more for each unknown that is neither at a bound nor has w_i = 0. NaN only if n > 64, the
/// data may be lost and there is no memory for 6 n numbers.
SS_API double ss_mlcp_residual(const ss_mlcp* mlcp, const double* z);

#ifdef __cplusplus
}
#endif
#endif
