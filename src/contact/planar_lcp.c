// The planar contact problem as one LCP in the short form             [Glocker & Studer 2005, (22)-(27), (33)]
//   x = (Lambda_N, Lambda_R, xi_L),  y = (xi_N, xi_R, Lambda_L) for each contact with friction, with
//   Lambda_R = limit + Lambda_T,  Lambda_L = limit - Lambda_T,  xi_T = xi_R - xi_L,  limit = mu Lambda_N + bound.
// A frictionless contact has x = Lambda_N only, a friction element x = (Lambda_R, xi_L) only. One that slides already
// has x = Lambda_N only as well, its friction Lambda_T = -slide limit is folded into the column of Lambda_N. Bilateral
// rows are eliminated first. Not copositive: after a ray the long form is asked.
#include <math.h>
#include <string.h>
#include <stickslip/contact.h>

#include "base/arena.h"
#include "contact/hold.h"
#include "contact/planar.h"
#include "contact/round_off.h"
#include "math/dense.h"

// Relative to the terms a row is a sum of: velocities and impulses below are zero as far as contact states go.
#define ROUND_OFF 1e-12

const char* ss_contact_state_text(ss_contact_state state)
{
  static const char* const text[] = {"open", "stick", "slip+", "slip-", "closed", "slip"};
  return state >= SS_OPEN && state <= SS_SLIP ? text[state] : "unknown";
}

// Where a contact stands in the contact rows and in the LCP; -1: it has no such row.
typedef struct place {
  int N, T;        // rows of the (reduced) contact problem
  int x_N, x_R, x_L;  // unknowns of the LCP
  int slide;          // sign of sliding if that is given
} place;

// Lays out the unknowns; returns the size of the LCP. A contact whose friction limit is always zero gets no x_R, x_L.
static int lay_out(const ss_contact_problem* p, place* at)
{
  int row = 0, n = 0;
  for (int i = 0; i < p->n_contact; i++) {
    bool normal = p->kind[i] != SS_CONTACT_FRICTION, tangent = p->kind[i] != SS_CONTACT_NORMAL;
    bool friction = tangent && ((normal && p->mu[i] > 0) || p->bound[i] > 0);
    at[i].slide = friction ? ss_slide_of(p, i) : 0;
    friction = friction && at[i].slide == 0;
    at[i].N = normal ? row++ : -1;
    at[i].T = tangent ? row++ : -1;
    at[i].x_N = normal ? n++ : -1;
    at[i].x_R = friction ? n++ : -1;
    at[i].x_L = friction ? n++ : -1;
  }
  return n;
}

// Friction of contact j, which slides, in a row: Lambda_T = -slide (mu Lambda_N + bound); returns the new b
static double fold_sliding(const ss_contact_problem* p, const place* c, int j, double G_T, double b, double* A)
{
  if (c->x_N >= 0) A[c->x_N] -= c->slide*p->mu[j]*G_T;
  return b - c->slide*p->bound[j]*G_T;
}

// One row xi_r = G_r Lambda + b_r of the LCP, with Lambda_T = Lambda_R - mu Lambda_N - bound
static inline double fill_row(const ss_contact_problem* p, const place* at, const double* G, double b, double* A)
{
  for (int j = 0; j < p->n_contact; j++) {
    const place* c = &at[j];
    if (c->x_N >= 0) A[c->x_N] = G[c->N];
    if (c->x_R < 0) {
      if (c->slide) b = fold_sliding(p, c, j, G[c->T], b, A);
      continue;
    }
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
  if (c->x_R < 0) Lambda[c->T] = c->slide ? -c->slide*limit : 0;
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

// State of contact i. Impulses and velocities below the round-off of their rows count as zero. What neither carries a
// load nor parts is closed.
static ss_contact_state read_state(const ss_contact_problem* p, const place* c, int i, const double* Lambda,
                                   const double* size, const double* xi)
{
  int N = p->n_bilateral + c->N, T = p->n_bilateral + c->T;
  double none = c->N < 0 ? 0 : ROUND_OFF*row_size(p, size, N);
  bool closed = c->N < 0 || Lambda[N]*p->G[N*p->m + N] > none || xi[N] <= none;
  if (!closed && (p->bound[i] == 0 || (c->x_R < 0 && c->slide == 0))) return SS_OPEN;
  if (c->slide) return c->slide > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
  if (c->x_R < 0) return SS_CLOSED;
  if (fabs(xi[T]) <= ROUND_OFF*row_size(p, size, T)) return SS_STICK;
  return xi[T] > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
}

#define bytes_of(type, count) ss_arena_bytes(sizeof(type)*(count))

enum {
  LONG_MAX = 256,  // contacts for which there is memory for the long form
  DIRECT = 64      // below so many unknowns `auto` is Lemke's method first of all
};

size_t ss_contact_solve_size(int n_bilateral, int n_contact)
{
  size_t nb = (size_t)n_bilateral, k = (size_t)n_contact, m = 2*k, n = 3*k;
  size_t lcp = bytes_of(double, n*n + 3*n) + ss_lcp_solve_size((int)n);
  size_t second = n_contact <= LONG_MAX ? bytes_of(double, m) + ss_planar_long_size(n_contact) : 0;
  size_t own = ss_arena_bytes(sizeof(double)*(nb + m) + sizeof(place)*k);
  size_t solving = ss_reduce_contacts_size(n_bilateral, n_contact) + (lcp > second ? lcp : second);
  size_t sharpening = bytes_of(double, nb + m) + ss_contact_hold_size(n_bilateral, n_contact);
  return own + (solving > sharpening ? solving : sharpening);
}

int ss_planar_short_lcp(const ss_contact_problem* p, const ss_reduced* r, ss_arena* arena, double* A, double* b)
{
  size_t mark = ss_arena_mark(arena);
  place* at = ss_arena_array(arena, place, p->n_contact);
  int n = at ? lay_out(p, at) : -1;
  if (n > 0 && A) fill_lcp(p, at, r->m, r->G, r->b, n, A, b);
  ss_arena_release(arena, mark);
  return n;
}

// By the table; where that would begin with Lemke's method, which judges its residual itself, without the detour.
static ss_status solve_table(const ss_lcp* lcp, const ss_lcp_def* def, ss_arena* arena, ss_lcp_solution* s)
{
  bool direct = def->solver == SS_LCP_LEMKE || (def->solver == SS_LCP_AUTO && lcp->n < DIRECT);
  return direct ? ss_lcp_lemke(lcp, def, arena, s) : ss_lcp_solve(lcp, def, arena, s);
}

static ss_status solve_short(const ss_contact_problem* p, const place* at, int n, const ss_reduced* r,
                             const ss_lcp_def* def, ss_arena* arena, ss_contact_solution* s)
{
  double* A = ss_arena_array(arena, double, n*n + 3*n);
  if (!A) return SS_ERR_CAPACITY;
  double *b = A + n*n, *x = b + n, *y = x + n;

  fill_lcp(p, at, r->m, r->G, r->b, n, A, b);
  ss_lcp lcp = {.n = n, .A = A, .b = b};
  ss_lcp_solution solution;  // its log is long and not wanted
  solution.x = x;
  solution.y = y;
  solution.ray = NULL;
  solution.basis = NULL;
  ss_status st = solve_table(&lcp, def, arena, &solution);
  if (st < 0) return st;
  s->iterations = solution.iterations;
  for (int i = 0; i < p->n_contact; i++) read_impulses(p, &at[i], i, x, s->Lambda + r->nb);
  return st;
}

// The short form ended on a ray: its impulses stay unless the long form solves the problem.
static ss_status second_opinion(const ss_contact_problem* p, const ss_reduced* r, const ss_lcp_def* def,
                                ss_arena* arena, ss_contact_solution* s)
{
  double* Lambda = ss_arena_array(arena, double, r->m);
  if (!Lambda || p->n_contact > LONG_MAX) return SS_RAY;
  int iterations = 0;
  ss_status st = ss_planar_long(p, r, NULL, def, arena, Lambda, &iterations);
  s->iterations += iterations;
  if (st != SS_OK) return SS_RAY;
  memcpy(s->Lambda + r->nb, Lambda, sizeof(double)*(size_t)r->m);
  return SS_OK;
}

// Velocities, states and residual from the impulses; the residual has the last word. size: m numbers of scratch.
static ss_status finish(const ss_contact_problem* p, const place* at, const ss_lcp_def* def, double* size,
                        ss_status st, ss_contact_solution* s)
{
  impulse_sizes(p, at, s->Lambda, size);
  ss_gemv(p->m, p->m, p->G, s->Lambda, s->xi);
  for (int i = 0; i < p->m; i++) s->xi[i] += p->b[i];
  for (int i = 0; i < p->n_contact; i++) s->state[i] = read_state(p, &at[i], i, s->Lambda, size, s->xi);
  s->residual = ss_contact_residual(p, s->Lambda);
  if (s->residual <= def->tol) return SS_OK;
  return st == SS_OK ? SS_INACCURATE : st;
}

static bool is_still(const ss_contact_problem* p)
{
  bool still = true;
  for (int r = 0; r < p->m; r++) still = still && p->b[r] == 0;
  for (int c = 0; c < p->n_contact && p->slide; c++) still = still && p->slide[c] == 0;
  return still;
}

// Friction is the difference of its limit and an unknown: where next to none of the limit is needed, little is left of
// its digits. The states are right all the same, and with them the impulses follow from the equations alone: kept if
// they are better.
//
// Where nothing moves, b = 0, these are zero, to which no digit may be left.
static ss_status sharpen(const ss_contact_problem* p, const ss_lcp_def* def, ss_arena* arena, ss_contact_solution* s)
{
  double* Lambda = ss_arena_array(arena, double, p->m);
  if (!Lambda) return SS_ERR_CAPACITY;
  memcpy(Lambda, s->Lambda, sizeof(double)*(size_t)p->m);
  if (is_still(p)) memset(Lambda, 0, sizeof(double)*(size_t)p->m);
  ss_status st = is_still(p) ? SS_OK : ss_contact_hold(p, s->state, arena, Lambda);
  if (st == SS_ERR_CAPACITY) return st;
  double residual = st == SS_OK ? ss_contact_residual(p, Lambda) : INFINITY;
  if (residual < s->residual) {
    s->residual = residual;
    memcpy(s->Lambda, Lambda, sizeof(double)*(size_t)p->m);
    ss_gemv(p->m, p->m, p->G, s->Lambda, s->xi);
    for (int i = 0; i < p->m; i++) s->xi[i] += p->b[i];
  }
  return ss_contact_within(s->residual, def->tol, p->m, p->G, p->b, s->Lambda) ? SS_OK : SS_INACCURATE;
}

static inline bool is_valid(const ss_contact_problem* p)
{
  int rows = p->n_bilateral;
  for (int i = 0; i < p->n_contact; i++) {
    rows += p->kind[i] == SS_CONTACT_PLANAR ? 2 : 1;
    if (p->kind[i] == SS_CONTACT_SPATIAL) return false;
    if (p->slide && (p->slide[i] < -1 || p->slide[i] > 1)) return false;
    if (!(p->mu[i] >= 0) || !(p->bound[i] >= 0) || !isfinite(p->mu[i]) || !isfinite(p->bound[i])) return false;
  }
  return p->n_bilateral >= 0 && p->n_contact >= 0 && rows == p->m && p->m <= SS_MAX_ROWS;
}

bool ss_planar_is_valid(const ss_contact_problem* p) { return is_valid(p); }

// How a solve goes through the forms
typedef enum plan { SHORT_ONLY, LONG_ONLY, SHORT_THEN_LONG } plan;

static ss_status solve_reduced(const ss_contact_problem* p, const place* at, int n, const ss_reduced* r, plan forms,
                               const ss_lcp_def* def, ss_arena* arena, ss_contact_solution* s)
{
  if (forms == LONG_ONLY) {
    if (p->n_contact > LONG_MAX) return SS_ERR_CAPACITY;
    return ss_planar_long(p, r, NULL, def, arena, s->Lambda + r->nb, &s->iterations);
  }
  size_t mark = ss_arena_mark(arena);
  ss_status st = solve_short(p, at, n, r, def, arena, s);
  if (st != SS_RAY || forms != SHORT_THEN_LONG) return st;
  ss_arena_release(arena, mark);
  return second_opinion(p, r, def, arena, s);
}

static ss_status solve(const ss_contact_problem* p, plan forms, const ss_lcp_def* def, ss_arena* arena,
                       ss_contact_solution* s)
{
  if (!is_valid(p)) return SS_ERR_ARGUMENT;
  if (!ss_all_finite(p->m*p->m, p->G) || !ss_all_finite(p->m, p->b)) return SS_ERR_NUMERIC;
  size_t mark = ss_arena_mark(arena);
  ss_reduced r = {.nb = p->n_bilateral, .m = p->m - p->n_bilateral, .G = (double*)p->G, .b = (double*)p->b};
  double* size = ss_arena_take(arena, sizeof(double)*(size_t)p->m + sizeof(place)*(size_t)p->n_contact);
  place* at = size ? (place*)(size + p->m) : NULL;
  size_t own = ss_arena_mark(arena);
  ss_status st = at && (r.nb == 0 || ss_reduce_contacts(p, arena, &r)) ? SS_OK : SS_ERR_CAPACITY;
  if (st == SS_OK) st = solve_reduced(p, at, lay_out(p, at), &r, forms, def, arena, s);
  if (st >= 0) {
    if (r.nb) ss_recover_bilateral(&r, true, s->Lambda);
    st = finish(p, at, def, size, st, s);
    ss_arena_release(arena, own);
    if (st == SS_INACCURATE) st = sharpen(p, def, arena, s);
  }
  ss_arena_release(arena, mark);
  return st;
}

ss_status ss_contact_solve(const ss_contact_problem* p, const ss_lcp_def* def, ss_arena* arena, ss_contact_solution* s)
{
  if (!p || !def || !arena || !s) return SS_ERR_ARGUMENT;
  return solve(p, SHORT_THEN_LONG, def, arena, s);
}

ss_status ss_contact_solve_form(const ss_contact_problem* p, ss_planar_form form, const ss_lcp_def* def,
                                ss_arena* arena, ss_contact_solution* s)
{
  if (!p || !def || !arena || !s) return SS_ERR_ARGUMENT;
  if ((int)form < 0 || form >= SS_PLANAR_FORMS) return SS_ERR_ARGUMENT;
  return solve(p, form == SS_PLANAR_LONG ? LONG_ONLY : SHORT_ONLY, def, arena, s);
}
