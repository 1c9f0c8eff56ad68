// Islands of velocity space whose contacts are redundant: which solution is taken (contact/choose.c). Bodies at rest
// move in one way only; where something slides the rows that rest tell whether there can be others, before G of the
// whole island is made.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/choose.h"
#include "contact/spatial.h"
#include "integrate/island_rows.h"
#include "integrate/islands.h"
#include "math/dense.h"

#define ALIKE 1e-6  // of the largest impulse
enum {
  SMALL_ROWS = 24,  // of a body whose forces at rest are chosen as well
};

void ss_take_choice(ss_work* w, ss_choice choice)
{
  if (choice > w->choice) w->choice = choice;
}

static bool slides(ss_contact_state state)
{
  return state == SS_SLIP || state == SS_SLIP_POS || state == SS_SLIP_NEG;
}

// Bodies at rest move in one way only
void ss_examine(ss_work* w, const ss_contact_problem* p, const ss_contact_solution* s)
{
  for (int i = 0; i < p->n_contact && p->m - p->n_bilateral > SS_CHOOSE_ROWS; i++)
    w->not_examined = w->not_examined || slides(s->state[i]);
}

// What was chosen in the step before is as good now
static bool is_as_before(const ss_work* w, const ss_island* s, const double* Lambda)
{
  double change = 0, size = 0;
  if (!w->has_guess) return false;
  for (int r = s->first, i = 0; r >= 0; r = w->island_next[r], i++) {
    double now = Lambda ? Lambda[i] : w->solution.Lambda[r];
    change = fmax(change, fabs(now - w->guess[r]));
    size = fmax(size, fabs(now));
  }
  return change <= ALIKE*size;
}

// A free body on what does not move. Forces of robots with their feet at rest change in every step, and bodies that
// balance on one another feel the round-off of a choice.
static bool is_one_body(const ss_work* w, const ss_island* s)
{
  int body = -1;
  for (int r = s->first; r >= 0; r = w->island_next[r])
    for (int side = 0; side < 2; side++) {
      int part = w->row_part[2*r + side];
      if (part < 0) continue;
      if ((w->op->part_size && w->part_size[part] > SS_BLOCK_SIZE) || (body >= 0 && part != body)) return false;
      body = part;
    }
  return true;
}

bool ss_island_chooses_forces(const ss_work* w, const ss_island* s, const double* Lambda)
{
  return s->m <= SMALL_ROWS && is_one_body(w, s) && !is_as_before(w, s, Lambda);
}

// ---- the rows that rest ----

static size_t spread_size(const ss_island* s) { return ss_block_rows_spread(&s->blocks->space, s->m); }

static size_t rows_bytes(const ss_island* s)
{
  return ss_arena_bytes(sizeof(ss_block_row)*(size_t)s->m) + ss_arena_bytes(sizeof(double)*spread_size(s));
}

// Whether the motion may be one of several. SS_CHOICE_NONE too if memory is short.
static ss_choice look(ss_work* w, const ss_island* s)
{
  size_t m = (size_t)s->m;
  if (!ss_work_island_room(w, rows_bytes(s) + ss_arena_bytes(sizeof(double)*m*m))) return SS_CHOICE_NONE;
  const ss_friction_space* p = &s->blocks->space;
  int still;
  ss_block_row* rest = ss_arena_array(w->island_arena, ss_block_row, s->m);
  int n = ss_block_rows_rest(s->blocks, rest, &still);
  n = ss_block_rows_peel(p, n, rest, &still);
  double* A = ss_arena_array(w->island_arena, double, n*n);
  ss_block_rows_G(p, n, rest, ss_arena_array(w->island_arena, double, spread_size(s)), A);
  return ss_choice_of(n, still, A);
}

// ---- the choice ----

// All rows of the problem, in their order
static void list_rows(const ss_friction_space* p, ss_block_row* out)
{
  for (int c = 0, n = 0; c < p->k; c++)
    for (int k = 0; k < p->layout.count[c]; k++) out[n++] = (ss_block_row){c, k + p->layout.element[c]};
}

// Velocities, residual and states of what the island has found
static bool judge(const ss_work* w, const ss_island* s, ss_island_problem* p)
{
  double* size = ss_arena_array(w->island_arena, double, s->m);
  double* J = ss_arena_array(w->island_arena, double, spread_size(s));
  ss_block_row* rows = ss_arena_array(w->island_arena, ss_block_row, s->m);
  if (!size || !J || !rows) return false;
  for (int i = 0; i < s->m; i++) p->solution.Lambda[i] = w->solution.Lambda[p->row[i]];
  list_rows(&s->blocks->space, rows);
  ss_block_rows_G(&s->blocks->space, s->m, rows, J, p->G);
  for (int i = 0; i < s->m; i++)
    for (int j = 0; j < i; j++) p->G[j*s->m + i] = p->G[i*s->m + j];
  ss_gemv(s->m, s->m, p->G, p->solution.Lambda, p->solution.xi);
  for (int i = 0; i < s->m; i++) p->solution.xi[i] += p->b[i];
  p->solution.residual = ss_spatial_residual(&p->problem, p->solution.Lambda);
  ss_spatial_states(&p->problem, 2*p->solution.residual*s->blocks->space.scale, size, &p->solution);
  return true;
}

static ss_status choose(ss_work* w, const ss_island* s, bool forces)
{
  ss_island_problem p;
  if (!ss_work_island_room(w, ss_island_bytes(s, true) + rows_bytes(s))) return SS_ERR_MEMORY;
  if (!ss_island_gather(w, s, true, w->island_arena, &p) || !judge(w, s, &p)) return SS_ERR_CAPACITY;
  ss_take_choice(w, ss_choose(&p.problem, forces, w->island_arena, &p.solution));
  for (int i = 0; i < s->m; i++) w->solution.Lambda[p.row[i]] = p.solution.Lambda[i];
  return SS_OK;
}

// The impulses of the step before are the solution
static bool is_start(const ss_friction_blocks* b)
{
  return !b->space.sweeps && !b->run.newton && !b->run.ipm && !b->run.admm;
}

ss_status ss_island_choose(ss_work* w, const ss_step_def* def, const ss_island* s)
{
  const ss_friction_blocks* b = s->blocks;
  bool any = false;
  if (w->kappa > 0 || !(b->run.r <= def->friction.tol)) return SS_OK;
  for (int c = b->space.n_free; c < b->space.k && !any; c++) any = ss_block_slides(b, c);
  if (!any && s->m > b->space.n_body*SS_BLOCK_SIZE) ss_take_choice(w, SS_CHOICE_FORCES);
  if (s->m - s->n_bilateral > SS_CHOOSE_ROWS) {
    w->not_examined = w->not_examined || any;
    return SS_OK;
  }
  ss_choice may = any ? look(w, s) : SS_CHOICE_FORCES;
  bool forces = may != SS_CHOICE_NONE && !is_start(b) && ss_island_chooses_forces(w, s, NULL);
  if (may == SS_CHOICE_MOTION || forces) return choose(w, s, forces);
  if (any) ss_take_choice(w, may);
  return SS_OK;
}
