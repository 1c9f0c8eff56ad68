// What the parts of `stickslip solve` share.
#ifndef CLI_SOLVE_H
#define CLI_SOLVE_H

#include "cli.h"

#define CLI_SHOWN 20  // unknowns printed unless --all

typedef struct solve_options {
  bool json, all, solutions;
  double tol, kappa;      ///< 0: the library's default
  long max_iter, repeat;  ///< max_iter 0: no limit but the solvers' own
  int solver;             ///< for an LCP ss_lcp_solver, for a mixed problem ss_mlcp_solver; their ..._COUNT for all
} solve_options;

double cli_now(void);                               ///< seconds from some start on
double cli_median(double* values, long count);      ///< sorts the values
int cli_iteration_limit(const solve_options* o);    ///< as the library wants it
const char* cli_verdict(ss_status status);          ///< for a person
const char* cli_keyword(ss_status status);          ///< for a program
int cli_solve_exit(ss_status status);               ///< the exit status that goes with it

/// Solves a mixed problem, or an LCP as one, by the solvers asked for, and prints. Returns the exit status.
int cli_solve_mixed(const solve_options* o, const ss_problem* problem);

/// Solves an LCP by every solver and prints one row for each. Returns the exit status.
int cli_solve_compare(const solve_options* o, const ss_problem* problem);

/// Finds and prints all solutions of an LCP. Returns the exit status.
int cli_solve_solutions(const solve_options* o, const ss_problem* problem);

#endif
