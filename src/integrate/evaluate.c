// The system at a position: mass matrix or its operators, gaps, constraint errors, rows.
#include <math.h>

#include "integrate/known.h"
#include "integrate/work.h"
#include "math/dense.h"

static ss_status fail(ss_work* w, ss_status st, const char* what)
{
  if (st == SS_ERR_MEMORY) what = "out of memory";
  if (w->at.message[0]) return ss_work_fail(w, st, "%s at t = %g: %s", what, w->at.t, w->at.message);
  return ss_work_fail(w, st, "%s at t = %g", what, w->at.t);
}

ss_status ss_factor_mass(ss_work* w)
{
  if (w->mass_ready) return SS_OK;
  ss_status st = w->op ? SS_OK : w->def->mass(&w->at, w->L);
  if (st < 0) return fail(w, st, "the mass matrix could not be evaluated");
  if (w->op) st = w->op->factor(&w->at);
  else st = ss_chol_factor(w->nv, w->L) ? SS_OK : SS_ERR_NUMERIC;
  w->mass_failed = st < 0;
  if (st < 0) return fail(w, st, "the mass matrix is not positive definite");
  w->mass_ready = !w->op && w->def->mass_is_constant;
  return SS_OK;
}

static ss_status check_gaps(ss_work* w)
{
  for (int i = 0; i < w->n_contact; i++) {
    if (isfinite(w->gap[i])) continue;
    char name[SS_CONTACT_NAME];
    if (w->op) w->op->contact_name(w->def->user, w->item[i].key, name, sizeof name);
    return ss_work_fail(w, SS_ERR_NUMERIC, "the gap of contact '%s' is not finite at t = %g",
                        w->op ? name : w->law[i]->name, w->at.t);
  }
  return SS_OK;
}

// Gaps and rows of W
static ss_status evaluate_dense(ss_work* w)
{
  const ss_system_def* d = w->def;
  int nb = w->n_bilateral;
  ss_status st = w->n_contact ? d->contacts(&w->at, w->gap, w->W + nb*w->nv, w->w_hat + nb) : SS_OK;
  if (st < 0) return ss_work_fail(w, st, "the contacts could not be evaluated");
  st = check_gaps(w);
  if (st < 0) return st;
  st = nb ? d->bilateral(&w->at, w->error, w->W, w->w_hat) : SS_OK;
  if (st < 0) return ss_work_fail(w, st, "the constraints could not be evaluated");
  if (!ss_all_finite((nb + w->m)*w->nv, w->W) || !ss_all_finite(nb + w->m, w->w_hat) || !ss_all_finite(nb, w->error))
    return ss_work_fail(w, SS_ERR_NUMERIC, "a contact or constraint velocity is not finite at t = %g", w->at.t);
  return SS_OK;
}

// The list of contacts as it is here
static ss_status evaluate_list(ss_work* w)
{
  int n = 0, m = 0, nb = w->n_bilateral;
  ss_status st = w->op->list(&w->at, w->reach, &n, &w->item);
  if (st < 0) return fail(w, st, "the contacts could not be found");
  for (int i = 0; i < n; i++) m += ss_contact_rows(w->item[i].law->kind);
  if (!ss_work_reserve(w, n, m)) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for %d contacts", n);
  w->n_contact = n;
  w->m = m;
  for (int i = 0, row = nb; i < n; i++) {
    w->law[i] = w->item[i].law;
    w->gap[i] = w->item[i].gap;
    w->row[i] = row;
    row += ss_contact_rows(w->law[i]->kind);
  }
  st = check_gaps(w);
  if (st >= 0 && nb) st = w->op->bilateral(&w->at, w->error, w->error_size);
  if (st >= 0 && !ss_all_finite(nb, w->error)) st = SS_ERR_NUMERIC;
  if (st < 0) return fail(w, st, "the contacts or constraints could not be evaluated");
  for (int r = 0; r < nb + m; r++) w->w_hat[r] = 0;
  st = w->op->row_drive ? w->op->row_drive(&w->at, w->w_hat) : SS_OK;
  return st < 0 ? fail(w, st, "the velocities of moving contacts could not be evaluated") : SS_OK;
}

static ss_status place(const ss_system* system, ss_work* w, const double* q, const double* u, double t)
{
  const ss_system_def* d = ss_system_get(system);
  w->at.q = q;
  w->at.u = u;
  w->at.t = t;
  w->at.message[0] = '\0';
  if (d->update) {
    ss_status st = d->update(&w->at);
    if (st < 0) return fail(w, st, "the system could not be evaluated");
  }
  return SS_OK;
}

ss_status ss_evaluate(const ss_system* system, ss_work* w, const double* q, const double* u, double t)
{
  ss_status st = place(system, w, q, u, t);
  if (st >= 0) st = ss_factor_mass(w);
  if (st < 0) return st;
  return w->op ? evaluate_list(w) : evaluate_dense(w);
}

ss_status ss_evaluate_mass(const ss_system* system, ss_work* w, const double* q, const double* u, double t)
{
  ss_status st = place(system, w, q, u, t);
  return st < 0 ? st : ss_factor_mass(w);
}

ss_status ss_evaluate_rows(const ss_system* system, ss_work* w, const double* q, const double* u, double t)
{
  ss_status st = place(system, w, q, u, t);
  if (st < 0) return st;
  return w->op ? evaluate_list(w) : evaluate_dense(w);
}
