// Where contacts are redundant (G singular) the impulses of a compression are not unique though the velocities xi are.
// The impulses that fit xi,
//   { Lambda :  G Lambda = xi - b,  Lambda_N >= 0,  |Lambda_T| <= mu Lambda_N,  Lambda_N = 0 where xi_N > 0,
//               Lambda_T = -+mu Lambda_N where xi_T is not 0 },
// are a convex set; Poisson's law goes on with the one of least norm. In it Lambda = p + Q t with an orthonormal basis
// Q of the directions that leave G Lambda alone and p orthogonal to them, so that
//   min t.t/2,  C (p + Q t) >= 0     <=>     t = (C Q)^T y,   0 <= y  _|_  (C Q)(C Q)^T y + C p >= 0.
// Where spatial contacts stick the set is one of cones K, and the impulse the nearest to 0 of those in K and p + Q t:
// Dykstra's alternating projections [Boyle & Dykstra 1986].
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/least_norm.h"
#include "math/dense.h"
#include "solve/friction_cone.h"

#define CLOSE 1e-13      // of the projections, relative to the impulses
enum { PROJECTIONS = 5000 };
#define REDUNDANT 1e-10  // relative to a diagonal entry: what is left of it by the other rows is round-off

typedef struct family {
  int m, n, d, rows;  // contact rows, unknowns, dimension, inequalities
  double* E;          // n x m: direction of each unknown in Lambda
  double* GE;         // n x m
  double *S, *L;      // n x n: E G E^T, and its factor
  int* perm;          // n
  double* Q;          // d x m (room for n)
  double* C;          // rows x m (room for 3k)
  double* work;       // n + m
  double *x, *y, *q;  // m: of the projections
  bool cones;         // a spatial contact sticks
} family;

static bool take(family* f, int k, int m, ss_arena* arena)
{
  int n = m;
  f->m = m;
  f->E = ss_arena_array(arena, double, n*m);
  f->GE = ss_arena_array(arena, double, n*m);
  f->S = ss_arena_array(arena, double, n*n);
  f->L = ss_arena_array(arena, double, n*n);
  f->perm = ss_arena_array(arena, int, n);
  f->Q = ss_arena_array(arena, double, n*m);
  f->C = ss_arena_array(arena, double, 3*k*m);
  f->work = ss_arena_array(arena, double, n + m);
  f->x = ss_arena_array(arena, double, 3*m);
  f->y = f->x + m;
  f->q = f->y + m;
  return f->x && f->E && f->GE && f->S && f->L && f->perm && f->Q && f->C && f->work;
}

static double* new_row(double* rows, int* count, int m)
{
  double* row = rows + (size_t)(*count)++*(size_t)m;
  memset(row, 0, sizeof(double)*(size_t)m);
  return row;
}

// Directions and inequalities of a planar contact that is closed: its rows are N and N + 1
static void add_planar(family* f, int N, double mu, ss_contact_state state)
{
  double* e = new_row(f->E, &f->n, f->m);
  e[N] = 1;
  if (state == SS_SLIP_POS || state == SS_SLIP_NEG) e[N + 1] = state == SS_SLIP_POS ? -mu : mu;
  if (state != SS_STICK) {
    new_row(f->C, &f->rows, f->m)[N] = 1;
    return;
  }
  new_row(f->E, &f->n, f->m)[N + 1] = 1;
  for (int sign = -1; sign <= 1; sign += 2) {
    double* c = new_row(f->C, &f->rows, f->m);
    c[N] = mu;
    c[N + 1] = sign;
  }
}

// The same in space; xi: velocities of its rows. Sticking is left to the projections.
static void add_spatial(family* f, int N, double mu, ss_contact_state state, const double* xi)
{
  double* e = new_row(f->E, &f->n, f->m);
  e[N] = 1;
  if (state == SS_STICK) {
    new_row(f->E, &f->n, f->m)[N + 1] = 1;
    new_row(f->E, &f->n, f->m)[N + 2] = 1;
    f->cones = true;
    return;
  }
  double slip = hypot(xi[1], xi[2]);
  for (int k = 1; k < 3 && state == SS_SLIP; k++) e[N + k] = -mu*xi[k]/slip;
  new_row(f->C, &f->rows, f->m)[N] = 1;
}

static void describe(family* f, const ss_contact_problem* p, const ss_contact_state* state, const double* xi)
{
  int r = 0;
  for (int i = 0; i < p->n_contact; i++) {
    if (p->kind[i] != SS_CONTACT_FRICTION && state[i] != SS_OPEN) {
      if (p->kind[i] == SS_CONTACT_PLANAR) add_planar(f, r, p->mu[i], state[i]);
      else if (p->kind[i] == SS_CONTACT_SPATIAL) add_spatial(f, r, p->mu[i], state[i], xi + r);
      else {
        new_row(f->E, &f->n, f->m)[r] = 1;
        new_row(f->C, &f->rows, f->m)[r] = 1;
      }
    }
    r += ss_contact_rows(p->kind[i]);
  }
}

// Takes the parts along the first d rows of Q out of v
static void orthogonalise(const family* f, double* v)
{
  for (int pass = 0; pass < 2; pass++)  // twice is enough [Parlett 1980]
    for (int q = 0; q < f->d; q++) ss_axpy(f->m, -ss_dot(f->m, f->Q + q*f->m, v), f->Q + q*f->m, v);
}

// The kernel of S, as orthonormal directions in Lambda
static void find_kernel(family* f, const double* G)
{
  int n = f->n, m = f->m;
  for (int i = 0; i < n; i++) ss_gemv(m, m, G, f->E + i*m, f->GE + i*m);
  ss_abt(n, n, m, f->E, f->GE, f->S);
  memcpy(f->L, f->S, sizeof(double)*(size_t)(n*n));
  int rank = ss_chol_pivoted(n, f->L, f->perm, REDUNDANT);
  f->d = 0;
  for (int j = rank; j < n; j++) {
    double *z = f->GE, *v = f->Q + f->d*m;  // GE is no longer needed
    memcpy(z, f->S + f->perm[j]*n, sizeof(double)*(size_t)n);
    ss_chol_pivoted_solve(n, rank, f->L, f->perm, z, f->work);
    for (int i = 0; i < n; i++) z[i] = -z[i];
    z[f->perm[j]] += 1;
    ss_gemv_t(n, m, f->E, z, v);
    double before = sqrt(ss_dot(m, v, v));
    orthogonalise(f, v);
    double size = sqrt(ss_dot(m, v, v));
    if (!(size > 1e-8*before)) continue;
    for (int i = 0; i < m; i++) v[i] /= size;
    f->d++;
  }
}

// Lambda <- p + Q t. Left alone if the LCP is not solved, which round-off alone could bring about.
static ss_status minimise(family* f, const ss_lcp_def* def, ss_arena* arena, double* Lambda)
{
  int rows = f->rows, d = f->d, m = f->m;
  double* CQ = ss_arena_array(arena, double, rows*d);
  double* M = ss_arena_array(arena, double, rows*rows);
  double* q = ss_arena_array(arena, double, 3*rows);
  if (!CQ || !M || !q) return SS_ERR_CAPACITY;
  double *y = q + rows, *w = y + rows, *v = f->work;
  memcpy(v, Lambda, sizeof(double)*(size_t)m);
  orthogonalise(f, v);
  ss_abt(rows, d, m, f->C, f->Q, CQ);
  ss_abt_sym(rows, d, CQ, CQ, M);
  ss_gemv(rows, m, f->C, v, q);
  ss_lcp lcp = {.n = rows, .A = M, .b = q};
  ss_lcp_solution s = {.x = y, .y = w};
  ss_status st = ss_lcp_lemke(&lcp, def, arena, &s);
  if (st != SS_OK) return st < 0 ? st : SS_OK;
  for (int j = 0; j < d; j++) {
    double t = 0;
    for (int i = 0; i < rows; i++) t += CQ[i*d + j]*y[i];
    ss_axpy(m, t, f->Q + j*m, v);
  }
  memcpy(Lambda, v, sizeof(double)*(size_t)m);
  return SS_OK;
}

// ---- cones ----

// Onto the impulses that a contact with this state may have; Lambda holds its rows, xi their velocities
static void project(ss_contact_kind kind, double mu, ss_contact_state state, const double* xi, double* Lambda)
{
  int rows = ss_contact_rows(kind);
  double d[3] = {1, 0, 0}, along = Lambda[0], size = 1, slip = rows == 3 ? hypot(xi[1], xi[2]) : 0;
  bool slides = state == SS_SLIP || state == SS_SLIP_POS || state == SS_SLIP_NEG;
  if (kind == SS_CONTACT_FRICTION || state == SS_OPEN) memset(Lambda, 0, sizeof(double)*(size_t)rows);
  else if (state == SS_STICK) ss_project_cone(rows, mu, 0, Lambda);
  else {
    for (int k = 1; k < rows && slides; k++) {
      d[k] = rows == 3 ? -mu*xi[k]/slip : state == SS_SLIP_POS ? -mu : mu;
      along += d[k]*Lambda[k];
      size += d[k]*d[k];
    }
    for (int k = 0; k < rows; k++) Lambda[k] = fmax(along/size, 0)*d[k];
  }
}

// Lambda <- the point of K and p + Q t nearest to 0; left alone if the projections do not get there
static void approach(family* f, const ss_contact_problem* p, const ss_contact_state* state, const double* xi,
                     double* Lambda)
{
  int m = f->m;
  double *v = f->work, size = ss_norm_inf(m, Lambda), off = INFINITY;
  memcpy(v, Lambda, sizeof(double)*(size_t)m);
  orthogonalise(f, v);
  memset(f->x, 0, 3*sizeof(double)*(size_t)m);
  for (int it = 0; it < PROJECTIONS && off > CLOSE*size; it++) {
    memcpy(f->y, v, sizeof(double)*(size_t)m);
    for (int j = 0; j < f->d; j++) ss_axpy(m, ss_dot(m, f->Q + j*m, f->x), f->Q + j*m, f->y);
    for (int i = 0; i < m; i++) f->x[i] = f->q[i] = f->y[i] + f->q[i];
    for (int i = 0, r = 0; i < p->n_contact; r += ss_contact_rows(p->kind[i]), i++)
      project(p->kind[i], p->mu[i], state[i], xi + r, f->x + r);
    off = 0;
    for (int i = 0; i < m; i++) {
      f->q[i] -= f->x[i];
      off = fmax(off, fabs(f->x[i] - f->y[i]));
    }
  }
  if (off <= CLOSE*size) memcpy(Lambda, f->x, sizeof(double)*(size_t)m);
}

// Round-off must not leave the cones
static void clean(const ss_contact_problem* p, const ss_contact_state* state, const double* xi, double* Lambda)
{
  for (int i = 0, r = 0; i < p->n_contact; r += ss_contact_rows(p->kind[i]), i++) {
    if (p->kind[i] == SS_CONTACT_FRICTION) continue;
    if (p->kind[i] == SS_CONTACT_SPATIAL) project(p->kind[i], p->mu[i], state[i], xi + r, Lambda + r);
    Lambda[r] = fmax(Lambda[r], 0);
    if (p->kind[i] != SS_CONTACT_PLANAR) continue;
    double limit = p->mu[i]*Lambda[r];
    if (state[i] == SS_SLIP_POS) Lambda[r + 1] = -limit;
    else if (state[i] == SS_SLIP_NEG) Lambda[r + 1] = limit;
    else Lambda[r + 1] = fmax(-limit, fmin(Lambda[r + 1], limit));
  }
}

#define bytes_of(type, count) ss_arena_bytes(sizeof(type)*(count))

size_t ss_least_norm_size(int n_contact)
{
  size_t k = (size_t)n_contact, n = 3*k, rows = 3*k;
  return 3*bytes_of(double, n*n) + 2*bytes_of(double, n*n) + bytes_of(int, n) + bytes_of(double, rows*n) +
         bytes_of(double, 2*n) + bytes_of(double, 3*n) + bytes_of(double, rows*n) + bytes_of(double, rows*rows) +
         bytes_of(double, 3*rows) +
         ss_lcp_lemke_size((int)rows);
}

ss_status ss_least_norm(const ss_contact_problem* p, const ss_reduced* r, const ss_contact_state* state,
                        const double* xi, const ss_lcp_def* def, ss_arena* arena, double* Lambda, bool* unique)
{
  size_t mark = ss_arena_mark(arena);
  family f = {0};
  ss_status st = take(&f, p->n_contact, r->m, arena) ? SS_OK : SS_ERR_CAPACITY;
  *unique = true;
  if (st == SS_OK) {
    describe(&f, p, state, xi);
    find_kernel(&f, r->G);
    *unique = f.d == 0;
    if (f.d && f.cones) approach(&f, p, state, xi, Lambda);
    else if (f.d) st = minimise(&f, def, arena, Lambda);
    if (f.d && st == SS_OK) clean(p, state, xi, Lambda);
  }
  ss_arena_release(arena, mark);
  return st;
}
