// What a row of an event-driven run of a scene says of its contacts and events, for `stickslip verify`.
#ifndef CLI_VERIFY_LISTED_H
#define CLI_VERIFY_LISTED_H

#include "verify_flight.h"

/// Gaps, velocities, places, directions and bodies of the contacts of a row against those of the model, with the flight
/// placed there; what is closed has no gap. u, size (nv): velocities of the row, and by what they are judged.
void cli_listed_check(const cli_flight* f, long row, const ss_run_contact* list, const double* u, const double* size);

/// An event of contact i of the flight, which is placed at its row: velocities before and after (u, nv), impulse, state
/// before, kind, and the energy in the row before. from: its state then, or that of the contact that it takes over from
void cli_listed_event(const cli_flight* f, long row, const ss_event* e, int i, ss_contact_state from,
                      const ss_run_contact* is, const double* before, const double* after, const double* size);

#endif
