// Orthonormal rows of random matrices of known rank, and the right-hand side that goes with them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "math/row_space.h"

enum { MOST = 12 };

static unsigned long seed;

static double uniform(void)
{
  seed = seed*6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 33)/1073741824.0 - 1;
}

// A = P Q with inner dimension `rank`, rows of very different lengths, and c = A x
static void check(int rows, int n, int rank)
{
  double P[MOST*MOST], Q[MOST*MOST], A[MOST*MOST] = {0}, was[MOST*MOST], R[MOST*MOST], x[MOST], c[MOST] = {0}, g[MOST];
  for (int i = 0; i < rows*rank; i++) P[i] = uniform()*pow(10, i/rank%5);
  for (int i = 0; i < rank*n; i++) Q[i] = uniform();
  for (int j = 0; j < n; j++) x[j] = uniform();
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < rank; k++) A[i*n + j] += P[i*rank + k]*Q[k*n + j];
      c[i] += A[i*n + j]*x[j];
    }
  memcpy(was, A, sizeof was);
  assert_int_equal(ss_row_space(rows, n, A, c, 1e-9, R, g), rank);
  for (int i = 0; i < rank; i++) {
    double Rx = 0;
    for (int j = 0; j < n; j++) Rx += R[i*n + j]*x[j];
    assert_true(fabs(Rx - g[i]) < 1e-9);
    for (int k = 0; k <= i; k++) {
      double dot = 0;
      for (int j = 0; j < n; j++) dot += R[i*n + j]*R[k*n + j];
      assert_true(fabs(dot - (i == k)) < 1e-14);
    }
  }
  for (int i = 0; i < rows; i++) {  // nothing of A is outside
    double left[MOST], size = 0, most = 0;
    memcpy(left, was + i*n, sizeof(double)*(size_t)n);
    for (int k = 0; k < rank; k++) {
      double dot = 0;
      for (int j = 0; j < n; j++) dot += R[k*n + j]*was[i*n + j];
      for (int j = 0; j < n; j++) left[j] -= dot*R[k*n + j];
    }
    for (int j = 0; j < n; j++) {
      size = fmax(size, fabs(was[i*n + j]));
      most = fmax(most, fabs(left[j]));
    }
    assert_true(most <= 1e-12*size);
  }
}

static void test_random(void** state)
{
  (void)state;
  for (seed = 1; seed < 300; seed += 7) {
    unsigned long k = seed;
    int rows = 1 + (int)(k%MOST), n = 1 + (int)(k/3%MOST), most = rows < n ? rows : n;
    check(rows, n, 1 + (int)(k/5)%most);
    seed = k;
  }
}

static void test_nothing(void** state)
{
  (void)state;
  double A[6] = {0}, c[2] = {0}, R[6], g[2];
  assert_int_equal(ss_row_space(2, 3, A, c, 1e-9, R, g), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
