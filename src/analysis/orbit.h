// What the search for periodic orbits shares: returns to a section, and what a system does not depend on.
#ifndef SS_ANALYSIS_ORBIT_H
#define SS_ANALYSIS_ORBIT_H

#include <stickslip/cycle.h>
#include <stickslip/ledger.h>

enum { SS_MAX_RETURNS = 8 };

/// A motion that is followed from one return to its section to the next.
typedef struct ss_returning {
  const ss_system* system;
  ss_orbit_def def;
  ss_work* work;
  ss_ledger* ledger;
  ss_error* error;
  int nv, n;          ///< n = 2 nv
  bool* cyclic;       ///< nv
  double* size;       ///< n: largest values so far
  long cycles;        ///< returns so far
  int n_events;       ///< in the last return
  double least;       ///< time: events that come again earlier are no return, s
  int lost;           ///< attempts of shooting in which an event had no derivative
} ss_returning;

/// Moves the state to the next return. *time: how long that took. SS_ERR_NUMERIC with the error if it never comes.
ss_status ss_return(ss_returning* r, ss_state* s, double* time);

/// Largest difference of two states, relative to sizes, but for cyclic coordinates.
double ss_state_distance(const ss_returning* r, const ss_state* a, const ss_state* b);

/// Simulates until events repeat, and chooses one that marks a section: r->def.contact, r->def.kind.
ss_status ss_find_section(ss_returning* r, ss_state* s);

/// r->cyclic; *timed: the system depends on time explicitly. Judged by values at some states, not by expressions.
ss_status ss_find_symmetries(ss_returning* r, const ss_state* s, bool* timed);

#endif
