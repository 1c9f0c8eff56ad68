// Counts every allocation of a program. The test that includes this starts with
//   // link: -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc
#ifndef TEST_COUNT_ALLOCATIONS_H
#define TEST_COUNT_ALLOCATIONS_H

#include <stddef.h>

static long calls;

void* __real_malloc(size_t n);
void* __real_calloc(size_t n, size_t size);
void* __real_realloc(void* p, size_t n);
void* __real_aligned_alloc(size_t align, size_t n);
void* __wrap_malloc(size_t n);
void* __wrap_calloc(size_t n, size_t size);
void* __wrap_realloc(void* p, size_t n);
void* __wrap_aligned_alloc(size_t align, size_t n);

void* __wrap_malloc(size_t n)
{
  calls++;
  return __real_malloc(n);
}

void* __wrap_calloc(size_t n, size_t size)
{
  calls++;
  return __real_calloc(n, size);
}

void* __wrap_realloc(void* p, size_t n)
{
  calls++;
  return __real_realloc(p, n);
}

void* __wrap_aligned_alloc(size_t align, size_t n)
{
  calls++;
  return __real_aligned_alloc(align, n);
}

#endif
