// Random MLCPs: equality-constrained quadratic programs, boxes, polyhedral friction with bilateral constraints.
#ifndef TEST_SOLVE_MLCP_FAMILIES_H
#define TEST_SOLVE_MLCP_FAMILIES_H

#include "../math/matrices.h"
#include <stickslip/mlcp.h>
#include <string.h>

enum { MIXED_MAX = 256 };  // unknowns at most

/// A problem with its own memory
typedef struct mixed {
  int n;
  double A[MIXED_MAX*MIXED_MAX], b[MIXED_MAX], lower[MIXED_MAX], upper[MIXED_MAX];
} mixed;

static inline ss_mlcp as_mlcp(const mixed* m)
{
  return (ss_mlcp){.n = m->n, .A = m->A, .b = m->b, .lower = m->lower, .upper = m->upper};
}

static inline void set_bounds(mixed* m, int first, int count, double lower, double upper)
{
  for (int i = first; i < first + count; i++) {
    m->lower[i] = lower;
    m->upper[i] = upper;
  }
}

/// G = B B^T/m + shift with B uniform, n x m, into the first n rows and columns of A
static inline void put_gram(mixed* p, int n, int m, double shift, uint64_t* seed)
{
  static double B[MIXED_MAX*MIXED_MAX];
  fill_uniform(n*m, B, seed);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int l = 0; l < m; l++) sum += B[i*m + l]*B[j*m + l];
      p->A[i*p->n + j] = p->A[j*p->n + i] = sum/m + (i == j ? shift : 0);
    }
}

/// min x.Hx/2 + c.x with E x = e, x >= 0, as the MLCP of (x, lambda): H x - E^T lambda + c and E x - e. The last
/// `redundant` equations are sums of others; e = E x0 with x0 > 0, so the problem has a solution.
static inline void make_program(int nx, int equations, int redundant, uint64_t* seed, mixed* p)
{
  int n = p->n = nx + equations, own = equations - redundant;
  double x0[MIXED_MAX];
  memset(p->A, 0, sizeof p->A);
  put_gram(p, nx, nx, 0.1, seed);
  fill_uniform(nx, p->b, seed);
  for (int j = 0; j < nx; j++) x0[j] = 1 + uniform(seed);
  for (int i = 0; i < equations; i++) {
    double *row = p->A + (nx + i)*n, sum = 0;
    for (int j = 0; j < nx; j++) {
      row[j] = i < own ? uniform(seed) : p->A[(nx + (i - own)%own)*n + j] + p->A[(nx + (i - own + 1)%own)*n + j];
      p->A[j*n + nx + i] = -row[j];
      sum += row[j]*x0[j];
    }
    p->b[nx + i] = -sum;
  }
  set_bounds(p, 0, nx, 0, INFINITY);
  set_bounds(p, nx, equations, -INFINITY, INFINITY);
}

/// Positive definite, not symmetric; boxes, one-sided bounds of both kinds, free and fixed unknowns in turn. One
/// solution.
static inline void make_box(int n, uint64_t* seed, mixed* p)
{
  p->n = n;
  put_gram(p, n, n, 0.1, seed);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double s = 0.5*uniform(seed);
      p->A[i*n + j] += s;
      p->A[j*n + i] -= s;
    }
  fill_uniform(n, p->b, seed);
  for (int i = 0; i < n; i++) {
    double middle = 0.3*uniform(seed), width = 0.2*(1 + uniform(seed));
    int kind = i%8;
    p->lower[i] = kind == 4 || kind == 6 ? -INFINITY : middle - width;
    p->upper[i] = kind == 5 || kind == 6 ? INFINITY : kind == 7 ? p->lower[i] : middle + width;
  }
}

/// Contact on `dofs` degrees of freedom with unit mass: bilateral rows (free, the last `redundant` of them copies), k
/// contacts with normal impulse, four friction impulses and sliding speed each [Mylapilli & Jain 2017, (43)].
static inline void make_polyhedral(int bilateral, int redundant, int k, int dofs, double mu, uint64_t* seed, mixed* p)
{
  static double W[MIXED_MAX*MIXED_MAX];
  int nf = 4, m = bilateral + k + nf*k, n = p->n = m + k, sigma = m;
  double u[MIXED_MAX];
  memset(p->A, 0, sizeof p->A);
  fill_uniform(dofs, u, seed);
  fill_uniform((bilateral + k + 2*k)*dofs, W, seed);
  for (int i = bilateral - redundant; i < bilateral; i++) memcpy(W + i*dofs, W, sizeof(double)*(size_t)dofs);
  for (int c = k - 1; c >= 0; c--)  // tangents t1, t2 become t1, t2, -t1, -t2
    for (int l = 0; l < dofs; l++) {
      double t1 = W[(bilateral + k + 2*c)*dofs + l], t2 = W[(bilateral + k + 2*c + 1)*dofs + l];
      double* to = W + (bilateral + k + nf*c)*dofs + l;
      to[3*dofs] = -t2;
      to[2*dofs] = -t1;
      to[dofs] = t2;
      to[0] = t1;
    }
  for (int i = 0; i < m; i++) {
    p->b[i] = 0;
    for (int l = 0; l < dofs; l++) p->b[i] += W[i*dofs + l]*u[l];
    for (int j = 0; j < m; j++) {
      double sum = 0;
      for (int l = 0; l < dofs; l++) sum += W[i*dofs + l]*W[j*dofs + l];
      p->A[i*n + j] = sum;
    }
  }
  for (int c = 0; c < k; c++) {
    p->A[(sigma + c)*n + bilateral + c] = mu;
    for (int f = 0; f < nf; f++) {
      p->A[(bilateral + k + nf*c + f)*n + sigma + c] = 1;
      p->A[(sigma + c)*n + bilateral + k + nf*c + f] = -1;
    }
    p->b[sigma + c] = 0;
  }
  set_bounds(p, 0, bilateral, -INFINITY, INFINITY);
  set_bounds(p, bilateral, n - bilateral, 0, INFINITY);
}

#endif
