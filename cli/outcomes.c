// The table that compares solvers, for every class of problems.
#include "outcomes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "solve.h"
#include "table.h"

const char* cli_outcome_text(const cli_outcome* o)
{
  if (o->signal) return "crashed";
  switch (o->status) {
    case SS_OK: return "solved";
    case SS_RAY: return o->solutions == 0 ? "has no solution" : "ended on a ray";
    case SS_NOT_CONVERGED: return "iteration limit";
    case SS_INACCURATE: return "above tolerance";
    case SS_STOPPED: return "time limit";
    case SS_ERR_CAPACITY: return "too large for it";
    case SS_ERR_NUMERIC: return "numbers overflow";
    case SS_ERR_MEMORY: return "out of memory";
    default: return "failed";
  }
}

const char* cli_outcome_keyword(const cli_outcome* o)
{
  if (o->signal) return "crashed";
  switch (o->status) {
    case SS_OK: return "solved";
    case SS_RAY: return o->solutions == 0 ? "no_solution" : "ray";
    case SS_NOT_CONVERGED: return "not_converged";
    case SS_INACCURATE: return "inaccurate";
    case SS_STOPPED: return "time_limit";
    case SS_ERR_CAPACITY: return "too_large";
    default: return "failed";
  }
}

void cli_format_time(double seconds, char* out, size_t size)
{
  if (seconds < 1e-3) snprintf(out, size, "%.3g us", 1e6*seconds);
  else if (seconds < 1) snprintf(out, size, "%.3g ms", 1e3*seconds);
  else snprintf(out, size, "%.3g s", seconds);
}

static void add_row(cli_table* table, const cli_outcome* o, bool counted)
{
  char time[32];
  bool chose = o->status == SS_OK && strcmp(o->solver, o->found_by) != 0;
  if (chose) cli_table_cell(table, "%s (%s)", o->solver, o->found_by);
  else cli_table_cell(table, "%s", o->solver);
  cli_table_cell(table, "%s", cli_outcome_text(o));
  if (isnan(o->residual)) cli_table_cell(table, "-");
  else cli_table_cell(table, "%.2e", o->residual);
  if (o->iterations > 0 || o->status == SS_OK) cli_table_cell(table, "%ld", o->iterations);
  else cli_table_cell(table, "-");
  cli_format_time(o->seconds, time, sizeof time);
  cli_table_cell(table, "%s", time);
  if (!counted) return;
  if (o->solutions == CLI_INFINITELY_MANY) cli_table_cell(table, "infinite");
  else if (o->solutions == CLI_NOT_COUNTED) cli_table_cell(table, "-");
  else cli_table_cell(table, "%ld", o->solutions);
}

bool cli_outcomes_print(const cli_outcome* outcome, int n, bool median)
{
  bool counted = false;
  for (int k = 0; k < n; k++) counted |= outcome[k].solutions != CLI_NOT_COUNTED;
  const char* const head[] = {"solver", "status", "residual", "iterations", median ? "median time" : "time",
                              "solutions"};
  cli_table table = cli_table_create(counted ? "llrrrr" : "llrrr");
  for (int c = 0; c < table.columns; c++) cli_table_cell(&table, "%s", head[c]);
  for (int k = 0; k < n; k++) add_row(&table, &outcome[k], counted);
  return cli_table_print(&table, 0);
}

void cli_outcomes_json(cJSON* object, const char* name, const cli_outcome* outcome, int n)
{
  cJSON* list = cJSON_AddArrayToObject(object, name);
  for (int k = 0; k < n; k++) {
    const cli_outcome* r = &outcome[k];
    cJSON* o = cli_json_append(list, cJSON_CreateObject());
    cJSON_AddStringToObject(o, "solver", r->solver);
    cJSON_AddStringToObject(o, "status", cli_outcome_keyword(r));
    if (r->status == SS_OK) cJSON_AddStringToObject(o, "found_by", r->found_by);
    cli_json_number(o, "residual", r->residual);
    cJSON_AddNumberToObject(o, "iterations", (double)r->iterations);
    cli_json_number(o, "seconds", r->seconds);
    if (r->solutions == CLI_INFINITELY_MANY) cJSON_AddStringToObject(o, "solutions", "infinite");
    else if (r->solutions != CLI_NOT_COUNTED) cJSON_AddNumberToObject(o, "solutions", (double)r->solutions);
  }
}

int cli_outcomes_solved(const cli_outcome* outcome, int n)
{
  int solved = 0;
  for (int k = 0; k < n; k++) solved += outcome[k].status == SS_OK;
  return solved;
}

int cli_outcomes_best(const cli_outcome* outcome, int n)
{
  for (int k = 0; k < n; k++)
    if (outcome[k].status == SS_OK) return k;
  return 0;
}

int cli_outcomes_exit(const cli_outcome* outcome, int n)
{
  int solved = cli_outcomes_solved(outcome, n);
  if (solved == n) return CLI_DONE;
  return solved > 0 ? CLI_MISSED : cli_solve_exit(outcome[0].status);
}
