// Numbers read and print the same in every locale.
#include <locale.h>
#include <stdbool.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/number.h"

static void check(void)
{
  const double x[] = {0, 1, -1.5, 0.1, 1.0/3, 1e-300, 5e-324, 1.7976931348623157e308, 123456789.123};
  char text[32];
  const char* end;
  for (size_t i = 0; i < sizeof x/sizeof *x; i++) {
    ss_print_number(x[i], text);
    assert_null(strchr(text, ','));
    assert_true(ss_parse_number(text, &end) == x[i]);
    assert_true(*end == 0);
  }
  assert_string_equal(ss_print_number(0.1, text), "0.1");
  assert_true(ss_parse_number("2.5*x", &end) == 2.5);
  assert_string_equal(end, "*x");
  assert_true(ss_parse_number("inf", &end) == 0);
  assert_string_equal(end, "inf");
}

static void test_c_locale(void** state)
{
  (void)state;
  check();
}

static void test_decimal_comma(void** state)
{
  (void)state;
  const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "sl_SI.UTF-8"};
  bool found = false;
  for (int i = 0; i < 5 && !found; i++) found = setlocale(LC_ALL, names[i]) && localeconv()->decimal_point[0] == ',';
  if (!found) {
    print_message("no locale with a decimal comma is installed: not tested\n");
    skip();
  }
  check();
  setlocale(LC_ALL, "C");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_c_locale), cmocka_unit_test(test_decimal_comma)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
