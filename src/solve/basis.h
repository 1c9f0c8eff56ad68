// Solutions of an LCP that belong to a complementary basis: x_S with y_S = 0, all other x zero.
#ifndef SS_SOLVE_BASIS_H
#define SS_SOLVE_BASIS_H

#include "solve/tableau.h"

/// Largest n for which ss_basis_enumerate() is meant: it visits 2^n bases.
#define SS_ENUMERATE_MAX 12

/// Solves A_SS x_S = -b_S for the x that are basic in the tableau by LU with iterative refinement and puts the solution
/// in the place of the tableau's. Overwrites T, cover, basic and index. False if A_SS is singular.
bool ss_basis_solve(ss_tableau* t, const ss_lcp* lcp);

/// The two halves of it: without refinement, and that.
bool ss_basis_factor(ss_tableau* t, const ss_lcp* lcp);
void ss_basis_refine(ss_tableau* t, const ss_lcp* lcp);

/// Looks through all bases for one whose x has a residual of at most tol; x is left in t->x. Overwrites the tableau
/// except for its scales. False if there is none.
bool ss_basis_enumerate(ss_tableau* t, const ss_lcp* lcp, double tol);

#endif
