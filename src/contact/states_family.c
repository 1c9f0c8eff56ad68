// The solutions of a planar contact problem whose contacts are in given states: the equations leave a family
//   L = L_0 + E z,  z = z_0 + Z t
// with t of dimension zero as a rule, and the inequalities cut a polyhedron out of it, which its corners describe.
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact/states.h"
#include "math/dense.h"
#include "math/polyhedron.h"

enum { ROWS = SS_STATES_ROWS };

// L = L_0 + E z: z are the normal impulses of closed contacts and the friction of sticking ones
static void parametrise(ss_states* w)
{
  int m = w->m, n = 0;
  memset(w->L_0, 0, sizeof w->L_0);
  memset(w->E, 0, sizeof w->E);
  for (int i = 0; i < w->k; i++) {
    const ss_way* c = w->now[i];
    int N = w->N[i], T = w->T[i];
    if (c->grip == SS_SLIDES) w->L_0[T] = -c->sign*w->bound[i];
    if (c->closed) {
      w->E[n*m + N] = 1;
      if (c->grip == SS_SLIDES) w->E[n*m + T] = -c->sign*w->mu[i];
      n++;
    }
    if (c->grip == SS_HOLDS) w->E[n++*m + T] = 1;
  }
  w->n = n;
}

// A row of xi as a function of z: returns the constant, c gets the coefficients times sign
static double xi_row(const ss_states* w, int row, double sign, double* c)
{
  const double* G = w->G + row*w->m;
  for (int j = 0; j < w->n; j++) c[j] = sign*ss_dot(w->m, G, w->E + j*w->m);
  return sign*(ss_dot(w->m, G, w->L_0) + w->b[row]);
}

// z = z_0 + Z t; false if the equations contradict each other
static bool solve_equations(ss_states* w)
{
  double M[ROWS*ROWS], rhs[ROWS];
  int q = 0;
  for (int i = 0; i < w->k; i++) {
    if (w->now[i]->closed) {
      rhs[q] = -xi_row(w, w->N[i], 1, M + q*w->n);
      q++;
    }
    if (w->now[i]->grip == SS_HOLDS) {
      rhs[q] = -xi_row(w, w->T[i], 1, M + q*w->n);
      q++;
    }
  }
  w->d = ss_affine_solve(q, w->n, M, rhs, w->z_0, w->Z);
  return w->d >= 0;
}

static double* new_law(ss_states* w, double constant)
{
  double* c = w->C + w->laws*w->n;
  memset(c, 0, sizeof(double)*(size_t)w->n);
  w->e[w->laws++] = constant;
  return c;
}

// Inequalities of the combination in z
static void list_laws(ss_states* w)
{
  int z = 0;
  w->laws = 0;
  for (int i = 0; i < w->k; i++) {
    const ss_way* c = w->now[i];
    int n = c->closed ? z++ : -1, t = c->grip == SS_HOLDS ? z++ : -1;
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
    if (c->grip == SS_SLIDES && !c->free) {
      double* row = new_law(w, 0);
      w->e[w->laws - 1] = xi_row(w, w->T[i], c->sign, row);
    }
  }
}

// ... and in t
static void laws_on_family(ss_states* w)
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
static void write_Lambda(ss_states* w, const double* L, bool ray)
{
  double* Lambda = w->Lambda + w->r.nb;
  for (int r = 0; r < w->m; r++) Lambda[r] = (ray ? 1 : w->beta)*w->unit[r]*L[r];
  if (w->r.nb) ss_recover_bilateral(&w->r, !ray, w->Lambda);
}

static void clean(const ss_states* w, double* L)
{
  double size = fmax(1, ss_norm_inf(w->m, L));
  for (int i = 0; i < w->k; i++) {
    const ss_way* c = w->now[i];
    int N = w->N[i], T = w->T[i];
    if (N >= 0 && fabs(L[N]) <= 1e-13*size) L[N] = 0;
    double limit = (N >= 0 ? w->mu[i]*L[N] : 0) + w->bound[i];
    if (c->grip == SS_SLIDES) L[T] = -c->sign*limit;
    else if (c->grip == SS_HOLDS && fabs(L[T]) <= 1e-13*size) L[T] = 0;
    else if (c->grip == SS_HOLDS) L[T] = fmax(-limit, fmin(L[T], limit));
  }
}

// What the residual can be by round-off alone: near a singular combination (Painleve) impulses are large, and what they
// do cancels, in units where b is of order one
static double round_off(const ss_states* w, const double* L) { return 64*DBL_EPSILON*ss_norm_inf(w->m, L); }

// A corner of the family at hand
static void see_corner(void* user, const double* t, bool ray)
{
  ss_states* w = user;
  double z[ROWS], L[ROWS] = {0};
  for (int j = 0; j < w->n; j++) z[j] = (ray ? 0 : w->z_0[j]) + ss_dot(w->d, w->Z + j*w->d, t);
  if (!ray) memcpy(L, w->L_0, sizeof L);
  for (int j = 0; j < w->n; j++) ss_axpy(w->m, z[j], w->E + j*w->m, L);
  if (!ray) {
    clean(w, L);
    write_Lambda(w, L, false);
    if (ss_contact_residual(w->p, w->Lambda) <= fmax(w->tol, round_off(w, L))) ss_states_add(w, false);
    return;
  }
  write_Lambda(w, L, true);
  double largest = ss_norm_inf(w->p->m, w->Lambda);
  if (!(largest > 0)) return;
  for (int r = 0; r < w->p->m; r++)
    w->Lambda[r] = fabs(w->Lambda[r]) > 1e-12*largest ? w->Lambda[r]/largest : 0;
  ss_states_add(w, true);
}

bool ss_states_one_xi(const ss_states* w)
{
  double L[ROWS], xi[ROWS];
  for (int q = 0; q < w->d; q++) {
    memset(L, 0, sizeof L);
    for (int j = 0; j < w->n; j++) ss_axpy(w->m, w->Z[j*w->d + q], w->E + j*w->m, L);
    ss_gemv(w->m, w->m, w->G, L, xi);
    if (ss_norm_inf(w->m, xi) > SS_STATES_SAME*ss_norm_inf(w->m, L)) return false;
  }
  return true;
}

void ss_states_look(ss_states* w)
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
  if (w->piece.n_vertices && !w->no_memory) ss_states_keep(w);
}
