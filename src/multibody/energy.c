// Energies, momentum and centre of mass.
#include "multibody/tree.h"

double ss_tree_kinetic(const ss_tree_work* work)
{
  const ss_tree* tree = work->tree;
  double T = 0;
  for (int b = 1; b < tree->n_body; b++) {
    const ss_spatial* V = work->V + b;
    T += 0.5*(tree->body[b].mass*ss_dot3(V->v, V->v) + ss_dot3(V->w, ss_sym3_mul(work->J + b, V->w)));
  }
  for (int i = 0; i < tree->nv; i++) T += 0.5*tree->armature[i]*work->u[i]*work->u[i];
  return T;
}

double ss_tree_potential(const ss_tree_work* work)
{
  const ss_tree* tree = work->tree;
  double V = 0;
  for (int b = 1; b < tree->n_body; b++) V -= tree->body[b].mass*ss_dot3(tree->gravity, work->com[b]);
  for (int j = 0; j < tree->n_spring; j++) {
    const ss_tree_joint* joint = tree->joint + tree->spring[j];
    const ss_joint_def* def = tree->def.joint + joint->source;
    double x = work->q[joint->iq] - def->springref;
    if (joint->kind == SS_JOINT_BALL) x = ss_norm(ss_quat_log(ss_quat_normalized(ss_quat_from(work->q + joint->iq))));
    V += 0.5*def->stiffness*x*x;
  }
  return V;
}

double ss_tree_com(const ss_tree_work* work, double point[3])
{
  const ss_tree* tree = work->tree;
  double m = 0;
  ss_vec3 sum = {0, 0, 0};
  for (int b = 1; b < tree->n_body; b++) {
    m += tree->body[b].mass;
    sum = ss_add(sum, ss_scale(tree->body[b].mass, work->com[b]));
  }
  if (point) ss_vec3_to(m > 0 ? ss_scale(1/m, sum) : sum, point);
  return m;
}

void ss_tree_momentum(const ss_tree_work* work, double linear[3], double angular[3])
{
  const ss_tree* tree = work->tree;
  ss_vec3 p = {0, 0, 0}, L = {0, 0, 0};
  for (int b = 1; b < tree->n_body; b++) {
    ss_vec3 mv = ss_scale(tree->body[b].mass, work->V[b].v);
    p = ss_add(p, mv);
    L = ss_add(L, ss_add(ss_sym3_mul(work->J + b, work->V[b].w), ss_cross(work->com[b], mv)));
  }
  ss_vec3_to(p, linear);
  ss_vec3_to(L, angular);
}
