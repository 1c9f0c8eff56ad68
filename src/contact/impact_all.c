// All solutions of an impact. Newton's law is one contact problem; Poisson's is one for the compression and, for each
// of its solutions, one for the expansion (impact.c has both laws).
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "contact/impact_laws.h"
#include "contact/states.h"

typedef struct list {
  const ss_impact* in;
  const ss_impact_def* def;
  ss_arena* arena;
  double *b, *a, *bound, *Lambda;  // m, m, n_contact, m
  ss_contact_solutions* all;
  int room;
} list;

static ss_contact_problem problem_of(const list* l)
{
  const ss_impact* in = l->in;
  return (ss_contact_problem){.n_bilateral = in->n_bilateral, .n_contact = in->n_contact, .m = in->m, .G = in->G,
                              .b = l->b, .kind = in->kind, .mu = in->mu, .bound = l->bound};
}

// The states at the end, by the mean of the vertices where there are several
static void read_states(list* l, ss_contact_piece* p)
{
  int m = l->in->m, n = p->n_vertices;
  for (int r = 0; r < m; r++) {
    l->Lambda[r] = l->b[r] = 0;
    for (int v = 0; v < n; v++) {
      l->Lambda[r] += p->vertices[v*m + r]/n;
      l->b[r] += p->xi[v*m + r]/n;
    }
  }
  ss_impact_states(l->in, l->b, l->Lambda, 0, p->state);
}

// ---- Newton ----

// gamma+ = xi - eps gamma-, exactly zero where xi is and nothing is given back
static void to_velocities(list* l, ss_contact_piece* p)
{
  int m = l->in->m;
  ss_impact_newton(l->in, 1, l->b);
  for (int v = 0; v < p->n_vertices; v++)
    for (int r = 0; r < m; r++) p->xi[v*m + r] -= l->b[r] - l->in->gamma[r];
  read_states(l, p);
}

static ss_status newton(list* l)
{
  memset(l->bound, 0, sizeof(double)*(size_t)l->in->n_contact);
  ss_impact_newton(l->in, 1, l->b);
  ss_contact_problem p = problem_of(l);
  ss_status st = ss_contact_enumerate(&p, &l->def->solver, &l->all);
  for (int k = 0; st >= 0 && k < l->all->n_pieces; k++) to_velocities(l, &l->all->pieces[k]);
  return st;
}

// ---- Poisson ----

// Moves the piece to the list, with the impulses of the compression
static ss_status append(list* l, ss_contact_piece* from, const double* Lambda_C)
{
  ss_contact_solutions* all = l->all;
  size_t m = (size_t)l->in->m, n = (size_t)from->n_vertices;
  if (all->n_pieces == l->room) {
    int room = l->room ? 2*l->room : 4;
    ss_contact_piece* grown = realloc(all->pieces, (size_t)room*sizeof *grown);
    if (!grown) return SS_ERR_MEMORY;
    all->pieces = grown;
    l->room = room;
  }
  from->compression = malloc((n*m + 1)*sizeof(double));
  if (!from->compression) return SS_ERR_MEMORY;
  for (size_t i = 0; i < n*m; i++) from->compression[i] = Lambda_C[i%m];
  all->pieces[all->n_pieces] = *from;
  *from = (ss_contact_piece){0};
  read_states(l, &all->pieces[all->n_pieces++]);
  return SS_OK;
}

// One vertex: impulses Lambda_C + Lambda_E (in l->Lambda), velocities after them
static ss_status append_point(list* l, const double* Lambda_C, const double* gamma_C)
{
  size_t m = (size_t)l->in->m, k = (size_t)l->in->n_contact;
  ss_contact_piece p = {.n_vertices = 1, .xi_unique = true, .state = calloc(k + 1, sizeof *p.state),
                        .vertices = calloc(m + 1, sizeof(double)), .rays = calloc(1, sizeof(double)),
                        .xi = calloc(m + 1, sizeof(double))};
  ss_status st = p.state && p.vertices && p.rays && p.xi ? SS_OK : SS_ERR_MEMORY;
  if (st == SS_OK) {
    ss_impact_velocities(l->in, gamma_C, l->Lambda, p.xi);
    for (size_t r = 0; r < m; r++) p.vertices[r] = Lambda_C[r] + l->Lambda[r];
    st = append(l, &p, Lambda_C);
  }
  ss_states_free_piece(&p);
  return st;
}

// Every expansion that can follow: a contact problem in P = Lambda_NE - a, whose bound is the friction that a allows
static ss_status append_expansions(list* l, const double* Lambda_C, const double* gamma_C)
{
  ss_contact_solutions* found = NULL;
  int m = l->in->m;
  ss_impact_velocities(l->in, gamma_C, l->a, l->b);
  ss_contact_problem p = problem_of(l);
  ss_status st = ss_contact_enumerate(&p, &l->def->solver, &found);
  if (st < 0) return st;
  l->all->complete = l->all->complete && found->complete;
  for (int k = 0; st >= 0 && k < found->n_pieces; k++) {
    ss_contact_piece* piece = &found->pieces[k];
    for (int v = 0; v < piece->n_vertices; v++)
      for (int r = 0; r < m; r++) piece->vertices[v*m + r] += Lambda_C[r] + l->a[r];
    st = append(l, piece, Lambda_C);
  }
  ss_contact_solutions_destroy(found);
  return st;
}

static bool recoils(const list* l, const double* Lambda_C)
{
  const ss_impact* in = l->in;
  if (!in->nu || l->def->recoil == SS_RECOIL_NONE) return false;
  for (int i = 0, r = in->n_bilateral; i < in->n_contact; r += ss_contact_rows(in->kind[i]), i++)
    if (in->kind[i] == SS_CONTACT_PLANAR && in->nu[i]*in->eps_n[i]*in->eps_t[i]*Lambda_C[r + 1] != 0) return true;
  return false;
}

static ss_status expand(list* l, const double* Lambda_C, const double* gamma_C)
{
  if (!ss_impact_given_back(l->in, 1, Lambda_C, l->a, l->bound)) {
    memset(l->Lambda, 0, sizeof(double)*(size_t)l->in->m);
    return append_point(l, Lambda_C, gamma_C);
  }
  if (!recoils(l, Lambda_C)) return append_expansions(l, Lambda_C, gamma_C);
  l->all->complete = false;
  ss_status st = ss_impact_expand(l->in, l->def, l->arena, Lambda_C, gamma_C, l->Lambda);
  return st < 0 ? st : append_point(l, Lambda_C, gamma_C);
}

static ss_status expand_piece(list* l, ss_contact_piece* p)
{
  int m = l->in->m;
  bool unique;
  if (p->n_vertices == 1 && p->n_rays == 0) return expand(l, p->vertices, p->xi);
  l->all->complete = false;
  if (!p->xi_unique) {  // its corners stand for it
    ss_status st = SS_OK;
    for (int v = 0; st >= 0 && v < p->n_vertices; v++) st = expand(l, p->vertices + v*m, p->xi + v*m);
    return st;
  }
  ss_status st = ss_impact_least(l->in, l->def, l->arena, p->xi, p->vertices, &unique);
  return st < 0 ? st : expand(l, p->vertices, p->xi);
}

static ss_lcp_count count(const ss_contact_solutions* all, bool infinite)
{
  for (int k = 0; k < all->n_pieces; k++) infinite = infinite || all->pieces[k].n_vertices > 1 || all->pieces[k].n_rays;
  return infinite ? SS_LCP_INFINITE : all->n_pieces ? SS_LCP_FINITE : SS_LCP_NONE;
}

static ss_status poisson(list* l)
{
  ss_contact_solutions* compressions = NULL;
  const ss_impact* in = l->in;
  memset(l->bound, 0, sizeof(double)*(size_t)in->n_contact);
  memcpy(l->b, in->gamma, sizeof(double)*(size_t)in->m);
  ss_contact_problem p = problem_of(l);
  ss_status st = ss_contact_enumerate(&p, &l->def->solver, &compressions);
  if (st < 0) return st;
  l->all = calloc(1, sizeof *l->all);
  if (!l->all) st = SS_ERR_MEMORY;
  else {
    l->all->complete = compressions->complete;
    l->all->n_contact = in->n_contact;
    l->all->m = in->m;
    for (int k = 0; st >= 0 && k < compressions->n_pieces; k++) st = expand_piece(l, &compressions->pieces[k]);
    l->all->count = count(l->all, compressions->count == SS_LCP_INFINITE);
  }
  ss_contact_solutions_destroy(compressions);
  return st;
}

ss_status ss_impact_enumerate(const ss_impact* impact, const ss_impact_def* def, ss_contact_solutions** solutions)
{
  if (!impact || !def || !solutions) return SS_ERR_ARGUMENT;
  int m = impact->m, k = impact->n_contact;
  if (m < 0 || k < 0) return SS_ERR_ARGUMENT;
  if (k > SS_CONTACT_ENUMERATE_MAX) return SS_ERR_CAPACITY;
  list l = {.in = impact, .def = def};
  double* memory = calloc(3*(size_t)m + (size_t)k + 1, sizeof(double));
  l.arena = ss_arena_create(ss_impact_solve_size(impact->n_bilateral, k));
  ss_status st = memory && l.arena ? SS_OK : SS_ERR_MEMORY;
  if (st == SS_OK) {
    l.b = memory;
    l.a = l.b + m;
    l.Lambda = l.a + m;
    l.bound = l.Lambda + m;
    st = ss_impact_check(impact, def, l.bound);
    if (st == SS_OK && ss_impact_is_spatial(impact)) st = SS_ERR_ARGUMENT;
  }
  if (st == SS_OK) st = def->law == SS_IMPACT_POISSON ? poisson(&l) : newton(&l);
  if (st < 0) ss_contact_solutions_destroy(l.all);
  else *solutions = l.all;
  ss_arena_destroy(l.arena);
  free(memory);
  return st < 0 ? st : SS_OK;
}
