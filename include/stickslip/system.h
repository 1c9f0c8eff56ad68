// A mechanical system with contacts:  M(q,t) u' = h(q,u,t) + W lambda,  gaps g_N(q,t) >= 0,  gamma = W^T u + w_hat.
// Anything that can be simulated is an ss_system: text models, C callbacks, later plugins and multibody trees.
#ifndef STICKSLIP_SYSTEM_H
#define STICKSLIP_SYSTEM_H

#include <stickslip/base.h>
#include <stickslip/law.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The laws of one contact:  0 <= xi_N _|_ Lambda_N >= 0,  -Lambda_T in (mu Lambda_N + bound dt) Sgn(xi_T),
/// xi = gamma+ + eps gamma-      [Glocker & Studer 2005, (11), (12)]
/// With static coefficients a contact that sticks has the limit mu_static Lambda_N + bound_static dt until that is
/// exceeded, and slides with mu and bound until it comes to rest        [Stewart 2000, section 4.3]
typedef struct ss_contact_def {
  const char* name;      ///< shown in tables; unique within the system
  ss_contact_kind kind;  ///
  double mu;             ///< friction coefficient, >= 0
  double bound;          ///< friction force that does not depend on the normal load, N (or N m), >= 0
  double eps_n;          ///< normal restitution, 0..1
  double eps_t;          ///< tangential restitution, 0..1
  double nu;             ///< tangential reversibility of Poisson's law, 0..1; Newton's law does not know it
  double mu_static;      ///< of a contact that sticks, >= mu; 0: as mu
  double bound_static;   ///< likewise, >= bound; 0: as bound
  bool varies;           ///< mu and bound are those of ss_system_def.friction(); here they are 0. Contacts that come
                         ///< and go: mu is that of ss_operators.friction()
  const struct ss_friction_set* set;  ///< spatial: the set that friction comes from, times mu Lambda_N + bound dt
                                      ///< (dissipation.h, a polygon); NULL: the disk. Contacts that come and go alone
} ss_contact_def;

/// Where a system is evaluated. `u` is NULL where only the position matters.
typedef struct ss_at {
  const void* user;  ///< ss_system_def.user
  void* scratch;     ///< ss_system_def.scratch_size bytes, one per workspace, kept between calls
  double t;          ///< s
  const double* q;   ///< nq
  const double* u;   ///< nv
  char* message;     ///< SS_AT_MESSAGE bytes: a function that fails may write here why
  double dt;         ///< force(), accelerate(): the step that they are for, from u on, s; 0: at this instant
  double damped;     ///< factor(), force(), accelerate(): forces that damp may be implicit over so long a step, s,
                     ///< with what they need added to M; 0: at this instant
  const double* start;   ///< nv: u at the start of that step
  const double* q_start; ///< nq: q likewise; NULL: not known
  double rest;           ///< force(), accelerate(), if dt > 0: what is left of dt after q, s
  bool predicts;         ///< list(): contacts that will close within dt count as closed; what the bodies pass by should
                         ///< not be in the list
  double theta;          ///< force(), accelerate(): 0, or u is (1 - theta) u_A + theta u_E of the step `damped` from
                         ///< `start` = u_A on: implicit forces
  double halved;         ///< factor(), force(), accelerate(): u is found by repetition for the first half of a step of
                         ///< this length, s, from `start` on: forces that damp are linear about it, with what that
                         ///< adds to M; 0: they are not
  double* gyro;          ///< nv, if theta > 0: u_E is found by repetition. Kept from round to round for a system that
                         ///< solves for gyroscopic forces itself, and zero at first; NULL: u_E is known
  const double* side;    ///< n_kink: sides of its kinks (+1, -1) on which the system is evaluated; NULL: as they are
  struct ss_pool* pool;  ///< threads of the step (ss_step_def.threads), which the library's own systems use; or NULL
} ss_at;

enum { SS_AT_MESSAGE = 200 };

enum { SS_KEY_FEATURE = 20 };  ///< bits of ss_contact_item.key

/// A contact of the list of a system whose contacts come and go.
typedef struct ss_contact_item {
  uint64_t key;               ///< which one: the same from step to step, never twice in a list. Of shapes (`thick`) the
                              ///< lower SS_KEY_FEATURE bits tell the point, the others the two shapes
  const ss_contact_def* law;  ///< kind and coefficients; belongs to the system. Its name is not read.
  double gap;                 ///< m, or rad:
  bool angle;                 ///< the gap is an angle: limits of joints that turn
  double size;                ///< of the terms whose difference the gap is, to judge round-off
  double point[3];            ///< where it is in the world, m; all zero if it has no place (joint limits)
  double frame[9];            ///< N, T1, T2 in the world, row by row; all zero likewise
  int body_a, body_b;         ///< numbers of the bodies, N points from a to b; -1: the world
  double room;                ///< of `follow`, read if there is `next`: way to the end of its edge, negative beyond; m
  double room_rate;           ///< likewise: its rate with the velocities at hand, where it is near the end; m/s
  double stretch[2];          ///< rows T1 and T2 are those of the frame times this, so that an ellipse of friction is a
                              ///< disk in them (docs/dissipation.md); what a step reports is along the frame. 0: as 1
  int load;                   ///< 0, or 1 + number in the list of an earlier contact, whose normal impulse limits the
                              ///< tangential one of this one, |Lambda_T| <= mu Lambda_N, and which it is active with:
                              ///< resistance against spin and rolling. N of a spatial one is a row of zeros, gap 0
  double thick;               ///< half of how thick the thinner one of the two shapes is, m: overlap is judged by it;
                              ///< 0: it has no shapes
} ss_contact_item;

/// How a state came about, for sensors of forces and accelerations: means over the last step.
typedef struct ss_past {
  double dt;                        ///< its length, s; 0: no step led to the state, and nothing else is read
  const double *q, *u;              ///< where it began
  const struct ss_step_info* info;  ///< what it did (simulate.h)
} ss_past;

/// Overlap that is left after a step
typedef enum ss_overlap {
  SS_OVERLAP_STAYS,   ///
  SS_OVERLAP_LEAVES,  ///< is removed where a step finds more of it than is allowed (docs/integrators.md)
  SS_OVERLAP_NEVER    ///< is looked for after every step, and removed
} ss_overlap;

/// Systems with many coordinates or with contacts that come and go: operators in place of matrices. update() of
/// ss_system_def comes first wherever q or t has changed; functions that speak of rows are called after `list`. Rows
/// are numbered through: first the n_bilateral rows, then those of the contacts in the order of the list.
typedef struct ss_operators {
  /// Called once for each workspace, to make what `scratch` points to, and at its end. Optional.
  ss_status (*open)(const void* user, void* scratch, ss_error* error);
  void (*close)(void* scratch);

  /// q_out = q moved for dt with the velocity u; q_out may be q. NULL: q + dt u, and nq = nv.
  void (*advance)(const void* user, const double* q, const double* u, double dt, double* q_out);
  /// v (nv): the velocity that leads from q_0 to q_1 in a unit of time, on the shortest way. NULL: q_1 - q_0. For those
  /// who compare states; no integrator asks for it.
  void (*difference)(const void* user, const double* q_0, const double* q_1, double* v);

  /// Makes M ready for solve() and delassus(), at the position of the last update(). Evaluations that need gaps or
  /// energies only do without. SS_ERR_NUMERIC if M is singular.
  ss_status (*factor)(const ss_at* at);

  /// y = M^-1 x; y may be x.
  void (*solve)(const ss_at* at, const double* x, double* y);
  /// a = M^-1 h(q, u, t) (nv), where that is cheaper than force() and solve(). May be NULL.
  ss_status (*accelerate)(const ss_at* at, double* a);
  /// Whether parts turn so far within dt at the velocity at->u that an implicit step would not find its end. NULL: no.
  bool (*turns_far)(const ss_at* at, double dt);

  /// For steps in two stages, with the same velocity u in the middle at both ends: whether forces quadratic in u are to
  /// be kept from doing work (at the start); alpha (4 n_parts) that tells what of the velocity is to be taken away in
  /// both halves for that, where d_start and d_end (nv) are what all forces change u by in them; false: it is not
  /// small; and x (nv) less that at one of the ends. NULL: there are no such forces.
  bool (*turns)(const ss_at* at, double dt);
  bool (*balance)(const ss_at* start, const ss_at* end, double dt, const double* d_start, const double* d_end,
                  double* alpha);
  void (*lean)(const ss_at* at, const double* alpha, double* x);

  /// The contacts that may close within dt from here with about the velocity at->u, and all that are closed; joint
  /// limits and friction elements too. *item belongs to the system, until the next call. dt 0: those that are closed.
  ss_status (*list)(const ss_at* at, double dt, int* n, const ss_contact_item** item);

  /// v (nv): u, less where a part of the system moves so fast that it would pass through something on the way dt u from
  /// at->q: it goes no farther than to what it meets. NULL: nothing passes through anything.
  ss_status (*stop)(const ss_at* at, const double* u, double dt, double* v);

  /// error (n_bilateral): c(q, t); size (n_bilateral): of the terms whose difference it is, to judge round-off.
  ss_status (*bilateral)(const ss_at* at, double* error, double* size);

  /// gamma (all rows) = W^T v, and size (all rows; may be NULL): the sum of the magnitudes of its terms.
  void (*row_velocity)(const ss_at* at, const double* v, double* gamma, double* size);

  /// Optional: along (all rows) = |d . v_a| + |d . v_b|, the velocities of its two sides each by itself along the row's
  /// direction d, and size (all rows) = |v_a| + |v_b|. They tell forces that press two bodies together from those
  /// across the contact, where both move alike. NULL: all forces press.
  void (*row_sides)(const ss_at* at, const double* v, double* along, double* size);

  /// tau (nv) = sum of W_row[i] Lambda[i] over m rows.
  void (*row_force)(const ss_at* at, int m, const int* row, const double* Lambda, double* tau);

  /// G (m x m, row by row) = W^T M^-1 W for m rows: bilateral ones, then contact by contact its first row or all of
  /// them, not always in the order of the list.
  ss_status (*delassus)(const ss_at* at, int m, const int* row, double* G);

  /// part (2 for each of m rows): the parts of the system that a row acts on, -1: none. Forces on one part move no
  /// other (kinematic trees): rows without a common part do not see each other.
  void (*row_parts)(const ss_at* at, int m, const int* row, int* part);

  /// What SS_PROJECTION_AUTO does about it.
  ss_overlap overlap;

  /// Optional, both or none: rows in velocities for which M is one. M = L L^T part by part, with any factor L that
  /// stays the same between two calls of update(); J = W^T L^-T is what the contact problem of many rows is solved in.
  /// How many velocities a part has, with such as nothing moves, if its rows are to be zero in whole blocks of them
  /// (row_reach); 0: it has no such rows.
  int (*part_size)(const void* user, int part);
  /// J of `rows` rows of one contact from `row` on, in the velocities of a part that they act on, `stride` numbers
  /// apart. Comes after factor().
  void (*row_half)(const ss_at* at, int row, int rows, int part, int stride, double* J);
  /// Optional: where these J can differ from zero. Bit k: in the velocities 6 k .. 6 k + 5 of the part, all rows of a
  /// contact alike, for any q. Velocities from 6*64 on are never asked for. NULL: everywhere.
  uint64_t (*row_reach)(const ss_at* at, int row, int part);

  /// mu of a law that varies, where the contact slides with this speed (m/s). NULL if none does.
  double (*friction)(const void* user, const ss_contact_def* law, double speed);

  /// w_hat (all rows): velocities of moving partners. NULL: all zero.
  ss_status (*row_drive)(const ss_at* at, double* w_hat);

  /// The name of the contact with a key, e.g. "ball - floor", cut to size bytes.
  void (*contact_name)(const void* user, uint64_t key, char* text, size_t size);

  // The rest is for the event-driven integrator, which needs all of it but `rate` (if nq is nv), `watch` and `next`. It
  // follows contacts along an arc whether they are near or far, and takes M and W as matrices.

  /// dq (nq) = q' where the velocity is u, and size (nq; may be NULL): the sum of the magnitudes of its terms.
  void (*rate)(const void* user, const double* q, const double* u, double* dq, double* size);
  ss_status (*mass)(const ss_at* at, double* M);  ///< nv x nv

  /// The key by which `follow` knows the contact that `list` has under this one. Points of the list that pass into one
  /// another are one contact there. NULL: the same.
  uint64_t (*watch)(const ss_at* at, uint64_t key);
  /// The contact that goes on where one ends, with its features (room = 0): the point passes to the next edge, or the
  /// edge over the next point. 0: none does. NULL: contacts do not end.
  uint64_t (*next)(const ss_at* at, uint64_t key);
  /// The contacts with these keys, in this order, wherever they are now; takes the place of `list`. An error, and why
  /// in at->message, if one of them cannot be followed since its gap is not smooth.
  ss_status (*follow)(const ss_at* at, int n, const uint64_t* key, const ss_contact_item** item);
  void (*row_matrix)(const ss_at* at, double* W);      ///< all rows x nv; rows that nothing moves are zero
  void (*row_bias)(const ss_at* at, double* w_bar);    ///< all rows: gamma' = W^T u' + w_bar
} ss_operators;

/// Energies of a system.
typedef struct ss_energy {
  double kinetic;    ///< T, J
  double potential;  ///< V, J
  double transport;  ///< 2 T - u . dT/du, J: zero unless T has terms below second degree in u (moving supports)
} ss_energy;

/// Power that flows into a system other than through its contacts.
typedef struct ss_power {
  double forces;  ///< u . Q with the forces Q that have no potential, W
  double drive;   ///< dV/dt - dT/dt at fixed q and u, W: zero unless t appears explicitly
} ss_power;

/// A function of q, u and t at whose zeros the system has a kink, or jumps.
typedef struct ss_kink {
  double value;            ///
  double rate;             ///< dvalue/dt at fixed q and u
  const double *dq, *du;   ///< nv: its derivatives; they belong to the system until its next call
} ss_kink;

/// A system given by functions. Zero-initialise, then fill; functions marked optional may stay NULL.
/// The library calls update() first whenever q or t has changed, then any of the others.
/// A function returns SS_OK, or a negative status, which ends the step.
typedef struct ss_system_def {
  const char* name;
  int nv;                              ///< degrees of freedom
  int nq;                              ///< numbers in q; 0: nv. Others need ss_operators.advance()
  const char* const* coordinate;       ///< nq names; NULL for q0, q1, ...
  const char* const* unit;             ///< nq units, e.g. "m", "rad"; NULL (also single ones) if unknown
  const char* const* velocity;         ///< nv names where nq is not nv; else the coordinates name them too
  const char* const* velocity_unit;    ///< likewise
  int n_contact;                       ///
  const ss_contact_def* contact;       ///< n_contact
  int n_parts;                         ///< parts, see row_part; with operators ss_operators.row_parts
  const int* row_part;                 ///< without operators: the part (0 .. n_parts - 1) of each row, bilateral ones
                                       ///< first; rows of two parts never act on each other (no velocity that both
                                       ///< depend on, no entry of M between theirs). NULL: all may
  const int* coupled;                  ///< nv: velocities with different numbers (0 .. nv - 1) never act on each other,
                                       ///< through M, rows or forces; with operators but for rows and entries of M
                                       ///< that are there. NULL: all may, with operators none
  int n_energy_parts;                  ///< parts whose energies energies() tells apart; 0: it does not. With operators
                                       ///< the first are those of ss_operators.row_parts; no row acts on others
  const int* energy_part;              ///< nv: the part of each velocity
  const int* energy_joined;            ///< n_energy_parts: parts with the same number have forces between them; NULL:
                                       ///< none have
  const double* weight;                ///< nv: |h_j|/sqrt(M_jj) that weights can give at the most, wherever they act:
                                       ///< where they balance or are square to j, 1e-16 of it is left. NULL: zero
  bool forces_couple;                  ///< with operators: forces act between velocities without an entry of M or a row
  int n_bilateral;                     ///< bilateral (joint) constraints
  const char* const* bilateral_name;   ///< n_bilateral names; NULL for c0, c1, ...
  int n_sensor;                        ///< numbers that sense() gives
  const char* const* sensor;           ///< n_sensor names
  const char* const* sensor_unit;      ///< n_sensor units; NULL (also single ones) if unknown
  int n_kink;                          ///< kinks that kinks() gives; 0: the system is smooth
  const char* const* kink;             ///< n_kink: where they are, e.g. "force of 'x'"
  bool kinks_drive;                    ///< momenta of supports have kinks in time
  bool kinks_bend;                     ///< gaps, constraints or guided bodies have kinks: ways with corners
  bool mass_is_constant;               ///< M depends on neither q nor t: it is factorised once
  bool has_power;                      ///< power() can differ from zero
  const void* user;                    ///< handed to every function
  size_t scratch_size;                 ///< bytes of scratch handed to every function, cleared at first

  ss_status (*update)(const ss_at* at);                                          ///< optional
  ss_status (*mass)(const ss_at* at, double* M);                                 ///< nv x nv, symmetric
  ss_status (*force)(const ss_at* at, double* h);                                ///< nv; gyroscopic forces too
  ss_status (*contacts)(const ss_at* at, double* gap, double* W, double* w_hat); ///< W row by row: m x nv, w_hat: m
  ss_status (*friction)(const ss_at* at, double* mu, double* bound);             ///< n_contact each: of those that
                                                                                 ///< vary; NULL if none does
  ss_status (*contact_bias)(const ss_at* at, double* w_bar);                     ///< optional; gamma' = W^T u' + w_bar
  ss_status (*bilateral)(const ss_at* at, double* error, double* W, double* w_hat); ///< n_bilateral rows as above
  ss_status (*bilateral_bias)(const ss_at* at, double* w_bar);                   ///< optional
  ss_status (*energy)(const ss_at* at, ss_energy* energy);                       ///< optional; no energy ledger without
  ss_status (*power)(const ss_at* at, ss_power* power);                          ///< needed if has_power

  /// The same, with the energies and powers of the parts, each without constants; needed if there are n_energy_parts.
  ss_status (*energies)(const ss_at* at, ss_energy* energy, ss_energy* part);
  ss_status (*powers)(const ss_at* at, ss_power* power, ss_power* part);         ///< ... and has_power
  /// size (of each part, of the whole if there are none): the sum of the magnitudes of the terms that V is made of, J,
  /// to judge round-off. Optional.
  ss_status (*potential_size)(const ss_at* at, double* size);

  /// kink (n_kink); with at->side everything is evaluated on these sides, and goes on smoothly beyond the kinks.
  ss_status (*kinks)(const ss_at* at, ss_kink* kink);
  ss_status (*momentum)(const ss_at* at, double* p);  ///< nv: dT/du; needed if there are kinks

  /// value (n_sensor): what the sensors measure at at->q, at->u, at->t. Needed if there are sensors. No update() comes
  /// before it, and what other functions have made ready stays as it is.
  void (*sense)(const ss_at* at, const ss_past* past, double* value);

  /// With operators n_contact is 0 and mass, contacts, bilateral and their biases stay NULL. NULL: dense, as above.
  const ss_operators* operators;
} ss_system_def;

typedef struct ss_system ss_system;

/// Copies the definition (names too; `user` stays the caller's). NULL and *error if something in it is wrong.
SS_API ss_system* ss_system_create(const ss_system_def* def, ss_error* error);
SS_API void ss_system_destroy(ss_system* system);  ///< NULL is fine

/// The definition as the system keeps it: sizes, names, laws, functions.
SS_API const ss_system_def* ss_system_get(const ss_system* system);

/// Contact rows in all: the sum of ss_contact_rows() over the contacts.
SS_API int ss_system_rows(const ss_system* system);

#ifdef __cplusplus
}
#endif
#endif
