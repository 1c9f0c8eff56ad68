// The state: one block of memory, one for impulses, which grows, and where contacts come and go one for what the
// event-driven integrator remembers. Copyable.
#include <stdlib.h>
#include <string.h>
#include <stickslip/simulate.h>

#include "integrate/event.h"

ss_state* ss_state_create(const ss_system* system)
{
  if (!system) return NULL;
  int nq = ss_system_get(system)->nq, nv = ss_system_get(system)->nv, k = ss_system_get(system)->n_contact;
  int n_memory = ss_memory_size(nv, k, ss_system_get(system)->operators != NULL);
  size_t numbers = (size_t)(nq + nv + n_memory);
  ss_state* s = calloc(1, sizeof *s + sizeof(double)*numbers + sizeof(ss_contact_state)*(size_t)k);
  if (!s) return NULL;
  s->nq = nq;
  s->nv = nv;
  s->n_contact = k;
  s->q = (double*)(s + 1);
  s->u = s->q + nq;
  s->n_memory = n_memory;
  s->mode = (ss_contact_state*)(s->u + nv + n_memory);
  if (n_memory) s->memory = s->u + nv;
  return s;
}

bool ss_state_reserve(ss_state* s, int n)
{
  if (!s) return false;
  if (n <= s->impulse_room) return true;
  ss_contact_impulse* larger = realloc(s->impulse, sizeof *larger*((size_t)n + (size_t)n/2 + 8));
  if (!larger) return false;
  s->impulse = larger;
  s->impulse_room = n + n/2 + 8;
  return true;
}

// Whether its memory is a block of its own
static bool grows(const ss_state* s) { return !s->memory || s->memory_room; }

ss_status ss_state_copy(ss_state* to, const ss_state* from)
{
  if (!to || !from || to->nq != from->nq || to->nv != from->nv || to->n_contact != from->n_contact ||
      grows(to) != grows(from) || (!grows(to) && to->n_memory != from->n_memory))
    return SS_ERR_ARGUMENT;
  if (grows(to) && !ss_state_reserve_memory(to, from->n_memory)) return SS_ERR_MEMORY;
  to->t = from->t;
  to->step = from->step;
  memcpy(to->q, from->q, sizeof(double)*(size_t)from->nq);
  memcpy(to->u, from->u, sizeof(double)*(size_t)from->nv);
  to->t_step = from->t_step;
  to->has_mode = from->has_mode;
  for (int i = 0; i < from->n_contact; i++) to->mode[i] = from->mode[i];
  for (int i = 0; i < from->n_memory; i++) to->memory[i] = from->memory[i];
  to->n_impulse = 0;
  if (!ss_state_reserve(to, from->n_impulse)) return SS_ERR_MEMORY;
  for (int i = 0; i < from->n_impulse; i++) to->impulse[to->n_impulse++] = from->impulse[i];
  return SS_OK;
}

void ss_state_destroy(ss_state* state)
{
  if (!state) return;
  free(state->impulse);
  if (grows(state)) free(state->memory);
  free(state);
}
