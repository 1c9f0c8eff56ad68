// Cycles in events: made by hand with a known period, drift and irregularity.
#include <stickslip/record.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { EVENTS_MAX = 1000, NV = 2 };
static ss_event event[EVENTS_MAX];
static double q[EVENTS_MAX*NV];
static long n;

static void add(double t, int contact, ss_event_kind kind, double loss)
{
  event[n] = (ss_event){.t = t, .contact = contact, .kind = kind, .energy_before = 5, .energy_after = 5 - loss};
  q[NV*n] = -0.02*t;  // comes down by 20 mm per second
  q[NV*n + 1] = sin(t);
  n++;
}

static int by_time(const void* a, const void* b)
{
  const ss_event *x = a, *y = b;
  return (x->t > y->t) - (x->t < y->t);
}

// Sorts the events, and the coordinates with them
static bool find(double from, double to, int contact, ss_event_kind kind, ss_cycle* c)
{
  qsort(event, (size_t)n, sizeof *event, by_time);
  for (long i = 0; i < n; i++) { q[NV*i] = -0.02*event[i].t; q[NV*i + 1] = sin(event[i].t); }
  return ss_cycle_find(event, n, q, NV, from, to, contact, kind, c);
}

// A number in -1..1, the same in every run
static double jitter(void) { return 2.0*rand()/RAND_MAX - 1; }

static int begin(void** state)
{
  (void)state;
  n = 0;
  srand(1);
  return 0;
}

static void test_exact(void** state)
{
  (void)state;
  double drift[NV];
  ss_cycle c = {.drift = drift};
  for (int i = 0; i < 11; i++) add(0.1 + 0.25*i, 1, SS_EVENT_IMPACT, 1);
  assert_true(find(0, 100, -1, SS_EVENT_IMPACT, &c));
  assert_int_equal(c.contact, 1);
  assert_int_equal(c.kind, SS_EVENT_IMPACT);
  assert_int_equal(c.n, 10);
  assert_int_equal(c.first, 9);
  assert_int_equal(c.last, 10);
  assert_float_equal(c.period, 0.25, 1e-14);
  assert_float_equal(c.spread, 0, 1e-14);
  assert_float_equal(drift[0], -0.005, 1e-15);
  assert_float_equal(drift[1], (sin(2.6) - sin(0.1))/10, 1e-15);
}

// Only what lies in the window counts, ends included; the transient before it is irregular
static void test_window(void** state)
{
  (void)state;
  ss_cycle c = {0};
  for (int i = 0; i < 20; i++) add(0.05*i + 0.02*jitter(), 0, SS_EVENT_STICK, 0);
  for (int i = 0; i < 6; i++) add(2 + i, 0, SS_EVENT_STICK, 0);
  assert_false(find(0, 100, -1, SS_EVENT_IMPACT, &c));
  assert_true(find(2, 6, -1, SS_EVENT_IMPACT, &c));
  assert_int_equal(c.n, 4);
  assert_float_equal(c.period, 1, 1e-14);
  assert_int_equal(c.last, 24);
  assert_false(find(50, 60, -1, SS_EVENT_IMPACT, &c));
  assert_false(find(6, 2, -1, SS_EVENT_IMPACT, &c));
}

static void test_too_few(void** state)
{
  (void)state;
  ss_cycle c = {.contact = 77};
  assert_false(find(0, 100, -1, SS_EVENT_IMPACT, &c));
  for (int i = 0; i < 3; i++) add(i, 0, SS_EVENT_IMPACT, 1);
  assert_false(find(0, 100, -1, SS_EVENT_IMPACT, &c));
  assert_int_equal(c.contact, 77);  // untouched
  add(3, 0, SS_EVENT_IMPACT, 1);
  assert_true(find(0, 100, -1, SS_EVENT_IMPACT, &c));
  assert_int_equal(c.n, 3);
}

// The spread is the largest deviation of one interval: up to 2 % of the period is a cycle
static void test_jitter(void** state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    double late = k ? 0.021 : 0.019;
    ss_cycle c = {0};
    n = 0;
    for (int i = 0; i < 10; i++) add(i + (i == 5 ? late : 0), 0, SS_EVENT_IMPACT, 1);
    assert_int_equal(find(0, 100, -1, SS_EVENT_IMPACT, &c), k == 0);
    if (k == 0) assert_float_equal(c.spread, 0.019, 1e-12);
    if (k == 0) assert_float_equal(c.period, 1, 1e-12);
  }
}

// Of several kinds of event the most regular one is chosen, whatever it loses
static void test_most_regular(void** state)
{
  (void)state;
  ss_cycle c = {0};
  for (int i = 0; i < 30; i++) {
    add(i + 0.008*jitter(), 0, SS_EVENT_IMPACT, 3);
    add(i + 0.3 + 0.001*jitter(), 1, SS_EVENT_DETACH, 0);
    add(i + 0.4, 2, SS_EVENT_IMPACT, 1);
    add(i + 0.5 + 0.3*jitter(), 2, SS_EVENT_SLIP, 9);
  }
  assert_true(find(0, 100, -1, SS_EVENT_IMPACT, &c));
  assert_int_equal(c.contact, 2);
  assert_int_equal(c.kind, SS_EVENT_IMPACT);
  assert_int_equal(c.n, 29);
  assert_true(find(0, 100, 1, SS_EVENT_DETACH, &c));  // asked for by name
  assert_int_equal(c.contact, 1);
  assert_true(c.spread > 0 && c.spread < 0.004);
  assert_false(find(0, 100, 2, SS_EVENT_SLIP, &c));
  assert_false(find(0, 100, 7, SS_EVENT_SLIP, &c));
}

// Regular alike (time steps make for as much): the one that loses most energy; if that is the same, the first
static void test_ties(void** state)
{
  (void)state;
  ss_cycle c = {0};
  for (int i = 0; i < 10; i++) {
    add(i + 0.0005*jitter(), 0, SS_EVENT_IMPACT, 1);
    add(i + 0.2 + 0.0005*jitter(), 1, SS_EVENT_IMPACT, 2);
    add(i + 0.4, 2, SS_EVENT_DETACH, 0);
    add(i + 0.6 + 0.0005*jitter(), 3, SS_EVENT_IMPACT, 2);
  }
  assert_true(find(0, 100, -1, SS_EVENT_IMPACT, &c));
  assert_int_equal(c.contact, 1);
}

// Every second interval is longer: not a cycle of the mean interval. What comes once in two marks the true one.
static void test_period_two(void** state)
{
  (void)state;
  ss_cycle c = {0};
  for (int i = 0; i < 20; i++) add(i + (i%2 ? 0.03 : 0), 0, SS_EVENT_IMPACT, 1);
  assert_false(find(0, 100, -1, SS_EVENT_IMPACT, &c));
  for (int i = 0; i < 10; i++) add(2*i + 0.5, 0, SS_EVENT_STICK, 0);
  assert_true(find(0, 100, -1, SS_EVENT_IMPACT, &c));
  assert_int_equal(c.kind, SS_EVENT_STICK);
  assert_float_equal(c.period, 2, 1e-12);
  n = 0;
  for (int i = 0; i < 20; i++) add(i + (i%2 ? 0.005 : 0), 0, SS_EVENT_IMPACT, 1);  // within tolerance
  assert_true(find(0, 100, -1, SS_EVENT_IMPACT, &c));
  assert_float_equal(c.period, 1, 1e-3);
}

// All at once: no period
static void test_no_time_between(void** state)
{
  (void)state;
  ss_cycle c = {0};
  for (int i = 0; i < 10; i++) add(1, 0, SS_EVENT_IMPACT, 1);
  assert_false(find(0, 100, -1, SS_EVENT_IMPACT, &c));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(test_exact, begin),        cmocka_unit_test_setup(test_window, begin),
    cmocka_unit_test_setup(test_too_few, begin),      cmocka_unit_test_setup(test_jitter, begin),
    cmocka_unit_test_setup(test_most_regular, begin), cmocka_unit_test_setup(test_ties, begin),
    cmocka_unit_test_setup(test_period_two, begin),   cmocka_unit_test_setup(test_no_time_between, begin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
