// Friction coefficients that depend on the sliding speed: mu(v) as an expression, e.g. mu*(1 + exp(-v/0.05)).
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "machine/machine.h"

typedef struct names {
  ss_graph* graph;
  double mu;
} names;

// v stands where a system has its first velocity
static bool look_up(void* scope, const char* name, size_t length, bool prime, ss_expr* e, ss_error* error)
{
  const names* n = scope;
  bool is_v = length == 1 && name[0] == 'v', is_mu = length == 2 && memcmp(name, "mu", 2) == 0;
  if (!prime && is_v) *e = ss_expr_u(n->graph, 0);
  else if (!prime && is_mu) *e = ss_expr_const(n->graph, n->mu);
  else {
    ss_error_set(error, SS_ERR_INPUT, "'%.*s%s' is not known; there are v, the sliding speed in m/s, and mu, the first "
                 "number of friction", (int)(length < 40 ? length : 40), name, prime ? "'" : "");
    return false;
  }
  return true;
}

static double value_at(const ss_tape* tape, double speed)
{
  double r[SS_CURVE_MOST], q = 0, mu;
  ss_tape_load(tape, r, true, &q, &speed, 0);
  ss_tape_run(tape, r, 0);
  ss_tape_get(tape, r, 0, 0, 1, &mu);
  return mu;
}

static ss_status compile(ss_graph* graph, ss_touch_law* law, const ss_scene* scene, const ss_scene_pair* pair,
                         ss_error* error)
{
  size_t offset = 0;
  ss_error why = {0};
  names scope = {graph, pair->friction[0]};
  ss_expr e = ss_expr_parse(graph, pair->law, strlen(pair->law), look_up, &scope, &offset, &why);
  if (e < 0)
    return ss_machine_complain(error, scene, pair->line, "friction-law '%.80s', character %d: %.150s", pair->law,
                               (int)offset + 1, why.text);
  law->curve = calloc(1, sizeof *law->curve);
  if (!law->curve || !ss_tape_compile(law->curve, graph, 1, &(ss_tape_segment){1, &e}))
    return ss_machine_no_memory(error);
  if (law->curve->n_register > SS_CURVE_MOST)
    return ss_machine_complain(error, scene, pair->line, "friction-law is too long: %d intermediate results, at most "
                               "%d", law->curve->n_register, (int)SS_CURVE_MOST);
  double mu = value_at(law->curve, 0);
  if (mu >= 0 && isfinite(mu)) return SS_OK;
  return ss_machine_complain(error, scene, pair->line, "friction-law '%.80s' is %g at v = 0; it must be %s",
                             pair->law, mu, isfinite(mu) ? "0 or more" : "finite");
}

ss_status ss_machine_make_curve(ss_touch_law* law, const ss_scene* scene, const ss_scene_pair* pair, ss_error* error)
{
  ss_graph graph;
  if (!pair->law || !*pair->law || law->law.kind != SS_CONTACT_SPATIAL) return SS_OK;
  if (!ss_graph_init(&graph, 1)) return ss_machine_no_memory(error);
  ss_status st = compile(&graph, law, scene, pair, error);
  ss_graph_free(&graph);
  law->law.varies = true;
  law->law.mu = 0;
  return st;
}

void ss_machine_free_curve(ss_touch_law* law)
{
  if (!law->curve) return;
  ss_tape_free(law->curve);
  free(law->curve);
}

double ss_machine_friction(const void* user, const ss_contact_def* law, double speed)
{
  (void)user;
  return value_at(((const ss_touch_law*)law)->curve, speed);
}
