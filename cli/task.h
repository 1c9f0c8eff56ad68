// A problem of any class, read from a file, and what one of its solvers makes of it.
#ifndef CLI_TASK_H
#define CLI_TASK_H

#include "solver_list.h"

/// The friction law of a contact problem: Coulomb's; maximal dissipation over "sets"; contacts that "slide" already.
typedef enum cli_law { CLI_COULOMB, CLI_SETS, CLI_SLIDING } cli_law;

/// A contact problem as arrays.
typedef struct cli_dense {
  ss_contact_problem p;
  ss_contact_kind* kind;
  double* memory;  ///< G, b, bound
} cli_dense;

/// A problem made ready for all solvers of its class.
typedef struct cli_task {
  cli_class class;             ///
  int n;                       ///< unknowns; rows of a contact problem
  const char* name;            ///< "" if the file gives none
  ss_problem* problem;         ///< as it was read
  ss_friction_problem contact; ///< a view of its contact problem, whose kappa --kappa may change
  ss_mlcp mixed;               ///< the mixed problem, or the LCP as one
  double* bounds;              ///< of an LCP as a mixed problem
  ss_arena* arena;             ///< scratch of the solvers
  cli_law law;                 ///< of a contact problem
  ss_friction_solver* solver;  ///< a contact problem's with Coulomb's law
  cli_dense dense;             ///< one's with another law
  double preparation;          ///< seconds that making it ready took
} cli_task;

/// Reads the file. False and *error if that fails; the task is then empty.
bool cli_task_load(const char* path, cli_task* task, ss_error* error);
void cli_task_free(cli_task* task);

/// Takes an LCP as a mixed problem from now on. False if memory is short.
bool cli_task_mix(cli_task* task);

/// Makes it ready to be solved, which cli_task_load() does not: --kappa may still change a contact problem. False and
/// *error if that fails.
bool cli_task_prepare(cli_task* task, ss_error* error);

/// What --tol is
#define CLI_TOL_HELP "tolerance on the residual (default: 1e-10; contact problems: 1e-8)"

/// The contact problem of the task, with compliance, as arrays. False and *error if that fails; free it then, too.
bool cli_dense_make(const cli_task* task, cli_dense* dense, ss_error* error);
void cli_dense_free(cli_dense* dense);

/// Whether all contacts are planar
bool cli_is_planar(const ss_friction_problem* problem);

/// Whether the problem can be posed as an LCP, with Coulomb's law: planar, rigid, and not too large. Then the solvers
/// of LCPs are solvers of this problem too, and for few rows `auto` begins with them.
bool cli_takes_lcp(const cli_task* task);
enum { CLI_FEW_ROWS = 150 };

/// The solvers that honour the law of the problem: for Coulomb's those of its class, and those of LCPs if it takes
/// them; else some of them, or LCP solvers alone.
int cli_task_solver_count(const cli_task* task);
const char* cli_task_solver_name(const cli_task* task, int k);
int cli_task_solver_find(const cli_task* task, const char* name);  ///< -1 if there is none

/// How to solve.
typedef struct cli_effort {
  double tol;       ///< 0: the library's default
  int max_iter;     ///< 0: each solver's own limit
  long repeat;      ///< solves, at least 1 ...
  double seconds;   ///< ... but no more after so many seconds; 0: no limit
  bool cpu;         ///< measure processor time instead of time on the clock
  int facets;       ///< with sets: directions of a disk or ellipse in an MLCP; 0: the library's default
  bool polyhedral;  ///< with sets: the plain polyhedral law ...
  bool cone_fixed;    ///< ... with its first direction at
  double cone_angle;  ///< this angle from T1, rad
} cli_effort;

double cli_task_tol(const cli_task* task, const cli_effort* effort);  ///< the tolerance that decides

/// Number of solutions, where they were enumerated.
enum { CLI_NOT_COUNTED = -1, CLI_INFINITELY_MANY = -2 };

/// What a solver made of a problem.
typedef struct cli_outcome {
  const char* solver;    ///< the one asked for
  const char* found_by;  ///< the one that found the solution: what "auto" chose
  ss_status status;      ///< SS_OK only if residual <= tolerance
  int signal;            ///< that ended the process it had for itself: it crashed; 0 if it did not
  double residual;       ///< computed apart from the solver; NaN if there is none
  long iterations;       ///< of all kinds
  double seconds;        ///< median of the repeats
  long solutions;        ///< or CLI_NOT_COUNTED, CLI_INFINITELY_MANY
  bool infeasible;       ///< the ray proves that there is no solution
  ss_attempt_log tried;  ///< what "auto" has tried
  double mlcp_residual;  ///< with sets: of the last MLCP
  int alignments;        ///< with sets: MLCPs solved
} cli_outcome;

/// Solves by solver k of the task's. x and y get n numbers each (x and y, z and w, Lambda and xi), ray (may be NULL) n.
/// False if memory is short.
bool cli_task_solve(const cli_task* task, int k, const cli_effort* effort, double* x, double* y, double* ray,
                    cli_outcome* outcome);

/// What `auto` says of its try as an LCP
ss_attempt cli_lcp_attempt(ss_status status, double residual, int iterations);

double cli_median(double* values, long count);  ///< sorts the values

/// All solutions of an LCP with few unknowns, as an outcome. x and y get the first. False if memory is short.
bool cli_task_enumerate(const cli_task* task, const cli_effort* effort, double* x, double* y, cli_outcome* outcome);
#define CLI_ENUMERATE_QUICKLY 12  // unknowns up to which this takes milliseconds

#endif
