// Sine and cosine, four angles at a time: reduction to |r| <= pi/4 by three parts of pi/2 [Cody & Waite 1980], then
// Taylor's series, whose remainder there is below half a unit of the last place.
#include "math/sincos.h"
#include <math.h>
#include "math/simd.h"

// pi/2 in parts of 33 bits: a multiple below 2^20 of the first two is exact
#define PART_1 1.57079632673412561417e+00
#define PART_2 6.07710050630396597660e-11
#define PART_3 2.02226624879595063154e-21
#define LARGEST 1e6

// Adding and subtracting this rounds to the nearest integer, which is then in the low bits
#define ROUND 6755399441055744.0  // 1.5 * 2^52

SS_CLONES static void four_at_a_time(int n, const double* x, double* s, double* c)
{
  for (int i = 0; i < n; i += 4) {
    ss_v4 v = SS_V4C(x + i), t = v*0.63661977236758134308 + ROUND, k = t - ROUND;
    ss_v4 a = v - k*PART_1, r = a - k*PART_2;
    ss_v4 tail = ((a - r) - k*PART_2) - k*PART_3;  // what r lost
    r += tail;
    ss_v4 z = r*r;
    // sin r = r - r z/6 + ..., cos r = 1 - z/2 + ...
    ss_v4 p = z*(1.0/355687428096000.0) - 1.0/1307674368000.0;
    p = p*z + 1.0/6227020800.0;
    p = p*z - 1.0/39916800.0;
    p = p*z + 1.0/362880.0;
    p = p*z - 1.0/5040.0;
    p = p*z + 1.0/120.0;
    p = p*z - 1.0/6.0;
    ss_v4 sine = r + r*z*p;
    ss_v4 m = z*(1.0/20922789888000.0) - 1.0/87178291200.0;
    m = m*z + 1.0/479001600.0;
    m = m*z - 1.0/3628800.0;
    m = m*z + 1.0/40320.0;
    m = m*z - 1.0/720.0;
    m = m*z + 1.0/24.0;
    ss_v4 half = 0.5*z, one = 1 - half;
    ss_v4 cosine = one + (((1 - one) - half) + z*z*m);
    // quadrant k: odd ones exchange sine and cosine, the next higher bit turns signs
    ss_v4i bits = (ss_v4i)t, odd = -(bits & 1);
    ss_v4i sign_s = (bits & 2) << 62, sign_c = ((bits + 1) & 2) << 62;
    SS_V4(s + i) = (ss_v4)((ss_v4i)SS_V4_SELECT(odd, cosine, sine) ^ sign_s);
    SS_V4(c + i) = (ss_v4)((ss_v4i)SS_V4_SELECT(odd, sine, cosine) ^ sign_c);
  }
}

void ss_sincos(int n, const double* x, double* s, double* c)
{
  four_at_a_time(n, x, s, c);
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) < LARGEST)) {  // NaN too
      s[i] = sin(x[i]);
      c[i] = cos(x[i]);
    }
}
