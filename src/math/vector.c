// Products of vectors, and of a matrix with a vector.
#include "math/dense.h"
#include "math/simd.h"
#include <cblas.h>

SS_CLONES static double dot(int n, const double* a, const double* b) { return ss_v4_dot(n, a, b); }
SS_CLONES static void axpy(int n, double s, const double* x, double* y) { ss_v4_axpy(n, s, x, y); }

double ss_dot_long(int n, const double* a, const double* b)
{
  return n < SS_BLAS_DOT ? dot(n, a, b) : cblas_ddot(n, a, 1, b, 1);
}

void ss_axpy_long(int n, double s, const double* x, double* y)
{
  if (n < SS_BLAS_AXPY) axpy(n, s, x, y);
  else cblas_daxpy(n, s, x, 1, y, 1);
}

double ss_norm_inf(int n, const double* a)
{
  double largest = 0;
  for (int i = 0; i < n; i++)
    if (fabs(a[i]) > largest || isnan(a[i])) largest = fabs(a[i]);  // a NaN stays: nothing is larger
  return largest;
}

SS_CLONES static void gemv(int m, int n, const double* A, const double* x, double* y)
{
  int i = 0;
  for (; i + 4 <= m; i += 4) ss_v4_dot4(n, A + i*n, n, x, y + i);
  for (; i < m; i++) y[i] = ss_v4_dot(n, A + i*n, x);
}

void ss_gemv(int m, int n, const double* A, const double* x, double* y)
{
  if (n < SS_BLAS_GEMV) gemv(m, n, A, x, y);
  else cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, 1, A, n, x, 1, 0, y, 1);
}

// Sixteen columns at a time, their sums in registers while the rows go by
SS_INLINE void sixteen_columns(int m, int n, const double* A, const double* x, double* y)
{
  ss_v4 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  for (int i = 0; i < m; i++) {
    const double* a = A + i*n;
    s0 += SS_V4C(a)*x[i];
    s1 += SS_V4C(a + 4)*x[i];
    s2 += SS_V4C(a + 8)*x[i];
    s3 += SS_V4C(a + 12)*x[i];
  }
  SS_V4(y) = s0;
  SS_V4(y + 4) = s1;
  SS_V4(y + 8) = s2;
  SS_V4(y + 12) = s3;
}

SS_CLONES static void gemv_t(int m, int n, const double* A, const double* x, double* y)
{
  int j = 0;
  for (; j + 16 <= n; j += 16) sixteen_columns(m, n, A + j, x, y + j);
  for (; j + 4 <= n; j += 4) {
    ss_v4 s = {0};
    for (int i = 0; i < m; i++) s += SS_V4C(A + i*n + j)*x[i];
    SS_V4(y + j) = s;
  }
  for (; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < m; i++) sum += A[i*n + j]*x[i];
    y[j] = sum;
  }
}

void ss_gemv_t(int m, int n, const double* A, const double* x, double* y)
{
  if (n < SS_BLAS_GEMV_T) gemv_t(m, n, A, x, y);
  else cblas_dgemv(CblasRowMajor, CblasTrans, m, n, 1, A, n, x, 1, 0, y, 1);
}
