// `stickslip solve` for mixed problems: one row per solver, then the best solution.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "solve.h"
#include "table.h"

// What one solver found
typedef struct row {
  ss_mlcp_solver solver;
  ss_mlcp_solution s;
  ss_status status;
  double seconds;  // median
} row;

typedef struct comparison {
  const ss_problem* problem;
  ss_mlcp mlcp;
  row rows[SS_MLCP_SOLVER_COUNT];
  int n_rows, best;  // best: the row that is printed in full
  double* memory;    // z, w, ray of each row; the bounds of an LCP
} comparison;

// An LCP is an MLCP with the bounds 0 and infinity
static ss_mlcp as_mixed(const ss_problem* problem, double* lower, double* upper)
{
  if (problem->type == SS_PROBLEM_MLCP) return problem->mlcp;
  for (int i = 0; i < problem->lcp.n; i++) {
    lower[i] = 0;
    upper[i] = INFINITY;
  }
  return (ss_mlcp){problem->lcp.n, problem->lcp.A, problem->lcp.b, lower, upper};
}

static void solve_row(const solve_options* o, const ss_mlcp* mlcp, ss_arena* arena, double* time, row* r)
{
  ss_mlcp_def def = ss_mlcp_def_default();
  def.solver = r->solver;
  def.max_iter = cli_iteration_limit(o);
  if (o->tol > 0) def.tol = o->tol;
  for (long i = 0; i < o->repeat; i++) {
    double start = cli_now();
    r->status = ss_mlcp_solve(mlcp, &def, arena, &r->s);
    time[i] = cli_now() - start;
  }
  r->seconds = cli_median(time, o->repeat);
}

// False if memory is short
static bool solve(const solve_options* o, comparison* c)
{
  bool every = o->solver == SS_MLCP_SOLVER_COUNT;
  size_t n = (size_t)(c->problem->type == SS_PROBLEM_MLCP ? c->problem->mlcp.n : c->problem->lcp.n);
  c->n_rows = every ? SS_MLCP_SOLVER_COUNT : 1;
  c->memory = calloc(3*n*(size_t)c->n_rows + 2*n + 1, sizeof(double));
  ss_arena* arena = ss_arena_create(ss_mlcp_solve_size((int)n));
  double* time = malloc(sizeof(double)*(size_t)o->repeat);
  bool ok = c->memory && arena && time;
  if (ok) c->mlcp = as_mixed(c->problem, c->memory, c->memory + n);
  for (int k = 0; k < c->n_rows && ok; k++) {
    double* at = c->memory + 2*n + 3*n*(size_t)k;
    row* r = &c->rows[k];
    r->solver = (ss_mlcp_solver)(every ? k : o->solver);
    r->s = (ss_mlcp_solution){.z = at, .w = at + n, .ray = at + 2*n, .residual = NAN};
    solve_row(o, &c->mlcp, arena, time, r);
    if (r->status == SS_OK && c->rows[c->best].status != SS_OK) c->best = k;
  }
  free(time);
  ss_arena_destroy(arena);
  return ok;
}

// All solved, some, or none: then as the first says
static int exit_status(const comparison* c)
{
  int solved = 0;
  for (int k = 0; k < c->n_rows; k++) solved += c->rows[k].status == SS_OK;
  if (solved == c->n_rows) return CLI_DONE;
  return solved > 0 ? CLI_MISSED : cli_solve_exit(c->rows[0].status);
}

// ---- text ----

static void print_kinds(const ss_mlcp* m)
{
  int n_free = 0, fixed = 0, boxes = 0;
  for (int i = 0; i < m->n; i++) {
    bool below = !isinf(m->lower[i]), above = !isinf(m->upper[i]);
    if (!below && !above) n_free++;
    else if (m->lower[i] == m->upper[i]) fixed++;
    else if (below && above) boxes++;
  }
  printf("unknowns  %d: %d free, %d with one bound, %d with two, %d fixed\n", m->n, n_free,
         m->n - n_free - fixed - boxes, boxes, fixed);
}

static bool print_rows(const solve_options* o, const comparison* c)
{
  cli_table table = cli_table_create("llrrr");
  const char* const head[] = {"solver", "status", "residual", "iterations", o->repeat > 1 ? "median time" : "time"};
  for (int k = 0; k < 5; k++) cli_table_cell(&table, "%s", head[k]);
  for (int k = 0; k < c->n_rows; k++) {
    const row* r = &c->rows[k];
    cli_table_cell(&table, "%s", ss_mlcp_solver_name(r->solver));
    cli_table_cell(&table, "%s", cli_keyword(r->status));
    if (r->status < 0) cli_table_cell(&table, "-");
    else cli_table_cell(&table, "%.2e", r->s.residual);
    cli_table_cell(&table, "%d", r->status < 0 ? 0 : r->s.iterations);
    cli_table_cell(&table, "%.3g us", 1e6*r->seconds);
  }
  return cli_table_print(&table, 0);
}

static bool print_unknowns(const solve_options* o, const comparison* c)
{
  const row* r = &c->rows[c->best];
  int n = c->mlcp.n, shown = o->all || n <= CLI_SHOWN ? n : CLI_SHOWN;
  bool ray = r->status == SS_RAY;
  cli_table table = cli_table_create(ray ? "rr" : "rrr");
  cli_table_cell(&table, "i");
  cli_table_cell(&table, ray ? "ray" : "z");
  if (!ray) cli_table_cell(&table, "w");
  for (int i = 0; i < shown; i++) {
    cli_table_cell(&table, "%d", i + 1);
    cli_table_cell(&table, "%.10g", ray ? r->s.ray[i] : r->s.z[i]);
    if (!ray) cli_table_cell(&table, "%.10g", r->s.w[i]);
  }
  if (!cli_table_print(&table, 0)) return false;
  if (shown < n) printf("... %d more; --all prints them\n", n - shown);
  return true;
}

static int print_text(const solve_options* o, const comparison* c)
{
  const row* r = &c->rows[c->best];
  if (*c->problem->name) printf("problem   %s\n", c->problem->name);
  print_kinds(&c->mlcp);
  printf("status    %s\n", cli_verdict(r->status));
  bool ok = print_rows(o, c);
  if (ok && r->status >= 0 && c->mlcp.n > 0) ok = print_unknowns(o, c);
  return ok ? exit_status(c) : cli_out_of_memory();
}

// ---- JSON ----

static void add_row(cJSON* list, const row* r)
{
  cJSON* o = cJSON_CreateObject();
  cJSON_AddItemToArray(list, o);
  cJSON_AddStringToObject(o, "solver", ss_mlcp_solver_name(r->solver));
  cJSON_AddStringToObject(o, "status", cli_keyword(r->status));
  cli_json_number(o, "residual", r->s.residual);
  cJSON_AddNumberToObject(o, "iterations", r->s.iterations);
  cli_json_number(o, "seconds", r->seconds);
}

static int print_json(const comparison* c)
{
  const row* r = &c->rows[c->best];
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "type", "mlcp");
  cJSON_AddStringToObject(o, "name", c->problem->name);
  cJSON_AddNumberToObject(o, "n", c->mlcp.n);
  cJSON_AddStringToObject(o, "status", cli_keyword(r->status));
  cJSON* list = cJSON_AddArrayToObject(o, "solvers");
  for (int k = 0; k < c->n_rows; k++) add_row(list, &c->rows[k]);
  if (r->status >= 0) {
    cli_json_number(o, "residual", r->s.residual);
    cli_json_numbers(o, "z", c->mlcp.n, r->s.z);
    cli_json_numbers(o, "w", c->mlcp.n, r->s.w);
    if (r->status == SS_RAY) cli_json_numbers(o, "ray", c->mlcp.n, r->s.ray);
  }
  int printed = cli_print_json(o);
  return printed == CLI_DONE ? exit_status(c) : printed;
}

int cli_solve_mixed(const solve_options* o, const ss_problem* problem)
{
  comparison c = {.problem = problem};
  int status;
  if (!solve(o, &c)) status = cli_out_of_memory();
  else status = o->json ? print_json(&c) : print_text(o, &c);
  free(c.memory);
  return status;
}
