// From the global form to the local one: G = H^T M^-1 H column by column, with sparse factors of M.
#include "solve/friction_condense.h"
#include "solve/friction_cone.h"
#include "math/block_lu.h"
#include "math/sparse.h"
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct ss_condenser {
  ss_sparse Ht;      // m x n
  int* from;         // places of its entries in H
  ss_block_lu* lu;   // of M
  double *x, *r;     // n: a solution, its right-hand side and what is left of it
  double* b;         // m
  int *row, *col;    // the entries of G found so far
  double* value;
  size_t count, room;
} condenser;

// ---- the transposed matrix ----

bool ss_transpose_with_places(const ss_sparse* H, ss_sparse* Ht, int** from)
{
  int entries = H->start[H->rows];
  double* number = malloc(((size_t)entries + 1)*sizeof *number);
  *from = malloc(((size_t)entries + 1)*sizeof **from);
  ss_sparse places = *H;  // its entries are their own numbers, so transposing tells where each goes
  places.value = number;
  for (int e = 0; number && e < entries; e++) number[e] = e;
  bool good = number && *from && ss_sparse_transpose(&places, Ht);
  for (int e = 0; good && e < entries; e++) (*from)[e] = (int)Ht->value[e];
  free(number);
  if (good) ss_transpose_numbers(H, *from, Ht);
  else {
    free(*from);
    *from = NULL;
  }
  return good;
}

void ss_transpose_numbers(const ss_sparse* H, const int* from, ss_sparse* Ht)
{
  double* value = (double*)Ht->value;  // our own
  for (int e = 0; e < Ht->start[Ht->rows]; e++) value[e] = H->value[from[e]];
}

// ---- G ----

static ss_status factor(condenser* c, const ss_sparse* M, ss_error* error)
{
  ss_block_lu_clear(c->lu);
  for (int i = 0; i < M->rows; i++)
    for (int e = M->start[i]; e < M->start[i + 1]; e++)
      c->lu->value[ss_block_lu_find(c->lu, i, M->col[e])] = M->value[e];
  return ss_block_lu_factor(c->lu) ? SS_OK : ss_error_set(error, SS_ERR_NUMERIC, "M is singular");
}

// x = M^-1 x with one step of refinement; false if the equations do not hold afterwards
static bool solve(condenser* c, const ss_sparse* M, double* rhs)
{
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
    if (!r || !k || !v || room > (size_t)INT_MAX) return false;
    c->room = room;
  }
  c->row[c->count] = row;
  c->col[c->count] = col;
  c->value[c->count++] = value;
  return true;
}

// Into an entry that is there already. False if there is none.
static bool replace(const ss_sparse* G, int row, int col, double value)
{
  int low = G->start[row], high = G->start[row + 1];
  while (low < high) {
    int middle = low + (high - low)/2;
    if (G->col[middle] < col) low = middle + 1;
    else high = middle;
  }
  if (low == G->start[row + 1] || G->col[low] != col) return false;
  ((double*)G->value)[low] = value;  // our own
  return true;
}

// Column j of G: H^T M^-1 (column j of H); into G, or pushed if there is none yet
static ss_status column(condenser* c, const ss_sparse* M, int j, const ss_sparse* G, double* rhs, ss_error* error)
{
  const ss_sparse* Ht = &c->Ht;
  memset(rhs, 0, (size_t)Ht->cols*sizeof *rhs);
  for (int e = Ht->start[j]; e < Ht->start[j + 1]; e++) rhs[Ht->col[e]] = Ht->value[e];
  if (!solve(c, M, rhs)) return ss_error_set(error, SS_ERR_NUMERIC, "M is singular, or nearly so");
  for (int i = 0; i < Ht->rows; i++) {
    double sum = 0;
    for (int e = Ht->start[i]; e < Ht->start[i + 1]; e++) sum += Ht->value[e]*rhs[Ht->col[e]];
    if (sum == 0) continue;
    if (G->start && !replace(G, i, j, sum))
      return ss_error_set(error, SS_ERR_ARGUMENT, "G has a new entry at [%d][%d]: make a new solver", i, j);
    if (!G->start && !push(c, i, j, sum)) return ss_error_set(error, SS_ERR_MEMORY, "not enough memory for G");
  }
  return SS_OK;
}

// b, and the entries of G
static ss_status numbers(condenser* c, const ss_friction_problem* p, const ss_sparse* G, ss_error* error)
{
  int n = p->M.rows, m = p->H.cols;
  double* rhs = c->r + n;
  ss_status status = factor(c, &p->M, error);
  if (status < 0) return status;
  memcpy(rhs, p->f, (size_t)n*sizeof *rhs);
  if (!solve(c, &p->M, rhs)) return ss_error_set(error, SS_ERR_NUMERIC, "M is singular, or nearly so");
  memcpy(c->b, p->w, (size_t)m*sizeof(double));
  ss_sparse_multiply_add(&c->Ht, rhs, c->b);
  for (int j = 0; j < m && status >= 0; j++) status = column(c, &p->M, j, G, rhs, error);
  return status;
}

// ---- made, changed, freed ----

static void condenser_free(condenser* c)
{
  if (!c) return;
  ss_block_lu_destroy(c->lu);
  ss_sparse_free(&c->Ht);
  free(c->from);
  free(c->x);
  free(c->row);
  free(c->col);
  free(c->value);
  free(c);
}

static condenser* condenser_create(const ss_friction_problem* p)
{
  size_t n = (size_t)p->M.rows, m = (size_t)p->H.cols;
  condenser* c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->x = malloc((3*n + m + 1)*sizeof(double));
  c->lu = ss_block_lu_create(p->M.rows, 1, p->M.start, p->M.col, SIZE_MAX, INFINITY);
  if (c->x && c->lu && ss_transpose_with_places(&p->H, &c->Ht, &c->from)) {
    c->r = c->x + n;
    c->b = c->r + 2*n;
    return c;
  }
  condenser_free(c);
  return NULL;
}

ss_status ss_local_form_make(const ss_friction_problem* p, ss_local_form* local, ss_error* error)
{
  *local = (ss_local_form){.G = p->G, .b = p->b};
  if (!p->global) return SS_OK;
  *local = (ss_local_form){.maker = condenser_create(p)};
  condenser* c = local->maker;
  if (!c) return ss_error_set(error, SS_ERR_MEMORY, "not enough memory for the factors of M");
  ss_status status = numbers(c, p, &local->G, error);
  if (status >= 0)
    status = ss_sparse_from_triplets(p->H.cols, p->H.cols, (int)c->count, c->row, c->col, c->value, &local->G, error);
  local->b = c->b;
  free(c->row);
  free(c->col);
  free(c->value);
  c->row = c->col = NULL;
  c->value = NULL;
  if (status < 0) ss_local_form_free(local);
  return status;
}

ss_status ss_local_form_update(const ss_friction_problem* p, ss_local_form* local, ss_error* error)
{
  if (!p->global) {
    *local = (ss_local_form){.G = p->G, .b = p->b};
    return SS_OK;
  }
  memset((double*)local->G.value, 0, (size_t)local->G.start[local->G.rows]*sizeof(double));
  ss_transpose_numbers(&p->H, local->maker->from, &local->maker->Ht);
  return numbers(local->maker, p, &local->G, error);
}

void ss_local_form_free(ss_local_form* local)
{
  if (local->maker) ss_sparse_free(&local->G);
  condenser_free(local->maker);
  *local = (ss_local_form){0};
}
