// Bodies in a global problem: M = L L^T body by body, J = H^T L^-T, b = J (L^-1 f) + w. Bodies without contact drop
// out.
#include "solve/friction_bodies.h"
#include "math/dense.h"
#include "math/sparse.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- structure ----

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

static bool find_blocks(ss_friction_space* s, const ss_sparse* Ht, int body)
{
  int old = Ht->cols/body;
  int* number = malloc((2*(size_t)old + 1)*sizeof(int));
  s->start = calloc((size_t)s->k + 1, sizeof(int));
  s->bodies.origin = malloc(((size_t)old + 1)*sizeof(int));
  bool good = number && s->start && s->bodies.origin;
  int* seen = number + old;
  for (int i = 0; good && i < old; i++) seen[i] = -1;
  for (int k = 0; good && k < s->k; k++)
    s->start[k + 1] = s->start[k] + bodies_of(Ht, s->dim, body, k, seen, 2*k, NULL);
  size_t blocks = good ? (size_t)s->start[s->k] : 0;
  s->col = malloc((blocks + 1)*sizeof(int));
  s->stride = ss_friction_row(body);
  s->value = calloc(blocks*(size_t)(s->dim*s->stride) + 1, sizeof(double));
  good = good && s->col && s->value;
  for (int k = 0; good && k < s->k; k++) bodies_of(Ht, s->dim, body, k, seen, 2*k + 1, s->col + s->start[k]);
  if (good) {
    s->n_body = number_bodies(Ht, body, number);
    for (int i = 0; i < old; i++)
      if (number[i] >= 0) s->bodies.origin[number[i]] = i;
    for (size_t e = 0; e < blocks; e++) s->col[e] = number[s->col[e]];
    s->body = body;
  }
  free(number);
  return good;
}

bool ss_friction_find_bodies(ss_friction_space* s, const ss_friction_problem* p)
{
  ss_friction_bodies* b = &s->bodies;
  int body = ss_friction_block_size(p) == 3 ? 6 : 3;
  if (!p->global || p->M.rows%body != 0 || !ss_transpose_with_places(&p->H, &b->Ht, &b->from)) return false;
  if (ss_friction_lay_out(p, &b->Ht, body, &s->layout)) {
    s->dim = s->layout.dim;
    s->k = s->layout.k;
    b->L = malloc(((size_t)p->M.rows*(size_t)(body + 1) + 1)*sizeof(double));
    b->x = b->L ? b->L + (size_t)p->M.rows*(size_t)body : NULL;
    if (b->L && ss_friction_pad(&s->layout, &b->Ht, false, &b->padded) &&
        find_blocks(s, &b->padded, body))
      return true;
  }
  ss_friction_forget_bodies(s);
  return false;
}

void ss_friction_forget_bodies(ss_friction_space* s)
{
  ss_friction_bodies* b = &s->bodies;
  ss_friction_layout_free(&s->layout);
  if (b->padded.start) ss_friction_pad_free(&b->Ht, &b->padded);
  ss_sparse_free(&b->Ht);
  free(b->from);
  free(b->origin);
  free(b->L);
  free(s->start);
  free(s->col);
  free(s->value);
  s->bodies = (ss_friction_bodies){0};
  s->start = s->col = NULL;
  s->value = NULL;
  s->body = s->n_body = 0;
}

// ---- numbers ----

// Factors of the dense blocks of M, if it has no other entries and they are symmetric
static bool factor_masses(const ss_sparse* M, int body, double* L)
{
  int n = M->rows;
  memset(L, 0, (size_t)n*(size_t)body*sizeof *L);
  for (int i = 0; i < n; i++)
    for (int e = M->start[i]; e < M->start[i + 1]; e++) {
      if (M->col[e]/body == i/body) L[(size_t)i*(size_t)body + (size_t)(M->col[e]%body)] = M->value[e];
      else if (M->value[e] != 0) return false;
    }
  for (int first = 0; first < n; first += body) {
    double* A = L + (size_t)first*(size_t)body;
    for (int i = 0; i < body; i++)
      for (int j = 0; j < i; j++)
        if (!(fabs(A[i*body + j] - A[j*body + i]) <= 1e-14*fabs(A[i*body + j]))) return false;
    if (!ss_chol_factor(body, A)) return false;
  }
  return true;
}

// Rows of J: L^-1 (row of H^T), for each body
static void fill_contact(ss_friction_space* s, int k)
{
  const ss_sparse* Ht = &s->bodies.padded;
  int dim = s->dim, body = s->body;
  for (int f = s->start[k]; f < s->start[k + 1]; f++)
    for (int i = 0; i < dim; i++) {
      double* row = s->value + ((size_t)f*(size_t)dim + (size_t)i)*(size_t)s->stride;
      int old = s->bodies.origin[s->col[f]];
      memset(row, 0, (size_t)body*sizeof *row);
      for (int e = Ht->start[k*dim + i]; e < Ht->start[k*dim + i + 1]; e++)
        if (Ht->col[e]/body == old) row[Ht->col[e]%body] = Ht->value[e];
      ss_chol_solve_lower(body, s->bodies.L + (size_t)old*(size_t)(body*body), row);
    }
}

// b = H^T M^-1 f + w
static void free_velocities(ss_friction_space* s, const ss_friction_problem* p)
{
  const ss_friction_bodies* b = &s->bodies;
  int body = s->body;
  memcpy(b->x, p->f, (size_t)p->M.rows*sizeof(double));
  for (int i = 0; i < p->M.rows/body; i++)
    ss_chol_solve(body, b->L + (size_t)i*(size_t)(body*body), b->x + (size_t)i*(size_t)body);
  ss_friction_spread(&s->layout, p->w, s->b);
  ss_sparse_multiply_add(&b->padded, b->x, s->b);
}

bool ss_friction_fill_bodies(ss_friction_space* s, const ss_friction_problem* p)
{
  if (!factor_masses(&p->M, s->body, s->bodies.L)) return false;
  ss_transpose_numbers(&p->H, s->bodies.from, &s->bodies.Ht);
  for (int k = 0; k < s->k; k++) fill_contact(s, k);
  free_velocities(s, p);
  return true;
}
