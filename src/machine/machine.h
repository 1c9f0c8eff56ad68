// A machine as it is kept, and what a workspace of it holds.
//
// Rows. Every row of the system is a row of a tree node (tree.h): first those of the loops, then the contacts of the
// list. So velocities, forces and G are each one call of the tree.
#ifndef SS_MACHINE_MACHINE_H
#define SS_MACHINE_MACHINE_H

#include <stickslip/dissipation.h>
#include <stickslip/machine.h>
#include "collide/collider.h"
#include "multibody/node.h"
#include "system/tape.h"

// Keys of contacts: those of ss_touch have the upper three bits clear as long as there are fewer than 2^19 geoms
#define SS_KEY_SPIN (1ull << 61)      ///< + key of the contact
#define SS_KEY_ROLL (1ull << 62)      ///< likewise
#define SS_KEY_LIMIT (1ull << 63)     ///< + 2 joint, + 1 for the upper end; tendons behind the joints
#define SS_KEY_FRICTION (3ull << 62)  ///< + number of the velocity; tendons behind them
#define SS_MACHINE_GEOMS (1 << 19)
#define SS_TENDON_JOINTS 3  ///< that the row of a tendon can have (ss_tree_node)

/// What the geoms of one kind of surface have in common
typedef struct ss_surface {
  int geom;  ///< one of them
  int condim, priority;
  double mu, spin, roll, eps_n, eps_t;
} ss_surface;

/// What happens where two geoms touch
typedef struct ss_touch_law {
  ss_contact_def law;          ///< first: an item that has its address has that of the whole
  ss_contact_def spin, roll;   ///< resistance against spin and rolling, mu in m; none if that is 0
  double stretch, roll_stretch;  ///< of T2, see ss_contact_item
  bool directed;               ///< T1 is not any tangent, but along
  bool fixed;                  ///< ... an axis of a body; else as MuJoCo has it, see ss_machine_add_touch()
  int body;                    ///< or SS_WORLD
  ss_vec3 axis;                ///< in the frame of that body
  ss_friction_set set;         ///< a polygon, if law.set is not NULL
  ss_tape* curve;              ///< mu over the speed, if law.varies
} ss_touch_law;

/// Registers of a curve: longer expressions are refused
enum { SS_CURVE_MOST = 64 };

/// A geom that a body carries, in the body's principal frame
typedef struct ss_carried {
  int geom, body;
  ss_shape_kind kind;
  ss_vec3 center, axis, side;
} ss_carried;

/// A body that carries geoms
typedef struct ss_carrier {
  int body;
  ss_vec3 origin;  ///< of the body's frame in its principal frame
  double arm;      ///< farthest that the core of a shape is from there, m
} ss_carrier;

/// A loop that ties two bodies: up to three rows p_b - p_a along directions fixed to body a, then up to three rows of
/// rotation likewise. Two rows of rotation leave the turn about an axis free.
typedef struct ss_loop {
  ss_scene_equality_kind kind;
  int body_a, body_b;
  ss_vec3 point_a, point_b;   ///< in the frames of the bodies
  ss_quat rotation;           ///< of body b in the frame of body a
  ss_vec3 move[3], turn[3];   ///< directions in the frame of body a
  int moves, turns;
  int row;                    ///< its first one
  // joints: y - y0 = sum of polycoef (x - x0)^i
  int iq[2], iv[2];           ///< of y and x; -1: no x
  double start[2];            ///< y0, x0
  double polycoef[5];
} ss_loop;

/// The range of a joint
typedef struct ss_limit {
  int joint, body_a, body_b;
  ss_joint_kind kind;
  int iq, iv;
  double range[2];
} ss_limit;

/// Dry friction of one velocity
typedef struct ss_dry {
  int iv, body_a, body_b;
  ss_contact_def law;
} ss_dry;

/// A term of a tendon
typedef struct ss_drive_term {
  int iq, iv;
  double coefficient;
} ss_drive_term;

/// A fixed tendon: its length is the sum of coefficient q of its terms
typedef struct ss_tendon {
  int first_term, n_term;
  int body_a, body_b;                   ///< of its first and last joint
  double fall;                          ///< how fast gravity may change its rate
  double stiffness, rest[2], damping;   ///< rest: the spring is slack between these lengths
  bool limited;
  double range[2];
  ss_contact_def law;                   ///< of its dry friction; none if the bound is 0
  int n_row;                            ///< 0: neither limited nor rubbing
  ss_drive_term row[SS_TENDON_JOINTS];  ///< terms that are not zero, by kinematic tree
} ss_tendon;

/// An actuator. Of a tendon, length = gear[0] times that of the tendon.
typedef struct ss_drive {
  int tendon;              ///< -1: it drives a joint
  ss_joint_kind kind;
  int iq, iv, nv;
  int input;               ///< its control
  double gear[6], gain, bias[3];
  bool ctrllimited, forcelimited;
  double ctrlrange[2], forcerange[2];
} ss_drive;

/// Lengths of a body that velocities act on, m
typedef struct ss_link {
  double offset;  ///< from the parent's centre of mass to where the joints begin
  double com;     ///< from the origin of the body's frame to its centre of mass
  double arm;     ///< from there to the core of a shape at most
} ss_link;

/// How fast a body can be at most: the origin of its frame, or its centre of mass, m/s; rad/s
typedef struct ss_speed {
  double linear, angular;
} ss_speed;

/// What an actuator does
typedef struct ss_drive_state { double length, velocity, force; } ss_drive_state;

/// A sensor
typedef struct ss_sensor {
  ss_scene_sensor def;
  int first;   ///< of its numbers
  int iq, iv;  ///< of a joint
  int drive;   ///< of an actuator, -1: it does not act
} ss_sensor;

struct ss_machine {
  ss_tree* tree;
  ss_collider* collider;     ///< NULL if nothing can touch
  ss_system* system;
  int nq, nv, n_body, n_joint, n_geom;
  double length;             ///< size of the scene, m
  double gravity;            ///< m/s^2

  int n_loop, n_bilateral;   ///< n_bilateral: their rows
  ss_loop* loop;
  int n_limit;
  ss_limit* limit;
  int n_dry;
  ss_dry* dry;
  int n_drive, n_ctrl;
  ss_drive* drive;
  int n_tendon, n_term;
  ss_tendon* tendon;
  ss_drive_term* term;       ///< of all tendons
  double* ctrl;              ///< n_ctrl
  double* damping;           ///< nv: of joints
  double* weight;            ///< nv: see ss_system_def
  double* damper;            ///< nv: of joints and actuators, damping.c
  double* damper_rate;       ///< nv: per inertia in the reference pose, 1/s
  bool has_dampers;
  int n_part;                ///< kinematic trees
  int* part_of;              ///< n_body: the tree that it belongs to, -1: it cannot move
  int* body_moved;           ///< nv: the body whose joint a velocity belongs to
  int* part_moved;           ///< nv: the tree of a velocity
  int* part_joined;          ///< n_part: the same number if a tendon is between two trees
  ss_tree_span* span;        ///< n_part: its velocities, and where they are in rows; none if they do not follow one
                             ///< another
  int* place;                ///< nv: for `span`
  uint64_t* reach;           ///< n_body: bit k: some of the numbers 6 k .. 6 k + 5 of its tree's rows move it
  int* part_tied;            ///< n_part: the first of the trees that loops tie to it, directly or through others
  bool* posed;               ///< n_body: its pose is needed, for planes that move or loops
  int n_carried, n_carrier;
  ss_carried* carried;
  ss_carrier* carrier;
  bool moving_plane;
  double* thin;              ///< n_geom: half of how thick its shape is where it is thinnest, m; planes: infinite
  double thinnest;           ///< the least of them
  ss_link* link;             ///< n_body
  double* anchor;            ///< joints of the tree: how far its anchor is from the origin of the body's frame, m
  int n_sensor, n_sensed;    ///< sensors, and their numbers
  ss_sensor* sensor;         ///< n_sensor
  const char **sensor_name, **sensor_unit;  ///< n_sensed

  int n_surface;
  ss_surface* surface;
  int* surface_of;           ///< n_geom
  ss_touch_law* law;         ///< by two surfaces, see ss_machine_law()
  int n_pair;
  struct ss_pair_law { uint64_t pair; ss_touch_law law; }* pair;  ///< of explicit pairs, sorted
  double* polygon;           ///< vertices of all sets of friction
  ss_contact_def limit_law;

  char** text;               ///< all names
  int n_text, text_room;
  const char** geom_name;    ///< n_geom
  bool* many;                ///< n_geom: it may touch another one like it at several points
  bool* fixed;               ///< n_geom: belongs to the world
  const char** tendon_name;  ///< n_tendon
  const char** label;        ///< n_joint: the joint's name, or the body's
  const char** coordinate;   ///< nq
  const char** unit;         ///< nq
  const char** velocity;     ///< nv
  const char** velocity_unit;///< nv
  const char** loop_row;     ///< n_bilateral
};

typedef struct ss_machine_work {
  const ss_machine* machine;
  ss_tree_work* tree;
  ss_tree_work *now, *before;  ///< of sensors, at the state and where the last step began; NULL if there are none
  ss_collider_work* collider;
  double* q;           ///< nq: the position that is set
  double* u;           ///< nv: the velocity that is set
  double* tau;         ///< nv: scratch
  double* bound;       ///< n_body + 1: scratch
  bool has_q, has_u, has_factor, has_pose, has_loop;
  double damped;       ///< step of the dampers that the factors are for; -halved: linear ones
  double* implicit;    ///< nv: what these add to M
  ss_pose* pose;       ///< n_body
  ss_twist* twist;     ///< n_body
  double* reach;       ///< n_body
  ss_speed* speed;     ///< n_body: bounds
  double* trial;       ///< nq: a position on the way, see ss_machine_stop()
  double *way, *next;  ///< n_part: of 1
  bool *has_met, *will_meet;  ///< n_part
  double* error;       ///< n_bilateral
  double* size;        ///< n_bilateral
  int n_loop_node;     ///< the first ones of `node`
  int n_node, n_row, n_item, n_chosen;
  int node_room, row_room, item_room, chosen_room;
  ss_tree_node* node;
  int *row_node, *row_part;  ///< the node of a row, and which of its rows it is
  ss_contact_item* item;
  ss_touch* touch;     ///< item_room: of the contacts that are followed; those of joints have none
  ss_tree_node* chosen;
  ss_tree_mass* mass;  ///< NULL until it is asked for
  int* col;            ///< nv: of a row
  double* value;       ///< nv: of a row
  ss_arena* arena;     ///< for G
  int arena_rows;
} ss_machine_work;

// ---- making (each fills its part; *error tells what is wrong) ------------------------------------------------------

ss_status ss_machine_make_names(ss_machine* m, const ss_scene* scene, ss_error* error);
ss_status ss_machine_make_shapes(ss_machine* m, const ss_scene* scene, ss_error* error);
ss_status ss_machine_make_laws(ss_machine* m, const ss_scene* scene, ss_error* error);
ss_status ss_machine_make_loops(ss_machine* m, const ss_scene* scene, ss_error* error);
ss_status ss_machine_make_joints(ss_machine* m, const ss_scene* scene, ss_error* error);
ss_status ss_machine_make_tendons(ss_machine* m, const ss_scene* scene, ss_error* error);
ss_status ss_machine_make_drives(ss_machine* m, const ss_scene* scene, ss_error* error);
ss_status ss_machine_make_dampers(ss_machine* m, const ss_scene* scene, ss_error* error);
ss_status ss_machine_make_sensors(ss_machine* m, const ss_scene* scene, ss_error* error);

/// A cleared array for n of them, never NULL unless memory is short.
#define SS_MACHINE_ARRAY(n, type) ((type*)calloc((size_t)(n) + 1, sizeof(type)))
ss_status ss_machine_no_memory(ss_error* error);

/// SS_ERR_INPUT with a line of the scene's file; 0: none.
ss_status ss_machine_complain(ss_error* error, const ss_scene* scene, int line, const char* format, ...)
  SS_PRINTF(4, 5);

/// A copy of a name that belongs to the machine, fit for tables; NULL if memory is short.
const char* ss_machine_keep(ss_machine* m, const char* format, ...) SS_PRINTF(2, 3);

/// mu of the pair as a function of the sliding speed; frees it. (curve.c)
ss_status ss_machine_make_curve(ss_touch_law* law, const ss_scene* scene, const ss_scene_pair* pair, ss_error* error);
void ss_machine_free_curve(ss_touch_law* law);
double ss_machine_friction(const void* user, const ss_contact_def* law, double speed);

// ---- parts of a step -----------------------------------------------------------------------------------------------

/// The law of two geoms that touch.
const ss_touch_law* ss_machine_law(const ss_machine* m, int geom_a, int geom_b);

/// Sets the position at->q, if it is another one.
ss_status ss_machine_update(const ss_at* at);

/// link and anchor of the machine (pass.c).
ss_status ss_machine_make_links(ss_machine* m, ss_error* error);

/// part_tied of the machine, once it has its loops (pass.c).
ss_status ss_machine_make_ties(ss_machine* m, const ss_scene* scene, ss_error* error);

/// See ss_operators.stop (pass.c).
ss_status ss_machine_stop(const ss_at* at, const double* u, double dt, double* v);

/// Shapes where the position that is set puts them.
void ss_machine_place_shapes(ss_machine_work* w);

/// w->reach: how far shapes move within dt at the velocity u.
void ss_machine_reach(ss_machine_work* w, const double* u, double dt);

/// The two shapes that were asked last, and whether they pass by one another; geom_a -1: none were
typedef struct ss_passed {
  int geom_a, geom_b;
  bool by;
} ss_passed;

/// An open contact that seems to close within dt, but that the shapes pass by (miss.c). Velocities are set.
bool ss_machine_misses(const ss_machine_work* w, const ss_touch* touch, double dt, ss_passed* last);

/// Velocities of all bodies.
void ss_machine_set_velocity(ss_machine_work* w, const double* u);
/// Of the point of a body, or of the world, that is at x, with the velocities that are set.
ss_vec3 ss_machine_velocity_at(const ss_machine_work* w, int body, ss_vec3 x);

/// Nodes, errors and sizes of the loops at the position that is set, as the first nodes. False if memory is short.
bool ss_machine_place_loops(ss_machine_work* w);

/// What the rates of the rows of loops have beside the accelerations of the bodies, added to w_bar (n_bilateral).
void ss_machine_add_loop_bias(const ss_machine_work* w, double* w_bar);

/// Adds limits and friction elements to the list. False if memory is short.
bool ss_machine_list_joints(ss_machine_work* w, const ss_at* at, double dt);
/// Adds the one with this key, wherever it is. False if there is none or memory is short.
bool ss_machine_follow_joint(ss_machine_work* w, const ss_at* at, uint64_t key);
/// The bias of its row.
double ss_machine_joint_bias(const ss_machine* m, const ss_at* at, uint64_t key);

/// Likewise of tendons.
bool ss_machine_list_tendon_limits(ss_machine_work* w, const ss_at* at, double dt);
/// ... and their dry friction.
bool ss_machine_list_tendon_friction(ss_machine_work* w);
bool ss_machine_follow_tendon(ss_machine_work* w, const ss_at* at, uint64_t key);

/// The sum of coefficient x of a tendon, for x = q or, as its rate, u.
double ss_machine_tendon_sum(const ss_machine* m, const ss_tendon* tendon, const double* x, bool rate);
/// h += the forces of springs and dampers of tendons; the energy of the springs; the power of the dampers.
void ss_machine_add_tendons(const ss_machine* m, const double* q, const double* u, double* h);
double ss_machine_tendon_energy(const ss_machine* m, const double* q);
double ss_machine_tendon_power(const ss_machine* m, const double* u);
/// The same of one tendon, and a tree that it acts on
double ss_machine_tendon_spring(const ss_machine* m, const ss_tendon* tendon, const double* q);
double ss_machine_tendon_damper(const ss_machine* m, const ss_tendon* tendon, const double* u);
int ss_machine_tendon_part(const ss_machine* m, const ss_tendon* tendon);

/// An item of one row in joint space, the terms of which are set by the caller; NULL if memory is short.
ss_tree_node* ss_machine_add_row(ss_machine_work* w, uint64_t key, const ss_contact_def* law, double gap, int body_a,
                                 int body_b);

/// A contact of shapes as an item with its rows. False if memory is short.
bool ss_machine_add_touch(ss_machine_work* w, const ss_touch* touch);

/// N, T1, T2 of a contact whose law has directions, from its normal.
void ss_machine_direct(const ss_machine_work* w, const ss_touch_law* law, double frame[9]);
/// change->w_bar of the tangential rows in that frame, stretched, of an item whose touch changes so.
void ss_machine_direct_bias(const ss_machine_work* w, const ss_contact_item* item, const ss_touch* touch,
                            ss_touch_change* change);

/// Adds the resistance against spin and rolling of the contacts of shapes, which are the first n items (resist.c).
/// False if memory is short.
bool ss_machine_list_resistance(ss_machine_work* w, int n);

/// The force of dampers is that of the start of the step, in h, which has that of at->u.
void ss_machine_damp_from_start(const ss_machine* m, const ss_at* at, double* h);

/// h += the forces of the actuators; their power is returned. h may be NULL.
double ss_machine_add_drives(const ss_machine* m, const double* q, const double* u, double* h);

/// Length, velocity and force of an actuator.
ss_drive_state ss_machine_drive(const ss_machine* m, const ss_drive* drive, const double* q, const double* u);

/// See ss_operators (sensors.c).
void ss_machine_sense(const ss_at* at, const ss_past* past, double* value);

/// Whether a point is in a shape of this size, in its frame, or the way from it along d leads there (zone.c).
bool ss_zone_holds(ss_scene_shape shape, const double size[3], ss_vec3 point, ss_vec3 d);

/// The forces of the loops on bodies (not those in joint space): at(user, body, point, force, moment) of each, with the
/// impulses Lambda (n_bilateral), at the position of `tree`.
typedef void ss_loop_force(void* user, int body, ss_vec3 point, ss_vec3 force, ss_vec3 moment);
void ss_machine_loop_forces(const ss_machine* m, const ss_tree_work* tree, const double* Lambda, ss_loop_force* at,
                            void* user);

/// The name of a contact, see ss_operators.
void ss_machine_contact_name(const void* user, uint64_t key, char* text, size_t size);

// ---- the workspace -------------------------------------------------------------------------------------------------

ss_status ss_machine_open(const void* user, void* scratch, ss_error* error);
void ss_machine_close(void* scratch);

/// One node, and its rows, more; NULL if memory is short. It is cleared.
ss_tree_node* ss_machine_add_node(ss_machine_work* w, int rows);
/// One item more; NULL likewise.
ss_contact_item* ss_machine_add_item(ss_machine_work* w);
/// Poses of the bodies that need one.
void ss_machine_place_bodies(ss_machine_work* w);
/// A point of a body in the world.
ss_vec3 ss_machine_point(const ss_machine_work* w, int body, ss_vec3 point);
/// The rotation of a body, or of the world.
ss_quat ss_machine_turn(const ss_machine_work* w, int body);

// ---- rows (rows.c) -------------------------------------------------------------------------------------------------

void ss_machine_row_velocity(const ss_at* at, const double* v, double* gamma, double* size);
void ss_machine_row_sides(const ss_at* at, const double* v, double* along, double* size);
void ss_machine_row_force(const ss_at* at, int m, const int* row, const double* Lambda, double* tau);
ss_status ss_machine_delassus(const ss_at* at, int m, const int* row, double* G);
void ss_machine_row_parts(const ss_at* at, int m, const int* row, int* part);
int ss_machine_part_size(const void* user, int part);
void ss_machine_row_half(const ss_at* at, int row, int rows, int part, int stride, double* J);
uint64_t ss_machine_row_reach(const ss_at* at, int row, int part);

/// Contacts by key, M, W and the bias as matrices, see ss_operators (follow.c).
uint64_t ss_machine_watch(const ss_at* at, uint64_t key);
uint64_t ss_machine_next(const ss_at* at, uint64_t key);
ss_status ss_machine_follow(const ss_at* at, int n, const uint64_t* key, const ss_contact_item** item);
ss_status ss_machine_mass(const ss_at* at, double* M);
void ss_machine_row_matrix(const ss_at* at, double* W);
void ss_machine_row_bias(const ss_at* at, double* w_bar);

/// The contacts of the shapes and joints, see ss_operators (list.c).
ss_status ss_machine_list(const ss_at* at, double dt, int* n, const ss_contact_item** item);

#endif
