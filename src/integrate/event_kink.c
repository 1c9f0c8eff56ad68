// Kinks along an arc: where sign, abs, min, max and conditions of a model switch. An arc is integrated on fixed sides
// of all kinks, so that it is smooth, and ends where the function of a kink changes its sign. There the sides change.
//
// With the energy function H = u . p - T + V and p = dT/du, Lagrange's equations across the zero of s(q, t) say
//   p+ = p- + mu ds/dq,   H+ = H- - mu ds/dt
// (the limit of a function of s that changes fast). A support whose velocity jumps has ds/dq = 0: momenta are
// continuous, velocities jump. A step of the potential, and a path with a corner, have ds/dt = 0: H stays. Where H+ has
// no solution the step is too high, and the motion is thrown back.
//
// A branch may have no value beyond its kink: max(0, e)^1.5 goes on as e^1.5 for e < 0. There the system is taken as it
// is. Where it is continuous the step control sees a kink of a derivative, in the steps that look for the zero alone.
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/event.h"
#include "math/dense.h"

#define SAME 1e-12  // of momenta, energies: changes that are none
#define NEAR 1e-6   // of a step: a branch has values so close to its kink

static const ss_system_def* def_of(const ss_arc* a) { return ss_system_get(a->system); }

void ss_kinks_hold(ss_arc* a, bool on)
{
  a->w->at.side = on ? a->side : NULL;
  a->beyond = false;
}

bool ss_kinks_leave(ss_arc* a)
{
  bool held = a->w->at.side;
  a->w->at.side = NULL;
  a->beyond = a->beyond || held;
  return held;
}

ss_status ss_arc_energies(ss_arc* a, ss_energy* energy)
{
  double *q = a->y, *u = a->y + a->nq;
  ss_status st = ss_energies(a->system, a->w, q, u, a->t, energy);
  return st == SS_ERR_NUMERIC && ss_kinks_leave(a) ? ss_energies(a->system, a->w, q, u, a->t, energy) : st;
}

double ss_kink_slope(const ss_arc* a, int k, const double* u, const double* acceleration)
{
  const ss_kink* s = &a->kink[k];
  double slope = s->rate + ss_dot(a->nv, s->dq, u);
  return acceleration ? slope + ss_dot(a->nv, s->du, acceleration) : slope;
}

// Round-off of its value, where the system was last evaluated
double ss_kink_zero(const ss_arc* a, int k)
{
  const ss_kink* s = &a->kink[k];
  double sum = fabs(s->rate)*(fabs(a->t) + a->h_last*1e-3), speeds = 0;
  for (int j = 0; j < a->nv; j++) {
    sum += fabs(s->dq[j])*(fabs(a->y[j]) + 1e-3*a->h_last*fabs(a->y[a->nq + j]));
    speeds += fabs(s->du[j])*fmax(a->size[a->nq + j], ss_component_speed(a, j, a->h_last));
  }
  return 16*DBL_EPSILON*sum + 1e-13*speeds;
}

static bool depends_on_velocity(const ss_arc* a, int k)
{
  for (int j = 0; j < a->nv; j++)
    if (a->kink[k].du[j] != 0) return true;
  return false;
}

ss_status ss_kinks_start(ss_arc* a)
{
  if (!a->n_kink) return SS_OK;
  ss_kinks_hold(a, false);
  ss_status st = ss_arc_evaluate(a, a->t, a->y);
  if (st < 0) return st;
  for (int k = 0; k < a->n_kink; k++) {
    double value = a->kink[k].value, slope = ss_kink_slope(a, k, a->y + a->nq, NULL);
    a->side[k] = value > 0 || (value == 0 && slope >= 0) ? 1 : -1;
  }
  ss_kinks_hold(a, true);
  return SS_OK;
}

// A force that jumps with a velocity holds that velocity at zero: both sides lead to it
static ss_status sliding_mode(ss_arc* a, int k)
{
  return ss_work_fail(a->w, SS_ERR_NUMERIC, "%s jumps with a velocity, and holds it at zero from t = %.12g on: an arc "
                      "cannot go on there; write dry friction as a contact, e.g. contacts: {friction: {slide: x', "
                      "bound: F}}", def_of(a)->kink[k], a->t);
}

// Whether the acceleration leads to the other side of a kink at whose zero the arc is
static bool turns_back(const ss_arc* a, int k)
{
  return a->side[k]*ss_kink_slope(a, k, a->y + a->nq, a->rk.k + a->nq) < 0;
}

ss_status ss_kinks_settle(ss_arc* a)
{
  for (int k = 0; k < a->n_kink; k++) {
    if (!depends_on_velocity(a, k) || fabs(a->kink[k].value) > ss_kink_zero(a, k) || !turns_back(a, k)) continue;
    a->side[k] = -a->side[k];
    ss_status st = ss_arc_derivative(a, a->t, a->y, a->rk.k);
    if (st < 0) return st;
    if (turns_back(a, k)) return sliding_mode(a, k);
  }
  return SS_OK;
}

// p and H with the velocities where the arc is; *size: of the energies
static ss_status measure(ss_arc* a, double* p, double* H, double* size)
{
  ss_energy e = {0};
  a->w->at.u = a->y + a->nq;
  ss_status st = def_of(a)->momentum(&a->w->at, p);
  if (st >= 0 && def_of(a)->energy) st = def_of(a)->energy(&a->w->at, &e);
  *H = e.kinetic + e.potential - e.transport;
  *size = fabs(e.kinetic) + fabs(e.potential) + fabs(e.transport);
  return st;
}

// The same on the sides before the kink that the arc has come to, at the last place where they have a value
static ss_status measure_before(ss_arc* a, double* p, double* H, double* size)
{
  ss_status st = SS_OK;
  double by = DBL_EPSILON*fmax(fabs(a->t), a->h_last);
  for (; st >= 0 && a->beyond && by < NEAR*a->h_last; by *= 2) {
    for (int i = 0; i < a->rk.n; i++) a->y1[i] = a->y[i] - by*a->rk.k[i];
    st = ss_arc_evaluate(a, a->t - by, a->y1);
  }
  return st < 0 ? st : measure(a, p, H, size);
}

// u += M^-1 (p - p(u)) on the new sides, unless p is what it was. Returns whether it changes.
static bool keep_momentum(ss_arc* a, const double* p, double* now)
{
  double size = 0, most = 0;
  for (int j = 0; j < a->nv; j++) {
    size = fmax(size, (fabs(p[j]) + fabs(now[j]))/a->root_mass[j]);
    now[j] = p[j] - now[j];
    most = fmax(most, fabs(now[j])/a->root_mass[j]);
  }
  if (most <= SAME*size) return false;
  ss_chol_solve(a->nv, a->L, now);
  for (int j = 0; j < a->nv; j++) a->y[a->nq + j] += now[j];
  return true;
}

// u += mu M^-1 g so that H changes by -D - mu s_t in all. False if there is no such mu.
static bool keep_energy(ss_arc* a, const double* g, double rate, double D, double* v)
{
  double* u = a->y + a->nq;
  memcpy(v, g, sizeof(double)*(size_t)a->nv);
  ss_chol_solve(a->nv, a->L, v);
  double A = ss_dot(a->nv, g, v), speed = ss_dot(a->nv, g, u) + rate, root = speed*speed - 2*A*D;
  if (!(A > 0)) return true;
  if (root < 0) return false;
  double mu = -2*D/(speed + copysign(sqrt(root), speed));
  for (int j = 0; j < a->nv; j++) u[j] += mu*v[j];
  return true;
}

// From the step of energy back to the side where it was, s' reversed
static ss_status throw_back(ss_arc* a, int k, const double* g, double rate, const double* u, double* v)
{
  a->side[k] = -a->side[k];
  memcpy(a->y + a->nq, u, sizeof(double)*(size_t)a->nv);
  ss_status st = ss_arc_evaluate(a, a->t, a->y);
  if (st < 0) return st;
  memcpy(v, g, sizeof(double)*(size_t)a->nv);
  ss_chol_solve(a->nv, a->L, v);
  double mu = -2*(ss_dot(a->nv, g, u) + rate)/ss_dot(a->nv, g, v);
  for (int j = 0; j < a->nv; j++) a->y[a->nq + j] += mu*v[j];
  return SS_OK;
}

// One kink, which the arc has come to
static ss_status pass(ss_arc* a, int k)
{
  int nv = a->nv;
  double *p = a->pass, *now = p + nv, *g = now + nv, *u = g + nv, H[2], size[2], rate = a->kink[k].rate;
  ss_status st = measure_before(a, p, &H[0], &size[0]);
  if (st < 0) return st;
  memcpy(g, a->kink[k].dq, sizeof(double)*(size_t)nv);
  memcpy(u, a->y + a->nq, sizeof(double)*(size_t)nv);
  a->side[k] = -a->side[k];
  memcpy(a->gamma_after, a->gamma, sizeof(double)*(size_t)a->rows);
  st = ss_arc_evaluate(a, a->t, a->y);
  if (st >= 0) st = measure(a, now, &H[1], &size[1]);
  if (st < 0) return st;
  for (int r = 0; r < a->rows; r++)  // a support, a belt, a wall has another velocity
    if (fabs(a->gamma[r] - a->gamma_after[r]) > ss_rest_tolerance(a, r)) a->kicked = true;
  if (keep_momentum(a, p, now)) a->kicked = true;
  if (a->kicked) st = measure(a, now, &H[1], &size[1]);
  bool held = ss_norm_inf(nv, g) > 0 && fabs(H[1] - H[0]) > SAME*(size[0] + size[1]);
  if (st >= 0 && held) {
    a->kicked = true;
    if (!keep_energy(a, g, rate, H[1] - H[0], now)) st = throw_back(a, k, g, rate, u, now);
  }
  if (st >= 0 && a->kicked) st = ss_arc_evaluate(a, a->t, a->y);
  if (st >= 0) st = measure(a, now, &H[1], &size[1]);
  if (st >= 0) a->w->info.work_drive += H[1] - H[0];
  return st;
}

// Whether the start lies on a step of the energy function whose other side the model itself is on there, so that the
// arc has to climb or fall before it begins. The system is evaluated on the sides of the arc afterwards.
static ss_status begins_beyond(ss_arc* a, int k, bool* beyond)
{
  double H[3], size[3];
  ss_status st = SS_OK;
  for (int i = 0; i < 3 && st >= 0; i++) {  // as the model says; on the other side; on that of the arc
    a->side[k] *= i ? -1 : 1;
    ss_kinks_hold(a, i > 0);
    st = ss_arc_evaluate(a, a->t, a->y);
    if (st >= 0) st = measure(a, a->pass, &H[i], &size[i]);
  }
  ss_kinks_hold(a, true);
  double zero = SAME*(size[0] + size[1] + size[2]);
  *beyond = st >= 0 && fabs(H[1] - H[2]) > zero && fabs(H[0] - H[1]) <= zero;
  return st;
}

ss_status ss_kinks_begin(ss_arc* a)
{
  ss_status st = SS_OK;
  for (int k = 0; k < a->n_kink && st >= 0; k++) {
    bool beyond = false;
    if (a->kink[k].value != 0 || depends_on_velocity(a, k)) continue;
    st = begins_beyond(a, k, &beyond);
    if (st < 0 || !beyond) continue;
    a->side[k] = -a->side[k];
    st = ss_arc_evaluate(a, a->t, a->y);
    if (st >= 0) st = pass(a, k);
  }
  return st;
}

ss_status ss_kinks_pass(ss_arc* a)
{
  int cause = a->root[a->cause].kind == SS_ROOT_KINK ? a->root[a->cause].island : -1;
  ss_status st = cause >= 0 ? pass(a, cause) : SS_OK;
  for (int k = 0; k < a->n_kink && st >= 0; k++) {  // and those that come together with it, or with another event
    double slope = a->side[k]*ss_kink_slope(a, k, a->y + a->nq, NULL);
    bool there = a->side[k]*a->kink[k].value <= ss_kink_zero(a, k) && slope < 0;
    if (k != cause && there && !depends_on_velocity(a, k)) st = pass(a, k);
  }
  if (a->kicked && a->following) ss_following_lost(a);
  return st;
}
