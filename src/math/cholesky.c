// Cholesky factorisation A = L L^T and its triangular solves.
#include "math/dense.h"
#include "math/simd.h"
#include <lapacke.h>
#include <cblas.h>

// Right-looking: column k of L, then A_ij -= L_ik L_jk for the rest, along the rows. The column is copied so that both
// factors are contiguous.
SS_CLONES static bool factor_small(int n, double* A)
{
  double col[SS_BLAS_CHOL];
  for (int k = 0; k < n; k++) {
    double d = A[k*n + k];
    if (!(d > 0 && d < HUGE_VAL)) return false;
    d = sqrt(d);
    A[k*n + k] = d;
    double inverse = 1/d;
    for (int i = k + 1; i < n; i++) {
      double* a = A + i*n;
      double l = a[k]*inverse;
      a[k] = col[i] = l;
      int j = k + 1;
      for (; j + 4 <= i + 1; j += 4) SS_V4(a + j) -= l*SS_V4C(col + j);
      for (; j <= i; j++) a[j] -= l*col[j];
    }
  }
  return true;
}

// Row-major lower is column-major upper: LAPACK sees A = U^T U with U = L^T.
bool ss_chol_factor(int n, double* A)
{
  if (n < SS_BLAS_CHOL) return factor_small(n, A);
  int info = 0;
  LAPACK_dpotrf("U", &n, A, &n, &info);
  for (int i = 0; i < n && info == 0; i++)
    if (!isfinite(A[i*n + i])) info = 1;  // LAPACK lets a NaN through
  return info == 0;
}

void ss_chol_solve_lower(int n, const double* L, double* x)
{
  if (n >= SS_BLAS_CHOL_SOLVE) {
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, L, n, x, 1);
    return;
  }
  for (int i = 0; i < n; i++) x[i] = (x[i] - ss_dot(i, L + i*n, x))/L[i*n + i];
}

// Backwards by rows of L: once x_i is known its contribution leaves all the equations before
void ss_chol_solve_upper(int n, const double* L, double* x)
{
  if (n >= SS_BLAS_CHOL_SOLVE) {
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, n, L, n, x, 1);
    return;
  }
  for (int i = n - 1; i >= 0; i--) {
    x[i] /= L[i*n + i];
    ss_axpy(i, -x[i], L + i*n, x);
  }
}

void ss_chol_solve(int n, const double* L, double* x)
{
  ss_chol_solve_lower(n, L, x);
  ss_chol_solve_upper(n, L, x);
}
