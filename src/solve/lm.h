// Levenberg-Marquardt methods for  minimise psi(x) = |phi(x)|^2/2,  phi: R^n -> R^n.
#ifndef SS_SOLVE_LM_H
#define SS_SOLVE_LM_H

#include <stickslip/base.h>

/// The functions, given by the caller.
typedef struct ss_lm_problem {
  int n;
  void* user;
  void (*phi)(void* user, const double* x, double* phi);   ///< n
  void (*jacobian)(void* user, const double* x, double* J);  ///< n x n, row by row, at the x of the last phi() or not
  bool (*done)(void* user, const double* x);  ///< called at each accepted x: true ends the method
  const double *lower, *upper;                ///< n: for ss_lm_projected() only
  const volatile int* stop;                   ///< NULL, or what ends the method
} ss_lm_problem;

/// How a method ended.
typedef enum ss_lm_end {
  SS_LM_DONE,   ///< done() said so
  SS_LM_ZERO,   ///< psi is zero up to the tolerance
  SS_LM_STUCK,  ///< no step reduces psi any more: a stationary point, or round-off
  SS_LM_LIMIT,  ///< iterations used up
} ss_lm_end;

/// Doubles of scratch that both need.
size_t ss_lm_doubles(int n);

/// The regular method: H = J^T J + lambda 1, dx = -H^-1 J^T phi, lambda adapted by the reduction factor
/// [Mylapilli & Jain 2017, section 5.1]. x is the start and the result; iterations are added to *used.
ss_lm_end ss_lm_regular(const ss_lm_problem* p, int max_iter, double* work, double* x, int* used);

/// The projected method: the step solves [J; sqrt(lambda) 1] dx = [-phi; 0] by least squares, iterates stay within the
/// bounds, the line search is not monotone but watched [section 5.2 there; Kanzow & Petra 2005].
ss_lm_end ss_lm_projected(const ss_lm_problem* p, int max_iter, double* work, double* x, int* used);

#endif
