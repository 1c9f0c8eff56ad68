// What the parts of `stickslip solve` share.
#ifndef CLI_SOLVE_H
#define CLI_SOLVE_H

#include <cjson/cJSON.h>

#include "task.h"

#define CLI_SHOWN 20  // unknowns printed unless --all

/// The verdict where the ray is a proof
#define CLI_PROVED "there is no solution: the ray proves it"

typedef struct solve_options {
  bool json, all, solutions, certify;
  double tol, kappa;      ///< 0: the library's default
  long max_iter, repeat;  ///< 0: not given
  const char* save;       ///< write the problem to this file; NULL: solve it
  int solver;             ///< in cli_solver_words
  int form;               ///< ss_planar_form; -1: not given
  int cone;               ///< 0 exact, 1 polyhedral
  long facets;            ///< 0: not given
  int cone_free;          ///< 1: --cone-align off
  double cone_angle;      ///< degrees
} solve_options;

double cli_radians(double degrees);
int cli_iteration_limit(const solve_options* o);    ///< as the library wants it
const char* cli_verdict(ss_status status);          ///< for a person
const char* cli_keyword(ss_status status);          ///< for a program
int cli_solve_exit(ss_status status);               ///< the exit status that goes with it

/// The residual of a solution with twice the digits; NaN, with a warning, if that is not possible.
double cli_certify(const cli_task* task, const double* x);
void cli_certificate_print(double residual, double certified);
void cli_certificate_json(cJSON* object, double residual, double certified);
/// The exit status, 1 if all seemed well but the certified residual is above the tolerance, which is warned of.
int cli_certificate_exit(int status, double certified, double tol);

/// What was strange in the file, as a list "warnings" (not if nothing was).
void cli_solve_warnings(cJSON* object, const ss_problem* problem);

/// Solves a planar contact problem as an LCP and prints. Returns the exit status. With `tried` only a solution is
/// printed: else the attempt is written down there, and it returns CLI_GO_ON.
int cli_solve_planar(const solve_options* o, const cli_task* task, ss_lcp_solver solver, ss_attempt_log* tried);

/// Solves a contact problem with sets by method k of the task's and prints. Returns the exit status.
int cli_solve_sets(const solve_options* o, cli_task* task, int k);

/// Finds and prints all solutions of a planar contact problem. Returns the exit status.
int cli_solve_states(const solve_options* o, const cli_task* task);

/// Solves by `count` solvers of the problem's class from the one numbered `first` on, and prints one row for each, then
/// the solution. Returns the exit status.
int cli_solve_compare(const solve_options* o, cli_task* task, int first, int count);

/// Finds and prints all solutions of an LCP. Returns the exit status.
int cli_solve_solutions(const solve_options* o, const ss_problem* problem);

#endif
