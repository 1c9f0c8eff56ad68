// What the solvers of the MLCP share: the scaled problem, the best z so far, the solution of an active set.
#ifndef SS_SOLVE_MLCP_H
#define SS_SOLVE_MLCP_H

#include <stickslip/mlcp.h>

/// Where an unknown is.
typedef enum ss_mlcp_state {
  SS_AT_LOWER,
  SS_INSIDE,  ///< free ones always: w_i = 0
  SS_AT_UPPER,
} ss_mlcp_state;

/// The MLCP in units in which its numbers are of order one; scales are powers of two, so nothing is rounded:
///   row_i a_ij col_j,   row_i b_i beta,   z_j = col_j z^_j/beta,   bounds as z.
typedef struct ss_mlcp_scaled {
  int n;                  ///< unknowns
  double* A;              ///< n x n, row by row
  double* b;              ///< n
  double *lower, *upper;  ///< n
  double *row, *col;      ///< n
  double beta;
} ss_mlcp_scaled;

/// A solve under way
typedef struct ss_mlcp_run {
  const ss_mlcp* mlcp;
  const ss_mlcp_def* def;
  ss_arena* arena;
  ss_mlcp_solution* best;    ///< z, w, residual: the best so far; iterations: all so far
  ss_mlcp_solver solver;     ///< the one at work
  double found;              ///< least residual that it has offered; INFINITY: none
  ss_mlcp_scaled s;
  double *z, *w;             ///< n: a candidate in the units of the problem
  double* zhat;              ///< n: scratch of ss_mlcp_polish()
  double *rhs, *M;           ///< n, n x n: the same
  int *index, *piv, *order, *saved;  ///< n: the same
  int* state;                ///< n: ss_mlcp_state, for the solvers to fill before ss_mlcp_polish()
  bool inconsistent;         ///< some equations contradict each other
} ss_mlcp_run;

/// Fills s, whose arrays are there. False if A or b holds a NaN or an infinity, or numbers whose sums overflow.
bool ss_mlcp_scale(const ss_mlcp* mlcp, ss_mlcp_scaled* s);

/// ss_mlcp_residual() that also gives w = A z + b (n, or NULL if not wanted).
double ss_mlcp_residual_w(const ss_mlcp* mlcp, const double* z, double* w);

/// Keeps the z that belongs to the scaled z^ if it is better than the best so far. Entries outside their bounds or
/// within `speck` of one (b being of order one) are put there. True if the residual of z is round-off.
bool ss_mlcp_offer(ss_mlcp_run* run, const double* zhat, double speck);

/// Offers the solution of the active set run->state that is next to z^: unknowns at their bounds there exactly,
/// A_SS dz = -w_S for those inside by LU and refinement, or if A_SS is singular by elimination with complete pivoting.
/// If the solution leaves its bounds, the active set is repaired a few times. True if the tolerance is met.
bool ss_mlcp_polish(ss_mlcp_run* run, const double* zhat);

/// Residual that is met
bool ss_mlcp_good_enough(const ss_mlcp_run* run);

/// One solver: bytes of arena that it takes, and what it does. Candidates are offered; the status tells how it ended.
typedef struct ss_mlcp_ops {
  const char* name;
  size_t (*size)(int n);
  ss_status (*solve)(ss_mlcp_run* run);
} ss_mlcp_ops;

size_t ss_mlcp_path_size(int n);
size_t ss_mlcp_pfb_size(int n);
ss_status ss_mlcp_path(ss_mlcp_run* run);
ss_status ss_mlcp_pfb_rlm(ss_mlcp_run* run);
ss_status ss_mlcp_pfb_plm(ss_mlcp_run* run);

#endif
