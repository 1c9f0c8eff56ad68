// Robots in URDF: links and joints in any order become a tree of bodies, depth first, in the order of the joints.
#include "io/urdf.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_REACHED = -2 };

static bool is(const ss_xml_node* node, const char* name) { return strcmp(node->name, name) == 0; }

// ---- children ----

ss_status ss_urdf_child(ss_mjcf* r, const ss_xml_node* node, const char* name, const ss_xml_node** child)
{
  *child = NULL;
  for (const ss_xml_node* c = node->child; c; c = c->next) {
    if (!is(c, name)) continue;
    if (*child) return ss_mj_error_at(r, c, "%s: <%s> stands twice", node->name, name);
    *child = c;
  }
  return SS_OK;
}

ss_status ss_urdf_read_child(ss_mjcf* r, const ss_xml_node* node, ss_mj_place place, const char* name, void* out,
                             const ss_xml_node** found)
{
  const ss_xml_node* child;
  if (ss_urdf_child(r, node, name, &child) < 0) return SS_ERR_INPUT;
  if (found) *found = child;
  const ss_xml_node none = {.name = name, .line = node->line};
  if (!child && found) return SS_OK;
  return ss_mj_read(r, child ? child : &none, ss_mj_element_find(place, name), -1, out);
}

// R = R_z(yaw) R_y(pitch) R_x(roll)
ss_status ss_urdf_pose(ss_mjcf* r, const ss_xml_node* node, ss_mj_place place, ss_vec3* position, ss_quat* rotation)
{
  ss_urdf_origin v = {0};
  if (ss_urdf_read_child(r, node, place, "origin", &v, NULL) < 0) return SS_ERR_INPUT;
  ss_quat x = ss_quat_exp((ss_vec3){fmod(v.rpy.v[0], 8*atan(1)), 0, 0});
  ss_quat y = ss_quat_exp((ss_vec3){0, fmod(v.rpy.v[1], 8*atan(1)), 0});
  ss_quat z = ss_quat_exp((ss_vec3){0, 0, fmod(v.rpy.v[2], 8*atan(1))});
  *position = ss_vec3_from(v.xyz.v);
  *rotation = ss_quat_normalized(ss_quat_mul(z, ss_quat_mul(y, x)));
  return SS_OK;
}

// ---- links and joints of the file ----

static ss_status collect_link(ss_urdf* u, const ss_xml_node* node)
{
  ss_urdf_head v = {0};
  int n = u->n_link;
  if (ss_mj_read(u->r, node, ss_mj_element_find(SS_MJ_IN_ROBOT, "link"), -1, &v) < 0) return SS_ERR_INPUT;
  if (!*v.name.text) return ss_mj_error_at(u->r, node, "link: its name is empty");
  if (!SS_MJ_GROW(u->link, u->link_room, n)) return ss_mj_memory(u->r);
  u->link[n] = (ss_urdf_link){.node = node, .joint = -1, .first = -1, .body = NOT_REACHED};
  u->n_link++;
  return ss_mj_name(u->r, SS_MJ_LINK, &v.name, "", n, node, &u->link[n].name);
}

static ss_status read_ends(ss_urdf* u, ss_urdf_joint* joint)
{
  static const char* const names[2] = {"parent", "child"};
  int* number[2] = {&joint->parent, &joint->child};
  for (int i = 0; i < 2; i++) {
    const ss_xml_node* node;
    ss_urdf_one v = {0};
    if (ss_urdf_read_child(u->r, joint->node, SS_MJ_IN_LINK_JOINT, names[i], &v, &node) < 0) return SS_ERR_INPUT;
    if (!node)
      return ss_mj_error_at(u->r, joint->node, "joint '%.60s' needs <%s link=\"...\"/>", joint->name, names[i]);
    if (ss_mj_refer(u->r, SS_MJ_LINK, &v.value, names[i], number[i]) < 0) return SS_ERR_INPUT;
  }
  const ss_urdf_link* child = u->link + joint->child;
  if (joint->parent == joint->child)
    return ss_mj_error_at(u->r, joint->node, "joint '%.60s' has the link '%.60s' as parent and as child", joint->name,
                          child->name);
  if (child->joint >= 0)
    return ss_mj_error_at(u->r, joint->node, "link '%.60s' is the child of two joints, '%.60s' and '%.60s'; URDF has "
                          "no loops", child->name, u->joint[child->joint].name, joint->name);
  return SS_OK;
}

static ss_status collect_joint(ss_urdf* u, const ss_xml_node* node)
{
  ss_urdf_head v = {0};
  int n = u->n_joint;
  if (ss_mj_read(u->r, node, ss_mj_element_find(SS_MJ_IN_ROBOT, "joint"), -1, &v) < 0) return SS_ERR_INPUT;
  if (!*v.name.text) return ss_mj_error_at(u->r, node, "joint: its name is empty");
  if (!SS_MJ_GROW(u->joint, u->joint_room, n)) return ss_mj_memory(u->r);
  ss_urdf_joint* joint = u->joint + n;
  *joint = (ss_urdf_joint){.node = node, .type = (ss_urdf_type)v.type.word, .next = -1, .first = -1};
  ss_status st = ss_mj_name(u->r, SS_MJ_LINK_JOINT, &v.name, "", n, node, &joint->name);
  if (st < 0 || (st = read_ends(u, joint)) < 0) return st;
  u->link[joint->child].joint = n;
  u->n_joint++;
  return SS_OK;
}

// Links first: joints may stand before them
static ss_status collect(ss_urdf* u)
{
  const ss_xml_node* root = ss_xml_root(u->r->xml);
  ss_status st = SS_OK;
  for (const ss_xml_node* c = root->child; c && st >= 0; c = c->next)
    if (is(c, "link")) st = collect_link(u, c);
  for (const ss_xml_node* c = root->child; c && st >= 0; c = c->next)
    if (is(c, "joint")) st = collect_joint(u, c);
  for (int j = u->n_joint - 1; j >= 0; j--) {  // backwards, so that each list is in the order of the file
    ss_urdf_link* parent = u->link + u->joint[j].parent;
    u->joint[j].next = parent->first;
    parent->first = j;
  }
  return st;
}

static ss_status find_root(ss_urdf* u, int* root)
{
  *root = -1;
  if (!u->n_link) return ss_mj_error_at(u->r, ss_xml_root(u->r->xml), "the robot has no link");
  for (int i = 0; i < u->n_link; i++) {
    if (u->link[i].joint >= 0) continue;
    if (*root >= 0)
      return ss_mj_error_at(u->r, u->link[i].node, "link '%.60s' hangs on nothing: no joint has it as child, and the "
                            "root is '%.60s'", u->link[i].name, u->link[*root].name);
    *root = i;
  }
  if (*root < 0) return ss_mj_error_at(u->r, u->joint[0].node, "every link is the child of a joint: there is no root");
  return SS_OK;
}

// ---- bodies ----

static ss_status add_body(ss_urdf* u, ss_urdf_link* link, int parent, ss_vec3 position, ss_quat rotation)
{
  ss_mj_scene* s = u->r->out;
  int n = s->scene.tree.n_body;
  if (!SS_MJ_GROW(s->body, s->body_room, n) || !SS_MJ_GROW(s->body_line, s->body_line_room, n) ||
      !SS_MJ_GROW(u->r->mass, u->r->mass_room, n))
    return ss_mj_memory(u->r);
  s->body[n] = (ss_body_def){.parent = parent};
  ss_vec3_to(position, s->body[n].position);
  ss_quat_to(rotation, s->body[n].rotation);
  s->body_line[n] = link->node->line;
  u->r->mass[n] = (ss_mj_mass){.moves = parent >= 0 && u->r->mass[parent].moves, .mesh_geom = -1};
  s->scene.tree.n_body++;
  link->body = n;
  const ss_mj_value name = {.text = link->name, .line = link->node->line};
  return ss_mj_name(u->r, SS_MJ_BODY, &name, "", n, link->node, &s->body[n].name);
}

// The root stays where it is, or is free. One that is called "world" is the world.
static ss_status add_root(ss_urdf* u, ss_urdf_link* link)
{
  const ss_mj_stickslip* set = &u->set;
  bool floating = set->floating.word;
  if (strcmp(link->name, "world") == 0) {
    if (floating) return ss_mj_error_of(u->r, &set->floating, "floating: the root link is 'world', which stays");
    link->body = SS_WORLD;
    return SS_OK;
  }
  ss_status st = add_body(u, link, SS_WORLD, ss_vec3_from(set->position.v), (ss_quat){1, 0, 0, 0});
  if (st < 0 || !floating) return st;
  ss_urdf_joint base = {.node = link->node, .type = SS_URDF_FLOATING, .first = -1};
  return ss_urdf_move_link(u, &base, link->body);
}

// Links next to one another do not touch. Where the parent moves the filter of the scene says so; to what stays, which
// could be a floor, it does not apply.
static ss_status exclude(ss_urdf* u, const ss_urdf_joint* joint)
{
  ss_mj_scene* s = u->r->out;
  int parent = u->link[joint->parent].body, n = s->scene.n_exclude;
  if (parent < 0 || u->r->mass[parent].moves) return SS_OK;
  if (!SS_MJ_GROW(s->exclude, s->exclude_room, n)) return ss_mj_memory(u->r);
  const ss_mj_value name = {0};
  s->exclude[n] = (ss_scene_exclude){.line = joint->node->line, .body_a = parent, .body_b = u->link[joint->child].body};
  s->scene.n_exclude++;
  return ss_mj_name(u->r, SS_MJ_EXCLUDE, &name, "", n, joint->node, &s->exclude[n].name);
}

static ss_status add_link(ss_urdf* u, ss_urdf_joint* joint)
{
  ss_vec3 position;
  ss_quat rotation;
  if (ss_urdf_pose(u->r, joint->node, SS_MJ_IN_LINK_JOINT, &position, &rotation) < 0) return SS_ERR_INPUT;
  ss_urdf_link* link = u->link + joint->child;
  ss_status st = add_body(u, link, u->link[joint->parent].body, position, rotation);
  if (st < 0 || (st = exclude(u, joint)) < 0) return st;
  return ss_urdf_move_link(u, joint, link->body);
}

// Depth first by a stack of links; a chain may be as long as the file
static ss_status add_all(ss_urdf* u, int root)
{
  int* stack = malloc(sizeof *stack*((size_t)u->n_link + 1));
  int n = 0;
  ss_status st = stack ? SS_OK : ss_mj_memory(u->r);
  if (stack) stack[n++] = root;
  while (n > 0 && st >= 0) {
    ss_urdf_link* link = u->link + stack[--n];
    st = link->joint < 0 ? add_root(u, link) : add_link(u, u->joint + link->joint);
    if (st >= 0) st = ss_urdf_read_link(u, link);
    int first = n;
    for (int j = link->first; j >= 0; j = u->joint[j].next) stack[n++] = u->joint[j].child;
    for (int a = first, b = n - 1; a < b; a++, b--) {  // the first one on top
      int other = stack[a];
      stack[a] = stack[b];
      stack[b] = other;
    }
  }
  free(stack);
  for (int i = 0; i < u->n_link && st >= 0; i++)
    if (u->link[i].body == NOT_REACHED)
      st = ss_mj_error_at(u->r, u->link[i].node, "link '%.60s' does not hang on the root '%.60s': its joints go around "
                          "in a circle", u->link[i].name, u->link[root].name);
  return st;
}

// ---- settings ----

static ss_status add_floor(ss_urdf* u)
{
  ss_mj_scene* s = u->r->out;
  int n = s->scene.n_geom;
  const ss_mj_value* floor = &u->set.floor;
  const ss_mj_value name = {.text = "floor", .line = floor->line};
  const ss_xml_node at = {.name = "stickslip", .line = floor->line};
  if (!floor->text) return SS_OK;
  if (!SS_MJ_GROW(s->geom, s->geom_room, n)) return ss_mj_memory(u->r);
  s->geom[n] = (ss_scene_geom){.line = floor->line, .body = SS_WORLD, .shape = SS_SCENE_PLANE, .rotation = {1, 0, 0, 0},
                               .position = {0, 0, floor->v[0]}, .mesh = -1, .hfield = -1, .contype = 1,
                               .conaffinity = 1, .condim = 3,
                               .friction = {u->set.friction.v[0], 0, 0}, .restitution = u->set.restitution.v[0]};
  s->scene.n_geom++;
  return ss_mj_name(u->r, SS_MJ_GEOM, &name, "", n, &at, &s->geom[n].name);
}

static ss_status read_settings(ss_urdf* u)
{
  ss_mjcf* r = u->r;
  const ss_mj_element* e = ss_mj_element_find(SS_MJ_IN_ROBOT, "stickslip");
  const ss_xml_node* root = ss_xml_root(r->xml);
  const ss_xml_node none = {.name = "stickslip", .line = root->line}, *node = NULL;
  if (ss_urdf_child(r, root, "stickslip", &node) < 0 || ss_mj_read(r, node ? node : &none, e, -1, &u->set) < 0)
    return SS_ERR_INPUT;
  const ss_mj_stickslip* v = &u->set;
  if (!(v->timestep.v[0] > 0))
    return ss_mj_error_of(r, &v->timestep, "stickslip: timestep is %g; it must be positive", v->timestep.v[0]);
  if (v->friction.v[0] < 0)
    return ss_mj_error_of(r, &v->friction, "stickslip: friction is %g; it must not be negative", v->friction.v[0]);
  if (v->restitution.v[0] < 0 || v->restitution.v[0] > 1)
    return ss_mj_error_of(r, &v->restitution, "stickslip: restitution is %g; it must be 0 to 1", v->restitution.v[0]);
  r->out->scene.option.timestep = v->timestep.v[0];
  memcpy(r->out->scene.tree.gravity, v->gravity.v, sizeof r->out->scene.tree.gravity);
  r->balance = v->balanceinertia.word;
  if (node && ss_mj_read_stickslip(r, node, e, NULL) < 0) return SS_ERR_INPUT;
  return add_floor(u);
}

// ---- all ----

ss_status ss_urdf_read(ss_mjcf* r)
{
  ss_urdf u = {.r = r};
  int root;
  ss_status st = read_settings(&u);
  if (st >= 0) st = collect(&u);
  if (st >= 0) st = find_root(&u, &root);
  if (st >= 0) st = add_all(&u, root);
  for (int j = 0; j < u.n_joint && st >= 0; j++) st = ss_urdf_read_mimic(&u, u.joint + j);
  free(u.link);
  free(u.joint);
  return st;
}

static int joint_at(const ss_mj_scene* s, int joint)
{
  int at = 0;
  for (int j = 0; j < joint; j++)
    at += s->joint[j].kind == SS_JOINT_FREE ? 7 : s->joint[j].kind == SS_JOINT_BALL ? 4 : 1;
  return at;
}

// All coordinates zero is a start only if the limits and the ties between joints allow it: else the nearest one that
// they allow, and the followers where they belong. Followers of followers come right in as many turns.
ss_status ss_urdf_start(ss_mjcf* r)
{
  ss_mj_scene* s = r->out;
  double* q = s->reference;
  int at = 0;
  for (int j = 0; j < s->scene.tree.n_joint; j++) {
    const ss_joint_def* joint = s->joint + j;
    double least = joint->range[0], most = joint->range[1];
    bool outside = joint->limited && joint->kind <= SS_JOINT_SLIDE && (least > 0 || most < 0);
    if (outside) q[at] = least > 0 ? least : most;
    if (outside && ss_mj_notice(r, SS_SCENE_APPROXIMATED, "limit", "", "0 is out of it; the start is its nearest end",
                                s->joint_line[j], 1) < 0)
      return SS_ERR_MEMORY;
    at += joint->kind == SS_JOINT_FREE ? 7 : joint->kind == SS_JOINT_BALL ? 4 : 1;
  }
  bool changed = true;
  for (int turn = 0; changed && turn < 16; turn++) {
    changed = false;
    for (int e = 0; e < s->scene.n_equality; e++) {
      const ss_scene_equality* tie = s->equality + e;
      double* y = q + joint_at(s, tie->joint_a);
      double to = tie->polycoef[0] + tie->polycoef[1]*q[joint_at(s, tie->joint_b)];
      changed = changed || *y != to;
      *y = to;
    }
  }
  return SS_OK;
}
