// Sets of numbers that are joined, as trees: up[i] leads from i towards the number that stands for its set, which leads
// to itself. A way that was gone is half as long the next time.
#ifndef SS_BASE_SETS_H
#define SS_BASE_SETS_H

#include <stddef.h>

/// The number that stands for the set of i; up: fields of structs, `stride` bytes apart.
static inline int ss_set_root_in(void* up, size_t stride, int i)
{
  char* first = up;
  for (;;) {
    int* next = (int*)(first + (size_t)i*stride);
    if (*next == i) return i;
    i = *next = *(int*)(first + (size_t)*next*stride);
  }
}

static inline int ss_set_root(int* up, int i) { return ss_set_root_in(up, sizeof *up, i); }

/// Each of n numbers by itself.
static inline void ss_sets_apart(int* up, int n)
{
  for (int i = 0; i < n; i++) up[i] = i;
}

/// The sets of i and j become one, for which stands what stood for that of j.
static inline void ss_sets_join(int* up, int i, int j) { up[ss_set_root(up, i)] = ss_set_root(up, j); }

#endif
