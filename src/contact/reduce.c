// Bilateral rows are free unknowns and are eliminated from the contact problem:
//   G <- G_cc - G_cb G_bb^-1 G_bc,  b <- b_c - G_cb G_bb^-1 b_b
// by a pivoted Cholesky factor, so that they may depend on each other.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/planar.h"
#include "math/dense.h"

// What is left of a diagonal entry of G after elimination counts as zero below this part of it: round-off of the
// elimination is some 1e-16 times its condition, for which 1e5 is allowed.
#define REDUNDANT 1e-11

#define bytes_of(type, count) ss_arena_bytes(sizeof(type)*(count))

size_t ss_reduce_contacts_size(int n_bilateral, int n_contact) { return ss_reduce_rows_size(n_bilateral, 2*n_contact); }

size_t ss_reduce_rows_size(int n_bilateral, int contact_rows)
{
  size_t nb = (size_t)n_bilateral, m = (size_t)contact_rows;
  return bytes_of(double, m*m) + bytes_of(double, m) + bytes_of(double, nb*nb) + bytes_of(double, m*nb) +
         2*bytes_of(double, nb) + bytes_of(int, nb);
}

// Contact row i cannot move, the bilateral rows hold it: what elimination left there is round-off and becomes zero.
static void fix_row(const ss_contact_problem* p, ss_reduced* r, int i)
{
  int nb = r->nb, m = r->m;
  const double* G_i = p->G + (nb + i)*p->m;
  double size = fabs(p->b[nb + i]);
  for (int k = 0; k < nb; k++) size += fabs(G_i[k]*r->y[k]);
  for (int j = 0; j < m; j++) r->G[i*m + j] = r->G[j*m + i] = 0;
  if (fabs(r->b[i]) <= REDUNDANT*size) r->b[i] = 0;
}

bool ss_reduce_contacts(const ss_contact_problem* p, ss_arena* arena, ss_reduced* r)
{
  int nb = p->n_bilateral, m = p->m - nb, all = p->m;
  *r = (ss_reduced){.nb = nb, .m = m, .G = (double*)p->G, .b = (double*)p->b};
  if (nb == 0) return true;
  r->G = ss_arena_array(arena, double, m*m);
  r->b = ss_arena_array(arena, double, m);
  r->L = ss_arena_array(arena, double, nb*nb);
  r->X = ss_arena_array(arena, double, m*nb);
  r->y = ss_arena_array(arena, double, nb);
  r->work = ss_arena_array(arena, double, nb);
  r->perm = ss_arena_array(arena, int, nb);
  if (!r->G || !r->b || !r->L || !r->X || !r->y || !r->work || !r->perm) return false;

  for (int i = 0; i < nb; i++) memcpy(r->L + i*nb, p->G + i*all, sizeof(double)*(size_t)nb);
  r->rank = ss_chol_pivoted(nb, r->L, r->perm, REDUNDANT);
  memcpy(r->y, p->b, sizeof(double)*(size_t)nb);
  ss_chol_pivoted_solve(nb, r->rank, r->L, r->perm, r->y, r->work);
  for (int i = 0; i < m; i++) {
    const double* G_i = p->G + (nb + i)*all;
    double* X_i = r->X + i*nb;
    memcpy(X_i, G_i, sizeof(double)*(size_t)nb);
    ss_chol_pivoted_solve(nb, r->rank, r->L, r->perm, X_i, r->work);
    r->b[i] = p->b[nb + i] - ss_dot(nb, G_i, r->y);
    for (int j = 0; j < m; j++) r->G[i*m + j] = G_i[nb + j] - ss_dot(nb, X_i, p->G + (nb + j)*all);
  }
  for (int i = 0; i < m; i++)
    if (!(r->G[i*m + i] > REDUNDANT*p->G[(nb + i)*all + nb + i])) fix_row(p, r, i);
  return true;
}

void ss_recover_bilateral(const ss_reduced* r, bool with_b, double* Lambda)
{
  const double* Lambda_c = Lambda + r->nb;
  for (int i = 0; i < r->nb; i++) {
    double sum = with_b ? r->y[i] : 0;
    for (int j = 0; j < r->m; j++) sum += r->X[j*r->nb + i]*Lambda_c[j];
    Lambda[i] = -sum;
  }
}
