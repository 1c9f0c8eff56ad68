// Options that only scenes have: how spatial contacts are solved, where the run starts.
#ifndef CLI_RUN_SCENE_H
#define CLI_RUN_SCENE_H

#include "model_arg.h"

typedef struct cli_scene_options {
  int solver, cone, cone_align, coordinates;  ///< -1: not given
  long facets, threads;                       ///< 0: not given
  double cone_angle;                          ///< degrees; NAN: not given
  double compliance;                          ///< NAN: not given
  const char* key;                            ///< NULL: not given
} cli_scene_options;

#define CLI_SCENE_OPTIONS_NONE {.solver = -1, .cone = -1, .cone_align = -1, .coordinates = -1, .cone_angle = NAN, \
                                .compliance = NAN}

/// Words of the options, ended by NULL; solvers in the order of ss_friction_method.
extern const char* const cli_friction_solvers[];
extern const char* const cli_cones[];
extern const char* const cli_coordinates[];

/// The name of an option that was given, without dashes; NULL if none was.
const char* cli_scene_option_given(const cli_scene_options* options);

/// Those that are values of the file, as overrides of it. False if memory is short.
bool cli_scene_overrides(const cli_scene_options* options, cli_overrides* overrides);

/// Puts the options into the settings.
void cli_scene_set(const cli_scene_options* options, ss_step_def* step);
/// Checks them, once they are there. CLI_GO_ON or the exit status.
int cli_scene_check(const cli_command* command, const cli_scene_options* options, const ss_model* model,
                    const ss_step_def* step);

#endif
