// Small linear systems of any rank, by Gauss-Jordan elimination with complete pivoting, and the corners of small
// polyhedra: a vertex is a point where d of the inequalities are equations that determine it, an extreme ray a
// direction that d - 1 of the homogeneous ones determine.
#include "math/polyhedron.h"
#include <math.h>
#include <string.h>

#define RANK 1e-10     // pivots below this times the first are zero
#define CONTRADICT 1e-9
#define INSIDE 1e-9    // inequalities may be violated by this, relative to their terms

static void swap(double* a, double* b)
{
  double c = *a;
  *a = *b;
  *b = c;
}

// The largest entry from row and column s on, brought to (s, s)
static double bring_pivot(int m, int n, double* M, double* rhs, int* order, int s)
{
  int p = s, q = s, o = order[s];
  for (int i = s; i < m; i++)
    for (int j = s; j < n; j++)
      if (fabs(M[i*n + j]) > fabs(M[p*n + q])) {
        p = i;
        q = j;
      }
  for (int j = 0; j < n && p != s; j++) swap(&M[p*n + j], &M[s*n + j]);
  swap(&rhs[p], &rhs[s]);
  for (int i = 0; i < m && q != s; i++) swap(&M[i*n + q], &M[i*n + s]);
  order[s] = order[q];
  order[q] = o;
  return fabs(M[s*n + s]);
}

static void clear_column(int m, int n, double* M, double* rhs, int s)
{
  double inverse = 1/M[s*n + s];
  for (int j = s; j < n; j++) M[s*n + j] *= inverse;
  rhs[s] *= inverse;
  for (int i = 0; i < m; i++) {
    double f = M[i*n + s];
    if (i == s || f == 0) continue;
    for (int j = s; j < n; j++) M[i*n + j] -= f*M[s*n + j];
    rhs[i] -= f*rhs[s];
  }
}

int ss_affine_solve(int m, int n, double* M, double* rhs, double* p, double* N)
{
  int order[SS_AFFINE_MAX], rank = 0;
  double first = 0;
  for (int j = 0; j < n; j++) order[j] = j;
  for (; rank < m && rank < n; rank++) {
    double pivot = bring_pivot(m, n, M, rhs, order, rank);
    if (rank == 0) first = pivot;
    if (!(pivot > RANK*first)) break;
    clear_column(m, n, M, rhs, rank);
  }
  for (int i = rank; i < m; i++)
    if (!(fabs(rhs[i]) <= CONTRADICT)) return -1;
  int d = n - rank;
  memset(N, 0, sizeof(double)*(size_t)(n*d));
  for (int j = 0; j < n; j++) p[order[j]] = j < rank ? rhs[j] : 0;
  for (int q = 0; q < d; q++) {
    for (int s = 0; s < rank; s++) N[order[s]*d + q] = -M[s*n + rank + q];
    N[order[rank + q]*d + q] = 1;
  }
  return d;
}

// ---- corners ----

typedef struct search {
  int d, rows;
  const double *e, *C;
  ss_corner show;
  void* user;
} search;

// e + C t >= 0, without e for a direction
static bool is_inside(const search* s, const double* t, bool ray)
{
  for (int i = 0; i < s->rows; i++) {
    double sum = ray ? 0 : s->e[i], size = ray ? 0 : 1;
    for (int q = 0; q < s->d; q++) {
      sum += s->C[i*s->d + q]*t[q];
      size += fabs(s->C[i*s->d + q]*t[q]);
    }
    if (!(sum >= -INSIDE*size)) return false;
  }
  return true;
}

// Solves the chosen inequalities as equations; true if that gave a corner
static bool look(const search* s, int n, const int* choice, bool ray)
{
  double M[SS_AFFINE_MAX*SS_AFFINE_MAX], rhs[SS_AFFINE_MAX], t[SS_AFFINE_MAX] = {0}, N[SS_AFFINE_MAX*SS_AFFINE_MAX];
  for (int i = 0; i < n; i++) {
    rhs[i] = ray ? 0 : -s->e[choice[i]];
    memcpy(M + i*s->d, s->C + choice[i]*s->d, sizeof(double)*(size_t)s->d);
  }
  if (ss_affine_solve(n, s->d, M, rhs, t, N) != (ray ? 1 : 0)) return false;
  if (!ray) {
    bool inside = is_inside(s, t, false);
    if (inside) s->show(s->user, t, false);
    return inside;
  }
  for (int sign = 1; sign >= -1; sign -= 2) {
    for (int q = 0; q < s->d; q++) t[q] = sign*N[q];
    if (is_inside(s, t, true)) s->show(s->user, t, true);
  }
  return true;
}

// The next choice of m out of n, ascending; false after the last
static bool next_choice(int n, int m, int* choice)
{
  int i = m - 1;
  while (i >= 0 && choice[i] == n - m + i) i--;
  if (i < 0) return false;
  choice[i]++;
  for (int j = i + 1; j < m; j++) choice[j] = choice[j - 1] + 1;
  return true;
}

// Without a line in it a polyhedron that is not empty has a vertex [Schrijver 1986, chapter 8]: without one there are
// no rays to look for.
bool ss_polyhedron_corners(int d, int rows, const double* e, const double* C, long* budget, ss_corner show, void* user)
{
  search s = {d, rows, e, C, show, user};
  bool found = false;
  for (int ray = 0; ray < 2 && (found || !ray); ray++) {
    int choice[SS_AFFINE_MAX], n = d - ray;
    if (n < 0 || n > rows) continue;
    for (int i = 0; i < n; i++) choice[i] = i;
    do {
      if (--*budget < 0) return false;
      if (look(&s, n, choice, ray)) found = true;
    } while (next_choice(rows, n, choice));
  }
  return true;
}
