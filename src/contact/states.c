// All solutions of a planar contact problem, by the states of its contacts. With the states given the laws are linear:
//   open    Lambda_N = Lambda_T = 0,              xi_N >= 0
//   stick   xi_N = 0, xi_T = 0,                   Lambda_N >= 0,  limit +- Lambda_T >= 0,   limit = mu Lambda_N + bound
//   slip s  xi_N = 0, Lambda_T = -s limit,        Lambda_N >= 0,  s xi_T >= 0     (none on xi_T if it slides already)
// so that the solutions of one combination are a polyhedron, a point as a rule; all solutions are the union. Unlike the
// bases of an LCP this has no slacks that could differ without a difference in Lambda or xi [Ma et al. 2016].
//
// Signs alone exclude combinations: an open contact with b_N < 0 needs a closed one that can push it apart, a closed
// one with b_N > 0 a closed one that can pull it together.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/planar.h"
#include "contact/polyhedron.h"
#include "math/dense.h"

enum { K = SS_CONTACT_ENUMERATE_MAX, ROWS = 2*K, LAWS = 3*K };

static const long COMBINATIONS = 1L << 20;  // at most
static const long BUDGET = 5000000;         // choices of rows for corners, all combinations together
static const double SAME = 1e-8;            // relative distance of points that are one

typedef enum tangent { NONE, STICK, SLIDE } tangent;

// One way to be of one contact
typedef struct way {
  bool closed;
  tangent tangent;
  int sign;   // of sliding
  bool free;  // slides already: no law on xi_T
  ss_contact_state state;
} way;

typedef struct work {
  const ss_contact_problem* p;
  ss_reduced r;
  double tol;
  // the problem in units where G_ii = 1 and b is of order one
  int k, m, N[K], T[K];              // contacts, rows; -1: none
  double unit[ROWS], beta;           // Lambda_i = beta unit_i L_i
  double G[ROWS*ROWS], b[ROWS], mu[K], bound[K];
  bool pushes[K][K], pulls[K][K];    // closed contact j can raise, lower xi_N of contact i
  way ways[K][6];
  int n_ways[K];
  // the combination at hand: L = L_0 + E z,  z = z_0 + Z t
  const way* now[K];
  int n, d;
  double L_0[ROWS], E[ROWS*ROWS], z_0[ROWS], Z[ROWS*ROWS];
  int laws;
  double e[LAWS], C[LAWS*ROWS];      // inequalities e + C z >= 0, then in t
  ss_contact_piece piece;
  int vertex_room, ray_room;
  // all
  ss_contact_solutions* all;
  int piece_room;
  const way* (*combination)[K];      // of each piece
  long budget;
  double* Lambda;                    // problem's m: scratch
  bool no_memory;
} work;

// ---- the problem ----

static void add_way(work* w, int i, bool closed, tangent t, int sign, bool free, ss_contact_state state)
{
  w->ways[i][w->n_ways[i]++] = (way){closed, t, sign, free, state};
}

static void list_friction(work* w, int i, bool closed)
{
  add_way(w, i, closed, STICK, 0, false, SS_STICK);
  add_way(w, i, closed, SLIDE, 1, false, SS_SLIP_POS);
  add_way(w, i, closed, SLIDE, -1, false, SS_SLIP_NEG);
}

static void list_ways(work* w, int i)
{
  bool normal = w->N[i] >= 0, loaded = w->T[i] >= 0 && w->bound[i] > 0;
  bool friction = loaded || (normal && w->T[i] >= 0 && w->mu[i] > 0);
  int slide = friction ? ss_slide_of(w->p, i) : 0;
  ss_contact_state sliding = slide > 0 ? SS_SLIP_POS : SS_SLIP_NEG;
  if (slide) {
    if (!normal || loaded) add_way(w, i, false, SLIDE, slide, true, sliding);
    else add_way(w, i, false, NONE, 0, false, SS_OPEN);
    if (normal) add_way(w, i, true, SLIDE, slide, true, sliding);
  } else if (friction) {
    if (!normal || loaded) list_friction(w, i, false);
    else add_way(w, i, false, NONE, 0, false, SS_OPEN);
    if (normal) list_friction(w, i, true);
  } else {
    add_way(w, i, false, NONE, 0, false, SS_OPEN);
    if (normal) add_way(w, i, true, NONE, 0, false, SS_CLOSED);
  }
}

static void list_rows(work* w)
{
  int r = 0;
  w->k = w->p->n_contact;
  w->m = w->r.m;
  for (int i = 0; i < w->k; i++) {
    w->N[i] = w->p->kind[i] != SS_CONTACT_FRICTION ? r++ : -1;
    w->T[i] = w->p->kind[i] != SS_CONTACT_NORMAL ? r++ : -1;
  }
}

static void scale(work* w)
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

static void list_signs(work* w)
{
  for (int i = 0; i < w->k; i++)
    for (int j = 0; j < w->k; j++) {
      double normal = 0, friction = 0;
      if (w->N[i] >= 0 && w->N[j] >= 0) normal = w->G[w->N[i]*w->m + w->N[j]];
      if (w->N[i] >= 0 && w->T[j] >= 0) friction = fabs(w->G[w->N[i]*w->m + w->T[j]])*(w->mu[j] + w->bound[j]);
      w->pushes[i][j] = normal + friction > 0;
      w->pulls[i][j] = normal - friction < 0;
    }
}

// ---- one combination ----

// L = L_0 + E z: z are the normal impulses of closed contacts and the friction of sticking ones
static void parametrise(work* w)
{
  int m = w->m, n = 0;
  memset(w->L_0, 0, sizeof w->L_0);
  memset(w->E, 0, sizeof w->E);
  for (int i = 0; i < w->k; i++) {
    const way* c = w->now[i];
    int N = w->N[i], T = w->T[i];
    if (c->tangent == SLIDE) w->L_0[T] = -c->sign*w->bound[i];
    if (c->closed) {
      w->E[n*m + N] = 1;
      if (c->tangent == SLIDE) w->E[n*m + T] = -c->sign*w->mu[i];
      n++;
    }
    if (c->tangent == STICK) w->E[n++*m + T] = 1;
  }
  w->n = n;
}

// A row of xi as a function of z: returns the constant, c gets the coefficients times sign
static double xi_row(const work* w, int row, double sign, double* c)
{
  const double* G = w->G + row*w->m;
  for (int j = 0; j < w->n; j++) c[j] = sign*ss_dot(w->m, G, w->E + j*w->m);
  return sign*(ss_dot(w->m, G, w->L_0) + w->b[row]);
}

// z = z_0 + Z t; false if the equations contradict each other
static bool solve_equations(work* w)
{
  double M[ROWS*ROWS], rhs[ROWS];
  int q = 0;
  for (int i = 0; i < w->k; i++) {
    if (w->now[i]->closed) {
      rhs[q] = -xi_row(w, w->N[i], 1, M + q*w->n);
      q++;
    }
    if (w->now[i]->tangent == STICK) {
      rhs[q] = -xi_row(w, w->T[i], 1, M + q*w->n);
      q++;
    }
  }
  w->d = ss_affine_solve(q, w->n, M, rhs, w->z_0, w->Z);
  return w->d >= 0;
}

static double* new_law(work* w, double constant)
{
  double* c = w->C + w->laws*w->n;
  memset(c, 0, sizeof(double)*(size_t)w->n);
  w->e[w->laws++] = constant;
  return c;
}

// Inequalities of the combination in z
static void list_laws(work* w)
{
  int z = 0;
  w->laws = 0;
  for (int i = 0; i < w->k; i++) {
    const way* c = w->now[i];
    int n = c->closed ? z++ : -1, t = c->tangent == STICK ? z++ : -1;
    if (c->closed) new_law(w, 0)[n] = 1;
    else if (w->N[i] >= 0) {
      double* row = new_law(w, 0);
      w->e[w->laws - 1] = xi_row(w, w->N[i], 1, row);
    }
    for (int sign = -1; sign <= 1 && t >= 0; sign += 2) {
      double* row = new_law(w, w->bound[i]);
      row[t] = sign;
      if (n >= 0) row[n] = w->mu[i];
    }
    if (c->tangent == SLIDE && !c->free) {
      double* row = new_law(w, 0);
      w->e[w->laws - 1] = xi_row(w, w->T[i], c->sign, row);
    }
  }
}

// ... and in t
static void laws_on_family(work* w)
{
  double c[ROWS];
  for (int i = 0; i < w->laws; i++) {
    w->e[i] += ss_dot(w->n, w->C + i*w->n, w->z_0);
    for (int q = 0; q < w->d; q++) {
      c[q] = 0;
      for (int j = 0; j < w->n; j++) c[q] += w->C[i*w->n + j]*w->Z[j*w->d + q];
    }
    memcpy(w->C + i*w->d, c, sizeof(double)*(size_t)w->d);  // d <= n: rows that are still needed are behind
  }
}

// Lambda of the problem from L; a direction has no part in b
static void write_Lambda(work* w, const double* L, bool ray)
{
  double* Lambda = w->Lambda + w->r.nb;
  for (int r = 0; r < w->m; r++) Lambda[r] = (ray ? 1 : w->beta)*w->unit[r]*L[r];
  if (w->r.nb) ss_recover_bilateral(&w->r, !ray, w->Lambda);
}

static void clean(const work* w, double* L)
{
  double size = fmax(1, ss_norm_inf(w->m, L));
  for (int i = 0; i < w->k; i++) {
    const way* c = w->now[i];
    int N = w->N[i], T = w->T[i];
    if (N >= 0 && fabs(L[N]) <= 1e-13*size) L[N] = 0;
    double limit = (N >= 0 ? w->mu[i]*L[N] : 0) + w->bound[i];
    if (c->tangent == SLIDE) L[T] = -c->sign*limit;
    else if (c->tangent == STICK && fabs(L[T]) <= 1e-13*size) L[T] = 0;
    else if (c->tangent == STICK) L[T] = fmax(-limit, fmin(L[T], limit));
  }
}

// ---- pieces ----

static double* row_for(work* w, double** rows, int* count, int* room)
{
  size_t m = (size_t)w->p->m;
  if (*count == *room) {
    int more = *room ? 2 * *room : 4;
    double* grown = realloc(*rows, sizeof(double)*m*(size_t)more);
    if (!grown) {
      w->no_memory = true;
      return NULL;
    }
    *rows = grown;
    *room = more;
  }
  return *rows + (size_t)(*count)++*m;
}

// Rows a and b of contact impulses agree, relative to the largest (and to `least`) in units of the problem
static bool same(const work* w, const double* a, const double* b, double least)
{
  double size = least, distance = 0;
  for (int r = 0; r < w->m; r++) {
    int i = w->r.nb + r;
    size = fmax(size, fabs(a[i])/w->unit[r]);
    distance = fmax(distance, fabs(a[i] - b[i])/w->unit[r]);
  }
  return distance <= SAME*size;
}

static void add_unless_there(work* w, double** rows, int* count, int* room, double least)
{
  for (int k = 0; k < *count; k++)
    if (same(w, *rows + (size_t)k*(size_t)w->p->m, w->Lambda, least)) return;
  double* row = row_for(w, rows, count, room);
  if (row) memcpy(row, w->Lambda, sizeof(double)*(size_t)w->p->m);
}

// A corner of the family at hand
static void see_corner(void* user, const double* t, bool ray)
{
  work* w = user;
  double z[ROWS], L[ROWS] = {0};
  for (int j = 0; j < w->n; j++) z[j] = (ray ? 0 : w->z_0[j]) + ss_dot(w->d, w->Z + j*w->d, t);
  if (!ray) memcpy(L, w->L_0, sizeof L);
  for (int j = 0; j < w->n; j++) ss_axpy(w->m, z[j], w->E + j*w->m, L);
  if (!ray) {
    clean(w, L);
    write_Lambda(w, L, false);
    if (ss_contact_residual(w->p, w->Lambda) <= w->tol)
      add_unless_there(w, &w->piece.vertices, &w->piece.n_vertices, &w->vertex_room, w->beta);
    return;
  }
  write_Lambda(w, L, true);
  double largest = ss_norm_inf(w->p->m, w->Lambda);
  if (!(largest > 0)) return;
  for (int r = 0; r < w->p->m; r++)
    w->Lambda[r] = fabs(w->Lambda[r]) > 1e-12*largest ? w->Lambda[r]/largest : 0;
  add_unless_there(w, &w->piece.rays, &w->piece.n_rays, &w->ray_room, 0);
}

// Lambda fits the combination (a direction: its homogeneous laws)
static bool fits(const work* w, const way* const* way_of, const double* Lambda, bool ray)
{
  double L[ROWS], xi[ROWS], size = ray ? 0 : 1;
  int m = w->m;
  for (int r = 0; r < m; r++) {
    L[r] = Lambda[w->r.nb + r]/(w->unit[r]*(ray ? 1 : w->beta));
    size = fmax(size, fabs(L[r]));
  }
  for (int r = 0; r < m; r++) xi[r] = ss_dot(m, w->G + r*m, L) + (ray ? 0 : w->b[r]);
  double tol = SAME*size;
  for (int i = 0; i < w->k; i++) {
    const way* c = way_of[i];
    int N = w->N[i], T = w->T[i];
    double limit = (N >= 0 ? w->mu[i]*L[N] : 0) + (ray ? 0 : w->bound[i]);
    if (N >= 0 && (c->closed ? fabs(xi[N]) > tol || L[N] < -tol : fabs(L[N]) > tol || xi[N] < -tol)) return false;
    if (T < 0) continue;
    if (c->tangent == NONE && fabs(L[T]) > tol) return false;
    if (c->tangent == STICK && (fabs(xi[T]) > tol || fabs(L[T]) > limit + tol)) return false;
    if (c->tangent == SLIDE && fabs(L[T] + c->sign*limit) > tol) return false;
    if (c->tangent == SLIDE && !c->free && c->sign*xi[T] < -tol) return false;
  }
  return true;
}

static bool lies_within(const work* w, const ss_contact_piece* piece, const way* const* way_of)
{
  size_t m = (size_t)w->p->m;
  for (int k = 0; k < piece->n_vertices; k++)
    if (!fits(w, way_of, piece->vertices + (size_t)k*m, false)) return false;
  for (int k = 0; k < piece->n_rays; k++)
    if (!fits(w, way_of, piece->rays + (size_t)k*m, true)) return false;
  return true;
}

static void free_piece(ss_contact_piece* piece)
{
  free(piece->state);
  free(piece->vertices);
  free(piece->rays);
  free(piece->xi);
}

// All members of the family have the same xi: no direction of it changes G Lambda
static bool has_one_xi(const work* w)
{
  double L[ROWS], xi[ROWS];
  for (int q = 0; q < w->d; q++) {
    memset(L, 0, sizeof L);
    for (int j = 0; j < w->n; j++) ss_axpy(w->m, w->Z[j*w->d + q], w->E + j*w->m, L);
    ss_gemv(w->m, w->m, w->G, L, xi);
    if (ss_norm_inf(w->m, xi) > SAME*ss_norm_inf(w->m, L)) return false;
  }
  return true;
}

// xi of a vertex; exactly zero where the states say so
static void write_xi(const work* w, const double* Lambda, double* xi)
{
  int m = w->p->m, nb = w->r.nb;
  ss_gemv(m, m, w->p->G, Lambda, xi);
  for (int r = 0; r < m; r++) xi[r] = r < nb ? 0 : xi[r] + w->p->b[r];
  for (int i = 0; i < w->k; i++) {
    if (w->now[i]->closed) xi[nb + w->N[i]] = 0;
    if (w->now[i]->tangent == STICK) xi[nb + w->T[i]] = 0;
  }
}

// States and xi of the piece at hand; false if memory is short
static bool complete_piece(work* w)
{
  ss_contact_piece* piece = &w->piece;
  int m = w->p->m;
  piece->state = malloc(sizeof(ss_contact_state)*(size_t)w->k + 1);
  piece->xi = malloc(sizeof(double)*(size_t)(m*piece->n_vertices) + 1);
  w->no_memory = !piece->state || !piece->xi;
  if (w->no_memory) return false;
  for (int i = 0; i < w->k; i++) piece->state[i] = w->now[i]->state;
  for (int k = 0; k < piece->n_vertices; k++) write_xi(w, piece->vertices + k*m, piece->xi + k*m);
  piece->xi_unique = (piece->n_vertices == 1 && piece->n_rays == 0) || has_one_xi(w);
  return true;
}

static bool room_for_piece(work* w)
{
  if (w->all->n_pieces < w->piece_room) return true;
  int more = 2*w->piece_room + 8;
  void* pieces = realloc(w->all->pieces, sizeof(ss_contact_piece)*(size_t)more);
  if (pieces) w->all->pieces = pieces;
  void* combination = realloc(w->combination, sizeof *w->combination*(size_t)more);
  if (combination) w->combination = combination;
  w->no_memory = !pieces || !combination;
  if (!w->no_memory) w->piece_room = more;
  return !w->no_memory;
}

// Puts the piece at hand into the list unless it lies within another; those within it go.
static void keep_piece(work* w)
{
  ss_contact_solutions* all = w->all;
  int kept = 0;
  for (int k = 0; k < all->n_pieces; k++)
    if (lies_within(w, &w->piece, w->combination[k])) return;
  for (int k = 0; k < all->n_pieces; k++) {
    if (lies_within(w, &all->pieces[k], w->now)) {
      free_piece(&all->pieces[k]);
      continue;
    }
    all->pieces[kept] = all->pieces[k];
    memmove(w->combination[kept++], w->combination[k], sizeof *w->combination);
  }
  all->n_pieces = kept;
  if (!room_for_piece(w) || !complete_piece(w)) return;
  memcpy(w->combination[kept], w->now, sizeof *w->combination);
  all->pieces[all->n_pieces++] = w->piece;
  w->piece = (ss_contact_piece){0};
  w->vertex_room = w->ray_room = 0;
}

static void look_at_combination(work* w)
{
  parametrise(w);
  if (!solve_equations(w)) return;
  list_laws(w);
  laws_on_family(w);
  w->piece.n_vertices = w->piece.n_rays = 0;
  if (w->d == 0) {
    for (int i = 0; i < w->laws; i++)
      if (w->e[i] < -1e-7*fmax(1, ss_norm_inf(w->n, w->z_0))) return;
    see_corner(w, NULL, false);
  } else if (!ss_polyhedron_corners(w->d, w->laws, w->e, w->C, &w->budget, see_corner, w)) w->all->complete = false;
  if (w->piece.n_vertices && !w->no_memory) keep_piece(w);
}

// ---- all combinations ----

// Contacts below `next` are decided; see the head of the file for what the signs exclude
static bool is_excluded(const work* w, int next)
{
  for (int i = 0; i < next; i++) {
    if (w->N[i] < 0 || w->bound[i] > 0) continue;
    bool closed = w->now[i]->closed, possible = closed ? w->b[w->N[i]] <= 0 : w->b[w->N[i]] >= 0;
    for (int j = 0; j < w->k && !possible; j++) {
      bool acts = j >= next || w->now[j]->closed || w->bound[j] > 0;
      possible = acts && (closed ? w->pulls[i][j] : w->pushes[i][j]);
    }
    if (!possible) return true;
  }
  return false;
}

static void branch(work* w, int next)
{
  if (w->no_memory || is_excluded(w, next)) return;
  if (next == w->k) {
    look_at_combination(w);
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

static ss_status enumerate(work* w, ss_arena* arena)
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

static ss_status run(work* w, ss_arena* arena)
{
  size_t m = (size_t)w->p->m + 1;
  w->Lambda = calloc(m, sizeof(double));
  w->all = calloc(1, sizeof *w->all);
  ss_status st = w->Lambda && w->all ? enumerate(w, arena) : SS_ERR_MEMORY;
  free_piece(&w->piece);
  free(w->Lambda);
  free(w->combination);
  return st;
}

ss_status ss_contact_enumerate(const ss_contact_problem* problem, const ss_lcp_def* def,
                               ss_contact_solutions** solutions)
{
  if (!problem || !def || !solutions || !ss_planar_is_valid(problem)) return SS_ERR_ARGUMENT;
  if (problem->n_contact > K) return SS_ERR_CAPACITY;
  if (!ss_all_finite(problem->m*problem->m, problem->G) || !ss_all_finite(problem->m, problem->b))
    return SS_ERR_NUMERIC;
  work* w = calloc(1, sizeof *w);
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
  for (int k = 0; k < solutions->n_pieces; k++) free_piece(&solutions->pieces[k]);
  free(solutions->pieces);
  free(solutions);
}
