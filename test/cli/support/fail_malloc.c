// For tests, preloaded: of the allocations from main() on, number SS_FAIL_AT fails (from 1 on). Those made by a library
// whose name holds one of SS_FAIL_NOT (a,b) are not counted. At the end the file SS_FAIL_COUNT gets how many there
// were, then a line for each caller that has left blocks: their number, its library and where it stands there. A child
// that is forked goes on counting for itself.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t n, size_t size);
extern void* __libc_realloc(void* old, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void* block);

static atomic_long count;
static long fail_at;
static const char* not_of;
static int started;
static int (*program)(int, char**, char**);

// ---- blocks that live: a table by their address ----

enum { LIVE = 1 << 18 };
typedef struct live_block {
  void* block;  // NULL: free; the table's own address: it was taken once
  const void* caller;
} live_block;

static live_block live[LIVE];
static atomic_flag busy = ATOMIC_FLAG_INIT;

static size_t place_of(const void* block) { return (size_t)((uintptr_t)block/16*0x9e3779b97f4a7c15u >> 46); }

static void* note(void* block, const void* caller)
{
  if (!started || !block) return block;
  while (atomic_flag_test_and_set(&busy)) {}
  size_t i = place_of(block), tries = 0;
  while (live[i].block && live[i].block != live && tries++ < LIVE) i = (i + 1)%LIVE;
  if (tries >= LIVE) abort();
  live[i] = (live_block){block, caller};
  atomic_flag_clear(&busy);
  return block;
}

static void forget(const void* block)
{
  if (!started || !block) return;
  while (atomic_flag_test_and_set(&busy)) {}
  size_t i = place_of(block), tries = 0;
  while (live[i].block && live[i].block != block && tries++ < LIVE) i = (i + 1)%LIVE;
  if (live[i].block == block) live[i] = (live_block){live, NULL};
  atomic_flag_clear(&busy);
}

// ---- allocations ----

static int is_spared(const void* caller)
{
  Dl_info info;
  if (!not_of || !dladdr(caller, &info) || !info.dli_fname) return 0;
  for (const char* name = not_of; name; name = strchr(name, ','), name += name != NULL) {
    char one[64];
    snprintf(one, sizeof one, "%.*s", (int)strcspn(name, ","), name);
    if (strstr(info.dli_fname, one)) return 1;
  }
  return 0;
}

static int fails(const void* caller)
{
  if (!started || is_spared(caller)) return 0;
  if (atomic_fetch_add(&count, 1) + 1 != fail_at) return 0;
  errno = ENOMEM;
  return 1;
}

#define CALLER __builtin_return_address(0)

void* malloc(size_t size) { return fails(CALLER) ? NULL : note(__libc_malloc(size), CALLER); }
void* calloc(size_t n, size_t size) { return fails(CALLER) ? NULL : note(__libc_calloc(n, size), CALLER); }
void* aligned_alloc(size_t at, size_t size) { return fails(CALLER) ? NULL : note(__libc_memalign(at, size), CALLER); }

void* realloc(void* old, size_t size)
{
  if (fails(CALLER)) return NULL;
  forget(old);
  return note(__libc_realloc(old, size), CALLER);
}

int posix_memalign(void** block, size_t at, size_t size)
{
  *block = fails(CALLER) ? NULL : note(__libc_memalign(at, size), CALLER);
  return *block ? 0 : ENOMEM;
}

void free(void* block)
{
  forget(block);
  __libc_free(block);
}

// ---- the program ----

static int counted_main(int argc, char** argv, char** environment)
{
  const char* at = getenv("SS_FAIL_AT");
  fail_at = at ? atol(at) : 0;
  not_of = getenv("SS_FAIL_NOT");
  started = 1;
  return program(argc, argv, environment);
}

typedef int start_main(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void),
                       void*);

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*ld_fini)(void), void* stack)
{
  start_main* original;
  *(void**)&original = dlsym(RTLD_NEXT, "__libc_start_main");
  program = main;
  return original(counted_main, argc, argv, init, fini, ld_fini, stack);
}

static int by_caller(const void* a, const void* b)
{
  const live_block *x = a, *y = b;
  return (x->caller > y->caller) - (x->caller < y->caller);
}

static void tell_live(FILE* f)
{
  qsort(live, LIVE, sizeof *live, by_caller);
  for (size_t i = 0, n; i < LIVE; i += n) {
    Dl_info info = {0};
    for (n = 1; i + n < LIVE && live[i + n].caller == live[i].caller; n++) continue;
    if (!live[i].caller || !dladdr(live[i].caller, &info)) continue;
    fprintf(f, "%zu %s 0x%zx\n", n, info.dli_fname,
            (size_t)((const char*)live[i].caller - (const char*)info.dli_fbase));
  }
}

__attribute__((destructor)) static void tell(void)
{
  const char* path = getenv("SS_FAIL_COUNT");
  started = 0;
  FILE* f = path ? fopen(path, "w") : NULL;
  if (!f) return;
  fprintf(f, "%ld\n", atomic_load(&count));
  tell_live(f);
  fclose(f);
}
