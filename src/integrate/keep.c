// A copy of each step's contact problem, for those who want to save it: the projection after the step uses the same
// arrays again.
#include <stdlib.h>
#include <string.h>

#include "integrate/work.h"

struct ss_kept {
  ss_contact_problem problem;
  ss_contact_solution solution;
  int* contact;
  double *G, *b, *mu, *bound;
  ss_contact_kind* kind;
};

// One block: the struct, then the numbers, then what is smaller
ss_status ss_work_keep_problem(ss_work* w)
{
  if (w->kept) return SS_OK;
  size_t rows = (size_t)(w->n_bilateral + w->m), k = (size_t)w->n_contact;
  size_t doubles = rows*rows + 3*rows + 2*k;
  size_t small = k*(sizeof(int) + sizeof(ss_contact_kind) + sizeof(ss_contact_state));
  struct ss_kept* kept = calloc(1, sizeof *kept + doubles*sizeof(double) + small);
  if (!kept) return SS_ERR_MEMORY;
  kept->G = (double*)(kept + 1);
  kept->b = kept->G + rows*rows;
  kept->solution.Lambda = kept->b + rows;
  kept->solution.xi = kept->solution.Lambda + rows;
  kept->mu = kept->solution.xi + rows;
  kept->bound = kept->mu + k;
  kept->kind = (ss_contact_kind*)(kept->bound + k);
  kept->solution.state = (ss_contact_state*)(kept->kind + k);
  kept->contact = (int*)(kept->solution.state + k);
  w->kept = kept;
  return SS_OK;
}

void ss_keep_problem(ss_work* w)
{
  struct ss_kept* to = w->kept;
  if (!to) return;
  const ss_contact_problem* p = &w->problem;
  size_t m = (size_t)p->m, k = (size_t)p->n_contact;
  memcpy(to->G, p->G, m*m*sizeof(double));
  memcpy(to->b, p->b, m*sizeof(double));
  memcpy(to->mu, p->mu, k*sizeof(double));
  memcpy(to->bound, p->bound, k*sizeof(double));
  memcpy(to->kind, p->kind, k*sizeof *to->kind);
  memcpy(to->contact, w->active, k*sizeof(int));
  memcpy(to->solution.Lambda, w->solution.Lambda, m*sizeof(double));
  memcpy(to->solution.xi, w->solution.xi, m*sizeof(double));
  memcpy(to->solution.state, w->solution.state, k*sizeof *to->solution.state);
  to->solution.residual = w->solution.residual;
  to->solution.iterations = w->solution.iterations;
  to->problem = *p;
  to->problem.G = to->G;
  to->problem.b = to->b;
  to->problem.mu = to->mu;
  to->problem.bound = to->bound;
  to->problem.kind = to->kind;
}

const ss_contact_problem* ss_work_problem(const ss_work* w, const ss_contact_solution** solution, const int** contact)
{
  const struct ss_kept* kept = w->kept;
  if (!kept || kept->problem.m == 0) return NULL;
  if (solution) *solution = &kept->solution;
  if (contact) *contact = kept->contact;
  return &kept->problem;
}
