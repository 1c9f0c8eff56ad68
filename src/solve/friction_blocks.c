// Contact problems by blocks: memory that is kept, the pattern and its order of elimination.
#include "solve/friction_blocks.h"
#include "base/arena.h"
#include "solve/friction_chunks.h"
#include <stdlib.h>
#include <string.h>

enum { DIM = SS_BLOCK_ROWS, STRIDE = SS_BLOCK_STRIDE };

// A product of blocks takes about as long as the solve of a contact alone, some 30 ns. Factors that cost more than so
// many sweeps come after sweeps; with so many products (10 ms) they are not made at all.
enum { SWEEPS_FOR_FACTOR = 20, MOST_PRODUCTS = 300000 };
enum { MANY = 200 };  // contacts
#define LOOSE 1e-5    // a tolerance that sweeps reach

ss_friction_blocks* ss_friction_blocks_create(void) { return calloc(1, sizeof(ss_friction_blocks)); }

void ss_friction_blocks_destroy(ss_friction_blocks* s)
{
  if (!s) return;
  ss_block_lu_destroy(s->space.lu);
  ss_friction_batches_free(&s->batches);
  ss_arena_destroy(s->arena);
  free(s->pattern);
  free(s);
}

// ---- memory ----

typedef struct sizes {
  size_t free, k, blocks, pairs, unknowns;
} sizes;

// Takes the arrays; without an arena it only adds up their bytes
static size_t take(ss_friction_blocks* s, ss_arena* arena, const sizes* n)
{
  ss_friction_space* p = &s->space;
  ss_friction_layout* l = &p->layout;
  ss_friction_run* run = &s->run;
  double* numbers = NULL;
  size_t bytes = 0, k = n->k;
#define TAKE(place, count)                                                          \
  do {                                                                              \
    size_t size = sizeof *(place)*((count) + 1);                                    \
    bytes += ss_arena_bytes(size);                                                  \
    if (arena) (place) = ss_arena_take(arena, size);                                \
  } while (0)
  TAKE(p->value, n->blocks*SS_BLOCK_NUMBERS);
  TAKE(p->b, k*DIM);
  TAKE(p->D, k*DIM*DIM);
  TAKE(p->K, k*DIM*4);
  TAKE(p->T, k*DIM*DIM);
  TAKE(p->trace, k);
  TAKE(p->rho, k);
  TAKE(p->rho_free, n->free*DIM);
  TAKE(s->contradiction, n->free*DIM);
  TAKE(p->soft, k);
  TAKE(p->alpha, k);
  TAKE(s->mu, k);
  TAKE(s->bound, k);
  TAKE(p->v, n->unknowns);
  TAKE(p->work, n->unknowns);
  TAKE(p->work2, n->unknowns);
  TAKE(p->work3, n->unknowns);
  TAKE(p->start, k);
  TAKE(p->col, n->blocks);
  TAKE(p->place, n->pairs);
  TAKE(l->count, k);
  TAKE(l->element, k);
  TAKE(numbers, ss_friction_run_numbers(k*DIM, DIM));
  TAKE(run->contact, k);
#undef TAKE
  if (arena) ss_friction_run_share(run, k*DIM, numbers);
  return bytes;
}

static bool reserve(ss_friction_blocks* s, size_t bytes)
{
  if (bytes <= s->bytes) return true;
  ss_arena_destroy(s->arena);
  s->arena = ss_arena_create(bytes + bytes/2);
  s->bytes = s->arena ? bytes + bytes/2 : 0;
  return s->arena;
}

static void set_sizes(ss_friction_blocks* s, int n_free, int k, int n_body)
{
  ss_friction_space* p = &s->space;
  p->dim = p->layout.dim = DIM;
  p->n_free = p->layout.n_free = n_free;
  p->k = p->layout.k = k;
  p->m = p->layout.rows = k*DIM;
  p->body = SS_BLOCK_SIZE;
  p->stride = STRIDE;
  p->n_body = n_body;
  p->mu = p->layout.mu = s->mu;
  p->bound = p->layout.bound = s->bound;
  p->batches = &s->batches;
  s->run.s = p;
}

bool ss_friction_blocks_size(ss_friction_blocks* s, int n_free, int k, int n_block, int pairs, int n_body)
{
  const int size[5] = {n_free, k, n_block, pairs, n_body};
  if (s->arena && memcmp(size, s->size, sizeof size) == 0) return true;
  sizes n = {(size_t)n_free, (size_t)k, (size_t)n_block, (size_t)pairs, (size_t)n_body*STRIDE};
  if (n.unknowns < n.k*DIM) n.unknowns = n.k*DIM;
  s->size[0] = -1;
  if (!reserve(s, take(s, NULL, &n) + ss_friction_chunks_size(k, pairs, n_body))) return false;
  ss_arena_release(s->arena, 0);
  take(s, s->arena, &n);
  s->mark = ss_arena_mark(s->arena);
  set_sizes(s, n_free, k, n_body);
  memset(s->space.value, 0, sizeof(double)*n.blocks*SS_BLOCK_NUMBERS);
  memset(s->space.v, 0, sizeof(double)*n.unknowns);
  memset(s->space.K, 0, sizeof(double)*n.k*DIM*4);
  memcpy(s->size, size, sizeof size);
  return true;
}

// ---- pattern ----

static int count_of(const ss_friction_space* p, int k) { return p->start[k + 1] - p->start[k]; }

static bool same_blocks(const ss_friction_space* p, int k, int count, const int* col)
{
  return count_of(p, k) == count && memcmp(p->col + p->start[k], col, sizeof(int)*(size_t)count) == 0;
}

// The pattern is the one that the order was found for. What is new in it is left for remember().
static bool is_known(const ss_friction_blocks* s)
{
  const ss_friction_space* p = &s->space;
  int at = 0;
  for (int k = 0; k < p->k; k++) {
    if (k > 0 && same_blocks(p, k, count_of(p, k - 1), p->col + p->start[k - 1])) continue;
    if (at >= s->n_pattern || !same_blocks(p, k, s->pattern[at], s->pattern + at + 1)) return false;
    at += 1 + s->pattern[at];
  }
  return at == s->n_pattern;
}

static bool remember(ss_friction_blocks* s)
{
  const ss_friction_space* p = &s->space;
  int room = p->k + p->start[p->k];
  if (room > s->pattern_room) {
    int* larger = realloc(s->pattern, sizeof(int)*(size_t)(room + room/2));
    if (!larger) return false;
    s->pattern = larger;
    s->pattern_room = room + room/2;
  }
  s->n_pattern = 0;
  for (int k = 0; k < p->k; k++) {
    if (k > 0 && same_blocks(p, k, count_of(p, k - 1), p->col + p->start[k - 1])) continue;
    s->pattern[s->n_pattern++] = count_of(p, k);
    for (int e = p->start[k]; e < p->start[k + 1]; e++) s->pattern[s->n_pattern++] = p->col[e];
  }
  return true;
}

// Where the blocks of H are that a contact adds to
static void find_places(ss_friction_space* p)
{
  int* place = p->place;
  for (int k = 0, before = 0; k < p->k; k++) {
    int first = p->start[k], count = count_of(p, k);
    if (k > 0 && same_blocks(p, k, before, p->col + p->start[k - 1])) {
      memcpy(place, place - count*count, sizeof(int)*(size_t)(count*count));
      place += count*count;
    } else
      for (int e = 0; e < count; e++)
        for (int f = 0; f < count; f++) *place++ = ss_block_lu_find(p->lu, p->col[first + e], p->col[first + f]);
    before = count;
  }
}

// False if the factors would take more than `most` products, or memory is short: sweeps do without.
static bool analyse(ss_friction_blocks* s, double most)
{
  ss_friction_space* p = &s->space;
  bool known = is_known(s);
  if (!known || (!p->lu && s->most < most)) {
    ss_block_lu_destroy(p->lu);
    p->lu = NULL;
    s->most = 0;
    if (!known && !remember(s)) return false;
    p->lu = ss_friction_order_bodies(p, most);
    s->most = most;
    s->analyses++;
  }
  if (!p->lu || p->lu->products > most) return false;
  find_places(p);
  return true;
}

// ---- solve ----

static void start(ss_friction_blocks* s, const ss_friction_def* def, bool warm)
{
  ss_friction_run* run = &s->run;
  size_t bytes = (size_t)s->space.m*sizeof(double);
  run->tol = def->tol;
  run->max_iter = def->max_iter > 0 ? def->max_iter : 0;
  s->space.stop = def->stop;
  run->newton = run->ipm = run->admm = s->space.sweeps = s->space.factors = 0;
  run->r_best = run->r_attempt = INFINITY;
  run->c_factors = 0;
  run->log.count = 0;
  run->finder = SS_FRICTION_AUTO;
  s->contrary = false;
  memset(run->best, 0, bytes);
  memset(s->space.alpha, 0, (size_t)s->space.k*sizeof(double));
  if (!warm || s->space.scale == 0) memset(run->Lambda, 0, bytes);  // without velocities there are no impulses
}

// Sweeps first where little is asked of many contacts: they need no order of elimination
static bool solve_loosely(ss_friction_blocks* s)
{
  ss_friction_run* run = &s->run;
  if (ss_friction_run_sweeps(run)) return true;
  return (analyse(s, MOST_PRODUCTS) && ss_friction_run_factors(run)) || ss_friction_run_more_sweeps(run);
}

// b of the bilateral rows without what is left of xi there, where they contradict one another
static void make_consistent(ss_friction_blocks* s)
{
  for (int i = 0; i < s->space.n_free*DIM; i++) {
    s->contradiction[i] = s->run.xi[i];
    s->space.b[i] -= s->run.xi[i];
  }
  s->run.r_best = INFINITY;
}

// ... as it was, and the residual with it
static void restore(ss_friction_blocks* s)
{
  ss_friction_run* run = &s->run;
  for (int i = 0; i < s->space.n_free*DIM; i++) s->space.b[i] += s->contradiction[i];
  ss_friction_return(run);
  run->r_best = INFINITY;
  ss_friction_judge(run, run->finder);
}

// With factors at hand: by Newton and what comes after. Bilateral rows have no guess of their own. Where they
// contradict one another no method finds a solution: the nearest rows that do not take their place, and the residual
// tells.
static bool solve_tightly(ss_friction_blocks* s, double enough)
{
  ss_friction_run* run = &s->run;
  ss_friction_space* p = &s->space;
  bool met = false, done = false;
  if (p->n_free) {
    s->contrary = ss_friction_free_impulses(run) > run->tol*p->scale;
    if (s->contrary) make_consistent(s);
    met = ss_friction_judge(run, SS_FRICTION_NEWTON);
    done = (met && run->r <= enough) || p->n_free == p->k;
  }
  if (!done) met = ss_friction_run_auto_known(run);
  if (!done && met) ss_friction_polish(run, enough);
  if (s->contrary) restore(s);
  return met && !s->contrary;
}

bool ss_friction_blocks_solve(ss_friction_blocks* s, const ss_friction_def* def, double kappa, bool warm, double enough,
                              ss_pool* pool)
{
  ss_friction_run* run = &s->run;
  ss_friction_finish_traces(&s->space, kappa);
  ss_arena_release(s->arena, s->mark);
  if (!ss_friction_find_chunks(&s->space, s->size[3], s->arena)) return false;
  s->space.chunks.pool = pool;
  start(s, def, warm);
  bool met = ss_friction_judge(run, SS_FRICTION_AUTO), loose = s->space.k >= MANY && def->tol >= LOOSE;
  if (met && (loose || run->r <= enough)) return true;
  if (loose) met = solve_loosely(s);
  else if (analyse(s, SWEEPS_FOR_FACTOR*s->space.k)) met = solve_tightly(s, enough);
  else met = solve_loosely(s);
  if (run->r > run->r_best) ss_friction_return(run);
  return met;
}
