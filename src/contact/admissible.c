// Where rows depend on each other A x = c leaves their forces open. Contacts can give those in
//   K = { x_N >= 0,  |x_T| <= mu x_N + bound },
// and of these the nearest to z is taken (z = 0: the least norm). With an orthonormal basis V of the rows of A the
// equations are V^T x = p, and
//   min |x - z|^2/2,  V^T x = p,  x in K   has the dual   min_y  theta(z + V y) - p.y,
//   theta(s) = (|s|^2 - |s - P_K(s)|^2)/2,   grad theta = P_K,   x = P_K(z + V y):
// convex and once differentiable, solved by Newton's method with the derivative of P_K in the piece at hand, and a line
// search. x is within K in every iterate. Where limits leave no freedom many y give one x: y stays near that of the
// round before (proximal points), F = V^T x - p + eps (y - y_kept) = 0. If no x fits, x goes over into that with the
// least |V^T x - p|, continuously; it is then corrected by V (p - V^T x), so that the equations hold in any case.
// Contacts that press against each other without load (A x = 0) could hold any pull. There x is the nearest to 0 of
// { x_N >= 0, |x_T| <= mu x_N* + bound } with x_N* = x_N, a fixed point: contacts that yield, each by the same for the
// same force, have normal forces that do not ask for friction.
#include "contact/admissible.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "solve/friction_cone.h"

#define REDUNDANT 1e-10  // of the largest pivot: rows are dependent
#define NEAR 0.1         // eps of the first round; each has a hundredth of that before, ...
#define NEAREST 1e-8     // ... down to this
#define EXACT 1e-14      // of |p|: what is left is round-off
#define CLOSE 1e-6       // of |p|: round-off hides whether values fall, |F| tells it
#define DOWNHILL 1e-4    // of what the slope promises
#define SETTLED 1e-13    // of |p|: changes of limits below are none
#define FOUND 1e-12      // of |p|: the load is carried
#define CARRIED 1e-10    // ... but for round-off, of which light bodies that carry heavy ones have more
#define LOST 1e-4        // of what is not carried: limits that change by less do not change that
#define SLOW 0.5         // of what limits were off before: they go to and fro
#define HALF 0.5
#define STRAINED 1e-6    // of what is asked for: normal forces
#define UNLIMITED 1e300
enum { ROUNDS = 40, STEPS = 60, HALVES = 40, SHARES = 60, STRAIGHT = 3 };

#define bytes_of(type, count) ss_arena_bytes(sizeof(type)*(count))

size_t ss_admissible_size(int n)
{
  size_t k = (size_t)n;
  return 2*bytes_of(double, k*k) + 6*bytes_of(double, k) + 2*bytes_of(double, k) + bytes_of(double, k) +
         bytes_of(double, 8*k + 64) + bytes_of(int, k) + bytes_of(ss_force_set, k);
}

// ---- the equations ----

// A^T = V R with rows of A in the order of their pivots; p from R^T (V^T x) = c
static ss_status orthogonalise(ss_admissible* f, double* A, const double* c, double* tau, double* work, int* pivot)
{
  int n = f->n, room = 8*n + 64;
  memset(pivot, 0, sizeof(int)*(size_t)n);
  if (LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, n, A, n, pivot, tau, work, room) != 0) return SS_ERR_NUMERIC;
  f->rank = 0;
  while (f->rank < n && fabs(A[f->rank*(n + 1)]) > REDUNDANT*fabs(A[0])) f->rank++;
  for (int i = 0; i < f->rank; i++) f->p[i] = (c[pivot[i] - 1] - ss_dot(i, A + i*n, f->p))/A[i*(n + 1)];
  if (LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, f->rank, f->rank, A, n, tau, work, room) != 0) return SS_ERR_NUMERIC;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < f->rank; j++) f->V[i*f->rank + j] = A[j*n + i];
  f->size = sqrt(ss_dot(f->rank, f->p, f->p));
  return SS_OK;
}

ss_status ss_admissible_begin(ss_admissible* f, int n, double* A, const double* c, int n_sets, const ss_force_set* set,
                              ss_arena* arena)
{
  *f = (ss_admissible){.n = n, .n_sets = n_sets, .set = set};
  f->V = ss_arena_array(arena, double, n*n);
  f->J = ss_arena_array(arena, double, n*n);
  double** small[] = {&f->p, &f->y, &f->kept, &f->F, &f->step, &f->next, &f->z, &f->x};
  f->fixed = ss_arena_array(arena, ss_force_set, n_sets);
  bool taken = f->V && f->J && f->fixed;
  for (int i = 0; i < 8; i++) {
    *small[i] = ss_arena_array(arena, double, n);
    taken = taken && *small[i];
  }
  size_t mark = ss_arena_mark(arena);
  double* tau = ss_arena_array(arena, double, n);
  double* work = ss_arena_array(arena, double, 8*n + 64);
  int* pivot = ss_arena_array(arena, int, n);
  ss_status st = taken && tau && work && pivot ? orthogonalise(f, A, c, tau, work, pivot) : SS_ERR_CAPACITY;
  ss_arena_release(arena, mark);
  return st;
}

// ---- the sets ----

static void project(const ss_force_set* s, double* x)
{
  double row[3] = {0};
  for (int k = 0; k < s->tangents; k++) row[1 + k] = x[s->first + s->normal + k];
  row[0] = s->normal ? x[s->first] : 0;
  ss_project_cone(3, s->normal ? s->mu : 0, s->bound, row);
  if (s->normal) x[s->first] = row[0];
  for (int k = 0; k < s->tangents; k++) x[s->first + s->normal + k] = row[1 + k];
}

// I - P'(z) of a set (3 x 3: normal, tangents), in the piece where z is; false if that is zero
static bool curb(const ss_force_set* s, const double* z, double* E)
{
  double N = s->normal ? z[s->first] : 0, mu = s->normal ? s->mu : 0, e[3] = {0};
  for (int k = 0; k < s->tangents; k++) e[1 + k] = z[s->first + s->normal + k];
  double t = hypot(e[1], e[2]), n = (N + mu*(t - s->bound))/(1 + mu*mu), part = 1;
  memset(E, 0, 9*sizeof *E);
  if ((!s->normal || N >= 0) && t <= mu*N + s->bound) return false;
  bool side = s->normal && n > 0 && t > mu*N + s->bound;  // else at the end of the cone: x_N = 0
  if (!side) n = 0;
  if (t > mu*n + s->bound) part = (mu*n + s->bound)/t;
  for (int k = 1; k < 3; k++) e[k] = t > 0 ? e[k]/t : 0;
  // P' = a a^T/(1 + mu^2) + part (I - e e^T) with a = (1, mu e) on the side; (0, part (I - e e^T)) at the end, I inside
  e[0] = 0;
  bool inside = part == 1;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double ai = i ? mu*e[i] : 1, aj = j ? mu*e[j] : 1;
      double P = side ? ai*aj/(1 + mu*mu) : 0;
      if (i && j) P += inside ? i == j : part*((i == j) - e[i]*e[j]);
      E[3*i + j] = (i == j) - P;
    }
  return true;
}

// ---- Newton's method ----

// x = P_K(z + V y), F; returns the dual function
static double evaluate(ss_admissible* f, const double* z, const double* y)
{
  double value = 0;
  ss_gemv(f->n, f->rank, f->V, y, f->z);
  if (z) ss_axpy(f->n, 1, z, f->z);
  memcpy(f->x, f->z, sizeof(double)*(size_t)f->n);
  for (int i = 0; i < f->n_sets; i++) project(&f->set[i], f->x);
  for (int i = 0; i < f->n; i++) value += f->x[i]*(2*f->z[i] - f->x[i])/2;  // (|s|^2 - |s - x|^2)/2
  ss_gemv_t(f->n, f->rank, f->V, f->x, f->F);
  for (int i = 0; i < f->rank; i++) {
    double moved = y[i] - f->kept[i];
    f->F[i] += f->near*moved - f->p[i];
    value += f->near*moved*moved/2 - f->p[i]*y[i];
  }
  return value;
}

// J = (1 + eps) I - sum V_s^T (I - P_s') V_s
static void differentiate(ss_admissible* f)
{
  int r = f->rank;
  memset(f->J, 0, sizeof(double)*(size_t)(r*r));
  for (int i = 0; i < r; i++) f->J[i*(r + 1)] = 1 + f->near;
  for (int s = 0; s < f->n_sets; s++) {
    const ss_force_set* set = &f->set[s];
    double E[9];
    if (!curb(set, f->z, E)) continue;
    int low = set->normal ? 0 : 1, high = 1 + set->tangents;
    for (int i = low; i < high; i++)
      for (int j = low; j < high; j++) {
        if (E[3*i + j] == 0) continue;
        const double *left = f->V + (set->first + i - low)*r, *right = f->V + (set->first + j - low)*r;
        for (int k = 0; k < r; k++) ss_axpy(k + 1, -E[3*i + j]*left[k], right, f->J + k*r);
      }
  }
}

static double length(int n, const double* x) { return sqrt(ss_dot(n, x, x)); }

// A step from y, where everything was evaluated. False if none leads downhill, which is round-off's doing.
static bool descend(ss_admissible* f, const double* z, double* value)
{
  int r = f->rank;
  double before = length(r, f->F), *y = f->y, *next = f->next;
  f->steps++;
  differentiate(f);
  for (int i = 0; i < r; i++) f->step[i] = -f->F[i];
  if (!ss_chol_factor(r, f->J)) return false;
  ss_chol_solve(r, f->J, f->step);
  double slope = ss_dot(r, f->F, f->step), part = 1;
  for (int k = 0; k < HALVES; k++, part /= 2) {
    memcpy(next, y, sizeof(double)*(size_t)r);
    ss_axpy(r, part, f->step, next);
    double now = evaluate(f, z, next);
    bool falls = ss_dot(r, f->F, f->step) <= 0;  // still, so that it is lower there, whatever round-off makes of values
    bool lower = now <= *value + DOWNHILL*part*slope;
    if (!falls && !lower && !(before < CLOSE*f->size && length(r, f->F) < 0.5*before)) continue;
    *value = now;
    memcpy(y, next, sizeof(double)*(size_t)r);
    return true;
  }
  *value = evaluate(f, z, y);
  return false;
}

// |V^T x - p|
static double rest(const ss_admissible* f)
{
  double sum = 0;
  for (int i = 0; i < f->rank; i++) {
    double d = f->F[i] - f->near*(f->y[i] - f->kept[i]);
    sum += d*d;
  }
  return sqrt(sum);
}

// Newton's method from f->y, near to a solution or not. One step from there at least leaves no error of its own.
static double solve(ss_admissible* f, const double* z, bool close, double* x)
{
  size_t bytes = sizeof(double)*(size_t)f->rank;
  double left = INFINITY, size = f->size + (z ? length(f->n, z) : 0);
  f->near = close ? NEAREST : NEAR;
  for (int round = 0; round < ROUNDS; round++, f->near = fmax(f->near/100, NEAREST)) {
    memcpy(f->kept, f->y, bytes);
    double value = evaluate(f, z, f->y), before = left;
    for (int k = 0; k < STEPS && (length(f->rank, f->F) > EXACT*size || (close && k + round == 0)); k++)
      if (!descend(f, z, &value)) break;
    left = rest(f);
    if (left <= EXACT*size || (f->near <= NEAREST && left > 0.9*before)) break;
  }
  memcpy(x, f->x, sizeof(double)*(size_t)f->n);
  ss_gemv_t(f->n, f->rank, f->V, x, f->F);
  for (int i = 0; i < f->rank; i++) f->F[i] = f->p[i] - f->F[i];
  for (int i = 0; i < f->n; i++) x[i] += ss_dot(f->rank, f->V + i*f->rank, f->F);
  return size > 0 ? left/size : 0;
}

double ss_admissible_nearest(ss_admissible* f, const double* z, double* x)
{
  ss_admissible_start* start = z ? NULL : f->start;
  double left = INFINITY;
  if (start && start->known) {
    ss_gemv_t(f->n, f->rank, f->V, start->dual, f->y);
    left = solve(f, z, true, x);
  }
  if (left > FOUND) {
    memcpy(f->y, f->p, sizeof(double)*(size_t)f->rank);
    left = solve(f, z, false, x);
  }
  if (start) ss_gemv(f->n, f->rank, f->V, f->y, start->dual);
  if (start) start->known = left <= FOUND;
  return left;
}

void ss_admissible_loosen(const ss_admissible* f, double* d)
{
  ss_gemv_t(f->n, f->rank, f->V, d, f->F);
  for (int i = 0; i < f->n; i++) d[i] -= ss_dot(f->rank, f->V + i*f->rank, f->F);
}

// The normals of contacts with friction that are not known to be strained
static bool ask(const ss_admissible* f, const ss_force_set* given, const bool* strained, double* z)
{
  bool any = false;
  memset(z, 0, sizeof(double)*(size_t)f->n);
  for (int i = 0; i < f->n_sets; i++) {
    if (!given[i].normal || !given[i].tangents || strained[i]) continue;
    z[given[i].first] = 1;
    any = true;
  }
  return any;
}

// C = { A x = 0, x in K without bounds } is a cone: the point of it that is nearest to z is 0 if and only if z.x <= 0
// for all x of C. With z = 1 in the normals that no x found so far has a force in, else 0, that is: there are no more.
void ss_admissible_strain(ss_admissible* f, double* scratch, bool* strained)
{
  const ss_force_set* given = f->set;
  size_t bytes = sizeof(double)*(size_t)f->rank;
  double *z = scratch, *x = z + f->n, *p = x + f->n, size = f->size;
  memset(strained, 0, sizeof *strained*(size_t)f->n_sets);
  memcpy(p, f->p, bytes);
  memset(f->p, 0, bytes);
  for (int i = 0; i < f->n_sets; i++) {
    f->fixed[i] = given[i];
    f->fixed[i].bound = 0;
  }
  f->set = f->fixed;
  f->size = 0;
  bool more = f->rank < f->n;
  while (more && ask(f, given, strained, z)) {
    memset(f->y, 0, bytes);
    solve(f, z, false, x);
    more = false;
    for (int i = 0; i < f->n_sets; i++) {
      if (z[given[i].first] == 0 || !(f->x[given[i].first] > STRAINED)) continue;
      more = strained[i] = true;
    }
  }
  f->set = given;
  f->size = size;
  memcpy(f->p, p, bytes);
}

// Friction of a set
static double friction_of(const ss_force_set* s, const double* x)
{
  const double* T = x + s->first + s->normal;
  return s->tangents > 1 ? hypot(T[0], T[1]) : fabs(T[0]);
}

// Limits of friction for these forces, or `part` of the way to them. Returns how far those before were off, where they
// matter: where friction was at its limit before it was corrected by what round-off had left of the load, which can be
// more than SETTLED of it if light bodies carry heavy ones.
static double fix_limits(const ss_admissible* f, const ss_force_set* given, double part, double left, const double* x)
{
  double off = 0;
  for (int i = 0; i < f->n_sets; i++) {
    const ss_force_set* s = &given[i];
    if (!s->strained) continue;
    double limit = s->mu*fmax(x[s->first], 0) + s->bound, friction = friction_of(s, x);
    double reached = left <= CARRIED ? fmax(friction, friction_of(s, f->x)) : friction;
    bool matters = friction > limit || reached >= f->fixed[i].bound*(1 - SETTLED);
    if (matters) off = fmax(off, fabs(fmin(f->fixed[i].bound, 2*friction + limit) - limit));
    f->fixed[i].bound = part < 1 ? f->fixed[i].bound + part*(limit - f->fixed[i].bound) : limit;
  }
  return off;
}

// Limits are large at first, and fall; where they go to and fro half of the way is better. There can be several fixed
// points: those that they fall to are meant, so that only the first round begins where a like problem ended.
double ss_admissible_share(ss_admissible* f, double* x)
{
  const ss_force_set* given = f->set;
  bool any = false;
  for (int i = 0; i < f->n_sets; i++) {
    f->fixed[i] = given[i];
    if (!given[i].strained) continue;
    any = true;
    f->fixed[i].mu = 0;
    f->fixed[i].bound = UNLIMITED;
  }
  if (!any) return ss_admissible_nearest(f, NULL, x);
  f->set = f->fixed;
  double left = ss_admissible_nearest(f, NULL, x), off = fix_limits(f, given, 1, left, x), part = 1;
  for (int k = 1; k < SHARES && off > fmax(SETTLED, left > FOUND ? LOST*left : 0)*f->size; k++) {
    if (left > FOUND) memcpy(f->y, f->p, sizeof(double)*(size_t)f->rank);
    left = solve(f, NULL, left <= FOUND, x);
    double before = off;
    off = fix_limits(f, given, part, left, x);
    if (k > STRAIGHT && off > SLOW*before) part = HALF;
  }
  f->set = given;
  return off > SETTLED*f->size ? fmax(left, off/f->size) : left;
}
