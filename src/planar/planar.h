// Bodies of any shape in the plane as a system by operators: coordinates of a text model (Lagrange's equations), free
// bodies beside them, and contacts that come and go, found from the geometry [Slavic & Boltezar 2006, section 3].
//
// Coordinates: first the nl of the Lagrangian, then x, y, angle of the centre of mass of each free body. M is that of
// the Lagrangian and the diagonal of the free bodies.
// Rows: those of the Lagrangian's constraints, then contact by contact: touches, sorted by key, and the contacts that
// the text model gives by expressions.
#ifndef SS_PLANAR_PLANAR_H
#define SS_PLANAR_PLANAR_H

#include <stickslip/system.h>
#include "outline/touch.h"
#include "system/lagrangian.h"

typedef enum ss_carriage {
  SS_FIXED,   ///< does not move
  SS_GUIDED,  ///< its pose is a function of coordinates and time: three probes of the Lagrangian
  SS_FREE,    ///< has three coordinates of its own
} ss_carriage;

typedef struct ss_planar_body {
  const char* name;
  ss_carriage carriage;
  ss_shape2 shape;     ///< its outline stays the caller's
  double pose[3];      ///< fixed: x, y, angle
  int probe;           ///< guided: number of the first of three
  double mass, inertia;  ///< free: kg, kg m^2 about the centre of mass, which is the origin of the outline
  int group;           ///< bodies of one group do not touch; -1: none
  int part_of;         ///< 1 + number of an earlier body that it is one with: it has that one's pose, mass and inertia
                       ///< are those of both, and there; 0: of none
  double mu, eps_n, eps_t, nu;  ///< a pair has the larger ones
} ss_planar_body;

typedef struct ss_planar_def {
  ss_lagrangian* lagrangian;  ///< stays the caller's; NULL: none
  int n_body;
  const ss_planar_body* body;
  ss_system_def names;        ///< name, nv and coordinates of the whole; contacts and constraints of the Lagrangian
  double gravity[2];          ///< on free bodies, m/s^2
  double depth;               ///< overlap that a step may cause, m; 0: a thousandth of the smaller body
} ss_planar_def;

typedef struct ss_planar ss_planar;

ss_planar* ss_planar_create(const ss_planar_def* def, ss_error* error);
void ss_planar_destroy(ss_planar* planar);  ///< NULL is fine
const ss_system* ss_planar_system(const ss_planar* planar);
ss_status ss_planar_place(const ss_planar* planar, const double* q, double t, double* pose);  ///< 3 for each body
const ss_contact_def* ss_planar_contact_law(const ss_planar* planar, uint64_t key);  ///< NULL: there is no such key

// ---- what its files share ------------------------------------------------------------------------------------------

#define SS_KEY_EXPRESSION (1ull << 63)  ///< + number of a contact by expressions

struct ss_planar {
  ss_lagrangian* lagrangian;
  const ss_system_def* text;  ///< of the Lagrangian; NULL if it has no coordinates
  ss_system* system;
  int nv, nl;                 ///< coordinates: all, of the Lagrangian
  int n_probe, n_kink;        ///< of the Lagrangian
  int n_body, n_free;
  ss_planar_body* body;
  int* free;                  ///< n_body: which free body it is, -1: none
  double* radius;             ///< n_body: of the smallest circle around its origin, m
  double* size;               ///< n_body: what depths are measured by, m
  double* thick;              ///< n_body: how thick it is, in the mean, m
  double gravity[2], depth, length;  ///< length: size of the scene, m
  int n_surface;
  int* surface;               ///< n_body
  ss_contact_def* law;        ///< n_surface x n_surface
  int n_text_energy;          ///< parts of the Lagrangian with energies of their own
  int* text_energy;           ///< n_text_energy: the number of each among the parts of the system
  int n_energy;               ///< such parts of the system: the Lagrangian, the free bodies, what nothing touches
  int n_fixed, m_fixed, n_bilateral;  ///< contacts by expressions and their rows; constraints
  char** name;                ///< n_body
};

/// A row of W: a direction at a point of two bodies, or a row of the Lagrangian
typedef struct ss_planar_row {
  int a, b;            ///< bodies; -1, -1: of the Lagrangian
  int text;            ///< of the Lagrangian: its number in w->W
  ss_vec2 point, along;
  int touch;           ///
} ss_planar_row;

typedef struct ss_planar_work {
  const ss_planar* p;
  ss_at at;            ///< of the Lagrangian
  double* L;           ///< nl x nl: Cholesky factor of its mass matrix
  bool has_factor, has_pose;
  bool listed;         ///< bodies have been looked at once: overlaps cannot be deeper than the skin any more
  double t, *q;        ///< where it was updated
  double dt;           ///< of the list at hand
  double *value, *row, *rest, *bias;  ///< n_probe, n_probe nl, n_probe, n_probe
  double* text_bias;                  ///< w_bar of the Lagrangian's rows
  double *W, *w_hat, *gap, *error;    ///< of the Lagrangian: bilateral rows, then contacts; errors of the former
  ss_pose2* pose;      ///< n_body
  ss_motion2* motion;  ///< n_body
  ss_vec2* accel;      ///< n_body: bias of the acceleration of the origin
  double* turn;        ///< n_body: bias of the angular acceleration; moment of a force
  double* reach;       ///< n_body
  ss_vec2 *low, *high; ///< n_body: boxes in the world
  int* order;          ///< n_body: by low.x
  ss_touches touches;
  int n_item, n_row, item_room, row_room;
  ss_contact_item* item;
  ss_planar_row* rows;
  double* of_kinks;    ///< derivatives of the kinks of the Lagrangian, 2 nv each: by q, by u
  double* Y;           ///< rows of W^T L^-T
  int Y_room;
  ss_energy* text_energy;  ///< n_text_energy
  ss_power* text_power;    ///< likewise
  double* text_size;       ///< likewise
} ss_planar_work;

ss_status ss_planar_open(const void* user, void* scratch, ss_error* error);
void ss_planar_close(void* scratch);
/// Velocities of the bodies with u (NULL: at rest).
void ss_planar_move(ss_planar_work* w, const double* u, bool with_rest);

// list.c
ss_status ss_planar_list(const ss_at* at, double dt, int* n, const ss_contact_item** item);
void ss_planar_contact_name(const void* user, uint64_t key, char* text, size_t size);

bool ss_planar_begin_rows(ss_planar_work* w, int items);  ///< empty lists with room, bilateral rows first
void ss_planar_add_touch(ss_planar_work* w, int touch);   ///< item and rows of a touch of w->touches
void ss_planar_add_text(ss_planar_work* w, int contact);  ///< ... of a contact of the Lagrangian

// follow.c: for the event-driven integrator
ss_status ss_planar_mass(const ss_at* at, double* M);
ss_status ss_planar_follow(const ss_at* at, int n, const uint64_t* key, const ss_contact_item** item);
uint64_t ss_planar_watch(const ss_at* at, uint64_t key);
uint64_t ss_planar_next(const ss_at* at, uint64_t key);
void ss_planar_row_matrix(const ss_at* at, double* W);
void ss_planar_row_bias(const ss_at* at, double* w_bar);

// rows.c
void ss_planar_dense_row(const ss_planar_work* w, int row, double* W);  ///< nv
void ss_planar_row_velocity(const ss_at* at, const double* v, double* gamma, double* size);
void ss_planar_row_sides(const ss_at* at, const double* v, double* along, double* size);
void ss_planar_row_force(const ss_at* at, int m, const int* row, const double* Lambda, double* tau);
ss_status ss_planar_delassus(const ss_at* at, int m, const int* row, double* G);
void ss_planar_row_parts(const ss_at* at, int m, const int* row, int* part);
ss_status ss_planar_row_drive(const ss_at* at, double* w_hat);

#endif
