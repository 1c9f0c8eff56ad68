// Fixed tendons: the length L = sum of c_i q_i, its rate sum of c_i u_i. A spring pulls towards a length, or towards a
// range of lengths where it is slack; a damper acts on the rate; the range of the length and dry friction are contacts
// with one row in joint space, as those of joints.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "machine/machine.h"

static void set_terms(ss_machine* m, const ss_scene* scene, const ss_scene_tendon* from, ss_tendon* tendon)
{
  tendon->first_term = m->n_term;
  tendon->n_term = from->n_term;
  for (int i = 0; i < from->n_term; i++) {
    ss_drive_term* term = m->term + m->n_term++;
    ss_tree_joint_at(m->tree, from->joint[i], &term->iq, &term->iv);
    term->coefficient = from->coefficient[i];
    bool slides = scene->tree.joint[from->joint[i]].kind == SS_JOINT_SLIDE;
    tendon->fall += fabs(term->coefficient)*m->gravity/(slides ? 1 : m->length);
  }
  tendon->body_a = scene->tree.joint[from->joint[0]].body;
  tendon->body_b = scene->tree.joint[from->joint[from->n_term - 1]].body;
}

// The terms of its row; those of a kinematic tree follow one another (rows.c). False if they are too many.
static bool set_row(const ss_machine* m, ss_tendon* tendon)
{
  const ss_drive_term* term = m->term + tendon->first_term;
  int n = 0;
  for (int i = 0; i < tendon->n_term; i++) {
    if (term[i].coefficient == 0) continue;
    if (n == SS_TENDON_JOINTS) return false;
    int k = n++;
    for (; k > 0 && m->part_moved[tendon->row[k - 1].iv] > m->part_moved[term[i].iv]; k--)
      tendon->row[k] = tendon->row[k - 1];
    tendon->row[k] = term[i];
  }
  tendon->n_row = n;
  int parts = n > 0;
  for (int i = 1; i < n; i++) parts += m->part_moved[tendon->row[i].iv] != m->part_moved[tendon->row[i - 1].iv];
  return parts <= 2;
}

ss_status ss_machine_make_tendons(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  int terms = 0;
  for (int i = 0; i < scene->n_tendon; i++) terms += scene->tendon[i].n_term;
  m->tendon = SS_MACHINE_ARRAY(scene->n_tendon, ss_tendon);
  m->term = SS_MACHINE_ARRAY(terms, ss_drive_term);
  if (!m->tendon || !m->term) return ss_machine_no_memory(error);
  for (int i = 0; i < scene->n_tendon; i++) {
    const ss_scene_tendon* from = scene->tendon + i;
    ss_tendon* tendon = m->tendon + m->n_tendon++;
    *tendon = (ss_tendon){.limited = from->limited, .stiffness = from->stiffness, .damping = from->damping,
                          .law = {.name = "friction", .kind = SS_CONTACT_FRICTION, .bound = from->friction}};
    memcpy(tendon->range, from->range, sizeof tendon->range);
    memcpy(tendon->rest, from->springlength, sizeof tendon->rest);
    set_terms(m, scene, from, tendon);
    if ((from->limited || from->friction > 0) && !set_row(m, tendon))
      return ss_machine_complain(error, scene, from->line, "tendon '%.60s': range and friction need at most %d joints "
                                 "of at most two kinematic trees", from->name, SS_TENDON_JOINTS);
  }
  return SS_OK;
}

double ss_machine_tendon_sum(const ss_machine* m, const ss_tendon* tendon, const double* x, bool rate)
{
  double sum = 0;
  for (int i = 0; i < tendon->n_term; i++) {
    const ss_drive_term* term = m->term + tendon->first_term + i;
    sum += term->coefficient*x[rate ? term->iv : term->iq];
  }
  return sum;
}

// ---- forces --------------------------------------------------------------------------------------------------------

// How far the spring is from where it is slack
static double stretch_of(const ss_machine* m, const ss_tendon* tendon, const double* q)
{
  double length = ss_machine_tendon_sum(m, tendon, q, false);
  return length - fmin(fmax(length, tendon->rest[0]), tendon->rest[1]);
}

void ss_machine_add_tendons(const ss_machine* m, const double* q, const double* u, double* h)
{
  for (int i = 0; i < m->n_tendon; i++) {
    const ss_tendon* tendon = m->tendon + i;
    double force = 0;
    if (tendon->stiffness > 0) force -= tendon->stiffness*stretch_of(m, tendon, q);
    if (tendon->damping > 0) force -= tendon->damping*ss_machine_tendon_sum(m, tendon, u, true);
    for (int k = tendon->first_term; force != 0 && k < tendon->first_term + tendon->n_term; k++)
      h[m->term[k].iv] += m->term[k].coefficient*force;
  }
}

int ss_machine_tendon_part(const ss_machine* m, const ss_tendon* tendon)
{
  return m->part_moved[m->term[tendon->first_term].iv];
}

double ss_machine_tendon_spring(const ss_machine* m, const ss_tendon* tendon, const double* q)
{
  if (!(tendon->stiffness > 0)) return 0;
  double stretch = stretch_of(m, tendon, q);
  return 0.5*tendon->stiffness*stretch*stretch;
}

double ss_machine_tendon_damper(const ss_machine* m, const ss_tendon* tendon, const double* u)
{
  double rate = tendon->damping > 0 ? ss_machine_tendon_sum(m, tendon, u, true) : 0;
  return -tendon->damping*rate*rate;
}

double ss_machine_tendon_energy(const ss_machine* m, const double* q)
{
  double energy = 0;
  for (int i = 0; i < m->n_tendon; i++) energy += ss_machine_tendon_spring(m, m->tendon + i, q);
  return energy;
}

double ss_machine_tendon_power(const ss_machine* m, const double* u)
{
  double power = 0;
  for (int i = 0; i < m->n_tendon; i++) power += ss_machine_tendon_damper(m, m->tendon + i, u);
  return power;
}

// ---- contacts ------------------------------------------------------------------------------------------------------

static bool add_row(ss_machine_work* w, const ss_tendon* tendon, uint64_t key, const ss_contact_def* law, double gap,
                    double sign)
{
  ss_tree_node* node = ss_machine_add_row(w, key, law, gap, tendon->body_a, tendon->body_b);
  if (!node) return false;
  node->terms = tendon->n_row;
  for (int i = 0; i < tendon->n_row; i++) {
    node->velocity[i] = tendon->row[i].iv;
    node->coefficient[i] = sign*tendon->row[i].coefficient;
  }
  return true;
}

static bool list_end(ss_machine_work* w, int i, const ss_at* at, double reach, int upper)
{
  const ss_machine* m = w->machine;
  const ss_tendon* tendon = m->tendon + i;
  double length = ss_machine_tendon_sum(m, tendon, at->q, false);
  double gap = upper ? tendon->range[1] - length : length - tendon->range[0];
  if (!(gap < reach)) return true;
  uint64_t key = SS_KEY_LIMIT + 2*(uint64_t)(m->n_joint + i) + (uint64_t)upper;
  if (!add_row(w, tendon, key, &m->limit_law, gap, upper ? -1 : 1)) return false;
  double* size = &w->item[w->n_item - 1].size;  // terms may cancel
  *size = fabs(tendon->range[upper]);
  for (int k = 0; k < tendon->n_row; k++) *size += fabs(tendon->row[k].coefficient*at->q[tendon->row[k].iq]);
  return true;
}

static bool list_dry(ss_machine_work* w, int i)
{
  const ss_tendon* tendon = w->machine->tendon + i;
  return add_row(w, tendon, SS_KEY_FRICTION + (uint64_t)(w->machine->nv + i), &tendon->law, 0, 1);
}

// How near a limit counts: what the length changes in dt, what gravity may add, round-off
bool ss_machine_list_tendon_limits(ss_machine_work* w, const ss_at* at, double dt)
{
  const ss_machine* m = w->machine;
  for (int i = 0; i < m->n_tendon; i++) {
    const ss_tendon* tendon = m->tendon + i;
    if (!tendon->n_row) continue;
    double speed = at->u ? fabs(ss_machine_tendon_sum(m, tendon, at->u, true)) : 0;
    double round_off = 1e-9*(1 + fmax(fabs(tendon->range[0]), fabs(tendon->range[1])));
    double reach = fabs(dt)*speed + tendon->fall*dt*dt + round_off;
    if (tendon->limited && !(list_end(w, i, at, reach, 0) && list_end(w, i, at, reach, 1))) return false;
  }
  return true;
}

bool ss_machine_list_tendon_friction(ss_machine_work* w)
{
  const ss_machine* m = w->machine;
  for (int i = 0; i < m->n_tendon; i++)
    if (m->tendon[i].n_row && m->tendon[i].law.bound > 0 && !list_dry(w, i)) return false;
  return true;
}

bool ss_machine_follow_tendon(ss_machine_work* w, const ss_at* at, uint64_t key)
{
  const ss_machine* m = w->machine;
  bool dry = key >= SS_KEY_FRICTION;
  uint64_t i = dry ? key - SS_KEY_FRICTION - (uint64_t)m->nv : (key - SS_KEY_LIMIT)/2 - (uint64_t)m->n_joint;
  if (i >= (uint64_t)m->n_tendon || !m->tendon[i].n_row) return false;
  return dry ? list_dry(w, (int)i) : list_end(w, (int)i, at, INFINITY, (int)(key & 1));
}
