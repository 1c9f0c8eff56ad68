// What `auto` has tried: a line for each attempt, or a list in JSON.
#include <math.h>
#include <stdio.h>

#include "attempts.h"
#include "json.h"
#include "solve.h"
#include "table.h"

bool cli_print_attempts(const ss_attempt_log* log)
{
  int listed = ss_attempts_listed(log);
  if (log->count < 2) return true;
  cli_table table = cli_table_create("lllrrl");
  for (int k = 0; k < listed; k++) {
    const ss_attempt* a = &log->attempt[k];
    cli_table_cell(&table, k == 0 ? "tried   " : "");
    cli_table_cell(&table, "%s", a->solver);
    cli_table_cell(&table, "%s", cli_keyword(a->status));
    cli_table_cell(&table, "%.2e", a->residual);
    cli_table_cell(&table, "%d iteration%s", a->iterations, cli_s(a->iterations));
    cli_table_cell(&table, "(%s)", a->why);
  }
  if (!cli_table_print(&table, 0)) return false;
  if (listed < log->count) printf("          and %d more\n", log->count - listed);
  return true;
}

void cli_json_attempts(cJSON* object, const ss_attempt_log* log)
{
  cJSON* list = cJSON_AddArrayToObject(object, "tried");
  for (int k = 0; k < ss_attempts_listed(log); k++) {
    const ss_attempt* a = &log->attempt[k];
    cJSON* o = cli_json_append(list, cJSON_CreateObject());
    cJSON_AddStringToObject(o, "solver", a->solver);
    cJSON_AddStringToObject(o, "why", a->why);
    cJSON_AddStringToObject(o, "status", cli_keyword(a->status));
    cli_json_number(o, "residual", a->residual);
    cJSON_AddNumberToObject(o, "iterations", a->iterations);
  }
}
