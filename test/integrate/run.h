// For tests: a model of the catalogue, run to a time, with its events and the state after each kept.
#ifndef TEST_INTEGRATE_RUN_H
#define TEST_INTEGRATE_RUN_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

#define MAX_NV 9

typedef struct seen {
  ss_event event;
  double q[MAX_NV], u[MAX_NV];  // after the step of the event
} seen;

typedef struct run {
  ss_model* model;
  const ss_system* system;
  ss_step_def step;
  ss_state* state;
  ss_work* work;
  ss_ledger* ledger;
  seen* list;
  long n, capacity;
} run;

static inline void expect_near(const char* what, double value, double expected, double tol)
{
  if (!(fabs(value - expected) <= tol))
    fail_msg("%s = %.15g, expected %.15g within %.3g, off by %.3g", what, value, expected, tol, value - expected);
}

static inline void expect_between(const char* what, double value, double low, double high)
{
  if (!(value >= low && value <= high)) fail_msg("%s = %.15g, expected %.15g .. %.15g", what, value, low, high);
}

static inline run run_start(ss_model* model, double dt)
{
  ss_error error = {0};
  run r = {.model = model, .system = ss_model_system(model), .step = ss_model_run(model)->step};
  r.step.dt = dt;
  r.step.account = true;
  r.state = ss_state_create(r.system);
  r.work = ss_work_create(r.system, &error);
  r.ledger = ss_ledger_create(r.system);
  if (!r.state || !r.work || !r.ledger) fail_msg("out of memory");
  assert_true(r.state->nv <= MAX_NV);
  ss_model_initial(model, r.state);
  return r;
}

/// A model of the catalogue; `set` lists overrides and ends with {NULL, NULL}; it may be NULL.
static inline run run_open(const char* name, double dt, const ss_override* set)
{
  ss_error error = {0};
  ss_model_def def = {.override = set};
  while (set && set[def.n_override].path) def.n_override++;
  ss_model* model = ss_model_load(name, &def, &error);
  if (!model) fail_msg("%s: line %d: %s", name, error.line, error.text);
  return run_start(model, dt);
}

static inline run run_parse(const char* text, double dt)
{
  ss_error error = {0};
  ss_model* model = ss_model_parse(text, strlen(text), "test", NULL, &error);
  if (!model) fail_msg("line %d: %s", error.line, error.text);
  return run_start(model, dt);
}

static inline void run_close(run* r)
{
  free(r->list);
  ss_ledger_destroy(r->ledger);
  ss_work_destroy(r->work);
  ss_state_destroy(r->state);
  ss_model_destroy(r->model);
}

static inline void keep(run* r, const ss_event* event)
{
  if (r->n == r->capacity) {
    r->capacity = r->capacity ? 2*r->capacity : 64;
    r->list = realloc(r->list, sizeof(seen)*(size_t)r->capacity);
    if (!r->list) fail_msg("out of memory");
  }
  seen* s = &r->list[r->n++];
  s->event = *event;
  memcpy(s->q, r->state->q, sizeof(double)*(size_t)r->state->nv);
  memcpy(s->u, r->state->u, sizeof(double)*(size_t)r->state->nv);
}

/// One step; it must be solved.
static inline const ss_step_info* run_step(run* r)
{
  long step = r->state->step;
  ss_status status = ss_step(r->system, &r->step, r->state, r->work);
  if (status != SS_OK)
    fail_msg("step %ld: %s %s", r->state->step, ss_status_text(status), status < 0 ? ss_work_message(r->work) : "");
  if (r->state->step > step) r->state->t = r->state->t_step = (double)r->state->step*r->step.dt;  // else at an event
  const ss_step_info* info = ss_work_info(r->work);
  const ss_event* event;
  int n = ss_ledger_step(r->ledger, r->state, info, &event);
  for (int i = 0; i < n; i++) keep(r, &event[i]);
  return info;
}

/// Steps until the time nearest to t.
static inline void run_until(run* r, double t)
{
  long n = lround(t/r->step.dt);
  while (r->state->step < n) run_step(r);
}

/// The k-th event (from 0) of this kind at this contact.
static inline const seen* run_event(const run* r, int contact, ss_event_kind kind, int k)
{
  for (long i = 0; i < r->n; i++)
    if (r->list[i].event.contact == contact && r->list[i].event.kind == kind && k-- == 0) return &r->list[i];
  fail_msg("contact %d has too few events '%s'", contact, ss_event_kind_text(kind));
  return NULL;
}

static inline double run_event_time(const run* r, int contact, ss_event_kind kind, int k)
{
  return run_event(r, contact, kind, k)->event.t;
}

#endif
