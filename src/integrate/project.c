// Projection of the position onto the constraints [Stewart 2000, section 2.2.1]:
//   minimise 1/2 d^T M d  subject to  c + W_b^T d = 0,  g_N + s + W_N^T d >= 0,    q <- q + d,
// the same contact problem as a step's with gaps in place of velocities, repeated until nothing is violated.
// s is the way that the contact's bodies fall towards each other within one step if left alone, dt^2 |gamma_N'|: this
// much overlap stays, so that a resting contact stays closed instead of flickering around zero. A contact that carries
// load is held at -s from both sides, which keeps it closed on curved paths too.
// Then the part of u that the bilateral rows do not allow at the new position is removed, in the metric of M as well.
// What both do to the energy is in the ledger (work_projection).
#include <math.h>
#include <string.h>

#include "integrate/work.h"
#include "math/dense.h"

#define MAX_ROUNDS 20

// What the projection does with a contact.
typedef struct target {
  double slop;  // overlap that stays
  bool in;      // has been found violated: part of the problem
  bool holds;   // carries load: bilateral
} target;

// Must be called while W, gamma and u_free are those of the step.
static void set_targets(const ss_system_def* d, ss_work* w, const ss_step_def* def, bool contacts, target* to)
{
  for (int i = 0; i < w->n_contact; i++) {
    int r = w->row[i];
    double fall = ss_dot(w->nv, w->W + r*w->nv, w->u_free) + w->w_hat[r] - w->gamma[r];
    to[i] = (target){.slop = def->dt*fabs(fall)};
    to[i].holds = contacts && d->contact[i].kind != SS_CONTACT_FRICTION && w->result[i].Lambda[0] > 0 &&
                  w->result[i].gamma_after[0] <= 0;
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
  int m = 0, nv = w->nv, k = 0;
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
  for (int r = 0; r < m; r++) {
    memcpy(w->Y + r*nv, w->W + w->source[r]*nv, sizeof(double)*(size_t)nv);
    ss_chol_solve_lower(nv, w->L, w->Y + r*nv);
  }
  ss_abt_sym(m, nv, w->Y, w->Y, w->G);
  w->problem = (ss_contact_problem){.n_bilateral = m - k, .n_contact = k, .m = m, .G = w->G, .b = w->b,
                                    .kind = w->kind, .mu = w->mu, .bound = w->bound};
}

// x += M^-1 W Lambda with the solution of the problem at hand
static ss_status solve_and_add(ss_work* w, const ss_step_def* def, double* x)
{
  ss_status st = ss_solve_contacts(w, &def->solver);
  if (st < 0) return st;
  double* step = w->h;
  ss_gemv_t(w->problem.m, w->nv, w->Y, w->solution.Lambda, step);
  ss_chol_solve_upper(w->nv, w->L, step);
  for (int i = 0; i < w->nv; i++) x[i] += step[i];
  return SS_OK;
}

// W_b^T u + w_hat = 0 at the position last evaluated
static ss_status project_velocity(ss_work* w, const ss_step_def* def)
{
  int nb = w->n_bilateral, n_contact = w->n_contact;
  w->n_contact = 0;  // bilateral rows only
  assemble(w, NULL);
  w->n_contact = n_contact;
  for (int i = 0; i < nb; i++) w->b[i] = ss_dot(w->nv, w->W + i*w->nv, w->u) + w->w_hat[i];
  return solve_and_add(w, def, w->u);
}

static ss_status iterate(const ss_system* system, ss_work* w, const ss_step_def* def, double t, bool contacts, target* to)
{
  double previous = INFINITY;
  for (int round = 0; round < MAX_ROUNDS; round++) {
    ss_status st = ss_evaluate(system, w, w->q, w->u, t);
    if (st < 0) return st;
    double worst = collect(ss_system_get(system), w, contacts, to);
    if (worst <= 1e-14 || worst >= previous) break;  // done, or as far as round-off and consistency allow
    previous = worst;
    assemble(w, to);
    st = solve_and_add(w, def, w->q);
    if (st < 0) return st;
  }
  return w->n_bilateral ? project_velocity(w, def) : SS_OK;
}

ss_status ss_project(const ss_system* system, ss_work* w, const ss_step_def* def, double t, bool contacts)
{
  size_t mark = ss_arena_mark(w->arena);
  target* to = ss_arena_array(w->arena, target, w->n_contact);
  if (!to) return ss_work_fail(w, SS_ERR_CAPACITY, "the workspace is too small for the projection");
  set_targets(ss_system_get(system), w, def, contacts, to);
  ss_status st = iterate(system, w, def, t, contacts, to);
  ss_arena_release(w->arena, mark);
  return st;
}
