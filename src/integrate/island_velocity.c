// Islands in velocity space: J = W^T L^-T with M = L L^T, so that G = J J^T and Newton's step solves
//   (1 + J^T K J) dv = J^T d,
// which is never singular however many contacts are redundant, and has one small block per pair of bodies that touch.
// Bilateral rows are blocks too, of up to three that act on the same parts; the solver has free impulses for them.
// What comes out is judged by the operators of the system, which know nothing of J.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/pool.h"
#include "integrate/islands.h"
#include "math/dense.h"
#include "math/simd.h"
#include "solve/friction_cone.h"
#include "solve/spatial_residual.h"

enum { LEAST_ROWS = 12, LEAST_BILATERAL = 48 };  // fewer are solved faster as a dense problem
#define CANNOT_MOVE 1e-24     // of the largest of a contact's rows: round-off, made zero
#define ROUND_OFF 1e-12       // of the terms of a velocity
#define LAST_DIGITS 1e-7      // of these: a slip that may be an error (light bodies among heavy)

// ---- sizes ----

typedef struct shape {
  int free;  // groups of bilateral rows
  int blocks, pairs, bodies;
  int widest;  // velocities of a part
} shape;

static int blocks_of(const ss_work* w, int part) { return (w->part_size[part] + SS_BLOCK_SIZE - 1)/SS_BLOCK_SIZE; }

// Which blocks of a part some rows from r on meet; those that bits are short for always count
static uint64_t reach_of(const ss_work* w, int r, int rows, int part)
{
  if (w->part_size[part] <= SS_BLOCK_SIZE || !w->op->row_reach) return UINT64_MAX;
  uint64_t reach = w->op->row_reach(&w->at, w->source[r], part);
  for (int k = 1; k < rows && w->contact_of[r] < 0; k++) reach |= w->op->row_reach(&w->at, w->source[r + k], part);
  return reach;
}

static bool meets(uint64_t reach, int block) { return block >= 64 || (reach >> block & 1); }

static int count_met(const ss_work* w, int r, int rows, int part)
{
  uint64_t reach = reach_of(w, r, rows, part);
  int count = 0;
  for (int i = 0; i < blocks_of(w, part); i++) count += meets(reach, i);
  return count;
}

// Rows from r on that make a group: those of a contact, or bilateral ones that follow one another on the same parts
static int group_rows(const ss_work* w, int r)
{
  if (w->contact_of[r] >= 0) return ss_contact_rows(w->problem.kind[w->contact_of[r]]);
  const int* part = w->row_part + 2*r;
  int rows = 1;
  while (rows < SS_BLOCK_ROWS && w->island_next[r + rows - 1] == r + rows && w->contact_of[r + rows] < 0 &&
         part[2*rows] == part[0] && part[2*rows + 1] == part[1])
    rows++;
  return rows;
}

// The first row of the next group of an island; r is that of one
static int next_group(const ss_work* w, int r) { return w->island_next[r + group_rows(w, r) - 1]; }

// Numbers the blocks of velocities in the order in which contacts meet them. False if a part has no such rows.
static bool measure_island(ss_work* w, const ss_island* s, shape* size)
{
  *size = (shape){0};
  for (int r = s->first; r >= 0; r = next_group(w, r)) {
    const int* part = w->row_part + 2*r;
    int own = 0;
    for (int side = 0; side < 2; side++) {
      if (part[side] < 0 || (side && part[1] == part[0])) continue;
      int count = blocks_of(w, part[side]);
      if (count == 0) return false;
      if (w->part_block[part[side]] < 0) {
        w->part_block[part[side]] = size->bodies;
        size->bodies += count;
        if (w->part_size[part[side]] > size->widest) size->widest = w->part_size[part[side]];
      }
      own += count_met(w, r, group_rows(w, r), part[side]);
    }
    size->free += w->contact_of[r] < 0;
    size->blocks += own;
    size->pairs += own*own;
  }
  return true;
}

static void forget_blocks(ss_work* w, const ss_island* s)
{
  for (int r = s->first; r >= 0; r = next_group(w, r))
    for (int side = 0; side < 2; side++)
      if (w->row_part[2*r + side] >= 0) w->part_block[w->row_part[2*r + side]] = -1;
}

// ---- numbers ----

// Rows from r on; bilateral ones need not belong together
static void half_rows(const ss_work* w, int r, int rows, int part, int stride, double* J)
{
  if (w->contact_of[r] >= 0) w->op->row_half(&w->at, w->source[r], rows, part, stride, J);
  else for (int k = 0; k < rows; k++) w->op->row_half(&w->at, w->source[r + k], 1, part, stride, J + k*stride);
}

// The rows of one group in the velocities of a part, from block e on. Returns how many blocks that were.
static int fill_part(ss_work* w, ss_friction_space* p, int part, int r, int rows, int at, int e, double* scratch)
{
  int size = w->part_size[part], count = 0;
  double* J = p->value + (size_t)e*SS_BLOCK_NUMBERS;
  if (size == SS_BLOCK_SIZE) {
    p->col[e] = w->part_block[part];
    if (rows < SS_BLOCK_ROWS) memset(J, 0, sizeof(double)*SS_BLOCK_NUMBERS);
    half_rows(w, r, rows, part, SS_BLOCK_STRIDE, J + at*SS_BLOCK_STRIDE);
    return 1;
  }
  uint64_t reach = reach_of(w, r, rows, part);
  half_rows(w, r, rows, part, size, scratch);
  for (int first = 0, i = 0; first < size; first += SS_BLOCK_SIZE, i++) {
    if (!meets(reach, i)) continue;
    int left = size - first, n = left < SS_BLOCK_SIZE ? left : SS_BLOCK_SIZE;
    p->col[e + count++] = w->part_block[part] + i;
    memset(J, 0, sizeof(double)*SS_BLOCK_NUMBERS);
    for (int k = 0; k < rows; k++)
      memcpy(J + (at + k)*SS_BLOCK_STRIDE, scratch + k*size + first, sizeof(double)*(size_t)n);
    J += SS_BLOCK_NUMBERS;
  }
  return count;
}

// G_ii of row k of a contact
SS_INLINE double diagonal_of(const ss_friction_space* p, int c, int k)
{
  ss_v4 sum = {0};
  for (int e = p->start[c]; e < p->start[c + 1]; e++) {
    const double* J = p->value + (size_t)e*SS_BLOCK_NUMBERS + k*SS_BLOCK_STRIDE;
    sum += SS_V4C(J)*SS_V4C(J) + SS_V4C(J + 4)*SS_V4C(J + 4);
  }
  return SS_V4_SUM(sum);
}

// Diagonal entries of G of a contact, into w->diagonal from row r on; rows that nothing moves are made zero
SS_INLINE void finish_rows(ss_work* w, ss_friction_space* p, int c, int r, int rows, int at)
{
  double most = 0, trace = 0;
  for (int k = 0; k < rows; k++) {
    w->diagonal[r + k] = diagonal_of(p, c, at + k);
    most = ss_larger(most, w->diagonal[r + k]);
  }
  for (int k = 0; k < rows; k++) {
    if (w->diagonal[r + k] <= CANNOT_MOVE*most) {
      w->diagonal[r + k] = 0;
      for (int e = p->start[c]; e < p->start[c + 1]; e++)
        memset(p->value + (size_t)e*SS_BLOCK_NUMBERS + (at + k)*SS_BLOCK_STRIDE, 0, sizeof(double[SS_BLOCK_SIZE]));
    }
    trace += w->diagonal[r + k];
  }
  p->trace[c] = trace;
}

// All of group c, whose first row in the problem is r
SS_INLINE void fill_group(ss_work* w, ss_friction_blocks* b, int c, int r, double* scratch)
{
  const ss_contact_problem* from = &w->problem;
  ss_friction_space* p = &b->space;
  const int* part = w->row_part + 2*r;
  int i = w->contact_of[r], rows = group_rows(w, r), at = i >= 0 && from->kind[i] == SS_CONTACT_FRICTION;
  int e = p->start[c];
  bool friction = i >= 0 && from->kind[i] != SS_CONTACT_NORMAL;
  p->layout.count[c] = rows;
  p->layout.element[c] = at;
  b->mu[c] = friction && !at ? from->mu[i] : 0;
  b->bound[c] = friction ? from->bound[i] : 0;
  for (int side = 0; side < 2; side++)
    if (part[side] >= 0 && !(side && part[1] == part[0]))
      e += fill_part(w, p, part[side], r, rows, at, e, scratch);
  finish_rows(w, p, c, r, rows, at);
  for (int k = 0; k < SS_BLOCK_ROWS; k++) {
    bool there = k >= at && k < at + rows;
    p->b[c*SS_BLOCK_ROWS + k] = there ? from->b[r + k - at] : 0;
    b->run.Lambda[c*SS_BLOCK_ROWS + k] = there && w->has_guess ? w->guess[r + k - at] : 0;
  }
}

// Where the blocks of each group begin, and its first row in the problem
static void place_groups(const ss_work* w, const ss_island* s, int* start, int* row)
{
  start[0] = 0;
  for (int r = s->first, c = 0; r >= 0; r = next_group(w, r), c++) {
    const int* part = w->row_part + 2*r;
    int rows = group_rows(w, r);
    start[c + 1] = start[c] + (part[0] >= 0 ? count_met(w, r, rows, part[0]) : 0);
    if (part[1] >= 0 && part[1] != part[0]) start[c + 1] += count_met(w, r, rows, part[1]);
    row[c] = r;
  }
}

enum { AT_ONCE = 128 };  // groups that one thread fills

typedef struct filling {
  ss_work* w;
  ss_friction_blocks* b;
  int n;
  const int* row;   // n
  double* scratch;  // for each AT_ONCE of them
  size_t room;      // numbers of that
} filling;

SS_CLONES static void fill_some(const filling* f, int from, int to, double* scratch)
{
  for (int c = from; c < to; c++) fill_group(f->w, f->b, c, f->row[c], scratch);
}

static void fill_task(void* user, int i)
{
  const filling* f = user;
  int end = (i + 1)*AT_ONCE;
  fill_some(f, i*AT_ONCE, end < f->n ? end : f->n, f->scratch + (size_t)i*f->room);
}

// Memory of an island: that of the first part it has, so that it finds its own again
static ss_friction_blocks* find_memory(ss_work* w, const ss_island* s)
{
  const int* part = w->row_part + 2*s->first;
  ss_friction_blocks** own = &w->part_memory[part[0] >= 0 ? part[0] : part[1]];
  if (!*own) *own = ss_friction_blocks_create();
  return *own;
}

static bool suits(const ss_work* w, const ss_step_def* def, const ss_island* s)
{
  const ss_friction_def* how = &def->friction;
  const int* part = w->row_part + 2*s->first;
  if (s->sets || !w->op->row_half || how->method != SS_FRICTION_AUTO || how->polyhedral) return false;
  int least = s->n_bilateral == 0 ? LEAST_ROWS : LEAST_BILATERAL;
  return s->m >= least && (part[0] >= 0 || part[1] >= 0);
}

ss_status ss_island_fill(ss_work* w, const ss_step_def* def, ss_island* s)
{
  shape size;
  if (!suits(w, def, s)) return SS_OK;
  forget_blocks(w, s);
  if (!measure_island(w, s, &size)) return SS_OK;
  // wide trees with few contacts are better off in the space of their contacts
  if (size.bodies*SS_BLOCK_SIZE > 2*s->m && s->m <= SS_DENSE_MOST) return SS_OK;
  ss_friction_blocks* b = find_memory(w, s);
  int n = size.free + s->k, tasks = (n + AT_ONCE - 1)/AT_ONCE;
  filling f = {.w = w, .b = b, .n = n, .room = (size_t)SS_BLOCK_ROWS*(size_t)size.widest};
  size_t rows = ss_arena_bytes(sizeof(int)*(size_t)n), scratch = ss_arena_bytes(sizeof(double)*f.room*(size_t)tasks);
  if (!b || !ss_friction_blocks_size(b, size.free, n, size.blocks, size.pairs, size.bodies)) return SS_ERR_MEMORY;
  if (!ss_work_island_room(w, rows + scratch)) return SS_ERR_MEMORY;
  int* row = ss_arena_array(w->island_arena, int, n);
  place_groups(w, s, b->space.start, row);
  f.row = row;
  f.scratch = ss_arena_array(w->island_arena, double, f.room*(size_t)tasks);
  ss_pool_run(w->at.pool, tasks, fill_task, &f);
  s->blocks = b;
  return ss_all_finite(b->space.m, b->space.b) ? SS_OK : SS_ERR_NUMERIC;
}

// ---- solve ----

// The residual that needs no improvement: contacts would creep by less than 1e-11 m in 1000 s (of |b| = 0.01 m/s). What
// is left over in a step adds up as velocity, until it is worth a step of Newton's method; the impulses that take it
// out are not those of rest, which are found one step later. The velocity at the start tells which of the two it is.
static double enough(const ss_work* w, const ss_island* s)
{
  double moves = 0;
  for (int r = s->first; r >= 0; r = w->island_next[r]) moves = ss_larger(moves, fabs(w->gamma[w->source[r]]));
  double scale = ss_norm_inf(s->blocks->space.m, s->blocks->space.b), part = 2*moves/scale;
  return part > 1e-12 ? 1e-12 : part > 1e-13 ? part : 1e-13;
}

void ss_island_solve(ss_work* w, const ss_step_def* def, ss_island* s, ss_pool* pool)
{
  ss_friction_blocks* b = s->blocks;
  const ss_friction_run* run = &b->run;
  bool met = ss_friction_blocks_solve(b, &def->friction, w->kappa, w->has_guess, enough(w, s), pool);
  s->status = met ? SS_OK : SS_NOT_CONVERGED;
  for (int r = s->first, c = 0; r >= 0; r = next_group(w, r), c++) {
    const double* from = run->Lambda + c*SS_BLOCK_ROWS + s->blocks->space.layout.element[c];
    for (int k = 0; k < group_rows(w, r); k++) w->solution.Lambda[r + k] = from[k];
  }
}

// ---- judgement ----

// What friction of contact i is below its limit, as a velocity
static double slack_of(const ss_work* w, int i, int r)
{
  const ss_contact_problem* p = &w->problem;
  const double* Lambda = w->solution.Lambda + r;
  int T = p->kind[i] != SS_CONTACT_FRICTION;
  double limit = p->bound[i] + (T ? p->mu[i]*Lambda[0] : 0);
  return (limit - hypot(Lambda[T], p->kind[i] == SS_CONTACT_SPATIAL ? Lambda[T + 1] : 0))*w->diagonal[r + T];
}

// What contact i does, whose first row is r. Velocities below `error`, which is how well they are known, or below
// round-off of their terms, count as zero; of what neither rests nor rubs to the last digits the larger one of slip and
// slack decides. What neither carries a load nor parts is closed (contact/spatial.c).
static ss_contact_state read_state(const ss_work* w, int i, int r, double error)
{
  const ss_contact_problem* p = &w->problem;
  const ss_contact_solution* s = &w->solution;
  bool normal = p->kind[i] != SS_CONTACT_FRICTION, tangent = p->kind[i] != SS_CONTACT_NORMAL;
  bool friction = tangent && ((normal && p->mu[i] > 0) || p->bound[i] > 0);
  int T = r + normal;
  double terms = fabs(p->b[r]) + w->row_size[w->source[r]], zero = fmax(error, ROUND_OFF*terms);
  bool closed = !normal || s->Lambda[r]*w->diagonal[r] > zero || s->xi[r] <= zero;
  if (!closed && (p->bound[i] == 0 || !friction)) return SS_OPEN;
  if (!friction) return SS_CLOSED;
  bool spatial = p->kind[i] == SS_CONTACT_SPATIAL;
  double slip = spatial ? hypot(s->xi[T], s->xi[T + 1]) : fabs(s->xi[T]);
  if (slip <= zero || (slip <= LAST_DIGITS*terms && slip < slack_of(w, i, r))) return SS_STICK;
  return spatial ? SS_SLIP : s->xi[T] > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
}

// What compliance adds to the velocities and to the diagonal of G of an island
static void soften(const ss_work* w, ss_island_problem* p)
{
  for (int i = 0, r = p->problem.n_bilateral; i < p->problem.n_contact && w->kappa > 0; i++) {
    double trace = 0;
    int end = r + ss_contact_rows(p->kind[i]);
    for (int k = r; k < end; k++) trace += p->diagonal[k];
    for (; r < end; r++) {
      p->diagonal[r] += w->kappa*trace;
      p->solution.xi[r] += w->kappa*trace*p->solution.Lambda[r];
      w->solution.xi[p->row[r]] = p->solution.xi[r];
    }
  }
}

static ss_status judge_island(ss_work* w, const ss_step_def* def, ss_island* s)
{
  ss_island_problem p;
  double tol = def->friction.tol, scale = 0;
  if (s->status < 0) return s->status;
  if (!ss_work_island_room(w, ss_island_bytes(s, false))) return SS_ERR_MEMORY;
  if (!ss_island_gather(w, s, false, w->island_arena, &p)) return SS_ERR_CAPACITY;
  for (int i = 0; i < s->m; i++) {
    p.solution.Lambda[i] = w->solution.Lambda[p.row[i]];
    p.solution.xi[i] = w->solution.xi[p.row[i]];
    scale = fmax(scale, fabs(p.b[i]));
  }
  soften(w, &p);
  double residual = ss_spatial_measure(&p.problem, p.diagonal, p.solution.xi, p.solution.Lambda);
  double error = residual <= tol ? 2*residual*scale : 0;
  for (int i = 0, r = s->n_bilateral; i < s->k; r += ss_contact_rows(p.kind[i++]))
    w->solution.state[p.contact[i]] = read_state(w, p.contact[i], p.row[r], error);
  const ss_friction_run* run = &s->blocks->run;
  w->solution.iterations += s->blocks->space.sweeps + run->newton + run->ipm + run->admm;
  w->solution.residual = fmax(w->solution.residual, residual);
  if (residual <= tol) return SS_OK;
  return s->status == SS_OK ? SS_INACCURATE : s->status;
}

ss_status ss_islands_judge(ss_work* w, const ss_step_def* def, int n, ss_island* island)
{
  ss_status worst = SS_OK;
  ss_impulse_velocity(w, w->jump);
  w->op->row_velocity(&w->at, w->jump, w->row_jump, w->row_size);
  w->has_jump = true;
  for (int r = 0; r < w->problem.m; r++) w->solution.xi[r] = w->row_jump[w->source[r]] + w->b[r];
  for (int i = 0; i < n; i++) {
    if (!island[i].blocks) continue;
    ss_status st = judge_island(w, def, &island[i]);
    if (st < 0) return st;
    if (st > worst) worst = st;
  }
  return worst;
}
