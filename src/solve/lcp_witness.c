// The proof that an LCP has no solution. The ray on which Lemke's method ends in a semidefinite problem is one.
#include <math.h>
#include <stdlib.h>
#include <stickslip/lcp.h>

// At column j: the sum of v_i a_ij is not positive
static bool column_falls(const ss_lcp* lcp, const double* v, size_t j)
{
  size_t n = (size_t)lcp->n;
  double sum = 0, size = 0;
  for (size_t i = 0; i < n; i++) {
    double p = lcp->A[i*n + j]*v[i];
    sum += p;
    size += fabs(p);
  }
  return sum <= 1e-13*size;
}

static bool columns_fall_sparse(const ss_sparse* S, const double* v)
{
  double *sum = calloc(2*(size_t)S->cols, sizeof *sum), *size = sum + S->cols;
  bool fall = sum != NULL;
  for (int i = 0; i < S->rows && fall; i++)
    for (int e = S->start[i]; e < S->start[i + 1]; e++) {
      sum[S->col[e]] += S->value[e]*v[i];
      size[S->col[e]] += fabs(S->value[e]*v[i]);
    }
  for (int j = 0; j < S->cols && fall; j++) fall = sum[j] <= 1e-13*size[j];
  free(sum);
  return fall;
}

bool ss_lcp_proves_infeasible(const ss_lcp* lcp, const double* v)
{
  if (!lcp || !v) return false;
  double sum = 0, size = 0;
  for (int i = 0; i < lcp->n; i++) {
    if (!(v[i] >= 0)) return false;
    sum += lcp->b[i]*v[i];
    size += fabs(lcp->b[i]*v[i]);
  }
  if (!(sum < -1e-6*size)) return false;
  if (!lcp->A) return columns_fall_sparse(lcp->S, v);
  for (int j = 0; j < lcp->n; j++)
    if (!column_falls(lcp, v, (size_t)j)) return false;
  return true;
}
