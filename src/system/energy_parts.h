// The energies of a system of expressions, told apart by the parts that never act on each other.
#ifndef SS_SYSTEM_ENERGY_PARTS_H
#define SS_SYSTEM_ENERGY_PARTS_H

#include "system/expr.h"

/// part (nv): numbers from 0 of coordinates that are coupled (nv, as ss_system_def.coupled has them) or that one term
/// of the energies e (n of them) depends on. Returns how many there are, -1: no memory.
int ss_find_energy_parts(ss_graph* g, int nv, const int* coupled, int n, const ss_expr* e, int* part);

/// sum (n_part): the terms of e that belong to each part; terms of none, which depend on time alone, are left out.
/// False: no memory.
bool ss_split_energy(ss_graph* g, int nv, const int* part, int n_part, ss_expr e, ss_expr* sum);

/// The terms of e that depend on a coordinate or are constants, one by one: *term and *of (the part of each, 0 for
/// constants) are the caller's to free. Returns how many there are, -1: no memory.
int ss_energy_terms(ss_graph* g, int nv, const int* part, ss_expr e, ss_expr** term, int** of);

#endif
