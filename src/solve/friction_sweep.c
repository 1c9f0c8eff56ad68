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
  double* Lambda;
  double beta;
  int first;  // number of group 0 of this kind
} momentum_work;

// Contacts in their order, or as they are; returns the sum of trace |change|^2
SS_CLONES static double sweep_on(const momentum_work* w, const int* order, int from, int to)
{
  ss_friction_space* s = w->s;
  double sum = 0;
  for (int i = from; i < to; i++) {
    int k = order ? order[i] : i;
    double* change = w->a->change + 3*k;
    for (int c = 0; c < 3; c++) change[c] = 0;
    relax_block(s, k, w->Lambda, change);
    sum += s->trace[k]*(change[0]*change[0] + change[1]*change[1] + change[2]*change[2]);
  }
  return sum;
}

// Bilateral rows are in no batch; they come first in their group
static void sweep_on_task(void* user, int i)
{
  const momentum_work* w = user;
  const ss_friction_chunks* c = &w->s->chunks;
  const int* order = c->n ? c->order : NULL;
  int group = w->first + i, from = order ? c->start[group] : 0, to = order ? c->start[group + 1] : w->s->k;
  double* part = &w->a->part[group];
  if (w->a->batches) {
    int end = from;
    while (end < to && (order ? order[end] : end) < w->s->n_free) end++;
    to = end;
  }
  *part = sweep_on(w, order, from, to);
  if (w->a->batches) *part += ss_friction_batches_sweep(w->a->batches, w->s, group);
}

// x += beta p, p = change + beta p; change may be NULL: it is x - start, and start becomes x
SS_CLONES static void carry_on(int from, int to, double beta, double* x, double* p, const double* change, double* start)
{
  for (int i = from; i < to; i++) {
    double g = change ? change[i] : x[i] - start[i], push = beta*p[i];
    x[i] += push;
    p[i] = g + push;
    if (start) start[i] = x[i];
  }
}

static void carry_on_task(void* user, int i)
{
  const momentum_work* w = user;
  const ss_friction_momentum* a = w->a;
  long n = w->s->chunks.n ? w->s->chunks.n : 1, bodies = w->s->n_body;
  long batches = a->batches ? a->batches->n : 0, m = a->batches ? w->s->n_free*w->s->dim : w->s->m;
  if (a->batches) ss_friction_batches_push(a->batches, (int)(batches*i/n), (int)(batches*(i + 1)/n), w->beta);
  carry_on((int)(m*i/n), (int)(m*(i + 1)/n), w->beta, w->Lambda, a->direction, a->change, NULL);
  carry_on(8*(int)(bodies*i/n), 8*(int)(bodies*(i + 1)/n), w->beta, w->s->v, a->v_direction, NULL, a->v_start);
}

void ss_friction_momentum_start(ss_friction_space* s, ss_friction_momentum* a, const double* Lambda)
{
  size_t bodies = (size_t)s->n_body*8*sizeof(double);
  if (!s->has_D) ss_friction_make_diagonal(s);
  if (s->chunks.n) find_v_in_groups(s, Lambda);
  else ss_multiply_Jt(s, 3, 8, Lambda, s->v);
  memcpy(a->v_start, s->v, bodies);
  memset(a->v_direction, 0, bodies);
  memset(a->direction, 0, (size_t)s->m*sizeof(double));
  a->size = a->before = 0;
  a->batches = s->batches && ss_friction_batches_fill(s->batches, s) ? s->batches : NULL;
  if (a->batches) ss_friction_batches_take(a->batches, Lambda);
}

void ss_friction_momentum_give(const ss_friction_momentum* a, double* Lambda)
{
  if (a->batches) ss_friction_batches_give(a->batches, Lambda);
}

void ss_friction_momentum_sweep(ss_friction_space* s, ss_friction_momentum* a, double* Lambda)
{
  int n = s->chunks.n ? s->chunks.n : 1;
  momentum_work w = {.s = s, .a = a, .Lambda = Lambda};
  ss_pool_run(s->chunks.pool, n, sweep_on_task, &w);
  w.first = n;
  ss_pool_run(s->chunks.pool, n - 1, sweep_on_task, &w);
  a->before = a->size;
  a->size = 0;
  for (int i = 0; i < 2*n - 1; i++) a->size += a->part[i];
  s->sweeps++;
}

void ss_friction_momentum_push(ss_friction_space* s, ss_friction_momentum* a, double* Lambda)
{
  bool on = a->size <= a->before;
  momentum_work w = {.s = s, .a = a, .Lambda = Lambda, .beta = on && a->before > 0 ? a->size/a->before : 0};
  ss_pool_run(s->chunks.pool, s->chunks.n ? s->chunks.n : 1, carry_on_task, &w);
}

typedef struct look_work {
  group_work g;
  double part[SS_MOST_CHUNKS];
} look_work;

static void look_and_judge_task(void* user, int i)
{
  look_work* w = user;
  const ss_friction_space* s = w->g.s;
  long n = s->chunks.n, k = s->k;
  int from = (int)(k*i/n), to = (int)(k*(i + 1)/n);
  look_up(&w->g, from, to);
  w->part[i] = ss_friction_measure_part(&s->layout, s->trace, w->g.Lambda, w->g.xi, s->scale, from, to);
}

double ss_friction_look(ss_friction_space* s, const double* Lambda, double* xi)
{
  look_work w = {.g = {.s = s, .Lambda = (double*)Lambda, .xi = xi}};
  double worst = 0;
  if (s->chunks.n == 0 || !(s->scale > 0 && isfinite(s->scale))) {
    look_up(&w.g, 0, s->k);
    return ss_friction_space_residual(s, Lambda, xi);
  }
  ss_pool_run(s->chunks.pool, s->chunks.n, look_and_judge_task, &w);
  for (int i = 0; i < s->chunks.n; i++) worst = ss_worse(worst, w.part[i]);
  return worst;
}
