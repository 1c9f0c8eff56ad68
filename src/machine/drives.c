// Actuators: force = gain ctrl + bias . (1, length, velocity), within forcerange, times gear on the joint or tendon.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "machine/machine.h"

ss_status ss_machine_make_drives(ss_machine* m, const ss_scene* scene, ss_error* error)
{
  m->drive = SS_MACHINE_ARRAY(scene->n_actuator, ss_drive);
  m->ctrl = SS_MACHINE_ARRAY(scene->n_actuator, double);
  if (!m->drive || !m->ctrl) return ss_machine_no_memory(error);
  m->n_ctrl = scene->n_actuator;
  int key = scene->run.key;
  if (key >= 0 && key < scene->n_key && scene->key[key].ctrl)
    memcpy(m->ctrl, scene->key[key].ctrl, sizeof(double)*(size_t)m->n_ctrl);
  for (int a = 0; a < scene->n_actuator && scene->option.actuation; a++) {
    const ss_scene_actuator* from = scene->actuator + a;
    ss_drive* drive = m->drive + m->n_drive++;
    ss_joint_kind kind = from->joint >= 0 ? scene->tree.joint[from->joint].kind : SS_JOINT_FIXED;
    *drive = (ss_drive){.tendon = from->joint >= 0 ? -1 : from->tendon, .kind = kind,
                        .nv = ss_joint_velocities(kind), .input = a, .gain = from->gain,
                        .ctrllimited = from->ctrllimited && scene->option.clampctrl,
                        .forcelimited = from->forcelimited};
    if (from->joint >= 0) ss_tree_joint_at(m->tree, from->joint, &drive->iq, &drive->iv);
    memcpy(drive->gear, from->gear, sizeof drive->gear);
    memcpy(drive->bias, from->bias, sizeof drive->bias);
    memcpy(drive->ctrlrange, from->ctrlrange, sizeof drive->ctrlrange);
    memcpy(drive->forcerange, from->forcerange, sizeof drive->forcerange);
  }
  return SS_OK;
}

static double within(double x, bool limited, const double range[2])
{
  return limited ? fmin(fmax(x, range[0]), range[1]) : x;
}

// gear q; of a ball the part of the rotation vector along gear; of a free joint 0
static double length_of(const ss_drive* drive, const double* q)
{
  if (drive->kind <= SS_JOINT_SLIDE) return drive->gear[0]*q[drive->iq];
  if (drive->kind >= SS_JOINT_FREE || drive->bias[1] == 0) return 0;
  return ss_dot3(ss_vec3_from(drive->gear), ss_quat_log(ss_quat_normalized(ss_quat_from(q + drive->iq))));
}

ss_drive_state ss_machine_drive(const ss_machine* m, const ss_drive* drive, const double* q, const double* u)
{
  double ctrl = within(m->ctrl[drive->input], drive->ctrllimited, drive->ctrlrange);
  const ss_tendon* tendon = drive->tendon >= 0 ? m->tendon + drive->tendon : NULL;
  ss_drive_state s = {0};
  for (int k = 0; k < drive->nv; k++) s.velocity += drive->gear[k]*u[drive->iv + k];
  if (tendon) s.velocity = drive->gear[0]*ss_machine_tendon_sum(m, tendon, u, true);
  s.length = tendon ? drive->gear[0]*ss_machine_tendon_sum(m, tendon, q, false) : length_of(drive, q);
  s.force = drive->gain*ctrl + drive->bias[0] + drive->bias[1]*s.length + drive->bias[2]*s.velocity;
  s.force = within(s.force, drive->forcelimited, drive->forcerange);
  return s;
}

double ss_machine_add_drives(const ss_machine* m, const double* q, const double* u, double* h)
{
  double power = 0;
  for (int i = 0; i < m->n_drive; i++) {
    const ss_drive* drive = m->drive + i;
    ss_drive_state s = ss_machine_drive(m, drive, q, u);
    const ss_tendon* tendon = drive->tendon >= 0 ? m->tendon + drive->tendon : NULL;
    for (int k = 0; h && k < drive->nv; k++) h[drive->iv + k] += drive->gear[k]*s.force;
    for (int k = tendon ? tendon->first_term : 0; h && tendon && k < tendon->first_term + tendon->n_term; k++)
      h[m->term[k].iv] += drive->gear[0]*m->term[k].coefficient*s.force;
    power += s.force*s.velocity;
  }
  return power;
}
