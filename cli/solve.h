// What the parts of `stickslip solve` share.
#ifndef CLI_SOLVE_H
#define CLI_SOLVE_H

#include "task.h"

#define CLI_SHOWN 20  // unknowns printed unless --all

/// The verdict where the ray is a proof
#define CLI_PROVED "there is no solution: the ray proves it"

typedef struct solve_options {
  bool json, all, solutions;
  double tol, kappa;      ///< 0: the library's default
  long max_iter, repeat;  ///< 0: not given
  int solver;             ///< in cli_solver_words
} solve_options;

int cli_iteration_limit(const solve_options* o);    ///< as the library wants it
const char* cli_verdict(ss_status status);          ///< for a person
const char* cli_keyword(ss_status status);          ///< for a program
int cli_solve_exit(ss_status status);               ///< the exit status that goes with it

/// Solves by `count` solvers of the problem's class from the one numbered `first` on, and prints one row for each, then
/// the solution. Returns the exit status.
int cli_solve_compare(const solve_options* o, cli_task* task, int first, int count);

/// Finds and prints all solutions of an LCP. Returns the exit status.
int cli_solve_solutions(const solve_options* o, const ss_problem* problem);

#endif
