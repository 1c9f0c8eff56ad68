// The pivoting method: free unknowns enter the basis first, then Lemke's path through what is left [Dirkse & Ferris
// 1995]. A box 0 <= t_i <= u_i is two pairs, exactly:
//   v_i = v+_i - s_i,   0 <= v+_i _|_ t_i >= 0,   0 <= u_i - t_i _|_ s_i >= 0
#include "solve/mlcp_eliminate.h"
#include "base/arena.h"
#include "math/dense.h"
#include <math.h>

// The LCP that is left
typedef struct reduced {
  int m, pairs;      // unknowns: `pairs` complementary pairs, then one more for each box
  double* A;         // m x m
  double *b;         // m
  double *x, *y;     // m
  double *ray;       // m
  int *unknown;      // m: the unknown of the MLCP that x_k belongs to
  int *partner;      // pairs: the k of the box, -1 if there is none
} reduced;

typedef struct path {
  ss_mlcp_run* run;
  ss_elimination e;
  reduced l;
  double *values, *zhat;  // n: values of the nonbasic variables, and the z^ that belongs to them
} path;

// ---- memory: the LCP has 2n unknowns at most ----

static size_t doubles(int n)
{
  size_t N = (size_t)n, m = 2*N;
  return ss_elimination_doubles(n) + 2*N + m*m + 4*m;
}

static size_t ints(int n) { return ss_elimination_ints(n) + 4*(size_t)n; }

size_t ss_mlcp_path_size(int n)
{
  return ss_arena_bytes(sizeof(double)*doubles(n)) + ss_arena_bytes(sizeof(int)*ints(n)) + ss_lcp_lemke_size(2*n);
}

static bool take_memory(path* p)
{
  int n = p->run->s.n;
  size_t N = (size_t)n, m = 2*N;
  double* d = ss_arena_array(p->run->arena, double, doubles(n));
  int* k = ss_arena_array(p->run->arena, int, ints(n));
  if (!d || !k) return false;
  ss_elimination_init(&p->e, n, d, k);
  d += ss_elimination_doubles(n);
  p->values = d;
  p->zhat = d + N;
  d += 2*N;
  p->l = (reduced){.A = d, .b = d + m*m, .x = d + m*m + m, .y = d + m*m + 2*m, .ray = d + m*m + 3*m,
                   .unknown = k + ss_elimination_ints(n), .partner = k + ss_elimination_ints(n) + 2*N};
  return true;
}

// ---- reduction ----

static bool is_exchanged(const ss_elimination* e, int i) { return e->place[i] >= 0; }
static int basic_row(const ss_elimination* e, int i) { return is_exchanged(e, i) ? e->place[i] : e->place[e->n + i]; }
static int column_of(const ss_elimination* e, int i)
{
  return is_exchanged(e, i) ? -1 - e->place[e->n + i] : -1 - e->place[i];
}

static void list_unknowns(path* p)
{
  const ss_mlcp_scaled* s = &p->run->s;
  reduced* l = &p->l;
  l->m = 0;
  for (int i = 0; i < s->n; i++)
    if (!ss_is_free(s, i) && !ss_is_fixed(s, i)) l->unknown[l->m++] = i;
  l->pairs = l->m;
  for (int k = 0; k < l->pairs; k++) {
    l->partner[k] = ss_is_box(s, l->unknown[k]) ? l->m : -1;
    if (l->partner[k] >= 0) l->unknown[l->m++] = l->unknown[k];
  }
}

// Row k: the basic one of t_i and v_i, by the nonbasic ones; if v_i is nonbasic it is x_k - s_k
static void fill_row(path* p, int k)
{
  reduced* l = &p->l;
  const ss_elimination* e = &p->e;
  int i = l->unknown[k], r = basic_row(e, i);
  double* a = l->A + (size_t)k*(size_t)l->m;
  for (int c = 0; c < l->m; c++) a[c] = 0;
  for (int c = 0; c < l->pairs; c++) {
    int j = l->unknown[c];
    a[c] = e->T[(size_t)r*(size_t)e->n + (size_t)column_of(e, j)];
    if (l->partner[c] >= 0 && is_exchanged(e, j)) a[l->partner[c]] = -a[c];
  }
  if (l->partner[k] >= 0 && !is_exchanged(e, i)) a[l->partner[k]] += 1;
  l->b[k] = e->rhs[r];
}

// u_i - t_i, with t_i as x_k or as the row of it
static void fill_box_row(path* p, int k)
{
  reduced* l = &p->l;
  int i = l->unknown[k], q = l->partner[k];
  double *a = l->A + (size_t)q*(size_t)l->m, width = p->run->s.upper[i] - p->run->s.lower[i];
  const double* t = l->A + (size_t)k*(size_t)l->m;
  bool exchanged = is_exchanged(&p->e, i);
  for (int c = 0; c < l->m; c++) a[c] = exchanged ? -t[c] : 0;
  if (!exchanged) a[k] = -1;
  l->b[q] = width - (exchanged ? l->b[k] : 0);
}

static void reduce(path* p)
{
  list_unknowns(p);
  for (int k = 0; k < p->l.pairs; k++) fill_row(p, k);
  for (int k = 0; k < p->l.pairs; k++)
    if (p->l.partner[k] >= 0) fill_box_row(p, k);
}

// ---- back to the MLCP ----

// Values (or directions) of the nonbasic variables from those of the LCP
static void spread(path* p, const double* x)
{
  const reduced* l = &p->l;
  for (int c = 0; c < p->e.n; c++) p->values[c] = 0;
  for (int k = 0; k < l->pairs; k++) {
    int i = l->unknown[k];
    double s = l->partner[k] >= 0 && is_exchanged(&p->e, i) ? x[l->partner[k]] : 0;
    p->values[column_of(&p->e, i)] = x[k] - s;
  }
}

// At a bound where the LCP says so, unless x_k and y_k are both below `tie`: then the unknown may as well be inside,
// and without it the equations of the others may be singular. Unknowns whose t counts downwards have their upper bound
// at t = 0.
static void set_states(path* p, double tie)
{
  ss_mlcp_run* run = p->run;
  const reduced* l = &p->l;
  for (int i = 0; i < run->s.n; i++) run->state[i] = ss_is_fixed(&run->s, i) ? SS_AT_LOWER : SS_INSIDE;
  for (int k = 0; k < l->pairs; k++) {
    int i = l->unknown[k];
    double s = l->partner[k] >= 0 ? l->x[l->partner[k]] : 0;
    bool exchanged = is_exchanged(&p->e, i), at_ref = exchanged ? l->x[k] > s : !(l->x[k] > 0);
    if (at_ref && fmax(l->x[k], l->y[k]) <= tie) continue;
    if (at_ref) run->state[i] = p->e.sign[i] > 0 ? SS_AT_LOWER : SS_AT_UPPER;
    else if (s > 0) run->state[i] = SS_AT_UPPER;
  }
}

static void offer(path* p)
{
  spread(p, p->l.x);
  ss_elimination_z(&p->e, p->values, p->zhat);
  for (int k = 0; k < 3; k++) {
    set_states(p, k == 0 ? -1 : k == 1 ? 1e-12 : 1e-9);
    if (ss_mlcp_polish(p->run, p->zhat)) return;
  }
  ss_mlcp_offer(p->run, p->zhat, 0);
  ss_mlcp_offer(p->run, p->zhat, 1e-12);
}

// From the scaled dz to the largest entry 1
static void set_ray(ss_mlcp_run* run, const double* dz)
{
  double largest = 0, *ray = run->best->ray;
  if (!ray) return;
  for (int i = 0; i < run->s.n; i++) {
    ray[i] = dz[i]*run->s.col[i];
    largest = fmax(largest, fabs(ray[i]));
  }
  for (int i = 0; i < run->s.n && largest > 0; i++) ray[i] /= largest;
}

static void note_ray(path* p)
{
  spread(p, p->l.ray);
  ss_elimination_dz(&p->e, p->values, p->zhat);
  set_ray(p->run, p->zhat);
}

// The witness is a combination of equations: it is scaled as rows are
static void note_conflict(path* p)
{
  ss_mlcp_run* run = p->run;
  ss_elimination_witness(&p->e, p->zhat);
  for (int i = 0; i < run->s.n; i++) p->zhat[i] *= run->s.row[i]/run->s.col[i];
  set_ray(run, p->zhat);
  run->inconsistent = true;
}

// ---- solve ----

ss_status ss_mlcp_path(ss_mlcp_run* run)
{
  path p = {.run = run};
  if (!take_memory(&p)) return SS_ERR_CAPACITY;
  ss_eliminate(&p.e, &run->s, run->def->tol);
  reduce(&p);
  ss_lcp lcp = {.n = p.l.m, .A = p.l.A, .b = p.l.b};
  ss_lcp_def def = ss_lcp_def_default();
  def.max_iter = run->def->max_iter;
  def.stop = run->def->stop;
  ss_lcp_solution solution = {.x = p.l.x, .y = p.l.y, .ray = p.l.ray};
  ss_status status = ss_lcp_lemke(&lcp, &def, run->arena, &solution);
  if (status == SS_ERR_CAPACITY) return status;
  if (status < 0) return SS_INACCURATE;  // the elimination has overflown
  run->best->iterations += solution.iterations;
  offer(&p);
  if (ss_mlcp_good_enough(run)) return SS_OK;
  if (p.e.conflict >= 0) note_conflict(&p);
  else if (status == SS_RAY) note_ray(&p);
  return p.e.conflict >= 0 ? SS_RAY : status;
}
