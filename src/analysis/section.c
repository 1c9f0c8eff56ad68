// Sections through a motion: an event that returns, or a time of the drive; and coordinates that nothing depends on.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/orbit.h"

#define MAX_EVENTS 4000   // between two returns, and until events repeat
#define MAX_PATTERN 400   // events of a cycle
#define REPEATS 3         // cycles in a row that must have the same events
#define STEADY 0.1        // of a cycle: how much its duration may still change
#define QUIET 1000        // steps of an event-driven run without events: nothing happens any more

static ss_status fail(ss_returning* r, const char* text)
{
  return ss_error_set(r->error, SS_ERR_NUMERIC, "%s", text);
}

static void grow(ss_returning* r, const ss_state* s)
{
  for (int i = 0; i < r->nv; i++) {
    r->size[i] = fmax(r->size[i], fabs(s->q[i]));
    r->size[r->nv + i] = fmax(r->size[r->nv + i], fabs(s->u[i]));
  }
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
  if (st < 0) return ss_error_set(r->error, st, "the motion cannot be followed: %s", ss_work_message(r->work));
  *n = ss_ledger_step(r->ledger, s, ss_work_info(r->work), event);
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
      if (event[i].contact != r->def.contact || event[i].kind != r->def.kind || s->t - start < r->least) continue;
      *time = s->t - start;
      r->cycles++;
      return SS_OK;
    }
    quiet = n ? 0 : quiet + 1;
    if (r->def.step.integrator == SS_EVENT_DRIVEN && quiet > QUIET) break;
  }
  return fail(r, "the motion does not return to the section");
}

double ss_state_distance(const ss_returning* r, const ss_state* a, const ss_state* b)
{
  double most = 0;
  for (int i = 0; i < r->nv; i++) {
    double q = r->size[i] > 0 ? r->size[i] : 1, u = r->size[r->nv + i] > 0 ? r->size[r->nv + i] : 1;
    if (!r->cyclic[i]) most = fmax(most, fabs(a->q[i] - b->q[i])/q);
    most = fmax(most, fabs(a->u[i] - b->u[i])/u);
  }
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

static double loss_of(const ss_event* e)
{
  double sum = 0;
  for (int k = 0; k < 3; k++) sum -= e->Lambda[k]*(e->gamma_before[k] + e->gamma_after[k])/2;
  return sum;
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
      h[found++] = (happening){event[i].contact, (int)event[i].kind, event[i].t, loss_of(&event[i])};
    int p = st >= 0 && n ? pattern(h, found) : 0;
    if (p) best = choose(h + found - p, p);
    if (best >= 0) {
      r->def.contact = h[found - p + best].contact;
      r->def.kind = (ss_event_kind)h[found - p + best].kind;
      r->least = (h[found - 1].t - h[found - 1 - p].t)/2;
    }
  }
  free(h);
  if (st < 0) return st;
  return best >= 0 ? SS_OK : fail(r, "no sequence of events repeats; give a section, or more time (transient)");
}

// ---- what the system does not depend on ----

// Everything that the motion follows from, in a row of numbers: M, h, gaps, W, w_hat, friction
static int signature(const ss_system_def* d, ss_at* at, int m, double* out)
{
  int nv = d->nv, k = d->n_contact, nb = d->n_bilateral, n = 0;
  bool good = !d->update || d->update(at) >= 0;
  good = good && d->mass(at, out) >= 0 && d->force(at, out + nv*nv) >= 0;
  n = nv*nv + nv;
  good = good && (!k || d->contacts(at, out + n, out + n + k, out + n + k + m*nv) >= 0);
  n += k + m*nv + m;
  good = good && (!nb || d->bilateral(at, out + n, out + n + nb, out + n + nb + nb*nv) >= 0);
  n += nb*(nv + 2);
  if (d->friction) {
    good = good && d->friction(at, out + n, out + n + k) >= 0;
    n += 2*k;
  }
  return good ? n : -1;
}

static bool equal(int n, const double* a, const double* b)
{
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= 1e-12*fmax(fabs(a[i]), fabs(b[i])))) return false;
  return true;
}

ss_status ss_find_symmetries(ss_returning* r, const ss_state* s, bool* timed)
{
  const ss_system_def* d = ss_system_get(r->system);
  int nv = d->nv, k = d->n_contact, m = ss_system_rows(r->system);
  size_t numbers = (size_t)(nv*nv + nv + 3*k + m*nv + m + d->n_bilateral*(nv + 2)), room = numbers + 1;
  char message[SS_AT_MESSAGE] = "";
  void* scratch = calloc(1, d->scratch_size + 1);
  double* list = calloc(2*room + 2*(size_t)nv, sizeof *list);
  if (!scratch || !list) {
    free(scratch);
    free(list);
    return ss_error_set(r->error, SS_ERR_MEMORY, "out of memory");
  }
  double *q = list + 2*room, *u = q + nv;
  ss_at at = {.user = d->user, .scratch = scratch, .q = q, .u = u, .message = message};
  *timed = false;
  for (int i = 0; i < nv; i++) r->cyclic[i] = true;
  for (int trial = 0; trial < 3; trial++) {  // the state, and two beside it
    at.t = s->t;
    for (int i = 0; i < nv; i++) {
      q[i] = s->q[i] + trial*0.01*sin(i + 1.7*trial)*fmax(fabs(s->q[i]), 1e-3);
      u[i] = s->u[i] + trial*(0.1 + 0.01*i);
    }
    int n = signature(d, &at, m, list);
    at.t = s->t + 0.123;
    *timed = *timed || n < 0 || signature(d, &at, m, list + room) != n || !equal(n, list, list + room);
    at.t = s->t;
    for (int i = 0; i < nv; i++) {
      double keep = q[i];
      q[i] += 0.37 + fabs(q[i]);
      r->cyclic[i] = r->cyclic[i] && n >= 0 && signature(d, &at, m, list + room) == n && equal(n, list, list + room);
      q[i] = keep;
    }
  }
  free(scratch);
  free(list);
  return SS_OK;
}
