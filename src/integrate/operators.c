// M and the rows W of a step: as matrices with a Cholesky factor, or by the operators of the system. The stages above
// do not know which.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrate/work.h"
#include "math/dense.h"

void ss_mass_solve(const ss_work* w, double* x)
{
  if (w->op) w->op->solve(&w->at, x, x);
  else ss_chol_solve(w->nv, w->L, x);
}

void ss_gamma(const ss_work* w, const double* v, double* gamma)
{
  int rows = w->n_bilateral + w->m;
  if (w->op) {
    if (rows) w->op->row_velocity(&w->at, v, gamma, w->row_size);
    return;
  }
  for (int r = 0; r < rows; r++) gamma[r] = ss_dot(w->nv, w->W + r*w->nv, v);
}

double ss_row_terms(const ss_work* w, int row, const double* u)
{
  if (w->op) return w->gamma_size[row];
  double sum = 0;
  for (int j = 0; j < w->nv; j++) sum += fabs(w->W[row*w->nv + j]*u[j]);
  return sum;
}

void ss_add_compliance(double kappa, const ss_contact_problem* p, double* G)
{
  size_t next = (size_t)p->m + 1;
  for (int i = 0, r = p->n_bilateral; i < p->n_contact && kappa > 0; i++) {
    double trace = 0;
    int end = r + ss_contact_rows(p->kind[i]);
    for (int k = r; k < end; k++) trace += G[(size_t)k*next];
    for (; r < end; r++) G[(size_t)r*next] += kappa*trace;
  }
}

ss_status ss_whole_problem(ss_work* w)
{
  int m = w->problem.m;
  if (!w->op || m == 0) return SS_OK;
  double* G = realloc(w->G, sizeof(double)*(size_t)m*(size_t)m);
  if (!G) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for a contact problem with %d rows", m);
  w->problem.G = w->G = G;
  ss_status st = w->op->delassus(&w->at, m, w->source, G);
  if (st >= 0) ss_add_compliance(w->kappa, &w->problem, G);
  return st < 0 ? ss_work_fail(w, st, "the contact problem could not be made at t = %g", w->at.t) : SS_OK;
}

ss_status ss_delassus(ss_work* w, int m)
{
  int nv = w->nv;
  for (int r = 0; r < m; r++) {
    memcpy(w->Y + r*nv, w->W + w->source[r]*nv, sizeof(double)*(size_t)nv);
    ss_chol_solve_lower(nv, w->L, w->Y + r*nv);
  }
  ss_abt_sym(m, nv, w->Y, w->Y, w->G);
  return SS_OK;
}

void ss_impulse_velocity(ss_work* w, double* v)
{
  if (w->has_jump) memcpy(v, w->jump, sizeof(double)*(size_t)w->nv);
  else if (w->op) {
    w->op->row_force(&w->at, w->problem.m, w->source, w->solution.Lambda, v);
    w->op->solve(&w->at, v, v);
  } else {
    ss_gemv_t(w->problem.m, w->nv, w->Y, w->solution.Lambda, v);  // G = Y Y^T, M = L L^T
    ss_chol_solve_upper(w->nv, w->L, v);
  }
}

ss_status ss_free_way(ss_work* w, const double* q, const double* u, double dt, double t, double* v)
{
  w->at.q = q;
  w->at.u = u;
  w->at.t = t;
  ss_status st = w->op->stop(&w->at, u, dt, v);
  return st < 0 ? ss_work_fail(w, st, "the way of the bodies from t = %g on could not be followed", t) : st;
}

ss_status ss_advance_freely(ss_work* w, const double* q, const double* u, double dt, double t)
{
  bool stops = w->op && w->op->stop;
  ss_status st = stops ? ss_free_way(w, q, u, dt, t, w->v) : SS_OK;
  if (st >= 0) ss_advance(w, q, stops ? w->v : u, dt, w->q);
  return st;
}

void ss_advance(const ss_work* w, const double* q, const double* u, double dt, double* q_out)
{
  if (w->op && w->op->advance) w->op->advance(w->at.user, q, u, dt, q_out);
  else for (int i = 0; i < w->nv; i++) q_out[i] = q[i] + dt*u[i];
}
