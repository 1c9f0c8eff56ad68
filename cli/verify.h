// What `stickslip verify` looks at, and how far each thing is off. Text models: verify_text.c; scenes: verify_scene.c.
#ifndef CLI_VERIFY_H
#define CLI_VERIFY_H

#include "cli.h"

typedef enum cli_verify_check {
  CLI_MOMENTUM,
  CLI_POSITION,
  CLI_KINEMATICS,
  CLI_NORMAL,
  CLI_FRICTION,
  CLI_GAPS,
  CLI_EVENTS,
  CLI_ENERGY,
  CLI_LOSSES,
  CLI_BALANCE,
  CLI_CHECKS
} cli_verify_check;

typedef struct cli_finding {
  long n;             ///< how often it was looked at
  long double worst;  ///< relative
  long row;           ///< where
} cli_finding;

/// A run with its system
typedef struct cli_verifier {
  ss_run* run;
  const ss_run_info* info;
  ss_model* model;
  const ss_system_def* d;
  ss_at at;
  const double *t, *step;  ///< columns; the ledger's:
  const double *kinetic, *potential, *forces, *drive, *loss_normal, *loss_friction, *projection, *defect;
  cli_finding found[CLI_CHECKS];
  long not_seen;           ///< steps that cannot be looked at
  const char* left_out;    ///< what else is not checked, and why; may be NULL
} cli_verifier;

/// `off` should be zero; `size`: of its terms
void cli_verify_note(cli_verifier* v, cli_verify_check check, long row, long double off, long double size);

/// A column of the run, NULL after an error
const double* cli_verify_column(cli_verifier* v, const char* prefix, const char* name, ss_error* error);

/// T, V and the balance of the ledger in a row, with v->at there and updated. False if the energies have no values.
bool cli_verify_energy(cli_verifier* v, long row);

/// What the ledger's losses grew by in a step, and what they must have. size: of the terms of both
void cli_verify_losses(cli_verifier* v, long row, long double normal, long double friction, long double size);

/// An impact of the event-driven integrator: no pull, nothing left closing, friction within `limit` (NAN: unknown)
void cli_verify_impact(cli_verifier* v, const ss_event* e, double limit);

/// Everything; CLI_GO_ON, or the exit status after an error that has been told
int cli_verify_text(cli_verifier* v);
int cli_verify_scene(cli_verifier* v);

#endif
