// Frictional contact problems with the exact Coulomb cone, planar or spatial, as problems of their own.
//   local form    xi = G Lambda + b
//   global form   M v = H Lambda + f,  xi = H^T v + w          (so G = H^T M^-1 H, b = H^T M^-1 f + w)
//   law           0 <= xi_N  _|_  Lambda_N >= 0,  |Lambda_T| <= mu Lambda_N + bound,  and where xi_T is not 0:
//                 Lambda_T = -(mu Lambda_N + bound) xi_T/|xi_T|           [Acary & Brogliato 2008]
// Rows: first bilateral ones (xi = 0, Lambda free), then contact by contact, normal first: (N), (N, T), (N, T1, T2), or
// (T) for a friction element, |Lambda_T| <= bound. FCLIB writes W, q, r, u for G, b, Lambda, xi.
#ifndef STICKSLIP_FRICTION_H
#define STICKSLIP_FRICTION_H

#include <stickslip/attempt.h>
#include <stickslip/base.h>
#include <stickslip/law.h>
#include <stickslip/sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Plain data, owned by whoever made it. Zero-initialise, then fill one of the two forms.
typedef struct ss_friction_problem {
  int dim;                      ///< rows of every contact where kind is NULL, 2 or 3; else 3 if bodies have 6 rows
  int n_bilateral;              ///< bilateral rows, xi = 0 with Lambda free; they come before the contacts
  int n_contact;                ///< k
  const ss_contact_kind* kind;  ///< k, or NULL: all planar (dim 2) or all spatial (dim 3)
  const double* mu;             ///< k: coefficients of friction, >= 0; no part of frictionless contacts and elements
  const double* bound;          ///< k, or NULL: impulse >= 0 that friction may take beyond mu Lambda_N
  double kappa;     ///< relative compliance: kappa trace(G_ii) is added to the diagonal of each contact's G_ii.
                    ///< 0 is the rigid law; bilateral rows are always rigid.
  bool global;      ///< which form is filled
  ss_sparse G;      ///< local: m x m, m rows in all. Need not be symmetric.
  const double* b;  ///< local: m
  ss_sparse M;      ///< global: n x n, regular
  ss_sparse H;      ///< global: n x m
  const double* f;  ///< global: n
  const double* w;  ///< global: m
} ss_friction_problem;

/// What contact i is, also if the problem has no list of kinds.
SS_API ss_contact_kind ss_friction_kind(const ss_friction_problem* problem, int i);

/// Rows in all, m: the bilateral ones and those of the contacts.
SS_API int ss_friction_rows(const ss_friction_problem* problem);

/// Sizes, kinds, indices, NaN, mu < 0, bound < 0, negative diagonals of G. *error (may be NULL) says what is wrong.
SS_API ss_status ss_friction_validate(const ss_friction_problem* problem, ss_error* error);

/// How unsymmetric G (or M) is: the largest |A - A^T| relative to the largest |A|. Real files have up to 1e-3; no
/// solver here needs symmetry, and nothing is made symmetric.
SS_API double ss_friction_asymmetry(const ss_friction_problem* problem);

/// The local form as arrays: G (m x m, row by row, with compliance) and b (m). SS_ERR_NUMERIC if M is singular.
SS_API ss_status ss_friction_dense(const ss_friction_problem* problem, double* G, double* b, ss_error* error);

/// How far Lambda is from solving the problem, without units: the largest violation by a bilateral row, |xi_i|, or by a
/// contact, relative to the largest |b_i|. That of a contact is, as a velocity, with L = g Lambda, g = trace G_ii, the
/// largest of
///   |L - P_K(L - xi^)|,   K = { L_N >= 0, |L_T| <= mu L_N + g bound },   xi^ = xi + mu|xi_T| e_N [De Saxce & Feng 98],
///   |min(L_N, xi_N)|,     |L_T - P_r(L_T - xi_T)|,   P_r onto the disk |L_T| <= r = mu max(L_N, 0) + g bound.
/// The first alone would do for a moderate mu, but shrinks like 1/mu for a large one. Impulses outside K count by at
/// least their distance from it. Computed from the problem alone, with no part of a solver. *xi (may be NULL) gets m
/// relative velocities. SS_ERR_NUMERIC, and NaN, if Lambda is not finite or sums overflow.
SS_API ss_status ss_friction_residual(const ss_friction_problem* problem, const double* Lambda, double* xi,
                                      double* residual, ss_error* error);

/// The methods, rows of one table.
typedef enum ss_friction_method {
  SS_FRICTION_AUTO,    ///< sweeps, Newton, interior point, ADMM in turn until one succeeds
  SS_FRICTION_NSGS,    ///< block Gauss-Seidel with exact solves of one contact
  SS_FRICTION_NEWTON,  ///< primal-dual Newton with a proximal term that vanishes with the residual
  SS_FRICTION_IPM,     ///< interior point for the exact cone, finished by Newton
  SS_FRICTION_ADMM,    ///< alternating directions with one cached factor
  SS_FRICTION_MLCP_PATH,     ///< facets turned until the cone is exact, MLCPs by pivoting (docs/mncp.md)
  SS_FRICTION_MLCP_PFB_RLM,  ///< ... by Fischer-Burmeister and Levenberg-Marquardt
  SS_FRICTION_MLCP_PFB_PLM,  ///< ... by Fischer-Burmeister and projected Levenberg-Marquardt
  SS_FRICTION_MNCP_RLM,      ///< Todorov's equations by Levenberg-Marquardt
  SS_FRICTION_MNCP_PLM,      ///< ... by projected Levenberg-Marquardt
  SS_FRICTION_METHODS
} ss_friction_method;

SS_API const char* ss_friction_method_name(ss_friction_method method);              ///< "auto", ...; NULL if none
SS_API bool ss_friction_method_find(const char* name, ss_friction_method* method);  ///< false if none, or name NULL

/// How to solve. Start from ss_friction_def_default(); change what you need.
typedef struct ss_friction_def {
  ss_friction_method method;  ///<                                                                 default: auto
  double tol;                 ///< on ss_friction_residual()                                      default 1e-8
  int max_iter;               ///< iterations of each kind per attempt; 0: the method's own limit default 0
  bool warm_start;            ///< start from the Lambda that is passed in                        default false
  int facets;                 ///< directions per spatial contact in an MLCP, even, 4 or more     default 4
  bool polyhedral;            ///< the plain polyhedral cone, directions along -b_T: tol is on the residual of the MLCP.
                              ///< For auto (which is mlcp-path then) and the mlcp methods        default false
  bool cone_fixed;            ///< polyhedral: the first direction lies at cone_angle, not -b_T   default false
  double cone_angle;          ///< of the first direction from T1, rad; read if cone_fixed        default 0
  double compliance;          ///< of contacts in time steps of systems with operators, like ss_friction_problem.kappa,
                              ///< which it does not replace; 0: rigid                            default 0
  const volatile int* stop;   ///< a flag: not 0 ends the solve soon, as if its limits were reached; a time step then
                              ///< is none (SS_ERR_STOPPED), its state as before                  default NULL
} ss_friction_def;

SS_API ss_friction_def ss_friction_def_default(void);

/// What a solve found. The arrays belong to the caller.
typedef struct ss_friction_solution {
  double* Lambda;              ///< m; with warm_start also the start
  double* xi;                  ///< m, or NULL
  double residual;             ///< of Lambda
  int sweeps, newton, ipm, admm;  ///< iterations of each kind
  int factors;                 ///< matrices factored
  int forms, alignments;       ///< pivots and iterations of mlcp-... and mncp-...; MLCPs solved
  double mlcp_residual;        ///< of the last MLCP; INFINITY if there was none, or it could not be solved
  ss_friction_method method;   ///< the one that found Lambda
  ss_attempt_log log;          ///< what was tried
} ss_friction_solution;

/// A problem made ready to be solved: contact blocks, order of elimination, memory. Solving allocates nothing, but for
/// the first solve by a method on dense arrays (mlcp-..., mncp-...).
typedef struct ss_friction_solver ss_friction_solver;

/// Copies what it needs of the problem. NULL and *error (may be NULL) if the problem is not valid or memory is short.
SS_API ss_friction_solver* ss_friction_solver_create(const ss_friction_problem* problem, ss_error* error);
SS_API void ss_friction_solver_destroy(ss_friction_solver* solver);  ///< NULL is fine

/// New numbers (matrices, b or f and w, mu, bound, kappa) for a solver whose problem had the same form, the same kinds
/// of contacts and matrices of the same pattern: the analysis is kept, and nothing is allocated. On failure the solver
/// is as before. SS_ERR_ARGUMENT: the structure differs, make a new solver; *error (may be NULL) says where. Keep zeros
/// in the pattern that may become numbers.
SS_API ss_status ss_friction_solver_update(ss_friction_solver* solver, const ss_friction_problem* problem,
                                           ss_error* error);

/// SS_OK only if the residual is at most def->tol. SS_NOT_CONVERGED leaves the best Lambda found, with its residual.
/// SS_ERR_NUMERIC if numbers overflow; SS_ERR_CAPACITY if the method needs a factor that is too large.
SS_API ss_status ss_friction_solve(ss_friction_solver* solver, const ss_friction_def* def,
                                   ss_friction_solution* solution);

#ifdef __cplusplus
}
#endif
#endif
