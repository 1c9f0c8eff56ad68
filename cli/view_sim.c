// A simulation whose model can be changed while it runs: a new system takes over time, position and velocity.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_arg.h"
#include "view.h"

static ss_status no_memory(ss_error* error) { return ss_error_set(error, SS_ERR_MEMORY, "out of memory"); }

static char* copy_of(const char* text)
{
  char* copy = malloc(strlen(text) + 1);
  if (copy) strcpy(copy, text);
  return copy;
}

static void free_set(int n, ss_override* set)
{
  for (int i = 0; i < n; i++) {
    free((char*)set[i].path);
    free((char*)set[i].value);
  }
  free(set);
}

// The values that are set, and one more, or another one in the place of an old one. NULL if memory is short.
static ss_override* copy_set(int n, const ss_override* set, const char* path, const char* value, int* n_out)
{
  ss_override* out = calloc((size_t)n + 1, sizeof *out);
  bool replaced = !path;
  int k = 0;
  for (int i = 0; out && i < n + 1; i++) {
    bool last = i == n, same = !last && path && strcmp(set[i].path, path) == 0;
    if (last && replaced) break;
    out[k].path = copy_of(last ? path : set[i].path);
    out[k].value = copy_of(last || same ? value : set[i].value);
    replaced = replaced || same;
    if (out[k].path && out[k].value) k++;
    else {
      free_set(k + 1, out);
      return NULL;
    }
  }
  *n_out = k;
  return out;
}

// ---- making --------------------------------------------------------------------------------------------------------

static void free_parts(cli_sim* s)
{
  if (s->ledger) ss_ledger_destroy(s->ledger);
  if (s->state) ss_state_destroy(s->state);
  ss_work_destroy(s->work);
  ss_tree_work_destroy(s->tree);
  ss_model_destroy(s->model);
  free_set(s->n_set, s->set);
  if (s->last) ss_state_destroy(s->last);
  if (s->present) ss_state_destroy(s->present);
  free(s->force);
  free(s->last_force);
  free(s->contact_state);
}

void cli_sim_close(cli_sim* s)
{
  free_parts(s);
  *s = (cli_sim){0};
}

static ss_status make(cli_sim* s, ss_error* error)
{
  ss_model_def def = {.n_override = s->n_set, .override = s->set};
  s->model = ss_model_load(s->name, &def, error);
  if (!s->model) return error->status;
  s->system = ss_model_system(s->model);
  s->def = ss_system_get(s->system);
  s->run = *ss_model_run(s->model);
  s->run.step.account = s->def->energy != NULL;
  s->state = ss_state_create(s->system);
  s->ledger = ss_ledger_create(s->system);
  s->last = ss_state_create(s->system);
  s->present = ss_state_create(s->system);
  s->force = calloc((size_t)s->def->nv + 1, sizeof *s->force);
  s->last_force = calloc((size_t)s->def->nv + 1, sizeof *s->last_force);
  s->room = s->def->n_contact + 16;
  s->n_known = s->def->n_contact;
  s->contact_state = calloc((size_t)s->room, sizeof *s->contact_state);
  if (!s->state || !s->last || !s->present || !s->ledger) return no_memory(error);
  if (!s->force || !s->last_force || !s->contact_state) return no_memory(error);
  const ss_machine* machine = ss_model_machine(s->model);
  s->work = ss_work_create(s->system, error);
  s->tree = s->work && machine ? ss_tree_work_create(ss_machine_tree(machine), error) : NULL;
  if (!s->work || (machine && !s->tree)) return error->status;
  ss_model_initial(s->model, s->state);
  s->t0 = s->state->t;
  return SS_OK;
}

// The ledger of a state that no step has led to has its energies, too
static ss_status start_ledger(cli_sim* s, ss_error* error)
{
  ss_energy now = {0};
  ss_energy_ledger energy = {0};
  ss_ledger_counts counts = {0};
  if (s->run.step.account && cli_energy_at(s->system, s->state, &now)) {
    energy.kinetic = now.kinetic;
    energy.potential = now.potential;
  }
  return ss_ledger_restore(s->ledger, s->n_known, s->contact_state, &energy, &counts) < 0 ? no_memory(error) : SS_OK;
}

ss_status cli_sim_open(cli_sim* s, const char* name, int n_set, const ss_override* set, ss_error* error)
{
  *s = (cli_sim){.name = name};
  s->set = copy_set(n_set, set, NULL, NULL, &s->n_set);
  ss_status st = s->set ? make(s, error) : no_memory(error);
  if (st >= 0) st = start_ledger(s, error);
  if (st >= 0) ss_state_copy(s->present, s->state);
  else cli_sim_close(s);
  return st;
}

// ---- changing ------------------------------------------------------------------------------------------------------

static bool same_names(int n, const char* const* a, const char* const* b)
{
  for (int i = 0; i < n; i++)
    if (strcmp(a[i], b[i]) != 0) return false;
  return true;
}

static ss_status check_fit(const cli_sim* s, const cli_sim* old, ss_error* error)
{
  const ss_system_def *a = s->def, *b = old->def;
  bool fits = a->nq == b->nq && a->nv == b->nv && a->n_contact == b->n_contact && !a->operators == !b->operators
              && same_names(a->nq, a->coordinate, b->coordinate);
  for (int i = 0; fits && i < a->n_contact; i++)
    fits = strcmp(a->contact[i].name, b->contact[i].name) == 0 && a->contact[i].kind == b->contact[i].kind;
  if (fits) return SS_OK;
  return ss_error_set(error, SS_ERR_INPUT, "the model has other coordinates or contacts with this value");
}

// Room for n contacts
static bool reserve(cli_sim* s, int n)
{
  if (n <= s->room) return true;
  int room = n + n/2;
  ss_contact_state* more = realloc(s->contact_state, sizeof *more*(size_t)room);
  if (!more) return false;
  s->contact_state = more;
  s->room = room;
  return true;
}

// The numbers of the contacts, in another workspace
static bool copy_contacts(const cli_sim* s, ss_work* to)
{
  for (int i = 0; s->def->operators && i < s->n_known; i++) {
    uint64_t key = ss_work_contact_key(s->work, i);
    if (ss_work_contact_add(to, key, ss_work_contact_kind(s->work, i)) != i) return false;
  }
  return true;
}

// Contacts keep their numbers: the page knows them by these
static ss_status keep_contacts(cli_sim* s, const cli_sim* old, ss_error* error)
{
  if (!reserve(s, old->n_known) || !copy_contacts(old, s->work)) return no_memory(error);
  s->n_known = old->n_known;
  for (int i = 0; i < s->n_known; i++) s->contact_state[i] = SS_OPEN;
  return SS_OK;
}

// Settings as they were, but for a step size that the change is about
static void keep_settings(cli_sim* s, const cli_sim* old)
{
  double dt = ss_model_run(s->model)->step.dt;
  bool other = dt != ss_model_run(old->model)->step.dt;
  s->run = old->run;
  s->run.step.force = NULL;
  s->t0 = old->t0;
  if (other) s->run.step.dt = dt;
}

// Steps count as if there had never been another step size
static void count_anew(cli_sim* s)
{
  ss_state* x = s->state;
  x->step = lround((x->t - s->run.start)/s->run.step.dt);
  s->t0 = x->t - (double)x->step*s->run.step.dt;
  x->t_step = x->t;
  x->has_mode = false;
}

static ss_status keep_motion(cli_sim* s, const cli_sim* old, ss_error* error)
{
  memcpy(s->state->q, old->state->q, sizeof(double)*(size_t)s->def->nq);
  memcpy(s->state->u, old->state->u, sizeof(double)*(size_t)s->def->nv);
  memcpy(s->contact_state, old->contact_state, sizeof *s->contact_state*(size_t)s->n_known);
  s->state->t = s->state->t_step = old->state->t;
  s->state->step = old->state->step;
  s->state->has_mode = false;
  if (s->run.step.dt != old->run.step.dt) count_anew(s);
  if (ss_inspect(s->system, s->state, s->work, NULL, NULL) < 0)
    return ss_error_set(error, SS_ERR_NUMERIC, "the model cannot be evaluated with this value: %s",
                        ss_work_message(s->work));
  ss_energy_ledger energy = *ss_ledger_energy(old->ledger);
  ss_energy now;
  if (s->run.step.account && cli_energy_at(s->system, s->state, &now)) {
    energy.work_drive += now.kinetic + now.potential - energy.kinetic - energy.potential;
    energy.kinetic = now.kinetic;
    energy.potential = now.potential;
  }
  ss_status st = ss_ledger_restore(s->ledger, s->n_known, s->contact_state, &energy, ss_ledger_get_counts(old->ledger));
  return st < 0 ? no_memory(error) : SS_OK;
}

// The model anew, with a value replaced or not, where it is or at its start
static ss_status remake(cli_sim* s, const char* path, const char* value, bool at_start, bool* fits, ss_error* error)
{
  cli_sim new = {.name = s->name};
  new.set = copy_set(s->n_set, s->set, path, value, &new.n_set);
  ss_status st = new.set ? make(&new, error) : no_memory(error);
  if (st >= 0) st = check_fit(&new, s, error);
  if (st >= 0) st = keep_contacts(&new, s, error);
  if (st >= 0) {
    double start = new.t0;
    keep_settings(&new, s);
    if (at_start) new.t0 = start;
    st = at_start ? start_ledger(&new, error) : keep_motion(&new, s, error);
  }
  if (st < 0) {
    free_parts(&new);
    return st;
  }
  *fits = cli_hello_fits(s->model, new.model);
  ss_state_copy(new.present, new.state);
  free_parts(s);
  *s = new;
  return SS_OK;
}

ss_status cli_sim_set(cli_sim* s, const char* path, const char* value, bool* fits, ss_error* error)
{
  return remake(s, path, value, false, fits, error);
}

ss_status cli_sim_reset(cli_sim* s, bool* fits, ss_error* error) { return remake(s, NULL, NULL, true, fits, error); }

void cli_sim_step_def(cli_sim* s, const ss_step_def* def)
{
  bool other = def->dt != s->run.step.dt;
  s->run.step = *def;
  if (def->integrator == SS_EVENT_DRIVEN || def->integrator == SS_RATTLE) s->run.step.project = SS_PROJECTION_AUTO;
  s->state->t_step = s->state->t;
  s->state->has_mode = false;
  if (other) count_anew(s);
  else s->t0 = s->state->t - (double)s->state->step*def->dt;  // within a step of the event-driven integrator
}

// ---- stepping ------------------------------------------------------------------------------------------------------

static void remember_step(cli_sim* s)
{
  ss_state* before = s->present;
  s->present = s->last;
  s->last = before;
  ss_state_copy(s->present, s->state);
  memcpy(s->last_force, s->force, sizeof(double)*(size_t)s->def->nv);
  s->last_def = s->run.step;
  if (s->last_def.force) s->last_def.force = s->last_force;
}

ss_work* cli_sim_repeat(const cli_sim* s, ss_state* state, ss_error* error)
{
  ss_work* work = ss_work_create(s->system, error);
  if (!work) return NULL;
  ss_state_copy(state, s->last);
  if (!copy_contacts(s, work) || ss_work_keep_problem(work) < 0) no_memory(error);
  else if (ss_step(s->system, &s->last_def, state, work) >= 0) return work;
  else ss_error_set(error, SS_ERR_NUMERIC, "the step cannot be made again: %s", ss_work_message(work));
  ss_work_destroy(work);
  return NULL;
}

int cli_sim_note_step(cli_sim* s, const ss_event** event)
{
  const ss_step_info* info = ss_work_info(s->work);
  int n = ss_ledger_step(s->ledger, s->state, info, event);
  s->has_stepped = true;
  remember_step(s);
  if (info->n_known > s->n_known && reserve(s, info->n_known)) s->n_known = info->n_known;
  for (int i = 0; i < s->n_known; i++) s->contact_state[i] = SS_OPEN;
  for (int i = 0; i < info->n_contact; i++) {
    int k = info->contact[i].contact;
    if (k >= 0 && k < s->n_known) s->contact_state[k] = info->contact[i].state;
  }
  return n;
}
