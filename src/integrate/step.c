// One step and many: choice of the integrator, projection, energy accounting.
#include <math.h>
#include <string.h>

#include "base/pool.h"
#include "integrate/event.h"
#include "integrate/rattle.h"
#include "integrate/work.h"

static const struct {
  const char* name;
  ss_status (*step)(const ss_system*, const ss_step_def*, const ss_state*, ss_work*);
} integrator_table[SS_INTEGRATOR_COUNT] = {
  [SS_MOREAU] = {"moreau", ss_step_moreau},
  [SS_EULER] = {"euler", ss_step_euler},
  [SS_JEAN] = {"jean", ss_step_jean},
  [SS_RATTLE] = {"rattle", ss_step_rattle},
  [SS_EVENT_DRIVEN] = {"event", NULL},  // not made of the stages of the others
};

const char* ss_integrator_name(ss_integrator integrator)
{
  return integrator >= 0 && integrator < SS_INTEGRATOR_COUNT ? integrator_table[integrator].name : NULL;
}

bool ss_integrator_find(const char* name, ss_integrator* integrator)
{
  for (int i = 0; name && i < SS_INTEGRATOR_COUNT; i++) {
    if (strcmp(name, integrator_table[i].name) != 0) continue;
    *integrator = (ss_integrator)i;
    return true;
  }
  return false;
}

const char* ss_multiple_name(ss_multiple choice)
{
  static const char* const name[SS_MULTIPLE_COUNT] = {"first", "stick", "separate", "stop"};
  return choice >= 0 && choice < SS_MULTIPLE_COUNT ? name[choice] : NULL;
}

static const char* const projection_name[SS_PROJECTION_COUNT] = {"auto", "on", "off"};

const char* ss_projection_name(ss_projection projection)
{
  return projection >= 0 && projection < SS_PROJECTION_COUNT ? projection_name[projection] : NULL;
}

bool ss_projection_find(const char* name, ss_projection* projection)
{
  for (int i = 0; name && i < SS_PROJECTION_COUNT; i++) {
    if (strcmp(name, projection_name[i]) != 0) continue;
    *projection = (ss_projection)i;
    return true;
  }
  return false;
}

ss_step_def ss_step_def_default(void)
{
  return (ss_step_def){.integrator = SS_MOREAU, .dt = 1e-4, .theta = 0.5, .solver = ss_lcp_def_default(),
                       .friction = ss_friction_def_default(), .event = {.rtol = 1e-10, .end = INFINITY}, .threads = 1};
}

ss_status ss_energies(const ss_system* system, ss_work* w, const double* q, const double* u, double t, ss_energy* e)
{
  const ss_system_def* d = ss_system_get(system);
  w->at.q = q;
  w->at.u = u;
  w->at.t = t;
  ss_status st = d->update ? d->update(&w->at) : SS_OK;
  if (st >= 0) st = ss_energy_now(w, e);
  if (st < 0) return ss_work_fail(w, st, "the energies could not be evaluated at t = %g", t);
  if (isfinite(e->kinetic + e->potential + e->transport)) return st;
  return ss_work_fail(w, SS_ERR_NUMERIC, "the energy is not finite at t = %g: the motion diverges; is dt too large?",
                      t);
}

// Work that enters other than through the contacts, by the midpoint rule
static ss_status works(const ss_system_def* d, ss_work* w, const ss_state* s, double dt)
{
  memset(w->power_now, 0, sizeof *w->power_now*(size_t)w->n_energy);
  double* u = w->v;
  for (int i = 0; i < w->nv; i++) u[i] = (s->u[i] + w->u[i])/2;
  if (!d->has_power) {
    if (w->force) ss_part_energies_work(w, u, dt);
    return SS_OK;
  }
  size_t mark = ss_arena_mark(w->arena);
  double *q = ss_arena_array(w->arena, double, w->nq), *kick = ss_arena_array(w->arena, double, 1 + w->n_energy);
  ss_power power = {0};
  ss_status st = q && kick ? SS_OK : SS_ERR_CAPACITY;
  if (st == SS_OK) {
    if (w->op) ss_advance(w, s->q, u, dt/2, q);
    for (int i = 0; !w->op && i < w->nv; i++) q[i] = (s->q[i] + w->q[i])/2;
    w->at.q = q;
    w->at.u = u;
    w->at.t = s->t + dt/2;
    st = d->update ? d->update(&w->at) : SS_OK;
    if (st >= 0) st = d->n_energy_parts ? d->powers(&w->at, &power, w->power_now) : d->power(&w->at, &power);
    if (!d->n_energy_parts) w->power_now[0] = power;
    if (st >= 0) ss_part_energies_work(w, u, dt);
    if (st >= 0) st = ss_kick_work(w, dt, kick);
    for (int i = 0; i < w->n_energy && st >= 0; i++) w->energy_part[i].work_drive += kick[1 + i];
  }
  w->info.work_forces = dt*power.forces;
  w->info.work_drive += dt*power.drive + (st < 0 ? 0 : kick[0]);
  ss_arena_release(w->arena, mark);
  return st;
}

// Work of forces from outside, with the mean velocity of the step: with M constant, exactly what they add to T
static double work_outside(const ss_work* w, const ss_state* s, double dt)
{
  double sum = 0;
  for (int i = 0; w->force && i < w->nv; i++) sum += w->force[i]*(s->u[i] + w->u[i])/2;
  return dt*sum;
}

// Position errors out, and what that does to the energy.
static ss_status project(const ss_system* system, const ss_step_def* def, ss_work* w, double t, bool contacts)
{
  bool account = def->account;
  ss_energy before, after;
  ss_status st = account ? ss_energies(system, w, w->q, w->u, t, &before) : SS_OK;
  if (st < 0) return st;
  if (account) ss_part_energies_project(w, -1);
  ss_status held = ss_project(system, w, def, t, contacts);
  if (held < 0 || !account) return held;
  st = ss_energies(system, w, w->q, w->u, t, &after);
  ss_part_energies_project(w, 1);
  w->info.work_projection += after.kinetic + after.potential - before.kinetic - before.potential;
  return st < 0 ? st : held;
}

static ss_status check_def(const ss_system_def* d, const ss_step_def* def, ss_work* w)
{
  if (!(def->dt > 0) || !isfinite(def->dt))
    return ss_work_fail(w, SS_ERR_ARGUMENT, "dt is %g, must be positive", def->dt);
  if (!ss_integrator_name(def->integrator)) return ss_work_fail(w, SS_ERR_ARGUMENT, "there is no such integrator");
  if (def->integrator == SS_JEAN && !(def->theta >= 0.5 && def->theta <= 1))
    return ss_work_fail(w, SS_ERR_ARGUMENT, "theta is %g, must be in 0.5..1", def->theta);
  if (!ss_impact_law_name(def->impact)) return ss_work_fail(w, SS_ERR_ARGUMENT, "there is no such law of impacts");
  if (!ss_projection_name(def->project)) return ss_work_fail(w, SS_ERR_ARGUMENT, "there is no such projection");
  if (!ss_impact_order_name(def->order)) return ss_work_fail(w, SS_ERR_ARGUMENT, "there is no such order of impacts");
  if (def->integrator == SS_EVENT_DRIVEN && !(def->event.rtol > 0 && def->event.rtol < 1))
    return ss_work_fail(w, SS_ERR_ARGUMENT, "rtol is %g, must be between 0 and 1", def->event.rtol);
  if (def->integrator == SS_EVENT_DRIVEN && !(def->event.max_step >= 0))
    return ss_work_fail(w, SS_ERR_ARGUMENT, "max_step is %g, must be positive, or 0 for no limit", def->event.max_step);
  if (!ss_multiple_name(def->event.on_multiple))
    return ss_work_fail(w, SS_ERR_ARGUMENT, "there is no such choice among several motions");
  if (!(def->friction.compliance >= 0 && def->friction.compliance <= 1))
    return ss_work_fail(w, SS_ERR_ARGUMENT, "compliance is %g, must be in 0..1", def->friction.compliance);
  if (def->account && !d->energy)
    return ss_work_fail(w, SS_ERR_ARGUMENT, "the energy cannot be accounted for: the system has no energy()");
  return SS_OK;
}

// What surrounds the integrator: projection, energies. w->q, w->u hold the end of the step.
static ss_status finish_step(const ss_system* system, const ss_step_def* def, const ss_state* s, ss_work* w,
                             double t_end)
{
  const ss_system_def* d = ss_system_get(system);
  ss_status st = SS_OK, held = SS_OK;
  bool rattle = def->integrator == SS_RATTLE;  // which ends where gaps and constraints are as they should be
  if (def->account) {
    w->info.work_drive += work_outside(w, s, def->dt);
    if (rattle) ss_rattle_swap(w);  // what is known of the end is not lost
    st = works(d, w, s, def->dt);
    if (rattle) ss_rattle_swap(w);
  }
  else w->info.work_drive = w->info.work_projection = 0;
  bool contacts = !rattle && ss_to_project(w, def);
  if (st >= 0 && rattle) held = ss_check_constraints(w, def->dt);
  else if (st >= 0 && (contacts || d->n_bilateral)) held = project(system, def, w, t_end, contacts);
  w->info.overlap_left = w->info.penetration;
  if (st >= 0 && held >= 0 && !contacts && !rattle) st = ss_overlap_at_end(system, w, t_end);
  if (st >= 0 && held >= 0 && def->account) st = ss_energies(system, w, w->q, w->u, t_end, &w->info.after);
  if (st < 0 || held < 0) return st < 0 ? st : held;
  if (def->account) w->info.work_drive += w->info.after.transport - w->info.before.transport;
  if (def->account) ss_part_energies_end(w, s->u);
  for (int i = 0; i < w->nq; i++)
    if (!isfinite(w->q[i]))
      return ss_work_fail(w, SS_ERR_NUMERIC, "coordinate '%s' is not finite at t = %g", d->coordinate[i], t_end);
  return held;
}

ss_status ss_step_once(const ss_system* system, const ss_step_def* def, ss_state* s, ss_work* w)
{
  double t_end = s->t + def->dt;
  ss_status st = SS_OK;
  w->info.parts = 1;
  w->choice = SS_CHOICE_NONE;
  w->not_examined = false;
  w->info.has_events = false;
  w->info.n_events = 0;
  w->info.note = "";
  w->info.side = 0;
  w->info.stretch = NULL;
  w->info.arrival = NULL;
  w->info.before = w->info.after = (ss_energy){0};
  w->info.work_forces = w->info.work_projection = w->info.constraint_error = 0;
  w->info.n_part = 0;
  w->accounts = def->account;
  if (def->account) st = ss_energies(system, w, s->q, s->u, s->t, &w->info.before);
  if (st < 0) return st;
  if (def->account) ss_part_energies_begin(w);
  ss_recall_sticking(w, s);
  w->n_start = s->n_impulse;
  w->start = s->impulse;
  if (w->op && def->threads > 1 && !w->pool) w->pool = ss_pool_create(def->threads);
  w->at.pool = def->threads > 1 ? w->pool : NULL;
  w->at.damped = def->dt;
  w->at.start = s->u;
  w->at.q_start = s->q;
  ss_status solved = integrator_table[def->integrator].step(system, def, s, w);
  w->at.damped = 0;
  w->at.q_start = NULL;
  if (solved < 0) return solved;
  st = finish_step(system, def, s, w, t_end);
  if (st < 0) return st;
  if (!ss_keep_impulses(w, s)) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for %d impulses", w->info.n_active);
  if (solved == SS_OK) solved = w->info.status = st;  // constraints that could not be held count as not solved

  memcpy(s->q, w->q, sizeof(double)*(size_t)w->nq);
  memcpy(s->u, w->u, sizeof(double)*(size_t)w->nv);
  ss_remember_sticking(w, s);
  s->t = t_end;
  s->step++;
  return solved;
}

// Impulses of a time step as forces
static void mean_forces(ss_work* w, double dt)
{
  ss_contact_result* result = (ss_contact_result*)w->info.contact;  // the workspace's own, or those of its parts
  for (int i = 0; i < w->info.n_contact; i++)
    for (int k = 0; k < 3; k++) result[i].force[k] = result[i].Lambda[k]/dt;
  for (int r = 0; r < w->n_bilateral; r++) w->force_bilateral[r] = w->Lambda_bilateral[r]/dt;
}

// Whether state and workspace are those of the system. What only the event-driven integrator reads is its own to check.
static ss_status check_state(const ss_system_def* d, const ss_step_def* def, const ss_state* s, ss_work* w)
{
  bool fits = w->def == d && s->nq == d->nq && s->nv == d->nv;
  if (def->integrator == SS_EVENT_DRIVEN)
    fits = fits && s->n_contact == d->n_contact &&
           (d->operators || s->n_memory == ss_memory_size(d->nv, d->n_contact, false));
  return fits ? SS_OK : ss_work_fail(w, SS_ERR_ARGUMENT, "the state or the workspace is that of another system");
}

ss_status ss_step(const ss_system* system, const ss_step_def* def, ss_state* s, ss_work* w)
{
  if (!system || !def || !s || !w) return SS_ERR_ARGUMENT;
  ss_status st = check_def(ss_system_get(system), def, w);
  if (st >= 0) st = check_state(ss_system_get(system), def, s, w);
  if (st < 0) return st;
  w->force = def->force;
  double t = s->t;
  if (w->def->n_sensor) {
    memcpy(w->q_before, s->q, sizeof(double)*(size_t)w->nq);
    memcpy(w->u_before, s->u, sizeof(double)*(size_t)w->nv);
  }
  st = def->integrator == SS_EVENT_DRIVEN ? ss_step_event(system, def, s, w) : ss_step_once(system, def, s, w);
  if (st == SS_ERR_OVERLAP && def->integrator != SS_EVENT_DRIVEN) st = ss_step_in_parts(system, def, s, w);
  if (st >= 0 && def->integrator != SS_EVENT_DRIVEN) mean_forces(w, def->dt);
  w->force = NULL;
  w->dt_before = st < 0 ? 0 : def->integrator == SS_EVENT_DRIVEN ? s->t - t : def->dt;
  return st;
}

const double* ss_sense(const ss_state* s, const ss_step_info* info, ss_work* w)
{
  if (!s || !w || !w->def->n_sensor) return NULL;
  ss_at at = w->at;
  at.q = s->q;
  at.u = s->u;
  at.t = s->t;
  ss_past past = {.dt = info ? w->dt_before : 0, .q = w->q_before, .u = w->u_before, .info = info};
  w->def->sense(&at, &past, w->sensed);
  return w->sensed;
}

// The time of a step, and of the last one of an event-driven run, which may be shorter
static double time_of(const ss_step_def* def, double t0, long step)
{
  double t = t0 + (double)step*def->dt;
  bool shorter = def->integrator == SS_EVENT_DRIVEN && def->event.end < t && def->event.end > t - def->dt;
  return shorter ? def->event.end : t;
}

// The end of a step is that of the grid, not a sum; what happened in it was no later
static void end_on_grid(const ss_step_def* def, double t0, ss_state* state, ss_work* work)
{
  ss_state* arrival = (ss_state*)work->info.arrival;  // these are the workspace's own
  ss_event* event = (ss_event*)work->info.event;
  state->t = state->t_step = time_of(def, t0, state->step);
  if (arrival) arrival->t = fmin(arrival->t, state->t);
  for (int i = 0; i < work->info.n_events; i++) event[i].t = fmin(event[i].t, state->t);
}

ss_status ss_simulate(const ss_system* system, const ss_step_def* def, double t0, long n_steps, ss_state* state,
                      ss_work* work, ss_observer observe, void* user)
{
  if (!state) return SS_ERR_ARGUMENT;
  while (state->step < n_steps) {
    long step = state->step;
    ss_status st = ss_step(system, def, state, work);
    if (st == SS_ERR_STOPPED) return SS_STOPPED;
    if (st < 0) return st;
    if (state->step > step) end_on_grid(def, t0, state, work);  // else at an event
    if (observe && !observe(user, state, &work->info)) return SS_STOPPED;
  }
  return SS_OK;
}
