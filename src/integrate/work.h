// The workspace, and the stages that the integrators share. A step reads as a list of these calls.
#ifndef SS_INTEGRATE_WORK_H
#define SS_INTEGRATE_WORK_H

#include <stickslip/simulate.h>

struct ss_work {
  // sizes
  int nv, n_contact, n_bilateral, m;  ///< m: contact rows in all
  // the system at the position of ss_evaluate()
  ss_at at;            ///< scratch of the system, and where it was evaluated
  bool mass_ready;     ///< L holds the factor of a constant mass matrix
  bool mass_failed;    ///< the last factorisation found M not positive definite
  double* L;           ///< nv x nv: Cholesky factor of M
  double* h;           ///< nv
  double* gap;         ///< n_contact
  double* W;           ///< (n_bilateral + m) x nv: rows of W^T, bilateral ones first
  double* w_hat;       ///< n_bilateral + m
  double* error;       ///< n_bilateral: c(q, t)
  int* row;            ///< n_contact: first row of a contact in W
  // the step
  double* q;           ///< nv: position at which the step is evaluated, then its end
  double* u_free;      ///< nv: velocity at the end without contact impulses
  double* u;           ///< nv: velocity at the end
  double* gamma;       ///< n_bilateral + m: relative velocities at the start
  double* fall;        ///< n_contact: dt sum_j |W_j (u_free - u_A)_j|, a way that free motion within the step is of, m
  // the contact problem of the active contacts
  int n_active;        ///
  int* active;         ///< n_contact: their indices
  int* source;         ///< n_bilateral + m: row of W that a row of the problem comes from
  double* Y;           ///< rows of W^T L^-T: G = Y Y^T
  double *G, *b, *mu, *bound;
  ss_contact_kind* kind;
  ss_contact_problem problem;
  ss_contact_solution solution;
  ss_arena* arena;     ///< scratch of the solvers
  // results
  ss_contact_result* result;  ///< n_contact
  double* Lambda_bilateral;   ///< n_bilateral
  ss_step_info info;
  struct ss_arc* arc;         ///< of the event-driven integrator; NULL until its first step
  char message[256];
  struct ss_kept* kept;       ///< NULL unless ss_work_keep_problem() was called
};

/// Copies the problem and its solution, if they are to be kept.
void ss_keep_problem(ss_work* w);

/// Why a step failed, into work->message; returns status.
ss_status ss_work_fail(ss_work* w, ss_status status, const char* format, ...) SS_PRINTF(3, 4);

/// M (factorised), gaps, W, w_hat at (q, t). u may be NULL.
ss_status ss_evaluate(const ss_system* system, ss_work* w, const double* q, const double* u, double t);

/// w->u_free = u + dt M^-1 h(q, u, t) at the position last evaluated; w->gamma = W^T u + w_hat
ss_status ss_free_velocity(const ss_system* system, ss_work* w, const double* u, double dt);

/// Which contacts take part in the step: gap <= 0 (up to round-off) where it was evaluated [GS section 5, step 3(b)];
/// friction elements always.
void ss_find_contacts_closed(const ss_system* system, ss_work* w, double dt);
/// ... or predicted closed at the end of a step with the free velocity: gap + dt gamma_N < 0 [MJ section 2.7.1].
void ss_find_contacts_predicted(const ss_system* system, ss_work* w, double dt);

/// What an integrator asks of the velocities at the end of the step.
typedef struct ss_rules {
  bool approach_only;   ///< a contact that separates gets no restitution: eps min(gamma_N, 0)
  bool bilateral_mean;  ///< bilateral rows: (gamma_A + gamma_E)/2 = 0, else gamma_E = 0
} ss_rules;

/// The contact problem of the m rows w->source with w->b, w->kind, w->mu, w->bound; the last rows are those of the
/// contacts, the rest is bilateral. Computes Y and G.
void ss_make_problem(ss_work* w, int m, int n_contact);

/// G = W^T M^-1 W and b = W^T u_free + w_hat + eps gamma_A for the active contacts [GS (33)].
void ss_assemble(const ss_system* system, ss_work* w, double dt, ss_rules rules);

/// Solves the contact problem (nothing to do if it is empty).
ss_status ss_solve_contacts(ss_work* w, const ss_lcp_def* def);

/// The same for the problem of a step by Poisson's law: contacts that hit follow it.
ss_status ss_solve_poisson(const ss_system* system, const ss_step_def* def, ss_work* w);

/// The same for the problem of a step; contacts that hit follow def->impact.
static inline ss_status ss_solve_step(const ss_system* system, const ss_step_def* def, ss_work* w)
{
  if (def->impact == SS_IMPACT_NEWTON) return ss_solve_contacts(w, &def->solver);
  return ss_solve_poisson(system, def, w);
}

/// For the impact and the rest of the step.
size_t ss_collide_size(int n_bilateral, int n_contact, int rows);  ///< bytes of arena

/// x += M^-1 W Lambda = L^-T Y^T Lambda with the solution at hand.
void ss_add_impulses(ss_work* w, double* x);

/// w->u = u_free + M^-1 W Lambda [GS (32)].
ss_status ss_apply_impulses(ss_work* w);

/// Fills w->result and w->info from the solution.
void ss_report_contacts(const ss_system* system, ss_work* w, ss_status status);

/// Removes constraint errors of position (and penetration, if `contacts`) from w->q at time t [ST section 2.2.1], and
/// what the bilateral rows do not allow from w->u. SS_INACCURATE if constraint errors remain.
ss_status ss_project(const ss_system* system, ss_work* w, const ss_step_def* def, double t, bool contacts);

/// One integrator per file. On success w->q, w->u hold the end of the step.
ss_status ss_step_moreau(const ss_system* system, const ss_step_def* def, const ss_state* s, ss_work* w);
ss_status ss_step_euler(const ss_system* system, const ss_step_def* def, const ss_state* s, ss_work* w);

/// T and V at (q, u, t), into *e; a failure says why.
ss_status ss_energies(const ss_system* system, ss_work* w, const double* q, const double* u, double t, ss_energy* e);

/// The event-driven integrator does all of a step itself.
ss_status ss_step_event(const ss_system* system, const ss_step_def* def, ss_state* s, ss_work* w);

#endif
