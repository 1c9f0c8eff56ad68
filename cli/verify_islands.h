// Velocities that act on each other, for `stickslip verify`: what is large, rough or held in one part of a system says
// nothing of the others.
#ifndef CLI_VERIFY_ISLANDS_H
#define CLI_VERIFY_ISLANDS_H

#include "verify.h"

/// The islands of a system, which grow as rows join them. Zero-initialise; cli_islands_close() in any case.
typedef struct cli_islands {
  int nv, nq;
  int* of;       ///< nv: the number of the island, 0 .. nv - 1, of each velocity
  int* of_place; ///< nq: ... of each coordinate
  int* moves;    ///< nq: a velocity that moves it
  int* own;      ///< nv: islands before rows join them
  int* mover;    ///< planar bodies: a velocity that moves each
} cli_islands;

/// For the system of a run, whose rows are open; false if memory is short or bodies have no places at the start.
bool cli_islands_open(cli_islands* s, const cli_verifier* v);
void cli_islands_close(cli_islands* s);

/// Each velocity by itself, but for those of one planar body and what the system says acts on each other through M and
/// forces.
void cli_islands_begin(cli_islands* s);

/// Velocities i and j are one island.
void cli_islands_join(cli_islands* s, int i, int j);

/// What is one island now is so after every cli_islands_begin().
void cli_islands_keep(cli_islands* s);

/// Velocities with an entry of M (nv x nv) between them are one island.
void cli_islands_join_mass(cli_islands* s, const double* M);

/// Velocities with an entry in a row (nv) are one island.
void cli_islands_join_row(cli_islands* s, const double* W);

/// After all rows have joined: makes of_place ready.
void cli_islands_end(cli_islands* s);

/// The island of a row (nv); -1: it has no entry.
int cli_islands_of_row(const cli_islands* s, const double* W);

#endif
