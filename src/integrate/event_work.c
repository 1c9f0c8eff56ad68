// Memory of the event-driven integrator: one block, made at its first step.
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
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

static void take_arrays(ss_arc* a, taker* t)
{
  int n = 2*a->nv, nz = SS_Z_ROWS + 2*a->rows, rows = a->rows;
  size_t k = (size_t)a->w->n_contact;
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
  a->root_mass = doubles(t, a->nv);
  a->mode = take(t, k*sizeof *a->mode);
  a->held = take(t, (size_t)rows*sizeof *a->held);
  a->fold = doubles(t, rows);
  a->Y = doubles(t, rows*a->nv);
  a->A = doubles(t, 2*rows*rows);
  a->x = doubles(t, 2*rows);
  a->lstsq = doubles(t, 8*rows + 64);
  a->pivot = take(t, (size_t)rows*sizeof *a->pivot);
  a->list = take(t, (size_t)rows*sizeof *a->list);
  a->a = doubles(t, a->nv);
  a->law = doubles(t, 2*a->nv);
  a->w_bar = doubles(t, rows);
  a->lambda = doubles(t, rows);
  a->gamma = doubles(t, rows);
  a->force = doubles(t, rows);
  a->slip = doubles(t, rows);
  a->root = take(t, (3*k + 2)*sizeof *a->root);
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
  a->mode_before = take(t, k*sizeof *a->mode_before);
  a->bounce = take(t, k*sizeof *a->bounce);
  a->event = take(t, (2*k + 1)*sizeof *a->event);
  a->memory_of = doubles(t, ss_memory_size(a->nv, a->w->n_contact));
}

static ss_status check_system(const ss_system_def* d, ss_work* w)
{
  if (d->n_contact && !d->contact_bias)
    return ss_work_fail(w, SS_ERR_ARGUMENT, "the event-driven integrator needs the system's contact_bias()");
  if (d->n_bilateral && !d->bilateral_bias)
    return ss_work_fail(w, SS_ERR_ARGUMENT, "the event-driven integrator needs the system's bilateral_bias()");
  for (int i = 0; i < d->n_contact; i++)
    if (d->contact[i].kind == SS_CONTACT_SPATIAL)
      return ss_work_fail(w, SS_ERR_ARGUMENT, "contact '%s': the event-driven integrator knows no spatial friction",
                          d->contact[i].name);
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
  a->nv = d->nv;
  a->rows = w->n_bilateral + w->m;
  taker count = {0};
  take_arrays(a, &count);
  taker real = {.block = a->memory = calloc(1, count.used + 1)};
  a->arena = ss_arena_create(ss_impact_solve_size(d->n_bilateral, d->n_contact) +
                             ss_contact_solve_size(d->n_bilateral, d->n_contact));
  if (!a->memory || !a->arena) {
    ss_arc_destroy(a);
    return ss_work_fail(w, SS_ERR_MEMORY, "out of memory for the event-driven integrator");
  }
  take_arrays(a, &real);
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
  free(a->memory);
  free(a);
}
