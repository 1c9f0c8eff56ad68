// Exact derivatives and substitution on the expression graph.
// Operands come before the nodes that use them, so one pass in order of the node numbers does it; no recursion.
#include <stdlib.h>

#include "system/expr.h"

// Marks the nodes that e uses, itself included.
static void mark_used(const ss_graph* g, ss_expr e, unsigned char* used)
{
  used[e] = 1;
  for (ss_expr i = e; i >= 0; i--) {
    if (!used[i] || g->node[i].op == SS_OP_VAR) continue;
    for (int k = 0; k < ss_op_operands(g->node[i].op); k++) used[g->node[i].arg[k]] = 1;
  }
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
  unsigned char* used = calloc((size_t)e + 1, 1);
  ss_expr* d = malloc(sizeof(ss_expr)*((size_t)e + 1));
  ss_expr result = -1;
  if (used && d) {
    mark_used(g, e, used);
    ss_expr zero = constant(g, 0), one = constant(g, 1);
    for (ss_expr i = 0; i <= e; i++) {
      if (!used[i]) continue;
      const ss_node* node = &g->node[i];
      if (node->op == SS_OP_VAR) d[i] = node->arg[0] == variable ? one : zero;
      else if (node->depends == 0) d[i] = zero;
      else {
        int n = ss_op_operands(node->op);
        const ss_expr arg[3] = {node->arg[0], node->arg[1], node->arg[2]};
        d[i] = node_derivative(g, i, d[arg[0]], n > 1 ? d[arg[1]] : zero, n > 2 ? d[arg[2]] : zero);
      }
    }
    result = d[e];
  }
  free(used);
  free(d);
  return result;
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

ss_expr ss_expr_at_rest(ss_graph* g, ss_expr e)
{
  if (e < 0) return -1;
  unsigned char* used = calloc((size_t)e + 1, 1);
  ss_expr* r = malloc(sizeof(ss_expr)*((size_t)e + 1));
  ss_expr result = -1;
  if (used && r) {
    mark_used(g, e, used);
    for (ss_expr i = 0; i <= e; i++) {
      if (!used[i]) continue;
      const ss_node* node = &g->node[i];
      if (!(node->depends & SS_DEPENDS_U)) r[i] = i;
      else if (node->op == SS_OP_VAR) r[i] = constant(g, 0);
      else {
        ss_expr arg[3] = {0, 0, 0};
        for (int k = 0; k < ss_op_operands(node->op); k++) arg[k] = r[node->arg[k]];
        r[i] = ss_expr_make(g, node->op, arg[0], arg[1], arg[2]);
      }
    }
    result = r[e];
  }
  free(used);
  free(r);
  return result;
}
