// All that the contact laws allow at one instant: the accelerations, or the outcomes of an impact, that a state of a
// system can be followed by. None, one, several or infinitely many (docs/impacts.md).
#ifndef STICKSLIP_SOLUTIONS_H
#define STICKSLIP_SOLUTIONS_H

#include <stickslip/simulate.h>

#ifdef __cplusplus
extern "C" {
#endif

/// On which level the contact problem is posed.
typedef enum ss_level {
  SS_LEVEL_ANY,           ///< impact if a contact hits, else acceleration
  SS_LEVEL_ACCELERATION,  ///< forces and accelerations of the contacts that touch and do not separate
  SS_LEVEL_IMPACT,        ///< impulses and velocities after, of all contacts that touch
  SS_LEVEL_COUNT
} ss_level;

/// "any", "acceleration", "impact"; NULL if there is no such level.
SS_API const char* ss_level_name(ss_level level);

/// What to ask. Start from ss_solutions_def_default(); change what you need.
typedef struct ss_solutions_def {
  ss_level level;        ///< default SS_LEVEL_ANY
  ss_impact_law impact;  ///< default SS_IMPACT_NEWTON
  ss_lcp_def solver;     ///< its tol is the residual that a solution may have
} ss_solutions_def;

SS_API ss_solutions_def ss_solutions_def_default(void);

/// One contact of the system at the state. The sets are those of the event-driven integrator, with its tolerances.
typedef struct ss_contact_at {
  double gap;       ///< m
  double gamma[2];  ///< relative velocity (N, T), m/s
  bool touches;     ///< I_S: the gap is zero (or below); friction elements always
  bool stays;       ///< I_N: touches, and gamma_N is zero
  bool rests;       ///< I_H: stays, and gamma_T is zero
  bool hits;        ///< touches, and gamma_N is below zero
  int slide;        ///< of contacts that stay: sign of gamma_T, 0 if it is zero
  int number;       ///< for ss_work_contact_name(): its index, unless contacts come and go
  ss_contact_kind kind;
} ss_contact_at;

/// What the motions of one sliding contact are like,  gamma_N' = a lambda_N + b  with  a = G_NN - s mu G_NT [Painleve]
typedef enum ss_painleve {
  SS_PAINLEVE_REGULAR,        ///< a > 0: one; or there is not exactly one sliding contact in the problem
  SS_PAINLEVE_INCONSISTENT,   ///< a <= 0, b < 0: none; the velocity must jump
  SS_PAINLEVE_INDETERMINATE,  ///< a <= 0, b >= 0: two, contact and separation (a = b = 0: a ray)
} ss_painleve;

/// All solutions at a state. Owned by itself.
typedef struct ss_solutions {
  ss_level level;          ///< of the problem that was posed, never SS_LEVEL_ANY
  int nv, n_contact;       ///< of the system; where contacts come and go: those that are closed
  ss_contact_at* contact;  ///< n_contact
  int* active;             ///< problem.n_contact: index in `contact` of each contact in the problem
  /// What was solved: xi = G Lambda + b. On the level of impacts b is gamma, to which Newton's and Poisson's law add.
  ss_contact_problem problem;
  ss_contact_solutions* all;  ///< forces and accelerations gamma'; impacts: impulses and velocities after
  double* free;            ///< nv: M^-1 h; impacts: u before
  double* response;        ///< problem.m x nv: rows of W^T M^-1, what a unit of Lambda adds
  ss_painleve painleve;    ///< if the problem has one contact, which slides; a, b of it
  double a, b;             ///
} ss_solutions;

/// Finds all solutions of the contact problem at the state, of at most SS_CONTACT_ENUMERATE_MAX contacts. Contacts that
/// state->mode calls closed (if state->has_mode) touch whatever their gap. SS_OK also if there is none. On a failure
/// ss_work_message() says why and *solutions is left alone; SS_ERR_CAPACITY: too many contacts.
SS_API ss_status ss_solutions_at(const ss_system* system, const ss_solutions_def* def, const ss_state* state,
                                 ss_work* work, ss_solutions** solutions);
SS_API void ss_solutions_destroy(ss_solutions* solutions);  ///< NULL is fine

/// Accelerations u' (impacts: velocities after) of the coordinates, nv, with Lambda (problem.m); of a ray what it adds.
SS_API void ss_solutions_motion(const ss_solutions* solutions, const double* Lambda, bool ray, double* motion);

/// Motions that differ: pieces with the same accelerations (velocities after) count once. -1: infinitely many.
SS_API int ss_solutions_count(const ss_solutions* solutions);

#ifdef __cplusplus
}
#endif
#endif
