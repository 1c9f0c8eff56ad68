// Infinitely many impacts in finite time: a ball of restitution e bounces at intervals that shrink by e each time, and
// all bounces that are still to come end after  tau r/(1 - r)  with the last interval tau and the ratio r. When that is
// next to nothing the contact is closed for good.
#include <float.h>
#include <math.h>

#include "integrate/event.h"

#define STEADY 0.02    // ratios of intervals differ by less
#define NEXT_TO_NOTHING 1e-10  // of the time since the first bounce
#define LOWEST 100     // gaps of bounces that can be told from zero, in units of round-off

// All further bounces are lower than what can be told from a closed contact.
static bool too_low(const ss_arc* a, int contact, double interval, double ratio)
{
  double speed = fabs(a->gamma[ss_normal_row(a, contact)])*ss_system_get(a->system)->contact[contact].eps_n;
  return speed*interval*ratio/4 < LOWEST*ss_gap_tolerance(a, contact, a->y);
}

bool ss_zeno_accumulates(ss_arc* a, int contact)
{
  ss_bounces* b = &a->bounce[contact];
  double interval = a->t - b->last, ratio = interval/b->interval;
  bool shrinks = b->count > 0 && interval > 0 && (b->count < 2 || interval < b->interval);
  if (!shrinks) *b = (ss_bounces){.first = a->t};
  double before = b->count >= 3 ? b->interval/b->previous : NAN;
  b->count++;
  b->last = a->t;
  b->previous = b->interval;
  b->interval = b->count > 1 ? interval : INFINITY;
  if (b->count < 4 || !(fabs(ratio - before) <= STEADY*before)) return false;
  double rest = interval*ratio/(1 - ratio);
  return rest <= NEXT_TO_NOTHING*(a->t - b->first) + 16*DBL_EPSILON*fabs(a->t) || too_low(a, contact, interval, ratio);
}
