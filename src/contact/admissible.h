// Forces of dependent rows that contacts can give, and of these the nearest to what is asked for.
#ifndef SS_CONTACT_ADMISSIBLE_H
#define SS_CONTACT_ADMISSIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stickslip/base.h>

#include "base/arena.h"

/// Rows of one contact that lie behind each other: its normal (if there is one), then the tangents that are held.
typedef struct ss_force_set {
  int first;         ///< of x
  bool normal;       ///< x[first] >= 0 is a normal force, |x_T| <= mu x_N + bound; else |x_T| <= bound
  int tangents;      ///< 0 to 2
  double mu, bound;  ///< in the units of x
  bool strained;     ///< other contacts can press against it without any load: ss_admissible_strain()
} ss_force_set;

/// Where the solution of a like problem was: Newton's method begins there.
typedef struct ss_admissible_start {
  bool known;     ///< else it is only written
  double* dual;   ///< n: V y, without limits of friction if it was shared
} ss_admissible_start;

/// { x : A x = c, x in K }, K: all sets; rows that belong to no set are free
typedef struct ss_admissible {
  int n, rank;              ///< unknowns; independent rows
  int n_sets;               ///
  const ss_force_set* set;  ///< n_sets
  ss_force_set* fixed;      ///< n_sets: scratch
  double* V;                ///< n x rank: an orthonormal basis of the rows of A
  double *p, *y, *kept;     ///< rank: V^T x; dual variables, and those of the round before
  double *F, *step, *next;  ///< rank
  double* J;                ///< rank x rank
  double *z, *x;            ///< n
  double size, near;        ///< |p|; how closely y is bound to that of the round before
  ss_admissible_start* start;  ///< NULL: none. For what is nearest to 0, and what is shared
  long steps;               ///< of Newton's method so far
} ss_admissible;

size_t ss_admissible_size(int n);  ///< bytes of arena for n unknowns

/// Lays A (n x n, row by row; spoilt) and c (n) out for ss_admissible_nearest(). What is in the arena belongs to the
/// caller, who releases it; the sets must stay. SS_ERR_CAPACITY, SS_ERR_NUMERIC.
ss_status ss_admissible_begin(ss_admissible* f, int n, double* A, const double* c, int n_sets, const ss_force_set* set,
                              ss_arena* arena);

/// x (n): the point of the set that is nearest to z (NULL: 0). If the set is empty x solves A x = c and is as near to
/// K as can be. Returns how far it is from K, relative to c: round-off, if the set is not empty.
double ss_admissible_nearest(ss_admissible* f, const double* z, double* x);

/// Takes out of d (n) what changes A x: A d = 0 is left.
void ss_admissible_loosen(const ss_admissible* f, double* d);

/// strained (n_sets): sets of normal forces and friction that can be strained without load: some x in the sets, with
/// bounds of 0, has A x = 0 and a normal force there. A slot without clearance strains its block from both sides. f is
/// laid out for a load; what its sets say of that does not matter. scratch: 3 n.
void ss_admissible_strain(ss_admissible* f, double* scratch, bool* strained);

/// x (n): of least norm among those that contacts can give, where they cannot be strained: ss_admissible_nearest(). In
/// strained sets friction does not call for normal forces: its limits are those of the normal forces that the load
/// brings about, as if contacts yielded a little, all alike. Contacts at both sides of a body do not brace themselves
/// to hold it. Returns what it is off, as above, if there is no such x.
double ss_admissible_share(ss_admissible* f, double* x);

#endif
