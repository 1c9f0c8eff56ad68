// Sine and cosine of many angles.
#ifndef SS_MATH_SINCOS_H
#define SS_MATH_SINCOS_H

/// s[i] = sin(x[i]), c[i] = cos(x[i]), within one and a half units of the last place; the same bits on every machine
/// for |x| < 1e6, beyond that what the C library gives. Reads and writes up to three numbers behind the n-th.
void ss_sincos(int n, const double* x, double* s, double* c);

#endif
