// Random LCPs: symmetric positive definite ones, and frictional contact in the plane.
#ifndef TEST_SOLVE_FAMILIES_H
#define TEST_SOLVE_FAMILIES_H

#include "../math/matrices.h"
#include <string.h>

#ifndef FAMILY_MAX
#define FAMILY_MAX 96  // unknowns at most
#endif

/// A = B B^T/n + 0.01, B and b uniform in (-1, 1)
static inline void make_spd(int n, uint64_t* seed, double* A, double* b)
{
  static double B[FAMILY_MAX*FAMILY_MAX];
  fill_uniform(n*n, B, seed);
  for (int i = 0; i < n; i++) {
    b[i] = uniform(seed);
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int l = 0; l < n; l++) sum += B[i*n + l]*B[j*n + l];
      A[i*n + j] = A[j*n + i] = sum/n + (i == j ? 0.01 : 0);
    }
  }
}

/// G = W^T M^-1 W and b = W^T u for k planar contacts on nv degrees of freedom; rows N1 .. Nk, T1 .. Tk. W, u uniform,
/// M diagonal between 1/spread and spread. b is in the range of G, so the problem has a solution even if G is singular.
static inline void make_contacts(int k, int nv, double spread, uint64_t* seed, double* G, double* b)
{
  static double W[FAMILY_MAX*FAMILY_MAX];
  double inverse[FAMILY_MAX], u[FAMILY_MAX];
  int m = 2*k;
  fill_uniform(nv*m, W, seed);  // column i of W^T is row i here
  fill_uniform(nv, u, seed);
  for (int l = 0; l < nv; l++) inverse[l] = pow(spread, uniform(seed));
  for (int i = 0; i < m; i++) {
    b[i] = 0;
    for (int l = 0; l < nv; l++) b[i] += W[i*nv + l]*u[l];
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int l = 0; l < nv; l++) sum += W[i*nv + l]*inverse[l]*W[j*nv + l];
      G[i*m + j] = G[j*m + i] = sum;
    }
  }
}

/// The LCP of size 3k [Glocker & Studer 2005, (33)]: x = (Lambda_N, Lambda_R, xi_L), y = (xi_N, xi_R, Lambda_L) with
/// Lambda_T = Lambda_R - mu Lambda_N.
static inline void make_friction_lcp(int k, const double* G, const double* g, const double* mu, double* A, double* b)
{
  int n = 3*k, m = 2*k;
  memset(A, 0, sizeof(double)*(size_t)(n*n));
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < k; j++) {
      A[i*n + j] = G[i*m + j] - G[i*m + k + j]*mu[j];
      A[i*n + k + j] = G[i*m + k + j];
    }
    b[i] = g[i];
  }
  for (int i = 0; i < k; i++) {
    A[(k + i)*n + 2*k + i] = 1;
    A[(2*k + i)*n + i] = 2*mu[i];
    A[(2*k + i)*n + k + i] = -1;
    b[2*k + i] = 0;
  }
}

/// The same with one mu for all contacts: the families `fric` (nv = 2k) and `fricdef` (nv = k, G singular)
static inline void make_friction_mu(int k, int nv, double mu, double spread, uint64_t* seed, double* A, double* b)
{
  static double G[FAMILY_MAX*FAMILY_MAX];
  double g[FAMILY_MAX], all[FAMILY_MAX];
  make_contacts(k, nv, spread, seed, G, g);
  for (int i = 0; i < k; i++) all[i] = mu;
  make_friction_lcp(k, G, g, all, A, b);
}

/// Both at once, mu uniform in (0, mu_max)
static inline void make_friction(int k, int nv, double mu_max, double spread, uint64_t* seed, double* A, double* b)
{
  static double G[FAMILY_MAX*FAMILY_MAX];
  double g[FAMILY_MAX], mu[FAMILY_MAX];
  make_contacts(k, nv, spread, seed, G, g);
  for (int i = 0; i < k; i++) mu[i] = mu_max*0.5*(1 + uniform(seed));
  make_friction_lcp(k, G, g, mu, A, b);
}

#endif
