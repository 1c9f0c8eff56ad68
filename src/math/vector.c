// Products of vectors, and of a matrix with a vector.
#include "math/dense.h"
#include "math/simd.h"
#include <cblas.h>

SS_CLONES static double dot(int n, const double* a, const double* b)
{
  ss_v4 s = {0}, t = {0};
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    s += SS_V4C(a + i)*SS_V4C(b + i);
    t += SS_V4C(a + i + 4)*SS_V4C(b + i + 4);
  }
  s += t;
  double sum = (s[0] + s[1]) + (s[2] + s[3]);
  for (; i < n; i++) sum += a[i]*b[i];
  return sum;
}

double ss_dot_long(int n, const double* a, const double* b)
{
  return n < SS_BLAS_DOT ? dot(n, a, b) : cblas_ddot(n, a, 1, b, 1);
}

SS_CLONES static void axpy(int n, double s, const double* x, double* y)
{
  int i = 0;
  for (; i + 4 <= n; i += 4) SS_V4(y + i) += s*SS_V4C(x + i);
  for (; i < n; i++) y[i] += s*x[i];
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

// Four rows at a time: x is loaded once for all of them
SS_INLINE void four_rows(int n, const double* A, const double* x, double* y)
{
  const double *a0 = A, *a1 = A + n, *a2 = A + 2*n, *a3 = A + 3*n;
  ss_v4 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    ss_v4 v = SS_V4C(x + j);
    s0 += SS_V4C(a0 + j)*v;
    s1 += SS_V4C(a1 + j)*v;
    s2 += SS_V4C(a2 + j)*v;
    s3 += SS_V4C(a3 + j)*v;
  }
  double y0 = (s0[0] + s0[1]) + (s0[2] + s0[3]), y1 = (s1[0] + s1[1]) + (s1[2] + s1[3]);
  double y2 = (s2[0] + s2[1]) + (s2[2] + s2[3]), y3 = (s3[0] + s3[1]) + (s3[2] + s3[3]);
  for (; j < n; j++) {
    y0 += a0[j]*x[j];
    y1 += a1[j]*x[j];
    y2 += a2[j]*x[j];
    y3 += a3[j]*x[j];
  }
  y[0] = y0;
  y[1] = y1;
  y[2] = y2;
  y[3] = y3;
}

SS_CLONES static void gemv(int m, int n, const double* A, const double* x, double* y)
{
  int i = 0;
  for (; i + 4 <= m; i += 4) four_rows(n, A + i*n, x, y + i);
  for (; i < m; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += A[i*n + j]*x[j];
    y[i] = sum;
  }
}

void ss_gemv(int m, int n, const double* A, const double* x, double* y)
{
  if (n < SS_BLAS_GEMV) gemv(m, n, A, x, y);
  else cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, 1, A, n, x, 1, 0, y, 1);
}

// Columns in groups of four, their sums in registers while the rows go by
SS_CLONES static void gemv_t(int m, int n, const double* A, const double* x, double* y)
{
  int j = 0;
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
