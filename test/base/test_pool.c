// Threads that share a loop: every item once, whatever the number of threads and of items, round after round.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdatomic.h>
#include <string.h>
#include <cmocka.h>
#include "base/pool.h"

enum { MOST = 200 };

typedef struct tally {
  atomic_int times[MOST];
  double value[MOST];
  int round;
} tally;

static void count(void* user, int i)
{
  tally* t = user;
  atomic_fetch_add(&t->times[i], 1);
  t->value[i] = i*1.5 + t->round;
}

static void test_every_item_once(void** state)
{
  (void)state;
  for (int threads = 1; threads <= 5; threads++) {
    ss_pool* pool = ss_pool_create(threads);
    assert_true(ss_pool_threads(pool) <= threads && (threads == 1) == (pool == NULL));
    static tally t;
    for (t.round = 0; t.round < 300; t.round++) {
      int n = t.round%7 == 0 ? t.round%3 : t.round%MOST;
      memset(t.times, 0, sizeof t.times);
      ss_pool_run(pool, n, count, &t);
      for (int i = 0; i < MOST; i++) assert_int_equal(atomic_load(&t.times[i]), i < n);
      for (int i = 0; i < n; i++) assert_true(t.value[i] == i*1.5 + t.round);
    }
    ss_pool_destroy(pool);
  }
  ss_pool_destroy(NULL);
}

// Items of the second kind find what they have waited for
typedef struct sums {
  atomic_bool done[MOST];
  long value[MOST], sum[MOST];
  int n;
} sums;

static void add_up(void* user, int i)
{
  sums* s = user;
  if (i < s->n) {
    s->value[i] = 3*i + 1;
    atomic_store(&s->done[i], true);
    return;
  }
  i -= s->n;
  for (int k = i; k < i + 2; k++) ss_pool_wait(&s->done[k]);
  s->sum[i] = s->value[i] + s->value[i + 1];
}

static void test_two_kinds(void** state)
{
  (void)state;
  static sums s;
  for (int threads = 1; threads <= 5; threads++) {
    ss_pool* pool = ss_pool_create(threads);
    for (int round = 0; round < 500; round++) {
      memset(&s, 0, sizeof s);
      s.n = 1 + round%20;
      ss_pool_run_two(pool, s.n, s.n - 1, add_up, &s);
      for (int i = 0; i < s.n - 1; i++) assert_int_equal(s.sum[i], 6*i + 5);
    }
    ss_pool_destroy(pool);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_item_once), cmocka_unit_test(test_two_kinds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
