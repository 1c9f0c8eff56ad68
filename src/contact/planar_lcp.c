// The planar contact problem as one LCP                               [Glocker & Studer 2005, (22)-(27), (33)]
//   x = (Lambda_N, Lambda_R, xi_L),  y = (xi_N, xi_R, Lambda_L) for each contact with friction, with
//   Lambda_R = limit + Lambda_T,  Lambda_L = limit - Lambda_T,  xi_T = xi_R - xi_L,  limit = mu Lambda_N + bound.
// A frictionless contact has x = Lambda_N only, a friction element x = (Lambda_R, xi_L) only. Bilateral rows are free
// unknowns and are eliminated first:  G <- G_cc - G_cb G_bb^-1 G_bc.
#include <math.h>
#include <string.h>
#include <stickslip/contact.h>

#include "base/arena.h"
#include "math/dense.h"

// What is left of a diagonal entry of G after elimination counts as zero below this part of it: round-off of the
// elimination is some 1e-16 times its condition, for which 1e5 is allowed.
#define REDUNDANT 1e-11

// Relative to the terms a row is a sum of: velocities and impulses below are zero as far as contact states go.
#define ROUND_OFF 1e-12

const char* ss_contact_state_text(ss_contact_state state)
{
  static const char* const text[] = {"open", "stick", "slip+", "slip-", "closed"};
  return state >= SS_OPEN && state <= SS_CLOSED ? text[state] : "unknown";
}

// Where a contact stands in the contact rows and in the LCP; -1: it has no such row.
typedef struct place {
  int N, T;        // rows of the (reduced) contact problem
  int x_N, x_R, x_L;  // unknowns of the LCP
} place;

// Lays out the unknowns; returns the size of the LCP. A contact whose friction limit is always zero gets no x_R, x_L.
static int lay_out(const ss_contact_problem* p, place* at)
{
  int row = 0, n = 0;
  for (int i = 0; i < p->n_contact; i++) {
    bool normal = p->kind[i] != SS_CONTACT_FRICTION, tangent = p->kind[i] != SS_CONTACT_NORMAL;
    bool friction = tangent && ((normal && p->mu[i] > 0) || p->bound[i] > 0);
    at[i].N = normal ? row++ : -1;
    at[i].T = tangent ? row++ : -1;
    at[i].x_N = normal ? n++ : -1;
    at[i].x_R = friction ? n++ : -1;
    at[i].x_L = friction ? n++ : -1;
  }
  return n;
}

// One row xi_r = G_r Lambda + b_r of the LCP, with Lambda_T = Lambda_R - mu Lambda_N - bound
static double fill_row(const ss_contact_problem* p, const place* at, const double* G, double b, double* A)
{
  for (int j = 0; j < p->n_contact; j++) {
    const place* c = &at[j];
    if (c->x_N >= 0) A[c->x_N] = G[c->N];
    if (c->x_R < 0) continue;
    if (c->x_N >= 0) A[c->x_N] -= p->mu[j]*G[c->T];
    A[c->x_R] = G[c->T];
    A[c->x_L] = 0;
    b -= G[c->T]*p->bound[j];
  }
  return b;
}

// A, b of the LCP from G (m x m) and b of the contact rows
static void fill_lcp(const ss_contact_problem* p, const place* at, int m, const double* G, const double* b, int n,
                     double* A, double* c)
{
  for (int i = 0; i < p->n_contact; i++) {
    const place* r = &at[i];
    if (r->x_N >= 0) c[r->x_N] = fill_row(p, at, G + r->N*m, b[r->N], A + r->x_N*n);
    if (r->x_R < 0) continue;
    c[r->x_R] = fill_row(p, at, G + r->T*m, b[r->T], A + r->x_R*n);
    A[r->x_R*n + r->x_L] = 1;
    double* row = A + r->x_L*n;  // Lambda_L = 2 limit - Lambda_R
    memset(row, 0, sizeof(double)*(size_t)n);
    if (r->x_N >= 0) row[r->x_N] = 2*p->mu[i];
    row[r->x_R] = -1;
    c[r->x_L] = 2*p->bound[i];
  }
}

// Impulses of contact i from the LCP. A contact that slides has Lambda_R = 0 or xi_L > 0, exactly.
static void read_impulses(const ss_contact_problem* p, const place* c, int i, const double* x, double* Lambda)
{
  double N = c->x_N >= 0 ? x[c->x_N] : 0;
  if (c->N >= 0) Lambda[c->N] = N;
  if (c->T < 0) return;
  double limit = (c->x_N >= 0 ? p->mu[i]*N : 0) + p->bound[i];
  if (c->x_R < 0) Lambda[c->T] = 0;
  else if (x[c->x_L] > 0) Lambda[c->T] = limit;
  else Lambda[c->T] = fmin(x[c->x_R] - limit, limit);
}

// How large the impulses are that rows add up: round-off is measured by it. Friction is found as a difference of terms
// as large as its limit.
static void impulse_sizes(const ss_contact_problem* p, const place* at, const double* Lambda, double* size)
{
  for (int r = 0; r < p->m; r++) size[r] = fabs(Lambda[r]);
  for (int i = 0; i < p->n_contact; i++) {
    if (at[i].x_R < 0) continue;
    int T = p->n_bilateral + at[i].T;
    double limit = p->bound[i] + (at[i].N >= 0 ? p->mu[i]*size[p->n_bilateral + at[i].N] : 0);
    size[T] = fmax(size[T], limit);
  }
}

// Sum of the magnitudes that make up xi of row r
static double row_size(const ss_contact_problem* p, const double* size, int r)
{
  double sum = fabs(p->b[r]);
  for (int j = 0; j < p->m; j++) sum += fabs(p->G[r*p->m + j])*size[j];
  return sum;
}

// State of contact i. Impulses and velocities below the round-off of their rows count as zero.
static ss_contact_state read_state(const ss_contact_problem* p, const place* c, int i, const double* Lambda,
                                   const double* size, const double* xi)
{
  int N = p->n_bilateral + c->N, T = p->n_bilateral + c->T;
  bool loaded = c->N < 0 || Lambda[N]*p->G[N*p->m + N] > ROUND_OFF*row_size(p, size, N);
  if (!loaded && (c->x_R < 0 || p->bound[i] == 0)) return SS_OPEN;
  if (c->x_R < 0) return SS_CLOSED;
  if (fabs(xi[T]) <= ROUND_OFF*row_size(p, size, T)) return SS_STICK;
  return xi[T] > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
}

// The contact rows after elimination of the bilateral ones.
typedef struct reduced {
  int nb, m;        // bilateral rows, contact rows
  double* G;        // m x m
  double* b;        // m
  double* L;        // nb x nb: pivoted Cholesky factor of G_bb
  double* X;        // m x nb: row r holds G_bb^-1 G_br
  double* y;        // nb: G_bb^-1 b_b
  double* work;     // nb
  int* perm;        // nb
  int rank;
} reduced;

// Contact row i cannot move, the bilateral rows hold it: what elimination left there is round-off and becomes zero.
static void fix_row(const ss_contact_problem* p, reduced* r, int i)
{
  int nb = r->nb, m = r->m;
  const double* G_i = p->G + (nb + i)*p->m;
  double size = fabs(p->b[nb + i]);
  for (int k = 0; k < nb; k++) size += fabs(G_i[k]*r->y[k]);
  for (int j = 0; j < m; j++) r->G[i*m + j] = r->G[j*m + i] = 0;
  if (fabs(r->b[i]) <= REDUNDANT*size) r->b[i] = 0;
}

// G <- G_cc - G_cb G_bb^-1 G_bc,  b <- b_c - G_cb G_bb^-1 b_b. False if the arena is full.
static bool eliminate(const ss_contact_problem* p, ss_arena* arena, reduced* r)
{
  int nb = r->nb, m = r->m, all = p->m;
  r->G = ss_arena_array(arena, double, m*m);
  r->b = ss_arena_array(arena, double, m);
  r->L = ss_arena_array(arena, double, nb*nb);
  r->X = ss_arena_array(arena, double, m*nb);
  r->y = ss_arena_array(arena, double, nb);
  r->work = ss_arena_array(arena, double, nb);
  r->perm = ss_arena_array(arena, int, nb);
  if (!r->G || !r->b || !r->L || !r->X || !r->y || !r->work || !r->perm) return false;

  for (int i = 0; i < nb; i++) memcpy(r->L + i*nb, p->G + i*all, sizeof(double)*(size_t)nb);
  r->rank = ss_chol_pivoted(nb, r->L, r->perm, REDUNDANT);
  memcpy(r->y, p->b, sizeof(double)*(size_t)nb);
  ss_chol_pivoted_solve(nb, r->rank, r->L, r->perm, r->y, r->work);
  for (int i = 0; i < m; i++) {
    const double* G_i = p->G + (nb + i)*all;
    double* X_i = r->X + i*nb;
    memcpy(X_i, G_i, sizeof(double)*(size_t)nb);
    ss_chol_pivoted_solve(nb, r->rank, r->L, r->perm, X_i, r->work);
    r->b[i] = p->b[nb + i] - ss_dot(nb, G_i, r->y);
    for (int j = 0; j < m; j++) r->G[i*m + j] = G_i[nb + j] - ss_dot(nb, X_i, p->G + (nb + j)*all);
  }
  for (int i = 0; i < m; i++)
    if (!(r->G[i*m + i] > REDUNDANT*p->G[(nb + i)*all + nb + i])) fix_row(p, r, i);
  return true;
}

// Lambda_b = -G_bb^-1 (b_b + G_bc Lambda_c)
static void recover_bilateral(const reduced* r, double* Lambda)
{
  const double* Lambda_c = Lambda + r->nb;
  for (int i = 0; i < r->nb; i++) {
    double sum = r->y[i];
    for (int j = 0; j < r->m; j++) sum += r->X[j*r->nb + i]*Lambda_c[j];
    Lambda[i] = -sum;
  }
}

#define bytes_of(type, count) ss_arena_bytes(sizeof(type)*(count))

size_t ss_contact_solve_size(int n_bilateral, int n_contact)
{
  size_t nb = (size_t)n_bilateral, k = (size_t)n_contact, m = 2*k, n = 3*k;
  size_t own = bytes_of(place, k) + bytes_of(double, n*n) + 3*bytes_of(double, n) + bytes_of(double, nb + m);
  size_t elimination = bytes_of(double, m*m) + bytes_of(double, m) + bytes_of(double, nb*nb) +
                       bytes_of(double, m*nb) + 2*bytes_of(double, nb) + bytes_of(int, nb);
  return own + elimination + ss_lcp_lemke_size((int)n);
}

static ss_status solve_lcp(const ss_contact_problem* p, const place* at, int n, const reduced* r, const ss_lcp_def* def,
                           ss_arena* arena, ss_contact_solution* s)
{
  double* A = ss_arena_array(arena, double, n*n);
  double* b = ss_arena_array(arena, double, n);
  double* x = ss_arena_array(arena, double, n);
  double* y = ss_arena_array(arena, double, n);
  if (!A || !b || !x || !y) return SS_ERR_CAPACITY;

  fill_lcp(p, at, r->m, r->G, r->b, n, A, b);
  ss_lcp lcp = {n, A, b};
  ss_lcp_solution solution = {.x = x, .y = y};
  ss_status st = ss_lcp_lemke(&lcp, def, arena, &solution);
  if (st < 0) return st;
  s->iterations = solution.iterations;
  for (int i = 0; i < p->n_contact; i++) read_impulses(p, &at[i], i, x, s->Lambda + r->nb);
  return st;
}

// Velocities, states and residual from the impulses; the residual has the last word.
static ss_status finish(const ss_contact_problem* p, const place* at, const ss_lcp_def* def, ss_arena* arena,
                        ss_status st, ss_contact_solution* s)
{
  double* size = ss_arena_array(arena, double, p->m);
  if (!size) return SS_ERR_CAPACITY;
  impulse_sizes(p, at, s->Lambda, size);
  ss_gemv(p->m, p->m, p->G, s->Lambda, s->xi);
  for (int i = 0; i < p->m; i++) s->xi[i] += p->b[i];
  for (int i = 0; i < p->n_contact; i++) s->state[i] = read_state(p, &at[i], i, s->Lambda, size, s->xi);
  s->residual = ss_contact_residual(p, s->Lambda);
  if (s->residual <= def->tol) return SS_OK;
  return st == SS_OK ? SS_INACCURATE : st;
}

// The rows add up and the coefficients are coefficients.
static bool is_valid(const ss_contact_problem* p)
{
  int rows = p->n_bilateral;
  for (int i = 0; i < p->n_contact; i++) {
    rows += ss_contact_rows(p->kind[i]);
    if (!(p->mu[i] >= 0) || !(p->bound[i] >= 0) || !isfinite(p->mu[i]) || !isfinite(p->bound[i])) return false;
  }
  return p->n_bilateral >= 0 && p->n_contact >= 0 && rows == p->m && p->m <= SS_MAX_ROWS;
}

ss_status ss_contact_solve(const ss_contact_problem* p, const ss_lcp_def* def, ss_arena* arena, ss_contact_solution* s)
{
  if (!is_valid(p)) return SS_ERR_ARGUMENT;
  if (!ss_all_finite(p->m*p->m, p->G) || !ss_all_finite(p->m, p->b)) return SS_ERR_NUMERIC;
  size_t mark = ss_arena_mark(arena);
  reduced r = {.nb = p->n_bilateral, .m = p->m - p->n_bilateral, .G = (double*)p->G, .b = (double*)p->b};
  place* at = ss_arena_array(arena, place, p->n_contact);
  ss_status st = at && (r.nb == 0 || eliminate(p, arena, &r)) ? SS_OK : SS_ERR_CAPACITY;
  if (st == SS_OK) st = solve_lcp(p, at, lay_out(p, at), &r, def, arena, s);
  if (st >= 0) {
    if (r.nb) recover_bilateral(&r, s->Lambda);
    st = finish(p, at, def, arena, st, s);
  }
  ss_arena_release(arena, mark);
  return st;
}
