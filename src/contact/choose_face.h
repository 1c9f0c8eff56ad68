// Contact problems near a solution, with the contact states at hand: what may change without a change of states.
// Unknowns X, one for each row that rests:
//   Lambda_N of what slides, with which goes Lambda_T = -(mu X + bound) s,  s = xi_T/|xi_T|;   Lambda of what sticks.
#ifndef SS_CONTACT_CHOOSE_FACE_H
#define SS_CONTACT_CHOOSE_FACE_H

#include "contact/nearest.h"
#include "contact/planar.h"

// A contact. Rows are those of the problem without bilateral rows.
typedef struct ss_face_part {
  int N, T, tangents;  // normal row and first tangential one, -1: none
  bool closed, slips, sticks;
  int x, count;  // unknowns
  double mu, bound;
  double w_N, w_T;      // weights
  double s[2], across;  // direction of sliding; (mu X + bound)/|xi_T|
  int turn;             // number among those whose direction can turn, or -1
} ss_face_part;

typedef struct ss_face {
  const ss_reduced* r;
  int k, m, n, turns;  // contacts, rows, unknowns, directions that turn
  int still;           // unknowns of contacts that do not slide, which come first
  ss_face_part* part;  // k
  int* row;            // n: of each unknown; it rests
  ss_near_set* set;    // k
  int n_set;
  double *B, *R, *g;       // n x n: velocities of these rows by each scaled unknown; rank x n, rank: R x = g
  int rank;                // rows of R
  double *TG, *A, *theta;  // turns x m, turns x turns, (n + 1) x turns: how far directions turn with each unknown
  double* GT;              // n x turns
  double *X, *x, *z;       // n: unknowns; scaled, sqrt(w) (X + shift); before they were projected
  double *w, *shift;       // n
  double *c, *d;           // m: scratch
  double *Lambda, *xi;     // m
  int* piv;                // turns
} ss_face;

/// For k contacts with m rows. False if the arena is full.
bool ss_face_take(ss_face* f, int k, int m, ss_arena* arena);
size_t ss_face_size(int k, int m);

// ---- choose_face.c: states ----

/// States from f->Lambda, f->xi and state (k); velocities up to `zero` are none.
void ss_face_describe(ss_face* f, const ss_contact_problem* p, double zero, const ss_contact_state* state);
/// Unknowns and their rows for these states
void ss_face_lay_out(ss_face* f);
void ss_face_weigh(ss_face* f, const ss_contact_problem* p);
/// Whether rows that rest depend on one another. Uses up f->B.
ss_choice ss_face_depends(ss_face* f);
/// The part of the way d, with the velocities dxi, until the first contact changes its state, which it does then: *all
/// tells that none does.
double ss_face_reach(ss_face* f, const double* dxi, bool* all);
/// All that slides sticks
void ss_face_stop(ss_face* f);
/// Round-off must not leave the cones, and what slides has its friction exactly
void ss_face_clean(ss_face* f);

// ---- choose_equations.c ----

/// Directions of sliding and how they turn. False if a contact has stopped sliding.
bool ss_face_turn(ss_face* f);
/// R x = g of the scaled unknowns (or of their increments, without what turns)
void ss_face_equations(ss_face* f, bool increments);
void ss_face_sets(ss_face* f);
/// d += change of Lambda by the increments v (n) of scaled unknowns
void ss_face_spread(const ss_face* f, const double* v, double* d);

#endif
