// Numbers as text, with a decimal point whatever the program's locale says.
#ifndef SS_BASE_NUMBER_H
#define SS_BASE_NUMBER_H

/// strtod() of the C locale for up to 63 characters. *end is behind what was read.
double ss_parse_number(const char* text, const char** end);

/// The shortest decimal that reads back to the same double. Returns out.
char* ss_print_number(double x, char out[32]);

#endif
