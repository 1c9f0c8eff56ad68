// A scene as it is kept: geoms ready to be placed, and what the filter needs to decide in a few comparisons.
#ifndef SS_COLLIDE_COLLIDER_H
#define SS_COLLIDE_COLLIDER_H

#include "base/pool.h"
#include "collide/shape.h"

/// No group of bodies: the parent of the world, or of what hangs on it
#define SS_NO_GROUP (-2)

typedef struct ss_geom {
  ss_shape_def shape;
  ss_vec3 position;  ///< in the body's frame
  ss_quat turn;      ///< likewise, of length one
  int body;
  int root;          ///< the body whose frame the seams of this geom are found in: one that its body is fixed to
  bool central;      ///< a sphere about the origin of its body: turns do not matter
  double margin;
} ss_geom;

/// What the filter needs of a geom, small enough that a cache line holds several
typedef struct ss_filter {
  unsigned contype, conaffinity;
  int group;    ///< the first of the bodies that are fixed to one another, SS_WORLD for the world's
  int parent;   ///< the group that this one hangs on; SS_NO_GROUP if that is the world, or does not matter
} ss_filter;

struct ss_collider {
  int n_geom, n_body, n_finite, n_plane, n_exclude, n_pair;
  ss_geom* geom;        ///< n_geom
  ss_filter* filter;    ///< n_geom
  unsigned char* kind;  ///< n_geom: of its shape
  int* finite;          ///< n_finite: geoms that have boxes and may meet something, in rising order
  int* plane;           ///< n_plane: planes, likewise
  uint64_t* exclude;    ///< n_exclude pairs of bodies, sorted
  uint64_t* pair;       ///< n_pair pairs of geoms that can meet whatever the rest says, sorted
  bool* listed;         ///< n_geom: stands in a pair
  int *seam_first, *seam_end;  ///< n_geom: where the neighbours of a box or mesh begin and end in
  int* seam;            ///< those fixed to it that touch it
  double* arm;          ///< n_body: farthest that the core of a shape is from the origin of the body, m
};

/// seam_first, seam_end, seam and roots (seams.c). False if memory is short.
bool ss_find_seams(const ss_collider_def* def, ss_collider* collider);

/// What the filter says. Cheap: called for every pair whose boxes overlap.
bool ss_geoms_can_meet(const ss_collider* collider, int a, int b);

// ---- for those who place the shapes themselves ----

/// Where the shapes are, n_geom; to be filled for every geom that is not the world's: center, axis unless it is a
/// sphere, side unless it is a sphere or a capsule. Sizes stay.
ss_placed* ss_collider_placed(ss_collider_work* work);

/// ss_collider_find() with shapes that are placed; pool: NULL is fine.
ss_status ss_collider_find_placed(ss_collider_work* work, double margin, const double* reach, ss_pool* pool,
                                  const ss_touch** touch, int* n);

#endif
