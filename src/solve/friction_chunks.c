// The contacts of a large problem in groups that share no body. Bodies are ordered by levels of neighbours, from one
// end to the other [George & Liu 1981, level structures], so that contacts join bodies whose numbers are near. The
// order is cut into chunks of as many contacts, as many of them as leave no body to the contacts across two cuts.
// Bodies are numbered anew in this order, so that a thread has what it changes to itself.
#include "solve/friction_chunks.h"
#include "base/arena.h"
#include <string.h>

enum { PER_CHUNK = 250, MOST_CHUNKS = SS_MOST_CHUNKS };

typedef struct graph {
  const ss_friction_space* s;
  int *start, *near;     // neighbours of a body: all that share a contact with it
  int *order, *place;    // n_body: bodies by levels, and where they are in that
  int* level;            // n_body
} graph;

#define BYTES(type, count) ss_arena_bytes(sizeof(type)*(count))

size_t ss_friction_chunks_size(int k, int pairs, int n_body)
{
  size_t bodies = (size_t)n_body;
  if (k < SS_LEAST_CHUNKED) return 0;
  return BYTES(int, (size_t)k) + BYTES(int, (size_t)k + 1) + BYTES(int, bodies + 2) + 3*BYTES(int, bodies + 1) +
         BYTES(int, (size_t)pairs + 1);
}

static void find_neighbours(graph* g)
{
  const ss_friction_space* s = g->s;
  memset(g->start, 0, sizeof(int)*((size_t)s->n_body + 2));
  for (int k = 0; k < s->k; k++)
    for (int e = s->start[k]; e < s->start[k + 1]; e++) g->start[s->col[e] + 2] += s->start[k + 1] - s->start[k];
  for (int i = 0; i <= s->n_body; i++) g->start[i + 1] += g->start[i];
  for (int k = 0; k < s->k; k++)
    for (int e = s->start[k]; e < s->start[k + 1]; e++)
      for (int f = s->start[k]; f < s->start[k + 1]; f++) g->near[g->start[s->col[e] + 1]++] = s->col[f];
}

// Levels from a body on; returns the last body that was reached. All of them are, but for islands taken together, whose
// bodies go on with the next level.
static int find_levels(graph* g, int from)
{
  int n = g->s->n_body, head = 0, tail = 0, last = from, next = 0, depth = 0;
  for (int i = 0; i < n; i++) g->level[i] = -1;
  for (; tail < n; from = next) {
    while (g->level[from] >= 0) from = ++next;
    g->level[from] = depth;
    g->order[tail++] = from;
    for (; head < tail; head++) {
      last = g->order[head];
      for (int e = g->start[last]; e < g->start[last + 1]; e++) {
        if (g->level[g->near[e]] >= 0) continue;
        g->level[g->near[e]] = g->level[last] + 1;
        g->order[tail++] = g->near[e];
      }
    }
    depth = g->level[last];
  }
  return last;
}

// Where the first and the last of the bodies of contact k are in the order
static void span(const graph* g, int k, int* first, int* last)
{
  const ss_friction_space* s = g->s;
  int e = s->start[k], end = s->start[k + 1];
  *first = *last = e < end ? g->place[s->col[e]] : 0;
  for (e++; e < end; e++) {
    int at = g->place[s->col[e]];
    if (at < *first) *first = at;
    if (at > *last) *last = at;
  }
}

// n chunks of bodies; chunk: that of each place in the order. Contacts count where their first body is: who has a chunk
// has those within it and those between it and the next. count: n_body + 1. False if bodies are too few, or the last
// ones have too many of the contacts, for each chunk to have one.
static bool cut(const graph* g, int n, const int* count, int* start, int* chunk)
{
  int bodies = g->s->n_body, sum = 0, i = 0;
  start[0] = 0;
  for (int at = 0; at < bodies; at++) {
    chunk[at] = i;
    sum += count[at];
    if (i < n - 1 && at + 1 < bodies && sum >= (long)g->s->k*(i + 1)/n) start[++i] = at + 1;
  }
  start[n] = bodies;
  return i == n - 1;
}

// No contact goes across two cuts, and no body has contacts across two
static bool is_apart(const graph* g, int n, const int* chunk)
{
  int low[MOST_CHUNKS], high[MOST_CHUNKS];  // bodies of contacts across a cut
  for (int i = 0; i < n; i++) {
    low[i] = g->s->n_body;
    high[i] = -1;
  }
  for (int k = 0; k < g->s->k; k++) {
    int first, last;
    span(g, k, &first, &last);
    int i = chunk[first];
    if (chunk[last] == i) continue;
    if (chunk[last] > i + 1) return false;
    if (first < low[i]) low[i] = first;
    if (last > high[i]) high[i] = last;
  }
  for (int i = 0; i + 1 < n; i++)
    if (high[i] >= low[i + 1]) return false;
  return true;
}

// Contacts sorted by group: n within, then n - 1 between
static void sort_contacts(const graph* g, const int* chunk, ss_friction_chunks* c, int* group)
{
  int k = g->s->k;
  memset(c->start, 0, sizeof c->start);
  for (int i = 0; i < k; i++) {
    int first, last;
    span(g, i, &first, &last);
    group[i] = chunk[first] == chunk[last] ? chunk[first] : c->n + chunk[first];
    c->start[group[i] + 1]++;
  }
  for (int i = 0; i < 2*c->n - 1; i++) c->start[i + 1] += c->start[i];
  for (int i = 0; i < k; i++) c->order[c->start[group[i]]++] = i;
  for (int i = 2*c->n - 1; i > 0; i--) c->start[i] = c->start[i - 1];
  c->start[0] = 0;
}

bool ss_friction_find_chunks(ss_friction_space* s, int pairs, ss_arena* arena)
{
  ss_friction_chunks* c = &s->chunks;
  size_t bodies = (size_t)s->n_body, k = (size_t)s->k;
  c->n = 0;
  if (s->k < SS_LEAST_CHUNKED) return true;
  graph g = {.s = s};
  c->order = ss_arena_array(arena, int, k);
  g.order = ss_arena_array(arena, int, bodies + 1);
  g.start = ss_arena_array(arena, int, bodies + 2);
  g.near = ss_arena_array(arena, int, pairs + 1);
  g.place = ss_arena_array(arena, int, bodies + 1);
  g.level = ss_arena_array(arena, int, bodies + 1);
  int* group = ss_arena_array(arena, int, k + 1);
  if (!c->order || !g.order || !g.start || !g.near || !g.place || !g.level || !group) return false;
  find_neighbours(&g);
  find_levels(&g, find_levels(&g, 0));
  for (int i = 0; i < s->n_body; i++) g.place[g.order[i]] = i;
  int n = MOST_CHUNKS, *chunk = g.level, *count = g.start;  // no longer needed as what they are
  memset(count, 0, sizeof(int)*(bodies + 1));
  for (int i = 0, first, last; i < s->k; i++) {
    span(&g, i, &first, &last);
    count[first]++;
  }
  for (; n > 1; n /= 2) {
    if (s->k < n*PER_CHUNK) continue;
    if (cut(&g, n, count, c->body, chunk) && is_apart(&g, n, chunk)) break;
  }
  c->n = n > 1 ? n : 0;
  if (c->n) sort_contacts(&g, chunk, c, group);
  for (int e = 0; e < s->start[s->k]; e++) s->col[e] = g.place[s->col[e]];
  return true;
}
