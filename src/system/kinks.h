// Kinks of expressions: where sign, abs, min, max and conditions switch. An expression on given sides of its kinks is
// smooth, and goes on beyond them as it was.
#ifndef SS_SYSTEM_KINKS_H
#define SS_SYSTEM_KINKS_H

#include "system/expr.h"

/// Functions whose signs decide. Zero-initialise; ends with ss_kinks_free().
typedef struct ss_kinks {
  int n, capacity;
  ss_expr* function;  ///< n
  bool slow;          ///< kinks that depend on velocities are left as they are, from now on
  bool failed;        ///< memory was short
} ss_kinks;

void ss_kinks_free(ss_kinks* kinks);

/// e with the sides of its kinks as variables; new ones are added to the list. -1: no memory.
ss_expr ss_expr_on_sides(ss_graph* graph, ss_expr e, ss_kinks* kinks);

#endif
