// The contacts of a run by number: those of a fixed list are numbered by it, those that come and go when they first
// take part. A hash table from key to number.
#include "integrate/known.h"

#include <stdlib.h>
#include <string.h>

#include "integrate/work.h"

typedef struct known {
  uint64_t key;
  ss_contact_kind kind;
  char name[SS_CONTACT_NAME];
} known;

struct ss_known {
  int n, most;   // contacts, and room for them
  known* list;   // most
  int n_slots;   // a power of two, at least twice `most`
  int* slot;     // n_slots: number of a contact, -1: free
};

struct ss_known* ss_known_create(void) { return calloc(1, sizeof(struct ss_known)); }

void ss_known_destroy(struct ss_known* k)
{
  if (!k) return;
  free(k->list);
  free(k->slot);
  free(k);
}

int ss_known_count(const struct ss_known* k) { return k->n; }

// Where the key is in the table, or where it would go
static int find_slot(const struct ss_known* k, uint64_t key)
{
  uint64_t hash = key*0x9E3779B97F4A7C15u;  // 2^64 over the golden ratio: spreads neighbouring keys
  int i = (int)((hash >> 32) & (uint64_t)(k->n_slots - 1));
  while (k->slot[i] >= 0 && k->list[k->slot[i]].key != key) i = (i + 1) & (k->n_slots - 1);
  return i;
}

int ss_known_find(const struct ss_known* k, uint64_t key) { return k->n_slots ? k->slot[find_slot(k, key)] : -1; }

static bool grow(struct ss_known* k)
{
  int most = k->most ? 2*k->most : 32;
  known* list = realloc(k->list, sizeof *list*(size_t)most);
  if (!list) return false;
  k->list = list;
  int* slot = malloc(sizeof *slot*2*(size_t)most);
  if (!slot) return false;
  free(k->slot);
  k->slot = slot;
  k->most = most;
  k->n_slots = 2*most;
  for (int i = 0; i < k->n_slots; i++) slot[i] = -1;
  for (int i = 0; i < k->n; i++) slot[find_slot(k, list[i].key)] = i;
  return true;
}

int ss_known_add(struct ss_known* k, const ss_system_def* d, uint64_t key, ss_contact_kind kind)
{
  int i = ss_known_find(k, key);
  if (i >= 0) return i;
  if (k->n == k->most && !grow(k)) return -1;
  known* c = &k->list[k->n];
  *c = (known){.key = key, .kind = kind};
  d->operators->contact_name(d->user, key, c->name, sizeof c->name);
  k->slot[find_slot(k, key)] = k->n;
  return k->n++;
}

const char* ss_work_contact_name(const ss_work* w, int i)
{
  if (!w) return NULL;
  if (!w->op) return i >= 0 && i < w->def->n_contact ? w->def->contact[i].name : NULL;
  return i >= 0 && i < w->known->n ? w->known->list[i].name : NULL;
}

ss_contact_kind ss_work_contact_kind(const ss_work* w, int i)
{
  if (!w) return SS_CONTACT_NORMAL;
  if (!w->op) return i >= 0 && i < w->def->n_contact ? w->def->contact[i].kind : SS_CONTACT_NORMAL;
  return i >= 0 && i < w->known->n ? w->known->list[i].kind : SS_CONTACT_NORMAL;
}

uint64_t ss_work_contact_key(const ss_work* w, int i)
{
  if (!w) return (uint64_t)i;
  return w->op && i >= 0 && i < w->known->n ? w->known->list[i].key : (uint64_t)i;
}

int ss_work_contact_add(ss_work* w, uint64_t key, ss_contact_kind kind)
{
  if (!w) return -1;
  return w->op ? ss_known_add(w->known, w->def, key, kind) : -1;
}
