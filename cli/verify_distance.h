// How deep two convex solids overlap, for `stickslip verify`: by their support functions alone. Nothing of the collider
// is used.
#ifndef CLI_VERIFY_DISTANCE_H
#define CLI_VERIFY_DISTANCE_H

#include <stdbool.h>
#include <stickslip/scene.h>

/// A solid at its place. Its core with a ball of `radius` rolled around it: a sphere is a point, a capsule a segment.
typedef struct cli_solid {
  ss_scene_shape shape;          ///< plane: all below it
  double radius;                 ///< of the ball, m; 0: none
  double half[3];                ///< half edges, half axes, or radius and half length (cylinder; capsule: half[1])
  int n_vertex, n_face;          ///< mesh: that of its convex hull
  const double* vertex;          ///< 3 n_vertex, in its frame
  const int* face;               ///< 3 n_face
  double center[3], matrix[9];   ///< its frame in the world
} cli_solid;

/// The overlap along n: how far a reaches into b, below zero: n separates them by as much. w (3): the point of a
/// farthest along n less the point of b farthest against it, of the cores.
double cli_overlap_along(const cli_solid* a, const cli_solid* b, const double n[3], double w[3]);

/// The least overlap over directions, from above: two solids overlap by no more than this, below zero: they are apart
/// by as much at least. Ends as soon as it is `enough` or less. Directions to begin with: n_hint of them, any sign.
/// best (3): the direction found. One of them may be a plane, none a height field.
double cli_overlap(const cli_solid* a, const cli_solid* b, double enough, int n_hint, const double (*hint)[3],
                   double best[3]);

/// The same for all places between two, on straight ways without a turn: how far at least one of them would have had to
/// be moved to let the other one pass. None of them is a plane.
double cli_overlap_between(const cli_solid* then_a, const cli_solid* then_b, const cli_solid* a, const cli_solid* b,
                           double enough);

/// The point of the core of a solid that is farthest along n. Not for planes.
void cli_solid_support(const cli_solid* s, const double n[3], double p[3]);

/// The farthest a solid reaches along n from its centre: its support function there. Not for planes.
double cli_solid_reach(const cli_solid* s, const double n[3]);

#endif
