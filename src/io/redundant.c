// A scene in redundant coordinates: bodies that move freely, and joints as equalities [Mylapilli & Jain 2017, section
// 2.4.1]. Bodies keep their numbers and frames, so that geoms, sites and equalities of bodies stay as they are.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "io/mjcf.h"

typedef struct maker {
  const ss_scene* from;
  ss_mj_scene* to;
  ss_tree* tree;
  ss_tree_work* work;
  int* joint;    // n_body: the joint of a body, -1 if none
  bool* fixed;   // n_body: it cannot move at all
  int* group;    // n_body: the first of the bodies fixed to one another
  double* twist; // 6 n_body
  ss_error* error;
} maker;

// ---- what has no place ---------------------------------------------------------------------------------------------

static ss_status refuse(const maker* k, int line, const char* what, const char* name, const char* why)
{
  ss_error_set(k->error, SS_ERR_INPUT, "%s '%.60s': %s in redundant coordinates; use minimal ones", what, name, why);
  const char* file;
  ss_scene_place(k->from, line, &file, &line);
  if (k->error) snprintf(k->error->file, sizeof k->error->file, "%s", file);
  if (k->error) k->error->line = line;
  return SS_ERR_INPUT;
}

static ss_status check_joint(const maker* k, int j)
{
  const ss_joint_def* joint = k->from->tree.joint + j;
  const char* what = k->joint[joint->body] >= 0        ? "a body with several joints cannot be held"
                     : joint->kind == SS_JOINT_FREE    ? NULL  // which stays
                     : joint->stiffness > 0            ? "springs of joints cannot act"
                     : joint->damping > 0              ? "damping of joints cannot act"
                     : joint->armature > 0             ? "the armature of joints cannot act"
                     : joint->limited                  ? "limits of joints cannot act"
                     : joint->friction > 0             ? "friction of joints cannot act" : NULL;
  k->joint[joint->body] = j;
  return what ? refuse(k, k->from->joint_line[j], "joint", joint->name, what) : SS_OK;
}

static ss_status check(const maker* k)
{
  const ss_scene* s = k->from;
  for (int b = 0; b < s->tree.n_body; b++) k->joint[b] = -1;
  for (int j = 0; j < s->tree.n_joint; j++)
    if (s->tree.joint[j].kind != SS_JOINT_FIXED && check_joint(k, j) < 0) return SS_ERR_INPUT;
  for (int b = 0; b < s->tree.n_body; b++) {
    int parent = s->tree.body[b].parent;
    k->fixed[b] = k->joint[b] < 0 && (parent == SS_WORLD || k->fixed[parent]);
    k->group[b] = k->fixed[b] ? SS_WORLD : k->joint[b] < 0 ? k->group[parent] : b;
    if (!k->fixed[b] && s->tree.body[b].mass == 0)
      return refuse(k, s->body_line[b], "body", s->tree.body[b].name, "a body without mass cannot move");
  }
  for (int t = 0; t < s->n_tendon; t++) {
    const ss_scene_tendon* at = s->tendon + t;
    if (at->limited || at->stiffness > 0 || at->damping > 0 || at->friction > 0)
      return refuse(k, at->line, "tendon", at->name, "tendons cannot act");
  }
  if (s->n_actuator) return refuse(k, s->actuator[0].line, "actuator", s->actuator[0].name, "actuators cannot act");
  for (int i = 0; i < s->n_sensor; i++) {
    ss_sensor_kind kind = s->sensor[i].kind;
    if (s->sensor[i].number >= 0 || kind == SS_SENSOR_FORCE || kind == SS_SENSOR_TORQUE)
      return refuse(k, s->sensor[i].line, "sensor", s->sensor[i].name, "joints and what hangs on a body are not known");
  }
  for (int e = 0; e < s->n_equality; e++)
    if (s->equality[e].active && s->equality[e].kind == SS_SCENE_JOINT)
      return refuse(k, s->equality[e].line, "equality", s->equality[e].name, "joints cannot be tied");
  return SS_OK;
}

// ---- bodies and joints ---------------------------------------------------------------------------------------------

static bool is_free(const maker* k, int b)
{
  return k->joint[b] >= 0 && k->from->tree.joint[k->joint[b]].kind == SS_JOINT_FREE;
}

static void place_bodies(const maker* k)
{
  const ss_scene* s = k->from;
  ss_tree_def* tree = &k->to->scene.tree;
  for (int b = 0; b < s->tree.n_body; b++) {
    ss_body_def* body = k->to->body + b;
    *body = s->tree.body[b];
    body->parent = SS_WORLD;
    ss_tree_pose(k->work, b, body->position, body->rotation, NULL);
    k->to->body_line[b] = s->body_line[b];
    k->to->mass_from[b] = s->mass_from[b];
    if (k->fixed[b]) continue;
    k->to->joint_line[tree->n_joint] = k->joint[b] < 0 ? s->body_line[b] : s->joint_line[k->joint[b]];
    ss_joint_def* joint = k->to->joint + tree->n_joint++;
    *joint = (ss_joint_def){.name = "#", .kind = SS_JOINT_FREE, .body = b};
    if (is_free(k, b)) *joint = s->tree.joint[k->joint[b]];
  }
  tree->body = k->to->body;
  tree->joint = k->to->joint;
  k->to->scene.body_line = k->to->body_line;
  k->to->scene.mass_from = k->to->mass_from;
  k->to->scene.joint_line = k->to->joint_line;
  k->to->scene.nq = 7*tree->n_joint;
  k->to->scene.nv = 6*tree->n_joint;
}

// The joint of body b, or that it has none, as an equality with its parent
static void hold(const maker* k, int b)
{
  static const ss_scene_equality_kind kinds[] = {SS_SCENE_HINGE, SS_SCENE_SLIDE, SS_SCENE_CONNECT};
  const ss_body_def* body = k->from->tree.body + b;
  const ss_joint_def* joint = k->joint[b] < 0 ? NULL : k->from->tree.joint + k->joint[b];
  bool named = joint && joint->name[0] != '#';
  ss_scene_equality* e = k->to->equality + k->to->scene.n_equality++;
  *e = (ss_scene_equality){.name = named ? joint->name : body->name, .active = true, .body_a = body->parent,
                           .body_b = b, .torquescale = 1, .joint_a = -1, .joint_b = -1};
  e->line = joint ? k->from->joint_line[k->joint[b]] : k->from->body_line[b];
  e->kind = joint ? kinds[joint->kind] : SS_SCENE_WELD;
  ss_quat turn = ss_quat_normalized(ss_quat_from(body->rotation));
  ss_vec3 anchor = joint && joint->kind != SS_JOINT_SLIDE ? ss_vec3_from(joint->anchor) : (ss_vec3){0, 0, 0};
  ss_vec3_to(anchor, e->point_b);
  ss_vec3_to(ss_add(ss_vec3_from(body->position), ss_quat_rotate(turn, anchor)), e->point_a);
  ss_quat_to(turn, e->rotation);
  if (!joint || joint->kind > SS_JOINT_SLIDE) return;
  ss_vec3 axis = ss_quat_rotate(turn, ss_vec3_from(joint->axis));
  ss_vec3_to(ss_scale(1/ss_norm(axis), axis), e->axis);
}

static void hold_all(const maker* k)
{
  const ss_scene* s = k->from;
  k->to->scene.n_equality = 0;
  for (int b = 0; b < s->tree.n_body; b++)
    if (!k->fixed[b] && !is_free(k, b)) hold(k, b);
  for (int e = 0; e < s->n_equality; e++)
    if (s->equality[e].kind != SS_SCENE_JOINT) k->to->equality[k->to->scene.n_equality++] = s->equality[e];
  k->to->scene.equality = k->to->equality;
}

// ---- filters -------------------------------------------------------------------------------------------------------

// Do the shapes of two bodies stay apart because the tree holds them? The same rules as in collide/collider.c.
static bool apart(const maker* k, int a, int b)
{
  int ga = k->group[a], gb = k->group[b];
  if (ga == SS_WORLD || gb == SS_WORLD) return false;  // fixed bodies still are, and everybody meets the world
  if (ga == gb) return true;
  const ss_body_def* body = k->from->tree.body;
  int pa = body[ga].parent == SS_WORLD ? SS_WORLD : k->group[body[ga].parent];
  int pb = body[gb].parent == SS_WORLD ? SS_WORLD : k->group[body[gb].parent];
  return k->from->option.filterparent && (pa == gb || pb == ga);
}

static bool keep_apart(const maker* k)
{
  const ss_scene* s = k->from;
  ss_mj_scene* to = k->to;
  to->scene.n_exclude = 0;
  for (int e = 0; e < s->n_exclude; e++) {
    if (!SS_MJ_GROW(to->exclude, to->exclude_room, to->scene.n_exclude)) return false;
    to->exclude[to->scene.n_exclude++] = s->exclude[e];
  }
  for (int b = 0; b < s->tree.n_body; b++)
    for (int a = 0; a < b; a++) {
      if (!apart(k, a, b)) continue;
      if (!SS_MJ_GROW(to->exclude, to->exclude_room, to->scene.n_exclude)) return false;
      to->exclude[to->scene.n_exclude++] = (ss_scene_exclude){.name = "", .line = s->body_line[b], .body_a = a,
                                                              .body_b = b};
    }
  to->scene.exclude = to->exclude;
  return true;
}

// ---- states --------------------------------------------------------------------------------------------------------

// Poses and velocities of the bodies as coordinates and velocities of free joints
static void state_of(const maker* k, const double* q, const double* u, double* qpos, double* qvel)
{
  ss_tree_set_position(k->work, q);
  if (u) ss_tree_twists(k->work, u, k->twist);
  for (int j = 0; j < k->to->scene.tree.n_joint; j++) {
    int b = k->to->joint[j].body;
    ss_tree_pose(k->work, b, qpos + 7*j, qpos + 7*j + 3, NULL);
    if (!u) continue;
    ss_quat turn = ss_quat_from(qpos + 7*j + 3);
    memcpy(qvel + 6*j, k->twist + 6*b + 3, sizeof(double[3]));
    ss_vec3_to(ss_quat_rotate(ss_quat_conjugate(turn), ss_vec3_from(k->twist + 6*b)), qvel + 6*j + 3);
  }
}

static bool convert_states(const maker* k)
{
  const ss_scene* s = k->from;
  ss_mj_scene* to = k->to;
  size_t nq = (size_t)to->scene.nq, nv = (size_t)to->scene.nv;
  to->key = calloc((size_t)s->n_key + 1, sizeof *to->key);
  to->reference = ss_pool_take(&to->pool, sizeof(double)*(nq + 1));
  if (!to->key || !to->reference) return false;
  double* q = ss_pool_take(&to->pool, sizeof(double)*((size_t)s->nq + 1));
  if (!q) return false;
  ss_scene_initial(s, -1, q, NULL);
  state_of(k, q, NULL, to->reference, NULL);
  for (int i = 0; i < s->n_key; i++) {
    double* qpos = ss_pool_take(&to->pool, sizeof(double)*(nq + 1));
    double* qvel = ss_pool_take(&to->pool, sizeof(double)*(nv + 1));
    if (!qpos || !qvel) return false;
    to->key[i] = s->key[i];
    state_of(k, s->key[i].qpos, s->key[i].qvel, qpos, qvel);
    to->key[i].qpos = qpos;
    to->key[i].qvel = qvel;
  }
  to->scene.key = to->key;
  return true;
}

// ---- the whole -----------------------------------------------------------------------------------------------------

static bool allocate(maker* k)
{
  size_t bodies = (size_t)k->from->tree.n_body + 1, equalities = bodies + (size_t)k->from->n_equality;
  ss_mj_scene* to = k->to;
  k->joint = calloc(bodies, sizeof *k->joint);
  k->fixed = calloc(bodies, sizeof *k->fixed);
  k->group = calloc(bodies, sizeof *k->group);
  k->twist = calloc(6*bodies, sizeof *k->twist);
  to->body = calloc(bodies, sizeof *to->body);
  to->body_line = calloc(bodies, sizeof *to->body_line);
  to->mass_from = calloc(bodies, sizeof *to->mass_from);
  to->joint = calloc(bodies, sizeof *to->joint);
  to->joint_line = calloc(bodies, sizeof *to->joint_line);
  to->equality = calloc(equalities, sizeof *to->equality);
  return k->joint && k->fixed && k->group && k->twist && to->body && to->body_line && to->mass_from &&
         to->joint && to->joint_line && to->equality;
}

static ss_status make(maker* k)
{
  ss_status memory = SS_ERR_MEMORY;
  if (!allocate(k)) return ss_error_set(k->error, memory, "no memory for a scene in redundant coordinates");
  k->to->scene = *k->from;
  k->to->scene.tree.n_joint = 0;
  if (check(k) < 0) return SS_ERR_INPUT;
  k->tree = ss_tree_create(&k->from->tree, k->error);
  k->work = k->tree ? ss_tree_work_create(k->tree, k->error) : NULL;
  if (!k->work) return SS_ERR_INPUT;
  double* q = ss_pool_take(&k->to->pool, sizeof(double)*((size_t)k->from->nq + 1));
  if (!q) return ss_error_set(k->error, memory, "no memory for a scene in redundant coordinates");
  ss_scene_initial(k->from, -1, q, NULL);
  ss_tree_set_position(k->work, q);
  place_bodies(k);
  hold_all(k);
  if (!keep_apart(k) || !convert_states(k))
    return ss_error_set(k->error, memory, "no memory for a scene in redundant coordinates");
  return SS_OK;
}

ss_scene* ss_scene_redundant(const ss_scene* scene, ss_error* error)
{
  if (!scene) {
    ss_error_null(error, "the scene");
    return NULL;
  }
  maker k = {.from = scene, .to = calloc(1, sizeof *k.to), .error = error};
  ss_status st = k.to ? make(&k) : ss_error_set(error, SS_ERR_MEMORY, "no memory for a scene");
  ss_tree_work_destroy(k.work);
  ss_tree_destroy(k.tree);
  free(k.joint);
  free(k.fixed);
  free(k.group);
  free(k.twist);
  if (st >= 0) return &k.to->scene;
  ss_scene_destroy(k.to ? &k.to->scene : NULL);
  return NULL;
}
