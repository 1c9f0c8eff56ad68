// The impact: velocities jump from gamma to gamma_after = gamma + G Lambda, by Newton's or by Poisson's law
// (docs/impacts.md). Plain data, as the contact problem is.
#ifndef STICKSLIP_IMPACT_H
#define STICKSLIP_IMPACT_H

#include <stickslip/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ss_impact_law {
  SS_IMPACT_NEWTON,   ///< restitution of velocities, xi = gamma+ + eps gamma- [Glocker & Studer 2005, (11), (12)]
  SS_IMPACT_POISSON,  ///< restitution of impulses: compression, then expansion [Slavic & Boltezar 2006, section 2.2]
  SS_IMPACT_LAWS
} ss_impact_law;

/// "newton", "poisson"; NULL if there is no such law.
SS_API const char* ss_impact_law_name(ss_impact_law law);
SS_API bool ss_impact_law_find(const char* name, ss_impact_law* law);  ///< false if there is none

/// How contacts that hit at one instant are resolved.
typedef enum ss_impact_order {
  SS_IMPACTS_SIMULTANEOUS,  ///< all at once: one problem
  SS_IMPACTS_SEQUENTIAL,    ///< one by one, the fastest approach first, until none approaches any more
  SS_IMPACT_ORDERS
} ss_impact_order;

/// "simultaneous", "sequential"; NULL if there is no such order.
SS_API const char* ss_impact_order_name(ss_impact_order order);
SS_API bool ss_impact_order_find(const char* name, ss_impact_order* order);  ///< false if there is none

/// Up to which tangential velocity gamma_0 Poisson's law gives tangential impulse back without braking.
typedef enum ss_recoil {
  SS_RECOIL_LOCAL,  ///< that which the impulse given back produces alone, G_TT Lambda_TS: continuous
  SS_RECOIL_FREE,   ///< any
  SS_RECOIL_NONE,   ///< none: Coulomb's law in the expansion, whatever nu
} ss_recoil;

/// Closed contacts and bilateral rows at one instant. Rows as in ss_contact_problem; friction elements get no impulse.
typedef struct ss_impact {
  int n_bilateral, n_contact, m;
  const double* G;              ///< m x m, row by row, symmetric positive semidefinite: W^T M^-1 W
  const double* gamma;          ///< m: relative velocities before
  const ss_contact_kind* kind;  ///< n_contact, and so below
  const double* mu;             ///< friction, >= 0
  const double* eps_n;          ///< normal restitution, 0..1
  const double* eps_t;          ///< tangential restitution, 0..1
  const double* nu;             ///< tangential reversibility, 0..1; NULL if all are 0. Poisson only, and not in space:
                                ///< with spatial contacts and a recoil that is not NONE all must be 0
} ss_impact;

/// How to solve. Start from ss_impact_def_default(); change what you need.
typedef struct ss_impact_def {
  ss_impact_law law;    ///<                                                                   default SS_IMPACT_NEWTON
  ss_recoil recoil;     ///<                                                                   default SS_RECOIL_LOCAL
  bool energy_limited;  ///< scale restitution down where the contacts would give energy       default false
  ss_impact_order order;  ///< sequential: each hit is an impact of its own by the law, with the limit if there is one.
                          ///< If more than 1000 hits per contact follow one another nothing more is given back, and
                          ///< the rest is one impact.                              default SS_IMPACTS_SIMULTANEOUS
  ss_lcp_def solver;    ///< of impacts in the plane
  ss_friction_def friction;  ///< of those with spatial contacts; its cone is always the exact one
} ss_impact_def;

SS_API ss_impact_def ss_impact_def_default(void);

/// What a solve found. The arrays belong to the caller.
typedef struct ss_impact_solution {
  double* Lambda;           ///< m: impulses in all
  double* gamma_after;      ///< m: gamma + G Lambda
  double* Lambda_C;         ///< m, or NULL if not wanted: of the compression; Newton: all of Lambda
  double* gamma_C;          ///< m, or NULL: velocities after the compression; Newton: gamma_after
  double* Lambda_E;         ///< m, or NULL: of the expansion; Newton: 0
  ss_contact_state* state;  ///< n_contact: at the end. Open: separates, or carries no impulse
  double energy;            ///< Lambda . (gamma + gamma_after)/2: change of kinetic energy if nothing is driven, J
  double sigma;             ///< below 1: eps_n was scaled by it so that no energy is gained; sequential: the least
  int hits;                 ///< impacts in a row: 1, or more if they are resolved one by one
  bool unique;              ///< false: the impulses of the compression are not; those of least norm were taken
  ss_choice choice;         ///< whether the velocities are one choice of several; sequential: SS_CHOICE_NONE
  double residual;          ///< ss_impact_residual()
  int iterations;           ///
} ss_impact_solution;

/// Bytes of arena that ss_impact_solve() needs for an impact with up to this many bilateral rows and contacts.
SS_API size_t ss_impact_solve_size(int n_bilateral, int n_contact);

/// Solves the impact. SS_OK only if the residual is at most def->solver.tol (spatial contacts: def->friction.tol), or
/// what round-off of the impulses leaves of it.
/// SS_ERR_ARGUMENT if rows or coefficients are wrong, SS_ERR_NUMERIC if G or gamma holds a NaN or an infinity.
SS_API ss_status ss_impact_solve(const ss_impact* impact, const ss_impact_def* def, ss_arena* arena,
                                 ss_impact_solution* solution);

/// How far impulses are from the law: the largest violation as a velocity, each row in units of sqrt(G_ii) and relative
/// to the largest gamma_i/sqrt(G_ii); T1 and T2 together, with the larger G_ii. Knows nothing of the solver. Newton:
/// Lambda_C is all, Lambda_E is not read. sigma scales eps_n (Newton: eps_t too), 1 as a rule. O(m^2). def->order is
/// not read: the residual of a sequence is the worst of its hits, each as an impact of its own.
SS_API double ss_impact_residual(const ss_impact* impact, const ss_impact_def* def, double sigma,
                                 const double* Lambda_C, const double* Lambda_E);

/// All solutions of an impact in the plane, for n_contact <= SS_CONTACT_ENUMERATE_MAX: vertices are Lambda in all,
/// xi is gamma_after, states are those at the end. Poisson's law: each compression with each expansion that can follow
/// it; of a family of compressions with the same velocities the one of least norm, which makes `complete` false, as
/// does tangential recoil, after which only one expansion is looked for. Statuses as of ss_contact_enumerate();
/// def->energy_limited is not read.
SS_API ss_status ss_impact_enumerate(const ss_impact* impact, const ss_impact_def* def,
                                     ss_contact_solutions** solutions);

#ifdef __cplusplus
}
#endif
#endif
