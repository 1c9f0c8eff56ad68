// What the commands that read a model share: --set, loading, and values at a state.
#ifndef CLI_MODEL_ARG_H
#define CLI_MODEL_ARG_H

#include "cli.h"

/// Overrides made from `--set PATH=VALUE`. Zero-initialise.
typedef struct cli_overrides {
  int n;
  ss_override* item;  ///< n
  char* text;         ///< holds all paths and values
} cli_overrides;

/// Splits the values of --set at their first '='. Returns CLI_GO_ON or the exit status.
int cli_overrides_read(const cli_command* command, const cli_list* set, cli_overrides* overrides);
/// One more; path and value stay the caller's. False if memory is short.
bool cli_overrides_add(cli_overrides* overrides, const char* path, const char* value);
void cli_overrides_free(cli_overrides* overrides);

/// A system at a state, without a workspace: for calls of its functions.
typedef struct cli_at {
  const ss_system_def* def;
  ss_at at;
  bool is_open;
  char message[SS_AT_MESSAGE];
} cli_at;

/// False if it cannot be evaluated there; nothing is to be closed then.
bool cli_at_open(const ss_system* system, const ss_state* state, cli_at* at);
void cli_at_close(cli_at* at);

/// T and V of a state, in J. False if the system cannot tell them.
bool cli_energy_at(const ss_system* system, const ss_state* state, ss_energy* energy);

/// The errors of the bilateral constraints at a state: n_bilateral numbers. False if they cannot be evaluated.
bool cli_bilateral_at(const ss_system* system, const ss_state* state, double* error);

/// Unit of the i-th coordinate, "" if unknown; the unit of the i-th velocity goes into out.
const char* cli_unit(const ss_system_def* system, int i);
const char* cli_rate_unit(const ss_system_def* system, int i, char* out, size_t size);

/// The tolerance that decides: of systems with operators that of the friction solver.
double cli_tolerance(const ss_system_def* system, const ss_run_def* run);

/// Coordinates and rates as a table, `most` lines of it.
void cli_print_state(const ss_system_def* system, const ss_state* state, int indent, int most);
enum { CLI_STATE_LINES = 40 };

#define CLI_MOST_STEPS 1e12  // of a run

#endif
