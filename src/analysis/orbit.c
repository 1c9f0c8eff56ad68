// Periodic orbits: fixed points of the map P from one return to a section to the next (or m of them).
//   shooting    Newton's method, (DP - 1) dz = -(P(z) - z), with the derivatives that the event-driven integrator
//               carries along (integrate/event_sensitivity.c); cyclic coordinates stand aside
//   iteration   z, P(z), P(P(z)), ... until nothing changes; the slowest multiplier is the ratio of successive changes,
//               and Aitken's formula takes its part out of the period
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/orbit.h"
#include "base/text.h"

#define SETTLE 6      // returns before a round of Newton's method, twice as many before the next one
#define SOON 2        // ... before the first
#define CHORD 0.1     // of the change before: what a step with derivatives taken elsewhere must get to
#define MAX_NEWTON 12
#define GIVE_UP 3     // attempts in which an event had no derivative
#define HALVINGS 3
#define BEYOND 100    // times the sizes of the motion so far: Newton's method is not followed there
#define MAP_ERROR 1e-7  // of the derivative of the map, relative
#define NEARLY 2      // times the nearest return: the first one within closes the orbit
#define STALL 20      // cycles in which iteration must get somewhere
#define COARSE 1e-2   // changes below may be those of time steps
#define CLEAR 10      // times the least change: one that is not noise
#define ALIKE 0.05    // of a ratio of changes: others that are about the same
#define AVERAGE 100   // cycles of which the period is then the mean
#define ROUND_OFF 100 // times the tolerance: changes that steps cannot make smaller
#define SAME 1e-7     // change of a state, relative, below which it is the same one
#define NEUTRAL 1e-9  // of the largest singular value of DP - 1: directions in which every state returns
#define ASIDE 2       // times the way of a return: shift at which cyclic coordinates of scenes are told
#define LITTLE 1e-3   // ... at least this part of their sizes
#define TURN 0.37     // rad: ... of angles
#define GRAZES 1e3    // rtol, of the work of the hardest impact so far: one that is none

ss_orbit_def ss_orbit_def_default(void)
{
  ss_orbit_def def = {.step = ss_step_def_default(), .contact = -1, .transient = 100, .max_returns = 2000,
                      .tol = 1e-10};
  def.step.integrator = SS_EVENT_DRIVEN;
  return def;
}

void ss_orbit_destroy(ss_orbit* o)
{
  if (!o) return;
  ss_state_destroy(o->start);
  free(o->contact_name);
  free(o->coordinate);
  free(o->cyclic);
  free(o->drift);
  free(o->map);
  free(o->re);
  free(o->im);
  free(o->error);
  free(o);
}

static ss_orbit* create(const ss_system* system, int nv)
{
  ss_orbit* o = calloc(1, sizeof *o);
  if (!o) return NULL;
  size_t n = 2*(size_t)nv;
  o->nv = nv;
  o->start = ss_state_create(system);
  o->coordinate = calloc((size_t)nv, sizeof *o->coordinate);
  o->cyclic = calloc((size_t)nv, sizeof *o->cyclic);
  o->drift = calloc((size_t)nv, sizeof *o->drift);
  o->map = calloc(n*n, sizeof *o->map);
  o->re = calloc(n, sizeof *o->re);
  o->im = calloc(n, sizeof *o->im);
  o->error = calloc(n, sizeof *o->error);
  if (o->start && o->coordinate && o->cyclic && o->drift && o->map && o->re && o->im && o->error) return o;
  ss_orbit_destroy(o);
  return NULL;
}

static void close_returning(ss_returning* r)
{
  ss_work_destroy(r->work);
  ss_ledger_destroy(r->ledger);
  free(r->coordinate);
  free(r->turns);
  free(r->cyclic);
  free(r->whole);
  free(r->size);
  free(r->key);
}

// Which number of q a velocity moves, and whether it is an angle
static void name_coordinates(ss_returning* r, const double* q)
{
  const ss_system_def* d = ss_system_get(r->system);
  bool rates = d->operators && d->operators->rate;
  double *u = r->d, *dq = r->d + r->nv;  // nv, nq
  for (int j = 0; j < r->nv; j++) {
    r->coordinate[j] = rates ? -1 : j;
    for (int i = 0; i < r->nv; i++) u[i] = i == j;
    if (rates) d->operators->rate(d->user, q, u, dq, NULL);
    for (int i = 0; rates && i < d->nq; i++)
      if (dq[i] == 1) r->coordinate[j] = i;  // quaternions: half of it at most
    const char* unit = r->coordinate[j] < 0 || !d->unit ? NULL : d->unit[r->coordinate[j]];
    r->turns[j] = r->coordinate[j] < 0 || (unit && strcmp(unit, "rad") == 0);
  }
}

static ss_status open_returning(ss_returning* r, const ss_system* system, const ss_orbit_def* def, const ss_state* from,
                                ss_error* error)
{
  const ss_system_def* d = ss_system_get(system);
  *r = (ss_returning){.system = system, .def = *def, .error = error, .nv = d->nv, .n = 2*d->nv};
  r->def.step.account = false;
  if (def->period > 0 && def->step.integrator != SS_EVENT_DRIVEN)  // steps that divide the period
    r->def.step.dt = def->period/ceil(def->period/def->step.dt - 1e-9);
  if (def->step.integrator == SS_EVENT_DRIVEN) r->def.step.dt = def->period > 0 ? def->period : def->transient;
  r->work = ss_work_create(system, error);
  r->ledger = ss_ledger_create(system);
  r->coordinate = calloc((size_t)r->nv, sizeof *r->coordinate);
  r->turns = calloc((size_t)r->nv, sizeof *r->turns);
  r->cyclic = calloc((size_t)r->nv, sizeof *r->cyclic);
  r->whole = calloc((size_t)r->nv, sizeof *r->whole);
  r->size = calloc((size_t)(2*r->n + d->nq), sizeof *r->size);
  if (!r->work || !r->ledger || !r->coordinate || !r->turns || !r->cyclic || !r->whole || !r->size)
    return ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  r->d = r->size + r->n;
  name_coordinates(r, from->q);
  return SS_OK;
}

// m returns, with derivatives if `follow`
static ss_status cycle(ss_returning* r, ss_state* s, int m, bool follow, double* time, int* events)
{
  ss_status st = follow ? ss_follow(r->system, r->work) : SS_OK;
  if (!follow) ss_follow_end(r->work);
  if (st < 0) return ss_error_set(r->error, st, "%s", ss_work_message(r->work));
  *time = 0;
  *events = 0;
  for (int i = 0; i < m; i++) {
    double part;
    st = ss_return(r, s, &part);
    if (st < 0) return st;
    *time += part;
    *events += r->n_events;
  }
  return SS_OK;
}

// How many returns close the orbit: the first that comes near the start, and others not much nearer
static ss_status count_returns(ss_returning* r, ss_state* s, ss_state* past, int* m)
{
  double distance[SS_MAX_RETURNS], least = INFINITY, time;
  ss_state_copy(past, s);
  for (int i = 0; i < SS_MAX_RETURNS; i++) {
    ss_status st = ss_return(r, s, &time);
    if (st < 0) return st;
    distance[i] = ss_state_distance(r, s, past);
    least = fmin(least, distance[i]);
  }
  for (*m = 1; *m < SS_MAX_RETURNS && distance[*m - 1] > fmax(NEARLY*least, 1e-9);) ++*m;
  return SS_OK;
}

// ---- Newton's method ----

// The rows and columns that count, of the map less 1 (or not), row by row, in units of the sizes
static int reduce(const ss_returning* r, const double* map, double minus, double* A, int* index)
{
  int k = 0;
  for (int i = 0; i < r->n; i++)
    if (i >= r->nv || !r->cyclic[i]) index[k++] = i;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++)
      A[i*k + j] = map[index[j]*r->n + index[i]]*ss_size_of(r, index[j])/ss_size_of(r, index[i]) - (i == j ? minus : 0);
  return k;
}

// dz (n) with (DP - 1) dz = -(after - z), the least one: where every state of a direction returns, none is better
static bool newton_step(const ss_returning* r, const double* map, const ss_state* z, const ss_state* after, double* A,
                        int* index, double* dz)
{
  int k = reduce(r, map, 1, A, index), rank;
  double *x = dz + r->n, *singular = x + r->n;
  ss_state_difference(r, z, after, r->d);
  for (int i = 0; i < k; i++) x[i] = -r->d[index[i]]/ss_size_of(r, index[i]);
  if (LAPACKE_dgelsd(LAPACK_ROW_MAJOR, k, k, 1, A, k, x, 1, singular, NEUTRAL, &rank) != 0) return false;
  memset(dz, 0, sizeof(double)*(size_t)r->n);
  for (int i = 0; i < k; i++) dz[index[i]] = x[i]*ss_size_of(r, index[i]);
  return true;
}

static void shift(const ss_returning* r, ss_state* z, double part, const double* dz)
{
  ss_move(r, z->q, dz, part, z->q);
  for (int i = 0; i < r->nv; i++) z->u[i] += part*dz[r->nv + i];
}

// The derivative of the map just followed. A section by events speaks of the states at these.
static bool take_map(const ss_returning* r, double* map)
{
  ss_sensitivity s;
  if (!ss_followed(r->work, &s)) return false;
  const double* derivative = r->def.period > 0 ? s.state : s.event_state;
  if (!derivative) return false;
  memcpy(map, derivative, sizeof(double)*(size_t)(r->n*r->n));
  return true;
}

typedef struct shooting {
  ss_state *z, *after, *trial, *trial_after;
  double *A, *dz;  // n n, 3 n
  int* index;      // n: rows that count
  bool exact;      // the map is that at z
} shooting;

// m returns from z with derivatives: s->after, the map. False if an event has none.
static bool take_derivatives(ss_returning* r, shooting* s, ss_orbit* o, ss_status* st)
{
  ss_state_copy(s->after, s->z);
  *st = cycle(r, s->after, o->returns, true, &o->period, &o->n_events);
  o->change = *st < 0 ? INFINITY : ss_state_distance(r, s->after, s->z);
  s->exact = *st >= 0 && take_map(r, o->map);
  if (*st >= 0 && !s->exact) r->lost++;
  return s->exact;
}

// Whether a state is far from all that the motion has shown
static bool is_beyond(const ss_returning* r, const ss_state* z)
{
  for (int i = 0; i < r->nv; i++) {
    double q = r->coordinate[i] < 0 || r->cyclic[i] ? 0 : z->q[r->coordinate[i]];
    if (!(fabs(q) <= BEYOND*ss_size_of(r, i) && fabs(z->u[i]) <= BEYOND*ss_size_of(r, r->nv + i))) return true;
  }
  return false;
}

// From z along dz, and m returns from there. Contacts that come and go are told by the position alone: the state beside
// the section is brought back to it by returns.
static double try_step(ss_returning* r, shooting* s, double part, int m, double* time, int* events)
{
  ss_error ignored = {0};
  ss_error* error = r->error;
  ss_status st = SS_OK;
  ss_state_copy(s->trial, s->z);
  shift(r, s->trial, part, s->dz);
  if (is_beyond(r, s->trial)) return INFINITY;
  r->error = &ignored;
  if (ss_system_get(r->system)->operators) st = cycle(r, s->trial, m, false, time, events);
  ss_state_copy(s->trial_after, s->trial);
  if (st >= 0) st = cycle(r, s->trial_after, m, false, time, events);
  r->error = error;
  return st < 0 ? INFINITY : ss_state_distance(r, s->trial_after, s->trial);
}

// A step of Newton's method from z that makes the change smaller. Derivatives that were taken elsewhere will do while
// it becomes much smaller: they cost several returns.
static bool improve(ss_returning* r, shooting* s, ss_orbit* o, ss_status* st)
{
  double last = o->change, part = 1, time;
  int events;
  bool known = newton_step(r, o->map, s->z, s->after, s->A, s->index, s->dz);
  for (int half = 0; known && half <= HALVINGS; half++, part /= 2) {
    double change = try_step(r, s, part, o->returns, &time, &events);
    if (change < (s->exact ? 1 : CHORD)*last) {
      ss_state_copy(s->z, s->trial);
      ss_state_copy(s->after, s->trial_after);
      o->period = time;
      o->n_events = events;
      o->change = change;
      s->exact = false;
      return true;
    }
    if (s->exact) continue;
    if (!take_derivatives(r, s, o, st)) return false;
    known = newton_step(r, o->map, s->z, s->after, s->A, s->index, s->dz);
    part = 2;
    half = -1;
  }
  return false;
}

// Newton's method from s->z; the orbit gets the result. SS_NOT_CONVERGED if it does not get there.
static ss_status shoot(ss_returning* r, shooting* s, ss_orbit* o)
{
  ss_status st;
  if (!take_derivatives(r, s, o, &st)) return st < 0 ? st : SS_NOT_CONVERGED;
  for (int round = 0; round < MAX_NEWTON && r->cycles < r->def.max_returns; round++) {
    o->iterations++;
    if (r->def.progress) *r->def.progress = o->change;
    if (o->change > r->def.tol && !improve(r, s, o, &st)) {
      if (st < 0) return st;
      if (!(s->exact && o->change < ROUND_OFF*r->def.tol)) return SS_NOT_CONVERGED;
      return SS_OK;
    }
    if (o->change > r->def.tol) continue;
    if (s->exact) return SS_OK;
    if (!take_derivatives(r, s, o, &st)) return st < 0 ? st : SS_NOT_CONVERGED;
  }
  return SS_NOT_CONVERGED;
}

static int by_size(const void* a, const void* b)
{
  const double *x = a, *y = b;
  double p = hypot(x[0], x[1]), q = hypot(y[0], y[1]);
  return p > q ? -1 : p < q;
}

// Eigenvalues of the map, and what they may be wrong by: e |A|/s with the condition 1/s of each, at a double one that
// splits (s = 0) sqrt(e) |A| (Golub & Van Loan, Matrix Computations, section 7.2)
static void multipliers(const ss_returning* r, shooting* s, ss_orbit* o)
{
  int k = reduce(r, o->map, 0, s->A, s->index), low, high;
  size_t n = (size_t)k;
  double* all = malloc((9*n + 2*n*n)*sizeof *all);
  if (!all) return;
  double *re = all + 3*n, *im = re + n, *scale = im + n, *part = scale + n, *other = part + n, *left = other + n;
  double norm;
  bool good = LAPACKE_dgeevx(LAPACK_ROW_MAJOR, 'B', 'V', 'V', 'E', k, s->A, k, re, im, left, k, left + n*n, k, &low,
                             &high, scale, &norm, part, other) == 0;
  for (int i = 0; good && i < k; i++) {
    all[3*i] = re[i];
    all[3*i + 1] = im[i];
    all[3*i + 2] = norm*fmin(MAP_ERROR/part[i], sqrt(MAP_ERROR));
  }
  if (good) qsort(all, n, 3*sizeof *all, by_size);
  for (int i = 0; good && i < k; i++) {
    o->re[i] = all[3*i];
    o->im[i] = all[3*i + 1];
    o->error[i] = all[3*i + 2];
  }
  o->n_multipliers = good ? k : 0;
  o->has_map = good;
  free(all);
}

// An orbit that closes after m returns may do so earlier.
static ss_status divide(ss_returning* r, shooting* s, ss_orbit* o)
{
  for (int d = 1; d < o->returns; d++) {
    double time;
    int events;
    if (o->returns%d) continue;
    ss_state_copy(s->trial, s->z);
    ss_status st = cycle(r, s->trial, d, false, &time, &events);
    if (st < 0) return st;
    if (ss_state_distance(r, s->trial, s->z) > SAME) continue;
    o->returns = d;
    return shoot(r, s, o);
  }
  return SS_OK;
}

static void note_drift(const ss_returning* r, const ss_state* z, const ss_state* after, ss_orbit* o)
{
  ss_state_difference(r, z, after, r->d);
  for (int i = 0; i < r->nv; i++) {
    o->drift[i] = r->cyclic[i] ? r->d[i] : 0;
    if (r->cyclic[i] || !r->whole[i]) continue;
    double change = after->q[r->coordinate[i]] - z->q[r->coordinate[i]];
    if (fabs(change - r->d[i]) > 1) o->drift[i] = change;  // full turns
  }
}

// Whether the orbit just found attracts what is near, but for what every motion keeps
static bool attracts(const ss_orbit* o)
{
  for (int i = 0; i < o->n_multipliers; i++)
    if (hypot(o->re[i], o->im[i]) > 1 + 1e-6) return false;
  return true;
}

// An orbit that closes after one return is looked for first, soon: it is the one that the motion tends to if it
// attracts. Else the motion tells after how many returns it closes.
static ss_status shoot_repeatedly(ss_returning* r, shooting* x, ss_state* s, ss_orbit* o)
{
  ss_status st = SS_NOT_CONVERGED;
  double time;
  for (int wait = SOON; r->lost < GIVE_UP && r->cycles < r->def.max_returns; wait = wait == SOON ? SETTLE : 2*wait) {
    bool count = wait != SOON && r->def.returns == 0;
    for (int i = 0; i < wait; i++) {
      st = ss_return(r, s, &time);
      if (st < 0) return st;
    }
    if (count) st = count_returns(r, s, x->after, &o->returns);
    if (st < 0) return st;
    ss_state_copy(x->z, s);
    r->trying = true;
    st = shoot(r, x, o);
    if (st == SS_OK && count) st = divide(r, x, o);
    r->trying = false;
    if (st == SS_OK) multipliers(r, x, o);
    if (st < 0 || (st == SS_OK && (wait != SOON || r->def.returns > 0 || attracts(o)))) return st;
    o->n_multipliers = 0;
    o->has_map = false;
  }
  return st == SS_OK ? SS_NOT_CONVERGED : st;
}

static ss_status find_by_shooting(ss_returning* r, ss_state* s, ss_orbit* o)
{
  int n = r->n;
  shooting x = {.z = ss_state_create(r->system), .after = ss_state_create(r->system),
                .trial = ss_state_create(r->system), .trial_after = ss_state_create(r->system),
                .A = calloc((size_t)(n*n), sizeof(double)), .dz = calloc(3*(size_t)n, sizeof(double)),
                .index = calloc((size_t)n, sizeof(int))};
  bool memory = x.z && x.after && x.trial && x.trial_after && x.A && x.dz && x.index;
  ss_status st = memory ? SS_OK : ss_error_set(r->error, SS_ERR_MEMORY, "out of memory");
  if (st >= 0) st = shoot_repeatedly(r, &x, s, o);
  ss_follow_end(r->work);
  if (st >= 0) {
    ss_state_copy(o->start, x.z);
    note_drift(r, x.z, x.after, o);
  }
  ss_state_destroy(x.z);
  ss_state_destroy(x.after);
  ss_state_destroy(x.trial);
  ss_state_destroy(x.trial_after);
  free(x.A);
  free(x.dz);
  free(x.index);
  return st;
}

// ---- iteration ----

// The last changes of the state, in units of the sizes
static void change_of(const ss_returning* r, const ss_state* a, const ss_state* b, double* d)
{
  ss_state_difference(r, a, b, d);
  for (int i = 0; i < r->n; i++) d[i] = i < r->nv && r->cyclic[i] ? 0 : d[i]/ss_size_of(r, i);
}

// x + dx + dx^2/dx_last ...: the limit of a sequence that shrinks by the ratio of its last two changes
static double aitken(double before, double middle, double last)
{
  double first = middle - before, second = last - middle, bend = second - first;
  return bend != 0 && fabs(second) < fabs(first) ? last - second*second/bend : last;
}

// What iteration keeps
typedef struct iterating {
  ss_state* past;
  double *d, *d_last;  // n: the last two changes of the state
  double period[3], sum, best;
  double* seen;        // 2 max_returns: the change of each cycle, and its ratio to the one before
  int averaged;        // cycles since the changes have become what the steps cannot tell from none
} iterating;

// One more cycle, and what it says of the period and the slowest multiplier
static ss_status one_cycle(ss_returning* r, ss_state* s, iterating* x, int round, ss_orbit* o)
{
  double up = 0, down = 0;
  ss_state_copy(x->past, s);
  memcpy(x->d_last, x->d, sizeof(double)*(size_t)r->n);
  memmove(x->period, x->period + 1, 2*sizeof *x->period);
  ss_status st = cycle(r, s, o->returns, false, &x->period[2], &o->n_events);
  if (st < 0) return st;
  change_of(r, x->past, s, x->d);
  for (int i = 0; i < r->n; i++) {
    up += x->d[i]*x->d_last[i];
    down += x->d_last[i]*x->d_last[i];
  }
  o->change = ss_state_distance(r, s, x->past);
  o->iterations = round + 1;
  if (r->def.progress) *r->def.progress = o->change;
  x->seen[2*round] = o->change;
  x->seen[2*round + 1] = down > 0 && round > 1 ? up/down : NAN;
  if (x->averaged || (round > STALL && o->change > x->best && x->best < COARSE)) {
    x->sum += x->period[2];
    x->averaged++;
  }
  x->best = fmin(x->best, o->change);
  return SS_OK;
}

// The slowest multiplier: the ratio of the last changes that stand clear of what is left at the end, if the changes
// before shrank alike
static void guess_multiplier(const iterating* x, ss_orbit* o)
{
  const double* seen = x->seen;
  int k = o->iterations - 1;
  while (k > 2 && !(seen[2*k] > CLEAR*x->best && fabs(seen[2*k + 1] - seen[2*k - 1]) < ALIKE*fabs(seen[2*k + 1]))) k--;
  o->n_multipliers = k > 2;
  if (k > 2) o->re[0] = seen[2*k + 1];
}

// With o->returns returns to a cycle; SS_NOT_CONVERGED if that leads nowhere.
static ss_status iterate(ss_returning* r, ss_state* s, iterating* x, ss_orbit* o)
{
  double then = INFINITY;
  x->best = INFINITY;
  x->averaged = 0;
  x->sum = 0;
  o->n_multipliers = 0;
  for (int round = 0; r->cycles < r->def.max_returns; round++) {
    ss_status st = one_cycle(r, s, x, round, o);
    if (st < 0) return st;
    o->period = round < 2 ? x->period[2] : aitken(x->period[0], x->period[1], x->period[2]);
    if (x->averaged) o->period = x->sum/x->averaged;
    if (o->change <= r->def.tol || x->averaged == AVERAGE) return SS_OK;
    if (round == STALL) then = o->change;
    if (round == 2*STALL && o->change > then/2 && o->change > COARSE) break;
  }
  return SS_NOT_CONVERGED;
}

static ss_status find_by_iteration(ss_returning* r, ss_state* s, ss_orbit* o)
{
  double time;
  iterating x = {.past = ss_state_create(r->system), .d = calloc(2*(size_t)r->n, sizeof(double)),
                 .seen = calloc(2*(size_t)r->def.max_returns + 2, sizeof(double))};
  ss_status st = x.past && x.d && x.seen ? SS_NOT_CONVERGED : ss_error_set(r->error, SS_ERR_MEMORY, "out of memory");
  x.d_last = x.d ? x.d + r->n : NULL;
  for (int i = 0; st >= 0 && i < SETTLE; i++)
    if (ss_return(r, s, &time) < 0) st = SS_ERR_NUMERIC;
  int most = r->def.returns > 0 ? r->def.returns : SS_MAX_RETURNS;
  for (; st == SS_NOT_CONVERGED && o->returns <= most && r->cycles < r->def.max_returns; o->returns++) {
    st = iterate(r, s, &x, o);
    if (r->def.step.integrator == SS_EVENT_DRIVEN) guess_multiplier(&x, o);  // steps tell events too coarsely
    if (st != SS_NOT_CONVERGED) break;
  }
  if (o->returns > most) o->returns = most;
  if (st >= 0) {
    ss_state_copy(o->start, x.past);
    note_drift(r, x.past, s, o);
  }
  ss_state_destroy(x.past);
  free(x.d);
  free(x.seen);
  return st;
}

// ---- the search ----

// The contacts that have taken part so far, of those that come and go
static ss_status take_keys(ss_returning* r)
{
  int n = ss_work_info(r->work)->n_known;
  uint64_t* key = realloc(r->key, sizeof *key*(size_t)(n + 1));
  if (!key) return ss_error_set(r->error, SS_ERR_MEMORY, "out of memory");
  for (int i = 0; i < n; i++) key[i] = ss_work_contact_key(r->work, i);
  r->key = key;
  r->n_key = n;
  return SS_OK;
}

// Of a system whose contacts come and go symmetries are known once the motion has been through its contacts: shifts are
// those of a return, for bodies end somewhere.
static ss_status find_symmetries_late(ss_returning* r, ss_state* s, ss_state* past, int wait, bool* timed)
{
  double time, *shift = calloc((size_t)r->nv, sizeof *shift);
  ss_status st = shift ? SS_OK : ss_error_set(r->error, SS_ERR_MEMORY, "out of memory");
  for (int i = 0; st >= 0 && i < wait; i++) {
    ss_state_copy(past, s);
    st = ss_return(r, s, &time);
  }
  if (st >= 0) st = take_keys(r);
  if (st >= 0) {
    ss_state_difference(r, past, s, r->d);
    for (int i = 0; i < r->nv; i++)
      shift[i] = r->turns[i] ? TURN : fmax(ASIDE*fabs(r->d[i]), LITTLE*ss_size_of(r, i));
    st = ss_find_symmetries(r, s, shift, timed);
  }
  free(shift);
  return st;
}

// The section, and what the system does not depend on; s moves along
static ss_status survey(ss_returning* r, ss_state* s, ss_state* past, ss_orbit* o)
{
  bool late = ss_system_get(r->system)->operators != NULL, timed = false;
  const ss_orbit_def* def = &r->def;
  bool given = def->period > 0 || def->contact >= 0 || def->contact_name;
  ss_status st = ss_find_symmetries(r, s, NULL, &timed);
  for (int i = 0; late && i < r->nv; i++) r->cyclic[i] = r->whole[i] = false;
  if (st >= 0 && !given && !timed) st = ss_find_section(r, s);
  if (st >= 0 && late && (given || !timed)) st = find_symmetries_late(r, s, past, given ? SETTLE : 1, &timed);
  if (st >= 0 && timed && !(def->period > 0))
    st = ss_error_set(r->error, SS_ERR_ARGUMENT, "the system depends on time: give the period of its drive");
  o->timed = timed;
  return st;
}

static ss_status note_section(const ss_returning* r, ss_orbit* o)
{
  memcpy(o->coordinate, r->coordinate, sizeof *o->coordinate*(size_t)r->nv);
  memcpy(o->cyclic, r->cyclic, sizeof *o->cyclic*(size_t)r->nv);
  o->contact = r->def.period > 0 ? -1 : r->def.contact;
  o->kind = r->def.kind;
  const char* name = o->contact < 0 ? NULL : ss_work_contact_name(r->work, o->contact);
  if (!name) return SS_OK;
  o->contact_name = malloc(strlen(name) + 1);
  if (!o->contact_name) return ss_error_set(r->error, SS_ERR_MEMORY, "out of memory");
  strcpy(o->contact_name, name);
  return SS_OK;
}

// Impacts at the section that are so weak are what errors of the integration make of a contact that is only touched:
// speeds are known to sqrt(rtol) there. Where impacts die out there is no orbit that has them.
static ss_status check_impacts(ss_returning* r)
{
  double rtol = r->def.step.integrator == SS_EVENT_DRIVEN ? r->def.step.event.rtol : 0;
  bool impact = r->def.kind == SS_EVENT_IMPACT && r->def.contact >= 0 && !(r->def.period > 0);
  if (!impact || !(r->hit < GRAZES*rtol*r->hardest)) return SS_OK;
  const char* name = ss_work_contact_name(r->work, r->def.contact);
  return ss_error_set(r->error, SS_ERR_NUMERIC, "the impacts of '%s' die out: what is left of them, %.3g m/s, is the "
                      "error of the integration; the motion only grazes there", name ? name : "?", r->speed);
}

static ss_status search(ss_returning* r, const ss_state* from, ss_orbit* o)
{
  ss_state *s = ss_state_create(r->system), *past = ss_state_create(r->system);
  ss_status st = s && past ? SS_OK : ss_error_set(r->error, SS_ERR_MEMORY, "out of memory");
  if (st >= 0) ss_state_copy(s, from);
  if (st >= 0) st = survey(r, s, past, o);
  o->returns = r->def.returns > 0 ? r->def.returns : 1;
  o->method = r->def.method;
  if (st >= 0 && o->method == SS_CYCLE_SHOOTING) st = find_by_shooting(r, s, o);
  if (r->lost == GIVE_UP && st == SS_NOT_CONVERGED) o->method = SS_CYCLE_ITERATION;
  if (st >= 0 && o->method == SS_CYCLE_ITERATION) st = find_by_iteration(r, s, o);
  ss_status noted = st >= 0 ? check_impacts(r) : st;
  if (noted >= 0) noted = note_section(r, o);
  if (noted < 0) st = noted;
  o->cycles = r->cycles;
  ss_state_destroy(past);
  ss_state_destroy(s);
  return st;
}

ss_orbit* ss_orbit_find(const ss_system* system, const ss_orbit_def* def, const ss_state* from, ss_error* error)
{
  if (!system || !def || !from) {
    ss_error_null(error, "the system, the definition or the state");
    return NULL;
  }
  ss_returning r;
  ss_orbit* o = create(system, ss_system_get(system)->nv);
  if (!o) ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  ss_status st = o ? open_returning(&r, system, def, from, error) : SS_ERR_MEMORY;
  if (o && st >= 0 && def->method == SS_CYCLE_SHOOTING && def->step.integrator != SS_EVENT_DRIVEN)
    st = ss_error_set(error, SS_ERR_ARGUMENT, "shooting needs the event-driven integrator");
  if (st >= 0) st = search(&r, from, o);
  if (o) close_returning(&r);
  if (st >= 0) {
    o->status = st;
    return o;
  }
  ss_orbit_destroy(o);
  return NULL;
}

// Central difference of P along d (n), which is scaled so that nothing changes by more than a part of its size
static ss_status difference_along(ss_returning* r, const ss_orbit* o, const double* d, double part, ss_state** s,
                                  double* out)
{
  double most = 0, time;
  int events;
  for (int i = 0; i < r->n; i++) most = fmax(most, fabs(d[i])/ss_size_of(r, i));
  memset(out, 0, sizeof(double)*(size_t)r->n);
  if (most == 0) return SS_OK;
  for (int side = 0; side < 2; side++) {
    ss_state_copy(s[side], o->start);
    shift(r, s[side], side ? part/most : -part/most, d);
    ss_status st = cycle(r, s[side], o->returns, false, &time, &events);
    if (st < 0) return st;
  }
  ss_state_difference(r, s[0], s[1], out);
  for (int i = 0; i < r->n; i++) out[i] *= most/(2*part);
  return SS_OK;
}

ss_status ss_orbit_differences(const ss_system* system, const ss_orbit_def* def, const ss_orbit* o, double part,
                               double* product, ss_error* error)
{
  if (!system || !def || !o || !product) return ss_error_null(error, "the system, settings, orbit or result");
  ss_returning r;
  ss_state *s[2] = {ss_state_create(system), ss_state_create(system)};
  ss_status st = open_returning(&r, system, def, o->start, error);
  if (st >= 0 && (!s[0] || !s[1])) st = ss_error_set(error, SS_ERR_MEMORY, "out of memory");
  double time;
  int events;
  r.def.contact = ss_system_get(system)->operators ? -1 : o->contact;
  r.def.contact_name = o->contact_name;
  r.def.kind = o->kind;
  r.least = def->period > 0 ? 0 : o->period/o->returns/2;
  if (st >= 0) {  // sizes
    memcpy(r.cyclic, o->cyclic, sizeof *r.cyclic*(size_t)r.nv);
    for (int i = 0; i < r.nv; i++) r.whole[i] = !o->cyclic[i] && o->drift[i] != 0;
    ss_state_copy(s[0], o->start);
    st = cycle(&r, s[0], o->returns, false, &time, &events);
  }
  for (int j = 0; st >= 0 && j < r.n; j++)
    st = difference_along(&r, o, o->map + j*r.n, part, s, product + j*r.n);
  close_returning(&r);
  ss_state_destroy(s[0]);
  ss_state_destroy(s[1]);
  return st;
}
