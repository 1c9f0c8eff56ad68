// Friction by maximal dissipation: the tangential impulse of a contact maximises -xi_T.c over a convex set,
//   psi(c) <= mu Lambda_N + bound,   psi the gauge of a set S with 0 inside:  S = {c: psi(c) <= 1},
// that is  0 in xi_T + lambda dpsi(Lambda_T),  0 <= lambda _|_ mu Lambda_N + bound - psi(Lambda_T) >= 0.
//                                                                       [Stewart 2000, (2.2), (2.3), (2.17), (2.18)]
// The disk is Coulomb's law, the ellipse friction that differs with the direction, a polygon the polyhedral cone.
// Problems are dense (ss_contact_problem), with bilateral rows and contacts of every kind, none of them sliding already
// (`slide` is NULL or 0).
#ifndef STICKSLIP_DISSIPATION_H
#define STICKSLIP_DISSIPATION_H

#include <stickslip/attempt.h>
#include <stickslip/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ss_set_shape {
  SS_SET_DISK,     ///< |c| <= 1
  SS_SET_ELLIPSE,  ///< (c.e1/a1)^2 + (c.e2/a2)^2 <= 1, e1 at `angle` from T1, e2 perpendicular to it
  SS_SET_POLYGON,  ///< the convex hull of the vertices
} ss_set_shape;

/// The set S of a spatial contact. Plain data.
typedef struct ss_friction_set {
  ss_set_shape shape;
  double a[2];           ///< ellipse: semi-axes, > 0
  double angle;          ///< ellipse: of the first axis, rad
  int n;                 ///< polygon: vertices, at least 3
  const double* vertex;  ///< polygon: 2n, counter-clockwise, each a corner, 0 strictly inside
} ss_friction_set;

/// *error (may be NULL) says what is wrong with a set.
SS_API ss_status ss_friction_set_check(const ss_friction_set* set, ss_error* error);

/// The vertices of {c: normal_j.c <= distance_j, j = 1 ... n}, distances > 0, counter-clockwise into vertex (2n);
/// *count of them. SS_ERR_INPUT if the set is not bounded.
SS_API ss_status ss_friction_set_facets(int n, const double* normal, const double* distance, double* vertex, int* count,
                                        ss_error* error);

SS_API double ss_friction_set_psi(const ss_friction_set* set, const double c[2]);      ///< gauge of S
SS_API double ss_friction_set_support(const ss_friction_set* set, const double d[2]);  ///< max d.c over S

/// How to find it. The first four need no smoothness, the last two no facets.
typedef enum ss_dissipation_method {
  SS_DISSIPATION_AUTO,          ///< the others in turn until one succeeds
  SS_DISSIPATION_MLCP_PATH,     ///< polyhedral MLCP by pivoting, directions turned into those of sliding
  SS_DISSIPATION_MLCP_PFB_RLM,  ///< the same MLCPs by ss_mlcp_solver SS_MLCP_PFB_RLM
  SS_DISSIPATION_MLCP_PFB_PLM,  ///< ... SS_MLCP_PFB_PLM
  SS_DISSIPATION_MNCP_RLM,      ///< Todorov's parametrisation, regular Levenberg-Marquardt      [MJ sections 4, 5.1]
  SS_DISSIPATION_MNCP_PLM,      ///< ... projected Levenberg-Marquardt                           [MJ sections 4, 5.2]
  SS_DISSIPATION_METHODS
} ss_dissipation_method;

/// "auto", "mlcp-path", "mlcp-pfb-rlm", "mlcp-pfb-plm", "mncp-rlm", "mncp-plm"; NULL if there is no such method.
SS_API const char* ss_dissipation_method_name(ss_dissipation_method method);

/// The method of this name. False if there is none (or name is NULL); *method is then left alone.
SS_API bool ss_dissipation_method_find(const char* name, ss_dissipation_method* method);

/// How to solve. Start from ss_dissipation_def_default(); change what you need.
typedef struct ss_dissipation_def {
  ss_dissipation_method method;  ///<                                                             default: auto
  double tol;                    ///< on ss_dissipation_residual()                                default 1e-8
  int facets;                    ///< directions of a disk or ellipse in an MLCP, even, 4 or more default 4
  bool polyhedral;               ///< the plain polyhedral law: directions stay, tol is on the residual of the MLCP
                                 ///<                                                             default false
  bool cone_fixed;               ///< polyhedral: the first direction of a disk or ellipse lies at cone_angle, not
                                 ///< where it resists sliding most                               default false
  double cone_angle;             ///< of the first direction from T1, rad (ellipses: where they are disks) default 0
  int max_iter;                  ///< iterations per attempt; 0: each method's own limit          default 0
  bool warm_start;               ///< Lambda holds a guess                                        default false
  const volatile int* stop;      ///< a flag: not 0 ends the solve soon, as max_iter does         default NULL
} ss_dissipation_def;

SS_API ss_dissipation_def ss_dissipation_def_default(void);

/// What a solve found. The arrays belong to the caller.
typedef struct ss_dissipation_solution {
  double* Lambda;                ///< m
  double* xi;                    ///< m, or NULL: G Lambda + b computed afresh
  double residual;               ///< ss_dissipation_residual() of Lambda
  double mlcp_residual;          ///< of the last MLCP; INFINITY if there was none, or it could not be solved
  int iterations;                ///< pivots and iterations of all attempts
  int alignments;                ///< MLCPs solved
  ss_dissipation_method method;  ///< the one that found Lambda
  ss_attempt_log log;            ///< what was tried
} ss_dissipation_solution;

/// Bytes of arena that ss_dissipation_solve() needs. `set` has n_contact entries; NULL: all disks.
SS_API size_t ss_dissipation_solve_size(const ss_contact_problem* problem, const ss_friction_set* set,
                                        const ss_dissipation_def* def);

/// SS_OK only if the residual is at most def->tol. SS_NOT_CONVERGED leaves the best Lambda found. SS_ERR_ARGUMENT if
/// rows, coefficients or sets are wrong, SS_ERR_NUMERIC if G or b holds a NaN or an infinity.
SS_API ss_status ss_dissipation_solve(const ss_contact_problem* problem, const ss_friction_set* set,
                                      const ss_dissipation_def* def, ss_arena* arena,
                                      ss_dissipation_solution* solution);

/// How far Lambda is from the law, without units: the largest of, with rho the reciprocal of the mean of a contact's
/// diagonal entries of G and r = mu max(0, Lambda_N) + bound,
///   |xi| of bilateral rows,  |min(Lambda_N/rho, xi_N)|,  |Lambda_T - P_rS(Lambda_T - rho xi_T)|/rho,
/// each in units of 1/sqrt(rho) and relative to the largest |b| in these units. Ellipses are made disks first. Where
/// Lambda_N = 0 and bound = 0 it asks for Lambda_T = 0 and leaves xi_T alone, as the Fritz John form
/// 0 = Lambda_N xi_T + 2 lambda Lambda_T does [Stewart 2000, section 2.3]. O(m^2).
SS_API double ss_dissipation_residual(const ss_contact_problem* problem, const ss_friction_set* set,
                                      const double* Lambda);

#ifdef __cplusplus
}
#endif
#endif
