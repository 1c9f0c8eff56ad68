// The methods as a table, and the driver that judges them all by the same residual.
#include "base/text.h"
#include "solve/friction_forms.h"
#include "solve/friction_run.h"
#include "solve/friction_structure.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct method {
  const char* name;
  bool (*run)(ss_friction_run*);
  bool needs_factors;
} method;

static const method table[SS_FRICTION_METHODS] = {
  [SS_FRICTION_AUTO] = {"auto", ss_friction_run_auto, false},
  [SS_FRICTION_NSGS] = {"nsgs", ss_friction_run_nsgs, false},
  [SS_FRICTION_NEWTON] = {"newton", ss_friction_run_newton, true},
  [SS_FRICTION_IPM] = {"ipm", ss_friction_run_ipm, true},
  [SS_FRICTION_ADMM] = {"admm", ss_friction_run_admm, true},
  [SS_FRICTION_MLCP_PATH] = {"mlcp-path", NULL, false},
  [SS_FRICTION_MLCP_PFB_RLM] = {"mlcp-pfb-rlm", NULL, false},
  [SS_FRICTION_MLCP_PFB_PLM] = {"mlcp-pfb-plm", NULL, false},
  [SS_FRICTION_MNCP_RLM] = {"mncp-rlm", NULL, false},
  [SS_FRICTION_MNCP_PLM] = {"mncp-plm", NULL, false},
};

struct ss_friction_solver {
  ss_friction_structure structure;
  ss_friction_space* space;
  ss_friction_run run;
  double* memory;
  ss_friction_forms* forms;  // NULL until the first solve on dense arrays
};

const char* ss_friction_method_name(ss_friction_method m)
{
  return (int)m >= 0 && m < SS_FRICTION_METHODS ? table[m].name : NULL;
}

bool ss_friction_method_find(const char* name, ss_friction_method* m)
{
  for (int i = 0; name && i < SS_FRICTION_METHODS; i++)
    if (strcmp(name, table[i].name) == 0) {
      *m = (ss_friction_method)i;
      return true;
    }
  return false;
}

ss_friction_def ss_friction_def_default(void)
{
  return (ss_friction_def){.method = SS_FRICTION_AUTO, .tol = 1e-8, .facets = 4};
}

// ---- solver ----

enum { ARRAYS = 14 };  // of m numbers; dim*m are K

size_t ss_friction_run_numbers(size_t m, size_t dim) { return (ARRAYS + dim)*m + 1; }

void ss_friction_run_share(ss_friction_run* run, size_t m, double* numbers)
{
  double** part[ARRAYS] = {&run->Lambda, &run->xi, &run->best, &run->Lambda0, &run->plus, &run->xi_plus, &run->y,
                           &run->shift,  &run->z,  &run->dz,   &run->dy,      &run->anchor, &run->held, &run->rigid};
  for (size_t i = 0; i < ARRAYS; i++) *part[i] = numbers + i*m;
  run->K = numbers + ARRAYS*m;
}

static bool share_memory(ss_friction_solver* solver)
{
  size_t m = (size_t)solver->space->m, dim = (size_t)solver->space->dim;
  ss_friction_run* run = &solver->run;
  solver->memory = calloc(ss_friction_run_numbers(m, dim), sizeof(double));
  run->contact = calloc((size_t)solver->space->k + 1, sizeof *run->contact);
  if (!solver->memory || !run->contact) return false;
  ss_friction_run_share(run, m, solver->memory);
  run->s = solver->space;
  return true;
}

ss_friction_solver* ss_friction_solver_create(const ss_friction_problem* problem, ss_error* error)
{
  if (!problem) {
    ss_error_null(error, "the problem");
    return NULL;
  }
  if (ss_friction_validate(problem, error) < 0) return NULL;
  ss_friction_solver* solver = calloc(1, sizeof *solver);
  if (!solver) {
    ss_error_set(error, SS_ERR_MEMORY, "not enough memory");
    return NULL;
  }
  solver->space = ss_friction_space_create(problem, error);
  if (solver->space && ss_friction_structure_make(problem, &solver->structure) && share_memory(solver)) return solver;
  if (solver->space) ss_error_set(error, SS_ERR_MEMORY, "not enough memory");
  ss_friction_solver_destroy(solver);
  return NULL;
}

void ss_friction_solver_destroy(ss_friction_solver* solver)
{
  if (!solver) return;
  ss_friction_space_destroy(solver->space);
  ss_friction_structure_free(&solver->structure);
  ss_friction_forms_destroy(solver->forms);
  free(solver->memory);
  free(solver->run.contact);
  free(solver);
}

ss_status ss_friction_solver_update(ss_friction_solver* solver, const ss_friction_problem* problem, ss_error* error)
{
  if (!solver || !problem) return ss_error_null(error, "the solver or the problem");
  ss_status status = ss_friction_validate(problem, error);
  if (status >= 0) status = ss_friction_structure_compare(&solver->structure, problem, error);
  return status < 0 ? status : ss_friction_space_update(solver->space, problem, error);
}

// Remembers the current impulses if they are the best
bool ss_friction_note(ss_friction_run* run, double r, ss_friction_method finder)
{
  run->r = isnan(r) ? INFINITY : r;
  if (run->r < run->r_attempt) run->r_attempt = run->r;
  if (run->r < run->r_best) {
    memcpy(run->best, run->Lambda, (size_t)run->s->m*sizeof(double));
    run->r_best = run->r;
    run->finder = finder;
  }
  return run->r <= run->tol;
}

bool ss_friction_judge(ss_friction_run* run, ss_friction_method finder)
{
  ss_friction_xi(run->s, run->Lambda, run->xi);
  return ss_friction_note(run, ss_friction_space_residual(run->s, run->Lambda, run->xi), finder);
}

bool ss_friction_take(ss_friction_run* run, const double* Lambda, const double* xi, double r, ss_friction_method finder)
{
  memcpy(run->Lambda, Lambda, (size_t)run->s->m*sizeof(double));
  memcpy(run->xi, xi, (size_t)run->s->m*sizeof(double));
  return ss_friction_note(run, r, finder);
}

void ss_friction_return(ss_friction_run* run)
{
  double r = run->r_attempt;  // the best may be that of another attempt
  memcpy(run->Lambda, run->best, (size_t)run->s->m*sizeof(double));
  ss_friction_judge(run, run->finder);
  run->r_attempt = r;
}

bool ss_friction_attempt(ss_friction_run* run, ss_friction_method m, const char* why, bool (*go)(ss_friction_run*))
{
  static const ss_friction_method kind[] = {SS_FRICTION_NSGS, SS_FRICTION_NEWTON, SS_FRICTION_IPM, SS_FRICTION_ADMM};
  int made = 0;
  if (ss_friction_stopped(run)) return false;
  for (int i = 0; i < 4; i++) run->before[kind[i]] = ss_friction_made(run, kind[i]);
  run->r_attempt = INFINITY;
  bool met = go(run);
  for (int i = 0; i < 4; i++) made += ss_friction_made(run, kind[i]) - run->before[kind[i]];
  ss_attempt_add(&run->log, (ss_attempt){table[m].name, why, run->r_attempt, met ? SS_OK : SS_NOT_CONVERGED, made});
  return met;
}

static void start(ss_friction_run* run, const ss_friction_def* def, const double* Lambda)
{
  size_t bytes = (size_t)run->s->m*sizeof(double);
  run->tol = def->tol;
  run->max_iter = def->max_iter > 0 ? def->max_iter : 0;
  run->s->stop = def->stop;
  run->newton = run->ipm = run->admm = run->s->sweeps = run->s->factors = 0;
  run->r_best = run->r_attempt = INFINITY;
  run->c_factors = 0;
  run->log.count = 0;
  run->finder = def->method;
  memset(run->best, 0, bytes);
  memset(run->s->alpha, 0, (size_t)run->s->k*sizeof(double));
  if (def->warm_start) ss_friction_spread(&run->s->layout, Lambda, run->Lambda);
  else memset(run->Lambda, 0, bytes);
}

ss_status ss_friction_solve(ss_friction_solver* solver, const ss_friction_def* def, ss_friction_solution* out)
{
  if (!solver || !def || !out) return SS_ERR_ARGUMENT;
  if (!ss_friction_method_name(def->method) || !(def->tol > 0) || !out->Lambda) return SS_ERR_ARGUMENT;
  ss_friction_run* run = &solver->run;
  for (int i = 0; def->warm_start && i < run->s->layout.rows; i++)
    if (!isfinite(out->Lambda[i])) return SS_ERR_NUMERIC;
  if (table[def->method].needs_factors && !run->s->lu) return SS_ERR_CAPACITY;
  bool form = def->polyhedral || ss_friction_is_form(def->method), met = false;
  out->forms = out->alignments = 0;
  out->mlcp_residual = INFINITY;
  start(run, def, out->Lambda);
  if (form) {
    ss_status status = ss_friction_forms_prepare(&solver->forms, run, def);
    if (status >= 0) status = ss_friction_forms_run(solver->forms, def->warm_start ? out->Lambda : NULL, out);
    if (status < 0) return status;
    met = status == SS_OK;
  } else {
    if (def->method == SS_FRICTION_AUTO) ss_friction_run_auto(run);
    else ss_friction_attempt(run, def->method, "asked for", table[def->method].run);
    out->log = run->log;
  }
  ss_friction_return(run);
  if (!isfinite(run->r)) return SS_ERR_NUMERIC;
  ss_friction_collect(&run->s->layout, run->Lambda, out->Lambda);
  if (out->xi) ss_friction_collect(&run->s->layout, run->xi, out->xi);
  out->residual = run->r;
  out->sweeps = run->s->sweeps;
  out->newton = run->newton;
  out->ipm = run->ipm;
  out->admm = run->admm;
  out->factors = run->s->factors;
  out->method = run->finder;
  return (def->polyhedral ? met : run->r <= def->tol) ? SS_OK : SS_NOT_CONVERGED;
}
