// From the global form to the local one: G = H^T M^-1 H column by column, with sparse factors of M.
#include "solve/friction_condense.h"
#include "solve/friction_cone.h"
#include "math/block_lu.h"
#include "math/sparse.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FACTOR_LIMIT = 1 << 27 };  // numbers in the factors of M

typedef struct condenser {
  const ss_friction_problem* p;
  ss_sparse Ht;      // m x n
  ss_block_lu* lu;   // of M
  double *x, *r;     // n: a solution, its right-hand side and what is left of it
  int *row, *col;    // the entries of G found so far
  double* value;
  size_t count, room;
} condenser;

static bool factor(condenser* c)
{
  const ss_sparse* M = &c->p->M;
  c->lu = ss_block_lu_create(M->rows, 1, M->start, M->col, FACTOR_LIMIT);
  if (!c->lu) return false;
  for (int i = 0; i < M->rows; i++)
    for (int e = M->start[i]; e < M->start[i + 1]; e++)
      c->lu->value[ss_block_lu_find(c->lu, i, M->col[e])] = M->value[e];
  return true;
}

// x = M^-1 x with one step of refinement; false if the equations do not hold afterwards
static bool solve(condenser* c, double* rhs)
{
  const ss_sparse* M = &c->p->M;
  int n = M->rows;
  double size = 0, worst = 0;
  memcpy(c->x, rhs, (size_t)n*sizeof *rhs);
  ss_block_lu_solve(c->lu, c->x);
  for (int pass = 0; pass < 2; pass++) {
    worst = 0;
    for (int i = 0; i < n; i++) {
      double terms = fabs(rhs[i]), left = rhs[i];
      for (int e = M->start[i]; e < M->start[i + 1]; e++) {
        double term = M->value[e]*c->x[M->col[e]];
        left -= term;
        terms += fabs(term);
      }
      c->r[i] = left;
      worst = ss_larger(worst, isfinite(left) ? fabs(left) : INFINITY);
      size = ss_larger(size, terms);
    }
    if (pass) break;
    ss_block_lu_solve(c->lu, c->r);
    for (int i = 0; i < n; i++) c->x[i] += c->r[i];
  }
  memcpy(rhs, c->x, (size_t)n*sizeof *rhs);
  return worst <= 1e-10*size;
}

static bool push(condenser* c, int row, int col, double value)
{
  if (c->count == c->room) {
    size_t room = 2*c->room + 64;
    int* r = realloc(c->row, room*sizeof *r);
    if (r) c->row = r;
    int* k = realloc(c->col, room*sizeof *k);
    if (k) c->col = k;
    double* v = realloc(c->value, room*sizeof *v);
    if (v) c->value = v;
    if (!r || !k || !v || room > (size_t)1 << 30) return false;
    c->room = room;
  }
  c->row[c->count] = row;
  c->col[c->count] = col;
  c->value[c->count++] = value;
  return true;
}

// Column j of G: H^T M^-1 (column j of H)
static ss_status column(condenser* c, int j, double* rhs, ss_error* error)
{
  const ss_sparse* Ht = &c->Ht;
  memset(rhs, 0, (size_t)Ht->cols*sizeof *rhs);
  for (int e = Ht->start[j]; e < Ht->start[j + 1]; e++) rhs[Ht->col[e]] = Ht->value[e];
  if (!solve(c, rhs)) return ss_error_set(error, SS_ERR_NUMERIC, "M is singular, or nearly so");
  for (int i = 0; i < Ht->rows; i++) {
    double sum = 0;
    for (int e = Ht->start[i]; e < Ht->start[i + 1]; e++) sum += Ht->value[e]*rhs[Ht->col[e]];
    if (sum != 0 && !push(c, i, j, sum)) return ss_error_set(error, SS_ERR_MEMORY, "not enough memory for G");
  }
  return SS_OK;
}

static ss_status condense(condenser* c, ss_local_form* local, ss_error* error)
{
  const ss_friction_problem* p = c->p;
  int n = p->M.rows, m = p->dim*p->n_contact;
  double* rhs = c->r + n;
  if (!factor(c)) return ss_error_set(error, SS_ERR_MEMORY, "not enough memory for the factors of M");
  if (!ss_block_lu_factor(c->lu)) return ss_error_set(error, SS_ERR_NUMERIC, "M is singular");
  memcpy(rhs, p->f, (size_t)n*sizeof *rhs);
  if (!solve(c, rhs)) return ss_error_set(error, SS_ERR_NUMERIC, "M is singular, or nearly so");
  memcpy(local->memory, p->w, (size_t)m*sizeof(double));
  ss_sparse_multiply_add(&c->Ht, rhs, local->memory);
  for (int j = 0; j < m; j++) {
    ss_status status = column(c, j, rhs, error);
    if (status < 0) return status;
  }
  return ss_sparse_from_triplets(m, m, (int)c->count, c->row, c->col, c->value, &local->G, error);
}

ss_status ss_local_form_make(const ss_friction_problem* p, ss_local_form* local, ss_error* error)
{
  *local = (ss_local_form){.G = p->G, .b = p->b};
  if (!p->global) return SS_OK;
  size_t n = (size_t)p->M.rows, m = (size_t)(p->dim*p->n_contact);
  condenser c = {.p = p, .x = malloc((3*n + 1)*sizeof(double))};
  *local = (ss_local_form){.memory = malloc((m + 1)*sizeof(double)), .own = true};
  local->b = local->memory;
  ss_status status = SS_ERR_MEMORY;
  if (c.x && local->memory && ss_sparse_transpose(&p->H, &c.Ht)) {
    c.r = c.x + n;
    status = condense(&c, local, error);
    ss_sparse_free(&c.Ht);
  } else ss_error_set(error, SS_ERR_MEMORY, "not enough memory");
  ss_block_lu_destroy(c.lu);
  free(c.x);
  free(c.row);
  free(c.col);
  free(c.value);
  if (status < 0) ss_local_form_free(local);
  return status;
}

void ss_local_form_free(ss_local_form* local)
{
  if (local->own) ss_sparse_free(&local->G);
  free(local->memory);
  *local = (ss_local_form){0};
}
