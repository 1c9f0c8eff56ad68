// Distance of convex shapes by the method of Gilbert, Johnson & Keerthi [1988], overlap by expanding a polytope within
// D = B - A [van den Bergen 2001]. Both look for the support plane of D that is farthest from the origin towards it:
//   gap = max over unit n of  min over x in D of n.x
// For polyhedra both end with a face, an edge or a corner of D after finitely many steps.
#include "collide/convex.h"
#include <string.h>
#include "collide/hull.h"

// Part of the size of D that is round-off
#define ROUND_OFF 1e-14
#define STEPS 100
#define SLIDES 30
// Part of the size to which an overlap of round shapes is the least
#define ENOUGH 1e-6
#define POINTS 200
#define FACES (2*POINTS)

// ---- support points ------------------------------------------------------------------------------------------------

static ss_vec3 to_world(const ss_placed* p, double x, double y, double z)
{
  ss_vec3 side = ss_cross(p->axis, p->side);
  return ss_add(p->center, ss_add(ss_scale(x, p->side), ss_add(ss_scale(y, side), ss_scale(z, p->axis))));
}

static ss_vec3 hull_support(const ss_placed* p, ss_vec3 d, int* corner)
{
  const ss_hull* h = p->shape->hull;
  ss_vec3 local = {ss_dot3(d, p->side), ss_dot3(d, ss_cross(p->axis, p->side)), ss_dot3(d, p->axis)};
  int best = *corner = ss_hull_corner(h, local);
  return to_world(p, h->vertex[best].x, h->vertex[best].y, h->vertex[best].z);
}

ss_vec3 ss_support(const ss_placed* p, ss_vec3 d, int* corner)
{
  *corner = 0;
  if (!p->shape) {  // sphere or capsule
    *corner = ss_dot3(d, p->axis) > 0;
    return ss_add(p->center, ss_scale(*corner ? p->half_length : -p->half_length, p->axis));
  }
  const ss_shape_def* s = p->shape;
  if (s->kind == SS_SHAPE_MESH) return hull_support(p, d, corner);
  double x = ss_dot3(d, p->side), y = ss_dot3(d, ss_cross(p->axis, p->side)), z = ss_dot3(d, p->axis);
  const double* h = s->half;
  if (s->kind == SS_SHAPE_BOX) {
    *corner = (x > 0) | (y > 0) << 1 | (z > 0) << 2;
    return to_world(p, x > 0 ? h[0] : -h[0], y > 0 ? h[1] : -h[1], z > 0 ? h[2] : -h[2]);
  }
  *corner = -1;
  if (s->kind == SS_SHAPE_ELLIPSOID) {  // H^2 d/|H d|
    double length = sqrt(h[0]*h[0]*x*x + h[1]*h[1]*y*y + h[2]*h[2]*z*z);
    return to_world(p, h[0]*h[0]*x/length, h[1]*h[1]*y/length, h[2]*h[2]*z/length);
  }
  double length = sqrt(x*x + y*y), scale = length > 0 ? s->radius/length : 0;
  return to_world(p, scale*x, scale*y, z > 0 ? s->half_length : -s->half_length);
}

double ss_apart_along(const ss_placed* a, const ss_placed* b, ss_vec3 n)
{
  int corner;
  return ss_dot3(n, ss_sub(ss_support(b, ss_scale(-1, n), &corner), ss_support(a, n, &corner)));
}

// A point of D with where it comes from
typedef struct spot {
  ss_vec3 w, a, b;
  int corner_a, corner_b;
} spot;

// The point of D that is farthest along d
static spot farthest(const ss_placed* a, const ss_placed* b, ss_vec3 d)
{
  spot s;
  s.b = ss_support(b, d, &s.corner_b);
  s.a = ss_support(a, ss_scale(-1, d), &s.corner_a);
  s.w = ss_sub(s.b, s.a);
  return s;
}

static bool same_corners(const spot* p, const spot* q)
{
  return p->corner_a >= 0 && p->corner_b >= 0 && p->corner_a == q->corner_a && p->corner_b == q->corner_b;
}

// ---- nearest point of a simplex ------------------------------------------------------------------------------------

typedef struct simplex {
  int n;
  spot spot[4];
  double weight[4];
} simplex;

static void keep(simplex* s, int n, const int* which, const double* weight)
{
  simplex old = *s;
  s->n = n;
  for (int i = 0; i < n; i++) {
    s->spot[i] = old.spot[which[i]];
    s->weight[i] = weight[i];
  }
}

// Of the segment i, j: weights of the point nearest to the origin; its distance squared
static double on_segment(const simplex* s, int i, int j, double weight[2], int* n, int which[2])
{
  ss_vec3 p = s->spot[i].w, d = ss_sub(s->spot[j].w, p);
  double length2 = ss_dot3(d, d), t = length2 > 0 ? -ss_dot3(p, d)/length2 : 0;
  which[0] = i, which[1] = j;
  *n = t <= 0 || t >= 1 ? 1 : 2;
  if (t >= 1) which[0] = j;
  weight[0] = *n == 1 ? 1 : 1 - t;
  weight[1] = t;
  ss_vec3 x = *n == 1 ? s->spot[which[0]].w : ss_add(p, ss_scale(t, d));
  return ss_dot3(x, x);
}

// Of the triangle i, j, k: if the nearest point is within it, its weights; else the best of its sides
static double on_triangle(const simplex* s, const int c[3], double weight[3], int* n, int which[3])
{
  ss_vec3 p = s->spot[c[0]].w, u = ss_sub(s->spot[c[1]].w, p), v = ss_sub(s->spot[c[2]].w, p), m = ss_cross(u, v);
  double m2 = ss_dot3(m, m);
  if (m2 > 0) {
    ss_vec3 back = ss_scale(-1, p);
    double y = ss_dot3(ss_cross(back, v), m)/m2, z = ss_dot3(ss_cross(u, back), m)/m2, x = 1 - y - z;
    if (x > 0 && y > 0 && z > 0) {
      double height = ss_dot3(p, m);
      *n = 3;
      weight[0] = x, weight[1] = y, weight[2] = z;
      which[0] = c[0], which[1] = c[1], which[2] = c[2];
      return height*height/m2;
    }
  }
  double best = INFINITY;
  for (int i = 0; i < 3; i++) {
    double w[2];
    int count, from[2];
    double d2 = on_segment(s, c[i], c[(i + 1)%3], w, &count, from);
    if (!(d2 < best)) continue;
    best = d2;
    *n = count;
    for (int k = 0; k < count; k++) weight[k] = w[k], which[k] = from[k];
  }
  return best;
}

// Reduces the simplex to what carries the point nearest to the origin; false if the origin is within a tetrahedron
static bool reduce(simplex* s)
{
  static const int face[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  double weight[3], best = INFINITY, w[3];
  int n = 1, which[3] = {0, 0, 0}, count, from[3];
  weight[0] = 1;
  if (s->n == 2) on_segment(s, 0, 1, weight, &n, which);
  if (s->n == 3) on_triangle(s, (const int[3]){0, 1, 2}, weight, &n, which);
  if (s->n == 4) {
    bool inside = true;
    for (int f = 0; f < 4; f++) {
      ss_vec3 p = s->spot[face[f][0]].w, u = ss_sub(s->spot[face[f][1]].w, p), v = ss_sub(s->spot[face[f][2]].w, p);
      ss_vec3 m = ss_cross(u, v);
      double other = ss_dot3(m, ss_sub(s->spot[6 - face[f][0] - face[f][1] - face[f][2]].w, p));
      double origin = -ss_dot3(m, p);
      bool flat = fabs(other) < 1e-12*ss_norm(m)*ss_norm(p);  // the fourth corner is in the plane
      if (!flat && origin*other > 0) continue;                // the origin is on the side of the fourth corner
      inside = false;
      double d2 = on_triangle(s, face[f], w, &count, from);
      if (!(d2 < best)) continue;
      best = d2;
      n = count;
      for (int k = 0; k < n; k++) weight[k] = w[k], which[k] = from[k];
    }
    if (inside) return false;
  }
  keep(s, n, which, weight);
  return true;
}

static ss_vec3 mean(int n, const spot* p, const double* weight, int what)
{
  ss_vec3 sum = {0, 0, 0};
  for (int i = 0; i < n; i++) sum = ss_add(sum, ss_scale(weight[i], what == 0 ? p[i].w : what == 1 ? p[i].a : p[i].b));
  return sum;
}

static void name_corners(ss_apart* out, int n, const spot* p)
{
  out->n = n;
  for (int i = 0; i < n; i++) out->corner_a[i] = p[i].corner_a, out->corner_b[i] = p[i].corner_b;
}

// True if they are apart, by more than round-off. *best: of the directions on the way, the best one.
static bool distance(const ss_placed* a, const ss_placed* b, double most, double size, int steps, ss_vec3* best,
                     ss_apart* out)
{
  simplex s = {.n = 0}, old;
  ss_vec3 v = ss_sub(b->center, a->center);
  if (ss_dot3(v, v) == 0) v = (ss_vec3){0, 0, 1};
  double length, farthest_apart = -INFINITY;
  bool proved = false;
  for (int step = 0; step < steps; step++) {
    spot w = farthest(a, b, ss_scale(-1, v));
    double v2 = ss_dot3(v, v), vw = ss_dot3(v, w.w);
    out->normal = ss_direction(v, &length);
    if (vw > farthest_apart*length) farthest_apart = vw/length, *best = out->normal;
    if (vw > 0 && vw*vw > most*most*v2) {  // beyond what is asked for
      out->gap = vw/length;
      out->n = 0;
      return true;
    }
    bool known = false;
    for (int i = 0; i < s.n; i++) known = known || same_corners(s.spot + i, &w);
    if (s.n && (known || v2 - vw <= ROUND_OFF*v2 + 4e-16*size*length)) break;
    old = s;
    s.spot[s.n++] = w;
    s.weight[0] = 1;
    bool outside = reduce(&s);
    ss_vec3 next = mean(s.n, s.spot, s.weight, 0);
    double next2 = outside ? ss_dot3(next, next) : 0;
    proved = proved || vw > ROUND_OFF*size*length;  // a plane between the two
    if (!proved && next2 <= ROUND_OFF*ROUND_OFF*size*size) return false;
    if (old.n && !(next2 > 0 && next2 < v2)) {  // round-off is all that is left
      s = old;
      break;
    }
    v = next;
  }
  out->normal = ss_direction(v, &length);
  out->gap = length;
  out->a = mean(s.n, s.spot, s.weight, 1);
  out->b = mean(s.n, s.spot, s.weight, 2);
  name_corners(out, s.n, s.spot);
  return true;
}

// ---- expanding polytope --------------------------------------------------------------------------------------------

typedef struct facet {
  int corner[3];
  ss_vec3 normal;  // outwards
  double offset;   // of the plane from the origin along it; < 0: the origin is outside
} facet;

typedef struct polytope {
  int n_spot, n_facet;
  spot spot[POINTS];
  facet facet[FACES];
} polytope;

static bool add_facet(polytope* p, int i, int j, int k, double size)
{
  if (p->n_facet == FACES) return false;
  ss_vec3 o = p->spot[i].w, m = ss_cross(ss_sub(p->spot[j].w, o), ss_sub(p->spot[k].w, o));
  double length;
  facet* f = p->facet + p->n_facet;
  f->corner[0] = i, f->corner[1] = j, f->corner[2] = k;
  f->normal = ss_direction(m, &length);
  f->offset = ss_dot3(f->normal, o);
  if (!(length > 1e-24*size*size)) return false;
  p->n_facet++;
  return true;
}

// Four points of D that span a volume, the first two farthest along one direction and back
static bool begin(const ss_placed* a, const ss_placed* b, double size, ss_vec3 along, polytope* p)
{
  double length;
  p->n_spot = p->n_facet = 0;
  p->spot[0] = farthest(a, b, along);
  p->spot[1] = farthest(a, b, ss_scale(-1, along));
  ss_vec3 u = ss_direction(ss_sub(p->spot[1].w, p->spot[0].w), &length), n = ss_across(u);
  for (int k = 0; k < 2; k++) {  // the farther of the two sides
    p->spot[2 + k] = farthest(a, b, n);
    spot other = farthest(a, b, ss_scale(-1, n));
    double d = ss_dot3(n, ss_sub(p->spot[2 + k].w, p->spot[0].w)), e = ss_dot3(n, ss_sub(p->spot[0].w, other.w));
    if (e > d) p->spot[2 + k] = other;
    if (!(fmax(d, e) > 1e-12*size)) {
      if (k == 1) return false;
      n = ss_cross(u, n);  // D is thin here: the other way
      p->spot[2] = farthest(a, b, n);
    }
    n = ss_direction(ss_cross(u, ss_sub(p->spot[2].w, p->spot[0].w)), &length);
  }
  p->n_spot = 4;
  double side = ss_dot3(ss_cross(ss_sub(p->spot[1].w, p->spot[0].w), ss_sub(p->spot[2].w, p->spot[0].w)),
                        ss_sub(p->spot[3].w, p->spot[0].w));
  int i = side > 0 ? 2 : 1, j = side > 0 ? 1 : 2;  // so that all facets look outwards
  return add_facet(p, 0, i, j, size) && add_facet(p, 0, j, 3, size) && add_facet(p, j, i, 3, size) &&
         add_facet(p, i, 0, 3, size);
}

// Takes away the facets that the new point sees and closes the hole
static bool expand(polytope* p, const spot* w, double size)
{
  int edge[3*FACES][2], n = 0;
  if (p->n_spot == POINTS) return false;
  for (int f = 0; f < p->n_facet; f++) {
    const facet* g = p->facet + f;
    if (!(ss_dot3(g->normal, w->w) > g->offset + 0.1*ROUND_OFF*size)) continue;
    for (int k = 0; k < 3; k++) {
      int i = g->corner[k], j = g->corner[(k + 1)%3], e = 0;
      while (e < n && !(edge[e][0] == j && edge[e][1] == i)) e++;
      if (e < n) {
        n--;
        edge[e][0] = edge[n][0], edge[e][1] = edge[n][1];
      } else {
        edge[n][0] = i, edge[n][1] = j, n++;
      }
    }
    p->facet[f--] = p->facet[--p->n_facet];
  }
  p->spot[p->n_spot] = *w;
  for (int e = 0; e < n; e++)
    if (!add_facet(p, edge[e][0], edge[e][1], p->n_spot, size)) return false;
  p->n_spot++;
  return n > 0;
}

// Weights of the point of a facet that is nearest to the origin
static void weigh(const polytope* p, const facet* f, double weight[3])
{
  ss_vec3 x = ss_scale(f->offset, f->normal), q[3];
  double sum = 0;
  for (int k = 0; k < 3; k++) q[k] = ss_sub(p->spot[f->corner[k]].w, x);
  for (int k = 0; k < 3; k++) {
    weight[k] = fmax(0, ss_dot3(f->normal, ss_cross(q[(k + 1)%3], q[(k + 2)%3])));
    sum += weight[k];
  }
  for (int k = 0; k < 3; k++) weight[k] = sum > 0 ? weight[k]/sum : 1.0/3;
}

// The facet as the answer so far
static void take_facet(const polytope* p, const facet* f, double height, ss_apart* out)
{
  double weight[3];
  spot corner[3];
  weigh(p, f, weight);
  for (int k = 0; k < 3; k++) corner[k] = p->spot[f->corner[k]];
  out->gap = -height;
  out->normal = ss_scale(-1, f->normal);
  out->a = mean(3, corner, weight, 1);
  out->b = mean(3, corner, weight, 2);
  name_corners(out, 3, corner);
}

// The facet nearest to the origin is moved outwards, again and again. The overlap is between its offset, since the
// polytope is within D, and that along the best normal so far: true where they are the same but for `enough`.
static bool expand_from(const ss_placed* a, const ss_placed* b, double size, double enough, ss_vec3 start,
                        ss_apart* out)
{
  polytope p;
  if (!begin(a, b, size, start, &p)) return false;
  for (int step = 0; step < 2*POINTS; step++) {
    int f = 0;
    for (int i = 1; i < p.n_facet; i++)
      if (p.facet[i].offset < p.facet[f].offset) f = i;
    spot w = farthest(a, b, p.facet[f].normal);
    double offset = p.facet[f].offset, height = ss_dot3(p.facet[f].normal, w.w);
    bool done = height - offset <= ROUND_OFF*size;
    for (int k = 0; k < 3; k++) done = done || same_corners(p.spot + p.facet[f].corner[k], &w);
    if (done || -height > out->gap) take_facet(&p, p.facet + f, height, out);
    if (done || -out->gap - offset <= enough) return true;
    if (!expand(&p, &w, size)) return false;
  }
  return false;
}

// Round-off may tear a polytope of slivers: then from elsewhere; what was found, or given, stays. False if all tear.
static bool expand_overlap(const ss_placed* a, const ss_placed* b, double size, double enough, ss_apart* out)
{
  static const ss_vec3 start[3] = {{2.0/7, 3.0/7, 6.0/7}, {-6.0/7, 2.0/7, 3.0/7}, {3.0/7, 6.0/7, -2.0/7}};
  for (int i = 0; i < 3; i++)
    if (expand_from(a, b, size, enough, start[i], out)) return true;
  return false;
}

// ---- overlap of round shapes ---------------------------------------------------------------------------------------

// The better of n, -n and the best direction so far
static void offer(const ss_placed* a, const ss_placed* b, ss_vec3 n, ss_apart* best)
{
  double length;
  n = ss_direction(n, &length);
  if (length == 0) return;
  for (int k = 0; k < 2; k++, n = ss_scale(-1, n)) {
    double gap = ss_apart_along(a, b, n);
    if (gap > best->gap) best->gap = gap, best->normal = n;
  }
}

// The faces of mesh p, which is a (sign 1) or b (-1): beyond them there is none of it
static void offer_faces(const ss_placed* p, const ss_placed* other, double sign, ss_apart* best)
{
  const ss_hull* h = p->shape->hull;
  for (int f = 0; f < h->n_face; f++) {
    int corner;
    ss_vec3 n = ss_to_world(p, h->normal[f]), x = ss_support(other, ss_scale(-1, n), &corner);
    double gap = ss_dot3(n, ss_sub(x, p->center)) - ss_dot3(h->normal[f], h->vertex[h->loop[h->first[f]]]);
    if (gap > best->gap) best->gap = gap, best->normal = ss_scale(sign, n);
  }
}

// Directions in which a shape may overlap others least: its faces, across its axis, across its edges and an axis
static void offer_own(const ss_placed* a, const ss_placed* b, const ss_placed* p, const ss_placed* other,
                      ss_apart* s)
{
  ss_vec3 d = ss_sub(b->center, a->center), y = ss_cross(p->axis, p->side), own[3] = {p->axis, p->side, y};
  offer(a, b, ss_sub(d, ss_scale(ss_dot3(d, p->axis), p->axis)), s);
  for (int i = 0; i < 3; i++) {
    offer(a, b, own[i], s);
    offer(a, b, ss_cross(own[i], other->axis), s);
  }
  if (ss_placed_kind(p) == SS_SHAPE_MESH) offer_faces(p, other, p == a ? 1 : -1, s);
}

// A direction of least overlap is one along which the shapes, moved apart along it, are nearest: from n on, again and
// again. The error shrinks by overlap/size in every step.
static void slide(const ss_placed* a, const ss_placed* b, double size, ss_vec3 n, ss_apart* out)
{
  for (int step = 0; step < SLIDES; step++) {
    ss_apart next;
    ss_placed moved = *b;
    ss_vec3 best, way = ss_scale(1e-2*size - ss_apart_along(a, b, n), n);
    moved.center = ss_add(b->center, way);
    if (!distance(a, &moved, INFINITY, size, STEPS, &best, &next)) return;
    double gap = ss_apart_along(a, b, next.normal), turned = ss_norm(ss_sub(next.normal, n));
    if (gap >= out->gap - ROUND_OFF*size) {
      next.gap = gap;
      next.b = ss_sub(next.b, way);
      *out = next;
    }
    n = next.normal;
    if (turned < 1e-12) return;
  }
}

// The direction so far made exact: true if that proves that it is the best one
static bool improve(const ss_placed* a, const ss_placed* b, double size, ss_apart* out)
{
  ss_apart next;
  ss_proof proof = ss_polish(a, b, out->normal, size, &next);
  if (proof == SS_NO_PROOF || next.gap < out->gap - ROUND_OFF*size) slide(a, b, size, out->normal, out);
  else *out = next;
  return proof == SS_PROVED;
}

// The best of some directions, improved
static bool try_some(const ss_placed* a, const ss_placed* b, double size, ss_apart* out)
{
  double before = out->gap;
  offer(a, b, (ss_vec3){0, 0, 1}, out);
  offer(a, b, ss_sub(b->center, a->center), out);
  offer_own(a, b, a, b, out);
  offer_own(a, b, b, a, out);
  if (!(out->gap > before)) return false;
  spot deepest = farthest(a, b, ss_scale(-1, out->normal));
  out->a = deepest.a;
  out->b = deepest.b;
  out->n = 1;
  out->corner_a[0] = out->corner_b[0] = -1;
  return improve(a, b, size, out);
}

// What is known, or the best of some directions; if a polytope finds a better one, that one improved
static void slide_apart(const ss_placed* a, const ss_placed* b, double size, ss_apart* out)
{
  if (out->n == 0 && try_some(a, b, size, out)) return;
  double before = out->gap;
  if (before > -ENOUGH*size) return;  // no other direction is better by what matters
  bool whole = expand_overlap(a, b, size, ENOUGH*size, out);
  if (out->gap > before) improve(a, b, size, out);
  if (!whole) try_some(a, b, size, out);
}

static bool is_round(const ss_placed* p)
{
  return p->shape && (p->shape->kind == SS_SHAPE_CYLINDER || p->shape->kind == SS_SHAPE_ELLIPSOID);
}

// Round-off ends iterations between round shapes that almost touch before the plane across the normal holds; moved a
// little farther apart they have a better one
static void sharpen(const ss_placed* a, const ss_placed* b, double size, ss_apart* out)
{
  double gap = ss_apart_along(a, b, out->normal);
  if (out->gap - gap <= SS_SHARP*size) return;
  out->gap = gap;
  slide(a, b, size, out->normal, out);
}

// Round shapes: some steps give a direction that is made exact; if that proves nothing, more of them
static void apart_round(const ss_placed* a, const ss_placed* b, double most, double size, ss_apart* out)
{
  static const int steps[] = {6, 20, STEPS};
  ss_apart known = {.normal = {0, 0, 1}, .gap = -INFINITY, .n = 0};
  bool apart = false;
  for (int i = 0; i < 3; i++) {
    ss_vec3 best = {0, 0, 1};
    apart = distance(a, b, most, size, steps[i], &best, out);
    if (apart && out->n == 0) return;  // beyond what is asked for
    if (apart && out->gap - ss_apart_along(a, b, out->normal) <= ROUND_OFF*size) return;
    ss_apart next;
    ss_proof proof = ss_polish(a, b, best, size, &next);
    if (proof != SS_NO_PROOF && next.gap > known.gap) known = next;
    if (proof == SS_PROVED) *out = known;
    if (proof == SS_PROVED) return;
    if (!apart) break;
  }
  if (apart) {
    sharpen(a, b, size, out);
    return;
  }
  *out = known;
  slide_apart(a, b, size, out);
}

ss_apart ss_convex_apart(const ss_placed* a, const ss_placed* b, double most)
{
  ss_placed one = *a, two = *b;
  ss_apart out;
  ss_vec3 best;
  double size = a->bound + b->bound;
  one.center = (ss_vec3){0, 0, 0};
  two.center = ss_sub(b->center, a->center);
  if (is_round(a) || is_round(b)) {
    apart_round(&one, &two, most, size, &out);
    return out;
  }
  if (distance(&one, &two, most, size, STEPS, &best, &out)) return out;
  out = (ss_apart){.normal = {0, 0, 1}, .gap = -INFINITY, .n = 0};
  expand_overlap(&one, &two, size, ROUND_OFF*size, &out);
  if (out.n == 0) out.gap = 0;  // flat
  return out;
}
