// Products with the blocks of a prepared problem, to be compiled into loops for the sizes that occur (dim 3 with bodies
// of 6 rows, dim 2 with bodies of 3, and without bodies); n is the stride of J and v, 0 without bodies. Rows are padded
// with zeros to whole vectors.
#ifndef SS_SOLVE_FRICTION_PRODUCTS_H
#define SS_SOLVE_FRICTION_PRODUCTS_H

#include "math/simd.h"
#include "solve/friction_space.h"
#include <string.h>

// ---- blocks ----

// sum_i += the products A_ij x_j, four columns at a time; SS_V4_SUM(sum_i) is row i of A x
SS_INLINE void ss_collect(int r, int n, const double* A, const double* x, ss_v4* sum)
{
  for (int i = 0; i < r; i++)
    for (int j = 0; j < n; j += 4) sum[i] += SS_V4C(A + i*n + j)*SS_V4C(x + j);
}

// y += A^T x
SS_INLINE void ss_add_product_t(int r, int n, const double* A, const double* x, double* y)
{
  for (int j = 0; j < n; j += 4) {
    ss_v4 sum = SS_V4C(y + j);
    for (int i = 0; i < r; i++) sum += SS_V4C(A + i*n + j)*x[i];
    SS_V4(y + j) = sum;
  }
}

// y += A x for a block by columns; y has `row` numbers
SS_INLINE void ss_add_by_columns(int dim, int row, const double* A, const double* x, double* y)
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
SS_INLINE void ss_add_small(int dim, int row, const double* A, const double* x, double* y)
{
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) y[i] += A[i*row + j]*x[j];
}

// ---- velocities ----

// Rows of block k of G x, without block `skip`, added to y
SS_INLINE void ss_add_row_of_G(const ss_friction_space* s, int dim, int k, int skip, const double* x, double* y)
{
  int row = ss_friction_row(dim);
  for (int e = s->start[k]; e < s->start[k + 1]; e++)
    if (s->col[e] != skip) ss_add_by_columns(dim, row, s->value + (size_t)e*(size_t)(dim*row), x + s->col[e]*dim, y);
}

// Rows of block k of J v, added to y
SS_INLINE void ss_add_row_of_J(const ss_friction_space* s, int dim, int n, int k, const double* v, double* y)
{
  ss_v4 sum[3] = {{0}, {0}, {0}};
  for (int e = s->start[k]; e < s->start[k + 1]; e++)
    ss_collect(dim, n, s->value + (size_t)e*(size_t)(dim*n), v + s->col[e]*n, sum);
  for (int i = 0; i < dim; i++) y[i] += SS_V4_SUM(sum[i]);
}

// y = G x
SS_INLINE void ss_multiply_G(const ss_friction_space* s, int dim, const double* x, double* y)
{
  for (int k = 0; k < s->k; k++) {
    double sum[4] = {0};
    ss_add_row_of_G(s, dim, k, -1, x, sum);
    for (int i = 0; i < dim; i++) y[k*dim + i] = sum[i];
  }
}

// v follows a change of the impulse of block k
SS_INLINE void ss_move_bodies(const ss_friction_space* s, int dim, int n, int k, const double* change, double* v)
{
  for (int e = s->start[k]; e < s->start[k + 1]; e++)
    ss_add_product_t(dim, n, s->value + (size_t)e*(size_t)(dim*n), change, v + s->col[e]*n);
}

// v = J^T x
SS_INLINE void ss_multiply_Jt(const ss_friction_space* s, int dim, int n, const double* x, double* v)
{
  memset(v, 0, (size_t)s->n_body*(size_t)n*sizeof *v);
  for (int k = 0; k < s->k; k++) ss_move_bodies(s, dim, n, k, x + k*dim, v);
}

// y = J v
SS_INLINE void ss_multiply_J(const ss_friction_space* s, int dim, int n, const double* v, double* y)
{
  for (int k = 0; k < s->k; k++) {
    for (int i = 0; i < dim; i++) y[k*dim + i] = 0;
    ss_add_row_of_J(s, dim, n, k, v, y + k*dim);
  }
}

#endif
