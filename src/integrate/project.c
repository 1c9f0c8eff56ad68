// Projection of the position onto the constraints [Stewart 2000, section 2.2.1]:
//   minimise 1/2 d^T M d  subject to  c + W_b^T d = 0,  g_N + s + W_N^T d >= 0,    q <- q + d,
// the same contact problem as a step's with gaps in place of velocities, repeated until nothing is violated.
// s is what free motion within one step amounts to (w->fall, about dt^2 g under gravity): this much overlap stays, so
// that a resting contact stays closed instead of flickering around zero. A contact that carries load is held at -s from
// both sides, which keeps it closed on curved paths too.
// Then the part of u that the bilateral rows do not allow at the new position is removed, in the metric of M as well.
// What both do to the energy is in the ledger (work_projection).
#include <math.h>

#include "integrate/work.h"
#include "math/dense.h"

#define MAX_ROUNDS 20

// What the projection does with a contact.
typedef struct target {
  double slop;  // overlap that stays
  bool in;      // has been found violated: part of the problem
  bool holds;   // carries load: bilateral
} target;

static void set_targets(const ss_system_def* d, const ss_work* w, const ss_step_def* def, bool contacts, target* to)
{
  for (int i = 0; i < w->n_contact; i++) {
    const ss_contact_result* c = &w->result[i];
    to[i] = (target){.slop = w->fall[i]};
    to[i].holds = contacts && d->contact[i].kind != SS_CONTACT_FRICTION && c->Lambda[0] > 0 &&
                  c->gamma_after[0]*def->dt <= 1e-3*to[i].slop;  // does not leave
  }
}

// Contacts that are violated join the problem; returns the largest violation.
static double collect(const ss_system_def* d, const ss_work* w, bool contacts, target* to)
{
  double worst = 0;
  for (int i = 0; i < w->n_bilateral; i++) worst = fmax(worst, fabs(w->error[i]));
  for (int i = 0; contacts && i < w->n_contact; i++) {
    if (d->contact[i].kind == SS_CONTACT_FRICTION) continue;
    double depth = -w->gap[i] - to[i].slop;
    if (to[i].holds && fabs(depth) <= 2*to[i].slop) depth = fabs(depth);
    if (depth > 0) to[i].in = true;
    worst = fmax(worst, depth);
  }
  return worst;
}

// The contact problem for the step d: frictionless, gaps for velocities. Contacts that hold count as bilateral rows.
static void assemble(ss_work* w, const target* to)
{
  int m = 0, k = 0;
  for (int i = 0; i < w->n_bilateral; i++) {
    w->b[m] = w->error[i];
    w->source[m++] = i;
  }
  for (int hold = 1; hold >= 0; hold--) {
    for (int i = 0; i < w->n_contact; i++) {
      if (!to[i].in || to[i].holds != hold) continue;
      w->b[m] = w->gap[i] + to[i].slop;
      w->source[m++] = w->row[i];
      if (hold) continue;
      w->kind[k] = SS_CONTACT_NORMAL;
      w->mu[k] = w->bound[k] = 0;
      k++;
    }
  }
  ss_make_problem(w, m, k);
}

// W_b^T u + w_hat = 0 at the position last evaluated
static ss_status project_velocity(ss_work* w, const ss_step_def* def)
{
  int nb = w->n_bilateral;
  for (int i = 0; i < nb; i++) {
    w->source[i] = i;
    w->b[i] = ss_dot(w->nv, w->W + i*w->nv, w->u) + w->w_hat[i];
  }
  ss_make_problem(w, nb, 0);
  ss_status st = ss_solve_contacts(w, &def->solver);
  if (st >= 0) ss_add_impulses(w, w->u);
  return st;
}

static ss_status iterate(const ss_system* system, ss_work* w, const ss_step_def* def, double t, bool contacts,
                         target* to)
{
  double previous = INFINITY;
  for (int round = 0; round < MAX_ROUNDS; round++) {
    ss_status st = ss_evaluate(system, w, w->q, w->u, t);
    if (st < 0) return st;
    double worst = collect(ss_system_get(system), w, contacts, to);
    if (worst == 0 || worst >= previous) break;  // as far as round-off and consistency allow
    previous = worst;
    assemble(w, to);
    st = ss_solve_contacts(w, &def->solver);
    if (st < 0) return st;
    ss_add_impulses(w, w->q);
  }
  return SS_OK;
}

// What is left of the constraint errors; SS_INACCURATE if it is more than round-off and a small part of a step's
// motion.
static ss_status check_constraints(ss_work* w, double dt)
{
  ss_status st = SS_OK;
  w->info.constraint_error = 0;
  for (int i = 0; i < w->n_bilateral; i++) {
    double position = 0, motion = 0, error = fabs(w->error[i]);
    for (int j = 0; j < w->nv; j++) {
      position += fabs(w->W[i*w->nv + j]*w->q[j]);
      motion += fabs(w->W[i*w->nv + j]*w->u[j]);
    }
    w->info.constraint_error = fmax(w->info.constraint_error, error);
    if (error > 1e-10*position + 1e-6*dt*(motion + fabs(w->w_hat[i]))) st = SS_INACCURATE;
  }
  return st;
}

ss_status ss_project(const ss_system* system, ss_work* w, const ss_step_def* def, double t, bool contacts)
{
  size_t mark = ss_arena_mark(w->arena);
  target* to = ss_arena_array(w->arena, target, w->n_contact);
  if (!to) return ss_work_fail(w, SS_ERR_CAPACITY, "the workspace is too small for the projection");
  set_targets(ss_system_get(system), w, def, contacts, to);
  ss_status st = iterate(system, w, def, t, contacts, to), held = SS_OK;
  if (st >= 0) held = check_constraints(w, def->dt);
  if (st >= 0 && w->n_bilateral) st = project_velocity(w, def);
  ss_arena_release(w->arena, mark);
  return st < 0 ? st : held;
}
