// Random and famous matrices for the tests of dense linear algebra.
#ifndef TEST_MATH_MATRICES_H
#define TEST_MATH_MATRICES_H

#include <math.h>
#include <stdint.h>

/// Uniform in (-1, 1), the same on every machine (splitmix64).
static inline double uniform(uint64_t* seed)
{
  uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30))*0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27))*0x94d049bb133111ebu;
  z ^= z >> 31;
  return (double)(int64_t)z/9223372036854775808.0;
}

static inline void fill_uniform(int n, double* a, uint64_t* seed)
{
  for (int i = 0; i < n; i++) a[i] = uniform(seed);
}

/// A = B B^T + shift, B uniform n x k: positive definite for shift > 0 or k >= n
static inline void fill_spd(int n, int k, double shift, double* A, uint64_t* seed)
{
  double B[180*180];
  fill_uniform(n*k, B, seed);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      long double sum = i == j ? shift : 0;
      for (int l = 0; l < k; l++) sum += (long double)B[i*k + l]*B[j*k + l];
      A[i*n + j] = (double)sum;
    }
}

/// Hilbert's matrix 1/(i + j + 1)
static inline void fill_hilbert(int n, double* A)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i*n + j] = 1.0/(i + j + 1);
}

#endif
