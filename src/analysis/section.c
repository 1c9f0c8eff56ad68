// Sections through a motion: an event that returns, or a time of the drive.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/orbit.h"

#define MAX_EVENTS 4000   // between two returns, and until events repeat
#define MAX_PATTERN 400   // events of a cycle
#define REPEATS 3         // cycles in a row that must have the same events
#define STEADY 0.1        // of a cycle: how much its duration may still change
#define QUIET 1000        // steps of an event-driven run without events: nothing happens any more
#define WEAK 1e-2         // of the energy that the strongest impact takes: others are those of steps
#define LIKE 1e-4         // of the largest coordinate of the same kind: what others count as at least

static ss_status fail(ss_returning* r, const char* text)
{
  return ss_error_set(r->error, SS_ERR_NUMERIC, "%s", text);
}

static void grow(ss_returning* r, const ss_state* s)
{
  for (int i = 0; !r->trying && i < r->nv; i++) {
    r->size[i] = r->coordinate[i] < 0 ? 1 : fmax(r->size[i], fabs(s->q[r->coordinate[i]]));
    r->size[r->nv + i] = fmax(r->size[r->nv + i], fabs(s->u[i]));
  }
}

static double loss_of(const ss_event* e)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) sum -= e->Lambda[k]*(e->gamma_before[k] + e->gamma_after[k])/2;
  return sum;
}

static double strength_of(const ss_event* e) { return fabs(e->Lambda[0]*e->gamma_before[0]); }

// Steps tell a contact that rolls or slides as one that bounces a little: weak impacts of time-stepping do not count,
// nor that contacts open.
static bool counts(const ss_returning* r, const ss_event* e)
{
  if (r->def.step.integrator == SS_EVENT_DRIVEN) return true;
  return e->kind == SS_EVENT_IMPACT ? loss_of(e) >= WEAK*r->strongest : e->kind != SS_EVENT_DETACH;
}

// The event that marks the section; contacts that come and go have a number from the first one on
static bool marks(ss_returning* r, const ss_event* e)
{
  if (e->kind != r->def.kind || (e->kind == SS_EVENT_IMPACT && !counts(r, e))) return false;
  if (r->def.contact >= 0) return e->contact == r->def.contact;
  const char* name = ss_work_contact_name(r->work, e->contact);
  if (!name || !r->def.contact_name || strcmp(name, r->def.contact_name) != 0) return false;
  r->def.contact = e->contact;
  return true;
}

// One step, and the events in it
static ss_status step(ss_returning* r, ss_state* s, double end, int* n, const ss_event** event)
{
  ss_step_def def = r->def.step;
  if (def.integrator == SS_EVENT_DRIVEN) {
    def.event.end = end;
    if (isfinite(end)) def.dt = fmax(def.dt, end - s->t);
    s->t_step = s->t;
  }
  ss_status st = ss_step(r->system, &def, s, r->work);
  if (st < 0)
    return ss_error_set(r->error, st, "the motion cannot be followed: %s%s", ss_work_message(r->work),
                        st == SS_ERR_ARGUMENT ? " (time-stepping may, by iteration)" : "");
  *n = ss_ledger_step(r->ledger, s, ss_work_info(r->work), event);
  for (int i = 0; i < *n; i++) {
    if ((*event)[i].kind != SS_EVENT_IMPACT) continue;
    r->strongest = fmax(r->strongest, loss_of(&(*event)[i]));
    r->hardest = fmax(r->hardest, strength_of(&(*event)[i]));
  }
  grow(r, s);
  return SS_OK;
}

// The next multiple of the period; steps of time-stepping must divide it.
static ss_status return_in_time(ss_returning* r, ss_state* s, double* time)
{
  double period = r->def.period, start = s->t, end = (floor(s->t/period + 0.5) + 1)*period;
  bool steps = r->def.step.integrator != SS_EVENT_DRIVEN;
  const ss_event* event;
  int n;
  r->n_events = 0;
  for (long k = 0; s->t < end - (steps ? r->def.step.dt/2 : 0); k++) {
    ss_status st = step(r, s, end, &n, &event);
    if (st < 0) return st;
    r->n_events += n;
    if (r->n_events > MAX_EVENTS) return fail(r, "more than 4000 events in one period");
  }
  s->t = end;
  *time = end - start;
  r->cycles++;
  return SS_OK;
}

// Which contacts there are is known by what has happened
static ss_status no_return(ss_returning* r)
{
  char seen[300] = "";
  const char* name;
  if (r->def.contact >= 0 || !r->def.contact_name) return fail(r, "the motion does not return to the section");
  for (int i = 0; (name = ss_work_contact_name(r->work, i)) && strlen(seen) + strlen(name) + 5 < sizeof seen; i++)
    sprintf(seen + strlen(seen), "%s'%s'", i ? ", " : "", name);
  return ss_error_set(r->error, SS_ERR_NUMERIC, "the motion has no %s of '%s'; contacts that have been closed: %s",
                      ss_event_kind_text(r->def.kind), r->def.contact_name, seen[0] ? seen : "none");
}

ss_status ss_return(ss_returning* r, ss_state* s, double* time)
{
  if (r->def.period > 0) return return_in_time(r, s, time);
  double start = s->t;
  const ss_event* event;
  int n, quiet = 0;
  r->n_events = 0;
  while (s->t - start < r->def.transient && r->n_events < MAX_EVENTS) {
    ss_status st = step(r, s, start + r->def.transient, &n, &event);
    if (st < 0) return st;
    r->n_events += n;
    for (int i = 0; i < n; i++) {
      if (!marks(r, &event[i]) || s->t - start < r->least || !(s->t > start)) continue;
      *time = s->t - start;
      r->hit = strength_of(&event[i]);
      r->speed = fabs(event[i].gamma_before[0]);
      r->cycles++;
      return SS_OK;
    }
    quiet = n ? 0 : quiet + 1;
    if (r->def.step.integrator == SS_EVENT_DRIVEN && quiet > QUIET) break;
  }
  return no_return(r);
}

// ---- states ----

void ss_move(const ss_returning* r, const double* q, const double* v, double by, double* out)
{
  const ss_system_def* d = ss_system_get(r->system);
  if (d->operators && d->operators->advance) {
    d->operators->advance(d->user, q, v, by, out);
    return;
  }
  for (int i = 0; i < r->nv; i++) out[i] = q[i] + by*v[i];
}

void ss_state_difference(const ss_returning* r, const ss_state* a, const ss_state* b, double* d)
{
  const ss_system_def* def = ss_system_get(r->system);
  if (def->operators && def->operators->difference) def->operators->difference(def->user, a->q, b->q, d);
  else for (int i = 0; i < r->nv; i++) d[i] = b->q[i] - a->q[i];
  for (int i = 0; i < r->nv; i++)
    if (r->whole[i]) d[i] = remainder(d[i], SS_FULL_TURN);
  for (int i = 0; i < r->nv; i++) d[r->nv + i] = b->u[i] - a->u[i];
}

// Of what has not moved but by round-off, such as directions across a planar motion: a part of its like
double ss_size_of(const ss_returning* r, int i)
{
  int half = i < r->nv ? 0 : r->nv;
  double like = 0;
  for (int j = 0; j < r->nv; j++)
    if (r->turns[j] == r->turns[i - half] && (half || !r->cyclic[j])) like = fmax(like, r->size[half + j]);
  double size = fmax(r->size[i], LIKE*like);
  return size > 0 ? size : 1;
}

double ss_state_distance(const ss_returning* r, const ss_state* a, const ss_state* b)
{
  double most = 0;
  ss_state_difference(r, a, b, r->d);
  for (int i = 0; i < r->n; i++)
    if (i >= r->nv || !r->cyclic[i]) most = fmax(most, fabs(r->d[i])/ss_size_of(r, i));
  return most;
}

// ---- the choice of a section ----

typedef struct happening {
  int contact, kind;
  double t, loss;
} happening;

static bool same(const happening* a, const happening* b) { return a->contact == b->contact && a->kind == b->kind; }

// The least number of events after which the last ones repeat; 0 if they do not
static int pattern(const happening* h, int n)
{
  for (int p = 1; p <= MAX_PATTERN && REPEATS*p < n; p++) {
    bool repeats = true;
    for (int i = n - 1; repeats && i >= n - (REPEATS - 1)*p; i--) repeats = same(&h[i], &h[i - p]);
    double now = n > p ? h[n - 1].t - h[n - 1 - p].t : 0, before = n > 2*p ? h[n - 1 - p].t - h[n - 1 - 2*p].t : 0;
    if (repeats && before > 0 && fabs(now - before) < STEADY*before) return p;  // not a sequence that shrinks to an end
  }
  return 0;
}

// Of the events of the last p that come once: the one that takes the most energy
static int choose(const happening* last, int p)
{
  int best = -1;
  for (int i = 0; i < p; i++) {
    int count = 0;
    for (int j = 0; j < p; j++) count += same(&last[i], &last[j]);
    if (count == 1 && (best < 0 || last[i].loss > last[best].loss)) best = i;
  }
  return best;
}

ss_status ss_find_section(ss_returning* r, ss_state* s)
{
  happening* h = malloc(sizeof *h*(MAX_EVENTS + 64));
  if (!h) return ss_error_set(r->error, SS_ERR_MEMORY, "out of memory");
  double start = s->t;
  int found = 0, best = -1, n;
  const ss_event* event;
  ss_status st = SS_OK;
  while (st >= 0 && best < 0 && s->t - start < r->def.transient && found < MAX_EVENTS) {
    st = step(r, s, start + r->def.transient, &n, &event);
    for (int i = 0; st >= 0 && i < n && i < 64; i++)
      if (counts(r, &event[i]))
        h[found++] = (happening){event[i].contact, (int)event[i].kind, event[i].t, loss_of(&event[i])};
    int p = st >= 0 && n ? pattern(h, found) : 0;
    if (p) best = choose(h + found - p, p);
    if (best >= 0) {
      r->def.contact = h[found - p + best].contact;
      r->def.kind = (ss_event_kind)h[found - p + best].kind;
      r->least = (h[found - 1].t - h[found - 1 - p].t)/2;
    }
  }
  double last = found ? h[found - 1].t : start;
  free(h);
  if (st < 0 || best >= 0) return st;
  if (!found)
    return ss_error_set(r->error, SS_ERR_NUMERIC, "no section: there is no contact event until t = %.6g s, and cycles "
                        "are followed from event to event; a motion without events needs the period of its drive",
                        s->t);
  if (found < MAX_EVENTS && s->t - last > (s->t - start)/2)
    return ss_error_set(r->error, SS_ERR_NUMERIC, "no cycle: there is no contact event after that at t = %.6g s, the "
                        "last of %d, until t = %.6g s", last, found, s->t);
  return ss_error_set(r->error, SS_ERR_NUMERIC, "no sequence of the %d events until t = %.6g s repeats; give a "
                      "section, or more time (transient)", found, s->t);
}
