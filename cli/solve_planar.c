// Planar contact problems for `stickslip solve`, posed as one LCP and solved as in a step of a run:
// frictionless contacts, friction with and without a bound, friction elements, bilateral rows.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "progress.h"
#include "solve_contact.h"
#include "table.h"

typedef struct planar_result {
  const cli_task* task;
  const ss_problem* file;
  const ss_friction_problem* friction;
  bool sliding;  // some contacts do already
  ss_contact_problem p;
  ss_contact_solution s;
  cli_dense dense;
  ss_lcp_solver solver;
  ss_status status;
  double seconds;  // median
  double certified;  // residual; NaN if not asked for
  double* memory;    // Lambda, xi
} planar_result;

static bool make_problem(const cli_task* task, planar_result* r, ss_error* error)
{
  if (!cli_dense_make(task, &r->dense, error)) return false;
  r->p = r->dense.p;
  size_t m = (size_t)r->p.m, k = (size_t)r->p.n_contact;
  r->memory = calloc(2*m + 1, sizeof(double));
  r->s.state = calloc(k + 1, sizeof *r->s.state);
  r->s.Lambda = r->memory;
  r->s.xi = r->memory + m;
  if (r->memory && r->s.state) return true;
  ss_error_set(error, SS_ERR_MEMORY, "not enough memory");
  return false;
}

static double tol_of(const solve_options* o, const cli_task* task)
{
  return cli_task_tol(task, &(cli_effort){.tol = o->tol});
}

// The residual that all solvers of this problem are judged by: that of frictional contact problems, or, where contacts
// slide already, that of planar ones
static void judge(const solve_options* o, planar_result* r)
{
  if (r->status < 0 || r->sliding) return;
  ss_status judged = ss_friction_residual(r->friction, r->s.Lambda, NULL, &r->s.residual, NULL);
  if (judged < 0) r->status = judged;
  else if (r->s.residual <= tol_of(o, r->task)) r->status = SS_OK;
  else if (r->status == SS_OK) r->status = SS_INACCURATE;
}

static bool solve(const solve_options* o, planar_result* r)
{
  ss_lcp_def def = ss_lcp_def_default();
  if (o->tol > 0) def.tol = o->tol;
  def.max_iter = cli_iteration_limit(o);
  def.solver = r->solver;
  ss_arena* arena = ss_arena_create(ss_contact_solve_size(r->p.n_bilateral, r->p.n_contact));
  double* time = malloc(sizeof(double)*(size_t)o->repeat);
  bool ok = arena && time;
  for (long i = 0; ok && i < o->repeat; i++) {
    double start = cli_seconds();
    r->status = ss_contact_solve(&r->p, &def, arena, &r->s);
    time[i] = cli_seconds() - start;
  }
  if (ok) r->seconds = cli_median(time, o->repeat);
  free(time);
  ss_arena_destroy(arena);
  return ok;
}

// ---- text ----

static void add_value(cli_table* table, int row, const double* x)
{
  if (row < 0) cli_table_cell(table, "-");
  else cli_table_cell(table, "%.10g", x[row]);
}

static bool print_contacts(const solve_options* o, const planar_result* r)
{
  static const char* const kinds[] = {"normal", "planar", "friction", "spatial"};
  static const char* const head[] = {"contact", "kind", "state", "Lambda_N", "Lambda_T", "xi_N", "xi_T"};
  int k = r->p.n_contact, shown = o->all || k <= CLI_SHOWN ? k : CLI_SHOWN, row = r->p.n_bilateral;
  cli_table table = cli_table_create("lllrrrr");
  for (int c = 0; c < 7; c++) cli_table_cell(&table, "%s", head[c]);
  for (int i = 0; i < shown; i++) {
    ss_contact_kind kind = r->p.kind[i];
    int N = kind == SS_CONTACT_FRICTION ? -1 : row++, T = kind == SS_CONTACT_NORMAL ? -1 : row++;
    if (r->file->contact_name) cli_table_cell(&table, "%s", r->file->contact_name[i]);
    else cli_table_cell(&table, "%d", i + 1);
    cli_table_cell(&table, "%s", kinds[kind]);
    cli_table_cell(&table, "%s", ss_contact_state_text(r->s.state[i]));
    add_value(&table, N, r->s.Lambda);
    add_value(&table, T, r->s.Lambda);
    add_value(&table, N, r->s.xi);
    add_value(&table, T, r->s.xi);
  }
  if (!cli_table_print(&table, 0)) return false;
  if (shown < k) printf("... %d more; --all prints them\n", k - shown);
  return true;
}

static int print_text(const solve_options* o, const planar_result* r)
{
  if (*r->file->name) printf("problem   %s\n", r->file->name);
  if (*r->file->notes) printf("notes     %s\n", r->file->notes);
  printf("contacts  %d, planar; %d bilateral row%s\n", r->p.n_contact, r->p.n_bilateral,
         cli_s(r->p.n_bilateral));
  if (r->sliding) printf("law       accelerations: some contacts slide already\n");
  printf("status    %s\n", cli_verdict(r->status));
  if (r->status >= 0) {
    printf("residual  %.2e\n", r->s.residual);
    if (o->certify) cli_certificate_print(r->s.residual, r->certified);
    printf("found by  %s, as an LCP; %d iteration%s\n", ss_lcp_solver_name(r->solver), r->s.iterations,
           cli_s(r->s.iterations));
    printf("time      %.3g us%s\n", 1e6*r->seconds, o->repeat > 1 ? ", median" : "");
    if (r->p.n_bilateral && !cli_bilateral_table(r->p.n_bilateral, o->all, r->s.Lambda, r->s.xi))
      return cli_out_of_memory();
    if (r->p.n_contact && !print_contacts(o, r)) return cli_out_of_memory();
  }
  return cli_solve_exit(r->status);
}

// ---- JSON ----

static int print_json(const solve_options* options, const planar_result* r)
{
  const ss_friction_problem* p = r->friction;
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "type", "contact");
  cJSON_AddStringToObject(o, "name", r->file->name);
  cJSON_AddNumberToObject(o, "contacts", p->n_contact);
  cJSON_AddNumberToObject(o, "bilateral", p->n_bilateral);
  cJSON_AddNumberToObject(o, "dim", 2);
  cJSON_AddStringToObject(o, "form", p->global ? "global" : "local");
  cJSON_AddStringToObject(o, "law", r->sliding ? "sliding" : "Coulomb");
  cli_json_number(o, "asymmetry", ss_friction_asymmetry(p));
  cli_solve_warnings(o, r->file);
  cJSON_AddStringToObject(o, "status", cli_keyword(r->status));
  if (r->status >= 0) {
    cli_json_number(o, "residual", r->s.residual);
    if (options->certify) cli_certificate_json(o, r->s.residual, r->certified);
    cJSON_AddStringToObject(o, "method", "lcp");
    cJSON_AddStringToObject(o, "solver", ss_lcp_solver_name(r->solver));
    cJSON_AddNumberToObject(o, "iterations", r->s.iterations);
    cli_json_number(o, "seconds", r->seconds);
    cJSON* states = cJSON_AddArrayToObject(o, "states");
    for (int i = 0; i < r->p.n_contact; i++)
      cli_json_append(states, cJSON_CreateString(ss_contact_state_text(r->s.state[i])));
    cli_json_numbers(o, "Lambda", r->p.m, r->s.Lambda);
    cli_json_numbers(o, "xi", r->p.m, r->s.xi);
  }
  int printed = cli_print_json(o);
  return printed == CLI_DONE ? cli_solve_exit(r->status) : printed;
}

int cli_solve_planar(const solve_options* o, const cli_task* task, ss_lcp_solver solver, ss_attempt_log* tried)
{
  planar_result r = {.task = task, .file = task->problem, .friction = &task->contact,
                     .sliding = task->law == CLI_SLIDING, .solver = solver, .certified = NAN};
  ss_error error = {0};
  int status;
  if (!make_problem(task, &r, &error)) status = cli_fail(&error);
  else if (!solve(o, &r)) status = cli_out_of_memory();
  else if (judge(o, &r), r.status != SS_OK && tried) {
    ss_attempt_add(tried, cli_lcp_attempt(r.status, r.s.residual, r.s.iterations));
    status = CLI_GO_ON;
  }
  else {
    if (o->certify && r.status >= 0)
      r.certified = r.sliding ? ss_contact_certify(&r.p, r.s.Lambda) : cli_certify(task, r.s.Lambda);
    status = o->json ? print_json(o, &r) : print_text(o, &r);
    status = cli_certificate_exit(status, r.certified, tol_of(o, task));
  }
  free(r.memory);
  cli_dense_free(&r.dense);
  free(r.s.state);
  return status;
}
