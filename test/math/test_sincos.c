// Sine and cosine against long double.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "math/sincos.h"
#include "matrices.h"

static void compare(double x, double s, double c)
{
  long double S = sinl((long double)x), C = cosl((long double)x);
  double ulp_s = nextafter(fabs((double)S), 2) - fabs((double)S);
  double ulp_c = nextafter(fabs((double)C), 2) - fabs((double)C);
  if (!(fabsl(s - S) <= 1.5L*ulp_s)) fail_msg("sin %.17g = %.17g, off by %Lg ulp", x, s, (s - S)/ulp_s);
  if (!(fabsl(c - C) <= 1.5L*ulp_c)) fail_msg("cos %.17g = %.17g, off by %Lg ulp", x, c, (c - C)/ulp_c);
}

static void test_values(void** state)
{
  (void)state;
  uint64_t seed = 3;
  double x[1004], s[1004], c[1004];
  for (int scale = -8; scale <= 5; scale++) {
    for (int i = 0; i < 1001; i++) x[i] = pow(10, scale)*uniform(&seed);
    ss_sincos(1001, x, s, c);
    for (int i = 0; i < 1001; i++) compare(x[i], s[i], c[i]);
  }
  for (int i = 0; i < 1000; i++) x[i] = 0.785398163397448309616*(i - 500);  // at and near multiples of pi/4
  ss_sincos(1000, x, s, c);
  for (int i = 0; i < 1000; i++) compare(x[i], s[i], c[i]);
}

static void test_special(void** state)
{
  (void)state;
  double x[8] = {0, -0.0, 1e9, -1e300, NAN, INFINITY, 0, 0}, s[8], c[8];
  ss_sincos(6, x, s, c);
  assert_true(s[0] == 0 && c[0] == 1 && s[1] == 0 && c[1] == 1);
  assert_true(s[2] == sin(1e9) && c[3] == cos(-1e300));
  assert_true(isnan(s[4]) && isnan(c[4]) && isnan(s[5]) && isnan(c[5]));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_special)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
