// `stickslip verify` of steps of the integrator rattle (verify_rattle.c).
#ifndef CLI_VERIFY_RATTLE_H
#define CLI_VERIFY_RATTLE_H

#include "verify.h"

typedef struct cli_rattle cli_rattle;

/// NULL if memory is short, or with *error. The system's scratch is open.
cli_rattle* cli_rattle_open(cli_verifier* c, ss_error* error);
void cli_rattle_close(cli_rattle* v);  ///< NULL is fine

/// The step that ends in this row: positions, momenta and laws of both stages, losses and works. False if the system
/// cannot be evaluated, or with *error.
bool cli_rattle_step(cli_rattle* v, long row, ss_error* error);

#endif
