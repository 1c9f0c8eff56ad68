// Numbers of about 32 digits as unevaluated sums of two doubles [Dekker 1971], with products by fma(). Needs arithmetic
// that rounds to double after each operation.
#ifndef SS_SOLVE_TWOFOLD_H
#define SS_SOLVE_TWOFOLD_H

#include <math.h>
#include <stdbool.h>

typedef struct ss_twofold {
  double hi, lo;  // |lo| is at most half a unit in the last place of hi
} ss_twofold;

static inline ss_twofold ss_tw(double x) { return (ss_twofold){x, 0}; }

/// a + b, exactly
static inline ss_twofold ss_tw_sum(double a, double b)
{
  double s = a + b, part = s - a;
  return (ss_twofold){s, (a - (s - part)) + (b - part)};
}

/// a b, exactly
static inline ss_twofold ss_tw_product(double a, double b)
{
  double p = a*b;
  return (ss_twofold){p, fma(a, b, -p)};
}

static inline ss_twofold ss_tw_add(ss_twofold a, ss_twofold b)
{
  ss_twofold s = ss_tw_sum(a.hi, b.hi), t = ss_tw_sum(a.lo, b.lo);
  s = ss_tw_sum(s.hi, s.lo + t.hi);
  return ss_tw_sum(s.hi, s.lo + t.lo);
}

static inline ss_twofold ss_tw_minus(ss_twofold a) { return (ss_twofold){-a.hi, -a.lo}; }
static inline ss_twofold ss_tw_sub(ss_twofold a, ss_twofold b) { return ss_tw_add(a, ss_tw_minus(b)); }

static inline ss_twofold ss_tw_mul(ss_twofold a, ss_twofold b)
{
  ss_twofold p = ss_tw_product(a.hi, b.hi);
  return ss_tw_sum(p.hi, p.lo + (a.hi*b.lo + a.lo*b.hi));
}

static inline ss_twofold ss_tw_div(ss_twofold a, ss_twofold b)
{
  double q = a.hi/b.hi;
  ss_twofold rest = ss_tw_sub(a, ss_tw_mul(b, ss_tw(q)));
  return ss_tw_sum(q, rest.hi/b.hi);
}

static inline ss_twofold ss_tw_sqrt(ss_twofold a)
{
  if (a.hi <= 0) return ss_tw(0);  // NaN stays NaN
  double root = sqrt(a.hi);
  ss_twofold rest = ss_tw_sub(a, ss_tw_product(root, root));
  return ss_tw_sum(root, rest.hi/(2*root));
}

static inline bool ss_tw_less(ss_twofold a, ss_twofold b) { return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo); }
static inline ss_twofold ss_tw_abs(ss_twofold a) { return a.hi < 0 || (a.hi == 0 && a.lo < 0) ? ss_tw_minus(a) : a; }
static inline double ss_tw_double(ss_twofold a) { return a.hi + a.lo; }

#endif
