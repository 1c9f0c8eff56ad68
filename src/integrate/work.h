// The workspace, and the stages that the integrators share. A step reads as a list of these calls.
#ifndef SS_INTEGRATE_WORK_H
#define SS_INTEGRATE_WORK_H

#include <math.h>
#include <stickslip/dissipation.h>
#include <stickslip/simulate.h>

#include "integrate/known.h"

/// What the projection does with a contact.
typedef struct ss_target {
  uint64_t key;  ///
  double slop;   ///< overlap that stays
  bool in;       ///< has been found violated: part of the problem
  bool holds;    ///< carries load: bilateral
  bool due;      ///< the step found it where it must not stay; scenes
  double pull;   ///< largest impulse that holds it, N s^2; operators
} ss_target;

/// A contact that the tangent of its gap closes within the step (graze.c)
typedef struct ss_grazing {
  uint64_t key;
  double gap, gamma;   ///< at the start of the step, gamma with the free velocity
  double end, middle;  ///< gap at the end of free motion, and at `time`; NAN: not listed there
  double time;         ///< where it is least, or halfway; 0: it ends below zero
} ss_grazing;

/// The number of the target with this key, looked for from number `from` on and around; -1 if there is none. Lists keep
/// their order from one evaluation to the next, so that the next one is usually it.
static inline int ss_target_find(const ss_target* list, int n, uint64_t key, int from)
{
  for (int tries = 0, j = from; tries < n; tries++, j = j + 1 < n ? j + 1 : 0)
    if (list[j].key == key) return j;
  return -1;
}

typedef struct ss_island ss_island;

/// A contact of the problem at hand whose bound is mu times the normal impulse of another one
typedef struct ss_loaded {
  int contact;   ///< number among those of the problem
  int first;     ///< its first row in the problem
  int load;      ///< row of that normal impulse
  double mu;     ///< m
  double trace;  ///< of its G_ii
  double change, before;  ///< of its bound by the last solve and the one before it, times the trace, m/s
  int ease;               ///< whether its bound is smaller than the law's (resistance.c)
} ss_loaded;

struct ss_work {
  const ss_system_def* def;
  const ss_operators* op;  ///< of systems whose contacts come and go; NULL: matrices, and a fixed list
  // sizes; n_contact and m are those of the list at hand
  int nq, nv, n_contact, n_bilateral, m;  ///< m: contact rows in all
  int most_contacts, most_rows;           ///< what the arrays of lists have room for; rows with bilateral ones
  // the system at the position of ss_evaluate()
  ss_at at;            ///< scratch of the system, and where it was evaluated
  const double* force; ///< nv: from outside, during a step; NULL: none
  double reach;        ///< time within which contacts that are to be listed may close, s; systems with operators
  bool mass_ready;     ///< L holds the factor of a constant mass matrix
  bool mass_failed;    ///< the last factorisation found M not positive definite
  double* L;           ///< nv x nv: Cholesky factor of M; no operators
  double* h;           ///< nv
  const ss_contact_item* item;  ///< n_contact, or NULL: a fixed list
  const ss_contact_def** law;   ///< n_contact
  double *mu_now, *bound_now;  ///< n_contact: friction of sliding where forces were last evaluated
  bool* stuck;         ///< n_contact: has stuck in the step before
  bool has_static;     ///< some contact has another limit at rest than in motion
  double* gap;         ///< n_contact
  double* W;           ///< (n_bilateral + m) x nv: rows of W^T, bilateral ones first; no operators
  double* w_hat;       ///< n_bilateral + m
  double* error;       ///< n_bilateral: c(q, t)
  double* error_size;  ///< n_bilateral: of the terms whose difference that is; operators
  int* row;            ///< n_contact: first row of a contact in W
  // the step
  double* q;           ///< nq: position at which the step is evaluated, then its end
  double* u_free;      ///< nv: velocity at the end without contact impulses
  double* u;           ///< nv: velocity at the end
  double* u_mean;      ///< nv: velocity that positions move with (jean)
  double* u_way;       ///< nv: u_A, less for what meets something on the way to the contacts (jean)
  double* gyro;        ///< nv: see ss_at (jean)
  double* v;           ///< nv: scratch
  double* gamma;       ///< n_bilateral + m: relative velocities at the start
  double* gamma_size;  ///< likewise: the magnitudes of their terms; operators
  double* gamma_free;  ///< likewise: with u_free, without w_hat; operators
  double* row_size;    ///< likewise: scratch; operators
  double* fall;        ///< n_contact: dt sum_j |W_j (u_free - u_A)_j|, a way that free motion within the step is of, m
  double* way;         ///< n_contact: ... in any direction, along all rows of the contact; operators
  // the contact problem of the active contacts
  int n_active;        ///
  int n_chosen;        ///< contacts that take part in all rounds of a step (jean); their keys are in `target`
  int* active;         ///< n_contact: their indices
  int* source;         ///< n_bilateral + m: row of W that a row of the problem comes from
  double* Y;           ///< rows of W^T L^-T: G = Y Y^T
  double *G, *b, *mu, *bound;
  ss_contact_kind* kind;
  ss_contact_problem problem;
  ss_contact_solution solution;
  bool chooses;        ///< of several solutions one is to be chosen (contact/choose.h)
  ss_choice choice;    ///< whether there were several
  bool not_examined;   ///< ... that is not known of some island, which is too large
  ss_arena* lists;     ///< arrays whose length follows the list
  ss_arena* arena;     ///< scratch of the solvers
  size_t arena_bytes;  ///
  // islands of systems with operators (islands.c); rows in the problem of the step
  ss_kink* kink;                                     ///< n_kink
  double *side, *kick;                               ///< 3 n_kink: sides; 2 nv: impulse, zeros
  int *part_up, *part_number;                        ///< n_parts
  int* row_part;                                     ///< 2 most_rows
  bool has_row_parts;                                ///< those are of the rows of the problem
  int *island_of, *island_next, *contact_of;         ///< most_rows
  ss_island* island;                                 ///< most_rows
  bool accounts;                                     ///< the step keeps the energy ledger
  int n_energy;                                      ///< parts with energies of their own, at least 1
  ss_part_energy* energy_part;                       ///< n_energy: what the step does to them (part_energy.c)
  ss_energy* energy_now;                             ///< n_energy: where energies were last evaluated
  ss_power* power_now;                               ///< n_energy: likewise
  double* part_given;                                ///< n_energy: what impacts may give in a step; scratch
  bool has_potential;                                ///< there is:
  double* part_potential;                            ///< n_energy: size of the terms of V
  int* part_size;                                    ///< n_parts: velocities, see ss_operators.part_size
  int* part_block;                                   ///< n_parts: first block of its velocities in its island
  struct ss_friction_blocks** part_memory;           ///< n_parts: of the island that begins with it, NULL if none did
  double* diagonal;                                  ///< most_rows: of G, in velocity space
  double kappa;                                      ///< relative compliance of the contacts in the problem
  bool has_jump;                                     ///< what the impulses of the solution do is known:
  double* jump;                                      ///< nv: M^-1 W Lambda
  double* row_jump;                                  ///< most_rows: all rows of the list, W^T M^-1 W Lambda
  int n_start;                                       ///
  const ss_contact_impulse* start;                   ///< n_start: of the step before, see ss_state
  int n_loaded;                                      ///
  ss_loaded* loaded;                                 ///< n_loaded: resistance against spin and rolling (resistance.c)
  int* problem_row;                                  ///< n_active: first row in the problem; operators
  int n_sets;                                        ///< contacts of the problem whose friction is not a disk
  const struct ss_friction_set** set;                ///< most_rows: of the contacts of the problem, NULL: the disk
  const double* impact_Lambda;                       ///< rows of the problem: of an impact that came before, or NULL
  bool has_guess;                                    ///< there are impulses to start from, of the rows at hand:
  double* guess;                                     ///< most_rows
  struct ss_pool* pool;                              ///< NULL: one thread
  ss_arena* island_arena;                            ///< of the one that is being solved
  size_t island_bytes;                               ///
  ss_arena* fixed;     ///< arrays that do not depend on the list
  // results
  ss_contact_result* result;  ///< most_contacts: of the list that the step had
  double* spent;              ///< 3 most_contacts: what each of its rows took out of the system, J
  double* spent_bilateral;    ///< n_bilateral: likewise
  ss_contact_item* shown;     ///< most_contacts: a copy of that list; operators
  ss_target* target;          ///< 2 most_contacts: of that list, and of the one at hand
  ss_grazing* grazing;        ///< most_contacts: those that free motion may pass by
  double* gap_more;           ///< most_rows: what keeping bilateral constraints adds to gaps or velocities
  double* Lambda_bilateral;   ///< n_bilateral
  double* Lambda_bilateral_1; ///< n_bilateral: of the first stage (rattle)
  double* force_bilateral;    ///< n_bilateral
  ss_step_info info;
  bool is_open;               ///< the scratch of the system is to be closed
  struct ss_known* known;     ///< numbers of contacts that come and go
  struct ss_rattle* rattle;   ///< of steps in two stages; NULL until the first one
  struct ss_arc* arc;         ///< of the event-driven integrator; NULL until its first step
  double* sensed;             ///< n_sensor: what ss_sense() found
  double *q_before, *u_before;  ///< nq, nv: where the last step began; systems with sensors
  double dt_before;           ///< how long it was, s
  char message[256];
  struct ss_kept* kept;       ///< NULL unless ss_work_keep_problem() was called
  struct ss_parts* parts;     ///< NULL until a step was too large
  int halvings;               ///< of the step at hand
};

/// Copies the problem and its solution, if they are to be kept.
void ss_keep_problem(ss_work* w);

/// Why a step failed, into work->message; returns status.
ss_status ss_work_fail(ss_work* w, ss_status status, const char* format, ...) SS_PRINTF(3, 4);

/// The list of contacts at hand has n_contact entries with m rows: makes room. False if memory is short.
bool ss_work_reserve(ss_work* w, int n_contact, int m);

// ---- M and the rows, as matrices or by operators (operators.c) ----

void ss_mass_solve(const ss_work* w, double* x);                    ///< x = M^-1 x
void ss_gamma(const ss_work* w, const double* v, double* gamma);    ///< all rows: W^T v, without w_hat
/// Compliance on the diagonal of G (m x m) of a problem with these contacts: kappa trace(G_ii) in every row of each
void ss_add_compliance(double kappa, const ss_contact_problem* problem, double* G);
double ss_row_terms(const ss_work* w, int row, const double* u);    ///< sum_j |W_j u_j|, u: at the start of the step
ss_status ss_delassus(ss_work* w, int m);                           ///< w->G of the rows w->source
void ss_impulse_velocity(ss_work* w, double* v);                    ///< v = M^-1 W Lambda with the solution at hand
/// v = u, less for what would pass through something on the way dt u from q at the time t; operators with `stop` only
ss_status ss_free_way(ss_work* w, const double* q, const double* u, double dt, double t, double* v);
/// w->q = q moved along u, where nothing passes through anything; t is the time at q.
ss_status ss_advance_freely(ss_work* w, const double* q, const double* u, double dt, double t);
void ss_advance(const ss_work* w, const double* q, const double* u, double dt, double* q_out);  ///< q moved along u

/// M (factorised), gaps, W, w_hat at (q, t). u may be NULL if there are no operators.
ss_status ss_evaluate(const ss_system* system, ss_work* w, const double* q, const double* u, double t);
/// The same without the factors of M, which are made where they are needed.
ss_status ss_evaluate_rows(const ss_system* system, ss_work* w, const double* q, const double* u, double t);
ss_status ss_factor_mass(ss_work* w);
/// ... and M without gaps and rows.
ss_status ss_evaluate_mass(const ss_system* system, ss_work* w, const double* q, const double* u, double t);

/// w->kick: the impulse of supports whose velocity jumps within the step of length dt in which the system was last
/// evaluated (kick.c); *any: there is one. And the work that they do, at the position last evaluated, the middle of the
/// step.
ss_status ss_kick(ss_work* w, double dt, bool* any);
ss_status ss_kick_work(ss_work* w, double dt, double* work);  ///< 1 + n_energy: in all, then of the parts

/// w->u_free = u + dt M^-1 (h(q, u_h, t) + w->force) at the position last evaluated; w->gamma = W^T u + w_hat
ss_status ss_free_velocity(ss_work* w, const double* u, const double* u_h, double dt);
/// The two parts of that: u_free alone, which has nothing to do with rows, and the rest.
ss_status ss_free_motion(ss_work* w, const double* u, const double* u_h, double dt);
ss_status ss_free_rows(ss_work* w, const double* u);

/// Which contacts take part in the step: gap <= 0 (up to round-off) where it was evaluated [GS section 5, step 3(b)];
/// friction elements always. Where overlap is removed, those that carried load in the step before stay within what is
/// allowed of it on either side.
void ss_find_contacts_closed(ss_work* w, const ss_step_def* def);
/// ... or predicted closed at the end of a step with the free velocity: gap + dt gamma_N < 0 [MJ section 2.7.1], where
/// forces press: up to round-off.
void ss_find_contacts_predicted(ss_work* w, double dt);
/// After the solve: more contacts that forces press together by way of others take part; false: there are none.
bool ss_find_contacts_pressed(ss_work* w, double dt);

/// The active contacts that are open where the system was evaluated, into w->grazing; returns how many.
int ss_list_grazing(ss_work* w);
/// Gaps of n of them along free motion. The system is evaluated elsewhere, w->q changes.
ss_status ss_look_at_grazing(const ss_system* system, const ss_step_def* def, const ss_state* s, ss_work* w, int n);
/// Those of n that are passed by do not take part.
void ss_leave_out_grazing(ss_work* w, double dt, int n);
/// Active contacts that are closed only since bilateral constraints are not kept where the system was evaluated do not
/// take part, unless they carried load before.
ss_status ss_leave_out_drifted(ss_work* w, const ss_step_def* def);

/// What an integrator asks of the velocities at the end of the step.
typedef struct ss_rules {
  bool approach_only;      ///< a contact that separates gets no restitution: eps min(gamma_N, 0)
  double bilateral_start;  ///< bilateral rows: gamma_E + this gamma_A = 0
} ss_rules;

/// The contact problem of the m rows w->source with w->b, w->kind, w->mu, w->bound; the last rows are those of the
/// contacts, the rest is bilateral. Computes Y and G; with operators G stays NULL.
ss_status ss_make_problem(ss_work* w, int m, int n_contact);

/// G = W^T M^-1 W and b = W^T u_free + w_hat + eps gamma_A for the active contacts [GS (33)].
ss_status ss_assemble(ss_work* w, double dt, ss_rules rules);

/// w->island_arena, empty, with so many bytes. False if memory is short.
bool ss_work_island_room(ss_work* w, size_t bytes);

/// Solves the contact problem of a system with operators, island by island.
ss_status ss_solve_islands(ss_work* w, const ss_step_def* def);
/// The same with bounds that follow normal impulses (resistance.c).
ss_status ss_solve_loaded(ss_work* w, const ss_step_def* def);

/// What row k of contact i of the list was multiplied by, see ss_contact_item.stretch.
static inline double ss_stretch(const ss_work* w, int i, int k)
{
  return w->op && k > 0 && w->item[i].stretch[k - 1] > 0 ? w->item[i].stretch[k - 1] : 1;
}

/// G of the whole problem of a system with operators, with compliance: for those who want to see it. Into w->problem.
ss_status ss_whole_problem(ss_work* w);

/// Room in w->arena, which must be empty. False if memory is short.
bool ss_work_scratch(ss_work* w, size_t bytes);

/// Impulses of the step before for the active contacts, into w->guess.
void ss_guess_impulses(ss_work* w);
/// Whether contact i of a list that comes and goes has carried load in the step before
bool ss_was_loaded(const ss_work* w, int i);
/// Those of this step into the state. False if memory is short.
bool ss_keep_impulses(const ss_work* w, ss_state* s);

/// Solves the contact problem (nothing to do if it is empty).
ss_status ss_solve_contacts(ss_work* w, const ss_step_def* def);

/// A part of the step's problem leaves this choice: the largest is kept.
void ss_take_choice(ss_work* w, ss_choice choice);
/// Tells if a problem with this solution is too large for a choice (SS_CHOOSE_ROWS) that may be one of motions.
void ss_examine(ss_work* w, const ss_contact_problem* p, const ss_contact_solution* s);

/// Fails, by name, where Poisson's law is asked for what it has in the plane alone: tangential restitution of one of
/// the n contacts w->active.
ss_status ss_check_poisson(ss_work* w, const ss_step_def* def, int n);

/// The same for the problem of a step by Poisson's law: contacts that hit follow it.
ss_status ss_solve_apart(const ss_step_def* def, ss_work* w);

/// Assembles the problem of a step and solves it; contacts that hit follow def->impact.
ss_status ss_solve_step(const ss_step_def* def, ss_work* w, ss_rules rules);

// ---- friction that is not one constant (friction_law.c) ----

/// w->mu_now, w->bound_now with the motion of w->at; gamma: relative velocities of all rows, read with operators.
ss_status ss_friction_now(ss_work* w, const double* gamma);
/// The limits of a contact that rests: those of its static coefficients where they are given.
/// On given sides of kinks limits without a static one go on smoothly beyond zero.
static inline double ss_larger_at_rest(double at_rest, double now) { return at_rest > 0 ? fmax(at_rest, now) : now; }
static inline double ss_mu_rest(const ss_work* w, int i)
{
  return ss_larger_at_rest(w->law[i]->mu_static, w->mu_now[i]);
}
static inline double ss_bound_rest(const ss_work* w, int i)
{
  return ss_larger_at_rest(w->law[i]->bound_static, w->bound_now[i]);
}
/// Whether the contact can have friction, now or later: a limit that varies may be zero for a while.
static inline bool ss_has_friction(const ss_work* w, int i)
{
  return w->law[i]->varies || ss_mu_rest(w, i) > 0 || ss_bound_rest(w, i) > 0;
}
/// Whether the contact has a static coefficient that sliding lowers.
static inline bool ss_breaks_loose(const ss_work* w, int i)
{
  return ss_mu_rest(w, i) > w->mu_now[i] || ss_bound_rest(w, i) > w->bound_now[i];
}
/// The contacts that the state says to have stuck, and back.
void ss_recall_sticking(ss_work* w, const ss_state* s);
void ss_remember_sticking(const ss_work* w, ss_state* s);
/// Contacts that come and go: w->stuck, by the impulses of the step before
void ss_recall_by_key(ss_work* w);
/// After a solve: contacts that were let slide and have come to rest or turned round within the step get their static
/// limit (catch), those that it did not hold lose it. Returns whether any limit has changed.
bool ss_revise_limits(ss_work* w, bool catch);

/// For the impact and the rest of the step.
size_t ss_collide_size(int n_bilateral, int n_contact, int rows);  ///< bytes of arena

/// x += M^-1 W Lambda with the solution at hand.
void ss_add_impulses(ss_work* w, double* x);

/// w->u = u_free + M^-1 W Lambda [GS (32)].
ss_status ss_apply_impulses(ss_work* w);

/// What one contact of a step, or of an impact, takes out of the system by its normal impulse and by friction, J
typedef struct ss_losses {
  double normal, friction;
} ss_losses;

/// spent (3): by each row of a contact
static inline ss_losses ss_losses_of(const double* spent)
{
  return (ss_losses){spent[0], spent[1] + spent[2]};
}

/// Losses of a contact, into the books. The work of both with the mean velocities is right in sum; the shares would be
/// if they grew in proportion. An eccentric impact turns the sliding around, and friction would seem to give what the
/// normal impulse takes in excess: friction gives nothing, a gain of the contact stands with its normal impulse. Where
/// it has none (friction elements: pressed is false) it is the error of a step in which sliding turns around, and not
/// in the books.
static inline void ss_book_losses(double* loss_normal, double* loss_friction, bool pressed, ss_losses loss)
{
  *loss_normal += pressed && loss.friction < 0 ? loss.normal + loss.friction : loss.normal;
  *loss_friction += loss.friction > 0 ? loss.friction : 0;
}

/// The relative velocity of row r of W with w->u, at the end of the step, where contacts are reported
double ss_gamma_end(const ss_work* w, int r);
/// Whether contact i has a normal impulse, or follows that of another: resistance against spin and rolling
bool ss_is_pressed(const ss_work* w, int i);
/// Fills w->result and w->info from the solution: both of the following.
void ss_report_contacts(ss_work* w, ss_status status);
/// w->result, w->spent and w->spent_bilateral
void ss_fill_results(ss_work* w);
/// Losses and works of contacts and constraints, and the rest of w->info. first: the workspace of the first stage of a
/// step in two, whose partners move too; what it spent is with that of the step. Or NULL.
void ss_book_contacts(ss_work* w, ss_work* first, ss_status status);
/// Relative velocity of row r at the end of a step without contact impulses
double ss_gamma_free(const ss_work* w, int r);
/// w->fall and w->way of every contact in a step of this length
void ss_measure_fall(ss_work* w, double dt);
/// Whether contact i takes part: friction elements always, resistance with the contact that loads it
bool ss_in_step(const ss_work* w, int i, bool closed);
/// Of contact i, where the system was last evaluated: what its gap is a difference of, m or rad.
double ss_gap_terms(const ss_work* w, int i);
/// Whether contact i touches where the system was evaluated, up to round-off
bool ss_is_closed(const ss_work* w, int i);
/// Rows of the contact problem: all bilateral ones, then those of the active contacts. Returns their number.
int ss_list_rows(ss_work* w, double dt);

/// The overlap of contact i that stays, m or rad
double ss_overlap_allowed(const ss_work* w, const ss_step_def* def, int i);
/// Gaps below this part of `fall` are closed: a resting contact must not open by round-off.
#define SS_GAP_CLOSED 1e-6

/// The deepest overlap at the position last evaluated, m, or of limits of joints that turn, rad
double ss_deepest(const ss_work* w, bool angle);
/// Overlap where the step ends, w->q at time t, which the step has not tested: into the info. The contacts are
/// reported, and none was moved since; evaluated only if their velocities say that it is deeper than what was tested.
ss_status ss_overlap_at_end(const ss_system* system, ss_work* w, double t);

/// Whether penetration is to be removed after the step, whose contacts are reported
bool ss_to_project(const ss_work* w, const ss_step_def* def);

/// Removes constraint errors of position, and penetration of contacts if asked for, from w->q at time t [ST section
/// 2.2.1], and what the bilateral rows do not allow from w->u. SS_INACCURATE if constraint errors remain.
ss_status ss_project(const ss_system* system, ss_work* w, const ss_step_def* def, double t, bool contacts);

/// What is left of the constraint errors where the system was last evaluated; SS_INACCURATE if it is more than
/// round-off and a small part of a step's motion.
ss_status ss_check_constraints(ss_work* w, double dt);

/// One integrator per file. On success w->q, w->u hold the end of the step.
ss_status ss_step_moreau(const ss_system* system, const ss_step_def* def, const ss_state* s, ss_work* w);
ss_status ss_step_jean(const ss_system* system, const ss_step_def* def, const ss_state* s, ss_work* w);
ss_status ss_step_rattle(const ss_system* system, const ss_step_def* def, const ss_state* s, ss_work* w);
ss_status ss_step_euler(const ss_system* system, const ss_step_def* def, const ss_state* s, ss_work* w);

/// T and V where the system was last updated, into *e, and of its parts, into w->energy_now
ss_status ss_energy_now(ss_work* w, ss_energy* e);
/// T and V at (q, u, t), into *e; a failure says why.
ss_status ss_energies(const ss_system* system, ss_work* w, const double* q, const double* u, double t, ss_energy* e);

// ---- the ledger of a step, part by part (part_energy.c); w->energy_now are the energies last evaluated ----

/// `more`, which came after `sum`, added to it, n of them.
void ss_add_part_energies(int n, ss_part_energy* sum, const ss_part_energy* more);
void ss_part_energies_begin(ss_work* w);               ///< at the start of the step
void ss_part_energies_project(ss_work* w, double sign);  ///< just before (-1) and after (1) a projection
void ss_part_energies_end(ss_work* w, const double* u);  ///< at the end of the step that began with u
/// At the end of a step whose works and losses are told as a whole: parts that have any do not know them.
void ss_part_energies_end_whole(ss_work* w);
/// Losses and drives of the contacts and constraints that are reported. first: of the first stage of a step in two, as
/// in ss_book_contacts().
void ss_part_energies_contacts(ss_work* w, ss_work* first);
/// Works with w->power_now for dt, and of forces from outside, with the mean velocity u.
void ss_part_energies_work(ss_work* w, const double* u, double dt);

/// One step of a time-stepping integrator, as it is asked for.
ss_status ss_step_once(const ss_system* system, const ss_step_def* def, ss_state* s, ss_work* w);
/// The same in smaller steps, for one that was too large (parts.c).
ss_status ss_step_in_parts(const ss_system* system, const ss_step_def* def, ss_state* s, ss_work* w);
void ss_parts_destroy(struct ss_parts* parts);
void ss_rattle_destroy(struct ss_rattle* rattle);

/// The event-driven integrator does all of a step itself.
ss_status ss_step_event(const ss_system* system, const ss_step_def* def, ss_state* s, ss_work* w);

#endif
