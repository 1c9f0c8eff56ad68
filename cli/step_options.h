// Options of all commands that simulate: what steps do, besides what the model says.
#ifndef CLI_STEP_OPTIONS_H
#define CLI_STEP_OPTIONS_H

#include <math.h>

#include "run_scene.h"

typedef struct cli_step_options {
  int integrator, impact, limited, order, on_multiple, project;  ///< -1: not given; limited: 0 on, 1 off
  double dt, theta, rtol, max_step;                              ///< NAN: not given
  cli_scene_options scene;
} cli_step_options;

#define CLI_STEP_OPTIONS_NONE                                                                             \
  {.integrator = -1, .impact = -1, .limited = -1, .order = -1, .on_multiple = -1, .project = -1, .dt = NAN, \
   .theta = NAN, .rtol = NAN, .max_step = NAN, .scene = CLI_SCENE_OPTIONS_NONE}

/// --period EXPR is read as the model's run.until: makes *error, of such a reading, one of --period. False
/// if the error is another one.
bool cli_period_error(ss_error* error);

/// Words of the options, ended by NULL, in the order of their enums.
extern const char* const cli_integrators[];
extern const char* const cli_impacts[];
extern const char* const cli_impact_orders[];
extern const char* const cli_multiples[];
extern const char* const cli_projections[];
extern const char* const cli_on_off[];

/// Rows of a command's table, for a field of this type at `at`. --integrator and --dt, whose defaults differ from
/// command to command, stand in the tables themselves.
#define CLI_STEP_ROWS(at)                                                                                             \
  {"impact", 0, CLI_CHOICE, "LAW", (at) + offsetof(cli_step_options, impact),                                         \
   "what restitution means: newton (of velocities) or poisson (of impulses) (default: the model's, or newton)",       \
   cli_impacts},                                                                                                      \
  {"energy-limited", 0, CLI_CHOICE, "on|off", (at) + offsetof(cli_step_options, limited),                             \
   "on: restitution is scaled down in impacts that would gain energy (default: the model's, or off)", cli_on_off},    \
  {"multiple-impacts", 0, CLI_CHOICE, "ORDER", (at) + offsetof(cli_step_options, order),                              \
   "contacts that hit together: simultaneous, or sequential, the fastest first, one by one (default: the model's, or " \
   "simultaneous)", cli_impact_orders},                                                                               \
  {"project", 0, CLI_CHOICE, "on|off|auto", (at) + offsetof(cli_step_options, project),                               \
   "penetration that is deeper than a step of free motion, F dt^2/m: on looks for it after each step and removes it, " \
   "off leaves it, auto removes it from scenes and outlines and leaves it in text models (default: the model's, or "   \
   "auto)", cli_projections},                                                                                         \
  {"theta", 0, CLI_POSITIVE, "R", (at) + offsetof(cli_step_options, theta),                                           \
   "jean: 0.5 (default; keeps energy) to 1 (damps)", NULL},                                                           \
  {"rtol", 0, CLI_POSITIVE, "R", (at) + offsetof(cli_step_options, rtol),                                             \
   "event: relative error of a step between events (default: the model's, or 1e-10)", NULL},                          \
  {"max-step", 0, CLI_POSITIVE, "SECONDS", (at) + offsetof(cli_step_options, max_step),                               \
   "event: longest step between events, below the shortest pulse of a force or a gap that must not be missed "        \
   "(default: no limit)", NULL},                                                                                      \
  {"on-multiple", 0, CLI_CHOICE, "RULE", (at) + offsetof(cli_step_options, on_multiple),                              \
   "event: which motion to take where contact laws allow several: first (that the solver finds, default), stick, "    \
   "separate, or stop", cli_multiples},                                                                               \
  {"solver", 0, CLI_CHOICE, "NAME", (at) + offsetof(cli_step_options, scene.solver),                                  \
   "scenes: method for the contact problems, auto (default), nsgs, newton, ipm, admm, mlcp-... or mncp-...; "         \
   "'stickslip solvers' tells of them", cli_friction_solvers},                                                        \
  {"cone", 0, CLI_CHOICE, "CONE", (at) + offsetof(cli_step_options, scene.cone),                                      \
   "scenes: exact friction cone (default), or polyhedral, with --solver auto and mlcp-...", cli_cones},               \
  {"facets", 0, CLI_COUNT, "N", (at) + offsetof(cli_step_options, scene.facets),                                      \
   "scenes: directions of friction in an MLCP, even, 4 or more (default 4)", NULL},                                   \
  {"cone-align", 0, CLI_CHOICE, "on|off", (at) + offsetof(cli_step_options, scene.cone_align),                        \
   "scenes, --cone polyhedral: lay a direction against the sliding velocity (default: on)", cli_on_off},              \
  {"cone-angle", 0, CLI_DOUBLE, "DEG", (at) + offsetof(cli_step_options, scene.cone_angle),                           \
   "scenes, --cone-align off: angle of the first direction from T1, degrees (default: 0)", NULL},                     \
  {"compliance", 0, CLI_DOUBLE, "K", (at) + offsetof(cli_step_options, scene.compliance),                             \
   "scenes: contacts yield by so much, relative to the mobility at each, which makes large piles easy to solve "      \
   "(default: the model's, or 0: rigid)", NULL},                                                                      \
  {"key", 0, CLI_STRING, "NAME", (at) + offsetof(cli_step_options, scene.key),                                        \
   "scenes: the keyframe to start from (default: the file's)", NULL},                                                 \
  {"coordinates", 0, CLI_CHOICE, "KIND", (at) + offsetof(cli_step_options, scene.coordinates),                        \
   "scenes: minimal (joints, default) or redundant (free bodies, joints as constraints)", cli_coordinates}

/// Whether any option was given.
bool cli_step_option_given(const cli_step_options* options);

/// The model with these values, and those that are options of scenes. NULL and the exit status if it cannot be loaded.
ss_model* cli_step_load(const char* name, cli_overrides* set, const cli_step_options* options, int* status);

/// Puts the options into the settings of the model.
void cli_step_set(const cli_step_options* options, ss_step_def* step);

/// Options that the model or the integrator would not read are a mistake. After cli_step_set(). CLI_GO_ON or the exit
/// status.
int cli_step_check(const cli_command* command, const cli_step_options* options, const ss_model* model,
                   const ss_step_def* step);

/// All of them in one line without its end: two commands with the same line do the same steps.
void cli_step_text(const cli_step_options* options, char* out, size_t size);

#endif
