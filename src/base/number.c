// Numbers as text. printf and strtod use the decimal point of the program's locale; it is exchanged here.
#include "base/number.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The locale's decimal point if it is another single character, else '.'
static char locale_point(void)
{
  const char* point = localeconv()->decimal_point;
  return point[0] && !point[1] ? point[0] : '.';
}

static void exchange(char* text, char from, char to)
{
  char* at = from == to ? NULL : strchr(text, from);
  if (at) *at = to;
}

double ss_parse_number(const char* text, const char** end)
{
  char copy[64], *stop;
  size_t n = strspn(text, "0123456789.eE+-");  // no hexadecimal, no "inf", no "nan"
  if (n > sizeof copy - 1) n = sizeof copy - 1;
  memcpy(copy, text, n);
  copy[n] = 0;
  exchange(copy, '.', locale_point());
  double value = strtod(copy, &stop);
  *end = text + (stop - copy);
  return value;
}

char* ss_print_number(double x, char out[32])
{
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, 32, "%.*g", digits, x);
    if (strtod(out, NULL) == x) break;
  }
  exchange(out, locale_point(), '.');
  return out;
}
