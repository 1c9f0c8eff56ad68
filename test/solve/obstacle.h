// A membrane over an obstacle: -Laplace(u) >= 0, u >= psi, one of them an equation, u = 0 on the border of a unit
// square with m x m inner points. With x = u - psi and the 5-point Laplacian, y = A x + A psi.
#ifndef TEST_SOLVE_OBSTACLE_H
#define TEST_SOLVE_OBSTACLE_H

#include <math.h>
#include <stdlib.h>
#include <stickslip/lcp.h>

/// A problem of n = m*m unknowns; free what it holds by free_obstacle()
typedef struct obstacle {
  int m;
  ss_sparse S;
  double* b;
} obstacle;

/// Two bumps, the left one steeper
static inline double obstacle_height(double s, double t)
{
  double p = 0.6 - 12*((s - 0.3)*(s - 0.3) + (t - 0.4)*(t - 0.4));
  double q = 0.4 - 6*((s - 0.7)*(s - 0.7) + (t - 0.6)*(t - 0.6));
  return fmax(fmax(p, q), -0.5);
}

static inline obstacle make_obstacle(int m)
{
  int n = m*m, e = 0, *start = malloc(sizeof(int)*((size_t)n + 1)), *col = malloc(sizeof(int)*5*(size_t)n);
  double *value = malloc(sizeof(double)*5*(size_t)n), *b = malloc(sizeof(double)*(size_t)n), h = 1.0/(m + 1);
  for (int i = 0; i < n; i++) {
    int r = i/m, c = i%m, near[5] = {i - m, i - 1, i, i + 1, i + m};
    bool inside[5] = {r > 0, c > 0, true, c < m - 1, r < m - 1};
    start[i] = e;
    b[i] = 0;
    for (int k = 0; k < 5; k++) {
      if (!inside[k]) continue;
      col[e] = near[k];
      value[e] = k == 2 ? 4 : -1;
      b[i] += value[e++]*obstacle_height((near[k]/m + 1)*h, (near[k]%m + 1)*h);
    }
  }
  start[n] = e;
  return (obstacle){m, {n, n, start, col, value}, b};
}

static inline void free_obstacle(obstacle* o)
{
  free((int*)o->S.start);
  free((int*)o->S.col);
  free((double*)o->S.value);
  free(o->b);
}

static inline ss_lcp obstacle_lcp(const obstacle* o) { return (ss_lcp){.n = o->m*o->m, .b = o->b, .S = &o->S}; }

#endif
