// A height field made ready: a grid of points, two triangles per cell, solid below.
#ifndef SS_COLLIDE_HEIGHTS_H
#define SS_COLLIDE_HEIGHTS_H

#include "collide/shape.h"

/// The edges that a point owns: to the next one along x, along y, and across the cell between the two triangles
typedef enum ss_heights_edge { SS_EDGE_X, SS_EDGE_Y, SS_EDGE_ACROSS, SS_HEIGHTS_EDGES } ss_heights_edge;

typedef struct ss_heights {
  int rows, cols;          ///< points along y and x
  double half[3];          ///< of the box about it, its centre at the origin; deeper than it is wide
  double dx, dy;           ///< between points
  double* z;               ///< rows cols
  unsigned char* convex;   ///< rows cols: bit e: the edge e of this point is a ridge, or the border
} ss_heights;

/// Copies what shape has; NULL if memory is short. The shape is valid.
ss_heights* ss_heights_create(const ss_shape_def* shape);
void ss_heights_destroy(ss_heights* field);  ///< NULL is fine

static inline bool ss_heights_has(const ss_heights* f, int r, int c)
{
  return r >= 0 && c >= 0 && r < f->rows && c < f->cols;
}

static inline ss_vec3 ss_heights_point(const ss_heights* f, int r, int c)
{
  return (ss_vec3){-f->half[0] + f->dx*c, -f->half[1] + f->dy*r, f->z[r*f->cols + c]};
}

/// Where edge e of a point leads to, and the corners of its two triangles across it: steps along rows and columns
typedef struct ss_heights_steps { int to[2], left[2], right[2]; } ss_heights_steps;
extern const ss_heights_steps ss_heights_step[SS_HEIGHTS_EDGES];

#endif
