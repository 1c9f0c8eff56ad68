// Anderson's acceleration of a repetition x <- g(x) [Walker & Ni 2011].
#ifndef SS_MATH_ANDERSON_H
#define SS_MATH_ANDERSON_H

#include <stdbool.h>

enum { SS_ANDERSON_DEPTH = 4 };  ///< rounds that are looked back on

/// All zero but n and the arrays: nothing is known yet.
typedef struct ss_anderson {
  int n;         ///< numbers in x
  int kept;      ///< differences at hand
  bool started;  ///< there is a round before
  double *g, *f; ///< n: g(x) and g(x) - x of the round before
  double *dg, *df;  ///< SS_ANDERSON_DEPTH x n: differences of both from round to round, the latest first
  double *q;        ///< SS_ANDERSON_DEPTH x n: scratch
} ss_anderson;

/// Doubles that the arrays need
int ss_anderson_doubles(int n);
void ss_anderson_place(ss_anderson* a, int n, double* memory);  ///< ... laid out in memory, and forgets all
void ss_anderson_forget(ss_anderson* a);                        ///< starts anew

/// x (n), of which g (n) has come out, becomes the x of the next round: g - dG c, where c makes |f - dF c| least.
void ss_anderson_next(ss_anderson* a, const double* g, double* x);

#endif
