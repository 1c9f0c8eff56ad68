// Numbers as text, with a decimal point whatever the program's locale says.
#ifndef SS_BASE_NUMBER_H
#define SS_BASE_NUMBER_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>
#include <stickslip/base.h>

/// Between the two calls this thread reads and prints numbers as in C; other threads do not notice.
typedef struct ss_c_numbers {
  locale_t c, before;
} ss_c_numbers;

ss_c_numbers ss_c_numbers_begin(void);
void ss_c_numbers_end(ss_c_numbers numbers);

/// strtod() of the C locale for up to 63 characters. *end is behind what was read.
double ss_parse_number(const char* text, const char** end);

/// The shortest decimal that reads back to the same double. Returns out.
char* ss_print_number(double x, char out[32]);

/// snprintf() and vsnprintf() with numbers as in C.
int ss_print(char* out, size_t size, const char* format, ...) SS_PRINTF(3, 4);
int ss_vprint(char* out, size_t size, const char* format, va_list args) SS_PRINTF(3, 0);

#endif
