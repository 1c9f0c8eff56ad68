// The files a run writes: the record, the trajectory and the events as CSV. Any of them may be absent.
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include <stdio.h>
#include <stickslip/stickslip.h>
#include "out_file.h"

typedef struct cli_outputs {
  const char* record_path;  ///< NULL if not wanted
  const char* csv_path;     ///< ... "-" is stdout
  const char* events_path;
  const char* page_path;    ///< made by `run` when all else is closed
  ss_record* record;
  cli_out csv;     // they take their names when the run ends, however it does, unless they could not be written
  cli_out events;
  const ss_system_def* system;
  const ss_work* work;      ///< knows the names of the contacts
} cli_outputs;

/// False and a message if a path names the model file or the same file as another one, or if CSV would replace an HDF5
/// file.
bool cli_outputs_check(const cli_outputs* outputs, const char* model_path);

/// Opens what is wanted, all of it new. *error says which could not be.
ss_status cli_outputs_create(cli_outputs* outputs, const ss_model* model, const ss_run_def* run, ss_error* error);

/// The same for a run that goes on after the state `last`: the CSV files first get the rows and the events that the
/// record holds already. The record itself is opened by cli_outputs_reopen(), once the reader has closed it.
ss_status cli_outputs_resume(cli_outputs* outputs, const ss_model* model, ss_run* run, const ss_state* last,
                             bool goes_on, ss_error* error);
ss_status cli_outputs_reopen(cli_outputs* outputs, double until, ss_error* error);

ss_status cli_outputs_row(cli_outputs* outputs, const ss_record_row* row, ss_error* error);
/// The row just before the events of a step, if it ended with some; comes before the events. And what of such a step
/// the row after them tells.
ss_status cli_outputs_arrival(cli_outputs* outputs, const ss_ledger* ledger, const ss_step_info* info, ss_work* work,
                              ss_error* error);
const ss_step_info* cli_info_of_row(const ss_step_info* info);

ss_status cli_outputs_event(cli_outputs* outputs, const ss_event* event, const ss_state* state, ss_error* error);

/// Closes all; `how` goes into the record. SS_ERR_FILE if something did not reach its file.
ss_status cli_outputs_close(cli_outputs* outputs, const char* how, ss_error* error);

#endif
