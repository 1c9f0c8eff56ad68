// A line on the terminal that tells how far a run is.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

typedef struct cli_progress {
  bool shown;          ///< false: stderr is not a terminal, or nothing was wanted
  long first, last;    ///< steps at the start and the end
  long countdown;      ///< steps until the clock is looked at again
  long stride;         ///< ... and how many that were last time
  double started;      ///< wall time, s
  double looked;       ///< when the clock was last looked at
  double drawn;        ///< when the line was last drawn
  const char* what;    ///< that is counted: "steps"
} cli_progress;

/// Seconds on a clock that never goes back.
double cli_seconds(void);

/// `wanted` false: never shows anything, but still keeps the time. what: that is counted, "steps".
void cli_progress_start(cli_progress* progress, bool wanted, const char* what, long first_step, long last_step);

/// After each step; events -1: nobody counts them. Draws at most ten times per second and costs a decrement otherwise.
void cli_progress_step(cli_progress* progress, long step, double t, long events);

/// Clears the line, if there is one; returns the seconds since the start.
double cli_progress_end(cli_progress* progress);

#endif
