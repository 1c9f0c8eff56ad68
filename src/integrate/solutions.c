// All solutions of the contact problem at a state: the sets of contacts I_S, I_N, I_H as the event-driven integrator
// finds them [SB (8), corrected], its contact problem, and every solution of that.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stickslip/solutions.h>

#include "integrate/event.h"
#include "math/dense.h"

#define DISTINCT 1e-8  // of the largest term: motions that differ by more are two

const char* ss_level_name(ss_level level)
{
  static const char* const name[SS_LEVEL_COUNT] = {"any", "acceleration", "impact"};
  return (int)level >= 0 && level < SS_LEVEL_COUNT ? name[level] : NULL;
}

ss_solutions_def ss_solutions_def_default(void)
{
  return (ss_solutions_def){.level = SS_LEVEL_ANY, .impact = SS_IMPACT_NEWTON, .solver = ss_lcp_def_default()};
}

// ---- the sets ----

static ss_contact_at look_at(const ss_arc* a, int i)
{
  const ss_contact_def* c = a->w->law[i];
  ss_contact_at at = {.gap = a->w->gap[i], .touches = a->touch[i], .stays = a->touch[i], .kind = c->kind};
  if (ss_has_normal(c)) {
    int N = ss_normal_row(a, i);
    double tol = ss_rest_tolerance(a, N);
    at.gamma[0] = a->gamma[N];
    at.hits = at.touches && at.gamma[0] < -tol;
    at.stays = at.touches && fabs(at.gamma[0]) <= tol;
  }
  if (ss_has_tangent(c)) {
    int T = ss_tangent_row(a, i);
    at.gamma[1] = a->gamma[T];
    if (at.stays && fabs(at.gamma[1]) > ss_rest_tolerance(a, T)) at.slide = at.gamma[1] > 0 ? 1 : -1;
  }
  at.rests = at.stays && ss_has_tangent(c) && !at.slide;
  return at;
}

// M, W, h, w_bar, gamma at the state; who touches, stays, rests, hits
static ss_status find_sets(ss_arc* a, const ss_state* state, ss_solutions* s, bool* hits)
{
  ss_arc_load(a, state);
  a->ready = false;  // the arc is not one that goes on
  ss_status st = ss_watch_start(a);
  if (st >= 0) st = ss_arc_evaluate(a, a->t, a->y);
  if (st < 0) return st;
  if (a->w->op) ss_grow_sizes(a, false);  // which their states do not remember
  s->n_contact = a->n;
  s->contact = calloc((size_t)a->n + 1, sizeof *s->contact);
  if (!s->contact) return ss_work_fail(a->w, SS_ERR_MEMORY, "out of memory for the solutions");
  memcpy(a->before, a->gamma, sizeof(double)*(size_t)a->rows);
  ss_find_touching(a, true);
  *hits = false;
  for (int i = 0; i < s->n_contact; i++) {
    s->contact[i] = look_at(a, i);
    s->contact[i].number = ss_watch_number(a, i, true);
    *hits = *hits || s->contact[i].hits;
    if (s->contact[i].kind == SS_CONTACT_SPATIAL)
      return ss_work_fail(a->w, SS_ERR_ARGUMENT, "solutions are listed for planar contacts only, '%s' is one in space",
                          ss_contact_label(a, i));
  }
  return SS_OK;
}

// ---- the problem ----

static ss_status take_memory(ss_solutions* s, int m, int k)
{
  size_t rows = (size_t)m, contacts = (size_t)k;
  s->active = calloc(contacts + 1, sizeof *s->active);
  s->response = calloc(rows*(size_t)s->nv + 1, sizeof(double));
  double* G = calloc(rows*rows + rows + 2*contacts + 1, sizeof(double));
  ss_contact_kind* kind = calloc(contacts + 1, sizeof *kind);
  int* slide = calloc(contacts + 1, sizeof *slide);
  s->problem.G = G;
  s->problem.kind = kind;
  s->problem.slide = slide;
  return s->active && s->response && G && kind && slide ? SS_OK : SS_ERR_MEMORY;
}

// A copy of the problem in the workspace, and rows of W^T M^-1
static ss_status keep_problem(ss_arc* a, ss_solutions* s)
{
  const ss_work* w = a->w;
  const ss_contact_problem* p = &w->problem;
  int m = p->m, k = p->n_contact, nv = a->nv;
  ss_status st = take_memory(s, m, k);
  if (st < 0) return st;
  double *G = (double*)s->problem.G, *b = G + m*m, *mu = b + m, *bound = mu + k;
  memcpy(G, a->G, sizeof(double)*(size_t)(m*m));
  memcpy(b, w->b, sizeof(double)*(size_t)m);
  memcpy(mu, w->mu, sizeof(double)*(size_t)k);
  memcpy(bound, w->bound, sizeof(double)*(size_t)k);
  memcpy((ss_contact_kind*)s->problem.kind, w->kind, sizeof *w->kind*(size_t)k);
  memcpy((int*)s->problem.slide, a->sign, sizeof(int)*(size_t)k);
  for (int i = 0, n = 0; i < s->n_contact && n < k; i++) {
    bool friction = s->contact[i].kind == SS_CONTACT_FRICTION;
    if (a->touch[i] && !(friction && s->level == SS_LEVEL_IMPACT)) s->active[n++] = i;
  }
  for (int r = 0; r < m; r++) {
    memcpy(s->response + r*nv, a->P + r*nv, sizeof(double)*(size_t)nv);
    ss_chol_solve_upper(nv, a->L, s->response + r*nv);
  }
  s->problem = (ss_contact_problem){.n_bilateral = p->n_bilateral, .n_contact = k, .m = m, .G = G, .b = b,
                                    .kind = s->problem.kind, .mu = mu, .bound = bound, .slide = s->problem.slide};
  return SS_OK;
}

// One sliding contact: gamma_N' = a lambda_N + b, bilateral rows eliminated. Known from the solutions where there are
// such rows; a and b are given only without them.
static void classify(ss_solutions* s)
{
  const ss_contact_problem* p = &s->problem;
  bool one = s->level == SS_LEVEL_ACCELERATION && p->n_contact == 1 && p->kind[0] == SS_CONTACT_PLANAR && p->slide[0];
  if (!one || p->n_bilateral) return;
  s->a = p->G[0] - p->slide[0]*p->mu[0]*p->G[1];
  s->b = p->b[0] - p->slide[0]*p->bound[0]*p->G[1];
  if (s->all->count == SS_LCP_NONE) s->painleve = SS_PAINLEVE_INCONSISTENT;
  else if (s->all->n_pieces > 1 || s->all->count == SS_LCP_INFINITE) s->painleve = SS_PAINLEVE_INDETERMINATE;
}

static ss_status accelerations(ss_arc* a, const ss_solutions_def* def, ss_solutions* s)
{
  for (int i = 0; i < s->n_contact; i++) {
    a->touch[i] = s->contact[i].stays;
    a->slide[i] = s->contact[i].slide;
  }
  ss_assemble_accelerations(a);
  memcpy(s->free, a->w->u_free, sizeof(double)*(size_t)s->nv);
  ss_status st = keep_problem(a, s);
  if (st >= 0) st = ss_contact_enumerate(&s->problem, &def->solver, &s->all);
  if (st >= 0) classify(s);
  return st;
}

static ss_status impact(ss_arc* a, const ss_solutions_def* def, ss_solutions* s)
{
  ss_impact problem;
  ss_impact_def law = ss_impact_def_default();
  law.law = def->impact;
  law.solver = def->solver;
  memset(a->rests, 0, (size_t)s->n_contact*sizeof *a->rests);
  memset(a->sign, 0, (size_t)s->n_contact*sizeof *a->sign);
  ss_assemble_impact(a, &problem);
  memcpy(s->free, a->y + a->nq, sizeof(double)*(size_t)s->nv);
  ss_status st = keep_problem(a, s);
  return st < 0 ? st : ss_impact_enumerate(&problem, &law, &s->all);
}

static ss_status solve(ss_arc* a, const ss_solutions_def* def, const ss_state* state, ss_solutions* s)
{
  bool hits = false;
  ss_status st = find_sets(a, state, s, &hits);
  if (st < 0) return st;
  s->level = def->level != SS_LEVEL_ANY ? def->level : hits ? SS_LEVEL_IMPACT : SS_LEVEL_ACCELERATION;
  st = s->level == SS_LEVEL_IMPACT ? impact(a, def, s) : accelerations(a, def, s);
  memset(a->touch, 0, (size_t)s->n_contact*sizeof *a->touch);
  if (st == SS_ERR_CAPACITY)
    return ss_work_fail(a->w, st, "%d contacts touch: all solutions are listed for at most %d", s->problem.n_contact,
                        SS_CONTACT_ENUMERATE_MAX);
  return st < 0 ? ss_work_fail(a->w, st, "the contact problem at t = %g: %s", a->t, ss_status_text(st)) : st;
}

ss_status ss_solutions_at(const ss_system* system, const ss_solutions_def* def, const ss_state* state, ss_work* work,
                          ss_solutions** solutions)
{
  if (!system || !def || !state || !work || !solutions) return SS_ERR_ARGUMENT;
  const ss_system_def* d = ss_system_get(system);
  if (!ss_level_name(def->level)) return ss_work_fail(work, SS_ERR_ARGUMENT, "there is no such level");
  ss_status st = ss_arc_create(system, work);
  if (st < 0) return st;
  ss_solutions* s = calloc(1, sizeof *s);
  if (s) {
    s->nv = d->nv;
    s->free = calloc((size_t)d->nv + 1, sizeof(double));
  }
  if (!s || !s->free) st = ss_work_fail(work, SS_ERR_MEMORY, "out of memory for the solutions");
  else st = solve(work->arc, def, state, s);
  if (st < 0) ss_solutions_destroy(s);
  else *solutions = s;
  return st;
}

void ss_solutions_destroy(ss_solutions* s)
{
  if (!s) return;
  ss_contact_solutions_destroy(s->all);
  free((double*)s->problem.G);
  free((ss_contact_kind*)s->problem.kind);
  free((int*)s->problem.slide);
  free(s->contact);
  free(s->active);
  free(s->free);
  free(s->response);
  free(s);
}

void ss_solutions_motion(const ss_solutions* s, const double* Lambda, bool ray, double* motion)
{
  if (!s || !Lambda || !motion) return;
  int m = s->problem.m, nv = s->nv;
  for (int j = 0; j < nv; j++) {
    double size = motion[j] = ray ? 0 : s->free[j];
    size = fabs(size);
    for (int r = 0; r < m; r++) {
      motion[j] += Lambda[r]*s->response[r*nv + j];
      size += fabs(Lambda[r]*s->response[r*nv + j]);
    }
    if (fabs(motion[j]) < 1e-14*size) motion[j] = 0;  // round-off
  }
}

static bool same(const ss_solutions* s, const double* x, const double* y)
{
  int m = s->problem.m;
  double size = ss_norm_inf(m, s->problem.b);
  for (int r = 0; r < m; r++)
    if (fabs(x[r] - y[r]) > DISTINCT*size) return false;
  return true;
}

int ss_solutions_count(const ss_solutions* s)
{
  if (!s) return 0;
  int n = 0;
  for (int i = 0; i < s->all->n_pieces; i++) {
    bool known = false;
    if (!s->all->pieces[i].xi_unique) return -1;
    for (int j = 0; j < i && !known; j++) known = same(s, s->all->pieces[i].xi, s->all->pieces[j].xi);
    n += !known;
  }
  return n;
}
