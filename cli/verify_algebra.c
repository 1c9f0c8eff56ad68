// Small dense systems of equations in long double: Cholesky's factor, and elimination with full pivoting, which says
// whether the solution is unique.
#include <math.h>

#include "verify_algebra.h"

#define SINGULAR 1e-11L  // of the largest pivot: a row that says nothing new
#define REDUNDANT 1e-9L  // of a vector: what is left of it beside the others

bool cli_cholesky(int n, const double* M, long double* L)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      long double sum = M[i*n + j];
      for (int p = 0; p < j; p++) sum -= L[i*n + p]*L[j*n + p];
      if (i == j && !(sum > 0)) return false;
      L[i*n + j] = i == j ? sqrtl(sum) : sum/L[j*n + j];
    }
  return true;
}

// Rows of contacts are zero but for a few velocities, and so is what M makes of them: zeros are passed over
void cli_cholesky_solve(int n, const long double* L, long double* x)
{
  for (int j = 0; j < n; j++) {
    if (x[j] == 0) continue;
    x[j] /= L[j*n + j];
    for (int i = j + 1; i < n; i++) x[i] -= L[i*n + j]*x[j];
  }
  for (int i = n - 1; i >= 0; i--) {
    if (x[i] == 0) continue;
    x[i] /= L[i*n + i];
    for (int j = 0; j < i; j++) x[j] -= L[i*n + j]*x[i];
  }
}

static void swap(long double* a, long double* b)
{
  long double keep = *a;
  *a = *b;
  *b = keep;
}

// Row p and column q to where the next pivot is
static void bring_pivot(int n, long double* A, int* order, int rank, int p, int q)
{
  int w = n + 1, keep = order[rank];
  for (int j = 0; j < w; j++) swap(&A[rank*w + j], &A[p*w + j]);
  for (int i = 0; i < n; i++) swap(&A[i*w + rank], &A[i*w + q]);
  order[rank] = order[q];
  order[q] = keep;
}

// To rows of steps; returns the rank
static int reduce(int n, long double* A, int* order)
{
  int w = n + 1;
  long double most = 0;
  for (int rank = 0; rank < n; rank++) {
    int p = rank, q = rank;
    for (int i = rank; i < n; i++)
      for (int j = rank; j < n; j++)
        if (fabsl(A[i*w + j]) > fabsl(A[p*w + q])) p = i, q = j;
    most = fmaxl(most, fabsl(A[p*w + q]));
    if (!(fabsl(A[p*w + q]) > SINGULAR*most)) return rank;
    bring_pivot(n, A, order, rank, p, q);
    for (int i = rank + 1; i < n; i++) {
      long double part = A[i*w + rank]/A[rank*w + rank];
      for (int j = rank; j < w; j++) A[i*w + j] -= part*A[rank*w + j];
    }
  }
  return n;
}

bool cli_eliminate(int n, long double* A, long double* x, int* order)
{
  int w = n + 1;
  for (int i = 0; i < n; i++) order[i] = i;
  int rank = reduce(n, A, order);
  for (int i = 0; i < n; i++) x[i] = 0;
  for (int i = rank - 1; i >= 0; i--) {
    long double sum = A[i*w + n];
    for (int j = i + 1; j < rank; j++) sum -= A[i*w + j]*x[order[j]];
    x[order[i]] = sum/A[i*w + i];
  }
  return rank == n;
}

void cli_solve_weighted(int n, const long double* A, const long double* weight, long double* x, long double* room,
                        int* order)
{
  int w = n + 1;
  long double *B = room, *y = room + n*w;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      B[i*w + j] = 0;
      for (int k = 0; k < n; k++) B[i*w + j] += A[i*w + k]*weight[k]*A[j*w + k];
    }
    B[i*w + n] = A[i*w + n];
  }
  cli_eliminate(n, B, y, order);
  for (int k = 0; k < n; k++) {
    x[k] = 0;
    for (int i = 0; i < n; i++) x[k] += weight[k]*A[i*w + k]*y[i];
  }
}

static long double dot(int n, const long double* a, const long double* b)
{
  long double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i]*b[i];
  return sum;
}

// x without its part along a vector of length one
static void remove_part(int n, const long double* unit, long double* x)
{
  long double part = dot(n, unit, x);
  for (int i = 0; i < n; i++) x[i] -= part*unit[i];
}

void cli_take_out(int n, int m, long double* base, long double* x)
{
  for (int b = 0; b < m; b++) {
    long double *v = base + b*n, whole = sqrtl(dot(n, v, v));
    for (int d = 0; d < 2*b; d++) remove_part(n, base + d%b*n, v);  // twice: against round-off
    long double size = sqrtl(dot(n, v, v));
    for (int i = 0; i < n; i++) v[i] = size > REDUNDANT*whole ? v[i]/size : 0;
    remove_part(n, v, x);
  }
}
