// The steps of Newton's methods for a dense A.
#include "base/arena.h"
#include "math/dense.h"
#include "solve/newton.h"
#include <math.h>

static size_t square(int n) { return ss_arena_bytes(sizeof(double)*(size_t)n*(size_t)n); }

size_t ss_newton_size(int n)
{
  if (n <= 0) return 0;
  return ss_search_size(n) + 2*square(n) + ss_newton_vectors_size(n) + ss_arena_bytes(2*sizeof(int)*(size_t)n);
}

static void load(ss_newton* w)
{
  const ss_tableau* t = &w->s.t;
  size_t n = (size_t)w->n;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) w->A[i*n + j] = t->row[i]*w->s.lcp->A[i*n + j]*t->col[j];
}

static bool dense_open(ss_newton* w, ss_arena* arena)
{
  size_t n = (size_t)w->n;
  w->A = ss_arena_array(arena, double, n*n);
  w->M = ss_arena_array(arena, double, n*n);
  w->set = ss_arena_array(arena, int, 2*n);
  if (!ss_newton_take_vectors(w, arena) || !w->A || !w->M || !w->set) return false;
  w->piv = w->set + n;
  load(w);
  return true;
}

static void dense_close(ss_newton* w) { (void)w; }

static void multiply(const ss_newton* w, const double* x, double* y) { ss_gemv(w->n, w->n, w->A, x, y); }

static void multiply_t(const ss_newton* w, const double* x, double* y) { ss_gemv_t(w->n, w->n, w->A, x, y); }

// Rows with phi_y = 0 give d_i = -Phi_i/phi_x at once; the others, the set F, are a smaller system
static int split(ss_newton* w)
{
  int k = 0;
  for (int i = 0; i < w->n; i++) {
    w->d[i] = 0;
    if (w->py[i] != 0) w->set[k++] = i;
    else w->d[i] = -w->Phi[i]/w->px[i];
  }
  return k;
}

static bool newton_step(ss_newton* w)
{
  int n = w->n, k = split(w), *F = w->set;
  double* rhs = w->Ad;
  for (int p = 0; p < k; p++) {
    int i = F[p];
    const double* a = w->A + (size_t)i*(size_t)n;
    rhs[p] = -w->Phi[i] - w->py[i]*ss_dot(n, a, w->d);
    double* m = w->M + (size_t)p*(size_t)k;
    for (int q = 0; q < k; q++) m[q] = w->py[i]*a[F[q]];
    m[p] += w->px[i];
  }
  if (!ss_lu_factor(k, w->M, w->piv)) return false;
  ss_lu_solve(k, w->M, w->piv, rhs);
  for (int p = 0; p < k; p++) w->d[F[p]] = rhs[p];
  return ss_norm_inf(n, w->d) < 1e12;  // beyond this only round-off is left of x
}

static bool regularised_step(ss_newton* w, double part)
{
  size_t n = (size_t)w->n;
  double *Vt = w->s.t.T, largest = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) Vt[j*n + i] = w->py[i]*w->A[i*n + j] + (i == j ? w->px[i] : 0);
  ss_abt_sym(w->n, w->n, Vt, Vt, w->M);
  for (size_t i = 0; i < n; i++) largest = fmax(largest, w->M[i*n + i]);
  for (size_t i = 0; i < n; i++) {
    w->M[i*n + i] += largest*part;
    w->d[i] = -w->g[i];
  }
  if (!ss_chol_factor(w->n, w->M)) return false;
  ss_chol_solve(w->n, w->M, w->d);
  return isfinite(ss_norm_inf(w->n, w->d));
}

static void polish(ss_newton* w)
{
  for (int i = 0; i < w->n; i++) w->s.t.place[i] = w->x[i] > w->y[i] ? -1 : 0;
  ss_search_offer_basis(&w->s);
}

const ss_newton_matrix ss_newton_dense = {dense_open, dense_close, multiply, multiply_t,
                                          newton_step, regularised_step, polish};
