// Forces from accelerations: recursive Newton-Euler [Featherstone 2008, section 5.3], springs and dampers.
#include <string.h>
#include "multibody/dynamics.h"
#include "multibody/tree.h"

SS_CLONES static void newton_euler(ss_tree_work* w, const ss_spatial* A, double* tau)
{
  const ss_tree* tree = w->tree;
  ss_spatial* f = w->f;
  for (int b = 0; b < tree->n_body; b++) f[b] = ss_tree_body_force(w, b, A + b);
  for (int b = tree->n_body - 1; b > 0; b--) {
    const ss_tree_body* body = tree->body + b;
    for (int i = body->iv; i < body->iv + body->nv; i++) tau[i] = ss_spatial_dot(w->S + i, f + b);
    ss_force_add_shifted(f + b, w->d[b], f + body->parent);
  }
}

void ss_tree_bias(ss_tree_work* work, double* c) { newton_euler(work, work->A, c); }

// The accelerations S u' of the bodies, added to those that they have without u'
void ss_tree_inverse(ss_tree_work* work, const double* du, double* tau)
{
  const ss_tree* tree = work->tree;
  ss_spatial* a = work->a;
  for (int b = 1; b < tree->n_body; b++) {
    const ss_tree_body* body = tree->body + b;
    a[b] = ss_motion_shifted(a + body->parent, work->d[b]);
    for (int i = body->iv; i < body->iv + body->nv; i++) ss_spatial_axpy(du[i], work->S + i, a + b);
  }
  for (int b = 1; b < tree->n_body; b++) ss_spatial_axpy(1, work->A + b, a + b);
  for (int i = 0; i < tree->nv; i++) work->x[i] = tree->armature[i]*du[i];
  newton_euler(work, a, tau);  // tau may be du
  for (int i = 0; i < tree->nv; i++) tau[i] += work->x[i];
}

// h = -k (q - q_s) - b u; a ball's spring turns back along the rotation vector phi, the gradient of |phi|^2/2
void ss_tree_add_springs(const ss_tree_work* work, double* h)
{
  const ss_tree* tree = work->tree;
  for (int j = 0; j < tree->n_spring; j++) {
    const ss_tree_joint* joint = tree->joint + tree->spring[j];
    const ss_joint_def* def = tree->def.joint + joint->source;
    if (joint->kind == SS_JOINT_BALL) {
      ss_vec3 phi = ss_quat_log(ss_quat_normalized(ss_quat_from(work->q + joint->iq)));
      h[joint->iv] -= def->stiffness*phi.x;
      h[joint->iv + 1] -= def->stiffness*phi.y;
      h[joint->iv + 2] -= def->stiffness*phi.z;
    } else {
      h[joint->iv] -= def->stiffness*(work->q[joint->iq] - def->springref);
    }
  }
}

void ss_tree_force(ss_tree_work* work, double* h)
{
  const ss_tree* tree = work->tree;
  newton_euler(work, work->A, h);
  for (int i = 0; i < tree->nv; i++) h[i] = -h[i] - tree->damping[i]*work->u[i];
  ss_tree_add_springs(work, h);
}
