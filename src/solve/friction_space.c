// A contact problem made ready for solvers: blocks, diagonal blocks, and the structure of the factors.
#include "base/room.h"
#include "solve/friction_space.h"
#include "math/simd.h"
#include "math/sparse.h"
#include "solve/friction_bodies.h"
#include "solve/friction_condense.h"
#include "solve/friction_cone.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Most numbers in the factors
static size_t factor_numbers(void) { return ss_half_of_memory()/sizeof(double); }

// ---- memory ----

static void* no_memory(ss_error* error, int contacts)
{
  ss_error_set(error, SS_ERR_MEMORY, "not enough memory for %d contacts", contacts);
  return NULL;
}

// Everything whose size follows from the layout
static bool allocate(ss_friction_space* s)
{
  const ss_friction_layout* l = &s->layout;
  size_t k = (size_t)l->k, d = (size_t)l->dim, m = k*d;
  size_t row = (size_t)ss_friction_row(l->dim);
  double* memory = calloc(4*k + m + (size_t)l->n_free*d + 2*m*d + m*row + 8, sizeof(double));
  if (!memory) return false;
  s->dim = l->dim;
  s->n_free = l->n_free;
  s->k = l->k;
  s->m = l->k*l->dim;
  s->mu = l->mu;
  s->bound = l->bound;
  s->trace = memory;
  s->rho = s->trace + k;
  s->soft = s->rho + k;
  s->alpha = s->soft + k;
  s->b = s->alpha + k;
  s->rho_free = s->b + m;
  s->D = s->rho_free + (size_t)l->n_free*d;
  s->K = s->D + m*d;
  s->T = s->K + m*row;
  return true;
}

static bool allocate_work(ss_friction_space* s)
{
  size_t n = (size_t)s->n_body*(size_t)s->stride, unknowns = n > (size_t)s->m ? n : (size_t)s->m;
  s->v = calloc(4*unknowns + 1, sizeof(double));
  if (!s->v) return false;
  s->work = s->v + unknowns;
  s->work2 = s->work + unknowns;
  s->work3 = s->work2 + unknowns;
  return true;
}

void ss_friction_space_destroy(ss_friction_space* s)
{
  if (!s) return;
  ss_block_lu_destroy(s->lu);
  ss_friction_forget_bodies(s);
  ss_local_form_free(&s->local);
  free(s->trace);
  free(s->where);
  free(s->place);
  free(s->v);
  free(s);
}

// ---- blocks of G ----

// Contacts that contact k touches, with the blocks in order; marks (k entries) hold the last contact that saw each
static int count_blocks(const ss_sparse* G, int dim, int k, int* seen)
{
  int count = 0;
  for (int e = G->start[k*dim]; e < G->start[(k + 1)*dim]; e++) {
    int other = G->col[e]/dim;
    if (seen[other] != k) {
      seen[other] = k;
      count++;
    }
  }
  return count;
}

static int by_value(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

// Columns of the blocks, and where the entries of G go
static void find_blocks(ss_friction_space* s, const ss_sparse* G, int* seen)
{
  int dim = s->dim;
  for (int k = 0; k < s->k; k++) seen[k] = -1;
  for (int k = 0; k < s->k; k++) {
    int at = s->start[k];
    for (int e = G->start[k*dim]; e < G->start[(k + 1)*dim]; e++) {
      int other = G->col[e]/dim;
      if (seen[other] >= s->start[k]) continue;
      seen[other] = at;
      s->col[at++] = other;
    }
    qsort(s->col + s->start[k], (size_t)(at - s->start[k]), sizeof(int), by_value);
    for (int e = s->start[k]; e < at; e++) seen[s->col[e]] = e;
    for (int i = 0; i < dim; i++)
      for (int e = G->start[k*dim + i]; e < G->start[k*dim + i + 1]; e++)
        s->where[e] = (seen[G->col[e]/dim]*dim + G->col[e]%dim)*s->stride + i;
  }
}

// Blocks of G, padded
static bool use_blocks_of_G(ss_friction_space* s, const ss_sparse* G)
{
  size_t k = (size_t)s->k;
  int* seen = malloc((k + 1)*sizeof(int));
  s->start = calloc(k + 1, sizeof(int));
  s->where = malloc(((size_t)G->start[G->rows] + 1)*sizeof(int));
  bool good = seen && s->start && s->where;
  for (int i = 0; good && i < s->k; i++) seen[i] = -1;
  for (int i = 0; good && i < s->k; i++) s->start[i + 1] = s->start[i] + count_blocks(G, s->dim, i, seen);
  s->stride = ss_friction_row(s->dim);
  if (good && s->start[k] <= INT_MAX/(s->dim*s->stride)) {
    s->col = malloc(((size_t)s->start[k] + 1)*sizeof(int));
    s->value = calloc((size_t)s->start[k]*(size_t)(s->dim*s->stride) + 1, sizeof(double));
  }
  good = good && s->col && s->value;
  if (good) find_blocks(s, G, seen);
  free(seen);
  return good;
}

static void fill_blocks(ss_friction_space* s)
{
  const ss_sparse* G = &s->local.G;
  for (int e = 0; e < G->start[G->rows]; e++) s->value[s->where[e]] = G->value[e];
  ss_friction_spread(&s->layout, s->local.b, s->b);
}

// ---- diagonal blocks ----

static void diagonal_of_G(ss_friction_space* s)
{
  int dim = s->dim;
  for (int k = 0; k < s->k; k++)
    for (int e = s->start[k]; e < s->start[k + 1]; e++) {
      const double* G = s->value + (size_t)e*(size_t)(dim*s->stride);
      for (int i = 0; s->col[e] == k && i < dim; i++)
        for (int j = 0; j < dim; j++) s->D[(k*dim + i)*dim + j] = G[j*s->stride + i];
    }
}

// G_ii = sum over its bodies of J J^T; in space
SS_CLONES static void diagonal_of_J3(ss_friction_space* s)
{
  for (int k = 0; k < s->k; k++) {
    ss_v4 sum[6] = {0};
    double* D = s->D + 9*(size_t)k;
    for (int e = s->start[k]; e < s->start[k + 1]; e++) {
      const double* J = s->value + 24*(size_t)e;
      for (int i = 0, at = 0; i < 3; i++)
        for (int j = 0; j <= i; j++, at++)
          sum[at] += SS_V4C(J + 8*i)*SS_V4C(J + 8*j) + SS_V4C(J + 8*i + 4)*SS_V4C(J + 8*j + 4);
    }
    for (int i = 0, at = 0; i < 3; i++)
      for (int j = 0; j <= i; j++, at++) D[3*i + j] = D[3*j + i] = SS_V4_SUM(sum[at]);
  }
}

static void diagonal_of_J(ss_friction_space* s)
{
  int dim = s->dim, n = s->stride;
  if (dim == 3) {
    diagonal_of_J3(s);
    return;
  }
  for (int k = 0; k < s->k; k++)
    for (int e = s->start[k]; e < s->start[k + 1]; e++) {
      const double* J = s->value + (size_t)e*(size_t)(dim*n);
      for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
          for (int c = 0; c < s->body; c++) s->D[(k*dim + i)*dim + j] += J[i*n + c]*J[j*n + c];
    }
}

// Compliance and trace of block k
static void finish_trace(ss_friction_space* s, int k, double kappa)
{
  int dim = s->dim;
  double *D = s->D + (size_t)(k*dim*dim), trace = 0;
  for (int i = 0; i < dim; i++) trace += D[i*dim + i];
  s->soft[k] = k < s->n_free ? 0 : kappa*trace;
  for (int i = 0; i < dim; i++) D[i*dim + i] += s->soft[k];
  s->trace[k] = trace + s->layout.count[k]*s->soft[k];
}

// A free block is inverted, nearly: redundant rows make it singular. What is left of a violation is 1e-6 of it, which
// the next sweep reduces in the same way.
static void invert_free(ss_friction_space* s, int k)
{
  int dim = s->dim;
  double* D = s->D + (size_t)(k*dim*dim);
  for (int i = 0; i < dim; i++) {
    double diagonal = D[i*dim + i];
    D[i*dim + i] = diagonal > 0 ? (1 + 1e-6)*diagonal : 1/s->rho_free[k*dim + i];
  }
  ss_invert_small(dim, D);
}

static void finish_free(ss_friction_space* s, int k, double fallback)
{
  for (int i = k*s->dim; i < (k + 1)*s->dim; i++) {
    double diagonal = s->D[i*s->dim + i%s->dim];
    s->rho_free[i] = diagonal > 0 ? 1/diagonal : fallback;
  }
  invert_free(s, k);
}

// Empty tangential rows get something on their diagonal, so that solving for one contact alone needs no special case
static void fill_empty_rows(ss_friction_space* s, int k)
{
  int dim = s->dim;
  for (int i = 1; i < dim; i++)
    if (s->D[(k*dim + i)*dim + i] == 0) s->D[(k*dim + i)*dim + i] = 1/s->rho[k];
}

static void find_scale(ss_friction_space* s)
{
  s->scale = 0;
  for (int i = 0; i < s->m; i++) s->scale = ss_larger(s->scale, fabs(s->b[i]));
}

// Diagonal blocks with compliance, traces, and the scale of b
static void finish_diagonal(ss_friction_space* s, double kappa)
{
  int dim = s->dim;
  double largest = 0;
  memset(s->D, 0, (size_t)(s->m*dim)*sizeof(double));
  if (s->body) diagonal_of_J(s);
  else diagonal_of_G(s);
  s->kappa = kappa;
  for (int k = 0; k < s->k; k++) {
    finish_trace(s, k, kappa);
    largest = ss_larger(largest, s->trace[k]);
  }
  double fallback = largest > 0 ? 1/largest : 1;
  for (int k = 0; k < s->k; k++) {
    s->rho[k] = s->trace[k] > 0 ? 1/s->trace[k] : fallback;
    if (k < s->n_free) finish_free(s, k, fallback);
    else fill_empty_rows(s, k);
  }
  s->has_D = true;
  find_scale(s);
}

// G_ii of row i of block k
static double square_of_row(const ss_friction_space* s, int k, int i)
{
  double sum = 0;
  for (int e = s->start[k]; e < s->start[k + 1]; e++) {
    const double* J = s->value + (size_t)e*(size_t)(s->dim*s->stride) + i*s->stride;
    for (int c = 0; c < s->body; c++) sum += J[c]*J[c];
  }
  return sum;
}

void ss_friction_finish_traces(ss_friction_space* s, double kappa)
{
  double largest = 0;
  s->kappa = kappa;
  for (int k = 0; k < s->k; k++) {
    s->soft[k] = k < s->n_free ? 0 : kappa*s->trace[k];
    s->trace[k] += s->layout.count[k]*s->soft[k];
    largest = ss_larger(largest, s->trace[k]);
  }
  double fallback = largest > 0 ? 1/largest : 1;
  for (int k = 0; k < s->k; k++) s->rho[k] = s->trace[k] > 0 ? 1/s->trace[k] : fallback;
  for (int i = 0; i < s->n_free*s->dim; i++) {
    double g = square_of_row(s, i/s->dim, i%s->dim);
    s->rho_free[i] = g > 0 ? 1/g : fallback;
  }
  s->has_D = false;
  find_scale(s);
}

void ss_friction_make_diagonal(ss_friction_space* s)
{
  int dim = s->dim;
  memset(s->D, 0, (size_t)(s->m*dim)*sizeof(double));
  diagonal_of_J(s);
  for (int k = 0; k < s->k; k++) {
    for (int i = 0; i < dim; i++) s->D[(k*dim + i)*dim + i] += s->soft[k];
    if (k < s->n_free) invert_free(s, k);
    else fill_empty_rows(s, k);
  }
  s->has_D = true;
}

// ---- structure of the factors ----

// Pairs of bodies that share a contact, as a pattern by rows (columns may repeat)
static bool pattern_of_bodies(const ss_friction_space* s, int** start, int** col)
{
  size_t pairs = 0;
  for (int k = 0; k < s->k; k++)
    pairs += (size_t)(s->start[k + 1] - s->start[k])*(size_t)(s->start[k + 1] - s->start[k]);
  if (pairs > INT_MAX) return false;
  *start = calloc((size_t)s->n_body + 2, sizeof(int));
  *col = malloc((pairs + 1)*sizeof(int));
  if (!*start || !*col) return false;
  for (int k = 0; k < s->k; k++)
    for (int e = s->start[k]; e < s->start[k + 1]; e++) (*start)[s->col[e] + 2] += s->start[k + 1] - s->start[k];
  for (int i = 0; i <= s->n_body; i++) (*start)[i + 1] += (*start)[i];
  for (int k = 0; k < s->k; k++)
    for (int e = s->start[k]; e < s->start[k + 1]; e++)
      for (int f = s->start[k]; f < s->start[k + 1]; f++) (*col)[(*start)[s->col[e] + 1]++] = s->col[f];
  return true;
}

static bool places_of_bodies(ss_friction_space* s)
{
  size_t pairs = 0, at = 0;
  for (int k = 0; k < s->k; k++)
    pairs += (size_t)(s->start[k + 1] - s->start[k])*(size_t)(s->start[k + 1] - s->start[k]);
  s->place = malloc((pairs + 1)*sizeof(int));
  if (!s->place) return false;
  for (int k = 0; k < s->k; k++)
    for (int e = s->start[k]; e < s->start[k + 1]; e++)
      for (int f = s->start[k]; f < s->start[k + 1]; f++)
        s->place[at++] = ss_block_lu_find(s->lu, s->col[e], s->col[f]);
  return true;
}

static bool places_of_G(ss_friction_space* s)
{
  s->place = malloc(((size_t)s->start[s->k] + 1)*sizeof(int));
  if (!s->place) return false;
  for (int k = 0; k < s->k; k++)
    for (int e = s->start[k]; e < s->start[k + 1]; e++) s->place[e] = ss_block_lu_find(s->lu, k, s->col[e]);
  return true;
}

ss_block_lu* ss_friction_order_bodies(const ss_friction_space* s, double most)
{
  int *start = NULL, *col = NULL;
  ss_block_lu* lu = NULL;
  if (pattern_of_bodies(s, &start, &col))
    lu = ss_block_lu_create(s->n_body, s->body, start, col, factor_numbers()/(size_t)(s->body*s->stride), most);
  free(start);
  free(col);
  return lu;
}

// No factors is no failure: sweeps do without
static bool prepare_factors(ss_friction_space* s)
{
  if (!s->body) {
    s->lu = ss_block_lu_create(s->k, s->dim, s->start, s->col, factor_numbers()/(size_t)(s->dim*s->stride), INFINITY);
    return !s->lu || places_of_G(s);
  }
  s->lu = ss_friction_order_bodies(s, INFINITY);
  return !s->lu || places_of_bodies(s);
}

static bool use_bodies(ss_friction_space* s, const ss_friction_problem* p)
{
  if (!ss_friction_find_bodies(s, p)) return false;
  if (allocate(s) && ss_friction_fill_bodies(s, p)) return true;
  ss_friction_forget_bodies(s);
  free(s->trace);
  s->trace = NULL;
  return false;
}

static bool use_G(ss_friction_space* s, const ss_friction_problem* p, ss_error* error)
{
  ss_sparse padded;
  if (ss_local_form_make(p, &s->local, error) < 0) return false;
  if (!ss_friction_lay_out(p, &s->local.G, 1, &s->layout) || !allocate(s) ||
      !ss_friction_pad(&s->layout, &s->local.G, true, &padded))
    {
    no_memory(error, p->n_contact);
    return false;
  }
  bool good = use_blocks_of_G(s, &padded);
  ss_friction_pad_free(&s->local.G, &padded);
  if (!good) {
    no_memory(error, p->n_contact);
    return false;
  }
  fill_blocks(s);
  return true;
}

ss_friction_space* ss_friction_space_create(const ss_friction_problem* p, ss_error* error)
{
  ss_friction_space* s = calloc(1, sizeof *s);
  if (!s) return no_memory(error, p->n_contact);
  if (use_bodies(s, p) || use_G(s, p, error)) {
    finish_diagonal(s, p->kappa);
    if (allocate_work(s) && prepare_factors(s)) return s;
    no_memory(error, p->n_contact);
  }
  ss_friction_space_destroy(s);
  return NULL;
}

ss_status ss_friction_space_update(ss_friction_space* s, const ss_friction_problem* p, ss_error* error)
{
  if (s->body) {
    if (!ss_friction_fill_bodies(s, p))
      return ss_error_set(error, SS_ERR_ARGUMENT, "M is no longer one of separate bodies: make a new solver");
  } else {
    ss_status status = ss_local_form_update(p, &s->local, error);
    if (status < 0) return status;
    fill_blocks(s);
  }
  ss_friction_layout_laws(&s->layout, p);
  finish_diagonal(s, p->kappa);
  return SS_OK;
}

double ss_friction_space_residual(const ss_friction_space* s, const double* Lambda, const double* xi)
{
  double scale = s->scale;
  for (int i = 0; s->scale == 0 && i < s->m; i++) scale = ss_larger(scale, fabs(xi[i]));
  return ss_friction_measure(&s->layout, s->trace, Lambda, xi, scale);
}
