// What all methods do with a prepared problem: velocities, sweeps, factors, steps. Each loop is compiled for the sizes
// of blocks that occur (dim 3 with bodies of 6 rows, dim 2 with bodies of 3).
#include "math/simd.h"
#include "solve/friction_cone.h"
#include "solve/friction_space.h"
#include <string.h>

// ---- blocks: sizes are constants where these are compiled in ----

// y += A x, A is r x c
SS_INLINE void add_product(int r, int c, const double* A, const double* x, double* y)
{
  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++) y[i] += A[i*c + j]*x[j];
}

// y += A^T x
SS_INLINE void add_product_t(int r, int c, const double* A, const double* x, double* y)
{
  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++) y[j] += A[i*c + j]*x[i];
}

// ---- velocities ----

SS_INLINE void multiply_G(const ss_friction_space* s, int dim, const double* x, double* y)
{
  for (int k = 0; k < s->k; k++) {
    double sum[3] = {0};
    for (int e = s->start[k]; e < s->start[k + 1]; e++)
      add_product(dim, dim, s->value + (size_t)e*(size_t)(dim*dim), x + s->col[e]*dim, sum);
    for (int i = 0; i < dim; i++) y[k*dim + i] = sum[i];
  }
}

// v = J^T x
SS_INLINE void multiply_Jt(const ss_friction_space* s, int dim, int n, const double* x, double* v)
{
  memset(v, 0, (size_t)s->n_body*(size_t)n*sizeof *v);
  for (int k = 0; k < s->k; k++)
    for (int e = s->start[k]; e < s->start[k + 1]; e++)
      add_product_t(dim, n, s->value + (size_t)e*(size_t)(dim*n), x + k*dim, v + s->col[e]*n);
}

// y = J v
SS_INLINE void multiply_J(const ss_friction_space* s, int dim, int n, const double* v, double* y)
{
  for (int k = 0; k < s->k; k++) {
    double sum[3] = {0};
    for (int e = s->start[k]; e < s->start[k + 1]; e++)
      add_product(dim, n, s->value + (size_t)e*(size_t)(dim*n), v + s->col[e]*n, sum);
    for (int i = 0; i < dim; i++) y[k*dim + i] = sum[i];
  }
}

SS_CLONES static void xi_3(ss_friction_space* s, const double* Lambda, double* xi)
{
  if (!s->body) { multiply_G(s, 3, Lambda, xi); return; }
  multiply_Jt(s, 3, 6, Lambda, s->v);
  multiply_J(s, 3, 6, s->v, xi);
}

SS_CLONES static void xi_2(ss_friction_space* s, const double* Lambda, double* xi)
{
  if (!s->body) { multiply_G(s, 2, Lambda, xi); return; }
  multiply_Jt(s, 2, 3, Lambda, s->v);
  multiply_J(s, 2, 3, s->v, xi);
}

void ss_friction_xi(ss_friction_space* s, const double* Lambda, double* xi)
{
  if (s->dim == 3) xi_3(s, Lambda, xi);
  else xi_2(s, Lambda, xi);
  for (int k = 0, i = 0; k < s->k; k++)
    for (int end = i + s->dim; i < end; i++) xi[i] += s->b[i] + s->soft[k]*Lambda[i];
}

// ---- sweeps ----

// xi of block k; without bodies and unless `own`, without what its own impulse does
SS_INLINE void velocity_of(const ss_friction_space* s, int dim, int n, int k, bool own, const double* Lambda, double* q)
{
  size_t size = (size_t)(n ? dim*n : dim*dim);
  for (int i = 0; i < dim; i++) q[i] = s->b[k*dim + i];
  for (int e = s->start[k]; e < s->start[k + 1]; e++) {
    if (n) add_product(dim, n, s->value + (size_t)e*size, s->v + s->col[e]*n, q);
    else if (own || s->col[e] != k) add_product(dim, dim, s->value + (size_t)e*size, Lambda + s->col[e]*dim, q);
  }
}

// v follows a change of the impulse of block k
SS_INLINE void move_bodies(ss_friction_space* s, int dim, int n, int k, const double* change)
{
  for (int e = s->start[k]; e < s->start[k + 1]; e++)
    add_product_t(dim, n, s->value + (size_t)e*(size_t)(dim*n), change, s->v + s->col[e]*n);
}

// Bilateral rows: what makes xi = 0, with D nearly the inverse of their block
SS_INLINE void relax_free(ss_friction_space* s, int dim, int n, int k, double* Lambda)
{
  double xi[3], change[3] = {0};
  velocity_of(s, dim, n, k, true, Lambda, xi);
  for (int i = 0; i < dim; i++) {
    for (int j = 0; j < dim; j++) change[i] -= s->D[(k*dim + i)*dim + j]*xi[j];
    Lambda[k*dim + i] += change[i];
  }
  if (n) move_bodies(s, dim, n, k, change);
}

// Contact k solved with all others held
SS_INLINE void relax(ss_friction_space* s, int dim, int n, int k, double* Lambda)
{
  const double* D = s->D + (size_t)(k*dim*dim);
  double q[3], old[3], *mine = Lambda + k*dim;
  velocity_of(s, dim, n, k, false, Lambda, q);
  for (int i = 0; i < dim; i++) old[i] = mine[i];
  for (int i = 0; n && i < dim; i++) {  // v holds the contact's own impulse: take it out, but not the compliance
    for (int j = 0; j < dim; j++) q[i] -= D[i*dim + j]*old[j];
    q[i] += s->soft[k]*old[i];
  }
  if (!ss_solve_one_contact(dim, D, q, s->mu[k], s->bound[k], &s->alpha[k], mine) || !n) return;
  for (int i = 0; i < dim; i++) old[i] = mine[i] - old[i];
  move_bodies(s, dim, n, k, old);
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

void ss_friction_sweep(ss_friction_space* s, int count, double* Lambda)
{
  if (s->dim == 3 && s->body) sweep(s, 3, 6, count, Lambda);
  else if (s->dim == 3) sweep(s, 3, 0, count, Lambda);
  else if (s->body) sweep(s, 2, 3, count, Lambda);
  else sweep(s, 2, 0, count, Lambda);
}

// ---- factors ----

// C = A B for dim x dim blocks
SS_INLINE void product(int dim, const double* A, const double* B, double* C)
{
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) {
      double sum = 0;
      for (int c = 0; c < dim; c++) sum += A[i*dim + c]*B[c*dim + j];
      C[i*dim + j] = sum;
    }
}

// 1 + G K
SS_INLINE void assemble_G(ss_friction_space* s, int dim)
{
  size_t dd = (size_t)(dim*dim);
  for (int k = 0; k < s->k; k++) {
    for (int e = s->start[k]; e < s->start[k + 1]; e++)
      product(dim, s->value + (size_t)e*dd, s->K + (size_t)s->col[e]*dd, s->lu->value + (size_t)s->place[e]*dd);
    double* diagonal = s->lu->value + (size_t)s->lu->diagonal[s->lu->place[k]]*dd;
    for (int i = 0; i < dim; i++) diagonal[i*dim + i] += 1;
  }
}

// C += A^T B, A and B are dim x n
SS_INLINE void add_gram(int dim, int n, const double* A, const double* B, double* C)
{
  for (int i = 0; i < n; i++)
    for (int c = 0; c < dim; c++)
      for (int j = 0; j < n; j++) C[i*n + j] += A[c*n + i]*B[c*n + j];
}

// 1 + J^T K J
SS_INLINE void assemble_J(ss_friction_space* s, int dim, int n)
{
  size_t nn = (size_t)(n*n), size = (size_t)(dim*n);
  const int* place = s->place;
  for (int b = 0; b < s->n_body; b++)
    for (int i = 0; i < n; i++) s->lu->value[(size_t)s->lu->diagonal[b]*nn + (size_t)(i*n + i)] = 1;
  for (int k = 0; k < s->k; k++) {
    const double* K = s->K + (size_t)(k*dim*dim);
    int first = s->start[k], count = s->start[k + 1] - first;
    bool open = true;
    for (int c = 0; c < dim*dim; c++) open = open && K[c] == 0;
    for (int f = 0; !open && f < count; f++) {
      double KJ[18] = {0};
      const double* J = s->value + (size_t)(first + f)*size;
      for (int i = 0; i < dim; i++)
        for (int c = 0; c < dim; c++)
          for (int j = 0; j < n; j++) KJ[i*n + j] += K[i*dim + c]*J[c*n + j];
      for (int e = 0; e < count; e++)
        add_gram(dim, n, s->value + (size_t)(first + e)*size, KJ, s->lu->value + (size_t)place[e*count + f]*nn);
    }
    place += count*count;
  }
}

SS_CLONES static void assemble_J_3(ss_friction_space* s) { assemble_J(s, 3, 6); }
SS_CLONES static void assemble_J_2(ss_friction_space* s) { assemble_J(s, 2, 3); }
SS_CLONES static void assemble_G_3(ss_friction_space* s) { assemble_G(s, 3); }
SS_CLONES static void assemble_G_2(ss_friction_space* s) { assemble_G(s, 2); }

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
static bool soften(ss_friction_space* s, const double* K)
{
  int dim = s->dim, dd = dim*dim;
  for (int k = 0; k < s->k; k++) {
    double* T = s->T + (size_t)k*(size_t)dd;
    const double* Kk = K + (size_t)k*(size_t)dd;
    for (int e = 0; e < dd; e++) T[e] = s->soft[k]*Kk[e] + (e%(dim + 1) == 0);
    if (!ss_invert_small(dim, T)) return false;
    product(dim, T, Kk, s->K + (size_t)k*(size_t)dd);
  }
  return true;
}

bool ss_friction_factor(ss_friction_space* s, const double* K)
{
  if (!s->lu || !soften(s, K)) return false;
  ss_block_lu_clear(s->lu);
  if (s->body && s->dim == 3) assemble_J_3(s);
  else if (s->body) assemble_J_2(s);
  else if (s->dim == 3) assemble_G_3(s);
  else assemble_G_2(s);
  s->factors++;
  return ss_block_lu_factor(s->lu);
}

// ---- step ----

// eta = velocity of the rigid law and d = T Lambda0 - K eta - Lambda, both m; plus = T Lambda0 - K eta
SS_INLINE void start_step(ss_friction_space* s, int dim, const double* Lambda, const double* xi, const double* Lambda0,
                          double* d, double* plus)
{
  for (int k = 0; k < s->k; k++) {
    const double *K = s->K + (size_t)(k*dim*dim), *T = s->T + (size_t)(k*dim*dim);
    double eta[3], target[3] = {0}, minus[3] = {0};
    for (int i = 0; i < dim; i++) eta[i] = xi[k*dim + i] - s->soft[k]*Lambda[k*dim + i];
    add_product(dim, dim, T, Lambda0 + k*dim, target);
    add_product(dim, dim, K, eta, minus);
    for (int i = 0; i < dim; i++) {
      plus[k*dim + i] = target[i] - minus[i];
      d[k*dim + i] = plus[k*dim + i] - Lambda[k*dim + i];
    }
  }
}

SS_INLINE void finish_step(ss_friction_space* s, int dim, const double* dxi, double* plus)
{
  for (int k = 0; k < s->k; k++) {
    double change[3] = {0};
    add_product(dim, dim, s->K + (size_t)(k*dim*dim), dxi + k*dim, change);
    for (int i = 0; i < dim; i++) plus[k*dim + i] -= change[i];
  }
}

SS_INLINE void step(ss_friction_space* s, int dim, int n, const double* Lambda, const double* xi, const double* Lambda0,
                    double* plus)
{
  double *d = s->work, *x = s->work2;
  start_step(s, dim, Lambda, xi, Lambda0, d, plus);
  if (n) {
    multiply_Jt(s, dim, n, d, x);
    ss_block_lu_solve(s->lu, x);
    multiply_J(s, dim, n, x, d);
    finish_step(s, dim, d, plus);
  } else {
    multiply_G(s, dim, d, x);
    ss_block_lu_solve(s->lu, x);
    finish_step(s, dim, x, plus);
  }
}

void ss_friction_step(ss_friction_space* s, const double* Lambda, const double* xi, const double* Lambda0, double* plus)
{
  if (s->dim == 3 && s->body) step(s, 3, 6, Lambda, xi, Lambda0, plus);
  else if (s->dim == 3) step(s, 3, 0, Lambda, xi, Lambda0, plus);
  else if (s->body) step(s, 2, 3, Lambda, xi, Lambda0, plus);
  else step(s, 2, 0, Lambda, xi, Lambda0, plus);
}
