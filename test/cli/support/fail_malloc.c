// For tests, preloaded: of the allocations from main() on, number SS_FAIL_AT fails (from 1 on). Those made by a library
// whose name holds one of SS_FAIL_NOT (a,b) are not counted. How many there were is written to the file SS_FAIL_COUNT at the end. A
// child that is forked goes on counting for itself.
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
static const char* not_of;
static int started;
static int (*program)(int, char**, char**);

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

void* malloc(size_t size) { return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void* calloc(size_t n, size_t size) { return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size); }
void* realloc(void* old, size_t size) { return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size); }

static int counted_main(int argc, char** argv, char** environment)
{
  const char* at = getenv("SS_FAIL_AT");
  fail_at = at ? atol(at) : 0;
  not_of = getenv("SS_FAIL_NOT");
  started = 1;
  return program(argc, argv, environment);
}

typedef int start_main(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*);

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void), void (*fini)(void),
                      void (*ld_fini)(void), void* stack)
{
  start_main* original;
  *(void**)&original = dlsym(RTLD_NEXT, "__libc_start_main");
  program = main;
  return original(counted_main, argc, argv, init, fini, ld_fini, stack);
}

__attribute__((destructor)) static void tell(void)
{
  const char* path = getenv("SS_FAIL_COUNT");
  started = 0;
  FILE* f = path ? fopen(path, "w") : NULL;
  if (f) fprintf(f, "%ld\n", atomic_load(&count));
  if (f) fclose(f);
}
