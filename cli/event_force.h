// The force of a contact at one of its events.
#ifndef CLI_EVENT_FORCE_H
#define CLI_EVENT_FORCE_H

#include <stickslip/record.h>

/// The force in the contact frame right after event `e` of an open run, N (N m of joints that turn). Event-driven: that
/// of the row after the event; time-stepping: Lambda/dt, the mean over the step, and NAN for an impact, whose impulse
/// is no force. NAN too if the file does not have it. Events in their order are fastest.
void cli_event_force(ss_run* run, const ss_event* e, double force[3]);

#endif
