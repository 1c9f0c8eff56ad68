// Height fields as data: a copy of the heights, and which edges are ridges. Only these, and the faces, can be what a
// convex body touches: an edge between faces that are level, or that rise from it, holds nothing that a face does not
// hold, and would be a step for what slides over it.
#include "collide/heights.h"
#include <stdlib.h>
#include <string.h>

// Part of its length by which a corner must be below the plane of the other face for the edge to be a ridge
#define FLAT 1e-9

// The cell of point (r, c) has the triangles (r, c), (r, c + 1), (r + 1, c + 1) and (r, c), (r + 1, c + 1), (r + 1, c)
const ss_heights_steps ss_heights_step[SS_HEIGHTS_EDGES] = {
  [SS_EDGE_X] = {{0, 1}, {1, 1}, {-1, 0}},
  [SS_EDGE_Y] = {{1, 0}, {0, -1}, {1, 1}},
  [SS_EDGE_ACROSS] = {{1, 1}, {1, 0}, {0, 1}},
};

static bool is_ridge(const ss_heights* f, int r, int c, const ss_heights_steps* s)
{
  bool left = ss_heights_has(f, r + s->left[0], c + s->left[1]);
  bool right = ss_heights_has(f, r + s->right[0], c + s->right[1]);
  if (!left || !right) return true;
  ss_vec3 o = ss_heights_point(f, r, c);
  ss_vec3 u = ss_sub(ss_heights_point(f, r + s->to[0], c + s->to[1]), o);
  ss_vec3 l = ss_sub(ss_heights_point(f, r + s->left[0], c + s->left[1]), o);
  ss_vec3 m = ss_sub(ss_heights_point(f, r + s->right[0], c + s->right[1]), o), n = ss_cross(u, l);
  return ss_dot3(n, m) < -FLAT*ss_norm(n)*ss_norm(m);
}

static void mark_ridges(ss_heights* f)
{
  for (int r = 0; r < f->rows; r++)
    for (int c = 0; c < f->cols; c++)
      for (int e = 0; e < SS_HEIGHTS_EDGES; e++) {
        const ss_heights_steps* s = ss_heights_step + e;
        if (ss_heights_has(f, r + s->to[0], c + s->to[1]) && is_ridge(f, r, c, s))
          f->convex[r*f->cols + c] |= (unsigned char)(1 << e);
      }
}

ss_heights* ss_heights_create(const ss_shape_def* shape)
{
  size_t n = (size_t)shape->n_row*(size_t)shape->n_col;
  ss_heights* f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->z = malloc(n*sizeof *f->z);
  f->convex = calloc(n, 1);
  if (!f->z || !f->convex) {
    ss_heights_destroy(f);
    return NULL;
  }
  f->rows = shape->n_row;
  f->cols = shape->n_col;
  memcpy(f->z, shape->height, n*sizeof *f->z);
  memcpy(f->half, shape->half, sizeof(double[2]));
  f->dx = 2*f->half[0]/(f->cols - 1);
  f->dy = 2*f->half[1]/(f->rows - 1);
  double low = f->z[0], high = f->z[0];
  for (size_t i = 1; i < n; i++) low = fmin(low, f->z[i]), high = fmax(high, f->z[i]);
  f->half[2] = fmax(fabs(high), fabs(low - 2*fmax(f->half[0], f->half[1])));
  mark_ridges(f);
  return f;
}

void ss_heights_destroy(ss_heights* f)
{
  if (!f) return;
  free(f->z);
  free(f->convex);
  free(f);
}
