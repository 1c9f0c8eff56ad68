// The planar contact problem as one LCP in the long form              [Pfeiffer & Glocker 1996; docs/impacts.md]
//   Lambda_T = shift + L+ - L-,  x = (Lambda_N, L+, L-, k+, k-) for each contact with friction,
//   y = (xi_N,  xi_T - plus + k+,  -xi_T + minus + k-,  limit - shift - L+,  limit + shift - L-),
//   limit = mu Lambda_N + bound. Coulomb's law: shift = plus = minus = 0.
// Copositive as long as nothing slides already, x.Ax = Lambda.G Lambda + mu Lambda_N (k+ + k-): Lemke's method finds a
// solution of every impact.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/planar.h"

// One half of a friction law among the unknowns; -1: it does not act.
typedef struct half {
  int L, k;
} half;

typedef struct place {
  int N, T;         // rows of the reduced contact problem; -1: none
  int x_N;          // -1: none
  half plus, minus;
  int slide;
  ss_halves law;
} place;

static half half_at(bool acts, int* n)
{
  half h = {-1, -1};
  if (acts) {
    h.L = (*n)++;
    h.k = (*n)++;
  }
  return h;
}

// Lays out the unknowns; returns the size of the LCP.
static int lay_out(const ss_contact_problem* p, const ss_halves* halves, place* at)
{
  int row = 0, n = 0;
  for (int i = 0; i < p->n_contact; i++) {
    bool normal = p->kind[i] != SS_CONTACT_FRICTION, tangent = p->kind[i] != SS_CONTACT_NORMAL;
    bool friction = tangent && ((normal && p->mu[i] > 0) || p->bound[i] > 0);
    place* c = &at[i];
    c->law = halves ? halves[i] : (ss_halves){0, 0, 0};
    c->N = normal ? row++ : -1;
    c->T = tangent ? row++ : -1;
    c->x_N = normal ? n++ : -1;
    c->slide = friction ? ss_slide_of(p, i) : 0;
    friction = friction && c->slide == 0;
    c->plus = half_at(friction && isfinite(c->law.plus), &n);
    c->minus = half_at(friction && isfinite(c->law.minus), &n);
  }
  return n;
}

// A[...] = sign (G_r Lambda), n entries; returns sign (b_r + what does not depend on x)
static double fill_row(const ss_contact_problem* p, const place* at, const double* G, double sign, double b, int n,
                       double* A)
{
  memset(A, 0, sizeof(double)*(size_t)n);
  for (int j = 0; j < p->n_contact; j++) {
    const place* c = &at[j];
    if (c->x_N >= 0) A[c->x_N] = sign*G[c->N];
    if (c->T < 0) continue;
    double g = G[c->T];
    if (c->slide && c->x_N >= 0) A[c->x_N] -= sign*c->slide*p->mu[j]*g;
    if (c->plus.L >= 0) A[c->plus.L] = sign*g;
    if (c->minus.L >= 0) A[c->minus.L] = -sign*g;
    b += g*(c->slide ? -c->slide*p->bound[j] : c->law.shift);
  }
  return sign*b;
}

// The rows of one half: sign (xi_T - at) + k, and the limit left for it
static void fill_half(const ss_contact_problem* p, const place* at, int i, half h, double sign, const ss_reduced* r,
                      int n, double* A, double* c)
{
  const place* o = &at[i];
  double velocity = sign > 0 ? o->law.plus : o->law.minus;
  c[h.L] = fill_row(p, at, r->G + o->T*r->m, sign, r->b[o->T] - velocity, n, A + h.L*n);
  A[h.L*n + h.k] = 1;
  double* row = A + h.k*n;
  memset(row, 0, sizeof(double)*(size_t)n);
  if (o->x_N >= 0) row[o->x_N] = p->mu[i];
  row[h.L] = -1;
  c[h.k] = p->bound[i] - sign*o->law.shift;
}

static void fill_lcp(const ss_contact_problem* p, const place* at, const ss_reduced* r, int n, double* A, double* c)
{
  for (int i = 0; i < p->n_contact; i++) {
    const place* o = &at[i];
    if (o->x_N >= 0) c[o->x_N] = fill_row(p, at, r->G + o->N*r->m, 1, r->b[o->N], n, A + o->x_N*n);
    if (o->plus.L >= 0) fill_half(p, at, i, o->plus, 1, r, n, A, c);
    if (o->minus.L >= 0) fill_half(p, at, i, o->minus, -1, r, n, A, c);
  }
}

// The impulse of a half: all of its limit where its slack says so
static double half_impulse(half h, double limit, const double* x)
{
  if (h.L < 0) return 0;
  return x[h.k] > 0 ? fmax(limit, 0) : fmin(x[h.L], fmax(limit, 0));
}

static void read_impulses(const ss_contact_problem* p, const place* c, int i, const double* x, double* Lambda)
{
  double N = c->x_N >= 0 ? x[c->x_N] : 0;
  double limit = (c->x_N >= 0 ? p->mu[i]*N : 0) + p->bound[i], shift = c->law.shift;
  if (c->N >= 0) Lambda[c->N] = N;
  if (c->T < 0) return;
  if (c->slide) Lambda[c->T] = -c->slide*limit;
  else Lambda[c->T] = shift + half_impulse(c->plus, limit - shift, x) - half_impulse(c->minus, limit + shift, x);
}

#define bytes_of(type, count) ss_arena_bytes(sizeof(type)*(count))

size_t ss_planar_long_size(int n_contact)
{
  size_t k = (size_t)n_contact, n = 5*k;
  return bytes_of(place, k) + bytes_of(double, n*n) + 3*bytes_of(double, n) + ss_lcp_solve_size((int)n);
}

int ss_planar_long_lcp(const ss_contact_problem* p, const ss_reduced* r, ss_arena* arena, double* A, double* b)
{
  size_t mark = ss_arena_mark(arena);
  place* at = ss_arena_array(arena, place, p->n_contact);
  int n = at ? lay_out(p, NULL, at) : -1;
  if (n > 0 && A) fill_lcp(p, at, r, n, A, b);
  ss_arena_release(arena, mark);
  return n;
}

ss_status ss_planar_long(const ss_contact_problem* p, const ss_reduced* r, const ss_halves* halves,
                         const ss_lcp_def* def, ss_arena* arena, double* Lambda, int* iterations)
{
  size_t mark = ss_arena_mark(arena);
  place* at = ss_arena_array(arena, place, p->n_contact);
  int n = at ? lay_out(p, halves, at) : 0;
  double* A = ss_arena_array(arena, double, n*n);
  double* b = ss_arena_array(arena, double, n);
  double* x = ss_arena_array(arena, double, n);
  double* y = ss_arena_array(arena, double, n);
  ss_status st = at && A && b && x && y ? SS_OK : SS_ERR_CAPACITY;
  if (st == SS_OK) {
    fill_lcp(p, at, r, n, A, b);
    ss_lcp lcp = {.n = n, .A = A, .b = b};
    ss_lcp_solution solution = {.x = x, .y = y};
    st = ss_lcp_solve(&lcp, def, arena, &solution);
    *iterations = solution.iterations;
  }
  for (int i = 0; st >= 0 && i < p->n_contact; i++) read_impulses(p, &at[i], i, x, Lambda);
  ss_arena_release(arena, mark);
  return st;
}
