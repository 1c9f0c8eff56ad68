// The rows of a matrix as orthonormal ones, for systems with fewer independent equations than unknowns.
#ifndef SS_MATH_ROW_SPACE_H
#define SS_MATH_ROW_SPACE_H

/// R (rank x n, room for the smaller of rows and n) with orthonormal rows that span those of A (rows x n), and g (rank)
/// so that R x = g is what A x = c says, for c (rows) that fits. Of a row of A no more than `rtol` of its length may be
/// left by the others for it to depend on them. A and c are used up. Returns the rank.
int ss_row_space(int rows, int n, double* A, double* c, double rtol, double* R, double* g);

#endif
