// Memory that grows by blocks and is freed at once.
#include "io/mjcf_pool.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 15, ALIGN = 16 };

struct ss_pool_block {
  struct ss_pool_block* next;
  _Alignas(ALIGN) char data[];
};

void* ss_pool_take(ss_pool* pool, size_t bytes)
{
  if (bytes > (size_t)1 << 40) return NULL;
  bytes = (bytes + ALIGN - 1)/ALIGN*ALIGN;
  if (pool->size - pool->used < bytes) {
    size_t size = bytes > BLOCK ? bytes : BLOCK;
    struct ss_pool_block* block = malloc(sizeof *block + size);
    if (!block) return NULL;
    block->next = pool->block;
    pool->block = block;
    pool->size = size;
    pool->used = 0;
  }
  void* p = pool->block ? pool->block->data + pool->used : NULL;
  pool->used += bytes;
  return p ? memset(p, 0, bytes) : NULL;
}

char* ss_pool_copy(ss_pool* pool, const char* text, size_t length)
{
  char* copy = ss_pool_take(pool, length + 1);
  if (copy && length) memcpy(copy, text, length);
  return copy;
}

void ss_pool_free(ss_pool* pool)
{
  while (pool->block) {
    struct ss_pool_block* next = pool->block->next;
    free(pool->block);
    pool->block = next;
  }
  *pool = (ss_pool){0};
}
