// What keeps Lemke's path on its way: the rule for ties, and new tableaus where digits are lost. `attempts = 1` is the
// method alone, without the other covering vectors and the bases that would hide a failure.
#define FAMILY_MAX 180
#include "families.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stickslip/lcp.h>
#include <cmocka.h>

enum { MAX = FAMILY_MAX };

static double A[MAX*MAX], b[MAX], x[MAX], y[MAX];

static ss_status solve(int n, int attempts, ss_lcp_solution* s)
{
  ss_lcp lcp = {.n = n, .A = A, .b = b};
  ss_lcp_def def = ss_lcp_def_default();
  def.attempts = attempts;
  *s = (ss_lcp_solution){.x = x, .y = y};
  ss_arena* arena = ss_arena_create(ss_lcp_lemke_size(n));
  ss_status status = ss_lcp_lemke(&lcp, &def, arena, s);
  assert_true(status != SS_OK || ss_lcp_residual(&lcp, x) <= 1e-10);
  ss_arena_destroy(arena);
  return status;
}

// Rows 1, 2 and 0 turned round: with b = -1 all rows tie at every step, and choosing among them by their number goes
// round in circles [Kostreva 1979]. Blocks of it, coupled by nothing, tie among each other as well.
static void test_ties(void** state)
{
  (void)state;
  for (int blocks = 1; blocks <= 20; blocks++) {
    int n = 3*blocks;
    memset(A, 0, sizeof A);
    for (int i = 0; i < n; i++) {
      int first = i/3*3;
      A[i*n + i] = 1;
      A[i*n + first + (i + 1)%3] = 2;
      b[i] = -1;
    }
    ss_lcp_solution s;
    ss_status status = solve(n, 1, &s);
    if (status != SS_OK) fail_msg("%d blocks: %s after %d pivots", blocks, ss_status_text(status), s.iterations);
    for (int i = 0; i < n; i++) assert_true(fabs(x[i] - 1.0/3) < 1e-14);
    assert_true(s.iterations <= 4*n);
  }
}

// A = sum_l w_l B_l B_l^T with weights over `decades`: positive definite, so that there is one solution and no ray
static void make_ill_conditioned(int n, double decades, uint64_t* seed)
{
  static double B[MAX*MAX];
  fill_uniform(n*n, B, seed);
  fill_uniform(n, b, seed);
  for (int l = 0; l < n; l++)
    for (int i = 0; i < n; i++) B[i*n + l] *= pow(10, -0.5*decades*l/n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int l = 0; l < n; l++) sum += B[i*n + l]*B[j*n + l];
      A[i*n + j] = A[j*n + i] = sum;
    }
}

// A tableau that is only updated ends on rays that are none in 15 of these 40, one that is made anew there in very few
static void test_lost_digits(void** state)
{
  (void)state;
  uint64_t seed = 7;
  int failed = 0;
  for (int c = 0; c < 40; c++) {
    ss_lcp_solution s;
    make_ill_conditioned(96, 10, &seed);
    failed += solve(96, 1, &s) != SS_OK;
  }
  print_message("%d of 40 unsolved by one covering vector\n", failed);
  assert_true(failed <= 4);
}

// With all covering vectors every one is solved; without new tableaus some are not
static void test_ill_conditioned(void** state)
{
  (void)state;
  for (double decades = 8; decades <= 12; decades += 2) {
    uint64_t seed = 7;
    for (int c = 0; c < 30; c++) {
      ss_lcp_solution s;
      make_ill_conditioned(MAX, decades, &seed);
      ss_status status = solve(MAX, 16, &s);
      if (status != SS_OK) fail_msg("condition 1e%g, problem %d: %s", decades, c, ss_status_text(status));
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ties),
    cmocka_unit_test(test_lost_digits),
    cmocka_unit_test(test_ill_conditioned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
