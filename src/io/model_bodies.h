// The section `bodies` of a text model: outlines, circles and half-planes that touch (docs/polygons.md).
#ifndef SS_IO_MODEL_BODIES_H
#define SS_IO_MODEL_BODIES_H

#include "io/model_reader.h"
#include "planar/planar.h"

/// A body as it is read.
typedef struct ss_reader_body {
  const yaml_node_t *key, *node;
  ss_planar_body body;
  ss_expr at[3];           ///< x, y, angle: guided and free ones; a fixed one's as constants
  double start[6];         ///< free: pose, then velocity
  char name[3][96];        ///< free: its coordinates
  char fill[16], stroke[16];
  int outline;             ///< 1 + its number among those of the model; 0: it has none
  double mass, inertia;    ///< of its shape, about the centre of that:
  ss_vec2 center;          ///
} ss_reader_body;

struct ss_reader_bodies {
  int n, n_free, first_free;  ///< first_free: number of the first coordinate of the free ones
  ss_reader_body* body;
  double gravity[2], depth;
};

/// How many coordinates the free bodies add; their names are checked later. 0 if there is no such section.
ss_status ss_reader_count_bodies(ss_reader* r, int* n);

/// Reads them, after definitions; coordinates of free ones have the numbers from `first` on. Masses of guided ones go
/// into r->kinetic and r->potential.
ss_status ss_reader_read_bodies(ss_reader* r, int first);

/// The names of the coordinates of the free ones, for expressions of the drawing.
ss_status ss_reader_name_bodies(ss_reader* r);

/// The poses of the guided ones, for the Lagrangian: *n expressions, which the caller frees.
ss_status ss_reader_guide_bodies(ss_reader* r, ss_expr** probe, int* n);

/// Makes r->model->planar, around r->model->lagrangian.
ss_status ss_reader_make_planar(ss_reader* r, const ss_system_def* names);

void ss_reader_free_bodies(ss_reader* r);

#endif
