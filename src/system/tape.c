// The tape: compilation of expression graphs into straight-line code, and its evaluation.
#include "system/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// What compilation keeps for each node of the graph.
typedef struct compiler {
  const ss_graph* graph;
  int* reg;               // register of the node; -1: none yet
  int* shared;            // register, if computed by segment 0 or a constant or a variable; -1 otherwise
  unsigned char* needed;  // by the segment at hand
} compiler;

static void mark_needed(compiler* c, const ss_tape_segment* s)
{
  memset(c->needed, 0, (size_t)c->graph->n);
  for (int i = 0; i < s->n; i++) c->needed[s->output[i]] = 1;
  for (int i = c->graph->n - 1; i >= 0; i--) {
    const ss_node* node = &c->graph->node[i];
    if (!c->needed[i] || c->shared[i] >= 0) continue;
    for (int k = 0; k < ss_op_operands(node->op); k++) c->needed[node->arg[k]] = 1;
  }
}

// Constants get the first registers, variables the next ones.
static bool place_leaves(compiler* c, ss_tape* tape)
{
  const ss_graph* g = c->graph;
  for (int i = 0; i < g->n; i++) tape->n_const += g->node[i].op == SS_OP_CONST;
  tape->constant = malloc(sizeof(double)*(size_t)(tape->n_const + 1));
  if (!tape->constant) return false;
  int n = 0;
  for (int i = 0; i < g->n; i++) {
    c->shared[i] = -1;
    if (g->node[i].op == SS_OP_CONST) {
      tape->constant[n] = g->node[i].value;
      c->shared[i] = n++;
    }
    else if (g->node[i].op == SS_OP_VAR) c->shared[i] = tape->n_const + g->node[i].arg[0];
  }
  tape->n_register = tape->n_const + 2*g->nv + 1 + g->n_side;
  return true;
}

static int compile_segment(compiler* c, ss_tape* tape, int segment, int at)
{
  const ss_graph* g = c->graph;
  for (int i = 0; i < g->n; i++) {
    c->reg[i] = c->shared[i];
    if (!c->needed[i] || c->shared[i] >= 0) continue;
    const ss_node* node = &g->node[i];
    c->reg[i] = tape->n_register++;
    int n = ss_op_operands(node->op);
    tape->code[at++] = (ss_instruction){node->op, c->reg[i], c->reg[node->arg[0]], n > 1 ? c->reg[node->arg[1]] : 0};
    if (n > 2) tape->code[at++] = (ss_instruction){.a = c->reg[node->arg[2]]};
    if (segment == 0) c->shared[i] = c->reg[i];
  }
  return at;
}

static bool compile_all(compiler* c, ss_tape* tape, const ss_tape_segment* segment)
{
  // every node at most once per segment, an `if` takes two places
  size_t room = 2*(size_t)c->graph->n*(size_t)tape->n_segment + 1;
  tape->code = malloc(sizeof(ss_instruction)*room);
  if (!tape->code || !place_leaves(c, tape)) return false;
  int at = 0, out = 0;
  for (int s = 0; s < tape->n_segment; s++) {
    tape->segment[s] = at;
    tape->output_start[s] = out;
    mark_needed(c, &segment[s]);
    at = compile_segment(c, tape, s, at);
    for (int i = 0; i < segment[s].n; i++) tape->output[out++] = c->reg[segment[s].output[i]];
  }
  tape->segment[tape->n_segment] = at;
  tape->output_start[tape->n_segment] = out;
  ss_instruction* fit = realloc(tape->code, sizeof(ss_instruction)*(size_t)(at + 1));
  if (fit) tape->code = fit;
  return true;
}

bool ss_tape_compile(ss_tape* tape, const ss_graph* graph, int n_segment, const ss_tape_segment* segment)
{
  int n_output = 0;
  for (int s = 0; s < n_segment; s++) n_output += segment[s].n;
  *tape = (ss_tape){.nv = graph->nv, .n_segment = n_segment};
  size_t n = (size_t)graph->n;
  tape->segment = malloc(sizeof(int)*(size_t)(n_segment + 1));
  tape->output_start = malloc(sizeof(int)*(size_t)(n_segment + 1));
  tape->output = malloc(sizeof(int)*(size_t)(n_output + 1));
  compiler c = {graph, malloc(sizeof(int)*n), malloc(sizeof(int)*n), malloc(n)};
  bool ok = tape->segment && tape->output_start && tape->output && c.reg && c.shared && c.needed &&
            compile_all(&c, tape, segment);
  free(c.reg);
  free(c.shared);
  free(c.needed);
  if (!ok) ss_tape_free(tape);
  return ok;
}

void ss_tape_free(ss_tape* tape)
{
  free(tape->constant);
  free(tape->segment);
  free(tape->code);
  free(tape->output_start);
  free(tape->output);
  *tape = (ss_tape){0};
}

void ss_tape_load(const ss_tape* tape, double* r, bool first, const double* q, const double* u, double t)
{
  if (first) memcpy(r, tape->constant, sizeof(double)*(size_t)tape->n_const);
  r += tape->n_const;
  for (int i = 0; i < tape->nv; i++) r[i] = q[i];
  r += tape->nv;
  if (u)
    for (int i = 0; i < tape->nv; i++) r[i] = u[i];
  r[tape->nv] = t;
}

void ss_tape_load_sides(const ss_tape* tape, double* r, int n, const double* side)
{
  memcpy(r + tape->n_const + 2*tape->nv + 1, side, sizeof(double)*(size_t)n);
}

void ss_tape_run(const ss_tape* tape, double* r, int segment)
{
  const ss_instruction* end = tape->code + tape->segment[segment + 1];
  for (const ss_instruction* i = tape->code + tape->segment[segment]; i < end; i++) {
    double a = r[i->a], b = r[i->b];
    switch (i->op) {
      case SS_OP_ADD: r[i->to] = a + b; break;
      case SS_OP_SUB: r[i->to] = a - b; break;
      case SS_OP_MUL: r[i->to] = a*b; break;
      case SS_OP_DIV: r[i->to] = a/b; break;
      case SS_OP_NEG: r[i->to] = -a; break;
      case SS_OP_SIN: r[i->to] = sin(a); break;
      case SS_OP_COS: r[i->to] = cos(a); break;
      case SS_OP_IF:
        r[i->to] = a != 0 ? b : r[i[1].a];
        i++;
        break;
      default: r[i->to] = ss_op_value(i->op, a, b, 0);
    }
  }
}

void ss_tape_get(const ss_tape* tape, const double* r, int segment, int from, int n, double* out)
{
  const int* output = tape->output + tape->output_start[segment] + from;
  for (int i = 0; i < n; i++) out[i] = r[output[i]];
}
