// Block Gauss-Seidel: one contact after the other is solved exactly while the others are held [Jourdan, Alart & Jean
// 1998].
#include "solve/friction_run.h"

enum { CHECK_EVERY = 10, FEW = 20, OWN_LIMIT = 10000 };
#define BETTER 0.9

bool ss_friction_nsgs(ss_friction_run* run, int limit)
{
  for (int done = 0; done < limit && !ss_friction_stopped(run); done += CHECK_EVERY) {
    ss_friction_sweep(run->s, limit - done < CHECK_EVERY ? limit - done : CHECK_EVERY, run->Lambda);
    if (ss_friction_judge(run, SS_FRICTION_NSGS)) return true;
  }
  return false;
}

// Whether a look at the impulses is worth its time: they may be a solution, or better than those before
static bool may_be_better(const ss_friction_run* run, const ss_friction_momentum* a)
{
  double bound = ss_friction_momentum_bound(run->s, a);
  return bound <= run->tol || bound < BETTER*run->r_attempt;
}

bool ss_friction_conjugate(ss_friction_run* run, ss_friction_momentum* a, int limit)
{
  for (int i = 1; i <= limit && !ss_friction_stopped(run); i++) {
    ss_friction_momentum_sweep(run->s, a, run->Lambda);
    bool check = i%(run->s->sweeps < FEW ? 5 : CHECK_EVERY) == 0 && may_be_better(run, a);
    if (!check && i < limit) continue;
    double r = ss_friction_momentum_look(run->s, a, run->Lambda, run->xi);
    if (ss_friction_note(run, r, SS_FRICTION_NSGS)) return true;
  }
  return false;
}

bool ss_friction_run_nsgs(ss_friction_run* run)
{
  return ss_friction_nsgs(run, run->max_iter ? run->max_iter : OWN_LIMIT);
}
