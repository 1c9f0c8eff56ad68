// `stickslip bench pendulum12`: the five solvers of Mylapilli & Jain 2017 on their pendulum, their times beside ours,
// and how long the trajectories stay together.
#include "bench_pendulum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "json.h"
#include "table.h"

typedef struct contestant {
  ss_friction_method method;
  double paper;         // s, their Table 1; NAN: not in it
  double seconds;       // of processor time
  long steps, missed;   // steps, and those that missed the tolerance
  long busy, contacts;  // steps with contacts, contacts in all of them
  double agrees[2];     // until when all angles are within 1e-6 rad, 1e-2 rad of the first one's, s
  double first_impact;  // end of the step, s
} contestant;

static contestant field[] = {
  {.method = SS_FRICTION_MLCP_PATH, .paper = 23.92},    {.method = SS_FRICTION_MLCP_PFB_RLM, .paper = 22.78},
  {.method = SS_FRICTION_MLCP_PFB_PLM, .paper = 24.24}, {.method = SS_FRICTION_MNCP_RLM, .paper = 22.85},
  {.method = SS_FRICTION_MNCP_PLM, .paper = 22.82},     {.method = SS_FRICTION_AUTO, .paper = NAN},
};
enum { FIELD = sizeof field/sizeof *field };

static const double apart[2] = {1e-6, 1e-2};

typedef struct pendulum {
  ss_model* model;
  const ss_system* system;
  ss_state* state;
  ss_work* work;
  double* path;  // n_steps x nv: angles of the first contestant
  long n_steps;
} pendulum;

static ss_step_def settings(const pendulum* p, ss_friction_method method)
{
  ss_step_def def = ss_model_run(p->model)->step;
  def.account = false;
  def.friction.method = method;
  return def;
}

static void compare(contestant* c, const pendulum* p, bool first)
{
  const ss_state* s = p->state;
  double* path = p->path + (s->step - 1)*s->nv;
  if (first) {
    memcpy(path, s->q, sizeof(double)*(size_t)s->nv);
    return;
  }
  double most = 0;
  for (int i = 0; i < s->nv; i++) most = fmax(most, fabs(s->q[i] - path[i]));
  for (int k = 0; k < 2; k++)
    if (isnan(c->agrees[k]) && !(most <= apart[k])) c->agrees[k] = s->t;
}

static int play(contestant* c, pendulum* p, bool first)
{
  ss_step_def def = settings(p, c->method);
  *c = (contestant){.method = c->method, .paper = c->paper, .agrees = {NAN, NAN}, .first_impact = NAN};
  p->state->t = 0;
  p->state->step = 0;
  ss_model_initial(p->model, p->state);
  const ss_step_info* info = ss_work_info(p->work);
  clock_t spent = 0;
  for (long n = 0; n < p->n_steps; n++) {
    clock_t start = clock();
    ss_status st = ss_step(p->system, &def, p->state, p->work);
    spent += clock() - start;
    if (st < 0) {
      cli_error("%s: t = %g s: %s", ss_friction_method_name(c->method), p->state->t, ss_work_message(p->work));
      return cli_exit_status(st);
    }
    c->steps++;
    c->missed += st != SS_OK;
    c->busy += info->n_active > 0;
    c->contacts += info->n_active;
    if (info->n_active && isnan(c->first_impact)) c->first_impact = p->state->t;
    compare(c, p, first);
  }
  c->seconds = (double)spent/CLOCKS_PER_SEC;
  return CLI_DONE;
}

static void cell_time(cli_table* t, double x, const char* none)
{
  if (isnan(x)) cli_table_cell(t, "%s", none);
  else cli_table_cell(t, "%.3f", x);
}

static int print_table(const pendulum* p)
{
  const char* head[] = {"solver", "paper, s", "here, s", "us/step", "with contact", "contacts", "missed",
                        "first impact, s", "within 1e-6", "within 1e-2"};
  cli_table t = cli_table_create("lrrrrrrrrr");
  printf("pendulum12: %ld steps of %g s; processor time. Angles (rad) stay within so much of those of mlcp-path until "
         "t (s).\n", p->n_steps, ss_model_run(p->model)->step.dt);
  for (size_t i = 0; i < sizeof head/sizeof *head; i++) cli_table_cell(&t, "%s", head[i]);
  for (int k = 0; k < FIELD; k++) {
    const contestant* c = &field[k];
    cli_table_cell(&t, "%s", ss_friction_method_name(c->method));
    if (isnan(c->paper)) cli_table_cell(&t, "-");
    else cli_table_cell(&t, "%.2f", c->paper);
    cli_table_cell(&t, "%.3f", c->seconds);
    cli_table_cell(&t, "%.2f", 1e6*c->seconds/(double)c->steps);
    cli_table_cell(&t, "%ld", c->busy);
    cli_table_cell(&t, "%ld", c->contacts);
    cli_table_cell(&t, "%ld", c->missed);
    cell_time(&t, c->first_impact, "-");
    for (int i = 0; i < 2; i++) cell_time(&t, c->agrees[i], k ? "the end" : "-");
  }
  return cli_table_print(&t, 0) ? CLI_DONE : cli_out_of_memory();
}

static int print_json(const pendulum* p)
{
  cJSON* o = cJSON_CreateObject();
  cli_json_number(o, "steps", (double)p->n_steps);
  cJSON* list = cJSON_AddArrayToObject(o, "solvers");
  for (int k = 0; k < FIELD; k++) {
    const contestant* c = &field[k];
    cJSON* row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "name", ss_friction_method_name(c->method));
    cli_json_number(row, "paper_seconds", c->paper);
    cli_json_number(row, "seconds", c->seconds);
    cli_json_number(row, "steps_with_contact", (double)c->busy);
    cli_json_number(row, "contacts", (double)c->contacts);
    cli_json_number(row, "missed", (double)c->missed);
    cli_json_number(row, "first_impact", c->first_impact);
    cli_json_number(row, "within_1e-6_until", c->agrees[0]);
    cli_json_number(row, "within_1e-2_until", c->agrees[1]);
    cli_json_append(list, row);
  }
  return cli_print_json(o);
}

static int open_pendulum(pendulum* p, double until)
{
  ss_error error = {0};
  p->model = ss_model_load("pendulum12", NULL, &error);
  if (!p->model) return cli_fail(&error);
  double steps = round(until/ss_model_run(p->model)->step.dt);
  if (!(steps >= 1 && steps <= 1e6)) {
    cli_error("--until %g: a number of steps between 1 and 1000000, please", until);
    return CLI_BAD_INPUT;
  }
  p->n_steps = (long)steps;
  p->system = ss_model_system(p->model);
  p->state = ss_state_create(p->system);
  p->work = ss_work_create(p->system, &error);
  p->path = p->state ? malloc(sizeof(double)*(size_t)p->n_steps*(size_t)p->state->nv) : NULL;
  if (!p->work) return cli_fail(&error);
  return p->state && p->path ? CLI_DONE : cli_out_of_memory();
}

int cli_bench_pendulum(double until, bool json, bool quiet)
{
  pendulum p = {0};
  bool shows = !quiet && isatty(2);
  int status = open_pendulum(&p, until);
  for (int k = 0; status == CLI_DONE && k < FIELD; k++) {
    if (shows) fprintf(stderr, "\r%s ...    ", ss_friction_method_name(field[k].method));
    status = play(&field[k], &p, k == 0);
  }
  if (shows) fprintf(stderr, "\r%40s\r", "");
  if (status == CLI_DONE) status = json ? print_json(&p) : print_table(&p);
  long missed = 0;
  for (int k = 0; k < FIELD; k++) missed += field[k].missed;
  free(p.path);
  ss_state_destroy(p.state);
  ss_work_destroy(p.work);
  ss_model_destroy(p.model);
  return status == CLI_DONE && missed ? CLI_MISSED : status;
}
