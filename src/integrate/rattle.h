// A step in two stages: the system at its start beside that at its end, and how the contacts of both belong together.
#ifndef SS_INTEGRATE_RATTLE_H
#define SS_INTEGRATE_RATTLE_H

#include "integrate/work.h"
#include "integrate/rattle_quick.h"
#include "math/anderson.h"

/// a: the system where the step begins. The workspace of the step itself is where it ends.
typedef struct ss_rattle {
  ss_work* a;
  int room_contacts, room_rows;          ///< of arrays of the list of a
  int room_contacts_end, room_rows_end;  ///< of arrays of that at the end, which may grow within a step
  int* at_end;        ///< contacts of a: the number in the list at the end, -1: it is not in it
  int* at_start;      ///< contacts at the end: the number in the list of a, likewise
  int *by_key_start, *by_key_end;  ///< numbers of contacts in both lists by their keys
  bool listed_again;  ///< contacts of a are listed with another velocity than that of the start
  int n_key, room_keys;
  uint64_t* key;      ///< n_key: contacts of a in the first list, in order
  bool* in;           ///< contacts of a: part of the problem of the first stage
  bool* gone;         ///< contacts of a: what touches there has come to its end on the way
  uint64_t* heir;     ///< contacts of a: the key of the contact at the end that each goes on in, 0: by name or nearness
  double* gamma;      ///< rows of a: relative velocities there with u_half
  double* gamma_end;  ///< rows at the end: relative velocities there with u_half
  double* held;       ///< rows of a: what the laws of the first stage speak of, m/s
  double* P;          ///< rows of a: impulses of the first stage
  double* P_end;      ///< rows at the end: the same
  bool turns;         ///< forces quadratic in u are kept from doing work:
  bool balanced;      ///< ... by alpha, which is small
  double* alpha;      ///< 4 n_parts: tells what is taken of u_half in both halves
  double* alpha_before;  ///< 4 n_parts: ... in the round before
  double* d_start;    ///< nv: what forces change u by in the first half,
  double* d_end;      ///< nv: ... in the second one
  double* u_balanced; ///< nv: the u_half that alpha is for
  bool flies;         ///< nothing touches
  double q_noise;     ///< velocities that round-off of the coordinates makes
  ss_anderson rounds; ///< of u_half
  ss_quick quick;     ///< problems of the first stage, then that of the second one
} ss_rattle;

/// What systems with operators keep of a position goes from one end of a step to the other: where a step has ended the
/// next one begins.
void ss_rattle_swap(ss_work* w);
/// Memory for a step; what depends on lists follows. NULL if memory is short.
ss_rattle* ss_rattle_of(const ss_system* system, ss_work* w);
/// Room for the list of a, what was there is lost; for that at the end. False if memory is short.
bool ss_rattle_reserve_start(ss_rattle* x);
bool ss_rattle_reserve_end(ss_rattle* x, const ss_work* w);
/// Which contacts of the two lists are the same: x->at_end, x->at_start.
void ss_rattle_match(ss_rattle* x, const ss_work* w);
/// Contact j at the end overlaps and has none at the start: the nearest of the same shapes that has another name at the
/// end, and no heir yet, goes on in it. False if there is none.
bool ss_rattle_hand_over(ss_rattle* x, const ss_work* w, int j);
/// Whether two contacts are of the same two shapes
bool ss_rattle_same_shapes(const ss_contact_item* a, const ss_contact_item* b);
/// The keys of the list at the start, as it is. False if memory is short.
bool ss_rattle_keep_keys(ss_rattle* x);
/// Contacts that did nothing begin at the end if they are in the second list alone, or were named otherwise.
void ss_rattle_leave_new(ss_rattle* x, const ss_work* w);
/// x->held with u_half at hand: (g(q_E) - min(0, g(q_A)))/dt of normal rows, c(q_E)/dt of bilateral ones, the mean of
/// both ends of tangential ones. foreseen: as the rows of q_A tell it, nothing was evaluated at the end yet.
void ss_rattle_hold(ss_rattle* x, const ss_work* w, double dt, bool foreseen);
/// Row k of contact j at the end, which has one at the start: the numbers there, impulses or velocities, along its own
/// directions.
double ss_rattle_turned(const ss_rattle* x, const ss_work* w, int j, int k, const double* rows, bool impulses);
/// Impulses of the first stage in the rows at the end, as far as contacts are the same: x->P_end
void ss_rattle_carry(ss_rattle* x, const ss_work* w);

#endif
