// Contacts in space that are planar in truth: nothing can move along one direction across the normal, as in a mechanism
// that stays in a plane. The rows of both tangents are then multiples of one row, that of the direction
// t = c T1 + s T2. An impulse across it does nothing and is zero, the rest is a planar contact, and an LCP: pivoting
// ends where sweeps crawl.
#include <math.h>
#include <string.h>
#include <stickslip/contact.h>

#include "base/arena.h"
#include "contact/planar.h"
#include "math/dense.h"

// What is left across t is round-off: of G relative to the diagonal, of b to the largest velocity
#define ROUND_OFF 1e-12

// A row of the planar problem: c times row r, and s times the next one
typedef struct mix {
  int r;
  double c, s;
} mix;

static double at(const ss_contact_problem* p, int r, int j) { return p->G[r*p->m + j]; }

// The direction along which tangents r, r + 1 move; false if there are two
static bool find_tangent(const ss_contact_problem* p, int r, double scale, mix* t)
{
  double first = at(p, r, r), second = at(p, r + 1, r + 1), across = at(p, r, r + 1);
  double x = first > second ? first : across, y = first > second ? across : second, length = hypot(x, y);
  *t = (mix){r, length > 0 ? x/length : 1, length > 0 ? y/length : 0};
  if (fabs(t->c*p->b[r + 1] - t->s*p->b[r]) > ROUND_OFF*scale) return false;
  double size = first + second;
  for (int j = 0; j < p->m; j++) {
    double left = t->c*at(p, r + 1, j) - t->s*at(p, r, j);
    if (left*left > ROUND_OFF*ROUND_OFF*size*at(p, j, j)) return false;
  }
  return true;
}

// Rows of the planar problem and its kinds; their number, or -1 if a contact moves along both tangents
static int find_rows(const ss_contact_problem* p, mix* row, ss_contact_kind* kind)
{
  int m = 0, r = 0;
  double scale = ss_norm_inf(p->m, p->b);
  for (; r < p->n_bilateral; r++) row[m++] = (mix){r, 1, 0};
  for (int i = 0; i < p->n_contact; r += ss_contact_rows(p->kind[i++])) {
    kind[i] = p->kind[i];
    row[m++] = (mix){r, 1, 0};
    if (kind[i] == SS_CONTACT_PLANAR) row[m++] = (mix){r + 1, 1, 0};
    if (kind[i] != SS_CONTACT_SPATIAL) continue;
    kind[i] = SS_CONTACT_PLANAR;
    if (!find_tangent(p, r + 1, scale, row + m++)) return -1;
  }
  return m;
}

// G of two rows
static double product(const ss_contact_problem* p, const mix* a, const mix* b)
{
  double sum = a->c*b->c*at(p, a->r, b->r);
  if (a->s != 0) sum += a->s*b->c*at(p, a->r + 1, b->r);
  if (b->s != 0) sum += a->c*b->s*at(p, a->r, b->r + 1);
  if (a->s != 0 && b->s != 0) sum += a->s*b->s*at(p, a->r + 1, b->r + 1);
  return sum;
}

size_t ss_solve_flat_size(int n_bilateral, int n_contact)
{
  size_t k = (size_t)n_contact, m = (size_t)n_bilateral + 2*k;
  return ss_arena_bytes(sizeof(mix)*m) + 2*ss_arena_bytes(4*k) + ss_arena_bytes(sizeof(double)*m*m) +
         3*ss_arena_bytes(sizeof(double)*m) + ss_contact_solve_size(n_bilateral, n_contact);
}

// The planar problem of the rows that stay
static ss_status solve(const ss_contact_problem* p, double tol, int m, const mix* row, const ss_contact_kind* kind,
                       ss_arena* arena, ss_contact_solution* s)
{
  double *G = ss_arena_array(arena, double, m*m), *b = ss_arena_array(arena, double, m);
  ss_contact_solution flat = {.Lambda = ss_arena_array(arena, double, m), .xi = ss_arena_array(arena, double, m),
                              .state = ss_arena_array(arena, ss_contact_state, p->n_contact)};
  if (!G || !b || !flat.Lambda || !flat.xi || !flat.state) return SS_ERR_CAPACITY;
  for (int i = 0; i < m; i++) {
    b[i] = row[i].c*p->b[row[i].r] + (row[i].s != 0 ? row[i].s*p->b[row[i].r + 1] : 0);
    for (int j = 0; j <= i; j++) G[i*m + j] = G[j*m + i] = product(p, row + i, row + j);
  }
  ss_lcp_def def = ss_lcp_def_default();
  def.tol = tol;
  ss_contact_problem planar = {.n_bilateral = p->n_bilateral, .n_contact = p->n_contact, .m = m, .G = G, .b = b,
                               .kind = kind, .mu = p->mu, .bound = p->bound};
  ss_status st = ss_contact_solve(&planar, &def, arena, &flat);
  if (st != SS_OK) return st;
  memset(s->Lambda, 0, sizeof(double)*(size_t)p->m);
  for (int i = 0; i < m; i++) {
    s->Lambda[row[i].r] += row[i].c*flat.Lambda[i];
    if (row[i].s != 0) s->Lambda[row[i].r + 1] += row[i].s*flat.Lambda[i];
  }
  s->iterations += flat.iterations;
  s->residual = flat.residual;
  return SS_OK;
}

bool ss_solve_flat(const ss_contact_problem* p, double tol, ss_arena* arena, ss_contact_solution* s)
{
  bool in_space = false;
  for (int i = 0; i < p->n_contact; i++) in_space = in_space || p->kind[i] == SS_CONTACT_SPATIAL;
  if (!in_space) return false;
  size_t mark = ss_arena_mark(arena);
  mix* row = ss_arena_array(arena, mix, p->m);
  ss_contact_kind* kind = ss_arena_array(arena, ss_contact_kind, p->n_contact);
  int m = row && kind ? find_rows(p, row, kind) : -1;
  bool solved = m >= 0 && solve(p, tol, m, row, kind, arena, s) == SS_OK;
  ss_arena_release(arena, mark);
  return solved;
}
