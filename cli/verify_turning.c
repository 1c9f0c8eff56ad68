// `stickslip verify` of steps of rattle: in a kinematic tree, u_H in the middle and v = u_H less what its centre of
// mass has of it, if it hangs on nothing,
//   first half   M_A (u_H - u_A) = dt/2 h_A + W_A P_1 - alpha M_A v_A,
//   second half  M_E (u_E - u_H) = dt/2 h_E + W_E P_2 - alpha M_E v_E,   the same alpha,
// so that the forces c(q, u_H) do no work. Without the impulses, y = u_H - u_A - M^-1 W_A P_1 and likewise at the end,
//   T(q_E, u_H + y_E) - T(q_A, u_H - y_A) = dt/2 (v_A . (h_A + c_A) + v_E . (h_E + c_E)).
// T of a tree that hangs on nothing is that against its centre of mass, and alpha v has a translation beta besides, the
// same at both ends, so that its momentum p changes by h + c along the axes,
//   p(q_E, u_H + y_E) - p(q_A, u_H - y_A) = dt/2 (h_A + c_A + h_E + c_E).
#include <math.h>
#include <stdlib.h>

#include "verify_turning.h"

#define SLOW 1.01e-7  // rad in a step: what turns less far is taken as it is

struct cli_turning {
  cli_verifier* c;
  int nv, n_tree;
  int* tree_of;     // nv: -1: a free body alone, whose energy needs nothing
  int* free_from;   // n_tree: the first of three translations, -1: it hangs on something
  int *velocities, *turning;  // n_tree: how many there are, and joints that turn: M of one velocity is constant
  long double *alpha, *gain, *terms;  // n_tree: T(q_E, ...) - T(q_A, ...) - work so far, and its terms
  long double *beta, *push, *pushes;  // 3 n_tree: momenta of translations; what these gain likewise
  double *v, *x, *y, *Mx, *c_now;     // nv
  double* twist;                      // 6 n_tree
  bool slow;                          // nothing turns far in the step
};

// ---- which velocity belongs to what ----

static bool turns_alone(const ss_tree_def* def, int body)
{
  int joints = 0;
  bool plain = def->body[body].parent == SS_WORLD;
  for (int b = 0; b < def->n_body; b++) plain = plain && def->body[b].parent != body;
  for (int j = 0; j < def->n_joint; j++) {
    const ss_joint_def* joint = &def->joint[j];
    if (joint->body != body) continue;
    joints++;
    plain = plain && joint->kind == SS_JOINT_FREE && joint->damping == 0 && joint->armature == 0;
  }
  return plain && joints == 1;
}

// The bodies whose joint is between their tree and the world; -1: fixed to it
static void find_roots(const ss_tree_def* def, int* root)
{
  for (int b = 0; b < def->n_body; b++) root[b] = -1;
  for (int j = 0; j < def->n_joint; j++)
    if (def->joint[j].kind != SS_JOINT_FIXED) root[def->joint[j].body] = def->joint[j].body;
  for (int b = 0; b < def->n_body; b++) {
    int parent = def->body[b].parent;
    if (parent != SS_WORLD && root[parent] >= 0) root[b] = root[parent];
  }
}

static void find_trees(cli_turning* t, const ss_tree* tree, int* root)
{
  const ss_tree_def* def = ss_tree_get(tree);
  find_roots(def, root);
  for (int j = 0; j < def->n_joint; j++) {
    const ss_joint_def* joint = &def->joint[j];
    int iv, at = root[joint->body];
    if (joint->kind == SS_JOINT_FIXED) continue;
    bool alone = turns_alone(def, at);
    t->velocities[at] += ss_joint_velocities(joint->kind);
    t->turning[at] += joint->kind != SS_JOINT_SLIDE;
    ss_tree_joint_at(tree, j, NULL, &iv);
    for (int k = 0; k < ss_joint_velocities(joint->kind); k++) t->tree_of[iv + k] = alone ? -1 : at;
    bool whole = joint->kind == SS_JOINT_FREE && joint->body == at && joint->damping == 0 && joint->armature == 0;
    if (whole && !alone) t->free_from[at] = iv;
  }
}

cli_turning* cli_turning_open(cli_verifier* c)
{
  const ss_machine* machine = ss_model_machine(c->model);
  cli_turning* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->c = c;
  t->nv = machine ? c->d->nv : 0;
  t->n_tree = machine ? ss_tree_get(ss_machine_tree(machine))->n_body : 0;
  size_t nv = (size_t)t->nv, n = (size_t)t->n_tree;
  t->tree_of = calloc(nv + 4*n + 1, sizeof *t->tree_of);
  t->alpha = calloc(12*n + 1, sizeof *t->alpha);
  t->v = calloc(5*nv + 6*n + 1, sizeof *t->v);
  if (!t->tree_of || !t->alpha || !t->v) {
    cli_turning_close(t);
    return NULL;
  }
  t->free_from = t->tree_of + nv;
  t->velocities = t->free_from + n;
  t->turning = t->velocities + n;
  t->gain = t->alpha + n;
  t->terms = t->gain + n;
  t->beta = t->terms + n;
  t->push = t->beta + 3*n;
  t->pushes = t->push + 3*n;
  t->x = t->v + nv;
  t->y = t->x + nv;
  t->Mx = t->y + nv;
  t->c_now = t->Mx + nv;
  t->twist = t->c_now + nv;
  for (int k = 0; k < t->n_tree; k++) t->free_from[k] = -1;
  if (machine) find_trees(t, ss_machine_tree(machine), t->turning + n);
  return t;
}

void cli_turning_close(cli_turning* t)
{
  if (!t) return;
  free(t->tree_of);
  free(t->alpha);
  free(t->v);
  free(t);
}

// ---- one half ----

// M of a tree is constant else
static bool turns(const cli_turning* t, int k) { return t->velocities[k] > 1 && t->turning[k] > 0; }

// v = u less the velocity of the centre of mass: the momentum of a tree along the axes over its mass
static void find_own(cli_turning* t, cli_end* e, const double* u)
{
  cli_end_times_mass(e, u, t->Mx);
  for (int i = 0; i < t->nv; i++) t->v[i] = u[i];
  for (int k = 0; k < t->n_tree; k++) {
    int first = t->free_from[k];
    if (first < 0) continue;
    for (int i = 0; i < t->nv; i++) t->x[i] = i == first;
    cli_end_times_mass(e, t->x, t->y);
    for (int i = first; i < first + 3; i++) t->v[i] = u[i] - t->Mx[i]/t->y[first];
  }
}

// Momenta along the axes tell beta: alpha v has none. It is that of the first half.
static void take_beta(cli_turning* t, cli_end* e, bool fit, long double* off)
{
  for (int k = 0; k < t->n_tree; k++) {
    int first = t->free_from[k];
    if (first < 0 || !turns(t, k)) continue;
    for (int i = 0; i < t->nv; i++) t->x[i] = i == first;
    cli_end_times_mass(e, t->x, t->y);
    for (int j = 0; j < 3 && fit; j++) t->beta[3*k + j] = -off[first + j];
    double mass = t->y[first];
    for (int i = 0; i < t->nv; i++) t->x[i] = i >= first && i < first + 3 ? (double)t->beta[3*k + i - first]/mass : 0;
    cli_end_times_mass(e, t->x, t->y);
    for (int i = 0; i < t->nv; i++) off[i] += t->y[i];
  }
}

// alpha is that of the first half
static void take_alpha(cli_turning* t, cli_end* e, bool fit, long double* off)
{
  cli_end_times_mass(e, t->v, t->Mx);
  for (int k = 0; k < t->n_tree && fit; k++) {
    long double sum = 0, size = 0;
    for (int i = 0; i < t->nv; i++) {
      if (t->tree_of[i] != k) continue;
      sum += t->v[i]*off[i];
      size += (long double)t->v[i]*t->Mx[i];
    }
    t->alpha[k] = size > 0 && turns(t, k) ? -sum/size : 0;
  }
  for (int i = 0; i < t->nv; i++)
    if (t->tree_of[i] >= 0) off[i] += t->alpha[t->tree_of[i]]*t->Mx[i];
}

// c(q, u)
static void find_c(cli_turning* t, cli_end* e, const double* u)
{
  for (int i = 0; i < t->nv; i++) t->x[i] = 0;
  ss_tree_set_velocity(e->work, t->x);
  ss_tree_bias(e->work, t->x);
  ss_tree_set_velocity(e->work, u);
  ss_tree_bias(e->work, t->c_now);
  for (int i = 0; i < t->nv; i++) t->c_now[i] -= t->x[i];
}

// T with the velocities x, less that of the centre of mass, and the work of the half
static void add_energy(cli_turning* t, cli_end* e, const double* u, double sign)
{
  double dt = t->c->info->run.step.dt;
  for (int i = 0; i < t->nv; i++) t->c_now[i] = u[i] + sign*t->y[i];
  cli_end_times_mass(e, t->c_now, t->Mx);
  for (int k = 0; k < t->n_tree; k++)
    for (int j = 0; t->free_from[k] >= 0 && j < 3; j++) {
      t->push[3*k + j] += sign*(long double)t->Mx[t->free_from[k] + j];
      t->pushes[3*k + j] += fabs(t->Mx[t->free_from[k] + j]);
    }
  find_own(t, e, t->c_now);
  cli_end_times_mass(e, t->v, t->Mx);
  for (int i = 0; i < t->nv; i++) {
    if (t->tree_of[i] < 0) continue;
    t->gain[t->tree_of[i]] += sign*0.5L*t->v[i]*t->Mx[i];
    t->terms[t->tree_of[i]] += fabsl(0.5L*t->v[i]*t->Mx[i]);
  }
  find_c(t, e, u);
  find_own(t, e, u);
  for (int i = 0; i < t->nv; i++) {
    if (t->tree_of[i] < 0) continue;
    long double work = dt/2*t->v[i]*((long double)e->h[i] + t->c_now[i]);
    t->gain[t->tree_of[i]] -= work;
    t->terms[t->tree_of[i]] += fabsl(work);
    int k = t->tree_of[i], first = t->free_from[k];
    if (first < 0 || i < first || i > first + 2) continue;
    long double given = dt/2*((long double)e->h[i] + t->c_now[i]);
    t->push[3*k + i - first] -= given;
    t->pushes[3*k + i - first] += fabsl(given);
  }
}

static void look(cli_turning* t, cli_end* e, const double* u, const double* change, const double* push, double sign)
{
  cli_end_times_mass(e, change, t->y);
  for (int i = 0; i < t->nv; i++) t->y[i] -= push[i];
  if (ss_tree_factor(e->work) >= 0) ss_tree_solve(e->work, t->y, t->y);
  add_energy(t, e, u, sign);
}

// Where the step begins with u less what changes it
static bool is_slow(cli_turning* t, cli_end* e, const double* u, const double* change)
{
  double most = 0;
  for (int i = 0; i < t->nv; i++) t->x[i] = u[i] - change[i];
  ss_tree_twists(e->work, t->x, t->twist);
  for (int b = 0; b < t->n_tree; b++)
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(t->twist[6*b + k]));
  return t->c->info->run.step.dt*most <= SLOW;
}

void cli_turning_first(cli_turning* t, cli_end* e, const double* u, const double* change, const double* push,
                       long double* off)
{
  if (!t->nv) return;
  for (int k = 0; k < t->n_tree; k++) t->gain[k] = t->terms[k] = 0;
  for (int k = 0; k < 3*t->n_tree; k++) t->push[k] = t->pushes[k] = 0;
  t->slow = is_slow(t, e, u, change);
  take_beta(t, e, true, off);
  find_own(t, e, u);
  take_alpha(t, e, true, off);
  look(t, e, u, change, push, -1);
}

// Where nothing turns far, or dampers take more than c could do, steps are taken as they are
void cli_turning_second(cli_turning* t, cli_end* e, const double* u, const double* change, const double* push,
                        long double* off, bool known, long row)
{
  if (!t->nv) return;
  take_beta(t, e, !known, off);
  find_own(t, e, u);
  take_alpha(t, e, !known, off);
  look(t, e, u, change, push, 1);
  for (int k = 0; k < t->n_tree && known; k++) {
    long double left = fabsl(t->gain[k]);
    if (!turns(t, k)) continue;
    if (t->c->d->has_power || t->slow) left = fminl(left, fabsl(t->alpha[k])*t->terms[k]);
    if (t->terms[k] > 0) cli_verify_note(t->c, CLI_MOMENTUM, row, left, t->terms[k]);
    long double most = 0;
    for (int j = 0; j < 3; j++) most = fmaxl(most, t->pushes[3*k + j]);
    for (int j = 0; j < 3 && most > 0; j++) {
      left = fabsl(t->push[3*k + j]);
      if (t->c->d->has_power || t->slow) left = fminl(left, fabsl(t->beta[3*k + j]));
      cli_verify_note(t->c, CLI_MOMENTUM, row, left, most);
    }
  }
}
