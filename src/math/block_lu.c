// Sparse LU in d x d blocks, row by row: row i of the factor is row i of the matrix minus L_ik times the rows k before,
// with L_ik = A_ik U_kk^-1 [Golub & Van Loan 2013, section 3.2, the "ikj" order]. Diagonal blocks are kept inverted.
#include "math/block_lu.h"
#include "math/simd.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- structure ----

static bool allocate(ss_block_lu* lu, size_t blocks)
{
  size_t n = (size_t)lu->n + 1;
  lu->start = malloc(n*sizeof(int));
  lu->diagonal = malloc(n*sizeof(int));
  lu->at = malloc(n*sizeof(int));
  lu->col = malloc((blocks + 1)*sizeof(int));
  lu->value = calloc(blocks*(size_t)(lu->d*lu->d) + 1, sizeof(double));
  lu->x = malloc(n*(size_t)lu->d*sizeof(double));
  return lu->start && lu->diagonal && lu->at && lu->col && lu->value && lu->x;
}

// Rows of the whole factor from those of its upper part: row j has a block left of its diagonal at k where row k has j
static void join_halves(ss_block_lu* lu, const int* upper_start, const int* upper_col)
{
  int n = lu->n;
  for (int i = 0; i <= n; i++) lu->start[i] = 0;
  for (int i = 0; i < n; i++) {
    lu->start[i + 1] += 1 + upper_start[i + 1] - upper_start[i];
    for (int e = upper_start[i]; e < upper_start[i + 1]; e++) lu->start[upper_col[e] + 1]++;
  }
  for (int i = 0; i < n; i++) {
    lu->start[i + 1] += lu->start[i];
    lu->at[i] = lu->start[i];
  }
  for (int i = 0; i < n; i++) {  // rows below i get their column i now, so columns come in order
    lu->diagonal[i] = lu->at[i];
    lu->col[lu->at[i]++] = i;
    for (int e = upper_start[i]; e < upper_start[i + 1]; e++) lu->col[lu->at[i]++] = upper_col[e];
    for (int e = upper_start[i]; e < upper_start[i + 1]; e++) lu->col[lu->at[upper_col[e]]++] = i;
  }
  for (int i = 0; i < n; i++) lu->at[i] = -1;
}

ss_block_lu* ss_block_lu_create(int n, int d, const int* start, const int* col, size_t limit)
{
  ss_block_lu* lu = calloc(1, sizeof *lu);
  if (!lu) return NULL;
  *lu = (ss_block_lu){.n = n, .d = d, .place = malloc(((size_t)n + 1)*sizeof(int))};
  int *upper_start = NULL, *upper_col = NULL;
  if (limit > (size_t)INT_MAX/2) limit = (size_t)INT_MAX/2;
  bool good = lu->place && ss_minimum_degree(n, start, col, limit/2, lu->place, &upper_start, &upper_col) &&
              allocate(lu, (size_t)n + 2*(size_t)upper_start[n]);
  if (good) join_halves(lu, upper_start, upper_col);
  free(upper_start);
  free(upper_col);
  if (good) return lu;
  ss_block_lu_destroy(lu);
  return NULL;
}

void ss_block_lu_destroy(ss_block_lu* lu)
{
  if (!lu) return;
  free(lu->place);
  free(lu->start);
  free(lu->diagonal);
  free(lu->col);
  free(lu->at);
  free(lu->value);
  free(lu->x);
  free(lu);
}

int ss_block_lu_find(const ss_block_lu* lu, int i, int j)
{
  int row = lu->place[i], wanted = lu->place[j], low = lu->start[row], high = lu->start[row + 1];
  while (low < high) {
    int middle = low + (high - low)/2;
    if (lu->col[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low < lu->start[row + 1] && lu->col[low] == wanted ? low : -1;
}

void ss_block_lu_clear(ss_block_lu* lu)
{
  memset(lu->value, 0, (size_t)lu->start[lu->n]*(size_t)(lu->d*lu->d)*sizeof(double));
}

// ---- blocks: d is a constant where these are compiled in ----

// C -= A B
SS_INLINE void subtract_product(int d, const double* A, const double* B, double* C)
{
  for (int i = 0; i < d; i++)
    for (int k = 0; k < d; k++)
      for (int j = 0; j < d; j++) C[i*d + j] -= A[i*d + k]*B[k*d + j];
}

// A = A B
SS_INLINE void multiply_right(int d, double* A, const double* B)
{
  for (int i = 0; i < d; i++) {
    double row[6] = {0};
    for (int k = 0; k < d; k++)
      for (int j = 0; j < d; j++) row[j] += A[i*d + k]*B[k*d + j];
    for (int j = 0; j < d; j++) A[i*d + j] = row[j];
  }
}

SS_INLINE bool is_zero(int d, const double* A)
{
  for (int e = 0; e < d*d; e++)
    if (A[e] != 0) return false;
  return true;
}

SS_INLINE void swap_rows(int d, double* A, double* B, int i, int j)
{
  for (int c = 0; c < d; c++) {
    double a = A[i*d + c], b = B[i*d + c];
    A[i*d + c] = A[j*d + c];
    B[i*d + c] = B[j*d + c];
    A[j*d + c] = a;
    B[j*d + c] = b;
  }
}

// A = A^-1 by Gauss and Jordan with row pivoting; false if A is singular or NaN
SS_INLINE bool invert(int d, double* A)
{
  double B[36] = {0};
  for (int i = 0; i < d; i++) B[i*d + i] = 1;
  for (int k = 0; k < d; k++) {
    int p = k;
    for (int i = k + 1; i < d; i++)
      if (fabs(A[i*d + k]) > fabs(A[p*d + k])) p = i;
    if (p != k) swap_rows(d, A, B, p, k);
    double pivot = A[k*d + k];
    if (!(fabs(pivot) > 0) || !isfinite(pivot)) return false;
    for (int c = 0; c < d; c++) {
      A[k*d + c] /= pivot;
      B[k*d + c] /= pivot;
    }
    for (int i = 0; i < d; i++) {
      double factor = A[i*d + k];
      if (i == k || factor == 0) continue;
      for (int c = 0; c < d; c++) {
        A[i*d + c] -= factor*A[k*d + c];
        B[i*d + c] -= factor*B[k*d + c];
      }
    }
  }
  memcpy(A, B, (size_t)(d*d)*sizeof(double));
  return true;
}

// ---- factors ----

SS_INLINE bool factor_rows(ss_block_lu* lu, int d)
{
  double* value = lu->value;
  const int* col = lu->col;
  int* at = lu->at;
  int dd = d*d;
  for (int i = 0; i < lu->n; i++) {
    for (int e = lu->start[i]; e < lu->start[i + 1]; e++) at[col[e]] = e;
    for (int e = lu->start[i]; e < lu->diagonal[i]; e++) {
      int k = col[e];
      double* L = value + (size_t)e*(size_t)dd;
      if (is_zero(d, L)) continue;  // contacts without impulse leave many of these
      multiply_right(d, L, value + (size_t)lu->diagonal[k]*(size_t)dd);
      for (int f = lu->diagonal[k] + 1; f < lu->start[k + 1]; f++)
        subtract_product(d, L, value + (size_t)f*(size_t)dd, value + (size_t)at[col[f]]*(size_t)dd);
    }
    if (!invert(d, value + (size_t)lu->diagonal[i]*(size_t)dd)) return false;
  }
  return true;
}

// y -= A x
SS_INLINE void subtract_block(int d, const double* A, const double* x, double* y)
{
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) y[i] -= A[i*d + j]*x[j];
}

SS_INLINE void solve_rows(ss_block_lu* lu, int d, double* rhs)
{
  double* x = lu->x;
  size_t dd = (size_t)(d*d);
  for (int i = 0; i < lu->n; i++)
    for (int c = 0; c < d; c++) x[lu->place[i]*d + c] = rhs[i*d + c];
  for (int i = 0; i < lu->n; i++)
    for (int e = lu->start[i]; e < lu->diagonal[i]; e++)
      subtract_block(d, lu->value + (size_t)e*dd, x + lu->col[e]*d, x + i*d);
  for (int i = lu->n - 1; i >= 0; i--) {
    double y[6] = {0};
    for (int e = lu->diagonal[i] + 1; e < lu->start[i + 1]; e++)
      subtract_block(d, lu->value + (size_t)e*dd, x + lu->col[e]*d, x + i*d);
    subtract_block(d, lu->value + (size_t)lu->diagonal[i]*dd, x + i*d, y);
    for (int c = 0; c < d; c++) x[i*d + c] = -y[c];
  }
  for (int i = 0; i < lu->n; i++)
    for (int c = 0; c < d; c++) rhs[i*d + c] = x[lu->place[i]*d + c];
}

SS_CLONES static bool factor_1(ss_block_lu* lu) { return factor_rows(lu, 1); }
SS_CLONES static bool factor_2(ss_block_lu* lu) { return factor_rows(lu, 2); }
SS_CLONES static bool factor_3(ss_block_lu* lu) { return factor_rows(lu, 3); }
SS_CLONES static bool factor_6(ss_block_lu* lu) { return factor_rows(lu, 6); }

bool ss_block_lu_factor(ss_block_lu* lu)
{
  switch (lu->d) {
    case 1: return factor_1(lu);
    case 2: return factor_2(lu);
    case 3: return factor_3(lu);
    default: return factor_6(lu);
  }
}

SS_CLONES static void solve_1(ss_block_lu* lu, double* x) { solve_rows(lu, 1, x); }
SS_CLONES static void solve_2(ss_block_lu* lu, double* x) { solve_rows(lu, 2, x); }
SS_CLONES static void solve_3(ss_block_lu* lu, double* x) { solve_rows(lu, 3, x); }
SS_CLONES static void solve_6(ss_block_lu* lu, double* x) { solve_rows(lu, 6, x); }

void ss_block_lu_solve(ss_block_lu* lu, double* x)
{
  switch (lu->d) {
    case 1: solve_1(lu, x); break;
    case 2: solve_2(lu, x); break;
    case 3: solve_3(lu, x); break;
    default: solve_6(lu, x); break;
  }
}
