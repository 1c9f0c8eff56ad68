// The free unknowns of an MLCP eliminated: what is left is an LCP.
#ifndef SS_SOLVE_MLCP_ELIMINATE_H
#define SS_SOLVE_MLCP_ELIMINATE_H

#include "solve/mlcp.h"
#include <stickslip/lcp.h>

/// Basic variables as affine functions of the nonbasic ones, basic = rhs + T nonbasic. The variables are t_0 .. t_n-1
/// and v_0 .. v_n-1 with  z_i = ref_i + sign_i t_i,  w_i = sign_i v_i:  t >= 0 counts from the lower bound upwards, or
/// from the upper one downwards if there is no lower one. At first all v are basic.
typedef struct ss_elimination {
  int n;
  double *T, *rhs;    ///< n x n row by row, n
  double *ref;        ///< n
  double *sign;       ///< n: 1 or -1
  int *basic;         ///< n: variable of each row
  int *nonbasic;      ///< n: variable of each column
  int *place;         ///< 2n: row of a basic variable, -1 - column of a nonbasic one
  int conflict;       ///< row of an equation that contradicts others, -1 if there is none
} ss_elimination;

/// Which unknowns of the scaled problem are what
static inline bool ss_is_fixed(const ss_mlcp_scaled* s, int i) { return s->lower[i] == s->upper[i]; }
bool ss_is_free(const ss_mlcp_scaled* s, int i);
bool ss_is_box(const ss_mlcp_scaled* s, int i);

size_t ss_elimination_doubles(int n);
size_t ss_elimination_ints(int n);
void ss_elimination_init(ss_elimination* e, int n, double* doubles, int* ints);

/// Fills the tableau and brings the free t into the basis: first for the v of free rows, which are zero; where these do
/// not suffice (A_FF is singular, as in equality-constrained programs) together with a complementary t_i for v_i. Free
/// rows that are left over are redundant; if one contradicts the others by more than tol, its row is the conflict.
void ss_eliminate(ss_elimination* e, const ss_mlcp_scaled* s, double tol);

/// z^ for the values x (n) of the nonbasic variables.
void ss_elimination_z(const ss_elimination* e, const double* x, double* zhat);

/// dz^ for the change x (n) of the nonbasic variables.
void ss_elimination_dz(const ss_elimination* e, const double* x, double* dz);

/// The combination of equations that shows the conflict, v^T A = 0 and v.b != 0, on the scaled problem.
void ss_elimination_witness(const ss_elimination* e, double* v);

#endif
