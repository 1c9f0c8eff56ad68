// The contacts of two outlines. Each is a gap that must not be negative on its own and changes smoothly as long as it
// exists: a corner of one over the face of the other, or the crossing of two edges. All lengths below `same` count as
// none, so that outlines that lie exactly on one another, the common case, are far from every decision.
#include "collide/patch.h"

// Normals of crossings may be so far from that of the patch (cosine)
#define ASTRAY 0.7
// Edges that cross at less than this sine ...
#define ALMOST_PARALLEL 0.1
// ... in faces that are parallel within 0.02 have the normal of the face: that of the edges magnifies the tilt
#define FLAT 0.02
// Edges of less than this sine do not cross
#define PARALLEL 1e-3

void ss_patch_begin(ss_patch* patch, const ss_placed* a, const ss_placed* b, double apart, double margin)
{
  double size_a = a->bound + a->radius, size_b = b->bound + b->radius;
  double least = size_a == 0 ? size_b : fmin(size_a, size_b);  // planes have no size
  patch->n = 0;
  patch->margin = margin;
  patch->same = 1e-6*least + 1e-14*fmax(a->bound, b->bound);
  patch->exact = 1e-14*(a->bound + b->bound);
  patch->apart = apart;
}

void ss_patch_add(ss_patch* patch, const ss_near* near)
{
  if (!(near->gap < patch->margin) || patch->n == SS_PATCH_MOST) return;
  for (int i = 0; i < patch->n; i++)
    if (patch->near[i].feature == near->feature) return;
  patch->near[patch->n++] = *near;
}

void ss_patch_put(ss_patch* patch, const ss_near* near)
{
  for (int i = 0; i < patch->n; i++)
    if (patch->near[i].feature == near->feature) patch->near[i] = patch->near[--patch->n];
  ss_patch_add(patch, near);
}

// Faces are preferred to edges by 1e-12 of the size, which this must allow
bool ss_patch_has_gap(const ss_patch* patch, double gap)
{
  for (int i = 0; i < patch->n; i++)
    if (fabs(patch->near[i].gap - gap) <= 200*patch->exact) return true;
  return false;
}

static bool is_face(const ss_outline* o) { return o->n > 2; }

// What is the same for all corners over a face
typedef struct sides {
  ss_vec3 out[SS_OUTLINE_MOST];   // across each side, outwards
  double reach[SS_OUTLINE_MOST];  // a point so far along it is beyond the side
  ss_vec3 tangent;                // along the first side
} sides;

static ss_vec3 tangent_of(const ss_outline* face)
{
  double length;
  return ss_direction(ss_sub(face->point[1], face->point[0]), &length);
}

static void find_sides(const ss_outline* face, double same, sides* s)
{
  for (int i = 0; i < face->n; i++) {
    s->out[i] = ss_cross(ss_sub(face->point[i + 1 < face->n ? i + 1 : 0], face->point[i]), face->normal);
    s->reach[i] = same*ss_norm(s->out[i]);
  }
  s->tangent = tangent_of(face);
}

// No side of the face has the point beyond it
static bool over(const ss_outline* face, const sides* s, ss_vec3 x)
{
  for (int i = 0; i < face->n; i++)
    if (ss_dot3(s->out[i], ss_sub(x, face->point[i])) > s->reach[i]) return false;
  return true;
}

// A corner over a face, of b over that of a
static ss_near corner_over(const ss_outline* face, ss_vec3 tangent, ss_vec3 corner, double radius)
{
  ss_near near = {.normal = face->normal, .core_b = corner, .side_a = SS_SIDE_FACE, .side_b = SS_SIDE_POINT,
                  .radius_b = radius, .tangent = tangent};
  double height = ss_dot3(face->normal, ss_sub(corner, face->point[0]));
  near.gap = height - radius;
  near.core_a = ss_sub(corner, ss_scale(height, face->normal));
  return near;
}

// A corner of a is one with a corner of b over the face of a
static bool is_known(const ss_patch* patch, ss_vec3 corner, ss_vec3 n, int count)
{
  for (int i = 0; i < count; i++) {
    ss_vec3 d = ss_sub(corner, patch->near[i].core_b), flat = ss_sub(d, ss_scale(ss_dot3(d, n), n));
    if (ss_norm(flat) < 3*patch->same) return true;
  }
  return false;
}

static void add_corners(ss_patch* patch, const ss_outline* a, const ss_outline* b, ss_vec3 n)
{
  sides s;
  if (is_face(a)) find_sides(a, patch->same, &s);
  for (int i = 0; is_face(a) && i < b->n; i++) {
    if (!over(a, &s, b->point[i])) continue;
    ss_near near = corner_over(a, s.tangent, b->point[i], b->radius);
    near.feature = ss_corner_of_b(patch, b->vertex[i]);
    ss_patch_add(patch, &near);
  }
  int of_b = patch->n;
  if (is_face(b)) find_sides(b, patch->same, &s);
  for (int i = 0; is_face(b) && i < a->n; i++) {
    if (!over(b, &s, a->point[i]) || is_known(patch, a->point[i], n, of_b)) continue;
    ss_near near = corner_over(b, s.tangent, a->point[i], a->radius);
    ss_near_turn(&near);
    near.feature = ss_corner_of_a(patch, a->vertex[i]);
    ss_patch_add(patch, &near);
  }
}

//   s = (d x v).m/m^2,  t = (d x u).m/m^2,  m = u x v,  d = q - p
// N is taken across u once more, so that the error of m (1e-16/sine) has no lever.
bool ss_crossing(ss_vec3 p, ss_vec3 u, ss_vec3 q, ss_vec3 v, ss_vec3 n, double least, double* s, double* t,
                 ss_near* near)
{
  ss_vec3 m = ss_cross(u, v), d = ss_sub(q, p);
  double sine2 = ss_dot3(m, m), length;
  if (!(sine2 > least*least)) return false;
  *s = ss_dot3(ss_cross(d, v), m)/sine2;
  *t = ss_dot3(ss_cross(d, u), m)/sine2;
  ss_vec3 normal = ss_scale((ss_dot3(m, n) < 0 ? -1 : 1)/sqrt(sine2), m);
  normal = ss_direction(ss_sub(normal, ss_scale(ss_dot3(normal, u), u)), &length);
  *near = (ss_near){.normal = normal, .core_a = ss_add(p, ss_scale(*s, u)), .axis_a = u, .axis_b = v,
                    .side_a = SS_SIDE_LINE, .side_b = SS_SIDE_LINE};
  near->gap = ss_dot3(normal, ss_sub(ss_add(q, ss_scale(*t, v)), near->core_a));
  near->core_b = ss_add(near->core_a, ss_scale(near->gap, normal));
  return true;
}

// Faces that are parallel but for a little
static bool are_flat(const ss_outline* a, const ss_outline* b)
{
  return is_face(a) && is_face(b) && ss_norm(ss_cross(a->normal, b->normal)) < FLAT;
}

// ... or a face and an edge
static bool is_flat(const ss_outline* a, const ss_outline* b, ss_vec3 v, bool faces)
{
  if (is_face(a) && is_face(b)) return faces;
  return is_face(a) && fabs(ss_dot3(a->normal, v)) < FLAT;
}

// A normal along which an edge, direction u, holds its shape: between those of the two faces, but for a little
static bool holds(const ss_outline* o, int i, ss_vec3 u, ss_vec3 normal)
{
  if (o->round) return true;
  return ss_dot3(normal, ss_cross(u, o->normal)) > -FLAT && ss_dot3(normal, ss_cross(o->beyond[i], u)) > -FLAT;
}

typedef struct edge {
  ss_vec3 from, along;
  double length;
} edge;

static edge edge_of(const ss_outline* o, int i)
{
  edge e = {.from = o->point[i]};
  e.along = ss_direction(ss_sub(o->point[i + 1 < o->n ? i + 1 : 0], e.from), &e.length);
  return e;
}

static bool within(double s, const edge* e, double same) { return s > same && s < e->length - same; }

// Where the edge of b comes over that of the face a, along the normal of the face
static bool crossing_over(const ss_patch* patch, const ss_outline* a, const edge* p, const ss_outline* b,
                          const edge* q, ss_near* near)
{
  ss_vec3 m = ss_cross(p->along, a->normal);
  double rate = ss_dot3(q->along, m);
  if (!(fabs(rate) > PARALLEL)) return false;
  double t = ss_dot3(ss_sub(p->from, q->from), m)/rate;
  ss_vec3 x = ss_add(q->from, ss_scale(t, q->along));
  if (!within(t, q, patch->same) || !within(ss_dot3(ss_sub(x, p->from), p->along), p, patch->same)) return false;
  *near = corner_over(a, tangent_of(a), x, b->radius);
  return true;
}

// Whether ss_crossing() lies within both edges, which it rarely does
static bool cross_within(const edge* p, const edge* q, ss_vec3 m, double same)
{
  ss_vec3 d = ss_sub(q->from, p->from);
  double sine2 = ss_dot3(m, m);
  return within(ss_dot3(ss_cross(d, q->along), m)/sine2, p, same) &&
         within(ss_dot3(ss_cross(d, p->along), m)/sine2, q, same);
}

static bool crossing_of(const ss_patch* patch, const ss_outline* a, int i, edge p, const ss_outline* b, int j, edge q,
                        ss_vec3 n, bool flat, ss_near* near)
{
  double s, t;
  ss_vec3 m = ss_cross(p.along, q.along);
  if (ss_norm(m) < ALMOST_PARALLEL && is_flat(a, b, q.along, flat)) return crossing_over(patch, a, &p, b, &q, near);
  if (!cross_within(&p, &q, m, patch->same)) return false;
  if (!ss_crossing(p.from, p.along, q.from, q.along, n, PARALLEL, &s, &t, near)) return false;
  if (ss_dot3(near->normal, n) < ASTRAY || (patch->apart > 0 && near->gap < patch->apart - patch->exact)) return false;
  if (!holds(a, i, p.along, near->normal) || !holds(b, j, q.along, ss_scale(-1, near->normal))) return false;
  near->radius_a = a->radius;
  near->radius_b = b->radius;
  near->gap -= a->radius + b->radius;
  return true;
}

void ss_patch_outlines(ss_patch* patch, const ss_outline* a, const ss_outline* b, ss_vec3 n)
{
  add_corners(patch, a, b, n);
  int edges_a = a->n > 2 ? a->n : a->n - 1, edges_b = b->n > 2 ? b->n : b->n - 1;
  bool flat = are_flat(a, b);
  edge of_b[SS_OUTLINE_MOST];
  for (int j = 0; j < edges_b; j++) of_b[j] = edge_of(b, j);
  for (int i = 0; i < edges_a; i++) {
    edge p = edge_of(a, i);
    for (int j = 0; j < edges_b; j++) {
      ss_near near;
      if (!crossing_of(patch, a, i, p, b, j, of_b[j], n, flat, &near)) continue;
      near.feature = ss_crossing_of(patch, a->edge[i], b->edge[j]);
      ss_patch_add(patch, &near);
    }
  }
}

// ---- thinning out --------------------------------------------------------------------------------------------------

static ss_vec3 middle(const ss_near* near) { return ss_scale(0.5, ss_add(near->core_a, near->core_b)); }

// How little a contact is that by which the shapes are apart or overlap
static double beside(const ss_patch* patch, const ss_near* near)
{
  return patch->apart > 0 ? near->gap : fabs(near->gap + near->radius_a + near->radius_b - patch->apart);
}

// The decisive one first, then again and again the one that is farthest from those that are taken. Of equals (within a
// part of 1e-6) the one of the lowest feature, so that round-off does not choose.
static void choose(ss_patch* patch, int most)
{
  double far[SS_PATCH_MOST];
  int best = 0;
  for (int i = 1; i < patch->n; i++)
    if (beside(patch, patch->near + i) < beside(patch, patch->near + best) - patch->exact) best = i;
  for (int i = 0; i < patch->n; i++) far[i] = INFINITY;
  for (int k = 0; k < most; k++) {
    ss_near taken = patch->near[best];
    patch->near[best] = patch->near[k];
    far[best] = far[k];
    patch->near[k] = taken;
    best = k + 1;
    for (int i = k + 1; i < patch->n; i++) {
      ss_vec3 d = ss_sub(middle(patch->near + i), middle(&taken));
      far[i] = fmin(far[i], ss_dot3(d, d));
      bool more = far[i] > far[best]*(1 + 1e-6), equal = far[i] >= far[best]*(1 - 1e-6);
      if (more || (equal && patch->near[i].feature < patch->near[best].feature)) best = i;
    }
  }
  patch->n = most;
}

static void sort(ss_patch* patch)
{
  for (int i = 1; i < patch->n; i++) {
    ss_near near = patch->near[i];
    int k = i;
    for (; k > 0 && patch->near[k - 1].feature > near.feature; k--) patch->near[k] = patch->near[k - 1];
    patch->near[k] = near;
  }
}

// Features that a key has no room for become others, different ones
static void fold(ss_patch* patch)
{
  if (patch->n == 0 || patch->near[patch->n - 1].feature < SS_MOST_FEATURES) return;
  for (int i = 0; i < patch->n; i++) patch->near[i].feature %= SS_MOST_FEATURES - SS_TOUCH_MOST - 5;
  sort(patch);
  for (int i = 1; i < patch->n; i++)
    if (patch->near[i].feature <= patch->near[i - 1].feature) patch->near[i].feature = patch->near[i - 1].feature + 1;
}

int ss_patch_finish(ss_patch* patch, ss_vec3 origin, ss_near* near)
{
  sort(patch);
  if (patch->n > SS_TOUCH_MOST) {
    choose(patch, SS_TOUCH_MOST);
    sort(patch);
  }
  fold(patch);
  for (int i = 0; i < patch->n; i++) {
    near[i] = patch->near[i];
    near[i].core_a = ss_add(near[i].core_a, origin);
    near[i].core_b = ss_add(near[i].core_b, origin);
  }
  return patch->n;
}
