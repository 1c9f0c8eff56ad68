// Contact forces that belong to given contact states. The rows that are held (bilateral ones, normals of closed
// contacts, tangents of sticking ones) shall have xi = 0:
//   (G E) x = -xi   in these rows,   Lambda += E x,   E: a held row, and with a sliding contact its friction,
// of which the solution x of least norm is taken where rows depend on each other. Done twice, the second time for
// round-off, so that xi of held rows is round-off of its terms however large the problem is.
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/hold.h"
#include "math/dense.h"

#define REDUNDANT 1e-10  // of the largest pivot: rows are dependent
enum { ROUNDS = 2 };

typedef struct held {
  int n;
  int* row;           // n: of the problem
  double *fold, *g;   // n: friction in the row behind follows with this factor; sqrt(G_ii)
  double *A, *x, *work;
  int* pivot;
} held;

static bool take(held* h, int m, ss_arena* arena)
{
  h->row = ss_arena_array(arena, int, m);
  h->fold = ss_arena_array(arena, double, 2*m);
  h->A = ss_arena_array(arena, double, m*m);
  h->x = ss_arena_array(arena, double, m);
  h->work = ss_arena_array(arena, double, 8*m + 64);
  h->pivot = ss_arena_array(arena, int, m);
  h->g = h->fold ? h->fold + m : NULL;
  return h->row && h->fold && h->A && h->x && h->work && h->pivot;
}

size_t ss_contact_hold_size(int n_bilateral, int n_contact)
{
  size_t m = (size_t)n_bilateral + 2*(size_t)n_contact;
  return ss_arena_bytes(sizeof(double)*m*m) + ss_arena_bytes(sizeof(double)*(8*m + 64)) +
         ss_arena_bytes(2*sizeof(double)*m) + ss_arena_bytes(sizeof(double)*m) + 2*ss_arena_bytes(sizeof(int)*m);
}

static void hold(held* h, const ss_contact_problem* p, int row, double fold)
{
  double g = sqrt(p->G[(size_t)row*(size_t)(p->m + 1)]);
  h->row[h->n] = row;
  h->fold[h->n] = fold;
  h->g[h->n++] = g > 0 ? g : 1;
}

static int sign_of(ss_contact_state state) { return state == SS_SLIP_POS ? 1 : state == SS_SLIP_NEG ? -1 : 0; }

// The rows that are held; what is not is set
static void describe(held* h, const ss_contact_problem* p, const ss_contact_state* state, double* Lambda)
{
  for (int r = 0; r < p->n_bilateral; r++) hold(h, p, r, 0);
  for (int i = 0, r = p->n_bilateral; i < p->n_contact; r += ss_contact_rows(p->kind[i++])) {
    bool normal = p->kind[i] != SS_CONTACT_FRICTION, tangent = p->kind[i] != SS_CONTACT_NORMAL;
    int T = normal ? r + 1 : r, sign = tangent ? sign_of(state[i]) : 0;
    if (state[i] == SS_OPEN) {
      memset(Lambda + r, 0, sizeof(double)*(size_t)ss_contact_rows(p->kind[i]));
      continue;
    }
    if (normal) hold(h, p, r, -sign*p->mu[i]);
    if (tangent && state[i] == SS_STICK) hold(h, p, T, 0);
    else if (tangent) Lambda[T] = -sign*((normal ? p->mu[i]*Lambda[r] : 0) + p->bound[i]);
  }
}

// One round; columns first, as LAPACK has it
static ss_status correct(held* h, const ss_contact_problem* p, double* Lambda)
{
  int n = h->n, m = p->m;
  lapack_int rank;
  for (int i = 0; i < n; i++) {
    const double* G = p->G + (size_t)h->row[i]*(size_t)m;
    h->x[i] = -(ss_dot(m, G, Lambda) + p->b[h->row[i]])/h->g[i];
    h->pivot[i] = 0;
    for (int j = 0; j < n; j++) {
      double value = G[h->row[j]] + (h->fold[j] != 0 ? h->fold[j]*G[h->row[j] + 1] : 0);
      h->A[(size_t)j*(size_t)n + (size_t)i] = value/(h->g[i]*h->g[j]);
    }
  }
  lapack_int info = LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, n, n, 1, h->A, n, h->x, n, h->pivot, REDUNDANT, &rank,
                                        h->work, 8*m + 64);
  for (int i = 0; i < n && info == 0; i++) {
    Lambda[h->row[i]] += h->x[i]/h->g[i];
    if (h->fold[i] != 0) Lambda[h->row[i] + 1] += h->fold[i]*h->x[i]/h->g[i];
  }
  return info == 0 ? SS_OK : SS_ERR_NUMERIC;
}

ss_status ss_contact_hold(const ss_contact_problem* p, const ss_contact_state* state, ss_arena* arena, double* Lambda)
{
  size_t mark = ss_arena_mark(arena);
  held h = {0};
  ss_status st = take(&h, p->m, arena) ? SS_OK : SS_ERR_CAPACITY;
  if (st == SS_OK) describe(&h, p, state, Lambda);
  for (int round = 0; round < ROUNDS && st == SS_OK && h.n; round++) st = correct(&h, p, Lambda);
  ss_arena_release(arena, mark);
  return st;
}
