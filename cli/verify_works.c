// `stickslip verify` of the works of a time step, which are those of the midpoint rule: of forces without a potential
// and of moving supports with the mean of both velocities, half-way between both ends; of contacts that move, -Lambda
// w_hat; of what T has below second degree in u, its change.
#include <math.h>

#include "verify.h"

static bool transport_of(cli_verifier* v, const double* q, const double* u, double t, double* transport)
{
  ss_energy e = {0};
  v->at.q = q;
  v->at.u = u;
  v->at.t = t;
  bool good = (!v->d->update || v->d->update(&v->at) >= 0) && v->d->energy(&v->at, &e) >= 0;
  *transport = e.transport;
  return good;
}

bool cli_verify_step_works(cli_verifier* v, long row, const cli_ends* ends, const double* q, const double* u,
                           long double contacts)
{
  if (!v->info->run.step.account || !v->d->energy) return true;
  double dt = v->info->run.step.dt, from = v->t[row - 1], t[] = {from, from + dt/2, from + dt}, kick, before, after;
  ss_power power = {0};
  if (!cli_verify_kick(v, q, u, t, true, &kick)) return false;
  v->at.q = q;
  v->at.u = u;
  v->at.t = t[1];
  if (v->d->update && v->d->update(&v->at) < 0) return false;
  if (v->d->has_power && v->d->power(&v->at, &power) < 0) return false;
  if (!v->d->has_power) kick = 0;
  if (!transport_of(v, ends->qa, ends->ua, from, &before)) return false;
  if (!transport_of(v, ends->qe, ends->ue, v->t[row], &after)) return false;
  cli_verify_works(v, row, (long double)dt*power.forces,
                   (long double)dt*power.drive + kick + contacts + after - before, 1);
  return true;
}
