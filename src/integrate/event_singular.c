// Singular positions of bilateral constraints: a mechanism folds flat. Rows that were independent when the arc began
// become dependent there, and motions branch: a parallelogram may go on as one, or crosswise. Which one it takes is
// decided by round-off; its velocity is that of one branch, and taken onto another it loses energy. So the run goes on
// if steps lead past the position with the velocity kept, and else ends by name.
#include <math.h>
#include <stdio.h>

#include "integrate/event.h"
#include "math/dense.h"

#define KEPT 1e-4     // of the velocity, in the metric of M: a step whose error is small is corrected by far less
#define MOST_NAMES 8  // of constraints in a message

// Of the constraints among n held rows from `first` on, as far as there is room
static void list_names(const ss_arc* a, int first, int n, int room, char* text)
{
  const ss_system_def* d = ss_system_get(a->system);
  int used = 0, told = 0;
  text[0] = 0;
  for (int i = first; i < first + n && used < room; i++) {
    if (a->held[i] >= a->w->n_bilateral || ++told > MOST_NAMES) continue;
    used += snprintf(text + used, (size_t)(room - used), "%s'%s'", told > 1 ? ", " : "",
                     d->bilateral_name[a->held[i]]);
  }
  if (told > MOST_NAMES && used < room) snprintf(text + used, (size_t)(room - used), " and others");
}

ss_status ss_fail_singular(ss_arc* a, int first, int n, double t)
{
  char name[320];
  list_names(a, first, n, (int)sizeof name, name);
  return ss_work_fail(a->w, SS_ERR_NUMERIC, "singular position of the constraints %s at t = %.9g: the motion can go on "
                      "in several ways", name, t);
}

// lost = |du|_M of the velocity that does not fit, measured by the largest velocity so far, and by what forces give
// within the step.
ss_status ss_check_branch(ss_arc* a, double t, double lost)
{
  double pull = 0;
  for (int j = 0; j < a->nv; j++) pull = fmax(pull, a->pull[j]);
  double speed = fmax(sqrt(2*a->kinetic), pull*a->h_now);
  a->astray = a->w->n_bilateral && lost > fmax(KEPT, 10*a->rtol)*speed;
  if (!a->astray) return SS_OK;
  return ss_fail_singular(a, 0, a->n_held, t);
}
