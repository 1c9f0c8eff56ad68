// Which rows of a system can act on each other, from its equations.
#ifndef SS_SYSTEM_PARTS_H
#define SS_SYSTEM_PARTS_H

#include <stickslip/system.h>

#include "system/expr.h"

/// part (n_bilateral + contact rows): numbers from 0 as ss_system_def.row_part has them, by the entries of M (nv x nv)
/// and W (rows of the contacts), W_b (of the constraints) that are zero whatever q and t are. Returns how many there
/// are, -1: no memory.
int ss_find_parts(const ss_graph* g, const ss_system_def* names, const ss_expr* M, const ss_expr* W, const ss_expr* W_b,
                  int* part);

/// coupled (nv): as ss_system_def.coupled has them, by the entries of M, by the rows of W and W_b and by the variables
/// that the forces h (nv) depend on. False: no memory.
bool ss_find_coupled(const ss_graph* g, const ss_system_def* names, const ss_expr* M, const ss_expr* W,
                     const ss_expr* W_b, const ss_expr* h, int* coupled);

#endif
