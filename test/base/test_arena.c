// The arena: alignment, order, exact capacity, peak, sizes near overflow; one allocation for all.
// link: -Wl,--wrap=malloc
#include "base/arena.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static int mallocs;

void* __real_malloc(size_t bytes);
void* __wrap_malloc(size_t bytes);

void* __wrap_malloc(size_t bytes)
{
  mallocs++;
  return __real_malloc(bytes);
}

static void test_arrays_are_aligned_and_apart(void** state)
{
  (void)state;
  ss_arena* arena = ss_arena_create(ss_arena_bytes(1) + ss_arena_bytes(64) + ss_arena_bytes(65));
  char* a = ss_arena_take(arena, 1);
  char* b = ss_arena_take(arena, 64);
  char* c = ss_arena_take(arena, 65);
  assert_int_equal((uintptr_t)a%64, 0);
  assert_ptr_equal(b, a + 64);
  assert_ptr_equal(c, b + 64);
  memset(c, 1, 65);  // the last byte is ours: the sum of ss_arena_bytes() suffices
  assert_null(ss_arena_take(arena, 1));
  ss_arena_destroy(arena);
}

static void test_release_gives_back_in_order(void** state)
{
  (void)state;
  ss_arena* arena = ss_arena_create(1024);
  double* a = ss_arena_array(arena, double, 10);
  size_t mark = ss_arena_mark(arena);
  double* b = ss_arena_array(arena, double, 90);
  b[89] = 1;
  ss_arena_release(arena, mark);
  a[9] = 2;  // still ours
  assert_int_equal(ss_arena_mark(arena), mark);
  assert_ptr_equal(ss_arena_array(arena, double, 3), b);
  assert_int_equal(ss_arena_peak(arena), ss_arena_bytes(80) + ss_arena_bytes(720));
  ss_arena_release(arena, 0);
  assert_ptr_equal(ss_arena_take(arena, 1024), a);  // all of it again
  ss_arena_destroy(arena);
}

static void test_one_allocation(void** state)
{
  (void)state;
  int before = mallocs;
  ss_arena* arena = ss_arena_create(1 << 20);
  for (int i = 0; i < 1000; i++) {
    assert_non_null(ss_arena_take(arena, 1 << 19));
    ss_arena_release(arena, 0);
  }
  ss_arena_destroy(arena);
  assert_int_equal(mallocs - before, 1);
}

static void test_impossible_sizes(void** state)
{
  (void)state;
  assert_int_equal(ss_arena_bytes(SIZE_MAX), SIZE_MAX);
  for (size_t less = 0; less < 300; less++) assert_null(ss_arena_create(SIZE_MAX - less));
  ss_arena* arena = ss_arena_create(64);
  for (size_t less = 0; less < 300; less++) assert_null(ss_arena_take(arena, SIZE_MAX - less));
  volatile int negative = -1;  // volatile: the compiler must not see through it
  assert_null(ss_arena_array(arena, double, negative));
  assert_non_null(ss_arena_take(arena, 64));
  assert_non_null(ss_arena_take(arena, 0));  // nothing is always there
  assert_null(ss_arena_take(arena, 1));
  ss_arena_destroy(arena);
}

static void test_empty_arena(void** state)
{
  (void)state;
  ss_arena* arena = ss_arena_create(0);
  assert_non_null(arena);
  assert_null(ss_arena_take(arena, 1));
  assert_int_equal(ss_arena_peak(arena), 0);
  ss_arena_destroy(arena);
  ss_arena_destroy(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_arrays_are_aligned_and_apart),
    cmocka_unit_test(test_release_gives_back_in_order),
    cmocka_unit_test(test_one_allocation),
    cmocka_unit_test(test_impossible_sizes),
    cmocka_unit_test(test_empty_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
