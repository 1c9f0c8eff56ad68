// Small symmetric problems take a way of their own in `auto`: it finds what Lemke's method finds, and leaves alone what
// it cannot answer.
#include "families.h"
#include "solve/lcp_solvers.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MAX = SS_LCP_SMALL };

static double A[MAX*MAX], b[MAX], x[MAX], y[MAX], other[MAX];

// A positive definite A has one solution
static void test_agrees_with_lemke(void** state)
{
  (void)state;
  uint64_t seed = 3;
  ss_arena* arena = ss_arena_create(ss_lcp_solve_size(MAX));
  ss_lcp_def def = ss_lcp_def_default();
  int answered = 0, asked = 0;
  for (int n = 1; n <= MAX; n++)
    for (int c = 0; c < 100; c++) {
      make_spd(n, &seed, A, b);
      b[c%n] = -1;
      bool basis[MAX];
      ss_lcp lcp = {.n = n, .A = A, .b = b};
      ss_lcp_solution s = {.x = x, .y = y, .basis = basis}, lemke = {.x = other, .y = y};
      asked++;
      if (!ss_lcp_small(&lcp, &def, &s)) continue;
      answered++;
      assert_true(ss_lcp_residual(&lcp, x) == s.residual && s.residual < 1e-14);
      assert_int_equal(ss_lcp_lemke(&lcp, &def, arena, &lemke), SS_OK);
      for (int i = 0; i < n; i++) {
        assert_true(fabs(x[i] - other[i]) <= 1e-9*(1 + fabs(other[i])));
        assert_true(basis[i] || x[i] == 0);
      }
    }
  assert_true(answered >= 0.98*asked);
  ss_arena_destroy(arena);
}

static void expect_no_answer(int n, const char* what)
{
  bool basis[MAX] = {true};
  ss_lcp lcp = {.n = n, .A = A, .b = b};
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solution s = {.x = x, .y = y, .basis = basis, .residual = 7, .iterations = 8};
  x[0] = 9;
  if (ss_lcp_small(&lcp, &def, &s)) fail_msg("%s: answered", what);
  assert_true(x[0] == 9 && s.residual == 7 && s.iterations == 8 && basis[0]);
}

static void test_leaves_alone(void** state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY};
  memcpy(A, (double[]){1, -1, -1, 1}, 4*sizeof *A);
  memcpy(b, (double[]){-1, -1}, 2*sizeof *b);
  expect_no_answer(2, "singular, no solution");
  memcpy(A, (double[]){1, -2, -2, 1}, 4*sizeof *A);
  expect_no_answer(2, "indefinite");
  memcpy(A, (double[]){1, 2, 0, 1}, 4*sizeof *A);
  expect_no_answer(2, "not symmetric");
  memcpy(A, (double[]){1, 0, 0, 0}, 4*sizeof *A);
  expect_no_answer(2, "zero on the diagonal");
  for (int k = 0; k < 2; k++) {
    memcpy(A, (double[]){1, bad[k], bad[k], 1}, 4*sizeof *A);
    expect_no_answer(2, "not finite");
    memcpy(A, (double[]){1, 0, 0, bad[k]}, 4*sizeof *A);
    b[1] = 1;
    expect_no_answer(2, "not finite, and not in the basis");
    memcpy(A, (double[]){1, 0, 0, 1}, 4*sizeof *A);
    b[1] = bad[k];
    expect_no_answer(2, "b is not finite");
    b[1] = -1;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees_with_lemke), cmocka_unit_test(test_leaves_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
