// Contact of two convex shapes that lie on one another with faces, edges or corners: the corners of what their outlines
// have in common.
#ifndef SS_COLLIDE_PATCH_H
#define SS_COLLIDE_PATCH_H

#include "collide/shape.h"

/// Most corners of an outline
#define SS_OUTLINE_MOST 64
/// Most contacts of a patch before it is thinned out
#define SS_PATCH_MOST 160

/// What a shape turns towards another one: a face (within 30 degrees), else an edge, else a corner.
typedef struct ss_outline {
  int n;
  ss_vec3 point[SS_OUTLINE_MOST];  ///< of a face anticlockwise, seen from outside
  int vertex[SS_OUTLINE_MOST];     ///< numbers of the corners among those of the shape
  int edge[SS_OUTLINE_MOST];       ///< number of the edge from corner i to the next one
  ss_vec3 along[SS_OUTLINE_MOST];  ///< unit vector from corner i to the next one: ss_outline_measure()
  double length[SS_OUTLINE_MOST];  ///< and how far that is
  ss_vec3 normal;                  ///< outwards: of the face, or of the one to the left of an edge
  ss_vec3 beyond[SS_OUTLINE_MOST]; ///< of the other face at each edge
  bool round;                      ///< a line of a round side, not an edge between faces
  double radius;                   ///< the shape is all that is so near to what the outline bounds
  ss_vec3 axis_from;               ///< of a round line: where its axis begins; `along` and `length` are the axis's, too
  double axis_radius;              ///< ... and how far the surface is from the axis
} ss_outline;

/// The contacts found so far
typedef struct ss_patch {
  ss_near near[SS_PATCH_MOST];
  int n;
  double margin;          ///< greater gaps do not count
  double same;            ///< lengths below this are none, m
  double exact;           ///< lengths below this are round-off, m
  double apart;           ///< no point of one shape is nearer to the other, m; < 0: they overlap, without their radii
  double radii;           ///< the sum of these, m
  int vertices_a, vertices_b, edges_b;  ///< counts that make features of the numbers of corners and edges
} ss_patch;

/// Features of contacts: a corner of b, a corner of a, the nearest point where it is none of the others, or two edges
static inline int ss_corner_of_b(const ss_patch* p, int vertex) { return (void)p, vertex; }
static inline int ss_corner_of_a(const ss_patch* p, int vertex) { return p->vertices_b + vertex; }
static inline int ss_nearest_of(const ss_patch* p) { return p->vertices_b + p->vertices_a; }
static inline int ss_crossing_of(const ss_patch* p, int edge_a, int edge_b)
{
  return ss_nearest_of(p) + 1 + edge_a*p->edges_b + edge_b;
}

/// None yet. apart: see there.
void ss_patch_begin(ss_patch* patch, const ss_placed* a, const ss_placed* b, double apart, double margin);

/// One more contact, if its gap is below the margin, there is room and its feature is new
void ss_patch_add(ss_patch* patch, const ss_near* near);

/// The same in the place of what has its feature
void ss_patch_put(ss_patch* patch, const ss_near* near);

/// The crossing of the line from p along the unit vector u with that from q along v, as a contact with its normal about
/// n: q(t) - p(s) = (gap + radii) N. False if they are parallel (sine below `least`).
bool ss_crossing(ss_vec3 p, ss_vec3 u, ss_vec3 q, ss_vec3 v, ss_vec3 n, double least, double* s, double* t,
                 ss_near* near);

/// Contacts of two outlines that face one another along n, from a to b
void ss_patch_outlines(ss_patch* patch, const ss_outline* a, const ss_outline* b, ss_vec3 n);

/// One of the contacts has this feature
bool ss_patch_has(const ss_patch* patch, int feature);

/// One of the contacts has this gap
bool ss_patch_has_gap(const ss_patch* patch, double gap);

/// The same, or an end of a line is where this one is and has its gap but for a thousandth of `same`
bool ss_patch_has_near(const ss_patch* patch, const ss_near* near);

/// along and length from the points; ss_box_outline() has filled them
void ss_outline_measure(ss_outline* outline);

/// x, which lies near the plane of the face, is beside it by more than `same`; false of what is no face
bool ss_outline_ends_beside(const ss_outline* face, ss_vec3 x, double same);

/// What any finite convex shape turns towards d (solids.c); points of a rim from the one that is farthest along `low`
/// on
void ss_outline_of(const ss_placed* p, ss_vec3 d, ss_vec3 low, ss_outline* out);

/// What a box turns towards n (boxes.c)
void ss_box_outline(const ss_placed* box, ss_vec3 n, ss_outline* out);

/// At most SS_TOUCH_MOST contacts, sorted by feature, into near: the deepest and those that are farthest from the
/// others. Returns how many. Everything is moved by `origin`.
int ss_patch_finish(ss_patch* patch, ss_vec3 origin, ss_near* near);

#endif
