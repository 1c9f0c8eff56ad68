// Asks the pairs of the list that may have come near enough since they were asked last (paths.c). Long lists are cut
// into chunks, which threads share; what is found, and in which order, does not depend on them.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "collide/work.h"

enum {
  CHUNK = 256,    // pairs
  ROOM = 2*CHUNK  // contacts that a chunk has room for; pairs that are left then are asked behind it
};

// Room for n contacts more
static bool reserve(ss_collider_work* w, size_t n)
{
  if (w->n_touch + n <= w->touch_room) return true;
  size_t room = w->touch_room + w->touch_room/2 + n;
  ss_touch* touch = room < SIZE_MAX/sizeof *touch ? realloc(w->touch, room*sizeof *touch) : NULL;
  if (!touch) return false;
  w->touch = touch;
  w->touch_room = room;
  w->info.grown++;
  return true;
}

static void name_touches(const ss_collider* s, ss_geom_pair pair, int n, ss_touch* touch)
{
  for (int i = 0; i < n; i++) {
    touch[i].key = ss_touch_key(pair.a, pair.b, touch[i].feature);
    touch[i].geom_a = pair.a;
    touch[i].geom_b = pair.b;
    touch[i].body_a = s->geom[pair.a].body;
    touch[i].body_b = s->geom[pair.b].body;
  }
}

// The contacts of pair k, unless it is known to be apart. Returns how many.
static int ask(ss_collider_work* w, size_t k, ss_touch* touch, int* tested)
{
  const ss_collider* s = w->collider;
  ss_geom_pair pair = w->pair[k];
  if (w->radius[pair.a] + w->radius[pair.b] < w->limit[k]) return 0;
  double margin = w->spread[pair.a] + w->spread[pair.b];
  ss_shape_kind kind_a = (ss_shape_kind)s->kind[pair.a], kind_b = (ss_shape_kind)s->kind[pair.b];
  bool flat = kind_a == SS_SHAPE_PLANE || kind_b == SS_SHAPE_PLANE;
  if (ss_keep_limit(w, k) > margin) return 0;
  if (!flat && !w->info.all_pairs && !ss_boxes_overlap(w->box + pair.a, w->box + pair.b)) return 0;
  int n = ss_touch_placed(kind_a, w->placed + pair.a, kind_b, w->placed + pair.b, margin, touch);
  n = ss_drop_seams(w, pair.a, pair.b, n, touch);
  name_touches(s, pair, n, touch);
  ++*tested;
  return n;
}

// Pairs from number k on, behind what is found already. False if memory is short.
static bool ask_some(ss_collider_work* w, size_t k, size_t end)
{
  for (; k < end; k++) {
    if (w->n_touch + SS_TOUCH_MOST > w->touch_room && !reserve(w, SS_TOUCH_MOST)) return false;
    w->n_touch += (size_t)ask(w, k, w->touch + w->n_touch, &w->info.tested);
  }
  return true;
}

// ---- chunks --------------------------------------------------------------------------------------------------------

static size_t end_of(const ss_collider_work* w, size_t i)
{
  size_t end = (i + 1)*CHUNK;
  return end < w->n_pair ? end : w->n_pair;
}

static void ask_chunk(void* user, int i)
{
  ss_collider_work* w = user;
  ss_asked* c = w->asked + i;
  ss_touch* touch = w->asked_touch + (size_t)i*ROOM;
  size_t end = end_of(w, (size_t)i);
  c->n = c->tested = 0;
  for (c->next = (size_t)i*CHUNK; c->next < end && c->n + SS_TOUCH_MOST <= ROOM; c->next++)
    c->n += ask(w, c->next, touch + c->n, &c->tested);
}

static bool reserve_chunks(ss_collider_work* w, size_t n)
{
  if (n <= w->asked_room) return true;
  size_t room = n + n/2;
  free(w->asked);
  free(w->asked_touch);
  w->asked = calloc(room, sizeof *w->asked);
  w->asked_touch = room < SIZE_MAX/ROOM/sizeof *w->asked_touch ? malloc(room*ROOM*sizeof *w->asked_touch) : NULL;
  w->asked_room = w->asked && w->asked_touch ? room : 0;
  w->info.grown++;
  return w->asked_room > 0;
}

static bool ask_chunks(ss_collider_work* w, size_t n, ss_pool* pool)
{
  if (!reserve_chunks(w, n)) return false;
  ss_pool_run(pool, (int)n, ask_chunk, w);
  for (size_t i = 0; i < n; i++) {
    const ss_asked* c = w->asked + i;
    if (!reserve(w, (size_t)c->n)) return false;
    if (c->n) memcpy(w->touch + w->n_touch, w->asked_touch + i*ROOM, (size_t)c->n*sizeof *w->touch);
    w->n_touch += (size_t)c->n;
    w->info.tested += c->tested;
    if (!ask_some(w, c->next, end_of(w, i))) return false;
  }
  return true;
}

bool ss_ask_pairs(ss_collider_work* w, ss_pool* pool)
{
  size_t chunks = (w->n_pair + CHUNK - 1)/CHUNK;
  w->n_touch = 0;
  w->info.tested = 0;
  return pool && chunks > 1 && chunks < INT32_MAX ? ask_chunks(w, chunks, pool) : ask_some(w, 0, w->n_pair);
}
