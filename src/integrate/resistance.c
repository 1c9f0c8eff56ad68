// Bounds that follow normal impulses: resistance against spin and rolling, |Lambda_T| <= c Lambda_N of its contact.
// The bounds are held, the problem is solved, they are taken from what came out, and so on [as Panagiotopoulos 1975
// does for Coulomb's law]. Where the torques do not change the load (a ball on a plane) the second solve is exact; else
// the changes shrink by about c over the size of the body each time. Where several contacts can share the load in more
// than one way they may not shrink: it wanders from one to the other by the same amount in every round, until one of
// them is empty. Where two changes are alike the impulses go there at once. A torque near its bound on what does not
// turn need not be as large: it gets a smaller bound, which leaves loads room to wander, and its own again if it turns
// then. The residual is that of the law itself.
#include <math.h>
#include <string.h>

#include "integrate/islands.h"

enum { MOST_ROUNDS = 60, ROUNDS_BEFORE_DAMPING = 12, ROUNDS_BEFORE_LEAP = 4, LAST_LEAP = 30 };
enum { FULL, EASED, FULL_FOR_GOOD };  // bounds
enum { ROUNDS_BEFORE_EASE = 2 };
#define ENOUGH 1e-13  // of the largest |b| of the island
#define ALIKE 0.05    // difference of two changes, of their size
#define AT_BOUND (1 - 1e-9)
#define ROUND_OFF 1e-12  // of the largest |b| of the island
#define EASE 0.9         // part of a bound that may do

// What the law allows with the impulses at hand; those of an impact that came before count too
static double limit_of(const ss_work* w, const ss_loaded* c, const double* Lambda)
{
  double N = Lambda[c->load] + (w->impact_Lambda ? w->impact_Lambda[c->load] : 0);
  return c->mu*fmax(N, 0);
}

// What the next solve is to have
static double bound_of(const ss_work* w, const ss_loaded* c, const double* Lambda)
{
  return limit_of(w, c, Lambda)*(c->ease == EASED ? EASE : 1);
}

// The part of |L - P(L - xi)| beyond what the solve has left, P onto the disk of the radius g bound, L = g Lambda: with
// `bound` in place of that of the solve
static double violation(const ss_work* w, const ss_loaded* c, double g, double bound)
{
  int normal = w->kind[c->contact] == SS_CONTACT_SPATIAL, rows = ss_contact_rows(w->kind[c->contact]) - normal;
  const double *Lambda = w->solution.Lambda + c->first + normal, *xi = w->solution.xi + c->first + normal;
  double x[2] = {0, 0}, size = 0, sum = 0;
  for (int k = 0; k < rows; k++) {
    x[k] = g*Lambda[k] - xi[k];
    size = hypot(size, x[k]);
  }
  double part = size > g*bound ? g*bound/size : 1;
  for (int k = 0; k < rows; k++) sum = hypot(sum, g*Lambda[k] - part*x[k]);
  return sum;
}

static ss_status find_trace(const ss_work* w, ss_loaded* c)
{
  double G[9];
  int rows = ss_contact_rows(w->kind[c->contact]);
  ss_status st = w->op->delassus(&w->at, rows, w->source + c->first, G);
  c->trace = 0;
  for (int k = 0; k < rows && st >= 0; k++) c->trace += G[k*rows + k];
  return st;
}

// How far the bounds of the solve are from the law, and by what they would change. Of facets the solver alone knows the
// law for given bounds, so that the change of these is taken.
static double judge(ss_work* w, const ss_friction_def* how)
{
  double worst = 0;
  for (int i = 0; i < w->n_loaded; i++) {
    ss_loaded* c = &w->loaded[i];
    double g = c->trace, limit = limit_of(w, c, w->solution.Lambda), scale = w->island[w->island_of[c->first]].scale;
    double error = how->polyhedral ? g*fabs(limit - w->bound[c->contact]) : violation(w, c, g, limit);
    if (error > 0) worst = fmax(worst, scale > 0 ? error/scale : INFINITY);
    c->before = c->change;
    c->change = g*(bound_of(w, c, w->solution.Lambda) - w->bound[c->contact]);
  }
  return worst;
}

// How often the change can be made until a bound vanishes, if it is like the one before; else 0
static double leap_of(const ss_work* w)
{
  double off = 0, size = 0, leap = INFINITY;
  for (int i = 0; i < w->n_loaded; i++) {
    const ss_loaded* c = &w->loaded[i];
    off = hypot(off, c->change - c->before);
    size = hypot(size, c->before);
    if (c->change < 0) leap = fmin(leap, -c->trace*bound_of(w, c, w->solution.Lambda)/c->change);
  }
  return off <= ALIKE*size && leap < INFINITY ? leap : 0;
}

// How much of the change of this round is to be made: all of it, or half where rounds do not settle; or a leap, half as
// far after each, so that what is overshot is not for good
static double part_of(const ss_work* w, int round, int* wait, double* reach)
{
  double leap = --*wait < 0 && round < LAST_LEAP ? leap_of(w) : 0;
  if (leap <= 1) return round < ROUNDS_BEFORE_DAMPING ? 1 : 0.5;
  *wait = ROUNDS_BEFORE_LEAP;
  leap = 1 + *reach*leap;
  *reach /= 2;
  return leap;
}

// Its rows without a normal one, and where they are
static int rows_of(const ss_work* w, const ss_loaded* c, int* first)
{
  int normal = w->kind[c->contact] == SS_CONTACT_SPATIAL;
  *first = c->first + normal;
  return ss_contact_rows(w->kind[c->contact]) - normal;
}

static double size_of(int rows, const double* v) { return rows == 2 ? hypot(v[0], v[1]) : fabs(v[0]); }

static bool turns(const ss_work* w, const ss_loaded* c)
{
  int first, rows = rows_of(w, c, &first);
  double zero = fmax(2*w->solution.residual, ROUND_OFF)*w->island[w->island_of[c->first]].scale;
  return size_of(rows, w->solution.xi + first) > zero;
}

// Which bounds are smaller than the law's from now on
static void ease(ss_work* w)
{
  for (int i = 0; i < w->n_loaded; i++) {
    ss_loaded* c = &w->loaded[i];
    int first, rows = rows_of(w, c, &first);
    bool is_large = size_of(rows, w->solution.Lambda + first) > EASE*limit_of(w, c, w->solution.Lambda);
    if (turns(w, c)) c->ease = c->ease == FULL ? FULL : FULL_FOR_GOOD;
    else if (c->ease == FULL && is_large) c->ease = EASED;
  }
}

// The impulses that the next solve starts from, by this part of the change of this one, and bounds that fit them.
// Torques that have reached their bounds have reached the new ones.
static void go_on(ss_work* w, double part)
{
  for (int r = 0; r < w->problem.m; r++) {
    double from = w->has_guess ? w->guess[r] : 0, change = w->solution.Lambda[r] - from;
    w->guess[r] = w->has_guess ? from + part*change : w->solution.Lambda[r];
  }
  w->has_guess = true;
  for (int i = 0; i < w->n_loaded; i++) {
    const ss_loaded* c = &w->loaded[i];
    int first, rows = rows_of(w, c, &first);
    double bound = bound_of(w, c, w->guess), *T = w->guess + first;
    const double* found = w->solution.Lambda + first;
    double size = size_of(rows, found), old = w->bound[c->contact];
    w->bound[c->contact] = bound;
    if (size < AT_BOUND*old || size == 0) continue;
    for (int k = 0; k < rows; k++) T[k] = found[k]*(bound/size);
  }
}

// Without load there is no resistance, but there is a motion still, or none: what does not turn has not begun to slip
// when the share of a redundant contact vanishes, nor when its torque is at the bound of the last solve, that is
// smaller than the law's
static void name_unloaded(ss_work* w)
{
  for (int i = 0; i < w->n_loaded; i++) {
    const ss_loaded* c = &w->loaded[i];
    ss_contact_state* state = &w->solution.state[c->contact];
    bool slips = *state == SS_SLIP || *state == SS_SLIP_POS || *state == SS_SLIP_NEG;
    int first, rows = rows_of(w, c, &first);
    bool inside = size_of(rows, w->solution.Lambda + first) < AT_BOUND*limit_of(w, c, w->solution.Lambda);
    if (*state != SS_CLOSED && !(slips && inside)) continue;
    bool spatial = w->kind[c->contact] == SS_CONTACT_SPATIAL;
    const double* xi = w->solution.xi + c->first + spatial;
    *state = !turns(w, c) ? SS_STICK : spatial ? SS_SLIP : xi[0] > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
  }
}

// The bounds of the last solve are those of loads before it: torques end in those of their own loads, so that what
// carries nothing has none. That changes velocities by no more than what judge() has found.
static void keep_to_limits(ss_work* w)
{
  for (int i = 0; i < w->n_loaded; i++) {
    int first, rows = rows_of(w, &w->loaded[i], &first);
    double *T = w->solution.Lambda + first, size = size_of(rows, T);
    double limit = limit_of(w, &w->loaded[i], w->solution.Lambda);
    for (int k = 0; k < rows && size > limit; k++) T[k] *= limit/size;
  }
}

ss_status ss_solve_loaded(ss_work* w, const ss_step_def* def)
{
  if (!w->n_loaded) return ss_solve_islands(w, def);
  double worst = INFINITY, reach = 1, before;
  int wait = ROUNDS_BEFORE_LEAP;
  ss_status st = SS_OK;
  for (int i = 0; i < w->n_loaded && st >= 0; i++) {
    w->loaded[i].change = 0;
    w->loaded[i].ease = FULL;
    w->bound[w->loaded[i].contact] = w->has_guess ? limit_of(w, &w->loaded[i], w->guess) : 0;
    st = find_trace(w, &w->loaded[i]);
  }
  if (st < 0) return st;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    before = worst;
    w->solution.residual = 0;
    w->has_jump = false;  // that of the round before
    st = ss_solve_islands(w, def);
    if (st < 0) return st;
    worst = judge(w, &def->friction);
    if (worst <= ENOUGH || (worst <= def->friction.tol && worst > before/2)) break;
    if (round >= ROUNDS_BEFORE_EASE) ease(w);
    go_on(w, part_of(w, round, &wait, &reach));
  }
  w->solution.residual = fmax(w->solution.residual, worst);
  if (worst <= ENOUGH) keep_to_limits(w);
  name_unloaded(w);
  return st == SS_OK && !(worst <= def->friction.tol) ? SS_NOT_CONVERGED : st;
}
