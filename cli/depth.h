// How deep the contacts of a text model overlap in time-stepping, beside how far things move.
#ifndef CLI_DEPTH_H
#define CLI_DEPTH_H

#include <stdbool.h>
#include <stickslip/stickslip.h>

/// Of one contact
typedef struct cli_sunk {
  double first, deepest;  ///< overlap in the first step, and the largest
  double fastest, force;  ///< largest speed along its normal, largest normal force
  long hits;              ///< steps in which it overlaps by a part of what counts, and is fast
} cli_sunk;

typedef struct cli_depth {
  const ss_system_def* def;
  cli_sunk* contact;  ///< def->n_contact; NULL: not looked for
  double *origin, dt; ///< nq: where the run begins; its step, s
  double way;         ///< the largest of gaps and ways of coordinates so far
  bool angles;        ///< all coordinates are angles; else these do not count
  long steps;
} cli_depth;

/// Begins where the state is. False if memory is short. Gaps of scenes and bodies, whose sizes are known, are not
/// looked at, nor those of event-driven runs.
bool cli_depth_start(cli_depth* d, const ss_system* system, const ss_step_def* step, const ss_state* state);
void cli_depth_free(cli_depth* d);

void cli_depth_see(cli_depth* d, const ss_state* state, const ss_step_info* info);

/// Warns on stderr of the contact that is worst, if any is.
void cli_depth_warn(const cli_depth* d);

#endif
