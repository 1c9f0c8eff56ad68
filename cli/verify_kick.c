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

static void place_at(cli_verifier* v, long row, double* place, const double* side)
{
  int nq = v->info->nq;
  for (int i = 0; i < nq; i++) place[i] = v->q[i][row];
  for (int i = 0; i < v->info->nv; i++) place[nq + i] = v->u[i][row];
  v->at.q = place;
  v->at.u = place + nq;
  v->at.t = v->t[row];
  v->at.side = side;
}

// Sides at a row; 0: it is at the kink
static bool sides_at(cli_verifier* v, long row, double* place, double* side)
{
  place_at(v, row, place, NULL);
  return (!v->d->update || v->d->update(&v->at) >= 0) && cli_verify_sides(v, CLI_AT_KINK, side);
}

// The side of kink i that rows from `row` on, which lie at it, belong to: before the row just after the events (`side`
// of the file) that of the rows before, from it on that of the rows behind. 0: there is none near by. way: where to
// look first, -1: at the rows before.
static bool find_side(cli_verifier* v, long row, int i, int way, double* place, double* there, double* found)
{
  const double* when = ss_run_column(v->run, "side", NULL);
  *found = 0;
  for (int pass = 0; pass < 2; pass++, way = -way) {
    long at = row;
    for (int n = 0; n < MOST_AT_KINK && at >= 0 && at < v->info->n_rows; n++, at += way) {
      if (!sides_at(v, at, place, there)) return false;
      if (there[i] != 0) return *found = there[i], true;
      if (way < 0 && when && when[at] > 0) break;
    }
  }
  return true;
}

// Sides of a row, of kinks that it lies at those of the rows before (way -1), or behind (1). *at_kink: there are such.
static bool find_sides(cli_verifier* v, long row, int way, double* place, double* side, bool* at_kink)
{
  double* there = place + v->info->nq + v->info->nv;
  bool good = sides_at(v, row, place, side);
  *at_kink = false;
  for (int i = 0; good && i < v->d->n_kink; i++) {
    if (side[i] != 0) continue;
    *at_kink = true;
    good = find_side(v, row, i, way, place, there, &side[i]);
  }
  for (int i = 0; good && i < v->d->n_kink; i++) side[i] = side[i] < 0 ? -1 : 1;
  return good;
}

// How far the energies of the row are from those of the system on these sides
static bool energy_off(cli_verifier* v, long row, double* place, const double* side, double* off)
{
  ss_energy e = {0};
  place_at(v, row, place, side);
  bool good = (!v->d->update || v->d->update(&v->at) >= 0) && v->d->energy(&v->at, &e) >= 0;
  *off = fabs(e.kinetic - v->kinetic[row]) + fabs(e.potential - v->potential[row]);
  v->at.side = NULL;
  return good;
}

// A row that happens to lie at a kink is before or behind it, as its energies say: a step of the potential has been
// climbed, or not yet; the start is on either side, as the model says. Whether T + V fits the rows before is told by
// the balance.
static bool choose_sides(cli_verifier* v, long row, double* place, double* side)
{
  int n = v->d->n_kink;
  double least, off, *other = place + v->info->nq + v->info->nv + n;
  bool at_kink, good = energy_off(v, row, place, side, &least);
  for (int i = 0; i < 3 && good; i++) {
    if (i == 0) good = find_sides(v, row, 1, place, other, &at_kink);
    else good = sides_at(v, row, place, other);
    for (int k = 0; k < n; k++) other[k] = other[k] != 0 ? other[k] : i == 1 ? 1 : -1;
    good = good && energy_off(v, row, place, other, &off);
    if (!good || !(off < least)) continue;
    least = off;
    memcpy(side, other, sizeof *side*(size_t)n);
  }
  return good;
}

bool cli_verify_row_sides(cli_verifier* v, long row, double* side)
{
  const double* when = ss_run_column(v->run, "side", NULL);
  bool at_kink, told = !v->info->run.step.account || !v->d->energy || (when && when[row] != 0);
  double* place = calloc((size_t)(v->info->nq + v->info->nv + 2*v->d->n_kink) + 1, sizeof *place);
  bool good = place && find_sides(v, row, -1, place, side, &at_kink);
  if (good && at_kink && !told) good = choose_sides(v, row, place, side);
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
