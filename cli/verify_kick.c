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

// ---- rows at a kink ----

#define MOST_AT_KINK 16  // rows that lie at one kink, at most

// Sides at a row; 0: it is at the kink
static bool sides_at(cli_verifier* v, long row, double* place, double* side)
{
  int nq = v->info->nq;
  for (int i = 0; i < nq; i++) place[i] = v->q[i][row];
  for (int i = 0; i < v->info->nv; i++) place[nq + i] = v->u[i][row];
  v->at.q = place;
  v->at.u = place + nq;
  v->at.t = v->t[row];
  v->at.side = NULL;
  return (!v->d->update || v->d->update(&v->at) >= 0) && cli_verify_sides(v, CLI_AT_KINK, side);
}

// The side of kink i that rows from `row` on, which lie at it, belong to: before the row just after the events (`side`
// of the file) that of the rows before, from it on that of the rows behind. 0: there is none near by.
static bool find_side(cli_verifier* v, long row, int i, double* place, double* there, double* found)
{
  const double* when = ss_run_column(v->run, "side", NULL);
  int way = -1;
  *found = 0;
  for (int pass = 0; pass < 2; pass++) {
    long at = row;
    for (int n = 0; n < MOST_AT_KINK && at >= 0 && at < v->info->n_rows; n++, at += way) {
      if (!sides_at(v, at, place, there)) return false;
      if (there[i] != 0) return *found = there[i], true;
      if (way < 0 && when && when[at] > 0) break;
    }
    way = 1;
  }
  return true;
}

bool cli_verify_row_sides(cli_verifier* v, long row, double* side)
{
  int n = v->d->n_kink;
  double* place = calloc((size_t)(v->info->nq + v->info->nv + n) + 1, sizeof *place);
  double* there = place ? place + v->info->nq + v->info->nv : NULL;
  bool good = place && sides_at(v, row, place, side);
  for (int i = 0; good && i < n; i++)
    if (side[i] == 0) good = find_side(v, row, i, place, there, &side[i]);
  for (int i = 0; good && i < n; i++) side[i] = side[i] < 0 ? -1 : 1;
  free(place);
  return good;
}

// ---- kicks ----

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
