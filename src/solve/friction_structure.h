// What must stay the same for a solver to take new numbers: form, kinds of contacts, patterns of the matrices.
#ifndef SS_SOLVE_FRICTION_STRUCTURE_H
#define SS_SOLVE_FRICTION_STRUCTURE_H

#include <stickslip/friction.h>

typedef struct ss_friction_structure {
  int block, n_bilateral, n_contact;
  bool global;
  ss_contact_kind* kind;    // n_contact
  ss_sparse first, second;  // patterns without numbers: G, or M and H
} ss_friction_structure;

bool ss_friction_structure_make(const ss_friction_problem* problem, ss_friction_structure* structure);  ///< a copy
void ss_friction_structure_free(ss_friction_structure* structure);

/// Whether the problem has it. SS_ERR_ARGUMENT and *error with the first difference if not.
ss_status ss_friction_structure_compare(const ss_friction_structure* structure, const ss_friction_problem* problem,
                                        ss_error* error);

#endif
