// Stickslip, with the settings of the scene.
#include <stdlib.h>
#include <string.h>
#include <stickslip/simulate.h>
#include "engines/engine.h"

typedef struct world {
  ss_machine* machine;
  const ss_system* system;
  ss_state* s;
  ss_work* w;
  ss_step_def def;
} world;

static void* start(const ss_scene* scene)
{
  world* w = calloc(1, sizeof *w);
  w->def = ss_step_def_default();
  w->machine = ss_machine_create(scene, NULL);
  w->system = ss_machine_system(w->machine);
  w->s = ss_state_create(w->system);
  w->w = ss_work_create(w->system, NULL);
  ss_scene_initial(scene, scene->run.key, w->s->q, w->s->u);
  w->def.dt = scene->option.timestep;
  w->def.integrator = scene->run.scheme;
  w->def.friction = scene->run.solver;
  w->def.project = scene->run.project;
  return w;
}

static void step(void* world_)
{
  world* w = world_;
  if (ss_step(w->system, &w->def, w->s, w->w) < 0) abort();
}

static void state(void* world_, double* q, double* u)
{
  world* w = world_;
  if (q) memcpy(q, w->s->q, sizeof *q*(size_t)w->s->nq);
  if (u) memcpy(u, w->s->u, sizeof *u*(size_t)w->s->nv);
}

static int contacts(void* world_, engine_contact* list, int room)
{
  const ss_step_info* info = ss_work_info(((world*)world_)->w);
  int n = 0;
  for (int i = 0; i < info->n_contact; i++) {
    const ss_contact_result* c = &info->contact[i];
    const ss_contact_item* item = &info->item[i];
    // with a loose tolerance impulses below what is known of them count as none, and act nevertheless
    if (c->state == SS_OPEN && c->Lambda[0] == 0) continue;
    if (list && n < room) {
      list[n] = (engine_contact){.a = item->body_a, .b = item->body_b, .depth = -c->gap, .mu = item->law->mu};
      memcpy(list[n].point, item->point, sizeof item->point);
      memcpy(list[n].normal, item->frame, 3*sizeof(double));
      for (int k = 0; k < 9; k++) list[n].impulse[k%3] += c->Lambda[k/3]*item->frame[k];
    }
    n++;
  }
  return n;
}

static void stop(void* world_)
{
  world* w = world_;
  ss_work_destroy(w->w);
  ss_state_destroy(w->s);
  ss_machine_destroy(w->machine);
  free(w);
}

const engine engine_ours = {"stickslip", start, step, state, contacts, stop};
