// What an arena needs, for the ..._size() functions that tell how large it must be.
#ifndef SS_BASE_ARENA_H
#define SS_BASE_ARENA_H

#include <stickslip/base.h>
#include <stdint.h>

/// Every array of an arena starts on a boundary of so many bytes (a cache line).
#define SS_ARENA_ALIGN ((size_t)64)

/// Bytes of arena that ss_arena_take(arena, bytes) uses: a sum of these is a sufficient size. SIZE_MAX if too large.
static inline size_t ss_arena_bytes(size_t bytes)
{
  if (bytes > SIZE_MAX - SS_ARENA_ALIGN) return SIZE_MAX;
  return (bytes + SS_ARENA_ALIGN - 1)/SS_ARENA_ALIGN*SS_ARENA_ALIGN;
}

#endif
