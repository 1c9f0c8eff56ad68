// The last guard of all integrators: no row is recorded with a normal impulse below zero, Lambda_N < 0, or with
// friction outside of its cone, |Lambda_T| > mu Lambda_N + bound dt. Impulses are known to a part of the largest one of
// the step, those of constraints included: the tolerance of the solver, and the residual that the step tells. Those of
// arcs between events are integrals of forces, and are held to what `stickslip verify` allows.
#include <math.h>
#include <stdio.h>

#include "integrate/known.h"
#include "io/record_laws.h"

#define LEAST 1e-6  // of the largest impulse: as much may be missing at any rate, time-stepping
#define LEAST_OF_ARCS 1e-8  // of all impulses, event-driven
#define NOTHING 1e-25  // N s: contacts without a load have round-off of round-off
#define TIMES 10    // residuals are those of velocities: impulses may be off by some more

ss_record_limits ss_record_limits_of(const ss_step_def* def, const ss_contact_def* law)
{
  double tol = fmax(def->solver.tol, def->friction.tol);
  bool arcs = def->integrator == SS_EVENT_DRIVEN;
  return (ss_record_limits){.law = law, .tol = arcs ? fmax(LEAST_OF_ARCS, def->friction.tol) : fmax(LEAST, TIMES*tol),
                            .dt = def->dt, .round = !def->friction.polyhedral, .arcs = arcs};
}

static const ss_contact_def* law_of(const ss_record_limits* limits, const ss_step_info* info, int i)
{
  return info->item ? info->item[i].law : limits->law ? &limits->law[i] : NULL;
}

// The largest friction that contact i can have, INFINITY where that is not known from its impulse
static double most_friction(const ss_record_limits* limits, const ss_step_info* info, int i)
{
  const ss_contact_def* law = law_of(limits, info, i);
  if (!law || law->varies || law->set || !limits->round || (info->item && info->item[i].load)) return INFINITY;
  double bound = fmax(law->bound, law->bound_static)*limits->dt;
  return fmax(law->mu, law->mu_static)*fmax(0, info->contact[i].Lambda[0]) + bound;
}

// Along rows in which an ellipse of friction is a disk
static double friction_of(const ss_step_info* info, int i)
{
  double sum = 0;
  for (int k = 0; k < 2; k++) {
    double stretch = info->item && info->item[i].stretch[k] != 0 ? info->item[i].stretch[k] : 1;
    sum = hypot(sum, info->contact[i].Lambda[k + 1]/stretch);
  }
  return sum;
}

static ss_status refuse(const ss_record_limits* limits, const ss_step_info* info, int i, double t, double is,
                        double most, ss_error* error)
{
  char name[SS_CONTACT_NAME] = "";
  int number = info->contact[i].contact;
  if (limits->law && !info->item) snprintf(name, sizeof name, "%s", limits->law[i].name);
  else if (!limits->name || !limits->name(limits->user, number, name)) snprintf(name, sizeof name, "number %d", number);
  if (most < 0)
    return ss_error_set(error, SS_ERR_NUMERIC, "contact %s pulls with %.6g N s at t = %.12g, which no contact can: the "
                        "row is not recorded", name, -is, t);
  return ss_error_set(error, SS_ERR_NUMERIC, "friction of contact %s is %.6g N s at t = %.12g, and can be %.6g: the "
                      "row is not recorded", name, is, t, most);
}

static double largest_of(const ss_step_info* info)
{
  double size = 0;
  for (int i = 0; i < info->n_contact; i++)
    for (int k = 0; k < 3; k++) size = fmax(size, fabs(info->contact[i].Lambda[k]));
  for (int i = 0; i < info->n_bilateral; i++) size = fmax(size, fabs(info->Lambda_bilateral[i]));
  return size;
}

static double sum_of(const ss_step_info* info)
{
  double sum = 0;
  for (int i = 0; i < info->n_contact; i++)
    for (int k = 0; k < 3; k++) sum += fabs(info->contact[i].Lambda[k]);
  for (int i = 0; i < info->n_bilateral; i++) sum += fabs(info->Lambda_bilateral[i]);
  return sum;
}

ss_status ss_record_check_laws(const ss_record_limits* limits, const ss_step_info* info, double t, ss_error* error)
{
  if (!info) return SS_OK;
  double size = limits->arcs ? sum_of(info) : largest_of(info);
  double allowed = (limits->tol + TIMES*info->residual)*size + NOTHING;
  for (int i = 0; i < info->n_contact; i++) {
    double normal = info->contact[i].Lambda[0];
    if (normal < -allowed) return refuse(limits, info, i, t, normal, -1, error);
    if (info->contact[i].Lambda[1] == 0 && info->contact[i].Lambda[2] == 0) continue;
    double friction = friction_of(info, i), most = most_friction(limits, info, i);
    if (friction > most + allowed) return refuse(limits, info, i, t, friction, most, error);
  }
  return SS_OK;
}
