// A smooth arc: steps of order 8 with error control, drift taken out after each, until a root or the end.
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/event.h"
#include "math/dense.h"

// A gap, way or constraint error below this part of the terms of its row is left as it is.
#define POSITION_ROUND_OFF 2e-15
#define MAX_ROUNDS 6
#define SHORTER 8    // a step is cut so many times to see a pair of roots within
#define SHORT 1e-3   // of a step: what ends so soon ends at the root
#define PASSING 1e-4   // of the longest step so far: what cannot be followed and is nearer than that is in the way
#define NEARLY 0.97  // of the way to rest in space: no further in one step
#define LONG 0.01    // of a step: a root that lies before this is looked for in a shorter one
#define PATIENCE 12  // times that a step is shortened for the root functions alone: they may have jumps
#define TINY 1e-9    // of the longest step so far: ... or in so short steps
#define NUMB 30      // ... then they do not limit so many steps
#define JAM 1e-2     // of a matrix with unit diagonal: a determinant near to zero
#define PAUSE 20000  // steps after which the caller has a look
#define HOPELESS 1e12  // steps to the end of the run, at the pace of these: that would never end
#define CRAWL 1e-9     // ... or steps of this part of the longest one so far

// ---- drift ----

// Rows whose position is held, and how far they are off. Returns their number.
static int position_errors(const ss_arc* a, const double* q, const double* slip, int* row, double* error, bool* off)
{
  const ss_system_def* d = ss_system_get(a->system);
  int n = 0;
  *off = false;
  for (int r = 0; r < d->n_bilateral; r++) {
    row[n] = r;
    error[n++] = a->w->error[r];
  }
  for (int i = 0; i < a->n; i++) {
    if (a->mode[i] == SS_OPEN && !a->touch[i]) continue;
    if (ss_has_normal(a->w->law[i])) {
      row[n] = ss_normal_row(a, i);
      error[n++] = a->w->gap[i];
    }
    int T = ss_tangent_row(a, i), end = slip && a->mode[i] == SS_STICK ? T + ss_tangents(a->w->law[i]) : T;
    for (; T < end; T++) {
      row[n] = T;
      error[n++] = a->slip[T] + slip[T];
    }
  }
  for (int k = 0; k < n; k++) {
    double size = ss_row_extent(a, row[k], q) + fabs(a->w->w_hat[row[k]]*a->w->at.t);
    *off = *off || fabs(error[k]) > POSITION_ROUND_OFF*size;
  }
  return n;
}

// What sticking contacts have crept: kept until it is large enough to be taken back.
static void note_creep(ss_arc* a, const double* slip, bool taken_back)
{
  for (int i = 0; slip && i < a->n; i++) {
    int T = ss_tangent_row(a, i);
    for (int k = T; a->mode[i] == SS_STICK && k < T + ss_tangents(a->w->law[i]); k++)
      a->slip[k] = taken_back ? 0 : a->slip[k] + slip[k];
  }
}

// Newton's method; the way that sticking contacts have crept is taken back in the first round.
ss_status ss_arc_hold_position(ss_arc* a, double t, double* y, const double* slip)
{
  double worst = INFINITY;
  for (int round = 0; round < MAX_ROUNDS; round++) {
    bool off;
    ss_status st = ss_arc_place(a, t, y);
    if (st < 0) return st;
    int n = position_errors(a, y, round ? NULL : slip, a->list, a->x, &off);
    double size = n ? ss_norm_inf(n, a->x) : 0;
    if (round == 0) a->drift = fmax(a->drift, size);
    if (round == 0) note_creep(a, slip, off);
    if (!off || (round > 1 && size >= worst)) break;
    worst = size;
    ss_arc_correct(a, n, a->list, a->x, y, true);
  }
  return SS_OK;
}

double ss_arc_hold_velocity(ss_arc* a, int n, const int* row, double* y)
{
  double* u = y + a->nq;
  for (int i = 0; i < n; i++) a->x[i] = ss_dot(a->nv, a->W + row[i]*a->nv, u) + a->w->w_hat[row[i]];
  return n ? ss_arc_correct(a, n, row, a->x, u, false) : 0;
}

// The end of a step onto the held rows, then y' and the roots there
static ss_status finish_step(ss_arc* a, double t)
{
  ss_status st = SS_OK;
  a->astray = false;
  if (a->nq != a->nv) {  // quaternions of length one
    memset(a->a, 0, sizeof(double)*(size_t)a->nv);
    ss_advance(a->w, a->y1, a->a, 0, a->y1);
  }
  if (a->n_held) {
    st = ss_arc_hold_position(a, t, a->y1, a->dz + SS_Z_ROWS + a->row_room);
    if (st >= 0) st = ss_check_branch(a, t, ss_arc_hold_velocity(a, a->n_held, a->held, a->y1));
  }
  if (st >= 0) st = ss_arc_derivative(a, t, a->y1, a->f1);
  if (st >= 0) ss_roots_evaluate(a, a->f1 + a->nq);
  return st;
}

// ---- steps ----

// A contact that has just opened and is pulled back flies for 2 gamma/(-gamma'): the first step must not miss that.
static void limit_first_step(ss_arc* a)
{
  for (int i = 0; i < a->n_root; i++) {
    const ss_root* r = &a->root[i];
    if (r->kind != SS_ROOT_GAP || r->level == 0 || !(r->slope > 0)) continue;
    int N = ss_normal_row(a, r->contact);
    if (r->slope <= ss_rest_tolerance(a, N)) continue;
    double pull = -(ss_dot(a->nv, a->W + N*a->nv, a->rk.k + a->nq) + a->w_bar[N]);
    if (pull > 0) a->h = fmin(a->h, r->slope/pull);
  }
}

// What begins to slide in space has velocities that are round-off: how large that is has to be known before its
// friction is, which else would have the direction of round-off.
static ss_status begin_to_slide(ss_arc* a)
{
  bool slips = false;
  for (int i = 0; i < a->n; i++) slips = slips || a->mode[i] == SS_SLIP;
  ss_status st = slips ? ss_arc_evaluate(a, a->t, a->y) : SS_OK;
  if (st >= 0 && slips) ss_slide_begin(a);
  return st;
}

ss_status ss_arc_start(ss_arc* a)
{
  a->ready = false;
  ss_arc_combine(a);
  ss_status st = begin_to_slide(a);
  if (st < 0) return st;
  a->weighing = true;
  st = ss_arc_derivative(a, a->t, a->y, a->rk.k);
  a->weighing = false;
  if (st < 0) return st;
  ss_grow_sizes(a, true);
  st = ss_kinks_settle(a);
  if (st < 0) return st;
  ss_slide_begin(a);
  ss_roots_start(a, a->rk.k + a->nq);
  limit_first_step(a);
  a->ready = true;
  return SS_OK;
}

// Below, a step does not change the time
static double least_step(const ss_arc* a) { return 16*DBL_EPSILON*fmax(fabs(a->t), 1e-300); }

// The error of the step of size h that was just tried, in units of what is allowed. If it is too large that may be
// round-off, which is then measured.
static ss_status error_of(ss_arc* a, double rtol, double h, bool measure, double* error)
{
  ss_set_scales(a, rtol, h);
  *error = ss_rk8_error(&a->rk, h, a->scale);
  if (*error <= 1 || !measure) return SS_OK;
  ss_status st = ss_measure_noise(a);
  if (st == SS_ERR_STOPPED) return st;
  ss_set_scales(a, rtol, h);
  *error = ss_rk8_error(&a->rk, h, a->scale);
  return SS_OK;
}

// A contact that slides while the system of contact forces becomes singular, so that they grow without bound; -1: none
static int jammed(const ss_arc* a)
{
  for (int i = 0; i < a->n_held; i++) {
    if (a->slider[i] < 0) continue;
    const ss_held* g = &a->group[a->row_island[a->held[i]]];
    if (!g->singular && fabs(g->determinant) < JAM) return a->slider[i];
  }
  return -1;
}

static ss_status shrunk(ss_arc* a, double h)
{
  int i = jammed(a);
  if (i < 0)
    return ss_work_fail(a->w, SS_ERR_NUMERIC, "the motion cannot go on at t = %.12g: steps have shrunk to %.3g s", a->t,
                        h);
  return ss_work_fail(a->w, SS_ERR_NUMERIC, "Painleve's jam at t = %.12g: the force of contact '%s', which slides, "
                      "grows without bound, and steps have shrunk to %.3g s", a->t, ss_contact_label(a, i), h);
}

// A step whose error is small enough; *h may shrink. a->h is what is proposed for the next one.
static ss_status accepted_step(ss_arc* a, double rtol, double* h)
{
  int patience = PATIENCE, tries = 0;
  memset(a->noise, 0, sizeof(double)*(size_t)a->nv);
  for (bool rejected = false;; rejected = true) {
    ss_status st = ss_effort_check(a);
    if (st < 0) return st;
    ss_forget_shares(a);
    ss_forget_stages(a);
    ss_roots_sample(a, true);
    a->h_now = *h;
    a->n_new = 0;
    st = ss_rk8_step(&a->rk, a->t, *h, a->y, a->y1, a->dz);
    if (st == SS_ERR_STOPPED) return st;
    bool finite = st >= 0 && ss_all_finite(a->rk.n, a->y1);
    double error = 1e9;  // where the system cannot be evaluated, or is not finite: a shorter step may do
    if (finite) {
      st = error_of(a, rtol, *h, tries++%4 == 0, &error);
      if (st < 0) return st;
      double roots = a->numb ? 0 : ss_roots_error(a, *h);
      bool jumps = roots > fmax(error, 1) && (--patience == 0 || *h < TINY*a->h_longest);
      if (jumps) a->numb = NUMB;
      error = fmax(error, roots);
    }
    if (error <= 1 && a->n_new) {  // contacts have come near that were not watched
      int n = a->n;
      st = ss_watch_add(a);
      if (st == SS_ERR_ARGUMENT && *h > PASSING*a->h_longest && *h > 1e3*least_step(a)) {  // they may only pass by
        a->n = n;
        st = ss_arc_derivative(a, a->t, a->y, a->rk.k);
        if (st < 0) return st;
        a->h = *h *= 0.25;
        continue;
      }
      if (st < 0) return st;
      continue;
    }
    if (error <= 1) {
      if (a->numb) a->numb--;
      double longest = error > 0 ? 0.9*pow(error, -1/8.0)**h : INFINITY;
      double before = *h < a->h && !rejected ? fmin(a->h, longest) : 0;  // cut short: as it was, if that still fits
      a->h = fmax(before, fmin(longest, rejected ? *h : 6**h));
      return SS_OK;
    }
    a->h = *h *= fmax(1/6.0, 0.9*pow(error, -1/8.0));
    if (*h > least_step(a)) continue;
    if (st < 0) return st;
    return shrunk(a, *h);
  }
}

static void commit(ss_arc* a, double t)
{
  int width = a->rk.n + a->rk.nz;
  a->t = t;
  memcpy(a->y, a->y1, sizeof(double)*(size_t)a->rk.n);
  memcpy(a->rk.k, a->f1, sizeof(double)*(size_t)width);
  for (int i = 0; i < a->rk.nz; i++) a->z[i] += a->dz[i];
}

// The size of the next step, the last one before t_end exactly up to that
static double next_size(ss_arc* a, const ss_event_def* def, double t_end)
{
  double rest = t_end - a->t;
  if (a->h == 0) a->h = ss_first_step(a, t_end);
  if (def->max_step > 0) a->h = fmin(a->h, def->max_step);
  return a->h < 0.999*rest ? fmin(a->h, fmax(rest/2, 0.6*a->h)) : rest;
}

// Where the step of size h is to be cut, for a pair of roots within it or a root at its very start; h: nowhere.
static double cut(const ss_arc* a, double h)
{
  double at = h, rest = ss_roots_rest(a, h);
  if (rest < h) at = NEARLY*rest;
  else if (ss_roots_crossed(a)) at = ss_roots_first(a, h) < LONG*h ? 2*ss_roots_first(a, h) : h;
  else if (!ss_roots_agree(a, h)) at = h/2;
  else if (h > LONG*a->h_longest && !ss_impulses_fit(a, h)) at = h/4;
  else if (ss_roots_dip(a) < 1) at = ss_roots_dip(a)*h;
  return at > least_step(a) ? at : h;
}

// A contact that slides in space is never followed through rest, where friction has no direction, but until it is next
// to it. What is left of its way is so short that a straight line is exact.
static bool comes_to_rest(ss_arc* a, double t_end)
{
  for (int i = 0; i < a->n_root; i++) {
    const ss_root* r = &a->root[i];
    bool sliding = r->kind == SS_ROOT_SPEED && a->mode[r->contact] == SS_SLIP && r->level == 0;
    if (!sliding || !(r->slope < 0) || !ss_slide_rests(a, r->contact, true)) continue;
    double rest = fmin(-r->now/r->slope, t_end - a->t);
    a->cause = i;
    a->t += rest;
    for (int k = 0; k < a->rk.n; k++) a->y[k] += rest*a->rk.k[k];
    for (int k = 0; k < a->rk.nz; k++) a->z[k] += rest*a->rk.k[a->rk.n + k];
    return true;
  }
  return false;
}

// Whether the step up to the root, h of the whole one, ends before it: where redundant contacts cannot carry their load
// in a stage, but can at the end. Stages are off by more than the end is; those of a shorter step are so by less.
static bool ends_before(const ss_arc* a, double h, double whole)
{
  const ss_root* r = &a->root[a->cause];
  return r->kind == SS_ROOT_LAW && a->group[r->island].left < SS_CARRIED/2 && h > SHORT*whole;
}

// Whether redundant contacts carry their load where last evaluated, whatever the stages said
static bool all_carried(const ss_arc* a)
{
  for (int i = 0; i < a->n_root; i++) {
    const ss_root* r = &a->root[i];
    if (r->kind == SS_ROOT_LAW && a->group[r->island].left > SS_CARRIED + r->level) return false;
  }
  return true;
}

// The step of size h ends before its root, unless contacts cannot carry their load there either, once drift is taken
// out: rows that no longer depend on each other tell so by round-off of the position, and from one place to the next
// what is left of the load goes from none to all of it. Then that is the event, with the forces before.
static ss_status end_before(ss_arc* a, double h, bool* event)
{
  ss_status st = finish_step(a, a->t + h);
  if (st < 0) return st;
  *event = !all_carried(a);
  return *event ? ss_roots_try(a, h) : SS_OK;
}

// After an accepted step of size h to time t, whose end is finished: goes there, or to the first root within, or,
// *before times, to a place before that
static ss_status go(ss_arc* a, double h, double t, double t_end, int* before, bool* event)
{
  bool looked = false;
  double whole = h;
  *event = ss_roots_crossed(a);
  ss_status st = *event ? SS_OK : ss_roots_graze(a, &h, event, &looked);
  looked = looked || *event;
  if (st >= 0 && *event) st = ss_roots_locate(a, &h, event);
  if (st < 0) return st;
  if (looked && !*event) {  // back to the end
    h = whole;
    st = ss_rk8_step(&a->rk, a->t, h, a->y, a->y1, a->dz);
    if (st >= 0) st = finish_step(a, t);
    if (st < 0) return st;
  }
  if (*event && *before < SHORTER && ends_before(a, h, whole)) {
    ++*before;
    t = a->t + h;
    st = end_before(a, h, event);
    if (st < 0) return st;
  }
  if (a->following) st = ss_following_step(a, h);
  if (st < 0) return st;
  commit(a, *event ? a->t + h : t);
  a->h_longest = fmax(a->h_longest, h);
  if (*event && h > 1e3*least_step(a)) a->h_last = fmin(a->h_last, h/LONG);
  if (*event) return SS_OK;
  st = ss_check_laws(a);
  if (st < 0) return st;
  ss_grow_sizes(a, true);
  ss_slide_begin(a);
  ss_roots_advance(a);
  *event = comes_to_rest(a, t_end);
  return SS_OK;
}

ss_status ss_arc_run(ss_arc* a, const ss_event_def* def, double t_end, bool* event)
{
  int shorter = 0;  // times that a step was cut because a root may lie within it
  int before = 0;   // ... that one ended before a root, by its stages
  double start = a->t;
  a->rtol = def->rtol;
  *event = false;
  for (int n = 0; a->t < t_end && n < PAUSE; n++) {
    double h = next_size(a, def, t_end);
    bool last = h == t_end - a->t;
    ss_status st = accepted_step(a, def->rtol, &h);
    if (st < 0) return st;
    double t = last && h == t_end - a->t ? t_end : a->t + h;
    a->h_last = h;
    st = finish_step(a, t);
    if (st == SS_ERR_NUMERIC && h > 1e3*least_step(a)) {  // a shorter one may do
      a->h = h/4;
      continue;
    }
    if (st < 0) return st;
    ss_roots_settle(a, a->y1);
    double shortened = shorter++ < SHORTER ? cut(a, h) : h;
    if (shortened < h) {
      a->h = shortened;
      continue;
    }
    st = go(a, h, t, t_end, &before, event);
    if (*event) a->h = fmin(a->h, h);
    if (st < 0 || *event) return st;
    shorter = 0;
  }
  if (a->t >= t_end) return SS_OK;
  double passed = a->t - start, end = isfinite(def->end) ? fmax(t_end, def->end) : t_end;
  if (passed*(HOPELESS/PAUSE) < end - a->t || passed < PAUSE*CRAWL*a->h_longest)
    return ss_work_fail(a->w, SS_ERR_NUMERIC, "the motion hardly goes on at t = %.12g: %d steps have led from "
                        "t = %.12g to there", a->t, PAUSE, start);
  return SS_OK;
}
