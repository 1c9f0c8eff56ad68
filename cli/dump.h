// `stickslip run --dump-problems`: contact problems of steps as files, to be solved alone by `stickslip solve`.
#ifndef CLI_DUMP_H
#define CLI_DUMP_H

#include "cli.h"

typedef struct cli_dump {
  const char* folder;  ///< NULL: nothing is saved
  long every;          ///< every so many steps; 0: only those that missed their tolerance
  long limit;          ///< files at most
  long written;        ///
  long left_out;       ///< beyond the limit
} cli_dump;

/// Reads "failed", "all" or a number (NULL: failed). False if it is none of them.
bool cli_dump_when(cli_dump* dump, const char* when);

/// Makes the folder if it is not there. Unless a run goes on, there must be no problems in it. False after a message.
bool cli_dump_open(const cli_dump* dump, bool goes_on, ss_error* error);

/// Saves the problem of the step just done; ss_work_problem() must have one.
ss_status cli_dump_save(const char* path, const ss_model* model, const ss_run_def* run, const ss_work* work,
                        const ss_state* state, const ss_step_info* info, ss_error* error);

/// Saves the problem of the step just done, if it is one of those wanted.
ss_status cli_dump_step(cli_dump* dump, const ss_model* model, const ss_run_def* run, const ss_work* work,
                        const ss_state* state, const ss_step_info* info, ss_error* error);

#endif
