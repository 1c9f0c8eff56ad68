// `stickslip verify` of steps of rattle: forces quadratic in the velocities do no work (verify_turning.c).
#ifndef CLI_VERIFY_TURNING_H
#define CLI_VERIFY_TURNING_H

#include "verify_ends.h"

typedef struct cli_turning cli_turning;

/// NULL if memory is short.
cli_turning* cli_turning_open(cli_verifier* c);
void cli_turning_close(cli_turning* t);  ///< NULL is fine

/// One half of a step, the first one first: u is the velocity in the middle, change what it has gained by then, or what
/// it gains from there on. push: W P. off: M change - dt/2 h - W P, from which what keeps the energy is taken. At the
/// end: whether it does keep it. known: the first half is.
void cli_turning_first(cli_turning* t, cli_end* e, const double* u, const double* change, const double* push,
                       long double* off);
void cli_turning_second(cli_turning* t, cli_end* e, const double* u, const double* change, const double* push,
                        long double* off, bool known, long row);

#endif
