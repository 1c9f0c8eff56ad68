// Whether static friction could have held what slides, for `stickslip verify`.
#ifndef CLI_VERIFY_HOLD_H
#define CLI_VERIFY_HOLD_H

#include "verify.h"

/// Of a contact
typedef struct cli_hold_contact {
  int row;         ///< first one
  bool normal;     ///< has a normal row, before its tangents
  int tangents;    ///< 0, 1 or 2
  double mu;       ///< friction is within mu Lambda_N + bound: of what may be held the static limit
  double bound;    ///
  bool slides;     ///< along d, with that much friction against it; else it sticks where it can
  double d[2];     ///
  bool watched;    ///< the question is whether this one sticks
} cli_hold_contact;

/// Contacts that act on each other. xi = G Lambda + b, of impulses and velocities or of forces and accelerations
typedef struct cli_hold {
  int n, rows;
  cli_hold_contact* contact;        ///< n
  long double *G, *Lambda, *xi;     ///< rows rows, rows, rows: at first those of the file
} cli_hold;

enum { CLI_HOLD_MOST = 96 };  ///< rows

/// Memory for n contacts and as many rows; false if it is short. cli_hold_close() in any case.
bool cli_hold_open(cli_hold* h, int n, int rows);
void cli_hold_close(cli_hold* h);

/// That those that are watched cannot be held, in the friction law of a row; weight: of what is off. They can where all
/// of them stick with less than their limits by what projections in turn find from the file's impulses on, or where all
/// contacts can be held at once by some impulses, with a hundredth left of all limits. If the run tells of several
/// motions in an arc the second is counted.
void cli_hold_check(cli_verifier* v, long row, cli_hold* h, long double weight);

#endif
