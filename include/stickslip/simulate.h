// State, workspace, events, one step, many steps.
#ifndef STICKSLIP_SIMULATE_H
#define STICKSLIP_SIMULATE_H

#include <stickslip/base.h>
#include <stickslip/contact.h>
#include <stickslip/friction.h>
#include <stickslip/impact.h>
#include <stickslip/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The impulse that a contact had in a step, along N, T1, T2.
typedef struct ss_contact_impulse {
  uint64_t key;  ///< of ss_contact_item
  double Lambda[3];
  ss_contact_state state;  ///< what it did: friction at rest may be greater
  double point[3];         ///< where it was in the world, m
  double world[3];         ///< the impulse in the world, N s; all zero if it has no place
} ss_contact_impulse;

/// Where a simulation is: all that is needed to go on.
typedef struct ss_state {
  double t;   ///< s
  long step;  ///< steps done since the start
  int nq, nv; ///
  double* q;  ///< nq
  double* u;  ///< nv
  // read and written by the event-driven integrator, left alone by the others, but for `mode` of contacts with a static
  // coefficient: whether they have stuck in the last step
  double t_step;           ///< time of step number `step`; an event may lie between it and the next one, s
  int n_contact;           ///
  bool has_mode;           ///< false: the contact states are not known yet, they follow from q and u
  ss_contact_state* mode;  ///< n_contact: the contact states of the smooth motion from t on
  int n_memory, memory_room;  ///< room: 0 if it cannot grow, or has not yet
  double* memory;          ///< n_memory: what the integrator keeps of the motion so far (bounces, step sizes, ...);
                           ///< read if has_mode; all zero is fine, then it starts anew from the contact states. Where
                           ///< contacts come and go it grows with their list, and none is fine
  // read and written by time-stepping of systems whose contacts come and go, left alone by the others
  int n_impulse, impulse_room;   ///
  ss_contact_impulse* impulse;   ///< n_impulse: of the step just done, by contacts that carried load, in the order of
                                 ///< their list: where the next solve starts. None is fine: it starts from nothing
} ss_state;

SS_API ss_state* ss_state_create(const ss_system* system);  ///< at t = 0, q = u = 0; NULL if memory is short
/// SS_ERR_ARGUMENT if they are states of systems of other sizes, or NULL; nothing has happened then.
/// SS_ERR_MEMORY if there is no room for the impulses; *to then is without them. Or for the memory: it stays as it was.
SS_API ss_status ss_state_copy(ss_state* to, const ss_state* from);
/// Room for n impulses; those that are there stay. False if memory is short.
SS_API bool ss_state_reserve(ss_state* state, int n);
SS_API void ss_state_destroy(ss_state* state);

typedef enum ss_integrator {
  SS_MOREAU,  ///< Moreau's midpoint rule [Glocker & Studer 2005, section 5]
  SS_EULER,   ///< semi-implicit Euler [Mylapilli & Jain 2017, section 2.7.1]
  SS_EVENT_DRIVEN,  ///< smooth arcs of order 8 between located events [Slavic & Boltezar 2006, section 2]
  SS_JEAN,  ///< implicit theta-method [Jean 1999; Stewart 2000, (2.11)]
  SS_RATTLE,  ///< gaps on position level, impacts on velocity level: order 2 [Breuling et al. 2024]
  SS_INTEGRATOR_COUNT
} ss_integrator;

/// "moreau", "euler", "event", "jean", "rattle"; NULL if there is no such integrator.
SS_API const char* ss_integrator_name(ss_integrator integrator);
/// False if the name is not known, or NULL.
SS_API bool ss_integrator_find(const char* name, ss_integrator* integrator);

/// Which motion to take where the contact laws allow several (Painleve). The states of the arc before come first, if
/// they are among them.
typedef enum ss_multiple {
  SS_MULTIPLE_FIRST,     ///< the one that the solver found
  SS_MULTIPLE_STICK,     ///< the one with most contacts closed, then sticking
  SS_MULTIPLE_SEPARATE,  ///< the one with most contacts open
  SS_MULTIPLE_STOP,      ///< none: the step fails
  SS_MULTIPLE_COUNT
} ss_multiple;

/// "first", "stick", "separate", "stop"; NULL if there is no such choice.
SS_API const char* ss_multiple_name(ss_multiple choice);

/// Settings of the event-driven integrator (docs/integrators.md).
typedef struct ss_event_def {
  double rtol;              ///< error of a step of an arc, relative to the largest value of each        default 1e-10
  double max_step;          ///< longest step of an arc, s; 0: no limit but the error             default 0
  ss_multiple on_multiple;  ///<                                                              default SS_MULTIPLE_FIRST
  bool watch_uniqueness;    ///< count the solutions at every event (costs memory and time)             default false
  double end;               ///< the step that would go beyond this time ends there, s              default INFINITY
} ss_event_def;

/// Penetration that remains after a step
typedef enum ss_projection {
  SS_PROJECTION_AUTO,  ///< is removed from systems that say so (ss_operators.overlap): scenes, bodies with outlines
  SS_PROJECTION_ON,    ///< is looked for after every step, and removed
  SS_PROJECTION_OFF,   ///< stays
  SS_PROJECTION_COUNT
} ss_projection;

/// "auto", "on", "off"; NULL if there is no such value.
SS_API const char* ss_projection_name(ss_projection projection);
/// False if the name is not known, or NULL.
SS_API bool ss_projection_find(const char* name, ss_projection* projection);

/// How to step. Start from ss_step_def_default(); change what you need.
typedef struct ss_step_def {
  ss_integrator integrator;  ///< default SS_MOREAU
  double dt;                 ///< step size, s; event: how far a step goes at most               default 1e-4
  double theta;              ///< jean: 1/2 keeps energy, 1 damps                                default 0.5
  ss_projection project;     ///< what becomes of penetration; event: not read      default SS_PROJECTION_AUTO
  bool account;              ///< keep the energy ledger (needs the system's energy())           default false
  ss_impact_law impact;      ///< what contacts do that hit                             default SS_IMPACT_NEWTON
  bool energy_limited;       ///< restitution is scaled down in impacts that would gain energy     default false
  ss_impact_order order;     ///< how contacts that hit together are resolved     default SS_IMPACTS_SIMULTANEOUS
  ss_lcp_def solver;         ///< for the contact problem of each step, if all contacts are planar
  ss_friction_def friction;  ///< ... of systems with operators, whose contacts are spatial
  ss_event_def event;        ///< read by SS_EVENT_DRIVEN only
  int threads;               ///< of systems with operators: islands and large ones; the results are the same bits for
                             ///< any number. Taken when it is first needed by a workspace          default 1
  const double* force;       ///< nv: forces from outside, held over the step, added to h(q, u, t). Their work counts as
                             ///< that of drives. event: clear state->has_mode where they jump          default NULL
} ss_step_def;

SS_API ss_step_def ss_step_def_default(void);

/// One contact in the step just done. A planar contact has rows N and T, a spatial one N, T1 and T2; what a contact
/// does not have is zero.
typedef struct ss_contact_result {
  int contact;             ///< which one, see ss_work_contact_name(); -1: it has never been closed and has no number
  ss_contact_state state;  ///
  double gap;              ///< where the step tested it (moreau: at the midpoint), m
  double gamma_before[3];  ///< relative velocity at the start of the step, m/s
  double gamma_after[3];   ///< ... and at its end
  double Lambda[3];        ///< impulse over the step, N s
  double Lambda_1[3];      ///< rattle: the part of it that holds the gap, in the first stage; others: 0
  double force[3];         ///< event: at the end of the step, lambda; others: Lambda/dt, the mean over the step, N
} ss_contact_result;

typedef enum ss_event_kind {
  SS_EVENT_IMPACT,        ///< an open contact closed, or a velocity jumped without a collision (Painleve)
  SS_EVENT_DETACH,        ///< a closed contact opened
  SS_EVENT_STICK,         ///< sliding ended, or reversed through rest
  SS_EVENT_SLIP,          ///< sticking ended, or sliding changed its direction
  SS_EVENT_ACCUMULATION,  ///< infinitely many impacts ended: the contact stays closed
  SS_EVENT_PASS,          ///< a closed contact came to the end of its edge and goes on as this one
  SS_EVENT_KINDS
} ss_event_kind;

/// "impact", "detach", "stick", "slip", "accumulation", "pass".
SS_API const char* ss_event_kind_text(ss_event_kind kind);

/// What happened at a contact, and when. Time-stepping knows it up to a step, and tells what happened in that step; the
/// event-driven integrator knows the instant.
typedef struct ss_event {
  double t;                       ///< s; time-stepping: end of the step in which it happened
  long step;                      ///< steps done by then; of the event-driven integrator: full ones
  int contact;                    ///< index
  ss_event_kind kind;             ///
  ss_contact_state state_before;  ///
  ss_contact_state state;         ///< of the contact afterwards
  double gamma_before[3];         ///< relative velocity (N, T) or (N, T1, T2), m/s
  double gamma_after[3];          ///
  double Lambda[3];               ///< impulse of the event; time-stepping: of the step, N s
  double Lambda_C[2];             ///< ... of that in the compression, the rest in the expansion; 0 for time-stepping
  double energy_before;           ///< T + V before the event (the step), J; 0 without energy accounting
  double energy_after;            ///< ... and after
  int solutions;                  ///< of the contact problem that decided (impacts: of these, if they were counted);
                                  ///< -1: not counted, -2: infinitely many
  long count;                     ///< accumulation: impacts in the sequence that ended here; else 0
} ss_event;

/// What a step did to the energy of one part of the system (ss_system_def.energies; the whole, if it tells none apart),
/// as the step as a whole has it, J.
typedef struct ss_part_energy {
  ss_energy before, after;
  double work_forces, work_drive, loss_normal, loss_friction, work_projection;
  double gain;  ///< that contacts gave without a law that could: none of them hit and bounced
  double size;  ///< of the terms of the losses and of V at the start of the run, to judge round-off
  double step;  ///< of the terms of the losses alone: what forces of the step could do within it
  double speed; ///< the largest velocity at either end of the step, and
  double given; ///< the largest change of one by forces without contacts: what rests has round-off of it
  int joined;   ///< number of a part that contacts or constraints tie it to, whose works and losses are told there; or
                ///< its own
  bool known;   ///< works and losses are known
} ss_part_energy;

/// What the step just done did.
typedef struct ss_step_info {
  ss_status status;                  ///< of the contact solve
  int n_contact;                     ///
  const ss_contact_result* contact;  ///< n_contact
  const ss_contact_item* item;       ///< n_contact: where they are; NULL for systems with a fixed list of contacts
  int n_known;                       ///< contacts that have a number
  int n_bilateral;                   ///
  const double* Lambda_bilateral;    ///< n_bilateral: impulses of the bilateral constraints over the step
  const double* force_bilateral;     ///< n_bilateral: their forces, as those of contacts
  const double* Lambda_bilateral_1;  ///< n_bilateral: rattle, as Lambda_1 of contacts; others: zeros
  int n_active;                      ///< contacts in the contact problem
  ss_choice choice;                  ///< whether impulses, or the motion itself, are one choice of several
  bool not_examined;                 ///< ... an island that slides was too large for the question
  int parts;                         ///< 1; more: the step was too large, and was taken in so many
  int iterations;                    ///< of the solver
  double residual;                   ///< ss_contact_residual() of the step's problem; 0 if no contact was active
  double penetration;                ///< deepest overlap at the end of the step and, unless a projection has taken it
                                     ///< out, at the tested position; m, of text models in the unit of the gap
  double overlap_left;               ///< time-stepping: the part of it that the step has found and left, m
  double limit_error;                ///< the same of limits of joints that turn, rad
  double constraint_error;           ///< largest |c(q, t)| of a bilateral constraint that is left, in its own unit
  // in J; all but the losses are zero without ss_step_def.account
  ss_energy before, after;  ///< energies at the start and the end of the step
  double work_forces;       ///< by forces without a potential
  double work_drive;        ///< by moving supports and prescribed contact velocities
  double loss_normal;       ///< dissipated by normal impulses (negative: gained)
  double loss_friction;     ///< dissipated by tangential impulses, never negative
  double work_projection;   ///< energy added by removing penetration and constraint errors
  int n_part;               ///< parts of the system whose energies are told apart; 0 without ss_step_def.account
  const ss_part_energy* part;  ///< n_part
  bool gains_energy;        ///< contacts gave energy, beyond round-off: Newton's law with friction can do that
  // event-driven integration only; the ledger finds the events of the others itself
  bool has_events;        ///< the integrator tells the events itself
  int n_events;           ///
  const ss_event* event;  ///< n_events, at the end of the step
  const char* note;       ///< the motions that the contact laws allow, where there are several or none; "" if nothing
  int side;               ///< 1: the step ended with events; 0: with none; -1: see stretch[0]
  const struct ss_step_info* stretch;  ///< side 1: the same in two, [0] until the events, [1] the events alone; NULL if
                                       ///< no time has passed before them
  const ss_state* arrival;             ///< the state just before the events; NULL likewise
} ss_step_info;

/// Everything derived: matrices, factors, the contact problem and its solution. One per thread.
typedef struct ss_work ss_work;

SS_API ss_work* ss_work_create(const ss_system* system, ss_error* error);
SS_API void ss_work_destroy(ss_work* work);  ///< NULL is fine
SS_API const ss_step_info* ss_work_info(const ss_work* work);
/// Why the last step failed, e.g. "the gap of contact 'floor' is not finite at t = 0.2"; "" if none did.
SS_API const char* ss_work_message(const ss_work* work);

/// Contacts are known by numbers. Of a fixed list these are its indices; contacts that come and go get the next number
/// when they take part in a contact problem for the first time, and keep it. NULL if there is none with this number.
SS_API const char* ss_work_contact_name(const ss_work* work, int contact);
SS_API ss_contact_kind ss_work_contact_kind(const ss_work* work, int contact);
SS_API uint64_t ss_work_contact_key(const ss_work* work, int contact);
/// Gives the contact with this key the next number, e.g. to go on with a run; returns it, -1 if memory is short.
SS_API int ss_work_contact_add(ss_work* work, uint64_t key, ss_contact_kind kind);

/// From now on each step leaves a copy of its contact problem and of its solution. Allocates once, here.
SS_API ss_status ss_work_keep_problem(ss_work* work);
/// The contact problem of the last step: the bilateral rows and the active contacts, with what was found for it. The
/// projection of positions has no part in it. NULL if it is not kept, or if the step had no rows to solve for.
/// *solution and *contact (may be NULL) get the solution and the numbers of the contacts in the system.
SS_API const ss_contact_problem* ss_work_problem(const ss_work* work, const ss_contact_solution** solution,
                                                 const int** contact);

/// Evaluates gaps and mass matrix at the state, without a step: n_contact gaps (gap may be NULL) and the reciprocal
/// condition number of M (rcond may be NULL; NaN for systems with operators, which have no M). SS_ERR_NUMERIC, nothing
/// written, if M is not positive definite.
SS_API ss_status ss_inspect(const ss_system* system, const ss_state* state, ss_work* work, double* gap, double* rcond);

/// What the sensors of the system measure at the state: n_sensor numbers, until the next call; NULL if there are none.
/// info: that of the workspace if its last step led there, NULL if no step did. Forces and accelerations are means over
/// that step, zero without.
SS_API const double* ss_sense(const ss_state* state, const ss_step_info* info, ss_work* work);

/// One step. On a negative status the state is as before, so that the caller may retry with a smaller dt. A positive
/// status says that the contact problem missed its tolerance; the state has advanced with the best impulses found.
/// The event-driven integrator stops at each event, and at the end of the step: state->step then is one more.
SS_API ss_status ss_step(const ss_system* system, const ss_step_def* def, ss_state* state, ss_work* work);

/// Called after each step; return false to stop.
typedef bool (*ss_observer)(void* user, const ss_state* state, const ss_step_info* info);

/// Steps until step number n_steps (counted from the start of the run, where t was t0) or until observe (may be NULL)
/// says stop or def->friction.stop is set (SS_STOPPED) or a step fails (its negative status). Times are t0 + step dt,
/// without accumulated round-off, and those of events.
SS_API ss_status ss_simulate(const ss_system* system, const ss_step_def* def, double t0, long n_steps, ss_state* state,
                             ss_work* work, ss_observer observe, void* user);

#ifdef __cplusplus
}
#endif
#endif
