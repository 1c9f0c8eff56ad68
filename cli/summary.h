// What `stickslip run` says at the end.
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "cli.h"
#include "dump.h"
#include "outputs.h"

enum { CLI_EVENT_KINDS = SS_EVENT_KINDS };

typedef struct cli_summary {
  const ss_model* model;
  const ss_run_def* run;           ///< the settings that were used
  const ss_state* state;           ///< the last one
  const ss_energy_ledger* energy;  ///
  const ss_ledger* ledger;         ///
  const ss_ledger_counts* counts;  ///
  const cli_outputs* files;        ///
  const cli_dump* dump;            ///
  long by_kind[CLI_EVENT_KINDS];   ///< events of each kind
  long first_step;                 ///< where this run began: 0, or where it was resumed
  double energy_start;             ///< T + V at t = 0, J
  double largest_kinetic;          ///< largest T, J
  double overlap_left;             ///< deepest overlap that a step has found and left, m
  double seconds;                  ///< wall time
  const char* how;                 ///< "complete", "interrupted", "failed: ..."
} cli_summary;

/// A table for a person, on stdout.
void cli_summary_print(const cli_summary* summary);

/// Warns on stderr if the energy balance is off by more than 1 % of the energies in it. True: by more than a tenth of
/// the energy at hand, so that the run is none to trust.
bool cli_summary_warn(const cli_summary* summary);

/// One JSON object on stdout. Returns an exit status.
int cli_summary_json(const cli_summary* summary);

#endif
