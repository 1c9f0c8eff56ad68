// What is at rest moves by round-off of its forces, and its energies are squares and products of that. The scale is the
// energy that the forces at the start would give within a step if nothing held it,
//   E_i = |h_i (M^-1 h)_i| dt^2/2,
// of which 1e-16 is left in each step where contacts or constraints balance h.
#include "verify.h"
#include "verify_algebra.h"
#include <math.h>
#include <stdlib.h>

// a = M^-1 h at the start. False if it cannot be evaluated.
static bool accelerations(cli_verifier* v, double* h, double* a)
{
  const ss_system_def* d = v->d;
  const ss_operators* op = d->operators;
  if ((d->update && d->update(&v->at) < 0) || d->force(&v->at, h) < 0) return false;
  if (op) {
    if (op->factor(&v->at) < 0) return false;
    op->solve(&v->at, h, a);
    return true;
  }
  size_t n = (size_t)d->nv;
  double* M = calloc(n*n + 1, sizeof *M);
  long double* L = calloc(n*n + n + 1, sizeof *L);
  bool good = M && L && d->mass(&v->at, M) >= 0 && cli_cholesky(d->nv, M, L);
  for (int i = 0; i < d->nv && good; i++) L[n*n + (size_t)i] = h[i];
  if (good) cli_cholesky_solve(d->nv, L, L + n*n);
  for (int i = 0; i < d->nv && good; i++) a[i] = (double)L[n*n + (size_t)i];
  free(M);
  free(L);
  return good;
}

bool cli_verify_rest(cli_verifier* v)
{
  const ss_system_def* d = v->d;
  const ss_operators* op = d->operators;
  size_t nq = (size_t)d->nq, nv = (size_t)d->nv;
  double *x = calloc(nq + 3*nv + 1, sizeof *x), *u = x + nq, *h = u + nv, *a = h + nv, dt = v->info->run.step.dt;
  v->rest = calloc(nv + 1, sizeof *v->rest);
  v->fall = calloc(nv + 1, sizeof *v->fall);
  bool opened = x && v->rest && v->fall && (!op || !op->open || op->open(d->user, v->at.scratch, NULL) >= 0);
  bool good = opened;
  if (good) {
    for (int i = 0; i < d->nq; i++) x[i] = v->q[i][0];
    for (int i = 0; i < d->nv; i++) u[i] = v->u[i][0];
    v->at.q = x;
    v->at.u = u;
    v->at.t = v->t[0];
    good = accelerations(v, h, a);
  }
  for (int i = 0; i < d->nv && good; i++) {
    v->rest[i] = fabsl((long double)h[i]*a[i])*dt*dt/2;
    v->rest_energy += v->rest[i];
    v->fall[i] = fabs(a[i])*dt*dt;
  }
  if (opened && op && op->close) op->close(v->at.scratch);
  free(x);
  return good;
}
