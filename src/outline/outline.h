// Outlines: bodies of any shape in the plane, given by points [Slavic & Boltezar 2006, section 3]. An outline is
// closed, counter-clockwise, convex or not, or open: a profile with the solid on one side. Geometry only.
#ifndef SS_OUTLINE_OUTLINE_H
#define SS_OUTLINE_OUTLINE_H

#include <stickslip/base.h>
#include "outline/vec2.h"

enum { SS_OUTLINE_POINTS = 1 << 17 };  ///< as many as keys of contacts can number

#define SS_STRAIGHT 1e-10  ///< rad: edges that turn by less lie on one line, up to round-off

/// What the solid is like around a point
typedef enum ss_corner_kind {
  SS_CORNER_CONVEX,  ///< inner angle below 180 degrees, or straight
  SS_CORNER_REFLEX,  ///< ... above: a valley
  SS_CORNER_END,     ///< end of an open outline
} ss_corner_kind;

typedef struct ss_corner {
  ss_corner_kind kind;
  ss_vec2 bisector;  ///< of the inner angle, into the solid; unit
  double extend;     ///< reflex: how far the edges count beyond it at most, m
} ss_corner;

typedef struct ss_edge {
  ss_vec2 along;  ///< unit; the solid is on its left
  double length;  ///< m
  double angle;   ///< of its outward normal, from edge to edge without jumps, rad
} ss_edge;

/// A box around some edges that follow each other, in the frame of the body, and where their sides face
typedef struct ss_outline_node {
  ss_vec2 center, half;
  int first, n;  ///< edges
  int right;     ///< number of the second child, the first one follows at once; 0: a leaf
  ss_vec2 normal;        ///< in the middle of the outward normals of these edges and the ones before and behind; unit
  double angle, spread;  ///< of it; how far the others are from it at most, rad
  double high;           ///< of its points along it, m
  double from, to;       ///< ..., along the tangent on the left of it
  double extend;         ///< the largest of its corners
} ss_outline_node;

typedef struct ss_outline {
  int n, n_edge;  ///< points; edges: n, or n - 1 of an open one
  bool closed;
  bool reversed;  ///< an open one whose points are kept in the opposite order
  ss_vec2* point;         ///< n
  ss_edge* edge;          ///< n_edge: from point i to i + 1
  ss_corner* corner;      ///< n
  ss_outline_node* node;  ///< the tree of boxes; node 0 is the root
  int n_node;
  double size;            ///< diagonal of the box around it, m
} ss_outline;

/// From n points. Closed: counter-clockwise, the first point may stand again as the last. Open: the solid is on the
/// right-hand side as one walks along it (ground from left to right). NULL and *error if it is not an outline: too few
/// points, numbers that are not finite, points that coincide, edges that fold back, cross or touch, clockwise order.
ss_outline* ss_outline_create(int n, const ss_vec2* point, bool closed, ss_error* error);
void ss_outline_destroy(ss_outline* outline);  ///< NULL is fine

/// The point after, before another one.
static inline int ss_outline_next(const ss_outline* o, int i) { return i + 1 < o->n ? i + 1 : 0; }
static inline int ss_outline_before(const ss_outline* o, int i) { return i > 0 ? i - 1 : o->n - 1; }

/// The number of a point (edge: of its first point) in the file, from 0.
static inline int ss_outline_number(const ss_outline* o, int i) { return o->reversed ? o->n - 1 - i : i; }

/// Two edges that are no neighbours and cross or touch; false if there are none.
bool ss_outline_crosses(const ss_outline* outline, int* i, int* j);

/// Whether two segments, a to b and c to d, have a point in common.
bool ss_segments_meet(ss_vec2 a, ss_vec2 b, ss_vec2 c, ss_vec2 d);

/// The tree: two children with half of the edges each, leaves of one or two (two or three points).
/// node has room for 2 n_edge.
void ss_outline_make_tree(ss_outline* outline);

/// Whether two boxes with their own axes, b at `pose` seen from a, are no farther apart than r.
bool ss_outline_boxes_meet(const ss_outline_node* a, const ss_outline_node* b, const ss_pose2* pose, double r);

// What can be asked of an outline by its tree (query.c), in the frame of the body
bool ss_outline_inside(const ss_outline* outline, ss_vec2 c);       ///< closed ones
double ss_outline_distance(const ss_outline* outline, ss_vec2 c);   ///< from c to the nearest place of it, m
double ss_outline_nearest(const ss_outline* outline, ss_vec2 c, int* edge);  ///< ..., and the edge that it is on
double ss_segment_distance(ss_vec2 a, ss_vec2 b, ss_vec2 c);        ///< from c to the segment from a to b, m
/// Whether the way from p to its end q on edge i meets another edge; those aside that end in q or on which p is, up to
/// the slack, m, and edge j.
bool ss_outline_cuts(const ss_outline* outline, int i, int j, ss_vec2 p, ss_vec2 q, double slack);

/// The numbers of points that are enough to draw it: the others are no farther than `off` from the lines between these,
/// m. kept has room for n; returns how many there are.
int ss_outline_sketch(const ss_outline* outline, double off, int* kept);

/// What a plate of density 1 with this outline weighs.
typedef struct ss_outline_mass {
  double area;     ///< m^2
  ss_vec2 center;  ///< of mass
  double inertia;  ///< about it, m^4
} ss_outline_mass;

ss_outline_mass ss_outline_weigh(const ss_outline* outline);  ///< closed ones

#endif
