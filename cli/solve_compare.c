// `stickslip solve --solver all`, for every class of problems: one row per solver, then the best solution.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "attempts.h"
#include "outcomes.h"
#include "solve.h"
#include "solve_contact.h"
#include "table.h"

typedef struct comparison {
  cli_task* task;
  cli_effort effort;
  int n;                 // rows
  cli_outcome* outcome;  // n
  double* memory;        // x, y and ray of each row
  int best;              // the row whose solution is shown
  bool certify;          //
  double certified;      // its residual with twice the digits; NaN if not asked for
} comparison;

// x, y or ray of a row
static double* vector(const comparison* c, int row, int which)
{
  return c->memory + (size_t)c->task->n*(3*(size_t)row + (size_t)which);
}

// False if memory is short
static bool solve(comparison* c, int first, int count)
{
  bool enumerate = count > 1 && c->task->class == CLI_LCP && c->task->n > 0 && c->task->n <= CLI_ENUMERATE_QUICKLY;
  c->n = count + enumerate;
  c->outcome = calloc((size_t)c->n, sizeof *c->outcome);
  c->memory = calloc(3*(size_t)c->task->n*(size_t)c->n + 1, sizeof(double));
  if (!c->outcome || !c->memory) return false;
  for (int k = 0; k < count; k++)
    if (!cli_task_solve(c->task, first + k, &c->effort, vector(c, k, 0), vector(c, k, 1), vector(c, k, 2),
                        &c->outcome[k]))
      return false;
  if (enumerate && !cli_task_enumerate(c->task, &c->effort, vector(c, count, 0), vector(c, count, 1),
                                       &c->outcome[count]))
    return false;
  c->best = cli_outcomes_best(c->outcome, c->n);
  return true;
}

// ---- text ----

static void describe_mixed(const ss_mlcp* m)
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

static void describe(const cli_task* task)
{
  if (task->class == CLI_CONTACT) {
    cli_contact_describe(task);
    return;
  }
  if (*task->name) printf("problem   %s\n", task->name);
  if (task->class == CLI_MLCP) describe_mixed(&task->mixed);
  else printf("unknowns  %d\n", task->n);
}

static bool print_unknowns(const comparison* c, bool all)
{
  int n = c->task->n, shown = all || n <= CLI_SHOWN ? n : CLI_SHOWN;
  bool ray = c->outcome[c->best].status == SS_RAY, mixed = c->task->class == CLI_MLCP;
  const double *x = vector(c, c->best, ray ? 2 : 0), *y = vector(c, c->best, 1);
  cli_table table = cli_table_create(ray ? "rr" : "rrr");
  cli_table_cell(&table, "i");
  cli_table_cell(&table, ray ? "ray" : mixed ? "z" : "x");
  if (!ray) cli_table_cell(&table, mixed ? "w" : "y");
  for (int i = 0; i < shown; i++) {
    cli_table_cell(&table, "%d", i + 1);
    cli_table_cell(&table, "%.10g", x[i]);
    if (!ray) cli_table_cell(&table, "%.10g", y[i]);
  }
  if (!cli_table_print(&table, 0)) return false;
  if (shown < n) printf("... %d more; --all prints them\n", n - shown);
  return true;
}

static bool print_solution(const comparison* c, bool all)
{
  if (c->outcome[c->best].status < 0 || c->task->n == 0) return true;
  if (c->task->class != CLI_CONTACT) return print_unknowns(c, all);
  return cli_contact_table(&c->task->contact, all, vector(c, c->best, 0), vector(c, c->best, 1));
}

static int print_text(const comparison* c, const solve_options* o)
{
  describe(c->task);
  const cli_outcome* best = &c->outcome[c->best];
  printf("status    %s\n", best->infeasible ? CLI_PROVED : cli_verdict(best->status));
  if (!cli_outcomes_print(c->outcome, c->n, c->effort.repeat > 1)) return cli_out_of_memory();
  if (c->certify && best->status >= 0) cli_certificate_print(best->residual, c->certified);
  if (c->n == 1 && !cli_print_attempts(&best->tried)) return cli_out_of_memory();
  if (c->n > 1)
    printf("%d of %d solvers met the tolerance %g\n", cli_outcomes_solved(c->outcome, c->n), c->n,
           cli_task_tol(c->task, &c->effort));
  return print_solution(c, o->all) ? cli_outcomes_exit(c->outcome, c->n) : cli_out_of_memory();
}

// ---- JSON ----

static int print_json(const comparison* c)
{
  static const char* const names[CLI_CLASSES][2] = {{"x", "y"}, {"z", "w"}, {"Lambda", "xi"}};
  const cli_task* task = c->task;
  const cli_outcome* best = &c->outcome[c->best];
  cJSON* o = cJSON_CreateObject();
  if (task->class == CLI_CONTACT) cli_contact_describe_json(o, task);
  else {
    cJSON_AddStringToObject(o, "type", cli_class_keyword(task->class));
    cJSON_AddStringToObject(o, "name", task->name);
    cJSON_AddNumberToObject(o, "n", task->n);
  }
  cli_solve_warnings(o, task->problem);
  cJSON_AddStringToObject(o, "status", cli_keyword(best->status));
  cli_json_number(o, "tolerance", cli_task_tol(task, &c->effort));
  cli_outcomes_json(o, "solvers", c->outcome, c->n);
  if (best->status >= 0) {
    cli_json_number(o, "residual", best->residual);
    if (c->certify) cli_certificate_json(o, best->residual, c->certified);
    for (int v = 0; v < 2; v++) cli_json_numbers(o, names[task->class][v], task->n, vector(c, c->best, v));
    if (c->n == 1) cli_json_attempts(o, &best->tried);
    if (best->status == SS_RAY) {
      cJSON_AddBoolToObject(o, "infeasible", best->infeasible);
      cli_json_numbers(o, "ray", task->n, vector(c, c->best, 2));
    }
  }
  int printed = cli_print_json(o);
  return printed == CLI_DONE ? cli_outcomes_exit(c->outcome, c->n) : printed;
}

int cli_solve_compare(const solve_options* o, cli_task* task, int first, int count)
{
  comparison c = {.task = task, .certify = o->certify, .certified = NAN,
                  .effort = {.tol = o->tol, .max_iter = cli_iteration_limit(o), .repeat = o->repeat}};
  if (o->repeat == 0) {  // a first solve pays for cold memory, which would set the first row apart
    c.effort.repeat = 5;
    c.effort.seconds = 0.1;
  }
  ss_error error = {0};
  int status;
  if (!cli_task_prepare(task, &error)) return cli_fail(&error);
  if (!solve(&c, first, count)) status = cli_out_of_memory();
  else {
    if (o->certify && c.outcome[c.best].status >= 0) c.certified = cli_certify(task, vector(&c, c.best, 0));
    status = o->json ? print_json(&c) : print_text(&c, o);
    status = cli_certificate_exit(status, c.certified, cli_task_tol(task, &c.effort));
  }
  free(c.outcome);
  free(c.memory);
  return status;
}
