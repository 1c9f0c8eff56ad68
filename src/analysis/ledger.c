// The ledgers: contact events read off the steps, and the sums of the energy balance.
#include <stdlib.h>
#include <stickslip/ledger.h>

struct ss_ledger {
  int n_contact;
  bool started;
  ss_energy_ledger energy;
  ss_ledger_counts counts;
  ss_contact_state* state;  // n_contact: after the last step
  ss_event* event;          // n_contact: of the last step
};

const char* ss_event_kind_text(ss_event_kind kind)
{
  static const char* const text[SS_EVENT_KINDS] = {"impact", "detach", "stick", "slip", "accumulation"};
  return kind >= SS_EVENT_IMPACT && kind < SS_EVENT_KINDS ? text[kind] : "unknown";
}

ss_ledger* ss_ledger_create(const ss_system* system)
{
  int n = ss_system_get(system)->n_contact;
  ss_ledger* l = calloc(1, sizeof *l);
  if (!l) return NULL;
  l->n_contact = n;
  l->state = calloc((size_t)n + 1, sizeof *l->state);
  l->event = calloc((size_t)n + 1, sizeof *l->event);
  if (l->state && l->event) return l;
  ss_ledger_destroy(l);
  return NULL;
}

void ss_ledger_destroy(ss_ledger* l)
{
  if (!l) return;
  free(l->state);
  free(l->event);
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

static ss_event make_event(const ss_ledger* l, const ss_state* s, const ss_step_info* info, int contact,
                           ss_event_kind kind)
{
  const ss_contact_result* c = &info->contact[contact];
  ss_event e = {.t = s->t, .step = s->step, .contact = contact, .kind = kind, .state_before = l->state[contact],
                .state = c->state, .solutions = -1,
                .energy_before = info->before.kinetic + info->before.potential,
                .energy_after = info->after.kinetic + info->after.potential};
  for (int k = 0; k < 2; k++) {
    e.gamma_before[k] = c->gamma_before[k];
    e.gamma_after[k] = c->gamma_after[k];
    e.Lambda[k] = c->Lambda[k];
  }
  return e;
}

static void add_energy(ss_ledger* l, const ss_step_info* info)
{
  ss_energy_ledger* e = &l->energy;
  double gain = info->after.kinetic + info->after.potential - info->before.kinetic - info->before.potential;
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
  if (info->residual > c->max_residual) c->max_residual = info->residual;
  if (info->penetration > c->max_penetration) c->max_penetration = info->penetration;
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

// Events as changes of contact states from one step to the next. Returns their number.
static int find_events(ss_ledger* l, const ss_state* s, const ss_step_info* info, bool* impact)
{
  int n = 0;
  for (int i = 0; i < l->n_contact; i++) {
    ss_contact_state to = info->contact[i].state;
    ss_event_kind kind;
    bool event = classify(l->state[i], to, &kind);
    if (!l->started) event = to != SS_OPEN && info->contact[i].gamma_before[0] < 0;  // closed at the start: no event
    if (event) l->event[n++] = make_event(l, s, info, i, kind);
    if (event && kind == SS_EVENT_IMPACT) {
      l->counts.impacts++;
      *impact = true;
    }
  }
  return n;
}

int ss_ledger_step(ss_ledger* l, const ss_state* s, const ss_step_info* info, const ss_event** events)
{
  add_energy(l, info);
  add_counts(&l->counts, info);
  bool impact = info->has_events && take_events(l, info);
  int n = info->has_events ? info->n_events : find_events(l, s, info, &impact);
  for (int i = 0; i < l->n_contact; i++) l->state[i] = info->contact[i].state;
  l->started = true;
  if (impact && info->gains_energy) l->counts.energy_gain++;
  l->counts.events += n;
  if (events) *events = info->has_events ? info->event : l->event;
  return n;
}

const ss_energy_ledger* ss_ledger_energy(const ss_ledger* l) { return &l->energy; }

const ss_ledger_counts* ss_ledger_get_counts(const ss_ledger* l) { return &l->counts; }

void ss_ledger_restore(ss_ledger* l, const ss_contact_state* state, const ss_energy_ledger* energy,
                       const ss_ledger_counts* counts)
{
  for (int i = 0; i < l->n_contact; i++) l->state[i] = state[i];
  l->energy = *energy;
  l->counts = *counts;
  l->started = counts->steps > 0;
}
