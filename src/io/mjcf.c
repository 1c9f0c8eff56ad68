// Scenes from MJCF files: the stages of the reader, access, destruction.
#include "io/mjcf.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "multibody/check.h"

// The root element tells the language: <robot>, URDF, or <mujoco>
static bool is_robot(const ss_mjcf* r) { return strcmp(ss_xml_root(r->xml)->name, "robot") == 0; }

// ---- stages ----

static ss_status count_control(ss_mjcf* r, int number)
{
  if (!SS_MJ_GROW(r->control, r->control_room, r->n_control)) return ss_mj_memory(r);
  r->control[r->n_control++] = number;
  return SS_OK;
}

// Children that belong to this stage, in the order of the file. Bodies and default classes read their own.
static ss_status read_children(ss_mjcf* r, const ss_xml_node* node, ss_mj_place place, ss_mj_stage stage)
{
  for (const ss_xml_node* child = node->child; child; child = child->next) {
    const ss_mj_element* e = ss_mj_element_find(place, child->name);
    int before = r->out->scene.n_actuator;
    ss_status st = SS_OK;
    if (e->read && e->stage == stage) st = e->read(r, child, e, NULL);
    if (st >= 0 && place == SS_MJ_IN_ACTUATOR && stage == SS_MJ_RELATIONS)
      st = count_control(r, r->out->scene.n_actuator > before ? before : -1);
    bool enter = e->inside != SS_MJ_NOWHERE && e->inside != SS_MJ_IN_BODY && e->inside != SS_MJ_IN_DEFAULT &&
                 e->inside != SS_MJ_IN_FIXED;
    if (st >= 0 && enter) st = read_children(r, child, e->inside, stage);
    if (st < 0) return st;
  }
  return SS_OK;
}

static int joint_nq(ss_joint_kind kind) { return kind == SS_JOINT_FREE ? 7 : kind == SS_JOINT_BALL ? 4 : 1; }
static int joint_nv(ss_joint_kind kind) { return kind == SS_JOINT_FREE ? 6 : kind == SS_JOINT_BALL ? 3 : 1; }

// Sizes of q and u, and q at the pose of the file
static ss_status set_reference(ss_mjcf* r)
{
  ss_mj_scene* s = r->out;
  for (int j = 0; j < s->scene.tree.n_joint; j++) {
    s->scene.nq += joint_nq(s->joint[j].kind);
    s->scene.nv += joint_nv(s->joint[j].kind);
  }
  double* q = s->reference = ss_pool_take(&s->pool, sizeof *q*(size_t)(s->scene.nq + 1));
  if (!q) return ss_mj_memory(r);
  for (int j = 0; j < s->scene.tree.n_joint; j++) {
    const ss_body_def* body = s->body + s->joint[j].body;
    ss_joint_kind kind = s->joint[j].kind;
    if (kind == SS_JOINT_FREE) {
      memcpy(q, body->position, sizeof body->position);
      memcpy(q + 3, body->rotation, sizeof body->rotation);
    }
    else q[0] = kind == SS_JOINT_BALL ? 1 : s->joint[j].ref;
    q += joint_nq(kind);
  }
  return SS_OK;
}

// ---- the end: what the tree says, pointers for the reader, notices in order ----

static bool begins(const char* text, const char* with) { return strncmp(text, with, strlen(with)) == 0; }

// The line of the body or joint that an error of the tree begins with: "joint 'knee' ..."
static int line_of(const ss_mj_scene* s, const char* text)
{
  char label[80];
  for (int b = 0; b < s->scene.tree.n_body; b++)
    if (begins(text, ss_tree_label("body", s->body[b].name, b, label))) return s->body_line[b];
  for (int j = 0; j < s->scene.tree.n_joint; j++)
    if (begins(text, ss_tree_label("joint", s->joint[j].name, j, label))) return s->joint_line[j];
  return 0;
}

static ss_status check_tree(ss_mjcf* r)
{
  ss_mj_scene* s = r->out;
  ss_error error = {0};
  if (!s->scene.tree.n_body)
    return ss_mj_error_at(r, ss_xml_root(r->xml), "the scene has no body; %s needs at least one%s",
                          is_robot(r) ? "a robot" : "worldbody", is_robot(r) ? " link" : "");
  ss_tree* tree = ss_tree_create(&s->scene.tree, &error);
  ss_tree_destroy(tree);
  if (tree) return SS_OK;
  const ss_xml_node at = {.line = line_of(s, error.text)};
  return error.status == SS_ERR_MEMORY ? ss_mj_memory(r) : ss_mj_error_at(r, &at, "%s", error.text);
}

static int by_fate(const void* a, const void* b)
{
  const ss_scene_notice *p = a, *q = b;
  if (p->fate != q->fate) return p->fate < q->fate ? -1 : 1;
  if (p->line != q->line) return p->line < q->line ? -1 : 1;
  int c = strcmp(p->element, q->element);
  return c ? c : strcmp(p->attribute, q->attribute);
}

static void publish(ss_mj_scene* s)
{
  s->scene.tree.body = s->body;
  s->scene.tree.joint = s->joint;
  s->scene.body_line = s->body_line;
  s->scene.mass_from = s->mass_from;
  s->scene.joint_line = s->joint_line;
  s->scene.geom = s->geom;
  s->scene.mesh = s->mesh;
  s->scene.hfield = s->hfield;
  s->scene.site = s->site;
  s->scene.equality = s->equality;
  s->scene.tendon = s->tendon;
  s->scene.actuator = s->actuator;
  s->scene.exclude = s->exclude;
  s->scene.pair = s->pair;
  s->scene.key = s->key;
  s->scene.sensor = s->sensor;
  s->scene.notice = s->notice;
  s->scene.parameter = s->parameter;
  s->scene.source = s->source;
  if (s->scene.n_notice) qsort(s->notice, (size_t)s->scene.n_notice, sizeof *s->notice, by_fate);
}

// ---- reading ----

static void set_defaults(ss_mjcf* r)
{
  ss_scene* s = &r->out->scene;
  r->set.degree = r->set.autolimits = true;
  r->gravity = r->spring = r->damper = r->limit = r->frictionloss = r->equality = true;
  r->inertiafromgeom = 2;
  r->inertiagroup[1] = 5;
  memcpy(r->set.eulerseq, "xyz", 4);
  r->set.folder = r->set.meshdir = "";
  s->name = "";
  s->tree.gravity[2] = -9.81;
  s->option = (ss_scene_option){.timestep = 0.002, .integrator = "", .contact = true, .filterparent = true,
                                .actuation = true, .clampctrl = true};
  s->run = (ss_scene_run){.solver = ss_friction_def_default(), .until = 1, .key = -1};
}

static ss_status read_name(ss_mjcf* r)
{
  const ss_xml_attribute* a = ss_xml_find(ss_xml_root(r->xml), is_robot(r) ? "name" : "model");
  if (a) r->out->scene.name = ss_pool_copy(&r->out->pool, a->value, strlen(a->value));
  r->out->scene.file = ss_pool_copy(&r->out->pool, r->file, strlen(r->file));
  r->set.folder = ss_mj_folder(r, r->file);
  return r->out->scene.name && r->out->scene.file && r->set.folder ? SS_OK : ss_mj_memory(r);
}

static ss_status read_model(ss_mjcf* r)
{
  const ss_xml_node* root = ss_xml_root(r->xml);
  ss_status st;
  for (ss_mj_stage stage = 0; stage < SS_MJ_STAGES; stage++) {
    if (stage == SS_MJ_RELATIONS && (st = ss_mj_masses(r)) < 0) return st;
    if (stage == SS_MJ_STATES && ((st = ss_mj_check_meshes(r)) < 0 || (st = set_reference(r)) < 0)) return st;
    if ((st = read_children(r, root, SS_MJ_IN_MODEL, stage)) < 0) return st;
  }
  return SS_OK;
}

static ss_status read_robot(ss_mjcf* r)
{
  ss_status st = ss_urdf_read(r);
  if (st < 0 || (st = ss_mj_masses(r)) < 0 || (st = ss_mj_check_meshes(r)) < 0) return st;
  if ((st = set_reference(r)) < 0) return st;
  return ss_urdf_start(r);
}

static ss_status read_all(ss_mjcf* r)
{
  ss_mj_scene* s = r->out;
  bool known = is_robot(r) || strcmp(ss_xml_root(r->xml)->name, "mujoco") == 0;
  ss_status st = read_name(r);
  if (st >= 0 && known && !is_robot(r)) st = ss_mj_include(r, ss_xml_root(r->xml), r->file, r->set.folder);
  if (st >= 0 && known && !is_robot(r)) st = ss_mj_attach(r);
  if (st >= 0 && known) st = ss_mj_override(r);
  if (st < 0 || (st = ss_mj_check(r)) < 0) return st;
  if ((st = is_robot(r) ? read_robot(r) : read_model(r)) < 0) return st;
  if (!r->gravity) memset(s->scene.tree.gravity, 0, sizeof s->scene.tree.gravity);
  if ((st = ss_mj_parameters(r)) < 0) return st;
  publish(s);
  return check_tree(r);
}

ss_scene* ss_scene_parse(const char* text, size_t length, const char* name, int n_override,
                              const ss_override* override, ss_error* error)
{
  if (!text || !name || (n_override > 0 && !override)) {
    ss_error_null(error, "the text or its name");
    return NULL;
  }
  ss_mjcf r = {.file = name, .n_override = n_override, .override = override, .error = error};
  r.xml = ss_xml_parse(text, length, name, error);
  if (!r.xml) return NULL;
  r.out = calloc(1, sizeof *r.out);
  ss_status st = r.out ? SS_OK : ss_mj_memory(&r);
  if (st >= 0) {
    set_defaults(&r);
    st = ss_mj_main_source(&r, text, length);
    if (st >= 0) st = read_all(&r);
  }
  free(r.names.slot);
  free(r.class);
  free(r.mass);
  free(r.control);
  while (r.n_part) ss_xml_destroy(r.part[--r.n_part]);
  free(r.part);
  ss_xml_destroy(r.xml);
  if (st >= 0) return &r.out->scene;
  ss_scene_destroy(r.out ? &r.out->scene : NULL);
  return NULL;
}

ss_scene* ss_scene_load(const char* path, int n_override, const ss_override* override, ss_error* error)
{
  if (!path) {
    ss_error_null(error, "the path");
    return NULL;
  }
  size_t length;
  char* text = ss_read_stream(path, &length, error);
  if (!text) return NULL;
  ss_scene* scene = ss_scene_parse(text, length, path, n_override, override, error);
  free(text);
  return scene;
}

void ss_scene_destroy(ss_scene* scene)
{
  if (!scene) return;
  ss_mj_scene* s = (ss_mj_scene*)scene;  // its first member
  ss_pool_free(&s->pool);
  free(s->body);
  free(s->joint);
  free(s->body_line);
  free(s->mass_from);
  free(s->joint_line);
  free(s->geom);
  free(s->mesh);
  free(s->info);
  free(s->hfield);
  free(s->site);
  free(s->equality);
  free(s->tendon);
  free(s->actuator);
  free(s->exclude);
  free(s->pair);
  free(s->key);
  free(s->sensor);
  free(s->notice);
  free(s->parameter);
  free(s->source);
  free(s);
}

void ss_scene_initial(const ss_scene* scene, int key, double* q, double* u)
{
  if (!scene) return;
  const ss_mj_scene* s = (const ss_mj_scene*)scene;
  bool keyed = key >= 0 && key < scene->n_key;
  if (q) memcpy(q, keyed ? scene->key[key].qpos : s->reference, sizeof *q*(size_t)scene->nq);
  if (u && keyed) memcpy(u, scene->key[key].qvel, sizeof *u*(size_t)scene->nv);
  if (u && !keyed) memset(u, 0, sizeof *u*(size_t)scene->nv);
}
