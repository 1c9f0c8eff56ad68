// The equations of the unknowns of a face: rows that rest go on resting. Directions of sliding turn with the
// velocities; with t across s, in first order,
//   t.dLambda_T = -t.Lambda_T - K t.dxi_T,   K = (mu X + bound)/|xi_T|,
// so that theta = t.dLambda_T solves (1 + K T G T^T) theta = -K T G dLambda - T Lambda for each change dLambda without.
#include <math.h>
#include <string.h>

#include "contact/choose_face.h"
#include "math/dense.h"
#include "math/row_space.h"

#define DEPENDS 1e-9  // of the length of a row, left by others if it depends on them

// ---- one unknown ----

// What unknown x of contact c does to a row of velocities G
static double effect(const ss_face_part* c, int row, const double* G)
{
  double sum = G[row];
  if (!c->slips || row != c->N) return sum;
  for (int a = 0; a < c->tangents; a++) sum -= c->mu*c->s[a]*G[c->T + a];
  return sum;
}

static double limit_of(const ss_face* f, const ss_face_part* c)
{
  return (c->closed ? c->mu*f->Lambda[c->N] : 0) + c->bound;
}

// Friction of what slides is off its limit by this, along s
static double excess(const ss_face* f, const ss_face_part* c)
{
  double off = limit_of(f, c);
  for (int a = 0; a < c->tangents; a++) off += f->Lambda[c->T + a]*c->s[a];
  return off;
}

// ---- directions ----

static bool find_direction(const ss_face* f, ss_face_part* c)
{
  const double* v = f->xi + c->T;
  double speed = c->tangents == 2 ? hypot(v[0], v[1]) : fabs(v[0]);
  if (!(speed > 0)) return false;
  for (int a = 0; a < c->tangents; a++) c->s[a] = v[a]/speed;
  c->across = ((c->closed ? c->mu*fmax(f->Lambda[c->N], 0) : 0) + c->bound)/speed;
  return true;
}

// Unknowns with their weights, and what is wrong along directions of sliding, in d
static void write_unknowns(ss_face* f)
{
  memset(f->d, 0, sizeof(double)*(size_t)f->m);
  for (int i = 0; i < f->k; i++) {
    const ss_face_part* c = &f->part[i];
    int x = c->x;
    double off = c->slips ? excess(f, c) : 0, slip = c->slips ? c->mu : 0;
    for (int a = 0; a < c->tangents && c->slips; a++) f->d[c->T + a] = -off*c->s[a];
    if (c->closed) {
      f->w[x] = c->w_N + slip*slip*c->w_T;
      f->shift[x] = slip*c->w_T*c->bound/f->w[x];
      f->X[x++] = f->Lambda[c->N];
    }
    for (int a = 0; a < c->tangents && c->sticks; a++, x++) {
      f->w[x] = c->w_T;
      f->shift[x] = 0;
      f->X[x] = f->Lambda[c->T + a];
    }
  }
}

static double along_t(const ss_face_part* c, const double* v) { return c->s[0]*v[c->T + 1] - c->s[1]*v[c->T]; }

static void add_t(const ss_face_part* c, double value, double* v)
{
  v[c->T] -= value*c->s[1];
  v[c->T + 1] += value*c->s[0];
}

// Right-hand sides of contact c: row `turn` of K T G, its effect on each unknown and on d
static void write_turn(ss_face* f, const ss_face_part* c)
{
  int m = f->m, n = f->n, turns = f->turns;
  double* row = f->TG + c->turn*m;
  const double *G0 = f->r->G + c->T*m, *G1 = G0 + m;
  for (int j = 0; j < m; j++) row[j] = c->across*(c->s[0]*G1[j] - c->s[1]*G0[j]);
  for (int i = 0; i < f->k; i++)
    for (int x = f->part[i].x; x < f->part[i].x + f->part[i].count; x++)
      f->theta[x*turns + c->turn] = -effect(&f->part[i], f->row[x], row);
  f->theta[n*turns + c->turn] = -ss_dot(m, row, f->d) - along_t(c, f->Lambda);
}

bool ss_face_turn(ss_face* f)
{
  int turns = f->turns;
  for (int i = 0; i < f->k; i++)
    if (f->part[i].slips && !find_direction(f, &f->part[i])) return false;
  write_unknowns(f);
  for (int i = 0; i < f->k && turns; i++)
    if (f->part[i].turn >= 0) write_turn(f, &f->part[i]);
  for (int i = 0; i < f->k; i++)
    for (int q = 0; q < turns && f->part[i].turn >= 0; q++)
      f->A[q*turns + f->part[i].turn] = along_t(&f->part[i], f->TG + q*f->m) + (q == f->part[i].turn);
  if (turns && !ss_lu_factor(turns, f->A, f->piv)) return false;
  for (int j = 0; j <= f->n && turns; j++) ss_lu_solve(turns, f->A, f->piv, f->theta + j*turns);
  for (int i = 0; i < f->k; i++)
    if (f->part[i].turn >= 0) add_t(&f->part[i], f->theta[f->n*turns + f->part[i].turn], f->d);
  return true;
}

// ---- equations ----

// Velocities of a row that rests by the unknowns, without what turns
static void write_row(const ss_face* f, const double* G, double* B)
{
  for (int i = 0; i < f->k; i++)
    for (int x = f->part[i].x; x < f->part[i].x + f->part[i].count; x++) B[x] = effect(&f->part[i], f->row[x], G);
}

// ... and by what turns: B += (G T^T) theta^T
static void add_turning(ss_face* f)
{
  for (int r = 0; r < f->n; r++) {
    double* GT = f->GT + r*f->turns;
    const double* G = f->r->G + f->row[r]*f->m;
    for (int i = 0; i < f->k; i++)
      if (f->part[i].turn >= 0) GT[f->part[i].turn] = along_t(&f->part[i], G);
    for (int j = 0; j < f->n; j++) f->B[r*f->n + j] += ss_dot(f->turns, GT, f->theta + j*f->turns);
  }
}

void ss_face_equations(ss_face* f, bool increments)
{
  int n = f->n;
  for (int r = 0; r < f->n; r++) write_row(f, f->r->G + f->row[r]*f->m, f->B + r*n);
  if (f->turns && !increments) add_turning(f);
  for (int r = 0; r < f->n; r++) {
    double* B = f->B + r*n;
    f->c[r] = -f->xi[f->row[r]] - ss_dot(f->m, f->r->G + f->row[r]*f->m, f->d);
    for (int j = 0; j < n; j++) {
      if (!increments) f->c[r] += B[j]*(f->X[j] + f->shift[j]);
      B[j] /= sqrt(f->w[j]);
    }
  }
  f->rank = ss_row_space(f->n, n, f->B, f->c, DEPENDS, f->R, f->g);
}

void ss_face_spread(const ss_face* f, const double* v, double* d)
{
  for (int i = 0; i < f->k; i++) {
    const ss_face_part* c = &f->part[i];
    for (int x = c->x; x < c->x + c->count; x++) {
      double change = v[x]/sqrt(f->w[x]);
      d[f->row[x]] += change;
      for (int a = 0; a < c->tangents && c->slips; a++) d[c->T + a] -= c->mu*c->s[a]*change;
    }
  }
  for (int i = 0; i < f->k; i++) {
    if (f->part[i].turn < 0) continue;
    double turned = 0;
    for (int x = 0; x < f->n; x++) turned += v[x]/sqrt(f->w[x])*f->theta[x*f->turns + f->part[i].turn];
    add_t(&f->part[i], turned, d);
  }
}

// ---- what is admissible ----

void ss_face_sets(ss_face* f)
{
  f->n_set = 0;
  for (int i = 0; i < f->k; i++) {
    const ss_face_part* c = &f->part[i];
    double w_T = sqrt(c->w_T);
    ss_near_set* s = &f->set[f->n_set];
    if (!c->count) continue;
    f->n_set++;
    *s = (ss_near_set){.first = c->x, .count = c->count, .mu = c->mu*w_T/sqrt(c->w_N), .bound = c->bound*w_T};
    if (!c->sticks) *s = (ss_near_set){SS_FROM, c->x, 1, .low = f->shift[c->x]*sqrt(f->w[c->x])};
    else s->shape = c->closed ? SS_CONE : SS_DISK;
  }
}
