// Islands with contacts whose friction is not a disk: maximal dissipation over the sets that the laws give, as a dense
// problem (docs/dissipation.md).
#include <math.h>

#include "base/arena.h"
#include "contact/spatial.h"
#include "integrate/islands.h"
#include "math/dense.h"

static ss_dissipation_def def_of(const ss_work* w, const ss_friction_def* friction)
{
  ss_dissipation_def how = ss_dissipation_def_default();
  how.tol = friction->tol;
  how.max_iter = friction->max_iter;
  how.warm_start = w->has_guess;
  how.stop = friction->stop;
  const char* name = ss_friction_method_name(friction->method);
  ss_dissipation_method_find(name, &how.method);  // nsgs, newton, ... know disks alone: auto
  return how;
}

ss_status ss_island_sets(ss_work* w, const ss_step_def* def, ss_island_problem* p)
{
  const ss_contact_problem* problem = &p->problem;
  int k = problem->n_contact, m = problem->m;
  ss_dissipation_def how = def_of(w, &def->friction);
  ss_friction_set* set = ss_arena_array(w->island_arena, ss_friction_set, k);
  double* size = ss_arena_array(w->island_arena, double, m);
  if (!set || !size) return SS_ERR_CAPACITY;
  for (int i = 0; i < k; i++) {
    const ss_friction_set* from = w->set[p->contact[i]];
    set[i] = from ? *from : (ss_friction_set){.shape = SS_SET_DISK};
  }
  if (!ss_work_scratch(w, ss_dissipation_solve_size(problem, set, &how))) return SS_ERR_MEMORY;
  ss_dissipation_solution s = {.Lambda = p->solution.Lambda, .xi = p->solution.xi};
  ss_status st = ss_dissipation_solve(problem, set, &how, w->arena, &s);
  if (st < 0) return st;
  p->solution.residual = s.residual;
  p->solution.iterations = s.iterations;
  double error = s.residual <= how.tol ? 2*s.residual*ss_norm_inf(m, p->b) : 0;
  ss_spatial_states(problem, error, size, &p->solution);
  return st;
}
