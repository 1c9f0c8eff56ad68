// Kinks of expressions.
#include "system/kinks.h"

#include <stdlib.h>

void ss_kinks_free(ss_kinks* k)
{
  free(k->function);
  *k = (ss_kinks){0};
}

static int find(const ss_kinks* k, ss_expr s)
{
  int i = 0;
  while (i < k->n && k->function[i] != s) i++;
  return i;
}

static bool add(ss_kinks* k, ss_expr s)
{
  if (k->n == k->capacity) {
    int capacity = 2*k->capacity + 8;
    ss_expr* more = realloc(k->function, sizeof *more*(size_t)capacity);
    if (!more) k->failed = true;
    if (!more) return false;
    k->function = more;
    k->capacity = capacity;
  }
  k->function[k->n++] = s;
  return true;
}

// The side of a - b: that of b - a is its opposite
static ss_expr side_of(ss_graph* g, ss_kinks* k, ss_expr a, ss_expr b)
{
  ss_expr s = ss_expr_sub(g, a, b), opposite = ss_expr_sub(g, b, a);
  if (s < 0 || opposite < 0) return -1;
  int i = find(k, opposite);
  if (i < k->n) return ss_expr_make(g, SS_OP_NEG, ss_expr_side(g, i), 0, 0);
  i = find(k, s);
  if (i == k->n && !add(k, s)) return -1;
  return ss_expr_side(g, i);
}

static ss_expr is_negative(ss_graph* g, ss_expr e) { return ss_expr_make(g, SS_OP_LT, e, ss_expr_const(g, 0), 0); }

// Whether a switch of operands a and b is not to be touched
static bool stays(ss_graph* g, const ss_kinks* k, int op, ss_expr a, ss_expr b)
{
  bool one = op == SS_OP_SIGN || op == SS_OP_ABS;
  bool two = op == SS_OP_MIN || op == SS_OP_MAX || op == SS_OP_LT || op == SS_OP_LE;
  return k->slow && (one || two) && ((ss_expr_depends(g, a) | (two ? ss_expr_depends(g, b) : 0)) & SS_DEPENDS_U);
}

// The kink functions themselves are those of the expression as it is; `arg` are operands on their sides.
static ss_expr on_side(ss_graph* g, ss_expr e, const ss_expr arg[3], void* user)
{
  const ss_node node = g->node[e];
  ss_expr zero = ss_expr_const(g, 0), a = node.arg[0], b = node.arg[1];
  if (stays(g, user, node.op, a, b)) return ss_expr_make(g, node.op, arg[0], arg[1], arg[2]);
  switch (node.op) {
    case SS_OP_CONST:
    case SS_OP_VAR: return e;
    case SS_OP_SIGN: return side_of(g, user, a, zero);
    case SS_OP_ABS: return ss_expr_mul(g, side_of(g, user, a, zero), arg[0]);
    case SS_OP_MIN: return ss_expr_make(g, SS_OP_IF, is_negative(g, side_of(g, user, a, b)), arg[0], arg[1]);
    case SS_OP_MAX: return ss_expr_make(g, SS_OP_IF, is_negative(g, side_of(g, user, a, b)), arg[1], arg[0]);
    case SS_OP_LT:
    case SS_OP_LE: return is_negative(g, side_of(g, user, a, b));
    default: return ss_expr_make(g, node.op, arg[0], arg[1], arg[2]);
  }
}

ss_expr ss_expr_on_sides(ss_graph* g, ss_expr e, ss_kinks* kinks) { return ss_expr_map(g, e, on_side, kinks); }
