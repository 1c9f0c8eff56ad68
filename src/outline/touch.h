// Where shapes in the plane touch: outlines, circles and half-planes, each with a pose. Two steps [Slavic & Boltezar
// 2006, section 3.2]: boxes that overlap, then points against edges. Geometry only.
#ifndef SS_OUTLINE_TOUCH_H
#define SS_OUTLINE_TOUCH_H

#include <stdint.h>
#include "outline/outline.h"

typedef enum ss_shape2_kind { SS_SHAPE2_OUTLINE, SS_SHAPE2_CIRCLE, SS_SHAPE2_HALFPLANE } ss_shape2_kind;

typedef struct ss_shape2 {
  ss_shape2_kind kind;
  const ss_outline* outline;  ///< in the frame of the body; belongs to the caller
  ss_vec2 center;             ///< circle: its centre; half-plane: a point of its edge
  double radius;              ///< circle, m
  ss_vec2 normal;             ///< half-plane: out of the solid; unit
} ss_shape2;

/// Which features touch
typedef enum ss_touch2_kind {
  SS_POINT_OF_B,  ///< a point (or circle) of b touches an edge of a
  SS_POINT_OF_A,  ///< a point (or circle) of a touches an edge of b
  SS_TWO_POINTS,  ///< corners that coincide, circles, a circle and a corner
} ss_touch2_kind;

/// What the normal turns with
typedef enum ss_turns { SS_TURNS_WITH_A, SS_TURNS_WITH_B, SS_TURNS_ROUND } ss_turns;

/// A contact point. Lengths in m, in the world.
typedef struct ss_touch2 {
  uint64_t key;      ///< which features of which shapes: the same from step to step
  double gap;        ///< negative: overlap
  ss_vec2 point;     ///< where it is
  ss_vec2 normal;    ///< from a to b, unit
  // how it moves, see ss_touch2_rate()
  ss_turns turns;
  ss_vec2 center_a, center_b;  ///< the points or centres of circles that touch
  double radius_a, radius_b;   ///< of the circles
  double along;      ///< place along the edge
  bool through;      ///< it has come through a whole body since dt ago: the step was too large
} ss_touch2;

// A key: 14 bits for each shape, 2 for the kind, 17 for each feature
enum { SS_SHAPES2 = 1 << 14 };
static inline uint64_t ss_key2(int a, int b, ss_touch2_kind kind, int feature_a, int feature_b)
{
  return (uint64_t)a << 50 | (uint64_t)b << 36 | (uint64_t)kind << 34 | (uint64_t)feature_a << 17 | (uint64_t)feature_b;
}
static inline int ss_key2_a(uint64_t key) { return (int)(key >> 50); }
static inline int ss_key2_b(uint64_t key) { return (int)(key >> 36 & 0x3fff); }
static inline ss_touch2_kind ss_key2_kind(uint64_t key) { return (ss_touch2_kind)(key >> 34 & 3); }
static inline int ss_key2_feature_a(uint64_t key) { return (int)(key >> 17 & 0x1ffff); }
static inline int ss_key2_feature_b(uint64_t key) { return (int)(key & 0x1ffff); }

/// Touches that were found; grows. Zero-initialise; free with ss_touches_free().
typedef struct ss_touches {
  int n, room;
  ss_touch2* list;
  bool failed;  ///< memory was short
} ss_touches;

void ss_touches_free(ss_touches* touches);
void ss_touches_add(ss_touches* touches, const ss_touch2* touch);

/// The motion of a body: velocity of its origin, m/s, and angular velocity, rad/s
typedef struct ss_motion2 {
  ss_vec2 origin;  ///< where it is, m
  ss_vec2 v;
  double omega;
} ss_motion2;

/// The velocity of the body's point that is at p.
static inline ss_vec2 ss_velocity2(const ss_motion2* m, ss_vec2 p)
{
  return ss_add2(m->v, ss_scale2(m->omega, ss_left2(ss_sub2(p, m->origin))));
}

/// How far to look.
typedef struct ss_look2 {
  double margin;  ///< gaps up to this are told, m
  double skin;    ///< overlaps up to this are found: s of (36), m
  const ss_motion2 *a, *b;  ///< if not NULL: only of touches that may close within dt with these motions,
  double dt;                ///< s,
  double near;              ///< and those up to this, m
  double level;             ///< then: points that come to an edge near its end get over it if level within this, m
} ss_look2;

/// The touches of shape a at pose pa and shape b at pose pb, numbered ia < ib, added to the list. Those that cannot
/// be the first to close, between others on the same edge, are left out.
void ss_touch_pair(const ss_shape2* a, const ss_pose2* pa, int ia, const ss_shape2* b, const ss_pose2* pb, int ib,
                   ss_look2 look, ss_touches* out);

/// The same of outlines, all of them: every point on its edge, see outlines.c.
void ss_touch_outlines(const ss_outline* a, const ss_pose2* pa, int ia, const ss_outline* b, const ss_pose2* pb, int ib,
                       ss_look2 look, ss_touches* out);

/// Whether a touch may close, see ss_look2; leaves out those from number `first` on that cannot.
bool ss_touch_may_close(const ss_touch2* touch, const ss_look2* look);
void ss_touches_drop_far(ss_touches* touches, int first, ss_look2 look);

/// Those of the touches from number `first` on, all of one pair, that are needed (reduce.c).
void ss_touches_reduce(ss_touches* touches, int first, const ss_shape2* a, const ss_shape2* b);

/// How deep the deepest place of one outline is in the other, if that is closed, up to the slack, m; how far it is to
/// the ends of edges that cross; how deep a circle is whose centre is inside. 0: none.
double ss_overlap_depth(const ss_shape2* a, const ss_pose2* pa, const ss_shape2* b, const ss_pose2* pb, double slack);

/// Two shapes where they are, for those who follow a touch of theirs
typedef struct ss_pair2 {
  const ss_shape2 *a, *b;
  const ss_pose2 *pa, *pb;
} ss_pair2;

/// The touch with this key, wherever the bodies are: a point keeps to the line of its edge. Returns how far it is to
/// the end of its feature, a smooth function of the poses, negative beyond; infinite if there is none, m.
double ss_touch_follow(const ss_pair2* pair, uint64_t key, ss_touch2* touch);
/// Whether the shapes have the features that the key names: only then it can be followed.
bool ss_touch_has_key(const ss_pair2* pair, uint64_t key);

/// The key that a touch has for those who follow it: corners that meet are a point on an edge. slip: velocity of b
/// against a there, m/s.
uint64_t ss_touch_watch(const ss_pair2* pair, uint64_t key, ss_vec2 slip);

/// The touch that goes on where this one ends; 0: none.
uint64_t ss_touch_next(const ss_pair2* pair, uint64_t key);

/// How the point and the normal of a touch move.
void ss_touch2_rate(const ss_touch2* touch, const ss_motion2* a, const ss_motion2* b, ss_vec2* point, ss_vec2* normal);

#endif
