// Contact problems, for `stickslip solve`.
#ifndef CLI_SOLVE_CONTACT_H
#define CLI_SOLVE_CONTACT_H

#include <cjson/cJSON.h>

#include "solve.h"

/// Solves the contact problem and prints what came out. Returns the exit status.
int cli_solve_contact(const solve_options* o, const cli_task* task, ss_friction_method method,
                      const ss_attempt_log* before);

/// Kind, size and law of the problem, in lines.
void cli_contact_describe(const cli_task* task);
void cli_contact_describe_json(cJSON* object, const cli_task* task);

/// For a person, with what may be the cause in contact problems.
const char* cli_contact_verdict(ss_status status);

/// Impulses and velocities of bilateral rows. False if memory was short.
bool cli_bilateral_table(int n, bool all, const double* Lambda, const double* xi);

/// Impulses and velocities, contact by contact, after the bilateral rows. False if memory was short.
bool cli_contact_table(const ss_friction_problem* problem, bool all, const double* Lambda, const double* xi);

#endif
