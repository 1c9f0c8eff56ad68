// Sparse block LU: solves what dense LU solves, for every size of block, and its fill is no larger than it must be.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "math/block_lu.h"
#include "math/dense.h"
#include "math/sparse.h"

static double uniform(uint64_t* seed)
{
  *seed = *seed*6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11)/9007199254740992.0;
}

// By plain elimination with row exchanges, which spoils A
static int sign_of_determinant(int n, double* A)
{
  int sign = 1;
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i*n + k]) > fabs(A[p*n + k])) p = i;
    for (int j = 0; j < n; j++) {
      double a = A[k*n + j];
      A[k*n + j] = A[p*n + j];
      A[p*n + j] = a;
    }
    if ((A[k*n + k] < 0) != (p != k)) sign = -sign;
    for (int i = k + 1; i < n; i++)
      for (int j = n - 1; j >= k; j--) A[i*n + j] -= A[i*n + k]/A[k*n + k]*A[k*n + j];
  }
  return sign;
}

// A random pattern with n nodes and a matrix "one plus something" on it, also dense
static void check_random(int n, int d, double density, uint64_t seed)
{
  int size = n*d, *start = calloc((size_t)n + 1, sizeof(int)), *col = malloc(sizeof(int)*(size_t)(n*n + 1));
  for (int i = 0; i < n; i++) {
    start[i + 1] = start[i];
    for (int j = 0; j < n; j++)
      if (i == j || uniform(&seed) < density) col[start[i + 1]++] = j;
  }
  ss_block_lu* lu = ss_block_lu_create(n, d, start, col, 1 << 20, INFINITY);
  double* A = calloc((size_t)(size*size), sizeof(double));
  double *x = malloc(sizeof(double)*(size_t)size), *y = malloc(sizeof(double)*(size_t)size);
  int* piv = malloc(sizeof(int)*(size_t)size);
  assert_non_null(lu);
  for (int i = 0; i < n; i++)
    for (int e = start[i]; e < start[i + 1]; e++) {
      double* block = lu->value + (size_t)ss_block_lu_find(lu, i, col[e])*(size_t)(d*lu->stride);
      for (int r = 0; r < d; r++)
        for (int c = 0; c < d; c++) {
          double value = uniform(&seed) - 0.5 + (i == col[e] && r == c ? (i%3 ? n*d : -n*d) : 0);
          block[r*lu->stride + c] = A[(i*d + r)*size + col[e]*d + c] = value;
        }
    }
  for (int i = 0; i < size; i++) x[i] = y[i] = uniform(&seed) - 0.5;
  double* copy = malloc(sizeof(double)*(size_t)(size*size));
  for (int i = 0; i < size*size; i++) copy[i] = A[i];
  int sign = sign_of_determinant(size, copy);
  free(copy);
  assert_true(ss_block_lu_factor(lu));
  ss_block_lu_solve(lu, x);
  assert_true(ss_lu_factor(size, A, piv));
  ss_lu_solve(size, A, piv, y);
  for (int i = 0; i < size; i++) assert_true(fabs(x[i] - y[i]) <= 1e-13*fabs(y[i]) + 1e-15);
  assert_int_equal(lu->sign, sign);
  ss_block_lu_destroy(lu);
  free(start); free(col); free(A); free(x); free(y); free(piv);
}

static void solves_what_dense_lu_solves(void** state)
{
  (void)state;
  const int sizes[] = {1, 2, 3, 6};
  for (int s = 0; s < 4; s++)
    for (int n = 1; n <= 24; n += n < 6 ? 1 : 6)
      for (int density = 0; density < 4; density++) check_random(n, sizes[s], density/3.0, (uint64_t)(n*10 + density));
}

// A path and a star have orders without any fill: 2 (n - 1) blocks beside the diagonal
static void trees_have_no_fill(void** state)
{
  (void)state;
  enum { N = 50 };
  for (int star = 0; star < 2; star++) {
    int start[N + 1] = {0}, col[N];
    for (int i = 0; i < N; i++) {
      start[i + 1] = start[i];
      if (i > 0) col[start[i + 1]++] = star ? 0 : i - 1;
    }
    ss_block_lu* lu = ss_block_lu_create(N, 3, start, col, 1 << 20, INFINITY);
    assert_non_null(lu);
    assert_int_equal(lu->start[N], N + 2*(N - 1));
    assert_int_equal(ss_block_lu_find(lu, 3, 40), -1);
    ss_block_lu_destroy(lu);
  }
}

// A block L_ik is multiplied with every block of row k from the diagonal on
static double count_products(const ss_block_lu* lu)
{
  double sum = 0;
  for (int i = 0; i < lu->n; i++)
    for (int e = lu->start[i]; e < lu->diagonal[i]; e++) sum += lu->start[lu->col[e] + 1] - lu->diagonal[lu->col[e]];
  return sum;
}

// A grid of N x N, whose last nodes are a clique
static void products_are_counted(void** state)
{
  (void)state;
  enum { N = 12 };
  int start[N*N + 1] = {0}, col[2*N*N];
  for (int i = 0; i < N*N; i++) {
    start[i + 1] = start[i];
    if (i%N > 0) col[start[i + 1]++] = i - 1;
    if (i >= N) col[start[i + 1]++] = i - N;
  }
  ss_block_lu* lu = ss_block_lu_create(N*N, 1, start, col, 1 << 20, INFINITY);
  assert_non_null(lu);
  double products = count_products(lu);
  assert_true(lu->products == products);
  ss_block_lu_destroy(lu);
  assert_null(ss_block_lu_create(N*N, 1, start, col, 1 << 20, products - 1));
  lu = ss_block_lu_create(N*N, 1, start, col, 1 << 20, products);
  assert_non_null(lu);
  ss_block_lu_destroy(lu);
}

static void too_large_or_singular_is_told(void** state)
{
  (void)state;
  int start[] = {0, 2, 4}, col[] = {0, 1, 0, 1};
  assert_null(ss_block_lu_create(2, 1, start, col, 0, INFINITY));
  ss_block_lu* lu = ss_block_lu_create(2, 1, start, col, 100, INFINITY);
  assert_non_null(lu);
  for (int i = 0; i < 4; i++) lu->value[i] = 1;
  assert_false(ss_block_lu_factor(lu));
  ss_block_lu_destroy(lu);
}

// One block whose diagonal is zero, or becomes so: rows are exchanged. A permutation is solved without any round-off.
static void blocks_are_pivoted(void** state)
{
  (void)state;
  const int size[] = {1, 2, 3, 6}, start[] = {0, 1}, col[] = {0};
  for (int c = 0; c < 4; c++)
    for (int turn = 0; turn < size[c]; turn++) {
      int d = size[c];
      double x[6];
      ss_block_lu* lu = ss_block_lu_create(1, d, start, col, 100, INFINITY);
      assert_non_null(lu);
      for (int i = 0; i < d; i++) {
        lu->value[i*lu->stride + (i + turn)%d] = i + 1;  // (i + 1) x_(i + turn) = i + 1
        x[i] = i + 1;
      }
      assert_true(ss_block_lu_factor(lu));
      ss_block_lu_solve(lu, x);
      for (int i = 0; i < d; i++) assert_true(x[i] == 1);
      lu->value[0] = NAN;
      assert_false(ss_block_lu_factor(lu));
      ss_block_lu_clear(lu);
      assert_false(ss_block_lu_factor(lu));
      ss_block_lu_destroy(lu);
    }
}

// Entries in any order, doubles added up, places outside refused
static void triplets(void** state)
{
  (void)state;
  int row[] = {2, 0, 2, 0, 2}, col[] = {1, 3, 0, 3, 1};
  double x[] = {1, 2, 3, 4, 5};
  ss_sparse A, T;
  ss_error error;
  assert_int_equal(ss_sparse_from_triplets(3, 4, 5, row, col, x, &A, &error), SS_OK);
  assert_int_equal(ss_sparse_check(&A, "A", &error), SS_OK);
  assert_int_equal(A.start[3], 3);
  assert_true(A.value[0] == 6 && A.value[1] == 3 && A.value[2] == 6);
  assert_true(ss_sparse_transpose(&A, &T));
  assert_int_equal(ss_sparse_check(&T, "T", &error), SS_OK);
  assert_true(T.rows == 4 && T.start[4] == 3 && T.value[2] == 6 && T.col[2] == 0);
  ss_sparse_free(&A);
  ss_sparse_free(&T);
  row[1] = 3;
  assert_int_equal(ss_sparse_from_triplets(3, 4, 5, row, col, x, &A, &error), SS_ERR_INPUT);
  row[1] = 0;
  x[3] = NAN;
  assert_int_equal(ss_sparse_from_triplets(3, 4, 5, row, col, x, &A, &error), SS_ERR_NUMERIC);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(solves_what_dense_lu_solves),
    cmocka_unit_test(trees_have_no_fill), cmocka_unit_test(products_are_counted),
    cmocka_unit_test(too_large_or_singular_is_told), cmocka_unit_test(blocks_are_pivoted),
    cmocka_unit_test(triplets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
