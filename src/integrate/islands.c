// The contact problem of a step taken apart into islands: rows that act on no common part of the system (a kinematic
// tree) have nothing to do with one another. Small ones are dense problems, others are solved in velocity space
// (island_velocity.c); G of the whole is never formed.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/sets.h"
#include "contact/choose.h"
#include "integrate/islands.h"
#include "solve/friction_chunks.h"

enum { MOST_ROWS = 10000 };  // of a dense problem: G takes 0.8 GB

// ---- which row belongs to which ----

// Row r of the list acts on what the row before it acts on, as those of a contact do
static bool is_like_last(const ss_work* w, int r)
{
  const int* p = w->row_part + 2*r;
  return r > 0 && p[0] == p[-2] && p[1] == p[-1] && (p[0] >= 0 || p[1] >= 0);
}

int ss_find_islands(ss_work* w, int m, const int* row, int* island_of)
{
  int n_parts = w->def->n_parts, n = 0;
  int *up = w->part_up, *number = w->part_number;
  w->op->row_parts(&w->at, m, row, w->row_part);
  ss_sets_apart(up, n_parts);
  for (int i = 0; i < n_parts; i++) number[i] = -1;
  for (int r = 0; r < m; r++) {
    const int* p = w->row_part + 2*r;
    if (is_like_last(w, r)) continue;
    if (p[0] >= 0 && p[1] >= 0) ss_sets_join(up, p[0], p[1]);
  }
  for (int r = 0; r < m; r++) {
    const int* p = w->row_part + 2*r;
    if (is_like_last(w, r)) {
      island_of[r] = island_of[r - 1];
      continue;
    }
    int part = p[0] >= 0 ? p[0] : p[1], root = part < 0 ? -1 : ss_set_root(up, part);
    if (root >= 0 && number[root] < 0) number[root] = n++;
    island_of[r] = root < 0 ? n++ : number[root];
  }
  return n;
}

// Rows that nothing moves are islands of their own: all rows of a contact must be in one
static void join_rows(ss_work* w)
{
  const ss_contact_problem* p = &w->problem;
  for (int i = 0, r = p->n_bilateral; i < p->n_contact; i++) {
    int first = w->island_of[r];
    for (int k = ss_contact_rows(p->kind[i]); k > 0; k--) w->island_of[r++] = first;
  }
}

// Links the rows of each island, counts them, and tells which contact a row belongs to.
static void link_islands(ss_work* w, int n)
{
  const ss_contact_problem* p = &w->problem;
  for (int i = 0; i < n; i++) w->island[i] = (ss_island){.first = -1, .last = -1};
  for (int i = 0, r = 0; r < p->m; i++) {
    int c = i < p->n_bilateral ? -1 : i - p->n_bilateral, count = c < 0 ? 1 : ss_contact_rows(p->kind[c]);
    ss_island* s = &w->island[w->island_of[r]];
    s->m += count;
    if (c < 0) s->n_bilateral++;
    else s->k++;
    if (c >= 0 && w->n_sets && w->set[c]) s->sets = true;
    for (; count > 0; count--, r++) {
      w->contact_of[r] = c;
      s->scale = fmax(s->scale, fabs(p->b[r]));
      w->island_next[r] = -1;
      if (s->last >= 0) w->island_next[s->last] = r;
      else s->first = r;
      s->last = r;
    }
  }
}

// ---- an island as a problem of its own ----

size_t ss_island_bytes(const ss_island* s, bool dense)
{
  size_t m = (size_t)s->m, k = (size_t)s->k;
  size_t bytes = sizeof(double)*(4*m + 2*k) + sizeof(int)*(2*m + k) + k*16 + 13*64;
  if (!dense) return bytes;
  size_t solve = ss_contact_solve_spatial_size(s->n_bilateral, s->k);
  size_t choice = ss_arena_bytes(sizeof(double)*m) + ss_choose_size(s->n_bilateral, s->k, s->m - s->n_bilateral);
  return bytes + sizeof(double)*m*m + (solve > choice ? solve : choice);
}

static bool take_problem(ss_arena* a, int m, int k, bool dense, ss_island_problem* p)
{
  size_t whole = dense ? (size_t)m*(size_t)m : 0;
  bool ok = (p->G = ss_arena_array(a, double, whole)) && (p->b = ss_arena_array(a, double, m));
  ok = ok && (p->mu = ss_arena_array(a, double, k)) && (p->bound = ss_arena_array(a, double, k));
  ok = ok && (p->row = ss_arena_array(a, int, m)) && (p->source = ss_arena_array(a, int, m));
  ok = ok && (p->contact = ss_arena_array(a, int, k)) && (p->kind = ss_arena_array(a, ss_contact_kind, k));
  ok = ok && (p->solution.Lambda = ss_arena_array(a, double, m)) && (p->solution.xi = ss_arena_array(a, double, m));
  ok = ok && (p->diagonal = ss_arena_array(a, double, m));
  return ok && (p->solution.state = ss_arena_array(a, ss_contact_state, k));
}

bool ss_island_gather(const ss_work* w, const ss_island* s, bool dense, ss_arena* arena, ss_island_problem* out)
{
  const ss_contact_problem* p = &w->problem;
  int m = 0, k = 0;
  *out = (ss_island_problem){0};
  if (!take_problem(arena, s->m, s->k, dense, out)) return false;
  for (int r = s->first; r >= 0; r = w->island_next[r]) {
    out->row[m] = r;
    out->source[m] = w->source[r];
    out->diagonal[m] = dense ? 0 : w->diagonal[r];
    out->solution.Lambda[m] = w->has_guess ? w->guess[r] : 0;
    out->b[m++] = p->b[r];
    int c = w->contact_of[r];
    if (c < 0 || (k && out->contact[k - 1] == c)) continue;
    out->contact[k] = c;
    out->kind[k] = p->kind[c];
    out->mu[k] = p->mu[c];
    out->bound[k++] = p->bound[c];
  }
  out->problem = (ss_contact_problem){.n_bilateral = s->n_bilateral, .n_contact = s->k, .m = s->m, .G = out->G,
                                      .b = out->b, .kind = out->kind, .mu = out->mu, .bound = out->bound};
  return true;
}

static void scatter(ss_work* w, const ss_island* s, const ss_island_problem* p)
{
  for (int r = 0; r < s->m; r++) {
    w->solution.Lambda[p->row[r]] = p->solution.Lambda[r];
    w->solution.xi[p->row[r]] = p->solution.xi[r];
  }
  for (int i = 0; i < s->k; i++) w->solution.state[p->contact[i]] = p->solution.state[i];
}

// Why an island is dense that is larger than it may be
static ss_status refuse(ss_work* w, const ss_step_def* def, const ss_island* s)
{
  const char* why = s->sets ? "friction polygons"
                    : def->friction.polyhedral ? "polyhedral friction cones"
                    : def->friction.method != SS_FRICTION_AUTO ? "solvers other than auto" : "planar scenes";
  return ss_work_fail(w, SS_ERR_CAPACITY, "an island of %d contact rows at t = %g; with %s at most %d are possible, as "
                      "these problems are dense", s->m, w->at.t, why, MOST_ROWS);
}

// Whose residual is not below `better` is not taken: *taken tells
static ss_status solve_dense(ss_work* w, const ss_step_def* def, const ss_island* s, double better, bool* taken)
{
  ss_island_problem p;
  ss_friction_def how = def->friction;
  if (s->m > MOST_ROWS) return refuse(w, def, s);
  if (!ss_work_island_room(w, ss_island_bytes(s, true))) return SS_ERR_MEMORY;
  if (!ss_island_gather(w, s, true, w->island_arena, &p)) return SS_ERR_CAPACITY;
  ss_status st = w->op->delassus(&w->at, s->m, p.source, p.G);
  if (st < 0) return st;
  ss_add_compliance(w->kappa, &p.problem, p.G);
  how.warm_start = w->has_guess;
  st = s->sets ? ss_island_sets(w, def, &p) : ss_contact_solve_spatial(&p.problem, &how, w->island_arena, &p.solution);
  if (st == SS_ERR_CAPACITY)
    return ss_work_fail(w, st, "an island of %d contact rows at t = %g is too large for the solver %s", s->m, w->at.t,
                        ss_friction_method_name(how.method));
  *taken = st >= 0 && p.solution.residual < better;
  if (!*taken) return st;
  bool exact = w->kappa == 0 && !s->sets && !how.polyhedral;
  if (w->chooses && st == SS_OK && exact) {
    bool forces = ss_island_chooses_forces(w, s, p.solution.Lambda);
    ss_examine(w, &p.problem, &p.solution);
    ss_take_choice(w, ss_choose(&p.problem, forces, w->island_arena, &p.solution));
  }
  scatter(w, s, &p);
  w->solution.iterations += p.solution.iterations;
  w->solution.residual = fmax(w->solution.residual, p.solution.residual);
  return st;
}

// ---- all of them ----

bool ss_work_island_room(ss_work* w, size_t bytes)
{
  if (bytes > w->island_bytes) {
    ss_arena_destroy(w->island_arena);
    w->island_arena = ss_arena_create(bytes + bytes/2);
    w->island_bytes = w->island_arena ? bytes + bytes/2 : 0;
    if (!w->island_arena) return false;
  }
  ss_arena_release(w->island_arena, 0);
  return true;
}

// Islands of velocity space: large ones one after the other by all threads, then the others at the same time
typedef struct island_work {
  ss_work* w;
  const ss_step_def* def;
} island_work;

static bool is_large(const ss_island* s) { return s->blocks && s->blocks->space.k >= SS_LEAST_CHUNKED; }

static void island_task(void* user, int i)
{
  const island_work* at = user;
  ss_island* s = &at->w->island[i];
  if (s->blocks && !is_large(s)) ss_island_solve(at->w, at->def, s, NULL);
}

static void solve_velocities(ss_work* w, const ss_step_def* def, int n)
{
  for (int i = 0; i < n; i++)
    if (is_large(&w->island[i])) ss_island_solve(w, def, &w->island[i], w->at.pool);
  ss_pool_run(w->at.pool, n, island_task, &(island_work){w, def});
}

// Dense problems. What velocity space misses is tried as one too, for there are more methods; the better impulses stay.
// Not what round-off keeps from being met.
static ss_status solve_rest(ss_work* w, const ss_step_def* def, ss_island* s)
{
  bool taken;
  if (!s->blocks) return solve_dense(w, def, s, INFINITY, &taken);
  if (s->status == SS_OK) return w->chooses ? ss_island_choose(w, def, s) : SS_OK;
  if (s->status != SS_NOT_CONVERGED || s->m > SS_DENSE_MOST || s->blocks->contrary) return SS_OK;
  if (ss_friction_at_round_off(&s->blocks->run)) return SS_OK;
  ss_status st = solve_dense(w, def, s, s->blocks->run.r, &taken);
  if (taken) s->blocks = NULL;
  return st < 0 || taken ? st : SS_OK;
}

ss_status ss_solve_islands(ss_work* w, const ss_step_def* def)
{
  int n = ss_find_islands(w, w->problem.m, w->source, w->island_of), in_velocities = 0;
  w->has_row_parts = true;
  join_rows(w);
  link_islands(w, n);
  ss_status worst = SS_OK, st = SS_OK;
  for (int i = 0; i < n && st >= 0; i++) {
    if (w->island[i].first >= 0) st = ss_island_fill(w, def, &w->island[i]);
    in_velocities += w->island[i].blocks != NULL;
  }
  if (st < 0) return st;
  if (in_velocities) solve_velocities(w, def, n);
  for (int i = 0; i < n; i++) {
    if (w->island[i].first < 0) continue;
    st = ss_stopped(def->friction.stop) ? SS_ERR_STOPPED : solve_rest(w, def, &w->island[i]);
    if (st < 0) return st;
    if (st > worst) worst = st;
  }
  if (ss_stopped(def->friction.stop)) return SS_ERR_STOPPED;
  if (in_velocities) st = ss_islands_judge(w, def, n, w->island);
  return st < 0 || st > worst ? st : worst;
}
