// Articulated bodies: M = (1 + H phi K) D (1 + H phi K)^T without M, M^-1 x in O(n), forward dynamics.
// [Featherstone 2008, section 7.3; the factors: Rodriguez, Jain & Kreutz-Delgado 1991, Jain 2011, chapter 7]
#include <string.h>
#include "multibody/alone.h"
#include "multibody/dynamics.h"
#include "multibody/node.h"
#include "multibody/tree.h"

// Smallest D that counts, relative to the inertia that the joint would move if it were alone
#define SINGULAR 1e-14

SS_INLINE double largest(double a, double b, double c)
{
  double ab = a > b ? a : b;
  return ab > c ? ab : c;
}

// Sizes of the two diagonal blocks before elimination. What a massless body carries counts with its size then.
SS_INLINE void measure(const ss_tree_body* body, const ss_spatial_matrix* I, const double before[2], double size[2])
{
  size[0] = largest(I->row[0].w.x, I->row[1].w.y, I->row[2].w.z);
  size[1] = largest(I->row[3].v.x, I->row[4].v.y, I->row[5].v.z);
  if (!body->massless) return;
  size[0] = fmax(size[0], before[0]);
  size[1] = fmax(size[1], before[1]);
}

// U = I S, 1/(S . U + rotor). False if that is no number to go on with.
SS_INLINE bool project(const double size[2], double rotor, const ss_spatial* S, const ss_spatial_matrix* I,
                       ss_spatial* U, double* D_inv)
{
  ss_spatial_apply(I, S, U);
  double D = ss_spatial_dot(S, U) + rotor;
  double alone = size[0]*ss_dot3(S->w, S->w) + size[1]*ss_dot3(S->v, S->v);
  *D_inv = 1/D;
  return D > SINGULAR*alone && D < INFINITY;
}

// Factors of one body: its velocities are eliminated from I, last one first, by I -= U U^T/D. The first one, next to
// the parent, is eliminated where the parent is, in `to`: shifting I need not wait for D.
SS_INLINE int factor_body(ss_tree_work* w, const ss_tree_body* body, ss_vec3 d, const double size[2],
                          ss_spatial_matrix* I, ss_spatial_matrix* to)
{
  if (body->nv == 0) ss_inertia_add_shifted(I, d, to);
  for (int i = body->iv + body->nv - 1; i >= body->iv; i--) {
    ss_spatial U, shifted, *K = w->K + i;
    if (i == body->iv) ss_inertia_add_shifted(I, d, to);
    if (!project(size, w->rotor[i], w->S + i, I, &U, w->D_inv + i)) return i;
    if (i == body->iv) {
      ss_force_shift(&U, d, &shifted);
      ss_force_scale(w->D_inv[i], &shifted, K);
      ss_spatial_rank_one(-1, K, &shifted, to);
    } else {
      ss_force_scale(w->D_inv[i], &U, K);
      ss_spatial_rank_one(-1, K, &U, I);
    }
  }
  return -1;
}

// What a massless parent carries
SS_INLINE void carry_size(ss_tree_work* w, const ss_tree_body* body, ss_vec3 d, const double size[2])
{
  double* carried = w->size[body->parent];
  if (!w->tree->body[body->parent].massless) return;
  carried[0] = fmax(carried[0], size[0] + size[1]*ss_dot3(d, d));
  carried[1] = fmax(carried[1], size[1]);
}

// The force p on a body, in registers
typedef struct force {
  ss_v4 w, v;
} force;

SS_INLINE void add_force(const ss_spatial* f, force* p)
{
  p->w += SS_SPATIAL_WC(f);
  p->v += SS_SPATIAL_VC(f);
}

// p += what the body needs at u' = 0, see ss_tree_body_force()
SS_INLINE void add_own(const ss_tree_work* w, int b, force* p)
{
  const ss_sym3* J = w->J + b;
  const ss_spatial *V = w->V + b, *A = w->A + b;
  ss_v4 x = SS_V4_3(J->xx, J->xy, J->xz), y = SS_V4_3(J->xy, J->yy, J->yz), z = SS_V4_3(J->xz, J->yz, J->zz);
  ss_v4 spin = SS_SPATIAL_WC(V), v = SS_SPATIAL_VC(V), g = SS_V4_FROM3(w->tree->gravity);
  ss_v4 spin_yzx = SS_V4_YZX(spin), spin_zxy = SS_V4_ZXY(spin);
  ss_v4 momentum = V->w.x*x + V->w.y*y + V->w.z*z;
  p->w += (A->w.x*x + A->w.y*y + A->w.z*z) + SS_V4_CROSS(spin_yzx, spin_zxy, momentum);
  p->v += w->tree->body[b].mass*(SS_SPATIAL_VC(A) + SS_V4_CROSS(spin_yzx, spin_zxy, v) - g);
}

// Forces of one body: e = x - S . p, p += K e; then p is at the parent's centre of mass
SS_INLINE void reduce_force(ss_tree_work* w, const ss_tree_body* body, ss_vec3 d, const double* x, force* p)
{
  ss_v4 d4 = SS_V4_FROM3(d), d_yzx = SS_V4_YZX(d4), d_zxy = SS_V4_ZXY(d4);
  if (body->nv == 0) p->w += SS_V4_CROSS(d_yzx, d_zxy, p->v);
  for (int i = body->iv + body->nv - 1; i >= body->iv; i--) {
    ss_v4 terms = SS_SPATIAL_WC(w->S + i)*p->w + SS_SPATIAL_VC(w->S + i)*p->v;
    double e = x[i] - SS_V4_SUM(terms);
    w->e[i] = e*w->D_inv[i];
    if (i == body->iv) p->w += SS_V4_CROSS(d_yzx, d_zxy, p->v);
    p->w += e*SS_SPATIAL_WC(w->K + i);
    p->v += e*SS_SPATIAL_VC(w->K + i);
  }
}

// The inertia of body b itself and, if it has any, what has come from children other than the body behind it
SS_INLINE void own_inertia(const ss_tree_work* w, int b, ss_spatial_matrix* I)
{
  ss_inertia_set(w->tree->body[b].mass, w->J + b, I);
  if (!w->tree->body[b].gathers) return;
  for (int k = 0; k < 6; k++) {
    SS_SPATIAL_W(I->row + k) += SS_SPATIAL_WC(w->I[b].row + k);
    SS_SPATIAL_V(I->row + k) += SS_SPATIAL_VC(w->I[b].row + k);
  }
}

// From the tips to the root: factors of M, forces p at the bodies, or both; bias: the bodies' own forces at u' = 0 are
// among p. Returns the velocity that moves no mass, or -1. Most bodies have the body before them as their parent: what
// goes there stays near, in two inertias that take turns and one force; only other parents gather in memory. Bodies
// alone are left to to_tips().
SS_INLINE int to_root(ss_tree_work* w, bool factors, bool forces, bool bias, const double* x)
{
  const ss_tree* tree = w->tree;
  force p = {{0}, {0}};
  ss_spatial_matrix near[2];
  if (factors && !tree->body[tree->n_body - 1].alone) own_inertia(w, tree->n_body - 1, near + (tree->n_body - 1)%2);
  for (int b = tree->n_body - 1; b > 0; b--) {
    const ss_tree_body* body = tree->body + b;
    if (factors && !tree->body[b - 1].alone) own_inertia(w, b - 1, near + (b - 1)%2);
    if (body->alone) continue;
    bool is_near = body->parent == b - 1;
    ss_vec3 d = w->d[b];
    if (factors) {
      double size[2];
      ss_spatial_matrix* I = near + b%2;
      measure(body, I, w->size[b], size);
      int bad = factor_body(w, body, d, size, I, is_near ? near + (b - 1)%2 : w->I + body->parent);
      if (bad >= 0) return bad;
      carry_size(w, body, d, size);
    }
    if (!forces) continue;
    if (body->gathers) add_force(w->f + b, &p);
    if (bias) add_own(w, b, &p);
    reduce_force(w, body, d, x, &p);
    if (is_near) continue;
    SS_SPATIAL_W(w->f + body->parent) += p.w;
    SS_SPATIAL_V(w->f + body->parent) += p.v;
    p = (force){{0}, {0}};
  }
  return -1;
}

// From the root to the tips: y = e/D - K . a, a += S y. bias, x: as for to_root(); time: see ss_tree_accelerate()
SS_INLINE void to_tips(ss_tree_work* w, bool bias, const ss_tree_time* time, const double* x, double* y)
{
  const ss_tree* tree = w->tree;
  ss_v4 a_w = {0}, a_v = {0};
  for (int b = 1; b < tree->n_body; b++) {
    const ss_tree_body* body = tree->body + b;
    if (body->alone) {
      ss_alone_solve(w, b, bias, time, x + body->iv, y + body->iv);
      continue;
    }
    ss_v4 d4 = SS_V4_FROM3(w->d[b]), d_yzx = SS_V4_YZX(d4), d_zxy = SS_V4_ZXY(d4);
    if (body->parent != b - 1) {
      a_w = SS_SPATIAL_WC(w->a + body->parent);
      a_v = SS_SPATIAL_VC(w->a + body->parent);
    }
    if (body->nv == 0) a_v -= SS_V4_CROSS(d_yzx, d_zxy, a_w);
    for (int i = body->iv; i < body->iv + body->nv; i++) {
      ss_v4 terms = SS_SPATIAL_WC(w->K + i)*a_w + SS_SPATIAL_VC(w->K + i)*a_v;
      if (i == body->iv) a_v -= SS_V4_CROSS(d_yzx, d_zxy, a_w);
      double v = w->e[i] - SS_V4_SUM(terms);
      a_w += v*SS_SPATIAL_WC(w->S + i);
      a_v += v*SS_SPATIAL_VC(w->S + i);
      y[i] = v;
    }
    if (!body->gathers) continue;
    SS_SPATIAL_W(w->a + b) = a_w;
    SS_SPATIAL_V(w->a + b) = a_v;
  }
}

// Bodies that gather begin with nothing
SS_INLINE void clear(ss_tree_work* w, bool factors)
{
  const ss_tree* tree = w->tree;
  for (int k = 0; k < tree->n_gather; k++) {
    int b = tree->gather[k];
    w->f[b] = (ss_spatial){.w = {0, 0, 0}};
    if (factors) memset(w->I + b, 0, sizeof *w->I);
  }
  for (int k = 0; factors && k < tree->n_massless; k++)
    w->size[tree->massless[k]][0] = w->size[tree->massless[k]][1] = 0;
}

SS_CLONES static int factor(ss_tree_work* w)
{
  clear(w, true);
  return to_root(w, true, false, false, NULL);
}

SS_CLONES static void solve(ss_tree_work* w, const double* x, double* y)
{
  clear(w, false);
  to_root(w, false, true, false, x);
  to_tips(w, false, NULL, x, y);
}

SS_CLONES static void accelerate(ss_tree_work* w, const ss_tree_time* time, const double* x, double* du)
{
  clear(w, false);
  to_root(w, false, true, true, x);
  to_tips(w, true, time, x, du);
}

// With the forces that the bodies need at u' = 0 among p the same two sweeps give M^-1 (x - c): no sweep for c
SS_CLONES static int forward(ss_tree_work* w, const double* x, double* du)
{
  clear(w, true);
  int bad = to_root(w, true, true, true, x);
  if (bad < 0) to_tips(w, true, NULL, x, du);
  return bad;
}

// Factors of bodies alone, which only rows that pass through them need
SS_CLONES static void factor_alone(ss_tree_work* w)
{
  const ss_tree* tree = w->tree;
  for (int b = 1; b < tree->n_body; b++) {
    double size[2];
    ss_spatial_matrix I, world = {0};
    if (!tree->body[b].alone) continue;
    ss_inertia_set(tree->body[b].mass, w->J + b, &I);
    measure(tree->body + b, &I, size, size);
    factor_body(w, tree->body + b, w->d[b], size, &I, &world);
  }
}

void ss_tree_factor_alone(ss_tree_work* w)
{
  if (!w->has_alone) factor_alone(w);
  w->has_alone = true;
}

static ss_status status_of(ss_tree_work* work, int bad)
{
  work->singular = bad < 0 ? -1 : work->tree->joint_of[bad];
  work->has_alone = false;
  return bad < 0 ? SS_OK : SS_ERR_NUMERIC;
}

// The closed forms of bodies alone have no place for it
static bool can_add(const ss_tree* tree, const double* added)
{
  for (int b = 1; b < tree->n_body; b++) {
    const ss_tree_body* body = tree->body + b;
    for (int i = body->iv; i < body->iv + body->nv; i++)
      if (!(added[i] >= 0 && added[i] < INFINITY) || (body->alone && added[i] > 0)) return false;
  }
  return true;
}

ss_status ss_tree_set_implicit(ss_tree_work* work, const double* added)
{
  const ss_tree* tree = work->tree;
  if (added && !can_add(tree, added)) return SS_ERR_ARGUMENT;
  for (int i = 0; i < tree->nv; i++) work->rotor[i] = tree->armature[i] + (added ? added[i] : 0);
  return SS_OK;
}

ss_status ss_tree_factor(ss_tree_work* work) { return status_of(work, factor(work)); }

int ss_tree_singular(const ss_tree_work* work) { return work->singular; }

void ss_tree_solve(ss_tree_work* work, const double* x, double* y) { solve(work, x, y); }

void ss_tree_apply(ss_tree_work* work, const double* tau)
{
  const ss_tree* tree = work->tree;
  for (int i = 0; i < tree->nv; i++) work->h[i] = (tau ? tau[i] : 0) - tree->damping[i]*work->u[i];
  ss_tree_add_springs(work, work->h);
}

ss_status ss_tree_forward(ss_tree_work* work, const double* tau, double* du)
{
  ss_tree_apply(work, tau);
  return status_of(work, forward(work, work->h, du));
}

bool ss_tree_accelerate(ss_tree_work* work, const ss_tree_time* time, const double* tau, double* du)
{
  ss_tree_apply(work, tau);
  accelerate(work, time, work->h, du);
  return ss_tree_turn(work, time, du);
}

void ss_tree_accelerate_by(ss_tree_work* work, const ss_tree_time* time, const double* x, double* du)
{
  accelerate(work, time, x, du);
}
