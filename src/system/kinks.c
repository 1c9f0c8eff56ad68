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

// ---- kinks in the coordinates ----

// Whether a node switches where the coordinates say
static bool switches(const ss_graph* g, const ss_node* n)
{
  bool one = n->op == SS_OP_SIGN || n->op == SS_OP_ABS;
  bool two = n->op == SS_OP_MIN || n->op == SS_OP_MAX || n->op == SS_OP_LT || n->op == SS_OP_LE;
  int depends = one || two ? ss_expr_depends(g, n->arg[0]) | (two ? ss_expr_depends(g, n->arg[1]) : 0) : 0;
  return depends & SS_DEPENDS_Q;
}

// The least of several is the largest of their negatives
static int negative(int bend)
{
  return (bend & SS_BEND_LEAST ? SS_BEND_LARGEST : 0) | (bend & SS_BEND_LARGEST ? SS_BEND_LEAST : 0);
}

// Of a product or quotient, of which one factor has a bend
static int scaled(const ss_graph* g, int bend, ss_expr factor)
{
  double c;
  if (!bend) return SS_BEND_NONE;
  if (!ss_expr_is_const(g, factor, &c)) return SS_BEND_MIXED;
  return c > 0 ? bend : negative(bend);
}

// Images are bends here, which add up as bits do.
static ss_expr bend_of(ss_graph* g, ss_expr e, const ss_expr arg[3], void* user)
{
  (void)user;
  const ss_node* n = &g->node[e];
  bool bent = switches(g, n);
  switch (n->op) {
    case SS_OP_ADD: return arg[0] | arg[1];
    case SS_OP_SUB: return arg[0] | negative(arg[1]);
    case SS_OP_NEG: return negative(arg[0]);
    case SS_OP_MUL: return scaled(g, arg[0], n->arg[1]) | scaled(g, arg[1], n->arg[0]);
    case SS_OP_DIV: return scaled(g, arg[0], n->arg[1]) | (arg[1] ? SS_BEND_MIXED : 0);
    case SS_OP_MIN: return arg[0] | arg[1] | (bent ? SS_BEND_LEAST : 0);
    case SS_OP_MAX: return arg[0] | arg[1] | (bent ? SS_BEND_LARGEST : 0);
    case SS_OP_ABS: return arg[0] ? SS_BEND_MIXED : bent ? SS_BEND_LARGEST : 0;
    default: return bent || arg[0] || arg[1] || arg[2] ? SS_BEND_MIXED : SS_BEND_NONE;
  }
}

ss_bend ss_expr_bend(ss_graph* g, ss_expr e)
{
  int bend = e < 0 ? SS_BEND_NONE : ss_expr_map(g, e, bend_of, NULL);
  return bend < 0 ? SS_BEND_MIXED : (ss_bend)bend;
}

// Sides that are chosen for kinks
typedef struct chosen {
  ss_kinks* list;  // to be filled; NULL: sides are chosen
  const ss_kinks* kinks;
  unsigned sides;
} chosen;

// +1 or -1: the side of function s; 0: it is not in the list
static int chosen_side(const chosen* c, ss_expr s, ss_expr opposite)
{
  int i = find(c->kinks, s), k = find(c->kinks, opposite);
  if (i < c->kinks->n) return c->sides >> i & 1 ? 1 : -1;
  return k == c->kinks->n ? 0 : c->sides >> k & 1 ? -1 : 1;
}

static ss_expr on_chosen_side(ss_graph* g, ss_expr e, const ss_expr arg[3], void* user)
{
  chosen* c = user;
  const ss_node n = g->node[e];
  if (!switches(g, &n)) return ss_op_operands(n.op) ? ss_expr_make(g, n.op, arg[0], arg[1], arg[2]) : e;
  bool one = n.op == SS_OP_SIGN || n.op == SS_OP_ABS;
  ss_expr b = one ? ss_expr_const(g, 0) : n.arg[1], s = ss_expr_sub(g, n.arg[0], b), back = ss_expr_sub(g, b, n.arg[0]);
  if (s < 0 || back < 0) return -1;
  if (c->list && find(c->list, s) == c->list->n && find(c->list, back) == c->list->n) add(c->list, s);
  int side = c->list ? 0 : chosen_side(c, s, back);
  if (!side) return ss_expr_make(g, n.op, arg[0], arg[1], arg[2]);
  switch (n.op) {
    case SS_OP_SIGN: return ss_expr_const(g, side);
    case SS_OP_ABS: return side > 0 ? arg[0] : ss_expr_make(g, SS_OP_NEG, arg[0], 0, 0);
    case SS_OP_MIN: return side < 0 ? arg[0] : arg[1];
    case SS_OP_MAX: return side < 0 ? arg[1] : arg[0];
    default: return ss_expr_const(g, side < 0);
  }
}

void ss_expr_find_kinks(ss_graph* g, ss_expr e, ss_kinks* kinks)
{
  chosen c = {.list = kinks, .kinks = kinks};
  if (ss_expr_map(g, e, on_chosen_side, &c) < 0) kinks->failed = true;
}

ss_expr ss_expr_on_side_of(ss_graph* g, ss_expr e, const ss_kinks* kinks, unsigned sides)
{
  chosen c = {.kinks = kinks, .sides = sides};
  return ss_expr_map(g, e, on_chosen_side, &c);
}
