// Infinitely many impacts in finite time: a ball of restitution e bounces at intervals that shrink by e each time, and
// all bounces that are still to come end after  tau r/(1 - r)  with the last interval tau and the ratio r. When that is
// next to nothing, or when bounces cannot be told from rest any more (at once if they have shrunk steadily: those that
// follow would be round-off), the contact is closed for good. So are all others that touch then: a block that rocks
// from one corner to the other comes to rest on both.
#include <float.h>
#include <math.h>

#include "integrate/event.h"

#define STEADY 0.02            // ratios of intervals differ by less
#define NEXT_TO_NOTHING 1e-10  // of the time since the first bounce
#define NEVERTHELESS 1e-12     // of the time itself: clocks do not tell more, whenever the first bounce was
#define LOWEST 20              // gaps of bounces that can be told from zero, in units of round-off
#define SHORTEST 64            // intervals between bounces that can be told from each other, in units of round-off

// The bounce before this impact was shorter, or rose less, than what can be told from a closed contact.
static bool is_low(const ss_arc* a, int contact, double interval)
{
  if (interval <= SHORTEST*DBL_EPSILON*fabs(a->t)) return true;
  return fabs(a->gamma[ss_normal_row(a, contact)])*interval/4 < LOWEST*ss_gap_tolerance(a, contact, a->y);
}

bool ss_zeno_accumulates(ss_arc* a, int contact)
{
  ss_bounces* b = &a->bounce[contact];
  bool first = b->count == 0;
  double interval = a->t - b->last, ratio = interval/b->interval;
  b->low = !first && is_low(a, contact, interval) ? b->low + 1 : 0;
  bool shrinks = !first && interval > 0 && (b->count < 2 || interval < b->interval);
  if (!shrinks && !b->low) *b = (ss_bounces){.first = a->t};
  double before = b->count >= 3 ? b->interval/b->previous : NAN;
  b->count++;
  b->last = a->t;
  b->previous = b->interval;
  b->interval = b->count > 1 ? interval : INFINITY;
  if (b->low >= 3) return true;
  if (b->count < 4 || !(ratio < 1) || !(fabs(ratio - before) <= STEADY*before)) return false;
  return b->low || interval*ratio/(1 - ratio) <= fmax(NEXT_TO_NOTHING*(a->t - b->first), NEVERTHELESS*fabs(a->t));
}
