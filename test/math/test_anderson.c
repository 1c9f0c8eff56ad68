// Anderson's acceleration: linear repetitions end after as many rounds as there are numbers, and those that
// diverge do too.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/anderson.h"

// x <- c + A x, A with the eigenvalues e, 0.5 and -0.3 in a turned basis
static void repeat(double e, const double* x, double* g)
{
  double s = (x[0] + x[1])/2, d = (x[0] - x[1])/2;
  g[0] = 1 + e*s + 0.5*d;
  g[1] = 2 + e*s - 0.5*d;
  g[2] = 3 - 0.3*x[2];
}

static double rounds_until(double e, bool accelerated, int rounds)
{
  double memory[3*(2 + 3*SS_ANDERSON_DEPTH)], x[3] = {0}, g[3], off = 0;
  ss_anderson a;
  assert_true(ss_anderson_doubles(3) <= (int)(sizeof memory/sizeof *memory));
  ss_anderson_place(&a, 3, memory);
  for (int k = 0; k < rounds; k++) {
    repeat(e, x, g);
    if (accelerated) ss_anderson_next(&a, g, x);
    else for (int i = 0; i < 3; i++) x[i] = g[i];
  }
  repeat(e, x, g);
  for (int i = 0; i < 3; i++) off = fmax(off, fabs(g[i] - x[i]));
  return off;
}

static void test_linear(void** state)
{
  (void)state;
  assert_true(rounds_until(0.9, false, 5) > 0.1);
  assert_true(rounds_until(0.9, true, 5) < 1e-12);
  assert_true(rounds_until(-3, true, 5) < 1e-12);  // which diverges by itself
  assert_true(rounds_until(0.9, true, 20) < 1e-12);  // and stays where it is
}

// Without a memory it is the repetition itself
static void test_first_round(void** state)
{
  (void)state;
  double memory[3*(2 + 3*SS_ANDERSON_DEPTH)], x[3] = {1, 2, 3};
  const double g[3] = {4, 5, 6};
  ss_anderson a;
  ss_anderson_place(&a, 3, memory);
  ss_anderson_next(&a, g, x);
  for (int i = 0; i < 3; i++) assert_true(x[i] == g[i]);
  ss_anderson_next(&a, (const double[]){4.5, 5, 6}, x);
  ss_anderson_forget(&a);
  ss_anderson_next(&a, g, x);
  for (int i = 0; i < 3; i++) assert_true(x[i] == g[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_linear), cmocka_unit_test(test_first_round)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
