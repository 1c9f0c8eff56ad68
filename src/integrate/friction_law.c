// Friction that is not one constant: coefficients that depend on the motion, mu(q, u, t), and pairs of a static and a
// kinetic one with the hysteresis between them [Stewart 2000, section 4.3]. A contact that has stuck keeps its static
// limit until that is exceeded; it then slides with the kinetic one until it comes to rest.
#include <math.h>
#include <string.h>

#include "integrate/work.h"

// On given sides of kinks limits may go on below zero beyond them (max(0, ...)): there the arc has ended, and no force
// outside its limit leaves it (event_laws.c).
static ss_status check(ss_work* w, int i)
{
  double mu = w->mu_now[i], bound = w->bound_now[i];
  if (((mu >= 0 && bound >= 0) || w->at.side) && isfinite(mu + bound)) return SS_OK;
  char name[SS_CONTACT_NAME];
  if (w->op) w->op->contact_name(w->def->user, w->item[i].key, name, sizeof name);
  return ss_work_fail(w, SS_ERR_NUMERIC, "the friction of contact '%s' is negative or not finite at t = %g (mu %g, "
                      "bound %g)", w->op ? name : w->law[i]->name, w->at.t, mu, bound);
}

// The speed of sliding of contact i along its frame
static double speed_of(const ss_work* w, int i, const double* gamma)
{
  double sum = 0;
  int r = w->row[i];
  for (int k = 1; k < ss_contact_rows(w->law[i]->kind); k++) sum = hypot(sum, gamma[r + k]/ss_stretch(w, i, k));
  return sum;
}

static ss_status friction_by_operators(ss_work* w, const double* gamma)
{
  w->has_static = false;
  for (int i = 0; i < w->n_contact; i++) {
    const ss_contact_def* c = w->law[i];
    w->mu_now[i] = c->varies ? w->op->friction(w->def->user, c, speed_of(w, i, gamma)) : c->mu;
    w->bound_now[i] = c->bound;
    w->stuck[i] = false;
    if (c->mu_static > 0 || c->bound_static > 0) w->has_static = true;
    ss_status st = c->varies ? check(w, i) : SS_OK;
    if (st < 0) return st;
  }
  return SS_OK;
}

ss_status ss_friction_now(ss_work* w, const double* gamma)
{
  const ss_system_def* d = w->def;
  if (w->op) return friction_by_operators(w, gamma);
  if (!d->friction) return SS_OK;
  ss_status st = d->friction(&w->at, w->mu_now, w->bound_now);
  if (st < 0) return ss_work_fail(w, st, "the friction could not be evaluated at t = %g", w->at.t);
  for (int i = 0; i < w->n_contact && st >= 0; i++) st = check(w, i);
  return st;
}

void ss_recall_sticking(ss_work* w, const ss_state* s)
{
  if (w->op || !w->has_static) return;
  for (int i = 0; i < w->n_contact; i++) w->stuck[i] = s->step > 0 && s->mode[i] == SS_STICK;
}

// Both lists are sorted
void ss_recall_by_key(ss_work* w)
{
  for (int i = 0, j = 0; i < w->n_contact; i++) {
    uint64_t key = w->item[i].key;
    while (j < w->n_start && w->start[j].key < key) j++;
    w->stuck[i] = j < w->n_start && w->start[j].key == key && w->start[j].state == SS_STICK;
  }
}

void ss_remember_sticking(const ss_work* w, ss_state* s)
{
  if (w->op || !w->has_static) return;
  for (int i = 0; i < w->n_contact; i++) s->mode[i] = w->result[i].state;
}

static ss_status solve_once(const ss_step_def* def, ss_work* w, ss_rules rules)
{
  ss_status st = ss_assemble(w, def->dt, rules);
  if (st < 0) return st;
  bool together = def->impact == SS_IMPACT_NEWTON && !def->energy_limited && def->order == SS_IMPACTS_SIMULTANEOUS;
  w->choice = SS_CHOICE_NONE;
  w->not_examined = false;
  w->chooses = true;
  st = together ? ss_solve_contacts(w, def) : ss_solve_apart(def, w);
  w->chooses = false;
  return st;
}

// Whether contact k of the problem, whose first tangential row is T, slides, and if so against how it moved at the
// start of the step, or from rest
static bool slides(const ss_work* w, int k, int T, bool* turned)
{
  ss_contact_state state = w->solution.state[k];
  double along = 0;
  if (w->kind[k] == SS_CONTACT_SPATIAL)
    for (int j = T; j < T + 2; j++) along += w->solution.xi[j]*w->gamma[w->source[j]];
  else along = (state == SS_SLIP_POS ? 1 : -1)*w->gamma[w->source[T]];
  *turned = along <= 0;
  return state == SS_SLIP || state == SS_SLIP_POS || state == SS_SLIP_NEG;
}

bool ss_revise_limits(ss_work* w, bool catch)
{
  bool changed = false, turned;
  for (int k = 0, r = w->n_bilateral; k < w->n_active; r += ss_contact_rows(w->kind[k++])) {
    int i = w->active[k];
    if (w->kind[k] == SS_CONTACT_NORMAL || !ss_breaks_loose(w, i)) continue;
    if (!slides(w, k, r + (w->kind[k] != SS_CONTACT_FRICTION), &turned)) continue;
    if (catch && !w->stuck[i] && turned) changed = w->stuck[i] = true;
    else if (!catch && w->stuck[i]) {
      w->stuck[i] = false;
      changed = true;
    }
  }
  return changed;
}

ss_status ss_solve_step(const ss_step_def* def, ss_work* w, ss_rules rules)
{
  if (w->op && w->has_static) ss_recall_by_key(w);
  ss_status st = solve_once(def, w, rules);
  if (!w->has_static) return st;
  if (st >= 0 && ss_revise_limits(w, true)) st = solve_once(def, w, rules);   // may be caught at rest
  if (st >= 0 && ss_revise_limits(w, false)) st = solve_once(def, w, rules);  // breaks loose
  return st;
}
