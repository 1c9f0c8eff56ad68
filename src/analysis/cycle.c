// Limit cycles seen in the events of a run: an event that returns at regular intervals marks a section through the
// orbit (a Poincare section), its mean interval is the period, and the change of the coordinates from one return to the
// next is the drift (the woodpecker comes down by so much per cycle).
#include <math.h>
#include <stickslip/record.h>

static const double tolerance = 0.02;    // spread over period, at most
static const double near_tie = 0.002;    // differences of that do not decide
enum { CYCLES_MIN = 3, KINDS = SS_EVENT_KINDS };

typedef struct window {
  const ss_event* event;
  long begin, end;  // indices
} window;

// The next event of this contact and kind from index i on; w->end if there is none
static long next(const window* w, long i, int contact, ss_event_kind kind)
{
  while (i < w->end && (w->event[i].contact != contact || w->event[i].kind != kind)) i++;
  return i;
}

// The returns of one kind of event: their number, mean interval, largest deviation from it, and the energy lost in them
// on average. False if they are too few or too irregular. *start is the first of them.
static bool measure(const window* w, int contact, ss_event_kind kind, ss_cycle* c, long* start, double* loss)
{
  const ss_event* e = w->event;
  *c = (ss_cycle){.contact = contact, .kind = kind, .drift = c->drift};
  *start = next(w, w->begin, contact, kind);
  if (*start == w->end) return false;
  *loss = e[*start].energy_before - e[*start].energy_after;
  c->first = c->last = *start;
  for (long i = *start; (i = next(w, i + 1, contact, kind)) < w->end;) {
    c->first = c->last;
    c->last = i;
    c->n++;
    *loss += e[i].energy_before - e[i].energy_after;
  }
  if (c->n < CYCLES_MIN) return false;
  *loss /= c->n + 1;
  c->period = (e[c->last].t - e[*start].t)/c->n;
  for (long i = *start, j; (j = next(w, i + 1, contact, kind)) < w->end; i = j)
    c->spread = fmax(c->spread, fabs(e[j].t - e[i].t - c->period));
  return c->period > 0 && c->spread <= tolerance*c->period;
}

// Of all kinds of events the most regular one; of several that are about as regular, the one that loses most energy
static bool choose(const window* w, ss_cycle* best, long* start)
{
  int contacts = 0;
  long at;
  double loss, most = -INFINITY, least = INFINITY;
  ss_cycle c = {.drift = best->drift};
  for (long i = w->begin; i < w->end; i++)
    if (w->event[i].contact >= contacts) contacts = w->event[i].contact + 1;
  for (int k = 0; k < contacts*KINDS; k++)
    if (measure(w, k/KINDS, (ss_event_kind)(k%KINDS), &c, &at, &loss)) least = fmin(least, c.spread/c.period);
  for (int k = 0; k < contacts*KINDS; k++) {
    if (!measure(w, k/KINDS, (ss_event_kind)(k%KINDS), &c, &at, &loss)) continue;
    if (c.spread/c.period > least + near_tie || !(loss > most)) continue;
    *best = c;
    *start = at;
    most = loss;
  }
  return least < INFINITY;
}

bool ss_cycle_find(const ss_event* event, long n, const double* q, int nv, double t_from, double t_to, int contact,
                   ss_event_kind kind, ss_cycle* cycle)
{
  if (!event || !q || !cycle) return false;
  window w = {event, 0, n};
  ss_cycle found = {.drift = cycle->drift};
  long start;
  double loss;
  while (w.begin < n && event[w.begin].t < t_from) w.begin++;
  while (w.end > w.begin && event[w.end - 1].t > t_to) w.end--;
  if (!(contact < 0 ? choose(&w, &found, &start) : measure(&w, contact, kind, &found, &start, &loss))) return false;
  for (int i = 0; found.drift && i < nv; i++)
    found.drift[i] = (q[(size_t)found.last*(size_t)nv + (size_t)i] - q[(size_t)start*(size_t)nv + (size_t)i])/found.n;
  *cycle = found;
  return true;
}
