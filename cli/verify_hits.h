// Contacts that hit in a time step by another law than Newton's for all at once.
#ifndef CLI_VERIFY_HITS_H
#define CLI_VERIFY_HITS_H

#include "verify.h"

/// A contact that hits: its normal impulse is positive, and it was closing
typedef struct cli_hit {
  const ss_contact_def* law;
  double mu, bound;             ///< friction in the step; NAN: not known
  long double before, after;    ///< gamma_N
  long double N;                ///< its impulse
  long double response;         ///< G Lambda in the row N
  long double G_NN, G_NT;       ///< |G_NT| of all tangents
  long double size;             ///< of velocities in the step
  bool alone;                   ///< no other impulse changes its velocity
  bool held;                    ///< constraints act on it
} cli_hit;

/// Those of a step. Zero-initialise.
typedef struct cli_hits {
  int n;
  double eps;
  bool differ, rubs;  ///< eps; one has friction
} cli_hits;

/// Whether the run takes impacts apart from its steps.
bool cli_hits_apart(const cli_verifier* v);

void cli_hits_check(cli_verifier* v, long row, const cli_hit* h);

void cli_hits_add(cli_hits* s, const cli_hit* h, bool rubs);

/// given: energy by all contacts of a step, without moving partners; norm: of u_A, u_E and dt M^-1 h in the metric of M
void cli_hits_check_energy(cli_verifier* v, long row, const cli_hits* s, long double given, const long double norm[3]);

#endif
