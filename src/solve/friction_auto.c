// The order of attempts: cheap ones first, each ended by Newton, which is what reaches the last digits.
#include "solve/friction_run.h"
#include <string.h>

// ADMM in three legs, Newton after each
static bool admm_then_newton(ss_friction_run* run, double c, int leg)
{
  for (int i = 0; i < 3; i++) {
    if (ss_friction_admm(run, c, leg)) return true;
    if (ss_friction_newton(run, 10, 8)) return true;
    ss_friction_return(run);
  }
  return false;
}

// Interior point from the current impulses, then Newton for the last digits
static bool ipm_then_newton(ss_friction_run* run, ss_ipm_variant v, int limit)
{
  v.handover = 1e-6;
  if (ss_friction_ipm(run, v, limit) || ss_friction_newton(run, 10, 8)) return true;
  ss_friction_return(run);
  return false;
}

static void start_from_zero(ss_friction_run* run) { memset(run->Lambda, 0, (size_t)run->s->m*sizeof(double)); }

// max_iter bounds each attempt
static int at_most(const ss_friction_run* run, int own)
{
  return run->max_iter && run->max_iter < own ? run->max_iter : own;
}

bool ss_friction_run_auto(ss_friction_run* run)
{
  bool warm = false;
  for (int i = 0; i < run->s->m && !warm; i++) warm = run->Lambda[i] != 0;
  if (ss_friction_judge(run, SS_FRICTION_AUTO)) return true;
  if (warm && ss_friction_newton(run, 1e3, at_most(run, 8))) return true;
  if (!warm && ss_friction_nsgs(run, at_most(run, 20))) return true;
  if (!run->s->lu) return ss_friction_nsgs(run, at_most(run, 10000));  // too large for factors
  if (ss_friction_newton(run, 10, at_most(run, 12))) return true;
  ss_friction_return(run);
  if (warm && ipm_then_newton(run, (ss_ipm_variant){.push = 0.1, .jam_rule = true}, at_most(run, 30))) return true;
  start_from_zero(run);
  if (ipm_then_newton(run, (ss_ipm_variant){.push = 1, .jam_rule = true}, at_most(run, 50))) return true;
  if (admm_then_newton(run, 10, at_most(run, 300))) return true;
  start_from_zero(run);
  if (ipm_then_newton(run, (ss_ipm_variant){.push = 1, .jam_rule = true, .scaled = true}, at_most(run, 50)))
    return true;
  start_from_zero(run);
  if (ipm_then_newton(run, (ss_ipm_variant){.push = 1}, at_most(run, 50))) return true;
  start_from_zero(run);
  if (admm_then_newton(run, 1000, at_most(run, 300))) return true;
  ss_friction_return(run);
  for (int i = 0; i < 3; i++) {
    if (ss_friction_nsgs(run, at_most(run, 50)) || ss_friction_newton(run, 10, at_most(run, 30))) return true;
    ss_friction_return(run);
  }
  return false;
}
