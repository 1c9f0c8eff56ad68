// The contact problem of one step or one impact:  xi = G Lambda + b with the laws of ss_contact_def.
// Plain data: it can be saved, reloaded and solved alone.
#ifndef STICKSLIP_CONTACT_H
#define STICKSLIP_CONTACT_H

#include <stickslip/base.h>
#include <stickslip/lcp.h>
#include <stickslip/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a contact does.
typedef enum ss_contact_state {
  SS_OPEN,      ///< no contact impulse
  SS_STICK,     ///< closed, no sliding
  SS_SLIP_POS,  ///< closed, sliding with xi_T > 0
  SS_SLIP_NEG,  ///< closed, sliding with xi_T < 0
  SS_CLOSED,    ///< closed, frictionless
} ss_contact_state;

/// "open", "stick", "slip+", "slip-", "closed".
SS_API const char* ss_contact_state_text(ss_contact_state state);

/// Most rows of a dense problem, and most coordinates of a system: products of two of them fit an int.
enum { SS_MAX_ROWS = 15000 };

/// Rows: first n_bilateral rows with xi = 0 and free Lambda, then the contacts in order, normal row first.
typedef struct ss_contact_problem {
  int n_bilateral;              ///
  int n_contact;                ///
  int m;                        ///< rows in all
  const double* G;              ///< m x m, row by row, symmetric positive semidefinite: W^T M^-1 W
  const double* b;              ///< m
  const ss_contact_kind* kind;  ///< n_contact
  const double* mu;             ///< n_contact
  const double* bound;          ///< n_contact: impulse (force times dt) that friction may take without normal load
} ss_contact_problem;

/// What a solve found. The arrays belong to the caller.
typedef struct ss_contact_solution {
  double* Lambda;           ///< m
  double* xi;               ///< m, = G Lambda + b computed afresh
  ss_contact_state* state;  ///< n_contact
  double residual;          ///< ss_contact_residual() of Lambda
  int iterations;           ///
} ss_contact_solution;

/// Bytes of arena that ss_contact_solve() needs for a problem with up to this many rows.
SS_API size_t ss_contact_solve_size(int n_bilateral, int n_contact);

/// Solves the contact problem as one LCP of size 3k [Glocker & Studer 2005, (27), (33)] by Lemke's method; bilateral
/// rows are eliminated first. SS_OK only if the residual is at most def->tol. SS_ERR_ARGUMENT if rows or coefficients
/// are wrong, SS_ERR_NUMERIC if G or b holds a NaN or an infinity.
SS_API ss_status ss_contact_solve(const ss_contact_problem* problem, const ss_lcp_def* def, ss_arena* arena,
                                  ss_contact_solution* solution);

/// How far Lambda is from solving the problem: the largest violation of the laws, as a velocity, each row measured in
/// units of sqrt(G_ii) and taken relative to the largest b_i/sqrt(G_ii). Does not depend on units. O(m^2).
SS_API double ss_contact_residual(const ss_contact_problem* problem, const double* Lambda);

#ifdef __cplusplus
}
#endif
#endif
