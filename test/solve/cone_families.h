// Random contact problems: planar and spatial contacts, bilateral rows, regular and rank deficient G = J J^T.
#ifndef TEST_SOLVE_CONE_FAMILIES_H
#define TEST_SOLVE_CONE_FAMILIES_H

#include "../math/matrices.h"
#include <stickslip/contact.h>
#include <string.h>

enum { CONE_CONTACTS = 8, CONE_ROWS = 32 };

/// A problem with its own memory
typedef struct contacts {
  ss_contact_problem p;
  double G[CONE_ROWS*CONE_ROWS], b[CONE_ROWS], mu[CONE_CONTACTS], bound[CONE_CONTACTS];
  ss_contact_kind kind[CONE_CONTACTS];
} contacts;

/// 1 to 6 contacts of all the kinds that `kinds` names (bits by ss_contact_kind), up to 3 bilateral rows if wanted, on
/// `dofs` degrees of freedom per row (less than 1: G is rank deficient), b = J u with a random u.
static inline void make_contacts(contacts* c, unsigned kinds, bool bilateral, double dofs, double mu, uint64_t* seed)
{
  static double J[CONE_ROWS*4*CONE_ROWS];
  double u[4*CONE_ROWS];
  int k = 1 + (int)(3*(1 + uniform(seed))), m = bilateral ? 1 + (int)(1.5*(1 + uniform(seed))) : 0;
  c->p = (ss_contact_problem){.n_bilateral = m, .n_contact = k, .G = c->G, .b = c->b, .kind = c->kind, .mu = c->mu,
                              .bound = c->bound};
  for (int i = 0; i < k; i++) {
    do c->kind[i] = (ss_contact_kind)(2*(1 + uniform(seed)));
    while (!(kinds >> c->kind[i] & 1));
    c->mu[i] = mu*0.5*(1 + uniform(seed));
    c->bound[i] = c->kind[i] == SS_CONTACT_FRICTION ? 0.2*(1 + uniform(seed)) : 0;
    m += ss_contact_rows(c->kind[i]);
  }
  int n = c->p.m = m;
  int d = (int)(dofs*n + 0.999);
  if (d < c->p.n_bilateral + 1) d = c->p.n_bilateral + 1;
  fill_uniform(n*d, J, seed);
  fill_uniform(d, u, seed);
  for (int i = 0; i < n; i++) {
    c->b[i] = 0;
    for (int l = 0; l < d; l++) c->b[i] += J[i*d + l]*u[l];
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int l = 0; l < d; l++) sum += J[i*d + l]*J[j*d + l];
      c->G[i*n + j] = sum;
    }
  }
}

#endif
