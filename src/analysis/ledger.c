// The ledgers: contact events read off the steps, and the sums of the energy balance.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/ledger.h>

#include "analysis/kept.h"

struct ss_ledger {
  int n_contact, most;      // contacts that have a number, and room for them
  bool started;
  ss_energy_ledger energy, energy_arrival;
  ss_ledger_counts counts, counts_arrival;  // ..._arrival: just before the events of the last step
  bool has_energy;          // there were energies:
  double kinetic, least_potential, largest_potential;  // the largest T so far, and the range of V
  ss_kept_parts* kept;      // the same, part by part
  bool accounts;            // the energies of some step were accounted for
  ss_contact_state* state;  // most: after the last step
  bool* seen;               // most: in the list of the step at hand; false between steps
  int n_closed;             // contacts that were closed after the last step
  int* closed;              // most: their numbers
  ss_event* event;          // most: of the last step
};

// Room for contacts that have got a number since. False if memory is short: the ledger keeps what it has.
static bool reserve(ss_ledger* l, int n)
{
  if (n <= l->most) return true;
  int most = n + n/2 + 8;
  ss_contact_state* state = realloc(l->state, sizeof *state*(size_t)most);
  if (state) l->state = state;
  bool* seen = state ? realloc(l->seen, sizeof *seen*(size_t)most) : NULL;
  if (seen) l->seen = seen;
  int* closed = seen ? realloc(l->closed, sizeof *closed*(size_t)most) : NULL;
  if (closed) l->closed = closed;
  ss_event* event = closed ? realloc(l->event, sizeof *event*(size_t)most) : NULL;
  if (!event) return false;
  l->event = event;
  for (int i = l->most; i < most; i++) {
    l->state[i] = SS_OPEN;
    l->seen[i] = false;
  }
  l->most = most;
  return true;
}

const char* ss_event_kind_text(ss_event_kind kind)
{
  static const char* const text[SS_EVENT_KINDS] = {"impact", "detach", "stick", "slip", "accumulation", "pass"};
  return kind >= SS_EVENT_IMPACT && kind < SS_EVENT_KINDS ? text[kind] : "unknown";
}

ss_ledger* ss_ledger_create(const ss_system* system)
{
  if (!system) return NULL;
  int n = ss_system_get(system)->n_contact;
  ss_ledger* l = calloc(1, sizeof *l);
  if (!l) return NULL;
  l->n_contact = n;
  l->kept = ss_kept_create(ss_system_get(system));
  if (l->kept && reserve(l, n + 1)) return l;
  ss_ledger_destroy(l);
  return NULL;
}

void ss_ledger_destroy(ss_ledger* l)
{
  if (!l) return;
  free(l->state);
  free(l->seen);
  free(l->closed);
  free(l->event);
  ss_kept_destroy(l->kept);
  free(l);
}

// Whether the change of a contact from one state to another is an event, and of which kind.
static bool classify(ss_contact_state from, ss_contact_state to, ss_event_kind* kind)
{
  if (from == to) return false;
  if (from == SS_OPEN) *kind = SS_EVENT_IMPACT;
  else if (to == SS_OPEN) *kind = SS_EVENT_DETACH;
  else if (to == SS_STICK) *kind = SS_EVENT_STICK;
  else *kind = SS_EVENT_SLIP;
  return true;
}

static ss_event make_event(const ss_ledger* l, const ss_state* s, const ss_step_info* info,
                           const ss_contact_result* c, ss_event_kind kind)
{
  ss_event e = {.t = s->t, .step = s->step, .contact = c->contact, .kind = kind,
                .state_before = l->state[c->contact], .state = c->state, .solutions = -1,
                .energy_before = info->before.kinetic + info->before.potential,
                .energy_after = info->after.kinetic + info->after.potential};
  memcpy(e.gamma_before, c->gamma_before, sizeof e.gamma_before);
  memcpy(e.gamma_after, c->gamma_after, sizeof e.gamma_after);
  memcpy(e.Lambda, c->Lambda, sizeof e.Lambda);
  return e;
}

void ss_ledger_see_energy(ss_ledger* l, double kinetic, double potential)
{
  if (!l) return;
  if (!l->has_energy) l->least_potential = l->largest_potential = potential;
  l->has_energy = true;
  l->kinetic = fmax(l->kinetic, kinetic);
  l->least_potential = fmin(l->least_potential, potential);
  l->largest_potential = fmax(l->largest_potential, potential);
}

double ss_ledger_energy_at_hand(const ss_ledger* l)
{
  if (!l) return 0;
  const ss_energy_ledger* e = &l->energy;
  return l->kinetic + l->largest_potential - l->least_potential + fabs(e->work_forces) + fabs(e->work_drive) +
         fabs(e->loss_normal) + fabs(e->loss_friction) + fabs(e->work_projection);
}

// Of the whole, which counts where parts do not know their works
static bool is_whole_off(const ss_ledger* l)
{
  double V = fmax(fabs(l->least_potential), fabs(l->largest_potential)), defect = fabs(l->energy.defect);
  return defect > 0.1*ss_ledger_energy_at_hand(l) && defect > 1e-9*V + ss_kept_round_off(l->kept);
}

ss_energy_kept ss_ledger_energy_kept(const ss_ledger* l)
{
  if (!l) return (ss_energy_kept){.velocity = -1};
  ss_energy_kept worst = ss_kept_worst(l->kept);
  if (worst.off || !l->accounts || !is_whole_off(l)) return worst;
  return (ss_energy_kept){.defect = fabs(l->energy.defect), .at_hand = ss_ledger_energy_at_hand(l), .velocity = -1,
                          .off = true};
}

double ss_ledger_round_off(const ss_ledger* l) { return l ? ss_kept_round_off(l->kept) : 0; }

bool ss_ledger_energy_is_off(const ss_ledger* l) { return ss_ledger_energy_kept(l).off; }

static void add_energy(ss_ledger* l, const ss_step_info* info)
{
  ss_energy_ledger* e = &l->energy;
  double gain = info->after.kinetic + info->after.potential - info->before.kinetic - info->before.potential;
  ss_ledger_see_energy(l, info->before.kinetic, info->before.potential);
  ss_ledger_see_energy(l, info->after.kinetic, info->after.potential);
  e->kinetic = info->after.kinetic;
  e->potential = info->after.potential;
  e->work_forces += info->work_forces;
  e->work_drive += info->work_drive;
  e->loss_normal += info->loss_normal;
  e->loss_friction += info->loss_friction;
  e->work_projection += info->work_projection;
  e->defect += gain - info->work_forces - info->work_drive + info->loss_normal + info->loss_friction -
               info->work_projection;
}

static void add_counts(ss_ledger_counts* c, const ss_step_info* info)
{
  c->steps++;
  if (info->status != SS_OK) c->not_solved++;
  if (info->parts > 1) c->in_parts++;
  if (info->choice == SS_CHOICE_FORCES) c->several_forces++;
  if (info->choice >= SS_CHOICE_MOTION) c->several_motions++;
  if (info->choice == SS_CHOICE_AS_FOUND) c->as_found++;
  c->not_examined += info->not_examined;
  if (info->residual > c->max_residual) c->max_residual = info->residual;
  if (info->penetration > c->max_penetration) c->max_penetration = info->penetration;
  if (info->limit_error > c->max_limit_error) c->max_limit_error = info->limit_error;
  if (info->constraint_error > c->max_constraint_error) c->max_constraint_error = info->constraint_error;
}

// Events that the integrator tells itself. Returns whether there is an impact among them.
static bool take_events(ss_ledger* l, const ss_step_info* info)
{
  bool impact = false;
  for (int i = 0; i < info->n_events; i++) {
    if (info->event[i].kind != SS_EVENT_IMPACT && info->event[i].kind != SS_EVENT_ACCUMULATION) continue;
    l->counts.impacts++;
    impact = true;
  }
  return impact;
}

// Whether the contact changed its state in this step, and what that is called. Returns the number of events.
static int find_event(ss_ledger* l, const ss_state* s, const ss_step_info* info, const ss_contact_result* c, int n,
                      bool* impact)
{
  ss_event_kind kind;
  bool event = classify(l->state[c->contact], c->state, &kind);
  if (!l->started) event = c->state != SS_OPEN && c->gamma_before[0] < 0;  // closed at the start: no event
  if (!event) return n;
  l->event[n] = make_event(l, s, info, c, kind);
  if (kind == SS_EVENT_IMPACT) {
    l->counts.impacts++;
    *impact = true;
  }
  return n + 1;
}

static int by_contact(const void* a, const void* b)
{
  int x = ((const ss_event*)a)->contact, y = ((const ss_event*)b)->contact;
  return (x > y) - (x < y);
}

// Events as changes of contact states from one step to the next. Returns their number. Contacts that were closed and
// are no longer in the list have opened: by number, since a run that goes on has forgotten the order in which they were
// listed.
static int find_events(ss_ledger* l, const ss_state* s, const ss_step_info* info, bool* impact)
{
  int n = 0;
  for (int i = 0; i < info->n_contact; i++) {
    const ss_contact_result* c = &info->contact[i];
    if (c->contact < 0) continue;
    l->seen[c->contact] = true;
    n = find_event(l, s, info, c, n, impact);
  }
  int listed = n;
  for (int i = 0; i < l->n_closed; i++) {
    if (l->seen[l->closed[i]]) continue;
    ss_contact_result gone = {.contact = l->closed[i], .state = SS_OPEN};
    n = find_event(l, s, info, &gone, n, impact);
  }
  if (n - listed > 1) qsort(l->event + listed, (size_t)(n - listed), sizeof *l->event, by_contact);
  for (int i = 0; i < info->n_contact; i++)
    if (info->contact[i].contact >= 0) l->seen[info->contact[i].contact] = false;
  return n;
}

static void keep_states(ss_ledger* l, const ss_step_info* info)
{
  for (int i = 0; i < l->n_closed; i++) l->state[l->closed[i]] = SS_OPEN;
  l->n_closed = 0;
  for (int i = 0; i < info->n_contact; i++) {
    const ss_contact_result* c = &info->contact[i];
    if (c->contact < 0) continue;
    l->state[c->contact] = c->state;
    if (c->state != SS_OPEN) l->closed[l->n_closed++] = c->contact;
  }
}

int ss_ledger_step(ss_ledger* l, const ss_state* s, const ss_step_info* info, const ss_event** events)
{
  if (!l || !s || !info) return 0;
  const ss_step_info* last = info->stretch ? &info->stretch[1] : info;
  if (info->stretch) {
    add_energy(l, &info->stretch[0]);
    add_counts(&l->counts, &info->stretch[0]);
    l->energy_arrival = l->energy;
    l->counts_arrival = l->counts;
  }
  add_energy(l, last);
  add_counts(&l->counts, last);
  l->accounts = l->accounts || info->n_part > 0;
  if (info->n_part) ss_kept_step(l->kept, info->n_part, info->part, !l->started);
  if (events) *events = info->has_events ? info->event : l->event;
  if (!reserve(l, info->n_known)) return 0;
  if (info->n_known > l->n_contact) l->n_contact = info->n_known;
  bool impact = info->has_events && take_events(l, info);
  int n = info->has_events ? info->n_events : find_events(l, s, info, &impact);
  keep_states(l, info);
  l->started = true;
  if (impact && info->gains_energy) l->counts.energy_gain++;
  l->counts.events += n;
  if (events) *events = info->has_events ? info->event : l->event;
  return n;
}

const ss_ledger_counts* ss_ledger_arrival(const ss_ledger* l, const ss_energy_ledger** energy)
{
  if (!l || !energy) return NULL;
  *energy = &l->energy_arrival;
  return &l->counts_arrival;
}

const ss_energy_ledger* ss_ledger_energy(const ss_ledger* l) { return l ? &l->energy : NULL; }

const ss_ledger_counts* ss_ledger_get_counts(const ss_ledger* l) { return l ? &l->counts : NULL; }

ss_status ss_ledger_restore(ss_ledger* l, int n_contact, const ss_contact_state* state, const ss_energy_ledger* energy,
                            const ss_ledger_counts* counts)
{
  if (!l || (n_contact > 0 && !state) || !energy || !counts) return SS_ERR_ARGUMENT;
  if (!reserve(l, n_contact)) return SS_ERR_MEMORY;
  l->n_contact = n_contact;
  l->n_closed = 0;
  for (int i = 0; i < n_contact; i++) {
    l->state[i] = state[i];
    if (state[i] != SS_OPEN) l->closed[l->n_closed++] = i;
  }
  l->energy = *energy;
  l->counts = *counts;
  l->started = counts->steps > 0;
  ss_ledger_see_energy(l, energy->kinetic, energy->potential);
  return SS_OK;
}
