// Numbers as text. printf and strtod use the decimal point of the program's locale; the thread takes that of C
// meanwhile.
#include "base/number.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Nothing is allocated for the locale "C"
ss_c_numbers ss_c_numbers_begin(void)
{
  ss_c_numbers n = {.c = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  n.before = uselocale(n.c);
  return n;
}

void ss_c_numbers_end(ss_c_numbers n)
{
  uselocale(n.before);
  if (n.c) freelocale(n.c);
}

double ss_parse_number(const char* text, const char** end)
{
  char copy[64], *stop;
  size_t n = strspn(text, "0123456789.eE+-");  // no hexadecimal, no "inf", no "nan"
  if (n > sizeof copy - 1) n = sizeof copy - 1;
  memcpy(copy, text, n);
  copy[n] = 0;
  ss_c_numbers numbers = ss_c_numbers_begin();
  double value = strtod(copy, &stop);
  ss_c_numbers_end(numbers);
  *end = text + (stop - copy);
  return value;
}

char* ss_print_number(double x, char out[32])
{
  ss_c_numbers numbers = ss_c_numbers_begin();
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(out, 32, "%.*g", digits, x);
    if (strtod(out, NULL) == x) break;
  }
  ss_c_numbers_end(numbers);
  return out;
}

int ss_vprint(char* out, size_t size, const char* format, va_list args)
{
  ss_c_numbers numbers = ss_c_numbers_begin();
  int length = vsnprintf(out, size, format, args);
  ss_c_numbers_end(numbers);
  return length;
}

int ss_print(char* out, size_t size, const char* format, ...)
{
  va_list args;
  va_start(args, format);
  int length = ss_vprint(out, size, format, args);
  va_end(args);
  return length;
}
