// The contact problem of accelerations with spatial contacts. A contact that slides has one tangential direction that
// matters; so has one at rest that can move along one line only (planar mechanisms). If all are like that, the problem
// is one of planar contacts, and everything that is known of these holds: ss_flatten(). Else those at rest follow the
// exact cone. Those that slide in the direction d have lambda_T = -(mu lambda_N + bound) d, which is no law of the
// symmetric problem (ss_contact_solve_spatial); their friction is taken as given, the problem of the rest solved, and
// friction follows the normal forces found, until it does not change any more. That is a contraction unless friction
// couples so strongly to normal forces that they need not be unique (Painleve).
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "integrate/event.h"
#include "math/dense.h"

#define SETTLED 1e-9     // of the largest force: changes of friction below are none; the cone is solved to 1e-10
#define RELAX 0.5        // part of a change that is made once friction seems to go to and fro
enum { ROUNDS = 300, PLAIN_ROUNDS = 20 };

// The problem without the tangential rows of contacts that slide
typedef struct rest {
  int n, m;
  int *row, *contact;   // m, n: in the whole problem
  double *G, *b, *mu, *bound;
  ss_contact_kind* kind;
  ss_contact_solution found;
} rest;

// ---- as a planar problem ----

#define FLAT 1e-12  // of the square of its trace: the determinant of a tangential block of rank one

// The direction that matters of contact i, whose normal row is r; false if there are two
static bool find_axis(const ss_arc* a, int i, int r, double* e)
{
  const ss_contact_problem* p = &a->w->problem;
  const double *T1 = p->G + (r + 1)*p->m + r + 1, *T2 = T1 + p->m;
  double g11 = T1[0], g12 = T1[1], g22 = T2[1], trace = g11 + g22;
  e[0] = a->refer[2*a->w->active[i]];
  e[1] = a->refer[2*a->w->active[i] + 1];
  if (p->slide[i]) return true;
  if (g11*g22 - g12*g12 > FLAT*trace*trace) return false;
  double x = g11 >= g22 ? g11 : g12, y = g11 >= g22 ? g12 : g22, length = hypot(x, y);
  e[0] = length > 0 ? x/length : 1;
  e[1] = length > 0 ? y/length : 0;
  return true;
}

// Row `to` of the problem becomes that of the direction e in the tangential rows T and T + 1; to <= T
static void merge_rows(ss_arc* a, int to, int T, const double* e)
{
  ss_work* w = a->w;
  double *P = a->P + to*a->nv, *P1 = a->P + T*a->nv, *P2 = P1 + a->nv;
  for (int j = 0; j < a->nv; j++) P[j] = e[0]*P1[j] + e[1]*P2[j];
  w->b[to] = e[0]*w->b[T] + e[1]*w->b[T + 1];
  w->source[to] = w->source[T];
}

static void move_row(ss_arc* a, int to, int from)
{
  memmove(a->P + to*a->nv, a->P + from*a->nv, sizeof(double)*(size_t)a->nv);
  a->w->b[to] = a->w->b[from];
  a->w->source[to] = a->w->source[from];
}

void ss_flatten(ss_arc* a)
{
  ss_work* w = a->w;
  int n = w->problem.n_contact, nb = w->problem.n_bilateral, to = nb;
  for (int i = 0, r = nb; i < n; r += ss_contact_rows(w->kind[i++]))
    if (w->kind[i] == SS_CONTACT_SPATIAL && !find_axis(a, i, r, a->axis + 2*i)) return;
  for (int i = 0, r = nb; i < n; i++) {
    int rows = ss_contact_rows(w->kind[i]);
    if (w->kind[i] == SS_CONTACT_SPATIAL) {
      move_row(a, to, r);
      merge_rows(a, to + 1, r + 1, a->axis + 2*i);
      w->kind[i] = SS_CONTACT_PLANAR;
      to += 2;
    } else {
      for (int k = 0; k < rows; k++) move_row(a, to++, r + k);
    }
    r += rows;
  }
  w->problem.m = to;
  ss_abt_sym(to, a->nv, a->P, a->P, a->G);
}

// ---- with the exact cone ----

bool ss_is_spatial(const ss_contact_problem* p)
{
  for (int i = 0; i < p->n_contact; i++)
    if (p->kind[i] == SS_CONTACT_SPATIAL) return true;
  return false;
}

#define bytes_of(type, count) ss_arena_bytes(sizeof(type)*(count))

size_t ss_solve_spatial_size(int n_bilateral, int n_contact, int rows)
{
  size_t m = (size_t)rows, k = (size_t)n_contact;
  return bytes_of(double, m*m) + 4*bytes_of(double, m) + bytes_of(int, m) + bytes_of(int, k) + 2*bytes_of(double, k) +
         bytes_of(ss_contact_kind, k) + bytes_of(ss_contact_state, k) +
         ss_contact_solve_spatial_size(n_bilateral, n_contact);
}

static bool take(ss_arena* arena, int m, int k, rest* r, double** friction)
{
  r->row = ss_arena_array(arena, int, m);
  r->contact = ss_arena_array(arena, int, k);
  r->G = ss_arena_array(arena, double, m*m);
  r->b = ss_arena_array(arena, double, m);
  r->mu = ss_arena_array(arena, double, k);
  r->bound = ss_arena_array(arena, double, k);
  r->kind = ss_arena_array(arena, ss_contact_kind, k);
  r->found.Lambda = ss_arena_array(arena, double, m);
  r->found.xi = ss_arena_array(arena, double, m);
  r->found.state = ss_arena_array(arena, ss_contact_state, k);
  *friction = ss_arena_array(arena, double, m);
  return r->row && r->contact && r->G && r->b && r->mu && r->bound && r->kind && r->found.Lambda && r->found.xi &&
         r->found.state && *friction;
}

// Which rows and contacts are left
static void reduce(const ss_contact_problem* p, rest* r)
{
  for (int i = 0; i < p->n_bilateral; i++) r->row[r->m++] = i;
  for (int i = 0, row = p->n_bilateral; i < p->n_contact; row += ss_contact_rows(p->kind[i++])) {
    bool slides = p->slide[i] != 0;
    int rows = slides ? p->kind[i] != SS_CONTACT_FRICTION : ss_contact_rows(p->kind[i]);
    if (!rows) continue;
    r->kind[r->n] = slides ? SS_CONTACT_NORMAL : p->kind[i];
    r->mu[r->n] = slides ? 0 : p->mu[i];
    r->bound[r->n] = slides ? 0 : p->bound[i];
    r->contact[r->n++] = i;
    for (int k = 0; k < rows; k++) r->row[r->m++] = row + k;
  }
  for (int i = 0; i < r->m; i++)
    for (int j = 0; j < r->m; j++) r->G[i*r->m + j] = p->G[r->row[i]*p->m + r->row[j]];
}

// Friction of the contacts that slide, for the normal forces in Lambda; the largest change is returned
static double follow(const ss_arc* a, const ss_contact_problem* p, const double* Lambda, double* friction, double relax)
{
  double change = 0;
  for (int i = 0, row = p->n_bilateral; i < p->n_contact; row += ss_contact_rows(p->kind[i++])) {
    if (!p->slide[i] || p->kind[i] == SS_CONTACT_NORMAL) continue;
    bool normal = p->kind[i] != SS_CONTACT_FRICTION, spatial = p->kind[i] == SS_CONTACT_SPATIAL;
    double limit = p->bound[i] + (normal ? p->mu[i]*Lambda[row] : 0);
    for (int k = 0; k < (spatial ? 2 : 1); k++) {
      double d = spatial ? a->refer[2*a->w->active[i] + k] : p->slide[i], value = -limit*d;
      change = fmax(change, fabs(value - friction[row + normal + k]));
      friction[row + normal + k] += relax*(value - friction[row + normal + k]);
    }
  }
  return change;
}

// The whole solution: forces of the rest, and friction
static void merge(const ss_contact_problem* p, const rest* r, const double* friction, ss_contact_solution* s)
{
  memcpy(s->Lambda, friction, sizeof(double)*(size_t)p->m);
  for (int i = 0; i < r->m; i++) s->Lambda[r->row[i]] += r->found.Lambda[i];
}

static ss_status solve_rest(const ss_contact_problem* p, const ss_friction_def* def, ss_arena* arena, rest* r,
                            const double* friction)
{
  for (int i = 0; i < r->m; i++) r->b[i] = p->b[r->row[i]] + ss_dot(p->m, p->G + r->row[i]*p->m, friction);
  ss_contact_problem q = {.n_bilateral = p->n_bilateral, .n_contact = r->n, .m = r->m, .G = r->G, .b = r->b,
                          .kind = r->kind, .mu = r->mu, .bound = r->bound};
  r->found.residual = 0;
  return r->m ? ss_contact_solve_spatial(&q, def, arena, &r->found) : SS_OK;
}

static ss_status iterate(const ss_arc* a, const ss_friction_def* def, rest* r, double* friction,
                         ss_contact_solution* s)
{
  const ss_contact_problem* p = &a->w->problem;
  memset(friction, 0, sizeof(double)*(size_t)p->m);
  memset(s->Lambda, 0, sizeof(double)*(size_t)p->m);
  follow(a, p, s->Lambda, friction, 1);
  for (int round = 0; round < ROUNDS; round++) {
    ss_status st = solve_rest(p, def, a->arena, r, friction);
    if (st < 0) return st;
    s->iterations += r->found.iterations;
    s->residual = r->found.residual;
    merge(p, r, friction, s);
    double change = follow(a, p, s->Lambda, friction, round < PLAIN_ROUNDS ? 1 : RELAX);
    if (change <= SETTLED*ss_norm_inf(p->m, s->Lambda)) return st;
    if (!isfinite(change)) break;
  }
  s->residual = INFINITY;
  return SS_NOT_CONVERGED;
}

ss_status ss_solve_spatial(ss_arc* a, const ss_friction_def* def)
{
  const ss_contact_problem* p = &a->w->problem;
  ss_contact_solution* s = &a->w->solution;
  ss_friction_def exact = *def;
  exact.polyhedral = exact.warm_start = false;
  exact.tol = fmax(0.01*def->tol, fmin(def->tol, 1e-12));
  size_t mark = ss_arena_mark(a->arena);
  rest r = {0};
  double* friction;
  s->iterations = 0;
  ss_status st = take(a->arena, p->m, p->n_contact, &r, &friction) ? SS_OK : SS_ERR_CAPACITY;
  if (st == SS_OK) {
    reduce(p, &r);
    st = iterate(a, &exact, &r, friction, s);
  }
  if (st >= 0) {
    ss_gemv(p->m, p->m, p->G, s->Lambda, s->xi);
    for (int i = 0; i < p->m; i++) s->xi[i] += p->b[i];
    for (int i = 0; i < p->n_contact; i++) s->state[i] = SS_CLOSED;
    for (int i = 0; i < r.n; i++) s->state[r.contact[i]] = r.found.state[i];
    if (s->residual <= def->tol) st = SS_OK;
  }
  ss_arena_release(a->arena, mark);
  return st;
}
