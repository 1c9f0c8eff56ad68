// Derivatives of the event-driven motion with respect to the state that it starts from, Phi = dy(t)/dy_0, y = (q, u).
// Directions of y_0 are those of velocities: q moves with N(q) v, which keeps quaternions on their sphere.
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
// Sticking and impacts take directions away: after an event the columns of Phi are replaced by as many orthogonal ones
// as there are left, Phi = Q R, and these are followed.
// Where redundant contacts begin to move no single function tells when; but accelerations are continuous there,
// f+ = f-, and Phi+ = Phi whatever tau is.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/cycle.h>

#include "integrate/event.h"
#include "math/dense.h"

#define PART 1e-5        // of the sizes of coordinates and velocities: how far differences reach
#define ROUND_OFF 1e-12  // of the terms of a force
#define AT_ONCE 1e3      // times that: forces that reach their limits together
#define TOGETHER 1e-3    // of what differences change: gaps and velocities that stay zero with others
#define CONTINUOUS 1e-6  // of the accelerations: changes that are none
#define GONE 1e-8        // of the longest column: what is left of others is round-off
#define RESOLVED 1e-4    // of a column: errors of a step of order 5, those of order 8 are smaller by far
#define MOST_PARTS 64    // of a step
#define GENTLE 0.05      // of the closing speed of an impact: likewise, for its law is linear in pieces only

struct ss_following {
  int n, m;            // numbers of y = (q, u); directions, 2 nv
  bool fresh;          // nothing has been followed yet
  bool lost;           // an event without a derivative: grazing, a jump without a collision
  bool timeless;       // the last event: when it comes has no known derivative
  int k, k_event;      // columns that are followed; those that were at the last event
  double *Phi, *D;     // n x k, n x k_event, column by column
  double* tau;         // k_event
  double *R, *R_event; // k x m, k_event x m, row by row: Phi R, D R_event, tau R_event are the derivatives
  double *C, *T;       // m x m: scratch
  double *rate;        // n: f-
  double *y, *y1[2];   // n
  double* off[2];      // n: errors of the last steps beside
  double* size;        // n: of coordinates and velocities
  double* by;          // m: how far differences reach along the columns
  double *N, *NN;      // nq x nv, column by column: q' = N u; N^T N
  double* seen[2];     // m x m: the derivatives in velocities
  double* seen_time;   // m
  // what has rows of contacts, in a block of its own that grows with the arc
  double* block;
  double *Lambda, *Lambda_C;  // rows
  ss_rk8 rk;
  double* dz;
};

void ss_following_destroy(struct ss_following* f)
{
  if (f) free(f->block);
  free(f);
}

static struct ss_following* create(const ss_arc* a)
{
  size_t n = (size_t)a->rk.n, nq = (size_t)a->nq, nv = (size_t)a->nv, m = 2*nv;
  struct ss_following* f = calloc(1, sizeof *f + (2*n*m + 3*m + 8*n + nq*nv + nv*nv + 6*m*m)*sizeof(double));
  if (!f) return NULL;
  f->n = a->rk.n;
  f->m = 2*a->nv;
  f->Phi = (double*)(f + 1);
  f->D = f->Phi + n*m;
  f->tau = f->D + n*m;
  f->by = f->tau + m;
  f->rate = f->by + m;
  f->y = f->rate + n;
  f->y1[0] = f->y + n;
  f->y1[1] = f->y1[0] + n;
  f->size = f->y1[1] + n;
  f->rk.stage = f->size + n;
  f->N = f->rk.stage + n;
  f->NN = f->N + nq*nv;
  f->seen[0] = f->NN + nv*nv;
  f->seen[1] = f->seen[0] + m*m;
  f->R = f->seen[1] + m*m;
  f->R_event = f->R + m*m;
  f->C = f->R_event + m*m;
  f->T = f->C + m*m;
  f->seen_time = f->T + m*m;
  f->off[0] = f->seen_time + m;
  f->off[1] = f->off[0] + n;
  return f;
}

// Room for the rows that the arc has by now
static ss_status make_room(ss_arc* a)
{
  struct ss_following* f = a->following;
  size_t n = (size_t)a->rk.n, nz = (size_t)a->rk.nz, rows = (size_t)a->row_room;
  if (f->block && f->rk.nz == a->rk.nz) return SS_OK;
  double* block = realloc(f->block, (2*rows + SS_RK8_STAGES*(n + nz) + nz)*sizeof(double));
  if (!block) return ss_work_fail(a->w, SS_ERR_MEMORY, "out of memory for the sensitivities");
  double* stage = f->rk.stage;
  f->block = f->Lambda = block;
  f->Lambda_C = f->Lambda + rows;
  f->dz = f->Lambda_C + rows;
  f->rk = a->rk;
  f->rk.f = ss_arc_derivative;
  f->rk.stage = stage;
  f->rk.k = f->dz + nz;
  return SS_OK;
}

ss_status ss_follow(const ss_system* system, ss_work* w)
{
  if (!system || !w) return SS_ERR_ARGUMENT;
  ss_status st = ss_arc_create(system, w);
  if (st < 0) return st;
  ss_arc* a = w->arc;
  if (!a->following) a->following = create(a);
  if (!a->following) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for the sensitivities");
  struct ss_following* f = a->following;
  f->lost = f->timeless = false;
  f->fresh = true;
  return SS_OK;
}

void ss_follow_end(ss_work* w)
{
  if (!w || !w->arc) return;
  ss_following_destroy(w->arc->following);
  w->arc->following = NULL;
}

// ---- directions ----

// q' = N(q) u at the position of the arc, and the factor of N^T N
static void take_rates(ss_arc* a)
{
  struct ss_following* f = a->following;
  const ss_operators* op = a->w->op;
  int nq = a->nq, nv = a->nv;
  for (int j = 0; j < nv; j++) {
    for (int i = 0; i < nv; i++) f->y[i] = i == j;
    op->rate(a->w->at.user, a->y, f->y, f->N + j*nq, NULL);
  }
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) f->NN[i*nv + j] = ss_dot(nq, f->N + i*nq, f->N + j*nq);
  ss_chol_factor(nv, f->NN);
}

// Phi = 1: a unit of each velocity, as a change of q and of u
static void set_identity(ss_arc* a)
{
  struct ss_following* f = a->following;
  bool rates = a->w->op && a->w->op->rate;
  memset(f->Phi, 0, sizeof(double)*(size_t)(2*f->n*f->m + f->m));  // D and tau too
  memset(f->R, 0, sizeof(double)*(size_t)(2*f->m*f->m));           // R_event too
  for (int j = 0; j < f->m; j++) f->R[j*f->m + j] = 1;
  f->k = f->m;
  f->k_event = 0;
  if (rates) take_rates(a);
  for (int j = 0; j < a->nv; j++) {
    if (rates) memcpy(f->Phi + j*f->n, f->N + j*a->nq, sizeof(double)*(size_t)a->nq);
    else f->Phi[j*f->n + j] = 1;
    f->Phi[(a->nv + j)*f->n + a->nq + j] = 1;
  }
  f->fresh = false;
}

// out (m x m, column by column): Phi (n x k) R in velocities, v with N v = dq
static const double* in_velocities(ss_arc* a, int k, const double* Phi, const double* R, double* out)
{
  struct ss_following* f = a->following;
  int nq = a->nq, nv = a->nv, m = f->m;
  bool rates = a->w->op && a->w->op->rate;
  double* v = f->T;  // m x k, column by column
  if (rates) take_rates(a);
  for (int j = 0; j < k; j++) {
    const double* d = Phi + j*f->n;
    for (int i = 0; i < nv; i++) v[j*m + i] = rates ? ss_dot(nq, f->N + i*nq, d) : d[i];
    if (rates) ss_chol_solve(nv, f->NN, v + j*m);
    memcpy(v + j*m + nv, d + nq, sizeof(double)*(size_t)nv);
  }
  memset(out, 0, sizeof(double)*(size_t)(m*m));
  for (int j = 0; j < m; j++)
    for (int l = 0; l < k; l++) ss_axpy(m, R[l*m + j], v + l*m, out + j*m);
  return out;
}

bool ss_followed(const ss_work* w, ss_sensitivity* s)
{
  if (!w || !s) return false;
  ss_arc* a = w->arc;
  *s = (ss_sensitivity){0};
  if (!a || !a->following || a->following->lost) return false;
  struct ss_following* f = a->following;
  if (f->fresh) set_identity(a);
  *s = (ss_sensitivity){.n = f->m, .state = in_velocities(a, f->k, f->Phi, f->R, f->seen[0])};
  if (f->timeless) return true;
  s->event_state = in_velocities(a, f->k_event, f->D, f->R_event, f->seen[1]);
  memset(f->seen_time, 0, sizeof(double)*(size_t)f->m);
  for (int l = 0; l < f->k_event; l++) ss_axpy(f->m, f->tau[l], f->R_event + l*f->m, f->seen_time);
  s->event_time = f->seen_time;
  return true;
}

// ---- differences ----

// How far to go along d so that nothing changes by more than a small part of its size
static double reach(const ss_arc* a, const double* d)
{
  const struct ss_following* f = a->following;
  double most = 0;
  for (int i = 0; i < f->n; i++) most = fmax(most, fabs(d[i])/(f->size[i] > 0 ? f->size[i] : 1));
  return most > 0 ? PART/most : 0;
}

static void move(int n, const double* y, double by, const double* d, double* out)
{
  for (int i = 0; i < n; i++) out[i] = y[i] + by*d[i];
}

// y onto what is held where the arc is: bilateral constraints, closed contacts, those that stick
static ss_status hold(ss_arc* a, double* y)
{
  ss_status st = ss_arc_hold_position(a, a->t, y, NULL);
  if (st >= 0) st = ss_arc_place(a, a->t, y);
  if (st >= 0) ss_arc_hold_velocity(a, a->n_held, a->held, y);
  return st;
}

// The directions in which a motion can start: others are projected, in the metric of M, onto what is held
static void start(ss_arc* a)
{
  struct ss_following* f = a->following;
  double drift = a->drift;
  set_identity(a);
  for (int j = 0; a->n_held && !f->lost && j < f->m; j++) {
    double *d = f->Phi + j*f->n, by = reach(a, d);
    for (int side = 0; !f->lost && side < 2; side++) {
      move(f->n, a->y, side ? -by : by, d, f->y1[side]);
      f->lost = hold(a, f->y1[side]) < 0;
    }
    for (int i = 0; i < f->n; i++) d[i] = (f->y1[0][i] - f->y1[1][i])/(2*by);
  }
  a->drift = drift;
}

// What differences are measured by, as the arc knows it by now
static ss_status prepare(ss_arc* a)
{
  struct ss_following* f = a->following;
  const ss_operators* op = a->w->op;
  int nq = a->nq, nv = a->nv;
  double *speed = f->size + nq, fastest = ss_norm_inf(nv, a->size + nq);
  for (int i = 0; i < nv; i++)  // what has hardly moved: as the energy would let it, but no faster than others
    speed[i] = fmax(a->size[nq + i], a->root_mass[i] > 0 ? fmin(sqrt(2*a->kinetic)/a->root_mass[i], fastest) : 0);
  if (op && op->rate) op->rate(a->w->at.user, a->y, speed, f->y, f->size);
  else memcpy(f->size, speed, sizeof(double)*(size_t)nv);
  for (int i = 0; i < nq; i++) f->size[i] = fmax(a->size[i], a->h_longest*f->size[i]);
  if (f->fresh) start(a);
  return make_room(a);
}

// ... nor turns a contact that slides in space, whose velocities are those where the system was last evaluated
static double turn_little(const ss_arc* a, const double* d, double by)
{
  const double* du = d + a->nq;
  for (int i = 0; i < a->n; i++) {
    int T = ss_tangent_row(a, i);
    if (a->mode[i] != SS_SLIP || !(ss_slide_speed(a, i) > 0)) continue;
    const double* e = a->direct + 2*i;
    double across = e[0]*ss_dot(a->nv, a->W + (T + 1)*a->nv, du) - e[1]*ss_dot(a->nv, a->W + T*a->nv, du);
    if (fabs(by*across) > GENTLE*ss_slide_speed(a, i)) by = GENTLE*ss_slide_speed(a, i)/fabs(across);
  }
  return by;
}

// From beside y to y1 of that side, in so many parts
static ss_status step_one_side(ss_arc* a, double h, int parts, int side)
{
  struct ss_following* f = a->following;
  for (int k = 0; k < parts; k++) {
    double t = a->t + k*h/parts;
    ss_status st = ss_arc_derivative(a, t, f->y, f->rk.k);
    if (st >= 0) st = ss_rk8_step(&f->rk, t, h/parts, f->y, f->y1[side], f->dz);
    if (st < 0) return st;
    memcpy(f->y, f->y1[side], sizeof(double)*(size_t)f->n);
  }
  ss_rk8_difference(&f->rk, h/parts, f->off[side]);
  return SS_OK;
}

// Whether a column is followed closely enough: a motion that rests asks for no short steps, but what is beside may
// swing
static bool is_resolved(const ss_arc* a, double by)
{
  const struct ss_following* f = a->following;
  double error = 0;
  for (int i = 0; i < f->n; i++)
    if (f->size[i] > 0) error = fmax(error, fabs(f->off[0][i] - f->off[1][i])/f->size[i]);
  return error <= RESOLVED*PART || by == 0;
}

// The column from both sides; where the system cannot be evaluated, there is no derivative
static ss_status step_beside(ss_arc* a, double h, double* d, double by)
{
  struct ss_following* f = a->following;
  for (int parts = 1; by > 0 && parts <= MOST_PARTS; parts *= 2) {
    for (int side = 0; side < 2; side++) {
      move(f->n, a->y, side ? -by : by, d, f->y);
      ss_status st = step_one_side(a, h, parts, side);
      if (st < 0) return st;
    }
    if (is_resolved(a, by)) break;
  }
  for (int i = 0; by > 0 && i < f->n; i++) d[i] = (f->y1[0][i] - f->y1[1][i])/(2*by);
  return SS_OK;
}

ss_status ss_following_step(ss_arc* a, double h)
{
  struct ss_following* f = a->following;
  bool slides = false;
  ss_status st = prepare(a);
  for (int i = 0; i < a->n; i++) slides = slides || a->mode[i] == SS_SLIP;
  if (st >= 0 && slides) st = ss_arc_evaluate(a, a->t + h, a->y1);
  if (st < 0) return st;
  for (int j = 0; j < f->k; j++) f->by[j] = turn_little(a, f->Phi + j*f->n, reach(a, f->Phi + j*f->n));
  for (int j = 0; !f->lost && j < f->k; j++) f->lost = step_beside(a, h, f->Phi + j*f->n, f->by[j]) < 0;
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
    ss_root_evaluate(a, r, f->rk.k + a->nq);
    side[k] = r->now;
  }
  *value = (side[0] - side[1])/(2*by);
  return SS_OK;
}

// Other contact forces that reach their limits together with the root that ends the arc, but not from a state beside:
// which comes first matters, and there is no derivative.
static bool limits_come_apart(ss_arc* a)
{
  struct ss_following* f = a->following;
  for (int i = 0; i < a->n_root; i++) {
    ss_root r = a->root[i];
    bool sticks = r.kind == SS_ROOT_UPPER || r.kind == SS_ROOT_LOWER || r.kind == SS_ROOT_CONE;
    bool force = sticks || r.kind == SS_ROOT_NORMAL;
    if (!force || i == a->cause || r.level > 0 || !(r.now <= AT_ONCE*r.zero)) continue;
    for (int j = 0; j < f->k; j++) {
      double *d = f->D + j*f->n, change;
      if (slope(a, &r, f->tau[j], d, &change) < 0) return true;
      if (fabs(change)*reach(a, d) > TOGETHER*PART*r.zero/ROUND_OFF) return true;
    }
  }
  return false;
}

// With the contact states of the arc that ends
ss_status ss_following_event(ss_arc* a)
{
  struct ss_following* f = a->following;
  ss_root r = a->root[a->cause];
  int n = f->n;
  double rate, change;
  ss_status st = prepare(a);
  if (st < 0) return st;
  memcpy(f->rate, a->rk.k, sizeof(double)*(size_t)n);
  f->timeless = r.kind == SS_ROOT_LAW;
  f->k_event = f->k;
  memcpy(f->R_event, f->R, sizeof(double)*(size_t)(f->k*f->m));
  if (f->timeless) {
    memcpy(f->D, f->Phi, sizeof(double)*(size_t)(n*f->k));
    memset(f->tau, 0, sizeof(double)*(size_t)f->k);
    return SS_OK;
  }
  st = slope(a, &r, 1, f->rate, &rate);
  f->lost = f->lost || st < 0 || !(rate < 0);
  for (int j = 0; !f->lost && j < f->k; j++) {
    f->lost = slope(a, &r, 0, f->Phi + j*n, &change) < 0;
    f->tau[j] = -change/rate;
    move(n, f->Phi + j*n, f->tau[j], f->rate, f->D + j*n);
  }
  f->lost = f->lost || limits_come_apart(a);
  return SS_OK;
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
  ss_gemv_t(a->w->problem.m, a->nv, a->P, f->Lambda, push);
  ss_chol_solve_upper(a->nv, a->L, push);
  for (int j = 0; j < a->nv; j++) y[a->nq + j] += push[j];
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

// Whether what contact i does together with the cause of the event comes at another time from a state beside: its gap,
// or the velocity of a row, does not stay zero along the columns of D. Then which comes first matters, and there is no
// derivative.
static bool comes_apart(ss_arc* a, int i, int row)
{
  struct ss_following* f = a->following;
  double side[2], size = row < 0 ? ss_row_extent(a, ss_normal_row(a, i), a->y) : ss_largest_speed(a, row, 0);
  for (int j = 0; j < f->k_event; j++) {
    double *d = f->D + j*f->n, by = reach(a, d);
    for (int k = 0; by > 0 && k < 2; k++) {
      double e = k ? -by : by;
      move(f->n, a->y, e, d, f->y);
      if (ss_arc_evaluate(a, a->t + e*f->tau[j], f->y) < 0) return true;
      side[k] = row < 0 ? a->w->gap[i] : a->gamma[row];
    }
    if (by > 0 && fabs(side[0] - side[1]) > TOGETHER*PART*size) return true;
  }
  return false;
}

// Contacts that close together with the one that ended the arc
static void check_hits(ss_arc* a)
{
  struct ss_following* f = a->following;
  int first = a->root[a->cause].contact;
  for (int i = 0; !a->starting && !f->lost && i < a->n; i++)
    if (a->hit[i] && a->mode_before[i] == SS_OPEN && i != first) f->lost = comes_apart(a, i, -1);
}

static bool jumps(const ss_arc* a)
{
  for (int i = 0; i < a->n; i++)
    if (a->struck[i]) return true;
  return false;
}

// Contacts that come to rest together with it
static bool check_rests(ss_arc* a)
{
  struct ss_following* f = a->following;
  int first = a->root[a->cause].contact;
  bool looked = false;
  for (int i = 0; !f->lost && i < a->n; i++) {
    if (a->mode[i] != SS_STICK || !ss_slides(a->mode_before[i]) || a->struck[i] || i == first) continue;
    int T = ss_tangent_row(a, i);
    for (int k = T; !f->lost && k < T + ss_tangents(a->w->law[i]); k++) f->lost = comes_apart(a, i, k);
    looked = true;
  }
  return looked;
}

ss_status ss_following_impact(ss_arc* a, const ss_step_def* def)
{
  struct ss_following* f = a->following;
  ss_step_info info = a->w->info;
  int n = f->n;
  if (f->timeless) f->lost = true;
  ss_status st = prepare(a);
  if (st < 0) return st;
  check_hits(a);
  for (int j = 0; !f->lost && j < f->k_event; j++) {
    double *d = f->D + j*n, by = reach(a, d);
    st = by > 0 ? gentle(a, d, f->tau[j], &by) : SS_OK;
    for (int side = 0; st >= 0 && by > 0 && side < 2; side++) {
      double e = side ? -by : by;
      move(n, a->y, e, d, f->y1[side]);
      st = outcome(a, def, a->t + e*f->tau[j], f->y1[side]);
    }
    f->lost = st < 0;
    for (int i = a->nq; by > 0 && i < n; i++) d[i] = (f->y1[0][i] - f->y1[1][i])/(2*by);
  }
  a->w->info = info;
  st = ss_arc_evaluate(a, a->t, a->y);
  if (st >= 0) ss_arc_velocities(a, a->gamma);
  return st;
}

// What ends in a series of impacts comes to rest from wherever it started: velocities of these rows stay zero.
ss_status ss_following_rest(ss_arc* a, int rows, const int* row)
{
  struct ss_following* f = a->following;
  int n = f->n;
  ss_status st = prepare(a);
  if (st < 0) return st;
  for (int j = 0; !f->lost && j < f->k_event; j++) {
    double *d = f->D + j*n, by = reach(a, d);
    for (int side = 0; by > 0 && side < 2; side++) {
      double e = side ? -by : by;
      move(n, a->y, e, d, f->y1[side]);
      st = ss_arc_place(a, a->t + e*f->tau[j], f->y1[side]);
      if (st < 0) return st;
      ss_arc_hold_velocity(a, rows, row, f->y1[side]);
    }
    for (int i = a->nq; by > 0 && i < n; i++) d[i] = (f->y1[0][i] - f->y1[1][i])/(2*by);
  }
  return ss_arc_place(a, a->t, a->y);
}

void ss_following_lost(ss_arc* a) { a->following->lost = true; }

static void swap_numbers(int n, double* x, double* y)
{
  for (int i = 0; i < n; i++) {
    double keep = x[i];
    x[i] = y[i];
    y[i] = keep;
  }
}

// The columns of Phi, in units of the sizes, become orthogonal ones, the longest first, until the rest is round-off:
// Phi = Q C by Gram and Schmidt with pivots, R = C R
static void compress(struct ss_following* f)
{
  int n = f->n, m = f->m, k = 0;
  double* size = f->size;
  for (int j = 0; j < f->k; j++)
    for (int i = 0; i < n; i++) f->Phi[j*n + i] /= size[i] > 0 ? size[i] : 1;
  memset(f->C, 0, sizeof(double)*(size_t)(m*m));  // column by column
  for (double longest = 0; k < f->k; k++) {
    int best = k;
    double length = 0;
    for (int j = k; j < f->k; j++) {
      double now = sqrt(ss_dot(n, f->Phi + j*n, f->Phi + j*n));
      if (now > length) best = j;
      length = fmax(length, now);
    }
    if (k == 0) longest = length;
    if (!(length > GONE*longest)) break;
    double* q = f->Phi + k*n;
    if (best != k) {
      swap_numbers(n, q, f->Phi + best*n);
      swap_numbers(m, f->C + k*m, f->C + best*m);
      swap_numbers(m, f->R + k*m, f->R + best*m);
    }
    f->C[k*m + k] = length;
    for (int i = 0; i < n; i++) q[i] /= length;
    for (int j = k + 1; j < f->k; j++) {
      double part = f->C[j*m + k] = ss_dot(n, q, f->Phi + j*n);
      ss_axpy(n, -part, q, f->Phi + j*n);
    }
  }
  memset(f->T, 0, sizeof(double)*(size_t)(k*m));
  for (int l = 0; l < k; l++)
    for (int j = l; j < f->k; j++) ss_axpy(m, f->C[j*m + l], f->R + j*m, f->T + l*m);
  memcpy(f->R, f->T, sizeof(double)*(size_t)(k*m));
  for (int j = 0; j < k; j++)
    for (int i = 0; i < n; i++) f->Phi[j*n + i] *= size[i] > 0 ? size[i] : 1;
  f->k = k;
}

void ss_following_go_on(ss_arc* a)
{
  struct ss_following* f = a->following;
  int n = f->n;
  double size = 0, change = 0;
  for (int i = a->nq; i < n; i++) {
    double scale = a->root_mass[i - a->nq];
    size = fmax(size, scale*fmax(fabs(f->rate[i]), fabs(a->rk.k[i])));
    change = fmax(change, scale*fabs(a->rk.k[i] - f->rate[i]));
  }
  if (f->timeless && change > CONTINUOUS*size) f->lost = true;
  if (!jumps(a) && check_rests(a) && ss_arc_derivative(a, a->t, a->y, a->rk.k) < 0) f->lost = true;
  for (int j = 0; j < f->k; j++) move(n, f->D + j*n, -f->tau[j], a->rk.k, f->Phi + j*n);
  if (f->k) compress(f);
}
