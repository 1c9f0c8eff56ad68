// Articulated bodies: M = (1 + H phi K) D (1 + H phi K)^T without M, M^-1 x in O(n), forward dynamics.
// [Featherstone 2008, section 7.3; the factors: Rodriguez, Jain & Kreutz-Delgado 1991, Jain 2011, chapter 7]
#include "multibody/dynamics.h"
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

// Eliminates one velocity from an articulated inertia: U = I S, D = S . U + armature, I -= U U^T/D
SS_INLINE bool eliminate(const double size[2], double armature, const ss_spatial* S, ss_spatial_matrix* I, ss_spatial* U,
                         double* D_inv)
{
  ss_spatial_apply(I, S, U);
  double D = ss_spatial_dot(S, U) + armature;
  double alone = size[0]*ss_dot3(S->w, S->w) + size[1]*ss_dot3(S->v, S->v);
  if (!(D > SINGULAR*alone) || !(D < INFINITY)) return false;
  *D_inv = 1/D;
  ss_spatial_rank_one(-*D_inv, U, U, I);
  return true;
}

// K = U/D, for the velocity next to the parent at the parent's centre of mass
SS_INLINE void gain(const ss_spatial* U, double D_inv, bool shifted, ss_vec3 d, ss_spatial* K)
{
  ss_spatial g = {.w = ss_scale(D_inv, U->w), .v = ss_scale(D_inv, U->v)};
  if (shifted) g.w = ss_add(g.w, ss_cross(d, g.v));
  *K = g;
}

// From the tips to the root, velocity by velocity. Factors: U, D, K and I -= U U^T/D. Forces: e = x - S . p, p += K e;
// taking the shift to the parent into K keeps it off the chain of operations that wait for each other.
// Returns the velocity that moves no mass, or -1.
SS_INLINE int to_root(ss_tree_work* w, bool factors, bool forces, const double* x)
{
  const ss_tree* tree = w->tree;
  for (int b = tree->n_body - 1; b > 0; b--) {
    const ss_tree_body* body = tree->body + b;
    ss_vec3 d = w->d[b];
    ss_spatial_matrix* I = w->I + b;
    ss_spatial p = w->f[b];
    double size[2] = {0, 0};
    if (factors) measure(body, I, w->size[b], size);
    for (int i = body->iv + body->nv - 1; i >= body->iv; i--) {
      bool next_to_parent = i == body->iv;
      if (factors) {
        if (!eliminate(size, tree->armature[i], w->S + i, I, w->U + i, w->D_inv + i)) return i;
        gain(w->U + i, w->D_inv[i], next_to_parent, d, w->K + i);
      }
      if (forces) {
        double e = x[i] - ss_spatial_dot(w->S + i, &p);
        w->e[i] = e*w->D_inv[i];
        if (next_to_parent) p.w = ss_add(p.w, ss_cross(d, p.v));
        ss_spatial_axpy(e, w->K + i, &p);
      }
    }
    if (forces && body->nv == 0) p.w = ss_add(p.w, ss_cross(d, p.v));
    if (forces) ss_spatial_axpy(1, &p, w->f + body->parent);
    if (!factors || body->parent == 0) continue;
    ss_inertia_add_shifted(I, d, w->I + body->parent);
    if (tree->body[body->parent].massless) {
      double* carried = w->size[body->parent];
      carried[0] = fmax(carried[0], size[0] + size[1]*ss_dot3(d, d));
      carried[1] = fmax(carried[1], size[1]);
    }
  }
  return -1;
}

// From the root to the tips: y = e/D - K . a, a += S y
SS_INLINE void to_tips(ss_tree_work* w, double* y)
{
  const ss_tree* tree = w->tree;
  for (int b = 1; b < tree->n_body; b++) {
    const ss_tree_body* body = tree->body + b;
    ss_spatial a = w->a[body->parent];
    if (body->nv == 0) a = ss_motion_shifted(&a, w->d[b]);
    for (int i = body->iv; i < body->iv + body->nv; i++) {
      double v = w->e[i] - ss_spatial_dot(w->K + i, &a);
      if (i == body->iv) a = ss_motion_shifted(&a, w->d[b]);
      ss_spatial_axpy(v, w->S + i, &a);
      y[i] = v;
    }
    w->a[b] = a;
  }
}

SS_INLINE void start_inertias(ss_tree_work* w)
{
  const ss_tree* tree = w->tree;
  for (int b = 1; b < tree->n_body; b++) {
    ss_inertia_set(tree->body[b].mass, w->J + b, w->I + b);
    w->size[b][0] = w->size[b][1] = 0;
  }
}

SS_CLONES static int factor(ss_tree_work* w)
{
  start_inertias(w);
  return to_root(w, true, false, NULL);
}

SS_CLONES static void solve(ss_tree_work* w, const double* x, double* y)
{
  for (int b = 0; b < w->tree->n_body; b++) w->f[b] = (ss_spatial){.w = {0, 0, 0}};
  to_root(w, false, true, x);
  to_tips(w, y);
}

// With the forces that the bodies need at u' = 0 as p the same two sweeps give M^-1 (x - c): no sweep for c
SS_CLONES static int forward(ss_tree_work* w, const double* x, double* du)
{
  start_inertias(w);
  ss_tree_body_forces(w, w->A);
  int bad = to_root(w, true, true, x);
  if (bad < 0) to_tips(w, du);
  return bad;
}

static ss_status status_of(ss_tree_work* work, int bad)
{
  work->singular = bad < 0 ? -1 : work->tree->joint_of[bad];
  return bad < 0 ? SS_OK : SS_ERR_NUMERIC;
}

ss_status ss_tree_factor(ss_tree_work* work) { return status_of(work, factor(work)); }

int ss_tree_singular(const ss_tree_work* work) { return work->singular; }

void ss_tree_solve(ss_tree_work* work, const double* x, double* y) { solve(work, x, y); }

ss_status ss_tree_forward(ss_tree_work* work, const double* tau, double* du)
{
  const ss_tree* tree = work->tree;
  for (int i = 0; i < tree->nv; i++) work->h[i] = (tau ? tau[i] : 0) - tree->damping[i]*work->u[i];
  ss_tree_add_springs(work, work->h);
  return status_of(work, forward(work, work->h, du));
}
