// Friction that is not one constant: coefficients that depend on the motion, mu(q, u, t), and pairs of a static and a
// kinetic one with the hysteresis between them [Stewart 2000, section 4.3]. A contact that has stuck keeps its static
// limit until that is exceeded; it then slides with the kinetic one until it comes to rest.
#include <math.h>
#include <string.h>

#include "integrate/work.h"

ss_status ss_friction_now(ss_work* w)
{
  const ss_system_def* d = w->def;
  if (!d->friction) return SS_OK;
  ss_status st = d->friction(&w->at, w->mu_now, w->bound_now);
  if (st < 0) return ss_work_fail(w, st, "the friction could not be evaluated at t = %g", w->at.t);
  for (int i = 0; i < w->n_contact; i++) {
    double mu = w->mu_now[i], bound = w->bound_now[i];
    if (mu >= 0 && bound >= 0 && isfinite(mu + bound)) continue;
    return ss_work_fail(w, SS_ERR_NUMERIC, "the friction of contact '%s' is negative or not finite at t = %g (mu %g, "
                        "bound %g)", w->law[i]->name, w->at.t, mu, bound);
  }
  return SS_OK;
}

void ss_recall_sticking(ss_work* w, const ss_state* s)
{
  if (!w->has_static) return;
  for (int i = 0; i < w->n_contact; i++) w->stuck[i] = s->step > 0 && s->mode[i] == SS_STICK;
}

void ss_remember_sticking(const ss_work* w, ss_state* s)
{
  if (!w->has_static) return;
  for (int i = 0; i < w->n_contact; i++) s->mode[i] = w->result[i].state;
}

static ss_status solve_once(const ss_step_def* def, ss_work* w, ss_rules rules)
{
  ss_status st = ss_assemble(w, def->dt, rules);
  if (st < 0) return st;
  return def->impact == SS_IMPACT_NEWTON ? ss_solve_contacts(w, def) : ss_solve_poisson(def, w);
}

// Contacts that were let slide and have come to rest or turned round within the step get their static limit, those that
// it did not hold lose it. Returns whether any limit has changed.
static bool revise(ss_work* w, bool catch)
{
  bool changed = false;
  int r = w->n_bilateral;
  for (int k = 0; k < w->n_active; k++) {
    int i = w->active[k], T = r + (w->kind[k] == SS_CONTACT_PLANAR);
    bool tangent = w->kind[k] == SS_CONTACT_PLANAR || w->kind[k] == SS_CONTACT_FRICTION;
    ss_contact_state state = w->solution.state[k];
    r += ss_contact_rows(w->kind[k]);
    if (!tangent || !ss_breaks_loose(w, i)) continue;
    int way = state == SS_SLIP_POS ? 1 : state == SS_SLIP_NEG ? -1 : 0;
    bool turned = way != 0 && way*w->gamma[w->source[T]] <= 0;  // or starts at rest
    if (catch && !w->stuck[i] && turned) changed = w->stuck[i] = true;
    else if (!catch && w->stuck[i] && way != 0) {
      w->stuck[i] = false;
      changed = true;
    }
  }
  return changed;
}

ss_status ss_solve_step(const ss_step_def* def, ss_work* w, ss_rules rules)
{
  ss_status st = solve_once(def, w, rules);
  if (!w->has_static) return st;
  if (st >= 0 && revise(w, true)) st = solve_once(def, w, rules);   // may be caught at rest
  if (st >= 0 && revise(w, false)) st = solve_once(def, w, rules);  // breaks loose
  return st;
}
