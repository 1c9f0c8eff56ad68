// Joints of URDF as joints of the tree: one for hinges and slides, three for planar ones, one or four for floating
// ones; limits, damping, friction, and joints that follow others.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "io/urdf.h"

// One joint more on a body. The suffix tells several of one element apart.
static ss_status add_joint(ss_urdf* u, ss_urdf_joint* from, const char* suffix, int body, ss_joint_kind kind,
                           ss_vec3 axis, ss_joint_def** out)
{
  ss_mj_scene* s = u->r->out;
  int n = s->scene.tree.n_joint;
  if (!SS_MJ_GROW(s->joint, s->joint_room, n) || !SS_MJ_GROW(s->joint_line, s->joint_line_room, n))
    return ss_mj_memory(u->r);
  ss_joint_def* joint = s->joint + n;
  *joint = (ss_joint_def){.kind = kind, .body = body};
  if (kind <= SS_JOINT_SLIDE) ss_vec3_to(axis, joint->axis);
  s->joint_line[n] = from->node->line;
  u->r->mass[body].moves = true;
  if (from->first < 0) from->first = n;
  const ss_mj_value name = {.text = from->name, .line = from->node->line};
  ss_status st = ss_mj_name(u->r, SS_MJ_JOINT, &name, suffix, n, from->node, &joint->name);
  if (st < 0) return st;
  s->scene.tree.n_joint++;
  if (out) *out = joint;
  return SS_OK;
}

static ss_status read_axis(ss_urdf* u, const ss_urdf_joint* joint, ss_vec3* axis)
{
  ss_urdf_one v = {0};
  if (ss_urdf_read_child(u->r, joint->node, SS_MJ_IN_LINK_JOINT, "axis", &v, NULL) < 0) return SS_ERR_INPUT;
  *axis = ss_vec3_from(v.value.v);
  double length = ss_norm(*axis);
  if (!(length > 1e-14)) return ss_mj_error_of(u->r, &v.value, "joint '%.60s': axis has no direction", joint->name);
  *axis = ss_scale(1/length, *axis);
  return SS_OK;
}

// lower = upper = 0, which is what files have that mean none, is no limit: the joint could not move
static ss_status read_limit(ss_urdf* u, const ss_urdf_joint* from, ss_joint_def* joint)
{
  ss_mjcf* r = u->r;
  ss_urdf_limits v = {0};
  const ss_xml_node* node;
  if (ss_urdf_read_child(r, from->node, SS_MJ_IN_LINK_JOINT, "limit", &v, &node) < 0) return SS_ERR_INPUT;
  if (from->type == SS_URDF_CONTINUOUS) return SS_OK;
  if (!node)
    return ss_mj_error_at(r, from->node, "joint '%.60s' needs <limit lower=\"...\" upper=\"...\"/>%s", from->name,
                          from->type == SS_URDF_REVOLUTE ? "; without limits it is continuous, not revolute" : "");
  double lower = v.lower.v[0], upper = v.upper.v[0];
  if (lower == 0 && upper == 0)
    return ss_mj_notice(r, SS_SCENE_APPROXIMATED, "limit", "",
                        "lower and upper are 0: the joint is taken as not limited", node->line, 1);
  if (lower > upper)
    return ss_mj_error_of(r, &v.lower, "joint '%.60s': lower is %g and upper is %g; lower must be less", from->name,
                          lower, upper);
  if (lower == upper)
    return ss_mj_error_of(r, &v.lower, "joint '%.60s': lower and upper are both %g; make the joint fixed", from->name,
                          lower);
  joint->limited = true;
  joint->range[0] = lower;
  joint->range[1] = upper;
  return SS_OK;
}

static ss_status read_dynamics(ss_urdf* u, const ss_urdf_joint* from, double* damping, double* friction)
{
  ss_urdf_dynamics v = {0};
  if (ss_urdf_read_child(u->r, from->node, SS_MJ_IN_LINK_JOINT, "dynamics", &v, NULL) < 0) return SS_ERR_INPUT;
  *damping = v.damping.v[0];
  *friction = v.friction.v[0];
  const ss_mj_value* wrong = *damping < 0 ? &v.damping : *friction < 0 ? &v.friction : NULL;
  if (wrong)
    return ss_mj_error_of(u->r, wrong, "joint '%.60s': %s is %g; it must not be negative", from->name,
                          wrong == &v.damping ? "damping" : "friction", wrong->v[0]);
  return SS_OK;
}

static ss_status move_axial(ss_urdf* u, ss_urdf_joint* from, int body)
{
  ss_joint_def* joint;
  ss_vec3 axis;
  ss_joint_kind kind = from->type == SS_URDF_PRISMATIC ? SS_JOINT_SLIDE : SS_JOINT_HINGE;
  ss_status st = read_axis(u, from, &axis);
  if (st < 0 || (st = add_joint(u, from, "", body, kind, axis, &joint)) < 0 || (st = read_limit(u, from, joint)) < 0)
    return st;
  return read_dynamics(u, from, &joint->damping, &joint->friction);
}

// In the plane across the axis: two slides, then a hinge about the axis
static ss_status move_planar(ss_urdf* u, ss_urdf_joint* from, int body)
{
  ss_vec3 n;
  double damping, friction;
  ss_status st = read_axis(u, from, &n);
  if (st < 0 || (st = read_dynamics(u, from, &damping, &friction)) < 0) return st;
  ss_vec3 e = fabs(n.x) < 0.6 ? (ss_vec3){1, 0, 0} : (ss_vec3){0, 1, 0};
  ss_vec3 a = ss_sub(e, ss_scale(ss_dot3(e, n), n));  // the part of e in the plane
  a = ss_scale(1/ss_norm(a), a);
  const struct { const char* suffix; ss_joint_kind kind; ss_vec3 axis; } parts[3] = {
    {"_x", SS_JOINT_SLIDE, a}, {"_y", SS_JOINT_SLIDE, ss_cross(n, a)}, {"_angle", SS_JOINT_HINGE, n}};
  for (int i = 0; i < 3; i++) {
    ss_joint_def* joint;
    if ((st = add_joint(u, from, parts[i].suffix, body, parts[i].kind, parts[i].axis, &joint)) < 0) return st;
    joint->damping = damping;
    joint->friction = friction;
  }
  return SS_OK;
}

// A free joint hangs on the world; elsewhere three slides and a ball do the same
static ss_status move_floating(ss_urdf* u, ss_urdf_joint* from, int body)
{
  static const struct { const char* suffix; ss_joint_kind kind; double axis[3]; } parts[4] = {
    {"_x", SS_JOINT_SLIDE, {1, 0, 0}}, {"_y", SS_JOINT_SLIDE, {0, 1, 0}}, {"_z", SS_JOINT_SLIDE, {0, 0, 1}},
    {"_ball", SS_JOINT_BALL, {0, 0, 0}}};
  if (u->r->out->body[body].parent == SS_WORLD)
    return add_joint(u, from, "", body, SS_JOINT_FREE, (ss_vec3){0, 0, 0}, NULL);
  for (int i = 0; i < 4; i++) {
    ss_status st = add_joint(u, from, parts[i].suffix, body, parts[i].kind, ss_vec3_from(parts[i].axis), NULL);
    if (st < 0) return st;
  }
  return SS_OK;
}

ss_status ss_urdf_move_link(ss_urdf* u, ss_urdf_joint* joint, int body)
{
  switch (joint->type) {
  case SS_URDF_REVOLUTE:
  case SS_URDF_CONTINUOUS:
  case SS_URDF_PRISMATIC: return move_axial(u, joint, body);
  case SS_URDF_FLOATING: return move_floating(u, joint, body);
  case SS_URDF_PLANAR: return move_planar(u, joint, body);
  case SS_URDF_FIXED: break;
  }
  return SS_OK;
}

// q = multiplier * (q of the other) + offset
ss_status ss_urdf_read_mimic(ss_urdf* u, const ss_urdf_joint* joint)
{
  ss_mjcf* r = u->r;
  ss_mj_scene* s = r->out;
  ss_urdf_mimic v = {0};
  const ss_xml_node* node;
  int other, n = s->scene.n_equality;
  if (ss_urdf_read_child(r, joint->node, SS_MJ_IN_LINK_JOINT, "mimic", &v, &node) < 0) return SS_ERR_INPUT;
  if (!node) return SS_OK;
  if (ss_mj_refer(r, SS_MJ_LINK_JOINT, &v.joint, "mimic", &other) < 0) return SS_ERR_INPUT;
  const ss_urdf_joint* of = u->joint + other;
  if (of == joint) return ss_mj_error_of(r, &v.joint, "joint '%.60s' mimics itself", joint->name);
  for (int i = 0; i < 2; i++) {
    const ss_urdf_joint* one = i ? of : joint;
    if (one->type > SS_URDF_PRISMATIC)
      return ss_mj_error_of(r, &v.joint, "mimic: joint '%.60s' is %s; only revolute, continuous and prismatic joints "
                            "follow one another", one->name, one->type == SS_URDF_FIXED ? "fixed" : "not of one angle");
  }
  if (!SS_MJ_GROW(s->equality, s->equality_room, n)) return ss_mj_memory(r);
  s->equality[n] = (ss_scene_equality){.line = node->line, .kind = SS_SCENE_JOINT, .active = true, .body_a = SS_WORLD,
                                       .body_b = SS_WORLD, .rotation = {1, 0, 0, 0}, .joint_a = joint->first,
                                       .joint_b = of->first, .polycoef = {v.offset.v[0], v.multiplier.v[0]}};
  s->scene.n_equality++;
  const ss_mj_value name = {.text = joint->name, .line = node->line};
  return ss_mj_name(r, SS_MJ_EQUALITY, &name, "", n, node, &s->equality[n].name);
}
