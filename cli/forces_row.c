// Impulses and forces of one row of a run: which stretch of time they belong to, what they are in the world, and what
// they sum up to per body.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forces.h"

// ---- opening ----

// The model that the record holds, and what finds the poses of its bodies
static int open_scene(cli_run_forces* f)
{
  ss_error error = {0};
  const ss_run_info* info = f->info;
  f->model = ss_run_model(f->run, NULL, &error);
  if (!f->model) return cli_fail(&error);
  f->machine = ss_model_machine(f->model);
  const ss_system_def* system = ss_system_get(ss_model_system(f->model));
  f->n_body = f->machine ? ss_tree_get(ss_machine_tree(f->machine))->n_body : ss_model_bodies(f->model);
  if (!f->n_body || system->nq != info->nq || system->nv != info->nv) {
    cli_error("the model in the run does not fit its rows: it should have bodies, with %d coordinates and %d "
              "velocities", info->nq, info->nv);
    return CLI_BAD_FILE;
  }
  size_t n = (size_t)f->n_body + 1;
  if (f->machine) f->work = ss_tree_work_create(ss_machine_tree(f->machine), &error);
  f->state = ss_state_create(ss_model_system(f->model));
  f->pose = calloc(n, sizeof *f->pose);
  f->place = calloc(3*n, sizeof *f->place);
  f->all = calloc(n, sizeof *f->all);
  f->sum = calloc(n, sizeof *f->sum);
  f->before = calloc((size_t)info->nv + 1, sizeof *f->before);
  bool ok = f->state && f->pose && f->place && f->all && f->sum && f->before && (f->work || !f->machine);
  return ok ? CLI_GO_ON : cli_out_of_memory();
}

// True if `name` is `word` and then `rest`
static bool is_made_of(const char* name, const char* word, const char* rest)
{
  size_t n = strlen(word);
  return strncmp(name, word, n) == 0 && strcmp(name + n, rest) == 0;
}

// Of limits and friction: joints that turn have moments. They are named after their joint or velocity; the limit of a
// ball joint is named after the joint, and no velocity has that name: it turns. Tendons pull.
static const char* joint_unit(const ss_run_info* info, int contact)
{
  const char* name = info->contact[contact];
  for (int i = 0; i < info->nv; i++) {
    const char* v = info->velocity[i];
    if (!is_made_of(name, v, " friction") && !is_made_of(name, v, " limit upper") &&
        !is_made_of(name, v, " limit lower"))
      continue;
    return strcmp(info->velocity_unit[i], "m/s") == 0 ? "N" : "N m";
  }
  return strncmp(name, "tendon ", strlen("tendon ")) == 0 ? "N" : "N m";
}

const char* cli_forces_loop_unit(const cli_run_forces* f, int row)
{
  return f->machine ? ss_machine_loop_unit(f->machine, row) : "";
}

static int open_loops(cli_run_forces* f)
{
  int n = f->info->n_bilateral;
  ss_error error = {0};
  f->loop = calloc(2*(size_t)n + 1, sizeof *f->loop);
  if (!f->loop) return cli_out_of_memory();
  for (int i = 0; i < n; i++) {
    char name[400];
    snprintf(name, sizeof name, "Lambda.%s", f->info->bilateral[i]);
    if (!(f->loop[i] = ss_run_column(f->run, name, &error))) return cli_fail(&error);
    snprintf(name, sizeof name, "F.%s", f->info->bilateral[i]);
    f->loop[n + i] = ss_run_column(f->run, name, NULL);
  }
  return CLI_GO_ON;
}

int cli_forces_open(cli_run_forces* f, const char* path)
{
  ss_error error = {0};
  f->run = ss_run_open(path, &error);
  if (!f->run) return cli_fail(&error);
  f->info = ss_run_get_info(f->run);
  if (!f->info->n_rows) {
    cli_error("'%s' has no rows", path);
    return CLI_BAD_FILE;
  }
  f->t = ss_run_column(f->run, "t", &error);
  if (!f->t) return cli_fail(&error);
  if (f->info->run.step.integrator == SS_EVENT_DRIVEN && f->info->n_events &&
      !(f->event = ss_run_events(f->run, NULL, NULL, &error)))
    return cli_fail(&error);
  f->side = ss_run_column(f->run, "side", NULL);
  f->unit = calloc((size_t)f->info->n_contact + 1, sizeof *f->unit);
  if (!f->unit) return cli_out_of_memory();
  int status = open_loops(f);
  if (status == CLI_GO_ON && f->info->listed) status = open_scene(f);
  for (int i = 0; i < f->info->n_contact; i++) f->unit[i] = f->machine ? joint_unit(f->info, i) : "N";
  return status;
}

void cli_forces_close(cli_run_forces* f)
{
  ss_tree_work_destroy(f->work);
  ss_state_destroy(f->state);
  ss_model_destroy(f->model);
  ss_run_close(f->run);
  free(f->unit);
  free(f->loop);
  free(f->pose);
  free(f->place);
  free(f->before);
  free(f->all);
  free(f->sum);
  free(f->item);
}

const char* cli_forces_body(const cli_run_forces* f, int body)
{
  if (body < 0) return "world";
  return f->machine ? ss_tree_get(ss_machine_tree(f->machine))->body[body].name : ss_model_body(f->model, body).name;
}

// ---- the stretch of time ----

// Whether velocities jump at t: then the impulse of an instant is in the row, and no force is
static bool jumps_at(const cli_run_forces* f, double t)
{
  long low = 0, high = f->event ? f->info->n_events : 0, end = high;
  while (low < high) {
    long middle = low + (high - low)/2;
    if (f->event[middle].t < t) low = middle + 1;
    else high = middle;
  }
  for (; low < end && f->event[low].t == t; low++)
    if (f->event[low].kind == SS_EVENT_IMPACT || f->event[low].kind == SS_EVENT_ACCUMULATION) return true;
  return false;
}

double cli_forces_step(const cli_run_forces* f)
{
  const ss_run_def* run = &f->info->run;
  double steps = (f->t[f->row] - run->start)/run->step.dt;
  return floor(steps + (run->step.integrator == SS_EVENT_DRIVEN ? 1e-9 : 0.5));
}

// What the impulses of a row belong to. Time-stepping: the step. Event-driven integration: the time since the last
// stop, which is the row before or a full step that was not recorded. NAN for the initial state and where no time
// passes: then they are those of events. (Early files have no row before events: NAN for all that jumps there.)
static double stretch_of(const cli_run_forces* f, long row)
{
  double dt = f->info->run.step.dt, start = f->info->run.start, t = f->t[row], step = floor((t - start)/dt + 1e-9);
  if (row == 0) return NAN;
  if (f->info->run.step.integrator != SS_EVENT_DRIVEN) return dt;
  if (!f->side && jumps_at(f, t)) return NAN;
  if (f->side && f->side[row] > 0) return NAN;
  double full = start + (t - start > (step + 1e-9)*dt ? step*dt : (step - 1)*dt);
  double passed = t - fmax(f->t[row - 1], full);
  return passed > 1e-9*dt ? passed : NAN;
}

// ---- contacts ----

static void fill(const cli_run_forces* f, const ss_run_contact* at, cli_force* out)
{
  *out = (cli_force){.at = at, .name = f->info->contact[at->contact]};
  for (int k = 0; k < 9; k++) out->placed = out->placed || at->frame[k] != 0;
  out->unit = out->placed ? "N" : f->unit[at->contact];
  for (int k = 0; k < 3; k++) {
    double mean = at->Lambda[k]/f->dt;  // early files of event-driven runs have no forces
    out->force[k] = f->row == 0 ? NAN : isnan(at->force[k]) ? mean : at->force[k];
  }
  for (int k = 0; k < 9; k++) {
    out->world[k%3] += at->Lambda[k/3]*at->frame[k];
    out->force_world[k%3] += out->force[k/3]*at->frame[k];
  }
}

static bool is_selected(const cli_run_forces* f, const ss_run_contact* c)
{
  return (f->contact < 0 || c->contact == f->contact) &&
         (f->body == CLI_FORCES_ANY_BODY || c->body_a == f->body || c->body_b == f->body);
}

static int read_contacts(cli_run_forces* f, long row)
{
  ss_error error = {0};
  const ss_run_contact* list = NULL;
  int n = ss_run_contacts(f->run, row, &list, &error);
  if (n < 0) return cli_fail(&error);
  f->n = 0;
  if (n > f->room) {
    cli_force* item = realloc(f->item, (size_t)n*sizeof *item);
    if (!item) return cli_out_of_memory();
    f->item = item;
    f->room = n;
  }
  for (int i = 0; i < n; i++) {
    int body = list[i].body_a > list[i].body_b ? list[i].body_a : list[i].body_b;
    if (f->model && body >= f->n_body) {
      cli_error("a contact of row %ld names body %d, and the model has %d", row, body, f->n_body);
      return CLI_BAD_FILE;
    }
    if (is_selected(f, list + i)) fill(f, list + i, f->item + f->n++);
  }
  return CLI_GO_ON;
}

// ---- bodies ----

// Part of the step between where it tested the contacts and its end
static double rest_of(const ss_step_def* step)
{
  if (step->integrator == SS_EVENT_DRIVEN || step->integrator == SS_RATTLE) return 0;
  return step->integrator == SS_EULER ? 1 : step->integrator == SS_JEAN ? 1 - step->theta : 0.5;
}

// Back from the end of the step, along the velocity that led there. That of jean is a mean with the one at the start:
// without the row of the step before the place is right within dt^2.
static int go_back(cli_run_forces* f, long row)
{
  ss_error error = {0};
  const ss_step_def* step = &f->info->run.step;
  bool mix = step->integrator == SS_JEAN && fabs(f->t[row] - f->t[row - 1] - step->dt) < 1e-6*step->dt;
  if (mix && ss_run_motion(f->run, row - 1, f->state, &error) < 0) return cli_fail(&error);
  for (int i = 0; mix && i < f->info->nv; i++) f->before[i] = f->state->u[i];
  if (ss_run_motion(f->run, row, f->state, &error) < 0) return cli_fail(&error);
  double* u = f->state->u;
  for (int i = 0; mix && i < f->info->nv; i++) u[i] = (1 - step->theta)*f->before[i] + step->theta*u[i];
  double back = -rest_of(step)*step->dt, *q = f->state->q;
  if (f->machine) ss_tree_advance(ss_machine_tree(f->machine), q, u, back, q);
  for (int i = 0; !f->machine && i < f->info->nv; i++) q[i] += back*u[i];
  f->state->t += back;
  return CLI_GO_ON;
}

static int place_bodies(cli_run_forces* f, long row)
{
  ss_error error = {0};
  if (row > 0) {
    int status = go_back(f, row);
    if (status != CLI_GO_ON) return status;
  } else if (ss_run_motion(f->run, row, f->state, &error) < 0) {
    return cli_fail(&error);
  }
  if (f->machine) ss_machine_poses(f->machine, f->work, f->state->q, f->pose);
  else if (ss_model_place_bodies(f->model, f->state->q, f->state->t, f->place) < 0) return cli_out_of_memory();
  for (int i = 0; !f->machine && i < f->n_body; i++) memcpy(f->pose[i].position, f->place + 3*i, 2*sizeof(double));
  for (int i = 0; i <= f->n_body; i++) {
    f->all[i] = (cli_force_sum){.body = i - 1};
    for (int k = 0; k < 3 && row == 0; k++) f->all[i].force[k] = f->all[i].torque[k] = NAN;
    if (i) memcpy(f->all[i].origin, f->pose[i - 1].position, sizeof f->all[i].origin);
  }
  return CLI_GO_ON;
}

// sum += sign x, moment += sign r x x
static void add_vector(const double r[3], const double x[3], double sign, double sum[3], double moment[3])
{
  for (int k = 0; k < 3; k++) {
    int i = (k + 1)%3, j = (k + 2)%3;
    sum[k] += sign*x[k];
    moment[k] += sign*(r[i]*x[j] - r[j]*x[i]);
  }
}

static void add(cli_force_sum* sum, const cli_force* c, double sign)
{
  double r[3];
  for (int k = 0; k < 3; k++) r[k] = c->at->point[k] - sum->origin[k];
  add_vector(r, c->world, sign, sum->impulse, sum->moment);
  add_vector(r, c->force_world, sign, sum->force, sum->torque);
  sum->contacts++;
}

static int sum_up(cli_run_forces* f, long row)
{
  int status = place_bodies(f, row);
  if (status != CLI_GO_ON) return status;
  for (int i = 0; i < f->n; i++) {
    if (!f->item[i].placed) continue;
    add(&f->all[f->item[i].at->body_b + 1], &f->item[i], 1);
    add(&f->all[f->item[i].at->body_a + 1], &f->item[i], -1);
  }
  f->n_sum = 0;
  for (int i = 0; i <= f->n_body; i++)
    if (f->body == CLI_FORCES_ANY_BODY ? f->all[i].contacts > 0 : i - 1 == f->body) f->sum[f->n_sum++] = f->all[i];
  return CLI_GO_ON;
}

int cli_forces_read(cli_run_forces* f, long row)
{
  f->row = row;
  f->dt = stretch_of(f, row);
  int status = read_contacts(f, row);
  return status == CLI_GO_ON && f->sums ? sum_up(f, row) : status;
}
