// Contact forces of the rows of a run: `stickslip forces`.
#ifndef CLI_FORCES_H
#define CLI_FORCES_H

#include <stickslip/machine.h>

#include "cli.h"

/// A contact in a row. Forces of time-stepping are means over the step, those of event-driven runs are of that time.
typedef struct cli_force {
  const ss_run_contact* at;
  const char* name;
  const char* unit;    ///< of its forces: "N", or "N m" of turning joints
  bool placed;         ///< it has a place and a frame in the world; limits and friction of joints have none
  double world[3];     ///< impulse on body b in world axes, N s; zero unless placed
  double force[3];     ///< in the contact frame, N; NAN: unknown
  double force_world[3];  ///< on body b in world axes; zero unless placed
} cli_force;

/// What the contacts do to a body.
typedef struct cli_force_sum {
  int body;            ///< SS_WORLD: the world
  int contacts;        ///< how many
  double impulse[3];   ///< on the body, world axes, N s
  double moment[3];    ///< of these impulses about `origin`, N m s
  double force[3], torque[3];  ///< the same of the forces, N, N m
  double origin[3];    ///< of the body's frame where the step tested the contacts, m; zero for the world
} cli_force_sum;

/// A run, and the row of it that was read last.
typedef struct cli_run_forces {
  ss_run* run;
  const ss_run_info* info;
  const double* t;        ///< n_rows
  const ss_event* event;  ///< event-driven runs: n_events
  const double* side;     ///< n_rows: before (-1) or after (1) events; NULL: the file does not tell
  const char** unit;      ///< n_contact: units of their forces if they belong to joints
  const double** loop;    ///< n_bilateral: impulses of the bilateral rows, one per row of the run; then the
                          ///< forces, NULL where the file has none
  int contact, body;      ///< only this one; -1: all, -2 (body): all
  bool sums;              ///< those of bodies are wanted
  // of scenes, and of models with bodies in the plane
  ss_model* model;
  int n_body;
  const ss_machine* machine;  ///< NULL: bodies in the plane
  ss_tree_work* work;
  ss_state* state;
  ss_pose* pose;          ///< n_body
  double* place;          ///< 3 n_body: of bodies in the plane
  double* before;         ///< nv: velocities at the start of the step
  cli_force_sum* all;     ///< n_body + 1, the world first
  // the row
  long row;
  double dt;              ///< length of the stretch that its impulses belong to, s; NAN if there is no mean force
  int n, room;
  cli_force* item;        ///< n: those selected
  int n_sum;
  cli_force_sum* sum;     ///< n_sum: bodies that have contacts, or the one selected
} cli_run_forces;

enum { CLI_FORCES_ANY_BODY = -2 };

/// Opens the run and what is needed of its model. Returns CLI_GO_ON or the exit status; closing is needed either way.
int cli_forces_open(cli_run_forces* forces, const char* path);
void cli_forces_close(cli_run_forces* forces);

/// Reads a row. Returns CLI_GO_ON or the exit status.
int cli_forces_read(cli_run_forces* forces, long row);

/// Full steps done by the row that was read.
double cli_forces_step(const cli_run_forces* forces);

/// The name of a body, "world" for the world.
const char* cli_forces_body(const cli_run_forces* forces, int body);

/// Prints the row that was read as tables.
int cli_forces_table(const cli_run_forces* forces);

/// The unit of the force in a bilateral row; "" of text models, which do not say it.
const char* cli_forces_loop_unit(const cli_run_forces* forces, int row);

/// What is a line of CSV
typedef enum cli_forces_line { CLI_FORCES_CONTACT, CLI_FORCES_BODY, CLI_FORCES_LOOP } cli_forces_line;

/// Prints rows, those with from <= row < end.
int cli_forces_csv(cli_run_forces* forces, long from, long end, cli_forces_line line);
int cli_forces_json(cli_run_forces* forces, long from, long end);

#endif
