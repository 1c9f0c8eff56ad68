// Vectors and poses in the plane.
#ifndef SS_OUTLINE_VEC2_H
#define SS_OUTLINE_VEC2_H

#include <math.h>

typedef struct ss_vec2 {
  double x, y;
} ss_vec2;

/// A position and a rotation, with its sine and cosine
typedef struct ss_pose2 {
  ss_vec2 p;
  double c, s;
} ss_pose2;

static inline ss_vec2 ss_add2(ss_vec2 a, ss_vec2 b) { return (ss_vec2){a.x + b.x, a.y + b.y}; }
static inline ss_vec2 ss_sub2(ss_vec2 a, ss_vec2 b) { return (ss_vec2){a.x - b.x, a.y - b.y}; }
static inline ss_vec2 ss_scale2(double k, ss_vec2 a) { return (ss_vec2){k*a.x, k*a.y}; }
static inline double ss_dot2(ss_vec2 a, ss_vec2 b) { return a.x*b.x + a.y*b.y; }
static inline double ss_cross2(ss_vec2 a, ss_vec2 b) { return a.x*b.y - a.y*b.x; }
static inline double ss_length2(ss_vec2 a) { return hypot(a.x, a.y); }
static inline ss_vec2 ss_left2(ss_vec2 a) { return (ss_vec2){-a.y, a.x}; }   ///< turned by 90 degrees
static inline ss_vec2 ss_right2(ss_vec2 a) { return (ss_vec2){a.y, -a.x}; }  ///< turned by -90 degrees

static inline ss_pose2 ss_pose2_make(double x, double y, double angle)
{
  return (ss_pose2){{x, y}, cos(angle), sin(angle)};
}
static inline ss_vec2 ss_turn2(const ss_pose2* o, ss_vec2 v)
{
  return (ss_vec2){o->c*v.x - o->s*v.y, o->s*v.x + o->c*v.y};
}
static inline ss_vec2 ss_unturn2(const ss_pose2* o, ss_vec2 v)
{
  return (ss_vec2){o->c*v.x + o->s*v.y, -o->s*v.x + o->c*v.y};
}
static inline ss_vec2 ss_place2(const ss_pose2* o, ss_vec2 v) { return ss_add2(o->p, ss_turn2(o, v)); }
static inline ss_vec2 ss_unplace2(const ss_pose2* o, ss_vec2 v) { return ss_unturn2(o, ss_sub2(v, o->p)); }

/// Pose b as it is seen from pose a
static inline ss_pose2 ss_between2(const ss_pose2* a, const ss_pose2* b)
{
  return (ss_pose2){ss_unplace2(a, b->p), a->c*b->c + a->s*b->s, a->c*b->s - a->s*b->c};
}

#endif
