// Forces from accelerations: recursive Newton-Euler [Featherstone 2008, section 5.3], springs and dampers.
#include <string.h>
#include "multibody/tree.h"

// What a body needs beyond its joints' inertia: f = m (a - g), n = J w' + w x J w, with a = A.v + w x v the
// acceleration of the centre of mass
SS_INLINE ss_spatial body_force(double m, const ss_sym3* J, const ss_spatial* V, const ss_spatial* A, ss_vec3 g)
{
  ss_vec3 a = ss_sub(ss_add(A->v, ss_cross(V->w, V->v)), g);
  return (ss_spatial){.w = ss_add(ss_sym3_mul(J, A->w), ss_cross(V->w, ss_sym3_mul(J, V->w))), .v = ss_scale(m, a)};
}

SS_CLONES static void newton_euler(ss_tree_work* w, const ss_spatial* A, double* tau)
{
  const ss_tree* tree = w->tree;
  ss_spatial* f = w->f;
  for (int b = 0; b < tree->n_body; b++)
    f[b] = body_force(tree->body[b].mass, w->J + b, w->V + b, A + b, tree->gravity);
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
static void add_springs(const ss_tree_work* w, double* h)
{
  const ss_tree* tree = w->tree;
  for (int j = 0; j < tree->n_spring; j++) {
    const ss_tree_joint* joint = tree->joint + tree->spring[j];
    const ss_joint_def* def = tree->def.joint + joint->source;
    if (joint->kind == SS_JOINT_BALL) {
      ss_vec3 phi = ss_quat_log(ss_quat_normalized(ss_quat_from(w->q + joint->iq)));
      h[joint->iv] -= def->stiffness*phi.x;
      h[joint->iv + 1] -= def->stiffness*phi.y;
      h[joint->iv + 2] -= def->stiffness*phi.z;
    } else {
      h[joint->iv] -= def->stiffness*(w->q[joint->iq] - def->springref);
    }
  }
}

void ss_tree_force(ss_tree_work* work, double* h)
{
  const ss_tree* tree = work->tree;
  newton_euler(work, work->A, h);
  for (int i = 0; i < tree->nv; i++) h[i] = -h[i] - tree->damping[i]*work->u[i];
  add_springs(work, h);
}
