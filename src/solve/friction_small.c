// Small contact problems with the exact cone: block Gauss-Seidel with exact solves of one contact, then the primal-dual
// Newton method of friction_linear.h on dense arrays, restricted to the rows that can have impulses,
//   (1 + G_AA K) dxi = (G d)_A,   d = Lambda0 - K xi - Lambda,   Lambda+ = Lambda0 - K (xi + dxi).
#include "solve/friction_small.h"
#include "base/arena.h"
#include "math/dense.h"
#include "solve/friction_linear.h"
#include "solve/friction_one_contact.h"
#include <string.h>

enum { SWEEPS_FIRST = 5, SWEEPS_WARM = 1, SWEEPS_BACK = 8, ROUNDS = 3, WATCHDOG = 4, POLISH = 4 };

static const double c_max = 1e7;   // round-off of a Newton step grows like 1e-16 c
static const double c_polish = 1e5;    // ... and it converges like 1/c
static const double round_off = 2e-16;
static const double near = 1e-7;   // sliding of one contact is found to near^2
static const double singular = 1e-12;  // of a tangential block, relative to its trace squared
static const double soft = 1e-6;   // proximal term that makes it regular, relative to the trace

// A contact as the loops see it. Friction elements are (-, T): two rows, the first of which is none.
typedef struct part {
  int first, rows, dim, at;  // first row, rows, dim = at + rows, at least 2 with friction
  double mu, bound, rho, trace, alpha;
  double D[9];               // G_ii, made regular
  double K[9];               // of Newton's step
} part;

typedef struct small {
  const ss_small_problem* p;
  part* part;                              // n_contact
  double *Lambda, *xi, r;                  // current
  double *best, r_best;                    // m; never worse than the start
  double *anchor, r_anchor;                // m: the best of a Newton run
  double *Lambda0, *plus, *xi_plus, *d;    // m
  double *A, *rhs;                         // of Newton's step
  int *piv, *active;                       // m
  double unit, tol;
  int iterations;
} small;

// ---- memory ----

#define bytes_of(type, count) ss_arena_bytes(sizeof(type)*(count))

size_t ss_friction_small_size(int n_contact, int m)
{
  size_t k = (size_t)n_contact, n = (size_t)m;
  return bytes_of(part, k) + bytes_of(double, n*n + 9*n) + bytes_of(int, 2*n);
}

static bool take_memory(small* s, ss_arena* arena)
{
  int m = s->p->m;
  double** const rows[] = {&s->xi, &s->best, &s->anchor, &s->Lambda0, &s->plus, &s->xi_plus, &s->d, &s->rhs};
  s->part = ss_arena_array(arena, part, s->p->n_contact);
  double* d = ss_arena_array(arena, double, m*m + 9*m);
  s->piv = ss_arena_array(arena, int, 2*m);
  if (!s->part || !d || !s->piv) return false;
  for (size_t i = 0; i < sizeof rows/sizeof *rows; i++) *rows[i] = d + (int)i*m;
  s->A = d + 9*m;
  s->active = s->piv + m;
  return true;
}

// ---- contacts ----

// A tangential block without inverse (a row that nothing moves, bilateral rows that hold it) gets a proximal term
static void make_regular(part* c)
{
  double trace = 0, *D = c->D;
  int dim = c->dim;
  for (int i = 0; i < dim; i++) trace += D[i*dim + i];
  if (!(trace > 0)) trace = 1;
  bool regular = false;
  double g = D[0] > 0 ? 1/D[0] : 0, S0 = D[dim + 1] - D[dim]*D[1]*g;
  if (dim == 2) regular = S0 > singular*trace;
  else {
    double S3 = D[8] - D[6]*D[2]*g, S1 = D[5] - D[3]*D[2]*g, S2 = D[7] - D[6]*D[1]*g;
    regular = S0*S3 - S1*S2 > singular*trace*trace && S0 > 0;
  }
  for (int i = 1; i < dim && !regular; i++) D[i*dim + i] += soft*trace;
}

static void describe(small* s)
{
  const ss_small_problem* p = s->p;
  double largest = 0;
  for (int i = 0, r = 0; i < p->n_contact; r += s->part[i++].rows) {
    part* c = &s->part[i];
    int at = p->kind[i] == SS_CONTACT_FRICTION, rows = ss_contact_rows(p->kind[i]), dim = at + rows;
    bool normal = p->kind[i] == SS_CONTACT_NORMAL;
    double own = 0;
    *c = (part){.first = r, .rows = rows, .dim = dim, .at = at, .mu = normal || at ? 0 : p->mu[i],
                .bound = normal ? 0 : p->bound[i], .trace = p->trace[i]};
    for (int a = 0; a < rows; a++) {
      const double* G = p->G + (r + a)*p->m + r;
      own += G[a];
      for (int b = 0; b < rows; b++) c->D[(at + a)*dim + at + b] = G[b];
    }
    if (rows > 1) make_regular(c);
    c->rho = own;  // to be inverted
    largest = ss_larger(largest, p->trace[i]);
  }
  for (int i = 0; i < p->n_contact; i++) {
    part* c = &s->part[i];
    if (!(c->trace > 0)) c->trace = largest > 0 ? largest : 1;
    c->rho = 1/(c->rho > singular*c->trace ? c->rho : c->trace);
  }
}

// ---- residual ----

static double worst_of(const small* s, const double* Lambda, const double* xi)
{
  double worst = 0;
  for (int i = 0; i < s->p->n_contact; i++) {
    const part* c = &s->part[i];
    double L[3] = {0}, v[3] = {0};
    for (int a = 0; a < c->rows; a++) {
      L[c->at + a] = Lambda[c->first + a];
      v[c->at + a] = xi[c->first + a];
    }
    worst = ss_worse(worst, ss_contact_violation(c->dim == 3 ? 3 : 2, c->mu, c->bound, c->trace, s->unit, L, v));
  }
  return isnan(worst) ? INFINITY : worst;
}

// Residual of Lambda, and its velocities
static double judge(const small* s, const double* Lambda, double* xi)
{
  int m = s->p->m;
  for (int i = 0; i < m; i++) xi[i] = s->p->b[i] + ss_dot(m, s->p->G + i*m, Lambda);
  double worst = worst_of(s, Lambda, xi);
  return worst == 0 ? 0 : worst/(s->p->scale*s->unit);
}

// The current impulses have the residual r: keep them if they are the best. True if they will do.
static bool note(small* s, double r)
{
  s->r = r;
  if (r < s->r_best) {
    memcpy(s->best, s->Lambda, sizeof(double)*(size_t)s->p->m);
    s->r_best = r;
  }
  return r <= s->tol;
}

// ---- sweeps ----

static void solve_alone(part* c, const double* q, double* Lambda)
{
  if (c->dim == 3) ss_one_contact(3, c->D, q, c->mu, c->bound, near, &c->alpha, Lambda);
  else if (c->at) {
    double g = c->D[3] > 0 ? c->D[3] : c->trace, x = -q[0]/g;
    Lambda[0] = x > c->bound ? c->bound : x < -c->bound ? -c->bound : x;
  } else if (c->rows == 2) ss_one_contact(2, c->D, q, c->mu, c->bound, near, &c->alpha, Lambda);
  else if (c->D[0] > 0) Lambda[0] = ss_larger(-q[0]/c->D[0], 0);
  else Lambda[0] = 0;
}

static void sweep(small* s, int i)
{
  part* c = &s->part[i];
  int m = s->p->m, r = c->first, rows = c->rows;
  const double* D = c->D + c->at*(c->dim + 1);
  double q[3], *Lambda = s->Lambda + r;
  for (int a = 0; a < rows; a++) {
    q[a] = s->p->b[r + a] + ss_dot(m, s->p->G + (r + a)*m, s->Lambda);
    for (int b = 0; b < rows; b++) q[a] -= D[a*c->dim + b]*Lambda[b];
  }
  solve_alone(c, q, Lambda);
}

// Forwards and backwards in turn
static bool sweeps(small* s, int count)
{
  int k = s->p->n_contact;
  for (int n = 0; n < count; n++, s->iterations++)
    for (int i = 0; i < k; i++) sweep(s, n%2 ? k - 1 - i : i);
  return note(s, judge(s, s->Lambda, s->xi));
}

// ---- Newton ----

// K and Lambda0 of all contacts; lists the rows that can have impulses and returns their number
static int linearise(small* s, double factor)
{
  int n = 0;
  for (int i = 0; i < s->p->n_contact; i++) {
    part* c = &s->part[i];
    double L[3] = {0}, v[3] = {0}, L0[3] = {0};
    for (int a = 0; a < c->rows; a++) {
      L[c->at + a] = s->Lambda[c->first + a];
      v[c->at + a] = s->xi[c->first + a];
    }
    memset(c->K, 0, sizeof c->K);
    ss_linearise_contact(c->dim, c->mu, c->bound, c->rho, factor*c->rho, L, v, c->K, L0);
    for (int a = 0; a < c->rows; a++) s->Lambda0[c->first + a] = L0[c->at + a];
    bool can = c->K[0] != 0 || c->bound > 0;
    for (int a = 0; a < c->rows && can; a++) s->active[n++] = c->first + a;
  }
  return n;
}

// out = Lambda0 - K xi for a contact
static void apply(const small* s, const part* c, const double* xi, double* out)
{
  const double* K = c->K + c->at*(c->dim + 1);
  for (int a = 0; a < c->rows; a++) {
    double sum = s->Lambda0[c->first + a];
    for (int b = 0; b < c->rows; b++) sum -= K[a*c->dim + b]*xi[c->first + b];
    out[c->first + a] = sum;
  }
}

// Columns j .. of G_AA K for a contact in space, whose K has no (N, T) entries
static void write_spatial(const small* s, const part* c, int n, int j)
{
  const double *K = c->K, *G = s->p->G + c->first;
  double K0 = K[0], K3 = K[3], K4 = K[4], K5 = K[5], K6 = K[6], K7 = K[7], K8 = K[8];
  for (int i = 0; i < n; i++) {
    const double* g = G + s->active[i]*s->p->m;
    double* A = s->A + i*n + j;
    A[0] = g[0]*K0 + g[1]*K3 + g[2]*K6;
    A[1] = g[1]*K4 + g[2]*K7;
    A[2] = g[1]*K5 + g[2]*K8;
  }
}

static void write_planar(const small* s, const part* c, int n, int j)
{
  const double *K = c->K + c->at*(c->dim + 1), *G = s->p->G + c->first;
  for (int i = 0; i < n; i++) {
    const double* g = G + s->active[i]*s->p->m;
    double* A = s->A + i*n + j;
    A[0] = g[0]*K[0];
    if (c->rows == 1) continue;
    A[0] += g[1]*K[2];
    A[1] = g[1]*K[3];
  }
}

// 1 + G_AA K
static void write_matrix(const small* s, int n)
{
  for (int k = 0, j = 0; k < s->p->n_contact; k++) {
    const part* c = &s->part[k];
    if (j == n || s->active[j] != c->first) continue;
    if (c->rows == 3) write_spatial(s, c, n, j);
    else write_planar(s, c, n, j);
    j += c->rows;
  }
  for (int i = 0; i < n; i++) s->A[i*n + i] += 1;
}

// plus = the impulses of a full step, within their cones. False if there is none.
static bool newton_step(small* s, double factor)
{
  int m = s->p->m, n = linearise(s, factor);
  for (int i = 0; i < s->p->n_contact; i++) apply(s, &s->part[i], s->xi, s->d);
  for (int i = 0; i < m; i++) s->d[i] -= s->Lambda[i];
  write_matrix(s, n);
  if (!ss_lu_factor(n, s->A, s->piv)) return false;
  for (int i = 0; i < n; i++) s->rhs[i] = ss_dot(m, s->p->G + s->active[i]*m, s->d);
  ss_lu_solve(n, s->A, s->piv, s->rhs);
  memcpy(s->xi_plus, s->xi, sizeof(double)*(size_t)m);
  for (int i = 0; i < n; i++) s->xi_plus[s->active[i]] += s->rhs[i];
  for (int i = 0; i < s->p->n_contact; i++) {
    const part* c = &s->part[i];
    apply(s, c, s->xi_plus, s->plus);
    double L[3] = {0};
    memcpy(L + c->at, s->plus + c->first, sizeof(double)*(size_t)c->rows);
    ss_clip_to_disk(c->dim == 3 ? 3 : 2, c->mu, c->bound, L);
    memcpy(s->plus + c->first, L + c->at, sizeof(double)*(size_t)c->rows);
  }
  return true;
}

static void take_step(small* s, double r)
{
  double* xi = s->xi;
  s->xi = s->xi_plus;
  s->xi_plus = xi;
  memcpy(s->Lambda, s->plus, sizeof(double)*(size_t)s->p->m);
  note(s, r);
}

static void drop_anchor(small* s)
{
  if (s->r >= s->r_anchor) return;
  memcpy(s->anchor, s->Lambda, sizeof(double)*(size_t)s->p->m);
  s->r_anchor = s->r;
}

// Steps may raise the residual a few times; then it is back to the best, with sweeps and more damping
static bool newton(small* s, double kappa, int limit)
{
  double damp = 1;
  int patience = WATCHDOG;
  s->r_anchor = INFINITY;
  for (int it = 0; it < limit && s->r > s->tol; it++, s->iterations++) {
    drop_anchor(s);
    double c = damp*kappa/s->r, r = INFINITY, before = s->r;
    if (newton_step(s, c < 3 ? 3 : c > c_max ? c_max : c)) r = judge(s, s->plus, s->xi_plus);
    bool better = r < 0.9*before;
    if (better || (patience > 0 && r < 30*s->r_anchor)) {
      patience = better ? WATCHDOG : patience - 1;
      take_step(s, r);
      if (r < 0.3*before) damp = damp < 0.25 ? 4*damp : 1;
    } else {
      memcpy(s->Lambda, s->anchor, sizeof(double)*(size_t)s->p->m);
      sweeps(s, SWEEPS_BACK);
      damp = damp > 1e-6 ? 0.1*damp : 1;
      patience = WATCHDOG;
    }
  }
  return s->r <= s->tol;
}

// ---- the method ----

static bool run(small* s, bool warm)
{
  static const int count[ROUNDS] = {SWEEPS_FIRST, 20, 100}, steps[ROUNDS] = {12, 20, 40};
  bool alone = s->p->n_contact == 1;
  if (warm && note(s, judge(s, s->Lambda, s->xi))) return true;
  if (warm && (sweeps(s, alone ? 1 : SWEEPS_WARM) || newton(s, 1e3, 6))) return true;
  for (int i = 0; i < ROUNDS; i++) {
    if (sweeps(s, alone && i == 0 ? 1 : count[i]) || newton(s, 10, steps[i])) return true;
    memcpy(s->Lambda, s->best, sizeof(double)*(size_t)s->p->m);
  }
  return false;
}

// The tolerance is met; further Newton steps lead to round-off, nearly for free. Without them contacts at rest would
// creep by the tolerance.
static void polish(small* s)
{
  for (int i = 0; i < POLISH && s->r_best > round_off; i++, s->iterations++) {
    double before = s->r_best, r = INFINITY;
    if (newton_step(s, c_polish)) r = judge(s, s->plus, s->xi_plus);
    if (!(r < before)) return;
    take_step(s, r);
    if (r > 0.1*before) return;
  }
}

ss_status ss_friction_small(const ss_small_problem* p, double tol, bool warm, ss_arena* arena, double* Lambda,
                            double* residual, int* iterations)
{
  small s = {.p = p, .Lambda = Lambda, .r_best = INFINITY, .unit = ss_unit_of(p->scale), .tol = tol};
  size_t mark = ss_arena_mark(arena);
  if (!take_memory(&s, arena)) {
    ss_arena_release(arena, mark);
    return SS_ERR_CAPACITY;
  }
  describe(&s);
  if (!warm) memset(Lambda, 0, sizeof(double)*(size_t)p->m);
  memcpy(s.best, Lambda, sizeof(double)*(size_t)p->m);
  bool met = run(&s, warm);
  if (met) polish(&s);
  memcpy(Lambda, s.best, sizeof(double)*(size_t)p->m);
  *residual = s.r_best;
  *iterations += s.iterations;
  ss_arena_release(arena, mark);
  return met ? SS_OK : SS_NOT_CONVERGED;
}
