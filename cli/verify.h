// What `stickslip verify` looks at, and how far each thing is off. Text models: verify_text.c; scenes: verify_scene.c.
#ifndef CLI_VERIFY_H
#define CLI_VERIFY_H

#include "cli.h"
#include "progress.h"

typedef enum cli_verify_check {
  CLI_NUMBERS,
  CLI_START,
  CLI_TIMES,
  CLI_MOMENTUM,
  CLI_PARTS,
  CLI_POSITION,
  CLI_ARCS,
  CLI_KINEMATICS,
  CLI_NORMAL,
  CLI_FRICTION,
  CLI_STATES,
  CLI_RESIDUAL,
  CLI_GAPS,
  CLI_OVERLAPS,
  CLI_EVENTS,
  CLI_COUNTS,
  CLI_ENERGY,
  CLI_LOSSES,
  CLI_WORKS,
  CLI_BALANCE,
  CLI_KEPT,
  CLI_CHECKS
} cli_verify_check;

/// What may be missing in CLI_PARTS, whatever --tol is
#define CLI_PARTS_TOL 1e-2
/// ... and in CLI_KEPT
#define CLI_KEPT_TOL 0.1

/// Of the sizes of all that moves: what one island of it has less is round-off of the others, 1e-16, to 1e-2 of --tol
#define CLI_FAINT 1e-6L

/// Tolerances of the run are believed up to this: rtol, and that of contact laws
#define CLI_LOOSE 1e-4
#define CLI_LOOSE_LAWS 1e-3

/// Of the energy that the impulses of a step stand for: T of what rests
#define CLI_RESTS 5e-9L

typedef struct cli_finding {
  long n;             ///< how often it was looked at
  long double worst;  ///< relative
  long row;           ///< where
} cli_finding;

/// A run with its system
typedef struct cli_verifier {
  ss_run* run;
  const ss_run_info* info;
  ss_model* model;
  const ss_system_def* d;
  ss_at at;
  const double *t, *step;  ///< columns; the ledger's:
  const double *kinetic, *potential, *forces, *drive, *loss_normal, *loss_friction, *projection, *defect;
  cli_finding found[CLI_CHECKS];
  long not_seen;           ///< steps that cannot be looked at
  long pairs, pairs_seen;  ///< of shapes that can touch, times rows; those that were looked at
  long distant;            ///< impulses of contacts that stay open
  long several_motions;    ///< steps whose motion is one choice of several
  long as_found;           ///< ... that hangs on the order of contacts
  long not_solved;         ///< steps that missed their tolerance when they were computed
  long not_examined;       ///< steps with islands that are too large for the question
  long bounded;            ///< steps after which overlap was removed: positions are known to lie within a bound
  double tol;
  double energy;           ///< the largest T and change of V of the run, J
  long double* rest;       ///< nv: the largest energies that forces would give within a step, J, as far as it rests
  long double rest_energy; ///< their sum, J
  double* fall;            ///< nv: how far those at the start would move it within a step: |M^-1 h| dt^2
  double fastest;          ///< the largest velocity of the run
  double least;            ///< impulses as small as this are round-off of what moves, N s
  int n_left_out;
  const char* left_out[16];///< what is not checked, and why
  long left_n[16];         ///< how many of them; 0: no number
  // rows, see cli_verify_rows()
  const double **q, **u, *steps_before;  ///< columns: nq, nv
  const ss_event* event;                 ///< n_events
  const double *event_q, *event_u;       ///< n_events x nq, n_events x nv
  ss_contact_state* was;                 ///< n_contact: in the row before
  bool* seen;                            ///< n_contact: scratch
  struct cli_cone* cone;                 ///< n_contact: laws of impulses, see cli_impulses_open()
  const double* in_parts;                ///< column; NULL: the run has none
  double* before;                        ///< 3 n_contact: velocities at the start of the step, NAN: unknown
  long double gained;                    ///< by contacts in steps in which none of them hit and bounced, J
  long double largest_step, all_steps;   ///< energies that the impulses of a step stand for: the largest, the sum, J
  long double held;                      ///< those of the steps of a run that starts at rest, as long as it rests, J
  bool starts_at_rest;                   ///< and has been so as far as the row at hand
  const char* kept_part;                 ///< the part that has kept its energy worst; NULL: the whole
  long double projected, at_hand;        ///< energy that projections gave, and the energy at hand, J
  double speed;                          ///< largest terms of velocities of contacts in the step at hand
  long next_event;
  cli_progress progress;
} cli_verifier;

/// Before each row of a pass over the run: shows how far it is. False with *error if a signal has come.
/// Whether no end of a step, and no event, lies between a row and the one before: a row has the impulses since then.
bool cli_verify_is_next(const cli_verifier* v, long row);

/// Whether the integrator holds gaps in its rows themselves: bodies go nowhere after their contacts were tested
static inline bool cli_verify_tests_rows(const cli_verifier* v)
{
  ss_integrator i = v->info->run.step.integrator;
  return i == SS_EVENT_DRIVEN || i == SS_RATTLE;
}

bool cli_verify_go_on(cli_verifier* v, long row, ss_error* error);

/// Something is not checked: what, and why. Once for each text.
void cli_verify_leave_out(cli_verifier* v, const char* what);

/// The same, one more of them: the text follows a number.
void cli_verify_count_out(cli_verifier* v, const char* what);

/// Arcs that are looked at in part (counted)
#define CLI_TOO_ROUGH "arcs with a part too rough to be followed, but for the other parts"
#define CLI_ROUGH "arcs with a rough part, beyond what the method used here can tell of it"

/// Contacts that slide, which are left out (counted)
#define CLI_NOT_HELD "times that something begins to slide, as to whether static friction could hold it"

/// Whether the rows can be those of the model in the file, by their sizes and names. False with *error.
bool cli_verify_fits(const cli_verifier* v, ss_error* error);

/// Row 0 against the state that the model starts from. False with *error.
bool cli_verify_start(cli_verifier* v, ss_error* error);

/// The scales of what rests, v->rest and v->fall. False if it cannot be evaluated.
bool cli_verify_rest(cli_verifier* v);

/// Opens what is common to all runs, and checks numbers, times and counts. False with *error.
bool cli_verify_rows(cli_verifier* v, ss_error* error);

/// That no rows are missing (verify_whole.c). False with *error.
bool cli_verify_whole(cli_verifier* v, ss_error* error);

/// That events that end a series of impacts come after one (verify_series.c). False if memory is short.
bool cli_verify_series(cli_verifier* v);

/// The events of time-stepping that the states of this row and the one before tell; one: a single step is between them.
bool cli_verify_step_events(cli_verifier* v, long row, bool one, ss_error* error);

/// The events of the event-driven integrator that this row was written after, in scenes
bool cli_verify_stop_events(cli_verifier* v, long row, ss_error* error);

/// That an event has the time, the state and the energy of this row
void cli_verify_event_state(cli_verifier* v, long row, long event);

/// The constraints of a step in parts from a to e, of planar bodies (verify_parts.c). B: columns of their impulses.
/// False if the system cannot be evaluated, or with *error.
bool cli_verify_parts(cli_verifier* v, long row, const ss_state* a, const ss_state* e, const double* const* B,
                      ss_error* error);

/// The rows N and T of a contact of planar bodies by its place in the file (verify_places.c): W 2 x nv, w_hat 2. False
/// if memory is short, or the bodies have no places.
bool cli_verify_place_rows(cli_verifier* v, const double* q, double t, const ss_run_contact* c, double* W,
                           double w_hat[2]);

/// Whether the normal of a contact of planar bodies in the file is that of an edge there, or between those of the edges
/// that meet in two corners, and its place the listed one, or a corner no farther from it than they overlap
/// (verify_places.c). False also if memory is short, or the bodies have no places.
bool cli_verify_place_fits(cli_verifier* v, const double* q, double t, const ss_run_contact* c, const double listed[3]);

/// How deep bodies in the plane overlap, by their outlines alone (verify_bodies.c): no deeper than the ledger says.
int cli_verify_bodies(cli_verifier* v);
int cli_verify_expressions(cli_verifier* v);  // verify_expressions.c

/// How deep shapes of a scene overlap, by distances computed anew (verify_pairs.c): no deeper than its contacts say.
int cli_verify_pairs(cli_verifier* v);

/// Limits of joints and tendons of a scene in each row, by the ranges in the model (verify_limits.c).
int cli_verify_limits(cli_verifier* v);

/// `off` should be zero; `size`: of its terms
void cli_verify_note(cli_verifier* v, cli_verify_check check, long row, long double off, long double size);

/// A column of the run, NULL after an error
const double* cli_verify_column(cli_verifier* v, const char* prefix, const char* name, ss_error* error);

/// T, V and the balance of the ledger in a row, with v->at there and updated. False if the energies have no values.
bool cli_verify_energy(cli_verifier* v, long row);

/// Whether the integrator has kept the energy, by the rows alone (verify_kept.c). False if memory is short, or the
/// system cannot be evaluated.
bool cli_verify_kept(cli_verifier* v);

/// Memory for the laws of all contacts of the run, v->cone. False if it is short.
bool cli_impulses_open(cli_verifier* v);

/// Text models: mu and bound (n_contact) of laws that vary, at one of the places of a step; the largest counts. NULL:
/// they are not known.
void cli_impulses_vary(cli_verifier* v, bool first, const double* mu, const double* bound);

/// Laws of the contacts of a row from a list of the system.
void cli_impulses_learn(cli_verifier* v, int n_run, const ss_run_contact* list, int n, const ss_contact_item* item);

/// Signs and cones of all impulses of a row (verify_impulses.c); with a list of contacts the system is placed there.
/// looked: laws that vary were looked at elsewhere. False if there is no value, or with *error.
bool cli_verify_impulses(cli_verifier* v, long row, bool looked, ss_error* error);

/// What contacts took in a step
typedef struct cli_losses {
  long double normal, friction;
  long double size;  ///< of the terms of both
  long double given; ///< what contacts that hit and bounce may give
  long double step;  ///< the energy that the impulses stand for, G_ii Lambda_i^2; read of time steps
} cli_losses;

/// One row of a contact that was hit with gamma < 0 along its normal, and bounces: its law may give this much
static inline void cli_verify_give(cli_losses* sum, long double Lambda, long double gamma)
{
  sum->given += Lambda*gamma < 0 ? -Lambda*gamma : Lambda*gamma;
}

/// One contact: what its normal impulse took, and its friction. Friction gives nothing: what it gives counts as normal,
/// if there is a normal impulse that it follows.
void cli_verify_add_loss(cli_losses* sum, bool pressed, long double normal, long double friction);

/// What the ledger's losses grew by in a step against what they must have
void cli_verify_losses(cli_verifier* v, long row, const cli_losses* sum);

/// What the ledger's works of forces and of drives grew by in a step, or an arc, against what they must have. weight:
/// of their sizes
void cli_verify_works(cli_verifier* v, long row, long double forces, long double drive, long double weight);

/// The rows of a step
typedef struct cli_ends {
  const double *qa, *ua, *qe, *ue;  ///< nq, nv
} cli_ends;

/// The works of a time step (verify_works.c). q, u: its middle; contacts: what moving partners put in. False if the
/// system cannot be evaluated.
bool cli_verify_step_works(cli_verifier* v, long row, const cli_ends* ends, const double* q, const double* u,
                           long double contacts);

/// Of the function of a kink: rows may lie at it, on either side
#define CLI_AT_KINK 1e-12

/// Sides (n_kink) of the kinks where v->at is, updated: 1 or -1; 0 if the function of the kink is less than `at_it`.
/// False if they cannot be evaluated.
bool cli_verify_sides(cli_verifier* v, double at_it, double* side);

/// Sides (n_kink, 1 or -1) on which the model is evaluated in a row of an event-driven run: at a kink those of the arc
/// that ends there, or after its events of the one that begins. v->at is elsewhere afterwards. False if the system
/// cannot be evaluated, or memory is short.
bool cli_verify_row_sides(cli_verifier* v, long row, double* side);

/// The impulse (nv) of supports that kick in a step, at q, or (work) the work (1) with u (verify_kick.c). t: its start,
/// where it takes its forces, its end. v->at is elsewhere afterwards. False if the system cannot be evaluated.
bool cli_verify_kick(cli_verifier* v, const double* q, const double* u, const double t[3], bool work, double* sum);

/// An impact of the event-driven integrator: no pull, nothing left closing, friction (its size as a disk) within
/// `limit` of the normal impulse (NAN: unknown)
void cli_verify_impact(cli_verifier* v, const ss_event* e, double friction, double limit);

/// The motion between the rows of an event-driven run of a text model, its impacts, its events. False if the system
/// cannot be evaluated, or with *error.
bool cli_verify_arcs(cli_verifier* v, ss_error* error);

/// The same for scenes and planar bodies (verify_flights.c)
bool cli_verify_flights(cli_verifier* v, ss_error* error);

/// Everything; CLI_GO_ON, or the exit status after an error that has been told
int cli_verify_text(cli_verifier* v);
int cli_verify_scene(cli_verifier* v);

#endif
