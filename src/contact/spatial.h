// What contacts in space do, from their impulses.
#ifndef SS_CONTACT_SPATIAL_H
#define SS_CONTACT_SPATIAL_H

#include <stickslip/contact.h>

/// s->state from s->Lambda and s->xi. Velocities below `error`, which is how well they are known, count as zero.
/// size: m numbers of scratch.
void ss_spatial_states(const ss_contact_problem* problem, double error, double* size, ss_contact_solution* s);

#endif
