// The state: one block of memory, copyable.
#include <stdlib.h>
#include <string.h>
#include <stickslip/simulate.h>

ss_state* ss_state_create(const ss_system* system)
{
  int nv = ss_system_get(system)->nv;
  ss_state* s = calloc(1, sizeof *s + 2*sizeof(double)*(size_t)nv);
  if (!s) return NULL;
  s->nv = nv;
  s->q = (double*)(s + 1);
  s->u = s->q + nv;
  return s;
}

void ss_state_copy(ss_state* to, const ss_state* from)
{
  to->t = from->t;
  to->step = from->step;
  memcpy(to->q, from->q, sizeof(double)*(size_t)from->nv);
  memcpy(to->u, from->u, sizeof(double)*(size_t)from->nv);
}

void ss_state_destroy(ss_state* state) { free(state); }
