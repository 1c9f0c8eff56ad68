// A copy of each step's contact problem, for those who want to save it: the projection after the step uses the same
// arrays again.
#include <stdlib.h>
#include <string.h>

#include "integrate/work.h"

struct ss_kept {
  size_t rows, contacts;  // what there is room for
  ss_contact_problem problem;
  ss_contact_solution solution;
  int* contact;
  double *G, *b, *mu, *bound;
  ss_contact_kind* kind;
};

// One block: the struct, then the numbers, then what is smaller. NULL if memory is short.
static struct ss_kept* make(size_t rows, size_t k)
{
  size_t doubles = rows*rows + 3*rows + 2*k;
  size_t small = k*(sizeof(int) + sizeof(ss_contact_kind) + sizeof(ss_contact_state));
  struct ss_kept* kept = calloc(1, sizeof *kept + doubles*sizeof(double) + small);
  if (!kept) return NULL;
  kept->rows = rows;
  kept->contacts = k;
  kept->G = (double*)(kept + 1);
  kept->b = kept->G + rows*rows;
  kept->solution.Lambda = kept->b + rows;
  kept->solution.xi = kept->solution.Lambda + rows;
  kept->mu = kept->solution.xi + rows;
  kept->bound = kept->mu + k;
  kept->kind = (ss_contact_kind*)(kept->bound + k);
  kept->solution.state = (ss_contact_state*)(kept->kind + k);
  kept->contact = (int*)(kept->solution.state + k);
  return kept;
}

ss_status ss_work_keep_problem(ss_work* w)
{
  if (!w) return SS_ERR_ARGUMENT;
  if (!w->kept) w->kept = make((size_t)(w->n_bilateral + w->m), (size_t)w->n_contact);
  return w->kept ? SS_OK : SS_ERR_MEMORY;
}

// Contacts that come and go may be more than ever before. False if memory is short: the problem is not kept then.
static bool grow(ss_work* w, size_t rows, size_t k)
{
  if (rows <= w->kept->rows && k <= w->kept->contacts) return true;
  struct ss_kept* larger = make(rows + rows/2, k + k/2);
  if (!larger) return false;
  free(w->kept);
  w->kept = larger;
  return true;
}

void ss_keep_problem(ss_work* w)
{
  if (!w->kept) return;
  if (!grow(w, (size_t)w->problem.m, (size_t)w->problem.n_contact)) {
    w->kept->problem.m = 0;
    return;
  }
  struct ss_kept* to = w->kept;
  if (!w->problem.m || (!w->problem.G && ss_whole_problem(w) < 0)) {
    to->problem.m = 0;
    return;
  }
  const ss_contact_problem* p = &w->problem;
  size_t m = (size_t)p->m, k = (size_t)p->n_contact;
  memcpy(to->G, p->G, m*m*sizeof(double));
  memcpy(to->b, p->b, m*sizeof(double));
  memcpy(to->mu, p->mu, k*sizeof(double));
  memcpy(to->bound, p->bound, k*sizeof(double));
  memcpy(to->kind, p->kind, k*sizeof *to->kind);
  for (size_t i = 0; i < k; i++)
    to->contact[i] = w->op ? ss_known_add(w->known, w->def, w->item[w->active[i]].key, p->kind[i]) : w->active[i];
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
  if (!w) return NULL;
  const struct ss_kept* kept = w->kept;
  if (!kept || kept->problem.m == 0) return NULL;
  if (solution) *solution = &kept->solution;
  if (contact) *contact = kept->contact;
  return &kept->problem;
}
