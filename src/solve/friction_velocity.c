// Velocities and the diagonal of G from the problem alone. In the global form M falls into parts (bodies, trees of
// bodies): a column of H touches few of them, so h_i.M^-1 h_i takes small solves only.
#include "solve/friction_velocity.h"
#include "base/sets.h"
#include "math/block_lu.h"
#include "math/dense.h"
#include "math/sparse.h"
#include "solve/friction_cone.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE = 24 };  // rows up to which a part is factored as it stands, with row exchanges

typedef struct part {
  int first, n;     // rows of the ordered M
  double* LU;       // n x n, or NULL: sparse
  ss_block_lu* lu;  //
} part;

// M and H with the velocities ordered by parts
typedef struct mass {
  int n, n_part;
  part* parts;
  int *part_of, *place;     // n: part of a velocity; its number in the order
  ss_sparse M, H;           // columns of M count within their part
  int *start, *col;         // what they are made of: two matrices one after the other
  double* value;            //
  ss_sparse Ht;             // H^T
  int* swap;                // n: row exchanges of the dense parts
  double *LU, *x, *r, *v;   // dense factors; n: solution, what is left, velocities
} mass;

// ---- parts ----

// Velocities that M connects belong to one part, in the order of their first ones. `up`: n
static bool find_parts(mass* c, const ss_sparse* M, int* up)
{
  ss_sets_apart(up, c->n);
  for (int i = 0; i < c->n; i++)
    for (int e = M->start[i]; e < M->start[i + 1]; e++) {
      int a = ss_set_root(up, i), b = ss_set_root(up, M->col[e]);
      if (a < b) up[b] = a;
      else up[a] = b;
    }
  for (int i = 0; i < c->n; i++) {  // a root is the first of its part
    int root = ss_set_root(up, i);
    c->part_of[i] = root == i ? c->n_part++ : c->part_of[root];
  }
  c->parts = calloc((size_t)c->n_part + 1, sizeof *c->parts);
  if (!c->parts) return false;
  for (int i = 0; i < c->n; i++) c->place[i] = c->parts[c->part_of[i]].n++;
  for (int k = 0, at = 0; k < c->n_part; at += c->parts[k++].n) c->parts[k].first = at;
  for (int i = 0; i < c->n; i++) c->place[i] += c->parts[c->part_of[i]].first;
  return true;
}

// A with its rows in order, into arrays from *entry on. `from`: n, old numbers of the rows
static void order_rows(const mass* c, const ss_sparse* A, const int* from, bool square, int* start, int* entry)
{
  for (int i = 0; i < c->n; i++) {
    start[i] = *entry;
    for (int e = A->start[from[i]]; e < A->start[from[i] + 1]; e++, ++*entry) {
      int j = A->col[e];
      c->col[*entry] = square ? c->place[j] - c->parts[c->part_of[j]].first : j;
      c->value[*entry] = A->value[e];
    }
  }
  start[c->n] = *entry;
}

static bool order(mass* c, const ss_friction_problem* p)
{
  size_t n = (size_t)c->n, entries = (size_t)p->M.start[c->n] + (size_t)p->H.start[c->n];
  int *from = malloc((n + 1)*sizeof *from), entry = 0, none = 0;
  c->start = malloc((2*n + 2)*sizeof *c->start);
  c->col = malloc((entries + 1)*sizeof *c->col);
  c->value = malloc((entries + 1)*sizeof *c->value);
  bool good = from && c->start && c->col && c->value && find_parts(c, &p->M, from);
  if (good) {
    for (int i = 0; i < c->n; i++) from[c->place[i]] = i;
    order_rows(c, &p->M, from, true, c->start, &entry);
    c->M = (ss_sparse){c->n, c->n, c->start, c->col, c->value};
    int* start = c->start + n + 1;
    c->col += entry;
    c->value += entry;
    order_rows(c, &p->H, from, false, start, &none);
    c->H = (ss_sparse){c->n, p->H.cols, start, c->col, c->value};
    c->col -= entry;
    c->value -= entry;
    good = ss_sparse_transpose(&c->H, &c->Ht);
  }
  free(from);
  return good;
}

// ---- factors ----

static ss_status singular(ss_error* error)
{
  return ss_error_set(error, SS_ERR_NUMERIC, "M is singular, or nearly so");
}

static bool factor_dense(const mass* c, part* q)
{
  size_t n = (size_t)q->n;
  memset(q->LU, 0, n*n*sizeof(double));
  for (size_t i = 0; i < n; i++)
    for (int e = c->M.start[(size_t)q->first + i]; e < c->M.start[(size_t)q->first + i + 1]; e++)
      q->LU[i*n + (size_t)c->M.col[e]] = c->M.value[e];
  return ss_lu_factor(q->n, q->LU, c->swap + q->first);
}

static bool factor_sparse(const mass* c, part* q)
{
  ss_block_lu_clear(q->lu);
  for (int i = 0; i < q->n; i++)
    for (int e = c->M.start[q->first + i]; e < c->M.start[q->first + i + 1]; e++)
      q->lu->value[ss_block_lu_find(q->lu, i, c->M.col[e])] = c->M.value[e];
  return ss_block_lu_factor(q->lu);
}

static ss_status factor(mass* c, ss_error* error)
{
  size_t numbers = 0;
  for (int k = 0; k < c->n_part; k++)
    if (c->parts[k].n <= DENSE) numbers += (size_t)c->parts[k].n*(size_t)c->parts[k].n;
  double* next = c->LU = malloc((numbers + 1)*sizeof(double));
  if (!next) return ss_error_set(error, SS_ERR_MEMORY, "not enough memory for the factors of M");
  for (int k = 0; k < c->n_part; k++) {
    part* q = &c->parts[k];
    if (q->n <= DENSE) {
      q->LU = next;
      next += q->n*q->n;
      if (!factor_dense(c, q)) return singular(error);
      continue;
    }
    q->lu = ss_block_lu_create(q->n, 1, c->M.start + q->first, c->M.col, SIZE_MAX, INFINITY);
    if (!q->lu) return ss_error_set(error, SS_ERR_MEMORY, "not enough memory for the factors of M");
    if (!factor_sparse(c, q)) return singular(error);
  }
  return SS_OK;
}

static void solve_once(const mass* c, const part* q, double* x)
{
  if (q->LU) ss_lu_solve(q->n, q->LU, c->swap + q->first, x);
  else ss_block_lu_solve(q->lu, x);
}

// rhs (q->n) becomes the solution x with one step of refinement; false if the equations do not hold afterwards
static bool solve_part(const mass* c, const part* q, double* rhs)
{
  double size = 0, worst = 0;
  memcpy(c->x, rhs, (size_t)q->n*sizeof *rhs);
  solve_once(c, q, c->x);
  for (int pass = 0; pass < 2; pass++) {
    worst = 0;
    for (int i = 0; i < q->n; i++) {
      double terms = fabs(rhs[i]), left = rhs[i];
      for (int e = c->M.start[q->first + i]; e < c->M.start[q->first + i + 1]; e++) {
        double term = c->M.value[e]*c->x[c->M.col[e]];
        left -= term;
        terms += fabs(term);
      }
      c->r[i] = left;
      worst = ss_larger(worst, isfinite(left) ? fabs(left) : INFINITY);
      size = ss_larger(size, terms);
    }
    if (pass) break;
    solve_once(c, q, c->r);
    for (int i = 0; i < q->n; i++) c->x[i] += c->r[i];
  }
  memcpy(rhs, c->x, (size_t)q->n*sizeof *rhs);
  return worst <= 1e-10*size;
}

// c->v = M^-1 c->v
static bool solve(const mass* c)
{
  bool good = true;
  for (int k = 0; k < c->n_part; k++) good = solve_part(c, &c->parts[k], c->v + c->parts[k].first) && good;
  return good;
}

// ---- the global form ----

// h_i.M^-1 h_i, part by part: the entries of a row of H^T are sorted, and so are the parts
static bool diagonal_entry(const mass* c, const int* part_at, int i, double* out)
{
  const ss_sparse* Ht = &c->Ht;
  *out = 0;
  for (int e = Ht->start[i]; e < Ht->start[i + 1];) {
    const part* q = &c->parts[part_at[Ht->col[e]]];
    int end = e;
    memset(c->v, 0, (size_t)q->n*sizeof(double));
    for (; end < Ht->start[i + 1] && Ht->col[end] < q->first + q->n; end++)
      c->v[Ht->col[end] - q->first] = Ht->value[end];
    if (!solve_part(c, q, c->v)) return false;
    for (; e < end; e++) *out += Ht->value[e]*c->v[Ht->col[e] - q->first];
  }
  return true;
}

static ss_status diagonal_of(const mass* c, double* diagonal, ss_error* error)
{
  int* part_at = c->place;  // no longer needed as it is: the part of a velocity, in the new order
  for (int k = 0; k < c->n_part; k++)
    for (int i = 0; i < c->parts[k].n; i++) part_at[c->parts[k].first + i] = k;
  for (int i = 0; i < c->Ht.rows; i++)
    if (!diagonal_entry(c, part_at, i, &diagonal[i])) return singular(error);
  return SS_OK;
}

static ss_status global_rows(const mass* c, const ss_friction_problem* p, const double* Lambda, double* xi, double* b,
                             double* diagonal, ss_error* error)
{
  size_t rows = (size_t)c->Ht.rows*sizeof(double);
  for (int i = 0; i < c->n; i++) c->v[c->place[i]] = p->f[i];
  if (!solve(c)) return singular(error);
  memcpy(b, p->w, rows);
  ss_sparse_multiply_add(&c->Ht, c->v, b);
  memcpy(xi, b, rows);
  memset(c->v, 0, (size_t)c->n*sizeof(double));
  ss_sparse_multiply_add(&c->H, Lambda, c->v);
  bool finite = ss_all_finite(c->n, c->v);
  if (!solve(c) && finite) return singular(error);
  ss_sparse_multiply_add(&c->Ht, c->v, xi);
  return diagonal_of(c, diagonal, error);
}

static void mass_free(mass* c)
{
  for (int k = 0; c->parts && k < c->n_part; k++) ss_block_lu_destroy(c->parts[k].lu);
  ss_sparse_free(&c->Ht);
  free(c->parts);
  free(c->part_of);
  free(c->start);
  free(c->col);
  free(c->value);
  free(c->LU);
  free(c->x);
}

static ss_status global_velocities(const ss_friction_problem* p, const double* Lambda, double* xi, double* b,
                                   double* diagonal, ss_error* error)
{
  mass c = {.n = p->M.rows};
  size_t n = (size_t)c.n;
  c.part_of = malloc((3*n + 1)*sizeof(int));
  c.x = malloc((3*n + 1)*sizeof(double));
  bool good = c.part_of && c.x;
  if (good) {
    c.place = c.part_of + n;
    c.swap = c.place + n;
    c.r = c.x + n;
    c.v = c.r + n;
    good = order(&c, p);
  }
  ss_status status = good ? factor(&c, error) : ss_error_set(error, SS_ERR_MEMORY, "not enough memory for M and H");
  if (status >= 0) status = global_rows(&c, p, Lambda, xi, b, diagonal, error);
  mass_free(&c);
  return status;
}

// ---- either form ----

ss_status ss_friction_velocities(const ss_friction_problem* p, const double* Lambda, double* xi, double* b,
                                 double* diagonal, ss_error* error)
{
  if (p->global) return global_velocities(p, Lambda, xi, b, diagonal, error);
  memcpy(b, p->b, (size_t)p->G.rows*sizeof *b);
  memcpy(xi, p->b, (size_t)p->G.rows*sizeof *xi);
  ss_sparse_multiply_add(&p->G, Lambda, xi);
  for (int i = 0; i < p->G.rows; i++) diagonal[i] = ss_sparse_entry(&p->G, i, i);
  return SS_OK;
}
