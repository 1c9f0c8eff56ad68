// LU factorisation with partial pivoting and its solves.
#include "math/dense.h"
#include "math/simd.h"
#include <lapacke.h>

static int largest_in_column(int n, const double* A, int k)
{
  int p = k;
  double largest = fabs(A[k*n + k]);
  for (int i = k + 1; i < n; i++) {
    double a = fabs(A[i*n + k]);
    if (a > largest) {
      largest = a;
      p = i;
    }
  }
  return p;
}

static void swap_rows(int n, double* a, double* b)
{
  for (int j = 0; j < n; j++) {
    double t = a[j];
    a[j] = b[j];
    b[j] = t;
  }
}

// Outer products along the rows. The diagonal of U is kept as its inverse, which saves the divisions of the solves.
SS_CLONES static bool factor_small(int n, double* A, int* piv)
{
  for (int k = 0; k < n; k++) {
    int p = largest_in_column(n, A, k);
    piv[k] = p;
    if (p != k) swap_rows(n, A + k*n, A + p*n);
    double* u = A + k*n;
    if (u[k] == 0 || !isfinite(u[k])) return false;
    double inverse = 1/u[k];
    u[k] = inverse;
    for (int i = k + 1; i < n; i++) {
      double* a = A + i*n;
      double l = a[k]*inverse;
      a[k] = l;
      ss_v4_axpy(n - 1 - k, -l, u + k + 1, a + k + 1);
    }
  }
  return true;
}

// LAPACK sees A^T; ss_lu_solve() asks it for the transposed system.
bool ss_lu_factor(int n, double* A, int* piv)
{
  if (n < SS_BLAS_LU) return factor_small(n, A, piv);
  int info = 0;
  LAPACK_dgetrf(&n, &n, A, &n, piv, &info);
  for (int i = 0; i < n && info == 0; i++)
    if (!isfinite(A[i*n + i])) info = 1;
  return info == 0;
}

double ss_lu_pivot(int n, const double* LU, int i)
{
  double d = fabs(LU[i*n + i]);
  return n < SS_BLAS_LU ? 1/d : d;
}

static void lapack_solve(const char* transposed, int n, const double* LU, const int* piv, double* x)
{
  int one = 1, info = 0;
  LAPACK_dgetrs(transposed, &n, &one, LU, &n, piv, x, &n, &info);
}

static void exchange(double* x, int i, int j)
{
  double t = x[i];
  x[i] = x[j];
  x[j] = t;
}

// L x = rhs, unit diagonal, four unknowns at a time
SS_INLINE void lower(int n, const double* LU, double* x)
{
  for (int i = 0; i < n; i += 4) {
    int rows = n - i < 4 ? n - i : 4;
    double sum[4] = {0, 0, 0, 0};
    if (rows == 4) ss_v4_dot4(i, LU + i*n, n, x, sum);
    else
      for (int p = 0; p < rows; p++) sum[p] = ss_v4_dot(i, LU + (i + p)*n, x);
    for (int p = 0; p < rows; p++) {
      double t = x[i + p] - sum[p];
      for (int q = 0; q < p; q++) t -= LU[(i + p)*n + i + q]*x[i + q];
      x[i + p] = t;
    }
  }
}

// U x = rhs from below, four unknowns at a time
SS_INLINE void upper(int n, const double* LU, double* x)
{
  for (int end = n; end > 0;) {
    int rows = end < 4 ? end : 4, i = end - rows;
    double sum[4] = {0, 0, 0, 0};
    if (rows == 4) ss_v4_dot4(n - end, LU + i*n + end, n, x + end, sum);
    else
      for (int p = 0; p < rows; p++) sum[p] = ss_v4_dot(n - end, LU + (i + p)*n + end, x + end);
    for (int p = rows - 1; p >= 0; p--) {
      const double* u = LU + (i + p)*n + i;
      double t = x[i + p] - sum[p];
      for (int q = p + 1; q < rows; q++) t -= u[q]*x[i + q];
      x[i + p] = t*u[p];
    }
    end = i;
  }
}

SS_CLONES static void solve_small(int n, const double* LU, const int* piv, double* x)
{
  for (int i = 0; i < n; i++) exchange(x, i, piv[i]);
  lower(n, LU, x);
  upper(n, LU, x);
}

SS_CLONES static void solve_t_small(int n, const double* LU, const int* piv, double* x)
{
  for (int i = 0; i < n; i++) {
    x[i] *= LU[i*n + i];
    ss_v4_axpy(n - 1 - i, -x[i], LU + i*n + i + 1, x + i + 1);
  }
  for (int i = n - 1; i > 0; i--) ss_v4_axpy(i, -x[i], LU + i*n, x);
  for (int i = n - 1; i >= 0; i--) exchange(x, i, piv[i]);
}

void ss_lu_solve(int n, const double* LU, const int* piv, double* x)
{
  if (n < SS_BLAS_LU) solve_small(n, LU, piv, x);
  else lapack_solve("T", n, LU, piv, x);
}

void ss_lu_solve_t(int n, const double* LU, const int* piv, double* x)
{
  if (n < SS_BLAS_LU) solve_t_small(n, LU, piv, x);
  else lapack_solve("N", n, LU, piv, x);
}
