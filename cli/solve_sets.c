// Contact problems with sets of friction, for `stickslip solve`: maximal dissipation by one method.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attempts.h"
#include "json.h"
#include "outcomes.h"
#include "solve_contact.h"

typedef struct sets_result {
  const cli_task* task;
  cli_effort effort;
  cli_outcome outcome;
  double *Lambda, *xi;  // m
} sets_result;

static const char* verdict(const cli_outcome* o)
{
  return o->status == SS_ERR_CAPACITY ? "not solved: the matrices would be too large" : cli_contact_verdict(o->status);
}

static int print_text(const solve_options* o, const sets_result* r)
{
  const cli_outcome* out = &r->outcome;
  char time[32];
  cli_contact_describe(r->task);
  printf("status    %s\n", verdict(out));
  if (out->status >= 0) {
    if (o->cone) printf("residual  %.2e of the MLCP; %.2e of the law\n", out->mlcp_residual, out->residual);
    else printf("residual  %.2e\n", out->residual);
    if (out->alignments > 0)
      printf("found by  %s; %ld pivot%s or iteration%s in %d MLCP%s\n", out->found_by, out->iterations,
             cli_s(out->iterations), cli_s(out->iterations), out->alignments,
             cli_s(out->alignments));
    else printf("found by  %s; %ld iteration%s\n", out->found_by, out->iterations, cli_s(out->iterations));
    cli_format_time(out->seconds, time, sizeof time);
    printf("time      %s%s\n", time, o->repeat > 1 ? ", median" : "");
    if (!cli_print_attempts(&out->tried)) return cli_out_of_memory();
    if (!cli_contact_table(&r->task->contact, o->all, r->Lambda, r->xi)) return cli_out_of_memory();
  }
  return cli_solve_exit(out->status);
}

static int print_json(const sets_result* r)
{
  const cli_outcome* out = &r->outcome;
  cJSON* o = cJSON_CreateObject();
  cli_contact_describe_json(o, r->task);
  cli_solve_warnings(o, r->task->problem);
  cJSON_AddStringToObject(o, "status", cli_keyword(out->status));
  if (out->status >= 0) {
    cli_json_number(o, "residual", out->residual);
    cJSON_AddStringToObject(o, "method", out->found_by);
    cJSON_AddNumberToObject(o, "iterations", (double)out->iterations);
    cJSON_AddNumberToObject(o, "alignments", out->alignments);
    if (out->alignments > 0) cli_json_number(o, "mlcp_residual", out->mlcp_residual);
    cli_json_number(o, "seconds", out->seconds);
    cli_json_attempts(o, &out->tried);
    cli_json_numbers(o, "Lambda", r->task->n, r->Lambda);
    cli_json_numbers(o, "xi", r->task->n, r->xi);
  }
  int printed = cli_print_json(o);
  return printed == CLI_DONE ? cli_solve_exit(out->status) : printed;
}

int cli_solve_sets(const solve_options* o, cli_task* task, int k)
{
  sets_result r = {.task = task,
                   .effort = {.tol = o->tol, .max_iter = cli_iteration_limit(o), .facets = (int)o->facets,
                              .polyhedral = o->cone == 1, .cone_fixed = o->cone_free,
                              .cone_angle = cli_radians(o->cone_angle), .repeat = o->repeat > 0 ? o->repeat : 1}};
  ss_error error = {0};
  if (!cli_task_prepare(task, &error)) return cli_fail(&error);
  size_t m = (size_t)task->n;
  double* memory = calloc(2*m + 1, sizeof(double));
  r.Lambda = memory;
  r.xi = memory + m;
  int status;
  if (!memory || !cli_task_solve(task, k, &r.effort, r.Lambda, r.xi, NULL, &r.outcome)) status = cli_out_of_memory();
  else status = o->json ? print_json(&r) : print_text(o, &r);
  free(memory);
  return status;
}
