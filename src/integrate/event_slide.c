// Directions of sliding. In the plane a contact slides with a sign that it keeps along the arc. In space the friction
// force is against the tangential velocity v,  lambda_T = -mu lambda_N d,  d = v/|v|, which turns along the arc and has
// no meaning at rest. Each step of an arc has a direction e to refer to, that of v where it begins (from rest: that of
// the acceleration, event_choose.c), and
//   d = +-(v + delta e)/|v + delta e|,   with the sign for which d . e > 0,
// so that a step which goes through rest on a straight line, to find when, does not meet a jump there. delta is
// round-off of velocities: where v has no digits, d is e.
#include <math.h>

#include "integrate/event.h"

#define BLUR 100   // round-off of a velocity: below so many of it there is no direction
#define SLOW 1e-9   // of the largest speed since sliding began: rest
#define TOGETHER 10 // ... times so much for contacts that come to rest together with another one

double ss_slide_speed(const ss_arc* a, int contact)
{
  int T = ss_tangent_row(a, contact);
  return ss_tangents(a->w->law[contact]) > 1 ? hypot(a->gamma[T], a->gamma[T + 1]) : fabs(a->gamma[T]);
}

bool ss_slide_rests(const ss_arc* a, int contact, bool first)
{
  int T = ss_tangent_row(a, contact);
  double tol = fmax(ss_rest_tolerance(a, T), ss_rest_tolerance(a, T + 1));
  return ss_slide_speed(a, contact) <= fmax((first ? SLOW : TOGETHER*SLOW)*a->top[contact], tol);
}

static void normalise(double* x)
{
  double length = hypot(x[0], x[1]);
  if (!(length > 0)) return;
  x[0] /= length;
  x[1] /= length;
}

void ss_slide_directions(ss_arc* a)
{
  for (int i = 0; i < a->n; i++) {
    double *d = a->direct + 2*i, *e = a->refer + 2*i;
    d[0] = ss_mode_sign(a->mode[i]);
    d[1] = 0;
    if (a->mode[i] != SS_SLIP) continue;
    int T = ss_tangent_row(a, i);
    for (int k = 0; k < 2; k++) d[k] = a->gamma[T + k] + a->blur[i]*e[k];
    double along = d[0]*e[0] + d[1]*e[1];
    if (along < 0)
      for (int k = 0; k < 2; k++) d[k] = -d[k];
    if (d[0] == 0 && d[1] == 0)
      for (int k = 0; k < 2; k++) d[k] = e[k];
    normalise(d);
  }
}

static void refer_to(ss_arc* a, int contact, const double* direction)
{
  double* e = a->refer + 2*contact;
  if (direction[0] == 0 && direction[1] == 0) return;
  e[0] = direction[0];
  e[1] = direction[1];
  normalise(e);
}

void ss_slide_start(ss_arc* a, int contact, const double* direction)
{
  refer_to(a, contact, direction);
  if (a->mode_before[contact] != SS_SLIP) a->top[contact] = 0;
}

void ss_slide_begin(ss_arc* a)
{
  for (int i = 0; i < a->n; i++) {
    double* e = a->refer + 2*i;
    if (a->mode[i] != SS_SLIP) {
      e[0] = ss_mode_sign(a->mode[i]);
      e[1] = 0;
      continue;
    }
    int T = ss_tangent_row(a, i);
    double speed = ss_slide_speed(a, i);
    const double* u = a->y + a->nq;
    a->blur[i] = BLUR*fmax(ss_speed_tolerance(a, T, u), ss_speed_tolerance(a, T + 1, u));
    a->top[i] = fmax(a->top[i], speed);
    if (speed > a->blur[i]) refer_to(a, i, a->gamma + T);
  }
}
