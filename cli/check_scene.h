// What `stickslip check` says of scenes: how much there is, what is not done as the file asks, what touches.
#ifndef CLI_CHECK_SCENE_H
#define CLI_CHECK_SCENE_H

#include <cjson/cJSON.h>

#include "cli.h"

/// How many kinds of things the file asks for with one of these fates.
int cli_scene_count(const ss_scene* scene, ss_scene_fate a, ss_scene_fate b);

/// Counts, then what is approximated and ignored, with lines; what is unused in one line, or all of it if verbose;
/// masses and where they come from.
void cli_scene_print(const ss_scene* scene, bool verbose);

/// The contacts that are closed at the state, at most `most` of them.
void cli_scene_print_contacts(const ss_system* system, const ss_state* state, int most);

/// "scene", "masses", "notices" and "contacts" of a JSON object.
void cli_scene_json(cJSON* object, const ss_model* model, const ss_state* state);

#endif
