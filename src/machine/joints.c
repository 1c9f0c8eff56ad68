// Limits and dry friction of joints: contacts with one row in joint space.
#include <math.h>
#include <stdlib.h>
#include "machine/machine.h"

ss_status ss_machine_make_joints(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  m->limit = SS_MACHINE_ARRAY(scene->tree.n_joint, ss_limit);
  m->dry = SS_MACHINE_ARRAY(m->nv, ss_dry);
  if (!m->limit || !m->dry) return ss_machine_no_memory(error);
  m->limit_law = (ss_contact_def){.name = "limit", .kind = SS_CONTACT_NORMAL};
  for (int j = 0; j < scene->tree.n_joint; j++) {
    const ss_joint_def* joint = scene->tree.joint + j;
    int iq, iv, parent = scene->tree.body[joint->body].parent;
    ss_tree_joint_at(m->tree, j, &iq, &iv);
    if (joint->limited && joint->kind <= SS_JOINT_BALL)
      m->limit[m->n_limit++] = (ss_limit){.joint = j, .body_a = parent, .body_b = joint->body, .kind = joint->kind,
                                          .iq = iq, .iv = iv, .range = {joint->range[0], joint->range[1]}};
    if (!(joint->friction > 0)) continue;
    for (int k = 0; k < ss_joint_velocities(joint->kind); k++)
      m->dry[m->n_dry++] = (ss_dry){.iv = iv + k, .body_a = parent, .body_b = joint->body,
                                    .law = {.name = "friction", .kind = SS_CONTACT_FRICTION,
                                            .bound = joint->friction}};
  }
  return SS_OK;
}

// An item and its row, the coefficients of which are set by the caller
static ss_tree_node* add(ss_machine_work* w, uint64_t key, const ss_contact_def* law, double gap, int body_a,
                         int body_b)
{
  ss_contact_item* item = ss_machine_add_item(w);
  ss_tree_node* node = item ? ss_machine_add_node(w, 1) : NULL;
  if (!node) return NULL;
  item->key = key;
  item->law = law;
  item->gap = gap;
  item->body_a = body_a;
  item->body_b = body_b;
  return node;
}

// How near a limit counts: what the joint moves in dt, what gravity may add, round-off
static double reach_of(const ss_machine* m, const ss_limit* limit, const double* u, double dt)
{
  double speed = 0, free_fall = m->gravity*dt*dt;
  for (int k = 0; u && k < ss_joint_velocities(limit->kind); k++) speed += u[limit->iv + k]*u[limit->iv + k];
  double fall = limit->kind == SS_JOINT_SLIDE ? free_fall : free_fall/m->length;
  return fabs(dt)*sqrt(speed) + fall + 1e-9*(1 + fmax(fabs(limit->range[0]), fabs(limit->range[1])));
}

static bool list_range(ss_machine_work* w, const ss_limit* limit, const ss_at* at, double dt)
{
  double q = at->q[limit->iq], reach = reach_of(w->machine, limit, at->u, dt);
  for (int upper = 0; upper < 2; upper++) {
    double gap = upper ? limit->range[1] - q : q - limit->range[0];
    if (!(gap < reach)) continue;
    uint64_t key = SS_KEY_LIMIT + 2*(uint64_t)limit->joint + (uint64_t)upper;
    ss_tree_node* node = add(w, key, &w->machine->limit_law, gap, limit->body_a, limit->body_b);
    if (!node) return false;
    node->terms = 1;
    node->velocity[0] = limit->iv;
    node->coefficient[0] = upper ? -1 : 1;
  }
  return true;
}

// A ball's angle is |phi| with the rotation vector phi = |phi| a, and its rate a . omega: the axis is the same before
// and behind the joint. No axis without a turn: then any will do, the bound is near zero there.
static bool list_angle(ss_machine_work* w, const ss_limit* limit, const ss_at* at, double dt)
{
  ss_vec3 phi = ss_quat_log(ss_quat_normalized(ss_quat_from(at->q + limit->iq)));
  double angle = ss_norm(phi), gap = limit->range[1] - angle;
  if (!(gap < reach_of(w->machine, limit, at->u, dt))) return true;
  uint64_t key = SS_KEY_LIMIT + 2*(uint64_t)limit->joint + 1;
  ss_tree_node* node = add(w, key, &w->machine->limit_law, gap, limit->body_a, limit->body_b);
  if (!node) return false;
  ss_vec3 axis = angle > 0 ? ss_scale(-1/angle, phi) : (ss_vec3){-1, 0, 0};
  node->terms = 3;
  for (int k = 0; k < 3; k++) node->velocity[k] = limit->iv + k;
  ss_vec3_to(axis, node->coefficient);
  return true;
}

bool ss_machine_list_joints(ss_machine_work* w, const ss_at* at, double dt)
{
  const ss_machine* m = w->machine;
  for (int i = 0; i < m->n_limit; i++)
    if (!(m->limit[i].kind == SS_JOINT_BALL ? list_angle : list_range)(w, m->limit + i, at, dt)) return false;
  for (int i = 0; i < m->n_dry; i++) {
    const ss_dry* dry = m->dry + i;
    ss_tree_node* node = add(w, SS_KEY_FRICTION + (uint64_t)dry->iv, &dry->law, 0, dry->body_a, dry->body_b);
    if (!node) return false;
    node->terms = 1;
    node->velocity[0] = dry->iv;
    node->coefficient[0] = 1;
  }
  return true;
}
