// The arena: one block of memory, header first, used as a stack.
//   | ss_arena | up to 63 bytes | data: 64-byte aligned, capacity bytes |
#include "base/arena.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Under the address sanitizer, memory that is not taken cannot be touched, and what is taken is full of NaN: whoever
// reads a number before it is written is found out.
#if defined(__SANITIZE_ADDRESS__)
#define SS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SS_ASAN 1
#endif
#endif
#ifdef SS_ASAN
#include <sanitizer/asan_interface.h>
#define forbid(p, bytes) ASAN_POISON_MEMORY_REGION((p), (bytes))
#define allow(p, bytes) (ASAN_UNPOISON_MEMORY_REGION((p), (bytes)), (void)memset((p), 0xff, (bytes)))
#else
#define forbid(p, bytes) ((void)0)
#define allow(p, bytes) ((void)0)
#endif

struct ss_arena {
  char* data;
  size_t capacity, used, peak;  // bytes; used and capacity are multiples of SS_ARENA_ALIGN
};

ss_arena* ss_arena_create(size_t bytes)
{
  size_t capacity = ss_arena_bytes(bytes);
  if (capacity > SIZE_MAX - sizeof(ss_arena) - SS_ARENA_ALIGN) return NULL;
  ss_arena* arena = malloc(sizeof(ss_arena) + SS_ARENA_ALIGN + capacity);
  if (!arena) return NULL;
  uintptr_t end = (uintptr_t)(arena + 1);
  *arena = (ss_arena){.data = (char*)(arena + 1) + (SS_ARENA_ALIGN - end%SS_ARENA_ALIGN), .capacity = capacity};
  forbid(arena->data, capacity);
  return arena;
}

void ss_arena_destroy(ss_arena* arena) { free(arena); }

size_t ss_arena_mark(const ss_arena* arena) { return arena->used; }

size_t ss_arena_peak(const ss_arena* arena) { return arena->peak; }

void ss_arena_release(ss_arena* arena, size_t mark)
{
  assert(mark <= arena->used);  // in order: a mark is never above what is in use
  forbid(arena->data + mark, arena->used - mark);
  arena->used = mark;
}

void* ss_arena_take(ss_arena* arena, size_t bytes)
{
  size_t rounded = ss_arena_bytes(bytes);
  if (rounded > arena->capacity - arena->used) return NULL;
  char* p = arena->data + arena->used;
  allow(p, bytes);
  arena->used += rounded;
  if (arena->used > arena->peak) arena->peak = arena->used;
  return p;
}
