// The direction along which two convex shapes are apart farthest, or overlap least, to round-off, from a guess. It is
// across what meets there: a face leaves no other, two edges one, an edge a circle of them and all else the sphere, on
// which Newton's method climbs
//   gap(n) = n.w,  w = p_B(-n) - p_A(n),  gradient w - gap n,  second derivative -(K_A + K_B + gap)
// with p the farthest points of the two and K = dp/dn their radii of curvature. Points of both with p_B - p_A = gap n
// prove that n is stationary, and so the answer where they are apart. Where they overlap by d, a ball of radius >= d
// within B - A that touches its surface in w does: it holds the ball of radius d about the origin.
#include "collide/convex.h"
#include "collide/hull.h"

// A face or an edge that is turned away from the guess by more than this (sine) is not tried
#define NEAR 0.3
// Sine below which a direction is across an edge; part of the size that is round-off for points that should agree
#define ACROSS 1e-12
#define AGREE 1e-12
#define CLIMBS 24
#define HALVES 5
// Times that a point is moved onto one of two faces and back
#define ROUNDS 12

static double clamp(double x, double half) { return x > half ? half : x < -half ? -half : x; }

// ---- what a shape turns towards a direction ------------------------------------------------------------------------

double ss_support_bend(const ss_placed* p, ss_vec3 n, ss_vec3 x, ss_vec3 s, ss_vec3 t)
{
  ss_vec3 sl = ss_to_local(p, s), tl = ss_to_local(p, t), nl = ss_to_local(p, n);
  if (ss_placed_kind(p) == SS_SHAPE_ELLIPSOID) {
    const double* h = p->shape->half;
    double sum = h[0]*h[0]*sl.x*tl.x + h[1]*h[1]*sl.y*tl.y + h[2]*h[2]*sl.z*tl.z;
    return (sum - ss_dot3(x, s)*ss_dot3(x, t))/ss_dot3(n, x);
  }
  double across = sqrt(nl.x*nl.x + nl.y*nl.y);
  if (ss_placed_kind(p) != SS_SHAPE_CYLINDER || across < ACROSS) return 0;
  double along = (sl.x*nl.x + sl.y*nl.y)*(tl.x*nl.x + tl.y*nl.y)/(across*across);
  return p->shape->radius*(sl.x*tl.x + sl.y*tl.y - along)/across;
}

// An edge and a face that a shape may have there
typedef struct sides {
  bool line, face;
  ss_vec3 along, normal;
} sides;

static void box_sides(const ss_placed* p, ss_vec3 l, sides* out)
{
  const double at[3] = {l.x, l.y, l.z};
  const ss_vec3 axis[3] = {p->side, ss_cross(p->axis, p->side), p->axis};
  int least = 0, most = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(at[i]) < fabs(at[least])) least = i;
    if (fabs(at[i]) > fabs(at[most])) most = i;
  }
  *out = (sides){fabs(at[least]) < NEAR, 1 - at[most]*at[most] < NEAR*NEAR, axis[least],
                 ss_scale(at[most] < 0 ? -1 : 1, axis[most])};
}

static void hull_sides(const ss_placed* p, ss_vec3 l, sides* out)
{
  const ss_hull* h = p->shape->hull;
  int best = ss_hull_face(h, l), corner;
  double least = NEAR, length;
  out->face = ss_norm(ss_cross(h->normal[best], l)) < NEAR;
  out->normal = ss_to_world(p, h->normal[best]);
  ss_support(p, ss_to_world(p, l), &corner);
  for (int i = h->around[corner]; i < h->around[corner + 1]; i++) {
    const ss_hull_edge* e = h->edge + h->ring[i];
    ss_vec3 u = ss_direction(ss_sub(h->vertex[e->to], h->vertex[e->from]), &length);
    if (!(fabs(ss_dot3(u, l)) < least)) continue;
    least = fabs(ss_dot3(u, l));
    out->line = true;
    out->along = ss_to_world(p, u);
  }
}

static sides sides_of(const ss_placed* p, ss_vec3 n)
{
  sides out = {.line = false};
  ss_vec3 l = ss_to_local(p, n);
  switch (ss_placed_kind(p)) {
  case SS_SHAPE_BOX: box_sides(p, l, &out); break;
  case SS_SHAPE_MESH: hull_sides(p, l, &out); break;
  case SS_SHAPE_CYLINDER: out.face = 1 - l.z*l.z < NEAR*NEAR;  // and its side is a line, as is a capsule's
  // fall through
  case SS_SHAPE_CAPSULE: out.line = fabs(ss_dot3(n, p->axis)) < NEAR; break;
  default: break;
  }
  if (ss_placed_kind(p) == SS_SHAPE_BOX || ss_placed_kind(p) == SS_SHAPE_MESH) return out;
  out.along = p->axis;
  out.normal = ss_scale(ss_dot3(n, p->axis) < 0 ? -1 : 1, p->axis);
  return out;
}

// ---- climbing ------------------------------------------------------------------------------------------------------

// A direction and the directions in which it may turn
typedef struct view {
  ss_vec3 n, a, b;  // the farthest points
  ss_vec3 turn[2];
  double gap, slope[2], steep;
} view;

// The direction about n that is across `edge` (free = 1), or n (free = 2)
static view look(const ss_placed* a, const ss_placed* b, ss_vec3 n, int free, ss_vec3 edge)
{
  view v = {.steep = 0};
  int corner;
  double length;
  if (free == 1) n = ss_sub(n, ss_scale(ss_dot3(n, edge), edge));
  v.n = ss_direction(n, &length);
  v.b = ss_support(b, ss_scale(-1, v.n), &corner);
  v.a = ss_support(a, v.n, &corner);
  ss_vec3 w = ss_sub(v.b, v.a);
  v.gap = ss_dot3(v.n, w);
  v.turn[0] = free == 1 ? ss_cross(v.n, edge) : ss_across(v.n);
  v.turn[1] = ss_cross(v.n, v.turn[0]);
  for (int i = 0; i < free; i++) {
    v.slope[i] = ss_dot3(v.turn[i], w);
    v.steep += v.slope[i]*v.slope[i];
  }
  v.steep = sqrt(v.steep);
  return v;
}

// Newton's step (K + gap)^-1 slope; uphill also where that is no hill
static ss_vec3 newton_step(const ss_placed* a, const ss_placed* b, const view* v, int free, double size)
{
  double M[2][2] = {{0}}, rise = v->gap;
  ss_vec3 xa = ss_sub(v->a, a->center), xb = ss_sub(v->b, b->center), back = ss_scale(-1, v->n);
  for (int i = 0; i < free; i++)
    for (int k = 0; k < free; k++)
      M[i][k] = ss_support_bend(a, v->n, xa, v->turn[i], v->turn[k]) +
                ss_support_bend(b, back, xb, v->turn[i], v->turn[k]);
  if (free == 1) M[1][1] = M[0][0];
  double mean = 0.5*(M[0][0] + M[1][1]), least = mean - hypot(0.5*(M[0][0] - M[1][1]), M[0][1]);
  if (!(least + rise > 1e-6*size)) rise = fabs(v->gap) + 1e-2*size - fmin(least, 0);
  M[0][0] += rise;
  M[1][1] += rise;
  double det = M[0][0]*M[1][1] - M[0][1]*M[0][1], s[2];
  s[0] = (M[1][1]*v->slope[0] - M[0][1]*v->slope[1])/det;
  s[1] = (M[0][0]*v->slope[1] - M[0][1]*v->slope[0])/det;
  double length = hypot(s[0], s[1]), limit = length > 0.5 ? 0.5/length : 1;
  return ss_add(ss_scale(limit*s[0], v->turn[0]), ss_scale(limit*s[1], v->turn[1]));
}

static ss_vec3 climb(const ss_placed* a, const ss_placed* b, ss_vec3 n, int free, ss_vec3 edge, double size)
{
  view v = look(a, b, n, free, edge);
  for (int step = 0; step < CLIMBS && v.steep > 1e-16*size; step++) {
    ss_vec3 way = newton_step(a, b, &v, free, size);
    int half = 0;
    for (; half < HALVES; half++, way = ss_scale(0.25, way)) {
      view next = look(a, b, ss_add(v.n, way), free, edge);
      if (!(next.gap > v.gap) && !(next.gap >= v.gap - 1e-15*size && next.steep < v.steep)) continue;
      v = next;
      break;
    }
    if (half == HALVES) break;
  }
  return v.n;
}

// ---- points of faces and edges that meet ---------------------------------------------------------------------------

// Onto the polygon of a face, `in` away from its sides, one side after the other
static ss_vec3 into_face(const ss_hull* h, int f, ss_vec3 x, double in)
{
  double length;
  x = ss_sub(x, ss_scale(ss_dot3(h->normal[f], ss_sub(x, h->vertex[h->loop[h->first[f]]])), h->normal[f]));
  for (int i = h->first[f]; i < h->first[f + 1]; i++) {
    ss_vec3 p = h->vertex[h->loop[i]], q = h->vertex[h->loop[i + 1 < h->first[f + 1] ? i + 1 : h->first[f]]];
    ss_vec3 inwards = ss_cross(h->normal[f], ss_direction(ss_sub(q, p), &length));
    double lacks = in - ss_dot3(inwards, ss_sub(x, p));
    if (lacks > 0) x = ss_add(x, ss_scale(lacks, inwards));
  }
  return x;
}

// Likewise onto what a mesh has farthest along l
static ss_vec3 onto_hull(const ss_hull* h, ss_vec3 l, ss_vec3 x, double in, int corner)
{
  int best = ss_hull_face(h, l), other = -1;
  double length;
  if (ss_norm(ss_cross(h->normal[best], l)) < ACROSS) return into_face(h, best, x, in);
  ss_vec3 o = h->vertex[corner];
  for (int i = h->around[corner]; i < h->around[corner + 1] && other < 0; i++) {
    int k = ss_hull_other(h->edge + h->ring[i], corner);
    if (fabs(ss_dot3(l, ss_sub(h->vertex[k], o))) < ACROSS*h->bound) other = k;
  }
  if (other < 0) return o;
  ss_vec3 u = ss_direction(ss_sub(h->vertex[other], o), &length);
  double half = 0.5*length, t = ss_dot3(u, ss_sub(x, o)) - half;
  return ss_add(o, ss_scale(half + clamp(t, fmax(0, half - in)), u));
}

static ss_vec3 onto_cylinder(const ss_shape_def* s, ss_vec3 l, ss_vec3 x, double in)
{
  double across = sqrt(l.x*l.x + l.y*l.y), r = s->radius, h = s->half_length;
  if (across < ACROSS) {
    double from = sqrt(x.x*x.x + x.y*x.y), most = fmax(0, r - in), scale = from > most ? most/from : 1;
    return (ss_vec3){scale*x.x, scale*x.y, l.z < 0 ? -h : h};
  }
  double z = fabs(l.z) < ACROSS ? clamp(x.z, fmax(0, h - in)) : l.z < 0 ? -h : h;
  return (ss_vec3){r*l.x/across, r*l.y/across, z};
}

// The point nearest to x of what a shape has farthest along n, a point, an edge or a face, `in` away from its border
static ss_vec3 onto(const ss_placed* p, ss_vec3 n, ss_vec3 x, double in)
{
  int corner;
  ss_vec3 far = ss_support(p, n, &corner), l = ss_to_local(p, n), y = ss_to_local(p, ss_sub(x, p->center));
  switch (ss_placed_kind(p)) {
  case SS_SHAPE_CAPSULE: {
    double half = p->half_length, t = ss_dot3(p->axis, ss_sub(x, p->center));
    if (fabs(ss_dot3(n, p->axis)) >= ACROSS) return far;
    return ss_add(p->center, ss_scale(clamp(t, fmax(0, half - in)), p->axis));
  }
  case SS_SHAPE_BOX: {
    const double* h = p->shape->half;
    y.x = fabs(l.x) < ACROSS ? clamp(y.x, fmax(0, h[0] - in)) : copysign(h[0], l.x);
    y.y = fabs(l.y) < ACROSS ? clamp(y.y, fmax(0, h[1] - in)) : copysign(h[1], l.y);
    y.z = fabs(l.z) < ACROSS ? clamp(y.z, fmax(0, h[2] - in)) : copysign(h[2], l.z);
    break;
  }
  case SS_SHAPE_CYLINDER: y = onto_cylinder(p->shape, l, y, in); break;
  case SS_SHAPE_MESH: y = onto_hull(p->shape->hull, l, y, in, corner); break;
  default: return far;
  }
  return ss_add(p->center, ss_to_world(p, y));
}

// Points of both that differ by a multiple of n, as well as it can be; how much else they differ is returned
static double meet(const ss_placed* a, const ss_placed* b, ss_vec3 n, double in, double size, ss_vec3* on_a,
                   ss_vec3* on_b)
{
  ss_vec3 x = ss_scale(0.5, ss_add(a->center, b->center)), back = ss_scale(-1, n);
  double off = INFINITY, before = INFINITY;
  for (int round = 0; round < ROUNDS && off > 1e-15*size && (round < 2 || off < 0.99*before); round++) {
    before = off;
    *on_a = onto(a, n, x, in);
    *on_b = x = onto(b, back, *on_a, in);
    ss_vec3 d = ss_sub(*on_b, *on_a);
    off = ss_norm(ss_sub(d, ss_scale(ss_dot3(d, n), n)));
  }
  return off;
}

// ---- balls within ---------------------------------------------------------------------------------------------------

// Of a ball that touches a plane along m, `from` away, with its top in a point where its normal is n
static double below(double from, double cosine)
{
  return cosine < 1 - 1e-12 ? fmax(0, from)/(1 - cosine) : INFINITY;
}

static double ball_in_cylinder(const ss_shape_def* s, ss_vec3 l, ss_vec3 y)
{
  double r = s->radius, least = fmin(below(s->half_length - y.z, l.z), below(s->half_length + y.z, -l.z));
  if (fabs(l.z) < ACROSS) return fmin(least, r);
  // |y - rho l| <= r - rho across the axis
  double from = r - (y.x*l.x + y.y*l.y), room = fmax(0, r*r - y.x*y.x - y.y*y.y);
  return fmin(least, room/(from + sqrt(fmax(0, from*from - l.z*l.z*room))));
}

// The radius of a ball within a shape that touches its surface at x, where n is its normal; not always the greatest
static double ball_within(const ss_placed* p, ss_vec3 n, ss_vec3 x)
{
  double least = INFINITY;
  if (!p->shape) return 0;
  const double* h = p->shape->half;
  ss_vec3 l = ss_to_local(p, n), y = ss_to_local(p, ss_sub(x, p->center));
  switch (p->shape->kind) {
  case SS_SHAPE_ELLIPSOID: {  // its least radius of curvature: that ball rolls within [Blaschke 1916]
    double low = fmin(h[0], fmin(h[1], h[2]));
    return low*low/fmax(h[0], fmax(h[1], h[2]));
  }
  case SS_SHAPE_BOX:
    least = fmin(least, fmin(below(h[0] - y.x, l.x), below(h[0] + y.x, -l.x)));
    least = fmin(least, fmin(below(h[1] - y.y, l.y), below(h[1] + y.y, -l.y)));
    return fmin(least, fmin(below(h[2] - y.z, l.z), below(h[2] + y.z, -l.z)));
  case SS_SHAPE_CYLINDER: return ball_in_cylinder(p->shape, l, y);
  case SS_SHAPE_MESH: {
    const ss_hull* hull = p->shape->hull;
    for (int f = 0; f < hull->n_face; f++) {
      ss_vec3 m = hull->normal[f];
      least = fmin(least, below(ss_dot3(m, ss_sub(hull->vertex[hull->loop[hull->first[f]]], y)), ss_dot3(m, l)));
    }
    return least;
  }
  default: return 0;
  }
}

// ---- proof ---------------------------------------------------------------------------------------------------------

// What n is worth, if it is stationary
static ss_proof prove(const ss_placed* a, const ss_placed* b, ss_vec3 n, double size, ss_apart* out)
{
  ss_vec3 back = ss_scale(-1, n), on_a, on_b;
  double gap = ss_apart_along(a, b, n);
  double depth = fmax(0, -gap), off = meet(a, b, n, depth, size, &on_a, &on_b);
  if (off > AGREE*size && depth > 0) off = meet(a, b, n, 0, size, &on_a, &on_b);
  if (!(off <= AGREE*size) || fabs(ss_dot3(n, ss_sub(on_b, on_a)) - gap) > AGREE*size) return SS_NO_PROOF;
  *out = (ss_apart){.gap = gap, .normal = n, .a = on_a, .b = on_b, .n = 1, .corner_a = {-1}, .corner_b = {-1}};
  if (depth == 0) return SS_PROVED;
  return ball_within(a, n, on_a) + ball_within(b, back, on_b) >= depth ? SS_PROVED : SS_STATIONARY;
}

// The better of what is known and what n proves
static ss_proof keep_better(const ss_placed* a, const ss_placed* b, ss_vec3 n, double size, ss_proof known,
                            ss_apart* out)
{
  ss_apart next;
  ss_proof proof = prove(a, b, n, size, &next);
  if (proof == SS_NO_PROOF || (known != SS_NO_PROOF && proof != SS_PROVED && !(next.gap > out->gap))) return known;
  *out = next;
  return proof;
}

ss_proof ss_polish(const ss_placed* a, const ss_placed* b, ss_vec3 n, double size, ss_apart* out)
{
  sides sa = sides_of(a, n), sb = sides_of(b, ss_scale(-1, n));
  ss_vec3 guess[3];
  double length;
  int count = 0;
  ss_proof proof = SS_NO_PROOF;
  if (sa.face) guess[count++] = sa.normal;
  if (sb.face) guess[count++] = ss_scale(-1, sb.normal);
  ss_vec3 across = ss_direction(ss_cross(sa.along, sb.along), &length);
  if (sa.line && sb.line && length > 1e-9) guess[count++] = ss_scale(ss_dot3(across, n) < 0 ? -1 : 1, across);
  for (int i = 0; i < count && proof != SS_PROVED; i++) proof = keep_better(a, b, guess[i], size, proof, out);
  for (int i = 0; i < 3 && proof != SS_PROVED; i++) {  // an edge of a, one of b, none
    if (i < 2 && !(i ? sb.line : sa.line)) continue;
    ss_vec3 top = climb(a, b, n, i < 2 ? 1 : 2, i ? sb.along : sa.along, size);
    proof = keep_better(a, b, top, size, proof, out);
  }
  return proof;
}
