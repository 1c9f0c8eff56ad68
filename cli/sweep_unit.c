// One piece of work of a sweep: a point of the grid with one disturbance, or a chain of points that hand the state on.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

#define MAX_STEPS_WITHOUT_RETURN 2000000L

long cli_sweep_points_of_unit(const cli_sweep* s) { return s->chain ? s->swept[0].n : 1; }

long cli_sweep_units(const cli_sweep* s)
{
  long n = s->samples;
  for (int i = s->chain ? 1 : 0; i < s->n_swept; i++) n *= s->swept[i].n;
  return s->chain == CLI_CHAIN_BOTH ? 2*n : n;
}

// ---- text that grows ----

typedef struct text {
  char* s;
  size_t n, room;
  bool failed;
} text;

static void put(text* t, const char* format, ...) SS_PRINTF(2, 3);
static void put(text* t, const char* format, ...)
{
  char line[256];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (n >= (int)sizeof line) n = (int)sizeof line - 1;
  if (t->n + (size_t)n + 1 > t->room && !t->failed) {
    size_t room = 2*t->room + 4096;
    char* s = realloc(t->s, room);
    if (s) t->s = s;
    else t->failed = true;
    if (s) t->room = room;
  }
  if (t->failed) return;
  memcpy(t->s + t->n, line, (size_t)n + 1);
  t->n += (size_t)n;
}

static void put_number(text* t, double x)
{
  if (isfinite(x)) put(t, "%.17g", x == 0 ? 0 : x);
  else put(t, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

void cli_sweep_header(const cli_sweep* s, char* out, size_t size)
{
  size_t n = 0;
  out[0] = 0;
#define ADD(...) n += (size_t)snprintf(out + n, n < size ? size - n : 0, __VA_ARGS__)
  for (int i = 0; i < s->n_swept; i++) ADD("%s,", s->swept[i].path);
  if (s->chain) ADD("direction,");
  if (s->samples > 1 || s->n_disturbed) ADD("sample,");
  for (int i = 0; i < s->n_disturbed; i++) ADD("d_%s,", s->disturbed[i].path);
  ADD("status");
  if (s->by_section) {
    ADD(",return,t,interval");
    for (int i = 0; i < s->nv; i++) ADD(",%s", s->coordinate[i]);
    for (int i = 0; i < s->nv; i++) ADD(",u_%s", s->coordinate[i]);
  }
  for (int i = 0; i < s->n_observed; i++) ADD(",%s", s->observed[i].name);
  ADD("\n");
#undef ADD
}

// ---- random numbers that depend on the seed, the piece of work and the value alone ----

static uint64_t mix(uint64_t x)  // splitmix64 [Steele, Lea & Flood 2014]
{
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30))*0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27))*0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

static double uniform(uint64_t seed, uint64_t a, uint64_t b)
{
  return ((double)(mix(mix(mix(seed) ^ a) ^ b) >> 11) + 0.5)/9007199254740992.0;
}

static double disturbance(const cli_sweep* s, long unit, int k)
{
  const cli_disturbed* d = &s->disturbed[k];
  double x = uniform(s->seed, (uint64_t)unit, 2*(uint64_t)k), y = uniform(s->seed, (uint64_t)unit, 2*(uint64_t)k + 1);
  return d->normal ? d->size*sqrt(-2*log(x))*cos(6.283185307179586*y) : d->size*(2*x - 1);
}

// ---- one point ----

typedef struct point {
  const cli_sweep* s;
  long unit;
  double value[CLI_MAX_SWEPT], change[CLI_MAX_SWEPT];
  int direction;   // of the chain: 1, -1
  long sample;
  ss_model* model;
  ss_state* state;
  ss_work* work;
  ss_ledger* ledger;
  ss_step_def step;
  double until, period;
  double *low, *high, *sum;  // 2 nv + n_sensor
  long counted;
  long* events;    // (n_contact + 1) kinds
  bool missed;
  const char* why;           // it failed, if the work does not say so
} point;

static bool add(cli_overrides* o, char (*keep)[2][160], int* n, const char* path, double value)
{
  snprintf(keep[*n][0], sizeof keep[*n][0], "%s", path);
  snprintf(keep[*n][1], sizeof keep[*n][1], "%.17g", value);
  bool good = cli_overrides_add(o, keep[*n][0], keep[*n][1]);
  ++*n;
  return good;
}

double cli_sweep_base(const ss_model* model, const char* path)
{
  const ss_parameter* p;
  int n = ss_model_parameters(model, &p);
  for (int i = 0; i < n; i++)
    if (strcmp(p[i].name, path) == 0) return p[i].value;
  const ss_system_def* d = ss_system_get(ss_model_system(model));
  ss_state* s = ss_state_create(ss_model_system(model));
  double value = NAN;
  if (!s) return NAN;
  ss_model_initial(model, s);
  for (int i = 0; i < d->nv && strncmp(path, "initial.", 8) == 0; i++) {
    size_t length = strlen(d->coordinate[i]);
    if (strncmp(path + 8, d->coordinate[i], length) != 0) continue;
    if (path[8 + length] == 0) value = s->q[i];
    if (path[8 + length] == '\'' && path[9 + length] == 0) value = s->u[i];
  }
  ss_state_destroy(s);
  return value;
}

static ss_model* load(const cli_sweep* s, const cli_overrides* set, const char* until, ss_error* error)
{
  cli_overrides all = {0};
  bool good = true;
  for (int i = 0; i < set->n; i++) good = good && cli_overrides_add(&all, set->item[i].path, set->item[i].value);
  if (until) good = good && cli_overrides_add(&all, "run.until", until);
  ss_model_def def = {.n_override = all.n, .override = all.item};
  ss_model* model = good ? ss_model_load(s->model, &def, error) : NULL;
  free(all.item);
  return model;
}

// The model with the values of this point
static bool open_point(point* p, ss_error* error)
{
  const cli_sweep* s = p->s;
  char keep[2*CLI_MAX_SWEPT][2][160];
  int n = 0;
  cli_overrides set = {0};
  bool good = true;
  for (int i = 0; i < s->set.n; i++) good = good && cli_overrides_add(&set, s->set.item[i].path, s->set.item[i].value);
  for (int i = 0; i < s->n_swept; i++) good = good && add(&set, keep, &n, s->swept[i].path, p->value[i]);
  if (good && s->n_disturbed) {
    ss_model* base = load(s, &set, NULL, error);
    for (int i = 0; base && i < s->n_disturbed; i++) {
      p->change[i] = disturbance(s, p->unit, i);
      double value = cli_sweep_base(base, s->disturbed[i].path) + p->change[i];
      good = good && add(&set, keep, &n, s->disturbed[i].path, value);
    }
    good = good && base;
    ss_model_destroy(base);
  }
  if (good && s->period) {
    ss_model* timed = load(s, &set, s->period, error);
    if (timed) p->period = ss_model_run(timed)->until;
    good = timed != NULL;
    ss_model_destroy(timed);
  }
  p->model = good ? load(s, &set, NULL, error) : NULL;
  free(set.item);
  if (!p->model) return false;
  const ss_system* system = ss_model_system(p->model);
  const ss_system_def* d = ss_system_get(system);
  p->work = ss_work_create(system, error);
  p->ledger = ss_ledger_create(system);
  size_t values = 2*(size_t)s->nv + (size_t)s->n_sensor;
  p->low = calloc(3*values + 1, sizeof(double));
  p->events = calloc((size_t)(d->n_contact + 1)*SS_EVENT_KINDS, sizeof(long));
  ss_state* fresh = ss_state_create(system);
  if (!p->work || !p->ledger || !p->low || !p->events || !fresh) {
    ss_state_destroy(fresh);
    return false;
  }
  p->high = p->low + values;
  p->sum = p->high + values;
  ss_model_initial(p->model, fresh);
  if (p->state) {  // of the point before
    memcpy(fresh->q, p->state->q, sizeof(double)*(size_t)d->nq);
    memcpy(fresh->u, p->state->u, sizeof(double)*(size_t)d->nv);
    ss_state_destroy(p->state);
  }
  p->state = fresh;
  return true;
}

static void close_point(point* p, bool keep_state)
{
  ss_ledger_destroy(p->ledger);
  ss_work_destroy(p->work);
  ss_model_destroy(p->model);
  free(p->low);
  free(p->events);
  if (!keep_state) {
    ss_state_destroy(p->state);
    p->state = NULL;
  }
  p->ledger = NULL;
  p->work = NULL;
  p->model = NULL;
  p->low = NULL;
  p->events = NULL;
}

static bool sees_range(const cli_sweep* s)
{
  for (int i = 0; i < s->n_observed; i++)
    if (s->observed[i].kind == CLI_SEE_MIN || s->observed[i].kind == CLI_SEE_MAX || s->observed[i].kind == CLI_SEE_MEAN)
      return true;
  return false;
}

static bool sees_energy(const cli_sweep* s)
{
  for (int i = 0; i < s->n_observed; i++)
    if (s->observed[i].kind == CLI_SEE_ENERGY || s->observed[i].kind == CLI_SEE_LOSS_NORMAL ||
        s->observed[i].kind == CLI_SEE_LOSS_FRICTION)
      return true;
  return false;
}

static void choose_steps(point* p)
{
  const cli_sweep* s = p->s;
  const ss_run_def* run = ss_model_run(p->model);
  p->step = run->step;
  p->until = s->until > 0 ? s->until : run->until;
  cli_step_set(&s->step, &p->step);
  p->step.account = ss_system_get(ss_model_system(p->model))->energy && sees_energy(s);
  bool events = p->step.integrator == SS_EVENT_DRIVEN;
  if (p->period > 0 && !events) p->step.dt = p->period/ceil(p->period/p->step.dt - 1e-9);
  if (events && !sees_range(s)) p->step.dt = p->period > 0 ? p->period : p->until;
}

// Coordinate, rate or sensor
static double value_of(const point* p, const double* sensed, int i)
{
  int nv = p->s->nv;
  return i < nv ? p->state->q[i] : i < 2*nv ? p->state->u[i - nv] : sensed[i - 2*nv];
}

// One step, its events counted
static ss_status advance(point* p, double end, int* n, const ss_event** event)
{
  ss_step_def def = p->step;
  const ss_system* system = ss_model_system(p->model);
  if (def.integrator == SS_EVENT_DRIVEN) def.event.end = end;
  ss_status st = ss_step(system, &def, p->state, p->work);
  if (st < 0) return st;
  p->missed = p->missed || st > 0;
  *n = ss_ledger_step(p->ledger, p->state, ss_work_info(p->work), event);
  int contacts = p->s->n_contact;
  for (int i = 0; i < *n; i++) {
    int c = (*event)[i].contact < contacts ? (*event)[i].contact : contacts;
    p->events[c*SS_EVENT_KINDS + (int)(*event)[i].kind]++;
  }
  if (p->state->t >= p->s->after && sees_range(p->s)) {
    const double* sensed = ss_sense(p->state, ss_work_info(p->work), p->work);
    for (int i = 0; i < 2*p->s->nv + p->s->n_sensor; i++) {
      double x = value_of(p, sensed, i);
      p->low[i] = p->counted ? fmin(p->low[i], x) : x;
      p->high[i] = p->counted ? fmax(p->high[i], x) : x;
      p->sum[i] += x;
    }
    p->counted++;
  }
  return SS_OK;
}

// ---- rows ----

static void put_place(const point* p, text* out)
{
  const cli_sweep* s = p->s;
  for (int i = 0; i < s->n_swept; i++) {
    put_number(out, p->value[i]);
    put(out, ",");
  }
  if (s->chain) put(out, "%d,", p->direction);
  if (s->samples > 1 || s->n_disturbed) put(out, "%ld,", p->sample);
  for (int i = 0; i < s->n_disturbed; i++) {
    put_number(out, p->change[i]);
    put(out, ",");
  }
}

static double count_of(const point* p, const cli_observable* o)
{
  long n = 0;
  for (int c = 0; c <= p->s->n_contact; c++)
    for (int k = 0; k < SS_EVENT_KINDS; k++)
      if ((o->index < 0 || o->index == c) && (o->event < 0 || o->event == k)) n += p->events[c*SS_EVENT_KINDS + k];
  return (double)n;
}

static double observe(const point* p, const cli_observable* o)
{
  int i = o->index;
  switch (o->kind) {
  case CLI_SEE_END: return value_of(p, ss_sense(p->state, ss_work_info(p->work), p->work), i);
  case CLI_SEE_MIN: return p->counted ? p->low[i] : NAN;
  case CLI_SEE_MAX: return p->counted ? p->high[i] : NAN;
  case CLI_SEE_MEAN: return p->counted ? p->sum[i]/(double)p->counted : NAN;
  case CLI_SEE_EVENTS: return count_of(p, o);
  case CLI_SEE_STATE: return ss_work_info(p->work)->contact[i].state;
  case CLI_SEE_TIME: return p->state->t;
  case CLI_SEE_ENERGY: return ss_ledger_energy(p->ledger)->kinetic + ss_ledger_energy(p->ledger)->potential;
  case CLI_SEE_LOSS_NORMAL: return ss_ledger_energy(p->ledger)->loss_normal;
  case CLI_SEE_LOSS_FRICTION: return ss_ledger_energy(p->ledger)->loss_friction;
  }
  return NAN;
}

static void put_row(const point* p, int status, long number, double interval, bool known, text* out)
{
  const cli_sweep* s = p->s;
  put_place(p, out);
  put(out, "%d", status);
  if (s->by_section) {
    put(out, ",%ld,", number);
    put_number(out, known ? p->state->t : NAN);
    put(out, ",");
    put_number(out, known ? interval : NAN);
    for (int i = 0; i < 2*s->nv; i++) {
      put(out, ",");
      put_number(out, !known ? NAN : i < s->nv ? p->state->q[i] : p->state->u[i - s->nv]);
    }
  }
  for (int i = 0; i < s->n_observed; i++) {
    put(out, ",");
    put_number(out, known ? observe(p, &s->observed[i]) : NAN);
  }
  put(out, "\n");
}

static bool marks_section(const point* p, const ss_event* e)
{
  const cli_sweep* s = p->s;
  if (e->kind != s->kind) return false;
  if (!s->contact_name) return e->contact == s->contact;
  const char* name = ss_work_contact_name(p->work, e->contact);
  return name && strlen(name) == s->name_length && strncmp(name, s->contact_name, s->name_length) == 0;
}

// The next return to the section. false: none comes.
static bool next_return(point* p)
{
  bool events = p->step.integrator == SS_EVENT_DRIVEN;
  const ss_event* event;
  int n;
  if (p->period > 0) {
    double end = (floor(p->state->t/p->period + 0.5) + 1)*p->period;
    while (p->state->t < end - (events ? 0 : p->step.dt/2))
      if (advance(p, end, &n, &event) < 0) return false;
    p->state->t = p->state->t_step = end;
    return true;
  }
  for (long k = 0; k < MAX_STEPS_WITHOUT_RETURN; k++) {
    if (events && k > 10000) break;
    double before = p->state->t;
    if (advance(p, INFINITY, &n, &event) < 0) return false;
    for (int i = 0; i < n; i++)
      if (marks_section(p, &event[i])) return true;
    if (events && n == 0 && p->state->t - before >= p->until) break;  // nothing happens any more
  }
  p->why = "the motion does not return to the section";
  return false;
}

static bool rows_of_section(point* p, text* out)
{
  for (long k = 0; k < p->s->skip + p->s->points; k++) {
    double before = p->state->t;
    if (!next_return(p)) return false;
    p->missed = p->missed || ss_ledger_energy_is_off(p->ledger);
    if (k >= p->s->skip) put_row(p, p->missed, k - p->s->skip, p->state->t - before, true, out);
  }
  return true;
}

static bool row_of_end(point* p, text* out)
{
  bool events = p->step.integrator == SS_EVENT_DRIVEN;
  const ss_event* event;
  int n;
  while (p->state->t < p->until - (events ? 0 : p->step.dt/2))
    if (advance(p, p->until, &n, &event) < 0) return false;
  p->missed = p->missed || ss_ledger_energy_is_off(p->ledger);
  put_row(p, p->missed, 0, 0, true, out);
  return true;
}

// A line for cli_sheet_add(): where it failed and why
static void put_reason(const point* p, const ss_error* error, text* out)
{
  const cli_sweep* s = p->s;
  const char* why = p->why ? p->why : error->status < 0 ? error->text : p->work ? ss_work_message(p->work) : "";
  const char* gap = "";
  put(out, "#!");
  for (int i = 0; i < s->n_swept; i++, gap = ", ") put(out, "%s%s = %.9g", gap, s->swept[i].path, p->value[i]);
  if (s->samples > 1 || s->n_disturbed) put(out, "%ssample %ld", gap, p->sample);
  else if (!s->n_swept) put(out, "the model as it is");
  put(out, "\t");
  for (const char* c = why[0] ? why : "out of memory"; *c; c++) put(out, "%c", *c == '\n' || *c == '\t' ? ' ' : *c);
  put(out, "\n");
}

static void compute_point(point* p, text* out, long* failed, long* missed)
{
  ss_error error = {0};
  bool good = open_point(p, &error);
  p->missed = false;
  p->why = NULL;
  p->counted = 0;
  if (good) {
    choose_steps(p);
    good = p->s->by_section ? rows_of_section(p, out) : row_of_end(p, out);
  }
  if (!good) {
    ++*failed;
    put_row(p, -1, -1, NAN, false, out);
    put_reason(p, &error, out);
  }
  *missed += p->missed;
  close_point(p, good && p->s->chain);
}

char* cli_sweep_compute(const cli_sweep* s, long unit, long* failed, long* missed)
{
  text out = {0};
  point p = {.s = s, .unit = unit, .direction = s->chain == CLI_CHAIN_DOWN ? -1 : 1};
  long rest = unit;
  if (s->chain == CLI_CHAIN_BOTH) {
    p.direction = rest%2 ? -1 : 1;
    rest /= 2;
  }
  p.sample = rest%s->samples;
  rest /= s->samples;
  for (int i = s->n_swept - 1; i >= (s->chain ? 1 : 0); i--) {
    p.value[i] = s->swept[i].value[rest%s->swept[i].n];
    rest /= s->swept[i].n;
  }
  *failed = *missed = 0;
  for (long k = 0; k < cli_sweep_points_of_unit(s); k++) {
    if (s->chain) p.value[0] = s->swept[0].value[p.direction > 0 ? k : s->swept[0].n - 1 - k];
    compute_point(&p, &out, failed, missed);
  }
  ss_state_destroy(p.state);
  if (!out.failed) return out.s;
  free(out.s);
  return NULL;
}
