// All solutions of a planar contact problem by the states of its contacts: what the search over the combinations
// (states.c), the solutions of one combination (states_family.c) and the list of solutions (states_pieces.c) share.
#ifndef SS_CONTACT_STATES_H
#define SS_CONTACT_STATES_H

#include "contact/planar.h"

/// Most contacts, rows, inequalities.
enum { SS_STATES_K = SS_CONTACT_ENUMERATE_MAX, SS_STATES_ROWS = 2*SS_STATES_K, SS_STATES_LAWS = 3*SS_STATES_K };

/// Relative distance of points that are one.
#define SS_STATES_SAME 1e-8

/// What friction does: there is none, it holds (xi_T = 0), it is at its limit.
typedef enum ss_grip { SS_NO_GRIP, SS_HOLDS, SS_SLIDES } ss_grip;

/// One way to be of one contact
typedef struct ss_way {
  bool closed;
  ss_grip grip;
  int sign;   ///< of sliding
  bool free;  ///< slides already: no law on xi_T
  ss_contact_state state;
} ss_way;

typedef struct ss_states {
  const ss_contact_problem* p;
  ss_reduced r;
  double tol;
  // the problem in units where G_ii = 1 and b is of order one
  int k, m, N[SS_STATES_K], T[SS_STATES_K];  ///< contacts, rows; -1: none
  double unit[SS_STATES_ROWS], beta;         ///< Lambda_i = beta unit_i L_i
  double G[SS_STATES_ROWS*SS_STATES_ROWS], b[SS_STATES_ROWS], mu[SS_STATES_K], bound[SS_STATES_K];
  bool pushes[SS_STATES_K][SS_STATES_K];     ///< contact j can raise xi_N of contact i
  bool pulls[SS_STATES_K][SS_STATES_K];      ///< ... lower it
  ss_way ways[SS_STATES_K][6];
  int n_ways[SS_STATES_K];
  // the combination at hand: L = L_0 + E z,  z = z_0 + Z t
  const ss_way* now[SS_STATES_K];
  int n, d;
  double L_0[SS_STATES_ROWS], E[SS_STATES_ROWS*SS_STATES_ROWS];
  double z_0[SS_STATES_ROWS], Z[SS_STATES_ROWS*SS_STATES_ROWS];
  int laws;
  double e[SS_STATES_LAWS], C[SS_STATES_LAWS*SS_STATES_ROWS];  ///< inequalities e + C z >= 0, then in t
  ss_contact_piece piece;
  int vertex_room, ray_room;
  // all
  ss_contact_solutions* all;
  int piece_room;
  const ss_way* (*combination)[SS_STATES_K];  ///< of each piece
  long budget;                                ///< choices of rows for corners that may still be looked at
  double* Lambda;                             ///< problem's m: scratch
  bool no_memory;
} ss_states;

/// Finds the solutions of the combination `now` and puts them into the list.
void ss_states_look(ss_states* w);

/// All members of the family at hand have the same xi: no direction of it changes G Lambda.
bool ss_states_one_xi(const ss_states* w);

/// Lambda becomes a vertex, or a ray, of the piece at hand unless that has it.
void ss_states_add(ss_states* w, bool ray);

/// Puts the piece at hand into the list unless it lies within another; those within it go.
void ss_states_keep(ss_states* w);

void ss_states_free_piece(ss_contact_piece* piece);  ///< its arrays

#endif
