// Machines from text, and their systems by hand: what an integrator would call.
#ifndef TEST_MACHINES_H
#define TEST_MACHINES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/stickslip.h>

typedef struct machine_case {
  ss_scene* scene;
  ss_machine* machine;
  const ss_system_def* def;
  const ss_operators* op;
  int nq, nv, rows;
  double *q, *u;
  ss_at at;
  char message[SS_AT_MESSAGE];
  int n;
  const ss_contact_item* item;
} machine_case;

static uint64_t seed_state = 1;

// Uniform in -1 .. 1
static inline double uniform(void)
{
  seed_state = seed_state*6364136223846793005ull + 1442695040888963407ull;
  return (double)(int64_t)(seed_state >> 11)/(double)(1ull << 52) - 1;
}

static inline ss_scene* parse_scene(const char* text)
{
  ss_error error = {0};
  char message[900];
  ss_scene* scene = ss_scene_parse(text, strlen(text), "test.xml", 0, NULL, &error);
  if (!scene) fail_msg("%s", ss_error_format(&error, message, sizeof message));
  return scene;
}

static inline void open_scene(machine_case* c, ss_scene* scene)
{
  ss_error error = {0};
  char message[900];
  *c = (machine_case){.scene = scene};
  c->machine = ss_machine_create(c->scene, &error);
  if (!c->machine) fail_msg("%s", ss_error_format(&error, message, sizeof message));
  c->def = ss_system_get(ss_machine_system(c->machine));
  c->op = c->def->operators;
  c->nq = c->def->nq;
  c->nv = c->def->nv;
  c->q = calloc((size_t)c->nq, sizeof *c->q);
  c->u = calloc((size_t)c->nv, sizeof *c->u);
  ss_scene_initial(c->scene, c->scene->run.key, c->q, c->u);
  c->at = (ss_at){.user = c->def->user, .q = c->q, .u = c->u, .message = c->message};
  c->at.scratch = calloc(1, c->def->scratch_size);
  assert_int_equal(c->op->open(c->def->user, c->at.scratch, &error), SS_OK);
}

static inline void open_case(machine_case* c, const char* text) { open_scene(c, parse_scene(text)); }

static inline void close_case(machine_case* c)
{
  c->op->close(c->at.scratch);
  free(c->at.scratch);
  free(c->q);
  free(c->u);
  ss_machine_destroy(c->machine);
  ss_scene_destroy(c->scene);
}

// The list at c->q; rows in all
static inline void evaluate(machine_case* c, double dt)
{
  assert_int_equal(c->def->update(&c->at), SS_OK);
  assert_int_equal(c->op->factor(&c->at), SS_OK);
  assert_int_equal(c->op->list(&c->at, dt, &c->n, &c->item), SS_OK);
  c->rows = c->def->n_bilateral;
  for (int i = 0; i < c->n; i++) c->rows += ss_contact_rows(c->item[i].law->kind);
}

static inline int find_item(const machine_case* c, const char* name)
{
  for (int i = 0; i < c->n; i++) {
    char text[100];
    c->op->contact_name(c->def->user, c->item[i].key, text, sizeof text);
    if (strcmp(text, name) == 0) return i;
  }
  return -1;
}

static inline void assert_near(const char* what, double x, double expected, double tolerance)
{
  if (!(fabs(x - expected) <= tolerance)) fail_msg("%s is %.17g, not %.17g", what, x, expected);
}

#endif
