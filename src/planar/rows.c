// Rows of W at contact points: velocities, forces, G = W^T M^-1 W  [Slavic & Boltezar 2006, (24)-(31)].
// With the Jacobians J of a body's origin and angle, the velocity of row `along` at point P is
//   along . (v_b + omega_b x (P - O_b) - v_a - omega_a x (P - O_a))
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "math/dense.h"
#include "planar/planar.h"

static double lever(const ss_planar_work* w, const ss_planar_row* r, int body)
{
  return ss_cross2(ss_sub2(r->point, w->pose[body].p), r->along);
}

// to (nl) += sign times the row of a guided body
static void add_guided(const ss_planar_work* w, const ss_planar_row* r, int body, double sign, double* to)
{
  const ss_planar* p = w->p;
  if (body < 0 || p->body[body].carriage != SS_GUIDED) return;
  const double* J = w->row + p->body[body].probe*p->nl;
  double arm = lever(w, r, body);
  for (int j = 0; j < p->nl; j++) to[j] += sign*(r->along.x*J[j] + r->along.y*J[p->nl + j] + arm*J[2*p->nl + j]);
}

// The part of a row that belongs to the Lagrangian; false: none
static bool text_row(const ss_planar_work* w, const ss_planar_row* r, double* to)
{
  const ss_planar* p = w->p;
  if (!p->nl) return false;
  if (r->a < 0 && r->b < 0) {
    memcpy(to, w->W + r->text*p->nl, sizeof(double)*(size_t)p->nl);
    return true;
  }
  if (p->body[r->a].carriage != SS_GUIDED && p->body[r->b].carriage != SS_GUIDED) return false;
  memset(to, 0, sizeof(double)*(size_t)p->nl);
  add_guided(w, r, r->a, -1, to);
  add_guided(w, r, r->b, 1, to);
  return true;
}

// The three entries of a row for a free body
static void free_row(const ss_planar_work* w, const ss_planar_row* r, int body, double to[3])
{
  double sign = body == r->b ? 1 : -1;
  to[0] = sign*r->along.x;
  to[1] = sign*r->along.y;
  to[2] = sign*lever(w, r, body);
}

static int free_of(const ss_planar* p, int body) { return body < 0 ? -1 : p->free[body]; }

void ss_planar_dense_row(const ss_planar_work* w, int row, double* W)
{
  const ss_planar* p = w->p;
  const ss_planar_row* r = &w->rows[row];
  memset(W, 0, sizeof(double)*(size_t)p->nv);
  text_row(w, r, W);
  for (int side = 0; side < 2; side++) {
    int body = side ? r->b : r->a, f = free_of(p, body);
    if (f >= 0) free_row(w, r, body, W + p->nl + 3*f);
  }
}

void ss_planar_row_velocity(const ss_at* at, const double* v, double* gamma, double* size)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  double* text = w->Y;  // at least one row
  for (int i = 0; i < w->n_row; i++) {
    const ss_planar_row* r = &w->rows[i];
    double sum = 0, terms = 0;
    if (text_row(w, r, text)) {
      for (int j = 0; j < p->nl; j++) {
        sum += text[j]*v[j];
        terms += fabs(text[j]*v[j]);
      }
    }
    for (int side = 0; side < 2; side++) {
      int body = side ? r->b : r->a, f = free_of(p, body);
      if (f < 0) continue;
      double e[3];
      free_row(w, r, body, e);
      for (int k = 0; k < 3; k++) {
        sum += e[k]*v[p->nl + 3*f + k];
        terms += fabs(e[k]*v[p->nl + 3*f + k]);
      }
    }
    gamma[i] = sum;
    if (size) size[i] = terms;
  }
}

// A row of the Lagrangian has no sides: its terms, against what the motion would be worth along it
void ss_planar_row_sides(const ss_at* at, const double* v, double* along, double* size)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  ss_planar_move(w, v, false);
  for (int i = 0; i < w->n_row; i++) {
    const ss_planar_row* r = &w->rows[i];
    along[i] = size[i] = 0;
    if (r->a < 0 && r->b < 0) {
      const double* W = w->W + r->text*p->nl;
      for (int j = 0; j < p->nl; j++) along[i] += fabs(W[j]*v[j]);
      size[i] = ss_chol_size(p->nl, w->L, W, v);
      continue;
    }
    for (int side = 0; side < 2; side++) {
      ss_vec2 u = ss_velocity2(w->motion + (side ? r->b : r->a), r->point);
      along[i] += fabs(ss_dot2(r->along, u));
      size[i] += ss_length2(u);
    }
  }
}

void ss_planar_row_force(const ss_at* at, int m, const int* row, const double* Lambda, double* tau)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  memset(tau, 0, sizeof(double)*(size_t)p->nv);
  for (int i = 0; i < m; i++) {
    const ss_planar_row* r = &w->rows[row[i]];
    if (text_row(w, r, w->Y))
      for (int j = 0; j < p->nl; j++) tau[j] += w->Y[j]*Lambda[i];
    for (int side = 0; side < 2; side++) {
      int body = side ? r->b : r->a, f = free_of(p, body);
      double e[3];
      if (f < 0) continue;
      free_row(w, r, body, e);
      for (int k = 0; k < 3; k++) tau[p->nl + 3*f + k] += e[k]*Lambda[i];
    }
  }
}

// What two rows share through free bodies: e_i M^-1 e_j
static double through_free(const ss_planar_work* w, const ss_planar_row* ri, const ss_planar_row* rj)
{
  const ss_planar* p = w->p;
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    int body = side ? ri->b : ri->a, f = free_of(p, body);
    int other = f < 0 ? -1 : free_of(p, rj->a) == f ? rj->a : free_of(p, rj->b) == f ? rj->b : -1;
    if (other < 0) continue;
    const ss_planar_body* whole = &p->body[p->body[body].part_of ? p->body[body].part_of - 1 : body];
    double ei[3], ej[3];
    free_row(w, ri, body, ei);
    free_row(w, rj, other, ej);
    sum += (ei[0]*ej[0] + ei[1]*ej[1])/whole->mass + ei[2]*ej[2]/whole->inertia;
  }
  return sum;
}

static bool reserve_Y(ss_planar_work* w, int m)
{
  if (m <= w->Y_room) return true;
  int room = m + m/2 + 16;
  double* Y = realloc(w->Y, sizeof(double)*(size_t)room*((size_t)w->p->nl + 1));
  if (!Y) return false;
  w->Y = Y;
  w->Y_room = room;
  return true;
}

ss_status ss_planar_delassus(const ss_at* at, int m, const int* row, double* G)
{
  ss_planar_work* w = at->scratch;
  int nl = w->p->nl;
  if (!reserve_Y(w, m + 1)) return SS_ERR_MEMORY;
  for (int i = 0; i < m; i++) {
    double* y = w->Y + (size_t)i*(size_t)nl;
    if (text_row(w, &w->rows[row[i]], y)) ss_chol_solve_lower(nl, w->L, y);
    else if (nl) memset(y, 0, sizeof(double)*(size_t)nl);
  }
  for (int i = 0; i < m; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = through_free(w, &w->rows[row[i]], &w->rows[row[j]]);
      if (nl) sum += ss_dot(nl, w->Y + (size_t)i*(size_t)nl, w->Y + (size_t)j*(size_t)nl);
      G[(size_t)i*(size_t)m + (size_t)j] = G[(size_t)j*(size_t)m + (size_t)i] = sum;
    }
  }
  return SS_OK;
}

// Part 0 is the Lagrangian, each free body is one more
static int part_of(const ss_planar* p, int body)
{
  if (body < 0 || p->body[body].carriage == SS_FIXED) return -1;
  if (p->body[body].carriage == SS_FREE) return 1 + p->free[body];
  return p->nl ? 0 : -1;
}

void ss_planar_row_parts(const ss_at* at, int m, const int* row, int* part)
{
  const ss_planar_work* w = at->scratch;
  for (int i = 0; i < m; i++) {
    const ss_planar_row* r = &w->rows[row[i]];
    bool text = r->a < 0 && r->b < 0;
    part[2*i] = text ? 0 : part_of(w->p, r->a);
    part[2*i + 1] = text ? -1 : part_of(w->p, r->b);
  }
}

// Bodies that move by themselves: the velocities that are left with u = 0
ss_status ss_planar_row_drive(const ss_at* at, double* w_hat)
{
  ss_planar_work* w = at->scratch;
  const ss_planar* p = w->p;
  for (int i = 0; i < w->n_row; i++) {
    const ss_planar_row* r = &w->rows[i];
    w_hat[i] = r->a < 0 && r->b < 0 ? w->w_hat[r->text] : 0;
    for (int side = 0; side < 2; side++) {
      int body = side ? r->b : r->a;
      if (body < 0 || p->body[body].carriage != SS_GUIDED) continue;
      const double* rest = w->rest + p->body[body].probe;
      double v = r->along.x*rest[0] + r->along.y*rest[1] + lever(w, r, body)*rest[2];
      w_hat[i] += side ? v : -v;
    }
  }
  return SS_OK;
}
