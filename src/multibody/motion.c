// Along q: the reference pose, q moved by a velocity, the velocity between two q.
#include <math.h>
#include <string.h>
#include "multibody/tree.h"

void ss_tree_reference(const ss_tree* tree, double* q)
{
  for (int j = 0; j < tree->def.n_joint; j++) {
    const ss_joint_def* def = tree->def.joint + j;
    double* at = q + tree->joint_iq[j];
    if (def->kind <= SS_JOINT_SLIDE) *at = def->ref;
    if (def->kind == SS_JOINT_BALL) ss_quat_to((ss_quat){1, 0, 0, 0}, at);
    if (def->kind == SS_JOINT_FREE) {
      memcpy(at, tree->def.body[def->body].position, sizeof(double[3]));
      memcpy(at + 3, tree->def.body[def->body].rotation, sizeof(double[4]));
    }
  }
}

// The angular velocity of a ball is in the frame behind it: q exp(u dt)
void ss_tree_advance(const ss_tree* tree, const double* q, const double* u, double dt, double* q_out)
{
  for (int j = 0; j < tree->n_joint; j++) {
    const ss_tree_joint* joint = tree->joint + j;
    if (joint->kind != SS_JOINT_BALL) {
      q_out[joint->iq] = q[joint->iq] + dt*u[joint->iv];
      continue;
    }
    ss_quat turn = ss_quat_exp(ss_scale(dt, ss_vec3_from(u + joint->iv)));
    ss_quat_to(ss_quat_normalized(ss_quat_mul(ss_quat_from(q + joint->iq), turn)), q_out + joint->iq);
  }
}

// Of a ball q' = q (0, u)/2
void ss_tree_rate(const ss_tree* tree, const double* q, const double* u, double* dq, double* size)
{
  for (int j = 0; j < tree->n_joint; j++) {
    const ss_tree_joint* joint = tree->joint + j;
    const double *p = q + joint->iq, *w = u + joint->iv;
    double* to = dq + joint->iq;
    if (joint->kind != SS_JOINT_BALL) {
      *to = *w;
      if (size) size[joint->iq] = fabs(*w);
      continue;
    }
    double turn[4] = {-p[1]*w[0] - p[2]*w[1] - p[3]*w[2], p[0]*w[0] + p[2]*w[2] - p[3]*w[1],
                      p[0]*w[1] + p[3]*w[0] - p[1]*w[2], p[0]*w[2] + p[1]*w[1] - p[2]*w[0]};
    double most = 0.5*(fabs(w[0]) + fabs(w[1]) + fabs(w[2]));
    for (int k = 0; k < 4; k++) {
      to[k] = 0.5*turn[k];
      if (size) size[joint->iq + k] = most;
    }
  }
}

void ss_tree_difference(const ss_tree* tree, const double* q0, const double* q1, double* du)
{
  for (int j = 0; j < tree->n_joint; j++) {
    const ss_tree_joint* joint = tree->joint + j;
    if (joint->kind != SS_JOINT_BALL) {
      du[joint->iv] = q1[joint->iq] - q0[joint->iq];
      continue;
    }
    ss_quat a = ss_quat_normalized(ss_quat_from(q0 + joint->iq)), b = ss_quat_normalized(ss_quat_from(q1 + joint->iq));
    ss_vec3_to(ss_quat_log(ss_quat_mul(ss_quat_conjugate(a), b)), du + joint->iv);
  }
}
