// The formulations with facets and with Todorov's equations as methods for contact problems: on dense arrays.
#ifndef SS_SOLVE_FRICTION_FORMS_H
#define SS_SOLVE_FRICTION_FORMS_H

#include "solve/friction_run.h"

/// Most unknowns: of an MLCP to be solved by pivoting, by Fischer-Burmeister, and of Todorov's equations
enum { SS_FORMS_PATH_MAX = 1000, SS_FORMS_PFB_MAX = 250, SS_FORMS_MNCP_MAX = 450 };

typedef struct ss_friction_forms ss_friction_forms;

void ss_friction_forms_destroy(ss_friction_forms* forms);  ///< NULL is fine

/// Is this a method of this file, and one with facets?
bool ss_friction_is_form(ss_friction_method method);
bool ss_friction_has_facets(ss_friction_method method);

/// Makes G and b of the space dense, with memory that is kept for the next time in *forms (NULL at first).
/// SS_ERR_ARGUMENT, SS_ERR_CAPACITY, SS_ERR_MEMORY or SS_ERR_NUMERIC if the method cannot be used.
ss_status ss_friction_forms_prepare(ss_friction_forms** forms, ss_friction_run* run, const ss_friction_def* def);

/// Runs the method of def; guess: m, or NULL. SS_OK if the tolerance is met, SS_NOT_CONVERGED if not; negative if the
/// method found nothing at all. out gets its counts and its log.
ss_status ss_friction_forms_run(ss_friction_forms* forms, const double* guess, ss_friction_solution* out);

#endif
