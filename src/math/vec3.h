// Vectors of space, rotation matrices and quaternions (w first), by value.
#ifndef SS_MATH_VEC3_H
#define SS_MATH_VEC3_H

#include <math.h>

typedef struct ss_vec3 { double x, y, z; } ss_vec3;

/// A rotation or any other 3 x 3 matrix by its columns: for a rotation they are the axes of the turned frame.
typedef struct ss_mat3 { ss_vec3 x, y, z; } ss_mat3;

/// Symmetric 3 x 3 matrix.
typedef struct ss_sym3 { double xx, yy, zz, xy, xz, yz; } ss_sym3;

typedef struct ss_quat { double w, x, y, z; } ss_quat;

static inline ss_vec3 ss_vec3_from(const double* a) { return (ss_vec3){a[0], a[1], a[2]}; }

static inline void ss_vec3_to(ss_vec3 a, double* out)
{
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.z;
}

static inline ss_vec3 ss_add(ss_vec3 a, ss_vec3 b) { return (ss_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline ss_vec3 ss_sub(ss_vec3 a, ss_vec3 b) { return (ss_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline ss_vec3 ss_scale(double s, ss_vec3 a) { return (ss_vec3){s*a.x, s*a.y, s*a.z}; }
static inline double ss_dot3(ss_vec3 a, ss_vec3 b) { return a.x*b.x + a.y*b.y + a.z*b.z; }
static inline double ss_norm(ss_vec3 a) { return sqrt(ss_dot3(a, a)); }

static inline ss_vec3 ss_cross(ss_vec3 a, ss_vec3 b)
{
  return (ss_vec3){a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x};
}

/// R a
static inline ss_vec3 ss_mul(const ss_mat3* R, ss_vec3 a)
{
  return (ss_vec3){R->x.x*a.x + R->y.x*a.y + R->z.x*a.z, R->x.y*a.x + R->y.y*a.y + R->z.y*a.z,
                   R->x.z*a.x + R->y.z*a.y + R->z.z*a.z};
}

/// R^T a
static inline ss_vec3 ss_mul_transposed(const ss_mat3* R, ss_vec3 a)
{
  return (ss_vec3){ss_dot3(R->x, a), ss_dot3(R->y, a), ss_dot3(R->z, a)};
}

static inline ss_vec3 ss_sym3_mul(const ss_sym3* I, ss_vec3 a)
{
  return (ss_vec3){I->xx*a.x + I->xy*a.y + I->xz*a.z, I->xy*a.x + I->yy*a.y + I->yz*a.z,
                   I->xz*a.x + I->yz*a.y + I->zz*a.z};
}

/// R diag(p) R^T
static inline ss_sym3 ss_sym3_rotated(const ss_mat3* R, ss_vec3 p)
{
  ss_vec3 x = ss_scale(p.x, R->x), y = ss_scale(p.y, R->y), z = ss_scale(p.z, R->z);
  return (ss_sym3){x.x*R->x.x + y.x*R->y.x + z.x*R->z.x, x.y*R->x.y + y.y*R->y.y + z.y*R->z.y,
                   x.z*R->x.z + y.z*R->y.z + z.z*R->z.z, x.x*R->x.y + y.x*R->y.y + z.x*R->z.y,
                   x.x*R->x.z + y.x*R->y.z + z.x*R->z.z, x.y*R->x.z + y.y*R->y.z + z.y*R->z.z};
}

/// a b: first b, then a
static inline ss_quat ss_quat_mul(ss_quat a, ss_quat b)
{
  return (ss_quat){a.w*b.w - a.x*b.x - a.y*b.y - a.z*b.z, a.w*b.x + a.x*b.w + a.y*b.z - a.z*b.y,
                   a.w*b.y - a.x*b.z + a.y*b.w + a.z*b.x, a.w*b.z + a.x*b.y - a.y*b.x + a.z*b.w};
}

static inline ss_quat ss_quat_conjugate(ss_quat a) { return (ss_quat){a.w, -a.x, -a.y, -a.z}; }

static inline ss_quat ss_quat_from(const double* a) { return (ss_quat){a[0], a[1], a[2], a[3]}; }

static inline void ss_quat_to(ss_quat a, double* out)
{
  out[0] = a.w;
  out[1] = a.x;
  out[2] = a.y;
  out[3] = a.z;
}

/// Of length one; no rotation where the length is zero.
static inline ss_quat ss_quat_normalized(ss_quat a)
{
  double n2 = a.w*a.w + a.x*a.x + a.y*a.y + a.z*a.z;
  if (!(n2 > 0)) return (ss_quat){1, 0, 0, 0};
  double s = 1/sqrt(n2);
  return (ss_quat){s*a.w, s*a.x, s*a.y, s*a.z};
}

/// One step of Newton's method for 1/sqrt: removes the round-off of a product of unit quaternions without root or
/// division.
static inline ss_quat ss_quat_renormalized(ss_quat a)
{
  double s = 1.5 - 0.5*(a.w*a.w + a.x*a.x + a.y*a.y + a.z*a.z);
  return (ss_quat){s*a.w, s*a.x, s*a.y, s*a.z};
}

/// Of a unit quaternion
static inline ss_mat3 ss_quat_matrix(ss_quat q)
{
  double x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  double xx = q.x*x2, yy = q.y*y2, zz = q.z*z2, xy = q.x*y2, xz = q.x*z2, yz = q.y*z2;
  double wx = q.w*x2, wy = q.w*y2, wz = q.w*z2;
  return (ss_mat3){
    .x = {1 - (yy + zz), xy + wz, xz - wy},
    .y = {xy - wz, 1 - (xx + zz), yz + wx},
    .z = {xz + wy, yz - wx, 1 - (xx + yy)},
  };
}

static inline ss_vec3 ss_quat_rotate(ss_quat q, ss_vec3 a)
{
  ss_vec3 v = {q.x, q.y, q.z}, t = ss_cross(v, a);
  return ss_add(a, ss_scale(2, ss_add(ss_scale(q.w, t), ss_cross(v, t))));
}

/// exp(phi/2): the turn about phi by the angle |phi|. Series for small angles: sin(x)/x loses nothing there.
static inline ss_quat ss_quat_exp(ss_vec3 phi)
{
  double a2 = ss_dot3(phi, phi);
  if (a2 < 1e-8) {
    double s = 0.5 - a2*(1.0/48 - a2/3840);
    return (ss_quat){1 - a2*(0.125 - a2/384), s*phi.x, s*phi.y, s*phi.z};
  }
  double a = sqrt(a2), s = sin(0.5*a)/a;
  return (ss_quat){cos(0.5*a), s*phi.x, s*phi.y, s*phi.z};
}

/// The inverse: the turn of a unit quaternion as a vector of length at most pi.
static inline ss_vec3 ss_quat_log(ss_quat q)
{
  if (q.w < 0) q = (ss_quat){-q.w, -q.x, -q.y, -q.z};
  ss_vec3 v = {q.x, q.y, q.z};
  double n = ss_norm(v);
  double s = n < 1e-8 ? 2/q.w : 2*atan2(n, q.w)/n;
  return ss_scale(s, v);
}

#endif
