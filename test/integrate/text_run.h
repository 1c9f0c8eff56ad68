// For tests: a model given as text, run with its own step and a ledger.
#ifndef TEST_INTEGRATE_TEXT_RUN_H
#define TEST_INTEGRATE_TEXT_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

typedef struct run {
  ss_model* model;
  const ss_system* system;
  ss_state* s;
  ss_work* w;
  ss_ledger* ledger;
  ss_step_def def;
} run;

static inline run start(const char* text)
{
  ss_error error = {0};
  run r = {.model = ss_model_parse(text, strlen(text), "test", NULL, &error)};
  if (!r.model) fail_msg("%d:%d: %s", error.line, error.column, error.text);
  r.system = ss_model_system(r.model);
  r.s = ss_state_create(r.system);
  r.w = ss_work_create(r.system, &error);
  r.ledger = ss_ledger_create(r.system);
  r.def = ss_model_run(r.model)->step;
  r.def.account = true;
  ss_model_initial(r.model, r.s);
  return r;
}

/// Every step must be solved
static inline void go(run* r, double until)
{
  while (r->s->t < until - r->def.dt/2) {
    ss_status st = ss_step(r->system, &r->def, r->s, r->w);
    if (st != SS_OK) fail_msg("t = %g: %s: %s", r->s->t, ss_status_text(st), ss_work_message(r->w));
    ss_ledger_step(r->ledger, r->s, ss_work_info(r->w), NULL);
  }
}

static inline void stop(run* r)
{
  ss_ledger_destroy(r->ledger);
  ss_work_destroy(r->w);
  ss_state_destroy(r->s);
  ss_model_destroy(r->model);
}

#endif
