// Reciprocal condition numbers in the 1-norm, estimated from a factorisation by a few solves.
// Hager's method as improved by Higham (1988), "FORTRAN codes for estimating the one-norm of a real or complex matrix",
// ACM Trans. Math. Softw. 14, algorithm 4.1: |A^-1|_1 is the maximum of the convex function |A^-1 x|_1 over |x|_1 <= 1,
// reached at a unit vector; the gradient A^-T sign(A^-1 x) tells which one to try next.
#include "math/dense.h"
#include <stddef.h>

enum { MAX_STEPS = 5 };

// A factorised matrix: Cholesky if piv is NULL, otherwise LU
typedef struct factors {
  int n;
  const double* F;
  const int* piv;
} factors;

static void solve(const factors* f, double* x)
{
  if (f->piv) ss_lu_solve(f->n, f->F, f->piv, x);
  else ss_chol_solve(f->n, f->F, x);
}

static void solve_transposed(const factors* f, double* x)
{
  if (f->piv) ss_lu_solve_t(f->n, f->F, f->piv, x);
  else ss_chol_solve(f->n, f->F, x);
}

static double sum_abs(int n, const double* x)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += fabs(x[i]);
  return sum;
}

// sign = sign(v); true if that changed anything
static bool take_signs(int n, const double* v, double* sign)
{
  bool changed = false;
  for (int i = 0; i < n; i++) {
    double s = v[i] < 0 ? -1 : 1;
    changed |= s != sign[i];
    sign[i] = s;
  }
  return changed;
}

static int argmax_abs(int n, const double* x)
{
  int j = 0;
  for (int i = 1; i < n; i++)
    if (fabs(x[i]) > fabs(x[j])) j = i;
  return j;
}

// The alternating vector that catches the matrices on which the gradient misleads
static double alternating(const factors* f, double* x)
{
  int n = f->n;
  for (int i = 0; i < n; i++) x[i] = (i%2 ? -1 : 1)*(1 + (n > 1 ? (double)i/(n - 1) : 0));
  solve(f, x);
  return 2*sum_abs(n, x)/(3*n);
}

static double inverse_norm1(const factors* f, double* work)
{
  int n = f->n, j = -1;
  double *v = work, *sign = work + n, *x = work + 2*n;
  double norm = 0;
  for (int i = 0; i < n; i++) {
    v[i] = 1.0/n;
    sign[i] = 0;
  }
  for (int step = 0; step < MAX_STEPS; step++) {
    solve(f, v);
    double next = sum_abs(n, v);
    if (step > 0 && next <= norm) break;
    norm = next;
    if (!take_signs(n, v, sign)) break;
    for (int i = 0; i < n; i++) x[i] = sign[i];
    solve_transposed(f, x);
    int before = j;
    j = argmax_abs(n, x);
    if (j == before || n == 1) break;
    for (int i = 0; i < n; i++) v[i] = i == j;
  }
  return fmax(norm, alternating(f, x));
}

double ss_norm1(int n, const double* A)
{
  double largest = 0;
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(A[i*n + j]);
    if (sum > largest || isnan(sum)) largest = sum;
  }
  return largest;
}

static double rcond(const factors* f, double anorm1, double* work)
{
  if (f->n == 0) return 1;
  if (!(anorm1 > 0)) return 0;
  double norm = inverse_norm1(f, work);
  return norm > 0 ? 1/norm/anorm1 : 0;  // NaN counts as singular
}

double ss_chol_rcond(int n, const double* L, double anorm1, double* work)
{
  return rcond(&(factors){n, L, NULL}, anorm1, work);
}

double ss_lu_rcond(int n, const double* LU, const int* piv, double anorm1, double* work)
{
  return rcond(&(factors){n, LU, piv}, anorm1, work);
}
