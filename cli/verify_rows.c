// `stickslip verify`: what holds for the rows of any run: numbers are numbers, times are those of the steps, counts are
// those of the rows and of the list of events, and that list follows from the states of successive rows.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

#define NONE_OFF 1e-12L  // relative: sums of the same numbers in another order

// Columns of contacts that come and go: these are looked at row by row
static bool is_of_contact(const char* name)
{
  static const char* const heads[] = {"gap.", "state.", "Lambda_", "gamma_", "point_"};
  for (size_t i = 0; i < sizeof heads/sizeof *heads; i++)
    if (strncmp(name, heads[i], strlen(heads[i])) == 0) return true;
  return false;
}

static bool has_column(cli_verifier* v, const char* wanted)
{
  int n;
  const char* const* name = ss_run_columns(v->run, &n);
  for (int i = 0; name && i < n; i++)
    if (strcmp(name[i], wanted) == 0) return true;
  return false;
}

static bool check_numbers(cli_verifier* v, ss_error* error)
{
  int n;
  const char* const* name = ss_run_columns(v->run, &n);
  for (int i = 0; name && i < n; i++) {
    if (v->info->listed && is_of_contact(name[i])) continue;
    const double* x = ss_run_column(v->run, name[i], error);
    if (!x) return false;
    for (long row = 0; row < v->info->n_rows; row++)
      if (!isfinite(x[row])) cli_verify_note(v, CLI_NUMBERS, row, NAN, 1);
    cli_verify_note(v, CLI_NUMBERS, 0, 0, 1);
  }
  return true;
}

// Steps follow each other by dt; a row between two steps (an event) lies between them.
static void check_times(cli_verifier* v)
{
  double dt = v->info->run.step.dt;
  bool events = v->info->run.step.integrator == SS_EVENT_DRIVEN;
  for (long row = 1; row < v->info->n_rows; row++) {
    double steps = v->step[row] - v->step[row - 1];
    long double passed = (long double)v->t[row] - v->t[row - 1];
    long double round = 4*DBL_EPSILON*(fabs(v->t[row]) + dt)*(1 + steps);
    long double off = fabsl(passed - steps*(long double)dt);
    if (events) off = fmaxl(0, fmaxl(-passed, passed - (steps + 1)*dt));
    if (steps < 0 || steps != floor(steps) || (!events && steps == 0)) off = dt;
    long double full = v->info->run.start + v->step[row]*(long double)dt;  // of the steps as far as here
    if (row + 1 == v->info->n_rows && v->t[row] == v->info->run.until) full = fminl(full, v->t[row]);  // a short one
    if (events) off = fmaxl(off, fmaxl(full - v->t[row], v->t[row] - full - dt) - round*v->step[row]);
    cli_verify_note(v, CLI_TIMES, row, isfinite(v->t[row]) ? fmaxl(0, off - round) : NAN, dt);
  }
}

// ---- counts ----

static void expect(cli_verifier* v, long row, double is, double least, double most)
{
  cli_verify_note(v, CLI_COUNTS, row, is < least ? least - is : is > most ? is - most : 0, 1);
}

static bool check_counts(cli_verifier* v, ss_error* error)
{
  static const char* const names[] = {"steps", "events", "impacts", "not_solved", "max_residual", "energy_gain"};
  const double *c[6], *status = cli_verify_column(v, "", "status", error),
               *residual = cli_verify_column(v, "", "residual", error);
  for (int i = 0; i < 6; i++) c[i] = cli_verify_column(v, "counts.", names[i], error);
  if (error->status < 0) return false;
  bool stops = v->info->run.step.integrator == SS_EVENT_DRIVEN, all = v->info->run.every == 1;
  long past[2] = {0}, now[2] = {0}, next = 0;
  for (long row = 0; row < v->info->n_rows; row++) {
    if (row == 0 || v->t[row] > v->t[row - 1]) memcpy(past, now, sizeof past);  // rows may have the same time
    for (; next < v->info->n_events && ss_event_is_past(&v->event[next], (long)v->step[row], v->t[row]); next++) {
      now[0]++;
      now[1] += v->event[next].kind == SS_EVENT_IMPACT || v->event[next].kind == SS_EVENT_ACCUMULATION;
    }
    expect(v, row, c[1][row], stops ? past[0] : now[0], now[0]);
    expect(v, row, c[2][row], stops ? past[1] : now[1], now[1]);
    if (row == 0) continue;
    double steps = stops ? 1 : v->step[row] - v->step[row - 1], missed = c[3][row] - c[3][row - 1];
    bool one = stops ? all : steps == 1;
    expect(v, row, c[0][row] - c[0][row - 1], steps, stops && !all ? INFINITY : steps);
    expect(v, row, missed, status[row] != 0, one ? status[row] != 0 : c[0][row] - c[0][row - 1]);
    double largest = fmax(c[4][row - 1], residual[row]);
    expect(v, row, c[4][row], largest, one ? largest : INFINITY);
    expect(v, row, c[5][row] - c[5][row - 1], 0, c[2][row] - c[2][row - 1]);
  }
  v->not_solved = (long)c[3][v->info->n_rows - 1];
  // the writer of a run that goes on, or was killed, may have stored events of rows that are not there yet
  bool ended = strcmp(v->info->status, "running") != 0;
  expect(v, v->info->n_rows - 1, (double)v->info->n_events, (double)now[0], ended ? (double)now[0] : INFINITY);
  return true;
}

// What is the largest so far, or counted, never falls
static bool check_maxima(cli_verifier* v, ss_error* error)
{
  static const char* const names[] = {"max_penetration", "max_limit_error", "max_constraint_error", "in_parts",
                                      "not_examined"};
  char full[64];
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) {
    snprintf(full, sizeof full, "counts.%s", names[i]);
    const double* x = has_column(v, full) ? cli_verify_column(v, "counts.", names[i], error) : NULL;
    if (error->status < 0) return false;
    for (long row = 1; x && row < v->info->n_rows; row++)
      cli_verify_note(v, CLI_COUNTS, row, fmin(0, x[row] - x[row - 1]), fabs(x[row - 1]) + 1e-12);
  }
  return true;
}

// ---- events of time-stepping ----

static bool classify(ss_contact_state from, ss_contact_state to, ss_event_kind* kind)
{
  *kind = from == SS_OPEN ? SS_EVENT_IMPACT : to == SS_OPEN ? SS_EVENT_DETACH :
          to == SS_STICK ? SS_EVENT_STICK : SS_EVENT_SLIP;
  return from != to;
}

static void compare(cli_verifier* v, long row, double a, double b, double size)
{
  cli_verify_note(v, CLI_EVENTS, row, (long double)a - b, fabs(a) + fabs(b) + size);
}

static void wrong_event(cli_verifier* v, long row) { cli_verify_note(v, CLI_EVENTS, row, 1, 1); }

void cli_verify_event_state(cli_verifier* v, long row, long event)
{
  const ss_event* e = &v->event[event];
  bool same = true;
  for (int i = 0; i < v->info->nq; i++) same = same && v->event_q[event*v->info->nq + i] == v->q[i][row];
  for (int i = 0; i < v->info->nv; i++) same = same && v->event_u[event*v->info->nv + i] == v->u[i][row];
  if (!same || e->t != v->t[row] || e->step != (long)v->step[row]) wrong_event(v, row);
  else cli_verify_note(v, CLI_EVENTS, row, 0, 1);
  if (!v->info->run.step.account) return;
  double sum = v->kinetic[row] + v->potential[row];
  cli_verify_note(v, CLI_EVENTS, row, (long double)e->energy_after - sum,
                  (fabs(v->kinetic[row]) + fabs(v->potential[row]) + fabs(e->energy_after))/(1e-8/NONE_OFF));
}

// The event of a contact whose state has changed, if it is in the list from event `first` on
static const ss_event* find_event(cli_verifier* v, long row, long first, int contact)
{
  for (long i = first; i < v->info->n_events && v->event[i].step <= v->step[row]; i++)
    if (v->event[i].contact == contact) return &v->event[i];
  return NULL;
}

static void check_event(cli_verifier* v, long row, const ss_event* e, const ss_run_contact* c, ss_event_kind kind)
{
  if (!e || e->kind != kind || e->state_before != v->was[c->contact] || e->state != c->state ||
      e->step != (long)v->step[row]) {
    wrong_event(v, row);
    return;
  }
  cli_verify_event_state(v, row, e - v->event);
  double speed = DBL_MIN + v->speed;
  for (int k = 0; k < 3; k++) speed += fabs(c->gamma[k]) + fabs(e->gamma_before[k]);
  for (int k = 0; k < 3; k++) {
    double before = v->before[3*c->contact + k];
    compare(v, row, e->gamma_after[k], c->gamma[k], DBL_MIN);
    if (!isnan(before)) compare(v, row, e->gamma_before[k], before, speed);
    compare(v, row, e->Lambda[k], c->Lambda[k], DBL_MIN);
  }
  if (!v->info->run.step.account) return;
  double before = v->kinetic[row - 1] + v->potential[row - 1];
  compare(v, row, e->energy_before, before, fabs(v->kinetic[row - 1]) + fabs(v->potential[row - 1]));
}

// What the states of this row and the last one say of the events between them, if that is one step
bool cli_verify_step_events(cli_verifier* v, long row, bool one, ss_error* error)
{
  const ss_run_contact* list;
  int n = ss_run_contacts(v->run, row, &list, error), found = 0;
  if (n < 0) return false;
  long first = v->next_event, last = first;
  while (last < v->info->n_events && v->event[last].step <= v->step[row]) last++;
  bool started = v->steps_before[row - 1] > 0;
  memset(v->seen, 0, sizeof *v->seen*((size_t)v->info->n_contact + 1));
  for (int i = 0; i < n + v->info->n_contact; i++) {  // those listed, and those that are no more
    ss_run_contact gone = {.contact = i - n, .state = SS_OPEN};
    const ss_run_contact* c = i < n ? &list[i] : &gone;
    ss_event_kind kind;
    if (i >= n && v->seen[c->contact]) continue;
    v->seen[c->contact] = true;
    bool event = classify(v->was[c->contact], c->state, &kind);
    const ss_event* e = one ? find_event(v, row, first, c->contact) : NULL;
    if (!started) event = e && e->kind == SS_EVENT_IMPACT && c->state != SS_OPEN && e->gamma_before[0] < 0;
    if (one && event) check_event(v, row, e, c, kind);
    for (int k = 0; k < 3; k++) v->before[3*c->contact + k] = NAN;
    found += event;
    v->was[c->contact] = c->state;
  }
  if (one && found != last - first) wrong_event(v, row);
  v->next_event = last;
  return true;
}

// ---- events of the event-driven integrator ----

bool cli_verify_stop_events(cli_verifier* v, long row, ss_error* error)
{
  const ss_run_contact* list;
  const double* counted = cli_verify_column(v, "counts.", "events", error);
  int n = counted ? ss_run_contacts(v->run, row, &list, error) : -1;
  if (n < 0) return false;
  for (long e = (long)fmax(0, counted[row - 1]); e < (long)counted[row] && e < v->info->n_events; e++) {
    ss_contact_state state = SS_OPEN;
    for (int i = 0; i < n; i++)
      if (list[i].contact == v->event[e].contact) state = list[i].state;
    cli_verify_event_state(v, row, e);
    if (state != v->event[e].state) wrong_event(v, row);
  }
  return true;
}

// ---- all of them ----

static bool open_rows(cli_verifier* v, ss_error* error)
{
  size_t n = (size_t)v->info->n_contact + 1;
  v->was = calloc(n, sizeof *v->was);
  v->seen = calloc(n, sizeof *v->seen);
  v->before = calloc(3*n, sizeof *v->before);
  for (size_t i = 0; v->before && i < 3*n; i++) v->before[i] = NAN;
  v->q = calloc((size_t)v->info->nq + (size_t)v->info->nv, sizeof *v->q);
  if (!v->was || !v->seen || !v->before || !v->q || !cli_impulses_open(v)) {
    ss_error_set(error, SS_ERR_MEMORY, "out of memory");
    return false;
  }
  v->u = v->q + v->info->nq;
  for (int i = 0; i < v->info->nq; i++) v->q[i] = cli_verify_column(v, "", v->info->coordinate[i], error);
  for (int i = 0; i < v->info->nv; i++) v->u[i] = cli_verify_column(v, "u_", v->info->velocity[i], error);
  v->steps_before = cli_verify_column(v, "counts.", "steps", error);
  if (v->info->n_events) v->event = ss_run_events(v->run, &v->event_q, &v->event_u, error);
  return error->status >= 0;
}

// Steps that leave a choice are counted as their rows say. Early files do not say it.
static bool check_choices(cli_verifier* v, ss_error* error)
{
  if (!has_column(v, "choice")) {
    cli_verify_leave_out(v, "choices among several motions, which early files do not tell");
    return true;
  }
  const double *choice = cli_verify_column(v, "", "choice", error),
               *steps = cli_verify_column(v, "counts.", "steps", error),
               *as_found = has_column(v, "counts.as_found") ? cli_verify_column(v, "counts.", "as_found", error) : NULL,
               *count[] = {cli_verify_column(v, "counts.", "several_forces", error),
                           cli_verify_column(v, "counts.", "several_motions", error), as_found};
  const double* unknown = has_column(v, "counts.not_examined") ?
                          cli_verify_column(v, "counts.", "not_examined", error) : NULL;
  if (error->status < 0) return false;
  for (long row = 0; row < v->info->n_rows; row++) {
    double passed = row ? steps[row] - steps[row - 1] : 0;
    const double own_of[] = {choice[row] == SS_CHOICE_FORCES, choice[row] >= SS_CHOICE_MOTION,
                             choice[row] == SS_CHOICE_AS_FOUND};
    if (unknown) expect(v, row, unknown[row] - (row ? unknown[row - 1] : 0), 0, passed);
    for (int i = 0; i < 3 && count[i]; i++) {
      double counted = count[i][row] - (row ? count[i][row - 1] : 0), own = own_of[i];
      expect(v, row, counted, own, passed == 1 ? own : fmax(own, passed));
    }
    expect(v, row, choice[row], SS_CHOICE_NONE, row ? SS_CHOICE_AS_FOUND : SS_CHOICE_NONE);
  }
  long last = v->info->n_rows - 1;
  v->several_motions = last >= 0 ? (long)count[1][last] : 0;
  v->as_found = last >= 0 && count[2] ? (long)count[2][last] : 0;
  v->not_examined = last >= 0 && unknown ? (long)unknown[last] : 0;
  return true;
}

// With the speeds of the run such an impulse gives 1e-9 of its energies, and laws are judged to 1e-8 of that
static void find_least(cli_verifier* v)
{
  double speed = 0;
  for (long row = 0; row < v->info->n_rows; row++) {
    v->energy = fmax(v->energy, fabs(v->kinetic[row]) + fabs(v->potential[row] - v->potential[0]));
    for (int i = 0; i < v->info->nv; i++) speed = fmax(speed, fabs(v->u[i][row]));
  }
  v->fastest = speed;
  v->least = speed > 0 ? 1e-9*v->energy/speed : 0;
}

bool cli_verify_rows(cli_verifier* v, ss_error* error)
{
  if (!open_rows(v, error) || !check_numbers(v, error)) return false;
  if (isnan(v->found[CLI_NUMBERS].worst)) return true;
  const ss_run_contact* list;
  int listed = v->info->n_rows ? ss_run_contacts(v->run, 0, &list, error) : 0;
  for (int i = 0; i < listed; i++) v->was[list[i].contact] = list[i].state;
  if (listed < 0) return false;
  check_times(v);
  find_least(v);
  return check_counts(v, error) && check_maxima(v, error) && check_choices(v, error) && cli_verify_whole(v, error);
}
