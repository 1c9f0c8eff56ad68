// Scenes that play: loaded, started, stepped; every step must be solved.
#ifndef TEST_PLAY_H
#define TEST_PLAY_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/ledger.h>
#include <stickslip/machine.h>
#include <stickslip/simulate.h>
#include "less.h"

typedef struct play {
  ss_scene* scene;
  ss_machine* machine;
  const ss_system* system;
  ss_state* s;
  ss_work* w;
  ss_ledger* ledger;
  ss_step_def def;
  double* q0;  // the start
} play;

static inline play start_scene(ss_scene* scene)
{
  ss_error error = {0};
  play p = {.scene = scene, .machine = ss_machine_create(scene, &error), .def = ss_step_def_default()};
  if (!p.machine) fail_msg("%s", error.text);
  p.system = ss_machine_system(p.machine);
  p.s = ss_state_create(p.system);
  p.w = ss_work_create(p.system, &error);
  p.ledger = ss_ledger_create(p.system);
  p.q0 = calloc((size_t)scene->nq, sizeof *p.q0);
  if (!p.s || !p.w || !p.ledger || !p.q0) fail_msg("%s", error.text);
  ss_scene_initial(scene, scene->run.key, p.s->q, p.s->u);
  memcpy(p.q0, p.s->q, sizeof *p.q0*(size_t)scene->nq);
  p.def.integrator = scene->run.scheme;
  p.def.dt = scene->option.timestep;
  p.def.friction = scene->run.solver;
  p.def.project = scene->run.project;
  p.def.account = true;
  return p;
}

static inline play start_path(const char* path, int n, const ss_override* over)
{
  ss_error error = {0};
  ss_scene* scene = ss_scene_load(path, n, over, &error);
  if (!scene) fail_msg("%s:%d: %s", path, error.line, error.text);
  return start_scene(scene);
}

static inline play start_with(const char* name, int n, const ss_override* over)
{
  char path[512];
  snprintf(path, sizeof path, "%s/models/%s.xml", SS_SOURCE_DIR, name);
  return start_path(path, n, over);
}

// A scene of a file below the sources by the integrator rattle
static inline play start_rattle(const char* file, double dt)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", SS_SOURCE_DIR, file);
  play p = start_path(path, 0, NULL);
  p.def.integrator = SS_RATTLE;
  p.def.dt = dt;
  return p;
}

static inline play start(const char* name) { return start_with(name, 0, NULL); }

static inline play start_text(const char* text)
{
  ss_error error = {0};
  ss_scene* scene = ss_scene_parse(text, strlen(text), "test.xml", 0, NULL, &error);
  if (!scene) fail_msg("%d: %s", error.line, error.text);
  return start_scene(scene);
}

static inline void stop(play* p)
{
  free(p->q0);
  ss_ledger_destroy(p->ledger);
  ss_work_destroy(p->w);
  ss_state_destroy(p->s);
  ss_machine_destroy(p->machine);
  ss_scene_destroy(p->scene);
}

// One step, which must be solved; returns the number of its events.
static inline int step(play* p, const ss_event** e)
{
  ss_status st = ss_step(p->system, &p->def, p->s, p->w);
  if (st != SS_OK) fail_msg("t = %g: %s: %s", p->s->t, ss_status_text(st), ss_work_message(p->w));
  return ss_ledger_step(p->ledger, p->s, ss_work_info(p->w), e);
}

static inline void go(play* p, double until)
{
  while (p->s->t < until - p->def.dt/2) step(p, NULL);
}

// The end of the step with the first event of this kind
static inline double first(play* p, ss_event_kind kind, const char* contact, double until)
{
  while (p->s->t < until) {
    const ss_event* e;
    for (int n = step(p, &e); n > 0; n--, e++)
      if (e->kind == kind && strcmp(ss_work_contact_name(p->w, e->contact), contact) == 0) return p->s->t;
  }
  return INFINITY;
}

static inline void near(double value, double expected, double tol)
{
  if (!(fabs(value - expected) <= tol)) fail_msg("%.12g, expected %.12g within %.3g", value, expected, tol);
}

// Farthest that a coordinate is from where it was at the start
static inline double moved(const play* p)
{
  double most = 0;
  for (int i = 0; i < p->s->nq; i++) most = fmax(most, fabs(p->s->q[i] - p->q0[i]));
  return most;
}

// Where the coordinates and velocities of a joint begin
static inline const double* joint_q(const play* p, const char* name, const double** u)
{
  int iq, iv;
  const ss_tree* tree = ss_machine_tree(p->machine);
  for (int i = 0; i < p->scene->tree.n_joint; i++) {
    if (strcmp(p->scene->tree.joint[i].name, name) != 0) continue;
    ss_tree_joint_at(tree, i, &iq, &iv);
    if (u) *u = p->s->u + iv;
    return p->s->q + iq;
  }
  fail_msg("there is no joint '%s'", name);
  return NULL;
}

// Sum of the normal impulses of the last step over contacts in whose names `part` stands
static inline double impulse_of(const play* p, const char* part)
{
  double sum = 0;
  const ss_step_info* info = ss_work_info(p->w);
  for (int i = 0; i < info->n_contact; i++) {
    const char* name = ss_work_contact_name(p->w, info->contact[i].contact);
    if (name && strstr(name, part)) sum += info->contact[i].Lambda[0];
  }
  return sum;
}

// Weight of all that moves, N
static inline double weight(const play* p)
{
  double mass = 0;
  for (int i = 0; i < p->scene->tree.n_body; i++) mass += p->scene->tree.body[i].mass;
  return -mass*p->scene->tree.gravity[2];
}

#endif
