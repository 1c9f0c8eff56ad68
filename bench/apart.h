// Measures in a process of its own, which may print, exit, crash or hang: what it has found until then lies in shared
// memory. For libraries that decide to die.
#ifndef BENCH_APART_H
#define BENCH_APART_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE  // MAP_ANONYMOUS
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// Seconds on a clock that never goes back
static inline double seconds_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

/// Processor time of this thread, seconds: what else the machine does counts little. Both sides compute in one thread.
static inline double cpu_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static inline int ascending(const void* p, const void* q)
{
  double u = *(const double*)p, v = *(const double*)q;
  return (u > v) - (u < v);
}

static inline double median_of(double* values, int n)
{
  qsort(values, (size_t)n, sizeof *values, ascending);
  return values[n/2];
}

/// Zeroed memory that a child's writes reach
static inline void* shared_memory(size_t bytes)
{
  void* p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

/// Runs work(user) in a child whose output is dropped, for at most `limit` seconds. True if it came to its end.
static inline bool run_apart(void (*work)(void*), void* user, double limit)
{
  fflush(NULL);
  pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    work(user);
    _exit(0);
  }
  int status = -1;
  double end = seconds_now() + limit;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (seconds_now() > end) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return false;
    }
    nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif
