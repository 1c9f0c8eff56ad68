// What the residual of a contact problem needs of it: velocities, and the diagonal of G, but not G itself.
#ifndef SS_SOLVE_FRICTION_VELOCITY_H
#define SS_SOLVE_FRICTION_VELOCITY_H

#include <stickslip/friction.h>

/// xi = G Lambda + b without compliance, b, and the diagonal of G, m numbers each. The problem is valid. In the global
/// form b = H^T M^-1 f + w, xi = H^T M^-1 (H Lambda) + b, G_ii = h_i.M^-1 h_i with h_i column i of H: M is solved with
/// in the parts it falls into, and G is never formed. SS_ERR_NUMERIC if M is singular, or nearly so.
ss_status ss_friction_velocities(const ss_friction_problem* problem, const double* Lambda, double* xi, double* b,
                                 double* diagonal, ss_error* error);

#endif
