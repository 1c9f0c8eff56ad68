// The residuals of all classes once more, with twice the digits: is the number that judged a solution to be trusted?
// Same definitions as ss_lcp_residual(), ss_mlcp_residual(), ss_contact_residual() and ss_friction_residual(), but
// plain code of their own, and sums and laws in pairs of doubles (about 32 digits). NaN if memory is short; INFINITY if
// numbers overflow or are not finite.
#ifndef STICKSLIP_CERTIFY_H
#define STICKSLIP_CERTIFY_H

#include <stickslip/contact.h>
#include <stickslip/friction.h>
#include <stickslip/lcp.h>
#include <stickslip/mlcp.h>

#ifdef __cplusplus
extern "C" {
#endif

SS_API double ss_lcp_certify(const ss_lcp* lcp, const double* x);
SS_API double ss_mlcp_certify(const ss_mlcp* mlcp, const double* z);
SS_API double ss_contact_certify(const ss_contact_problem* problem, const double* Lambda);

/// In the global form M v = H Lambda + f is solved by refinement with residuals of twice the digits, part by part where
/// M falls into parts. SS_ERR_NUMERIC if M is too ill-conditioned for that, SS_ERR_CAPACITY if a part has more than
/// 2000 rows.
SS_API ss_status ss_friction_certify(const ss_friction_problem* problem, const double* Lambda, double* residual,
                                     ss_error* error);

#ifdef __cplusplus
}
#endif
#endif
