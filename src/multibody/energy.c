// Energies, momentum and centre of mass.
#include <math.h>

#include "multibody/dynamics.h"

static double body_kinetic(const ss_tree_work* work, int b)
{
  const ss_spatial* V = work->V + b;
  return 0.5*(work->tree->body[b].mass*ss_dot3(V->v, V->v) + ss_dot3(V->w, ss_sym3_mul(work->J + b, V->w)));
}

static double rotor_kinetic(const ss_tree_work* work, int i)
{
  return 0.5*work->tree->armature[i]*work->u[i]*work->u[i];
}

static double body_potential(const ss_tree_work* work, int b)
{
  return -work->tree->body[b].mass*ss_dot3(work->tree->gravity, work->com[b]);
}

static double spring_potential(const ss_tree_work* work, int j)
{
  const ss_tree* tree = work->tree;
  const ss_tree_joint* joint = tree->joint + tree->spring[j];
  const ss_joint_def* def = tree->def.joint + joint->source;
  double x = work->q[joint->iq] - def->springref;
  if (joint->kind == SS_JOINT_BALL) x = ss_norm(ss_quat_log(ss_quat_normalized(ss_quat_from(work->q + joint->iq))));
  return 0.5*def->stiffness*x*x;
}

double ss_tree_kinetic(const ss_tree_work* work)
{
  double T = 0;
  for (int b = 1; b < work->tree->n_body; b++) T += body_kinetic(work, b);
  for (int i = 0; i < work->tree->nv; i++) T += rotor_kinetic(work, i);
  return T;
}

double ss_tree_potential(const ss_tree_work* work)
{
  double V = 0;
  for (int b = 1; b < work->tree->n_body; b++) V += body_potential(work, b);
  for (int j = 0; j < work->tree->n_spring; j++) V += spring_potential(work, j);
  return V;
}

// e to the whole and to its part, if that can move
static void add(double e, int part, double* whole, double* apart, int stride)
{
  *whole += e;
  if (part >= 0) apart[part*stride] += e;
}

void ss_tree_energies(const ss_tree_work* work, const int* body_part, const int* velocity_part, ss_energy* whole,
                      ss_energy* part)
{
  const ss_tree* tree = work->tree;
  int stride = sizeof *part/sizeof(double);
  double *T = &part->kinetic, *V = &part->potential;
  *whole = (ss_energy){0};
  for (int b = 1; b < tree->n_body; b++) {
    add(body_kinetic(work, b), body_part[b - 1], &whole->kinetic, T, stride);
    add(body_potential(work, b), body_part[b - 1], &whole->potential, V, stride);
  }
  for (int i = 0; i < tree->nv; i++) add(rotor_kinetic(work, i), velocity_part[i], &whole->kinetic, T, stride);
  for (int j = 0; j < tree->n_spring; j++)
    add(spring_potential(work, j), velocity_part[tree->joint[tree->spring[j]].iv], &whole->potential, V, stride);
}

void ss_tree_potential_size(const ss_tree_work* work, const int* body_part, const int* velocity_part, double* part)
{
  const ss_tree* tree = work->tree;
  for (int b = 1; b < tree->n_body; b++) {
    int k = body_part ? body_part[b - 1] : 0;
    ss_vec3 g = tree->gravity, x = work->com[b];
    if (k >= 0) part[k] += tree->body[b].mass*(fabs(g.x*x.x) + fabs(g.y*x.y) + fabs(g.z*x.z));
  }
  for (int j = 0; j < tree->n_spring; j++) {
    const ss_tree_joint* joint = tree->joint + tree->spring[j];
    const ss_joint_def* def = tree->def.joint + joint->source;
    double x = joint->kind == SS_JOINT_BALL ? 1 : fabs(work->q[joint->iq]) + fabs(def->springref);
    part[velocity_part ? velocity_part[joint->iv] : 0] += 0.5*def->stiffness*x*x;
  }
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
