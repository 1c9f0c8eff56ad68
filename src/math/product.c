// C = A B^T: every row of A times every row of B, as in the Delassus matrix G = W^T (M^-1 W).
#include "math/dense.h"
#include "math/simd.h"
#include <cblas.h>

// Two rows of A with two of B: four sums share four loads. c[0..1] and c[2..3] are the rows of the 2 x 2 result.
SS_INLINE void two_by_two(int k, const double* a0, const double* a1, const double* b0, const double* b1, double c[4])
{
  ss_v4 s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0};
  int l = 0;
  for (; l + 4 <= k; l += 4) {
    ss_v4 u = SS_V4C(a0 + l), v = SS_V4C(a1 + l), p = SS_V4C(b0 + l), q = SS_V4C(b1 + l);
    s00 += u*p;
    s01 += u*q;
    s10 += v*p;
    s11 += v*q;
  }
  c[0] = (s00[0] + s00[1]) + (s00[2] + s00[3]);
  c[1] = (s01[0] + s01[1]) + (s01[2] + s01[3]);
  c[2] = (s10[0] + s10[1]) + (s10[2] + s10[3]);
  c[3] = (s11[0] + s11[1]) + (s11[2] + s11[3]);
  for (; l < k; l++) {
    c[0] += a0[l]*b0[l];
    c[1] += a0[l]*b1[l];
    c[2] += a1[l]*b0[l];
    c[3] += a1[l]*b1[l];
  }
}

// Rows i and i + 1 of C, columns [0, end)
SS_INLINE void two_rows(int n, int k, int i, int end, const double* A, const double* B, double* C)
{
  double c[4];
  const double *a0 = A + i*k, *a1 = a0 + k;
  int j = 0;
  for (; j + 2 <= end; j += 2) {
    two_by_two(k, a0, a1, B + j*k, B + (j + 1)*k, c);
    C[i*n + j] = c[0];
    C[i*n + j + 1] = c[1];
    C[(i + 1)*n + j] = c[2];
    C[(i + 1)*n + j + 1] = c[3];
  }
  if (j < end) {
    C[i*n + j] = ss_dot(k, a0, B + j*k);
    C[(i + 1)*n + j] = ss_dot(k, a1, B + j*k);
  }
}

SS_CLONES static void abt(int m, int n, int k, const double* A, const double* B, double* C)
{
  int i = 0;
  for (; i + 2 <= m; i += 2) two_rows(n, k, i, n, A, B, C);
  for (; i < m; i++)
    for (int j = 0; j < n; j++) C[i*n + j] = ss_dot(k, A + i*k, B + j*k);
}

// Only the lower triangle (and the entry above every second diagonal one)
SS_CLONES static void abt_lower(int m, int k, const double* A, const double* B, double* C)
{
  int i = 0;
  for (; i + 2 <= m; i += 2) two_rows(m, k, i, i + 2, A, B, C);
  for (; i < m; i++)
    for (int j = 0; j <= i; j++) C[i*m + j] = ss_dot(k, A + i*k, B + j*k);
}

void ss_abt(int m, int n, int k, const double* A, const double* B, double* C)
{
  if (n < SS_BLAS_ABT || k < SS_BLAS_ABT) abt(m, n, k, A, B, C);
  else cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, A, k, B, k, 0, C, n);
}

void ss_abt_sym(int m, int k, const double* A, const double* B, double* C)
{
  if (m < SS_BLAS_ABT || k < SS_BLAS_ABT) abt_lower(m, k, A, B, C);
  else cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, m, k, 1, A, k, B, k, 0, C, m);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < i; j++) C[j*m + i] = C[i*m + j];
}
