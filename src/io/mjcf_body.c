// The tree of an MJCF file: bodies, frames and replicas, joints, inertias, geoms, sites.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "io/mjcf.h"

#define DEGREE 0.017453292519943295769

// ---- bodies and what groups them ----

// What groups others is entered for both: what belongs to this body, and the bodies below it
typedef enum phase { OWN, BELOW } phase;

static ss_status read_inside(ss_mjcf* r, const ss_xml_node* node, const ss_mj_scope* scope, phase part);

static bool is(const ss_xml_node* node, const char* name) { return strcmp(node->name, name) == 0; }

static ss_status childclass_of(ss_mjcf* r, const ss_mj_value* v, ss_mj_scope* scope)
{
  return v->text ? ss_mj_refer(r, SS_MJ_CLASS, v, "childclass", &scope->childclass) : SS_OK;
}

ss_status ss_mj_read_world(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_body v = {0};
  ss_mj_scope world = {.body = SS_WORLD, .rotation = {1, 0, 0, 0}, .childclass = -1, .suffix = ""};
  (void)scope;
  if (ss_mj_read(r, node, e, -1, &v) < 0 || childclass_of(r, &v.childclass, &world) < 0) return SS_ERR_INPUT;
  ss_status st = read_inside(r, node, &world, OWN);
  return st < 0 ? st : read_inside(r, node, &world, BELOW);
}

ss_status ss_mj_read_body(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_scene* s = r->out;
  int n = s->scene.tree.n_body;
  ss_mj_body v = {0};
  ss_mj_scope inside = {.body = n, .rotation = {1, 0, 0, 0}, .childclass = scope->childclass, .suffix = scope->suffix};
  ss_vec3 position;
  ss_quat rotation;
  if (ss_mj_read(r, node, e, -1, &v) < 0 || childclass_of(r, &v.childclass, &inside) < 0) return SS_ERR_INPUT;
  if (!SS_MJ_GROW(s->body, s->body_room, n) || !SS_MJ_GROW(s->body_line, s->body_line_room, n) ||
      !SS_MJ_GROW(r->mass, r->mass_room, n))
    return ss_mj_memory(r);
  ss_body_def* body = s->body + n;
  *body = (ss_body_def){.parent = scope->body};
  ss_status st = ss_mj_name(r, SS_MJ_BODY, &v.name, scope->suffix, n, node, &body->name);
  if (st < 0 || (st = ss_mj_pose_get(r, node, &v.pose, &position, &rotation)) < 0) return st;
  ss_mj_in_scope(scope, &position, &rotation);
  ss_vec3_to(position, body->position);
  ss_quat_to(rotation, body->rotation);
  s->body_line[n] = node->line;
  r->mass[n] = (ss_mj_mass){.moves = scope->body >= 0 && r->mass[scope->body].moves, .mesh_geom = -1};
  s->scene.tree.n_body++;
  st = read_inside(r, node, &inside, OWN);
  return st < 0 ? st : read_inside(r, node, &inside, BELOW);
}

static ss_status enter_frame(ss_mjcf* r, const ss_xml_node* node, const ss_mj_scope* scope, phase part)
{
  ss_mj_body v = {0};
  ss_mj_scope inside = *scope;
  if (ss_mj_read(r, node, ss_mj_element_find(SS_MJ_IN_BODY, "frame"), -1, &v) < 0) return SS_ERR_INPUT;
  if (childclass_of(r, &v.childclass, &inside) < 0) return SS_ERR_INPUT;
  if (ss_mj_pose_get(r, node, &v.pose, &inside.position, &inside.rotation) < 0) return SS_ERR_INPUT;
  ss_mj_in_scope(scope, &inside.position, &inside.rotation);
  const ss_mj_settings before = r->set;
  if (node->context) r->set = *(const ss_mj_settings*)node->context;  // what is attached keeps its own
  ss_status st = read_inside(r, node, &inside, part);
  r->set = before;
  return st;
}

static int digits(int count)
{
  int d = 1;
  for (int most = count - 1; most > 9; most /= 10) d++;
  return d;
}

// Replica i stands at the offset and turn of the one before it; names get its number, the innermost first
static ss_status enter_replicate(ss_mjcf* r, const ss_xml_node* node, const ss_mj_scope* scope, phase part)
{
  ss_mj_replicate v = {0};
  if (ss_mj_read(r, node, ss_mj_element_find(SS_MJ_IN_BODY, "replicate"), -1, &v) < 0) return SS_ERR_INPUT;
  int count = (int)v.count.v[0];
  if (count < 1 || count > SS_MJ_MOST)
    return ss_mj_error_of(r, &v.count, "replicate: count is %d; it must be 1 to %d", count, SS_MJ_MOST);
  ss_mj_scope inside = *scope;
  ss_quat turn = ss_mj_euler(r, v.euler.v);
  for (int i = 0; i < count; i++) {
    char suffix[128];
    if (++r->n_replica > 4*SS_MJ_MOST) return ss_mj_error_at(r, node, "replicate: too many replicas in all");
    if (snprintf(suffix, sizeof suffix, "%s%0*d%s", v.sep.text ? v.sep.text : "", digits(count), i, scope->suffix) >=
        (int)sizeof suffix)
      return ss_mj_error_at(r, node, "replicate: names become too long");
    inside.suffix = ss_pool_copy(&r->out->pool, suffix, strlen(suffix));
    if (!inside.suffix) return ss_mj_memory(r);
    if (i) {
      inside.position = ss_add(inside.position, ss_quat_rotate(inside.rotation, ss_vec3_from(v.offset.v)));
      inside.rotation = ss_quat_normalized(ss_quat_mul(inside.rotation, turn));
    }
    if (!node->child) return SS_OK;
    ss_status st = read_inside(r, node, &inside, part);
    if (st < 0) return st;
  }
  return SS_OK;
}

// Children in the order of the file, those that belong to this body before the bodies below it, as MJCF counts them
static ss_status read_inside(ss_mjcf* r, const ss_xml_node* node, const ss_mj_scope* scope, phase part)
{
  for (const ss_xml_node* child = node->child; child; child = child->next) {
    const ss_mj_element* e = ss_mj_element_find(SS_MJ_IN_BODY, child->name);
    ss_status st = SS_OK;
    if (is(child, "frame")) st = enter_frame(r, child, scope, part);
    else if (is(child, "replicate")) st = enter_replicate(r, child, scope, part);
    else if (e && e->read && part == (is(child, "body") ? BELOW : OWN)) st = e->read(r, child, e, scope);
    if (st < 0) return st;
  }
  return SS_OK;
}

// ---- inertia ----

static ss_status check_inertial(ss_mjcf* r, const ss_xml_node* node, const ss_mj_inertial* v, const ss_mj_scope* scope)
{
  const ss_mj_pose* p = &v->pose;
  if (scope->body < 0) return ss_mj_error_at(r, node, "the world has no inertial");
  if (r->mass[scope->body].inertial) return ss_mj_error_at(r, node, "this body has two inertials");
  double mass = v->mass.v[0];
  if (mass < 0) return ss_mj_error_of(r, &v->mass, "inertial: mass is %g; it must not be negative", mass);
  if (v->diaginertia.text && v->fullinertia.text)
    return ss_mj_error_of(r, &v->fullinertia, "inertial: give diaginertia or fullinertia, not both");
  if (v->fullinertia.text && (p->quat.text || p->axisangle.text || p->xyaxes.text || p->zaxis.text || p->euler.text))
    return ss_mj_error_of(r, &v->fullinertia, "inertial: fullinertia is in the axes of the body; it takes no "
                          "orientation");
  if (!v->diaginertia.text && !v->fullinertia.text && mass > 0)
    return ss_mj_error_at(r, node, "inertial needs the attribute 'diaginertia' or 'fullinertia'");
  return SS_OK;
}

ss_status ss_mj_read_inertial(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_inertial v = {0};
  ss_vec3 position;
  ss_quat rotation;
  if (ss_mj_read(r, node, e, -1, &v) < 0 || check_inertial(r, node, &v, scope) < 0) return SS_ERR_INPUT;
  if (ss_mj_pose_get(r, node, &v.pose, &position, &rotation) < 0) return SS_ERR_INPUT;
  ss_mj_in_scope(scope, &position, &rotation);
  ss_body_def* body = r->out->body + scope->body;
  body->mass = v.mass.v[0];
  ss_vec3_to(position, body->com);
  if (v.fullinertia.text) memcpy(body->inertia, v.fullinertia.v, 6*sizeof(double));
  else {
    ss_mat3 R = ss_quat_matrix(rotation);
    ss_sym3 I = ss_sym3_rotated(&R, ss_vec3_from(v.diaginertia.v));
    const double a[6] = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz};
    memcpy(body->inertia, a, sizeof a);
  }
  r->mass[scope->body].inertial = true;
  return SS_OK;
}

// ---- joints ----

static ss_status add_joint(ss_mjcf* r, const ss_xml_node* node, const ss_mj_value* name, const ss_mj_scope* scope,
                           ss_joint_def** joint)
{
  ss_mj_scene* s = r->out;
  int n = s->scene.tree.n_joint;
  if (scope->body < 0) return ss_mj_error_at(r, node, "the world has no joints; put the joint into a body");
  if (!SS_MJ_GROW(s->joint, s->joint_room, n) || !SS_MJ_GROW(s->joint_line, s->joint_line_room, n))
    return ss_mj_memory(r);
  *joint = s->joint + n;
  **joint = (ss_joint_def){.body = scope->body};
  s->joint_line[n] = node->line;
  r->mass[scope->body].moves = true;
  ss_status st = ss_mj_name(r, SS_MJ_JOINT, name, scope->suffix, n, node, &(*joint)->name);
  if (st < 0) return st;
  s->scene.tree.n_joint++;
  return SS_OK;
}

static ss_status check_free(ss_mjcf* r, const ss_xml_node* node, const ss_mj_scope* scope)
{
  ss_mj_scene* s = r->out;
  int n = s->scene.tree.n_joint;
  if (s->body[scope->body].parent != SS_WORLD)
    return ss_mj_error_at(r, node, "a free joint needs a body that stands in the worldbody itself");
  if (n > 1 && s->joint[n - 2].body == scope->body)
    return ss_mj_error_at(r, node, "a body with a free joint has no other joint");
  return SS_OK;
}

ss_status ss_mj_read_freejoint(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_joint v = {0};
  ss_joint_def* joint = NULL;
  if (ss_mj_read(r, node, e, -1, &v) < 0) return SS_ERR_INPUT;
  ss_status st = add_joint(r, node, &v.name, scope, &joint);
  if (st < 0) return st;
  joint->kind = SS_JOINT_FREE;
  return check_free(r, node, scope);
}

static ss_status read_range(ss_mjcf* r, const ss_xml_node* node, const ss_mj_joint* v, double unit, ss_joint_def* joint)
{
  bool given = ss_mj_has_range(&v->range);
  if (joint->kind == SS_JOINT_FREE) return SS_OK;
  joint->limited = v->limited.word == 1 || (v->limited.word == 2 && given);
  if (given && v->limited.word == 2 && !r->set.autolimits)
    return ss_mj_error_of(r, &v->range, "joint: with autolimits=\"false\" a range needs limited=\"true\" or \"false\"");
  if (!joint->limited) return SS_OK;
  if (!given) return ss_mj_error_at(r, node, "joint: it is limited, but has no range");
  if (v->range.v[0] >= v->range.v[1])
    return ss_mj_error_of(r, &v->range, "joint: range is %g %g; the first number must be less than the second",
                          v->range.v[0], v->range.v[1]);
  if (joint->kind == SS_JOINT_BALL && v->range.v[0] != 0)
    return ss_mj_error_of(r, &v->range, "joint: the range of a ball joint begins at 0, not at %g", v->range.v[0]);
  joint->range[0] = unit*v->range.v[0];
  joint->range[1] = unit*v->range.v[1];
  joint->limited = r->limit;
  return SS_OK;
}

// Numbers that must not be negative; only the first is honoured where there are several (polynomials in q and u)
static ss_status read_coefficient(ss_mjcf* r, const ss_mj_value* v, const char* attribute, double* x)
{
  *x = v->v[0];
  if (*x < 0) return ss_mj_error_of(r, v, "joint: %s is %g; it must not be negative", attribute, *x);
  if (v->n > 1 && (v->v[1] != 0 || v->v[2] != 0))
    return ss_mj_notice(r, SS_SCENE_APPROXIMATED, "joint", attribute, "only the first, linear, coefficient acts",
                        v->line, 1);
  return SS_OK;
}

static ss_status read_forces(ss_mjcf* r, const ss_mj_joint* v, ss_joint_def* joint)
{
  if (read_coefficient(r, &v->stiffness, "stiffness", &joint->stiffness) < 0 ||
      read_coefficient(r, &v->damping, "damping", &joint->damping) < 0 ||
      read_coefficient(r, &v->armature, "armature", &joint->armature) < 0 ||
      read_coefficient(r, &v->frictionloss, "frictionloss", &joint->friction) < 0)
    return SS_ERR_INPUT;
  if (joint->kind == SS_JOINT_FREE && joint->stiffness > 0) {
    joint->stiffness = 0;
    if (ss_mj_notice(r, SS_SCENE_IGNORED, "joint", "stiffness", "free joints have no spring", v->stiffness.line, 1) < 0)
      return SS_ERR_MEMORY;
  }
  if (!r->spring) joint->stiffness = 0;
  if (!r->damper) joint->damping = 0;
  if (!r->frictionloss) joint->friction = 0;
  return SS_OK;
}

ss_status ss_mj_read_joint(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_joint v = {0};
  ss_joint_def* joint = NULL;
  int class;
  if (ss_mj_class_of(r, node, scope, &class) < 0 || ss_mj_read(r, node, e, class, &v) < 0) return SS_ERR_INPUT;
  ss_status st = add_joint(r, node, &v.name, scope, &joint);
  if (st < 0) return st;
  joint->kind = (ss_joint_kind)v.type.word;
  bool axial = joint->kind <= SS_JOINT_SLIDE;
  double unit = joint->kind != SS_JOINT_SLIDE && r->set.degree ? DEGREE : 1;
  ss_vec3 axis = ss_quat_rotate(scope->rotation, ss_vec3_from(v.axis.v));
  ss_vec3 anchor = ss_add(scope->position, ss_quat_rotate(scope->rotation, ss_vec3_from(v.pos.v)));
  double length = ss_norm(axis);
  if (axial && !(length > 1e-14 && length < 1e90)) return ss_mj_error_of(r, &v.axis, "joint: axis has no direction");
  if (axial) ss_vec3_to(ss_scale(1/length, axis), joint->axis);
  if (joint->kind != SS_JOINT_FREE) ss_vec3_to(anchor, joint->anchor);
  if (axial) {
    joint->ref = unit*v.ref.v[0];
    joint->springref = unit*v.springref.v[0];
  }
  if ((st = read_forces(r, &v, joint)) < 0 || (st = read_range(r, node, &v, unit, joint)) < 0) return st;
  int n = r->out->scene.tree.n_joint;
  if (joint->kind == SS_JOINT_FREE) return check_free(r, node, scope);
  if (n > 1 && joint[-1].body == scope->body && joint[-1].kind == SS_JOINT_FREE)
    return ss_mj_error_at(r, node, "a body with a free joint has no other joint");
  return SS_OK;
}

// ---- sites ----

ss_status ss_mj_read_site(ss_mjcf* r, const ss_xml_node* node, const ss_mj_element* e, const ss_mj_scope* scope)
{
  ss_mj_scene* s = r->out;
  ss_mj_site v = {0};
  ss_vec3 position;
  ss_quat rotation;
  int class, n = s->scene.n_site;
  double length = 0;
  if (ss_mj_class_of(r, node, scope, &class) < 0 || ss_mj_read(r, node, e, class, &v) < 0) return SS_ERR_INPUT;
  if (ss_mj_pose_get(r, node, &v.pose, &position, &rotation) < 0) return SS_ERR_INPUT;
  if (v.fromto.text) {
    ss_vec3 a = ss_vec3_from(v.fromto.v), b = ss_vec3_from(v.fromto.v + 3);
    if (!ss_mj_from_z(ss_sub(b, a), &rotation)) return ss_mj_error_of(r, &v.fromto, "site: fromto has no length");
    position = ss_scale(0.5, ss_add(a, b));
    length = 0.5*ss_norm(ss_sub(b, a));
  }
  ss_mj_in_scope(scope, &position, &rotation);
  if (!SS_MJ_GROW(s->site, s->site_room, n)) return ss_mj_memory(r);
  ss_scene_site* site = s->site + n;
  *site = (ss_scene_site){.line = node->line, .body = scope->body, .shape = SS_SCENE_SPHERE + v.type.word};
  memcpy(site->size, v.size.v, sizeof site->size);
  bool round = site->shape == SS_SCENE_CAPSULE || site->shape == SS_SCENE_CYLINDER;
  if (v.fromto.text) {
    site->size[round ? 1 : 2] = length;
    if (!round) site->size[1] = site->size[0];
  }
  ss_status st = ss_mj_name(r, SS_MJ_SITE, &v.name, scope->suffix, n, node, &site->name);
  if (st < 0) return st;
  ss_vec3_to(position, site->position);
  ss_quat_to(rotation, site->rotation);
  s->scene.n_site++;
  return SS_OK;
}
