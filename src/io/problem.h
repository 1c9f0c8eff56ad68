// The parts of reading and writing problems.
#ifndef SS_IO_PROBLEM_H
#define SS_IO_PROBLEM_H

#include <stickslip/problem.h>

#include "io/json.h"

/// "lcp", "mlcp", "contact"
const char* ss_problem_type_name(ss_problem_type type);

/// The fields of a contact problem.
bool ss_problem_read_contact(ss_json* json, ss_problem* problem);

/// "sets" and "slide" of a contact problem whose contacts have been read; and whether they can be written.
bool ss_problem_read_laws(const ss_json* json, ss_problem* problem);
bool ss_problem_check_laws(const ss_problem* problem, ss_error* error);
void ss_problem_free_laws(ss_problem* problem);

/// An FCLIB file.
ss_problem* ss_fclib_load(const char* path, ss_error* error);
ss_status ss_fclib_save(const ss_problem* problem, const char* path, ss_error* error);

/// The name in JSON of a kind of contact: "normal", "planar", "friction", "spatial".
const char* ss_problem_kind_name(ss_contact_kind kind);

#endif
