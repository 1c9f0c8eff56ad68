// Cholesky factorisation A = L L^T and its triangular solves.
#include "math/dense.h"
#include "math/simd.h"
#include <cblas.h>
#include <lapacke.h>

// Columns k .. k + 3 of L: the 4 x 4 block by scalars, then each row below by forward substitution
SS_INLINE bool panel_of_four(int n, double* A, int k, double col[4][SS_BLAS_CHOL])
{
  double inverse[4];
  for (int p = 0; p < 4; p++) {
    double* a = A + (k + p)*n + k;
    for (int q = 0; q < p; q++) {
      for (int s = 0; s < q; s++) a[q] -= a[s]*A[(k + q)*n + k + s];
      a[q] *= inverse[q];
      a[p] -= a[q]*a[q];
    }
    if (!(a[p] > 0 && a[p] < HUGE_VAL)) return false;
    a[p] = sqrt(a[p]);
    inverse[p] = 1/a[p];
  }
  const double *l1 = A + (k + 1)*n + k, *l2 = A + (k + 2)*n + k, *l3 = A + (k + 3)*n + k;
  for (int i = k + 4; i < n; i++) {
    double* a = A + i*n + k;
    col[0][i] = a[0] = a[0]*inverse[0];
    col[1][i] = a[1] = (a[1] - a[0]*l1[0])*inverse[1];
    col[2][i] = a[2] = (a[2] - a[0]*l2[0] - a[1]*l2[1])*inverse[2];
    col[3][i] = a[3] = (a[3] - a[0]*l3[0] - a[1]*l3[1] - a[2]*l3[2])*inverse[3];
  }
  return true;
}

// The columns that are left when fewer than four remain
SS_INLINE bool last_columns(int n, double* A, int k)
{
  for (; k < n; k++) {
    double d = A[k*n + k];
    if (!(d > 0 && d < HUGE_VAL)) return false;
    A[k*n + k] = d = sqrt(d);
    for (int i = k + 1; i < n; i++) {
      A[i*n + k] /= d;
      for (int j = k + 1; j <= i; j++) A[i*n + j] -= A[i*n + k]*A[j*n + k];
    }
  }
  return true;
}

// Right-looking, four columns at a time: A_ij -= sum_p L_ip L_jp along the rows, with copies of the columns at hand
SS_CLONES static bool factor_small(int n, double* A)
{
  double col[4][SS_BLAS_CHOL];
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    if (!panel_of_four(n, A, k, col)) return false;
    for (int i = k + 4; i < n; i++)
      ss_v4_minus4(i - k - 3, A + i*n + k, col[0] + k + 4, SS_BLAS_CHOL, A + i*n + k + 4);
  }
  return last_columns(n, A, k);
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

// Four unknowns at a time: what the ones before contribute by dot products, then forward substitution in the block
SS_INLINE void lower_small(int n, const double* L, const double* inverse, double* x)
{
  for (int i = 0; i < n; i += 4) {
    int rows = n - i < 4 ? n - i : 4;
    double sum[4] = {0, 0, 0, 0};
    if (rows == 4) ss_v4_dot4(i, L + i*n, n, x, sum);
    else
      for (int p = 0; p < rows; p++) sum[p] = ss_v4_dot(i, L + (i + p)*n, x);
    for (int p = 0; p < rows; p++) {
      double t = x[i + p] - sum[p];
      for (int q = 0; q < p; q++) t -= L[(i + p)*n + i + q]*x[i + q];
      x[i + p] = t*inverse[i + p];
    }
  }
}

// The same backwards, by rows of L: known unknowns leave all the equations before
SS_INLINE void upper_small(int n, const double* L, const double* inverse, double* x)
{
  for (int end = n; end > 0;) {
    int rows = end%4 ? end%4 : 4, i = end - rows;
    for (int p = rows - 1; p >= 0; p--) {
      double t = x[i + p];
      for (int q = p + 1; q < rows; q++) t -= L[(i + q)*n + i + p]*x[i + q];
      x[i + p] = t*inverse[i + p];
    }
    if (rows == 4) ss_v4_minus4(i, x + i, L + i*n, n, x);
    else
      for (int p = 0; p < rows; p++) ss_v4_axpy(i, -x[i + p], L + (i + p)*n, x);
    end = i;
  }
}

// All divisions first: they do not wait for each other
SS_INLINE void invert_diagonal(int n, const double* L, double* inverse)
{
  for (int i = 0; i < n; i++) inverse[i] = 1/L[i*n + i];
}

enum { LOWER = 1, UPPER = 2 };

SS_CLONES static void solve_small(int n, const double* L, double* x, int which)
{
  double inverse[SS_BLAS_CHOL_SOLVE];
  invert_diagonal(n, L, inverse);
  if (which & LOWER) lower_small(n, L, inverse, x);
  if (which & UPPER) upper_small(n, L, inverse, x);
}

void ss_chol_solve_lower(int n, const double* L, double* x)
{
  if (n < SS_BLAS_CHOL_SOLVE) solve_small(n, L, x, LOWER);
  else cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, L, n, x, 1);
}

void ss_chol_solve_upper(int n, const double* L, double* x)
{
  if (n < SS_BLAS_CHOL_SOLVE) solve_small(n, L, x, UPPER);
  else cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, n, L, n, x, 1);
}

void ss_chol_solve(int n, const double* L, double* x)
{
  if (n < SS_BLAS_CHOL_SOLVE) {
    solve_small(n, L, x, LOWER | UPPER);
    return;
  }
  ss_chol_solve_lower(n, L, x);
  ss_chol_solve_upper(n, L, x);
}

double ss_chol_size(int n, const double* L, const double* x, const double* y)
{
  double sum_x = 0, sum_y = 0;
  for (int j = 0; j < n; j++) {
    double d = ss_dot(j + 1, L + j*n, L + j*n);
    sum_x += x[j]*x[j]/d;
    sum_y += y[j]*y[j]*d;
  }
  return sqrt(sum_x)*sqrt(sum_y);
}
