// Sets that are joined, against a plain list of which number belongs to which: random joins, as arrays and as fields of
// structs.
#include "base/sets.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { N = 60 };

typedef struct item {
  double other;
  int up;
} item;

static void test_random_joins(void** state)
{
  (void)state;
  int up[N], set[N];
  item list[N];
  unsigned seed = 1;
  ss_sets_apart(up, N);
  for (int i = 0; i < N; i++) {
    set[i] = i;
    list[i].up = i;
  }
  for (int k = 0; k < N; k++) {
    int pair[2];
    for (int j = 0; j < 2; j++) pair[j] = (int)((seed = seed*1664525u + 1013904223u) >> 16)%N;
    int stays = ss_set_root(up, pair[1]), from = set[pair[0]], to = set[pair[1]];
    ss_sets_join(up, pair[0], pair[1]);
    assert_int_equal(ss_set_root(up, pair[0]), stays);
    list[ss_set_root_in(&list->up, sizeof *list, pair[0])].up = ss_set_root_in(&list->up, sizeof *list, pair[1]);
    for (int i = 0; i < N; i++) if (set[i] == from) set[i] = to;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < i; j++) {
        assert_int_equal(ss_set_root(up, i) == ss_set_root(up, j), set[i] == set[j]);
        assert_int_equal(ss_set_root_in(&list->up, sizeof *list, i), ss_set_root(up, i));
      }
  }
}

// A chain of a million is walked without recursion, and is short afterwards
static void test_long_chains(void** state)
{
  (void)state;
  enum { LONG = 1000000 };
  int* up = malloc(sizeof *up*LONG);
  assert_non_null(up);
  for (int i = 0; i < LONG; i++) up[i] = i ? i - 1 : 0;
  for (int walk = 0; walk < 25; walk++) assert_int_equal(ss_set_root(up, LONG - 1), 0);
  assert_int_equal(up[LONG - 1], 0);
  free(up);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_random_joins),
    cmocka_unit_test(test_long_chains),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
