// Block principal pivoting for small symmetric A, where every operation counts: no scaling, no arena, A_FF by
// L D L^T. It answers only if that is exact; everything else is left to the others.
//
// From F = {i : b_i < 0},  A_FF x_F = -b_F,  x_G = 0,  y_G = A_GF x_F + b_G;  all i of F with x_i < 0 and all i of G
// with y_i < 0 change sides [Kostreva 1978; Judice & Pires 1994]. A positive definite A of 6 unknowns takes 2 rounds.
#include "solve/lcp_solvers.h"
#include "solve/residual.h"
#include <float.h>
#include <math.h>

enum { MAX = SS_LCP_SMALL, ROUNDS = 10, PATIENCE = 2 };

typedef struct state {
  int n, k;  // unknowns; size of F
  const double *A, *b;
  double L[MAX*MAX], D[MAX], v[MAX];  // factors of A_FF, L below the diagonal, D inverted; x_F
  int F[MAX];
  bool in[MAX];  // i is in F
} state;

// Positive diagonal, and symmetric up to round-off
static bool is_eligible(int n, const double* A)
{
  for (int i = 0; i < n; i++)
    if (!(A[i*n + i] > 0)) return false;
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++)
      if (!(fabs(A[i*n + j] - A[j*n + i]) <= 4*DBL_EPSILON*fabs(A[i*n + j]))) return false;
  return true;
}

// A_FF = L D L^T and at once L D v = -b_F. False if it is not clearly positive definite.
static bool factor(state* w)
{
  for (int p = 0; p < w->k; p++) {
    const double* a = w->A + w->F[p]*w->n;
    double *l = w->L + p*MAX, d = a[w->F[p]], v = -w->b[w->F[p]], least = 1e-12*d;
    for (int q = 0; q < p; q++) {
      const double* m = w->L + q*MAX;
      double s = a[w->F[q]];
      for (int r = 0; r < q; r++) s -= l[r]*m[r];  // l holds L D so far
      l[q] = s;
    }
    for (int q = 0; q < p; q++) {
      double s = l[q];
      l[q] *= w->D[q];
      d -= s*l[q];
      v -= s*w->v[q];
    }
    if (!(d > least)) return false;
    w->D[p] = 1/d;
    w->v[p] = v*w->D[p];
  }
  return true;
}

static bool solve_basis(state* w)
{
  w->k = 0;
  for (int i = 0; i < w->n; i++) {
    w->F[w->k] = i;
    w->k += w->in[i];
  }
  if (!factor(w)) return false;
  for (int p = w->k - 1; p > 0; p--)
    for (int q = 0; q < p; q++) w->v[q] -= w->L[p*MAX + q]*w->v[p];
  return true;
}

// All that are wrong change sides; returns how many
static int exchange(state* w)
{
  int wrong = 0;
  for (int i = 0, p = 0; i < w->n; i++) {
    double s = w->b[i];
    if (w->in[i]) s = w->v[p++];
    else
      for (int q = 0; q < w->k; q++) s += w->A[i*w->n + w->F[q]]*w->v[q];
    w->in[i] ^= s < 0;
    wrong += s < 0;
  }
  return wrong;
}

// Rounds until nothing is wrong, or nothing gets better: what is left may be round-off. Then x is what was solved last.
static bool pivot(state* w, int limit, int* rounds)
{
  int fewest = w->n + 1, idle = 0;
  for (*rounds = 1; *rounds <= limit; ++*rounds) {
    if (!solve_basis(w)) return false;
    int wrong = exchange(w);
    if (wrong == 0) return true;
    idle = wrong < fewest ? 0 : idle + 1;
    if (wrong < fewest) fewest = wrong;
    if (idle > PATIENCE) return true;
  }
  return false;
}

bool ss_lcp_small(const ss_lcp* lcp, const ss_lcp_def* def, ss_lcp_solution* s)
{
  state w;
  double x[MAX], y[MAX], Y[MAX];
  int n = lcp->n, rounds, negative = 0, limit = def->max_iter > 0 && def->max_iter < ROUNDS ? def->max_iter : ROUNDS;
  w.n = n;
  w.A = lcp->A;
  w.b = lcp->b;
  if (!is_eligible(n, w.A)) return false;
  for (int i = 0; i < n; i++) negative += w.in[i] = w.b[i] < 0;
  if (negative == 0 || !pivot(&w, limit, &rounds)) return false;
  for (int i = 0; i < n; i++) x[i] = 0;
  for (int p = 0; p < w.k; p++) x[w.F[p]] = w.v[p] > 0 ? w.v[p] : 0;
  double r = ss_lcp_residual_y(lcp, x, y, Y);
  if (!(r <= DBL_EPSILON*(4 + 0.25*n) && r <= def->tol)) return false;
  for (int i = 0; i < n; i++) {
    s->x[i] = x[i];
    s->y[i] = y[i];
  }
  for (int i = 0; i < n && s->basis; i++) s->basis[i] = false;
  for (int p = 0; p < w.k && s->basis; p++) s->basis[w.F[p]] = true;
  s->residual = r;
  s->solver = SS_LCP_BLOCK_PIVOT;
  s->iterations = rounds;
  s->attempts = 1;
  return true;
}
