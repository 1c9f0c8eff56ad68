// The contacts of a large problem in groups that share no body. Levels of neighbours, from a body at one end to the
// other [George & Liu 1981, level structures]: contacts join bodies of one level or of two that follow one another.
// Levels are gathered in chunks of two and more.
#include "solve/friction_chunks.h"
#include "base/arena.h"
#include <string.h>

enum { PER_CHUNK = 250, MOST_CHUNKS = SS_MOST_CHUNKS };

typedef struct graph {
  const ss_friction_space* s;
  int *start, *near;  // neighbours of a body: all that share a contact with it
  int *queue, *level; // n_body
} graph;

#define BYTES(type, count) ss_arena_bytes(sizeof(type)*(count))

size_t ss_friction_chunks_size(int k, int pairs, int n_body)
{
  size_t bodies = (size_t)n_body;
  if (k < SS_LEAST_CHUNKED) return 0;
  return BYTES(int, (size_t)k) + BYTES(int, (size_t)k + 1) + BYTES(int, 2*MOST_CHUNKS + 2) +
         BYTES(int, bodies + 2) + 3*BYTES(int, bodies + 1) + BYTES(int, (size_t)pairs + 1);
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
    g->queue[tail++] = from;
    for (; head < tail; head++) {
      last = g->queue[head];
      for (int e = g->start[last]; e < g->start[last + 1]; e++) {
        if (g->level[g->near[e]] >= 0) continue;
        g->level[g->near[e]] = g->level[last] + 1;
        g->queue[tail++] = g->near[e];
      }
    }
    depth = g->level[last];
  }
  return last;
}

static int level_of(const graph* g, int k, bool last)
{
  const ss_friction_space* s = g->s;
  int level = -1;
  for (int e = s->start[k]; e < s->start[k + 1]; e++) {
    int l = g->level[s->col[e]];
    if (level < 0 || (last ? l > level : l < level)) level = l;
  }
  return level;
}

// chunk (a number for each level): as many contacts in each as `share`, and two levels. Returns how many there are.
static int gather_levels(const graph* g, int levels, int share, int* count, int* chunk)
{
  int n = 0, sum = 0, first = 0;
  memset(count, 0, sizeof(int)*(size_t)levels);
  for (int k = 0; k < g->s->k; k++) count[level_of(g, k, false)]++;
  for (int l = 0; l < levels; l++) {
    chunk[l] = n;
    sum += count[l];
    if (sum < share || l == first || n == MOST_CHUNKS - 1) continue;
    n++;
    first = l + 1;
    sum = 0;
  }
  // what is left at the end is too thin, or too little, for a chunk of its own
  if (first < levels && n > 0 && (levels - first < 2 || sum < share/2)) {
    for (int l = first; l < levels; l++) chunk[l] = n - 1;
    return n;
  }
  return first < levels ? n + 1 : n;
}

// Contacts sorted by group: n within, then n - 1 between
static void sort_contacts(const graph* g, const int* chunk, ss_friction_chunks* c, int* group)
{
  int k = g->s->k;
  memset(c->start, 0, sizeof(int)*(size_t)(2*c->n + 1));
  for (int i = 0; i < k; i++) {
    int a = chunk[level_of(g, i, false)], b = chunk[level_of(g, i, true)];
    group[i] = a == b ? a : c->n + a;
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
  c->start = ss_arena_array(arena, int, 2*MOST_CHUNKS + 2);
  g.start = ss_arena_array(arena, int, bodies + 2);
  g.near = ss_arena_array(arena, int, pairs + 1);
  g.queue = ss_arena_array(arena, int, bodies + 1);
  g.level = ss_arena_array(arena, int, bodies + 1);
  int* chunk = ss_arena_array(arena, int, bodies + 1);
  int* group = ss_arena_array(arena, int, k + 1);
  if (!c->order || !c->start || !g.start || !g.near || !g.queue || !g.level || !chunk || !group) return false;
  find_neighbours(&g);
  int last = find_levels(&g, find_levels(&g, 0)), levels = g.level[last] + 1;
  int wanted = s->k/PER_CHUNK < MOST_CHUNKS ? s->k/PER_CHUNK : MOST_CHUNKS;
  c->n = gather_levels(&g, levels, s->k/wanted, g.queue, chunk);
  if (c->n < 2) c->n = 0;
  else sort_contacts(&g, chunk, c, group);
  return true;
}
