// Maximal dissipation: the methods as a table, and what they share.
#include "base/arena.h"
#include "math/dense.h"
#include "solve/cone.h"
#include <math.h>
#include <stickslip/mlcp.h>
#include <string.h>

static bool by_path(ss_cone_run* run) { return ss_cone_align(run, SS_MLCP_PATH); }
static bool by_pfb_rlm(ss_cone_run* run) { return ss_cone_align(run, SS_MLCP_PFB_RLM); }
static bool by_pfb_plm(ss_cone_run* run) { return ss_cone_align(run, SS_MLCP_PFB_PLM); }
static bool by_mncp_rlm(ss_cone_run* run) { return ss_cone_mncp(run, false); }
static bool by_mncp_plm(ss_cone_run* run) { return ss_cone_mncp(run, true); }

typedef struct method {
  const char* name;
  bool (*solve)(ss_cone_run* run);
  bool mlcp;
} method;

static const method table[SS_DISSIPATION_METHODS] = {
  [SS_DISSIPATION_AUTO] = {"auto", NULL, true},
  [SS_DISSIPATION_MLCP_PATH] = {"mlcp-path", by_path, true},
  [SS_DISSIPATION_MLCP_PFB_RLM] = {"mlcp-pfb-rlm", by_pfb_rlm, true},
  [SS_DISSIPATION_MLCP_PFB_PLM] = {"mlcp-pfb-plm", by_pfb_plm, true},
  [SS_DISSIPATION_MNCP_RLM] = {"mncp-rlm", by_mncp_rlm, false},
  [SS_DISSIPATION_MNCP_PLM] = {"mncp-plm", by_mncp_plm, false},
};

static bool is_method(ss_dissipation_method m) { return (int)m >= 0 && m < SS_DISSIPATION_METHODS; }

const char* ss_dissipation_method_name(ss_dissipation_method m) { return is_method(m) ? table[m].name : NULL; }

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
  return is_method(def->method) ? ss_cone_solve_size(p, set, def) : 0;
}

// ---- solve ----

bool ss_cone_solve(ss_cone_run* run)
{
  ss_dissipation_method wanted = run->def->method;
  bool met = false;
  for (int m = SS_DISSIPATION_AUTO + 1; m < SS_DISSIPATION_METHODS && !met; m++) {
    run->method = (ss_dissipation_method)m;
    if (wanted != SS_DISSIPATION_AUTO ? run->method != wanted : run->def->polyhedral && !table[m].mlcp) continue;
    if (run->def->polyhedral) run->best_residual = INFINITY;  // the MLCP decides, not the exact cone
    met = table[m].solve(run);
    if (run->def->polyhedral && run->mlcp_residual <= run->def->tol) return true;
  }
  return run->def->polyhedral ? false : met;
}

static bool arguments_are_fine(const ss_contact_problem* p, const ss_dissipation_def* def,
                               const ss_dissipation_solution* s)
{
  if (!p || !def || !s || !is_method(def->method) || !(def->tol > 0)) return false;
  if (def->facets < 4 || def->facets%2 != 0 || def->facets > 10000) return false;
  if (def->polyhedral && !table[def->method].mlcp) return false;
  return s->Lambda || p->m == 0;
}

ss_status ss_dissipation_solve(const ss_contact_problem* problem, const ss_friction_set* set,
                               const ss_dissipation_def* def, ss_arena* arena, ss_dissipation_solution* s)
{
  if (!arguments_are_fine(problem, def, s)) return SS_ERR_ARGUMENT;
  if (problem->m == 0 && problem->n_contact == 0) {
    s->residual = s->mlcp_residual = 0;
    s->iterations = s->alignments = 0;
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
    bool met = ss_cone_solve(&run);
    if (!isfinite(run.best_residual)) status = SS_ERR_NUMERIC;
    else {
      memcpy(s->Lambda, run.best, m*sizeof(double));
      for (size_t i = 0; i < m && s->xi; i++)
        s->xi[i] = problem->b[i] + ss_dot(problem->m, problem->G + i*m, s->Lambda);
      s->residual = run.best_residual;
      s->mlcp_residual = run.mlcp_residual;
      s->iterations = run.iterations;
      s->alignments = run.alignments;
      s->method = run.finder;
      status = met ? SS_OK : SS_NOT_CONVERGED;
    }
  }
  ss_arena_release(arena, mark);
  return status;
}
