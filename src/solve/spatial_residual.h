// The residual of a contact problem whose G is never formed.
#ifndef SS_SOLVE_SPATIAL_RESIDUAL_H
#define SS_SOLVE_SPATIAL_RESIDUAL_H

#include <stickslip/contact.h>

/// ss_spatial_residual() from the diagonal of G (m) and xi = G Lambda + b (m), found by whoever knows the system.
/// problem->G is not read.
double ss_spatial_measure(const ss_contact_problem* problem, const double* diagonal, const double* xi,
                          const double* Lambda);

#endif
