// Parts of the energies T and V: an energy is a sum of terms, and coordinates that never meet in a term, in M, in a row
// or in a force have energies of their own. Factors that depend on time alone are multiplied out.
#include "system/energy_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/sets.h"

// also of the depth of sums: shared or long sums would be endless; beyond it a sum is one term
enum { MOST_TERMS = 1024 };

typedef struct terms terms;
struct terms {
  ss_graph* g;
  int nv, n;   // n: terms so far
  char* used;  // most nodes: scratch
  int most;
  void (*take)(terms* t, ss_expr e);  // what is done with a term: one of the three below
  int* up;                            // join_term. nv: coordinates that are joined
  const int* part;                    // the others. nv: the part of each coordinate
  ss_expr* sum;                       // add_term: of the terms of each part
  ss_expr* term;                      // list_term: n, with their parts
  int* of;
  bool failed;
};

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

// One coordinate that the term depends on, -1: none; up: all of them are joined, NULL: they are not
static int coordinate_of(terms* t, ss_expr e, int* up)
{
  int first = -1;
  if (!reserve(t, e + 1)) return -1;
  memset(t->used, 0, (size_t)e + 1);
  t->used[e] = 1;
  for (ss_expr k = e; k >= 0; k--) {
    const ss_node* node = &t->g->node[k];
    if (!t->used[k]) continue;
    int i = node->op == SS_OP_VAR && node->arg[0] < 2*t->g->nv ? node->arg[0] % t->g->nv : t->nv;
    if (i < t->nv && first >= 0 && up) ss_sets_join(up, i, first);
    if (i < t->nv && first < 0) first = i;
    for (int j = 0; j < ss_op_operands(node->op); j++) t->used[node->arg[j]] = 1;
  }
  return first;
}

// ---- what is done with a term ----

static void join_term(terms* t, ss_expr e) { coordinate_of(t, e, t->up); }

static void add_term(terms* t, ss_expr e)
{
  int i = coordinate_of(t, e, NULL);
  if (i < 0) return;
  ss_expr* sum = &t->sum[t->part[i]];
  *sum = ss_expr_add(t->g, *sum, e);
  t->failed = t->failed || *sum < 0;
}

static void list_term(terms* t, ss_expr e)
{
  int i = coordinate_of(t, e, NULL);
  ss_expr* term = realloc(t->term, sizeof *term*((size_t)t->n + 1));
  if (term) t->term = term;
  int* of = realloc(t->of, sizeof *of*((size_t)t->n + 1));
  if (of) t->of = of;
  t->failed = t->failed || !term || !of;
  if (t->failed) return;
  term[t->n] = e;
  of[t->n] = i < 0 ? 0 : t->part[i];
}

// ---- the terms ----

static void take_term(terms* t, ss_expr e)
{
  if (e < 0) t->failed = true;
  if (!t->failed) t->take(t, e);
  t->n++;
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
    int* of_root = &count[ss_set_root(up, i)];
    if (*of_root < 0) *of_root = n++;
    part[i] = *of_root;
  }
  return n;
}

int ss_find_energy_parts(ss_graph* g, int nv, const int* coupled, int n, const ss_expr* e, int* part)
{
  int* up = malloc(2*sizeof *up*((size_t)nv + 1));
  terms t = {.g = g, .nv = nv, .take = join_term, .up = up};
  if (!up) return -1;
  ss_sets_apart(up, nv);
  for (int i = 0; i < nv; i++) ss_sets_join(up, i, coupled[i]);
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
  terms t = {.g = g, .nv = nv, .take = add_term, .part = part, .sum = sum};
  for (int i = 0; i < n_part; i++) sum[i] = ss_expr_const(g, 0);
  split(&t, e, ss_expr_const(g, 1), 0);
  free(t.used);
  return !t.failed;
}

int ss_energy_terms(ss_graph* g, int nv, const int* part, ss_expr e, ss_expr** term, int** of)
{
  terms t = {.g = g, .nv = nv, .take = list_term, .part = part};
  split(&t, e, ss_expr_const(g, 1), 0);
  free(t.used);
  *term = t.term;
  *of = t.of;
  return t.failed ? -1 : t.n;
}
