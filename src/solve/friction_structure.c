// What must stay the same for a solver to take new numbers.
#include "solve/friction_structure.h"
#include "solve/friction_layout.h"
#include <stdlib.h>
#include <string.h>

ss_contact_kind ss_friction_kind(const ss_friction_problem* p, int i)
{
  if (!p) return SS_CONTACT_NORMAL;
  return p->kind ? p->kind[i] : p->dim == 3 ? SS_CONTACT_SPATIAL : SS_CONTACT_PLANAR;
}

static bool copy_pattern(const ss_sparse* A, ss_sparse* out)
{
  size_t starts = ((size_t)A->rows + 1)*sizeof(int), cols = (size_t)A->start[A->rows]*sizeof(int);
  int *start = malloc(starts), *col = malloc(cols + 1);
  *out = (ss_sparse){.rows = A->rows, .cols = A->cols, .start = start, .col = col};
  if (!start || !col) return false;
  memcpy(start, A->start, starts);
  if (cols) memcpy(col, A->col, cols);
  return true;
}

static bool same_pattern(const ss_sparse* A, const ss_sparse* B)
{
  if (A->rows != B->rows || A->cols != B->cols) return false;
  if (memcmp(A->start, B->start, ((size_t)A->rows + 1)*sizeof(int)) != 0) return false;
  size_t entries = (size_t)A->start[A->rows];
  return entries == 0 || memcmp(A->col, B->col, entries*sizeof(int)) == 0;
}

bool ss_friction_structure_make(const ss_friction_problem* p, ss_friction_structure* s)
{
  *s = (ss_friction_structure){.block = ss_friction_block_size(p), .n_bilateral = p->n_bilateral,
                               .n_contact = p->n_contact, .global = p->global};
  s->kind = malloc(((size_t)p->n_contact + 1)*sizeof *s->kind);
  bool good = s->kind && copy_pattern(p->global ? &p->M : &p->G, &s->first);
  if (good && p->global) good = copy_pattern(&p->H, &s->second);
  for (int i = 0; good && i < p->n_contact; i++) s->kind[i] = ss_friction_kind(p, i);
  if (!good) ss_friction_structure_free(s);
  return good;
}

void ss_friction_structure_free(ss_friction_structure* s)
{
  free(s->kind);
  ss_sparse_free(&s->first);
  ss_sparse_free(&s->second);
  *s = (ss_friction_structure){0};
}

ss_status ss_friction_structure_compare(const ss_friction_structure* s, const ss_friction_problem* p, ss_error* error)
{
  const char* what = NULL;
  if (p->global != s->global || p->n_bilateral != s->n_bilateral || p->n_contact != s->n_contact ||
      ss_friction_block_size(p) != s->block)
    what = "the form, or the number of rows,";
  for (int i = 0; !what && i < p->n_contact; i++)
    if (ss_friction_kind(p, i) != s->kind[i]) what = "the kind of a contact";
  if (!what && !same_pattern(p->global ? &p->M : &p->G, &s->first))
    what = p->global ? "the pattern of M" : "the pattern of G";
  if (!what && p->global && !same_pattern(&p->H, &s->second)) what = "the pattern of H";
  if (!what) return SS_OK;
  return ss_error_set(error, SS_ERR_ARGUMENT, "%s is not that of the problem the solver was made for", what);
}
