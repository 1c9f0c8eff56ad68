// The step of the integrator that ends with events, in two: what led up to them, and the events alone. A record that
// has a row of each shows what jumps.
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/event.h"

#define MOMENT (4*DBL_EPSILON)  // of the time: what the ends of an arc are known to

// The quadratures of the forces have them as their rates.
const double* ss_arc_lambda(const ss_arc* a) { return a->rk.k + a->rk.n + SS_Z_ROWS; }

// Whether contact i has an impulse of the event, as one between two that are hit, which opens at once
static bool passes_on(const ss_arc* a, int i)
{
  int r = ss_has_normal(a->w->law[i]) ? ss_normal_row(a, i) : ss_tangent_row(a, i);
  return a->impulse[r] != 0;
}

static ss_contact_result result_of(ss_arc* a, int i, bool arc, bool event)
{
  ss_work* w = a->w;
  const double *z = a->z + SS_Z_ROWS, *force = ss_arc_lambda(a);
  bool told = a->mode[i] != SS_OPEN || (event && passes_on(a, i));
  ss_contact_result c = {.contact = ss_watch_number(a, i, told), .state = a->mode[i], .gap = w->gap[i]};
  int first = ss_has_normal(w->law[i]) ? 0 : 1;
  for (int k = first; k <= ss_tangents(w->law[i]); k++) {
    int r = k ? ss_tangent_row(a, i) + k - 1 : ss_normal_row(a, i);
    c.gamma_before[k] = a->start[r]/ss_stretch(w, i, k);
    c.gamma_after[k] = a->here[r]/ss_stretch(w, i, k);
    c.Lambda[k] = arc ? z[r] : 0;
    c.force[k] = force[r];
  }
  ss_round_to_laws(a, i, a->t - a->began, MOMENT*fabs(a->t), c.Lambda);
  ss_round_to_laws(a, i, 1, 0, c.force);
  for (int k = first; k <= ss_tangents(w->law[i]); k++) {
    int r = k ? ss_tangent_row(a, i) + k - 1 : ss_normal_row(a, i);
    c.Lambda[k] = (c.Lambda[k] + (event ? a->impulse[r] : 0))*ss_stretch(w, i, k);
    c.force[k] *= ss_stretch(w, i, k);
  }
  return c;
}

void ss_arc_contacts(ss_arc* a, bool arc, bool event, ss_contact_result* result, double* Lambda_bilateral)
{
  for (int i = 0; i < a->n; i++) result[i] = result_of(a, i, arc, event);
  for (int r = 0; r < a->w->n_bilateral; r++)
    Lambda_bilateral[r] = (arc ? a->z[SS_Z_ROWS + r] : 0) + (event ? a->impulse[r] : 0);
}

// Before states change: by what the forces of the arc are differences of. A contact that opens then has no force that
// could measure what it gave.
static void round_impulses(ss_arc* a)
{
  for (int i = 0; i < a->n; i++) {
    double Lambda[3] = {0}, *z = a->z + SS_Z_ROWS;
    int N = ss_normal_row(a, i), T = ss_tangent_row(a, i), tangents = ss_tangents(a->w->law[i]);
    bool normal = ss_has_normal(a->w->law[i]);
    if (normal) Lambda[0] = z[N];
    for (int k = 0; k < tangents; k++) Lambda[k + 1] = z[T + k];
    ss_round_to_laws(a, i, a->t - a->began, MOMENT*fabs(a->t), Lambda);
    if (normal) z[N] = Lambda[0];
    for (int k = 0; k < tangents; k++) z[T + k] = Lambda[k + 1];
  }
}

static int count_closed(const ss_arc* a)
{
  int n = 0;
  for (int i = 0; i < a->n; i++) n += a->mode[i] != SS_OPEN;
  return n;
}

static void keep_state(ss_arc* a, const ss_state* s)
{
  a->arrival->t = a->t;
  a->arrival->step = s->step;
  a->arrival->t_step = s->t_step;
  memcpy(a->arrival->q, a->y, sizeof(double)*(size_t)a->nq);
  memcpy(a->arrival->u, a->y + a->nq, sizeof(double)*(size_t)a->nv);
}

static void keep_contacts(ss_arc* a)
{
  ss_work* w = a->w;
  a->n_arrived = a->n;
  ss_arc_contacts(a, true, false, a->arrived, a->arrived_Lambda);
  for (int r = 0; r < w->n_bilateral; r++) a->arrived_force[r] = ss_arc_lambda(a)[r];
  if (w->op && a->n) memcpy(a->arrived_item, w->item, sizeof *w->item*(size_t)a->n);
}

// What the step has booked so far is that of the stretch; the event begins with empty books.
static void move_books(ss_step_info* from, ss_step_info* to)
{
  to->before = from->before;
  to->work_forces = from->work_forces;
  to->work_drive = from->work_drive;
  to->loss_normal = from->loss_normal;
  to->loss_friction = from->loss_friction;
  to->work_projection = from->work_projection;
  from->work_forces = from->work_drive = from->loss_normal = from->loss_friction = from->work_projection = 0;
}

ss_status ss_arc_arrive(ss_arc* a, const ss_step_def* def, const ss_state* s)
{
  ss_step_info *info = &a->w->info, *first = &a->stretch[0];
  ss_status st = ss_arc_evaluate(a, a->t, a->y);
  if (st < 0) return st;
  memcpy(a->here, a->gamma, sizeof(double)*(size_t)a->rows);
  memcpy(a->arrived_gamma, a->gamma, sizeof(double)*(size_t)a->rows);
  a->rows_arrived = a->rows;
  keep_state(a, s);
  round_impulses(a);
  keep_contacts(a);
  int known = a->w->op ? ss_known_count(a->w->known) : info->n_known;
  *first = (ss_step_info){.status = SS_OK, .parts = info->parts, .n_contact = a->n, .contact = a->arrived,
                          .item = a->w->op ? a->arrived_item : NULL, .n_known = known,
                          .n_bilateral = info->n_bilateral, .Lambda_bilateral = a->arrived_Lambda,
                          .force_bilateral = a->arrived_force, .n_active = count_closed(a), .has_events = true,
                          .note = "", .side = -1};
  move_books(info, first);
  a->has_arrived = true;
  if (!def->account) {
    first->work_drive = 0;
    return SS_OK;
  }
  st = ss_arc_energies(a, &first->after);
  ss_arc_book(a, first);
  return st;
}

// The sums of the arc into the books, or (sign -1) out of them
static void book(const ss_arc* a, ss_step_info* info, int sign)
{
  info->work_forces += sign*a->z[SS_Z_FORCES];
  info->work_drive += sign*(a->z[SS_Z_DRIVE] + info->after.transport - info->before.transport);
  info->loss_friction += sign*a->z[SS_Z_FRICTION];
}

void ss_arc_book(const ss_arc* a, ss_step_info* info) { book(a, info, 1); }

void ss_arc_pass_by(ss_arc* a, const ss_step_def* def)
{
  ss_step_info *info = &a->w->info, *first = &a->stretch[0];
  if (def->account) book(a, first, -1);
  info->work_forces += first->work_forces;
  info->work_drive += first->work_drive;
  info->loss_normal += first->loss_normal;
  info->loss_friction += first->loss_friction;
  info->work_projection += first->work_projection;
  a->has_arrived = false;
  a->ended = a->taken_up = -1;
}

void ss_arc_part(ss_arc* a)
{
  ss_step_info *info = &a->w->info, *first = &a->stretch[0], *second = &a->stretch[1];
  memset(a->start, 0, sizeof(double)*(size_t)a->rows);
  memcpy(a->start, a->arrived_gamma, sizeof(double)*(size_t)a->rows_arrived);
  ss_arc_contacts(a, false, true, a->struck_only, a->event_Lambda);
  *second = *info;
  second->contact = a->struck_only;
  second->Lambda_bilateral = a->event_Lambda;
  second->before = first->after;
  second->work_drive += info->after.transport - first->after.transport;
  info->work_forces += first->work_forces;
  info->work_drive = second->work_drive + first->work_drive;
  info->loss_normal += first->loss_normal;
  info->loss_friction += first->loss_friction;
  info->work_projection += first->work_projection;
  if (!a->n_event) return;  // nothing has changed there
  info->stretch = a->stretch;
  info->arrival = a->arrival;
}
