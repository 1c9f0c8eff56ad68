// The order of attempts: cheap ones first, each ended by Newton, which is what reaches the last digits.
#include "solve/friction_run.h"
#include <math.h>
#include <string.h>

static bool newton(ss_friction_run* run, int limit)
{
  return ss_friction_newton(run, 10, ss_friction_at_most(run, SS_FRICTION_NEWTON, limit));
}

// ADMM in three legs, Newton after each
static bool admm_then_newton(ss_friction_run* run, double c)
{
  for (int i = 0; i < 3; i++) {
    if (ss_friction_admm(run, c, ss_friction_at_most(run, SS_FRICTION_ADMM, 300)) || newton(run, 8)) return true;
    ss_friction_return(run);
  }
  return false;
}

// Interior point from the current impulses, then Newton for the last digits
static bool ipm_then_newton(ss_friction_run* run, ss_ipm_variant v, int limit)
{
  v.handover = 1e-6;
  if (ss_friction_ipm(run, v, ss_friction_at_most(run, SS_FRICTION_IPM, limit)) || newton(run, 8)) return true;
  ss_friction_return(run);
  return false;
}

static void start_from_zero(ss_friction_run* run) { memset(run->Lambda, 0, (size_t)run->s->m*sizeof(double)); }

// Velocities are differences of terms tr(G_ii) Lambda_i, and known to the round-off of these
#define ROUND_OFF 1e-15

bool ss_friction_at_round_off(const ss_friction_run* run)
{
  const ss_friction_space* s = run->s;
  double most = 0;
  for (int c = 0; c < s->k; c++)
    for (int i = 0; i < s->dim; i++) most = fmax(most, s->trace[c]*fabs(run->best[c*s->dim + i]));
  return run->r_best*s->scale <= ROUND_OFF*most;
}

// ---- attempts ----

static bool newton_from_guess(ss_friction_run* run)
{
  return ss_friction_newton_known(run, 1e3, ss_friction_at_most(run, SS_FRICTION_NEWTON, 8));
}

static bool sweeps(ss_friction_run* run, int limit)
{
  return ss_friction_nsgs(run, ss_friction_at_most(run, SS_FRICTION_NSGS, limit));
}

static bool some_sweeps(ss_friction_run* run) { return sweeps(run, 20); }

static bool many_sweeps(ss_friction_run* run) { return sweeps(run, 10000); }

static bool newton_from_there(ss_friction_run* run)
{
  if (newton(run, 12)) return true;
  ss_friction_return(run);
  return false;
}

static bool ipm_from_best(ss_friction_run* run)
{
  return ipm_then_newton(run, (ss_ipm_variant){.push = 0.1, .jam_rule = true}, 30);
}

static bool ipm_from_zero(ss_friction_run* run)
{
  start_from_zero(run);
  return ipm_then_newton(run, (ss_ipm_variant){.push = 1, .jam_rule = true}, 50);
}

static bool some_path(ss_friction_run* run) { return ss_friction_path(run, 1500); }

// Some seconds at the most
static bool whole_path(ss_friction_run* run)
{
  const double most = 2e8/run->s->lu->products;
  return ss_friction_path(run, most < 20000 ? (int)most : 20000);
}

// Newton for the last digits
static bool central_then_newton(ss_friction_run* run)
{
  double tol = run->tol;
  run->tol = tol < 1e-6 ? 1e-6 : tol;
  bool near = ss_friction_central(run);
  run->tol = tol;
  if (near && (run->r <= tol || newton(run, 12))) return true;
  ss_friction_return(run);
  return false;
}

static bool admm_from_best(ss_friction_run* run) { return admm_then_newton(run, 10); }

static bool ipm_scaled(ss_friction_run* run)
{
  start_from_zero(run);
  return ipm_then_newton(run, (ss_ipm_variant){.push = 1, .jam_rule = true, .scaled = true}, 50);
}

static bool ipm_plain(ss_friction_run* run)
{
  start_from_zero(run);
  return ipm_then_newton(run, (ss_ipm_variant){.push = 1}, 50);
}

static bool admm_from_zero(ss_friction_run* run)
{
  start_from_zero(run);
  if (admm_then_newton(run, 1000)) return true;
  ss_friction_return(run);
  return false;
}

static bool sweeps_and_newton(ss_friction_run* run)
{
  for (int i = 0; i < 3; i++) {
    if (sweeps(run, 50) || newton(run, 30)) return true;
    ss_friction_return(run);
  }
  return false;
}

static bool sweeps_from_zero(ss_friction_run* run)
{
  start_from_zero(run);
  if (many_sweeps(run) || newton(run, 30)) return true;
  ss_friction_return(run);
  return false;
}

bool ss_friction_run_auto_known(ss_friction_run* run)
{
  typedef struct row {
    ss_friction_method method;
    const char* why;
    bool (*go)(ss_friction_run*);
  } row;
  static const row guess[] = {{SS_FRICTION_NEWTON, "a guess is given", newton_from_guess}};
  static const row cheapest[] = {{SS_FRICTION_NSGS, "cheapest", some_sweeps}};
  static const row rest[] = {
    {SS_FRICTION_NEWTON, "from there", newton_from_there},
    {SS_FRICTION_IPM, "a guess is given; then Newton", ipm_from_best},
    {SS_FRICTION_IPM, "from zero; then Newton", ipm_from_zero},
    {SS_FRICTION_NEWTON, "from soft contacts to rigid ones", some_path},
    {SS_FRICTION_IPM, "along the central path; then Newton", central_then_newton},
    {SS_FRICTION_ADMM, "from the best, three times; then Newton", admm_from_best},
    {SS_FRICTION_IPM, "infeasibility removed slowly; then Newton", ipm_scaled},
    {SS_FRICTION_IPM, "without rule for short steps; then Newton", ipm_plain},
    {SS_FRICTION_ADMM, "from zero, stiffer, three times; then Newton", admm_from_zero},
    {SS_FRICTION_NSGS, "from the best; then Newton", sweeps_and_newton},
    {SS_FRICTION_NSGS, "from zero; then Newton", sweeps_from_zero},
    {SS_FRICTION_NEWTON, "from soft contacts to rigid ones, as far as it leads", whole_path},
  };
  bool warm = false;
  for (int i = 0; i < run->s->m && !warm; i++) warm = run->Lambda[i] != 0;
  if (run->r <= run->tol) {
    ss_attempt_add(&run->log, (ss_attempt){"auto", "the start is a solution", run->r, SS_OK, 0});
    return true;
  }
  const row* first = warm ? guess : cheapest;
  if (ss_friction_attempt(run, first->method, first->why, first->go)) return true;
  if (!run->s->lu) return ss_friction_attempt(run, SS_FRICTION_NSGS, "too large for factors", many_sweeps);
  for (size_t i = 0; i < sizeof rest/sizeof *rest && (i == 0 || !ss_friction_at_round_off(run)); i++)
    if ((warm || rest[i].go != ipm_from_best) && ss_friction_attempt(run, rest[i].method, rest[i].why, rest[i].go))
      return true;
  return false;
}

bool ss_friction_run_auto(ss_friction_run* run)
{
  ss_friction_judge(run, SS_FRICTION_AUTO);
  return ss_friction_run_auto_known(run);
}

// ---- problems whose factors cost as much as many sweeps ----

// Sweeps go on in legs until RESTS legs in a row have left more than FALLS of the residual
enum { MOST_SWEEPS = 3000, LEG = 100, RESTS = 6, PHASE = 3000, PHASES = 8 };
#define FALLS 0.9
#define NEARLY 3

static bool sweeps_while_they_help(ss_friction_run* run)
{
  ss_friction_momentum a = ss_friction_momentum_start(run->s, run->z, run->dz, run->Lambda);
  int most = ss_friction_at_most(run, SS_FRICTION_NSGS, MOST_SWEEPS), rests = 0;
  for (int done = 0; rests < RESTS && done < most; done += LEG) {
    double before = run->r_attempt;
    if (ss_friction_conjugate(run, &a, LEG < most - done ? LEG : most - done)) return true;
    rests = run->r_attempt > FALLS*before ? rests + 1 : 0;
  }
  ss_friction_return(run);
  return false;
}

// Phases that gain as much as the last one would not lead to the tolerance, and it is not near
static bool hopeless(const ss_friction_run* run, double before, int left)
{
  return run->r_attempt > NEARLY*run->tol && run->r_attempt*pow(run->r_attempt/before, left) > run->tol;
}

// Sweeps in phases, as long as there is hope
static bool sweeps_to_the_end(ss_friction_run* run)
{
  ss_friction_judge(run, SS_FRICTION_NSGS);
  ss_friction_momentum a = ss_friction_momentum_start(run->s, run->z, run->dz, run->Lambda);
  for (int left = PHASES - 1; left >= 0; left--) {
    double before = run->r_attempt;
    int phase = ss_friction_at_most(run, SS_FRICTION_NSGS, PHASE);
    if (ss_friction_conjugate(run, &a, phase)) return true;
    if (phase < PHASE || ss_friction_stopped(run) || hopeless(run, before, left)) break;
  }
  ss_friction_return(run);
  return false;
}

static bool sweeps_from_nothing(ss_friction_run* run)
{
  start_from_zero(run);
  return sweeps_to_the_end(run);
}

bool ss_friction_run_more_sweeps(ss_friction_run* run)
{
  return ss_friction_attempt(run, SS_FRICTION_NSGS, "from the best, many", sweeps_to_the_end) ||
         ss_friction_attempt(run, SS_FRICTION_NSGS, "from zero, many", sweeps_from_nothing);
}

bool ss_friction_run_sweeps(ss_friction_run* run)
{
  return ss_friction_attempt(run, SS_FRICTION_NSGS, "factors cost more", sweeps_while_they_help);
}

static bool newton_at_once(ss_friction_run* run)
{
  if (newton(run, 4)) return true;
  ss_friction_return(run);
  return false;
}

bool ss_friction_run_factors(ss_friction_run* run)
{
  static const char* along = "along the central path; then Newton";
  return run->s->lu && (ss_friction_attempt(run, SS_FRICTION_NEWTON, "from there", newton_at_once) ||
                        ss_friction_attempt(run, SS_FRICTION_IPM, along, central_then_newton));
}
