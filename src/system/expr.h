// Expressions as a graph of shared nodes: built once, differentiated exactly, compiled into a tape (system/tape.h).
// Equal subexpressions are one node, constants are folded, so that derivatives stay small.
#ifndef SS_SYSTEM_EXPR_H
#define SS_SYSTEM_EXPR_H

#include <stickslip/base.h>

//    name         text      operands
#define SS_OP_LIST(X)    \
  X(SS_OP_CONST, "",      0) \
  X(SS_OP_VAR,   "",      0) \
  X(SS_OP_ADD,   "+",     2) \
  X(SS_OP_SUB,   "-",     2) \
  X(SS_OP_MUL,   "*",     2) \
  X(SS_OP_DIV,   "/",     2) \
  X(SS_OP_NEG,   "-",     1) \
  X(SS_OP_POW,   "^",     2) \
  X(SS_OP_LT,    "<",     2) \
  X(SS_OP_LE,    "<=",    2) \
  X(SS_OP_SIN,   "sin",   1) \
  X(SS_OP_COS,   "cos",   1) \
  X(SS_OP_TAN,   "tan",   1) \
  X(SS_OP_ASIN,  "asin",  1) \
  X(SS_OP_ACOS,  "acos",  1) \
  X(SS_OP_ATAN,  "atan",  1) \
  X(SS_OP_SINH,  "sinh",  1) \
  X(SS_OP_COSH,  "cosh",  1) \
  X(SS_OP_TANH,  "tanh",  1) \
  X(SS_OP_EXP,   "exp",   1) \
  X(SS_OP_LOG,   "log",   1) \
  X(SS_OP_SQRT,  "sqrt",  1) \
  X(SS_OP_ABS,   "abs",   1) \
  X(SS_OP_SIGN,  "sign",  1) \
  X(SS_OP_ATAN2, "atan2", 2) \
  X(SS_OP_HYPOT, "hypot", 2) \
  X(SS_OP_MIN,   "min",   2) \
  X(SS_OP_MAX,   "max",   2) \
  X(SS_OP_IF,    "if",    3)

typedef enum ss_op {
#define X(name, text, operands) name,
  SS_OP_LIST(X)
#undef X
  SS_OP_COUNT
} ss_op;

/// Operands of an operation: 0 to 3.
int ss_op_operands(ss_op op);

/// The function of this name, e.g. "sin"; SS_OP_COUNT if there is none.
ss_op ss_op_find(const char* name, size_t length);

/// The sign or the name of an operation.
const char* ss_op_text(ss_op op);

/// The value of an operation on numbers.
double ss_op_value(ss_op op, double a, double b, double c);

/// A node of a graph. Operands come before the node that uses them. -1 stands for "out of memory" and is passed on.
typedef int ss_expr;

/// What an expression depends on, as a bit mask.
enum { SS_DEPENDS_Q = 1, SS_DEPENDS_U = 2, SS_DEPENDS_T = 4, SS_DEPENDS_SIDE = 8 };

typedef struct ss_node {
  unsigned char op;       ///< ss_op
  unsigned char depends;  ///< on what the value depends; 0: a constant
  ss_expr arg[3];         ///< operands; of a variable: its number in arg[0]; unused ones are 0
  double value;           ///< of a constant
} ss_node;

/// The variables are numbered q_0 .. q_nv-1, u_0 .. u_nv-1, t, then the sides of kinks (system/kinks.h).
typedef struct ss_graph {
  int nv, n_side;
  ss_node* node;  ///< n
  int n, capacity;
  int* table;  ///< hash table of node numbers, -1 where empty
  int table_size;
  struct ss_walk* walk;  ///< scratch of the passes over an expression (expr_diff.c)
} ss_graph;

bool ss_graph_init(ss_graph* graph, int nv);  ///< false if memory is short
void ss_graph_free(ss_graph* graph);
void ss_walk_free(struct ss_walk* walk);

ss_expr ss_expr_const(ss_graph* graph, double value);
ss_expr ss_expr_q(ss_graph* graph, int i);
ss_expr ss_expr_u(ss_graph* graph, int i);
ss_expr ss_expr_t(ss_graph* graph);
ss_expr ss_expr_side(ss_graph* graph, int k);  ///< +1 or -1

/// The node op(a, b, c), simplified; unused operands are 0.
ss_expr ss_expr_make(ss_graph* graph, ss_op op, ss_expr a, ss_expr b, ss_expr c);
static inline ss_expr ss_expr_add(ss_graph* g, ss_expr a, ss_expr b) { return ss_expr_make(g, SS_OP_ADD, a, b, 0); }
static inline ss_expr ss_expr_sub(ss_graph* g, ss_expr a, ss_expr b) { return ss_expr_make(g, SS_OP_SUB, a, b, 0); }
static inline ss_expr ss_expr_mul(ss_graph* g, ss_expr a, ss_expr b) { return ss_expr_make(g, SS_OP_MUL, a, b, 0); }

bool ss_expr_is_const(const ss_graph* graph, ss_expr e, double* value);  ///< value may be NULL
bool ss_expr_is_zero(const ss_graph* graph, ss_expr e);
int ss_expr_depends(const ss_graph* graph, ss_expr e);

/// The partial derivatives of e, exact.
ss_expr ss_expr_dq(ss_graph* graph, ss_expr e, int i);
ss_expr ss_expr_du(ss_graph* graph, ss_expr e, int i);
ss_expr ss_expr_dt(ss_graph* graph, ss_expr e);

/// The total time derivative with u frozen: sum_i de/dq_i u_i + de/dt.
ss_expr ss_expr_rate(ss_graph* graph, ss_expr e);

/// e with every u_i replaced by 0.
ss_expr ss_expr_at_rest(ss_graph* graph, ss_expr e);

/// e with every node replaced by image(graph, node, images of its operands, user), operands first.
typedef ss_expr (*ss_expr_image)(ss_graph* graph, ss_expr node, const ss_expr arg[3], void* user);
ss_expr ss_expr_map(ss_graph* graph, ss_expr e, ss_expr_image image, void* user);

/// What a name stands for. Returns false, with *error filled, if it may not be used there.
typedef bool (*ss_expr_lookup)(void* scope, const char* name, size_t length, bool prime, ss_expr* e, ss_error* error);

/// Parses text. On failure returns -1 with error->text filled and *offset the byte at which it is wrong.
ss_expr ss_expr_parse(ss_graph* graph, const char* text, size_t length, ss_expr_lookup lookup, void* scope,
                      size_t* offset, ss_error* error);

#endif
