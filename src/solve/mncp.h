// Contact with the exact cone as equations without inequalities [Todorov 2010; Mylapilli & Jain 2017, (49)-(59)].
#ifndef SS_SOLVE_MNCP_H
#define SS_SOLVE_MNCP_H

#include "solve/cone.h"

/// F (m) of z (m): for bilateral rows z itself is the impulse.
void ss_mncp_impulses(const ss_cone_run* run, const double* z, double* F);

/// z of impulses: the inverse where impulses and velocities fulfil the law, a start where they do not. xi is
/// G Lambda + b.
void ss_mncp_inverse(const ss_cone_run* run, const double* Lambda, const double* xi, double* z);

/// Phi(z), with F of z
void ss_mncp_phi(const ss_cone_run* run, const double* z, double* F, double* phi);

/// dPhi/dz, m x m
void ss_mncp_jacobian(const ss_cone_run* run, const double* z, double* J);

#endif
