// What b is worth: a residual that is small beside the terms of its row may be as large as b itself.
#ifndef SS_SOLVE_SHARE_H
#define SS_SOLVE_SHARE_H

#include <float.h>
#include <stickslip/sparse.h>

/// A x + b = y and the given part of each row: |b_i|, or the largest |a_ij x_j| where x_j is a given number (a bound).
typedef struct ss_rows {
  int n;
  const double* A;     ///< n x n, or NULL
  const ss_sparse* S;  ///< A if it is sparse
  const double *x, *Y;  ///< n: the unknowns; the sizes |b_i| + sum_j |a_ij x_j|
  const double* given;  ///< n: signs do not matter
} ss_rows;

#define SS_SHARE_LOST 1e-3    ///< what is given is lost in a row if it is a smaller part of it than this
#define SS_SHARE_DIGITS 1e-3  ///< to which it must be met then

/// A residual r has to be looked at more closely if the given part of some row, unless it is zero, is less than this
/// part of its terms.
static inline double ss_share_limit(double r)
{
  double limit = (r + DBL_EPSILON)*(1/SS_SHARE_DIGITS);
  return limit < SS_SHARE_LOST ? limit : SS_SHARE_LOST;
}

/// share (n): the largest given_k/Y_k of all rows k that unknowns which matter connect with row i; 0 if nothing is
/// given there. `top` and `col` (n each) are scratch.
void ss_share_of_rows(const ss_rows* rows, double* share, double* top, double* col);

/// The residual of a row, r relative to its terms, with this share: relative to what is given if the terms cancel so
/// far that this is lost. At least r.
double ss_share_residual(double r, double share);

#endif
