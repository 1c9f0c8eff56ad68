// The steps of Newton's methods for a sparse A, by LU without pivoting (math/block_lu.h) in an order found once. V is
// an M-matrix for obstacle problems and near "one plus positive" for many others; where it is not, the step is measured
// by its defect and refused. The regularised step needs no V^T V, which would fill in: it solves
//
//   [ -1    V  ] [r]   [-Phi]
//   [ V^T   nu ] [d] = [  0 ]        =>  (V^T V + nu) d = -V^T Phi
//
// whose matrix is quasidefinite and so has factors in every order [Vanderbei 1995]: pairs (r_i, d_i) as 2 x 2 blocks,
// in the pattern of A itself.
#include "base/arena.h"
#include "math/dense.h"
#include "math/sparse.h"
#include "solve/newton.h"
#include "solve/residual.h"
#include <math.h>
#include <string.h>

enum { BLOCKS = 40000000 };  // of factors at most, half a gigabyte

static const double DEFECT = 1e-6;  // of V d = -Phi, relative, with which a step is still one

size_t ss_newton_sparse_size(int n, int entries)
{
  if (n <= 0) return 0;
  return ss_search_sparse_size(n) + ss_newton_vectors_size(n) + ss_arena_bytes(sizeof(double)*(size_t)entries) +
         ss_arena_bytes(3*sizeof(double)*(size_t)n);
}

static bool sparse_open(ss_newton* w, ss_arena* arena)
{
  const ss_tableau* t = &w->s.t;
  const ss_sparse* S = w->s.lcp->S;
  double* value = ss_arena_array(arena, double, S->start[w->n]);
  w->r = ss_arena_array(arena, double, 3*(size_t)w->n);
  if (!ss_newton_take_vectors(w, arena) || !value || !w->r) return false;
  w->v = w->r + w->n;
  for (int i = 0; i < w->n; i++)
    for (int e = S->start[i]; e < S->start[i + 1]; e++) value[e] = t->row[i]*S->value[e]*t->col[S->col[e]];
  w->S = *S;
  w->S.value = value;
  w->lu = ss_block_lu_create(w->n, 1, S->start, S->col, BLOCKS, INFINITY);
  return w->lu != NULL;
}

static void sparse_close(ss_newton* w)
{
  ss_block_lu_destroy(w->lu);
  ss_block_lu_destroy(w->pairs);
}

static void multiply(const ss_newton* w, const double* x, double* y)
{
  memset(y, 0, sizeof(double)*(size_t)w->n);
  ss_sparse_multiply_add(&w->S, x, y);
}

static void multiply_t(const ss_newton* w, const double* x, double* y)
{
  memset(y, 0, sizeof(double)*(size_t)w->n);
  ss_sparse_multiply_add_t(&w->S, x, y);
}

// ---- systems with phi_y != 0 in some rows F, the others being d_i = given ----

// The factors of V_FF beside ones. Rows and columns outside F have no entries, so the elimination skips them.
static bool factor(ss_newton* w, const double* px, const double* py)
{
  const ss_sparse* S = &w->S;
  ss_block_lu_clear(w->lu);
  for (int i = 0; i < w->n; i++) {
    w->lu->value[ss_block_lu_find(w->lu, i, i)] = py[i] != 0 ? px[i] : 1;
    if (py[i] == 0) continue;
    for (int e = S->start[i]; e < S->start[i + 1]; e++)
      if (py[S->col[e]] != 0) w->lu->value[ss_block_lu_find(w->lu, i, S->col[e])] += py[i]*S->value[e];
  }
  return ss_block_lu_factor(w->lu);
}

// r = -Phi - V d in F, 0 elsewhere; returns the largest, relative to the terms of its row. Spoils Ad.
static double defect(ss_newton* w, const double* Phi, const double* px, const double* py, const double* d)
{
  double worst = 0;
  const ss_sparse* S = &w->S;
  for (int i = 0; i < w->n; i++) {
    w->r[i] = 0;
    if (py[i] == 0) continue;
    double sum = Phi[i] + px[i]*d[i], size = fabs(Phi[i]) + fabs(px[i]*d[i]);
    for (int e = S->start[i]; e < S->start[i + 1]; e++) {
      double p = py[i]*S->value[e]*d[S->col[e]];
      sum += p;
      size += fabs(p);
    }
    w->r[i] = -sum;
    if (fabs(sum) > worst*size) worst = fabs(sum)/size;
    if (!(size < INFINITY)) return INFINITY;
  }
  return worst;
}

// V d = -Phi in F from the d that is given elsewhere (0 in F), with refinement. False if V_FF is nearly singular.
static bool solve(ss_newton* w, const double* Phi, const double* px, const double* py, double* d)
{
  if (!factor(w, px, py)) return false;
  double worst = defect(w, Phi, px, py, d);
  for (int k = 0; k < 3 && worst > 1e-15; k++) {
    ss_block_lu_solve(w->lu, w->r);
    ss_axpy(w->n, 1, w->r, d);
    worst = defect(w, Phi, px, py, d);
  }
  return worst < DEFECT;
}

static bool newton_step(ss_newton* w)
{
  for (int i = 0; i < w->n; i++) w->d[i] = w->py[i] != 0 ? 0 : -w->Phi[i]/w->px[i];
  return solve(w, w->Phi, w->px, w->py, w->d) && ss_norm_inf(w->n, w->d) < 1e12;
}

// ---- regularised ----

static double* pair(const ss_newton* w, int i, int j) { return w->pairs->value + 4*ss_block_lu_find(w->pairs, i, j); }

// Largest diagonal entry of V^T V; v is scratch
static double largest_square(const ss_newton* w)
{
  const ss_sparse* S = &w->S;
  double *sum = w->v, largest = 0;
  for (int j = 0; j < w->n; j++) sum[j] = w->px[j]*w->px[j];
  for (int i = 0; i < w->n; i++)
    for (int e = S->start[i]; e < S->start[i + 1]; e++) {
      double a = w->py[i]*S->value[e];
      sum[S->col[e]] += a*a;
    }
  for (int j = 0; j < w->n; j++) largest = fmax(largest, sum[j]);
  return largest;
}

static void assemble_pairs(const ss_newton* w, double nu)
{
  const ss_sparse* S = &w->S;
  ss_block_lu_clear(w->pairs);
  for (int i = 0; i < w->n; i++) {
    double* b = pair(w, i, i);
    b[0] = -1;
    b[1] = b[2] = w->px[i];
    b[3] = nu;
  }
  for (int i = 0; i < w->n; i++)
    for (int e = S->start[i]; e < S->start[i + 1]; e++) {
      double a = w->py[i]*S->value[e];
      pair(w, i, S->col[e])[1] += a;
      pair(w, S->col[e], i)[2] += a;
    }
}

static bool regularised_step(ss_newton* w, double part)
{
  if (!w->pairs) w->pairs = ss_block_lu_create(w->n, 2, w->S.start, w->S.col, BLOCKS/4, INFINITY);
  if (!w->pairs) return false;
  assemble_pairs(w, largest_square(w)*part);
  if (!ss_block_lu_factor(w->pairs)) return false;
  for (int i = 0; i < w->n; i++) {
    w->v[2*i] = -w->Phi[i];
    w->v[2*i + 1] = 0;
  }
  ss_block_lu_solve(w->pairs, w->v);
  for (int i = 0; i < w->n; i++) w->d[i] = w->v[2*i + 1];
  return isfinite(ss_norm_inf(w->n, w->d));
}

// ---- polish ----

// The point itself, which is the solution of its basis after a full step for min(x, y); otherwise A_SS x_S = -b_S
static void polish(ss_newton* w)
{
  ss_tableau* t = &w->s.t;
  double *in = w->v, *out = w->v + w->n, *x = t->rhs;
  ss_newton_offer_point(w);
  if (ss_search_good(&w->s)) return;
  for (int i = 0; i < w->n; i++) {
    in[i] = w->x[i] > w->y[i];
    out[i] = x[i] = 0;
  }
  if (!solve(w, t->b, out, in, x)) return;
  for (int i = 0; i < w->n; i++) t->x[i] = x[i] > 0 ? x[i]*t->col[i]/t->beta : 0;
  ss_search_offer(&w->s);
}

const ss_newton_matrix ss_newton_sparse = {sparse_open, sparse_close, multiply, multiply_t,
                                           newton_step, regularised_step, polish};
