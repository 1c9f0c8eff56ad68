// Complementary bases solved one by one: the one that a path ended on, or all of them.
#include "solve/basis.h"
#include "math/dense.h"
#include "solve/residual.h"
#include <string.h>

// The scaled a_ij
static double entry(const ss_tableau* t, const ss_lcp* lcp, int i, int j)
{
  return t->row[i]*lcp->A[(size_t)i*(size_t)t->n + (size_t)j]*t->col[j];
}

// A_SS, k x k, into the memory of the tableau
static void gather(ss_tableau* t, const ss_lcp* lcp, int k, const int* S)
{
  for (int p = 0; p < k; p++)
    for (int q = 0; q < k; q++) t->T[(size_t)p*(size_t)k + (size_t)q] = entry(t, lcp, S[p], S[q]);
}

// x from the scaled solution v of the basis S
static void scatter(const ss_tableau* t, int k, const int* S, const double* v, double* x)
{
  for (int j = 0; j < t->n; j++) x[j] = 0;
  for (int p = 0; p < k; p++) x[S[p]] = v[p] > 0 ? v[p]*t->col[S[p]]/t->beta : 0;
}

// r = -b_S - A_SS v
static void defect(const ss_tableau* t, const ss_lcp* lcp, int k, const int* S, const double* v, double* r)
{
  for (int p = 0; p < k; p++) {
    double sum = -t->b[S[p]];
    for (int q = 0; q < k; q++) sum -= entry(t, lcp, S[p], S[q])*v[q];
    r[p] = sum;
  }
}

bool ss_basis_factor(ss_tableau* t, const ss_lcp* lcp)
{
  int k = 0, *S = t->index, *piv = t->basic;
  double* v = t->rhs;
  for (int j = 0; j < t->n; j++)
    if (t->place[j] < 0) S[k++] = j;
  gather(t, lcp, k, S);
  if (!ss_lu_factor(k, t->T, piv)) return false;
  for (int p = 0; p < k; p++) v[p] = -t->b[S[p]];
  ss_lu_solve(k, t->T, piv, v);
  for (int p = 0; p < k; p++) t->place[S[p]] = -1 - p;
  return true;
}

// One step of refinement in the working precision makes the error small row by row [Skeel 1980], which is what
// ss_lcp_residual() measures; the second is for rows that need it.
void ss_basis_refine(ss_tableau* t, const ss_lcp* lcp)
{
  int k = 0, *S = t->index, *piv = t->basic;
  double *v = t->rhs, *r = t->cover;
  for (int j = 0; j < t->n; j++) k += t->place[j] < 0;
  for (int step = 0; step < 2; step++) {
    defect(t, lcp, k, S, v, r);
    ss_lu_solve(k, t->T, piv, r);
    ss_axpy(k, 1, r, v);
  }
}

bool ss_basis_solve(ss_tableau* t, const ss_lcp* lcp)
{
  if (!ss_basis_factor(t, lcp)) return false;
  ss_basis_refine(t, lcp);
  return true;
}

// ---- enumeration ----

static const double RANK_TOL = 1e-10;
static const double GROWTH_MAX = 1e11;  // beyond this times b the sums of A x leave nothing of b

// Places of the largest entry of M from row and column s on
static void largest_entry(int k, const double* M, int s, int* row, int* column)
{
  *row = *column = s;
  for (int p = s; p < k; p++)
    for (int q = s; q < k; q++)
      if (fabs(M[p*k + q]) > fabs(M[*row*k + *column])) {
        *row = p;
        *column = q;
      }
}

static void swap(double* a, double* b)
{
  double c = *a;
  *a = *b;
  *b = c;
}

// M v = rhs by elimination with complete pivoting; unknowns whose pivot is at most rank_tol times the first are zero (a
// solution if there is one). rhs holds v on return, in the order of `order`. False if some pivot was small.
static bool solve_any_rank(int k, double rank_tol, double* M, double* rhs, int* order)
{
  int rank = 0;
  double first = 0, last = 0;
  for (int s = 0; s < k; s++) order[s] = s;
  for (int s = 0; s < k; s++) {
    int p, q;
    largest_entry(k, M, s, &p, &q);
    last = fabs(M[p*k + q]);
    if (s == 0) first = last;
    if (!(last > rank_tol*first)) break;
    for (int j = 0; j < k; j++) swap(&M[s*k + j], &M[p*k + j]);
    for (int i = 0; i < k; i++) swap(&M[i*k + s], &M[i*k + q]);
    swap(&rhs[s], &rhs[p]);
    int o = order[s];
    order[s] = order[q];
    order[q] = o;
    for (int i = s + 1; i < k; i++) {
      double f = M[i*k + s]/M[s*k + s];
      for (int j = s + 1; j < k; j++) M[i*k + j] -= f*M[s*k + j];
      rhs[i] -= f*rhs[s];
    }
    rank = s + 1;
  }
  for (int s = k - 1; s >= 0; s--) {
    if (s >= rank) {
      rhs[s] = 0;
      continue;
    }
    for (int j = s + 1; j < rank; j++) rhs[s] -= M[s*k + j]*rhs[j];
    rhs[s] /= M[s*k + s];
  }
  return last > RANK_TOL*first;
}

// x of the basis given by the bits of `set`; true if it solves the problem. *regular: the basis is not nearly singular.
static bool set_solves(ss_tableau* t, const ss_lcp* lcp, unsigned set, double rank_tol, double tol, bool* regular)
{
  int k = 0, *S = t->index, *order = t->basic;
  double *rhs = t->rhs, *v = t->cover;
  for (int j = 0; j < t->n; j++)
    if (set >> j & 1) S[k++] = j;
  gather(t, lcp, k, S);
  for (int p = 0; p < k; p++) rhs[p] = -t->b[S[p]];
  *regular = solve_any_rank(k, rank_tol, t->T, rhs, order);
  for (int p = 0; p < k; p++) v[order[p]] = rhs[p];
  if (!(ss_norm_inf(k, v) <= GROWTH_MAX)) return false;
  scatter(t, k, S, v, t->x);
  return ss_lcp_residual(lcp, t->x) <= tol;
}

// A nearly singular basis is tried as it is, which gives a large x, and with the rank that it nearly has
bool ss_basis_enumerate(ss_tableau* t, const ss_lcp* lcp, double tol)
{
  for (unsigned set = 0; set < 1u << t->n; set++) {
    bool regular, solved = set_solves(t, lcp, set, 0, tol, &regular);
    if (!solved && !regular) solved = set_solves(t, lcp, set, RANK_TOL, tol, &regular);
    if (!solved) continue;
    for (int j = 0; j < t->n; j++) t->place[j] = set >> j & 1 ? -1 : 0;  // for a refined solution of this basis
    return true;
  }
  return false;
}
