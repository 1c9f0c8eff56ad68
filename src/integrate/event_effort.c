// What cannot go on ends in bounded time. The work of evaluations is counted from one time to the next that is told
// from it; where arcs, events and steps that shrink spend too much, the motion does not go on. Products are counted,
// not seconds: a run ends at the same place on every machine.
#include <math.h>

#include "integrate/event.h"

#define HARDLY 1e-9  // of the longest step so far: no progress
#define LEAST 1e4    // products that an evaluation takes at least, small as it may be
#define MOST 1e10    // products without progress: some seconds
#define TIMES 300    // evaluations of very many contacts without progress, if that is more: some 25 steps

void ss_effort_spend(ss_arc* a, double products)
{
  if (!(a->t <= a->effort_from + HARDLY * a->h_longest)) {
    a->effort_from = a->t;
    a->effort = 0;
  }
  a->effort += LEAST + products;
}

double ss_effort_of_forces(const ss_arc* a)
{
  double sum = 0;
  for (int k = 0; k < a->n_islands; k++) sum += (double)a->group[k].n * a->group[k].n * a->group[k].n;
  return sum;
}

// A contact that is closed, of those that share their load if there are any; -1: none
static int contact_at_hand(const ss_arc* a)
{
  int closed = -1;
  for (int i = a->n - 1; i >= 0; i--)
    if (a->mode[i] != SS_OPEN && (a->shared[i] || closed < 0 || !a->shared[closed])) closed = i;
  return closed;
}

ss_status ss_effort_check(ss_arc* a)
{
  if (a->effort <= fmax(MOST, TIMES * ss_effort_of_forces(a))) return SS_OK;
  int i = contact_at_hand(a);
  return ss_work_fail(a->w, SS_ERR_NUMERIC,
                      "the motion hardly goes on at t = %.12g, contact '%s': steps shrink or "
                      "contact states change, without end",
                      a->t, i < 0 ? "" : ss_contact_label(a, i));
}
