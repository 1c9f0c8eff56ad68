// For tests, preloaded: allocation number SS_FAIL_AT of the process fails (from 1 on), and with SS_FAIL_ALL those after
// it, too. The number of allocations is written to the file SS_FAIL_COUNT at the end. A child that is forked goes on
// counting for itself.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t n, size_t size);
extern void* __libc_realloc(void* old, size_t size);

static atomic_long count;
static long fail_at;
static int fail_all, started;

static void start(void)
{
  started = 1;
  const char* at = getenv("SS_FAIL_AT");
  fail_at = at ? atol(at) : 0;
  fail_all = getenv("SS_FAIL_ALL") != NULL;
}

static int fails(void)
{
  if (!started) start();
  long n = atomic_fetch_add(&count, 1) + 1;
  if (!fail_at || (fail_all ? n < fail_at : n != fail_at)) return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void* calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void* realloc(void* old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }

__attribute__((destructor)) static void tell(void)
{
  const char* path = getenv("SS_FAIL_COUNT");
  FILE* f = path ? fopen(path, "w") : NULL;
  if (f) fprintf(f, "%ld\n", atomic_load(&count));
  if (f) fclose(f);
}
