// Several contacts that hit at one instant, one after the other: the contact that approaches fastest is an impact of
// its own, with the bilateral rows but without the other contacts; then the next, until none approaches. Which of the
// two orders real bodies follow depends on their stiffness, of which rigid ones know nothing [Stewart 2000, section
// 4.4].
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/impact_laws.h"

#define ROUND_OFF 1e-12  // of the largest velocity: no approach
enum { HITS_PER_CONTACT = 1000 };

typedef struct sequence {
  const ss_impact* in;
  double *gamma, *Lambda, *Lambda_C;              // m: now; impulses so far
  double *G, *b, *after, *found, *found_C;        // of one hit, nb + 3 rows
  int* row;                                       // likewise
} sequence;

#define bytes_of(type, count) ss_arena_bytes(sizeof(type)*(count))

size_t ss_impact_sequence_size(int n_bilateral, int n_contact)
{
  size_t one = (size_t)n_bilateral + 3, m = (size_t)n_bilateral + 3*(size_t)n_contact;
  return 3*bytes_of(double, m) + bytes_of(double, one*one) + 4*bytes_of(double, one) + bytes_of(int, one) +
         2*bytes_of(double, n_contact);
}

static bool take(sequence* q, ss_arena* arena)
{
  int m = q->in->m, one = q->in->n_bilateral + 3;
  q->gamma = ss_arena_array(arena, double, m);
  q->Lambda = ss_arena_array(arena, double, m);
  q->Lambda_C = ss_arena_array(arena, double, m);
  q->G = ss_arena_array(arena, double, one*one);
  q->b = ss_arena_array(arena, double, one);
  q->after = ss_arena_array(arena, double, one);
  q->found = ss_arena_array(arena, double, one);
  q->found_C = ss_arena_array(arena, double, one);
  q->row = ss_arena_array(arena, int, one);
  return q->gamma && q->Lambda && q->Lambda_C && q->G && q->b && q->after && q->found && q->found_C && q->row;
}

// The contact that approaches fastest, -1 if none does; *first is its normal row
static int fastest(const sequence* q, double zero, int* first)
{
  int best = -1;
  double most = zero;
  for (int i = 0, r = q->in->n_bilateral; i < q->in->n_contact; r += ss_contact_rows(q->in->kind[i++])) {
    if (q->in->kind[i] == SS_CONTACT_FRICTION || -q->gamma[r] <= most) continue;
    most = -q->gamma[r];
    best = i;
    *first = r;
  }
  return best;
}

static void add_impulses(sequence* q, int n, const int* row, const double* Lambda, const double* Lambda_C)
{
  int m = q->in->m;
  for (int k = 0; k < n; k++) {
    q->Lambda[row[k]] += Lambda[k];
    q->Lambda_C[row[k]] += Lambda_C[k];
    for (int r = 0; r < m; r++) q->gamma[r] += q->in->G[(size_t)r*(size_t)m + (size_t)row[k]]*Lambda[k];
  }
}

static void note(ss_impact_solution* s, const ss_impact_solution* one)
{
  s->residual = fmax(s->residual, one->residual);
  s->sigma = fmin(s->sigma, one->sigma);
  s->unique = s->unique && one->unique;
  s->iterations += one->iterations;
  s->hits++;
}

// Contact i alone, which begins with row r
static ss_status hit(sequence* q, const ss_impact_def* def, int i, int r, ss_arena* arena, ss_impact_solution* s)
{
  const ss_impact* in = q->in;
  int n = in->n_bilateral, m = in->m;
  ss_contact_state state;
  for (int k = 0; k < n; k++) q->row[k] = k;
  for (int k = ss_contact_rows(in->kind[i]); k > 0; k--) q->row[n++] = r++;
  for (int a = 0; a < n; a++) {
    q->b[a] = q->gamma[q->row[a]];
    for (int b = 0; b < n; b++) q->G[a*n + b] = in->G[(size_t)q->row[a]*(size_t)m + (size_t)q->row[b]];
  }
  ss_impact alone = {.n_bilateral = in->n_bilateral, .n_contact = 1, .m = n, .G = q->G, .gamma = q->b,
                     .kind = in->kind + i, .mu = in->mu + i, .eps_n = in->eps_n + i, .eps_t = in->eps_t + i,
                     .nu = in->nu ? in->nu + i : NULL};
  ss_impact_solution one = {.Lambda = q->found, .gamma_after = q->after, .Lambda_C = q->found_C, .state = &state};
  ss_status st = ss_impact_solve(&alone, def, arena, &one);
  if (st < 0) return st;
  note(s, &one);
  add_impulses(q, n, q->row, q->found, q->found_C);
  return st;
}

// What is left after too many hits: all contacts at once, nothing is given back
static ss_status end(sequence* q, const ss_impact_def* def, ss_arena* arena, ss_impact_solution* s)
{
  ss_impact rest = *q->in;
  int k = rest.n_contact, m = rest.m;
  double* none = ss_arena_array(arena, double, k);
  if (!none) return SS_ERR_CAPACITY;
  memset(none, 0, sizeof(double)*(size_t)k);
  rest.gamma = q->gamma;
  rest.eps_n = rest.eps_t = none;
  rest.nu = NULL;
  ss_impact_solution one = {.Lambda = s->Lambda, .gamma_after = s->gamma_after, .state = s->state};
  ss_status st = ss_impact_solve(&rest, def, arena, &one);
  if (st < 0) return st;
  note(s, &one);
  for (int r = 0; r < m; r++) {
    q->Lambda[r] += s->Lambda[r];
    q->Lambda_C[r] += s->Lambda[r];
  }
  memcpy(q->gamma, s->gamma_after, sizeof(double)*(size_t)m);
  return st;
}

static void finish(const sequence* q, double zero, ss_impact_solution* s)
{
  const ss_impact* in = q->in;
  size_t bytes = sizeof(double)*(size_t)in->m;
  memcpy(s->Lambda, q->Lambda, bytes);
  ss_impact_velocities(in, in->gamma, q->Lambda, s->gamma_after);
  ss_impact_states(in, s->gamma_after, s->Lambda, zero, s->state);
  if (s->Lambda_C) memcpy(s->Lambda_C, q->Lambda_C, bytes);
  if (s->gamma_C) ss_impact_velocities(in, in->gamma, q->Lambda_C, s->gamma_C);
  s->energy = 0;
  for (int r = 0; r < in->m; r++) {
    s->energy += q->Lambda[r]*(in->gamma[r] + s->gamma_after[r])/2;
    if (s->Lambda_E) s->Lambda_E[r] = q->Lambda[r] - q->Lambda_C[r];
  }
}

static ss_status resolve(sequence* q, const ss_impact_def* def, ss_arena* arena, ss_impact_solution* s)
{
  ss_impact_def one = *def;
  double zero = 0;
  int first = 0, i;
  ss_status worst = SS_OK, st = SS_OK;
  one.order = SS_IMPACTS_SIMULTANEOUS;
  for (int r = 0; r < q->in->m; r++) zero = fmax(zero, ROUND_OFF*fabs(q->in->gamma[r]));
  while ((i = fastest(q, zero, &first)) >= 0) {
    bool last = s->hits >= HITS_PER_CONTACT*q->in->n_contact;
    st = last ? end(q, &one, arena, s) : hit(q, &one, i, first, arena, s);
    if (st < 0) return st;
    if (st > worst) worst = st;
    if (last) break;
  }
  finish(q, zero, s);
  return worst;
}

ss_status ss_impact_sequence(const ss_impact* impact, const ss_impact_def* def, ss_arena* arena, ss_impact_solution* s)
{
  sequence q = {.in = impact};
  size_t mark = ss_arena_mark(arena), bytes = sizeof(double)*(size_t)impact->m;
  s->residual = 0;
  s->sigma = 1;
  s->unique = true;
  s->iterations = s->hits = 0;
  ss_status st = take(&q, arena) ? SS_OK : SS_ERR_CAPACITY;
  if (st == SS_OK) {
    memcpy(q.gamma, impact->gamma, bytes);
    memset(q.Lambda, 0, bytes);
    memset(q.Lambda_C, 0, bytes);
    st = resolve(&q, def, arena, s);
  }
  ss_arena_release(arena, mark);
  return st;
}
