// Block Gauss-Seidel: one contact after the other is solved exactly while the others are held [Jourdan, Alart & Jean
// 1998].
#include "solve/friction_run.h"

enum { CHECK_EVERY = 10, OWN_LIMIT = 10000 };

bool ss_friction_nsgs(ss_friction_run* run, int limit)
{
  for (int done = 0; done < limit; done += CHECK_EVERY) {
    ss_friction_sweep(run->s, limit - done < CHECK_EVERY ? limit - done : CHECK_EVERY, run->Lambda);
    if (ss_friction_judge(run, SS_FRICTION_NSGS)) return true;
  }
  return false;
}

bool ss_friction_run_nsgs(ss_friction_run* run)
{
  return ss_friction_nsgs(run, run->max_iter ? run->max_iter : OWN_LIMIT);
}
