// A contact problem made ready for solvers: blocks, diagonal blocks, and the structure of the factors.
#include "solve/friction_space.h"
#include "math/sparse.h"
#include "solve/friction_bodies.h"
#include "solve/friction_condense.h"
#include "solve/friction_cone.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FACTOR_NUMBERS = 1 << 27 };  // most numbers in the factors, 1 GB

// ---- memory ----

static bool allocate(ss_friction_space* s, const ss_friction_problem* p)
{
  size_t k = (size_t)p->n_contact, d = (size_t)p->dim, m = k*d;
  double* memory = calloc(5*k + m + 3*m*d + 8, sizeof(double));
  if (!memory) return false;
  s->mu = memory;
  s->trace = s->mu + k;
  s->rho = s->trace + k;
  s->soft = s->rho + k;
  s->alpha = s->soft + k;
  s->b = s->alpha + k;
  s->D = s->b + m;
  s->K = s->D + m*d;
  s->T = s->K + m*d;
  memcpy(s->mu, p->mu, k*sizeof(double));
  return true;
}

void ss_friction_space_destroy(ss_friction_space* s)
{
  if (!s) return;
  ss_block_lu_destroy(s->lu);
  free(s->mu);
  free(s->start);
  free(s->col);
  free(s->value);
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

static void fill_blocks(ss_friction_space* s, const ss_sparse* G, int* seen)
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
        s->value[(size_t)seen[G->col[e]/dim]*(size_t)(dim*dim) + (size_t)(i*dim + G->col[e]%dim)] = G->value[e];
  }
}

static bool use_blocks_of_G(ss_friction_space* s, const ss_local_form* local)
{
  size_t k = (size_t)s->k;
  int* seen = malloc((k + 1)*sizeof(int));
  s->start = calloc(k + 1, sizeof(int));
  if (!seen || !s->start) {
    free(seen);
    return false;
  }
  for (int i = 0; i < s->k; i++) seen[i] = -1;
  for (int i = 0; i < s->k; i++) s->start[i + 1] = s->start[i] + count_blocks(&local->G, s->dim, i, seen);
  s->col = malloc(((size_t)s->start[k] + 1)*sizeof(int));
  s->value = calloc((size_t)s->start[k]*(size_t)(s->dim*s->dim) + 1, sizeof(double));
  bool good = s->col && s->value;
  if (good) fill_blocks(s, &local->G, seen);
  free(seen);
  return good;
}

// ---- diagonal blocks ----

static void diagonal_of_G(ss_friction_space* s)
{
  size_t dd = (size_t)(s->dim*s->dim);
  for (int k = 0; k < s->k; k++)
    for (int e = s->start[k]; e < s->start[k + 1]; e++)
      if (s->col[e] == k) memcpy(s->D + (size_t)k*dd, s->value + (size_t)e*dd, dd*sizeof(double));
}

// G_ii = sum over its bodies of J J^T
static void diagonal_of_J(ss_friction_space* s)
{
  int dim = s->dim, n = s->body;
  for (int k = 0; k < s->k; k++)
    for (int e = s->start[k]; e < s->start[k + 1]; e++) {
      const double* J = s->value + (size_t)e*(size_t)(dim*n);
      for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++)
          for (int c = 0; c < n; c++) s->D[(k*dim + i)*dim + j] += J[i*n + c]*J[j*n + c];
    }
}

// Compliance, traces, and the scale of b
static void finish_diagonal(ss_friction_space* s, double kappa)
{
  int dim = s->dim;
  double largest = 0;
  for (int k = 0; k < s->k; k++) {
    double* D = s->D + (size_t)(k*dim*dim);
    double trace = 0;
    for (int i = 0; i < dim; i++) trace += D[i*dim + i];
    s->soft[k] = kappa*trace;
    for (int i = 0; i < dim; i++) D[i*dim + i] += s->soft[k];
    s->trace[k] = trace*(1 + dim*kappa);
    largest = ss_larger(largest, s->trace[k]);
  }
  for (int k = 0; k < s->k; k++) s->rho[k] = s->trace[k] > 0 ? 1/s->trace[k] : largest > 0 ? 1/largest : 1;
  for (int i = 0; i < s->m; i++) s->scale = ss_larger(s->scale, fabs(s->b[i]));
}

// ---- structure of the factors ----

// Pairs of bodies that share a contact, as a pattern by rows (columns may repeat)
static bool pattern_of_bodies(const ss_friction_space* s, int** start, int** col)
{
  size_t pairs = 0;
  for (int k = 0; k < s->k; k++)
    pairs += (size_t)(s->start[k + 1] - s->start[k])*(size_t)(s->start[k + 1] - s->start[k]);
  *start = calloc((size_t)s->n_body + 2, sizeof(int));
  *col = malloc((pairs + 1)*sizeof(int));
  if (!*start || !*col || pairs > 1 << 28) return false;
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

// No factors is no failure: sweeps do without
static bool prepare_factors(ss_friction_space* s)
{
  if (!s->body) {
    s->lu = ss_block_lu_create(s->k, s->dim, s->start, s->col, (size_t)(FACTOR_NUMBERS/(s->dim*s->dim)));
    return !s->lu || places_of_G(s);
  }
  int *start = NULL, *col = NULL;
  if (pattern_of_bodies(s, &start, &col))
    s->lu = ss_block_lu_create(s->n_body, s->body, start, col, (size_t)(FACTOR_NUMBERS/(s->body*s->body)));
  free(start);
  free(col);
  return !s->lu || places_of_bodies(s);
}

static bool fill(ss_friction_space* s, const ss_friction_problem* p, ss_error* error)
{
  ss_local_form local = {0};
  if (ss_friction_use_bodies(s, p)) diagonal_of_J(s);
  else {
    if (ss_local_form_make(p, &local, error) < 0) return false;
    memcpy(s->b, local.b, (size_t)s->m*sizeof(double));
    bool good = use_blocks_of_G(s, &local);
    ss_local_form_free(&local);
    if (!good) return false;
    diagonal_of_G(s);
  }
  finish_diagonal(s, p->kappa);
  size_t n = (size_t)s->n_body*(size_t)s->body, unknowns = n > (size_t)s->m ? n : (size_t)s->m;
  s->v = calloc(3*unknowns + 1, sizeof(double));
  if (!s->v) return false;
  s->work = s->v + unknowns;
  s->work2 = s->work + unknowns;
  return prepare_factors(s);
}

ss_friction_space* ss_friction_space_create(const ss_friction_problem* p, ss_error* error)
{
  ss_error local = {0};
  ss_friction_space* s = calloc(1, sizeof *s);
  if (s) {
    *s = (ss_friction_space){.dim = p->dim, .k = p->n_contact, .m = p->dim*p->n_contact};
    if (allocate(s, p) && fill(s, p, &local)) return s;
  }
  ss_friction_space_destroy(s);
  if (local.status < 0 && error) *error = local;
  else ss_error_set(error, SS_ERR_MEMORY, "not enough memory for %d contacts", p->n_contact);
  return NULL;
}

double ss_friction_space_residual(const ss_friction_space* s, const double* Lambda, const double* xi)
{
  double scale = s->scale;
  for (int i = 0; s->scale == 0 && i < s->m; i++) scale = ss_larger(scale, fabs(xi[i]));
  return ss_friction_measure(s->dim, s->k, s->mu, s->trace, Lambda, xi, scale);
}
