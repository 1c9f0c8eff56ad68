// What is at rest moves by round-off of its forces, and its energies are squares and products of that. The scale is the
// energy that the forces would give within a step if nothing held it,
//   E_i = |h_i (M^-1 h)_i| dt^2/2,
// of which 1e-16 is left in each step where contacts or constraints balance h. Forces may begin at zero, and pass
// through it: the largest counts as far as a velocity begins to move. What has moved has energies of its own.
#include "verify.h"
#include "verify_algebra.h"
#include <math.h>
#include <stdlib.h>

#define MOVES 1e-4  // of the velocity that forces give within a step: what rests on contacts has round-off of them

// a = M^-1 h where v->at is. False if it cannot be evaluated.
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

// x: nq + 4 nv, the last of it the largest velocities that forces have given within a step, -1: it has moved
static bool see_row(cli_verifier* v, long row, double* x)
{
  const ss_system_def* d = v->d;
  double *u = x + d->nq, *h = u + d->nv, *a = h + d->nv, *most = a + d->nv, dt = v->info->run.step.dt;
  for (int i = 0; i < d->nq; i++) x[i] = v->q[i][row];
  for (int i = 0; i < d->nv; i++) u[i] = v->u[i][row];
  v->at.q = x;
  v->at.u = u;
  v->at.t = v->t[row];
  if (!accelerations(v, h, a)) return false;
  for (int i = 0; i < d->nv; i++) {
    long double energy = fabsl((long double)h[i]*a[i])*dt*dt/2;
    bool rests = row == 0 || fabs(v->u[i][row - 1]) <= MOVES*most[i];
    if (rests) v->rest[i] = fmaxl(v->rest[i], energy);
    if (row == 0) v->fall[i] = fabs(a[i])*dt*dt;
    most[i] = rests && v->u[i][0] == 0 ? fmax(most[i], fabs(a[i])*dt) : -1;  // no more
  }
  return true;
}

bool cli_verify_rest(cli_verifier* v)
{
  const ss_system_def* d = v->d;
  const ss_operators* op = d->operators;
  size_t nq = (size_t)d->nq, nv = (size_t)d->nv;
  double* x = calloc(nq + 4*nv + 1, sizeof *x);
  v->rest = calloc(nv + 1, sizeof *v->rest);
  v->fall = calloc(nv + 1, sizeof *v->fall);
  bool opened = x && v->rest && v->fall && (!op || !op->open || op->open(d->user, v->at.scratch, NULL) >= 0);
  bool good = opened;
  for (long row = 0; row < v->info->n_rows && good; row++) good = see_row(v, row, x);
  for (int i = 0; i < d->nv; i++) v->rest_energy += good ? v->rest[i] : 0;
  if (opened && op && op->close) op->close(v->at.scratch);
  free(x);
  return good;
}
