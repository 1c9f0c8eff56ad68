// What the stages of a step tell about the root functions between its ends. The step control of (q, u) does not see a
// gap or a force that changes with time alone, as long as nothing moves. So the root functions are in it, too: their
// integral over the step, or that of their rate, must be known well enough to tell whether they come near zero. Where
// the stages then see a function below zero, or likely to be there between two of them, the step is cut at that place.
#include <math.h>

#include "integrate/event.h"

#define COARSE 0.02     // of its least value: errors of a function that stays away from zero
#define FINE 1e-3       // of its largest value, or of its way in the step: of one that does not
#define ROUND_OFF 1e3   // values that count as zero: errors that cannot be told
#define TURNING 3e5     // values that count as zero: 1e-9 of the extent of a gap
#define CLOSE 0.05      // of the fall and rise around it: a least value that may be zero
#define NEAR 0.1        // of the values at both sides: a least value of a function with a rate that is looked for
#define INSIDE 1e-3     // of a step: what is nearer to its ends is at them

enum { STAGES = SS_RK8_STAGES };

static bool has_rate(const ss_root* r)
{
  return r->kind == SS_ROOT_GAP || r->kind == SS_ROOT_SPEED || r->kind == SS_ROOT_KINK;
}
// Whether contacts carry their load is no function whose integral tells anything: it is flat as long as they do.
static bool is_smooth(const ss_root* r) { return r->kind != SS_ROOT_LAW; }

void ss_roots_sample(ss_arc* a, bool on)
{
  a->stage = on ? 1 : 0;
  for (int i = 0; i < a->n_root && on; i++) {
    a->root[i].value[0] = a->root[i].start;
    a->root[i].rate[0] = a->root[i].start_slope;
  }
}

ss_status ss_roots_stage(void* user, double t, const double* y, double* dy)
{
  ss_arc* a = user;
  ss_status st = ss_arc_derivative(a, t, y, dy);
  if (st < 0 || a->stage == 0 || a->stage == STAGES) return st;
  for (int i = 0; i < a->n_root; i++) {
    ss_root* r = &a->root[i];
    ss_root_evaluate(a, r, dy + a->nq);
    r->value[a->stage] = r->now;
    r->rate[a->stage] = r->slope;
  }
  a->stage++;
  return ss_watch_look(a);
}

// Error allowed for the integral of the function, or of its rate, over a step of size h
static double allowed(const ss_root* r, double h)
{
  double least = INFINITY, largest = 0;
  for (int j = 0; j < STAGES; j++) {
    least = fmin(least, r->value[j]);
    largest = fmax(largest, fabs(has_rate(r) ? r->rate[j] : r->value[j]));
  }
  double zero = ROUND_OFF*r->zero, zero_rate = ROUND_OFF*r->zero_rate;
  if (!has_rate(r)) return h*(fmax(COARSE*least, FINE*largest) + zero);
  return fmax(COARSE*least, FINE*h*largest) + zero + h*zero_rate;
}

// Whether redundant contacts cannot carry their load in a stage: the step ends before, and their forces there say
// nothing
static bool is_overloaded(const ss_arc* a)
{
  for (int i = 0; i < a->n_root; i++)
    for (int k = 0; k < STAGES && a->root[i].kind == SS_ROOT_LAW; k++)
      if (a->root[i].value[k] < 0) return true;
  return false;
}

double ss_roots_error(const ss_arc* a, double h)
{
  double worst = 0;
  bool overloaded = is_overloaded(a);
  for (int i = 0; i < a->n_root; i++) {
    const ss_root* r = &a->root[i];
    if (!is_smooth(r) || r->off || (overloaded && isinf(r->level))) continue;
    double error = ss_rk8_integral_error(h, has_rate(r) ? r->rate : r->value);
    if (error > 0) worst = fmax(worst, error/(allowed(r, h) + 1e-300));
  }
  return worst;
}

bool ss_roots_agree(const ss_arc* a, double h)
{
  for (int i = 0; i < a->n_root; i++) {
    const ss_root* r = &a->root[i];
    if (has_rate(r) && !r->off && fabs(r->now - r->start - ss_rk8_integral(h, r->rate)) > allowed(r, h)) return false;
  }
  return true;
}

// Time (part of the step) and value of sample k in the order of time; the last one is the end of the step itself.
static double at(int k) { return ss_rk8_at[ss_rk8_in_time[k]]; }
static double value(const ss_root* r, int k) { return k == STAGES - 1 ? r->now : r->value[ss_rk8_in_time[k]]; }
static double rate(const ss_root* r, int k) { return k == STAGES - 1 ? r->slope : r->rate[ss_rk8_in_time[k]]; }

// Between samples k and k + 1: where the lines through the two samples before and the two behind meet, if these fall
// and rise, and meet far below both; else 1
static double corner(const ss_root* r, int k)
{
  if (k < 1 || k + 2 >= STAGES) return 1;
  double left = (value(r, k) - value(r, k - 1))/(at(k) - at(k - 1)), width = at(k + 1) - at(k);
  double right = (value(r, k + 2) - value(r, k + 1))/(at(k + 2) - at(k + 1));
  if (!(left < 0 && right > 0)) return 1;
  double x = (value(r, k) - value(r, k + 1) + right*width)/(right - left);
  return x > 0 && x < width && value(r, k) + left*x < 0.5*fmin(value(r, k), value(r, k + 1)) ? at(k) + x : 1;
}

// The parabola through three samples, the middle one of them the least: where it is least, if that may be zero; else 1
static double bottom(const ss_root* r, int k)
{
  double x = at(k) - at(k - 1), z = at(k + 1) - at(k), y = value(r, k);
  double left = (y - value(r, k - 1))/x, right = (value(r, k + 1) - y)/z;
  if (!(left <= 0 && right >= 0 && right - left > 0)) return 1;
  double bend = (right - left)/(x + z), slope = (left*z + right*x)/(x + z), least = y - slope*slope/(4*bend);
  return least < CLOSE*fmax(-left*x, right*z) ? at(k) - slope/(2*bend) : 1;
}

// Where a gap that was below zero, beside its edge, is seen above: what follows may be a contact. Else 1. Corners that
// turn about one another have gaps that are round-off, and errors of the first stages.
static double comes_up(const ss_root* r)
{
  for (int k = 1; k < STAGES - 1; k++)
    if (value(r, k) > TURNING*r->zero && at(k) > INSIDE && r->now <= r->zero) return fmin(at(k), 1 - INSIDE);
  return 1;
}

// Where in the step a function seems to be below zero, or to come near it: the first such place, or 1. Forces of
// redundant contacts (of infinite level) may well lie at zero: whether the contacts carry their load is another root.
double ss_roots_dip(const ss_arc* a)
{
  double first = 1;
  for (int i = 0; i < a->n_root; i++) {
    const ss_root* r = &a->root[i];
    if (r->off) first = fmin(first, comes_up(r));
    if (r->off || r->now < 0 || r->level > 0) continue;
    for (int k = 1; k < STAGES - 1; k++) {
      double x = value(r, k) < 0 ? at(k) : has_rate(r) ? 1 : fmin(bottom(r, k), corner(r, k));
      if (x > INSIDE && x < 1 - INSIDE) first = fmin(first, x);
    }
  }
  return first;
}

// Least value of the cubic  v + m0 s + c2 s^2 + c3 s^3  through values and rates of samples k and k + 1, where it falls
// first and then rises: s is the root of the derivative, by the formula that does not cancel
static double least_between(const ss_root* r, double h, int k)
{
  double way = h*(at(k + 1) - at(k)), m0 = way*rate(r, k), m1 = way*rate(r, k + 1), d = value(r, k + 1) - value(r, k);
  double c2 = 3*d - 2*m0 - m1, c3 = m0 + m1 - 2*d, s = -m0/(c2 + sqrt(fmax(0, c2*c2 - 3*c3*m0)));
  if (!(s > 0 && s < 1)) return -INFINITY;
  return value(r, k) + s*(m0 + s*(c2 + s*c3));
}

bool ss_root_may_touch(const ss_root* r, double h, int k, double* low, double* high)
{
  if (!has_rate(r) || r->off || r->level > 0 || r->now <= 0 || !(rate(r, k) < 0 && rate(r, k + 1) > 0)) return false;
  *low = at(k);
  *high = at(k + 1);
  double left = value(r, k), right = value(r, k + 1);
  return least_between(r, h, k) <= fmax(NEAR*fmin(left, right), FINE*fmax(left, right));
}
