// The state: one block of memory, copyable.
#include <stdlib.h>
#include <string.h>
#include <stickslip/simulate.h>

ss_state* ss_state_create(const ss_system* system)
{
  int nq = ss_system_get(system)->nq, nv = ss_system_get(system)->nv, k = ss_system_get(system)->n_contact;
  ss_state* s = calloc(1, sizeof *s + sizeof(double)*(size_t)(nq + nv) + sizeof(ss_contact_state)*(size_t)k);
  if (!s) return NULL;
  s->nq = nq;
  s->nv = nv;
  s->n_contact = k;
  s->q = (double*)(s + 1);
  s->u = s->q + nq;
  s->mode = (ss_contact_state*)(s->u + nv);
  return s;
}

void ss_state_copy(ss_state* to, const ss_state* from)
{
  to->t = from->t;
  to->step = from->step;
  memcpy(to->q, from->q, sizeof(double)*(size_t)from->nq);
  memcpy(to->u, from->u, sizeof(double)*(size_t)from->nv);
  to->t_step = from->t_step;
  to->has_mode = from->has_mode;
  for (int i = 0; i < from->n_contact; i++) to->mode[i] = from->mode[i];
}

void ss_state_destroy(ss_state* state) { free(state); }
