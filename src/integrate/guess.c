// Impulses of the step before, as a start for the solve of the next one: systems whose contacts come and go. They are
// part of the state, so that a run that was stored and goes on has the same ones.
#include "integrate/work.h"

// Both lists are sorted by key, so one pass finds the pairs; a contact out of order would merely start at zero
void ss_guess_impulses(ss_work* w)
{
  int j = 0;
  w->has_guess = w->op && w->n_start > 0;
  if (!w->has_guess) return;
  for (int r = 0; r < w->n_bilateral; r++) w->guess[r] = 0;
  for (int i = 0, r = w->n_bilateral; i < w->n_active; i++) {
    uint64_t key = w->item[w->active[i]].key;
    while (j < w->n_start && w->start[j].key < key) j++;
    bool known = j < w->n_start && w->start[j].key == key;
    int first = w->kind[i] == SS_CONTACT_FRICTION;
    for (int k = first; k < first + ss_contact_rows(w->kind[i]); k++)
      w->guess[r++] = known ? w->start[j].Lambda[k]/ss_stretch(w, w->active[i], k) : 0;
  }
}

bool ss_was_loaded(const ss_work* w, int i)
{
  int low = 0, high = w->n_start;
  while (low < high) {
    int middle = (low + high)/2;
    if (w->start[middle].key < w->item[i].key) low = middle + 1;
    else high = middle;
  }
  return low < w->n_start && w->start[low].key == w->item[i].key && w->start[low].Lambda[0] > 0;
}

bool ss_keep_impulses(const ss_work* w, ss_state* s)
{
  const ss_step_info* info = &w->info;
  if (!w->op) return true;
  if (!ss_state_reserve(s, info->n_active)) return false;
  s->n_impulse = 0;
  for (int i = 0; i < info->n_contact; i++) {
    const double* Lambda = info->contact[i].Lambda;
    if (Lambda[0] == 0 && Lambda[1] == 0 && Lambda[2] == 0) continue;
    s->impulse[s->n_impulse++] =
      (ss_contact_impulse){info->item[i].key, {Lambda[0], Lambda[1], Lambda[2]}, info->contact[i].state};
  }
  return true;
}
