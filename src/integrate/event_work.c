// Memory of the event-driven integrator: one block, made at its first step.
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "contact/admissible.h"
#include "contact/hold.h"
#include "integrate/event.h"

// Takes arrays from a block one after the other; with block == NULL it only counts.
typedef struct taker {
  char* block;
  size_t used;
} taker;

static void* take(taker* t, size_t bytes)
{
  void* p = t->block ? t->block + t->used : NULL;
  t->used += ss_arena_bytes(bytes);
  return p;
}

static double* doubles(taker* t, int n) { return take(t, sizeof(double)*(size_t)n); }

// The integration of an arc, and the sizes that its errors are measured by
static void take_integration(ss_arc* a, taker* t)
{
  int n = a->nq + a->nv, rows = a->row_room, nz = SS_Z_ROWS + 2*rows;
  a->rk.n = n;
  a->rk.nz = nz;
  a->rk.n_checked = n + SS_Z_ROWS;  // the works too
  a->rk.k = doubles(t, SS_RK8_STAGES*(n + nz));
  a->rk.stage = doubles(t, n);
  a->y = doubles(t, n);
  a->y1 = doubles(t, n);
  a->f1 = doubles(t, n + nz);
  a->z = doubles(t, nz);
  a->dz = doubles(t, nz);
  a->size = doubles(t, n);
  a->scale = doubles(t, n + SS_Z_ROWS);
  a->way = doubles(t, a->nq);
  a->origin = doubles(t, a->nq);
  a->range = doubles(t, a->nq);
  a->speed = doubles(t, a->nv);
  a->pull = doubles(t, a->nv);
  a->noise = doubles(t, a->nv);
  a->root_mass = doubles(t, a->nv);
  a->block = take(t, (size_t)a->nv*sizeof *a->block);
  a->moves = take(t, 2*(size_t)a->nv*sizeof *a->moves);
}

// Matrices of the system, of its own or those of the work
static void take_matrices(ss_arc* a, taker* t)
{
  bool own = a->w->op != NULL;  // matrices of its own
  int rows = a->row_room, full = own ? rows*a->nv : 0;
  size_t k = (size_t)a->room;
  a->key = take(t, (own ? k : 0)*sizeof *a->key);
  a->L = doubles(t, own ? a->nv*a->nv : 0);
  a->W = doubles(t, full);
  a->P = doubles(t, full);
  a->G = doubles(t, own ? rows*rows : 0);
  a->extent = doubles(t, own ? rows : 0);
  if (own) return;
  a->L = a->w->L;
  a->W = a->w->W;
  a->P = a->w->Y;
  a->G = a->w->G;
}

// What contacts do along the arc: directions, modes, islands, forces
static void take_contacts(ss_arc* a, taker* t)
{
  int rows = a->row_room;
  size_t k = (size_t)a->room;
  a->direct = doubles(t, 2*(int)k);
  a->refer = doubles(t, 2*(int)k);
  a->blur = doubles(t, (int)k);
  a->top = doubles(t, (int)k);
  a->axis = doubles(t, 2*(int)k);
  a->turned = take(t, k*sizeof *a->turned);
  a->mode = take(t, k*sizeof *a->mode);
  a->held = take(t, (size_t)rows*sizeof *a->held);
  a->slider = take(t, (size_t)rows*sizeof *a->slider);
  a->owner = take(t, (size_t)rows*sizeof *a->owner);
  a->set = take(t, k*sizeof *a->set);
  a->dual = doubles(t, rows);
  a->fold = doubles(t, 2*rows);
  a->group = take(t, ((size_t)rows + 1)*sizeof *a->group);
  a->tried = take(t, k*sizeof *a->tried);
  a->shared = take(t, k*sizeof *a->shared);
  a->strained = take(t, k*sizeof *a->strained);
  a->found = take(t, k*sizeof *a->found);
  a->row_island = take(t, (size_t)rows*sizeof *a->row_island);
  a->contact_island = take(t, k*sizeof *a->contact_island);
  a->order = take(t, (size_t)rows*sizeof *a->order);
  a->label = take(t, ((size_t)rows + 1)*sizeof *a->label);
  a->Y = doubles(t, rows*a->nv);
  a->A = doubles(t, 2*rows*rows);
  a->x = doubles(t, 2*rows);
  a->lstsq = doubles(t, 8*rows + 64);
  a->pivot = take(t, (size_t)rows*sizeof *a->pivot);
  a->list = take(t, (size_t)rows*sizeof *a->list);
  a->a = doubles(t, a->nv);
  a->law = doubles(t, a->nq + 2*a->nv);
  a->w_bar = doubles(t, rows);
  a->lambda = doubles(t, rows);
  a->gamma = doubles(t, rows);
  a->force = doubles(t, rows);
  a->load = doubles(t, rows);
  a->slip = doubles(t, rows);
}

// Roots that end it, and kinks
static void take_roots(ss_arc* a, taker* t)
{
  size_t k = (size_t)a->room;
  a->side = doubles(t, a->n_kink);
  a->kink = take(t, (size_t)a->n_kink*sizeof *a->kink);
  a->pass = doubles(t, a->n_kink ? 4*a->nv : 0);
  a->root = take(t, (5*k + 2 + (size_t)a->n_kink)*sizeof *a->root);
}

// Impacts: what is hit, impulses, how many motions there are
static void take_impacts(ss_arc* a, taker* t)
{
  int rows = a->row_room;
  size_t k = (size_t)a->room;
  a->touch = take(t, k*sizeof *a->touch);
  a->hit = take(t, k*sizeof *a->hit);
  a->struck = take(t, k*sizeof *a->struck);
  a->rests = take(t, k*sizeof *a->rests);
  a->ends = take(t, k*sizeof *a->ends);
  a->sign = take(t, k*sizeof *a->sign);
  a->eps_n = doubles(t, (int)k);
  a->eps_t = doubles(t, (int)k);
  a->nu = doubles(t, (int)k);
  a->slide = take(t, k*sizeof *a->slide);
  a->impulse = doubles(t, rows);
  a->compression = doubles(t, rows);
  a->before = doubles(t, rows);
  a->start = doubles(t, rows);
  a->here = doubles(t, rows);
  a->Lambda = doubles(t, 2*rows);
  a->Lambda_C = doubles(t, 2*rows);
  a->gamma_after = doubles(t, rows);
  a->motions = take(t, k*sizeof *a->motions);
  a->ways = take(t, k*sizeof *a->ways);
  a->stuck = take(t, k*sizeof *a->stuck);
  a->jumped = take(t, k*sizeof *a->jumped);
  a->mode_before = take(t, k*sizeof *a->mode_before);
  a->bounce = take(t, k*sizeof *a->bounce);
}

// Events, and what the record is given
static void take_events(ss_arc* a, taker* t)
{
  bool own = a->w->op != NULL;
  int rows = a->row_room;
  size_t k = (size_t)a->room;
  a->event = take(t, (2*k + 1)*sizeof *a->event);
  a->arrived = take(t, k*sizeof *a->arrived);
  a->struck_only = take(t, k*sizeof *a->struck_only);
  a->arrived_item = take(t, (own ? k : 0)*sizeof *a->arrived_item);
  a->arrived_Lambda = doubles(t, a->w->n_bilateral);
  a->arrived_force = doubles(t, a->w->n_bilateral);
  a->event_Lambda = doubles(t, a->w->n_bilateral);
  a->arrived_gamma = doubles(t, rows);
  a->memory_of = doubles(t, ss_memory_size(a->nv, a->room, own));
}

static void take_arrays(ss_arc* a, taker* t)
{
  take_integration(a, t);
  take_matrices(a, t);
  take_contacts(a, t);
  take_roots(a, t);
  take_impacts(a, t);
  take_events(a, t);
}

static ss_status check_system(const ss_system_def* d, ss_work* w)
{
  const ss_operators* op = d->operators;
  if (op && !(op->mass && op->follow && op->row_matrix && op->row_bias && (op->rate || d->nq == d->nv)))
    return ss_work_fail(w, SS_ERR_ARGUMENT, "the event-driven integrator needs the operators mass, follow, row_matrix, "
                                            "row_bias, and rate if nq is not nv");
  if (d->nv > SS_MAX_ROWS)
    return ss_work_fail(w, SS_ERR_ARGUMENT, "the event-driven integrator has a dense mass matrix: at most %d "
                                            "velocities (a free body has 6), not %d", SS_MAX_ROWS, d->nv);
  if (op) return SS_OK;
  if (d->n_contact && !d->contact_bias)
    return ss_work_fail(w, SS_ERR_ARGUMENT, "the event-driven integrator needs the system's contact_bias()");
  if (d->n_bilateral && !d->bilateral_bias)
    return ss_work_fail(w, SS_ERR_ARGUMENT, "the event-driven integrator needs the system's bilateral_bias()");
  for (int i = 0; i < d->n_contact; i++)
    if (d->contact[i].kind == SS_CONTACT_SPATIAL)
      return ss_work_fail(w, SS_ERR_ARGUMENT, "contact '%s': the event-driven integrator knows spatial friction of "
                          "systems with operators only", d->contact[i].name);
  return SS_OK;
}

static size_t most(size_t a, size_t b) { return a > b ? a : b; }

static size_t scratch_size(const ss_arc* a)
{
  int nb = a->w->n_bilateral, k = a->room;
  size_t planar = ss_impact_solve_size(nb, k) + ss_contact_solve_size(nb, k);
  size_t many = most(ss_contact_hold_size(nb, k), ss_solve_spatial_size(nb, k, a->row_room));
  return most(most(planar, many), ss_admissible_size(a->row_room));
}

// Arrays for what a->room and a->row_room say, in place of those that there are
static ss_status make_room(ss_arc* a)
{
  taker count = {0};
  take_arrays(a, &count);
  taker real = {.block = a->memory = calloc(1, count.used + 1)};
  a->arena = ss_arena_create(scratch_size(a));
  if (!a->memory || !a->arena)
    return ss_work_fail(a->w, SS_ERR_MEMORY, "out of memory for the event-driven integrator");
  take_arrays(a, &real);
  a->has_mass = false;
  return SS_OK;
}

static void copy_numbers(double* to, const double* from, int n) { memcpy(to, from, sizeof(double)*(size_t)n); }

// What outlives a step, and what the step of the integrator has gathered so far
static void copy_arrays(ss_arc* to, const ss_arc* from)
{
  int n = from->n, rows = from->rows;
  copy_numbers(to->y, from->y, from->rk.n);
  copy_numbers(to->size, from->size, from->rk.n);
  copy_numbers(to->origin, from->origin, from->nq);
  copy_numbers(to->range, from->range, from->nq);
  copy_numbers(to->speed, from->speed, from->nv);
  copy_numbers(to->pull, from->pull, from->nv);
  copy_numbers(to->root_mass, from->root_mass, from->nv);
  memcpy(to->moves, from->moves, 2*(size_t)from->nv*sizeof *to->moves);
  copy_numbers(to->z, from->z, SS_Z_ROWS + rows);
  copy_numbers(to->z + SS_Z_ROWS + to->row_room, from->z + SS_Z_ROWS + from->row_room, rows);
  copy_numbers(to->slip, from->slip, rows);
  copy_numbers(to->impulse, from->impulse, rows);
  copy_numbers(to->start, from->start, rows);
  copy_numbers(to->here, from->here, rows);
  copy_numbers(to->direct, from->direct, 2*n);
  copy_numbers(to->refer, from->refer, 2*n);
  copy_numbers(to->blur, from->blur, n);
  copy_numbers(to->top, from->top, n);
  copy_numbers(to->side, from->side, from->n_kink);
  memcpy(to->kink, from->kink, (size_t)from->n_kink*sizeof *to->kink);
  if (from->w->at.side == from->side) to->w->at.side = to->side;
  to->beyond = from->beyond;
  copy_numbers(to->arrived_gamma, from->arrived_gamma, from->rows_arrived);
  copy_numbers(to->arrived_Lambda, from->arrived_Lambda, from->w->n_bilateral);
  copy_numbers(to->arrived_force, from->arrived_force, from->w->n_bilateral);
  memcpy(to->arrived, from->arrived, (size_t)from->n_arrived*sizeof *to->arrived);
  if (from->w->op) memcpy(to->arrived_item, from->arrived_item, (size_t)from->n_arrived*sizeof *to->arrived_item);
  to->stretch[0].contact = to->arrived;
  to->stretch[0].Lambda_bilateral = to->arrived_Lambda;
  to->stretch[0].force_bilateral = to->arrived_force;
  if (from->w->op) to->stretch[0].item = to->arrived_item;
  memcpy(to->key, from->key, (size_t)n*sizeof *to->key);
  memcpy(to->mode, from->mode, (size_t)n*sizeof *to->mode);
  memcpy(to->bounce, from->bounce, (size_t)n*sizeof *to->bounce);
  memcpy(to->held, from->held, (size_t)from->n_held*sizeof *to->held);
  memcpy(to->slider, from->slider, (size_t)from->n_held*sizeof *to->slider);
  memcpy(to->owner, from->owner, (size_t)from->n_held*sizeof *to->owner);
  memcpy(to->row_island, from->row_island, (size_t)rows*sizeof *to->row_island);
  memcpy(to->contact_island, from->contact_island, (size_t)n*sizeof *to->contact_island);
  memcpy(to->shared, from->shared, (size_t)n*sizeof *to->shared);
  memcpy(to->strained, from->strained, (size_t)n*sizeof *to->strained);
  memcpy(to->group, from->group, (size_t)from->n_islands*sizeof *to->group);
  memcpy(to->root, from->root, (size_t)from->n_root*sizeof *to->root);
}

// Rows that are made room for: a multiple of 8, so that parts of arrays lie alike in memory however large these are.
// Kernels of BLAS may sum otherwise where numbers lie otherwise, and a copy of a state has to go on bit for bit.
static int whole_rows(int rows) { return (rows + 7)/8*8; }

ss_status ss_arc_reserve(ss_arc* a, int n, int rows)
{
  if (n <= a->room && rows <= a->row_room) return SS_OK;
  if (rows > SS_MAX_ROWS) return ss_work_fail(a->w, SS_ERR_CAPACITY, "%d contacts are watched: too many rows", n);
  ss_arc old = *a;
  a->room = n + n/2 + 8;
  a->row_room = whole_rows(rows + rows/2 + 24);
  ss_status st = make_room(a);
  if (st < 0) {
    ss_arena_destroy(a->arena);
    free(a->memory);
    *a = old;
    return st;
  }
  copy_arrays(a, &old);
  ss_arena_destroy(old.arena);
  free(old.memory);
  return SS_OK;
}

ss_status ss_arc_create(const ss_system* system, ss_work* w)
{
  const ss_system_def* d = ss_system_get(system);
  if (w->arc) return SS_OK;
  ss_status st = check_system(d, w);
  if (st < 0) return st;
  ss_arc* a = calloc(1, sizeof *a);
  if (!a) return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for the event-driven integrator");
  a->system = system;
  a->w = w;
  a->nq = d->nq;
  a->nv = d->nv;
  a->n_kink = d->n_kink;
  a->n = a->room = d->n_contact;
  a->ended = a->taken_up = -1;
  a->rows = w->n_bilateral + (w->op ? 0 : w->m);
  a->row_room = whole_rows(a->rows);
  a->arrival = ss_state_create(system);
  st = a->arrival ? make_room(a) : ss_work_fail(w, SS_ERR_MEMORY, "out of memory for the event-driven integrator");
  if (st < 0) {
    ss_arc_destroy(a);
    return st;
  }
  ss_find_moved(a);
  a->rk.f = ss_roots_stage;
  a->rk.user = a;
  w->arc = a;
  return SS_OK;
}

void ss_arc_destroy(ss_arc* a)
{
  if (!a) return;
  ss_arena_destroy(a->arena);
  ss_following_destroy(a->following);
  ss_state_destroy(a->arrival);
  free(a->memory);
  free(a->new_key);
  free(a);
}
