// Impulses of the step before, as a start for the solve of the next one: systems whose contacts come and go. They are
// part of the state, so that a run that was stored and goes on has the same ones.
#include <math.h>

#include "integrate/impulses.h"
#include "integrate/work.h"
#include "math/dense.h"

#define NEAR 0.1  // of half the thickness of the thinner shape: contacts so near may be one and the same

// The first impulse of the step before whose key is not below that of contact i
static int search(const ss_work* w, int i)
{
  int low = 0, high = w->n_start;
  while (low < high) {
    int middle = (low + high)/2;
    if (w->start[middle].key < w->item[i].key) low = middle + 1;
    else high = middle;
  }
  return low;
}

static double distance(const double* a, const double* b)
{
  return sqrt((a[0] - b[0])*(a[0] - b[0]) + (a[1] - b[1])*(a[1] - b[1]) + (a[2] - b[2])*(a[2] - b[2]));
}

static bool has_key(const ss_work* w, uint64_t key)
{
  int low = 0, high = w->n_contact;
  while (low < high) {
    int middle = (low + high)/2;
    if (w->item[middle].key < key) low = middle + 1;
    else high = middle;
  }
  return low < w->n_contact && w->item[low].key == key;
}

// Where corners of two bodies coincide a contact is named after one of them, and after the other as soon as they tilt:
// the contact of these shapes that was there, nearest to contact i, and is no more. Keys of a pair are neighbours.
static const ss_contact_impulse* find_renamed(const ss_work* w, int i, int from)
{
  const ss_contact_item* item = &w->item[i];
  const ss_contact_impulse* found = NULL;
  double nearest = NEAR*item->thick;
  for (int way = -1; way <= 1; way += 2)
    for (int j = way < 0 ? from - 1 : from; j >= 0 && j < w->n_start; j += way) {
      const ss_contact_impulse* old = &w->start[j];
      if (old->key >> SS_KEY_FEATURE != item->key >> SS_KEY_FEATURE) break;
      double far = distance(old->point, item->point);
      if (!(far < nearest) || has_key(w, old->key)) continue;
      nearest = far;
      found = old;
    }
  return found;
}

// Impulse j of the step before has the key of contact i
static bool is_known(const ss_work* w, int i, int j) { return j < w->n_start && w->start[j].key == w->item[i].key; }

// What contact i was named otherwise in the step before, NULL if it carried nothing
static const ss_contact_impulse* find_other(const ss_work* w, int i, int j)
{
  return w->item[i].thick > 0 ? find_renamed(w, i, j) : NULL;
}

// Both lists are sorted by key, so one pass finds the pairs; a contact out of order would merely start at zero
void ss_guess_impulses(ss_work* w)
{
  int j = 0;
  w->has_guess = w->op && w->n_start > 0;
  if (!w->has_guess) return;
  for (int r = 0; r < w->n_bilateral; r++) w->guess[r] = 0;
  for (int i = 0, r = w->n_bilateral; i < w->n_active; i++) {
    const ss_contact_item* item = &w->item[w->active[i]];
    while (j < w->n_start && w->start[j].key < item->key) j++;
    const double* known = is_known(w, w->active[i], j) ? w->start[j].Lambda : NULL;
    const ss_contact_impulse* other = known ? NULL : find_other(w, w->active[i], j);
    int first = w->kind[i] == SS_CONTACT_FRICTION;
    for (int k = first; k < first + ss_contact_rows(w->kind[i]); k++) {
      double Lambda = known ? known[k] : other ? ss_dot(3, other->world, item->frame + 3*k) : 0;
      w->guess[r++] = Lambda/ss_stretch(w, w->active[i], k);
    }
  }
}

bool ss_was_loaded(const ss_work* w, int i)
{
  int j = search(w, i);
  const ss_contact_impulse* old = is_known(w, i, j) ? &w->start[j] : find_other(w, i, j);
  return old && old->Lambda[0] > 0;
}

ss_contact_impulse ss_impulse_of(const ss_contact_item* item, const double Lambda[3], ss_contact_state state)
{
  ss_contact_impulse out = {.key = item->key, .state = state};
  const double* F = item->frame;
  for (int k = 0; k < 3; k++) {
    out.Lambda[k] = Lambda[k];
    out.point[k] = item->point[k];
    out.world[k] = Lambda[0]*F[k] + Lambda[1]*F[3 + k] + Lambda[2]*F[6 + k];
  }
  return out;
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
    s->impulse[s->n_impulse++] = ss_impulse_of(&info->item[i], Lambda, info->contact[i].state);
  }
  return true;
}
