// Contact forces that belong to given contact states, found from others by the least change.
#ifndef SS_CONTACT_HOLD_H
#define SS_CONTACT_HOLD_H

#include <stickslip/contact.h>

size_t ss_contact_hold_size(int n_bilateral, int n_contact);  ///< bytes of arena

/// Lambda (m) of a planar problem, changed as little as can be (in units in which every G_ii = 1) so that it belongs to
/// the states: nothing where a contact is open, friction at its limit where it slides, xi = 0 in rows that are held.
/// Whether the forces are such as the contacts can give is not looked at. With Lambda = 0: those of least norm.
ss_status ss_contact_hold(const ss_contact_problem* problem, const ss_contact_state* state, ss_arena* arena,
                          double* Lambda);

#endif
