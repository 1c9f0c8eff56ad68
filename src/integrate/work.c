// The workspace: everything a step derives. Allocated once; what depends on the list of contacts grows with it, where
// contacts come and go.
#include "contact/choose.h"
#include "base/room.h"
#include "base/text.h"
#include "integrate/work.h"
#include "base/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integrate/event.h"
#include "integrate/islands.h"
#include "math/dense.h"

// Arrays that do not depend on the list. False if the arena is too small.
static bool take_fixed(ss_work* w, ss_arena* a, size_t scratch)
{
  int nv = w->nv, nb = w->n_bilateral;
  bool ok = (w->at.scratch = ss_arena_take(a, scratch)) && (w->at.message = ss_arena_take(a, SS_AT_MESSAGE));
  ok = ok && (w->L = ss_arena_array(a, double, w->op ? 0 : nv*nv)) && (w->h = ss_arena_array(a, double, nv));
  ok = ok && (w->q = ss_arena_array(a, double, w->nq)) && (w->v = ss_arena_array(a, double, nv));
  ok = ok && (w->u_free = ss_arena_array(a, double, nv)) && (w->u = ss_arena_array(a, double, nv));
  ok = ok && (w->u_mean = ss_arena_array(a, double, nv)) && (w->jump = ss_arena_array(a, double, w->op ? nv : 0));
  ok = ok && (w->u_way = ss_arena_array(a, double, nv)) && (w->gyro = ss_arena_array(a, double, nv));
  ok = ok && (w->part_up = ss_arena_array(a, int, w->def->n_parts)) &&
       (w->part_number = ss_arena_array(a, int, w->def->n_parts)) &&
       (w->part_block = ss_arena_array(a, int, w->def->n_parts)) &&
       (w->part_size = ss_arena_array(a, int, w->def->n_parts));
  ok = ok && (w->energy_part = ss_arena_take(a, sizeof *w->energy_part*(size_t)w->n_energy)) &&
       (w->energy_now = ss_arena_take(a, sizeof *w->energy_now*(size_t)w->n_energy)) &&
       (w->power_now = ss_arena_take(a, sizeof *w->power_now*(size_t)w->n_energy)) &&
       (w->part_given = ss_arena_array(a, double, w->n_energy)) &&
       (w->part_potential = ss_arena_array(a, double, w->n_energy));
  int kinks = w->def->kinks_drive ? w->def->n_kink : 0;
  ok = ok && (w->kink = ss_arena_take(a, sizeof *w->kink*(size_t)kinks)) &&
       (w->side = ss_arena_array(a, double, 3*kinks)) && (w->kick = ss_arena_array(a, double, kinks ? 2*nv : 0));
  bool senses = w->def->n_sensor > 0;
  ok = ok && (w->sensed = ss_arena_array(a, double, w->def->n_sensor)) &&
       (w->q_before = ss_arena_array(a, double, senses ? w->nq : 0)) &&
       (w->u_before = ss_arena_array(a, double, senses ? nv : 0));
  size_t memories = sizeof *w->part_memory*(size_t)w->def->n_parts;
  ok = ok && (w->part_memory = ss_arena_take(a, memories));
  if (ok) memset(w->part_memory, 0, memories);
  ok = ok && (w->error = ss_arena_array(a, double, nb)) && (w->error_size = ss_arena_array(a, double, nb));
  return ok && (w->Lambda_bilateral = ss_arena_array(a, double, nb)) &&
         (w->Lambda_bilateral_1 = ss_arena_array(a, double, nb)) &&
         (w->spent_bilateral = ss_arena_array(a, double, nb)) &&
         (w->force_bilateral = ss_arena_array(a, double, nb));
}

static size_t fixed_size(const ss_work* w, size_t scratch)
{
  size_t nv = (size_t)w->nv, nb = (size_t)w->n_bilateral;
  size_t doubles = (w->op ? nv : nv*nv) + (size_t)w->nq + 7*nv + 6*nb;
  size_t senses = w->def->n_sensor ? (size_t)w->def->n_sensor + (size_t)w->nq + nv : 0;
  size_t parts = (size_t)w->def->n_parts*(4*sizeof(int) + sizeof(void*));
  parts += (size_t)w->n_energy*
           (sizeof *w->energy_part + sizeof *w->energy_now + sizeof *w->power_now + 2*sizeof(double));
  size_t kinks = (size_t)w->def->n_kink*(sizeof *w->kink + 3*sizeof(double)) + 2*nv*sizeof(double);
  return scratch + SS_AT_MESSAGE + (doubles + senses)*sizeof(double) + parts + kinks + 32*64;
}

// Arrays of up to k contacts with `rows` rows, bilateral ones among them.
static bool take_lists(ss_work* w, ss_arena* a, int k, int rows)
{
  int full = w->op ? 0 : rows*w->nv, by_operators = w->op ? rows : 0;
  bool ok = (w->gap = ss_arena_array(a, double, k)) && (w->W = ss_arena_array(a, double, full));
  ok = ok && (w->law = (const ss_contact_def**)ss_arena_take(a, sizeof *w->law*(size_t)k));
  ok = ok && (w->mu_now = ss_arena_array(a, double, k)) && (w->bound_now = ss_arena_array(a, double, k)) &&
       (w->stuck = ss_arena_array(a, bool, k));
  ok = ok && (w->w_hat = ss_arena_array(a, double, rows)) && (w->row = ss_arena_array(a, int, k));
  ok = ok && (w->gamma = ss_arena_array(a, double, rows)) && (w->fall = ss_arena_array(a, double, k));
  ok = ok && (w->way = ss_arena_array(a, double, by_operators ? k : 0));
  ok = ok && (w->gamma_size = ss_arena_array(a, double, by_operators)) &&
       (w->gamma_free = ss_arena_array(a, double, by_operators)) &&
       (w->row_size = ss_arena_array(a, double, by_operators));
  ok = ok && (w->active = ss_arena_array(a, int, k)) && (w->source = ss_arena_array(a, int, rows)) &&
       (w->Y = ss_arena_array(a, double, full));
  ok = ok && (w->op || (w->G = ss_arena_array(a, double, rows*rows))) && (w->b = ss_arena_array(a, double, rows));
  ok = ok && (w->row_part = ss_arena_array(a, int, 2*by_operators)) &&
       (w->island_of = ss_arena_array(a, int, by_operators)) &&
       (w->island_next = ss_arena_array(a, int, by_operators)) &&
       (w->contact_of = ss_arena_array(a, int, by_operators)) &&
       (w->island = ss_arena_array(a, ss_island, by_operators)) &&
       (w->diagonal = ss_arena_array(a, double, by_operators)) &&
       (w->row_jump = ss_arena_array(a, double, by_operators)) &&
       (w->guess = ss_arena_array(a, double, by_operators)) &&
       (w->loaded = ss_arena_array(a, ss_loaded, by_operators)) &&
       (w->problem_row = ss_arena_array(a, int, by_operators)) &&
       (w->set = ss_arena_array(a, const ss_friction_set*, by_operators));
  ok = ok && (w->mu = ss_arena_array(a, double, k)) && (w->bound = ss_arena_array(a, double, k));
  ok = ok && (w->gap_more = ss_arena_array(a, double, rows));
  ok = ok && (w->kind = ss_arena_array(a, ss_contact_kind, k));
  ok = ok && (w->solution.Lambda = ss_arena_array(a, double, rows));
  ok = ok && (w->solution.xi = ss_arena_array(a, double, rows));
  return ok && (w->solution.state = ss_arena_array(a, ss_contact_state, k));
}

// Bytes that take_lists() needs, generously: some 30 arrays, each rounded up to a cache line.
static size_t lists_size(const ss_work* w, int n_contact, int n_rows)
{
  size_t nv = (size_t)w->nv, k = (size_t)n_contact, rows = (size_t)n_rows;
  size_t doubles = (w->op ? 6*rows : 2*rows*nv + rows*rows) + 7*rows + 8*k;
  size_t islands = w->op ? rows*(sizeof(ss_island) + sizeof(ss_loaded) + sizeof(void*) + 6*sizeof(int)) : 0;
  return doubles*sizeof(double) + k*24 + rows*sizeof(int) + islands + 40*64;
}

// Bytes of scratch: inspections, and the solvers of a fixed list. Those of other lists are islands.c's.
static size_t scratch_size(const ss_work* w)
{
  size_t nv = (size_t)w->nv, inspection = w->op ? 0 : (nv*nv + 3*nv)*sizeof(double) + 2*64;
  size_t works = sizeof(double)*((size_t)w->nq + 1 + (size_t)w->n_energy) + 2*64;
  if (w->op) return works;
  // the projection may treat all contacts as bilateral rows
  size_t step = ss_contact_solve_size(w->n_bilateral + w->n_contact, w->n_contact);
  size_t choice = ss_choose_size(w->n_bilateral, w->n_contact, w->m);
  if (choice > step) step = choice;
  size_t collision = ss_collide_size(w->n_bilateral, w->n_contact, w->m);
  if (collision > step) step = collision;
  if (works > step) step = works;
  return inspection > step ? inspection : step;
}

bool ss_work_scratch(ss_work* w, size_t bytes)
{
  if (bytes <= w->arena_bytes) return true;
  ss_arena* arena = ss_arena_create(bytes);
  if (!arena) return false;
  ss_arena_destroy(w->arena);
  w->arena = arena;
  w->arena_bytes = bytes;
  return true;
}

// Those that keep what they hold
static bool grow_results(ss_work* w, int k)
{
  ss_contact_result* result = realloc(w->result, sizeof *result*((size_t)k + 1));
  if (!result) return false;
  w->info.contact = w->result = result;
  memset(result + w->most_contacts, 0, sizeof *result*(size_t)(k + 1 - w->most_contacts));
  double* spent = realloc(w->spent, sizeof *spent*(3*(size_t)k + 1));
  if (!spent) return false;
  w->spent = spent;
  ss_target* target = realloc(w->target, sizeof *target*(2*(size_t)k + 1));
  if (!target) return false;
  w->target = target;
  ss_grazing* grazing = realloc(w->grazing, sizeof *grazing*((size_t)k + 1));
  if (!grazing) return false;
  w->grazing = grazing;
  if (!w->op) return true;
  ss_contact_item* shown = realloc(w->shown, sizeof *shown*((size_t)k + 1));
  if (!shown) return false;
  w->shown = shown;
  if (w->info.item) w->info.item = shown;
  return true;
}

// Rows of lists, of which no dense matrices are made; those of islands are solve's
#define MOST_LISTED 3000000

static bool make_room(ss_work* w, int n_contact, int rows)
{
  if (rows > (w->op ? MOST_LISTED : SS_MAX_ROWS)) return false;
  ss_arena* arena = ss_arena_create(lists_size(w, n_contact, rows));
  if (!arena || !grow_results(w, n_contact)) {
    ss_arena_destroy(arena);
    return false;
  }
  ss_arena_destroy(w->lists);
  w->lists = arena;
  w->most_contacts = n_contact;
  w->most_rows = rows;
  return take_lists(w, arena, n_contact, rows);
}

bool ss_work_reserve(ss_work* w, int n_contact, int m)
{
  int rows = w->n_bilateral + m;
  if (n_contact <= w->most_contacts && rows <= w->most_rows) return true;
  return make_room(w, n_contact + n_contact/2 + 8, rows + rows/2 + 24) || make_room(w, n_contact, rows);
}

// Matrices of a fixed list are dense, and methods of pivoting take several times as many numbers: whether they fit
static bool check_size(const ss_work* w, ss_error* error)
{
  int rows = w->n_bilateral + w->m;
  if (rows > SS_MAX_ROWS) {
    ss_error_set(error, SS_ERR_CAPACITY,
                 "%d contacts and %d constraints have %d rows, and at most %d are solved at once", w->n_contact,
                 w->n_bilateral, rows, SS_MAX_ROWS);
    return false;
  }
  double bytes = (double)lists_size(w, w->n_contact, rows) + (double)scratch_size(w);
  if (bytes <= (double)ss_half_of_memory()) return true;
  ss_error_set(error, SS_ERR_MEMORY,
               "%d contacts with %d rows take %.1f GB, more than half of the memory of this machine; "
               "contacts that come and go (planar bodies, scenes) take no more than those that are near",
               w->n_contact, w->m, 1e-9*bytes);
  return false;
}

// A fixed list, once and for all
static bool fix_list(ss_work* w, const ss_system* system, ss_error* error)
{
  const ss_system_def* d = w->def;
  w->n_contact = d->n_contact;
  w->m = ss_system_rows(system);
  if (!check_size(w, error)) return false;
  if (!make_room(w, w->n_contact, w->n_bilateral + w->m) || !ss_work_scratch(w, scratch_size(w))) return false;
  for (int i = 0, row = d->n_bilateral; i < d->n_contact; i++) {
    w->law[i] = &d->contact[i];
    w->row[i] = row;
    w->result[i].contact = i;
    w->mu_now[i] = d->contact[i].mu;
    w->bound_now[i] = d->contact[i].bound;
    w->stuck[i] = false;
    w->has_static = w->has_static || d->contact[i].mu_static > 0 || d->contact[i].bound_static > 0;
    row += ss_contact_rows(d->contact[i].kind);
  }
  return true;
}

static bool prepare(ss_work* w, const ss_system* system, ss_error* error)
{
  const ss_system_def* d = w->def;
  w->fixed = ss_arena_create(fixed_size(w, d->scratch_size));
  if (!w->fixed || !take_fixed(w, w->fixed, d->scratch_size)) return false;
  memset(w->at.scratch, 0, d->scratch_size);
  memset(w->at.message, 0, SS_AT_MESSAGE);
  for (int i = 0; i < d->n_bilateral; i++)
    w->Lambda_bilateral[i] = w->Lambda_bilateral_1[i] = w->force_bilateral[i] = 0;
  w->at.user = d->user;
  w->info = (ss_step_info){.n_contact = d->n_contact, .n_known = d->n_contact, .n_bilateral = d->n_bilateral,
                           .Lambda_bilateral = w->Lambda_bilateral,
                           .force_bilateral = w->force_bilateral,
                           .Lambda_bilateral_1 = w->Lambda_bilateral_1, .note = ""};
  if (!w->op) return fix_list(w, system, error);
  for (int i = 0; w->op->part_size && i < d->n_parts; i++) w->part_size[i] = w->op->part_size(d->user, i);
  w->known = ss_known_create();
  if (!w->known || !make_room(w, 8, w->n_bilateral + 24) || !ss_work_scratch(w, scratch_size(w))) return false;
  w->is_open = !w->op->open || w->op->open(d->user, w->at.scratch, error) >= 0;
  return w->is_open;
}

ss_work* ss_work_create(const ss_system* system, ss_error* error)
{
  if (!system) {
    ss_error_null(error, "the system");
    return NULL;
  }
  const ss_system_def* d = ss_system_get(system);
  ss_work* w = calloc(1, sizeof *w);
  ss_error_set(error, SS_ERR_MEMORY, "out of memory for the workspace");
  if (!w) return NULL;
  w->def = d;
  w->op = d->operators;
  w->nq = d->nq;
  w->nv = d->nv;
  w->n_energy = d->n_energy_parts > 0 ? d->n_energy_parts : 1;
  w->n_bilateral = d->n_bilateral;
  if (prepare(w, system, error)) {
    if (error) *error = (ss_error){0};
    return w;
  }
  ss_work_destroy(w);
  return NULL;
}

void ss_work_destroy(ss_work* w)
{
  if (!w) return;
  if (w->is_open && w->op->close) w->op->close(w->at.scratch);
  ss_arc_destroy(w->arc);
  ss_known_destroy(w->known);
  ss_parts_destroy(w->parts);
  ss_rattle_destroy(w->rattle);
  if (w->op) free(w->G);
  ss_arena_destroy(w->lists);
  ss_arena_destroy(w->arena);
  ss_arena_destroy(w->island_arena);
  ss_pool_destroy(w->pool);
  for (int i = 0; w->part_memory && i < w->def->n_parts; i++) ss_friction_blocks_destroy(w->part_memory[i]);
  ss_arena_destroy(w->fixed);
  free(w->result);
  free(w->shown);
  free(w->spent);
  free(w->target);
  free(w->grazing);
  free(w->kept);
  free(w);
}

const ss_step_info* ss_work_info(const ss_work* w) { return w ? &w->info : NULL; }

const char* ss_work_message(const ss_work* w) { return w ? w->message : ""; }

// A text that was cut after n bytes: its last character may not be whole, and goes too if it has several bytes.
static void cut(char* text, int n)
{
  int start = n;
  while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) start--;
  if (start > 0 && (unsigned char)text[start - 1] >= 0xC0) text[start - 1] = 0;
}

ss_status ss_work_fail(ss_work* w, ss_status status, const char* format, ...)
{
  va_list args;
  va_start(args, format);
  int length = ss_vprint(w->message, sizeof w->message, format, args);
  va_end(args);
  if (length >= (int)sizeof w->message) cut(w->message, (int)sizeof w->message - 1);
  return status;
}

// The factor has replaced M, but its norm is wanted
static ss_status condition(ss_work* w, double* rcond)
{
  size_t nv = (size_t)w->nv, mark = ss_arena_mark(w->arena);
  double* M = ss_arena_array(w->arena, double, nv*nv);
  double* work = ss_arena_array(w->arena, double, 3*nv);
  ss_status st = M && work ? w->def->mass(&w->at, M) : SS_ERR_CAPACITY;
  if (st >= 0) *rcond = ss_chol_rcond(w->nv, w->L, ss_norm1(w->nv, M), work);
  ss_arena_release(w->arena, mark);
  return st;
}

ss_status ss_inspect(const ss_system* system, const ss_state* state, ss_work* w, double* gap, double* rcond)
{
  if (!system || !state || !w) return SS_ERR_ARGUMENT;
  if (state->nq != w->nq || state->nv != w->nv)
    return ss_work_fail(w, SS_ERR_ARGUMENT, "the state is that of another system");
  w->mass_ready = false;
  w->reach = 0;
  ss_status st = ss_evaluate(system, w, state->q, state->u, state->t);
  if (st >= 0 && rcond) {
    if (w->op) *rcond = NAN;
    else st = condition(w, rcond);
  }
  for (int i = 0; gap && st >= 0 && i < w->def->n_contact; i++) gap[i] = w->gap[i];
  return st;
}
