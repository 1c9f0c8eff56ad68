// The event-driven integrator: smooth arcs between located events. What its files share.
//   event.c        one step: arc, event, report              event_jump.c    an event: impacts, new contact states
//   event_arc.c    an arc: steps of order 8, projection      event_choose.c  accelerations: which states follow
//   event_force.c  contact forces of given contact states    event_count.c   ... if there is a choice
//   event_root.c   when an arc ends                          event_zeno.c    infinitely many impacts
//   rk8.c          a step of order 8                         event_work.c    memory
//   event_outcome.c  impacts that can end in several ways      event_memory.c  what the state keeps of all that
//   event_sample.c   roots between the ends of a step          event_sensitivity.c  derivatives of all that
//   event_watch.c  contacts that come and go                 event_slide.c   directions of sliding
//   event_space.c  accelerations with the exact cone         event_islands.c  what has nothing to do with the rest
//   event_scale.c  what errors are measured by               event_kink.c    where the model itself switches
//   event_redundant.c  which states follow, of redundant contacts   event_laws.c  the last guard
//   event_keep.c   ... of contacts that come and go
#ifndef SS_INTEGRATE_EVENT_H
#define SS_INTEGRATE_EVENT_H

#include <float.h>

#include "integrate/rk8.h"
#include "integrate/work.h"

/// A function that is positive along an arc; where it falls below zero the arc ends.
typedef enum ss_root_kind {
  SS_ROOT_GAP,     ///< open: g_N
  SS_ROOT_NORMAL,  ///< closed: lambda_N
  SS_ROOT_SPEED,   ///< sliding with sign s: s gamma_T; in space: gamma_T along its direction when the step began
  SS_ROOT_UPPER,   ///< sticking: mu lambda_N + bound - lambda_T
  SS_ROOT_LOWER,   ///< sticking: mu lambda_N + bound + lambda_T
  SS_ROOT_CONE,    ///< sticking in space: mu lambda_N + bound - |lambda_T|
  SS_ROOT_REGULAR, ///< determinant of the system for the contact forces (Painleve)
  SS_ROOT_LAW,     ///< redundant contacts: they can carry their load in these states
  SS_ROOT_END,     ///< closed: way to the end of its edge
  SS_ROOT_KINK,    ///< side times the function of kink number `island`
} ss_root_kind;

typedef struct ss_root {
  ss_root_kind kind;
  int contact;   ///< -1 if it is of an island:
  int island;    ///
  double start, start_slope;  ///< value and derivative at the start of the step; 0 if the derivative is not known
  double now, slope;          ///< ... where the system was last evaluated
  double level;               ///< above zero: not armed yet, ends the arc at -level; infinite: only limits the steps
  bool lies;                  ///< a gap without speed when the arc began
  bool off;                   ///< a gap that has fallen below zero beside its edge: does not end the arc
  double zero, zero_rate;     ///< values and slopes below are round-off
  double value[SS_RK8_STAGES], rate[SS_RK8_STAGES];  ///< in the stages of the last step
} ss_root;

/// The impacts of a contact, as far as they may accumulate.
typedef struct ss_bounces {
  long count;                   ///< in a row, their intervals shrinking
  double first, last;           ///< times, s
  double interval, previous;    ///< the last two, s
  int low;                      ///< bounces in a row that cannot be told from rest
} ss_bounces;

/// Of the terms of a force: zero where an arc begins.
#define SS_FORCE_ROUND_OFF 1e-12
/// Of the terms of a row: accelerations and forces that decide nothing where contact states are chosen.
#define SS_UNDECIDED 1e-11
/// Of what weights can give a row: round-off of them, zero wherever it is asked.
#define SS_WEIGHT_ROUND_OFF (64*DBL_EPSILON)

/// Of the load of redundant contacts: they carry it, up to this.
#define SS_CARRIED 1e-10

/// Rows of a->held that have nothing to do with the others.
typedef struct ss_held {
  int first, n;        ///< in a->held
  bool loaded;         ///< contacts are among them
  bool singular;       ///< they are dependent: forces of least norm
  double determinant;  ///< where the system was last evaluated
  double left;         ///< ... of dependent rows: part of their load that the contacts cannot carry
  double most_left;    ///< ... the largest of the step at hand, its stages and its end
  int regular;         ///< its sign along the arc
  ss_choice choice;    ///< ... whether other forces, or motions, are admissible, when the arc began
  bool braced;         ///< dependent: normal forces are such that friction can hold
  bool known;          ///< a->dual is that of an evaluation in the step at hand
  bool strain_known;   ///< a->strained is that of its contacts
} ss_held;

/// A redundant contact in an event (event_redundant.c)
typedef struct ss_tried {
  int island;                         ///< where it belonged when everything was to stay as it is; -1: of no concern
  ss_contact_state as_it_is, state;   ///< ...; the state that is tried, or has been found
  bool settled, stays;                ///< the state has been found; ... and everything stays as it is
  bool fits, all_fit;                 ///< it fits the forces; ... all of its island do
  bool can_brace, braced;             ///< forces can be found so that everything stays as it is; ... and are taken
} ss_tried;

/// What the quadratures along an arc are, then lambda and gamma of all rows.
enum { SS_Z_FORCES, SS_Z_DRIVE, SS_Z_FRICTION, SS_Z_ROWS };

struct ss_arc {
  const ss_system* system;
  ss_work* w;
  const volatile int* stop; ///< not 0: the step is given up
  bool account, starting;  ///< ...; the event is the start of a simulation: there is no arc before
  int nq, nv;              ///< numbers in q and u
  int n, rows;             ///< contacts; bilateral and contact rows
  int room, row_room;      ///< what the arrays have room for: n, rows
  // the step
  ss_rk8 rk;               ///< y = (q, u); first row of rk.k: y' at (t, y)
  bool ready;              ///< rk.k, roots and combination belong to (t, y)
  double t, h;             ///< where the arc is; size proposed for the next step
  double h_last;           ///< size of the last step done: a time in which things happen
  double h_longest;        ///< ... of the longest step so far
  double rtol;             ///< relative error allowed of a step
  double *y, *y1, *f1;     ///< start of the step; its end and y' there
  double *z, *dz;          ///< quadratures since the step of the integrator began; of the step of the arc
  double *size, *scale;    ///< nq + nv: largest values so far; errors allowed
  double* way;             ///< nq: magnitudes of the rates of q
  double *origin, *range;  ///< nq: where the simulation began; largest distance from there so far
  double *speed, *pull;    ///< nv: largest |u|_M so far of the components that M couples it with; largest force on one
                           ///< of them, in the metric of M
  double* noise;           ///< nv: changes of accelerations by round-off, if measured in the step at hand
  double kinetic;          ///< largest kinetic energy so far
  double* root_mass;       ///< nv: sqrt(M_ii)
  int *block, *moves;      ///< nv: scratch; 2 nv: first and last + 1 of the coordinates that it moves
  // contacts that come and go (event_watch.c)
  uint64_t* key;           ///< room: those that are watched; they keep their places
  int n_new, new_room;     ///
  int n_tidy;              ///< contacts that were left when far ones were dropped
  uint64_t* new_key;       ///< n_new: found near in the stages of the step, and not watched yet
  double h_now;            ///< size of the step at hand
  // M and the rows where the system was last evaluated: those of the workspace, or the arc's own
  bool has_mass;           ///< L is there
  double *L, *W, *G, *P;   ///< factor of M; rows x nv; of a contact problem: G, and W^T L^-T
  double* extent;          ///< rows: of the terms whose difference a gap or an error is
  // sliding in space (event_slide.c)
  double* direct;          ///< 2 room: unit vector of the tangential velocity; in the plane its sign
  double* refer;           ///< 2 room: ... when the step began
  double *blur, *top;      ///< room: speeds below which there is no direction; largest one since sliding began
  bool* turned;            ///< room: slides on from rest
  double* axis;            ///< 2 room: tangential direction of a contact of the problem, where that is planar
  // the contact states, and the rows of W that are at rest in them: bilateral, normals of closed contacts, tangents of
  // sticking ones
  ss_contact_state* mode;  ///< n_contact
  int n_held;              ///
  int* held;               ///< rows: of W
  int* slider;             ///< rows: the sliding contact that a held row is the normal of, or -1
  int* owner;              ///< rows: the contact that a held row belongs to, or -1
  struct ss_force_set* set;  ///< n_contact: what the contacts of an island can give
  bool* found;             ///< n_contact: scratch
  double* dual;            ///< rows: where the search for forces of redundant contacts begins
  double* fold;            ///< 2 rows: its friction follows its normal force, lambda_T = fold lambda_N
  ss_held* group;          ///< n_islands: the same rows by islands
  bool astray;             ///< the step at hand has led to another branch of the motion
  const ss_held* folded;   ///< constraints that are dependent where last evaluated, and were not before; NULL: none
  ss_tried* tried;         ///< n_contact
  bool weighing;           ///< it is looked whether there are others than those
  bool unbalanced;         ///< forces of redundant contacts need not carry the load
  bool* shared;            ///< n_contact: is in an island whose forces are not unique
  bool* strained;          ///< n_contact: ... and others can press against it without load, when the arc began
  double *Y, *A, *x;       ///< L^-1 W of all rows; held x held; held
  // islands of the contacts that are closed, or of those that touch in an event (event_islands.c)
  int n_islands;           ///
  int island;              ///< the one that an event looks at; -1: all
  int *row_island, *contact_island;  ///< rows, n_contact: -1: of none
  int *order, *label;      ///< rows: scratch
  double *lstsq;           ///< work of the least-norm solution
  int* pivot;              ///< rows
  double *a;               ///< nv: L^-1 h
  double* law;             ///< 2 nv: acceleration by the contact laws
  // where the system was last evaluated
  double *w_bar, *lambda, *gamma;  ///< rows
  double* force;           ///< rows: what the forces of held rows are of the size of
  double* load;            ///< rows: the force that a held row would need by itself, as far as others do not help
  double* slip;            ///< rows: way that a sticking contact has crept, to be undone
  double began;            ///< when the step of the integrator began
  double drift;            ///< largest position error that was taken out
  int* list;               ///< rows: scratch
  // kinks (event_kink.c)
  int n_kink;
  double* side;            ///< n_kink: of the arc
  bool beyond;             ///< where last evaluated these have no value: the system itself was taken
  ss_kink* kink;           ///< n_kink: where the system was last evaluated
  double* pass;            ///< 4 nv: scratch
  bool kicked;             ///< velocities have jumped at a kink in the event
  // roots
  int n_root;
  ss_root* root;
  int stage;               ///< of the step at hand whose root functions are kept next; 0: none
  int numb;                ///< steps that root functions do not limit
  int cause;               ///< index of the root that ended the arc
  int ended, taken_up;     ///< contact that came to the end of its edge in the event, the one that goes on; -1: none
  // events
  bool *touch, *hit;       ///< n_contact: takes part in an event; collides now
  bool *struck, *rests;    ///< n_contact: has collided in the event; its impacts end here
  bool* ends;              ///< n_contact: is coupled to one whose impacts end
  double *eps_n, *eps_t, *nu;  ///< n_contact: of those that take part
  int *slide, *sign;       ///< n_contact: sign of sliding, 0 at rest; the same for the contacts of a problem
  double *impulse, *compression;  ///< rows: of the event
  double *before;          ///< rows: gamma before the event
  double *start, *here;    ///< rows: gamma at the start of the step of the integrator, and where the arc is
  double *Lambda, *Lambda_C, *gamma_after;  ///< rows: of an impact
  ss_contact_state *mode_before;  ///< n_contact
  ss_bounces* bounce;      ///< n_contact
  ss_event* event;         ///< 2 n_contact
  int n_event, solutions;  ///< motions that the accelerations of an island allow; -1: not counted, -2: infinitely many
  int outcomes;            ///< the same of the impact
  int *motions, *ways;     ///< n_contact: the same two of its island
  bool *stuck, *jumped;    ///< n_contact: no forces fit in its island; ... and velocities have jumped there
  char note[1024];         ///< the motions, if there are several or none
  int noted;               ///< characters of it that islands have written
  int idle;                ///< of events in a row with hardly any progress in time
  double effort, effort_from;  ///< of evaluations since the time effort_from, s (event_effort.c)
  // just before the events of the step, and the events alone (event_arrival.c)
  ss_state* arrival;
  ss_step_info stretch[2];
  bool has_arrived;
  int n_arrived, rows_arrived;
  ss_contact_result *arrived, *struck_only;  ///< room
  ss_contact_item* arrived_item;             ///< room: of contacts that come and go
  double *arrived_Lambda, *arrived_force;    ///< n_bilateral
  double *event_Lambda, *arrived_gamma;      ///< n_bilateral; rows
  struct ss_following* following;  ///< derivatives that are carried along; NULL: none
  double* memory_of;       ///< the memory of the state that the arc is at; a fixed list of contacts
  double kept[2];          ///< ... sums of it, where they come and go
  ss_arena* arena;         ///< scratch of the impact and enumeration
  void* memory;
};
typedef struct ss_arc ss_arc;

/// Creates w->arc at the first use.
ss_status ss_arc_create(const ss_system* system, ss_work* w);
void ss_arc_destroy(ss_arc* arc);
/// Room for n contacts with so many rows (bilateral ones too); what outlives a step is kept. SS_ERR_MEMORY.
ss_status ss_arc_reserve(ss_arc* a, int n, int rows);

static inline bool ss_has_normal(const ss_contact_def* c) { return c->kind != SS_CONTACT_FRICTION; }
static inline bool ss_has_tangent(const ss_contact_def* c) { return c->kind != SS_CONTACT_NORMAL; }
static inline int ss_tangents(const ss_contact_def* c)
{
  return ss_contact_rows(c->kind) - (c->kind != SS_CONTACT_FRICTION);
}
static inline bool ss_slides(ss_contact_state s) { return s == SS_SLIP_POS || s == SS_SLIP_NEG || s == SS_SLIP; }
static inline int ss_mode_sign(ss_contact_state s) { return s == SS_SLIP_POS ? 1 : s == SS_SLIP_NEG ? -1 : 0; }
static inline int ss_normal_row(const ss_arc* a, int contact) { return a->w->row[contact]; }
static inline int ss_tangent_row(const ss_arc* a, int contact)
{
  return a->w->row[contact] + (a->w->law[contact]->kind == SS_CONTACT_FRICTION ? 0 : 1);
}
/// The name of a contact, for messages.
const char* ss_contact_label(ss_arc* a, int contact);

/// Sum of |W_rj x_j|: what round-off of the row is measured by.
double ss_row_size(const ss_arc* a, int row, const double* x);
/// What round-off of its gap, or of its error, is measured by, at the position q.
double ss_row_extent(const ss_arc* a, int row, const double* q);
/// Velocity of a row, its terms by magnitude, with the largest speeds so far or those that forces give within a time.
double ss_largest_speed(const ss_arc* a, int row, double time);

/// Contacts of an island whose states can be tried one by one.
enum { SS_FEW_CONTACTS = 6 };

// ---- event_islands.c ----

/// The islands of the bilateral rows and of the contacts that are closed, or (`touching`) in a->touch.
void ss_arc_islands(ss_arc* a, bool touching);
/// Whether contacts belong to an island.
bool ss_island_is_held(const ss_arc* a, int island);
/// order (n): the places of n rows, all of which are in islands, sorted by these. a->label is scratch.
void ss_sort_by_island(ss_arc* a, int n, const int* row, int* order);
/// A contact touches and is in the island at hand.
static inline bool ss_takes_part(const ss_arc* a, int contact)
{
  return a->touch[contact] && (a->island < 0 || a->contact_island[contact] == a->island);
}
/// The same of a bilateral row.
static inline bool ss_row_takes_part(const ss_arc* a, int row)
{
  return a->island < 0 || a->row_island[row] == a->island;
}

// ---- event_arrival.c ----

/// The contacts where the system was last evaluated: states, gaps, velocities, forces; impulses of the stretch of the
/// arc if `arc`, of the event if `event`.
void ss_arc_contacts(ss_arc* a, bool arc, bool event, ss_contact_result* result, double* Lambda_bilateral);
/// The forces of all rows where the arc is.
const double* ss_arc_lambda(const ss_arc* a);
/// Keeps where the arc has come to, just before its event.
ss_status ss_arc_arrive(ss_arc* a, const ss_step_def* def, const ss_state* s);
/// Works of the arc into the books of the step.
void ss_arc_book(const ss_arc* a, ss_step_info* info);

/// Nothing has happened where ss_arc_arrive() was: the step goes on from there, with its books.
void ss_arc_pass_by(ss_arc* a, const ss_step_def* def);
/// At the end of such a step: what of it is the event's.
void ss_arc_part(ss_arc* a);

// ---- event_watch.c ----

/// M (factorised), gaps, W, w_hat at (t, y).
ss_status ss_arc_place(ss_arc* a, double t, const double* y);
/// Begins to watch contacts: those that are closed where the arc is. Nothing to do for a fixed list.
ss_status ss_watch_start(ss_arc* a);
/// Looks for contacts that are near in a stage of the step at hand, and not watched.
ss_status ss_watch_look(ss_arc* a);
/// Watches what was found, from where the arc is; the step is to be done again.
ss_status ss_watch_add(ss_arc* a);
/// At the start: where contacts are at the end of their edge and leave it (corners that coincide), those that go on are
/// watched, too, and hit at the same time.
ss_status ss_watch_ends(ss_arc* a);
/// The place of the contact that goes on where one ends (a->ended), which may be new; -1: none does.
ss_status ss_watch_next(ss_arc* a, int* place);
/// Watches no longer what is open and far, if there is much of it. Where the arc is.
ss_status ss_watch_tidy(ss_arc* a);
/// Way to the end of its edge where the system was last evaluated, m.
double ss_edge_room(const ss_arc* a, int contact);
/// Whether the point of an open contact lies behind its edge where an arc begins or ends: it has come there, to the
/// other side of the body, past the end of the edge.
bool ss_is_behind(const ss_arc* a, int contact);
/// Whether the point of an open contact is beside its edge, or at its end where another contact is closed: then its gap
/// says nothing.
bool ss_is_beside(const ss_arc* a, int contact);
/// The number of a contact, for those who read events and results; one that has none gets it if `give`, else -1.
int ss_watch_number(ss_arc* a, int contact, bool give);

// ---- event_singular.c ----

/// SS_ERR_NUMERIC, with the names of the constraints among n held rows from `first` on.
ss_status ss_fail_singular(ss_arc* a, int first, int n, double t);
/// The same if the velocity at the end of a step, at time t, is not that of the position: `lost` of it, in the metric
/// of M, was taken out.
ss_status ss_check_branch(ss_arc* a, double t, double lost);

// ---- event_slide.c ----

/// a->direct of the contacts that slide, with the velocities where the system was last evaluated.
void ss_slide_directions(ss_arc* a);
/// A step begins where the system was last evaluated.
void ss_slide_begin(ss_arc* a);
/// Sliding of a contact begins in this direction (2), which may have any length.
void ss_slide_start(ss_arc* a, int contact, const double* direction);
/// |gamma_T| of a contact where the system was last evaluated.
double ss_slide_speed(const ss_arc* a, int contact);
/// Whether it is at rest, as far as tolerances tell; `first`: its speed is what ended the arc.
bool ss_slide_rests(const ss_arc* a, int contact, bool first);

// ---- event_space.c ----

/// Makes a planar problem of that in the workspace, if no spatial contact has more than one direction that matters:
/// a->axis of the contact.
void ss_flatten(ss_arc* a);
/// Whether contacts of the problem at hand are spatial.
bool ss_is_spatial(const ss_contact_problem* problem);
/// Solves the problem of accelerations of spatial contacts, with those that slide, into w->solution.
ss_status ss_solve_spatial(ss_arc* a, const ss_friction_def* def);
/// Bytes of arena for it.
size_t ss_solve_spatial_size(int n_bilateral, int n_contact, int rows);

// ---- event_force.c ----

/// The rows that the contact states hold.
void ss_arc_combine(ss_arc* a);

/// Whether the forces of redundant contacts, or the motion with them, are one choice of several.
ss_choice ss_arc_choice(const ss_arc* a);
/// lambda of all rows where last evaluated, and the acceleration (nv) with them.
ss_status ss_arc_forces(ss_arc* a, double* acceleration);
/// M, W, h, w_bar, gamma, ... at (t, y).
ss_status ss_arc_evaluate(ss_arc* a, double t, const double* y);

/// y' and the rates of the quadratures at (t, y); lambda, gamma, ... there. An ss_rk8_function with user = the arc.
ss_status ss_arc_derivative(void* user, double t, const double* y, double* dy);

/// q (`position`) or u moved so that n rows, where last evaluated, change by -value, in the metric of M. Returns the
/// length of the change in that metric.
double ss_arc_correct(ss_arc* a, int n, const int* row, const double* value, double* x, bool position);
/// The contact problem of m rows and k contacts in the workspace, with Y in a->P and G in a->G.
void ss_arc_problem(ss_arc* a, int m, int k);

// ---- event_root.c ----

/// Which functions are watched in these contact states; evaluates them where the arc is.
void ss_roots_start(ss_arc* a, const double* acceleration);
/// Their values where the system was last evaluated.
void ss_roots_evaluate(ss_arc* a, const double* acceleration);
/// What cannot be told from zero where the arc is.
void ss_root_round_off(const ss_arc* a, ss_root* r);
/// Watches contact i, which is open, from where the arc is on.
void ss_roots_add(ss_arc* a, int contact);
/// Levels of what is not armed, for a step to y that was just done.
void ss_roots_settle(ss_arc* a, const double* y);
/// Arms what has left its tolerance; the values become those at the start of the next step.
void ss_roots_advance(ss_arc* a);
/// Value and slope of one where the system was last evaluated.
void ss_root_evaluate(ss_arc* a, ss_root* r, const double* acceleration);
/// Whether any is below zero.
bool ss_roots_crossed(const ss_arc* a);
/// Where the arc is a time h after the start of its step, with drift: y1, dz, f1 and the functions there.
ss_status ss_roots_try(ss_arc* a, double h);
/// The size h of a step from (t, y) at whose end the first root lies; y1, dz, f1 are there. h is crossed on entry; if
/// only gaps beside their edges are, *found is false.
ss_status ss_roots_locate(ss_arc* a, double* h, bool* found);
/// Where within a step of size h the first root seems to lie that is crossed at its end, of functions with a slope.
double ss_roots_first(const ss_arc* a, double h);
/// ... at which a contact that slides in space comes to rest, INFINITY if none does.
double ss_roots_rest(const ss_arc* a, double h);
/// Below these a gap, a velocity of a row is round-off.
double ss_gap_tolerance(const ss_arc* a, int contact, const double* q);
double ss_speed_tolerance(const ss_arc* a, int row, const double* u);
double ss_rest_tolerance(const ss_arc* a, int row);
/// Whether a gap closes and opens again within the step of size *h; *h is shortened to where it is closed. *looked: y1,
/// dz, f1 are not those of the end of the step any more.
ss_status ss_roots_graze(ss_arc* a, double* h, bool* found, bool* looked);

// ---- event_sample.c ----

/// The root functions are kept, from the start of a step on, in the stages of the steps that follow; or not any more.
void ss_roots_sample(ss_arc* a, bool on);
/// The right-hand side in the stages of a step. An ss_rk8_function with user = the arc.
ss_status ss_roots_stage(void* user, double t, const double* y, double* dy);
/// How well the step of size h knows the root functions: at most 1 if it is to be accepted.
double ss_roots_error(const ss_arc* a, double h);
/// Whether the integrals of the rates are what gaps and velocities have changed by at its end.
bool ss_roots_agree(const ss_arc* a, double h);
/// Where in the step (0 .. 1) a function falls below zero, or seems to, that is above at the end; 1: nowhere.
double ss_roots_dip(const ss_arc* a);
/// Whether a function falls and rises again between samples k and k + 1 in time, in a step of size h, and may touch
/// zero there; these lie at low and high (0 .. 1).
bool ss_root_may_touch(const ss_root* r, double h, int k, double* low, double* high);

// ---- event_arc.c ----

/// Sets the arc to a state of the integrator.
ss_status ss_arc_start(ss_arc* a);
/// Integrates until t_end or the first root, which *event tells; or for so many steps that the caller should look.
ss_status ss_arc_run(ss_arc* a, const ss_event_def* def, double t_end, bool* event);
/// Positions of the rows that touch[] and the contact states hold, at time t: gaps and constraints to zero.
ss_status ss_arc_hold_position(ss_arc* a, double t, double* y, const double* slip);
/// Velocities of these n rows to zero, at the position last evaluated. Returns the length of the change, in the metric
/// of M.
double ss_arc_hold_velocity(ss_arc* a, int n, const int* row, double* y);

/// A step begins: what it finds does not depend on those before it.
void ss_forget_shares(ss_arc* a);
/// A step begins: of what contacts cannot carry in its stages nothing is known yet.
void ss_forget_stages(ss_arc* a);

// ---- event_effort.c ----

/// Products of a solution for the forces, island by island.
double ss_effort_of_forces(const ss_arc* a);
/// Counts an evaluation of the forces, or a part of one, that takes so many products.
void ss_effort_spend(ss_arc* a, double products);
/// Fails, and names the contact, where very many evaluations have hardly led on in time.
ss_status ss_effort_check(ss_arc* a);

// ---- event_scale.c ----

/// Lets the sizes by which errors and round-off are judged grow to what is there; `held`: contact forces are known.
void ss_grow_sizes(ss_arc* a, bool held);
/// a->scale: errors allowed in the step of size h that was just tried.
void ss_set_scales(ss_arc* a, double rtol, double h);
/// The speed with which component j alone would have the energy of all that M couples it with, or that forces give it
/// within a time.
double ss_component_speed(const ss_arc* a, int j, double time);
/// a->noise where the arc is.
ss_status ss_measure_noise(ss_arc* a);
/// a->moves
void ss_find_moved(ss_arc* a);
/// Size of the first step of a simulation.
double ss_first_step(const ss_arc* a, double t_end);

// ---- event_kink.c ----

/// The system is evaluated on the sides of the arc, or (not `on`) as it is.
void ss_kinks_hold(ss_arc* a, bool on);
/// Where the system, or its energy, could not be evaluated on the sides of the arc: it is taken as it is, until it is
/// evaluated elsewhere. False if that was so already.
bool ss_kinks_leave(ss_arc* a);
/// The energies at the position and with the velocities of the arc.
ss_status ss_arc_energies(ss_arc* a, ss_energy* energy);
/// The sides on which the arc begins where it is.
ss_status ss_kinks_start(ss_arc* a);
/// The run starts, where the system was last evaluated: from the sides that the model has there to those of the arc.
ss_status ss_kinks_begin(ss_arc* a);
/// Whether the motion stays on the sides that a new arc begins with, if velocities decide; fails where none does.
ss_status ss_kinks_settle(ss_arc* a);
/// The arc has ended, where the system was last evaluated: to the other sides of the kinks that it has come to.
ss_status ss_kinks_pass(ss_arc* a);
/// The rate of the function of kink k; without the part of the acceleration if that is NULL.
double ss_kink_slope(const ss_arc* a, int k, const double* u, const double* acceleration);
double ss_kink_zero(const ss_arc* a, int k);  ///< values below are round-off

// ---- event_memory.c ----

/// Numbers that ss_state.memory has; 0 with operators, where it grows (event_keep.c).
int ss_memory_size(int nv, int n_contact, bool by_operators);
/// What the arc remembers, into the memory of a state; and back, for an arc at the same state.
void ss_arc_remember(const ss_arc* a, double* memory);
void ss_arc_recall(ss_arc* a, double* memory);
/// ss_arc_start() in the middle of an arc that is remembered.
ss_status ss_arc_start_again(ss_arc* a, double* memory);

// ---- event_keep.c: the same of systems whose contacts come and go ----

/// Room for so many numbers, which it then has. False if memory is short.
bool ss_state_reserve_memory(ss_state* s, int n);
/// What the arc remembers, into the state that is where the arc is.
ss_status ss_arc_keep(ss_arc* a, ss_state* s);
/// Whether the state remembers what the arc does.
bool ss_arc_is_kept(const ss_arc* a, const ss_state* s);
/// Whether the state remembers anything of the motion that it has: nobody has moved it since.
bool ss_state_has_kept(const ss_arc* a, const ss_state* s);
/// The arc, which is loaded with the state, goes on in the middle. SS_ERR_ARGUMENT if the memory is damaged.
ss_status ss_arc_take_up(ss_arc* a, const ss_state* s);

// ---- event_sensitivity.c, if a->following ----

/// Along the step of size h from (t, y) to y1.
ss_status ss_following_step(ss_arc* a, double h);
/// At an event: before it, through its impact, after it.
ss_status ss_following_event(ss_arc* a);
ss_status ss_following_impact(ss_arc* a, const ss_step_def* def);
ss_status ss_following_rest(ss_arc* a, int rows, const int* row);
void ss_following_go_on(ss_arc* a);
/// Derivatives are not known from here on.
void ss_following_lost(ss_arc* a);
void ss_following_destroy(struct ss_following* following);

// ---- event_jump.c, event_choose.c, event_zeno.c ----

/// Solves an impact; `choose`: of several outcomes the one of least energy.
ss_status ss_solve_impact(ss_arc* a, const ss_step_def* def, const ss_impact* impact, bool choose, double* Lambda,
                          double* Lambda_C);

/// Puts the arc where the state is, with what it remembers of its past.
void ss_arc_load(ss_arc* a, const ss_state* s);
/// a->touch: contacts that touch (I_S): closed ones, those whose gap ended the arc or closes together with it.
void ss_find_touching(ss_arc* a, bool start);
/// gamma of all rows with the present velocity.
void ss_arc_velocities(ss_arc* a, double* gamma);
/// The impact of the contacts of a->touch in the island at hand, and their rows in the workspace.
void ss_assemble_impact(ss_arc* a, ss_impact* impact);
/// The contact problem of accelerations of these contacts, with a->slide, into the workspace.
void ss_assemble_accelerations(ss_arc* a);
/// The event at the end of an arc (or, with `start`, at the start of a simulation).
ss_status ss_jump(ss_arc* a, const ss_step_def* def, bool start);
/// New contact states from the accelerations. SS_RAY if no forces fit: a velocity must jump.
ss_status ss_choose_modes(ss_arc* a, const ss_step_def* def, bool smooth);
/// Whether redundant contacts can carry their load as they are, where last evaluated.
bool ss_load_is_carried(ss_arc* a);
/// a->tried of the contacts that touch, with a->slide: states of redundant contacts that fit the forces of an arc.
void ss_settle_redundant(ss_arc* a);
/// Redundant contacts stay as they are where the motion of the states found, in a->mode, is not that of the arc.
void ss_brace_redundant(ss_arc* a);
/// Where forces and accelerations of the arc do not fit these states, others that do.
void ss_correct_redundant(ss_arc* a);
/// Whether contacts can give the forces where last evaluated, with the states of the arc: else an error names one.
ss_status ss_check_laws(ss_arc* a);
/// Whether the impulses of redundant contacts over a step of size h, of which dz is, are in their cones.
bool ss_impulses_fit(const ss_arc* a, double h);
/// Of a row of length g = sqrt(G_rr): the largest acceleration that weights can give it, wherever they act.
double ss_weight_on_row(const ss_arc* a, int row, double g);
/// Of the forces in the island of contact i: what they are differences of.
double ss_force_size(const ss_arc* a, int i);
/// Impulse (normal, tangents) of contact i in a stretch of the arc of this length, s, which is known to a moment; or
/// with 1 and 0 its force: by no more than round-off to one that the contact can give.
void ss_round_to_laws(const ss_arc* a, int i, double time, double moment, double* Lambda);
/// Whether a contact problem with these signs of sliding (0: at rest) can have several solutions or none, as far as the
/// determinants of its combinations of contact states tell; false for more than three contacts.
bool ss_can_have_several(const ss_contact_problem* problem, const int* sign);
/// Counts the motions that the problem of ss_choose_modes() allows, where that is asked for or several are likely;
/// takes the one that the rule asks for into the solution. Where the solver has found none: SS_RAY if there is none, an
/// error if that cannot be told.
ss_status ss_count_motions(ss_arc* a, const ss_step_def* def, bool solved);
/// Counts the outcomes of an impact that was solved, where several are likely, and takes the one of least energy.
ss_status ss_choose_outcome(ss_arc* a, const ss_impact* impact, const ss_impact_def* law, double* Lambda,
                            double* Lambda_C);
/// Notes an impact of the contact where the arc is; true if infinitely many of them end here.
bool ss_zeno_accumulates(ss_arc* a, int contact);

#endif
