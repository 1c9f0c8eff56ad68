// Contact problems, for `stickslip solve`: reads, solves, prints status, residual, iterations, time, impulses.
#include "solve_contact.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attempts.h"
#include "json.h"
#include "progress.h"
#include "table.h"

typedef struct contact_result {
  const cli_task* task;
  ss_friction_solution s;
  ss_status status;
  double residual;                   // computed apart from the solver
  double certified;                  // the same with twice the digits; NaN if not asked for
  double seconds, prepare;           // seconds: median
  double* memory;                    // Lambda, xi
} contact_result;

static ss_friction_def def_of(const solve_options* o, ss_friction_method method)
{
  ss_friction_def def = ss_friction_def_default();
  def.method = method;
  if (o->tol > 0) def.tol = o->tol;
  def.max_iter = cli_iteration_limit(o);
  def.polyhedral = o->cone == 1;
  def.cone_fixed = o->cone_free;
  def.cone_angle = cli_radians(o->cone_angle);
  if (o->facets > 0) def.facets = (int)o->facets;
  return def;
}

// Solves `repeat` times, with the residual of the last
static bool solve(const solve_options* o, ss_friction_method method, contact_result* r, ss_error* error)
{
  const ss_friction_problem* p = &r->task->contact;
  size_t m = (size_t)ss_friction_rows(p);
  ss_friction_def def = def_of(o, method);
  double* time = malloc(sizeof(double)*(size_t)o->repeat);
  r->memory = calloc(2*m + 1, sizeof(double));
  r->prepare = cli_seconds();
  ss_friction_solver* solver = time && r->memory ? ss_friction_solver_create(p, error) : NULL;
  r->prepare = cli_seconds() - r->prepare;
  if (solver) {
    r->s = (ss_friction_solution){.Lambda = r->memory, .xi = r->memory + m};
    for (long i = 0; i < o->repeat; i++) {
      double start = cli_seconds();
      r->status = ss_friction_solve(solver, &def, &r->s);
      time[i] = cli_seconds() - start;
    }
    r->seconds = cli_median(time, o->repeat);
    ss_status judged = r->status < 0 ? SS_OK : ss_friction_residual(p, r->s.Lambda, r->s.xi, &r->residual, error);
    if (judged < 0) r->status = judged;
    if (r->status == SS_OK && !def.polyhedral && !(r->residual <= def.tol)) r->status = SS_INACCURATE;
  } else if (!time || !r->memory) ss_error_set(error, SS_ERR_MEMORY, "not enough memory");
  free(time);
  bool good = solver;
  ss_friction_solver_destroy(solver);
  return good;
}

const char* cli_contact_verdict(ss_status status)
{
  switch (status) {
    case SS_OK: return "solved";
    case SS_NOT_CONVERGED: return "not solved: the best found is above the tolerance; a solution need not exist";
    case SS_INACCURATE: return "not solved: the residual is above the tolerance";
    case SS_ERR_NUMERIC: return "not solved: the numbers are so large that their sums overflow";
    case SS_ERR_CAPACITY: return "not solved: the matrices of this method would be too large; try --solver nsgs";
    default: return ss_status_text(status);
  }
}

static const char* const laws[] = {"Coulomb", "sets", "sliding"};  // in the order of cli_law

void cli_contact_describe(const cli_task* task)
{
  const ss_friction_problem* p = &task->contact;
  if (*task->name) printf("problem   %s\n", task->name);
  printf("contacts  %d, %s, %s form", p->n_contact, p->dim == 3 ? "spatial" : "planar", p->global ? "global" : "local");
  if (p->n_bilateral) printf("; %d bilateral row%s", p->n_bilateral, cli_s(p->n_bilateral));
  printf("\n");
  if (task->law == CLI_SETS) printf("law       maximal dissipation over the sets of the file\n");
  if (task->law == CLI_SLIDING) printf("law       accelerations: some contacts slide already\n");
  double asymmetry = ss_friction_asymmetry(p);
  if (asymmetry > 1e-12) printf("asymmetry %.1e of %s (nothing is made symmetric)\n", asymmetry, p->global ? "M" : "G");
  if (p->kappa > 0) printf("kappa     %g (relative compliance)\n", p->kappa);
}

void cli_contact_describe_json(cJSON* o, const cli_task* task)
{
  const ss_friction_problem* p = &task->contact;
  cJSON_AddStringToObject(o, "type", "contact");
  cJSON_AddStringToObject(o, "name", task->name);
  cJSON_AddNumberToObject(o, "contacts", p->n_contact);
  cJSON_AddNumberToObject(o, "bilateral", p->n_bilateral);
  cJSON_AddNumberToObject(o, "dim", p->dim);
  cJSON_AddStringToObject(o, "form", p->global ? "global" : "local");
  cJSON_AddStringToObject(o, "law", laws[task->law]);
  cli_json_number(o, "kappa", p->kappa);
  cli_json_number(o, "asymmetry", ss_friction_asymmetry(p));
}

// Component c of contact k (N, T1, T2), whose rows start at `row`; "-" if it has none
static void add_component(cli_table* table, ss_contact_kind kind, int row, int c, const double* x)
{
  bool friction = kind == SS_CONTACT_FRICTION;
  int at = friction ? c - 1 : c;
  if (at < 0 || at >= ss_contact_rows(kind)) cli_table_cell(table, "-");
  else cli_table_cell(table, "%.10g", x[row + at]);
}

bool cli_bilateral_table(int n, bool all, const double* Lambda, const double* xi)
{
  int shown = all || n <= CLI_SHOWN ? n : CLI_SHOWN;
  cli_table table = cli_table_create("rrr");
  cli_table_cell(&table, "bilateral row");
  cli_table_cell(&table, "Lambda");
  cli_table_cell(&table, "xi");
  for (int i = 0; i < shown; i++) {
    cli_table_cell(&table, "%d", i + 1);
    cli_table_cell(&table, "%.10g", Lambda[i]);
    cli_table_cell(&table, "%.10g", xi[i]);
  }
  if (!cli_table_print(&table, 0)) return false;
  if (shown < n) printf("... %d more; --all prints them\n", n - shown);
  return true;
}

bool cli_contact_table(const ss_friction_problem* p, bool all, const double* Lambda, const double* xi)
{
  static const char* const head[] = {"contact", "Lambda_N", "Lambda_T1", "Lambda_T2", "xi_N", "xi_T1", "xi_T2"};
  int d = p->dim, shown = all || p->n_contact <= CLI_SHOWN ? p->n_contact : CLI_SHOWN, row = p->n_bilateral;
  if (p->n_bilateral && !cli_bilateral_table(p->n_bilateral, all, Lambda, xi)) return false;
  if (p->n_contact == 0) return true;
  for (int k = 0; p->kind && k < p->n_contact; k++)
    if (p->kind[k] == SS_CONTACT_SPATIAL) d = 3;
  cli_table table = cli_table_create(d == 3 ? "rrrrrrr" : "rrrrr");
  for (int c = 0; c < 7; c++)
    if (d == 3 || (c != 3 && c != 6)) cli_table_cell(&table, "%s", head[c]);
  for (int k = 0; k < shown; k++) {
    ss_contact_kind kind = ss_friction_kind(p, k);
    cli_table_cell(&table, "%d", k + 1);
    for (int c = 0; c < d; c++) add_component(&table, kind, row, c, Lambda);
    for (int c = 0; c < d; c++) add_component(&table, kind, row, c, xi);
    row += ss_contact_rows(kind);
  }
  if (!cli_table_print(&table, 0)) return false;
  if (shown < p->n_contact) printf("... %d more; --all prints them\n", p->n_contact - shown);
  return true;
}

// What the method at work counts
static void print_effort(const ss_friction_solution* s)
{
  const char* name = ss_friction_method_name(s->method);
  int steps = s->sweeps + s->newton + s->ipm + s->admm + s->forms;
  if (steps == 0) printf("found by  %s; no iteration was needed\n", name);
  else if (s->forms == 0 && s->alignments == 0)
    printf("found by  %s; %d sweep%s, %d Newton step%s, %d interior point and %d ADMM iteration%s, %d factor%s\n",
           name, s->sweeps, cli_s(s->sweeps), s->newton, cli_s(s->newton), s->ipm, s->admm, cli_s(s->admm), s->factors,
           cli_s(s->factors));
  else if (s->alignments > 0)
    printf("found by  %s; %d pivot%s or iteration%s in %d MLCP%s\n", name, s->forms, cli_s(s->forms),
           cli_s(s->forms), s->alignments,
           cli_s(s->alignments));
  else printf("found by  %s; %d iteration%s\n", name, s->forms, cli_s(s->forms));
}

static int print_text(const solve_options* o, const contact_result* r)
{
  const ss_friction_problem* p = &r->task->contact;
  cli_contact_describe(r->task);
  printf("status    %s\n", cli_contact_verdict(r->status));
  if (r->status >= 0) {
    if (o->cone) printf("residual  %.2e of the MLCP; %.2e of the exact cone\n", r->s.mlcp_residual, r->residual);
    else printf("residual  %.2e\n", r->residual);
    if (o->certify) cli_certificate_print(r->residual, r->certified);
    print_effort(&r->s);
    printf("time      %.3g us%s, after %.3g us of preparation\n", 1e6*r->seconds, o->repeat > 1 ? ", median" : "",
           1e6*r->prepare);
    if (!cli_print_attempts(&r->s.log)) return cli_out_of_memory();
    if (!cli_contact_table(p, o->all, r->s.Lambda, r->s.xi)) return cli_out_of_memory();
  }
  return cli_solve_exit(r->status);
}

static int print_json(const solve_options* options, const contact_result* r)
{
  const ss_friction_problem* p = &r->task->contact;
  cJSON* o = cJSON_CreateObject();
  cli_contact_describe_json(o, r->task);
  cli_solve_warnings(o, r->task->problem);
  cJSON_AddStringToObject(o, "status", cli_keyword(r->status));
  if (r->status >= 0) {
    cli_json_number(o, "residual", r->residual);
    if (options->certify) cli_certificate_json(o, r->residual, r->certified);
    cJSON_AddStringToObject(o, "method", ss_friction_method_name(r->s.method));
    cJSON_AddNumberToObject(o, "sweeps", r->s.sweeps);
    cJSON_AddNumberToObject(o, "newton", r->s.newton);
    cJSON_AddNumberToObject(o, "ipm", r->s.ipm);
    cJSON_AddNumberToObject(o, "admm", r->s.admm);
    cJSON_AddNumberToObject(o, "factors", r->s.factors);
    cJSON_AddNumberToObject(o, "forms", r->s.forms);
    cJSON_AddNumberToObject(o, "alignments", r->s.alignments);
    if (r->s.alignments > 0) cli_json_number(o, "mlcp_residual", r->s.mlcp_residual);
    cli_json_number(o, "seconds", r->seconds);
    cli_json_number(o, "preparation", r->prepare);
    cli_json_attempts(o, &r->s.log);
    cli_json_numbers(o, "Lambda", ss_friction_rows(p), r->s.Lambda);
    cli_json_numbers(o, "xi", ss_friction_rows(p), r->s.xi);
  }
  int printed = cli_print_json(o);
  return printed == CLI_DONE ? cli_solve_exit(r->status) : printed;
}

int cli_solve_contact(const solve_options* o, const cli_task* task, ss_friction_method method,
                      const ss_attempt_log* before)
{
  ss_error error = {0};
  contact_result r = {.task = task, .certified = NAN};
  int status;
  if (!solve(o, method, &r, &error)) status = cli_fail(&error);
  else {
    ss_attempt_log tried = *before;
    for (int k = 0; k < ss_attempts_listed(&r.s.log); k++) ss_attempt_add(&tried, r.s.log.attempt[k]);
    r.s.log = tried;
    if (o->certify && r.status >= 0) r.certified = cli_certify(task, r.s.Lambda);
    status = o->json ? print_json(o, &r) : print_text(o, &r);
    status = cli_certificate_exit(status, r.certified, def_of(o, method).tol);
  }
  free(r.memory);
  return status;
}
