// Convex hulls: corners, edges and faces of a mesh.
#ifndef SS_COLLIDE_HULL_H
#define SS_COLLIDE_HULL_H

#include "collide/shape.h"

typedef struct ss_hull_edge {
  int from, to;       ///< corners, as the face to the left has them
  int left, right;    ///< faces
} ss_hull_edge;

typedef struct ss_hull {
  int n_vertex, n_edge, n_face;
  bool convex;        ///< all vertices of the mesh are on the hull
  double half[3];     ///< half the edges of a box about the origin that holds it
  double bound;       ///< how far the corners are from the origin at most
  double thin;        ///< half of the least thickness across a face; between two edges it is not much thinner
  int users;          ///< shapes that share it
  ss_vec3* vertex;    ///< n_vertex corners
  ss_vec3* normal;    ///< n_face, outwards, of length one
  int* first;         ///< n_face + 1: where the corners of a face begin in loop
  int* loop;          ///< corners of each face, anticlockwise seen from outside
  int* loop_edge;     ///< the edge from each of them to the next one
  ss_hull_edge* edge; ///< n_edge
  int* around;        ///< n_vertex + 2: where the edges of a corner begin in ring
  int* ring;          ///< 2 n_edge: the edges of each corner
  int* turned;        ///< n_face: all faces, in an order in which one is found by its normal
  int start[27];      ///< corners that are farthest along some directions
  double inner;       ///< how far the nearest face is from the origin; negative: that is outside
} ss_hull;

/// The hull of n vertices (3 n numbers). NULL and *error if they span no volume or are too many for the memory.
ss_hull* ss_hull_create(int n, const double* vertex, const char* label, ss_error* error);
void ss_hull_destroy(ss_hull* hull);  ///< by the last of its users; NULL is fine

/// The face that is turned most towards d, the first one of several.
int ss_hull_face(const ss_hull* hull, ss_vec3 d);
/// A corner that is farthest along d. Large hulls: from corner to corner.
int ss_hull_corner(const ss_hull* hull, ss_vec3 d);
/// The edge between two corners, -1: there is none.
int ss_hull_edge_between(const ss_hull* hull, int from, int to);
/// No face is below x by more than slack >= 0, nor is x farther from the origin than all corners by more than that.
bool ss_hull_holds(const ss_hull* hull, ss_vec3 x, double slack);
/// The mean of the corners that are highest along the unit vector n, if that is this height, within slack; else false.
bool ss_hull_top(const ss_hull* hull, ss_vec3 n, double height, double slack, ss_vec3* mean);

static inline int ss_hull_other(const ss_hull_edge* edge, int corner)
{
  return edge->from == corner ? edge->to : edge->from;
}

#endif
