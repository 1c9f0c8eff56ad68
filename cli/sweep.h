// A sweep: one model with many values of its parameters, or many disturbances. What its parts share:
//   sweep.c  options                  sweep_unit.c  one piece of work
//   sweep_pool.c  threads, processes  sweep_file.c  the table
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include <stickslip/stickslip.h>

#include "step_options.h"

enum { CLI_MAX_SWEPT = 8, CLI_MAX_OBSERVED = 64 };

/// A parameter or other value of the model, and the values that it takes.
typedef struct cli_swept {
  char path[128];
  int n;
  double* value;  ///< n
} cli_swept;

/// A value that is disturbed at random, by +-size (uniform) or with this standard deviation (normal).
typedef struct cli_disturbed {
  char path[128];
  double size;
  bool normal;
} cli_disturbed;

typedef enum cli_observable_kind {
  CLI_SEE_END, CLI_SEE_MIN, CLI_SEE_MAX, CLI_SEE_MEAN, CLI_SEE_EVENTS, CLI_SEE_STATE, CLI_SEE_TIME, CLI_SEE_ENERGY,
  CLI_SEE_LOSS_NORMAL, CLI_SEE_LOSS_FRICTION,
} cli_observable_kind;

typedef struct cli_observable {
  char name[96];             ///< of the column
  cli_observable_kind kind;
  int index;                 ///< of (q, u, sensors), of the contact (-1: any)
  int event;                 ///< ss_event_kind, -1: any
} cli_observable;

typedef enum cli_direction { CLI_NO_CHAIN, CLI_CHAIN_UP, CLI_CHAIN_DOWN, CLI_CHAIN_BOTH } cli_direction;

typedef struct cli_sweep {
  const char* model;         ///< path or name
  cli_overrides set;
  int n_swept;
  cli_swept swept[CLI_MAX_SWEPT];   ///< the first one changes slowest; a chain follows it
  int n_disturbed;
  cli_disturbed disturbed[CLI_MAX_SWEPT];
  long samples;              ///< for each point of the grid, 1 or more
  uint64_t seed;
  cli_direction chain;       ///< the state is carried from value to value of the first swept one
  int n_observed;
  cli_observable observed[CLI_MAX_OBSERVED];
  // a section: a row for each return
  bool by_section;
  const char* period;        ///< an expression; NULL: an event
  int contact;
  const char* contact_name;  ///< in its place, where contacts come and go
  size_t name_length;        ///
  ss_event_kind kind;
  long points, skip;         ///< returns that are kept, and left out before
  double after;              ///< min, max, mean: from this time on, s
  // how to simulate
  cli_step_options step;
  double until;              ///< 0: the model's
  // names, of the model as it is
  int nv;
  const char* const* coordinate;
  int n_sensor;
  const char* const* sensor;
  int n_contact;
} cli_sweep;

/// Pieces of work: points of the grid times samples, or chains.
long cli_sweep_units(const cli_sweep* s);
long cli_sweep_points_of_unit(const cli_sweep* s);

/// The value that a disturbance of this path starts from, a parameter's or that of the initial state; NAN: none.
double cli_sweep_base(const ss_model* model, const char* path);

/// Column names as a line of CSV with its newline.
void cli_sweep_header(const cli_sweep* s, char* out, size_t size);

/// The rows of a piece of work as text that the caller frees; NULL if memory is short. *failed counts points that could
/// not be computed: their rows have a negative status, and a line #!PLACE tab REASON follows.
char* cli_sweep_compute(const cli_sweep* s, long unit, long* failed, long* missed);

/// Runs all pieces from `first` on by `threads` threads (or the processes of MPI), and calls write with each in order.
/// Returns an exit status.
typedef bool (*cli_sweep_write)(void* user, long unit, const char* rows, long failed, long missed);
int cli_sweep_run(const cli_sweep* s, long first, int threads, cli_sweep_write write, void* user);

/// Whether this process is one of several of mpirun, and not the first: it only computes.
bool cli_sweep_is_worker(void);

#endif
