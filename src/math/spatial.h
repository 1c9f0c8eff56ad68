// Spatial (six-dimensional) algebra in world axes at a point that each quantity names, usually the centre of mass of
// its body. Motion: (angular velocity, velocity of the body's point there). Force: (moment about the point, force).
// [Featherstone 2008, chapter 2, with the angular part first]
#ifndef SS_MATH_SPATIAL_H
#define SS_MATH_SPATIAL_H

#include "math/simd.h"
#include "math/vec3.h"

/// Either half is padded with a zero to four doubles: one cache line, two vector registers.
typedef struct ss_spatial {
  _Alignas(64) ss_vec3 w;  ///< angular velocity, or moment
  double pad_w;            ///< 0
  ss_vec3 v;               ///< linear velocity, or force
  double pad_v;            ///< 0
} ss_spatial;

static inline double ss_spatial_dot(const ss_spatial* a, const ss_spatial* b)
{
  return ss_dot3(a->w, b->w) + ss_dot3(a->v, b->v);
}

/// a += s b
static inline void ss_spatial_axpy(double s, const ss_spatial* b, ss_spatial* a)
{
  a->w = ss_add(a->w, ss_scale(s, b->w));
  a->v = ss_add(a->v, ss_scale(s, b->v));
}

/// The motion a, given at a point, at the point that lies d further.
static inline ss_spatial ss_motion_shifted(const ss_spatial* a, ss_vec3 d)
{
  return (ss_spatial){.w = a->w, .v = ss_add(a->v, ss_cross(a->w, d))};
}

/// to += the force f, given at the point that lies d further.
static inline void ss_force_add_shifted(const ss_spatial* f, ss_vec3 d, ss_spatial* to)
{
  to->w = ss_add(to->w, ss_add(f->w, ss_cross(d, f->v)));
  to->v = ss_add(to->v, f->v);
}

/// a x b of motions: the rate of change of b when it moves with a      [Featherstone 2008, section 2.9]
static inline ss_spatial ss_motion_cross(const ss_spatial* a, const ss_spatial* b)
{
  return (ss_spatial){.w = ss_cross(a->w, b->w), .v = ss_add(ss_cross(a->w, b->v), ss_cross(a->v, b->w))};
}

// ---- symmetric 6 x 6 matrices: articulated inertias and mobilities -------------------------------------------------

/// Row k is the image of the k-th unit vector, padded like ss_spatial. All of it is stored: the kernels are then plain
/// combinations of rows, four numbers at a time.
typedef struct ss_spatial_matrix { ss_spatial row[6]; } ss_spatial_matrix;

#define SS_SPATIAL_W(s) SS_V4((double*)(s))
#define SS_SPATIAL_V(s) SS_V4((double*)(s) + 4)
#define SS_SPATIAL_WC(s) SS_V4C((const double*)(s))
#define SS_SPATIAL_VC(s) SS_V4C((const double*)(s) + 4)

/// U = I s
SS_INLINE void ss_spatial_apply(const ss_spatial_matrix* I, const ss_spatial* s, ss_spatial* U)
{
  const double c[6] = {s->w.x, s->w.y, s->w.z, s->v.x, s->v.y, s->v.z};
  ss_v4 w0 = c[0]*SS_SPATIAL_WC(I->row), v0 = c[0]*SS_SPATIAL_VC(I->row);
  ss_v4 w1 = c[1]*SS_SPATIAL_WC(I->row + 1), v1 = c[1]*SS_SPATIAL_VC(I->row + 1);
  w0 += c[2]*SS_SPATIAL_WC(I->row + 2);
  v0 += c[2]*SS_SPATIAL_VC(I->row + 2);
  w1 += c[3]*SS_SPATIAL_WC(I->row + 3);
  v1 += c[3]*SS_SPATIAL_VC(I->row + 3);
  w0 += c[4]*SS_SPATIAL_WC(I->row + 4);
  v0 += c[4]*SS_SPATIAL_VC(I->row + 4);
  w1 += c[5]*SS_SPATIAL_WC(I->row + 5);
  v1 += c[5]*SS_SPATIAL_VC(I->row + 5);
  SS_SPATIAL_W(U) = w0 + w1;
  SS_SPATIAL_V(U) = v0 + v1;
}

/// I += f a b^T
SS_INLINE void ss_spatial_rank_one(double f, const ss_spatial* a, const ss_spatial* b, ss_spatial_matrix* I)
{
  const double c[6] = {f*a->w.x, f*a->w.y, f*a->w.z, f*a->v.x, f*a->v.y, f*a->v.z};
  ss_v4 w = SS_SPATIAL_WC(b), v = SS_SPATIAL_VC(b);
  for (int k = 0; k < 6; k++) {
    SS_SPATIAL_W(I->row + k) += c[k]*w;
    SS_SPATIAL_V(I->row + k) += c[k]*v;
  }
}

#define SS_V4_YZX(a) __builtin_shufflevector(a, a, 1, 2, 0, 3)
#define SS_V4_ZXY(a) __builtin_shufflevector(a, a, 2, 0, 1, 3)

// d x b of the first three lanes; d is given turned both ways
#define SS_V4_CROSS(d_yzx, d_zxy, b) ((d_yzx)*SS_V4_ZXY(b) - (d_zxy)*SS_V4_YZX(b))

/// Three numbers as four, the last of which is zero. By a mask: what gcc makes of a plain zero, valgrind does not know.
#define SS_V4_3(x, y, z) ((ss_v4)((ss_v4i)(ss_v4){x, y, z, z} & (ss_v4i){-1, -1, -1, 0}))
#define SS_V4_FROM3(a) SS_V4_3((a).x, (a).y, (a).z)

/// to += X^T I X: the inertia I, given at the point that lies d further. With (A B; B^T C) the blocks of I, they become
///   C,   B' = B + [d]C,   A + [d]B^T - B'[d]              [Featherstone 2008, section 2.13]
SS_INLINE void ss_inertia_add_shifted(const ss_spatial_matrix* I, ss_vec3 d, ss_spatial_matrix* to)
{
  const ss_spatial* r = I->row;
  const ss_v4 d4 = {d.x, d.y, d.z, 0};
  const ss_v4 d_yzx = SS_V4_YZX(d4), d_zxy = SS_V4_ZXY(d4);
  ss_v4 w3 = SS_SPATIAL_WC(r + 3), w4 = SS_SPATIAL_WC(r + 4), w5 = SS_SPATIAL_WC(r + 5);
  ss_v4 v3 = SS_SPATIAL_VC(r + 3), v4 = SS_SPATIAL_VC(r + 4), v5 = SS_SPATIAL_VC(r + 5);
  ss_v4 b0 = SS_SPATIAL_VC(r) + (d.y*v5 - d.z*v4);  // rows of B'
  ss_v4 b1 = SS_SPATIAL_VC(r + 1) + (d.z*v3 - d.x*v5);
  ss_v4 b2 = SS_SPATIAL_VC(r + 2) + (d.x*v4 - d.y*v3);
  ss_v4 a0 = SS_SPATIAL_WC(r) + (d.y*w5 - d.z*w4);  // rows of A + [d]B^T
  ss_v4 a1 = SS_SPATIAL_WC(r + 1) + (d.z*w3 - d.x*w5);
  ss_v4 a2 = SS_SPATIAL_WC(r + 2) + (d.x*w4 - d.y*w3);
  SS_SPATIAL_W(to->row) += a0 + SS_V4_CROSS(d_yzx, d_zxy, b0);  // a row b of B times -[d] is d x b
  SS_SPATIAL_W(to->row + 1) += a1 + SS_V4_CROSS(d_yzx, d_zxy, b1);
  SS_SPATIAL_W(to->row + 2) += a2 + SS_V4_CROSS(d_yzx, d_zxy, b2);
  SS_SPATIAL_W(to->row + 3) += w3 + SS_V4_CROSS(d_yzx, d_zxy, v3);
  SS_SPATIAL_W(to->row + 4) += w4 + SS_V4_CROSS(d_yzx, d_zxy, v4);
  SS_SPATIAL_W(to->row + 5) += w5 + SS_V4_CROSS(d_yzx, d_zxy, v5);
  SS_SPATIAL_V(to->row) += b0;
  SS_SPATIAL_V(to->row + 1) += b1;
  SS_SPATIAL_V(to->row + 2) += b2;
  SS_SPATIAL_V(to->row + 3) += v3;
  SS_SPATIAL_V(to->row + 4) += v4;
  SS_SPATIAL_V(to->row + 5) += v5;
}

/// to = X Y X^T: the mobility Y (motion per force) at the point that lies d further. to may be Y.
SS_INLINE void ss_mobility_shift(const ss_spatial_matrix* Y, ss_vec3 d, ss_spatial_matrix* to)
{
  const ss_v4 d4 = SS_V4_FROM3(d);
  const ss_v4 d_yzx = SS_V4_YZX(d4), d_zxy = SS_V4_ZXY(d4);
  ss_v4 w[6], v[6];
  for (int k = 0; k < 6; k++) {  // a row is a motion: v + w x d
    w[k] = SS_SPATIAL_WC(Y->row + k);
    v[k] = SS_SPATIAL_VC(Y->row + k) - SS_V4_CROSS(d_yzx, d_zxy, w[k]);
  }
  SS_SPATIAL_W(to->row + 3) = w[3] + (d.z*w[1] - d.y*w[2]);  // so are the columns
  SS_SPATIAL_V(to->row + 3) = v[3] + (d.z*v[1] - d.y*v[2]);
  SS_SPATIAL_W(to->row + 4) = w[4] + (d.x*w[2] - d.z*w[0]);
  SS_SPATIAL_V(to->row + 4) = v[4] + (d.x*v[2] - d.z*v[0]);
  SS_SPATIAL_W(to->row + 5) = w[5] + (d.y*w[0] - d.x*w[1]);
  SS_SPATIAL_V(to->row + 5) = v[5] + (d.y*v[0] - d.x*v[1]);
  for (int k = 0; k < 3; k++) {
    SS_SPATIAL_W(to->row + k) = w[k];
    SS_SPATIAL_V(to->row + k) = v[k];
  }
}

/// I += f (a b^T + b a^T)
SS_INLINE void ss_spatial_rank_two(double f, const ss_spatial* a, const ss_spatial* b, ss_spatial_matrix* I)
{
  const double c[6] = {f*a->w.x, f*a->w.y, f*a->w.z, f*a->v.x, f*a->v.y, f*a->v.z};
  const double e[6] = {f*b->w.x, f*b->w.y, f*b->w.z, f*b->v.x, f*b->v.y, f*b->v.z};
  ss_v4 aw = SS_SPATIAL_WC(a), av = SS_SPATIAL_VC(a), bw = SS_SPATIAL_WC(b), bv = SS_SPATIAL_VC(b);
  for (int k = 0; k < 6; k++) {
    SS_SPATIAL_W(I->row + k) += c[k]*bw + e[k]*aw;
    SS_SPATIAL_V(I->row + k) += c[k]*bv + e[k]*av;
  }
}

/// to = the force f, given at the point that lies d further
SS_INLINE void ss_force_shift(const ss_spatial* f, ss_vec3 d, ss_spatial* to)
{
  const ss_v4 d4 = {d.x, d.y, d.z, 0};
  const ss_v4 d_yzx = SS_V4_YZX(d4), d_zxy = SS_V4_ZXY(d4);
  ss_v4 v = SS_SPATIAL_VC(f);
  SS_SPATIAL_W(to) = SS_SPATIAL_WC(f) + SS_V4_CROSS(d_yzx, d_zxy, v);
  SS_SPATIAL_V(to) = v;
}

/// to = s f
SS_INLINE void ss_force_scale(double s, const ss_spatial* f, ss_spatial* to)
{
  SS_SPATIAL_W(to) = s*SS_SPATIAL_WC(f);
  SS_SPATIAL_V(to) = s*SS_SPATIAL_VC(f);
}

/// The inertia of a rigid body at its centre of mass
SS_INLINE void ss_inertia_set(double m, const ss_sym3* J, ss_spatial_matrix* I)
{
  I->row[0] = (ss_spatial){.w = {J->xx, J->xy, J->xz}};
  I->row[1] = (ss_spatial){.w = {J->xy, J->yy, J->yz}};
  I->row[2] = (ss_spatial){.w = {J->xz, J->yz, J->zz}};
  I->row[3] = (ss_spatial){.v = {m, 0, 0}};
  I->row[4] = (ss_spatial){.v = {0, m, 0}};
  I->row[5] = (ss_spatial){.v = {0, 0, m}};
}

#endif
