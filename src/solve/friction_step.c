// What all methods do with a prepared problem: velocities, sweeps, factors, steps. Each loop is compiled for the sizes
// of blocks that occur (dim 3 with bodies of 6 rows, dim 2 with bodies of 3, and without bodies); n is the stride of J
// and v, 0 without bodies. Rows are padded with zeros to whole vectors.
#include "math/simd.h"
#include "solve/friction_one_contact.h"
#include "solve/friction_space.h"
#include <string.h>

// ---- blocks: sizes are constants where these are compiled in ----

enum { ROW = 8 };  // the longest stride
#define NEAR 1e-5  // sweeps continue with the sliding numbers of the one before: more digits come by themselves

// sum_i += the products A_ij x_j, four columns at a time; SS_V4_SUM(sum_i) is row i of A x
SS_INLINE void collect(int r, int n, const double* A, const double* x, ss_v4* sum)
{
  for (int i = 0; i < r; i++)
    for (int j = 0; j < n; j += 4) sum[i] += SS_V4C(A + i*n + j)*SS_V4C(x + j);
}

// y += A^T x
SS_INLINE void add_product_t(int r, int n, const double* A, const double* x, double* y)
{
  for (int j = 0; j < n; j += 4) {
    ss_v4 sum = SS_V4C(y + j);
    for (int i = 0; i < r; i++) sum += SS_V4C(A + i*n + j)*x[i];
    SS_V4(y + j) = sum;
  }
}

// y += A x for a block by columns; y has `row` numbers
SS_INLINE void add_by_columns(int dim, int row, const double* A, const double* x, double* y)
{
  if (row == 4) {
    ss_v4 sum = SS_V4C(y);
    for (int j = 0; j < dim; j++) sum += SS_V4C(A + j*row)*x[j];
    SS_V4(y) = sum;
  } else
    for (int j = 0; j < dim; j++)
      for (int i = 0; i < row; i++) y[i] += A[j*row + i]*x[j];
}

// y += A x for a small block by rows
SS_INLINE void add_small(int dim, int row, const double* A, const double* x, double* y)
{
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) y[i] += A[i*row + j]*x[j];
}

// ---- velocities ----

// Rows of block k of G x, without block `skip`, added to y
SS_INLINE void add_row_of_G(const ss_friction_space* s, int dim, int k, int skip, const double* x, double* y)
{
  int row = ss_friction_row(dim);
  for (int e = s->start[k]; e < s->start[k + 1]; e++)
    if (s->col[e] != skip) add_by_columns(dim, row, s->value + (size_t)e*(size_t)(dim*row), x + s->col[e]*dim, y);
}

// Rows of block k of J v, added to y
SS_INLINE void add_row_of_J(const ss_friction_space* s, int dim, int n, int k, const double* v, double* y)
{
  ss_v4 sum[3] = {{0}, {0}, {0}};
  for (int e = s->start[k]; e < s->start[k + 1]; e++)
    collect(dim, n, s->value + (size_t)e*(size_t)(dim*n), v + s->col[e]*n, sum);
  for (int i = 0; i < dim; i++) y[i] += SS_V4_SUM(sum[i]);
}

// y = G x
SS_INLINE void multiply_G(const ss_friction_space* s, int dim, const double* x, double* y)
{
  for (int k = 0; k < s->k; k++) {
    double sum[4] = {0};
    add_row_of_G(s, dim, k, -1, x, sum);
    for (int i = 0; i < dim; i++) y[k*dim + i] = sum[i];
  }
}

// v follows a change of the impulse of block k
SS_INLINE void move_bodies(const ss_friction_space* s, int dim, int n, int k, const double* change, double* v)
{
  for (int e = s->start[k]; e < s->start[k + 1]; e++)
    add_product_t(dim, n, s->value + (size_t)e*(size_t)(dim*n), change, v + s->col[e]*n);
}

// v = J^T x
SS_INLINE void multiply_Jt(const ss_friction_space* s, int dim, int n, const double* x, double* v)
{
  memset(v, 0, (size_t)s->n_body*(size_t)n*sizeof *v);
  for (int k = 0; k < s->k; k++) move_bodies(s, dim, n, k, x + k*dim, v);
}

// y = J v
SS_INLINE void multiply_J(const ss_friction_space* s, int dim, int n, const double* v, double* y)
{
  for (int k = 0; k < s->k; k++) {
    for (int i = 0; i < dim; i++) y[k*dim + i] = 0;
    add_row_of_J(s, dim, n, k, v, y + k*dim);
  }
}

SS_INLINE void find_xi(ss_friction_space* s, int dim, int n, const double* Lambda, double* xi)
{
  if (n) {
    multiply_Jt(s, dim, n, Lambda, s->v);
    multiply_J(s, dim, n, s->v, xi);
  } else multiply_G(s, dim, Lambda, xi);
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
    move_bodies(g->s, 3, 8, k, g->Lambda + 3*k, g->s->v);
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
    add_row_of_J(s, 3, 8, k, s->v, xi);
    for (int i = 0; i < 3; i++) xi[i] += s->b[3*k + i] + s->soft[k]*g->Lambda[3*k + i];
  }
}

static void look_task(void* user, int i)
{
  const group_work* g = user;
  int n = g->s->chunks.n, k = g->s->k;
  look_up(g, (int)((long)k*i/n), (int)((long)k*(i + 1)/n));
}

static void xi_in_groups(ss_friction_space* s, const double* Lambda, double* xi)
{
  group_work g = {.s = s, .Lambda = (double*)Lambda, .xi = xi};
  memset(s->v, 0, (size_t)s->n_body*8*sizeof *s->v);
  run_groups(&g, push_task);
  ss_pool_run(s->chunks.pool, s->chunks.n, look_task, &g);
}

// ---- either way ----

SS_CLONES static void xi_J3(ss_friction_space* s, const double* Lambda, double* xi) { find_xi(s, 3, 8, Lambda, xi); }
SS_CLONES static void xi_J2(ss_friction_space* s, const double* Lambda, double* xi) { find_xi(s, 2, 4, Lambda, xi); }
SS_CLONES static void xi_G3(ss_friction_space* s, const double* Lambda, double* xi) { find_xi(s, 3, 0, Lambda, xi); }
SS_CLONES static void xi_G2(ss_friction_space* s, const double* Lambda, double* xi) { find_xi(s, 2, 0, Lambda, xi); }

void ss_friction_xi(ss_friction_space* s, const double* Lambda, double* xi)
{
  if (s->chunks.n) xi_in_groups(s, Lambda, xi);
  else if (s->body) (s->dim == 3 ? xi_J3 : xi_J2)(s, Lambda, xi);
  else (s->dim == 3 ? xi_G3 : xi_G2)(s, Lambda, xi);
}

// ---- sweeps ----

// Bilateral rows: what makes xi = 0, with D nearly the inverse of their block
SS_INLINE void relax_free(ss_friction_space* s, int dim, int n, int k, double* Lambda)
{
  double xi[4] = {0}, change[3] = {0};
  for (int i = 0; i < dim; i++) xi[i] = s->b[k*dim + i];
  if (n) add_row_of_J(s, dim, n, k, s->v, xi);
  else add_row_of_G(s, dim, k, -1, Lambda, xi);
  for (int i = 0; i < dim; i++) {
    for (int j = 0; j < dim; j++) change[i] -= s->D[(k*dim + i)*dim + j]*xi[j];
    Lambda[k*dim + i] += change[i];
  }
  if (n) move_bodies(s, dim, n, k, change, s->v);
}

// Contact k solved with all others held
SS_INLINE void relax(ss_friction_space* s, int dim, int n, int k, double* Lambda)
{
  const double* D = s->D + (size_t)(k*dim*dim);
  double q[4] = {0}, old[3], *mine = Lambda + k*dim;
  for (int i = 0; i < dim; i++) {
    q[i] = s->b[k*dim + i];
    old[i] = mine[i];
  }
  if (n) add_row_of_J(s, dim, n, k, s->v, q);
  else add_row_of_G(s, dim, k, k, Lambda, q);
  for (int i = 0; n && i < dim; i++) {  // v holds the contact's own impulse: take it out, but not the compliance
    for (int j = 0; j < dim; j++) q[i] -= D[i*dim + j]*old[j];
    q[i] += s->soft[k]*old[i];
  }
  if (!ss_one_contact(dim, D, q, s->mu[k], s->bound[k], NEAR, &s->alpha[k], mine) || !n) return;
  for (int i = 0; i < dim; i++) old[i] = mine[i] - old[i];
  move_bodies(s, dim, n, k, old, s->v);
}

SS_INLINE void sweep(ss_friction_space* s, int dim, int n, int count, double* Lambda)
{
  if (n) multiply_Jt(s, dim, n, Lambda, s->v);
  for (int it = 0; it < count; it++, s->sweeps++) {
    for (int k = 0; k < s->n_free; k++) relax_free(s, dim, n, k, Lambda);
    if (s->sweeps%2 == 0)
      for (int k = s->n_free; k < s->k; k++) relax(s, dim, n, k, Lambda);
    else
      for (int k = s->k - 1; k >= s->n_free; k--) relax(s, dim, n, k, Lambda);
    for (int k = s->n_free - 1; k >= 0; k--) relax_free(s, dim, n, k, Lambda);
  }
}

SS_CLONES static void sweep_J3(ss_friction_space* s, int count, double* Lambda) { sweep(s, 3, 8, count, Lambda); }
SS_CLONES static void sweep_J2(ss_friction_space* s, int count, double* Lambda) { sweep(s, 2, 4, count, Lambda); }
SS_CLONES static void sweep_G3(ss_friction_space* s, int count, double* Lambda) { sweep(s, 3, 0, count, Lambda); }
SS_CLONES static void sweep_G2(ss_friction_space* s, int count, double* Lambda) { sweep(s, 2, 0, count, Lambda); }

SS_CLONES static void sweep_group(const group_work* g, int from, int to)
{
  const int* order = g->s->chunks.order;
  if (!g->backwards)
    for (int i = from; i < to; i++) relax(g->s, 3, 8, order[i], g->Lambda);
  else
    for (int i = to - 1; i >= from; i--) relax(g->s, 3, 8, order[i], g->Lambda);
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
  memset(s->v, 0, (size_t)s->n_body*8*sizeof *s->v);
  run_groups(&g, push_task);
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

// ---- factors ----

// C = A B, A by columns, B and C by rows
SS_INLINE void product(int dim, int row, const double* A, const double* B, double* C)
{
  if (row == 4)
    for (int i = 0; i < dim; i++) {
      ss_v4 sum = SS_V4C(B)*A[i];
      for (int c = 1; c < dim; c++) sum += SS_V4C(B + c*row)*A[c*row + i];
      SS_V4(C + i*row) = sum;
    }
  else
    for (int i = 0; i < dim; i++)
      for (int j = 0; j < dim; j++) C[i*row + j] = A[i]*B[j] + A[row + i]*B[row + j];
}

// 1 + G K
SS_INLINE void assemble_G(ss_friction_space* s, int dim)
{
  int row = ss_friction_row(dim);
  size_t size = (size_t)(dim*row);
  for (int k = 0; k < s->k; k++) {
    for (int e = s->start[k]; e < s->start[k + 1]; e++)
      product(dim, row, s->value + (size_t)e*size, s->K + (size_t)s->col[e]*size,
              s->lu->value + (size_t)s->place[e]*size);
    double* diagonal = s->lu->value + (size_t)s->lu->diagonal[s->lu->place[k]]*size;
    for (int i = 0; i < dim; i++) diagonal[i*row + i] += 1;
  }
}

// C += A^T B, A and B have dim rows
SS_INLINE void add_gram(int dim, int body, int n, const double* A, const double* B, double* C)
{
  for (int i = 0; i < body; i++)
    for (int j = 0; j < n; j += 4) {
      ss_v4 sum = SS_V4C(C + i*n + j);
      for (int c = 0; c < dim; c++) sum += SS_V4C(B + c*n + j)*A[c*n + i];
      SS_V4(C + i*n + j) = sum;
    }
}

// 1 + J^T K J
SS_INLINE void assemble_J(ss_friction_space* s, int dim, int body)
{
  int n = ss_friction_row(body), row = ss_friction_row(dim);
  size_t nn = (size_t)(body*n), size = (size_t)(dim*n);
  const int* place = s->place;
  for (int b = 0; b < s->n_body; b++)
    for (int i = 0; i < body; i++) s->lu->value[(size_t)s->lu->diagonal[b]*nn + (size_t)(i*n + i)] = 1;
  for (int k = 0; k < s->k; k++) {
    const double* K = s->K + (size_t)(k*dim*row);
    int first = s->start[k], count = s->start[k + 1] - first;
    bool open = true;
    for (int c = 0; c < dim*row; c++) open = open && K[c] == 0;
    for (int f = 0; !open && f < count; f++) {
      double KJ[3*ROW] = {0};
      const double* J = s->value + (size_t)(first + f)*size;
      for (int i = 0; i < dim; i++)
        for (int c = 0; c < dim; c++)
          for (int j = 0; j < n; j++) KJ[i*n + j] += K[i*row + c]*J[c*n + j];
      for (int e = 0; e < count; e++)
        add_gram(dim, body, n, s->value + (size_t)(first + e)*size, KJ, s->lu->value + (size_t)place[e*count + f]*nn);
    }
    place += count*count;
  }
}

SS_CLONES static void assemble_J3(ss_friction_space* s) { assemble_J(s, 3, 6); }
SS_CLONES static void assemble_J2(ss_friction_space* s) { assemble_J(s, 2, 3); }
SS_CLONES static void assemble_G3(ss_friction_space* s) { assemble_G(s, 3); }
SS_CLONES static void assemble_G2(ss_friction_space* s) { assemble_G(s, 2); }

bool ss_invert_small(int dim, double* A)
{
  double a[9], det;
  memcpy(a, A, (size_t)(dim*dim)*sizeof *a);
  if (dim == 2) {
    det = a[0]*a[3] - a[1]*a[2];
    A[0] = a[3]/det;
    A[1] = -a[1]/det;
    A[2] = -a[2]/det;
    A[3] = a[0]/det;
    return det != 0 && isfinite(det);
  }
  det = 0;
  for (int j = 0; j < 3; j++) det += a[j]*(a[3 + (j + 1)%3]*a[6 + (j + 2)%3] - a[3 + (j + 2)%3]*a[6 + (j + 1)%3]);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int r = (j + 1)%3, t = (j + 2)%3, c = (i + 1)%3, d = (i + 2)%3;
      A[i*3 + j] = (a[r*3 + c]*a[t*3 + d] - a[r*3 + d]*a[t*3 + c])/det;
    }
  return det != 0 && isfinite(det);
}

// Lambda+ = Lambda0 - K (eta + soft Lambda+) with eta the velocity of the rigid law: T = (1 + soft K)^-1, K becomes T K
static bool soften(const ss_friction_space* s, int k, const double* K, double* out)
{
  int dim = s->dim, row = ss_friction_row(dim);
  double* T = s->T + (size_t)(k*dim*dim);
  for (int e = 0; e < dim*dim; e++) T[e] = s->soft[k]*K[e] + (e%(dim + 1) == 0);
  if (!ss_invert_small(dim, T)) return false;
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) {
      double sum = 0;
      for (int c = 0; c < dim; c++) sum += T[i*dim + c]*K[c*dim + j];
      out[i*row + j] = sum;
    }
  return true;
}

static bool take_K(ss_friction_space* s, const double* K)
{
  int dim = s->dim, row = ss_friction_row(dim);
  for (int k = 0; k < s->k; k++) {
    const double* from = K + (size_t)(k*dim*dim);
    double* to = s->K + (size_t)(k*dim*row);
    if (s->soft[k] > 0 && !soften(s, k, from, to)) return false;
    for (int i = 0; s->soft[k] == 0 && i < dim; i++)
      for (int j = 0; j < dim; j++) to[i*row + j] = from[i*dim + j];
  }
  return true;
}

bool ss_friction_factor(ss_friction_space* s, const double* K)
{
  if (!s->lu || !take_K(s, K)) return false;
  ss_block_lu_clear(s->lu);
  if (s->body) (s->dim == 3 ? assemble_J3 : assemble_J2)(s);
  else (s->dim == 3 ? assemble_G3 : assemble_G2)(s);
  s->factors++;
  return ss_block_lu_factor(s->lu);
}

// ---- step ----

// plus = T Lambda0 - K eta and d = plus - Lambda, both m, with eta the velocity of the rigid law
SS_INLINE void start_step(const ss_friction_space* s, int dim, const double* Lambda, const double* xi,
                          const double* Lambda0, double* d, double* plus)
{
  int row = ss_friction_row(dim);
  for (int k = 0; k < s->k; k++) {
    double eta[3], target[3] = {0}, minus[3] = {0};
    for (int i = 0; i < dim; i++) {
      eta[i] = xi[k*dim + i] - s->soft[k]*Lambda[k*dim + i];
      target[i] = s->soft[k] > 0 ? 0 : Lambda0[k*dim + i];
    }
    if (s->soft[k] > 0) add_small(dim, dim, s->T + (size_t)(k*dim*dim), Lambda0 + k*dim, target);
    add_small(dim, row, s->K + (size_t)(k*dim*row), eta, minus);
    for (int i = 0; i < dim; i++) {
      plus[k*dim + i] = target[i] - minus[i];
      d[k*dim + i] = plus[k*dim + i] - Lambda[k*dim + i];
    }
  }
}

SS_INLINE void finish_step(const ss_friction_space* s, int dim, const double* dxi, double* plus)
{
  int row = ss_friction_row(dim);
  for (int k = 0; k < s->k; k++) {
    double change[3] = {0};
    add_small(dim, row, s->K + (size_t)(k*dim*row), dxi + k*dim, change);
    for (int i = 0; i < dim; i++) plus[k*dim + i] -= change[i];
  }
}

// dxi = J (1 + J^T K J)^-1 J^T d
SS_INLINE void solve_bodies(ss_friction_space* s, int dim, int body, double* d)
{
  int n = ss_friction_row(body);
  double *v = s->v, *x = s->work2;
  multiply_Jt(s, dim, n, d, v);
  for (int i = 0; i < s->n_body; i++)
    for (int c = 0; c < body; c++) x[i*body + c] = v[i*n + c];
  ss_block_lu_solve(s->lu, x);
  for (int i = 0; i < s->n_body; i++)
    for (int c = 0; c < body; c++) v[i*n + c] = x[i*body + c];
  multiply_J(s, dim, n, v, d);
}

SS_INLINE void step(ss_friction_space* s, int dim, int body, const double* Lambda, const double* xi,
                    const double* Lambda0, double* plus)
{
  double *d = s->work, *x = s->work2;
  start_step(s, dim, Lambda, xi, Lambda0, d, plus);
  if (body) {
    solve_bodies(s, dim, body, d);
    finish_step(s, dim, d, plus);
  } else {
    multiply_G(s, dim, d, x);
    ss_block_lu_solve(s->lu, x);
    finish_step(s, dim, x, plus);
  }
}

typedef void step_function(ss_friction_space* s, const double* Lambda, const double* xi, const double* Lambda0,
                           double* plus);

#define STEP(name, dim, body)                                                                                     \
  SS_CLONES static void name(ss_friction_space* s, const double* Lambda, const double* xi, const double* Lambda0, \
                             double* plus)                                                                        \
  {                                                                                                               \
    step(s, dim, body, Lambda, xi, Lambda0, plus);                                                                \
  }
STEP(step_J3, 3, 6)
STEP(step_J2, 2, 3)
STEP(step_G3, 3, 0)
STEP(step_G2, 2, 0)

void ss_friction_step(ss_friction_space* s, const double* Lambda, const double* xi, const double* Lambda0, double* plus)
{
  step_function* function = s->body ? (s->dim == 3 ? step_J3 : step_J2) : (s->dim == 3 ? step_G3 : step_G2);
  function(s, Lambda, xi, Lambda0, plus);
}
