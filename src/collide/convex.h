// Distance and overlap of any two convex shapes, from their support points alone.
#ifndef SS_COLLIDE_CONVEX_H
#define SS_COLLIDE_CONVEX_H

#include "collide/shape.h"

/// Part of the size of both to which gaps between round shapes hold along their normals
#define SS_SHARP 1e-9

/// How far two cores (shapes without their radii) are apart, < 0: by how much they overlap at least
typedef struct ss_apart {
  double gap;
  ss_vec3 normal;      ///< unit vector from a to b: gap = least n.b - greatest n.a
  ss_vec3 a, b;        ///< points of the two, b - a = gap normal
  int n;               ///< support points that they are the means of, 1 to 3
  int corner_a[3], corner_b[3];  ///< their numbers, -1 where the surface has no corners
} ss_apart;

/// The point of a core that is farthest along d; *corner its number, or -1
ss_vec3 ss_support(const ss_placed* p, ss_vec3 d, int* corner);

/// How far two cores are apart along the unit vector n, from a to b
double ss_apart_along(const ss_placed* a, const ss_placed* b, ss_vec3 n);

/// s.K t of a core along n, where its farthest point is x from its center: K = dp/dn, radii of curvature. 0 of faces,
/// edges and corners.
double ss_support_bend(const ss_placed* p, ss_vec3 n, ss_vec3 x, ss_vec3 s, ss_vec3 t);

/// Positions are against the centre of a. Gaps from `most` on need not be exact.
ss_apart ss_convex_apart(const ss_placed* a, const ss_placed* b, double most);

/// What is known of a direction along which two cores are apart farthest or overlap least
typedef enum ss_proof {
  SS_NO_PROOF,
  SS_STATIONARY,  ///< no direction near it is better, to first order
  SS_PROVED       ///< no other direction is better
} ss_proof;

/// Such a direction from a guess (polish.c), *out complete but for corners; unchanged if there is no proof. One of the
/// two must be round; size is that of both.
ss_proof ss_polish(const ss_placed* a, const ss_placed* b, ss_vec3 guess, double size, ss_apart* out);

#endif
