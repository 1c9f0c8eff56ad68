// The workspace: everything a step derives, allocated once.
#include "integrate/work.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "integrate/event.h"
#include "math/dense.h"

// Arrays of the workspace, all taken from its one arena. False if it is too small.
static bool take_arrays(ss_work* w, ss_arena* a, size_t scratch)
{
  int nv = w->nv, k = w->n_contact, rows = w->n_bilateral + w->m;
  bool ok = (w->at.scratch = ss_arena_take(a, scratch)) != NULL;
  ok = ok && (w->L = ss_arena_array(a, double, nv*nv)) && (w->h = ss_arena_array(a, double, nv));
  ok = ok && (w->gap = ss_arena_array(a, double, k)) && (w->W = ss_arena_array(a, double, rows*nv));
  ok = ok && (w->w_hat = ss_arena_array(a, double, rows)) && (w->error = ss_arena_array(a, double, w->n_bilateral));
  ok = ok && (w->row = ss_arena_array(a, int, k)) && (w->q = ss_arena_array(a, double, nv));
  ok = ok && (w->u_free = ss_arena_array(a, double, nv)) && (w->u = ss_arena_array(a, double, nv));
  ok = ok && (w->gamma = ss_arena_array(a, double, rows)) && (w->fall = ss_arena_array(a, double, k));
  ok = ok && (w->active = ss_arena_array(a, int, k)) && (w->source = ss_arena_array(a, int, rows)) &&
      (w->Y = ss_arena_array(a, double, rows*nv));
  ok = ok && (w->G = ss_arena_array(a, double, rows*rows)) && (w->b = ss_arena_array(a, double, rows));
  ok = ok && (w->mu = ss_arena_array(a, double, k)) && (w->bound = ss_arena_array(a, double, k));
  ok = ok && (w->kind = ss_arena_array(a, ss_contact_kind, k));
  ok = ok && (w->solution.Lambda = ss_arena_array(a, double, rows));
  ok = ok && (w->solution.xi = ss_arena_array(a, double, rows));
  ok = ok && (w->solution.state = ss_arena_array(a, ss_contact_state, k));
  ok = ok && (w->result = ss_arena_array(a, ss_contact_result, k));
  return ok && (w->Lambda_bilateral = ss_arena_array(a, double, w->n_bilateral));
}

// Bytes that take_arrays() and the solvers need, generously: 26 arrays, each rounded up to a cache line.
static size_t arena_size(const ss_work* w, size_t scratch)
{
  size_t nv = (size_t)w->nv, k = (size_t)w->n_contact, rows = (size_t)(w->n_bilateral + w->m);
  size_t doubles = nv*nv + 4*nv + 2*rows*nv + rows*rows + 6*rows + 5*k + 2*(size_t)w->n_bilateral;
  size_t arrays = scratch + doubles*sizeof(double) + k*(sizeof(ss_contact_result) + 16) + rows*sizeof(int) + 28*64;
  size_t inspection = (nv*nv + 3*nv)*sizeof(double) + 2*64;
  // the projection takes a target (16 bytes) per contact and may treat all contacts as bilateral rows
  size_t step = 16*k + 64 + ss_contact_solve_size(w->n_bilateral + w->n_contact, w->n_contact);
  size_t collision = ss_collide_size(w->n_bilateral, w->n_contact, w->m);
  if (collision > step) step = collision;
  return arrays + (inspection > step ? inspection : step);
}

static void clear(void* p, size_t bytes)
{
  for (size_t i = 0; i < bytes; i++) ((char*)p)[i] = 0;
}

ss_work* ss_work_create(const ss_system* system, ss_error* error)
{
  const ss_system_def* d = ss_system_get(system);
  ss_work* w = calloc(1, sizeof *w);
  if (w) {
    w->nv = d->nv;
    w->n_contact = d->n_contact;
    w->n_bilateral = d->n_bilateral;
    w->m = ss_system_rows(system);
    w->arena = ss_arena_create(arena_size(w, d->scratch_size));
    if (w->arena && take_arrays(w, w->arena, d->scratch_size)) {
      clear(w->at.scratch, d->scratch_size);
      clear(w->result, sizeof(ss_contact_result)*(size_t)d->n_contact);
      clear(w->Lambda_bilateral, sizeof(double)*(size_t)d->n_bilateral);
      w->at.user = d->user;
      int row = d->n_bilateral;
      for (int i = 0; i < d->n_contact; i++) {
        w->row[i] = row;
        row += ss_contact_rows(d->contact[i].kind);
      }
      w->info = (ss_step_info){.n_contact = d->n_contact, .contact = w->result, .n_bilateral = d->n_bilateral,
                               .Lambda_bilateral = w->Lambda_bilateral, .note = ""};
      return w;
    }
  }
  ss_error_set(error, SS_ERR_MEMORY, "out of memory for the workspace");
  ss_work_destroy(w);
  return NULL;
}

void ss_work_destroy(ss_work* w)
{
  if (!w) return;
  ss_arc_destroy(w->arc);
  ss_arena_destroy(w->arena);
  free(w->kept);
  free(w);
}

const ss_step_info* ss_work_info(const ss_work* w) { return &w->info; }

const char* ss_work_message(const ss_work* w) { return w->message; }

ss_status ss_work_fail(ss_work* w, ss_status status, const char* format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(w->message, sizeof w->message, format, args);
  va_end(args);
  return status;
}

ss_status ss_inspect(const ss_system* system, const ss_state* state, ss_work* w, double* gap, double* rcond)
{
  const ss_system_def* d = ss_system_get(system);
  w->mass_ready = false;
  ss_status st = ss_evaluate(system, w, state->q, state->u, state->t);
  if (st < 0) return st;
  if (rcond) {
    // the factor has replaced M, but its norm is wanted
    size_t mark = ss_arena_mark(w->arena);
    double* M = ss_arena_array(w->arena, double, (size_t)d->nv*(size_t)d->nv);
    double* work = ss_arena_array(w->arena, double, 3*d->nv);
    st = M && work ? d->mass(&w->at, M) : SS_ERR_CAPACITY;
    if (st >= 0) *rcond = ss_chol_rcond(d->nv, w->L, ss_norm1(d->nv, M), work);
    ss_arena_release(w->arena, mark);
  }
  for (int i = 0; gap && st >= 0 && i < d->n_contact; i++) gap[i] = w->gap[i];
  return st;
}
