// `stickslip verify` of systems with kinks. A support whose velocity jumps within a time step kicks: with p = dT/du at
// rest, on the sides s of the kinks that the start (A), the place of the forces (M) and the end (E) of the step have,
//   impulse = -(p(t_E; s_E) - p(t_A; s_A)) + (p(t_E; s_M) - p(t_A; s_M)),
// all of its change less that which the forces of the step know of. The same of V - T is a work.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

bool cli_verify_sides(cli_verifier* v, double at_it, double* side)
{
  int n = v->d->n_kink;
  ss_kink* kink = calloc((size_t)n + 1, sizeof *kink);
  bool good = kink && v->d->kinks(&v->at, kink) >= 0;
  for (int i = 0; good && i < n; i++) side[i] = fabs(kink[i].value) < at_it ? 0 : kink[i].value < 0 ? -1 : 1;
  free(kink);
  return good;
}

static bool look(cli_verifier* v, double t, const double* side)
{
  v->at.t = t;
  v->at.side = side;
  return !v->d->update || v->d->update(&v->at) >= 0;
}

// p (nv) at rest, or V - T (one number), at a time and on sides; times sign, added to sum
static bool add(cli_verifier* v, double t, const double* side, bool work, double sign, double* sum)
{
  ss_energy e = {0};
  if (!look(v, t, side)) return false;
  if (work) {
    if (v->d->energy(&v->at, &e) < 0) return false;
    *sum += sign*(e.potential - e.kinetic);
    return true;
  }
  double* p = calloc((size_t)v->d->nv + 1, sizeof *p);
  bool good = p && v->d->momentum(&v->at, p) >= 0;
  for (int i = 0; good && i < v->d->nv; i++) sum[i] += sign*p[i];
  free(p);
  return good;
}

// sides: of A, M, E, n_kink each
static bool sum_up(cli_verifier* v, const double t[3], double* sides, bool work, double* sum)
{
  int n = v->d->n_kink;
  size_t bytes = sizeof(double)*(size_t)n;
  for (int i = 0; i < 3; i++)
    if (!look(v, t[i], NULL) || !cli_verify_sides(v, 0, sides + i*n)) return false;
  const double *A = sides, *M = A + n, *E = M + n;
  if (memcmp(A, M, bytes) == 0 && memcmp(M, E, bytes) == 0) return true;
  return add(v, t[2], E, work, 1, sum) && add(v, t[0], A, work, -1, sum) && add(v, t[2], M, work, -1, sum) &&
         add(v, t[0], M, work, 1, sum);
}

bool cli_verify_kick(cli_verifier* v, const double* q, const double* u, const double t[3], bool work, double* sum)
{
  memset(sum, 0, sizeof(double)*(size_t)(work ? 1 : v->d->nv));
  if (!v->d->kinks_drive) return true;
  double* memory = calloc(3*(size_t)v->d->n_kink + (size_t)v->d->nv + 1, sizeof *memory);
  if (!memory) return false;
  v->at.q = q;
  v->at.u = work ? u : memory + 3*v->d->n_kink;  // at rest
  bool good = sum_up(v, t, memory, work, sum);
  v->at.side = NULL;
  for (int i = 0; !work && i < v->d->nv; i++) sum[i] = -sum[i];
  free(memory);
  return good;
}
