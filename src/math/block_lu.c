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
  lu->value = calloc(blocks*(size_t)(lu->d*lu->stride) + 1, sizeof(double));
  lu->x = calloc(n*(size_t)lu->stride, sizeof(double));
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

ss_block_lu* ss_block_lu_create(int n, int d, const int* start, const int* col, size_t limit, double most)
{
  ss_block_lu* lu = calloc(1, sizeof *lu);
  if (!lu) return NULL;
  int stride = d == 3 ? 4 : d == 6 ? 8 : d;
  *lu = (ss_block_lu){.n = n, .d = d, .stride = stride, .place = malloc(((size_t)n + 1)*sizeof(int)), .products = most};
  int *upper_start = NULL, *upper_col = NULL;
  if (limit > (size_t)INT_MAX/2) limit = (size_t)INT_MAX/2;
  bool good = lu->place &&
              ss_minimum_degree(n, start, col, limit/2, &lu->products, lu->place, &upper_start, &upper_col) &&
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
  memset(lu->value, 0, (size_t)lu->start[lu->n]*(size_t)(lu->d*lu->stride)*sizeof(double));
}

// ---- blocks: d and the stride s are constants where these are compiled in ----

// row -= f other
SS_INLINE void subtract_row(int s, double f, const double* other, double* row)
{
  if (s < 4)
    for (int j = 0; j < s; j++) row[j] -= f*other[j];
  else
    for (int j = 0; j < s; j += 4) SS_V4(row + j) -= f*SS_V4C(other + j);
}

// C -= A B
SS_INLINE void subtract_product(int d, int s, const double* A, const double* B, double* C)
{
  if (s < 4)
    for (int i = 0; i < d; i++)
      for (int k = 0; k < d; k++) subtract_row(s, A[i*s + k], B + k*s, C + i*s);
  else
    for (int i = 0; i < d; i++)
      for (int j = 0; j < s; j += 4) {
        ss_v4 sum = SS_V4C(C + i*s + j);
        for (int k = 0; k < d; k++) sum -= A[i*s + k]*SS_V4C(B + k*s + j);
        SS_V4(C + i*s + j) = sum;
      }
}

#ifdef SS_WIDE
// The same for blocks of 6 whose rows are single vectors: the same operations in the same order, so the same bits
SS_INLINE void subtract_product_wide(int d, int s, const double* A, const double* B, double* C)
{
  (void)d;
  (void)s;
  ss_v8 row[6];
  for (int k = 0; k < 6; k++) row[k] = SS_V8C(B + 8*k);
  for (int i = 0; i < 6; i++) {
    ss_v8 sum = SS_V8C(C + 8*i);
    for (int k = 0; k < 6; k++) sum -= A[8*i + k]*row[k];
    SS_V8(C + 8*i) = sum;
  }
}
#endif

// A = A B, row by row
SS_INLINE void multiply_right(int d, int s, double* A, const double* B)
{
  for (int i = 0; i < d; i++, A += s) {
    double row[8] = {0};
    for (int j = 0; s >= 4 && j < s; j += 4) {
      ss_v4 sum = A[0]*SS_V4C(B + j);
      for (int k = 1; k < d; k++) sum += A[k]*SS_V4C(B + k*s + j);
      SS_V4(row + j) = sum;
    }
    for (int k = 0; s < 4 && k < d; k++)
      for (int j = 0; j < s; j++) row[j] += A[k]*B[k*s + j];
    for (int j = 0; j < s; j++) A[j] = row[j];
  }
}

SS_INLINE bool is_zero(int d, int s, const double* A)
{
  if (s < 4) {
    for (int e = 0; e < d*s; e++)
      if (A[e] != 0) return false;
    return true;
  }
  ss_v4i any = {0};
  for (int e = 0; e < d*s; e += 4) any |= SS_V4C(A + e) != 0;
  return !(any[0] | any[1] | any[2] | any[3]);
}

SS_INLINE void swap_rows(int s, double* A, int i, int j)
{
  for (int c = 0; c < s; c++) {
    double a = A[i*s + c];
    A[i*s + c] = A[j*s + c];
    A[j*s + c] = a;
  }
}

// row_k = value, in whole vectors: a vector that a single number has just been stored into is slow to load
SS_INLINE void set_entry(int s, double* row, int k, double value)
{
  const ss_v4i lane = {0, 1, 2, 3};
  if (s < 4) {
    row[k] = value;
    return;
  }
  ss_v4 old = SS_V4C(row + k/4*4), new = {value, value, value, value};
  ss_v4i here = lane == (ss_v4i){k%4, k%4, k%4, k%4};
  SS_V4(row + k/4*4) = SS_V4_SELECT(here, new, old);
}

// A = A^-1 by Gauss and Jordan in place: column k of the inverse takes the place of column k of A
SS_INLINE void eliminate(int d, int s, double* A, int k)
{
  double pivot = 1/A[k*s + k];
  set_entry(s, A + k*s, k, 1);
  for (int c = 0; c < s; c++) A[k*s + c] *= pivot;
  for (int i = 0; i < d; i++) {
    if (i == k) continue;
    double factor = A[i*s + k];
    set_entry(s, A + i*s, k, 0);
    subtract_row(s, factor, A + k*s, A + i*s);
  }
}

// With row pivoting. Returns the sign of the determinant, 0 if A is singular or NaN.
SS_INLINE int invert_pivoted(int d, int s, double* A)
{
  int from[6], sign = 1;
  for (int k = 0; k < d; k++) {
    int p = k;
    for (int i = k + 1; i < d; i++)
      if (fabs(A[i*s + k]) > fabs(A[p*s + k])) p = i;
    from[k] = p;
    if (p != k) swap_rows(s, A, p, k);
    if (!(fabs(A[k*s + k]) > 0) || !isfinite(A[k*s + k])) return 0;
    if ((A[k*s + k] < 0) != (p != k)) sign = -sign;
    eliminate(d, s, A, k);
  }
  for (int k = d - 1; k >= 0; k--)  // swapped rows of A are swapped columns of the inverse
    for (int i = 0; from[k] != k && i < d; i++) {
      double a = A[i*s + k];
      A[i*s + k] = A[i*s + from[k]];
      A[i*s + from[k]] = a;
    }
  return sign;
}

// One pivot of a 6 x 6 block whose rows are in registers, as eliminate() does it; k is a constant where it is called
SS_INLINE void eliminate_6(ss_v4 low[6], ss_v4 high[6], int k)
{
  ss_v4* part = k < 4 ? low : high;  // which has column k
  const ss_v4i lane = {0, 1, 2, 3}, column = {k%4, k%4, k%4, k%4}, here = lane == column;
  double pivot = 1/part[k][k%4];
  part[k] = SS_V4_SELECT(here, ((ss_v4){1, 1, 1, 1}), part[k]);
  low[k] *= pivot;
  high[k] *= pivot;
  for (int i = 0; i < 6; i++) {
    if (i == k) continue;
    double factor = part[i][k%4];
    part[i] = (ss_v4)(~here & (ss_v4i)part[i]);
    low[i] -= factor*low[k];
    high[i] -= factor*high[k];
  }
}

// 0, and A as it was, if a pivot loses 11 digits
SS_INLINE int invert_6(double* A)
{
  ss_v4 low[6], high[6];
  bool good = true;
  int sign = 1;
  for (int i = 0; i < 6; i++) {
    low[i] = SS_V4C(A + 8*i);
    high[i] = SS_V4C(A + 8*i + 4);
  }
#define PIVOT(k)                                                                 \
  do {                                                                           \
    double p = k < 4 ? low[k][k%4] : high[k][k%4];                               \
    good = good && fabs(p) > 1e-11*fabs(A[9*k]) && isfinite(p);                  \
    if (p < 0) sign = -sign;                                                     \
    eliminate_6(low, high, k);                                                   \
  } while (0)
  PIVOT(0);
  PIVOT(1);
  PIVOT(2);
  PIVOT(3);
  PIVOT(4);
  PIVOT(5);
#undef PIVOT
  for (int i = 0; good && i < 6; i++) {
    SS_V4(A + 8*i) = low[i];
    SS_V4(A + 8*i + 4) = high[i];
  }
  return good ? sign : 0;
}

// Without pivoting, which nearly always does; with it if a pivot loses 11 digits
SS_INLINE int invert(int d, int s, double* A)
{
  int sign = 1;
  if (d == 6) {
    sign = invert_6(A);
    return sign ? sign : invert_pivoted(d, s, A);
  }
  double B[12];
  for (int e = 0; e < d*s; e++) B[e] = A[e];
  for (int k = 0; k < d; k++) {
    if (!(fabs(B[k*s + k]) > 1e-11*fabs(A[k*s + k])) || !isfinite(B[k*s + k])) return invert_pivoted(d, s, A);
    if (B[k*s + k] < 0) sign = -sign;
    eliminate(d, s, B, k);
  }
  for (int e = 0; e < d*s; e++) A[e] = B[e];
  return sign;
}

// ---- factors ----

typedef void subtract_function(int d, int s, const double* A, const double* B, double* C);

SS_INLINE bool factor_rows(ss_block_lu* lu, int d, int s, subtract_function* subtract)
{
  double* value = lu->value;
  const int* col = lu->col;
  int* at = lu->at;
  size_t size = (size_t)(d*s);
  int sign = 1;
  for (int i = 0; i < lu->n; i++) {
    if (lu->stop && *lu->stop) return false;
    for (int e = lu->start[i]; e < lu->start[i + 1]; e++) at[col[e]] = e;
    for (int e = lu->start[i]; e < lu->diagonal[i]; e++) {
      int k = col[e];
      double* L = value + (size_t)e*size;
      if (is_zero(d, s, L)) continue;  // contacts without impulse leave many of these
      multiply_right(d, s, L, value + (size_t)lu->diagonal[k]*size);
      for (int f = lu->diagonal[k] + 1; f < lu->start[k + 1]; f++)
        subtract(d, s, L, value + (size_t)f*size, value + (size_t)at[col[f]]*size);
    }
    sign *= invert(d, s, value + (size_t)lu->diagonal[i]*size);
    if (!sign) return false;
  }
  lu->sign = sign;
  return true;
}

// y = the blocks `first` to `end` of a row times x; four columns at a time, added up at the end
SS_INLINE void multiply_blocks(const ss_block_lu* lu, int d, int s, int first, int end, double* y)
{
  ss_v4 sum[6] = {{0}, {0}, {0}, {0}, {0}, {0}};
  for (int i = 0; i < d; i++) y[i] = 0;
  for (int e = first; e < end; e++) {
    const double *A = lu->value + (size_t)e*(size_t)(d*s), *x = lu->x + lu->col[e]*s;
    for (int i = 0; i < d; i++) {
      for (int j = 0; s < 4 && j < d; j++) y[i] += A[i*s + j]*x[j];
      for (int j = 0; s >= 4 && j < s; j += 4) sum[i] += SS_V4C(A + i*s + j)*SS_V4C(x + j);
    }
  }
  for (int i = 0; s >= 4 && i < d; i++) y[i] = SS_V4_SUM(sum[i]);
}

SS_INLINE void solve_rows(ss_block_lu* lu, int d, int s, double* rhs)
{
  double *x = lu->x, y[6];
  for (int i = 0; i < lu->n; i++)
    for (int c = 0; c < d; c++) x[lu->place[i]*s + c] = rhs[i*d + c];
  for (int i = 0; i < lu->n; i++) {
    multiply_blocks(lu, d, s, lu->start[i], lu->diagonal[i], y);
    for (int c = 0; c < d; c++) x[i*s + c] -= y[c];
  }
  for (int i = lu->n - 1; i >= 0; i--) {
    multiply_blocks(lu, d, s, lu->diagonal[i] + 1, lu->start[i + 1], y);
    for (int c = 0; c < d; c++) x[i*s + c] -= y[c];
    multiply_blocks(lu, d, s, lu->diagonal[i], lu->diagonal[i] + 1, y);
    for (int c = 0; c < d; c++) x[i*s + c] = y[c];
  }
  for (int i = 0; i < lu->n; i++)
    for (int c = 0; c < d; c++) rhs[i*d + c] = x[lu->place[i]*s + c];
}

SS_CLONES static bool factor_1(ss_block_lu* lu) { return factor_rows(lu, 1, 1, subtract_product); }
SS_CLONES static bool factor_2(ss_block_lu* lu) { return factor_rows(lu, 2, 2, subtract_product); }
SS_CLONES static bool factor_3(ss_block_lu* lu) { return factor_rows(lu, 3, 4, subtract_product); }
SS_CLONES static bool factor_6(ss_block_lu* lu) { return factor_rows(lu, 6, 8, subtract_product); }
#ifdef SS_WIDE
SS_WIDE static bool factor_6_wide(ss_block_lu* lu) { return factor_rows(lu, 6, 8, subtract_product_wide); }
#endif

bool ss_block_lu_factor(ss_block_lu* lu)
{
#ifdef SS_WIDE
  if (lu->d == 6 && SS_HAS_WIDE()) return factor_6_wide(lu);
#endif
  switch (lu->d) {
    case 1: return factor_1(lu);
    case 2: return factor_2(lu);
    case 3: return factor_3(lu);
    default: return factor_6(lu);
  }
}

SS_CLONES static void solve_1(ss_block_lu* lu, double* x) { solve_rows(lu, 1, 1, x); }
SS_CLONES static void solve_2(ss_block_lu* lu, double* x) { solve_rows(lu, 2, 2, x); }
SS_CLONES static void solve_3(ss_block_lu* lu, double* x) { solve_rows(lu, 3, 4, x); }
SS_CLONES static void solve_6(ss_block_lu* lu, double* x) { solve_rows(lu, 6, 8, x); }

void ss_block_lu_solve(ss_block_lu* lu, double* x)
{
  switch (lu->d) {
    case 1: solve_1(lu, x); break;
    case 2: solve_2(lu, x); break;
    case 3: solve_3(lu, x); break;
    default: solve_6(lu, x); break;
  }
}
