// What the solution of an impact (impact.c) and the list of all its solutions (impact_all.c) share.
#ifndef SS_CONTACT_IMPACT_LAWS_H
#define SS_CONTACT_IMPACT_LAWS_H

#include <stickslip/impact.h>

/// The impact resolved hit by hit (impact_sequence.c), and the bytes that it needs beside those of one hit.
ss_status ss_impact_sequence(const ss_impact* impact, const ss_impact_def* def, ss_arena* arena, ss_impact_solution* s);
size_t ss_impact_sequence_size(int n_bilateral, int n_contact);

/// The rows and coefficients of the impact can be solved: SS_OK, SS_ERR_ARGUMENT, SS_ERR_NUMERIC.
ss_status ss_impact_check(const ss_impact* impact, const ss_impact_def* def, const double* no_bound);

/// Whether one of the contacts is spatial.
static inline bool ss_impact_is_spatial(const ss_impact* impact)
{
  for (int i = 0; i < impact->n_contact; i++)
    if (impact->kind[i] == SS_CONTACT_SPATIAL) return true;
  return false;
}

/// Newton's law, b (m): b_N = gamma_N + eps_N min(gamma_N, 0), b_T = (1 + eps_T) gamma_T, restitution scaled by sigma.
void ss_impact_newton(const ss_impact* impact, double sigma, double* b);

/// Poisson's law: a (m) = eps_N Lambda_NC, zero but for normal rows, bound (n_contact) = mu a. False if all a are 0.
bool ss_impact_given_back(const ss_impact* impact, double sigma, const double* Lambda_C, double* a, double* bound);

/// out = gamma + G Lambda
void ss_impact_velocities(const ss_impact* impact, const double* gamma, const double* Lambda, double* out);

/// What contacts do with velocities gamma after impulses Lambda: open where gamma_N > 0. Velocities up to `error` count
/// as zero.
void ss_impact_states(const ss_impact* impact, const double* gamma, const double* Lambda, double error,
                      ss_contact_state* state);

/// Poisson's law after a compression given by Lambda_C and gamma_C: Lambda_E, tangential recoil included.
ss_status ss_impact_expand(const ss_impact* impact, const ss_impact_def* def, ss_arena* arena, const double* Lambda_C,
                           const double* gamma_C, double* Lambda_E);

/// Lambda_C, a solution of the compression, becomes the one of least norm with the same velocities gamma_C.
ss_status ss_impact_least(const ss_impact* impact, const ss_impact_def* def, ss_arena* arena, const double* gamma_C,
                          double* Lambda_C, bool* unique);

#endif
