// Anderson's acceleration: differences of the last rounds tell how g changes with x, as the secant does in one
// dimension.
#include "math/anderson.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"

#define DEPENDENT 1e-8  // of a difference is left after those before it are taken out: it tells nothing new

int ss_anderson_doubles(int n) { return (2 + 3*SS_ANDERSON_DEPTH)*n; }

void ss_anderson_place(ss_anderson* a, int n, double* memory)
{
  *a = (ss_anderson){.n = n, .g = memory, .f = memory + n, .dg = memory + 2*n};
  a->df = a->dg + SS_ANDERSON_DEPTH*n;
  a->q = a->df + SS_ANDERSON_DEPTH*n;
}

void ss_anderson_forget(ss_anderson* a)
{
  a->kept = 0;
  a->started = false;
}

// The differences to the round before, in front of the others
static void keep(ss_anderson* a, const double* g, const double* x)
{
  int n = a->n, more = a->kept < SS_ANDERSON_DEPTH ? a->kept : SS_ANDERSON_DEPTH - 1;
  size_t bytes = sizeof(double)*(size_t)(more*n);
  memmove(a->dg + n, a->dg, bytes);
  memmove(a->df + n, a->df, bytes);
  for (int i = 0; i < n; i++) {
    a->dg[i] = g[i] - a->g[i];
    a->df[i] = g[i] - x[i] - a->f[i];
  }
  a->kept = more + 1;
}

// c (kept): |f - dF c| least, by Gram and Schmidt
static void fit(const ss_anderson* a, double* f, double c[SS_ANDERSON_DEPTH])
{
  int n = a->n;
  double R[SS_ANDERSON_DEPTH][SS_ANDERSON_DEPTH] = {{0}}, y[SS_ANDERSON_DEPTH] = {0};
  for (int k = 0; k < a->kept; k++) {
    double *q = a->q + k*n, before = sqrt(ss_dot(n, a->df + k*n, a->df + k*n));
    memcpy(q, a->df + k*n, sizeof(double)*(size_t)n);
    for (int j = 0; j < k; j++) ss_axpy(n, -(R[j][k] = ss_dot(n, a->q + j*n, q)), a->q + j*n, q);
    double left = sqrt(ss_dot(n, q, q));
    R[k][k] = left > DEPENDENT*before ? left : 0;
    for (int i = 0; i < n; i++) q[i] = R[k][k] > 0 ? q[i]/left : 0;
    y[k] = ss_dot(n, q, f);
    ss_axpy(n, -y[k], q, f);
  }
  for (int k = a->kept - 1; k >= 0; k--) {
    c[k] = y[k];
    for (int j = k + 1; j < a->kept; j++) c[k] -= R[k][j]*c[j];
    c[k] = R[k][k] > 0 ? c[k]/R[k][k] : 0;
  }
}

void ss_anderson_next(ss_anderson* a, const double* g, double* x)
{
  int n = a->n;
  double c[SS_ANDERSON_DEPTH] = {0};
  if (a->started) keep(a, g, x);
  for (int i = 0; i < n; i++) {
    a->g[i] = g[i];
    a->f[i] = g[i] - x[i];
  }
  a->started = true;
  memcpy(x, a->f, sizeof(double)*(size_t)n);
  fit(a, x, c);
  memcpy(x, g, sizeof(double)*(size_t)n);
  for (int k = 0; k < a->kept; k++) ss_axpy(n, -c[k], a->dg + k*n, x);
}
