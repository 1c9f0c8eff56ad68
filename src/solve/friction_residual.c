// Checks of a frictional contact problem, its local form as arrays, and the one residual that all solvers are judged
// by.
#include "base/text.h"
#include "math/sparse.h"
#include "solve/friction_cone.h"
#include "solve/friction_condense.h"
#include "solve/friction_layout.h"
#include "solve/friction_velocity.h"
#include <math.h>
#include <stdlib.h>
#include <stickslip/friction.h>
#include <string.h>

// ---- checks ----

static ss_status check_numbers(const char* name, int n, const double* x, ss_error* error)
{
  if (n > 0 && !x) return ss_error_set(error, SS_ERR_ARGUMENT, "%s is missing", name);
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return ss_error_set(error, SS_ERR_NUMERIC, "%s[%d] is not a finite number", name, i);
  return SS_OK;
}

static ss_status check_size(const char* name, const ss_sparse* A, int rows, int cols, ss_error* error)
{
  if (A->rows == rows && A->cols == cols) return ss_sparse_check(A, name, error);
  return ss_error_set(error, SS_ERR_INPUT, "%s is %d x %d; it must be %d x %d", name, A->rows, A->cols, rows, cols);
}

static ss_status check_diagonal(const char* name, const ss_sparse* A, ss_error* error)
{
  for (int i = 0; i < A->rows; i++)
    for (int e = A->start[i]; e < A->start[i + 1]; e++)
      if (A->col[e] == i && A->value[e] < 0)
        return ss_error_set(error, SS_ERR_INPUT, "%s[%d][%d] is %g; the diagonal must not be negative", name, i, i,
                            A->value[e]);
  return SS_OK;
}

static ss_status check_matrices(const ss_friction_problem* p, ss_error* error)
{
  int m = ss_friction_rows(p), n = p->M.rows;
  ss_status status;
  if (!p->global) {
    if ((status = check_size("G", &p->G, m, m, error)) < 0) return status;
    if ((status = check_diagonal("G", &p->G, error)) < 0) return status;
    return check_numbers("b", m, p->b, error);
  }
  if ((status = check_size("M", &p->M, n, n, error)) < 0) return status;
  if ((status = check_size("H", &p->H, n, m, error)) < 0) return status;
  if ((status = check_numbers("f", n, p->f, error)) < 0) return status;
  return check_numbers("w", m, p->w, error);
}

int ss_friction_rows(const ss_friction_problem* p)
{
  if (!p) return 0;
  int rows = p->n_bilateral;
  if (!p->kind) return rows + p->dim*p->n_contact;
  for (int i = 0; i < p->n_contact; i++) rows += ss_contact_rows(p->kind[i]);
  return rows;
}

static ss_status check_sizes(const ss_friction_problem* p, ss_error* error)
{
  if (p->dim != 2 && p->dim != 3 && !p->kind)
    return ss_error_set(error, SS_ERR_INPUT, "dim is %d; it must be 2 or 3", p->dim);
  if (p->n_contact < 0 || p->n_contact > 100000000)
    return ss_error_set(error, SS_ERR_INPUT, "%d is no number of contacts", p->n_contact);
  if (p->n_bilateral < 0 || p->n_bilateral > 100000000)
    return ss_error_set(error, SS_ERR_INPUT, "%d is no number of bilateral rows", p->n_bilateral);
  for (int i = 0; p->kind && i < p->n_contact; i++)
    if ((int)p->kind[i] < SS_CONTACT_NORMAL || p->kind[i] > SS_CONTACT_SPATIAL)
      return ss_error_set(error, SS_ERR_INPUT, "kind[%d] is %d; there is no such kind of contact", i, (int)p->kind[i]);
  return SS_OK;
}

static ss_status check_positive(const char* name, int n, const double* x, ss_error* error)
{
  ss_status status = check_numbers(name, n, x, error);
  for (int i = 0; status >= 0 && i < n; i++)
    if (x[i] < 0) return ss_error_set(error, SS_ERR_INPUT, "%s[%d] is %g; it must not be negative", name, i, x[i]);
  return status;
}

ss_status ss_friction_validate(const ss_friction_problem* p, ss_error* error)
{
  if (!p) return ss_error_null(error, "the problem");
  ss_status status = check_sizes(p, error);
  if (status < 0) return status;
  if (!(p->kappa >= 0 && p->kappa <= 1e6))
    return ss_error_set(error, SS_ERR_INPUT, "kappa is %g; the relative compliance is between 0 and 1e6", p->kappa);
  if ((status = check_positive("mu", p->n_contact, p->mu, error)) < 0) return status;
  if (p->bound && (status = check_positive("bound", p->n_contact, p->bound, error)) < 0) return status;
  return check_matrices(p, error);
}

double ss_friction_asymmetry(const ss_friction_problem* p)
{
  if (!p) return NAN;
  const ss_sparse* A = p->global ? &p->M : &p->G;
  ss_sparse T;
  double largest = 0, difference = 0;
  if (A->rows != A->cols || !ss_sparse_transpose(A, &T)) return NAN;
  for (int i = 0; i < A->rows; i++) {
    int e = A->start[i], f = T.start[i];
    while (e < A->start[i + 1] || f < T.start[i + 1]) {  // both rows are sorted
      int ce = e < A->start[i + 1] ? A->col[e] : A->cols, cf = f < T.start[i + 1] ? T.col[f] : A->cols;
      double a = ce <= cf ? A->value[e++] : 0, t = cf <= ce ? T.value[f++] : 0;
      largest = ss_larger(largest, fabs(a));
      difference = ss_larger(difference, fabs(a - t));
    }
  }
  ss_sparse_free(&T);
  return largest > 0 ? difference/largest : 0;
}

// ---- local form ----

// Block of row i
static int block_of(const ss_friction_layout* l, int i) { return (l->slot ? l->slot[i] : i)/l->dim; }

// The rows in blocks, with what compliance adds
typedef struct parts {
  ss_friction_layout layout;
  double *trace, *soft;         // k: trace G_ii with compliance; added to the diagonal
  double *Lambda, *xi;          // in blocks
  double *row, *b, *diagonal;   // xi, b, diagonal of G without compliance, as the problem has them
} parts;

static void free_parts(parts* q)
{
  ss_friction_layout_free(&q->layout);
  free(q->trace);
}

static ss_status make_parts(const ss_friction_problem* p, parts* q, ss_error* error)
{
  ss_status status = ss_friction_validate(p, error);
  *q = (parts){0};
  if (status < 0) return status;
  if (ss_friction_lay_out(p, NULL, 1, &q->layout)) {
    size_t k = (size_t)q->layout.k, m = k*(size_t)q->layout.dim, rows = (size_t)q->layout.rows;
    q->trace = malloc((2*k + 2*m + 3*rows + 1)*sizeof(double));
    q->soft = q->trace + k;
    q->Lambda = q->soft + k;
    q->xi = q->Lambda + m;
    q->row = q->xi + m;
    q->b = q->row + rows;
    q->diagonal = q->b + rows;
  }
  if (q->trace) return SS_OK;
  free_parts(q);
  return ss_error_set(error, SS_ERR_MEMORY, "not enough memory for %d contacts", p->n_contact);
}

// From the diagonal of G: trace G_ii of all blocks, and compliance
static void soften(const ss_friction_problem* p, parts* q)
{
  memset(q->trace, 0, (size_t)q->layout.k*sizeof *q->trace);
  for (int i = 0; i < q->layout.rows; i++) q->trace[block_of(&q->layout, i)] += q->diagonal[i];
  for (int k = 0; k < q->layout.k; k++) {
    q->soft[k] = k < q->layout.n_free ? 0 : p->kappa*q->trace[k];
    q->trace[k] += q->layout.count[k]*q->soft[k];
  }
}

ss_status ss_friction_dense(const ss_friction_problem* p, double* G, double* b, ss_error* error)
{
  parts q;
  ss_local_form local;
  ss_status status = make_parts(p, &q, error);
  if (status < 0) return status;
  if ((status = ss_local_form_make(p, &local, error)) >= 0) {
    size_t m = (size_t)q.layout.rows;
    memset(G, 0, m*m*sizeof *G);
    memcpy(b, local.b, m*sizeof *b);
    for (size_t i = 0; i < m; i++) {
      for (int e = local.G.start[i]; e < local.G.start[i + 1]; e++) G[i*m + (size_t)local.G.col[e]] = local.G.value[e];
      q.diagonal[i] = G[i*m + i];
    }
    soften(p, &q);
    for (size_t i = 0; i < m; i++) G[i*m + i] += q.soft[block_of(&q.layout, (int)i)];
    ss_local_form_free(&local);
  }
  free_parts(&q);
  return status;
}

// ---- residual ----

// What violations are relative to: the largest |b|, or what the impulses do if b = 0
static double scale_of(int m, const double* b, const double* xi)
{
  double scale = 0, other = 0;
  for (int i = 0; i < m; i++) {
    scale = ss_larger(scale, fabs(b[i]));
    other = ss_larger(other, fabs(xi[i]));
  }
  return scale > 0 ? scale : other;
}

ss_status ss_friction_residual(const ss_friction_problem* p, const double* Lambda, double* xi, double* residual,
                               ss_error* error)
{
  if (!p || !Lambda || !residual) return ss_error_null(error, "the problem, the impulses or the result");
  parts q;
  ss_status status = make_parts(p, &q, error);
  if (status < 0) return status;
  if ((status = ss_friction_velocities(p, Lambda, q.row, q.b, q.diagonal, error)) >= 0) {
    int m = q.layout.rows;
    soften(p, &q);
    for (int i = 0; i < m; i++) q.row[i] += q.soft[block_of(&q.layout, i)]*Lambda[i];
    ss_friction_spread(&q.layout, Lambda, q.Lambda);
    ss_friction_spread(&q.layout, q.row, q.xi);
    *residual = ss_friction_measure(&q.layout, q.trace, q.Lambda, q.xi, scale_of(m, q.b, q.row));
    if (xi) memcpy(xi, q.row, (size_t)m*sizeof *xi);
    if (isnan(*residual)) status = ss_error_set(error, SS_ERR_NUMERIC, "sums overflow, or Lambda is not finite");
  }
  free_parts(&q);
  return status;
}
