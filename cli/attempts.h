// The log of a solver that chooses, for `stickslip solve`.
#ifndef CLI_ATTEMPTS_H
#define CLI_ATTEMPTS_H

#include "json.h"
#include <stickslip/attempt.h>

/// A line for each attempt if there were several. False if memory is short.
bool cli_print_attempts(const ss_attempt_log* log);

/// The list "tried": solver, why, status, residual, iterations.
void cli_json_attempts(cJSON* object, const ss_attempt_log* log);

#endif
