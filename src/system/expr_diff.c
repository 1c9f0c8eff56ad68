// Exact derivatives and substitution on the expression graph.
// Each is one pass over the nodes that the expression uses, operands first; no recursion.
#include <stdlib.h>

#include "system/expr.h"

// Scratch of a pass over the nodes that one expression uses; kept by the graph, grown when needed.
struct ss_walk {
  int capacity;
  int stamp_now;
  int* stamp;      // stamp[i] == stamp_now: node i has been reached in this pass
  ss_expr* order;  // the nodes reached, operands before their users
  ss_expr* stack;
  ss_expr* image;  // what the pass made of each node: its derivative, its replacement
};

void ss_walk_free(struct ss_walk* w)
{
  if (!w) return;
  free(w->stamp);
  free(w->order);
  free(w->stack);
  free(w->image);
  free(w);
}

static struct ss_walk* prepare_walk(ss_graph* g)
{
  if (g->walk && g->walk->capacity >= g->n) return g->walk;
  struct ss_walk* w = calloc(1, sizeof *w);
  if (!w) return NULL;
  w->capacity = 2*g->n;
  size_t n = (size_t)w->capacity;
  w->stamp = calloc(n, sizeof *w->stamp);
  w->order = malloc(n*sizeof *w->order);
  w->stack = malloc(n*sizeof *w->stack);
  w->image = malloc(n*sizeof *w->image);
  if (!w->stamp || !w->order || !w->stack || !w->image) {
    ss_walk_free(w);
    return NULL;
  }
  ss_walk_free(g->walk);
  g->walk = w;
  return w;
}

// Lists the nodes that e uses into w->order, operands first; returns their number. A node stays on the stack until
// its operands are listed; the numbers of operands are smaller, so the depth is bounded by their number.
static int list_used(const ss_graph* g, ss_expr e, struct ss_walk* w)
{
  int n = 0, depth = 0;
  w->stamp_now++;
  w->stack[depth++] = e;
  while (depth) {
    ss_expr i = w->stack[depth - 1];
    bool ready = true;
    for (int k = 0; k < ss_op_operands(g->node[i].op) && ready; k++) {
      ss_expr arg = g->node[i].arg[k];
      if (w->stamp[arg] == w->stamp_now) continue;
      w->stack[depth++] = arg;
      ready = false;
    }
    if (!ready) continue;
    depth--;
    if (w->stamp[i] != w->stamp_now) w->order[n++] = i;
    w->stamp[i] = w->stamp_now;
  }
  return n;
}

static ss_expr constant(ss_graph* g, double value) { return ss_expr_const(g, value); }
static ss_expr op1(ss_graph* g, ss_op op, ss_expr a) { return ss_expr_make(g, op, a, 0, 0); }
static ss_expr op2(ss_graph* g, ss_op op, ss_expr a, ss_expr b) { return ss_expr_make(g, op, a, b, 0); }
static ss_expr neg(ss_graph* g, ss_expr a) { return op1(g, SS_OP_NEG, a); }
static ss_expr quotient(ss_graph* g, ss_expr a, ss_expr b) { return op2(g, SS_OP_DIV, a, b); }
static ss_expr square(ss_graph* g, ss_expr a) { return ss_expr_mul(g, a, a); }

// d(a^b) = b a^(b-1) da + a^b log(a) db
static ss_expr power_derivative(ss_graph* g, ss_expr self, ss_expr a, ss_expr b, ss_expr da, ss_expr db)
{
  ss_expr sum = constant(g, 0);
  if (!ss_expr_is_zero(g, da)) {
    ss_expr lower = op2(g, SS_OP_POW, a, ss_expr_sub(g, b, constant(g, 1)));
    sum = ss_expr_mul(g, ss_expr_mul(g, b, lower), da);
  }
  if (!ss_expr_is_zero(g, db))
    sum = ss_expr_add(g, sum, ss_expr_mul(g, ss_expr_mul(g, self, op1(g, SS_OP_LOG, a)), db));
  return sum;
}

// f'(a) for the functions of one argument; `self` is f(a)
static ss_expr outer_derivative(ss_graph* g, ss_op op, ss_expr self, ss_expr a)
{
  ss_expr one = constant(g, 1);
  switch (op) {
    case SS_OP_NEG: return constant(g, -1);
    case SS_OP_SIN: return op1(g, SS_OP_COS, a);
    case SS_OP_COS: return neg(g, op1(g, SS_OP_SIN, a));
    case SS_OP_TAN: return ss_expr_add(g, one, square(g, self));
    case SS_OP_ASIN: return quotient(g, one, op1(g, SS_OP_SQRT, ss_expr_sub(g, one, square(g, a))));
    case SS_OP_ACOS: return quotient(g, constant(g, -1), op1(g, SS_OP_SQRT, ss_expr_sub(g, one, square(g, a))));
    case SS_OP_ATAN: return quotient(g, one, ss_expr_add(g, one, square(g, a)));
    case SS_OP_SINH: return op1(g, SS_OP_COSH, a);
    case SS_OP_COSH: return op1(g, SS_OP_SINH, a);
    case SS_OP_TANH: return ss_expr_sub(g, one, square(g, self));
    case SS_OP_EXP: return self;
    case SS_OP_LOG: return quotient(g, one, a);
    case SS_OP_SQRT: return quotient(g, constant(g, 0.5), self);
    case SS_OP_ABS: return op1(g, SS_OP_SIGN, a);
    default: return constant(g, 0);  // sign: zero almost everywhere
  }
}

// The derivative of node e, given those of its operands (da, db, dc).
static ss_expr node_derivative(ss_graph* g, ss_expr e, ss_expr da, ss_expr db, ss_expr dc)
{
  ss_op op = g->node[e].op;
  ss_expr a = g->node[e].arg[0], b = g->node[e].arg[1];
  switch (op) {
    case SS_OP_ADD: return ss_expr_add(g, da, db);
    case SS_OP_SUB: return ss_expr_sub(g, da, db);
    case SS_OP_MUL: return ss_expr_add(g, ss_expr_mul(g, da, b), ss_expr_mul(g, a, db));
    case SS_OP_DIV: return quotient(g, ss_expr_sub(g, da, ss_expr_mul(g, e, db)), b);
    case SS_OP_POW: return power_derivative(g, e, a, b, da, db);
    case SS_OP_ATAN2: {
      ss_expr numerator = ss_expr_sub(g, ss_expr_mul(g, b, da), ss_expr_mul(g, a, db));
      return quotient(g, numerator, ss_expr_add(g, square(g, a), square(g, b)));
    }
    case SS_OP_HYPOT: return quotient(g, ss_expr_add(g, ss_expr_mul(g, a, da), ss_expr_mul(g, b, db)), e);
    case SS_OP_MIN: return ss_expr_make(g, SS_OP_IF, op2(g, SS_OP_LT, a, b), da, db);
    case SS_OP_MAX: return ss_expr_make(g, SS_OP_IF, op2(g, SS_OP_LT, b, a), da, db);
    case SS_OP_IF: return ss_expr_make(g, SS_OP_IF, a, db, dc);
    case SS_OP_CONST:
    case SS_OP_VAR:
    case SS_OP_LT:
    case SS_OP_LE: return constant(g, 0);
    default: return ss_expr_is_zero(g, da) ? da : ss_expr_mul(g, outer_derivative(g, op, e, a), da);
  }
}

static ss_expr derivative(ss_graph* g, ss_expr e, int variable)
{
  if (e < 0) return -1;
  ss_expr zero = constant(g, 0), one = constant(g, 1);
  struct ss_walk* w = zero < 0 || one < 0 ? NULL : prepare_walk(g);
  if (!w) return -1;
  int n = list_used(g, e, w);
  ss_expr* d = w->image;
  for (int k = 0; k < n; k++) {
    ss_expr i = w->order[k];
    const ss_node* node = &g->node[i];
    if (node->op == SS_OP_VAR) d[i] = node->arg[0] == variable ? one : zero;
    else if (node->depends == 0) d[i] = zero;
    else {
      int operands = ss_op_operands(node->op);
      const ss_expr arg[3] = {node->arg[0], node->arg[1], node->arg[2]};
      d[i] = node_derivative(g, i, d[arg[0]], operands > 1 ? d[arg[1]] : zero, operands > 2 ? d[arg[2]] : zero);
    }
  }
  return d[e];
}

ss_expr ss_expr_dq(ss_graph* g, ss_expr e, int i) { return derivative(g, e, i); }
ss_expr ss_expr_du(ss_graph* g, ss_expr e, int i) { return derivative(g, e, g->nv + i); }
ss_expr ss_expr_dt(ss_graph* g, ss_expr e) { return derivative(g, e, 2*g->nv); }

ss_expr ss_expr_rate(ss_graph* g, ss_expr e)
{
  ss_expr sum = ss_expr_dt(g, e);
  for (int i = 0; i < g->nv; i++)
    sum = ss_expr_add(g, sum, ss_expr_mul(g, ss_expr_dq(g, e, i), ss_expr_u(g, i)));
  return sum;
}

ss_expr ss_expr_map(ss_graph* g, ss_expr e, ss_expr_image image, void* user)
{
  if (e < 0) return -1;
  struct ss_walk* w = prepare_walk(g);
  if (!w) return -1;
  int n = list_used(g, e, w);
  ss_expr* r = w->image;
  for (int k = 0; k < n; k++) {
    ss_expr i = w->order[k], arg[3] = {0, 0, 0};
    for (int j = 0; j < ss_op_operands(g->node[i].op); j++) arg[j] = r[g->node[i].arg[j]];
    r[i] = image(g, i, arg, user);
  }
  return r[e];
}

static ss_expr image_at_rest(ss_graph* g, ss_expr e, const ss_expr* arg, void* user)
{
  (void)user;
  const ss_node* node = &g->node[e];
  if (!(node->depends & SS_DEPENDS_U)) return e;
  if (node->op == SS_OP_VAR) return constant(g, 0);
  return ss_expr_make(g, node->op, arg[0], arg[1], arg[2]);
}

ss_expr ss_expr_at_rest(ss_graph* g, ss_expr e) { return ss_expr_map(g, e, image_at_rest, NULL); }
