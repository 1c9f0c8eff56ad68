// The last guard: forces that leave the integrator are such as contacts can give, lambda_N >= 0 and
// |lambda_T| <= mu lambda_N + bound. Roots end arcs before that is not so any more; where they have not, whatever the
// reason, the step fails and names the contact.
#include <math.h>

#include "integrate/event.h"

// Of the largest force that the rows of its island could need. States are chosen for a moment ahead, 1e-7 of a step,
// and events are found when roots have left round-off: forces may be off by as much.
#define OUTSIDE 1e-6
// Of the terms of a force: contacts stay closed that hardly pull, as far as the choice of states can tell, and the arc
// that begins so ends where they pull twice as much.
#define ROUND_OFF (2*SS_UNDECIDED)
// Of that largest force: what impulses of a step may be outside of their cones
#define KINK 1e-9
// ... and of what forces at its ends are: round-off, which shorter steps have, too
#define TIMES 4

static ss_status pulls(ss_arc* a, int i, double force)
{
  return ss_work_fail(a->w, SS_ERR_NUMERIC, "contact '%s' would pull with %.3g at t = %.12g: the contact states "
                      "do not fit", ss_contact_label(a, i), force, a->t);
}

static ss_status holds_too_much(ss_arc* a, int i, double force, double limit)
{
  return ss_work_fail(a->w, SS_ERR_NUMERIC, "friction of contact '%s' would be %.6g at t = %.12g, and can be %.6g: the "
                      "contact states do not fit", ss_contact_label(a, i), force, a->t, limit);
}

static ss_status drives(ss_arc* a, int i)
{
  return ss_work_fail(a->w, SS_ERR_NUMERIC, "the friction of contact '%s' is negative at t = %.12g (mu %g, bound %g)",
                      ss_contact_label(a, i), a->t, a->w->mu_now[i], a->w->bound_now[i]);
}

double ss_force_size(const ss_arc* a, int i)
{
  double size = 0;
  for (int k = 0; k < a->n_held; k++)
    if (a->row_island[a->held[k]] == a->contact_island[i]) size = fmax(size, a->force[a->held[k]]);
  return size;
}

static ss_status check_contact(ss_arc* a, int i)
{
  const ss_contact_def* c = a->w->law[i];
  int N = ss_normal_row(a, i), T = ss_tangent_row(a, i), rows = ss_tangents(c);
  double normal = ss_has_normal(c) ? a->lambda[N] : 0;
  if (normal < 0 && normal < -OUTSIDE*ss_force_size(a, i)) return pulls(a, i, -normal);
  double least = fmin(0, a->w->bound_now[i]) + fmin(0, a->w->mu_now[i])*fmax(normal, 0);
  if (least < 0 && -least > OUTSIDE*ss_force_size(a, i)) return drives(a, i);
  if (a->mode[i] != SS_STICK) return SS_OK;
  double mu = ss_has_normal(c) ? ss_mu_rest(a->w, i) : 0, force = 0;
  double limit = mu*fmax(normal, 0) + ss_bound_rest(a->w, i);
  for (int k = T; k < T + rows; k++) force = hypot(force, a->lambda[k]);
  bool outside = force > limit && force > limit + OUTSIDE*(1 + mu)*ss_force_size(a, i);
  return outside ? holds_too_much(a, i, force, limit) : SS_OK;
}

ss_status ss_check_laws(ss_arc* a)
{
  ss_status st = SS_OK;
  for (int i = 0; i < a->n && st >= 0; i++)
    if (a->mode[i] != SS_OPEN) st = check_contact(a, i);
  return st;
}

// How far forces, or impulses over the time h with these limits, of contact i are outside of what it can give
static double beyond(const ss_arc* a, int i, double h, const double* z)
{
  const ss_contact_def* c = a->w->law[i];
  double normal = z[ss_normal_row(a, i)], friction = 0;
  for (int k = 0; a->mode[i] == SS_STICK && k < ss_tangents(c); k++)
    friction = hypot(friction, z[ss_tangent_row(a, i) + k]);
  double limit = ss_mu_rest(a->w, i)*fmax(normal, 0) + h*ss_bound_rest(a->w, i);
  return fmax(0, fmax(-normal, friction - limit));
}

// Forces of redundant contacts have kinks where the way changes in which they share their load. They are within their
// cones in all stages of a step, but weights of the stages are negative, too: across a kink their sum need not be.
bool ss_impulses_fit(const ss_arc* a, double h)
{
  const double *start = a->rk.k + a->rk.n + SS_Z_ROWS, *end = a->f1 + a->rk.n + SS_Z_ROWS;
  for (int i = 0; i < a->n; i++) {
    if (a->mode[i] == SS_OPEN || !a->shared[i] || !ss_has_normal(a->w->law[i])) continue;
    double at_ends = fmax(beyond(a, i, 1, start), beyond(a, i, 1, end));
    if (beyond(a, i, h, a->dz + SS_Z_ROWS) > h*(TIMES*at_ends + KINK*ss_force_size(a, i))) return false;
  }
  return true;
}

// What contacts give that hardly press is round-off of the forces around them, and may pull: the nearest that they can
// give is told. So is what they give in an arc that is as short as round-off of the time: between two events that are
// one as far as can be told states need not fit.
void ss_round_to_laws(const ss_arc* a, int i, double time, double moment, double* Lambda)
{
  const ss_contact_def* c = a->w->law[i];
  bool normal = ss_has_normal(c);
  double mu = normal ? ss_mu_rest(a->w, i) : 0, zero = (ROUND_OFF*time + moment)*ss_force_size(a, i);
  if (normal && Lambda[0] < 0 && Lambda[0] >= -zero) Lambda[0] = 0;
  double limit = mu*Lambda[0] + time*ss_bound_rest(a->w, i), friction = hypot(Lambda[1], Lambda[2]);
  if (limit < 0 || !(friction > limit && friction <= limit + (1 + mu)*zero)) return;
  for (int k = 1; k <= ss_tangents(c); k++) Lambda[k] *= limit/friction;
}
