// MuJoCo (Debian package libmujoco-dev) with its defaults: soft contacts, Newton's method; the pyramidal cone, which is
// its default, and the elliptic one. The scene is written anew as MJCF: it may use elements that are younger than
// Debian's version.
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engines/engine.h"

typedef struct world {
  const ss_scene* scene;
  mjModel* model;
  mjData* data;
} world;

typedef struct text {
  char* at;
  size_t n, room;
} text;

static void put(text* t, const char* format, ...)
{
  va_list list;
  if (t->room - t->n < 2000) t->at = realloc(t->at, t->room = 2*t->room + 4000);
  va_start(list, format);
  t->n += (size_t)vsnprintf(t->at + t->n, t->room - t->n, format, list);
  va_end(list);
}

static void put_pose(text* t, const double* p, const double* q)
{
  put(t, "pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'", p[0], p[1], p[2], q[0], q[1], q[2], q[3]);
}

static void put_geom(text* t, const ss_scene_geom* g)
{
  put(t, "<geom type='%s' size='%.17g %.17g %.17g' friction='%.17g' mass='%.17g' ", ss_scene_shape_name(g->shape),
      g->size[0], g->size[1], g->shape == SS_SCENE_PLANE ? 1 : g->size[2], g->friction[0], g->mass);
  put_pose(t, g->position, g->rotation);
  put(t, "/>\n");
}

static void put_body(text* t, const ss_scene* scene, int i)
{
  const ss_joint_def* j = engine_joint(scene, i);
  double p[3], q[4];
  if (j) engine_pose(scene, i, p, q);
  put(t, "<body ");
  if (j) put_pose(t, p, q);
  else put_pose(t, scene->tree.body[i].position, scene->tree.body[i].rotation);
  put(t, ">");
  if (j && j->kind == SS_JOINT_FREE) put(t, "<freejoint/>");
  else if (j)
    put(t, "<joint name='j%d' type='slide' axis='%.17g %.17g %.17g'/>", i, j->axis[0], j->axis[1], j->axis[2]);
  for (int k = 0; engine_geom(scene, i, k); k++) put_geom(t, engine_geom(scene, i, k));
  put(t, "</body>\n");
}

static text write_scene(const ss_scene* scene, const char* cone)
{
  text t = {0};
  const double* g = scene->tree.gravity;
  int n = scene->tree.n_body;
  put(&t, "<mujoco><compiler angle='radian'/><option timestep='%.17g' gravity='%.17g %.17g %.17g' cone='%s'/>",
      scene->option.timestep, g[0], g[1], g[2], cone);
  put(&t, "<size njmax='%d' nconmax='%d'/><worldbody>\n", 500 + 20*n, 200 + 5*n);
  for (int i = 0; engine_geom(scene, SS_WORLD, i); i++) put_geom(&t, engine_geom(scene, SS_WORLD, i));
  for (int i = 0; i < n; i++) put_body(&t, scene, i);
  put(&t, "</worldbody><actuator>");
  for (int i = 0; i < n; i++)
    if (engine_motor(scene, i) != 0) put(&t, "<motor joint='j%d'/>", i);
  put(&t, "</actuator></mujoco>");
  return t;
}

static void* start_with(const ss_scene* scene, const char* cone)
{
  if (scene->tree.n_body > 500) return NULL;  // it reserves memory for a dense matrix, gigabytes
  static mjVFS vfs;
  char why[1000] = "";
  text t = write_scene(scene, cone);
  mj_defaultVFS(&vfs);
  mj_makeEmptyFileVFS(&vfs, "scene.xml", (int)t.n);
  memcpy(vfs.filedata[mj_findFileVFS(&vfs, "scene.xml")], t.at, t.n);
  mjModel* model = mj_loadXML("scene.xml", &vfs, why, sizeof why);
  mj_deleteVFS(&vfs);
  free(t.at);
  if (!model) {
    fprintf(stderr, "MuJoCo: %s\n", why);
    return NULL;
  }
  world* w = calloc(1, sizeof *w);
  *w = (world){scene, model, mj_makeData(model)};
  double *u = w->data->qvel, *ctrl = w->data->ctrl;
  for (int i = 0; i < scene->tree.n_body; i++) {
    const ss_joint_def* j = engine_joint(scene, i);
    if (j && j->kind == SS_JOINT_FREE) engine_velocity(scene, i, u, u + 3);
    if (j) u += j->kind == SS_JOINT_FREE ? 6 : 1;
    if (engine_motor(scene, i) != 0) *ctrl++ = engine_motor(scene, i);
  }
  return w;
}

static void* start(const ss_scene* scene) { return start_with(scene, "pyramidal"); }
static void* start_elliptic(const ss_scene* scene) { return start_with(scene, "elliptic"); }

static void step(void* world_) { mj_step(((world*)world_)->model, ((world*)world_)->data); }

static void state(void* world_, double* q, double* u)
{
  world* w = world_;
  if (q) memcpy(q, w->data->qpos, sizeof *q*(size_t)w->model->nq);
  if (u) memcpy(u, w->data->qvel, sizeof *u*(size_t)w->model->nv);
}

static int contacts(void* world_, engine_contact* list, int room)
{
  world* w = world_;
  for (int i = 0; i < w->data->ncon && i < room && list; i++) {
    const mjContact* c = &w->data->contact[i];
    mjtNum force[6];
    mj_contactForce(w->model, w->data, i, force);
    list[i] = (engine_contact){.a = w->model->geom_bodyid[c->geom1] - 1, .b = w->model->geom_bodyid[c->geom2] - 1,
                               .depth = -c->dist, .mu = c->friction[0]};
    memcpy(list[i].point, c->pos, sizeof list[i].point);
    memcpy(list[i].normal, c->frame, sizeof list[i].normal);
    for (int k = 0; k < 9; k++) list[i].impulse[k%3] += force[k/3]*c->frame[k]*w->scene->option.timestep;
  }
  return w->data->ncon;
}

static void stop(void* world_)
{
  world* w = world_;
  mj_deleteData(w->data);
  mj_deleteModel(w->model);
  free(w);
}

const engine engine_mujoco = {"MuJoCo", start, step, state, contacts, stop};
const engine engine_mujoco_elliptic = {"MuJoCo ell.", start_elliptic, step, state, contacts, stop};
