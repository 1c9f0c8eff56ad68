// All solutions at a state, for printing (solutions_print.c).
#ifndef CLI_SOLUTIONS_H
#define CLI_SOLUTIONS_H

#include "cli.h"

/// A model, a state of it, and what the contact laws allow there.
typedef struct cli_solutions_at {
  ss_model* model;
  const ss_system_def* system;
  ss_state* state;
  ss_work* work;
  ss_solutions* found;
  ss_impact_law impact;
} cli_solutions_at;

/// As text, as JSON. Returns the exit status.
int cli_print_solutions(const cli_solutions_at* s);
int cli_solutions_json(const cli_solutions_at* s);

#endif
