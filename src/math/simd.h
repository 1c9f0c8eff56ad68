// Four doubles at a time, and functions compiled twice: for any x86-64 processor and for those with AVX2, chosen when
// the program starts; few a third time, with vectors of eight for AVX-512. No reduction is reordered by the compiler
// and nothing is fused, so all give the same bits.
#ifndef SS_MATH_SIMD_H
#define SS_MATH_SIMD_H

#include <limits.h>  // any libc header: tells whether this is glibc, whose loader knows how to choose

// SS_CLONES stands before the definition of a static function. gcc only: clang 14 gives the function that chooses an
// external name even when the function itself is static, so that two files collide. The choice runs before a sanitizer
// is ready, so sanitized builds do without.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && !defined(SS_NO_CLONES) && \
  !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SS_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define SS_CLONES
#endif

// SS_WIDE stands before a function with vectors of eight, to be called if SS_HAS_WIDE(): half as many operations, each
// the same as before.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(SS_NO_CLONES)
#define SS_WIDE __attribute__((target("avx512f")))
#define SS_HAS_WIDE() __builtin_cpu_supports("avx512f")
typedef double ss_v8 __attribute__((vector_size(64), aligned(8), may_alias));
#define SS_V8(p) (*(ss_v8*)(p))
#define SS_V8C(p) (*(const ss_v8*)(p))
#endif

#define SS_INLINE static inline __attribute__((always_inline))

/// Four doubles at any address that a double may have. Never passed by value: the ABI of that depends on the processor.
typedef double ss_v4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long ss_v4i __attribute__((vector_size(32), aligned(8), may_alias));  ///< their bits

#define SS_V4(p) (*(ss_v4*)(p))
#define SS_V4C(p) (*(const ss_v4*)(p))
#define SS_V4_ABS(a) ((ss_v4)((ss_v4i)(a) & LLONG_MAX))
#define SS_V4_SELECT(mask, a, b) ((ss_v4)(((mask) & (ss_v4i)(a)) | (~(mask) & (ss_v4i)(b))))
#define SS_V4_SUM(a) (((a)[0] + (a)[1]) + ((a)[2] + (a)[3]))  // of a variable

typedef double ss_v2 __attribute__((vector_size(16), aligned(8), may_alias));

#define SS_V2(p) (*(ss_v2*)(p))
#define SS_V2C(p) (*(const ss_v2*)(p))

/// x[j] = {a[j], b[j], c[j], d[j]}, j = 0 .. 3
SS_INLINE void ss_v4_columns(const double* a, const double* b, const double* c, const double* d, ss_v4* x)
{
  ss_v4 ab0 = __builtin_shufflevector(SS_V4C(a), SS_V4C(b), 0, 4, 2, 6);
  ss_v4 ab1 = __builtin_shufflevector(SS_V4C(a), SS_V4C(b), 1, 5, 3, 7);
  ss_v4 cd0 = __builtin_shufflevector(SS_V4C(c), SS_V4C(d), 0, 4, 2, 6);
  ss_v4 cd1 = __builtin_shufflevector(SS_V4C(c), SS_V4C(d), 1, 5, 3, 7);
  x[0] = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  x[2] = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  x[3] = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

/// ... j = 0, 1
SS_INLINE void ss_v4_two_columns(const double* a, const double* b, const double* c, const double* d, ss_v4* x)
{
  ss_v4 ac = __builtin_shufflevector(SS_V2C(a), SS_V2C(c), 0, 1, 2, 3);
  ss_v4 bd = __builtin_shufflevector(SS_V2C(b), SS_V2C(d), 0, 1, 2, 3);
  x[0] = __builtin_shufflevector(ac, bd, 0, 4, 2, 6);
  x[1] = __builtin_shufflevector(ac, bd, 1, 5, 3, 7);
}

/// a . b, to be compiled into a function that has SS_CLONES
SS_INLINE double ss_v4_dot(int n, const double* a, const double* b)
{
  ss_v4 s = {0}, t = {0};
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    s += SS_V4C(a + i)*SS_V4C(b + i);
    t += SS_V4C(a + i + 4)*SS_V4C(b + i + 4);
  }
  if (i + 4 <= n) {
    s += SS_V4C(a + i)*SS_V4C(b + i);
    i += 4;
  }
  s += t;
  double sum = SS_V4_SUM(s);
  for (; i < n; i++) sum += a[i]*b[i];
  return sum;
}

/// y += f x, likewise
SS_INLINE void ss_v4_axpy(int n, double f, const double* x, double* y)
{
  int i = 0;
  for (; i + 4 <= n; i += 4) SS_V4(y + i) += f*SS_V4C(x + i);
  for (; i < n; i++) y[i] += f*x[i];
}

/// sum[r] = row r of A (stride apart) . x for four rows: x is loaded once for all of them
SS_INLINE void ss_v4_dot4(int n, const double* A, int stride, const double* x, double sum[4])
{
  const double *a0 = A, *a1 = A + stride, *a2 = a1 + stride, *a3 = a2 + stride;
  ss_v4 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    ss_v4 v = SS_V4C(x + j);
    s0 += SS_V4C(a0 + j)*v;
    s1 += SS_V4C(a1 + j)*v;
    s2 += SS_V4C(a2 + j)*v;
    s3 += SS_V4C(a3 + j)*v;
  }
  double y0 = SS_V4_SUM(s0), y1 = SS_V4_SUM(s1), y2 = SS_V4_SUM(s2), y3 = SS_V4_SUM(s3);
  for (; j < n; j++) {
    y0 += a0[j]*x[j];
    y1 += a1[j]*x[j];
    y2 += a2[j]*x[j];
    y3 += a3[j]*x[j];
  }
  sum[0] = y0;
  sum[1] = y1;
  sum[2] = y2;
  sum[3] = y3;
}

/// y -= f[0] row 0 of A + ... + f[3] row 3 (stride apart)
SS_INLINE void ss_v4_minus4(int n, const double* f, const double* A, int stride, double* y)
{
  const double *a0 = A, *a1 = A + stride, *a2 = a1 + stride, *a3 = a2 + stride;
  double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
  int j = 0;
  for (; j + 4 <= n; j += 4)
    SS_V4(y + j) -= (f0*SS_V4C(a0 + j) + f1*SS_V4C(a1 + j)) + (f2*SS_V4C(a2 + j) + f3*SS_V4C(a3 + j));
  for (; j < n; j++) y[j] -= (f0*a0[j] + f1*a1[j]) + (f2*a2[j] + f3*a3[j]);
}

#endif
