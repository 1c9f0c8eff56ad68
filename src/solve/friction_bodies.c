// Bodies in a global problem: M = L L^T body by body, J = H^T L^-T, b = J (L^-1 f) + w. Bodies without contact drop
// out.
#include "solve/friction_bodies.h"
#include "math/dense.h"
#include "math/sparse.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Dense blocks of M, if it has no other entries and they are symmetric
static double* masses(const ss_sparse* M, int body)
{
  int n = M->rows;
  double* L = calloc((size_t)n*(size_t)body + 1, sizeof *L);
  if (!L) return NULL;
  for (int i = 0; i < n; i++)
    for (int e = M->start[i]; e < M->start[i + 1]; e++) {
      if (M->col[e]/body != i/body && M->value[e] != 0) {
        free(L);
        return NULL;
      }
      if (M->col[e]/body == i/body) L[(size_t)i*(size_t)body + (size_t)(M->col[e]%body)] = M->value[e];
    }
  bool good = true;
  for (int first = 0; good && first < n; first += body) {
    double* A = L + (size_t)first*(size_t)body;
    for (int i = 0; i < body; i++)
      for (int j = 0; j < i; j++) good = good && fabs(A[i*body + j] - A[j*body + i]) <= 1e-14*fabs(A[i*body + j]);
    good = good && ss_chol_factor(body, A);
  }
  if (good) return L;
  free(L);
  return NULL;
}

// Numbers the bodies that some contact touches; returns how many. number: one per body, -1 if not touched
static int number_bodies(const ss_sparse* Ht, int body, int* number)
{
  int count = 0;
  for (int i = 0; i < Ht->cols/body; i++) number[i] = -1;
  for (int e = 0; e < Ht->start[Ht->rows]; e++)
    if (number[Ht->col[e]/body] < 0) number[Ht->col[e]/body] = count++;
  return count;
}

// Blocks of contact k: the body of each, in old numbers, into col if that is not NULL; returns how many
static int bodies_of(const ss_sparse* Ht, int dim, int body, int k, int* seen, int stamp, int* col)
{
  int count = 0;
  for (int e = Ht->start[k*dim]; e < Ht->start[(k + 1)*dim]; e++) {
    int i = Ht->col[e]/body;
    if (seen[i] == stamp) continue;
    seen[i] = stamp;
    if (col) col[count] = i;
    count++;
  }
  return count;
}

// Row i of J: L^-1 (row of H^T), for each body
static void fill_contact(ss_friction_space* s, const ss_sparse* Ht, const double* L, int body, int k)
{
  int dim = s->dim;
  for (int f = s->start[k]; f < s->start[k + 1]; f++)
    for (int i = 0; i < dim; i++) {
      double* row = s->value + ((size_t)f*(size_t)dim + (size_t)i)*(size_t)body;
      for (int e = Ht->start[k*dim + i]; e < Ht->start[k*dim + i + 1]; e++)
        if (Ht->col[e]/body == s->col[f]) row[Ht->col[e]%body] = Ht->value[e];
      ss_chol_solve_lower(body, L + (size_t)s->col[f]*(size_t)(body*body), row);
    }
}

// b = H^T M^-1 f + w
static void free_velocities(ss_friction_space* s, const ss_friction_problem* p, const ss_sparse* Ht, const double* L,
                            int body, double* x)
{
  memcpy(x, p->f, (size_t)p->M.rows*sizeof *x);
  for (int i = 0; i < p->M.rows/body; i++)
    ss_chol_solve(body, L + (size_t)i*(size_t)(body*body), x + (size_t)i*(size_t)body);
  memcpy(s->b, p->w, (size_t)s->m*sizeof(double));
  ss_sparse_multiply_add(Ht, x, s->b);
}

static bool fill_J(ss_friction_space* s, const ss_friction_problem* p, const ss_sparse* Ht, const double* L, int body)
{
  int n = p->M.rows, old = n/body;
  int* number = malloc((2*(size_t)old + 1)*sizeof(int));
  double* x = malloc(((size_t)n + 1)*sizeof(double));
  s->start = calloc((size_t)s->k + 1, sizeof(int));
  bool good = number && x && s->start;
  int* seen = number + old;
  for (int i = 0; good && i < old; i++) seen[i] = -1;
  for (int k = 0; good && k < s->k; k++)
    s->start[k + 1] = s->start[k] + bodies_of(Ht, s->dim, body, k, seen, 2*k, NULL);
  size_t blocks = good ? (size_t)s->start[s->k] : 0;
  s->col = malloc((blocks + 1)*sizeof(int));
  s->value = calloc(blocks*(size_t)(s->dim*body) + 1, sizeof(double));
  good = good && s->col && s->value;
  for (int k = 0; good && k < s->k; k++) {
    bodies_of(Ht, s->dim, body, k, seen, 2*k + 1, s->col + s->start[k]);
    fill_contact(s, Ht, L, body, k);
  }
  if (good) {
    free_velocities(s, p, Ht, L, body, x);
    s->n_body = number_bodies(Ht, body, number);
    for (size_t e = 0; e < blocks; e++) s->col[e] = number[s->col[e]];
    s->body = body;
  }
  free(number);
  free(x);
  return good;
}

bool ss_friction_use_bodies(ss_friction_space* s, const ss_friction_problem* p)
{
  int body = p->dim == 3 ? 6 : 3;
  ss_sparse Ht;
  if (!p->global || p->M.rows%body != 0) return false;
  double* L = masses(&p->M, body);
  if (!L) return false;
  bool good = ss_sparse_transpose(&p->H, &Ht);
  if (good) {
    good = fill_J(s, p, &Ht, L, body);
    ss_sparse_free(&Ht);
  }
  free(L);
  if (good) return true;
  free(s->start);
  free(s->col);
  free(s->value);
  s->start = s->col = NULL;
  s->value = NULL;
  return false;
}
