// The impulses of least norm among those that fit the velocities of a contact problem without bounds.
#ifndef SS_CONTACT_LEAST_NORM_H
#define SS_CONTACT_LEAST_NORM_H

#include "contact/planar.h"

size_t ss_least_norm_size(int n_contact);  ///< bytes of arena

/// Lambda (contact rows, a solution on entry) by the states that belong to its velocities xi (contact rows): open where
/// xi_N > 0, slip where xi_T is not zero, else stick or closed. *unique tells whether there was a choice.
ss_status ss_least_norm(const ss_contact_problem* p, const ss_reduced* r, const ss_contact_state* state,
                        const double* xi, const ss_lcp_def* def, ss_arena* arena, double* Lambda, bool* unique);

#endif
