// The local form G, b of any frictional contact problem.
#ifndef SS_SOLVE_FRICTION_CONDENSE_H
#define SS_SOLVE_FRICTION_CONDENSE_H

#include <stickslip/friction.h>

typedef struct ss_local_form {
  ss_sparse G;                 // without compliance; rows as in the problem
  const double* b;             //
  struct ss_condenser* maker;  // of G and b, if they are our own
} ss_local_form;

/// G = H^T M^-1 H, b = H^T M^-1 f + w for a global problem; views of the problem's own arrays for a local one. The
/// problem is valid. SS_ERR_NUMERIC if M is singular, or so nearly that M^-1 H cannot be trusted.
ss_status ss_local_form_make(const ss_friction_problem* problem, ss_local_form* local, ss_error* error);
void ss_local_form_free(ss_local_form* local);

/// The same for new numbers in matrices of the same pattern. Allocates nothing. SS_ERR_ARGUMENT if G gets entries where
/// it had none, which the pattern cannot tell.
ss_status ss_local_form_update(const ss_friction_problem* problem, ss_local_form* local, ss_error* error);

/// H^T, and for each of its entries the place in H
bool ss_transpose_with_places(const ss_sparse* H, ss_sparse* Ht, int** from);
void ss_transpose_numbers(const ss_sparse* H, const int* from, ss_sparse* Ht);

#endif
