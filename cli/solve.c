// `stickslip solve`: a complementarity problem from a file.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli.h"
#include "json.h"
#include "table.h"

#define SHOWN 20  // unknowns printed unless --all

typedef struct solve_options {
  bool json, all;
  double tol;
  long max_iter, repeat;
} solve_options;

static const cli_option options[] = {
  {"tol", 0, CLI_POSITIVE, "R", offsetof(solve_options, tol), "tolerance on the residual (default: 1e-10)", NULL},
  {"max-iter", 0, CLI_COUNT, "N", offsetof(solve_options, max_iter),
   "pivots allowed per attempt (default: 50 n + 1000)", NULL},
  {"repeat", 0, CLI_COUNT, "N", offsetof(solve_options, repeat), "solve N times and tell the median time", NULL},
  {"all", 0, CLI_FLAG, NULL, offsetof(solve_options, all), "print every unknown, also of a large problem", NULL},
  {"json", 0, CLI_FLAG, NULL, offsetof(solve_options, json), "print one JSON object", NULL},
  {0},
};

const cli_command cli_solve_command = {
  .name = "solve", .operands = "FILE", .min_operands = 1, .max_operands = 1,
  .summary = "solve a linear complementarity problem",
  .purpose = "Finds x and y with y = A x + b, x >= 0, y >= 0, x.y = 0 for a JSON file "
             "{\"type\": \"lcp\", \"A\": [[...]], \"b\": [...]}, by Lemke's method. The residual is the relative "
             "change of A and b that would make x exact. If no solution is found, the ray on which the method ended is "
             "printed and the exit status is 3.",
  .options = options,
  .examples = "  stickslip solve problem.json\n"
              "  stickslip solve problem.json --repeat 1000 --json\n",
  .main = cli_solve,
};

// A problem, its answer, and how long it took.
typedef struct solve_result {
  const ss_problem* problem;
  ss_lcp_solution s;
  ss_status status;
  double seconds;  // median
  double* memory;  // x, y, ray
} solve_result;

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static int by_size(const void* a, const void* b)
{
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Solves `repeat` times; false if memory is short.
static bool solve(const solve_options* o, solve_result* r)
{
  int n = r->problem->lcp.n;
  ss_lcp_def def = ss_lcp_def_default();
  if (o->tol > 0) def.tol = o->tol;
  if (o->max_iter > 0) def.max_iter = o->max_iter > 1000000000 ? 1000000000 : (int)o->max_iter;
  ss_arena* arena = ss_arena_create(ss_lcp_lemke_size(n));
  double* time = malloc(sizeof(double)*(size_t)o->repeat);
  r->memory = calloc(3*(size_t)n + 1, sizeof(double));
  bool ok = arena && time && r->memory;
  if (ok) {
    r->s = (ss_lcp_solution){.x = r->memory, .y = r->memory + n, .ray = r->memory + 2*n};
    for (long i = 0; i < o->repeat; i++) {
      double start = now();
      r->status = ss_lcp_lemke(&r->problem->lcp, &def, arena, &r->s);
      time[i] = now() - start;
    }
    qsort(time, (size_t)o->repeat, sizeof *time, by_size);
    r->seconds = time[o->repeat/2];
  }
  free(time);
  ss_arena_destroy(arena);
  return ok;
}

static const char* verdict(ss_status status)
{
  switch (status) {
    case SS_OK: return "solved";
    case SS_RAY: return "no solution found: the method ended on a ray";
    case SS_NOT_CONVERGED: return "not solved: pivot limit reached";
    case SS_INACCURATE: return "not solved: the residual is above the tolerance";
    case SS_ERR_NUMERIC: return "not solved: the numbers are so large that their sums overflow";  // the file is finite
    default: return ss_status_text(status);
  }
}

// The same for programs
static const char* keyword(ss_status status)
{
  switch (status) {
    case SS_OK: return "solved";
    case SS_RAY: return "ray";
    case SS_NOT_CONVERGED: return "not_converged";
    case SS_INACCURATE: return "inaccurate";
    default: return "failed";
  }
}

static int exit_status(ss_status status)
{
  if (status == SS_OK) return CLI_DONE;
  if (status == SS_RAY) return CLI_FAILED;
  return status > 0 ? CLI_MISSED : cli_exit_status(status);
}

static bool print_unknowns(const solve_options* o, const solve_result* r)
{
  int n = r->problem->lcp.n, shown = o->all || n <= SHOWN ? n : SHOWN;
  bool ray = r->status == SS_RAY;
  cli_table table = cli_table_create(ray ? "rr" : "rrr");
  cli_table_cell(&table, "i");
  if (ray) cli_table_cell(&table, "ray");
  else {
    cli_table_cell(&table, "x");
    cli_table_cell(&table, "y");
  }
  for (int i = 0; i < shown; i++) {
    cli_table_cell(&table, "%d", i + 1);
    if (ray) cli_table_cell(&table, "%.10g", r->s.ray[i]);
    else {
      cli_table_cell(&table, "%.10g", r->s.x[i]);
      cli_table_cell(&table, "%.10g", r->s.y[i]);
    }
  }
  if (!cli_table_print(&table, 0)) return false;
  if (shown < n) printf("... %d more; --all prints them\n", n - shown);
  return true;
}

static int print_text(const solve_options* o, const solve_result* r)
{
  if (*r->problem->name) printf("problem   %s\n", r->problem->name);
  printf("unknowns  %d\n", r->problem->lcp.n);
  printf("status    %s\n", verdict(r->status));
  if (r->status >= 0) {
    printf("residual  %.2e\n", r->s.residual);
    printf("pivots    %d (%d covering vector%s)\n", r->s.iterations, r->s.attempts, r->s.attempts == 1 ? "" : "s");
    printf("time      %.3g us%s\n", 1e6*r->seconds, o->repeat > 1 ? ", median" : "");
    if (r->problem->lcp.n && !print_unknowns(o, r)) return cli_out_of_memory();
  }
  return exit_status(r->status);
}

static int print_json(const solve_result* r)
{
  cJSON* o = cJSON_CreateObject();
  int n = r->problem->lcp.n;
  cJSON_AddStringToObject(o, "type", "lcp");
  cJSON_AddStringToObject(o, "name", r->problem->name);
  cJSON_AddNumberToObject(o, "n", n);
  cJSON_AddStringToObject(o, "status", keyword(r->status));
  if (r->status >= 0) {
    cli_json_number(o, "residual", r->s.residual);
    cJSON_AddNumberToObject(o, "iterations", r->s.iterations);
    cJSON_AddNumberToObject(o, "attempts", r->s.attempts);
    cli_json_number(o, "seconds", r->seconds);
    cli_json_numbers(o, "x", n, r->s.x);
    cli_json_numbers(o, "y", n, r->s.y);
    if (r->status == SS_RAY) cli_json_numbers(o, "ray", n, r->s.ray);
  }
  int printed = cli_print_json(o);
  return printed == CLI_DONE ? exit_status(r->status) : printed;
}

int cli_solve(int argc, char** argv)
{
  solve_options o = {.repeat = 1};
  int n_operands;
  int status = cli_parse(&cli_solve_command, argc, argv, &o, &n_operands);
  if (status != CLI_GO_ON) return status;
  if (o.repeat > 10000000) return cli_usage(&cli_solve_command, "--repeat is at most 10000000");
  ss_error error = {0};
  ss_problem* problem = ss_problem_load(argv[1], &error);
  if (!problem) return cli_fail(&error);
  solve_result r = {.problem = problem};
  if (!solve(&o, &r)) status = cli_out_of_memory();
  else status = o.json ? print_json(&r) : print_text(&o, &r);
  free(r.memory);
  ss_problem_destroy(problem);
  return status;
}
