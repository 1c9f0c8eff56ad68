// All solutions of a planar contact problem, by the states of its contacts. With the states given the laws are linear:
//   open    Lambda_N = Lambda_T = 0,              xi_N >= 0
//   stick   xi_N = 0, xi_T = 0,                   Lambda_N >= 0,  limit +- Lambda_T >= 0,   limit = mu Lambda_N + bound
//   slip s  xi_N = 0, Lambda_T = -s limit,        Lambda_N >= 0,  s xi_T >= 0     (none on xi_T if it slides already)
// so that the solutions of one combination are a polyhedron, a point as a rule; all solutions are the union. Unlike the
// bases of an LCP this has no slacks that could differ without a difference in Lambda or xi [Ma et al. 2016].
//
// Signs alone exclude combinations. In xi_N of contact i contact j adds, with g = G_NiNj and t = |G_NiTj|,
//   g Lambda_N + G_NiTj Lambda_T,  |Lambda_T| <= mu Lambda_N + bound:
//   from (g - t mu) Lambda_N - t bound  to  (g + t mu) Lambda_N + t bound,  Lambda_N >= 0.
// The upper end is positive for some Lambda_N if g + t mu > 0 or, at Lambda_N = 0 too, if t bound > 0; it is zero or
// negative for all otherwise: j pushes. The lower end is negative for some if g - t mu < 0 or t bound > 0: j pulls. An
// open contact without a bound adds nothing. So xi_Ni >= b_N > 0 if nothing that acts pulls, and i is not closed; xi_Ni
// <= b_N < 0 if nothing pushes, and i is not open.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/states.h"
#include "math/dense.h"

static const long COMBINATIONS = 1L << 20;  // at most
static const long BUDGET = 5000000;         // choices of rows for corners, all combinations together
static const double ROUND_OFF = 1e-12;      // of b, which the elimination of bilateral rows leaves: excludes nothing

// ---- the problem ----

static void add_way(ss_states* w, int i, bool closed, ss_grip grip, int sign, bool free, ss_contact_state state)
{
  w->ways[i][w->n_ways[i]++] = (ss_way){closed, grip, sign, free, state};
}

static void list_friction(ss_states* w, int i, bool closed)
{
  add_way(w, i, closed, SS_HOLDS, 0, false, SS_STICK);
  add_way(w, i, closed, SS_SLIDES, 1, false, SS_SLIP_POS);
  add_way(w, i, closed, SS_SLIDES, -1, false, SS_SLIP_NEG);
}

static void list_ways(ss_states* w, int i)
{
  bool normal = w->N[i] >= 0, loaded = w->T[i] >= 0 && w->bound[i] > 0;
  bool friction = loaded || (normal && w->T[i] >= 0 && w->mu[i] > 0);
  int slide = friction ? ss_slide_of(w->p, i) : 0;
  ss_contact_state sliding = slide > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
  if (slide) {
    if (!normal || loaded) add_way(w, i, false, SS_SLIDES, slide, true, sliding);
    else add_way(w, i, false, SS_NO_GRIP, 0, false, SS_OPEN);
    if (normal) add_way(w, i, true, SS_SLIDES, slide, true, sliding);
  } else if (friction) {
    if (!normal || loaded) list_friction(w, i, false);
    else add_way(w, i, false, SS_NO_GRIP, 0, false, SS_OPEN);
    if (normal) list_friction(w, i, true);
  } else {
    add_way(w, i, false, SS_NO_GRIP, 0, false, SS_OPEN);
    if (normal) add_way(w, i, true, SS_NO_GRIP, 0, false, SS_CLOSED);
  }
}

static void list_rows(ss_states* w)
{
  int r = 0;
  w->k = w->p->n_contact;
  w->m = w->r.m;
  for (int i = 0; i < w->k; i++) {
    w->N[i] = w->p->kind[i] != SS_CONTACT_FRICTION ? r++ : -1;
    w->T[i] = w->p->kind[i] != SS_CONTACT_NORMAL ? r++ : -1;
  }
}

static void scale(ss_states* w)
{
  int m = w->m;
  for (int i = 0; i < m; i++) {
    double g = w->r.G[i*m + i];
    w->unit[i] = g > 0 ? 1/sqrt(g) : 1;
    w->beta = fmax(w->beta, w->unit[i]*fabs(w->r.b[i]));
  }
  for (int i = 0; i < w->k; i++)
    if (w->T[i] >= 0) w->beta = fmax(w->beta, w->p->bound[i]/w->unit[w->T[i]]);
  if (w->beta == 0) w->beta = 1;
  for (int i = 0; i < m; i++) {
    w->b[i] = w->unit[i]*w->r.b[i]/w->beta;
    for (int j = 0; j < m; j++) w->G[i*m + j] = w->unit[i]*w->r.G[i*m + j]*w->unit[j];
  }
  for (int i = 0; i < w->k; i++) {
    int N = w->N[i], T = w->T[i];
    w->mu[i] = N >= 0 && T >= 0 ? w->p->mu[i]*w->unit[N]/w->unit[T] : 0;
    w->bound[i] = T >= 0 ? w->p->bound[i]/(w->unit[T]*w->beta) : 0;
  }
}

// See the head of the file
static void list_signs(ss_states* w)
{
  for (int i = 0; i < w->k; i++)
    for (int j = 0; j < w->k && w->N[i] >= 0; j++) {
      const double* G = w->G + w->N[i]*w->m;
      double normal = w->N[j] >= 0 ? G[w->N[j]] : 0, tangent = w->T[j] >= 0 ? fabs(G[w->T[j]]) : 0;
      bool bounded = tangent*w->bound[j] > 0;
      w->pushes[i][j] = bounded || normal + tangent*w->mu[j] > 0;
      w->pulls[i][j] = bounded || normal - tangent*w->mu[j] < 0;
    }
}

// ---- all combinations ----

// Contacts below `next` are decided; see the head of the file for what the signs exclude
static bool is_excluded(const ss_states* w, int next)
{
  for (int i = 0; i < next; i++) {
    if (w->N[i] < 0) continue;
    bool closed = w->now[i]->closed, possible = closed ? w->b[w->N[i]] <= ROUND_OFF : w->b[w->N[i]] >= -ROUND_OFF;
    for (int j = 0; j < w->k && !possible; j++) {
      bool acts = j >= next || w->now[j]->closed || w->bound[j] > 0;
      possible = acts && (closed ? w->pulls[i][j] : w->pushes[i][j]);
    }
    if (!possible) return true;
  }
  return false;
}

static void branch(ss_states* w, int next)
{
  if (w->no_memory || is_excluded(w, next)) return;
  if (next == w->k) {
    ss_states_look(w);
    return;
  }
  for (int k = 0; k < w->n_ways[next]; k++) {
    w->now[next] = &w->ways[next][k];
    branch(w, next + 1);
  }
}

static bool is_point(const ss_contact_piece* piece) { return piece->n_vertices == 1 && piece->n_rays == 0; }

// Points before families, otherwise as found
static void conclude(ss_contact_solutions* all)
{
  int points = 0;
  for (int k = 0; k < all->n_pieces; k++) {
    if (!is_point(&all->pieces[k])) continue;
    ss_contact_piece point = all->pieces[k];
    memmove(&all->pieces[points + 1], &all->pieces[points], sizeof point*(size_t)(k - points));
    all->pieces[points++] = point;
  }
  all->count = points < all->n_pieces ? SS_LCP_INFINITE : points ? SS_LCP_FINITE : SS_LCP_NONE;
}

static ss_status enumerate(ss_states* w, ss_arena* arena)
{
  if (!ss_reduce_contacts(w->p, arena, &w->r)) return SS_ERR_CAPACITY;
  list_rows(w);
  scale(w);
  list_signs(w);
  long combinations = 1;
  for (int i = 0; i < w->k; i++) {
    list_ways(w, i);
    combinations *= w->n_ways[i];
    if (combinations > COMBINATIONS) return SS_ERR_CAPACITY;
  }
  w->all->n_contact = w->k;
  w->all->m = w->p->m;
  w->all->complete = true;
  w->budget = BUDGET;
  branch(w, 0);
  conclude(w->all);
  return w->no_memory ? SS_ERR_MEMORY : SS_OK;
}

static ss_status run(ss_states* w, ss_arena* arena)
{
  size_t m = (size_t)w->p->m + 1;
  w->Lambda = calloc(m, sizeof(double));
  w->all = calloc(1, sizeof *w->all);
  ss_status st = w->Lambda && w->all ? enumerate(w, arena) : SS_ERR_MEMORY;
  ss_states_free_piece(&w->piece);
  free(w->Lambda);
  free(w->combination);
  return st;
}

ss_status ss_contact_enumerate(const ss_contact_problem* problem, const ss_lcp_def* def,
                               ss_contact_solutions** solutions)
{
  if (!problem || !def || !solutions || !ss_planar_is_valid(problem)) return SS_ERR_ARGUMENT;
  if (problem->n_contact > SS_STATES_K) return SS_ERR_CAPACITY;
  if (!ss_all_finite(problem->m*problem->m, problem->G) || !ss_all_finite(problem->m, problem->b))
    return SS_ERR_NUMERIC;
  ss_states* w = calloc(1, sizeof *w);
  ss_arena* arena = ss_arena_create(ss_reduce_contacts_size(problem->n_bilateral, problem->n_contact) + 1);
  ss_status st = SS_ERR_MEMORY;
  if (w && arena) {
    w->p = problem;
    w->tol = def->tol;
    st = run(w, arena);
  }
  if (st == SS_OK) *solutions = w->all;
  else if (w) ss_contact_solutions_destroy(w->all);
  ss_arena_destroy(arena);
  free(w);
  return st;
}

void ss_contact_solutions_destroy(ss_contact_solutions* solutions)
{
  if (!solutions) return;
  for (int k = 0; k < solutions->n_pieces; k++) ss_states_free_piece(&solutions->pieces[k]);
  free(solutions->pieces);
  free(solutions);
}
