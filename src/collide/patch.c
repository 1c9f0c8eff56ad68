// The contacts of two outlines. Each is a gap that must not be negative on its own and changes smoothly as long as it
// exists: a corner of one over the face of the other, the crossing of two edges, or an end of two lines that lie side
// by side. All lengths below `same` count as none, so that outlines that lie exactly on one another, the common case,
// are far from every decision.
#include "collide/patch.h"

// Normals of crossings may be so far from that of the patch (cosine)
#define ASTRAY 0.7
// Edges that cross at less than this sine ...
#define ALMOST_PARALLEL 0.1
// ... in faces that are parallel within 0.02 have the normal of the face: that of the edges magnifies the tilt
#define FLAT 0.02
// Edges of less than this sine do not cross
#define PARALLEL 1e-3
// sin^2 above which two lines touch where they cross alone: ends of what they lie side by side on are for less than
// 30 degrees
#define CROSSED 0.25
// Two contacts of lines nearer than this, in units of the radii, are one
#define ONE_PLACE 1e-3
// In units of round-off, by how much one of two ends must be the nearer one: ends that coincide differ by less where
// bodies sway, and a nearest point with the gap of an end is that end still (ss_patch_has_gap)
#define NEARER 100
// Steps of Newton's method on a rim, each of which doubles the digits
#define TURNS 8

void ss_patch_begin(ss_patch* patch, const ss_placed* a, const ss_placed* b, double apart, double margin)
{
  double size_a = a->bound + a->radius, size_b = b->bound + b->radius;
  double least = size_a == 0 ? size_b : fmin(size_a, size_b);  // planes have no size
  patch->n = 0;
  patch->margin = margin;
  patch->same = 1e-6*least + 1e-14*fmax(a->bound, b->bound);
  patch->exact = 1e-14*(a->bound + b->bound);
  patch->apart = apart;
  patch->radii = a->radius + b->radius;
}

bool ss_patch_has(const ss_patch* patch, int feature)
{
  for (int i = 0; i < patch->n; i++)
    if (patch->near[i].feature == feature) return true;
  return false;
}

void ss_patch_add(ss_patch* patch, const ss_near* near)
{
  if (!(near->gap < patch->margin) || patch->n == SS_PATCH_MOST || ss_patch_has(patch, near->feature)) return;
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

static ss_vec3 place(const ss_near* near)
{
  return ss_add(ss_scale(0.5, ss_add(near->core_a, near->core_b)),
                ss_scale(0.5*(near->radius_a - near->radius_b), near->normal));
}

// The end of a line that is beyond the other by less than `same` has the gap there but for the tilt
bool ss_patch_has_near(const ss_patch* patch, const ss_near* near)
{
  for (int i = 0; i < patch->n; i++) {
    const ss_near* end = patch->near + i;
    bool line = (end->side_a == SS_SIDE_LINE) != (end->side_b == SS_SIDE_LINE);
    if (!line || ss_dot3(end->normal, near->normal) < 1 - 1e-6) continue;
    double far = ss_norm(ss_sub(place(end), place(near)));
    if (fabs(end->gap - near->gap) < 1e-3*patch->same && far < 4*patch->same) return true;
  }
  return ss_patch_has_gap(patch, near->gap);
}

static bool is_face(const ss_outline* o) { return o->n > 2; }

static int edges_of(const ss_outline* o) { return is_face(o) ? o->n : o->n - 1; }

void ss_outline_measure(ss_outline* o)
{
  for (int i = 0; i < edges_of(o); i++)
    o->along[i] = ss_direction(ss_sub(o->point[i + 1 < o->n ? i + 1 : 0], o->point[i]), o->length + i);
}

// The sides of a face: what is beyond them
typedef struct sides {
  ss_vec3 out[SS_OUTLINE_MOST];   // across each side, outwards
  double reach[SS_OUTLINE_MOST];  // a point so far along it is beyond the side
} sides;

static void find_sides(const ss_outline* face, double same, sides* s)
{
  for (int i = 0; i < face->n; i++) {
    s->out[i] = ss_cross(face->along[i], face->normal);
    s->reach[i] = ss_dot3(s->out[i], face->point[i]) + same;
  }
}

// No side of the face has the point beyond it
static bool over(const ss_outline* face, const sides* s, ss_vec3 x)
{
  for (int i = 0; i < face->n; i++)
    if (ss_dot3(s->out[i], x) > s->reach[i]) return false;
  return true;
}

bool ss_outline_ends_beside(const ss_outline* face, ss_vec3 x, double same)
{
  sides s;
  if (!is_face(face)) return false;
  find_sides(face, same, &s);
  return !over(face, &s, x);
}

// A corner over a face, of b over that of a or, turned, of a over that of b
static void add_corner(ss_patch* patch, const ss_outline* face, ss_vec3 corner, double radius, int feature, bool turned)
{
  double height = ss_dot3(face->normal, ss_sub(corner, face->point[0]));
  ss_vec3 foot = ss_sub(corner, ss_scale(height, face->normal));
  if (!(height - radius < patch->margin) || patch->n == SS_PATCH_MOST || ss_patch_has(patch, feature)) return;
  patch->near[patch->n++] =
    (ss_near){.normal = ss_scale(turned ? -1 : 1, face->normal), .core_a = turned ? corner : foot,
              .core_b = turned ? foot : corner, .gap = height - radius, .tangent = face->along[0],
              .side_a = turned ? SS_SIDE_POINT : SS_SIDE_FACE, .side_b = turned ? SS_SIDE_FACE : SS_SIDE_POINT,
              .radius_a = turned ? radius : 0, .radius_b = turned ? 0 : radius, .feature = feature};
}

// A corner of a is one with a corner of b over the face of a
static bool is_known(const ss_patch* patch, ss_vec3 corner, ss_vec3 n, int count)
{
  for (int i = 0; i < count; i++) {
    ss_vec3 d = ss_sub(corner, patch->near[i].core_b), flat = ss_sub(d, ss_scale(ss_dot3(d, n), n));
    if (ss_dot3(flat, flat) < 9*patch->same*patch->same) return true;
  }
  return false;
}

// of_a: the sides of a; nothing if it is no face. Those of b are found if it is one. True if all corners of one outline
// are over the face of the other: then no edges cross.
static bool add_corners(ss_patch* patch, const ss_outline* a, const sides* of_a, const ss_outline* b, ss_vec3 n)
{
  sides of_b;
  int over_a = 0, over_b = 0;
  for (int i = 0; is_face(a) && i < b->n; i++) {
    if (!over(a, of_a, b->point[i])) continue;
    over_a++;
    add_corner(patch, a, b->point[i], b->radius, ss_corner_of_b(patch, b->vertex[i]), false);
  }
  int known = patch->n;
  if (is_face(b)) find_sides(b, patch->same, &of_b);
  for (int i = 0; is_face(b) && i < a->n; i++) {
    if (!over(b, &of_b, a->point[i])) continue;
    over_b++;
    if (is_known(patch, a->point[i], n, known)) continue;
    add_corner(patch, b, a->point[i], a->radius, ss_corner_of_a(patch, a->vertex[i]), true);
  }
  return over_a == b->n || over_b == a->n;
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

// An edge of an outline, or the axis of a round side
typedef struct edge {
  const ss_outline* o;
  int i;
  ss_vec3 from, along;
  double length, radius;
} edge;

static edge edge_of(const ss_outline* o, int i)
{
  return (edge){o, i, o->round ? o->axis_from : o->point[i], o->along[i], o->length[i],
                o->round ? o->axis_radius : o->radius};
}

static bool within(double s, const edge* e, double same) { return s > same && s < e->length - same; }

// Where the edge q of b comes over the side p of the face a, along the normal of the face
static void add_over(ss_patch* patch, const edge* p, ss_vec3 out, const edge* q, int feature)
{
  double rate = ss_dot3(q->along, out);
  if (!(fabs(rate) > PARALLEL)) return;
  ss_vec3 from = q->o->point[q->i];
  double t = ss_dot3(ss_sub(p->from, from), out)/rate;
  ss_vec3 x = ss_add(from, ss_scale(t, q->along));
  if (!within(t, q, patch->same) || !within(ss_dot3(ss_sub(x, p->from), p->along), p, patch->same)) return;
  add_corner(patch, p->o, x, q->o->radius, feature, false);
}

// A corner of the face under a round side: across the axis, height = N.(axis - corner)
static void add_round(ss_patch* patch, ss_vec3 corner, const edge* q, ss_vec3 n, double height, int feature,
                      bool turned)
{
  ss_near near = {.normal = n, .core_a = corner, .core_b = ss_add(corner, ss_scale(height, n)),
                  .gap = height - q->radius, .side_b = SS_SIDE_LINE, .axis_b = q->along, .radius_b = q->radius,
                  .feature = feature};
  if (turned) ss_near_turn(&near);
  ss_patch_add(patch, &near);
}

// Where an edge goes over corners of the face, it crosses no side within its length: the corners count instead. Over
// them means along the normal of the face or, for a round side, across its axis.
static void add_under(ss_patch* patch, const ss_outline* face, const ss_outline* line, bool turned)
{
  if (!is_face(face) || line->n != 2) return;
  edge q = edge_of(line, 0);
  double slope = ss_dot3(face->normal, q.along), cosine;
  ss_vec3 up = ss_direction(ss_sub(face->normal, ss_scale(slope, q.along)), &cosine), across = ss_cross(up, q.along);
  for (int i = 0; i < face->n; i++) {
    ss_vec3 d = ss_sub(face->point[i], q.from);
    double below = ss_dot3(d, up), t = ss_dot3(d, q.along);
    if (!line->round) t -= below*slope/cosine;
    if (fabs(ss_dot3(d, across)) > patch->same || !within(t, &q, patch->same)) continue;
    int corner = face->vertex[i], feature = turned ? ss_corner_of_b(patch, corner) : ss_corner_of_a(patch, corner);
    if (line->round) add_round(patch, face->point[i], &q, up, -below, feature, turned);
    else add_corner(patch, face, ss_add(q.from, ss_scale(t, q.along)), line->radius, feature, turned);
  }
}

// Whether ss_crossing() lies within both edges, which it rarely does; without its divisions
static bool cross_within(const edge* p, const edge* q, ss_vec3 m, double sine2, double same)
{
  ss_vec3 d = ss_sub(q->from, p->from);
  double s = ss_dot3(ss_cross(d, q->along), m), least = same*sine2;
  if (!(s > least && s < p->length*sine2 - least)) return false;
  double t = ss_dot3(ss_cross(d, p->along), m);
  return t > least && t < q->length*sine2 - least;
}

static void add_crossing(ss_patch* patch, const edge* p, const edge* q, ss_vec3 n, int feature)
{
  double s, t;
  ss_near near;
  const ss_outline *a = p->o, *b = q->o;
  if (!ss_crossing(p->from, p->along, q->from, q->along, n, PARALLEL, &s, &t, &near)) return;
  near.gap -= p->radius + q->radius;
  bool nearer = near.gap + patch->radii < patch->apart - patch->exact;
  if (ss_dot3(near.normal, n) < ASTRAY || (patch->apart > 0 && nearer)) return;
  if (!holds(a, p->i, p->along, near.normal) || !holds(b, q->i, q->along, ss_scale(-1, near.normal))) return;
  near.radius_a = p->radius;
  near.radius_b = q->radius;
  near.feature = feature;
  ss_patch_add(patch, &near);
}

// ---- lines side by side --------------------------------------------------------------------------------------------

// The end of a cylinder is a rim, that of a capsule a sphere, and that of an edge a corner
static bool has_rim(const edge* p) { return p->o->round && p->o->radius < p->radius; }

static ss_vec3 across(ss_vec3 n, ss_vec3 axis) { return ss_sub(n, ss_scale(ss_dot3(n, axis), axis)); }

// The point e + r u of the rim about e that is nearest to the axis of q, where w = e + r u - q(t) is across that axis
// and across the tangent a x u of the rim: Newton's method on the angle. N is across both, too, and so has no need of
// w, which vanishes where a rim touches an edge. False if there is none about the guess u.
static bool rim_against(const edge* p, ss_vec3 e, const edge* q, ss_vec3 u, ss_near* near)
{
  double r = p->radius, length, step = 1;
  ss_vec3 t;
  u = ss_direction(across(u, p->along), &length);
  for (int k = 0; k < TURNS && fabs(step) > 1e-12; k++) {
    t = ss_cross(p->along, u);
    ss_vec3 w = across(ss_sub(ss_add(e, ss_scale(r, u)), q->from), q->along), flat = across(t, q->along);
    double bend = r*ss_dot3(flat, flat) - ss_dot3(u, w);
    if (!(bend > 0)) return false;
    step = -ss_dot3(t, w)/bend;
    u = ss_direction(ss_add(u, ss_scale(step, t)), &length);
  }
  t = ss_cross(p->along, u);
  near->normal = ss_direction(ss_cross(q->along, t), &length);
  if (ss_dot3(near->normal, u) < 0) near->normal = ss_scale(-1, near->normal);
  ss_vec3 x = ss_add(e, ss_scale(r, u));
  double height = ss_dot3(near->normal, ss_sub(q->from, x));
  near->core_a = ss_sub(x, ss_scale(r, near->normal));
  near->core_b = ss_add(x, ss_scale(height, near->normal));
  near->gap = height - q->radius;
  return fabs(step) < 1e-6;
}

// One end of p against the line of q, as a contact from p to q, n their normal. False if it is not beside q.
static bool end_against(const ss_patch* patch, const edge* p, int end, const edge* q, ss_vec3 n, ss_near* near)
{
  ss_vec3 e = ss_add(p->from, ss_scale(end ? p->length : 0, p->along));
  ss_vec3 way = across(ss_sub(q->from, e), q->along);
  double length;
  *near = (ss_near){.side_b = SS_SIDE_LINE, .axis_b = q->along, .radius_a = p->radius, .radius_b = q->radius};
  if (has_rim(p)) {
    if (!rim_against(p, e, q, ss_dot3(way, n) > 0 ? way : n, near)) return false;
  } else {
    near->normal = ss_direction(way, &length);
    near->core_a = e;
    near->core_b = ss_add(e, way);
    near->gap = length - p->radius - q->radius;
  }
  double foot = ss_dot3(ss_sub(near->core_b, q->from), q->along);
  if (foot < -patch->same || foot > q->length + patch->same || ss_dot3(near->normal, n) < ASTRAY) return false;
  return holds(p->o, p->i, p->along, near->normal) && holds(q->o, q->i, q->along, ss_scale(-1, near->normal));
}

static bool one_place(const ss_near* x, const ss_near* y, double size)
{
  return ss_norm(ss_sub(x->core_a, y->core_a)) < size && ss_norm(ss_sub(x->core_b, y->core_b)) < size;
}

// The end of the stretch on which a and b lie side by side, at the end of a: this end of a or the one of b, whichever
// is beside the other; of both the nearer one, that of a if there is no telling
static bool end_of_stretch(const ss_patch* patch, const edge* a, const edge* b, int end, ss_vec3 n, ss_near* near)
{
  ss_near other;
  int end_b = ss_dot3(a->along, b->along) < 0 ? 1 - end : end;
  bool found = end_against(patch, a, end, b, n, near);
  near->feature = ss_corner_of_a(patch, a->o->vertex[end]);
  if (!end_against(patch, b, end_b, a, ss_scale(-1, n), &other)) return found;
  if (found && !(other.gap < near->gap - NEARER*patch->exact)) return true;
  ss_near_turn(&other);
  other.feature = ss_corner_of_b(patch, b->o->vertex[end_b]);
  *near = other;
  return true;
}

// Lines that are almost parallel touch along a stretch, which its two ends represent. Each is a gap that must not be
// negative, parallel or not, so that no tolerance decides between one contact and two: see capsules.c.
static void add_stretch(ss_patch* patch, const edge* a, const edge* b, ss_vec3 n, int crossing)
{
  ss_near end[2];
  bool found[2];
  double size = ONE_PLACE*(a->radius + b->radius);
  if (size == 0) return;  // two edges: they have no normal of their own
  for (int k = 0; k < 2; k++) {
    found[k] = end_of_stretch(patch, a, b, k, n, end + k);
    for (int i = 0; found[k] && i < patch->n; i++)
      if (patch->near[i].feature == crossing && one_place(patch->near + i, end + k, size)) found[k] = false;
  }
  if (found[0] && found[1] && one_place(end, end + 1, size))
    found[end[1].gap < end[0].gap - NEARER*patch->exact ? 0 : 1] = false;
  for (int k = 0; k < 2; k++)
    if (found[k]) ss_patch_add(patch, end + k);
}

void ss_patch_outlines(ss_patch* patch, const ss_outline* a, const ss_outline* b, ss_vec3 n)
{
  sides of_a;
  if (is_face(a)) find_sides(a, patch->same, &of_a);
  bool inside = add_corners(patch, a, &of_a, b, n), flat = are_flat(a, b);
  if (inside && flat) return;
  add_under(patch, a, b, false);
  add_under(patch, b, a, true);
  for (int i = 0; i < edges_of(a); i++) {
    edge p = edge_of(a, i);
    for (int j = 0; j < edges_of(b); j++) {
      edge q = edge_of(b, j);
      ss_vec3 m = ss_cross(p.along, q.along);
      double sine2 = ss_dot3(m, m);
      int feature = ss_crossing_of(patch, a->edge[i], b->edge[j]);
      if (sine2 < ALMOST_PARALLEL*ALMOST_PARALLEL && is_flat(a, b, q.along, flat))
        add_over(patch, &p, of_a.out[i], &q, feature);
      else if (cross_within(&p, &q, m, sine2, patch->same))
        add_crossing(patch, &p, &q, n, feature);
      if (a->n == 2 && b->n == 2 && sine2 <= CROSSED) add_stretch(patch, &p, &q, n, feature);
    }
  }
}

// ---- thinning out --------------------------------------------------------------------------------------------------

static ss_vec3 middle(const ss_near* near) { return ss_scale(0.5, ss_add(near->core_a, near->core_b)); }

// How little a contact is that by which the shapes are apart or overlap
static double beside(const ss_patch* patch, const ss_near* near)
{
  return patch->apart > 0 ? near->gap : fabs(near->gap + patch->radii - patch->apart);
}

// Part of what counts as no length by which the first contact that is kept may be beside the decisive one: bodies at
// rest on one another sway by less
#define FIRST 1e-4

// The decisive one first, then again and again the one that is farthest from those that are taken. Of equals (within a
// part of 1e-6) the one of the lowest feature, so that round-off does not choose.
static void choose(ss_patch* patch, int most)
{
  double far[SS_PATCH_MOST], least = INFINITY;
  int best = 0;
  for (int i = 0; i < patch->n; i++) least = fmin(least, beside(patch, patch->near + i));
  while (beside(patch, patch->near + best) > least + FIRST*patch->same) best++;
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
