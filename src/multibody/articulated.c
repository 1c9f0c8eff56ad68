// Articulated bodies: M = (1 + H phi K) D (1 + H phi K)^T without M, M^-1 x in O(n), forward dynamics.
// [Featherstone 2008, section 7.3; the factors: Rodriguez, Jain & Kreutz-Delgado 1991, Jain 2011 chapter 7]
#include "multibody/tree.h"

// Smallest D that counts, relative to the inertia that the joint would move if it were alone
#define SINGULAR 1e-14

// Eliminates the velocities of one body from its articulated inertia, last one first:
//   U = I S,  D = S . U + armature,  I -= U U^T/D
SS_INLINE int eliminate(const ss_tree* tree, const ss_tree_body* body, const double* scale, ss_spatial_matrix* I,
                        const ss_spatial* S, ss_spatial* U, double* D_inv)
{
  for (int i = body->iv + body->nv - 1; i >= body->iv; i--) {
    ss_spatial_apply(I, S + i, U + i);
    double D = ss_spatial_dot(S + i, U + i) + tree->armature[i];
    double size = scale[0]*ss_dot3(S[i].w, S[i].w) + scale[1]*ss_dot3(S[i].v, S[i].v);
    if (!(D > SINGULAR*size) || !(D < INFINITY)) return i;
    D_inv[i] = 1/D;
    ss_spatial_rank_one(-D_inv[i], U + i, U + i, I);
  }
  return -1;
}

SS_INLINE double largest(double a, double b, double c) { return fmax(fmax(a, b), c); }

// Sizes of the two diagonal blocks. What a massless body carries counts with its size before elimination.
SS_INLINE void sizes(const ss_spatial_matrix* I, double scale[2])
{
  scale[0] = fmax(scale[0], largest(I->row[0].w.x, I->row[1].w.y, I->row[2].w.z));
  scale[1] = fmax(scale[1], largest(I->row[3].v.x, I->row[4].v.y, I->row[5].v.z));
}

SS_CLONES static int factor(ss_tree_work* w)
{
  const ss_tree* tree = w->tree;
  ss_spatial_matrix* I = w->I;
  for (int b = 0; b < tree->n_body; b++) {
    ss_inertia_set(tree->body[b].mass, w->J + b, I + b);
    w->scale[b][0] = w->scale[b][1] = 0;
  }
  for (int b = tree->n_body - 1; b > 0; b--) {
    const ss_tree_body* body = tree->body + b;
    int p = body->parent;
    double* scale = w->scale[b];
    sizes(I + b, scale);
    int bad = eliminate(tree, body, scale, I + b, w->S, w->U, w->D_inv);
    if (bad >= 0) return bad;
    if (p == 0) continue;
    ss_inertia_add_shifted(I + b, w->d[b], I + p);
    if (tree->body[p].massless) {
      w->scale[p][0] = fmax(w->scale[p][0], scale[0] + scale[1]*ss_dot3(w->d[b], w->d[b]));
      w->scale[p][1] = fmax(w->scale[p][1], scale[1]);
    }
  }
  return -1;
}

ss_status ss_tree_factor(ss_tree_work* work)
{
  int bad = factor(work);
  work->singular = bad < 0 ? -1 : work->tree->joint_of[bad];
  return bad < 0 ? SS_OK : SS_ERR_NUMERIC;
}

int ss_tree_singular(const ss_tree_work* work) { return work->singular; }

// To the root: e = x - S . p, p += U e/D.  To the tips: y = e/D - U . a/D, a += S y.
SS_CLONES static void solve(ss_tree_work* w, const double* x, double* y)
{
  const ss_tree* tree = w->tree;
  ss_spatial *p = w->f, *a = w->a;
  double* e = w->x;
  for (int b = 0; b < tree->n_body; b++) p[b] = (ss_spatial){.w = {0, 0, 0}};
  for (int b = tree->n_body - 1; b > 0; b--) {
    const ss_tree_body* body = tree->body + b;
    for (int i = body->iv + body->nv - 1; i >= body->iv; i--) {
      e[i] = (x[i] - ss_spatial_dot(w->S + i, p + b))*w->D_inv[i];
      ss_spatial_axpy(e[i], w->U + i, p + b);
    }
    ss_force_add_shifted(p + b, w->d[b], p + body->parent);
  }
  for (int b = 1; b < tree->n_body; b++) {
    const ss_tree_body* body = tree->body + b;
    a[b] = ss_motion_shifted(a + body->parent, w->d[b]);
    for (int i = body->iv; i < body->iv + body->nv; i++) {
      y[i] = e[i] - ss_spatial_dot(w->U + i, a + b)*w->D_inv[i];
      ss_spatial_axpy(y[i], w->S + i, a + b);
    }
  }
}

void ss_tree_solve(ss_tree_work* work, const double* x, double* y) { solve(work, x, y); }

ss_status ss_tree_forward(ss_tree_work* work, const double* tau, double* du)
{
  ss_status status = ss_tree_factor(work);
  if (status < 0) return status;
  ss_tree_force(work, work->h);
  for (int i = 0; tau && i < work->tree->nv; i++) work->h[i] += tau[i];
  solve(work, work->h, du);
  return SS_OK;
}
