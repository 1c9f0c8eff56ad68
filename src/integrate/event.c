// The event-driven integrator: from one event, or one time of the output grid, to the next.
//
// A step of the integrator follows a smooth arc, along which every contact keeps its state, until the arc ends at a
// root (event_root.c) or the time of the step is over. At a root the event (event_jump.c) decides how to go on.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "integrate/event.h"
#include "math/dense.h"

#define MAX_IDLE 200      // events in a row without progress in time
#define MAX_KINKS 2000    // ... at kinks with hardly any
#define MAX_HARDLY 20000  // ... at all with hardly any: bounces that shrink slowly may be so many
#define MAX_SLOW 100000   // ... with little
#define HARDLY 1e-9       // of the longest step so far: no progress worth the name
#define SLOW 1e-4         // ... and little
#define NEVER 1e-15       // of the interval of output, if no step has been long yet
#define HELD 1e-10    // of the terms of a constraint: errors beyond are told

// The arc is where the state is, and nothing has happened to either in between.
static bool is_at(const ss_arc* a, const ss_state* s)
{
  double ulp = a->w->op ? 4*DBL_EPSILON*fabs(a->t) : 0;  // multiples of dt may be off by their round-off
  return a->ready && s->has_mode && fabs(a->t - s->t) <= ulp && memcmp(a->y, s->q, sizeof(double)*(size_t)a->nq) == 0 &&
         memcmp(a->y + a->nq, s->u, sizeof(double)*(size_t)a->nv) == 0 &&
         memcmp(a->mode, s->mode, sizeof *s->mode*(size_t)s->n_contact) == 0 &&
         (a->w->op ? ss_arc_is_kept(a, s) : memcmp(a->memory_of, s->memory, sizeof(double)*(size_t)s->n_memory) == 0);
}

void ss_arc_load(ss_arc* a, const ss_state* s)
{
  a->t = s->t;
  memcpy(a->y, s->q, sizeof(double)*(size_t)a->nq);
  memcpy(a->y + a->nq, s->u, sizeof(double)*(size_t)a->nv);
  for (int i = 0; i < s->n_contact; i++) a->mode[i] = s->has_mode ? s->mode[i] : SS_OPEN;
  size_t numbers = a->w->op ? 0 : (size_t)s->n_memory;
  if (s->has_mode && numbers) memcpy(a->memory_of, s->memory, sizeof(double)*numbers);
  else if (numbers) memset(a->memory_of, 0, sizeof(double)*numbers);
  ss_arc_recall(a, a->memory_of);
  memset(a->tried, 0, (size_t)a->room*sizeof *a->tried);
  a->effort = 0;
  a->effort_from = a->t;
}

// A clean page for what the step does
static ss_status begin(ss_arc* a, const ss_step_def* def, const ss_state* s)
{
  ss_step_info* info = &a->w->info;
  a->account = def->account;
  a->stop = def->friction.stop;
  a->n_event = 0;
  a->began = s->t;
  a->ended = a->taken_up = -1;
  a->drift = 0;
  a->has_arrived = false;
  a->note[0] = 0;
  memset(a->z, 0, sizeof(double)*(size_t)a->rk.nz);
  memset(a->impulse, 0, sizeof(double)*(size_t)a->rows);
  info->status = SS_OK;
  info->choice = SS_CHOICE_NONE;
  info->not_examined = false;
  info->before = info->after = (ss_energy){0};
  info->iterations = 0;
  info->residual = info->work_forces = info->work_drive = info->loss_normal = info->loss_friction = 0;
  info->work_projection = info->penetration = info->limit_error = info->constraint_error = 0;
  info->gains_energy = false;
  info->stretch = NULL;
  info->arrival = NULL;
  info->n_part = 0;
  ss_status st = def->account ? ss_energies(a->system, a->w, s->q, s->u, s->t, &info->before) : SS_OK;
  if (st >= 0 && def->account) ss_part_energies_begin(a->w);
  return st;
}

// Where the overlap of contact i is told
static double* overlap_of(ss_work* w, int i)
{
  return w->op && w->item[i].angle ? &w->info.limit_error : &w->info.penetration;
}

// What still overlaps where the start was put right: a motion from there would throw bodies apart
static ss_status check_apart(ss_arc* a)
{
  ss_status st = ss_arc_place(a, a->t, a->y);
  for (int i = 0; st >= 0 && i < a->n; i++) {
    double gap = ss_has_normal(a->w->law[i]) ? a->w->gap[i] : 0;
    if (gap < -HELD*ss_row_extent(a, ss_normal_row(a, i), a->y))
      return ss_work_fail(a->w, SS_ERR_NUMERIC, "overlap at the start cannot be removed: contact '%s' keeps %.3g of "
                          "it; place the bodies apart", ss_contact_label(a, i), -gap);
  }
  return st;
}

// Overlap and errors of bilateral constraints that a simulation starts with are taken out, in the metric of M; what
// that does to the energy is booked as projection.
static ss_status make_consistent(ss_arc* a, const ss_step_def* def)
{
  ss_work* w = a->w;
  ss_energy before = {0}, after = {0};
  ss_status st = ss_arc_evaluate(a, a->t, a->y);
  if (st < 0) return st;
  ss_grow_sizes(a, false);
  if (a->h_last == 0) a->h_last = def->dt;
  for (int i = 0; i < a->n; i++)
    if (ss_has_normal(w->law[i])) *overlap_of(w, i) = fmax(*overlap_of(w, i), -w->gap[i]);
  if (w->info.penetration == 0 && w->info.limit_error == 0 && !w->n_bilateral) return SS_OK;
  if (def->account) st = ss_arc_energies(a, &before);
  if (st < 0) return st;
  ss_find_touching(a, true);
  st = ss_arc_hold_position(a, a->t, a->y, NULL);
  if (st >= 0) st = check_apart(a);
  memset(a->touch, 0, (size_t)a->n*sizeof *a->touch);
  if (st < 0) return st;
  for (int r = 0; r < w->n_bilateral; r++) a->list[r] = r;
  ss_arc_hold_velocity(a, w->n_bilateral, a->list, a->y);
  if (def->account) st = ss_arc_energies(a, &after);
  w->info.work_projection += after.kinetic + after.potential - before.kinetic - before.potential;
  return st;
}

// The kink that ended the arc; -1: none
static int kink_at_hand(const ss_arc* a)
{
  const ss_root* r = &a->root[a->cause];
  return a->n_kink && a->cause < a->n_root && r->kind == SS_ROOT_KINK ? r->island : -1;
}

static ss_status goes_nowhere(ss_arc* a, int n, int kink)
{
  const ss_system_def* d = ss_system_get(a->system);
  char where[200] = "";
  if (kink >= 0)
    ss_print(where, sizeof where, ", at a kink of the %s%s", d->kink[kink],
             d->kinks_bend ? ": write one contact for each side of it" : "");
  return ss_work_fail(a->w, SS_ERR_NUMERIC, "more than %d events%s at t = %.12g%s", n,
                      n > MAX_KINKS ? " that hardly lead on" : "", a->t, where);
}

// Counts events that hardly lead on from time t, those more that do so less: a motion to and fro would never end.
static ss_status check_progress(ss_arc* a, double t, double dt, int kink)
{
  double passed = a->t - t;
  bool hardly = passed <= fmax(HARDLY*a->h_longest, NEVER*dt);
  int most = passed <= 0 ? MAX_IDLE : !hardly ? MAX_SLOW : kink >= 0 ? MAX_KINKS : MAX_HARDLY;
  a->idle = hardly || passed <= SLOW*a->h_longest ? a->idle + MAX_SLOW/most : 0;
  return a->idle > MAX_SLOW ? goes_nowhere(a, most, kink) : SS_OK;
}

// One arc, and what happens at its end. Where nothing does the step goes on, so that its impulses are those of all of
// it. *over: the step is.
static ss_status run_arc(ss_arc* a, const ss_step_def* def, const ss_state* s, double t_end, bool* over)
{
  bool event = false;
  double t = a->t;
  ss_status st = ss_arc_run(a, &def->event, t_end, &event);
  int kink = kink_at_hand(a);
  if (st >= 0 && event) st = ss_arc_arrive(a, def, s);
  if (st >= 0 && event) st = ss_jump(a, def, false);
  if (!event && a->t - t > SLOW*a->h_longest) a->idle = 0;
  if (st >= 0 && event) st = check_progress(a, t, def->dt, kink);
  *over = st < 0 || !event || a->n_event || a->t >= t_end;
  if (*over) return st;
  ss_arc_pass_by(a, def);
  return ss_watch_tidy(a);
}

// The arc from where the state is, and the event at its end if there is one
static ss_status advance(ss_arc* a, const ss_step_def* def, const ss_state* s, double t_end)
{
  ss_status st = SS_OK;
  if (!is_at(a, s)) {
    ss_arc_load(a, s);
    st = ss_kinks_start(a);
    if (st < 0) return st;
    bool kept = a->w->op && ss_state_has_kept(a, s), again = kept || (s->has_mode && !a->w->op);
    if (kept) st = ss_arc_take_up(a, s);
    else if (again) st = ss_arc_start_again(a, a->memory_of);
    else st = ss_watch_start(a);
    if (st >= 0 && !again) st = make_consistent(a, def);
    if (st >= 0 && !again) st = ss_jump(a, def, true);
    if (st < 0) return st;
    if (!kept) memcpy(a->here, a->gamma, sizeof(double)*(size_t)a->rows);
  }
  a->t = s->t;
  if (!a->n_event) st = ss_watch_tidy(a);
  if (st < 0) return st;
  memcpy(a->start, a->here, sizeof(double)*(size_t)a->rows);
  a->w->info.choice = ss_arc_choice(a);
  if (a->n_event) return SS_OK;  // it collides at once
  bool over = false;
  while (st >= 0 && !over) st = run_arc(a, def, s, t_end, &over);
  return st;
}

static void report_contacts(ss_arc* a)
{
  ss_work* w = a->w;
  ss_arc_contacts(a, true, true, w->result, w->Lambda_bilateral);
  for (int r = 0; r < w->n_bilateral; r++) w->force_bilateral[r] = ss_arc_lambda(a)[r];
  w->info.n_active = 0;
  for (int i = 0; i < a->n; i++) w->info.n_active += a->mode[i] != SS_OPEN;
  if (!w->op) return;
  if (a->n) memcpy(w->shown, w->item, sizeof *w->shown*(size_t)a->n);
  w->info.n_contact = a->n;
  w->info.contact = w->result;
  w->info.item = w->shown;
  w->info.n_known = ss_known_count(w->known);
}

// Results of the step, with the system evaluated where it ends
static ss_status finish(ss_arc* a, const ss_step_def* def)
{
  ss_work* w = a->w;
  ss_step_info* info = &w->info;
  ss_status st = ss_arc_evaluate(a, a->t, a->y);
  if (st < 0) return st;
  memcpy(a->here, a->gamma, sizeof(double)*(size_t)a->rows);
  report_contacts(a);
  if (ss_arc_choice(a) > info->choice) info->choice = ss_arc_choice(a);
  for (int i = 0; i < a->n; i++)
    if (a->mode[i] != SS_OPEN && ss_has_normal(a->w->law[i]))
      *overlap_of(w, i) = fmax(*overlap_of(w, i), fabs(w->gap[i]));
  for (int r = 0; r < w->n_bilateral; r++) {
    info->constraint_error = fmax(info->constraint_error, fabs(w->error[r]));
    double way = a->h_last*ss_largest_speed(a, r, a->h_last);  // at q = 0 the terms are round-off themselves
    if (fabs(w->error[r]) > HELD*(ss_row_extent(a, r, a->y) + way)) info->status = SS_INACCURATE;
  }
  if (def->account) st = ss_arc_energies(a, &info->after);
  else info->work_drive = 0;
  if (def->account && !a->has_arrived) ss_arc_book(a, info);
  return st;
}

// The state moves to where the arc is; a full step is counted when its time is over.
static ss_status store(ss_arc* a, ss_state* s, double t_end)
{
  ss_status st = SS_OK;
  s->t = a->t;
  memcpy(s->q, a->y, sizeof(double)*(size_t)a->nq);
  memcpy(s->u, a->y + a->nq, sizeof(double)*(size_t)a->nv);
  memcpy(s->mode, a->mode, sizeof *s->mode*(size_t)s->n_contact);
  s->has_mode = true;
  if (a->w->op) {
    st = ss_arc_keep(a, s);
  } else {
    ss_arc_remember(a, a->memory_of);
    memcpy(s->memory, a->memory_of, sizeof(double)*(size_t)s->n_memory);
  }
  if (a->t < t_end) return st;
  s->step++;
  s->t_step = t_end;
  return st;
}

// What rests has round-off of the energy that the largest forces so far would give within a step: a->pull is in the
// metric of M
static void account_parts(ss_arc* a, double dt)
{
  ss_work* w = a->w;
  for (int j = 0; j < a->nv; j++) {
    ss_part_energy* p = &w->energy_part[w->n_energy > 1 ? w->def->energy_part[j] : 0];
    double way = dt*a->pull[j];
    p->step += way*way/2;
    p->given = fmax(p->given, a->root_mass[j] > 0 ? way/a->root_mass[j] : 0);
    p->speed = fmax(p->speed, fabs(a->y[a->nq + j]));
  }
  ss_part_energies_end_whole(w);
}

ss_status ss_step_event(const ss_system* system, const ss_step_def* def, ss_state* s, ss_work* w)
{
  ss_status st = ss_arc_create(system, w);
  if (st < 0) return st;
  ss_arc* a = w->arc;
  if (!(s->t >= s->t_step && s->t < s->t_step + def->dt)) s->t_step = s->t;  // the caller has moved the state
  double t_end = s->t_step + def->dt;
  if (def->event.end > s->t && def->event.end < t_end) t_end = def->event.end;
  ss_kinks_hold(a, a->n_kink && is_at(a, s));
  st = begin(a, def, s);
  if (st >= 0) st = advance(a, def, s, t_end);
  if (st >= 0) st = finish(a, def);
  ss_kinks_hold(a, false);
  if (st < 0) {
    a->ready = false;
    return st;
  }
  st = store(a, s, t_end);
  if (st < 0) return st;
  for (int i = 0; i < a->n_event; i++) a->event[i].step = s->step;
  w->info.has_events = true;
  w->info.n_events = a->n_event;
  w->info.event = a->event;
  w->info.note = a->note;
  w->info.side = a->n_event > 0;
  if (a->has_arrived) ss_arc_part(a);
  if (def->account) account_parts(a, def->dt);
  return w->info.status;
}
