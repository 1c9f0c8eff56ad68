// Projection of the position onto the constraints [Stewart 2000, section 2.2.1]:
//   minimise 1/2 d^T M d  subject to  c + W_b^T d = 0,  g_N + W_N^T d >= -slop,    q <- q + d,
// the same contact problem as a step's with gaps in place of velocities, repeated until nothing is violated.
// It moves positions only; what that does to the potential energy is in the ledger (work_projection).
#include <math.h>
#include <string.h>

#include "integrate/work.h"
#include "math/dense.h"

#define MAX_ROUNDS 20

// Normal rows of the contacts that penetrate by more than slop join the set; returns the largest violation.
static double collect(const ss_system_def* d, ss_work* w, const ss_step_def* def, bool contacts, bool* in)
{
  double worst = 0;
  for (int i = 0; i < w->n_bilateral; i++) worst = fmax(worst, fabs(w->error[i]));
  for (int i = 0; contacts && i < w->n_contact; i++) {
    if (d->contact[i].kind == SS_CONTACT_FRICTION) continue;
    double depth = -w->gap[i] - def->project_slop;
    if (depth > 0) in[i] = true;
    worst = fmax(worst, depth);
  }
  return worst;
}

// The contact problem for the step d: frictionless, gaps for velocities.
static void assemble(ss_work* w, const ss_step_def* def, const bool* in)
{
  int m = 0, nv = w->nv, k = 0;
  for (int i = 0; i < w->n_bilateral; i++) {
    w->b[m] = w->error[i];
    w->source[m++] = i;
  }
  for (int i = 0; i < w->n_contact; i++) {
    if (!in[i]) continue;
    w->kind[k] = SS_CONTACT_NORMAL;
    w->mu[k] = w->bound[k] = 0;
    k++;
    w->b[m] = w->gap[i] + def->project_slop;
    w->source[m++] = w->row[i];
  }
  for (int r = 0; r < m; r++) {
    memcpy(w->Y + r*nv, w->W + w->source[r]*nv, sizeof(double)*(size_t)nv);
    ss_chol_solve_lower(nv, w->L, w->Y + r*nv);
  }
  ss_abt_sym(m, nv, w->Y, w->Y, w->G);
  w->problem = (ss_contact_problem){.n_bilateral = w->n_bilateral, .n_contact = k, .m = m, .G = w->G, .b = w->b,
                                    .kind = w->kind, .mu = w->mu, .bound = w->bound};
}

// One Newton step w->q += d from the position last evaluated.
static ss_status move(ss_work* w, const ss_step_def* def, const bool* in)
{
  assemble(w, def, in);
  ss_status st = ss_solve_contacts(w, &def->solver);
  if (st < 0) return st;
  double* step = w->h;
  ss_gemv_t(w->problem.m, w->nv, w->Y, w->solution.Lambda, step);
  ss_chol_solve_upper(w->nv, w->L, step);
  for (int i = 0; i < w->nv; i++) w->q[i] += step[i];
  return SS_OK;
}

static ss_status iterate(const ss_system* system, ss_work* w, const ss_step_def* def, double t, bool contacts, bool* in)
{
  double previous = INFINITY;
  for (int round = 0; round < MAX_ROUNDS; round++) {
    ss_status st = ss_evaluate(system, w, w->q, w->u, t);
    if (st < 0) return st;
    double worst = collect(ss_system_get(system), w, def, contacts, in);
    if (worst <= 1e-14 || worst >= previous) return SS_OK;  // done, or as far as round-off and consistency allow
    previous = worst;
    st = move(w, def, in);
    if (st < 0) return st;
  }
  return SS_OK;
}

ss_status ss_project(const ss_system* system, ss_work* w, const ss_step_def* def, double t, bool contacts)
{
  size_t mark = ss_arena_mark(w->arena);
  bool* in = ss_arena_array(w->arena, bool, w->n_contact);
  if (!in) return SS_ERR_CAPACITY;
  memset(in, 0, sizeof(bool)*(size_t)w->n_contact);
  ss_status st = iterate(system, w, def, t, contacts, in);
  ss_arena_release(w->arena, mark);
  return st;
}
