// Dense linear algebra: matrices are stored row by row without gaps, nothing is allocated.
// Small sizes run in our own loops, large ones in BLAS and LAPACK; the constants below are the measured crossovers.
#ifndef SS_MATH_DENSE_H
#define SS_MATH_DENSE_H

#include <math.h>
#include <stdbool.h>

// From these sizes on BLAS or LAPACK is called (bench/bench_dense prints both sides).
enum {
  SS_BLAS_DOT = 80,
  SS_BLAS_AXPY = 80,
  SS_BLAS_GEMV = 48,
  SS_BLAS_GEMV_T = 96,
  SS_BLAS_ABT = 14,
  SS_BLAS_ABT_SYM = 18,
  SS_BLAS_CHOL = 160,
  SS_BLAS_CHOL_SOLVE = 160,
  SS_BLAS_LU = 72,  // and its solves
};

// ---- vectors ----

double ss_dot_long(int n, const double* a, const double* b);
void ss_axpy_long(int n, double s, const double* x, double* y);

/// a . b
static inline double ss_dot(int n, const double* a, const double* b)
{
  if (n >= 8) return ss_dot_long(n, a, b);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i]*b[i];
  return sum;
}

/// y += s x
static inline void ss_axpy(int n, double s, const double* x, double* y)
{
  if (n >= 8) {
    ss_axpy_long(n, s, x, y);
    return;
  }
  for (int i = 0; i < n; i++) y[i] += s*x[i];
}

/// False if a holds a NaN or an infinity: these survive a sum of zero multiples.
static inline bool ss_all_finite(int n, const double* a)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += 0*a[i];
  return sum == 0;
}

/// Largest |a_i|; NaN if one of them is.
double ss_norm_inf(int n, const double* a);

// ---- products ----

void ss_gemv(int m, int n, const double* A, const double* x, double* y);    ///< y = A x,    A is m x n
void ss_gemv_t(int m, int n, const double* A, const double* x, double* y);  ///< y = A^T x,  A is m x n, y has n

/// C = A B^T with A (m x k), B (n x k), C (m x n): the products of all rows of A with all rows of B.
void ss_abt(int m, int n, int k, const double* A, const double* B, double* C);

/// The same for C (m x m) known to be symmetric, e.g. G = W^T (M^-1 W) by rows: half the work, and exactly symmetric.
void ss_abt_sym(int m, int k, const double* A, const double* B, double* C);

// ---- Cholesky ----

/// A = L L^T; L replaces the lower triangle, the upper one is not touched. False if A is not positive definite or holds
/// a NaN; A is then spoilt.
bool ss_chol_factor(int n, double* A);

/// Solves L L^T x = rhs; x holds rhs on entry.
void ss_chol_solve(int n, const double* L, double* x);

/// Solves L x = rhs, and L^T x = rhs.
void ss_chol_solve_lower(int n, const double* L, double* x);
void ss_chol_solve_upper(int n, const double* L, double* x);

/// sqrt(sum_j x_j^2/A_jj sum_j A_jj y_j^2), at least |x . y|: the size of the product, whatever the units of the y_j.
double ss_chol_size(int n, const double* L, const double* x, const double* y);

/// Cholesky with symmetric pivoting of a positive semidefinite matrix. Row perm[k] of A is row k of the factor,
/// whose first rank rows and columns are regular; returns the rank. A row counts as dependent when what the rows before
/// leave of its diagonal entry is at most rtol times that entry: rescaling rows and columns alike changes nothing.
/// The whole of A is overwritten. A row with a zero, negative or NaN diagonal is dependent.
int ss_chol_pivoted(int n, double* A, int* perm, double rtol);

/// Solves A x = rhs with that factor, 0 for the dependent rows. Exact if rhs is in the range of A. work: n.
void ss_chol_pivoted_solve(int n, int rank, const double* L, const int* perm, double* x, double* work);

// ---- LU ----

/// P A = L U with partial pivoting, in place; what LU and piv hold is only for the functions below. False if A is
/// singular to the last bit or holds a NaN.
bool ss_lu_factor(int n, double* A, int* piv);

/// The magnitude of the pivot of column i
double ss_lu_pivot(int n, const double* LU, int i);

/// Solves A x = rhs, and A^T x = rhs; x holds rhs on entry.
void ss_lu_solve(int n, const double* LU, const int* piv, double* x);
void ss_lu_solve_t(int n, const double* LU, const int* piv, double* x);

// ---- condition ----

/// Largest column sum of |A|; NaN if an entry is.
double ss_norm1(int n, const double* A);

/// Estimates of 1/(|A|_1 |A^-1|_1) from the factors and anorm1 = |A|_1 before [Higham 1988]. Never below the truth by
/// more than round-off, rarely above by more than a factor of 3. work: 3n.
double ss_chol_rcond(int n, const double* L, double anorm1, double* work);
double ss_lu_rcond(int n, const double* LU, const int* piv, double anorm1, double* work);

#endif
