// `stickslip verify`: the end of a series of impacts (event `accumulation`) takes what is coupled to it to rest,
// whatever its restitution: so there must have been a series, of impacts between the same bodies that come closer and
// closer.
#include <math.h>
#include <stdlib.h>

#include "verify.h"

#define IMPACTS 3    // before the one that ends it, at the least
#define CLOSE 1e-2   // of the time since the first: the last interval
#define SLOW 1e-6    // of the largest velocity: what cannot be told from rest needs no series that shrinks

typedef struct series {
  long n;
  double first, last;  // times
} series;

// Points of two shapes are one: the first contact of the run that has them
static int same_bodies(const cli_verifier* v, int contact)
{
  const uint64_t* key = v->info->contact_key;
  int i = 0;
  if (!v->info->listed) return contact;
  while (i < contact && key[i] >> SS_KEY_FEATURE != key[contact] >> SS_KEY_FEATURE) i++;
  return i;
}

static bool ends(const cli_verifier* v, const series* s, const ss_event* e)
{
  const series* own = &s[same_bodies(v, e->contact)];
  if (own->n < IMPACTS) return false;
  return e->t - own->last <= CLOSE*(e->t - own->first) || fabs(e->gamma_before[0]) <= SLOW*v->fastest;
}

static void add(series* s, double t)
{
  if (s->n++ == 0) s->first = t;
  s->last = t;
}

static long row_of(const cli_verifier* v, double t)
{
  long row = 0;
  while (row + 1 < v->info->n_rows && v->t[row] < t) row++;
  return row;
}

// Events first .. end - 1 are those of one time: others may come to rest with one that ends a series
static void check_time(cli_verifier* v, series* s, long first, long end)
{
  bool any = false, known = false;
  for (long i = first; i < end; i++) {
    bool is_end = v->event[i].kind == SS_EVENT_ACCUMULATION;
    any = any || is_end;
    known = known || (is_end && ends(v, s, &v->event[i]));
  }
  if (any) cli_verify_note(v, CLI_EVENTS, row_of(v, v->event[first].t), !known, 1);
  for (long i = first; i < end; i++)
    if (v->event[i].kind == SS_EVENT_IMPACT) add(&s[same_bodies(v, v->event[i].contact)], v->event[i].t);
}

bool cli_verify_series(cli_verifier* v)
{
  if (v->info->run.step.integrator != SS_EVENT_DRIVEN) return true;
  series* s = calloc((size_t)v->info->n_contact + 1, sizeof *s);
  bool good = s;
  for (long i = 0, end; s && i < v->info->n_events; i = end) {
    end = i + 1;
    while (end < v->info->n_events && v->event[end].t == v->event[i].t) end++;
    check_time(v, s, i, end);
  }
  free(s);
  return good;
}
