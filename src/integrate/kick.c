// Supports whose velocity jumps within a time step. The force -d2T/du dt of a moving support, taken at one instant of
// the step, knows nothing of a jump of dT/dt within it. What is missing of a function f(t) whose kinks lie on the sides
// s_A at the start, s_M where the step evaluates forces, s_E at the end of the step, is
//   f(t_E; s_E) - f(t_E; s_M) + f(t_A; s_M) - f(t_A; s_A),
// zero if nothing changes sides: of the momentum p = dT/du at rest an impulse, of V - T with the mean velocity a work.
#include <math.h>
#include <string.h>

#include "integrate/work.h"

typedef ss_status (*quantity)(ss_work* w, double sign, double* sum);

static ss_status look(ss_work* w, double t, const double* side)
{
  w->at.t = t;
  w->at.side = side;
  return w->def->update ? w->def->update(&w->at) : SS_OK;
}

static ss_status find_sides(ss_work* w, double t, double* side)
{
  ss_status st = look(w, t, NULL);
  if (st >= 0) st = w->def->kinks(&w->at, w->kink);
  for (int k = 0; k < w->def->n_kink && st >= 0; k++) side[k] = w->kink[k].value < 0 ? -1 : 1;
  return st;
}

static ss_status add(ss_work* w, double t, const double* side, quantity f, double sign, double* sum)
{
  ss_status st = look(w, t, side);
  return st < 0 ? st : f(w, sign, sum);
}

// sum += what is missing of f, at at->q with at->u
static ss_status missing(ss_work* w, double t_A, double t_M, double t_E, quantity f, double* sum, bool* any)
{
  int n = w->def->n_kink;
  double *A = w->side, *M = A + n, *E = M + n;
  size_t bytes = sizeof(double)*(size_t)n;
  ss_status st = find_sides(w, t_A, A);
  if (st >= 0) st = find_sides(w, t_M, M);
  if (st >= 0) st = find_sides(w, t_E, E);
  *any = st >= 0 && (memcmp(A, M, bytes) != 0 || memcmp(M, E, bytes) != 0);
  if (!*any) return st;
  st = add(w, t_E, E, f, 1, sum);
  if (st >= 0) st = add(w, t_E, M, f, -1, sum);
  if (st >= 0) st = add(w, t_A, M, f, 1, sum);
  return st < 0 ? st : add(w, t_A, A, f, -1, sum);
}

static ss_status momentum(ss_work* w, double sign, double* sum)
{
  ss_status st = w->def->momentum(&w->at, w->v);
  for (int i = 0; i < w->nv; i++) sum[i] += sign*w->v[i];
  return st;
}

static ss_status action(ss_work* w, double sign, double* sum)
{
  ss_energy e;
  ss_status st = ss_energy_now(w, &e);
  sum[0] += sign*(e.potential - e.kinetic);
  for (int i = 0; i < w->n_energy; i++) sum[1 + i] += sign*(w->energy_now[i].potential - w->energy_now[i].kinetic);
  return st;
}

ss_status ss_kick(ss_work* w, double dt, bool* any)
{
  *any = false;
  if (!w->def->kinks_drive) return SS_OK;
  const double* u = w->at.u;
  double t = w->at.t, t_E = t + w->at.rest, *rest = w->kick + w->nv;
  memset(w->kick, 0, 2*sizeof(double)*(size_t)w->nv);
  w->at.u = rest;
  ss_status st = missing(w, t_E - dt, t, t_E, momentum, w->kick, any);
  w->at.u = u;
  ss_status back = look(w, t, NULL);
  for (int i = 0; i < w->nv; i++) w->kick[i] = -w->kick[i];
  return st < 0 ? st : back;
}

ss_status ss_kick_work(ss_work* w, double dt, double* work)
{
  bool any;
  memset(work, 0, sizeof(double)*(1 + (size_t)w->n_energy));
  if (!w->def->kinks_drive) return SS_OK;
  double t = w->at.t;
  ss_status st = missing(w, t - dt/2, t, t + dt/2, action, work, &any);
  ss_status back = look(w, t, NULL);
  return st < 0 ? st : back;
}
