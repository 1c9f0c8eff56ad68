// C = A B^T: every row of A times every row of B, as in the Delassus matrix G = W^T (M^-1 W).
// Up to seven rows: dot products, two rows of A with two of B at a time. More rows: four rows of B are packed side by
// side, so that one vector holds an entry of each; then four rows of A pass over them with 4 x 4 sums in registers.
#include "math/dense.h"
#include "math/simd.h"
#include <cblas.h>

enum {
  FEW = 8,    // below: dot products
  PACK = 64,  // entries of a row packed at once
};

// ---- few rows ----

SS_INLINE void two_by_two(int k, const double* a0, const double* b0, int n, double* C)
{
  const double *a1 = a0 + k, *b1 = b0 + k;
  ss_v4 s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0};
  int l = 0;
  for (; l + 4 <= k; l += 4) {
    ss_v4 u = SS_V4C(a0 + l), v = SS_V4C(a1 + l), p = SS_V4C(b0 + l), q = SS_V4C(b1 + l);
    s00 += u*p;
    s01 += u*q;
    s10 += v*p;
    s11 += v*q;
  }
  double c00 = SS_V4_SUM(s00), c01 = SS_V4_SUM(s01), c10 = SS_V4_SUM(s10), c11 = SS_V4_SUM(s11);
  for (; l < k; l++) {
    c00 += a0[l]*b0[l];
    c01 += a0[l]*b1[l];
    c10 += a1[l]*b0[l];
    c11 += a1[l]*b1[l];
  }
  C[0] = c00;
  C[1] = c01;
  C[n] = c10;
  C[n + 1] = c11;
}

// Columns [0, end) of rows i and i + 1 of C
SS_INLINE void two_rows(int n, int k, int i, int end, const double* A, const double* B, double* C)
{
  int j = 0;
  for (; j + 2 <= end; j += 2) two_by_two(k, A + i*k, B + j*k, n, C + i*n + j);
  for (; j < end; j++) {
    C[i*n + j] = ss_v4_dot(k, A + i*k, B + j*k);
    C[(i + 1)*n + j] = ss_v4_dot(k, A + (i + 1)*k, B + j*k);
  }
}

SS_CLONES static void few(int m, int n, int k, const double* A, const double* B, double* C)
{
  int i = 0;
  for (; i + 2 <= m; i += 2) two_rows(n, k, i, n, A, B, C);
  for (; i < m; i++)
    for (int j = 0; j < n; j++) C[i*n + j] = ss_v4_dot(k, A + i*k, B + j*k);
}

SS_CLONES static void few_lower(int m, int k, const double* A, const double* B, double* C)
{
  int i = 0;
  for (; i + 2 <= m; i += 2) two_rows(m, k, i, i + 2, A, B, C);
  for (; i < m; i++)
    for (int j = 0; j <= i; j++) C[i*m + j] = ss_v4_dot(k, A + i*k, B + j*k);
}

// ---- more rows ----

// pack[l] = (b_0l, b_1l, b_2l, b_3l); a row that does not exist is replaced by the last one, its sums are not stored
SS_INLINE void pack_rows(int rows, int length, int k, const double* B, double* pack)
{
  const double *b0 = B, *b1 = B + (rows > 1 ? k : 0), *b2 = rows > 2 ? b1 + k : b1, *b3 = rows > 3 ? b2 + k : b2;
  for (int l = 0; l < length; l++) {
    pack[4*l] = b0[l];
    pack[4*l + 1] = b1[l];
    pack[4*l + 2] = b2[l];
    pack[4*l + 3] = b3[l];
  }
}

// The first `columns` of four sums into c, or added to what is there
SS_INLINE void store(int columns, bool add, const ss_v4* s, double* c)
{
  if (columns == 4) {
    if (add) SS_V4(c) += *s;
    else SS_V4(c) = *s;
    return;
  }
  for (int j = 0; j < columns; j++) c[j] = add ? c[j] + (*s)[j] : (*s)[j];
}

// Four rows of A (k apart) with the packed rows of B, into 4 x columns entries of C (n apart)
SS_INLINE void four_rows(int length, int k, const double* A, const double* pack, int columns, bool add, int n,
                         double* C)
{
  const double *a0 = A, *a1 = A + k, *a2 = A + 2*k, *a3 = A + 3*k;
  ss_v4 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  for (int l = 0; l < length; l++) {
    ss_v4 b = SS_V4C(pack + 4*l);
    s0 += a0[l]*b;
    s1 += a1[l]*b;
    s2 += a2[l]*b;
    s3 += a3[l]*b;
  }
  store(columns, add, &s0, C);
  store(columns, add, &s1, C + n);
  store(columns, add, &s2, C + 2*n);
  store(columns, add, &s3, C + 3*n);
}

// One row of A with the packed rows of B
SS_INLINE void one_row(int length, const double* a, const double* pack, int columns, bool add, double* c)
{
  ss_v4 s = {0};
  for (int l = 0; l < length; l++) s += a[l]*SS_V4C(pack + 4*l);
  store(columns, add, &s, c);
}

// Columns j .. j + 3 of C from row `first` on
SS_INLINE void column_block(int first, int m, int n, int k, int j, const double* A, const double* B, double* C)
{
  double pack[4*PACK];
  int columns = n - j < 4 ? n - j : 4;
  for (int l = 0; l < k || l == 0; l += PACK) {
    int length = k - l < PACK ? k - l : PACK, i = first;
    pack_rows(columns, length, k, B + j*k + l, pack);
    for (; i + 4 <= m; i += 4) four_rows(length, k, A + i*k + l, pack, columns, l > 0, n, C + i*n + j);
    for (; i < m; i++) one_row(length, A + i*k + l, pack, columns, l > 0, C + i*n + j);
  }
}

SS_CLONES static void packed(int m, int n, int k, const double* A, const double* B, double* C)
{
  for (int j = 0; j < n; j += 4) column_block(0, m, n, k, j, A, B, C);
}

SS_CLONES static void packed_lower(int m, int k, const double* A, const double* B, double* C)
{
  for (int j = 0; j < m; j += 4) column_block(j, m, m, k, j, A, B, C);
}

void ss_abt(int m, int n, int k, const double* A, const double* B, double* C)
{
  if (m < FEW || n < FEW) few(m, n, k, A, B, C);
  else if (n < SS_BLAS_ABT || k < SS_BLAS_ABT) packed(m, n, k, A, B, C);
  else cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, A, k, B, k, 0, C, n);
}

void ss_abt_sym(int m, int k, const double* A, const double* B, double* C)
{
  if (m < FEW) few_lower(m, k, A, B, C);
  else if (m < SS_BLAS_ABT_SYM || k < SS_BLAS_ABT_SYM) packed_lower(m, k, A, B, C);
  else cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, m, k, 1, A, k, B, k, 0, C, m);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < i; j++) C[j*m + i] = C[i*m + j];
}
