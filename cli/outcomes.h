// What several solvers made of one problem: one table for a person, one list for a program, one exit status.
#ifndef CLI_OUTCOMES_H
#define CLI_OUTCOMES_H

#include <cjson/cJSON.h>

#include "task.h"

/// A word or two for a person: "solved", "iteration limit".
const char* cli_outcome_text(const cli_outcome* outcome);

/// One word for a program: "solved", "not_converged".
const char* cli_outcome_keyword(const cli_outcome* outcome);

/// "3.25 us", "1.1 ms", "2 s"
void cli_format_time(double seconds, char* out, size_t size);

/// Prints one row per outcome. False if memory was short.
bool cli_outcomes_print(const cli_outcome* outcome, int n, bool median);

/// The same as an array of objects.
void cli_outcomes_json(cJSON* object, const char* name, const cli_outcome* outcome, int n);

/// How many met the tolerance, and which one to show: the first that did, otherwise the first.
int cli_outcomes_solved(const cli_outcome* outcome, int n);
int cli_outcomes_best(const cli_outcome* outcome, int n);

/// All solved: 0; some: 1; none: as for the first alone.
int cli_outcomes_exit(const cli_outcome* outcome, int n);

#endif
