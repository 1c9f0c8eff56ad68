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

/// How kinks in the coordinates bend an expression: it is the least of smooth ones (min(a, b), a - abs(b)), the largest
/// of them, or neither.
typedef enum ss_bend { SS_BEND_NONE = 0, SS_BEND_LEAST = 1, SS_BEND_LARGEST = 2, SS_BEND_MIXED = 3 } ss_bend;
ss_bend ss_expr_bend(ss_graph* graph, ss_expr e);

/// The kinks of e in the coordinates, into an empty list.
void ss_expr_find_kinks(ss_graph* graph, ss_expr e, ss_kinks* kinks);

/// e where function k of these kinks is positive if bit k of sides is set, and negative if not. -1: no memory.
ss_expr ss_expr_on_side_of(ss_graph* graph, ss_expr e, const ss_kinks* kinks, unsigned sides);

#endif
