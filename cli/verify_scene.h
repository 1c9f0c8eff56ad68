// A step of a scene or of planar bodies, for `stickslip verify`: what its parts share.
#ifndef CLI_VERIFY_SCENE_H
#define CLI_VERIFY_SCENE_H

#include <stickslip/machine.h>

#include "verify.h"
#include "verify_islands.h"

typedef struct cli_scene {
  cli_verifier* c;
  const ss_operators* op;
  const ss_machine* machine;  // NULL: planar bodies
  ss_tree_work* work;         // of its tree
  int nv, nq, nb;
  ss_state *a, *e;  // the rows of a step
  double *qm, *qx, *um, *way, *v, *h, *part, *mdu, *damped, *near, *kick, *M;
  bool overlaps;            // bodies overlap so deep that there is no list
  bool stays;               // jean: the contacts are those at the end of `way`
  bool once;                // jean: trees turn too far for an implicit step
  long double *sum, *base;  // nv; nb nv
  const double* in_parts;   // column: how many steps were taken in parts, which the file does not have
  // rows of the list where the step tested it
  int n, rows, room;
  const ss_contact_item* item;
  int *row, *number;  // n: first row; of the contact of the file, -1: it is not in it
  double *gamma_a, *gamma_e, *size, *w_hat, *Lambda, *g;  // g: the diagonal of G
  double* placed;  // 2 nv for each of n contacts: rows by the place in the file, see cli_scene_place_rows()
  bool* by_place;  // n: these are used
  int placed_room;
  double* fall;      // the way of free motion, its terms by magnitude
  const double** B;  // nb columns
  double* stretch;   // 2 for each contact of the run: of its tangents, see ss_contact_item; 0: 1
  const double* choice;  // column, NULL: early files
  // what acts on each other in the step, where there are loops or static friction: cli_scene_join()
  cli_islands islands;
  bool joined;
  bool* looped;      // nv, by islands: loops act on it
  int* island;       // n
  int* tree_first;   // bodies: a velocity of the tree that each is the root of
  struct cli_dry* dry;  // friction of joints and tendons by the model (verify_dry.h)
  struct cli_rattle* rattle;  // of steps in two stages, or NULL
} cli_scene;

// ---- verify_scene.c ----

/// |x|
long double cli_scene_norm_of(int n, const double* x);

/// Whether contact i of the list pushes at a place; resistance against spin and rolling are torques.
bool cli_scene_has_place(const cli_scene* s, int i);

/// The impulse in row k of contact i: where friction is an ellipse rows are stretched.
double cli_scene_row_impulse(const cli_scene* s, int i, const ss_run_contact* c, int k);

/// How long contacts are looked for ahead, s.
double cli_scene_reach_of(const ss_step_def* def);

/// out: from q with velocities u in time dt.
void cli_scene_advance(const cli_scene* s, const double* q, const double* u, double dt, double* out);

/// ... as far as the way is free, for moreau. False if the system cannot be evaluated.
bool cli_scene_advance_freely(cli_scene* s, const double* q, const double* u, double dt, double t, double* out);

// ---- verify_joined.c ----

/// Memory for islands; false if it is short. cli_scene_close_islands() in any case.
bool cli_scene_open_islands(cli_scene* s);
void cli_scene_close_islands(cli_scene* s);

/// Islands of a step, and those that loops act on, if there are loops or static friction. False if memory is short.
bool cli_scene_join(cli_scene* s, int n, const ss_run_contact* list);

/// Whether loops act on what contact i of the list acts on.
bool cli_scene_is_looped(const cli_scene* s, int i);

/// jean evaluates at velocities before they are moved onto loops: whether velocity i is one of these, contact i of the
/// list acts on such, or a contact of the file that is not in the list does.
bool cli_scene_is_elsewhere(const cli_scene* s, int i);
bool cli_scene_acts_elsewhere(const cli_scene* s, int i);
bool cli_scene_is_of_loops(const cli_scene* s, const ss_run_contact* c);

// ---- verify_static.c ----

/// Whether contact i of the list is the only one with static friction of what acts on each other.
bool cli_scene_holds_alone(const cli_scene* s, int i);

/// Contacts that slide though they were stuck, or at rest, and static friction could have held them. False if the
/// system cannot be evaluated, or memory is short.
bool cli_scene_check_static(cli_scene* s, long row, const ss_run_contact* list, double dt);

// ---- verify_momentum.c ----

/// out = M v, with implicit damping.
void cli_scene_times_mass(cli_scene* s, const double* v, double* out);

/// How far the step is from M (u_E - u_A) = dt h + W Lambda, and the size of its terms. False if there is no value.
bool cli_scene_find_momentum(cli_scene* s, long row, const ss_run_contact* list, double dt, long double* off,
                             long double* size);

/// ... noted.
bool cli_scene_check_momentum(cli_scene* s, long row, const ss_run_contact* list, double dt);

// ---- verify_cones.c ----

/// Event-driven: no impulse of a row pulls, and friction is in its cone. False if there is no value.
bool cli_scene_check_cones(cli_scene* s, long row, ss_error* error);

/// ... and of impacts, after all rows.
void cli_scene_check_impacts(cli_scene* s);

// ---- verify_laws.c ----

/// How far friction T (times g) is from the most dissipative one of a set, for the velocity xi
long double cli_set_off(const ss_friction_set* set, const long double T[2], const long double xi[2], long double limit);

/// The state of a contact with friction against its velocity: what sticks does not move, what slips does so in the
/// direction of its state, with all of its friction. A friction law that is off by e leaves it open whether velocities
/// up to 2e are zero: at e from the limit both hold. loose: how far friction is from its limit; wrong: of a state that
/// it cannot have
long double cli_state_off(ss_contact_state state, int tangents, const long double xi[2], long double loose,
                          bool frictional, long double wrong);

/// The items of the list that the file has.
void cli_scene_match(cli_scene* s, int n, const ss_run_contact* list);

/// Whether all of those of the file are in the list, where the file says; after cli_scene_join().
bool cli_scene_is_there(const cli_scene* s, int n, const ss_run_contact* list);

/// Planar bodies: rows of contacts whose normal in the file is another one than in the list. False if memory is short.
bool cli_scene_place_rows(cli_scene* s, const ss_run_contact* list, double t);

/// Planar bodies: whether normals and places that are not those of the list are possible where the step was evaluated.
bool cli_scene_are_possible(cli_scene* s, const ss_run_contact* list, double t);

/// ... notes those that are not.
void cli_scene_check_normals(cli_scene* s, long row, const ss_run_contact* list, double t);

/// Gaps, velocities, states and laws of the contacts of a step. False if it cannot be evaluated.
bool cli_scene_check_contacts(cli_scene* s, long row, int n, const ss_run_contact* list, double dt, double t);

// ---- verify_position.c ----

/// The end of a step by the rule of its integrator, or the bound of a projection. Comes last: contacts are looked for
/// in other places.
bool cli_scene_check_position(cli_scene* s, long row, const ss_step_def* def, const ss_run_contact* list);

#endif
