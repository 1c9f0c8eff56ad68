// Derivatives of the event-driven motion with respect to the state that it starts from, Phi = dy(t)/dy_0, y = (q, u).
//
// Along an arc: the derivative of each step of order 8 with the contact states held, taken by central differences of
// the step itself, in the directions of the columns of Phi (internal numerical differentiation; Bock 1981). The motion
// within an arc is smooth, so that eleven digits are right.
//
// At an event, found as the root of h(t, y), with the jump y+ = g(y-) and the rates f-, f+ before and after it
// (saltation; Aizerman & Gantmakher 1958; Leine & Nijmeijer 2004, chapter 7):
//   tau = -(grad h . Phi)/(dh/dt along f-)       how much later the event comes
//   D   = Dg (Phi + f- tau)                      the state right after the event
//   Phi+ = D - f+ tau                            ... and at the time at which it was without the change
// Dg is the derivative of the impact with what was held before it held, so that contacts at rest take part as such.
// Where redundant contacts begin to move no single function tells when; but accelerations are continuous there,
// f+ = f-, and Phi+ = Phi whatever tau is.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/cycle.h>

#include "integrate/event.h"
#include "math/dense.h"

#define PART 1e-5        // of the sizes of coordinates and velocities: how far differences reach
#define CONTINUOUS 1e-6  // of the accelerations: changes that are none
#define GENTLE 0.05      // of the closing speed of an impact: likewise, for its law is linear in pieces only

struct ss_following {
  int n;
  bool lost;           // an event without a derivative: grazing, a jump without a collision
  bool timeless;       // the last event: when it comes has no known derivative
  double *Phi, *D;     // n x n, column by column
  double* tau;         // n
  double *rate;        // n: f-
  double *y, *y1[2];   // n
  double *Lambda, *Lambda_C;  // rows
  ss_rk8 rk;
  double* dz;
};

void ss_following_destroy(struct ss_following* f) { free(f); }

static struct ss_following* create(const ss_arc* a)
{
  size_t n = (size_t)a->rk.n, nz = (size_t)a->rk.nz, rows = (size_t)a->rows;
  size_t numbers = 2*n*n + 6*n + 2*rows + SS_RK8_STAGES*(n + nz) + nz;
  struct ss_following* f = calloc(1, sizeof *f + numbers*sizeof(double));
  if (!f) return NULL;
  double* p = (double*)(f + 1);
  f->n = a->rk.n;
  f->Phi = p;
  f->D = f->Phi + n*n;
  f->tau = f->D + n*n;
  f->rate = f->tau + n;
  f->y = f->rate + n;
  f->y1[0] = f->y + n;
  f->y1[1] = f->y1[0] + n;
  f->rk = a->rk;
  f->rk.f = ss_arc_derivative;
  f->rk.stage = f->y1[1] + n;
  f->Lambda = f->rk.stage + n;
  f->Lambda_C = f->Lambda + rows;
  f->dz = f->Lambda_C + rows;
  f->rk.k = f->dz + nz;
  return f;
}

ss_status ss_follow(const ss_system* system, ss_work* w)
{
  if (w->op) return ss_work_fail(w, SS_ERR_ARGUMENT, "sensitivities are for a fixed list of contacts only");
  ss_status st = ss_arc_create(system, w);
  if (st < 0) return st;
  ss_arc* a = w->arc;
  if (!a->following) a->following = create(a);
  if (!a->following) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for the sensitivities");
  struct ss_following* f = a->following;
  f->lost = f->timeless = false;
  memset(f->Phi, 0, sizeof(double)*(size_t)(2*f->n*f->n + f->n));
  for (int i = 0; i < f->n; i++) f->Phi[i*f->n + i] = 1;
  return SS_OK;
}

void ss_follow_end(ss_work* w)
{
  if (!w->arc) return;
  ss_following_destroy(w->arc->following);
  w->arc->following = NULL;
}

bool ss_followed(const ss_work* w, ss_sensitivity* s)
{
  const ss_arc* a = w->arc;
  *s = (ss_sensitivity){0};
  if (!a || !a->following || a->following->lost) return false;
  const struct ss_following* f = a->following;
  *s = (ss_sensitivity){.n = f->n, .state = f->Phi};
  if (f->timeless) return true;
  s->event_state = f->D;
  s->event_time = f->tau;
  return true;
}

// How far to go along d so that nothing changes by more than a small part of its size
static double reach(const ss_arc* a, const double* d)
{
  double most = 0;
  int nv = a->nv;
  for (int i = 0; i < nv; i++) {
    double speed = fmax(a->size[nv + i], a->root_mass[i] > 0 ? a->speed/a->root_mass[i] : 0);
    double way = fmax(a->size[i], a->h_longest*speed);
    most = fmax(most, fmax(fabs(d[i])/(way > 0 ? way : 1), fabs(d[nv + i])/(speed > 0 ? speed : 1)));
  }
  return most > 0 ? PART/most : 0;
}

static void move(int n, const double* y, double by, const double* d, double* out)
{
  for (int i = 0; i < n; i++) out[i] = y[i] + by*d[i];
}

ss_status ss_following_step(ss_arc* a, double h)
{
  struct ss_following* f = a->following;
  int n = f->n;
  for (int j = 0; j < n; j++) {
    double *d = f->Phi + j*n, by = reach(a, d);
    for (int side = 0; by > 0 && side < 2; side++) {
      move(n, a->y, side ? -by : by, d, f->y);
      ss_status st = ss_arc_derivative(a, a->t, f->y, f->rk.k);
      if (st >= 0) st = ss_rk8_step(&f->rk, a->t, h, f->y, f->y1[side], f->dz);
      if (st < 0) return st;
    }
    for (int i = 0; by > 0 && i < n; i++) d[i] = (f->y1[0][i] - f->y1[1][i])/(2*by);
  }
  return ss_arc_derivative(a, a->t + h, a->y1, a->f1);  // what else the step looks at
}

// The derivative of a root function along (dt, d)
static ss_status slope(ss_arc* a, ss_root* r, double dt, const double* d, double* value)
{
  struct ss_following* f = a->following;
  double by = reach(a, d), side[2];
  *value = 0;
  if (by == 0) return SS_OK;
  for (int k = 0; k < 2; k++) {
    double e = k ? -by : by;
    move(f->n, a->y, e, d, f->y);
    ss_status st = ss_arc_derivative(a, a->t + e*dt, f->y, f->rk.k);
    if (st < 0) return st;
    ss_root_evaluate(a, r, f->rk.k + a->nv);
    side[k] = r->now;
  }
  *value = (side[0] - side[1])/(2*by);
  return SS_OK;
}

// With the contact states of the arc that ends
ss_status ss_following_event(ss_arc* a)
{
  struct ss_following* f = a->following;
  ss_root r = a->root[a->cause];
  int n = f->n;
  double rate, change;
  memcpy(f->rate, a->rk.k, sizeof(double)*(size_t)n);
  f->timeless = r.kind == SS_ROOT_LAW;
  if (f->timeless) {
    memcpy(f->D, f->Phi, sizeof(double)*(size_t)(n*n));
    memset(f->tau, 0, sizeof(double)*(size_t)n);
    return SS_OK;
  }
  ss_status st = slope(a, &r, 1, f->rate, &rate);
  if (!(rate < 0)) f->lost = true;
  for (int j = 0; st >= 0 && !f->lost && j < n; j++) {
    st = slope(a, &r, 0, f->Phi + j*n, &change);
    f->tau[j] = -change/rate;
    move(n, f->Phi + j*n, f->tau[j], f->rate, f->D + j*n);
  }
  return st;
}

// The velocity after the impact of the contacts that touch, from a state a little beside that of the arc
static ss_status outcome(ss_arc* a, const ss_step_def* def, double t, double* y)
{
  struct ss_following* f = a->following;
  ss_impact impact;
  double* push = f->rk.stage;
  ss_status st = ss_arc_evaluate(a, t, y);
  if (st < 0) return st;
  for (int i = 0; i < a->n_held; i++) a->gamma[a->held[i]] = 0;
  ss_assemble_impact(a, &impact);
  st = ss_solve_impact(a, def, &impact, false, f->Lambda, f->Lambda_C);
  if (st < 0) return st;
  ss_gemv_t(a->w->problem.m, a->nv, a->w->Y, f->Lambda, push);
  ss_chol_solve_upper(a->nv, a->w->L, push);
  for (int j = 0; j < a->nv; j++) y[a->nv + j] += push[j];
  return SS_OK;
}

// How far to go along d so that the velocities at the contacts that touch change by a small part of the closing speed:
// at the end of a series of impacts that is far less than the sizes say.
static ss_status gentle(ss_arc* a, const double* d, double tau, double* by)
{
  struct ss_following* f = a->following;
  double closing = 0, change = 0;
  move(f->n, a->y, *by, d, f->y);
  ss_status st = ss_arc_evaluate(a, a->t + *by*tau, f->y);
  if (st < 0) return st;
  for (int i = 0; i < a->n; i++) {
    int N = ss_normal_row(a, i);
    if (!a->touch[i] || !ss_has_normal(a->w->law[i])) continue;
    closing = fmax(closing, -a->before[N]);
    for (int k = 0; k < ss_contact_rows(a->w->law[i]->kind); k++)
      change = fmax(change, fabs(a->gamma[N + k] - a->before[N + k]));
  }
  if (change > GENTLE*closing) *by *= GENTLE*closing/change;
  return SS_OK;
}

ss_status ss_following_impact(ss_arc* a, const ss_step_def* def)
{
  struct ss_following* f = a->following;
  ss_step_info info = a->w->info;
  int n = f->n, nv = a->nv;
  if (f->timeless) f->lost = true;
  for (int j = 0; !f->lost && j < n; j++) {
    double *d = f->D + j*n, by = reach(a, d);
    ss_status st = by > 0 ? gentle(a, d, f->tau[j], &by) : SS_OK;
    if (st < 0) return st;
    for (int side = 0; by > 0 && side < 2; side++) {
      double e = side ? -by : by;
      move(n, a->y, e, d, f->y1[side]);
      st = outcome(a, def, a->t + e*f->tau[j], f->y1[side]);
      if (st < 0) return st;
    }
    for (int i = nv; by > 0 && i < n; i++) d[i] = (f->y1[0][i] - f->y1[1][i])/(2*by);
  }
  a->w->info = info;
  ss_status st = ss_arc_evaluate(a, a->t, a->y);
  if (st >= 0) ss_arc_velocities(a, a->gamma);
  return st;
}

// What ends in a series of impacts comes to rest from wherever it started: velocities of these rows stay zero.
ss_status ss_following_rest(ss_arc* a, int rows, const int* row)
{
  struct ss_following* f = a->following;
  int n = f->n;
  for (int j = 0; !f->lost && j < n; j++) {
    double *d = f->D + j*n, by = reach(a, d);
    for (int side = 0; by > 0 && side < 2; side++) {
      double e = side ? -by : by;
      move(n, a->y, e, d, f->y1[side]);
      ss_status st = ss_arc_place(a, a->t + e*f->tau[j], f->y1[side]);
      if (st < 0) return st;
      ss_arc_hold_velocity(a, rows, row, f->y1[side]);
    }
    for (int i = a->nv; by > 0 && i < n; i++) d[i] = (f->y1[0][i] - f->y1[1][i])/(2*by);
  }
  return ss_arc_place(a, a->t, a->y);
}

void ss_following_lost(ss_arc* a) { a->following->lost = true; }

void ss_following_go_on(ss_arc* a)
{
  struct ss_following* f = a->following;
  int n = f->n;
  double size = 0, change = 0;
  for (int i = a->nv; i < n; i++) {
    double scale = a->root_mass[i - a->nv];
    size = fmax(size, scale*fmax(fabs(f->rate[i]), fabs(a->rk.k[i])));
    change = fmax(change, scale*fabs(a->rk.k[i] - f->rate[i]));
  }
  if (f->timeless && change > CONTINUOUS*size) f->lost = true;
  for (int j = 0; j < n; j++) move(n, f->D + j*n, -f->tau[j], a->rk.k, f->Phi + j*n);
}
