// The contact problem of a step taken apart into islands: rows that act on no common part of the system (a kinematic
// tree) have nothing to do with one another. Every island is a small dense problem; G of the whole is never formed.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "integrate/work.h"

// One island: its rows and contacts in the problem of the step, and the arrays of its own problem.
typedef struct island {
  int m, k, n_bilateral;
  int *row, *contact;      // m, k: in the problem of the step
  int* source;             // m: rows of the list
  double *G, *b, *mu, *bound;
  ss_contact_kind* kind;
  ss_contact_solution solution;
} island;

// ---- which row belongs to which ----

static int root_of(int* up, int i)
{
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

// w->island_of (m): numbers from 0 in the order of the rows. Returns how many there are.
static int find_islands(ss_work* w)
{
  int m = w->problem.m, n_parts = w->def->n_parts, n = 0;
  int *up = w->part_up, *number = w->part_number;
  w->op->row_parts(&w->at, m, w->source, w->row_part);
  for (int i = 0; i < n_parts; i++) {
    up[i] = i;
    number[i] = -1;
  }
  for (int r = 0; r < m; r++) {
    const int* p = w->row_part + 2*r;
    if (p[0] >= 0 && p[1] >= 0) up[root_of(up, p[0])] = root_of(up, p[1]);
  }
  for (int r = 0; r < m; r++) {
    const int* p = w->row_part + 2*r;
    int part = p[0] >= 0 ? p[0] : p[1], root = part < 0 ? -1 : root_of(up, part);
    if (root >= 0 && number[root] < 0) number[root] = n++;
    w->island_of[r] = root < 0 ? n++ : number[root];
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

// ---- one island ----

static size_t island_bytes(int m, int k, int n_bilateral)
{
  size_t rows = (size_t)m, n = (size_t)k;
  return sizeof(double)*(rows*rows + 3*rows + 2*n) + sizeof(int)*(2*rows + n) + n*16 + 12*64 +
         ss_contact_solve_spatial_size(n_bilateral, k);
}

static bool take_island(ss_arena* a, island* s)
{
  int m = s->m, k = s->k;
  bool ok = (s->G = ss_arena_array(a, double, (size_t)m*(size_t)m)) && (s->b = ss_arena_array(a, double, m));
  ok = ok && (s->mu = ss_arena_array(a, double, k)) && (s->bound = ss_arena_array(a, double, k));
  ok = ok && (s->row = ss_arena_array(a, int, m)) && (s->source = ss_arena_array(a, int, m));
  ok = ok && (s->contact = ss_arena_array(a, int, k)) && (s->kind = ss_arena_array(a, ss_contact_kind, k));
  ok = ok && (s->solution.Lambda = ss_arena_array(a, double, m)) && (s->solution.xi = ss_arena_array(a, double, m));
  return ok && (s->solution.state = ss_arena_array(a, ss_contact_state, k));
}

// Rows and contacts of the island that begins with row `first` of the problem; members are linked by w->island_next
static void gather(const ss_work* w, int first, island* s)
{
  const ss_contact_problem* p = &w->problem;
  int m = 0, k = 0;
  for (int r = first; r >= 0; r = w->island_next[r]) {
    s->row[m] = r;
    s->source[m] = w->source[r];
    s->b[m++] = p->b[r];
    int c = w->contact_of[r];
    if (c < 0 || (k && s->contact[k - 1] == c)) continue;
    s->contact[k] = c;
    s->kind[k] = p->kind[c];
    s->mu[k] = p->mu[c];
    s->bound[k++] = p->bound[c];
  }
}

static void scatter(ss_work* w, const island* s)
{
  for (int r = 0; r < s->m; r++) {
    w->solution.Lambda[s->row[r]] = s->solution.Lambda[r];
    w->solution.xi[s->row[r]] = s->solution.xi[r];
  }
  for (int i = 0; i < s->k; i++) w->solution.state[s->contact[i]] = s->solution.state[i];
}

static ss_status solve_island(ss_work* w, const ss_step_def* def, int first, island* s)
{
  size_t bytes = island_bytes(s->m, s->k, s->n_bilateral);
  if (bytes > w->island_bytes) {
    ss_arena_destroy(w->island_arena);
    w->island_arena = ss_arena_create(bytes + bytes/2);
    w->island_bytes = w->island_arena ? bytes + bytes/2 : 0;
    if (!w->island_arena) return SS_ERR_MEMORY;
  }
  ss_arena_release(w->island_arena, 0);
  if (!take_island(w->island_arena, s)) return SS_ERR_CAPACITY;
  gather(w, first, s);
  ss_status st = w->op->delassus(&w->at, s->m, s->source, s->G);
  if (st < 0) return st;
  ss_contact_problem p = {.n_bilateral = s->n_bilateral, .n_contact = s->k, .m = s->m, .G = s->G, .b = s->b,
                          .kind = s->kind, .mu = s->mu, .bound = s->bound};
  st = ss_contact_solve_spatial(&p, &def->friction, w->island_arena, &s->solution);
  if (st >= 0) scatter(w, s);
  return st;
}

// ---- all of them ----

// Links the rows of each island, counts them, and tells which contact a row belongs to.
static void link_islands(ss_work* w, int n, int* rows, int* contacts, int* bilateral)
{
  const ss_contact_problem* p = &w->problem;
  for (int i = 0; i < n; i++) {
    w->island_first[i] = w->island_last[i] = -1;
    rows[i] = contacts[i] = bilateral[i] = 0;
  }
  for (int i = 0, r = 0; r < p->m; i++) {
    int c = i < p->n_bilateral ? -1 : i - p->n_bilateral, count = c < 0 ? 1 : ss_contact_rows(p->kind[c]);
    int s = w->island_of[r];
    rows[s] += count;
    if (c < 0) bilateral[s]++;
    else contacts[s]++;
    for (; count > 0; count--, r++) {
      w->contact_of[r] = c;
      w->island_next[r] = -1;
      if (w->island_last[s] >= 0) w->island_next[w->island_last[s]] = r;
      else w->island_first[s] = r;
      w->island_last[s] = r;
    }
  }
}

ss_status ss_solve_islands(ss_work* w, const ss_step_def* def)
{
  int n = find_islands(w);
  int *rows = w->island_size, *contacts = rows + w->most_rows, *bilateral = contacts + w->most_rows;
  join_rows(w);
  link_islands(w, n, rows, contacts, bilateral);
  ss_status worst = SS_OK;
  for (int i = 0; i < n; i++) {
    if (w->island_first[i] < 0) continue;
    island s = {.m = rows[i], .k = contacts[i], .n_bilateral = bilateral[i]};
    ss_status st = solve_island(w, def, w->island_first[i], &s);
    if (st < 0) return st;
    if (st > worst) worst = st;
    w->solution.iterations += s.solution.iterations;
    w->solution.residual = fmax(w->solution.residual, s.solution.residual);
  }
  return worst;
}
