// Small linear systems of any rank, and the corners of small polyhedra.
#ifndef SS_MATH_POLYHEDRON_H
#define SS_MATH_POLYHEDRON_H

#include <stdbool.h>

/// Most unknowns and equations.
enum { SS_AFFINE_MAX = 32 };

/// All solutions of M z = rhs (m x n; both are spoilt): z = p + N t with p (n) and N (n x d, row by row). Returns d, or
/// -1 if the equations contradict each other beyond 1e-9. Rank is decided at 1e-10 of the largest pivot.
int ss_affine_solve(int m, int n, double* M, double* rhs, double* p, double* N);

/// What ss_polyhedron_corners() shows: a vertex t, or an extreme direction t.
typedef void (*ss_corner)(void* user, const double* t, bool ray);

/// Shows every vertex and extreme ray of { t : e + C t >= 0 } (d unknowns, at most SS_AFFINE_MAX; C row by row), which
/// must not contain a line [Schrijver 1986, chapter 8]; some more than once. Each choice of rows costs one of *budget;
/// false if it ran out.
bool ss_polyhedron_corners(int d, int rows, const double* e, const double* C, long* budget, ss_corner show, void* user);

#endif
