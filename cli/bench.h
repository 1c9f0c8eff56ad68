// What the parts of `stickslip bench solvers` share.
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include <stdio.h>

#include "task.h"

/// Files below a folder whose name ends like a problem's, in alphabetical order.
typedef struct cli_files {
  int n, room;
  char** path;  ///< n
  bool failed;  ///< memory was short
} cli_files;

/// False if the folder cannot be read; errno says why.
bool cli_files_collect(cli_files* files, const char* folder);
void cli_files_free(cli_files* files);

/// Solves in a process of its own, which is ended when its first solve takes longer than `limit` seconds: the status is
/// then SS_STOPPED. It may crash, also in a later repeat: outcome->signal tells. False if
/// *interrupted was set or no process could be started.
bool cli_solve_apart(const cli_task* task, int k, const cli_effort* effort, double limit,
                     const volatile int* interrupted, cli_outcome* outcome);

/// What all solvers of a class made of its problems.
typedef struct cli_contest {
  cli_class class;      ///
  int n_solver;         ///
  int n, room;          ///< problems
  double* seconds;      ///< n x n_solver; INFINITY where the tolerance was missed
  int n_max;            ///< unknowns of the largest problem
  double tol;           ///
} cli_contest;

/// Adds a problem; its n_solver times are filled in by the caller. NULL if memory is short.
double* cli_contest_add(cli_contest* contest);
void cli_contest_free(cli_contest* contest);

/// How a solver did.
typedef struct cli_score {
  int solved;           ///< problems
  int fastest;          ///< problems that no other solver solved sooner
  double median_ratio;  ///< time over that of the fastest, median of the solved ones; NaN if there are none
  double worst_ratio;   ///
} cli_score;

cli_score cli_contest_score(const cli_contest* contest, int solver);
int cli_contest_unsolved(const cli_contest* contest);  ///< problems that no solver solved

/// The performance profile [Dolan & More 2002]: rho_s(tau), the part of the problems that solver s solves within tau
/// times the time of the fastest. As CSV: tau, then a column for each solver. False if memory is short.
bool cli_profile_csv(const cli_contest* contest, FILE* out);

/// The same as a picture. Returns an exit status; what is wrong has been reported.
int cli_profile_plot(const cli_contest* contest, const char* output);

#endif
