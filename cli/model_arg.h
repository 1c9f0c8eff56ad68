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
void cli_overrides_free(cli_overrides* overrides);

/// T and V of a state, in J. False if the system cannot tell them.
bool cli_energy_at(const ss_system* system, const ss_state* state, ss_energy* energy);

/// The errors of the bilateral constraints at a state: n_bilateral numbers. False if they cannot be evaluated.
bool cli_bilateral_at(const ss_system* system, const ss_state* state, double* error);

/// Unit of the i-th coordinate, "" if unknown; the unit of its rate goes into out.
const char* cli_unit(const ss_system_def* system, int i);
const char* cli_rate_unit(const char* unit, char* out, size_t size);

#endif
