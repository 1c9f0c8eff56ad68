// Islands of velocity space whose contacts are redundant: which solution is taken (contact/choose.c). Bodies at rest
// move in one way only; where something slides the rows that rest tell whether there can be others, before G of the
// whole island is made.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "contact/choose.h"
#include "contact/spatial.h"
#include "integrate/islands.h"
#include "math/dense.h"
#include "solve/friction_cone.h"

#define SLOW 1e-10  // of the largest |b|: velocities up to this may be none
#define ALIKE 1e-6  // of the largest impulse
enum {
  SMALL_ROWS = 24,  // of a body whose forces at rest are chosen as well
  FEW_BLOCKS = 8    // of velocities: rows are written out
};

void ss_take_choice(ss_work* w, ss_choice choice)
{
  if (choice > w->choice) w->choice = choice;
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

typedef struct row {
  int group, k;  // row k of the blocks of a group
} row;

static bool is_closed(const ss_friction_blocks* b, int c)
{
  const double *Lambda = b->run.Lambda + c*SS_BLOCK_ROWS, *xi = b->run.xi + c*SS_BLOCK_ROWS;
  return !b->space.layout.element[c] && (Lambda[0] > 0 || xi[0] <= SLOW*b->space.scale);
}

static bool has_friction(const ss_friction_blocks* b, int c)
{
  return b->space.layout.count[c] + b->space.layout.element[c] > 1 &&
         (b->bound[c] > 0 || (b->mu[c] > 0 && is_closed(b, c)));
}

static bool slides(const ss_friction_blocks* b, int c)
{
  return c >= b->space.n_free && has_friction(b, c) &&
         ss_tangential(SS_BLOCK_ROWS, b->run.xi + c*SS_BLOCK_ROWS) > SLOW*b->space.scale;
}

// Those of contacts that slide, or of all else. Returns how many there are with them.
static int add_rows(const ss_friction_blocks* b, bool sliding, row* out, int n)
{
  const ss_friction_space* p = &b->space;
  for (int c = 0; c < p->k; c++) {
    int first = p->layout.element[c], end = first + p->layout.count[c];
    if (slides(b, c) != sliding) continue;
    bool all = c < p->n_free || has_friction(b, c);
    for (int k = first; k < end && !sliding; k++)
      if (k == 0 && c >= p->n_free ? is_closed(b, c) : all) out[n++] = (row){c, k};
    if (sliding && is_closed(b, c)) out[n++] = (row){c, 0};
  }
  return n;
}

// An entry of G
static double product(const ss_friction_space* p, row a, row b)
{
  double sum = 0;
  for (int e = p->start[a.group]; e < p->start[a.group + 1]; e++)
    for (int f = p->start[b.group]; f < p->start[b.group + 1]; f++) {
      if (p->col[e] != p->col[f]) continue;
      const double* J = p->value + (size_t)e*SS_BLOCK_NUMBERS + a.k*SS_BLOCK_STRIDE;
      const double* H = p->value + (size_t)f*SS_BLOCK_NUMBERS + b.k*SS_BLOCK_STRIDE;
      for (int q = 0; q < SS_BLOCK_SIZE; q++) sum += J[q]*H[q];
    }
  return sum;
}

// The rows with all their velocities, n_body blocks each
static void spread(const ss_friction_space* p, int n, const row* rest, double* J)
{
  int width = p->n_body*SS_BLOCK_SIZE;
  memset(J, 0, sizeof(double)*(size_t)(n*width));
  for (int i = 0; i < n; i++)
    for (int e = p->start[rest[i].group]; e < p->start[rest[i].group + 1]; e++)
      memcpy(J + i*width + p->col[e]*SS_BLOCK_SIZE,
             p->value + (size_t)e*SS_BLOCK_NUMBERS + rest[i].k*SS_BLOCK_STRIDE, sizeof(double[SS_BLOCK_SIZE]));
}

// Whether the motion may be one of several. SS_CHOICE_NONE too if memory is short.
static ss_choice look(ss_work* w, const ss_island* s)
{
  const ss_friction_space* p = &s->blocks->space;
  size_t m = (size_t)s->m, few = p->n_body <= FEW_BLOCKS ? (size_t)(p->n_body*SS_BLOCK_SIZE) : 0;
  size_t matrices = ss_arena_bytes(sizeof(double)*m*m) + ss_arena_bytes(sizeof(double)*m*few);
  if (!ss_work_island_room(w, ss_arena_bytes(sizeof(row)*m) + matrices)) return SS_CHOICE_NONE;
  row* rest = ss_arena_array(w->island_arena, row, s->m);
  int still = add_rows(s->blocks, false, rest, 0), n = add_rows(s->blocks, true, rest, still), width = (int)few;
  double* A = ss_arena_array(w->island_arena, double, n*n);
  double* J = ss_arena_array(w->island_arena, double, n*width);
  if (few) {
    spread(p, n, rest, J);
    ss_abt_sym(n, width, J, J, A);
  }
  for (int i = 0; i < n && !few; i++)
    for (int j = 0; j <= i; j++) A[i*n + j] = product(p, rest[i], rest[j]);
  return ss_choice_of(n, still, A);
}

// ---- the choice ----

static void write_G(const ss_friction_space* p, int m, double* G)
{
  for (int c = 0, i = 0; c < p->k; i += p->layout.count[c++])
    for (int d = 0, j = 0; d <= c; j += p->layout.count[d++])
      for (int a = 0; a < p->layout.count[c]; a++)
        for (int b = 0; b < p->layout.count[d]; b++)
          G[(i + a)*m + j + b] = G[(j + b)*m + i + a] =
            product(p, (row){c, a + p->layout.element[c]}, (row){d, b + p->layout.element[d]});
}

// Velocities, residual and states of what the island has found
static bool judge(const ss_work* w, const ss_island* s, ss_island_problem* p)
{
  double* size = ss_arena_array(w->island_arena, double, s->m);
  if (!size) return false;
  for (int i = 0; i < s->m; i++) p->solution.Lambda[i] = w->solution.Lambda[p->row[i]];
  write_G(&s->blocks->space, s->m, p->G);
  ss_gemv(s->m, s->m, p->G, p->solution.Lambda, p->solution.xi);
  for (int i = 0; i < s->m; i++) p->solution.xi[i] += p->b[i];
  p->solution.residual = ss_spatial_residual(&p->problem, p->solution.Lambda);
  ss_spatial_states(&p->problem, 2*p->solution.residual*s->blocks->space.scale, size, &p->solution);
  return true;
}

static ss_status choose(ss_work* w, const ss_island* s, bool forces)
{
  ss_island_problem p;
  if (!ss_work_island_room(w, ss_island_bytes(s, true))) return SS_ERR_MEMORY;
  if (!ss_island_gather(w, s, true, w->island_arena, &p) || !judge(w, s, &p)) return SS_ERR_CAPACITY;
  ss_take_choice(w, ss_choose(&p.problem, forces, w->island_arena, &p.solution));
  for (int i = 0; i < s->m; i++) w->solution.Lambda[p.row[i]] = p.solution.Lambda[i];
  return SS_OK;
}

ss_status ss_island_choose(ss_work* w, const ss_step_def* def, const ss_island* s)
{
  const ss_friction_blocks* b = s->blocks;
  bool any = false;
  if (w->kappa > 0 || !(b->run.r <= def->friction.tol)) return SS_OK;
  for (int c = b->space.n_free; c < b->space.k && !any; c++) any = slides(b, c);
  if (!any && s->m > b->space.n_body*SS_BLOCK_SIZE) ss_take_choice(w, SS_CHOICE_FORCES);
  if (s->m - s->n_bilateral > SS_CHOOSE_ROWS) return SS_OK;
  ss_choice may = any ? look(w, s) : SS_CHOICE_FORCES;
  bool forces = may != SS_CHOICE_NONE && ss_island_chooses_forces(w, s, NULL);
  if (may == SS_CHOICE_MOTION || forces) return choose(w, s, forces);
  if (any) ss_take_choice(w, may);
  return SS_OK;
}
