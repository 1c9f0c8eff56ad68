// The expression graph: nodes made once, simplified as they are made.
#include "system/expr.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A model that needs more nodes than this is refused rather than left to eat the machine.
#define MAX_NODES (1 << 22)

static const struct {
  const char* text;
  int operands;
} op_table[SS_OP_COUNT] = {
#define X(name, text, operands) [name] = {text, operands},
  SS_OP_LIST(X)
#undef X
};

int ss_op_operands(ss_op op) { return op_table[op].operands; }

const char* ss_op_text(ss_op op) { return op_table[op].text; }

ss_op ss_op_find(const char* name, size_t length)
{
  for (int op = SS_OP_SIN; op < SS_OP_COUNT; op++)
    if (strlen(op_table[op].text) == length && memcmp(op_table[op].text, name, length) == 0) return (ss_op)op;
  return SS_OP_COUNT;
}

double ss_op_value(ss_op op, double a, double b, double c)
{
  switch (op) {
    case SS_OP_ADD: return a + b;
    case SS_OP_SUB: return a - b;
    case SS_OP_MUL: return a*b;
    case SS_OP_DIV: return a/b;
    case SS_OP_NEG: return -a;
    case SS_OP_POW: return pow(a, b);
    case SS_OP_LT: return a < b;
    case SS_OP_LE: return a <= b;
    case SS_OP_SIN: return sin(a);
    case SS_OP_COS: return cos(a);
    case SS_OP_TAN: return tan(a);
    case SS_OP_ASIN: return asin(a);
    case SS_OP_ACOS: return acos(a);
    case SS_OP_ATAN: return atan(a);
    case SS_OP_SINH: return sinh(a);
    case SS_OP_COSH: return cosh(a);
    case SS_OP_TANH: return tanh(a);
    case SS_OP_EXP: return exp(a);
    case SS_OP_LOG: return log(a);
    case SS_OP_SQRT: return sqrt(a);
    case SS_OP_ABS: return fabs(a);
    case SS_OP_SIGN: return (a > 0) - (a < 0);
    case SS_OP_ATAN2: return atan2(a, b);
    case SS_OP_HYPOT: return hypot(a, b);
    case SS_OP_MIN: return a < b ? a : b;
    case SS_OP_MAX: return a > b ? a : b;
    case SS_OP_IF: return a != 0 ? b : c;
    case SS_OP_CONST:
    case SS_OP_VAR:
    case SS_OP_COUNT: break;
  }
  return NAN;
}

bool ss_graph_init(ss_graph* g, int nv)
{
  *g = (ss_graph){.nv = nv, .capacity = 256, .table_size = 1024};
  g->node = malloc(sizeof(ss_node)*(size_t)g->capacity);
  g->table = malloc(sizeof(int)*(size_t)g->table_size);
  if (!g->node || !g->table) {
    ss_graph_free(g);
    return false;
  }
  for (int i = 0; i < g->table_size; i++) g->table[i] = -1;
  return true;
}

void ss_graph_free(ss_graph* g)
{
  ss_walk_free(g->walk);
  free(g->node);
  free(g->table);
  *g = (ss_graph){0};
}

static uint64_t node_hash(const ss_node* node)
{
  uint64_t bits;
  memcpy(&bits, &node->value, sizeof bits);
  uint64_t h = node->op;
  for (int k = 0; k < 3; k++) h = (h ^ (uint64_t)(unsigned)node->arg[k])*0x9E3779B97F4A7C15u;
  h = (h ^ bits)*0xD6E8FEB86659FD93u;
  return h ^ (h >> 32);
}

static bool node_equal(const ss_node* a, const ss_node* b)
{
  return a->op == b->op && memcmp(a->arg, b->arg, sizeof a->arg) == 0 &&
         memcmp(&a->value, &b->value, sizeof a->value) == 0;
}

// The slot of a node in the hash table: where it is, or the empty slot where it would go.
static int find_slot(const ss_graph* g, const ss_node* node)
{
  unsigned mask = (unsigned)g->table_size - 1;
  unsigned slot = (unsigned)node_hash(node) & mask;
  while (g->table[slot] >= 0 && !node_equal(&g->node[g->table[slot]], node)) slot = (slot + 1) & mask;
  return (int)slot;
}

static bool grow(ss_graph* g)
{
  if (g->capacity >= MAX_NODES) return false;
  ss_node* node = realloc(g->node, sizeof(ss_node)*2*(size_t)g->capacity);
  if (!node) return false;
  g->node = node;
  int* table = realloc(g->table, sizeof(int)*2*(size_t)g->table_size);
  if (!table) return false;
  g->table = table;
  g->capacity *= 2;
  g->table_size *= 2;
  for (int i = 0; i < g->table_size; i++) g->table[i] = -1;
  for (int i = 0; i < g->n; i++) g->table[find_slot(g, &g->node[i])] = i;
  return true;
}

// The one node with this content.
static ss_expr intern(ss_graph* g, ss_node node)
{
  int slot = find_slot(g, &node);
  if (g->table[slot] >= 0) return g->table[slot];
  if (g->n == g->capacity) {
    if (!grow(g)) return -1;
    slot = find_slot(g, &node);
  }
  g->node[g->n] = node;
  g->table[slot] = g->n;
  return g->n++;
}

ss_expr ss_expr_const(ss_graph* g, double value)
{
  return intern(g, (ss_node){.op = SS_OP_CONST, .value = value == 0 ? 0 : value});  // no negative zero
}

static ss_expr variable(ss_graph* g, int number, int depends)
{
  return intern(g, (ss_node){.op = SS_OP_VAR, .depends = (unsigned char)depends, .arg = {number}});
}

ss_expr ss_expr_q(ss_graph* g, int i) { return variable(g, i, SS_DEPENDS_Q); }
ss_expr ss_expr_u(ss_graph* g, int i) { return variable(g, g->nv + i, SS_DEPENDS_U); }
ss_expr ss_expr_t(ss_graph* g) { return variable(g, 2*g->nv, SS_DEPENDS_T); }

ss_expr ss_expr_side(ss_graph* g, int k)
{
  if (k >= g->n_side) g->n_side = k + 1;
  return variable(g, 2*g->nv + 1 + k, SS_DEPENDS_SIDE);
}

bool ss_expr_is_const(const ss_graph* g, ss_expr e, double* value)
{
  if (e < 0 || g->node[e].op != SS_OP_CONST) return false;
  if (value) *value = g->node[e].value;
  return true;
}

static bool is_value(const ss_graph* g, ss_expr e, double value)
{
  return g->node[e].op == SS_OP_CONST && g->node[e].value == value;
}

bool ss_expr_is_zero(const ss_graph* g, ss_expr e) { return e >= 0 && is_value(g, e, 0); }

int ss_expr_depends(const ss_graph* g, ss_expr e) { return e < 0 ? 0 : g->node[e].depends; }

// a^n for a small whole number n, by squaring
static ss_expr power_int(ss_graph* g, ss_expr a, int n)
{
  if (n < 0) return ss_expr_make(g, SS_OP_DIV, ss_expr_const(g, 1), power_int(g, a, -n), 0);
  if (n == 0) return ss_expr_const(g, 1);
  if (n == 1) return a;
  ss_expr half = power_int(g, a, n/2);
  ss_expr square = ss_expr_mul(g, half, half);
  return n%2 ? ss_expr_mul(g, square, a) : square;
}

static ss_expr simplify_power(ss_graph* g, ss_expr a, ss_expr b)
{
  double n;
  if (!ss_expr_is_const(g, b, &n)) return -1;
  if (n == 0.5) return ss_expr_make(g, SS_OP_SQRT, a, 0, 0);
  if (n == floor(n) && fabs(n) <= 64) return power_int(g, a, (int)n);
  return -1;
}

static ss_expr simplify_product(ss_graph* g, ss_expr a, ss_expr b)
{
  if (is_value(g, a, 0) || is_value(g, b, 0)) return ss_expr_const(g, 0);
  if (is_value(g, a, 1)) return b;
  if (is_value(g, b, 1)) return a;
  if (is_value(g, a, -1)) return ss_expr_make(g, SS_OP_NEG, b, 0, 0);
  if (is_value(g, b, -1)) return ss_expr_make(g, SS_OP_NEG, a, 0, 0);
  if (g->node[b].op == SS_OP_CONST) return ss_expr_mul(g, b, a);  // constants first
  if (g->node[a].op == SS_OP_CONST && g->node[b].op == SS_OP_MUL && g->node[g->node[b].arg[0]].op == SS_OP_CONST) {
    double c = g->node[a].value*g->node[g->node[b].arg[0]].value;  // c1 (c2 x) = (c1 c2) x
    ss_expr rest = g->node[b].arg[1];
    return ss_expr_mul(g, ss_expr_const(g, c), rest);
  }
  return -1;
}

// A simpler expression equal to op(a, b, c), or -1 if none is known.
static ss_expr simplify(ss_graph* g, ss_op op, ss_expr a, ss_expr b, ss_expr c)
{
  switch (op) {
    case SS_OP_ADD:
      if (is_value(g, a, 0)) return b;
      if (is_value(g, b, 0)) return a;
      if (g->node[b].op == SS_OP_NEG) return ss_expr_sub(g, a, g->node[b].arg[0]);
      if (g->node[a].op == SS_OP_NEG) return ss_expr_sub(g, b, g->node[a].arg[0]);
      return -1;
    case SS_OP_SUB:
      if (a == b) return ss_expr_const(g, 0);
      if (is_value(g, b, 0)) return a;
      if (is_value(g, a, 0)) return ss_expr_make(g, SS_OP_NEG, b, 0, 0);
      if (g->node[b].op == SS_OP_NEG) return ss_expr_add(g, a, g->node[b].arg[0]);
      return -1;
    case SS_OP_MUL: return simplify_product(g, a, b);
    case SS_OP_DIV:
      if (is_value(g, a, 0) && !is_value(g, b, 0)) return a;
      if (is_value(g, b, 1)) return a;
      return -1;
    case SS_OP_NEG: return g->node[a].op == SS_OP_NEG ? g->node[a].arg[0] : -1;
    case SS_OP_POW: return simplify_power(g, a, b);
    case SS_OP_IF:
      if (g->node[a].op == SS_OP_CONST) return g->node[a].value != 0 ? b : c;
      return b == c ? b : -1;
    default: return -1;
  }
}

ss_expr ss_expr_make(ss_graph* g, ss_op op, ss_expr a, ss_expr b, ss_expr c)
{
  if (a < 0 || b < 0 || c < 0) return -1;
  int n = op_table[op].operands;
  ss_expr arg[3] = {a, n > 1 ? b : 0, n > 2 ? c : 0};
  bool constant = true;
  int depends = 0;
  for (int k = 0; k < n; k++) {
    constant = constant && g->node[arg[k]].op == SS_OP_CONST;
    depends |= g->node[arg[k]].depends;
  }
  if (constant) {
    const ss_node* node = g->node;
    return ss_expr_const(g, ss_op_value(op, node[arg[0]].value, n > 1 ? node[arg[1]].value : 0,
                                        n > 2 ? node[arg[2]].value : 0));
  }
  ss_expr simple = simplify(g, op, arg[0], arg[1], arg[2]);
  if (simple >= 0) return simple;
  if ((op == SS_OP_ADD || op == SS_OP_MUL) && arg[0] > arg[1] && g->node[arg[1]].op != SS_OP_CONST &&
      g->node[arg[0]].op != SS_OP_CONST) {
    ss_expr swap = arg[0];  // a + b and b + a are one node
    arg[0] = arg[1];
    arg[1] = swap;
  }
  return intern(g, (ss_node){.op = (unsigned char)op, .depends = (unsigned char)depends,
                             .arg = {arg[0], arg[1], arg[2]}});
}
