// A system from its energies: Lagrange's equations of the second kind with contacts, by exact differentiation.
#ifndef SS_SYSTEM_LAGRANGIAN_H
#define SS_SYSTEM_LAGRANGIAN_H

#include <stickslip/system.h>

#include "system/expr.h"

/// A contact as expressions; -1 where absent.
typedef struct ss_lagrangian_contact {
  ss_expr gap;    ///< g_N(q, t)
  ss_expr slide;  ///< gamma_T(q, u, t), affine in u
  ss_expr mu, bound;  ///< (q, u, t), of a contact whose friction varies; 0 or any expression if it does not
} ss_lagrangian_contact;

/// The system as expressions of one graph, whose first coordinates are those of the system; it may have more.
typedef struct ss_lagrangian_def {
  ss_graph* graph;
  ss_expr kinetic;    ///< T(q, u, t), at most quadratic in u
  ss_expr potential;  ///< V(q, t)
  ss_expr damping;    ///< R(q, u, t): the force -dR/du acts
  const ss_expr* force;                  ///< nv: applied generalised forces Q(q, u, t)
  const ss_lagrangian_contact* contact;  ///< n_contact
  const ss_expr* constraint;             ///< n_bilateral: c(q, t) = 0
  int n_probe;
  const ss_expr* probe;                  ///< n_probe: e(q, t) that are evaluated with their rates, for others to use
  const ss_expr* sensor;                 ///< n_sensor: e(q, u, t)
} ss_lagrangian_def;

typedef struct ss_lagrangian ss_lagrangian;

/// Which part of a definition an error is about.
typedef enum ss_lagrangian_part { SS_PART_NONE, SS_PART_KINETIC, SS_PART_SLIDE } ss_lagrangian_part;

/// Derives M, h, W, w_hat, w_bar and the energies and compiles them. `names` gives everything of ss_system_def but the
/// functions. NULL with *error, *part and *index (of the contact) if T is not quadratic or a slide not affine.
ss_lagrangian* ss_lagrangian_create(const ss_lagrangian_def* def, const ss_system_def* names, ss_lagrangian_part* part,
                                    int* index, ss_error* error);
void ss_lagrangian_destroy(ss_lagrangian* lagrangian);
const ss_system* ss_lagrangian_system(const ss_lagrangian* lagrangian);  ///< NULL if it has no coordinates

/// How many parts have energies of their own, *part (nv): that of each coordinate, and *tied: whether rows of contacts,
/// constraints or probes act on it. They belong to the Lagrangian. Its system tells energies apart if there are
/// several.
int ss_lagrangian_energy_parts(const ss_lagrangian* lagrangian, const int** part, const bool** tied);

/// For systems that are made of more than the Lagrangian: its update(), at->user the Lagrangian, at->scratch cleared
/// at first.
ss_status ss_lagrangian_update(const ss_at* at);
size_t ss_lagrangian_scratch(const ss_lagrangian* lagrangian);  ///< bytes
/// The sensors; no update() comes before it, and what that has made ready stays as it is.
void ss_lagrangian_sense(const ss_at* at, const ss_past* past, double* value);
/// After it, the probes: e, de/dq (row by row: n_probe x nv), de/dt.
void ss_lagrangian_probes(const ss_at* at, double* value, double* row, double* rest);
/// ... and with at->u the part of e'' that does not depend on u'.
void ss_lagrangian_probe_bias(const ss_at* at, double* bias);
/// Its kinks (max, abs, if, ...), those of the probes too: how many, where (e.g. "motion of a body"), and as
/// ss_system_def.kinks(), also if it has no coordinates.
int ss_lagrangian_n_kink(const ss_lagrangian* l);
const char* ss_lagrangian_kink(const ss_lagrangian* l, int k);
ss_status ss_lagrangian_kinks(const ss_at* at, ss_kink* kink);

#endif
