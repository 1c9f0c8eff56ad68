// A scene that runs, for benchmarks: processor time per step, the least of several runs, and what happened.
#ifndef BENCH_MACHINE_RUN_H
#define BENCH_MACHINE_RUN_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/machine.h>
#include <stickslip/simulate.h>
#include "clock.h"

// What a run did
typedef struct outcome {
  double best;         // seconds per step, least of all runs
  double penetration;  // deepest, m
  double contacts;     // that took part in a step, mean
  double residual;     // largest
  long failed;         // steps whose contact problem missed its tolerance
} outcome;

typedef struct player {
  ss_scene* scene;
  ss_machine* machine;
  const ss_system* system;
  ss_state* s;
  ss_work* w;
  ss_step_def def;
} player;

static inline void give_up(const char* what, const ss_error* error)
{
  fprintf(stderr, "%s: %s\n", what, error->text);
  exit(1);
}

// Takes the scene over
static inline player open_player(ss_scene* scene, const char* name)
{
  ss_error error = {0};
  player p = {.scene = scene, .def = ss_step_def_default()};
  p.machine = ss_machine_create(scene, &error);
  if (!p.machine) give_up(name, &error);
  p.system = ss_machine_system(p.machine);
  p.s = ss_state_create(p.system);
  p.w = ss_work_create(p.system, &error);
  if (!p.s || !p.w) give_up(name, &error);
  p.def.integrator = scene->run.scheme;
  p.def.impact = scene->run.impact;
  p.def.friction = scene->run.solver;
  p.def.dt = scene->option.timestep;
  return p;
}

static inline player open_model(const char* name)
{
  char path[1024];
  ss_error error = {0};
  snprintf(path, sizeof path, "%s/models/%s.xml", SS_SOURCE_DIR, name);
  ss_scene* scene = ss_scene_load(path, 0, NULL, &error);
  if (!scene) give_up(name, &error);
  return open_player(scene, name);
}

static inline void close_player(player* p)
{
  ss_work_destroy(p->w);
  ss_state_destroy(p->s);
  ss_machine_destroy(p->machine);
  ss_scene_destroy(p->scene);
}

// From the start, n steps. The time goes into `best` if it is the least so far.
static inline void run_player(player* p, long n, outcome* out)
{
  double active = 0;
  out->penetration = out->residual = 0;
  out->failed = 0;
  p->s->t = 0;
  p->s->step = 0;
  p->s->n_impulse = 0;
  ss_scene_initial(p->scene, p->scene->run.key, p->s->q, p->s->u);
  const ss_step_info* info = ss_work_info(p->w);
  double start = cpu_seconds();
  for (long i = 0; i < n; i++) {
    ss_status st = ss_step(p->system, &p->def, p->s, p->w);
    if (st < 0) {
      fprintf(stderr, "step %ld: %s\n", i, ss_work_message(p->w));
      exit(1);
    }
    out->failed += st > 0;
    active += info->n_active;
    out->penetration = fmax(out->penetration, info->penetration);
    out->residual = fmax(out->residual, info->residual);
  }
  double time = (cpu_seconds() - start)/(double)n;
  if (out->best == 0 || time < out->best) out->best = time;
  out->contacts = active/(double)n;
}

#endif
