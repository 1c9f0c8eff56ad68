// What an arc with contacts that come and go remembers, as numbers in the state: a run that was stopped, or a state
// that was copied, goes on from there as if it had never left the arc, bit for bit. One walk over the arc counts these
// numbers, writes and reads them. A new field of the arc that outlives a step belongs here, and to copy_arrays()
// (event_work.c). Nothing that is read is trusted: it may come from a file.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrate/event.h"

// Of q and u that the memory belongs to; of all that follows; sizes of the lists
enum { OF_MOTION, OF_MEMORY, CONTACTS, ROWS, ROOTS, ISLANDS, HEAD };

typedef enum action { COUNT, WRITE, READ } action;

typedef struct pen {
  action does;
  bool good;   // READ: all is in range
  size_t n;    // numbers so far
  double* at;  // of the memory; not for COUNT
} pen;

// ---- numbers ----

static void number(pen* p, double* x)
{
  if (p->does == WRITE) p->at[p->n] = *x;
  if (p->does == READ) *x = p->at[p->n];
  p->n++;
}

// One that is never negative: a step, an energy, work
static void amount(pen* p, double* x)
{
  number(p, x);
  p->good = p->good && *x >= 0;
}

static void numbers(pen* p, double* x, int n)
{
  for (int i = 0; i < n; i++) number(p, x + i);
}

// From `least` to `most`
static int whole(pen* p, int x, int least, int most)
{
  double value = x;
  number(p, &value);
  if (p->does != READ) return x;
  bool fits = value >= least && value <= most && value == floor(value);
  p->good = p->good && fits;
  return fits ? (int)value : least;
}

static void integer(pen* p, int* x, int least, int most) { *x = whole(p, *x, least, most); }
static void flag(pen* p, bool* x) { *x = whole(p, *x, 0, 1) != 0; }

static void count_of(pen* p, long* x)
{
  double value = (double)*x;
  number(p, &value);
  if (p->does != READ) return;
  p->good = p->good && value >= 0 && value < 0x1p53;
  *x = p->good ? (long)value : 0;
}

// Two numbers that doubles hold exactly
static void key(pen* p, uint64_t* x)
{
  double high = (double)(*x >> 32), low = (double)(*x & 0xffffffffu);
  number(p, &high);
  number(p, &low);
  if (p->does != READ) return;
  bool fits = high >= 0 && low >= 0 && high < 0x1p32 && low < 0x1p32;
  p->good = p->good && fits;
  *x = fits ? (uint64_t)high << 32 | (uint64_t)low : 0;
}

// ---- the arc ----

static void walk_contacts(ss_arc* a, pen* p)
{
  for (int i = 0; i < a->n; i++) {
    key(p, &a->key[i]);
    a->mode[i] = (ss_contact_state)whole(p, a->mode[i], SS_OPEN, SS_SLIP);
    number(p, &a->blur[i]);
    numbers(p, a->refer + 2*i, 2);
  }
  numbers(p, a->side, a->n_kink);
}

static void walk_bounces(pen* p, ss_bounces* b)
{
  count_of(p, &b->count);
  number(p, &b->first);
  number(p, &b->last);
  number(p, &b->interval);
  number(p, &b->previous);
  integer(p, &b->low, 0, 1 << 30);
}

static void walk_scales(ss_arc* a, pen* p)
{
  double* list[] = {&a->h, &a->h_last, &a->h_longest, &a->rtol, &a->kinetic, &a->effort};
  for (size_t i = 0; i < sizeof list/sizeof *list; i++) amount(p, list[i]);
  number(p, &a->effort_from);
  integer(p, &a->numb, 0, 1 << 30);
  integer(p, &a->idle, 0, 1 << 30);
  integer(p, &a->n_tidy, 0, 1 << 30);
  numbers(p, a->size, a->rk.n);
  numbers(p, a->origin, a->nq);
  numbers(p, a->range, a->nq);
  numbers(p, a->speed, a->nv);
  numbers(p, a->pull, a->nv);
  numbers(p, a->root_mass, a->nv);
}

// y' and the rates of the quadratures where the arc is, and what its rows have done
static void walk_rows(ss_arc* a, pen* p)
{
  numbers(p, a->rk.k, a->rk.n + SS_Z_ROWS + a->rows);
  numbers(p, a->rk.k + a->rk.n + SS_Z_ROWS + a->row_room, a->rows);
  numbers(p, a->slip, a->rows);
  numbers(p, a->here, a->rows);
  numbers(p, a->before, a->rows);
}

static void walk_island(pen* p, ss_held* group)
{
  flag(p, &group->singular);
  flag(p, &group->braced);
  flag(p, &group->strain_known);
  number(p, &group->determinant);
  number(p, &group->left);
  integer(p, &group->regular, -1, 1);
  group->choice = (ss_choice)whole(p, group->choice, SS_CHOICE_NONE, SS_CHOICE_MOTION);
}

static void walk_root(const ss_arc* a, pen* p, ss_root* r)
{
  int most = a->n_islands > a->n_kink ? a->n_islands : a->n_kink;
  r->kind = (ss_root_kind)whole(p, r->kind, SS_ROOT_GAP, SS_ROOT_KINK);
  integer(p, &r->contact, -1, a->n - 1);
  integer(p, &r->island, 0, most ? most - 1 : 0);
  double* list[] = {&r->start, &r->start_slope, &r->now, &r->slope, &r->level, &r->zero, &r->zero_rate};
  for (size_t i = 0; i < sizeof list/sizeof *list; i++) number(p, list[i]);
  flag(p, &r->lies);
  flag(p, &r->off);
}

static void walk_rest(ss_arc* a, pen* p)
{
  walk_scales(a, p);
  walk_rows(a, p);
  for (int i = 0; i < a->n; i++) {
    flag(p, &a->shared[i]);
    flag(p, &a->strained[i]);
    number(p, &a->top[i]);
    walk_bounces(p, &a->bounce[i]);
  }
  for (int i = 0; i < a->n_islands; i++) walk_island(p, &a->group[i]);
  for (int i = 0; i < a->n_root; i++) walk_root(a, p, &a->root[i]);
}

// ---- sums ----

static uint64_t mix(uint64_t sum, int n, const double* x)
{
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, x + i, sizeof bits);
    sum = (sum ^ bits)*0x9E3779B97F4A7C15u;
    sum ^= sum >> 29;
  }
  return sum;
}

// As a number that a double holds exactly
static double sum_of(uint64_t sum) { return (double)(sum >> 12); }

static double sum_of_motion(const ss_arc* a, const double* q, const double* u)
{
  return sum_of(mix(mix(1, a->nq, q), a->nv, u));
}

static double sum_of_memory(const ss_state* s) { return sum_of(mix(1, s->n_memory - CONTACTS, s->memory + CONTACTS)); }

// ---- into the state ----

bool ss_state_reserve_memory(ss_state* s, int n)
{
  if (n > s->memory_room) {
    double* larger = realloc(s->memory, sizeof(double)*((size_t)n + (size_t)n/2));
    if (!larger) return false;
    s->memory = larger;
    s->memory_room = n + n/2;
  }
  s->n_memory = n;
  return true;
}

ss_status ss_arc_keep(ss_arc* a, ss_state* s)
{
  pen p = {.does = COUNT, .good = true, .n = HEAD};
  walk_contacts(a, &p);
  walk_rest(a, &p);
  if (!ss_state_reserve_memory(s, (int)p.n)) return ss_work_fail(a->w, SS_ERR_MEMORY, "out of memory for the state");
  p = (pen){.does = WRITE, .good = true, .n = HEAD, .at = s->memory};
  walk_contacts(a, &p);
  walk_rest(a, &p);
  s->memory[CONTACTS] = a->n;
  s->memory[ROWS] = a->rows;
  s->memory[ROOTS] = a->n_root;
  s->memory[ISLANDS] = a->n_islands;
  s->memory[OF_MOTION] = a->kept[OF_MOTION] = sum_of_motion(a, s->q, s->u);
  s->memory[OF_MEMORY] = a->kept[OF_MEMORY] = sum_of_memory(s);
  return SS_OK;
}

bool ss_arc_is_kept(const ss_arc* a, const ss_state* s)
{
  return s->n_memory >= HEAD && memcmp(a->kept, s->memory, sizeof a->kept) == 0;
}

bool ss_state_has_kept(const ss_arc* a, const ss_state* s)
{
  return s->has_mode && s->n_memory >= HEAD && s->memory[OF_MOTION] == sum_of_motion(a, s->q, s->u);
}

// ---- and back ----

static ss_status damaged(ss_arc* a)
{
  return ss_work_fail(a->w, SS_ERR_ARGUMENT, "what the state remembers of its past is damaged, or of another system");
}

// Sizes of the lists
typedef struct sizes {
  int contacts, rows, roots, islands;
} sizes;

// As far as the memory is so long
static bool read_sizes(const ss_arc* a, const ss_state* s, sizes* n)
{
  pen p = {.does = READ, .good = true, .n = CONTACTS, .at = s->memory};
  integer(&p, &n->contacts, 0, s->n_memory);
  integer(&p, &n->rows, a->w->n_bilateral, s->n_memory);
  integer(&p, &n->roots, 0, s->n_memory);
  integer(&p, &n->islands, 0, s->n_memory);
  return p.good && n->roots <= 5*n->contacts + 2 + a->n_kink && n->islands <= n->rows;
}

// Whether contact and function belong together
static bool root_fits(const ss_arc* a, const ss_root* r)
{
  if (r->kind == SS_ROOT_KINK) return r->contact < 0 && r->island < a->n_kink;
  if (r->kind == SS_ROOT_REGULAR || r->kind == SS_ROOT_LAW) return r->contact < 0 && r->island < a->n_islands;
  if (r->contact < 0) return false;
  return r->kind != SS_ROOT_CONE || ss_tangents(a->w->law[r->contact]) == 2;
}

static bool roots_fit(const ss_arc* a)
{
  for (int i = 0; i < a->n_root; i++)
    if (!root_fits(a, &a->root[i])) return false;
  return true;
}

static bool modes_fit(const ss_arc* a)
{
  for (int i = 0; i < a->n; i++)
    if (a->mode[i] == SS_SLIP && ss_tangents(a->w->law[i]) != 2) return false;
  return true;
}

// The contacts and their rows; the rest has the length that is left
static ss_status read_contacts(ss_arc* a, const ss_state* s, pen* p)
{
  sizes n = {0};
  if (!read_sizes(a, s, &n)) return damaged(a);
  ss_status st = ss_arc_reserve(a, n.contacts, a->w->n_bilateral + 3*n.contacts);
  if (st < 0) return st;
  a->n = n.contacts;
  a->n_root = n.roots;
  pen count = {.does = COUNT, .good = true, .n = HEAD};
  walk_contacts(a, &count);
  if (count.n > (size_t)s->n_memory) return damaged(a);
  walk_contacts(a, p);
  if (!p->good) return damaged(a);
  memset(a->touch, 0, (size_t)a->n*sizeof *a->touch);
  st = ss_arc_place(a, a->t, a->y);
  if (st < 0) return st;
  if (a->rows != n.rows || !modes_fit(a)) return damaged(a);
  st = ss_arc_evaluate(a, a->t, a->y);
  if (st < 0) return st;
  ss_arc_combine(a);
  if (a->n_islands != n.islands) return damaged(a);
  walk_rest(a, &count);
  return count.n == (size_t)s->n_memory ? SS_OK : damaged(a);
}

ss_status ss_arc_take_up(ss_arc* a, const ss_state* s)
{
  pen p = {.does = READ, .good = true, .n = HEAD, .at = s->memory};
  if (s->memory[OF_MEMORY] != sum_of_memory(s)) return damaged(a);
  a->ready = false;
  ss_status st = read_contacts(a, s, &p);
  if (st < 0) return st;
  walk_rest(a, &p);
  if (!p.good || !roots_fit(a)) return damaged(a);
  memcpy(a->kept, s->memory, sizeof a->kept);
  a->ready = true;
  return SS_OK;
}
