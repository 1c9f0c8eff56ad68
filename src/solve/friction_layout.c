// The rows of a problem in blocks of one size.
#include "solve/friction_layout.h"
#include "math/simd.h"
#include "solve/friction_cone.h"
#include <stdlib.h>
#include <string.h>

// ---- places ----

static bool same_columns(const ss_sparse* A, int group, int i, int j)
{
  int e = A->start[i], f = A->start[j], e_end = A->start[i + 1], f_end = A->start[j + 1];
  while (e < e_end && f < f_end) {
    int a = A->col[e]/group;
    if (a != A->col[f]/group) return false;
    while (e < e_end && A->col[e]/group == a) e++;
    while (f < f_end && A->col[f]/group == a) f++;
  }
  return e == e_end && f == f_end;
}

static void place_bilateral(ss_friction_layout* l, int rows, const ss_sparse* pattern, int group)
{
  for (int i = 0; i < rows; i++) {
    bool joins = l->k > 0 && l->count[l->k - 1] < l->dim && (!pattern || same_columns(pattern, group, i - 1, i));
    if (!joins) l->count[l->k++] = 0;
    l->slot[i] = (l->k - 1)*l->dim + l->count[l->k - 1]++;
  }
  l->n_free = l->k;
}

static void place_contacts(ss_friction_layout* l, const ss_friction_problem* p)
{
  int row = p->n_bilateral;
  for (int i = 0; i < p->n_contact; i++, l->k++) {
    int first = p->kind && p->kind[i] == SS_CONTACT_FRICTION ? 1 : 0;
    l->element[l->k] = first;
    l->count[l->k] = p->kind ? ss_contact_rows(p->kind[i]) : p->dim;
    for (int c = 0; c < l->count[l->k]; c++) l->slot[row++] = l->k*l->dim + first + c;
  }
}

int ss_friction_block_size(const ss_friction_problem* p)
{
  if (p->dim == 3) return 3;
  for (int i = 0; p->kind && i < p->n_contact; i++)
    if (p->kind[i] == SS_CONTACT_SPATIAL) return 3;
  return 2;
}

bool ss_friction_lay_out(const ss_friction_problem* p, const ss_sparse* pattern, int group, ss_friction_layout* l)
{
  *l = (ss_friction_layout){.dim = ss_friction_block_size(p), .rows = ss_friction_rows(p)};
  size_t most = (size_t)p->n_bilateral + (size_t)p->n_contact;
  l->mu = calloc(2*most + 2, sizeof(double));
  l->count = malloc((most + 1)*sizeof(int));
  l->element = calloc(most + 1, sizeof(bool));
  l->slot = malloc(((size_t)l->rows + 1)*sizeof(int));
  if (!l->mu || !l->count || !l->element || !l->slot) {
    ss_friction_layout_free(l);
    return false;
  }
  place_bilateral(l, p->n_bilateral, pattern, group);
  place_contacts(l, p);
  l->bound = l->mu + l->k;
  ss_friction_layout_laws(l, p);
  if (l->rows == l->k*l->dim) {  // nothing is empty
    free(l->slot);
    l->slot = NULL;
  }
  return true;
}

void ss_friction_layout_free(ss_friction_layout* l)
{
  free(l->mu);
  free(l->count);
  free(l->element);
  free(l->slot);
  *l = (ss_friction_layout){0};
}

void ss_friction_layout_laws(ss_friction_layout* l, const ss_friction_problem* p)
{
  for (int i = 0; i < p->n_contact; i++) {
    bool normal = p->kind && p->kind[i] == SS_CONTACT_NORMAL;
    l->mu[l->n_free + i] = normal || l->element[l->n_free + i] ? 0 : p->mu[i];
    l->bound[l->n_free + i] = normal || !p->bound ? 0 : p->bound[i];
  }
}

void ss_friction_spread(const ss_friction_layout* l, const double* row, double* block)
{
  if (!l->slot) {
    memcpy(block, row, (size_t)l->rows*sizeof *row);
    return;
  }
  memset(block, 0, (size_t)l->k*(size_t)l->dim*sizeof *block);
  for (int i = 0; i < l->rows; i++) block[l->slot[i]] = row[i];
}

void ss_friction_collect(const ss_friction_layout* l, const double* block, double* row)
{
  for (int i = 0; i < l->rows; i++) row[i] = block[l->slot ? l->slot[i] : i];
}

// ---- matrices ----

// Places rise with the rows, so the entries stay in order: only the starts of the rows change, and column numbers
bool ss_friction_pad(const ss_friction_layout* l, const ss_sparse* A, bool square, ss_sparse* out)
{
  *out = *A;
  if (!l->slot) return true;
  int m = l->k*l->dim, at = 0, entries = A->start[A->rows];
  int* start = malloc(((size_t)m + 1)*sizeof(int));
  int* col = square ? malloc(((size_t)entries + 1)*sizeof(int)) : NULL;
  if (!start || (square && !col)) {
    free(start);
    free(col);
    return false;
  }
  for (int i = 0; i < A->rows; i++)
    while (at <= l->slot[i]) start[at++] = A->start[i];
  while (at <= m) start[at++] = entries;
  for (int e = 0; square && e < entries; e++) col[e] = l->slot[A->col[e]];
  out->rows = m;
  out->start = start;
  if (square) {
    out->cols = m;
    out->col = col;
  }
  return true;
}

void ss_friction_pad_free(const ss_sparse* A, ss_sparse* out)
{
  if (out->start != A->start) free((int*)out->start);
  if (out->col != A->col) free((int*)out->col);
  *out = (ss_sparse){0};
}

// ---- residual ----

// Without b and without motion there is nothing to compare with: the impulses give the unit
static double unit_of(const ss_friction_layout* l, const double* trace, const double* Lambda, double scale)
{
  double size = scale;
  for (int i = 0; scale == 0 && i < l->k*l->dim; i++) size = ss_larger(size, trace[i/l->dim]*fabs(Lambda[i]));
  return ss_unit_of(size);
}

// The largest violation by blocks `from` .. `to` - 1, times `unit`
SS_INLINE double worst_block(const ss_friction_layout* l, int dim, const double* trace, const double* Lambda,
                             const double* xi, double unit, int from, int to)
{
  double worst = 0;
  int k = from;
  for (; k < to && k < l->n_free; k++)
    for (int i = k*dim; i < (k + 1)*dim; i++) worst = ss_worse(worst, fabs(xi[i])*unit + 0*Lambda[i]);
  for (; k < to; k++) {
    double g = trace[k];
    if (!(g > 0)) {  // no impulse moves a contact with G_ii = 0: any unit will do there
      for (int i = 0; i < l->k; i++) g = ss_larger(g, trace[i]);
      if (!(g > 0)) g = 1;
    }
    worst = ss_worse(worst, ss_contact_violation(dim, l->mu[k], l->bound[k], g, unit, Lambda + k*dim, xi + k*dim));
  }
  return worst;
}

double ss_friction_measure(const ss_friction_layout* l, const double* trace, const double* Lambda, const double* xi,
                           double scale)
{
  if (!isfinite(scale)) return NAN;
  double unit = unit_of(l, trace, Lambda, scale), worst;
  if (l->dim == 3) worst = worst_block(l, 3, trace, Lambda, xi, unit, 0, l->k);
  else worst = worst_block(l, 2, trace, Lambda, xi, unit, 0, l->k);
  return worst == 0 ? 0 : worst/(scale*unit);
}

double ss_friction_measure_part(const ss_friction_layout* l, const double* trace, const double* Lambda,
                                const double* xi, double scale, int from, int to)
{
  double unit = unit_of(l, trace, Lambda, scale), worst = worst_block(l, 3, trace, Lambda, xi, unit, from, to);
  return worst == 0 ? 0 : worst/(scale*unit);
}
