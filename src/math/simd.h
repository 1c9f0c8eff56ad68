// Four doubles at a time, and functions compiled twice: for any x86-64 processor and for those with AVX2, chosen when
// the program starts. No reduction is reordered by the compiler and nothing is fused, so both give the same bits.
#ifndef SS_MATH_SIMD_H
#define SS_MATH_SIMD_H

#include <limits.h>  // any libc header: tells whether this is glibc, whose loader knows how to choose

#ifdef __has_feature
#define SS_HAS_FEATURE(x) __has_feature(x)
#else
#define SS_HAS_FEATURE(x) 0
#endif

// SS_CLONES stands before a definition; a function that a header declares for use elsewhere calls a static one that has
// it, because compilers differ on what a declaration without it means.
// The choice runs before a sanitizer is ready, so sanitized builds do without.
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(SS_NO_CLONES) && !defined(__SANITIZE_ADDRESS__) && \
  !defined(__SANITIZE_THREAD__) && !SS_HAS_FEATURE(address_sanitizer) && !SS_HAS_FEATURE(thread_sanitizer) && \
  !SS_HAS_FEATURE(memory_sanitizer) && !SS_HAS_FEATURE(coverage_sanitizer)
#define SS_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define SS_CLONES
#endif

#define SS_INLINE static inline __attribute__((always_inline))

/// Four doubles at any address that a double may have. Never passed by value: the ABI of that depends on the processor.
typedef double ss_v4 __attribute__((vector_size(32), aligned(8), may_alias));

#define SS_V4(p) (*(ss_v4*)(p))
#define SS_V4C(p) (*(const ss_v4*)(p))

#endif
