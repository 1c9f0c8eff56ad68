// The stages of a time step: evaluate, free velocity, active contacts, contact problem, impulses, report.
#include <math.h>
#include <string.h>

#include "integrate/work.h"
#include "math/dense.h"

static ss_status factor_mass(const ss_system_def* d, ss_work* w)
{
  if (w->mass_ready) return SS_OK;
  ss_status st = d->mass(&w->at, w->L);
  if (st < 0) return ss_work_fail(w, st, "the mass matrix could not be evaluated");
  w->mass_failed = !ss_chol_factor(w->nv, w->L);
  if (w->mass_failed)
    return ss_work_fail(w, SS_ERR_NUMERIC, "the mass matrix is not positive definite at t = %g", w->at.t);
  w->mass_ready = d->mass_is_constant;
  return SS_OK;
}

static ss_status evaluate_contacts(const ss_system_def* d, ss_work* w)
{
  int nb = w->n_bilateral;
  if (w->n_contact) {
    ss_status st = d->contacts(&w->at, w->gap, w->W + nb*w->nv, w->w_hat + nb);
    if (st < 0) return ss_work_fail(w, st, "the contacts could not be evaluated");
    for (int i = 0; i < w->n_contact; i++)
      if (!isfinite(w->gap[i]))
        return ss_work_fail(w, SS_ERR_NUMERIC, "the gap of contact '%s' is not finite at t = %g", d->contact[i].name,
                            w->at.t);
  }
  if (nb) {
    ss_status st = d->bilateral(&w->at, w->error, w->W, w->w_hat);
    if (st < 0) return ss_work_fail(w, st, "the constraints could not be evaluated");
  }
  if (!ss_all_finite((nb + w->m)*w->nv, w->W) || !ss_all_finite(nb + w->m, w->w_hat) || !ss_all_finite(nb, w->error))
    return ss_work_fail(w, SS_ERR_NUMERIC, "a contact or constraint velocity is not finite at t = %g", w->at.t);
  return SS_OK;
}

ss_status ss_evaluate(const ss_system* system, ss_work* w, const double* q, const double* u, double t)
{
  const ss_system_def* d = ss_system_get(system);
  w->at.q = q;
  w->at.u = u;
  w->at.t = t;
  if (d->update) {
    ss_status st = d->update(&w->at);
    if (st < 0) return ss_work_fail(w, st, "the system could not be evaluated at t = %g", t);
  }
  ss_status st = factor_mass(d, w);
  return st < 0 ? st : evaluate_contacts(d, w);
}

ss_status ss_free_velocity(const ss_system* system, ss_work* w, const double* u, double dt)
{
  const ss_system_def* d = ss_system_get(system);
  w->at.u = u;
  ss_status st = d->force(&w->at, w->h);
  if (st < 0) return ss_work_fail(w, st, "the forces could not be evaluated at t = %g", w->at.t);
  memcpy(w->u_free, w->h, sizeof(double)*(size_t)w->nv);
  ss_chol_solve(w->nv, w->L, w->u_free);
  for (int i = 0; i < w->nv; i++) w->u_free[i] = u[i] + dt*w->u_free[i];
  if (!ss_all_finite(w->nv, w->u_free))
    return ss_work_fail(w, SS_ERR_NUMERIC, "a force is not finite at t = %g", w->at.t);
  int rows = w->n_bilateral + w->m;
  for (int r = 0; r < rows; r++) w->gamma[r] = ss_dot(w->nv, w->W + r*w->nv, u) + w->w_hat[r];
  return SS_OK;
}

// w->fall of every contact: a length that round-off of gaps is small against. The terms are summed by magnitude, so
// that it does not vanish for bodies that fall together.
static void measure_fall(ss_work* w, double dt)
{
  for (int i = 0; i < w->n_contact; i++) {
    const double* W = w->W + w->row[i]*w->nv;
    double sum = 0;
    for (int j = 0; j < w->nv; j++) sum += fabs(W[j]*(w->u_free[j] - w->at.u[j]));
    w->fall[i] = dt*sum;
  }
}

// Gaps below this part of `fall` are closed: a resting contact must not open by round-off.
#define CLOSED 1e-6

void ss_find_contacts_closed(const ss_system* system, ss_work* w, double dt)
{
  const ss_system_def* d = ss_system_get(system);
  measure_fall(w, dt);
  w->n_active = 0;
  for (int i = 0; i < w->n_contact; i++)
    if (d->contact[i].kind == SS_CONTACT_FRICTION || w->gap[i] <= CLOSED*w->fall[i]) w->active[w->n_active++] = i;
}

void ss_find_contacts_predicted(const ss_system* system, ss_work* w, double dt)
{
  const ss_system_def* d = ss_system_get(system);
  measure_fall(w, dt);
  w->n_active = 0;
  for (int i = 0; i < w->n_contact; i++) {
    int r = w->row[i];
    bool closes = d->contact[i].kind == SS_CONTACT_FRICTION ||
                  w->gap[i] + dt*(ss_dot(w->nv, w->W + r*w->nv, w->u_free) + w->w_hat[r]) < 0;
    if (closes) w->active[w->n_active++] = i;
  }
}

// Rows of the contact problem: all bilateral ones, then those of the active contacts. Returns their number.
static int list_rows(const ss_system_def* d, ss_work* w, double dt)
{
  int m = 0;
  for (int i = 0; i < w->n_bilateral; i++) w->source[m++] = i;
  for (int i = 0; i < w->n_active; i++) {
    const ss_contact_def* c = &d->contact[w->active[i]];
    w->kind[i] = c->kind;
    w->mu[i] = c->mu;
    w->bound[i] = c->bound*dt;
    for (int k = 0; k < ss_contact_rows(c->kind); k++) w->source[m++] = w->row[w->active[i]] + k;
  }
  return m;
}

// b = W^T u_free + w_hat, then + eps gamma_A for the contacts, + gamma_A for bilateral rows if their mean is to vanish
static void fill_b(const ss_system_def* d, ss_work* w, int m, ss_rules rules)
{
  for (int r = 0; r < m; r++) {
    int s = w->source[r];
    w->b[r] = ss_dot(w->nv, w->W + s*w->nv, w->u_free) + w->w_hat[s];
  }
  int r = w->n_bilateral;
  for (int i = 0; i < r && rules.bilateral_mean; i++) w->b[i] += w->gamma[i];
  for (int i = 0; i < w->n_active; i++) {
    const ss_contact_def* c = &d->contact[w->active[i]];
    if (c->kind != SS_CONTACT_FRICTION) {
      double gamma = w->gamma[w->source[r]];
      w->b[r++] += c->eps_n*(rules.approach_only && gamma > 0 ? 0 : gamma);
    }
    if (c->kind != SS_CONTACT_NORMAL) {
      w->b[r] += c->eps_t*w->gamma[w->source[r]];
      r++;
    }
  }
}

void ss_make_problem(ss_work* w, int m, int n_contact)
{
  int nv = w->nv;
  for (int r = 0; r < m; r++) {
    memcpy(w->Y + r*nv, w->W + w->source[r]*nv, sizeof(double)*(size_t)nv);
    ss_chol_solve_lower(nv, w->L, w->Y + r*nv);
  }
  ss_abt_sym(m, nv, w->Y, w->Y, w->G);
  int rows = 0;
  for (int i = 0; i < n_contact; i++) rows += ss_contact_rows(w->kind[i]);
  w->problem = (ss_contact_problem){.n_bilateral = m - rows, .n_contact = n_contact, .m = m, .G = w->G, .b = w->b,
                                    .kind = w->kind, .mu = w->mu, .bound = w->bound};
}

void ss_assemble(const ss_system* system, ss_work* w, double dt, ss_rules rules)
{
  const ss_system_def* d = ss_system_get(system);
  int m = list_rows(d, w, dt);
  fill_b(d, w, m, rules);
  ss_make_problem(w, m, w->n_active);
}

ss_status ss_solve_contacts(ss_work* w, const ss_lcp_def* def)
{
  w->solution.iterations = 0;
  w->solution.residual = 0;
  if (w->problem.m == 0) return SS_OK;
  ss_status st = ss_contact_solve(&w->problem, def, w->arena, &w->solution);
  if (st == SS_ERR_NUMERIC) ss_work_fail(w, st, "the contact problem holds a NaN or an infinity at t = %g", w->at.t);
  else if (st < 0) ss_work_fail(w, st, "the contact problem could not be solved: %s", ss_status_text(st));
  return st;
}

void ss_add_impulses(ss_work* w, double* x)
{
  if (w->problem.m == 0) return;
  double* v = w->h;  // no longer needed
  ss_gemv_t(w->problem.m, w->nv, w->Y, w->solution.Lambda, v);
  ss_chol_solve_upper(w->nv, w->L, v);
  for (int i = 0; i < w->nv; i++) x[i] += v[i];
}

ss_status ss_apply_impulses(ss_work* w)
{
  memcpy(w->u, w->u_free, sizeof(double)*(size_t)w->nv);
  ss_add_impulses(w, w->u);
  if (!ss_all_finite(w->nv, w->u))
    return ss_work_fail(w, SS_ERR_NUMERIC, "the velocity after the contact impulses is not finite at t = %g", w->at.t);
  return SS_OK;
}

// The relative velocity of row r of W with u at the end of the step
static double gamma_end(const ss_work* w, int r) { return ss_dot(w->nv, w->W + r*w->nv, w->u) + w->w_hat[r]; }

static void report_open(const ss_contact_def* c, ss_work* w, int i)
{
  ss_contact_result* out = &w->result[i];
  *out = (ss_contact_result){.state = SS_OPEN, .gap = w->gap[i]};
  int r = w->row[i], k = c->kind == SS_CONTACT_FRICTION ? 1 : 0;
  for (int end = r + ss_contact_rows(c->kind); r < end; r++, k++) {
    out->gamma_before[k] = w->gamma[r];
    out->gamma_after[k] = gamma_end(w, r);
  }
}

// What the contacts took out of the system, -Lambda times the mean relative velocity of the step, and what moving
// contact partners put in, -Lambda w_hat. Round-off is judged against Lambda times the velocities that enter.
static void account_contacts(ss_work* w)
{
  ss_step_info* info = &w->info;
  double size = 0;
  info->loss_normal = info->loss_friction = info->work_drive = 0;
  for (int i = 0; i < w->n_active; i++) {
    const ss_contact_result* c = &w->result[w->active[i]];
    info->loss_normal -= c->Lambda[0]*(c->gamma_before[0] + c->gamma_after[0])/2;
    info->loss_friction -= c->Lambda[1]*(c->gamma_before[1] + c->gamma_after[1])/2;
  }
  for (int r = 0; r < w->problem.m; r++) {
    double Lambda = w->solution.Lambda[r];
    info->work_drive -= Lambda*w->w_hat[w->source[r]];
    size += fabs(Lambda)*(fabs(w->b[r]) + fabs(w->gamma[w->source[r]]) + fabs(w->w_hat[w->source[r]]));
  }
  info->gains_energy = info->loss_normal + info->loss_friction < -1e-10*size;
}

void ss_report_contacts(const ss_system* system, ss_work* w, ss_status status)
{
  const ss_system_def* d = ss_system_get(system);
  double deepest = 0;
  ss_keep_problem(w);
  for (int i = 0; i < w->n_contact; i++) {
    report_open(&d->contact[i], w, i);
    if (w->gap[i] < -deepest) deepest = -w->gap[i];
  }
  for (int i = 0; i < w->n_bilateral; i++) w->Lambda_bilateral[i] = w->solution.Lambda[i];
  int r = w->n_bilateral;
  for (int i = 0; i < w->n_active; i++) {
    ss_contact_result* out = &w->result[w->active[i]];
    out->state = w->solution.state[i];
    if (w->kind[i] != SS_CONTACT_FRICTION) out->Lambda[0] = w->solution.Lambda[r++];
    if (w->kind[i] != SS_CONTACT_NORMAL) out->Lambda[1] = w->solution.Lambda[r++];
  }
  account_contacts(w);
  w->info.status = status;
  w->info.n_active = w->n_active;
  w->info.iterations = w->solution.iterations;
  w->info.residual = w->solution.residual;
  w->info.penetration = deepest;
}
