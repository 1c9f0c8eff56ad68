// Contact problems that are nearly solved already: those of the rounds of a step, and of steps that go on as before.
#ifndef SS_INTEGRATE_RATTLE_QUICK_H
#define SS_INTEGRATE_RATTLE_QUICK_H

#include "integrate/work.h"

enum { SS_QUICK_ROWS = 64 };  ///< of the largest problem

/// G is kept from problem to problem with the same rows, as long as it is not forgotten.
typedef struct ss_quick {
  int m;                      ///< rows that G is of; 0: of none
  int source[SS_QUICK_ROWS];  ///< m
  bool dependent;             ///< some rows depend on one another
  bool loosely;               ///< the last solution meets no more than `loose`
  bool factored;              ///< J holds factors, of rows of the kinds code_of
  unsigned char code[SS_QUICK_ROWS], code_of[SS_QUICK_ROWS];
  double worst;               ///< velocity by which a row is off, m/s
  int piv[SS_QUICK_ROWS];
  double G[SS_QUICK_ROWS*SS_QUICK_ROWS], J[SS_QUICK_ROWS*SS_QUICK_ROWS];
  double xi[SS_QUICK_ROWS], terms[SS_QUICK_ROWS], step[SS_QUICK_ROWS], Lambda[SS_QUICK_ROWS], best[SS_QUICK_ROWS];
} ss_quick;

/// M or the rows are others now.
void ss_quick_forget(ss_quick* quick);
/// Whether the problem at hand can be solved so, and has the rows of the one before.
bool ss_quick_can(const ss_work* w);
bool ss_quick_knows(const ss_quick* quick, const ss_work* w);
/// Newton's method for the problem at hand from w->guess on; fills w->solution. False, and nothing is done, if the
/// problem is large or has laws of other kinds, or the residual does not come to tol, or to `loose` if that is more.
/// unique: also if the rows that carry depend on one another, so that other impulses do as well.
bool ss_quick_solve(ss_quick* quick, ss_work* w, double tol, double loose, bool unique);

#endif
