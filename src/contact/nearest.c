// With a multiplier y for R x = g the nearest point is x = P(R^T y), P the projection onto the sets, and y makes
//   q(y) = g.y - x.(R^T y) + |x|^2/2,   grad q = g - R x,
// largest. q is concave and has a derivative that is smooth in pieces: Newton's method with the matrix R P' R^T, steps
// shortened until q has grown enough. Where no set is in the way y = g is the solution.
#include "contact/nearest.h"
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "math/dense.h"
#include "solve/friction_cone.h"

#define ROUND_OFF 1e-15  // of |g|: R x = g holds
#define NEARLY 1e-12     // ... as far as it must at least
#define PROXIMAL 1e-2    // makes R P' R^T regular where sets leave directions out: times what is left of R x = g
#define LEAST 1e-14      // ... and at least
#define SLACK 1e-13      // of q: round-off of its terms
enum { STEPS = 60, HALVINGS = 30 };

typedef struct search {
  int rank, n, k;
  const double *R, *g;
  const ss_near_set* set;
  double *y, *d, *trial;  // rank
  double *z, *x, *PR;     // n: R^T y, P(z); n x rank: P' R^T
  double* H;              // rank x rank
} search;

// ---- sets ----

static void project(const ss_near_set* s, const double* z, double* x)
{
  double v[3] = {0};
  memcpy(x, z, sizeof(double)*(size_t)s->count);
  if (s->shape == SS_FROM) x[0] = fmax(z[0], s->low);
  else if (s->shape == SS_CONE) ss_project_cone(s->count, s->mu, s->bound, x);
  else {
    memcpy(v + 1, z, sizeof(double)*(size_t)s->count);
    ss_clip_to_disk(s->count + 1, 0, s->bound, v);
    memcpy(x, v + 1, sizeof(double)*(size_t)s->count);
  }
}

// P' of tangential parts z that were cut to `length`: `along` in their direction, length/|z| across
static void derivative_of_tangents(int count, const double* z, double length, double along, double* P, int stride)
{
  double t = count == 2 ? hypot(z[0], z[1]) : fabs(z[0]), across = t > 0 ? length/t : 1;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++) {
      double e = t > 0 ? z[i]*z[j]/(t*t) : i == j;
      P[i*stride + j] = along*e + across*((i == j) - e);
    }
}

// P' of a cone, 3 x 3: the unit matrix inside, zero beyond its tip
static void derivative_of_cone(const ss_near_set* s, const double* z, const double* x, double* P)
{
  int tangents = s->count - 1;
  double t = ss_tangential(s->count, z), limit = s->mu*x[0] + s->bound;
  if (t <= limit) {  // the tangents are free
    P[0] = z[0] >= 0;
    for (int i = 1; i < s->count; i++) P[4*i] = 1;
    return;
  }
  bool on_side = x[0] > 0;
  double size = 1 + s->mu*s->mu;
  P[0] = on_side ? 1/size : 0;
  derivative_of_tangents(tangents, z + 1, limit, on_side ? s->mu*s->mu/size : 0, P + 4, 3);
  for (int i = 1; i < s->count && on_side; i++) P[i] = P[3*i] = s->mu/size*z[i]/t;
}

static void derivative(const ss_near_set* s, const double* z, const double* x, double P[9])
{
  memset(P, 0, sizeof(double[9]));
  if (s->shape == SS_FROM) P[0] = z[0] >= s->low;
  else if (s->shape == SS_CONE) derivative_of_cone(s, z, x, P);
  else {
    double t = s->count == 2 ? hypot(z[0], z[1]) : fabs(z[0]);
    derivative_of_tangents(s->count, z, t > s->bound ? s->bound : t, t <= s->bound, P, 3);
  }
}

// ---- Newton ----

// z, x and q(y)
static double evaluate(search* s, const double* y)
{
  ss_gemv_t(s->rank, s->n, s->R, y, s->z);
  for (int i = 0; i < s->k; i++) project(&s->set[i], s->z + s->set[i].first, s->x + s->set[i].first);
  return ss_dot(s->rank, s->g, y) - ss_dot(s->n, s->x, s->z) + ss_dot(s->n, s->x, s->x)/2;
}

// grad q into d; its size
static double gradient(search* s)
{
  ss_gemv(s->rank, s->n, s->R, s->x, s->d);
  for (int i = 0; i < s->rank; i++) s->d[i] = s->g[i] - s->d[i];
  return ss_norm_inf(s->rank, s->d);
}

// H = R P' R^T
static void write_matrix(search* s, double proximal)
{
  int rank = s->rank, n = s->n;
  double P[9];
  for (int i = 0; i < s->k; i++) {
    const ss_near_set* set = &s->set[i];
    derivative(set, s->z + set->first, s->x + set->first, P);
    for (int r = 0; r < rank; r++)
      for (int a = 0; a < set->count; a++) {
        double sum = 0;
        for (int b = 0; b < set->count; b++) sum += P[3*a + b]*s->R[r*n + set->first + b];
        s->PR[r*n + set->first + a] = sum;
      }
  }
  ss_abt_sym(rank, n, s->R, s->PR, s->H);
  for (int r = 0; r < rank; r++) s->H[r*rank + r] += proximal;
}

// Moves y along d, which holds the gradient and becomes the step; false if q does not grow
static bool step(search* s, double q, double proximal)
{
  int rank = s->rank;
  memcpy(s->trial, s->d, sizeof(double)*(size_t)rank);
  write_matrix(s, proximal);
  if (!ss_chol_factor(rank, s->H)) return false;
  ss_chol_solve(rank, s->H, s->d);
  double slope = ss_dot(rank, s->trial, s->d), part = 1;
  for (int i = 0; i < HALVINGS; i++, part /= 2) {
    memcpy(s->trial, s->y, sizeof(double)*(size_t)rank);
    ss_axpy(rank, part, s->d, s->trial);
    double now = evaluate(s, s->trial);
    if (now < q + 1e-4*part*slope - SLACK*fabs(q)) continue;
    memcpy(s->y, s->trial, sizeof(double)*(size_t)rank);
    return true;
  }
  return false;
}

#define bytes_of(count) ss_arena_bytes(sizeof(double)*(count))

size_t ss_nearest_size(int n)
{
  size_t m = (size_t)n;
  return 5*bytes_of(m) + 2*bytes_of(m*m);
}

static bool take(search* s, ss_arena* arena)
{
  s->y = ss_arena_array(arena, double, s->rank);
  s->d = ss_arena_array(arena, double, s->rank);
  s->trial = ss_arena_array(arena, double, s->rank);
  s->z = ss_arena_array(arena, double, s->n);
  s->x = ss_arena_array(arena, double, s->n);
  s->PR = ss_arena_array(arena, double, s->n*s->rank);
  s->H = ss_arena_array(arena, double, s->rank*s->rank);
  return s->y && s->d && s->trial && s->z && s->x && s->PR && s->H;
}

// From y
static bool find(search* s)
{
  double size = ss_norm_inf(s->rank, s->g), best = INFINITY;
  for (int i = 0; i < STEPS; i++) {
    double q = evaluate(s, s->y), off = gradient(s);
    if (off <= ROUND_OFF*size) return true;
    if (off <= NEARLY*size && off >= best/2) return true;
    best = fmin(best, off);
    if (!step(s, q, fmax(PROXIMAL*off/size, LEAST))) break;
  }
  evaluate(s, s->y);
  return gradient(s) <= NEARLY*size;
}

bool ss_nearest(int rank, int n, const double* R, const double* g, int k, const ss_near_set* set, bool warm,
                ss_arena* arena, double* z, double* x)
{
  search s = {.rank = rank, .n = n, .k = k, .R = R, .g = g, .set = set};
  size_t mark = ss_arena_mark(arena);
  bool found = take(&s, arena);
  if (found && warm) ss_gemv(rank, n, R, z, s.y);
  else if (found) memcpy(s.y, g, sizeof(double)*(size_t)rank);
  found = found && find(&s);
  if (found) memcpy(x, s.x, sizeof(double)*(size_t)n);
  if (found && z) memcpy(z, s.z, sizeof(double)*(size_t)n);
  ss_arena_release(arena, mark);
  return found;
}
