// Velocities and Gauss-Seidel sweeps, with one thread or in groups of contacts for several.
#include "solve/friction_batch.h"
#include "solve/friction_one_contact.h"
#include "solve/friction_products.h"

#define NEAR 1e-5  // sweeps continue with the sliding numbers of the one before: more digits come by themselves

// ---- velocities ----

SS_INLINE void find_xi(ss_friction_space* s, int dim, int n, const double* Lambda, double* xi)
{
  if (n) {
    ss_multiply_Jt(s, dim, n, Lambda, s->v);
    ss_multiply_J(s, dim, n, s->v, xi);
  } else ss_multiply_G(s, dim, Lambda, xi);
  for (int k = 0; k < s->k; k++)
    for (int i = k*dim; i < (k + 1)*dim; i++) xi[i] += s->b[i] + s->soft[k]*Lambda[i];
}

// ---- the same in groups of contacts, for several threads ----

typedef struct group_work {
  ss_friction_space* s;
  double* Lambda;
  double* xi;
  int first;       // number of group 0 of this kind
  bool backwards;
} group_work;

// Contacts between chunks come after those within
static void run_groups(group_work* g, ss_pool_task* task)
{
  const ss_friction_chunks* c = &g->s->chunks;
  g->first = 0;
  ss_pool_run(c->pool, c->n, task, g);
  g->first = c->n;
  ss_pool_run(c->pool, c->n - 1, task, g);
}

SS_CLONES static void push_group(const group_work* g, int from, int to)
{
  for (int i = from; i < to; i++) {
    int k = g->s->chunks.order[i];
    ss_move_bodies(g->s, 3, 8, k, g->Lambda + 3*k, g->s->v);
  }
}

static void push_task(void* user, int i)
{
  const group_work* g = user;
  const int* start = g->s->chunks.start + g->first;
  push_group(g, start[i], start[i + 1]);
}

SS_CLONES static void look_up(const group_work* g, int from, int to)
{
  const ss_friction_space* s = g->s;
  for (int k = from; k < to; k++) {
    double* xi = g->xi + 3*k;
    for (int i = 0; i < 3; i++) xi[i] = 0;
    ss_add_row_of_J(s, 3, 8, k, s->v, xi);
    for (int i = 0; i < 3; i++) xi[i] += s->b[3*k + i] + s->soft[k]*g->Lambda[3*k + i];
  }
}

static void look_task(void* user, int i)
{
  const group_work* g = user;
  int n = g->s->chunks.n, k = g->s->k;
  look_up(g, (int)((long)k*i/n), (int)((long)k*(i + 1)/n));
}

// v = J^T Lambda
static void find_v_in_groups(ss_friction_space* s, const double* Lambda)
{
  group_work g = {.s = s, .Lambda = (double*)Lambda};
  memset(s->v, 0, (size_t)s->n_body*8*sizeof *s->v);
  run_groups(&g, push_task);
}

static void look_up_in_groups(ss_friction_space* s, const double* Lambda, double* xi)
{
  group_work g = {.s = s, .Lambda = (double*)Lambda, .xi = xi};
  ss_pool_run(s->chunks.pool, s->chunks.n, look_task, &g);
}

// ---- either way ----

SS_CLONES static void xi_J3(ss_friction_space* s, const double* Lambda, double* xi) { find_xi(s, 3, 8, Lambda, xi); }
SS_CLONES static void xi_J2(ss_friction_space* s, const double* Lambda, double* xi) { find_xi(s, 2, 4, Lambda, xi); }
SS_CLONES static void xi_G3(ss_friction_space* s, const double* Lambda, double* xi) { find_xi(s, 3, 0, Lambda, xi); }
SS_CLONES static void xi_G2(ss_friction_space* s, const double* Lambda, double* xi) { find_xi(s, 2, 0, Lambda, xi); }

void ss_friction_xi(ss_friction_space* s, const double* Lambda, double* xi)
{
  if (s->chunks.n) {
    find_v_in_groups(s, Lambda);
    look_up_in_groups(s, Lambda, xi);
  } else if (s->body) (s->dim == 3 ? xi_J3 : xi_J2)(s, Lambda, xi);
  else (s->dim == 3 ? xi_G3 : xi_G2)(s, Lambda, xi);
}

// ---- sweeps ----

// Bilateral rows: what makes xi = 0, with D nearly the inverse of their block. `out` gets by how much, or is NULL.
SS_INLINE void relax_free(ss_friction_space* s, int dim, int n, int k, double* Lambda, double* out)
{
  double xi[4] = {0}, change[3] = {0};
  for (int i = 0; i < dim; i++) xi[i] = s->b[k*dim + i];
  if (n) ss_add_row_of_J(s, dim, n, k, s->v, xi);
  else ss_add_row_of_G(s, dim, k, -1, Lambda, xi);
  for (int i = 0; i < dim; i++) {
    for (int j = 0; j < dim; j++) change[i] -= s->D[(k*dim + i)*dim + j]*xi[j];
    Lambda[k*dim + i] += change[i];
    if (out) out[i] = change[i];
  }
  if (n) ss_move_bodies(s, dim, n, k, change, s->v);
}

// Contact k solved with all others held; `change` gets by how much, or is NULL
SS_INLINE void relax(ss_friction_space* s, int dim, int n, int k, double* Lambda, double* change)
{
  const double* D = s->D + (size_t)(k*dim*dim);
  double q[4] = {0}, old[3], *mine = Lambda + k*dim;
  for (int i = 0; i < dim; i++) {
    q[i] = s->b[k*dim + i];
    old[i] = mine[i];
  }
  if (n) ss_add_row_of_J(s, dim, n, k, s->v, q);
  else ss_add_row_of_G(s, dim, k, k, Lambda, q);
  for (int i = 0; n && i < dim; i++) {  // v holds the contact's own impulse: take it out, but not the compliance
    for (int j = 0; j < dim; j++) q[i] -= D[i*dim + j]*old[j];
    q[i] += s->soft[k]*old[i];
  }
  if (!ss_one_contact(dim, D, q, s->mu[k], s->bound[k], NEAR, &s->alpha[k], mine) || !n) return;
  for (int i = 0; i < dim; i++) old[i] = mine[i] - old[i];
  for (int i = 0; change && i < dim; i++) change[i] = old[i];
  ss_move_bodies(s, dim, n, k, old, s->v);
}

SS_INLINE void sweep(ss_friction_space* s, int dim, int n, int count, double* Lambda)
{
  if (n) ss_multiply_Jt(s, dim, n, Lambda, s->v);
  for (int it = 0; it < count; it++, s->sweeps++) {
    for (int k = 0; k < s->n_free; k++) relax_free(s, dim, n, k, Lambda, NULL);
    if (s->sweeps%2 == 0)
      for (int k = s->n_free; k < s->k; k++) relax(s, dim, n, k, Lambda, NULL);
    else
      for (int k = s->k - 1; k >= s->n_free; k--) relax(s, dim, n, k, Lambda, NULL);
    for (int k = s->n_free - 1; k >= 0; k--) relax_free(s, dim, n, k, Lambda, NULL);
  }
}

SS_CLONES static void sweep_J3(ss_friction_space* s, int count, double* Lambda) { sweep(s, 3, 8, count, Lambda); }
SS_CLONES static void sweep_J2(ss_friction_space* s, int count, double* Lambda) { sweep(s, 2, 4, count, Lambda); }
SS_CLONES static void sweep_G3(ss_friction_space* s, int count, double* Lambda) { sweep(s, 3, 0, count, Lambda); }
SS_CLONES static void sweep_G2(ss_friction_space* s, int count, double* Lambda) { sweep(s, 2, 0, count, Lambda); }

SS_INLINE void relax_block(ss_friction_space* s, int k, double* Lambda, double* change)
{
  if (k < s->n_free) relax_free(s, 3, 8, k, Lambda, change);
  else relax(s, 3, 8, k, Lambda, change);
}

SS_CLONES static void sweep_group(const group_work* g, int from, int to)
{
  const int* order = g->s->chunks.order;
  if (!g->backwards)
    for (int i = from; i < to; i++) relax_block(g->s, order[i], g->Lambda, NULL);
  else
    for (int i = to - 1; i >= from; i--) relax_block(g->s, order[i], g->Lambda, NULL);
}

static void sweep_task(void* user, int i)
{
  const group_work* g = user;
  const int* start = g->s->chunks.start + g->first;
  sweep_group(g, start[i], start[i + 1]);
}

static void sweep_in_groups(ss_friction_space* s, int count, double* Lambda)
{
  group_work g = {.s = s, .Lambda = Lambda};
  find_v_in_groups(s, Lambda);
  for (int i = 0; i < count; i++, s->sweeps++) {
    g.backwards = s->sweeps%2;
    run_groups(&g, sweep_task);
  }
}

void ss_friction_sweep(ss_friction_space* s, int count, double* Lambda)
{
  if (!s->has_D) ss_friction_make_diagonal(s);
  if (s->chunks.n) sweep_in_groups(s, count, Lambda);
  else if (s->body) (s->dim == 3 ? sweep_J3 : sweep_J2)(s, count, Lambda);
  else (s->dim == 3 ? sweep_G3 : sweep_G2)(s, count, Lambda);
}

// ---- sweeps with momentum ----

typedef struct momentum_work {
  ss_friction_space* s;
  ss_friction_momentum* a;
  double *Lambda, *xi;
  double beta;
  double part[2*SS_MOST_CHUNKS];
  atomic_bool done[SS_MOST_CHUNKS];  // contacts within a chunk
} momentum_work;

static int chunks_of(const ss_friction_space* s) { return s->chunks.n ? s->chunks.n : 1; }

// x += beta p, p = change + beta p
SS_INLINE void carry_on(int n, double beta, double* x, double* p, const double* change)
{
  for (int i = 0; i < n; i++) {
    double push = beta*p[i];
    x[i] += push;
    p[i] = change[i] + push;
  }
}

// Bodies of chunk i: the same for v, whose change is v - start, and start becomes v
SS_CLONES static void carry_bodies(const momentum_work* w, int i)
{
  const ss_friction_chunks* c = &w->s->chunks;
  int from = c->n ? c->body[i] : 0, to = c->n ? c->body[i + 1] : w->s->n_body;
  double *v = w->s->v, *p = w->a->v_direction, *start = w->a->v_start;
  for (int j = 8*from; j < 8*to; j += 4) {
    ss_v4 push = w->beta*SS_V4C(p + j), now = SS_V4C(v + j);
    SS_V4(p + j) = (now - SS_V4C(start + j)) + push;
    SS_V4(start + j) = SS_V4(v + j) = now + push;
  }
}

// Contacts in their order, or as they are; those in batches are left out. Returns the sum of trace |change|^2
SS_CLONES static double sweep_on(const momentum_work* w, const int* order, int from, int to)
{
  ss_friction_space* s = w->s;
  double sum = 0;
  for (int i = from; i < to; i++) {
    int k = order ? order[i] : i;
    double* change = w->a->change + 3*k;
    if (w->a->batches && k >= s->n_free) break;  // bilateral rows come first
    carry_on(3, w->beta, w->Lambda + 3*k, w->a->direction + 3*k, change);
    for (int c = 0; c < 3; c++) change[c] = 0;
    relax_block(s, k, w->Lambda, change);
    sum += s->trace[k]*(change[0]*change[0] + change[1]*change[1] + change[2]*change[2]);
  }
  return sum;
}

// Group after group; those between chunks when those within both are done
static void sweep_on_task(void* user, int group)
{
  momentum_work* w = user;
  const ss_friction_chunks* c = &w->s->chunks;
  int n = chunks_of(w->s), from = c->n ? c->start[group] : 0, to = c->n ? c->start[group + 1] : w->s->k;
  if (group < n) carry_bodies(w, group);
  for (int i = group - n; group >= n && i <= group - n + 1; i++) ss_pool_wait(&w->done[i]);
  w->part[group] = sweep_on(w, c->n ? c->order : NULL, from, to);
  if (w->a->batches) w->part[group] += ss_friction_batches_sweep(w->a->batches, w->s, group, w->beta);
  if (group < n) atomic_store(&w->done[group], true);
}

ss_friction_momentum ss_friction_momentum_start(ss_friction_space* s, double* direction, double* change,
                                                const double* Lambda)
{
  ss_friction_momentum a = {.direction = direction, .change = change, .v_direction = s->work, .v_start = s->work2};
  size_t bodies = (size_t)s->n_body*8*sizeof(double), m = (size_t)s->m*sizeof(double);
  if (!s->has_D) ss_friction_make_diagonal(s);
  if (s->chunks.n) find_v_in_groups(s, Lambda);
  else ss_multiply_Jt(s, 3, 8, Lambda, s->v);
  memcpy(a.v_start, s->v, bodies);
  memset(a.v_direction, 0, bodies);
  memset(direction, 0, m);
  memset(change, 0, m);
  a.batches = s->batches && ss_friction_batches_fill(s->batches, s) ? s->batches : NULL;
  if (a.batches) ss_friction_batches_take(a.batches, Lambda);
  return a;
}

void ss_friction_momentum_sweep(ss_friction_space* s, ss_friction_momentum* a, double* Lambda)
{
  int n = chunks_of(s);
  bool on = a->size <= a->before;
  momentum_work w = {.s = s, .a = a, .Lambda = Lambda, .beta = on && a->before > 0 ? a->size/a->before : 0};
  ss_pool_run_two(s->chunks.pool, n, n - 1, sweep_on_task, &w);
  a->before = a->size;
  a->size = 0;
  for (int i = 0; i < 2*n - 1; i++) a->size += w.part[i];
  s->sweeps++;
}

static void bound_task(void* user, int group)
{
  momentum_work* w = user;
  w->part[group] = ss_friction_batches_bound(w->a->batches, w->s, group);
}

double ss_friction_momentum_bound(ss_friction_space* s, const ss_friction_momentum* a)
{
  momentum_work w = {.s = s, .a = (ss_friction_momentum*)a};
  double worst = 0;
  if (!a->batches || !(s->scale > 0 && isfinite(s->scale))) return 0;
  ss_pool_run_two(s->chunks.pool, chunks_of(s), chunks_of(s) - 1, bound_task, &w);
  for (int i = 0; i < 2*chunks_of(s) - 1; i++) worst = ss_larger(worst, w.part[i]);
  return worst/s->scale;
}

static void look_at_batches(void* user, int i)
{
  const momentum_work* w = user;
  ss_friction_batches_look(w->a->batches, w->s, i, w->Lambda, w->xi);
}

static void measure_task(void* user, int i)
{
  momentum_work* w = user;
  const ss_friction_space* s = w->s;
  long n = chunks_of(s), k = s->k;
  int from = (int)(k*i/n), to = (int)(k*(i + 1)/n), known = w->a->batches ? s->n_free : s->k;
  look_up(&(group_work){.s = w->s, .Lambda = w->Lambda, .xi = w->xi}, from, to < known ? to : known);
  w->part[i] = ss_friction_measure_part(&s->layout, s->trace, w->Lambda, w->xi, s->scale, from, to);
}

double ss_friction_momentum_look(ss_friction_space* s, const ss_friction_momentum* a, double* Lambda, double* xi)
{
  momentum_work w = {.s = s, .a = (ss_friction_momentum*)a, .Lambda = Lambda, .xi = xi};
  double worst = 0;
  if (a->batches) ss_pool_run_two(s->chunks.pool, chunks_of(s), chunks_of(s) - 1, look_at_batches, &w);
  ss_pool_run(s->chunks.pool, chunks_of(s), measure_task, &w);
  if (!(s->scale > 0 && isfinite(s->scale))) return ss_friction_space_residual(s, Lambda, xi);
  for (int i = 0; i < chunks_of(s); i++) worst = ss_worse(worst, w.part[i]);
  return worst;
}
