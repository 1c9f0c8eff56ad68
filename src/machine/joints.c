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

ss_tree_node* ss_machine_add_row(ss_machine_work* w, uint64_t key, const ss_contact_def* law, double gap, int body_a,
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

// What round-off of a joint is measured by, where its terms are zero: angles are numbers beside 1, lengths are beside
// those of the scene
static double unit_of(const ss_machine* m, const ss_limit* limit)
{
  return limit->kind == SS_JOINT_SLIDE ? m->length : 1;
}

// How near a limit counts: what the joint moves in dt, what gravity may add, round-off
static double reach_of(const ss_machine* m, const ss_limit* limit, const double* u, double dt)
{
  double speed = 0, free_fall = m->gravity*dt*dt;
  for (int k = 0; u && k < ss_joint_velocities(limit->kind); k++) speed += u[limit->iv + k]*u[limit->iv + k];
  double fall = limit->kind == SS_JOINT_SLIDE ? free_fall : free_fall/m->length;
  return fabs(dt)*sqrt(speed) + fall + 1e-9*(1 + fmax(fabs(limit->range[0]), fabs(limit->range[1])));
}

static bool list_end(ss_machine_work* w, const ss_limit* limit, const ss_at* at, double reach, int upper)
{
  double q = at->q[limit->iq], gap = upper ? limit->range[1] - q : q - limit->range[0];
  if (!(gap < reach)) return true;
  uint64_t key = SS_KEY_LIMIT + 2*(uint64_t)limit->joint + (uint64_t)upper;
  ss_tree_node* node = ss_machine_add_row(w, key, &w->machine->limit_law, gap, limit->body_a, limit->body_b);
  if (!node) return false;
  w->item[w->n_item - 1].size = fabs(q) + fabs(limit->range[upper]) + unit_of(w->machine, limit);
  w->item[w->n_item - 1].angle = limit->kind != SS_JOINT_SLIDE;
  node->terms = 1;
  node->velocity[0] = limit->iv;
  node->coefficient[0] = upper ? -1 : 1;
  return true;
}

static bool list_range(ss_machine_work* w, const ss_limit* limit, const ss_at* at, double reach)
{
  return list_end(w, limit, at, reach, 0) && list_end(w, limit, at, reach, 1);
}

// A ball's angle is |phi| with the rotation vector phi = |phi| a, and its rate a . omega: the axis is the same before
// and behind the joint. No axis without a turn: then any will do, the bound is near zero there.
static bool list_angle(ss_machine_work* w, const ss_limit* limit, const ss_at* at, double reach)
{
  ss_vec3 phi = ss_quat_log(ss_quat_normalized(ss_quat_from(at->q + limit->iq)));
  double angle = ss_norm(phi), gap = limit->range[1] - angle;
  if (!(gap < reach)) return true;
  uint64_t key = SS_KEY_LIMIT + 2*(uint64_t)limit->joint + 1;
  ss_tree_node* node = ss_machine_add_row(w, key, &w->machine->limit_law, gap, limit->body_a, limit->body_b);
  if (!node) return false;
  w->item[w->n_item - 1].size = angle + limit->range[1] + 1;
  w->item[w->n_item - 1].angle = true;
  ss_vec3 axis = angle > 0 ? ss_scale(-1/angle, phi) : (ss_vec3){-1, 0, 0};
  node->terms = 3;
  for (int k = 0; k < 3; k++) node->velocity[k] = limit->iv + k;
  ss_vec3_to(axis, node->coefficient);
  return true;
}

static bool list_dry(ss_machine_work* w, const ss_dry* dry)
{
  uint64_t key = SS_KEY_FRICTION + (uint64_t)dry->iv;
  ss_tree_node* node = ss_machine_add_row(w, key, &dry->law, 0, dry->body_a, dry->body_b);
  if (!node) return false;
  node->terms = 1;
  node->velocity[0] = dry->iv;
  node->coefficient[0] = 1;
  return true;
}

// In the order of the keys: limits of joints and tendons, then their dry friction
bool ss_machine_list_joints(ss_machine_work* w, const ss_at* at, double dt)
{
  const ss_machine* m = w->machine;
  for (int i = 0; i < m->n_limit; i++) {
    const ss_limit* limit = m->limit + i;
    double reach = reach_of(m, limit, at->u, dt);
    if (!(limit->kind == SS_JOINT_BALL ? list_angle : list_range)(w, limit, at, reach)) return false;
  }
  if (!ss_machine_list_tendon_limits(w, at, dt)) return false;
  for (int i = 0; i < m->n_dry; i++)
    if (!list_dry(w, m->dry + i)) return false;
  return ss_machine_list_tendon_friction(w);
}

// ---- by key --------------------------------------------------------------------------------------------------------

static const ss_limit* limit_of(const ss_machine* m, uint64_t key)
{
  uint64_t joint = (key - SS_KEY_LIMIT)/2;
  for (int i = 0; i < m->n_limit; i++)
    if ((uint64_t)m->limit[i].joint == joint) return m->limit + i;
  return NULL;
}

bool ss_machine_follow_joint(ss_machine_work* w, const ss_at* at, uint64_t key)
{
  const ss_machine* m = w->machine;
  if (key < SS_KEY_FRICTION) {
    const ss_limit* limit = limit_of(m, key);
    if (!limit) return ss_machine_follow_tendon(w, at, key);
    if (limit->kind == SS_JOINT_BALL) return list_angle(w, limit, at, INFINITY);
    return list_end(w, limit, at, INFINITY, (int)(key & 1));
  }
  for (int i = 0; i < m->n_dry; i++)
    if ((uint64_t)m->dry[i].iv == key - SS_KEY_FRICTION) return list_dry(w, m->dry + i);
  return ss_machine_follow_tendon(w, at, key);
}

// Of a ball's angle, gamma = -a . omega with the axis a = phi/|phi|, whose rate is that of
//   phi' = omega + phi x omega/2 + k phi x (phi x omega)      (the inverse of the right Jacobian)
// across a, over |phi|. The other rows have constant coefficients.
double ss_machine_joint_bias(const ss_machine* m, const ss_at* at, uint64_t key)
{
  const ss_limit* limit = key < SS_KEY_FRICTION ? limit_of(m, key) : NULL;
  if (!limit || limit->kind != SS_JOINT_BALL) return 0;
  ss_vec3 phi = ss_quat_log(ss_quat_normalized(ss_quat_from(at->q + limit->iq)));
  ss_vec3 omega = ss_vec3_from(at->u + limit->iv), c = ss_cross(phi, omega), d = ss_cross(phi, c);
  double a2 = ss_dot3(phi, phi), half = 0.5*sqrt(a2);
  if (a2 == 0) return 0;
  double k = a2 < 1e-4 ? 1.0/12 + a2*(1.0/720 + a2/30240) : (1 - half/tan(half))/a2;
  ss_vec3 rate = ss_add(omega, ss_add(ss_scale(0.5, c), ss_scale(k, d)));
  ss_vec3 across = ss_sub(rate, ss_scale(ss_dot3(phi, rate)/a2, phi));
  return -ss_dot3(across, omega)/sqrt(a2);
}
