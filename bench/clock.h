// Time, and the order of times, for benchmarks.
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <time.h>

static inline double seconds_of(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static inline double wall_seconds(void) { return seconds_of(CLOCK_MONOTONIC); }
static inline double cpu_seconds(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }  ///< of all threads

/// For qsort() of doubles.
static inline int ascending(const void* a, const void* b)
{
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

#endif
