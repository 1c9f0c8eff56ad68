// When a smooth arc ends: functions that stay positive as long as the contact states fit (docs/integrators.md), and the
// first time at which one falls below zero. That time is found by steps of order 8 from the start of the last step,
// each as long as the time that is tried: event times are as exact as the states, no interpolation comes in.
#include <float.h>
#include <math.h>

#include "integrate/event.h"
#include "math/dense.h"

// A velocity below this part of the terms it consists of is zero as far as arming goes; of a force, SS_FORCE_ROUND_OFF.
#define SPEED_ROUND_OFF 1e-13
#define REST 1e-10       // of the velocities of a row before and after an impact: below, it rests
#define HINGE 1e-9       // of the extent: a corner that sticks this near to the end of an edge does not come to it
#define MAX_ROUNDS 100
#define LEFT 1e-3        // of a step: where a straight line sees the root of a function that starts at zero

double ss_largest_speed(const ss_arc* a, int row, double time)
{
  const double* W = a->W + row*a->nv;
  double sum = 0;
  for (int j = 0; j < a->nv; j++) {
    if (W[j] != 0) sum += fabs(W[j])*fmax(a->size[a->nq + j], ss_component_speed(a, j, time));
  }
  return sum;
}

double ss_gap_tolerance(const ss_arc* a, int contact, const double* q)
{
  int r = ss_normal_row(a, contact);
  return 16*DBL_EPSILON*(ss_row_extent(a, r, q) + fabs(a->w->w_hat[r]*a->w->at.t));
}

// The same of a gap that neither opened nor closed when the arc began. Positions are sums of steps, so that their
// round-off is that of the way of a step at least: a gap that constraints hold at zero is off by that much although all
// its terms are zero.
static double gap_noise(const ss_arc* a, int contact, const double* q)
{
  double time = fmax(a->h_last, a->h_longest);
  return ss_gap_tolerance(a, contact, q) + 16*DBL_EPSILON*time*ss_largest_speed(a, ss_normal_row(a, contact), time);
}

double ss_speed_tolerance(const ss_arc* a, int row, const double* u)
{
  return SPEED_ROUND_OFF*(ss_row_size(a, row, u) + fabs(a->w->w_hat[row]) + ss_largest_speed(a, row, a->h_last));
}

// A velocity of this row that is zero up to round-off, after velocities as they were before the event and are, or ever
// have been, or could become within a step
double ss_rest_tolerance(const ss_arc* a, int row)
{
  return REST*(ss_row_size(a, row, a->y + a->nq) + fabs(a->w->w_hat[row]) + fabs(a->before[row])) +
         SPEED_ROUND_OFF*ss_largest_speed(a, row, a->h_last);
}

static bool is_force(const ss_root* r)
{
  return r->kind == SS_ROOT_NORMAL || r->kind == SS_ROOT_UPPER || r->kind == SS_ROOT_LOWER || r->kind == SS_ROOT_CONE;
}

// Values below which a root function counts as zero at the start of an arc
static double tolerance(const ss_arc* a, const ss_root* r, const double* y)
{
  const ss_contact_def* c = r->contact < 0 ? NULL : a->w->law[r->contact];
  int N = c ? ss_normal_row(a, r->contact) : 0, T = c ? ss_tangent_row(a, r->contact) : 0;
  int last = c && ss_tangents(c) ? T + ss_tangents(c) - 1 : T;
  if (is_force(r) && a->shared[r->contact]) return SS_FORCE_ROUND_OFF*ss_force_size(a, r->contact);
  switch (r->kind) {
  case SS_ROOT_GAP: return r->lies ? gap_noise(a, r->contact, y) : ss_gap_tolerance(a, r->contact, y);
  case SS_ROOT_SPEED: return fmax(ss_speed_tolerance(a, T, y + a->nq), ss_speed_tolerance(a, last, y + a->nq));
  case SS_ROOT_NORMAL: return SS_FORCE_ROUND_OFF*a->force[N];
  case SS_ROOT_UPPER:
  case SS_ROOT_LOWER:
  case SS_ROOT_CONE:
    return SS_FORCE_ROUND_OFF*((ss_has_normal(c) ? ss_mu_rest(a->w, r->contact)*a->force[N] : 0) +
                            ss_bound_rest(a->w, r->contact) + fmax(a->force[T], a->force[last]));
  case SS_ROOT_REGULAR: return 1e-8;
  case SS_ROOT_END:
    if (a->mode[r->contact] == SS_STICK) return HINGE*ss_row_extent(a, N, y);
    return ss_gap_tolerance(a, r->contact, y);
  case SS_ROOT_KINK: return ss_kink_zero(a, r->island);
  case SS_ROOT_LAW: break;
  }
  return 0;
}

// Forces of redundant contacts are a choice, with kinks of its own; what a step is judged by is the load, which is
// smooth. No arc ends by it.
static void evaluate_load(const ss_arc* a, ss_root* r)
{
  r->now = a->load[r->kind == SS_ROOT_NORMAL ? ss_normal_row(a, r->contact) : ss_tangent_row(a, r->contact)];
  r->slope = 0;
}

void ss_root_evaluate(ss_arc* a, ss_root* r, const double* acceleration)
{
  if (is_force(r) && a->shared[r->contact]) {
    evaluate_load(a, r);
    return;
  }
  const ss_contact_def* c = r->contact < 0 ? NULL : a->w->law[r->contact];
  int N = c ? ss_normal_row(a, r->contact) : 0, T = c ? ss_tangent_row(a, r->contact) : 0;
  double limit = c ? ss_bound_rest(a->w, r->contact) : 0;
  if (c && ss_has_normal(c)) limit += ss_mu_rest(a->w, r->contact)*a->lambda[N];
  r->slope = 0;
  switch (r->kind) {
  case SS_ROOT_GAP:
    r->now = a->w->gap[r->contact];
    r->slope = a->gamma[N];
    break;
  case SS_ROOT_SPEED:
    r->now = 0;
    for (int k = 0; k < ss_tangents(c); k++) {
      double along = a->refer[2*r->contact + k];
      r->now += along*a->gamma[T + k];
      r->slope += along*(ss_dot(a->nv, a->W + (T + k)*a->nv, acceleration) + a->w_bar[T + k]);
    }
    break;
  case SS_ROOT_NORMAL: r->now = a->lambda[N]; break;
  case SS_ROOT_UPPER: r->now = limit - a->lambda[T]; break;
  case SS_ROOT_LOWER: r->now = limit + a->lambda[T]; break;
  case SS_ROOT_CONE: r->now = limit - hypot(a->lambda[T], a->lambda[T + 1]); break;
  case SS_ROOT_REGULAR: r->now = a->group[r->island].regular*a->group[r->island].determinant; break;
  case SS_ROOT_LAW: r->now = SS_CARRIED - a->group[r->island].most_left; break;  // impulses are sums over the stages
  case SS_ROOT_END: r->now = ss_edge_room(a, r->contact); break;
  case SS_ROOT_KINK:
    r->now = a->side[r->island]*a->kink[r->island].value;
    r->slope = a->side[r->island]*ss_kink_slope(a, r->island, a->w->at.u, acceleration);
    break;
  }
}

void ss_roots_evaluate(ss_arc* a, const double* acceleration)
{
  for (int i = 0; i < a->n_root; i++) ss_root_evaluate(a, &a->root[i], acceleration);
}

void ss_root_round_off(const ss_arc* a, ss_root* r)
{
  r->zero = tolerance(a, r, a->y);
  r->zero_rate = 0;
  if (r->kind == SS_ROOT_GAP) {
    int N = ss_normal_row(a, r->contact);
    r->zero_rate = ss_speed_tolerance(a, N, a->y + a->nq);
  } else if (r->kind == SS_ROOT_SPEED) {
    int T = ss_tangent_row(a, r->contact);
    double sum = 0;
    for (int k = 0; k < ss_tangents(a->w->law[r->contact]); k++) {
      const double* W = a->W + (T + k)*a->nv;
      sum += fabs(a->w_bar[T + k]);
      for (int j = 0; j < a->nv; j++)
        if (W[j] != 0) sum += fabs(W[j])*a->pull[j]/a->root_mass[j];
    }
    r->zero_rate = SPEED_ROUND_OFF*sum;
  }
}

static void watch(ss_arc* a, ss_root_kind kind, int contact)
{
  a->root[a->n_root++] = (ss_root){.kind = kind, .contact = contact};
}

// What is watched at a contact [docs/integrators.md]
static void watch_contact(ss_arc* a, const ss_contact_def* c, int i)
{
  ss_contact_state mode = a->mode[i];
  if (mode == SS_OPEN) {
    if (ss_has_normal(c)) watch(a, SS_ROOT_GAP, i);
    return;
  }
  if (ss_slides(mode)) watch(a, SS_ROOT_SPEED, i);
  if (ss_has_normal(c)) watch(a, SS_ROOT_NORMAL, i);
  if (mode == SS_STICK && ss_tangents(c) > 1) {
    watch(a, SS_ROOT_CONE, i);
  } else if (mode == SS_STICK) {
    watch(a, SS_ROOT_UPPER, i);
    watch(a, SS_ROOT_LOWER, i);
  }
  if (!isinf(ss_edge_room(a, i))) watch(a, SS_ROOT_END, i);
}

// An arc begins with this one
static void start(ss_arc* a, ss_root* r)
{
  r->lies = r->kind == SS_ROOT_GAP && fabs(r->slope) <= ss_rest_tolerance(a, ss_normal_row(a, r->contact));
  ss_root_round_off(a, r);
  r->start = r->now;
  r->start_slope = r->slope;
  r->level = r->now > r->zero ? 0 : fmax(r->zero, -2*r->now);
  if (r->lies && r->level == 0 && r->now <= r->zero) r->level = DBL_MIN;
  bool below = r->kind == SS_ROOT_GAP && r->now <= r->zero;
  r->off = below && (ss_is_behind(a, r->contact) || ss_is_beside(a, r->contact));
  if (is_force(r) && a->shared[r->contact]) r->level = INFINITY;  // one of many: the contact laws decide
}

void ss_roots_add(ss_arc* a, int contact)
{
  watch(a, SS_ROOT_GAP, contact);
  ss_root* r = &a->root[a->n_root - 1];
  ss_root_evaluate(a, r, a->rk.k + a->nq);
  start(a, r);
}

// What is watched of an island: whether its forces are still determined, or those that the contact laws allow
static void watch_island(ss_arc* a, int island)
{
  ss_held* group = &a->group[island];
  bool folded = false;
  group->regular = group->determinant < 0 ? -1 : 1;
  for (int i = group->first; i < group->first + group->n; i++) folded = folded || a->slider[i] >= 0;
  if (group->singular ? !group->loaded : !folded) return;
  watch(a, group->singular ? SS_ROOT_LAW : SS_ROOT_REGULAR, -1);
  a->root[a->n_root - 1].island = island;
}

void ss_roots_start(ss_arc* a, const double* acceleration)
{
  a->n_root = 0;
  for (int k = 0; k < a->n_kink; k++) {
    watch(a, SS_ROOT_KINK, -1);
    a->root[a->n_root - 1].island = k;
  }
  for (int i = 0; i < a->n; i++) watch_contact(a, a->w->law[i], i);
  for (int k = 0; k < a->n_islands; k++) watch_island(a, k);
  ss_roots_evaluate(a, acceleration);
  for (int i = 0; i < a->n_root; i++) start(a, &a->root[i]);
}

void ss_roots_advance(ss_arc* a)
{
  for (int i = 0; i < a->n_root; i++) {
    ss_root* r = &a->root[i];
    r->start = r->now;
    r->start_slope = r->slope;
    ss_root_round_off(a, r);
    if (!isinf(r->level) && r->now > r->zero) r->level = 0;
    if (r->now > r->zero) r->off = false;
  }
}

// What is not armed yet must fall further below zero than round-off can take it, after the step that was just done.
void ss_roots_settle(ss_arc* a, const double* y)
{
  for (int i = 0; i < a->n_root; i++) {
    ss_root* r = &a->root[i];
    if (r->level > 0 && r->lies) r->level = fmax(r->level, tolerance(a, r, y));
  }
}

static bool crossed(const ss_root* r) { return r->now + r->level < 0 && !r->off; }

bool ss_roots_crossed(const ss_arc* a)
{
  for (int i = 0; i < a->n_root; i++)
    if (crossed(&a->root[i])) return true;
  return false;
}

// Root of the cubic through values and slopes at 0 and h; of the straight line if slopes are not known
static double estimate(const ss_root* r, double h)
{
  double f0 = r->start + r->level, f1 = r->now + r->level, x = h*f0/(f0 - f1);
  if (r->slope == 0 && r->start_slope == 0) return x < LEFT*h ? h/2 : x;
  double m0 = h*r->start_slope, m1 = h*r->slope, c2 = 3*(f1 - f0) - 2*m0 - m1, c3 = 2*(f0 - f1) + m0 + m1;
  double low = 0, high = 1, s = m0 > 0 && x < LEFT*h ? 0.5 : x/h;  // one that rises from zero: not the root it leaves
  for (int i = 0; i < 60; i++) {
    double f = f0 + s*(m0 + s*(c2 + s*c3)), slope = m0 + s*(2*c2 + 3*s*c3);
    if (f > 0) low = s;
    else high = s;
    double next = s - f/slope;
    if (!(next > low && next < high)) next = (low + high)/2;
    if (fabs(next - s) < 1e-12*s) break;
    s = next;
  }
  return h*s;
}

ss_status ss_roots_try(ss_arc* a, double h)
{
  ss_roots_sample(a, false);
  ss_forget_stages(a);
  ss_status st = ss_effort_check(a);
  if (st >= 0) st = ss_rk8_step(&a->rk, a->t, h, a->y, a->y1, a->dz);
  if (st >= 0) st = ss_arc_derivative(a, a->t + h, a->y1, a->f1);
  if (st >= 0) ss_roots_evaluate(a, a->f1 + a->nq);
  return st;
}

// To the other side of a kink that lies at x, or a little before `high`: what is evaluated there is on the side that
// the motion goes on
static ss_status beyond(ss_arc* a, const ss_root* r, double* x, double high, double* h)
{
  ss_status st = SS_OK;
  double by = 2*DBL_EPSILON*fmax(fabs(a->t), *x);
  for (; st >= 0 && r->now + r->level >= 0 && *x < high; by *= 2) {
    *x = fmin(*x + by, high);
    st = ss_roots_try(a, *x);
  }
  *h = *x;
  return st;
}

// Newton's method where the slope is known, else the secant through the last two points, within a bracket that shrinks
static ss_status locate_one(ss_arc* a, int which, double* h)
{
  const ss_root* r = &a->root[which];
  double low = 0, high = *h, x = estimate(r, *h), x_last = *h, f_last = r->now + r->level;
  for (int i = 0; i < MAX_ROUNDS; i++) {
    if (!(x > low && x < high)) x = (low + high)/2;
    double resolution = 2*DBL_EPSILON*fmax(fabs(a->t), x);
    ss_status st = ss_roots_try(a, x);
    if (st < 0) return st;
    double f = r->now + r->level, next;
    if (f >= 0) low = x;
    else high = x;
    if (f == 0 || high - low <= resolution) break;
    if (r->slope < 0) next = x - f/r->slope;
    else next = f != f_last ? x - f*(x - x_last)/(f - f_last) : (low + high)/2;
    if (i > 12 && i%3 == 0) next = (low + high)/2;  // the bracket must shrink
    if (fabs(next - x) <= resolution) break;
    x_last = x;
    f_last = f;
    x = next;
  }
  if (r->kind == SS_ROOT_KINK) return beyond(a, r, &x, high, h);
  if (r->kind == SS_ROOT_LAW && r->now + r->level < 0 && low > 0) {  // forces beyond are none that contacts can give
    x = low;
    ss_status st = ss_roots_try(a, x);
    if (st < 0) return st;
  }
  *h = x;
  return SS_OK;
}

// The least value between two times of a step, by the secant of its rate; stops as soon as it is below zero by more
// than round-off: *found, and *h is where.
static ss_status least_value(ss_arc* a, const ss_root* r, double low, double high, double* h, bool* found)
{
  double f_low = -1, f_high = 1, narrow = 1e-9*high;
  for (int i = 0; i < MAX_ROUNDS && high - low > narrow; i++) {
    double x = i == 0 || i%4 == 3 ? (low + high)/2 : low - f_low*(high - low)/(f_high - f_low);
    if (!(x > low && x < high)) x = (low + high)/2;
    ss_status st = ss_roots_try(a, x);
    if (st < 0) return st;
    *found = r->now < -r->zero && !(r->kind == SS_ROOT_GAP && ss_is_beside(a, r->contact));
    if (*found) *h = x;
    if (*found) return SS_OK;
    if (r->slope < 0) {
      low = x;
      f_low = r->slope;
    } else {
      high = x;
      f_high = r->slope;
    }
  }
  return SS_OK;
}

// A gap that closes and opens again within the step is not seen at its ends, but its rate changes sign.
ss_status ss_roots_graze(ss_arc* a, double* h, bool* found, bool* looked)
{
  *found = *looked = false;
  for (int i = 0; i < a->n_root; i++) {
    ss_root end = a->root[i];  // which looking closer writes over
    for (int k = 0; k + 1 < SS_RK8_STAGES; k++) {
      double low, high;
      if (!ss_root_may_touch(&end, *h, k, &low, &high)) continue;
      *looked = true;
      ss_status st = least_value(a, &a->root[i], low**h, high**h, h, found);
      if (*found || st < 0) return st;
    }
  }
  return SS_OK;
}

// The function that is crossed first, as far as can be told; -1 if none is but `except` and those together with it
static int first_crossed(const ss_arc* a, double h, int except)
{
  int first = -1;
  double least = h, together = 1e-12*h + 16*DBL_EPSILON*fabs(a->t);
  for (int i = 0; i < a->n_root; i++) {
    const ss_root* r = &a->root[i];
    if (i == except || !crossed(r)) continue;
    double x = estimate(r, h);
    if (except >= 0 && h - x <= together) continue;
    if (x <= least) {
      least = x;
      first = i;
    }
  }
  return first;
}

ss_status ss_roots_locate(ss_arc* a, double* h, bool* found)
{
  int which = -1;
  for (int i = 0; i <= 2*a->n_root; i++) {
    int next = first_crossed(a, *h, which);
    if (next < 0) break;
    double x = *h;
    ss_status st = locate_one(a, next, &x);
    ss_root* r = &a->root[next];
    r->off = st >= 0 && r->kind == SS_ROOT_GAP && ss_is_beside(a, r->contact);
    if (r->off) st = ss_roots_try(a, *h);
    if (st < 0) return st;
    if (r->off) continue;
    which = next;
    *h = x;
  }
  a->cause = which;
  *found = which >= 0;
  return SS_OK;
}

double ss_roots_rest(const ss_arc* a, double h)
{
  double first = INFINITY;
  for (int i = 0; i < a->n_root; i++) {
    const ss_root* r = &a->root[i];
    bool sliding = r->kind == SS_ROOT_SPEED && a->mode[r->contact] == SS_SLIP && r->level == 0;
    if (sliding && crossed(r)) first = fmin(first, estimate(r, h));
  }
  return first;
}

double ss_roots_first(const ss_arc* a, double h)
{
  double first = h;
  for (int i = 0; i < a->n_root; i++) {
    const ss_root* r = &a->root[i];
    if (crossed(r) && (r->slope != 0 || r->start_slope != 0)) first = fmin(first, estimate(r, h));
  }
  return first;
}
