// What the event-driven integrator remembers of its past, as numbers in the state: sizes that its tolerances are
// measured by, steps, creep, bounces, which roots are armed. A state that was stored and read back, or copied, goes on
// as if it had never left the arc, bit for bit. A new field of the arc that outlives a step belongs here.
#include <math.h>
#include <string.h>

#include "integrate/event.h"

enum { KNOWN, STEP, LAST_STEP, LONGEST, NUMB, KINETIC, IDLE, SINGULAR, REGULAR, COMMON_LEVEL, SIZES };
enum { SIZES_PER_COORDINATE = 6 };  // size of q and u, origin, range, speed, pull
// LIES: of an open contact; the first closed one of an island keeps the level of the island's root there.
enum { CREEP, COUNT, FIRST, LAST, INTERVAL, PREVIOUS, LOW, LIES, LEVELS, PER_CONTACT = LEVELS + 3 };

// Systems with operators: nothing. Their arcs begin anew from q and u.
int ss_memory_size(int nv, int n_contact, bool by_operators)
{
  return by_operators ? 0 : SIZES + SIZES_PER_COORDINATE*nv + PER_CONTACT*n_contact;
}

static double* of_contact(const ss_arc* a, double* memory, int contact)
{
  return memory + SIZES + SIZES_PER_COORDINATE*a->nv + PER_CONTACT*contact;
}

// Where the level of the root of an island is kept
static double* common_level(const ss_arc* a, double* memory, int island)
{
  int i = 0;
  while (i < a->n && a->contact_island[i] != island) i++;
  return a->n_islands > 1 && i < a->n ? of_contact(a, memory, i) + LIES : &memory[COMMON_LEVEL];
}

// Where the level of a root is kept: a contact has up to three, in the order in which they are watched
static double* level_of(const ss_arc* a, double* memory, int root)
{
  int contact = a->root[root].contact, before = 0;
  if (contact < 0) return common_level(a, memory, a->root[root].island);
  for (int i = 0; i < root; i++) before += a->root[i].contact == contact;
  return of_contact(a, memory, contact) + LEVELS + before;
}

static bool any_is_singular(const ss_arc* a)
{
  for (int k = 0; k < a->n_islands; k++)
    if (a->group[k].singular) return true;
  return false;
}

// Sign of the determinant along the arc, if that is watched and there is one island only: of several each begins with
// what it has
static int sign_of(const ss_arc* a)
{
  const ss_root* last = a->n_root ? &a->root[a->n_root - 1] : NULL;
  return a->n_islands == 1 && last && last->kind == SS_ROOT_REGULAR ? a->group[last->island].regular : 0;
}

// Of systems without operators, where nq = nv
static void copy_sizes(const ss_arc* a, double* memory, bool back)
{
  double* list[] = {a->size, a->size + a->nv, a->origin, a->range, a->speed, a->pull};
  for (int k = 0; k < SIZES_PER_COORDINATE; k++) {
    double* kept = memory + SIZES + k*a->nv;
    memcpy(back ? list[k] : kept, back ? kept : list[k], sizeof(double)*(size_t)a->nv);
  }
}

void ss_arc_remember(const ss_arc* a, double* memory)
{
  if (a->w->op) return;
  memset(memory, 0, sizeof(double)*(size_t)ss_memory_size(a->nv, a->n, false));
  memory[KNOWN] = 1;
  memory[STEP] = a->h;
  memory[LAST_STEP] = a->h_last;
  memory[KINETIC] = a->kinetic;
  memory[IDLE] = a->idle;
  memory[SINGULAR] = any_is_singular(a);
  memory[LONGEST] = a->h_longest;
  memory[NUMB] = a->numb;
  memory[REGULAR] = sign_of(a);
  copy_sizes(a, memory, false);
  for (int i = 0; i < a->n; i++) {
    const ss_bounces* b = &a->bounce[i];
    double* m = of_contact(a, memory, i);
    if (a->mode[i] == SS_STICK) m[CREEP] = a->slip[ss_tangent_row(a, i)];
    m[COUNT] = (double)b->count;
    m[FIRST] = b->first;
    m[LAST] = b->last;
    m[INTERVAL] = b->interval;
    m[PREVIOUS] = b->previous;
    m[LOW] = b->low;
  }
  for (int i = 0; i < a->n_root; i++) {
    if (a->root[i].kind == SS_ROOT_KINK) continue;  // follows from the state
    *level_of(a, memory, i) = a->root[i].level;
    if (a->root[i].lies) of_contact(a, memory, a->root[i].contact)[LIES] = 1;
  }
}

static void forget(ss_arc* a)
{
  a->h = a->h_last = a->h_longest = a->kinetic = 0;
  a->numb = a->idle = a->n = a->n_root = a->n_tidy = 0;
  a->rows = a->w->n_bilateral;
  memset(a->size, 0, sizeof(double)*(size_t)a->rk.n);
  memset(a->range, 0, sizeof(double)*(size_t)a->nq);
  memset(a->speed, 0, sizeof(double)*(size_t)a->nv);
  memset(a->pull, 0, sizeof(double)*(size_t)a->nv);
  memcpy(a->origin, a->y, sizeof(double)*(size_t)a->nq);
}

void ss_arc_recall(ss_arc* a, double* memory)
{
  if (a->w->op) {
    forget(a);
    return;
  }
  memset(a->slip, 0, sizeof(double)*(size_t)a->rows);
  a->h = memory[STEP];
  a->h_last = memory[LAST_STEP];
  a->h_longest = memory[LONGEST];
  a->numb = (int)memory[NUMB];
  a->kinetic = memory[KINETIC];
  a->idle = (int)memory[IDLE];
  copy_sizes(a, memory, true);
  if (!memory[KNOWN]) memcpy(a->origin, a->y, sizeof(double)*(size_t)a->nq);
  for (int i = 0; i < a->n; i++) {
    const double* m = of_contact(a, memory, i);
    if (a->mode[i] == SS_STICK) a->slip[ss_tangent_row(a, i)] = m[CREEP];
    a->bounce[i] = (ss_bounces){.count = (long)m[COUNT], .first = m[FIRST], .last = m[LAST], .interval = m[INTERVAL],
                                .previous = m[PREVIOUS], .low = (int)m[LOW]};
  }
}

// Whether the rows of an island were dependent: where there are several, forces of its contacts were then not watched
static bool was_singular(const ss_arc* a, double* memory, int island)
{
  if (a->n_islands == 1 || !memory[SINGULAR]) return memory[SINGULAR] != 0;
  for (int i = 0; i < a->n; i++) {
    const double* level = of_contact(a, memory, i) + LEVELS;
    if (a->contact_island[i] == island && (isinf(level[0]) || isinf(level[1]))) return true;
  }
  return a->group[island].singular && !a->group[island].loaded;
}

// Dependent rows are looked for where an arc begins, and the sign of the determinant is that there: the start may have
// been elsewhere.
static ss_status watch_as_before(ss_arc* a, double* memory)
{
  ss_status st = SS_OK;
  bool differs = false;
  for (int k = 0; k < a->n_islands; k++) {
    bool singular = was_singular(a, memory, k);
    differs = differs || singular != a->group[k].singular;
    a->group[k].singular = singular;
  }
  a->ready = true;  // which keeps them so
  for (int i = 0; i < a->n; i++) a->shared[i] = a->contact_island[i] >= 0 && a->group[a->contact_island[i]].singular;
  if (differs) st = ss_arc_derivative(a, a->t, a->y, a->rk.k);
  if (differs && st >= 0) ss_roots_start(a, a->rk.k + a->nq);
  if (a->n_islands == 1 && sign_of(a) && memory[REGULAR]) a->group[0].regular = memory[REGULAR] < 0 ? -1 : 1;
  return st;
}

ss_status ss_arc_start_again(ss_arc* a, double* memory)
{
  ss_status st = ss_arc_start(a);
  if (st < 0 || !memory[KNOWN]) return st;
  st = watch_as_before(a, memory);
  if (st < 0) return st;
  ss_roots_evaluate(a, a->rk.k + a->nq);
  for (int i = 0; i < a->n_root; i++) {
    ss_root* r = &a->root[i];
    r->start = r->now;
    r->start_slope = r->slope;
    if (r->kind != SS_ROOT_KINK) r->level = *level_of(a, memory, i);
    r->lies = r->kind == SS_ROOT_GAP && of_contact(a, memory, r->contact)[LIES] != 0;
    ss_root_round_off(a, r);
  }
  a->h = memory[STEP];  // which the start of an arc may shorten
  return SS_OK;
}
