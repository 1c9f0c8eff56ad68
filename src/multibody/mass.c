// The mass matrix by composite rigid bodies, and its factor L^T D L, with the zeros that the branches leave.
// [Featherstone 2008, sections 6.2, 6.4 and 6.5]
// Row i holds the velocities on the way from the root to i, root first. A row of an ancestor is then a beginning of the
// rows of its descendants, entry by entry: the elimination works on contiguous arrays without any index.
#include <stdint.h>
#include <string.h>
#include "base/arena.h"
#include "base/text.h"
#include "multibody/tree.h"

struct ss_tree_mass {
  const ss_tree* tree;
  size_t* start;    ///< nv + 1: where rows begin; row i has depth[i] + 1 entries
  double* row;      ///< start[nv]
  double* m;        ///< n_body: composite masses ...
  ss_vec3* c;       ///< n_body: ... first moments about the body's centre of mass ...
  ss_sym3* J;       ///< n_body: ... and inertias about it
  double* x;        ///< nv
  ss_arena* arena;
};

ss_tree_mass* ss_tree_mass_create(const ss_tree* tree, ss_error* error)
{
  if (!tree) {
    ss_error_null(error, "the tree");
    return NULL;
  }
  size_t nv = (size_t)tree->nv, bodies = (size_t)tree->n_body, entries = 0;
  for (int i = 0; i < tree->nv; i++) entries += (size_t)tree->depth[i] + 1;
  size_t bytes = SIZE_MAX;
  if (entries < SIZE_MAX/32)
    bytes = ss_arena_bytes(sizeof(ss_tree_mass)) + ss_arena_bytes(sizeof(size_t)*(nv + 1)) +
            ss_arena_bytes(sizeof(double)*(entries + 1)) + ss_arena_bytes(sizeof(double)*bodies) +
            ss_arena_bytes(sizeof(ss_vec3)*bodies) + ss_arena_bytes(sizeof(ss_sym3)*bodies) +
            ss_arena_bytes(sizeof(double)*(nv + 1));
  ss_arena* arena = ss_arena_create(bytes);
  if (!arena) {
    ss_error_set(error, SS_ERR_MEMORY, "no memory for a mass matrix with %zu entries", entries);
    return NULL;
  }
  ss_tree_mass* mass = ss_arena_array(arena, ss_tree_mass, 1);
  *mass = (ss_tree_mass){.tree = tree, .arena = arena};
  mass->start = ss_arena_array(arena, size_t, nv + 1);
  mass->row = ss_arena_array(arena, double, entries + 1);
  mass->m = ss_arena_array(arena, double, bodies);
  mass->c = ss_arena_array(arena, ss_vec3, bodies);
  mass->J = ss_arena_array(arena, ss_sym3, bodies);
  mass->x = ss_arena_array(arena, double, nv + 1);
  mass->start[0] = 0;
  for (size_t i = 0; i < nv; i++) mass->start[i + 1] = mass->start[i] + (size_t)tree->depth[i] + 1;
  return mass;
}

void ss_tree_mass_destroy(ss_tree_mass* mass)
{
  if (mass) ss_arena_destroy(mass->arena);
}

// The composite of body b, given at its centre of mass, added to that of its parent at d before it:
//   c' = c + m d,   J' = J + 2 (c . d) + m d . d - (c d^T + d c^T + m d d^T)
static void add_composite(ss_tree_mass* mass, int b, int p, ss_vec3 d)
{
  double m = mass->m[b];
  ss_vec3 c = mass->c[b], e = ss_add(c, ss_scale(m, d));  // J' - J = (d . e + c . d) - (c d^T + d e^T)
  double s = ss_dot3(d, e) + ss_dot3(c, d);
  const ss_sym3* J = mass->J + b;
  ss_sym3* to = mass->J + p;
  to->xx += J->xx + s - (c.x*d.x + d.x*e.x);
  to->yy += J->yy + s - (c.y*d.y + d.y*e.y);
  to->zz += J->zz + s - (c.z*d.z + d.z*e.z);
  to->xy += J->xy - (c.x*d.y + d.x*e.y);
  to->xz += J->xz - (c.x*d.z + d.x*e.z);
  to->yz += J->yz - (c.y*d.z + d.y*e.z);
  mass->m[p] += m;
  mass->c[p] = ss_add(mass->c[p], e);
}

// The momentum of a composite (m, c, J) that moves with s
static ss_spatial momentum(double m, ss_vec3 c, const ss_sym3* J, const ss_spatial* s)
{
  return (ss_spatial){.w = ss_add(ss_sym3_mul(J, s->w), ss_cross(c, s->v)),
                      .v = ss_add(ss_scale(m, s->v), ss_cross(s->w, c))};
}

// Row i: the force that S_i needs, handed down to the root
static void fill_row(const ss_tree_mass* mass, const ss_tree_work* w, int i)
{
  const ss_tree* tree = w->tree;
  int b = tree->body_of[i], at = b;
  ss_spatial f = momentum(mass->m[b], mass->c[b], mass->J + b, w->S + i);
  double* row = mass->row + mass->start[i] + tree->depth[i];
  *row = ss_spatial_dot(w->S + i, &f) + tree->armature[i];
  for (int j = tree->parent_of[i]; j >= 0; j = tree->parent_of[j]) {
    for (; at != tree->body_of[j]; at = tree->body[at].parent) f.w = ss_add(f.w, ss_cross(w->d[at], f.v));
    *--row = ss_spatial_dot(w->S + j, &f);
  }
}

void ss_tree_mass_update(ss_tree_mass* mass, const ss_tree_work* work)
{
  const ss_tree* tree = mass->tree;
  for (int b = 0; b < tree->n_body; b++) {
    mass->m[b] = tree->body[b].mass;
    mass->c[b] = (ss_vec3){0, 0, 0};
    mass->J[b] = work->J[b];
  }
  for (int b = tree->n_body - 1; b > 0; b--)
    if (tree->body[b].parent > 0) add_composite(mass, b, tree->body[b].parent, work->d[b]);
  for (int i = 0; i < tree->nv; i++) fill_row(mass, work, i);
}

void ss_tree_mass_dense(const ss_tree_mass* mass, double* M)
{
  const ss_tree* tree = mass->tree;
  size_t n = (size_t)tree->nv;
  memset(M, 0, sizeof(double)*n*n);
  for (int i = 0; i < tree->nv; i++) {
    const double* row = mass->row + mass->start[i];
    for (int j = i; j >= 0; j = tree->parent_of[j])
      M[(size_t)i*n + (size_t)j] = M[(size_t)j*n + (size_t)i] = row[tree->depth[j]];
  }
}

// From the tips: row j -= L_ij (row i), L_ij = M_ij/D_i, for the ancestors j of i
SS_CLONES static int factor(const ss_tree_mass* mass)
{
  const ss_tree* tree = mass->tree;
  for (int i = tree->nv - 1; i >= 0; i--) {
    double* row = mass->row + mass->start[i];
    double D = row[tree->depth[i]];
    if (!(D > 0) || !(D < INFINITY)) return i;
    for (int j = tree->parent_of[i]; j >= 0; j = tree->parent_of[j]) {
      int p = tree->depth[j];
      double L = row[p]/D;
      ss_v4_axpy(p + 1, -L, row, mass->row + mass->start[j]);
      row[p] = L;
    }
  }
  return -1;
}

ss_status ss_tree_mass_factor(ss_tree_mass* mass) { return factor(mass) < 0 ? SS_OK : SS_ERR_NUMERIC; }

// L^T D L y = x
void ss_tree_mass_solve(const ss_tree_mass* mass, const double* x, double* y)
{
  const ss_tree* tree = mass->tree;
  if (y != x) memcpy(y, x, sizeof(double)*(size_t)tree->nv);
  for (int i = tree->nv - 1; i >= 0; i--) {
    const double* row = mass->row + mass->start[i];
    for (int j = tree->parent_of[i]; j >= 0; j = tree->parent_of[j]) y[j] -= row[tree->depth[j]]*y[i];
    y[i] /= row[tree->depth[i]];
  }
  for (int i = 0; i < tree->nv; i++) {
    const double* row = mass->row + mass->start[i];
    for (int j = tree->parent_of[i]; j >= 0; j = tree->parent_of[j]) y[i] -= row[tree->depth[j]]*y[j];
  }
}
