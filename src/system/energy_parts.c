// Parts of the energies T and V: an energy is a sum of terms, and coordinates that never meet in a term, in M, in a row
// or in a force have energies of their own. Factors that depend on time alone are multiplied out.
#include "system/energy_parts.h"

#include <stdlib.h>
#include <string.h>

// also of the depth of sums: shared or long sums would be endless; beyond it a sum is one term
enum { MOST_TERMS = 1024 };

typedef struct terms {
  ss_graph* g;
  int nv, n;   // n: terms so far
  char* used;  // most nodes: scratch
  int most;
  int* up;  // nv: coordinates that are joined, or NULL: into `sum`, or NULL: into the list
  const int* part;
  ss_expr* sum;
  ss_expr* term;  // n, with their parts
  int* of;
  bool failed;
} terms;

static int top(int* up, int i)
{
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

static bool reserve(terms* t, int n)
{
  if (n <= t->most) return true;
  char* used = realloc(t->used, 2*(size_t)n);
  if (!used) t->failed = true;
  else {
    t->used = used;
    t->most = 2*n;
  }
  return used != NULL;
}

// One coordinate that the term depends on, -1: none. With `up` all of them are joined.
static int coordinate_of(terms* t, ss_expr e)
{
  int first = -1;
  if (!reserve(t, e + 1)) return -1;
  memset(t->used, 0, (size_t)e + 1);
  t->used[e] = 1;
  for (ss_expr k = e; k >= 0; k--) {
    const ss_node* node = &t->g->node[k];
    if (!t->used[k]) continue;
    int i = node->op == SS_OP_VAR && node->arg[0] < 2*t->g->nv ? node->arg[0] % t->g->nv : t->nv;
    if (i < t->nv && first >= 0 && t->up) t->up[top(t->up, i)] = top(t->up, first);
    if (i < t->nv && first < 0) first = i;
    for (int j = 0; j < ss_op_operands(node->op); j++) t->used[node->arg[j]] = 1;
  }
  return first;
}

static void append(terms* t, ss_expr e, int part)
{
  ss_expr* term = realloc(t->term, sizeof *term*((size_t)t->n + 1));
  if (term) t->term = term;
  int* of = realloc(t->of, sizeof *of*((size_t)t->n + 1));
  if (of) t->of = of;
  t->failed = t->failed || !term || !of;
  if (t->failed) return;
  term[t->n] = e;
  of[t->n] = part;
}

static void take_term(terms* t, ss_expr e)
{
  if (e < 0) t->failed = true;
  int i = t->failed ? -1 : coordinate_of(t, e);
  if (!t->up && !t->sum) append(t, e, i < 0 ? 0 : t->part[i]);
  t->n++;
  if (i < 0 || t->up || !t->sum) return;
  ss_expr* sum = &t->sum[t->part[i]];
  *sum = ss_expr_add(t->g, *sum, e);
  t->failed = t->failed || *sum < 0;
}

static bool is_factor(const terms* t, ss_expr e) { return !(ss_expr_depends(t->g, e) & ~SS_DEPENDS_T); }

// The terms of factor e
static void split(terms* t, ss_expr e, ss_expr factor, int depth)
{
  if (e < 0 || factor < 0) t->failed = true;
  if (t->failed) return;
  ss_node node = t->g->node[e];
  const ss_expr* arg = node.arg;
  bool left = node.op == SS_OP_MUL && is_factor(t, arg[0]), right = node.op == SS_OP_MUL && is_factor(t, arg[1]);
  if (t->n >= MOST_TERMS || depth >= MOST_TERMS) take_term(t, ss_expr_mul(t->g, factor, e));
  else if (node.op == SS_OP_ADD || node.op == SS_OP_SUB) {
    split(t, arg[0], factor, depth + 1);
    split(t, arg[1], node.op == SS_OP_ADD ? factor : ss_expr_make(t->g, SS_OP_NEG, factor, 0, 0), depth + 1);
  } else if (node.op == SS_OP_NEG) split(t, arg[0], ss_expr_make(t->g, SS_OP_NEG, factor, 0, 0), depth + 1);
  else if (left) split(t, arg[1], ss_expr_mul(t->g, factor, arg[0]), depth + 1);
  else if (right) split(t, arg[0], ss_expr_mul(t->g, factor, arg[1]), depth + 1);
  else if (node.op == SS_OP_DIV && is_factor(t, arg[1]))
    split(t, arg[0], ss_expr_make(t->g, SS_OP_DIV, factor, arg[1], 0), depth + 1);
  else take_term(t, ss_expr_mul(t->g, factor, e));
}

// Numbers in the order of the coordinates; count (nv): scratch
static int number(int nv, int* up, int* count, int* part)
{
  int n = 0;
  for (int i = 0; i < nv; i++) count[i] = -1;
  for (int i = 0; i < nv; i++) {
    int* of_root = &count[top(up, i)];
    if (*of_root < 0) *of_root = n++;
    part[i] = *of_root;
  }
  return n;
}

int ss_find_energy_parts(ss_graph* g, int nv, const int* coupled, int n, const ss_expr* e, int* part)
{
  int* up = malloc(2*sizeof *up*((size_t)nv + 1));
  terms t = {.g = g, .nv = nv, .up = up};
  if (!up) return -1;
  for (int i = 0; i < nv; i++) up[i] = i;
  for (int i = 0; i < nv; i++) up[top(up, i)] = top(up, coupled[i]);
  for (int k = 0; k < n; k++) {
    t.n = 0;
    split(&t, e[k], ss_expr_const(g, 1), 0);
  }
  int n_part = t.failed ? -1 : number(nv, up, up + nv, part);
  free(t.used);
  free(up);
  return n_part;
}

bool ss_split_energy(ss_graph* g, int nv, const int* part, int n_part, ss_expr e, ss_expr* sum)
{
  terms t = {.g = g, .nv = nv, .part = part, .sum = sum};
  for (int i = 0; i < n_part; i++) sum[i] = ss_expr_const(g, 0);
  split(&t, e, ss_expr_const(g, 1), 0);
  free(t.used);
  return !t.failed;
}

int ss_energy_terms(ss_graph* g, int nv, const int* part, ss_expr e, ss_expr** term, int** of)
{
  terms t = {.g = g, .nv = nv, .part = part};
  split(&t, e, ss_expr_const(g, 1), 0);
  free(t.used);
  *term = t.term;
  *of = t.of;
  return t.failed ? -1 : t.n;
}
