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

// Outer products along the rows
SS_CLONES static bool factor_small(int n, double* A, int* piv)
{
  for (int k = 0; k < n; k++) {
    int p = largest_in_column(n, A, k);
    piv[k] = p;
    if (p != k) swap_rows(n, A + k*n, A + p*n);
    const double* u = A + k*n;
    if (!(u[k] != 0) || !isfinite(u[k])) return false;
    double inverse = 1/u[k];
    for (int i = k + 1; i < n; i++) {
      double* a = A + i*n;
      double l = a[k]*inverse;
      a[k] = l;
      int j = k + 1;
      for (; j + 4 <= n; j += 4) SS_V4(a + j) -= l*SS_V4C(u + j);
      for (; j < n; j++) a[j] -= l*u[j];
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

void ss_lu_solve(int n, const double* LU, const int* piv, double* x)
{
  if (n >= SS_BLAS_LU) {
    lapack_solve("T", n, LU, piv, x);
    return;
  }
  for (int i = 0; i < n; i++) exchange(x, i, piv[i]);
  for (int i = 1; i < n; i++) x[i] -= ss_dot(i, LU + i*n, x);
  for (int i = n - 1; i >= 0; i--)
    x[i] = (x[i] - ss_dot(n - 1 - i, LU + i*n + i + 1, x + i + 1))/LU[i*n + i];
}

void ss_lu_solve_t(int n, const double* LU, const int* piv, double* x)
{
  if (n >= SS_BLAS_LU) {
    lapack_solve("N", n, LU, piv, x);
    return;
  }
  for (int i = 0; i < n; i++) {
    x[i] /= LU[i*n + i];
    ss_axpy(n - 1 - i, -x[i], LU + i*n + i + 1, x + i + 1);
  }
  for (int i = n - 1; i > 0; i--) ss_axpy(i, -x[i], LU + i*n, x);
  for (int i = n - 1; i >= 0; i--) exchange(x, i, piv[i]);
}
