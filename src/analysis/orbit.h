// What the search for periodic orbits shares: returns to a section, and what a system does not depend on.
#ifndef SS_ANALYSIS_ORBIT_H
#define SS_ANALYSIS_ORBIT_H

#include <stickslip/cycle.h>
#include <stickslip/ledger.h>
#include <stickslip/system.h>

enum { SS_MAX_RETURNS = 8 };
#define SS_FULL_TURN 6.283185307179586477

/// A motion that is followed from one return to its section to the next. States differ by directions: nv of the
/// position, as velocities have them, then nv of the velocity.
typedef struct ss_returning {
  const ss_system* system;
  ss_orbit_def def;
  ss_work* work;
  ss_ledger* ledger;
  ss_error* error;
  int nv, n;          ///< n = 2 nv
  int* coordinate;    ///< nv: the one that a velocity moves, -1: several (quaternions)
  bool* turns;        ///< nv: they are angles
  bool* cyclic;       ///< nv
  bool* whole;        ///< nv: angles after a full turn of which all is as before
  double* size;       ///< n: largest values so far
  bool trying;        ///< the motion is one of Newton's method: sizes stay as they are
  double* d;          ///< n: scratch
  int n_key;          ///< contacts that come and go, as many as have taken part
  uint64_t* key;      ///< n_key
  long cycles;        ///< returns so far
  int n_events;       ///< in the last return
  double least;       ///< time: events that come again earlier are no return, s
  double strongest;   ///< energy that an impact has taken so far, at most, J
  double hardest;     ///< |Lambda_N gamma_N| of an impact so far, at most, J
  double hit;         ///< ... of the one at the section, if that is an impact
  double speed;       ///< ... and its velocity, m/s
  int lost;           ///< attempts of shooting in which an event had no derivative
} ss_returning;

/// Moves the state to the next return. *time: how long that took. SS_ERR_NUMERIC with the error if it never comes.
ss_status ss_return(ss_returning* r, ss_state* s, double* time);

/// out (nq): q moved along v (nv) by so much; out may be q.
void ss_move(const ss_returning* r, const double* q, const double* v, double by, double* out);
/// d (n): what leads from a to b.
void ss_state_difference(const ss_returning* r, const ss_state* a, const ss_state* b, double* d);
/// What differences in direction i are measured by.
double ss_size_of(const ss_returning* r, int i);
/// Largest difference of two states, relative to sizes, but for cyclic coordinates.
double ss_state_distance(const ss_returning* r, const ss_state* a, const ss_state* b);

/// Simulates until events repeat, and chooses one that marks a section: r->def.contact, r->def.kind.
ss_status ss_find_section(ss_returning* r, ss_state* s);

/// r->cyclic, r->whole; *timed: the system depends on time explicitly. Judged by values at some states, not by
/// expressions, after coordinates have been shifted by so much (nv; NULL: much); of contacts that come and go r->key is
/// looked at.
ss_status ss_find_symmetries(ss_returning* r, const ss_state* s, const double* shift, bool* timed);

#endif
