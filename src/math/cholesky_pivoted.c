// Cholesky with symmetric pivoting: finds which rows of a positive semidefinite matrix are independent.
#include "math/dense.h"

static void swap(double* a, double* b)
{
  double t = *a;
  *a = *b;
  *b = t;
}

// Exchanges rows and columns p < q of the symmetric matrix whose lower triangle is A
static void swap_rows(int n, double* A, int p, int q)
{
  for (int j = 0; j < p; j++) swap(&A[p*n + j], &A[q*n + j]);
  for (int i = p + 1; i < q; i++) swap(&A[i*n + p], &A[q*n + i]);
  for (int i = q + 1; i < n; i++) swap(&A[i*n + p], &A[i*n + q]);
  swap(&A[p*n + p], &A[q*n + q]);
}

// Column k of L below the pivot, and what it leaves of the rest
static void eliminate(int n, double* A, int k)
{
  double d = sqrt(A[k*n + k]);
  A[k*n + k] = d;
  for (int i = k + 1; i < n; i++) {
    A[i*n + k] /= d;
    for (int j = k + 1; j <= i; j++) A[i*n + j] -= A[i*n + k]*A[j*n + k];
  }
}

// The pivot is the row that keeps the largest part of its own diagonal entry: independent of units. The original
// diagonal is kept in the unused upper part of row 0; only that of row 0 has no place there.
int ss_chol_pivoted(int n, double* A, int* perm, double rtol)
{
  double first = n > 0 ? A[0] : 0;
  for (int i = 0; i < n; i++) {
    perm[i] = i;
    if (i > 0) A[i] = A[i*n + i];
  }
  for (int k = 0; k < n; k++) {
    int pivot = -1;
    double largest = rtol;
    for (int i = k; i < n; i++) {
      double full = perm[i] ? A[perm[i]] : first, left = A[i*n + i];
      if (full > 0 && left > largest*full) {
        largest = left/full;
        pivot = i;
      }
    }
    if (pivot < 0) return k;
    if (pivot > k) {
      swap_rows(n, A, k, pivot);
      int t = perm[k];
      perm[k] = perm[pivot];
      perm[pivot] = t;
    }
    eliminate(n, A, k);
  }
  return n;
}

void ss_chol_pivoted_solve(int n, int rank, const double* L, const int* perm, double* x, double* work)
{
  for (int i = 0; i < rank; i++) work[i] = (x[perm[i]] - ss_dot(i, L + i*n, work))/L[i*n + i];
  for (int i = rank - 1; i >= 0; i--) {
    work[i] /= L[i*n + i];
    ss_axpy(i, -work[i], L + i*n, work);
  }
  for (int i = 0; i < n; i++) x[perm[i]] = i < rank ? work[i] : 0;
}
