// Memory that grows by blocks and is freed at once: for trees and names of unknown number.
#ifndef SS_IO_MJCF_POOL_H
#define SS_IO_MJCF_POOL_H

#include <stddef.h>

/// Zero-initialised is empty.
typedef struct ss_pool {
  struct ss_pool_block* block;
  size_t used, size;
} ss_pool;

void* ss_pool_take(ss_pool* pool, size_t bytes);                              ///< cleared; NULL if memory is short
char* ss_pool_copy(ss_pool* pool, const char* text, size_t length);           ///< with a NUL behind it; NULL likewise
void ss_pool_free(ss_pool* pool);

#endif
