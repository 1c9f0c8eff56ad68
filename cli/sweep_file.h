// The table of a sweep while it grows, and why points of it could not be computed.
#ifndef CLI_SWEEP_FILE_H
#define CLI_SWEEP_FILE_H

#include <stdio.h>

#include "sweep.h"

enum { CLI_MAX_REASONS = 5 };

/// Why points failed: messages that differ in numbers alone are one reason.
typedef struct cli_reason {
  char first[160];    ///< the first such point
  char message[400];
  long count;
} cli_reason;

typedef struct cli_sheet {
  // given
  const char* output;  ///< FILE.csv, FILE.h5; a pipe or a device gets rows of CSV at once
  const char* task;    ///< one line: what is computed
  const char* header;  ///< names of the columns, a line of CSV
  bool resume, force;
  // found
  long first;          ///< the piece of work to begin with
  long failed, missed, rows;
  int n_reason;
  cli_reason reason[CLI_MAX_REASONS];  ///< the rest is counted only
  // private
  FILE* part;
  char path[1024];
  bool direct;
} cli_sheet;

/// False if the name says neither CSV nor HDF5, unless it is that of a pipe or a device.
bool cli_sheet_fits(const char* output);

/// CLI_GO_ON, or the exit status after a message.
int cli_sheet_open(cli_sheet* h);
/// The rows of the next piece of work; lines of reasons begin with #! (cli_sweep_compute). False after a message.
bool cli_sheet_add(cli_sheet* h, long unit, const char* rows, long failed, long missed);
/// FILE.part becomes FILE if `done`. Returns an exit status; to be called once in any case.
int cli_sheet_close(cli_sheet* h, bool done);

#endif
