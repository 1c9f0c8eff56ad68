// Maximal dissipation: the methods as a table, and what they share.
#include "base/arena.h"
#include "math/dense.h"
#include "solve/cone.h"
#include <math.h>
#include <stickslip/mlcp.h>
#include <string.h>

static ss_status by_path(ss_cone_run* run) { return ss_cone_align(run, SS_MLCP_PATH); }
static ss_status by_pfb_rlm(ss_cone_run* run) { return ss_cone_align(run, SS_MLCP_PFB_RLM); }
static ss_status by_pfb_plm(ss_cone_run* run) { return ss_cone_align(run, SS_MLCP_PFB_PLM); }
static ss_status by_mncp_rlm(ss_cone_run* run) { return ss_cone_mncp(run, false); }
static ss_status by_mncp_plm(ss_cone_run* run) { return ss_cone_mncp(run, true); }

typedef struct method {
  const char* name;
  ss_status (*solve)(ss_cone_run* run);
  bool mlcp;
  const char* why;  // it is its turn in auto
} method;

static const method table[SS_DISSIPATION_METHODS] = {
  [SS_DISSIPATION_AUTO] = {"auto", NULL, true, NULL},
  [SS_DISSIPATION_MLCP_PATH] = {"mlcp-path", by_path, true, "exact, and needs no start"},
  [SS_DISSIPATION_MLCP_PFB_RLM] = {"mlcp-pfb-rlm", by_pfb_rlm, true, "pivoting has failed"},
  [SS_DISSIPATION_MLCP_PFB_PLM] = {"mlcp-pfb-plm", by_pfb_plm, true, "the one before has failed"},
  [SS_DISSIPATION_MNCP_RLM] = {"mncp-rlm", by_mncp_rlm, false, "facets have failed"},
  [SS_DISSIPATION_MNCP_PLM] = {"mncp-plm", by_mncp_plm, false, "the last that is left"},
};

static bool is_method(ss_dissipation_method m) { return (int)m >= 0 && m < SS_DISSIPATION_METHODS; }

const char* ss_dissipation_method_name(ss_dissipation_method m) { return is_method(m) ? table[m].name : NULL; }

bool ss_dissipation_method_find(const char* name, ss_dissipation_method* m)
{
  for (int k = 0; name && k < SS_DISSIPATION_METHODS; k++)
    if (strcmp(name, table[k].name) == 0) {
      *m = (ss_dissipation_method)k;
      return true;
    }
  return false;
}

ss_dissipation_def ss_dissipation_def_default(void)
{
  return (ss_dissipation_def){.method = SS_DISSIPATION_AUTO, .tol = 1e-8, .facets = 4};
}

// ---- memory ----

size_t ss_cone_solve_size(const ss_contact_problem* p, const ss_friction_set* set, const ss_dissipation_def* def)
{
  size_t align = table[def->method].mlcp ? ss_cone_align_size(p, set, def->facets) : 0;
  size_t mncp = def->method == SS_DISSIPATION_AUTO || !table[def->method].mlcp ? ss_cone_mncp_size(p->m) : 0;
  return ss_cone_size(p) + (align > mncp ? align : mncp);
}

size_t ss_dissipation_solve_size(const ss_contact_problem* p, const ss_friction_set* set, const ss_dissipation_def* def)
{
  if (!p || !def) return 0;
  return is_method(def->method) ? ss_cone_solve_size(p, set, def) : 0;
}

// ---- solve ----

static ss_status attempt(ss_cone_run* run, ss_dissipation_method m, const char* why)
{
  int before = run->iterations;
  run->method = m;
  run->attempt_residual = INFINITY;
  if (run->def->polyhedral) run->best_residual = INFINITY;  // the MLCP decides, not the exact cone
  ss_status status = table[m].solve(run);
  double residual = run->def->polyhedral ? run->mlcp_residual : run->attempt_residual;
  ss_attempt_add(&run->log, (ss_attempt){table[m].name, why, residual, status, run->iterations - before});
  return status;
}

// A failure counts only if no method has come further
ss_status ss_cone_solve(ss_cone_run* run)
{
  ss_dissipation_method wanted = run->def->method;
  if (wanted != SS_DISSIPATION_AUTO) return attempt(run, wanted, "asked for");
  ss_status result = attempt(run, SS_DISSIPATION_MLCP_PATH, table[SS_DISSIPATION_MLCP_PATH].why);
  for (int m = SS_DISSIPATION_MLCP_PATH + 1; m < SS_DISSIPATION_METHODS && result != SS_OK; m++) {
    if (ss_stopped(run->def->stop) || (run->def->polyhedral && !table[m].mlcp)) continue;
    ss_status status = attempt(run, (ss_dissipation_method)m, table[m].why);
    if (status >= 0) result = status;
  }
  return result;
}

static bool arguments_are_fine(const ss_contact_problem* p, const ss_dissipation_def* def,
                               const ss_dissipation_solution* s)
{
  if (!p || !def || !s || !is_method(def->method) || !(def->tol > 0)) return false;
  if (def->facets < 4 || def->facets%2 != 0 || def->facets > 10000) return false;
  if (!isfinite(def->cone_angle)) return false;
  if (def->polyhedral && !table[def->method].mlcp) return false;
  return s->Lambda || p->m == 0;
}

ss_status ss_dissipation_solve(const ss_contact_problem* problem, const ss_friction_set* set,
                               const ss_dissipation_def* def, ss_arena* arena, ss_dissipation_solution* s)
{
  if (!arguments_are_fine(problem, def, s)) return SS_ERR_ARGUMENT;
  if (problem->m == 0 && problem->n_contact == 0) {
    s->residual = s->mlcp_residual = 0;
    s->iterations = s->alignments = s->log.count = 0;
    s->method = def->method;
    return SS_OK;
  }
  if (!arena) return SS_ERR_ARGUMENT;
  if (def->warm_start && !ss_all_finite(problem->m, s->Lambda)) return SS_ERR_NUMERIC;
  ss_cone_run run = {.problem = problem, .set = set, .def = def, .arena = arena,
                     .guess = def->warm_start ? s->Lambda : NULL};
  size_t mark = ss_arena_mark(arena);
  ss_status status = ss_cone_prepare(&run);
  if (status == SS_OK) {
    size_t m = (size_t)problem->m;
    status = ss_cone_solve(&run);
    if (status >= 0 && !isfinite(run.best_residual)) status = SS_ERR_NUMERIC;
    if (status >= 0) {
      memcpy(s->Lambda, run.best, m*sizeof(double));
      for (size_t i = 0; i < m && s->xi; i++)
        s->xi[i] = problem->b[i] + ss_dot(problem->m, problem->G + i*m, s->Lambda);
      s->residual = run.best_residual;
      s->mlcp_residual = run.mlcp_residual;
      s->iterations = run.iterations;
      s->alignments = run.alignments;
      s->method = run.finder;
      s->log = run.log;
    }
  }
  ss_arena_release(arena, mark);
  return status;
}
