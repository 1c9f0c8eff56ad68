// The forms of the planar contact problem as bare LCPs, to look at: their matrices, what their unknowns are, and all
// their solutions. With limit = mu Lambda_N + bound, for each contact with friction that does not slide already,
//   short      x = (Lambda_N, Lambda_R, xi_L),  y = (xi_N, xi_R, Lambda_L),      Lambda_R = limit + Lambda_T,
//              Lambda_L = limit - Lambda_T,  xi_T = xi_R - xi_L
//   long       x = (Lambda_N, L+, k+, L-, k-),  y = (xi_N, xi_T + k+, limit - L+, -xi_T + k-, limit - L-),
//              Lambda_T = L+ - L-
//   enhanced   the short form with xi_R xi_L = 0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/planar.h"
#include "math/dense.h"

static const char* const form_names[SS_PLANAR_FORMS] = {"short", "long", "enhanced"};

static bool is_form(ss_planar_form form) { return (int)form >= 0 && form < SS_PLANAR_FORMS; }

const char* ss_planar_form_name(ss_planar_form form) { return is_form(form) ? form_names[form] : NULL; }

bool ss_planar_form_find(const char* name, ss_planar_form* form)
{
  for (int k = 0; name && k < SS_PLANAR_FORMS; k++) {
    if (strcmp(name, form_names[k]) != 0) continue;
    *form = (ss_planar_form)k;
    return true;
  }
  return false;
}

// ---- the LCP ----

// The problem without its bilateral rows; the arena belongs to the caller, NULL if memory is short
static ss_arena* reduce(const ss_contact_problem* p, ss_reduced* r)
{
  size_t bytes = ss_reduce_contacts_size(p->n_bilateral, p->n_contact) + 256*(size_t)(p->n_contact + 1);
  ss_arena* arena = ss_arena_create(bytes);
  if (arena && ss_reduce_contacts(p, arena, r)) return arena;
  ss_arena_destroy(arena);
  return NULL;
}

ss_status ss_planar_lcp(const ss_contact_problem* p, ss_planar_form form, int* n, double* A, double* b)
{
  if (!p || !n || !is_form(form) || (A && !b) || !ss_planar_is_valid(p)) return SS_ERR_ARGUMENT;
  ss_reduced r;
  ss_arena* arena = reduce(p, &r);
  if (!arena) return SS_ERR_MEMORY;
  *n = form == SS_PLANAR_LONG ? ss_planar_long_lcp(p, &r, arena, A, b) : ss_planar_short_lcp(p, &r, arena, A, b);
  ss_arena_destroy(arena);
  return *n >= 0 ? SS_OK : SS_ERR_MEMORY;
}

// ---- unknowns ----

typedef enum part { NORMAL, RIGHT, LEFT, PLUS, PLUS_SLACK, MINUS, MINUS_SLACK } part;

static const struct {
  const char *x, *y;
} part_names[] = {
  [NORMAL] = {"Lambda_N", "xi_N"},  [RIGHT] = {"Lambda_R", "xi_R"},        [LEFT] = {"xi_L", "Lambda_L"},
  [PLUS] = {"L+", "xi_T + k+"},     [PLUS_SLACK] = {"k+", "limit - L+"},   [MINUS] = {"L-", "-xi_T + k-"},
  [MINUS_SLACK] = {"k-", "limit - L-"},
};

// Contact i among the rows of contacts and the unknowns
typedef struct entry {
  int N, T, x_N, x_T;  // rows and first unknowns; -1: none. x_T: Lambda_R, xi_L or L+, k+, L-, k-
  int slide;
} entry;

// Goes from one contact to the next; row and x count what is before
static entry next_entry(const ss_contact_problem* p, ss_planar_form form, int i, int* row, int* x)
{
  bool normal = p->kind[i] != SS_CONTACT_FRICTION, tangent = p->kind[i] != SS_CONTACT_NORMAL;
  bool friction = tangent && ((normal && p->mu[i] > 0) || p->bound[i] > 0);
  entry e = {-1, -1, -1, -1, friction ? ss_slide_of(p, i) : 0};
  if (normal) e.N = (*row)++;
  if (tangent) e.T = (*row)++;
  if (normal) e.x_N = (*x)++;
  if (friction && e.slide == 0) {
    e.x_T = *x;
    *x += form == SS_PLANAR_LONG ? 4 : 2;
  }
  return e;
}

ss_status ss_planar_unknown(const ss_contact_problem* p, ss_planar_form form, int j, int* contact, const char** x,
                            const char** y)
{
  if (!p || !is_form(form) || j < 0 || !ss_planar_is_valid(p)) return SS_ERR_ARGUMENT;
  for (int i = 0, row = 0, n = 0; i < p->n_contact; i++) {
    entry e = next_entry(p, form, i, &row, &n);
    if (j >= n) continue;
    part what = j == e.x_N ? NORMAL : (part)((form == SS_PLANAR_LONG ? PLUS : RIGHT) + j - e.x_T);
    *contact = i;
    *x = part_names[what].x;
    *y = part_names[what].y;
    return SS_OK;
  }
  return SS_ERR_ARGUMENT;
}

ss_status ss_planar_impulses(const ss_contact_problem* p, ss_planar_form form, const double* x, double* Lambda)
{
  if (!p || !x || !Lambda || !is_form(form) || !ss_planar_is_valid(p)) return SS_ERR_ARGUMENT;
  ss_reduced r;
  ss_arena* arena = reduce(p, &r);
  if (!arena) return SS_ERR_MEMORY;
  double* L = Lambda + r.nb;
  for (int i = 0, row = 0, n = 0; i < p->n_contact; i++) {
    entry e = next_entry(p, form, i, &row, &n);
    double limit = p->bound[i] + (e.x_N >= 0 ? p->mu[i]*x[e.x_N] : 0);
    if (e.N >= 0) L[e.N] = x[e.x_N];
    if (e.T < 0) continue;
    if (e.slide) L[e.T] = -e.slide*limit;
    else if (e.x_T < 0) L[e.T] = 0;
    else L[e.T] = form == SS_PLANAR_LONG ? x[e.x_T] - x[e.x_T + 2] : x[e.x_T] - limit;
  }
  if (r.nb) ss_recover_bilateral(&r, true, Lambda);
  ss_arena_destroy(arena);
  return SS_OK;
}

// x of Lambda with xi, or of a direction of both, which has no bound
static void write_unknowns(const ss_contact_problem* p, ss_planar_form form, bool ray, const double* Lambda,
                           const double* xi, double* x)
{
  const double *L = Lambda + p->n_bilateral, *v = xi + p->n_bilateral;
  for (int i = 0, row = 0, n = 0; i < p->n_contact; i++) {
    entry e = next_entry(p, form, i, &row, &n);
    double limit = (ray ? 0 : p->bound[i]) + (e.N >= 0 ? p->mu[i]*L[e.N] : 0);
    if (e.x_N >= 0) x[e.x_N] = L[e.N];
    if (e.x_T < 0) continue;
    double* t = x + e.x_T;
    if (form == SS_PLANAR_LONG) {
      t[0] = fmax(L[e.T], 0);
      t[1] = fmax(-v[e.T], 0);
      t[2] = fmax(-L[e.T], 0);
      t[3] = fmax(v[e.T], 0);
    } else {
      t[0] = fmax(limit + L[e.T], 0);
      t[1] = fmax(-v[e.T], 0);
    }
  }
}

ss_status ss_planar_unknowns(const ss_contact_problem* p, ss_planar_form form, const double* Lambda, double* x)
{
  if (!p || !x || !Lambda || !is_form(form) || !ss_planar_is_valid(p)) return SS_ERR_ARGUMENT;
  double* xi = malloc(sizeof(double)*((size_t)p->m + 1));
  if (!xi) return SS_ERR_MEMORY;
  ss_gemv(p->m, p->m, p->G, Lambda, xi);
  double size = 0;
  for (int r = 0; r < p->m; r++) size = fmax(size, fabs(p->b[r]));
  for (int r = 0; r < p->m; r++) {
    xi[r] += p->b[r];
    if (fabs(xi[r]) <= 1e-13*size) xi[r] = 0;
  }
  write_unknowns(p, form, false, Lambda, xi, x);
  free(xi);
  return SS_OK;
}

// ---- all solutions ----

// xi_T of contact rows never has both signs on the piece: only then the slacks are linear on it
static bool has_signs(const ss_contact_problem* p, const ss_contact_piece* piece, const double* xi_ray)
{
  for (int i = 0, row = p->n_bilateral; i < p->n_contact; row += ss_contact_rows(p->kind[i]), i++) {
    if (p->kind[i] == SS_CONTACT_NORMAL) continue;
    int T = row + ss_contact_rows(p->kind[i]) - 1;
    double low = 0, high = 0, size = 0;
    for (int k = 0; k < piece->n_vertices + piece->n_rays; k++) {
      const double* xi = k < piece->n_vertices ? piece->xi + k*p->m : xi_ray + (k - piece->n_vertices)*p->m;
      low = fmin(low, xi[T]);
      high = fmax(high, xi[T]);
      for (int r = 0; r < p->m; r++) size = fmax(size, fabs(xi[r]));
    }
    if (low < -1e-10*size && high > 1e-10*size) return false;
  }
  return true;
}

// One piece with the unknowns of its vertices and rays; false if memory is short
static bool translate(const ss_contact_problem* p, ss_planar_form form, int n, const ss_contact_piece* from,
                      ss_lcp_piece* to, bool* complete)
{
  size_t m = (size_t)p->m;
  double* xi = malloc(sizeof(double)*(m*(size_t)from->n_rays + 1));
  *to = (ss_lcp_piece){.n_vertices = from->n_vertices, .n_rays = from->n_rays};
  to->vertices = malloc(sizeof(double)*((size_t)(n*from->n_vertices) + 1));
  to->rays = malloc(sizeof(double)*((size_t)(n*from->n_rays) + 1));
  bool ok = xi && to->vertices && to->rays;
  for (int k = 0; ok && k < from->n_vertices; k++)
    ok = ss_planar_unknowns(p, form, from->vertices + (size_t)k*m, to->vertices + k*n) == SS_OK;
  for (int k = 0; ok && k < from->n_rays; k++) {
    ss_gemv(p->m, p->m, p->G, from->rays + (size_t)k*m, xi + (size_t)k*m);
    write_unknowns(p, form, true, from->rays + (size_t)k*m, xi + (size_t)k*m, to->rays + k*n);
  }
  if (ok && !has_signs(p, from, xi)) *complete = false;
  free(xi);
  return ok;
}

static ss_status enumerate_enhanced(const ss_contact_problem* p, int n, const ss_lcp_def* def,
                                    ss_lcp_solutions** solutions)
{
  ss_contact_solutions* states = NULL;
  ss_status st = ss_contact_enumerate(p, def, &states);
  if (st < 0) return st;
  ss_lcp_solutions* all = calloc(1, sizeof *all);
  ss_lcp_piece* pieces = calloc((size_t)states->n_pieces + 1, sizeof *pieces);
  bool ok = all && pieces;
  if (ok) {
    *all = (ss_lcp_solutions){states->count, states->complete, n, states->n_pieces, pieces};
    for (int k = 0; ok && k < states->n_pieces; k++)
      ok = translate(p, SS_PLANAR_ENHANCED, n, &states->pieces[k], &pieces[k], &all->complete);
  } else free(pieces);
  ss_contact_solutions_destroy(states);
  if (ok) *solutions = all;
  else if (all && pieces) ss_lcp_solutions_destroy(all);
  else free(all);
  return ok ? SS_OK : SS_ERR_MEMORY;
}

ss_status ss_planar_enumerate(const ss_contact_problem* p, ss_planar_form form, const ss_lcp_def* def,
                              ss_lcp_solutions** solutions)
{
  int n = 0;
  ss_status st = def && solutions ? ss_planar_lcp(p, form, &n, NULL, NULL) : SS_ERR_ARGUMENT;
  if (st < 0) return st;
  if (form == SS_PLANAR_ENHANCED) return enumerate_enhanced(p, n, def, solutions);
  if (n > SS_LCP_ENUMERATE_MAX) return SS_ERR_CAPACITY;
  if (!ss_all_finite(p->m*p->m, p->G) || !ss_all_finite(p->m, p->b)) return SS_ERR_NUMERIC;
  double A[SS_LCP_ENUMERATE_MAX*SS_LCP_ENUMERATE_MAX], b[SS_LCP_ENUMERATE_MAX];
  st = ss_planar_lcp(p, form, &n, A, b);
  ss_lcp lcp = {.n = n, .A = A, .b = b};
  return st < 0 ? st : ss_lcp_enumerate(&lcp, def, solutions);
}
