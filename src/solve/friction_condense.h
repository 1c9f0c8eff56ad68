// The local form G, b of any frictional contact problem, and the measure of its residual.
#ifndef SS_SOLVE_FRICTION_CONDENSE_H
#define SS_SOLVE_FRICTION_CONDENSE_H

#include <stickslip/friction.h>

typedef struct ss_local_form {
  ss_sparse G;      // without compliance
  const double* b;  //
  double* memory;   // b, if it is our own
  bool own;         // G is our own
} ss_local_form;

/// G = H^T M^-1 H, b = H^T M^-1 f + w for a global problem; views of the problem's own arrays for a local one. The
/// problem is valid. SS_ERR_NUMERIC if M is singular, or so nearly that M^-1 H cannot be trusted.
ss_status ss_local_form_make(const ss_friction_problem* problem, ss_local_form* local, ss_error* error);
void ss_local_form_free(ss_local_form* local);

/// The residual from its parts: trace G_ii (with compliance), Lambda, xi, and the scale |b|_inf. NaN if one of them is.
double ss_friction_measure(int dim, int n_contact, const double* mu, const double* trace, const double* Lambda,
                           const double* xi, double scale);

#endif
