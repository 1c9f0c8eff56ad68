// Checks of a frictional contact problem, its local form as arrays, and the one residual that all solvers are judged
// by.
#include "math/sparse.h"
#include "solve/friction_cone.h"
#include "solve/friction_condense.h"
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
  int m = p->dim*p->n_contact, n = p->M.rows;
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
  int rows = p->n_bilateral;
  if (!p->kind) return rows + p->dim*p->n_contact;
  for (int i = 0; i < p->n_contact; i++) rows += ss_contact_rows(p->kind[i]);
  return rows;
}

ss_status ss_friction_validate(const ss_friction_problem* p, ss_error* error)
{
  if (p->n_bilateral || p->kind || p->bound)
    return ss_error_set(error, SS_ERR_INPUT, "bilateral rows and contacts of several kinds are not supported yet");
  if (p->dim != 2 && p->dim != 3) return ss_error_set(error, SS_ERR_INPUT, "dim is %d; it must be 2 or 3", p->dim);
  if (p->n_contact < 0 || p->n_contact > 100000000)
    return ss_error_set(error, SS_ERR_INPUT, "%d is no number of contacts", p->n_contact);
  if (!(p->kappa >= 0 && p->kappa <= 1e6))
    return ss_error_set(error, SS_ERR_INPUT, "kappa is %g; the relative compliance is between 0 and 1e6", p->kappa);
  ss_status status = check_numbers("mu", p->n_contact, p->mu, error);
  if (status < 0) return status;
  for (int i = 0; i < p->n_contact; i++)
    if (p->mu[i] < 0) return ss_error_set(error, SS_ERR_INPUT, "mu[%d] is %g; it must not be negative", i, p->mu[i]);
  return check_matrices(p, error);
}

double ss_friction_asymmetry(const ss_friction_problem* p)
{
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

// trace G_ii of all contacts
static void traces(int dim, const ss_sparse* G, double* trace)
{
  for (int k = 0; k < G->rows/dim; k++) trace[k] = 0;
  for (int i = 0; i < G->rows; i++)
    for (int e = G->start[i]; e < G->start[i + 1]; e++)
      if (G->col[e] == i) trace[i/dim] += G->value[e];
}

ss_status ss_friction_dense(const ss_friction_problem* p, double* G, double* b, ss_error* error)
{
  ss_status status = ss_friction_validate(p, error);
  ss_local_form local;
  if (status < 0 || (status = ss_local_form_make(p, &local, error)) < 0) return status;
  size_t m = (size_t)(p->dim*p->n_contact);
  memset(G, 0, m*m*sizeof *G);
  memcpy(b, local.b, m*sizeof *b);
  for (size_t i = 0; i < m; i++)
    for (int e = local.G.start[i]; e < local.G.start[i + 1]; e++) G[i*m + (size_t)local.G.col[e]] = local.G.value[e];
  for (size_t k = 0; p->kappa > 0 && k < (size_t)p->n_contact; k++) {
    size_t first = k*(size_t)p->dim;
    double trace = 0;
    for (size_t i = first; i < first + (size_t)p->dim; i++) trace += G[i*m + i];
    for (size_t i = first; i < first + (size_t)p->dim; i++) G[i*m + i] += p->kappa*trace;
  }
  ss_local_form_free(&local);
  return SS_OK;
}

// ---- residual ----

double ss_friction_measure(int dim, int n_contact, const double* mu, const double* trace, const double* Lambda,
                           const double* xi, double scale)
{
  double worst = 0, largest = 0;
  for (int k = 0; k < n_contact; k++) largest = ss_larger(largest, trace[k]);
  for (int k = 0; k < n_contact; k++) {
    // no impulse moves a contact with G_ii = 0: any rho will do there
    double rho = trace[k] > 0 ? 1/trace[k] : largest > 0 ? 1/largest : 1;
    double r = ss_contact_violation(dim, mu[k], rho, Lambda + k*dim, xi + k*dim);
    if (!(r <= worst)) worst = r;
    if (isnan(worst)) return NAN;
  }
  return worst == 0 ? 0 : worst/scale;
}

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
  ss_status status = ss_friction_validate(p, error);
  ss_local_form local;
  if (status < 0 || (status = ss_local_form_make(p, &local, error)) < 0) return status;
  int m = p->dim*p->n_contact;
  double* own = malloc(((size_t)m + (size_t)p->n_contact + 1)*sizeof *own);
  if (!own) {
    ss_local_form_free(&local);
    return ss_error_set(error, SS_ERR_MEMORY, "not enough memory for %d contacts", p->n_contact);
  }
  double* trace = own + m;
  traces(p->dim, &local.G, trace);
  memcpy(own, local.b, (size_t)m*sizeof *own);
  ss_sparse_multiply_add(&local.G, Lambda, own);
  for (int i = 0; i < m; i++) own[i] += p->kappa*trace[i/p->dim]*Lambda[i];
  for (int k = 0; k < p->n_contact; k++) trace[k] *= 1 + p->dim*p->kappa;
  *residual = ss_friction_measure(p->dim, p->n_contact, p->mu, trace, Lambda, own, scale_of(m, local.b, own));
  if (xi) memcpy(xi, own, (size_t)m*sizeof *xi);
  free(own);
  ss_local_form_free(&local);
  return isnan(*residual) ? ss_error_set(error, SS_ERR_NUMERIC, "sums overflow, or Lambda is not finite") : SS_OK;
}
