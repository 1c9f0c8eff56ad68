// Block Gauss-Seidel: one contact after the other is solved exactly while the others are held [Jourdan, Alart & Jean
// 1998].
#include "solve/friction_run.h"

enum { CHECK_EVERY = 10, FEW = 20, OWN_LIMIT = 10000 };

bool ss_friction_nsgs(ss_friction_run* run, int limit)
{
  for (int done = 0; done < limit && !ss_friction_stopped(run); done += CHECK_EVERY) {
    ss_friction_sweep(run->s, limit - done < CHECK_EVERY ? limit - done : CHECK_EVERY, run->Lambda);
    if (ss_friction_judge(run, SS_FRICTION_NSGS)) return true;
  }
  return false;
}

// Looks at the impulses after a sweep, which leaves all of them in their cones
bool ss_friction_conjugate(ss_friction_run* run, ss_friction_momentum* a, int limit)
{
  for (int i = 1; i <= limit && !ss_friction_stopped(run); i++) {
    ss_friction_momentum_sweep(run->s, a, run->Lambda);
    if (i%(run->s->sweeps < FEW ? 5 : CHECK_EVERY) == 0 || i == limit) {
      ss_friction_momentum_give(a, run->Lambda);
      if (ss_friction_judge_known(run, SS_FRICTION_NSGS)) return true;
    }
    ss_friction_momentum_push(run->s, a, run->Lambda);
  }
  return false;
}

bool ss_friction_run_nsgs(ss_friction_run* run)
{
  return ss_friction_nsgs(run, run->max_iter ? run->max_iter : OWN_LIMIT);
}
