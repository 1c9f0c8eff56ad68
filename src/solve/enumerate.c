// All solutions of a small LCP. For every set S of unknowns the solutions with y_S = 0 and x_T = 0 (T the others) are a
// polyhedron
//
//   P_S = { x : x_S >= 0,  A_SS x_S + b_S = 0,  A_TS x_S + b_T >= 0 }
//
// and all solutions are the union of these [Cottle, Pang & Stone 1992, section 1.3]. If A_SS is regular P_S is a point
// or empty; otherwise x_S = p + N t with N spanning the kernel (d columns), and each vertex of P_S is the t where d of
// the n inequalities hold with equality, each extreme ray a t != 0 where d - 1 of the homogeneous ones do. P_S holds no
// line, since x >= 0, so that vertices and rays describe it [Schrijver 1986, chapter 8].
//
// Sets are built unknown by unknown. Signs alone prune: with x_T = 0 for some T and x >= 0 elsewhere, a row with b_i <
// 0 and no positive entry left cannot have y_i >= 0; one with b_i > 0 and no negative entry left has y_i > 0, so x_i =
// 0.
#include "math/dense.h"
#include "math/polyhedron.h"
#include "solve/residual.h"
#include "solve/tableau.h"
#include <stdlib.h>
#include <string.h>

enum { MAX = SS_LCP_ENUMERATE_MAX };

static const double SAME = 1e-8;        // relative distance of points that are one
static const double GROWTH_MAX = 1e11;  // beyond this times b the sums of A x leave nothing of b
static const long BUDGET = 5000000;     // corners looked at, all faces together

typedef struct work {
  const ss_lcp* lcp;
  double tol;
  ss_tableau t;                    // scales
  double A[MAX*MAX];               // scaled
  unsigned positive[MAX], negative[MAX];  // columns with such entries, by row
  int k, d, S[MAX];                // the set at hand; dimension of its kernel
  double p[MAX], N[MAX*MAX];       // n; n x d: x = p + N t, scaled, zero rows outside S
  double e[MAX], C[MAX*MAX];       // n; n x d: the inequalities e + C t >= 0
  ss_lcp_piece face;               // the piece at hand
  int vertex_room, ray_room;       // of its arrays
  ss_lcp_solutions* all;
  int piece_room;
  long budget;                     // corners that may still be looked at
  bool no_memory;
} work;

// ---- points ----

static bool solves(work* w) { return ss_lcp_residual_y(w->lcp, w->t.x, w->t.y, w->t.Y) <= w->tol; }

// The scaled v as x into t.x; specks as zeros first, and if that does not solve the problem only negative ones. True if
// it solves the problem.
static bool accept_point(work* w, const double* v)
{
  int n = w->lcp->n;
  double largest = ss_norm_inf(n, v);
  if (!(largest <= GROWTH_MAX)) return false;
  for (int pass = 0; pass < 2; pass++) {
    double speck = pass == 0 ? 1e-12*fmax(largest, 1) : 0;
    for (int j = 0; j < n; j++) {
      if (v[j] < -SAME*fmax(largest, 1)) return false;
      w->t.x[j] = v[j] > speck ? v[j]*w->t.col[j]/w->t.beta : 0;
    }
    if (solves(w)) return true;
  }
  return false;
}

// Rows a and b agree, each entry relative to the largest in units where the problem is of order one
static bool same_point(const work* w, const double* a, const double* b, double unit)
{
  double size = 0, distance = 0;
  for (int j = 0; j < w->lcp->n; j++) {
    double s = unit/w->t.col[j];
    size = fmax(size, fabs(s*a[j]));
    distance = fmax(distance, fabs(s*(a[j] - b[j])));
  }
  return distance <= SAME*size;
}

// Appends row (n) to the list unless it is there. False if memory is short.
static bool add_row(work* w, double** rows, int* count, int* room, const double* row, double unit)
{
  size_t n = (size_t)w->lcp->n;
  for (int k = 0; k < *count; k++)
    if (same_point(w, *rows + (size_t)k*n, row, unit)) return true;
  if (*count == *room) {
    int more = *room ? 2 * *room : 4;
    double* grown = realloc(*rows, sizeof(double)*n*(size_t)more);
    if (!grown) return !(w->no_memory = true);
    *rows = grown;
    *room = more;
  }
  memcpy(*rows + (size_t)(*count)++*n, row, sizeof(double)*n);
  return true;
}

static bool add_vertex(work* w)
{
  return add_row(w, &w->face.vertices, &w->face.n_vertices, &w->vertex_room, w->t.x, w->t.beta);
}

// ---- pieces ----

static bool zero_outside(const work* w, const double* x, unsigned set, double unit)
{
  double size = 0, outside = 0;
  for (int j = 0; j < w->lcp->n; j++) {
    double v = fabs(x[j])*unit/w->t.col[j];
    size = fmax(size, v);
    if (!(set >> j & 1)) outside = fmax(outside, v);
  }
  return outside <= SAME*fmax(size, unit == 1 ? 0 : 1);
}

// x is in P_set: x_i = 0 outside the set and (A x + with_b b)_i = 0 inside
static bool lies_in(const work* w, const double* x, unsigned set, bool with_b)
{
  int n = w->lcp->n;
  if (!zero_outside(w, x, set, with_b ? w->t.beta : 1)) return false;
  for (int i = 0; i < n; i++) {
    double sum = with_b ? w->lcp->b[i] : 0, size = fabs(sum);
    for (int j = 0; j < n; j++) {
      double part = w->lcp->A[i*n + j]*x[j];
      sum += part;
      size += fabs(part);
    }
    if ((set >> i & 1) && fabs(sum) > SAME*size) return false;
  }
  return true;
}

static bool piece_within(const work* w, const ss_lcp_piece* inner, unsigned set)
{
  int n = w->lcp->n;
  for (int k = 0; k < inner->n_vertices; k++)
    if (!lies_in(w, inner->vertices + k*n, set, true)) return false;
  for (int k = 0; k < inner->n_rays; k++)
    if (!lies_in(w, inner->rays + k*n, set, false)) return false;
  return true;
}

static void free_piece(ss_lcp_piece* p)
{
  free(p->vertices);
  free(p->rays);
}

// Puts the face at hand into the list unless it lies within another; those within it go. The list owns its arrays then.
static void keep_face(work* w)
{
  ss_lcp_solutions* all = w->all;
  for (int k = 0; k < all->n_pieces; k++)
    if (piece_within(w, &w->face, all->pieces[k].set)) return;
  int kept = 0;
  for (int k = 0; k < all->n_pieces; k++) {
    if (piece_within(w, &all->pieces[k], w->face.set)) free_piece(&all->pieces[k]);
    else all->pieces[kept++] = all->pieces[k];
  }
  all->n_pieces = kept;
  if (kept == w->piece_room) {
    int more = 2*kept + 8;
    ss_lcp_piece* grown = realloc(all->pieces, sizeof *grown*(size_t)more);
    if (!grown) {
      w->no_memory = true;
      return;
    }
    all->pieces = grown;
    w->piece_room = more;
  }
  all->pieces[all->n_pieces++] = w->face;
  w->face = (ss_lcp_piece){0};
  w->vertex_room = w->ray_room = 0;
}

// ---- faces ----

// The kernel form x = p + N t of A_SS x_S = -b_S; false if it contradicts itself
static bool solve_set(work* w)
{
  int n = w->lcp->n, k = w->k;
  double M[MAX*MAX], rhs[MAX], p[MAX], N[MAX*MAX];
  for (int i = 0; i < k; i++) {
    rhs[i] = -w->t.b[w->S[i]];
    for (int j = 0; j < k; j++) M[i*k + j] = w->A[w->S[i]*n + w->S[j]];
  }
  int d = w->d = ss_affine_solve(k, k, M, rhs, p, N);
  if (d < 0) return false;
  for (int j = 0; j < n; j++) w->p[j] = 0;
  for (int j = 0; j < n*d; j++) w->N[j] = 0;
  for (int i = 0; i < k; i++) {
    w->p[w->S[i]] = p[i];
    for (int q = 0; q < d; q++) w->N[w->S[i]*d + q] = N[i*d + q];
  }
  return true;
}

// e + C t >= 0: x_i of the set, y_i of the others
static void set_inequalities(work* w, unsigned set)
{
  int n = w->lcp->n, d = w->d;
  for (int i = 0; i < n; i++) {
    bool in = set >> i & 1;
    w->e[i] = in ? w->p[i] : w->t.b[i];
    for (int q = 0; q < d; q++) w->C[i*d + q] = in ? w->N[i*d + q] : 0;
    for (int j = 0; j < n && !in; j++) {
      w->e[i] += w->A[i*n + j]*w->p[j];
      for (int q = 0; q < d; q++) w->C[i*d + q] += w->A[i*n + j]*w->N[j*d + q];
    }
  }
}

// The corner at t becomes a vertex of the face at hand if it solves the problem
static void see_vertex(work* w, const double* t)
{
  double v[MAX];
  for (int j = 0; j < w->lcp->n; j++) v[j] = w->p[j] + ss_dot(w->d, w->N + j*w->d, t);
  if (accept_point(w, v)) add_vertex(w);
}

static void see_ray(work* w, const double* t)
{
  int n = w->lcp->n;
  double v[MAX] = {0}, x[MAX], largest = 0;
  for (int j = 0; j < n; j++) v[j] = ss_dot(w->d, w->N + j*w->d, t);
  double scale = ss_norm_inf(n, v);
  for (int j = 0; j < n; j++) {
    x[j] = v[j] > 1e-12*scale ? v[j]*w->t.col[j] : 0;
    largest = fmax(largest, x[j]);
  }
  for (int j = 0; j < n; j++) x[j] /= largest;
  if (largest > 0) add_row(w, &w->face.rays, &w->face.n_rays, &w->ray_room, x, 1);
}

static void see_corner(void* user, const double* t, bool ray)
{
  work* w = user;
  if (w->no_memory) return;
  if (ray) see_ray(w, t);
  else see_vertex(w, t);
}

static void look_at_set(work* w, unsigned set)
{
  w->k = 0;
  for (int j = 0; j < w->lcp->n; j++)
    if (set >> j & 1) w->S[w->k++] = j;
  if (!solve_set(w)) return;
  w->face.set = set;
  w->face.n_vertices = w->face.n_rays = 0;
  if (w->d == 0) {
    if (accept_point(w, w->p)) add_vertex(w);
  } else {
    set_inequalities(w, set);
    if (!ss_polyhedron_corners(w->d, w->lcp->n, w->e, w->C, &w->budget, see_corner, w)) w->all->complete = false;
  }
  if (w->face.n_vertices && !w->no_memory) keep_face(w);
}

// ---- sets ----

// Unknowns below `next` are in the set or out of it; see the head of the file for what the signs exclude
static void branch(work* w, int next, unsigned in, unsigned out)
{
  int n = w->lcp->n;
  if (w->no_memory) return;
  for (int i = 0; i < n; i++) {
    if (w->lcp->b[i] < 0 && !(w->positive[i] & ~out)) return;
    if (w->lcp->b[i] > 0 && !(w->negative[i] & ~out) && (in >> i & 1)) return;
  }
  if (next == n) {
    look_at_set(w, in);
    return;
  }
  branch(w, next + 1, in | 1u << next, out);
  branch(w, next + 1, in, out | 1u << next);
}

static void prepare(work* w)
{
  int n = w->lcp->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double a = w->lcp->A[i*n + j];
      w->A[i*n + j] = w->t.row[i]*a*w->t.col[j];
      if (a > 0) w->positive[i] |= 1u << j;
      if (a < 0) w->negative[i] |= 1u << j;
    }
}

static bool is_point(const ss_lcp_piece* p) { return p->n_vertices == 1 && p->n_rays == 0; }

// Points before faces, otherwise by their sets
static int by_kind(const void* a, const void* b)
{
  const ss_lcp_piece *p = a, *q = b;
  if (is_point(p) != is_point(q)) return is_point(q) - is_point(p);
  return (p->set > q->set) - (p->set < q->set);
}

static void conclude(ss_lcp_solutions* all)
{
  if (all->n_pieces) qsort(all->pieces, (size_t)all->n_pieces, sizeof *all->pieces, by_kind);
  all->count = all->n_pieces ? SS_LCP_FINITE : SS_LCP_NONE;
  for (int k = 0; k < all->n_pieces; k++)
    if (!is_point(&all->pieces[k])) all->count = SS_LCP_INFINITE;
}

static ss_status enumerate(work* w, void* block)
{
  ss_tableau_init(&w->t, w->lcp->n, block);
  if (!ss_tableau_scale(&w->t, w->lcp)) return SS_ERR_NUMERIC;
  prepare(w);
  w->all->n = w->lcp->n;
  w->all->complete = true;
  w->budget = BUDGET;
  branch(w, 0, 0, 0);
  free_piece(&w->face);
  conclude(w->all);
  return w->no_memory ? SS_ERR_MEMORY : SS_OK;
}

ss_status ss_lcp_enumerate(const ss_lcp* lcp, const ss_lcp_def* def, ss_lcp_solutions** solutions)
{
  if (!lcp || !def || !solutions || lcp->n < 1 || lcp->n > MAX || !lcp->A || !lcp->b || !(def->tol > 0))
    return SS_ERR_ARGUMENT;
  work* w = calloc(1, sizeof *w);
  void* block = malloc(ss_tableau_size(lcp->n));
  ss_lcp_solutions* all = calloc(1, sizeof *all);
  ss_status status = SS_ERR_MEMORY;
  if (w && block && all) {
    w->lcp = lcp;
    w->tol = def->tol;
    w->all = all;
    status = enumerate(w, block);
  }
  free(w);
  free(block);
  if (status == SS_OK) *solutions = all;
  else ss_lcp_solutions_destroy(all);
  return status;
}

void ss_lcp_solutions_destroy(ss_lcp_solutions* solutions)
{
  if (!solutions) return;
  for (int k = 0; k < solutions->n_pieces; k++) free_piece(&solutions->pieces[k]);
  free(solutions->pieces);
  free(solutions);
}
