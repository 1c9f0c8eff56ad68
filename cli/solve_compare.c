// `stickslip solve --solver all` for an LCP: one row per solver, then the best solution.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "solve.h"
#include "table.h"

typedef struct row {
  ss_lcp_solution s;
  ss_status status;
  double seconds;  // median
} row;

typedef struct comparison {
  const ss_problem* problem;
  row rows[SS_LCP_SOLVER_COUNT];
  int best;        // the row whose x is printed
  double* memory;  // x and y of each row
} comparison;

static void solve_row(const solve_options* o, const ss_lcp* lcp, int solver, ss_arena* arena, double* time, row* r)
{
  ss_lcp_def def = ss_lcp_def_default();
  def.solver = (ss_lcp_solver)solver;
  def.max_iter = cli_iteration_limit(o);
  if (o->tol > 0) def.tol = o->tol;
  for (long i = 0; i < o->repeat; i++) {
    double start = cli_now();
    r->status = ss_lcp_solve(lcp, &def, arena, &r->s);
    time[i] = cli_now() - start;
  }
  r->seconds = cli_median(time, o->repeat);
}

// False if memory is short
static bool solve(const solve_options* o, comparison* c)
{
  const ss_lcp* lcp = &c->problem->lcp;
  size_t n = (size_t)lcp->n;
  c->memory = calloc(2*n*SS_LCP_SOLVER_COUNT + 1, sizeof(double));
  ss_arena* arena = ss_arena_create(ss_lcp_solve_size(lcp->n));
  double* time = malloc(sizeof(double)*(size_t)o->repeat);
  bool ok = c->memory && arena && time;
  for (int k = 0; k < SS_LCP_SOLVER_COUNT && ok; k++) {
    row* r = &c->rows[k];
    double* x = c->memory + 2*n*(size_t)k;
    r->s = (ss_lcp_solution){.x = x, .y = x + n, .residual = NAN};
    solve_row(o, lcp, k, arena, time, r);
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
  for (int k = 0; k < SS_LCP_SOLVER_COUNT; k++) solved += c->rows[k].status == SS_OK;
  if (solved == SS_LCP_SOLVER_COUNT) return CLI_DONE;
  return solved > 0 ? CLI_MISSED : cli_solve_exit(c->rows[0].status);
}

static bool print_rows(const solve_options* o, const comparison* c)
{
  cli_table table = cli_table_create("llrrr");
  const char* const head[] = {"solver", "status", "residual", "iterations", o->repeat > 1 ? "median time" : "time"};
  for (int k = 0; k < 5; k++) cli_table_cell(&table, "%s", head[k]);
  for (int k = 0; k < SS_LCP_SOLVER_COUNT; k++) {
    const row* r = &c->rows[k];
    cli_table_cell(&table, "%s", ss_lcp_solver_name((ss_lcp_solver)k));
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
  int n = c->problem->lcp.n, shown = o->all || n <= CLI_SHOWN ? n : CLI_SHOWN;
  cli_table table = cli_table_create("rrr");
  cli_table_cell(&table, "i");
  cli_table_cell(&table, "x");
  cli_table_cell(&table, "y");
  for (int i = 0; i < shown; i++) {
    cli_table_cell(&table, "%d", i + 1);
    cli_table_cell(&table, "%.10g", r->s.x[i]);
    cli_table_cell(&table, "%.10g", r->s.y[i]);
  }
  if (!cli_table_print(&table, 0)) return false;
  if (shown < n) printf("... %d more; --all prints them\n", n - shown);
  return true;
}

static int print_text(const solve_options* o, const comparison* c)
{
  const row* r = &c->rows[c->best];
  if (*c->problem->name) printf("problem   %s\n", c->problem->name);
  printf("unknowns  %d\n", c->problem->lcp.n);
  printf("status    %s\n", cli_verdict(r->status));
  bool ok = print_rows(o, c);
  if (ok && r->status == SS_OK && c->problem->lcp.n > 0) ok = print_unknowns(o, c);
  return ok ? exit_status(c) : cli_out_of_memory();
}

static void add_row(cJSON* list, int solver, const row* r)
{
  cJSON* o = cJSON_CreateObject();
  cJSON_AddItemToArray(list, o);
  cJSON_AddStringToObject(o, "solver", ss_lcp_solver_name((ss_lcp_solver)solver));
  cJSON_AddStringToObject(o, "status", cli_keyword(r->status));
  cli_json_number(o, "residual", r->s.residual);
  cJSON_AddNumberToObject(o, "iterations", r->s.iterations);
  cli_json_number(o, "seconds", r->seconds);
}

static int print_json(const comparison* c)
{
  const row* r = &c->rows[c->best];
  cJSON* o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "type", "lcp");
  cJSON_AddStringToObject(o, "name", c->problem->name);
  cJSON_AddNumberToObject(o, "n", c->problem->lcp.n);
  cJSON_AddStringToObject(o, "status", cli_keyword(r->status));
  cJSON* list = cJSON_AddArrayToObject(o, "solvers");
  for (int k = 0; k < SS_LCP_SOLVER_COUNT; k++) add_row(list, k, &c->rows[k]);
  if (r->status >= 0) {
    cli_json_number(o, "residual", r->s.residual);
    cli_json_numbers(o, "x", c->problem->lcp.n, r->s.x);
    cli_json_numbers(o, "y", c->problem->lcp.n, r->s.y);
  }
  int printed = cli_print_json(o);
  return printed == CLI_DONE ? exit_status(c) : printed;
}

int cli_solve_compare(const solve_options* o, const ss_problem* problem)
{
  comparison c = {.problem = problem};
  int status;
  if (!solve(o, &c)) status = cli_out_of_memory();
  else status = o->json ? print_json(&c) : print_text(o, &c);
  free(c.memory);
  return status;
}
