// Dry friction of joints and tendons of a scene, from the model alone.
#ifndef CLI_VERIFY_DRY_H
#define CLI_VERIFY_DRY_H

#include "verify_flight.h"
#include "verify_scene.h"

/// What is resisted by |lambda| <= bound along a row in joint space. Zero-initialise; cli_dry_close() in any case.
typedef struct cli_dry {
  int n, nv;
  double* row;       ///< n nv
  double* bound;     ///< n: N or N m
  double* impulse;   ///< n: scratch
  bool* there;       ///< n: scratch
} cli_dry;

/// The elements of a model: none unless it is a scene. False if memory is short.
bool cli_dry_open(cli_dry* d, const cli_verifier* v);
void cli_dry_close(cli_dry* d);

/// The law of all of them over a time step, whether or not the file has impulses of them. unit: the largest term of a
/// velocity over its sqrt(G_ii). Where loops act, |impulse| <= bound dt alone.
void cli_dry_check_step(cli_dry* d, cli_scene* s, long row, const ss_run_contact* list, double dt, long double unit);

/// That each of them is among the contacts of a row of an event-driven run, where f is placed.
void cli_dry_check_row(cli_dry* d, const cli_flight* f, long row);

#endif
