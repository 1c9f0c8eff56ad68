// Impulses that the next solve starts from.
#ifndef SS_INTEGRATE_IMPULSES_H
#define SS_INTEGRATE_IMPULSES_H

#include <stickslip/simulate.h>

/// What a state keeps of a contact, whose key, point and frame are read.
ss_contact_impulse ss_impulse_of(const ss_contact_item* item, const double Lambda[3], ss_contact_state state);

#endif
