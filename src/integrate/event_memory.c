// What the event-driven integrator remembers of its past, as numbers in the state: sizes that its tolerances are
// measured by, steps, creep, bounces, which roots are armed. A state that was stored and read back, or copied, goes on
// as if it had never left the arc, bit for bit. A new field of the arc that outlives a step belongs here.
#include <string.h>

#include "integrate/event.h"

enum { KNOWN, STEP, LAST_STEP, LONGEST, NUMB, SPEED, PULL, IDLE, SINGULAR, REGULAR, COMMON_LEVEL, SIZES };
enum { CREEP, COUNT, FIRST, LAST, INTERVAL, PREVIOUS, LOW, LIES, LEVELS, PER_CONTACT = LEVELS + 3 };

// Systems with operators: nothing. Their arcs begin anew from q and u.
int ss_memory_size(int nv, int n_contact, bool by_operators)
{
  return by_operators ? 0 : SIZES + 2*nv + PER_CONTACT*n_contact;
}

static double* of_contact(const ss_arc* a, double* memory, int contact)
{
  return memory + SIZES + a->rk.n + PER_CONTACT*contact;
}

// Where the level of a root is kept: a contact has up to three, in the order in which they are watched
static double* level_of(const ss_arc* a, double* memory, int root)
{
  int contact = a->root[root].contact, before = 0;
  if (contact < 0) return &memory[COMMON_LEVEL];
  for (int i = 0; i < root; i++) before += a->root[i].contact == contact;
  return of_contact(a, memory, contact) + LEVELS + before;
}

static bool watches_determinant(const ss_arc* a)
{
  return a->n_root > 0 && a->root[a->n_root - 1].kind == SS_ROOT_REGULAR;
}

void ss_arc_remember(const ss_arc* a, double* memory)
{
  if (a->w->op) return;
  memset(memory, 0, sizeof(double)*(size_t)ss_memory_size(a->nv, a->n, false));
  memory[KNOWN] = 1;
  memory[STEP] = a->h;
  memory[LAST_STEP] = a->h_last;
  memory[SPEED] = a->speed;
  memory[PULL] = a->pull;
  memory[IDLE] = a->idle;
  memory[SINGULAR] = a->singular;
  memory[LONGEST] = a->h_longest;
  memory[NUMB] = a->numb;
  memory[REGULAR] = watches_determinant(a) ? a->regular : 0;
  memcpy(memory + SIZES, a->size, sizeof(double)*(size_t)a->rk.n);
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
    *level_of(a, memory, i) = a->root[i].level;
    if (a->root[i].lies) of_contact(a, memory, a->root[i].contact)[LIES] = 1;
  }
}

static void forget(ss_arc* a)
{
  a->h = a->h_last = a->h_longest = a->speed = a->pull = 0;
  a->numb = a->idle = a->n = a->n_root = a->n_tidy = 0;
  a->rows = a->w->n_bilateral;
  memset(a->size, 0, sizeof(double)*(size_t)a->rk.n);
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
  a->speed = memory[SPEED];
  a->pull = memory[PULL];
  a->idle = (int)memory[IDLE];
  memcpy(a->size, memory + SIZES, sizeof(double)*(size_t)a->rk.n);
  for (int i = 0; i < a->n; i++) {
    const double* m = of_contact(a, memory, i);
    if (a->mode[i] == SS_STICK) a->slip[ss_tangent_row(a, i)] = m[CREEP];
    a->bounce[i] = (ss_bounces){.count = (long)m[COUNT], .first = m[FIRST], .last = m[LAST], .interval = m[INTERVAL],
                                .previous = m[PREVIOUS], .low = (int)m[LOW]};
  }
}

// Dependent rows are looked for where an arc begins, and the sign of the determinant is that there: the start may have
// been elsewhere.
static ss_status watch_as_before(ss_arc* a, const double* memory)
{
  ss_status st = SS_OK;
  bool singular = memory[SINGULAR] != 0, regular = memory[REGULAR] != 0;
  if (singular != a->singular) {
    a->singular = singular;
    st = ss_arc_derivative(a, a->t, a->y, a->rk.k);
    if (st >= 0) ss_roots_start(a, a->rk.k + a->nq);
  }
  if (regular && !watches_determinant(a)) a->root[a->n_root++] = (ss_root){.kind = SS_ROOT_REGULAR, .contact = -1};
  else if (!regular && watches_determinant(a)) a->n_root--;
  if (regular) a->regular = memory[REGULAR] < 0 ? -1 : 1;
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
    r->level = *level_of(a, memory, i);
    r->lies = r->kind == SS_ROOT_GAP && of_contact(a, memory, r->contact)[LIES] != 0;
    ss_root_round_off(a, r);
  }
  a->h = memory[STEP];  // which the start of an arc may shorten
  return SS_OK;
}
