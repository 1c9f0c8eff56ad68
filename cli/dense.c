// A contact problem as arrays: what planar problems, and laws other than Coulomb's, are solved from.
#include <stdlib.h>
#include <string.h>

#include "task.h"

// Without compliance the numbers of the file, bit for bit
static bool fill(const ss_friction_problem* p, size_t m, double* G, double* b, ss_error* error)
{
  if (p->global || p->kappa > 0) return ss_friction_dense(p, G, b, error) >= 0;
  for (size_t i = 0; i < m; i++)
    for (int e = p->G.start[i]; e < p->G.start[i + 1]; e++) G[i*m + (size_t)p->G.col[e]] = p->G.value[e];
  memcpy(b, p->b, sizeof(double)*m);
  return true;
}

bool cli_dense_make(const cli_task* task, cli_dense* dense, ss_error* error)
{
  const ss_friction_problem* p = &task->contact;
  size_t m = (size_t)ss_friction_rows(p), k = (size_t)p->n_contact;
  bool fits = m <= SS_MAX_ROWS;
  double* G = fits ? calloc(m*m + m + k + 1, sizeof(double)) : NULL;
  *dense = (cli_dense){.memory = G, .kind = fits ? malloc((k + 1)*sizeof *dense->kind) : NULL};
  if (!G || !dense->kind) {
    ss_error_set(error, SS_ERR_MEMORY, "%zu rows are too many for a dense matrix G", m);
    return false;
  }
  double *b = G + m*m, *bound = b + m;
  for (size_t i = 0; i < k; i++) {
    dense->kind[i] = ss_friction_kind(p, (int)i);
    bound[i] = p->bound ? p->bound[i] : 0;
  }
  dense->p = (ss_contact_problem){.n_bilateral = p->n_bilateral, .n_contact = p->n_contact, .m = (int)m, .G = G,
                                  .b = b, .kind = dense->kind, .mu = p->mu, .bound = bound,
                                  .slide = task->problem->slide};
  return fill(p, m, G, b, error);
}

void cli_dense_free(cli_dense* dense)
{
  free(dense->memory);
  free(dense->kind);
  *dense = (cli_dense){0};
}
