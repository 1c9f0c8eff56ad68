// What the commands share: exit statuses, messages, the table of commands.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stickslip/stickslip.h>

#include "args.h"

enum {
  CLI_DONE = 0,      ///< all went well
  CLI_MISSED = 1,    ///< done, but some steps or problems missed their tolerance
  CLI_BAD_INPUT = 2, ///< bad input or usage
  CLI_FAILED = 3,    ///< the computation failed or did not finish
  CLI_BAD_FILE = 4,  ///< a file could not be read or written
};

/// Reports the error as `stickslip: FILE:LINE:COLUMN: text` and returns the exit status that goes with it.
int cli_fail(const ss_error* error);

/// The exit status that goes with a status of the library.
int cli_exit_status(ss_status status);

/// `stickslip: error: text`, `stickslip: warning: text`, `stickslip: text` on stderr; no newline needed.
void cli_error(const char* format, ...) SS_PRINTF(1, 2);
void cli_warn(const char* format, ...) SS_PRINTF(1, 2);
void cli_note(const char* format, ...) SS_PRINTF(1, 2);

/// Reports a wrong use of a command, points to its --help, and returns CLI_BAD_INPUT.
int cli_usage(const cli_command* command, const char* format, ...) SS_PRINTF(2, 3);

/// The ending of a word for n things: "1 step", "2 steps".
static inline const char* cli_s(long n) { return n == 1 ? "" : "s"; }

/// Reports that memory is short and returns CLI_FAILED.
int cli_out_of_memory(void);
/// Whether that was reported. The tool does not end with CLI_DONE then.
bool cli_memory_was_short(void);

/// True if both paths lead to the same file, or would if it were made ("-", standard output, is the same as itself
/// only).
bool cli_same_file(const char* a, const char* b);

/// True if the file begins as HDF5 files do. No command replaces such a file by text.
bool cli_is_hdf5(const char* path);

/// Where the library's messages go: warnings to stderr.
ss_log cli_log(void);

/// The commands, ended by NULL, and the one with this name (NULL if there is none).
extern const cli_command* const cli_commands[];
const cli_command* cli_find_command(const char* name);

/// One description and one function for each command, in the file of the same name.
extern const cli_command cli_run_command, cli_solve_command, cli_models_command, cli_check_command, cli_events_command,
  cli_plot_command, cli_solvers_command, cli_bench_command, cli_completion_command, cli_help_command,
  cli_solutions_command, cli_forces_command, cli_report_command, cli_render_command, cli_view_command;

extern const cli_command cli_cycle_command, cli_sweep_command, cli_diagram_command, cli_verify_command;

int cli_run(int argc, char** argv);
int cli_solve(int argc, char** argv);
int cli_solutions(int argc, char** argv);
int cli_models(int argc, char** argv);
int cli_check(int argc, char** argv);
int cli_events(int argc, char** argv);
int cli_forces(int argc, char** argv);
int cli_cycle(int argc, char** argv);
int cli_sweep_main(int argc, char** argv);
int cli_diagram(int argc, char** argv);
int cli_verify(int argc, char** argv);
int cli_plot(int argc, char** argv);
int cli_report(int argc, char** argv);
int cli_render(int argc, char** argv);
int cli_view_main(int argc, char** argv);
int cli_solvers(int argc, char** argv);
int cli_bench(int argc, char** argv);
int cli_completion(int argc, char** argv);

#endif
