// Contacts of boxes: with planes every corner by itself; with spheres the nearest point; with capsules and boxes the
// direction of least overlap or the nearest points, and the corners of what two faces have in common (patch.c).
// Corner k of a box has the sign + along axis i where bit i of k is set. Edge 4 i + ... runs along axis i.
#include "collide/patch.h"

// cos 30 degrees: a face that is turned away by more is no outline
#define FACING 0.8660254037844387
// sin 30 degrees: likewise an edge
#define LEVEL 0.5
// Edges of less than this sine are parallel
#define PARALLEL 1e-6

typedef struct box {
  ss_vec3 center;   // against that of the first shape of the pair
  ss_vec3 axis[3];
  ss_vec3 edge[3];  // half of it: half[i] axis[i]
  const double* half;
} box;

static box box_at(const ss_placed* p, ss_vec3 origin)
{
  box b = {.center = ss_sub(p->center, origin), .axis = {p->side, ss_cross(p->axis, p->side), p->axis},
           .half = p->shape->half};
  for (int i = 0; i < 3; i++) b.edge[i] = ss_scale(b.half[i], b.axis[i]);
  return b;
}

// x + v or x - v
static ss_vec3 along(ss_vec3 x, bool plus, ss_vec3 v) { return plus ? ss_add(x, v) : ss_sub(x, v); }

static ss_vec3 corner(const box* b, int k)
{
  return along(along(along(b->center, k & 1, b->edge[0]), k & 2, b->edge[1]), k & 4, b->edge[2]);
}

static int edge_number(int axis, int k) { return 4*axis + (k >> (axis + 1)%3 & 1) + 2*(k >> (axis + 2)%3 & 1); }

static double component(ss_vec3 n, const box* b, int i) { return ss_dot3(n, b->axis[i]); }

// ---- planes and points ---------------------------------------------------------------------------------------------

int ss_touch_plane_box(const ss_placed* plane, const ss_placed* solid, double margin, ss_near* near)
{
  box b = box_at(solid, plane->center);
  ss_vec3 n = plane->axis;
  double middle = ss_dot3(n, b.center), h[3];
  int count = 0;
  for (int i = 0; i < 3; i++) h[i] = component(n, &b, i)*b.half[i];
  if (!(middle - fabs(h[0]) - fabs(h[1]) - fabs(h[2]) < margin)) return 0;
  for (int k = 0; k < 8; k++) {
    double gap = middle + (k & 1 ? h[0] : -h[0]) + (k & 2 ? h[1] : -h[1]) + (k & 4 ? h[2] : -h[2]);
    if (!(gap < margin)) continue;
    ss_vec3 x = ss_add(corner(&b, k), plane->center);
    near[count++] = (ss_near){.normal = n, .core_a = ss_sub(x, ss_scale(gap, n)), .core_b = x, .gap = gap,
                              .side_a = SS_SIDE_FACE, .side_b = SS_SIDE_POINT, .tangent = plane->side, .feature = k};
  }
  return count;
}

// A point within a box, seen from the nearest face
static ss_near inside(const box* b, ss_vec3 x, const double at[3], double radius)
{
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(at[i]) - b->half[i] > fabs(at[k]) - b->half[k]) k = i;
  double height = fabs(at[k]) - b->half[k];
  ss_vec3 n = ss_scale(at[k] < 0 ? -1 : 1, b->axis[k]);
  return (ss_near){.normal = n, .core_a = ss_sub(x, ss_scale(height, n)), .core_b = x, .gap = height - radius,
                   .radius_b = radius, .side_a = SS_SIDE_FACE, .tangent = b->axis[(k + 1)%3]};
}

// The contact of a box and a ball about the point x: the box as a. Beyond one pair of faces the point is over a face,
// beyond two it faces an edge, beyond three a corner.
static ss_near box_and_point(const box* b, ss_vec3 x, double radius)
{
  double at[3], length;
  int beyond = 0, last = 0, along = 0;
  ss_vec3 d = ss_sub(x, b->center), out = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    at[i] = component(d, b, i);
    double over = fabs(at[i]) - b->half[i];
    if (!(over > 0)) {
      along = i;
      continue;
    }
    beyond++;
    last = i;
    out = ss_add(out, ss_scale(at[i] < 0 ? -over : over, b->axis[i]));
  }
  if (beyond == 0) return inside(b, x, at, radius);
  ss_near near = {.normal = ss_direction(out, &length), .core_b = x, .side_b = SS_SIDE_POINT, .radius_b = radius};
  near.side_a = beyond == 1 ? SS_SIDE_FACE : beyond == 2 ? SS_SIDE_LINE : SS_SIDE_POINT;
  if (beyond == 1) {  // the normal is the axis itself
    near.normal = ss_scale(at[last] < 0 ? -1 : 1, b->axis[last]);
    near.tangent = b->axis[(last + 1)%3];
  }
  if (beyond == 2) near.axis_a = b->axis[along];
  near.core_a = ss_sub(x, ss_scale(length, near.normal));
  near.gap = length - radius;
  return near;
}

int ss_touch_sphere_box(const ss_placed* sphere, const ss_placed* solid, double margin, ss_near* near)
{
  box b = box_at(solid, sphere->center);
  *near = box_and_point(&b, (ss_vec3){0, 0, 0}, sphere->radius);
  if (!(near->gap < margin)) return 0;
  ss_near_turn(near);
  near->core_a = ss_add(near->core_a, sphere->center);
  near->core_b = ss_add(near->core_b, sphere->center);
  return 1;
}

// ---- outlines ------------------------------------------------------------------------------------------------------

// Normal of the face across axis i that corner k is on
static ss_vec3 outward(const box* b, int i, int k) { return ss_scale(k >> i & 1 ? 1 : -1, b->axis[i]); }

// The face across axis i, on the side `up`: anticlockwise about the outward normal
static void face_outline(const box* b, int i, bool up, ss_outline* out)
{
  int one = up ? (i + 1)%3 : (i + 2)%3, two = 3 - i - one, first = up ? 1 << i : 0;
  const int loop[4] = {first, first | 1 << one, first | 1 << one | 1 << two, first | 1 << two};
  const ss_vec3 side[2] = {b->axis[one], b->axis[two]};
  ss_vec3 middle = along(b->center, up, b->edge[i]);
  ss_vec3 low = ss_sub(middle, b->edge[one]), high = ss_add(middle, b->edge[one]);
  out->n = 4;
  out->normal = ss_scale(up ? 1 : -1, b->axis[i]);
  out->point[0] = ss_sub(low, b->edge[two]);
  out->point[1] = ss_sub(high, b->edge[two]);
  out->point[2] = ss_add(high, b->edge[two]);
  out->point[3] = ss_add(low, b->edge[two]);
  for (int k = 0; k < 4; k++) {
    int axis = k%2 ? two : one;
    out->vertex[k] = loop[k];
    out->edge[k] = edge_number(axis, loop[k]);
    out->along[k] = ss_scale(k < 2 ? 1 : -1, side[k%2]);
    out->length[k] = 2*b->half[axis];
    out->beyond[k] = ss_scale(k == 0 || k == 3 ? -1 : 1, side[1 - k%2]);
  }
}

// What the box turns towards n
static void outline(const box* b, ss_vec3 n, ss_outline* out)
{
  double c[3];
  int steep = 0, level = 0, k = 0;
  for (int i = 0; i < 3; i++) {
    c[i] = component(n, b, i);
    if (fabs(c[i]) > fabs(c[steep])) steep = i;
    if (fabs(c[i]) < fabs(c[level])) level = i;
    if (c[i] > 0) k |= 1 << i;
  }
  out->radius = 0;
  out->round = false;
  if (fabs(c[steep]) > FACING) {
    face_outline(b, steep, k >> steep & 1, out);
    return;
  }
  out->n = fabs(c[level]) < LEVEL ? 2 : 1;
  for (int i = 0; i < out->n; i++) {
    int at = i ? k ^ 1 << level : k;
    out->point[i] = corner(b, at);
    out->vertex[i] = at;
    out->edge[i] = edge_number(level, at);
  }
  out->along[0] = ss_scale(k >> level & 1 ? -1 : 1, b->axis[level]);
  out->length[0] = 2*b->half[level];
  // the face to the left is the one whose normal n has the other face along u x n: each sign - exchanges the two
  int minus = !(k & 1) + !(k & 2) + !(k & 4), left = (level + (minus%2 ? 1 : 2))%3;
  out->normal = outward(b, left, k);
  out->beyond[0] = outward(b, 3 - level - left, k);
}

void ss_box_outline(const ss_placed* p, ss_vec3 n, ss_outline* out)
{
  box b = box_at(p, (ss_vec3){0, 0, 0});
  outline(&b, n, out);
}

// ---- overlap -------------------------------------------------------------------------------------------------------

// The direction in which two shapes are farthest apart, or overlap least
typedef struct split {
  double gap;
  ss_vec3 normal;
  int face_a, face_b;  // axis of the face that it is across, or -1
  int edge_a, edge_b;  // axes of the edges that it is across, or -1
} split;

static void offer(split* s, double gap, double more, ss_vec3 n, int face_a, int face_b, int edge_a, int edge_b)
{
  if (gap > s->gap + more) *s = (split){gap, n, face_a, face_b, edge_a, edge_b};
}

static double half_along(const box* b, ss_vec3 n)
{
  return fabs(component(n, b, 0))*b->half[0] + fabs(component(n, b, 1))*b->half[1] +
         fabs(component(n, b, 2))*b->half[2];
}

// What edges must be better by than faces: that much is round-off, sine being that between the edges
static double edge_error(double size, double sine) { return size*(1e-12 + 4e-15/sine); }

// Across the edges i of a and j of b; gap: likewise
static split split_across(const box* a, const box* b, int i, int j, double gap)
{
  double sine;
  ss_vec3 n = ss_direction(ss_cross(a->axis[i], b->axis[j]), &sine);
  return (split){gap, ss_dot3(n, b->center) < 0 ? ss_scale(-1, n) : n, -1, -1, i, j};
}

// Separating axes [Gottschalk 1996]: 3 + 3 faces, 9 pairs of edges; a is at the origin. With C the axes of b in those
// of a, and t the centre of b there, all are sums of a few products:
//   |a_i x b_j| = |(C_kj, C_lj)|,  t . (a_i x b_j) = t_l C_kj - t_k C_lj,  a_k . (a_i x b_j) = -C_lj, ...
static split split_boxes(const box* a, const box* b, double size)
{
  static const int next[5] = {0, 1, 2, 0, 1};
  double C[3][3], D[3][3], t[3];
  const double *A = a->half, *B = b->half;
  split s = {.gap = -INFINITY};
  for (int i = 0; i < 3; i++) {
    t[i] = component(b->center, a, i);
    for (int j = 0; j < 3; j++) {
      C[i][j] = ss_dot3(a->axis[i], b->axis[j]);
      D[i][j] = fabs(C[i][j]);
    }
    ss_vec3 n = ss_scale(t[i] < 0 ? -1 : 1, a->axis[i]);
    offer(&s, fabs(t[i]) - A[i] - (D[i][0]*B[0] + D[i][1]*B[1] + D[i][2]*B[2]), 0, n, i, -1, -1, -1);
  }
  for (int j = 0; j < 3; j++) {
    double far = component(b->center, b, j);
    ss_vec3 n = ss_scale(far < 0 ? -1 : 1, b->axis[j]);
    offer(&s, fabs(far) - (D[0][j]*A[0] + D[1][j]*A[1] + D[2][j]*A[2]) - B[j], 0, n, -1, j, -1, -1);
  }
  for (int i = 0; i < 3; i++) {
    int k = next[i + 1], l = next[i + 2];
    for (int j = 0; j < 3; j++) {
      double sine = sqrt(C[k][j]*C[k][j] + C[l][j]*C[l][j]);
      double gap = fabs(t[l]*C[k][j] - t[k]*C[l][j]) - (A[k]*D[l][j] + A[l]*D[k][j]) -
                   (B[next[j + 1]]*D[i][next[j + 2]] + B[next[j + 2]]*D[i][next[j + 1]]);
      if (sine > PARALLEL && gap/sine > s.gap + edge_error(size, sine)) s = split_across(a, b, i, j, gap/sine);
    }
  }
  return s;
}

// The corner farthest along n
static int extreme(const box* b, ss_vec3 n)
{
  int k = 0;
  for (int i = 0; i < 3; i++)
    if (component(n, b, i) > 0) k |= 1 << i;
  return k;
}

// ---- two boxes -----------------------------------------------------------------------------------------------------

// The crossing of the two edges across which the boxes are split; false if it is not within both
static bool split_crossing(const ss_patch* patch, const box* a, const box* b, const split* s, ss_near* near)
{
  int i = s->edge_a, j = s->edge_b, ka = extreme(a, s->normal), kb = extreme(b, ss_scale(-1, s->normal));
  ka &= ~(1 << i);  // from the - end
  kb &= ~(1 << j);
  double x, y, slack = patch->exact;
  if (!ss_crossing(corner(a, ka), a->axis[i], corner(b, kb), b->axis[j], s->normal, PARALLEL, &x, &y, near))
    return false;
  near->feature = ss_crossing_of(patch, edge_number(i, ka), edge_number(j, kb));
  return x >= -slack && x <= 2*a->half[i] + slack && y >= -slack && y <= 2*b->half[j] + slack;
}

// The corner that is deepest behind the face is beside it, or the edges cross beyond their ends: edges that are almost
// parallel are no split, and what both faces have in common, which the outlines know, is as deep but for that
static bool is_beside(const ss_patch* patch, const box* a, const box* b, const split* s)
{
  ss_near near;
  if (patch->n == 0) return false;
  if (s->edge_a >= 0) return !split_crossing(patch, a, b, s, &near);
  bool face_a = s->face_a >= 0;
  const box* face = face_a ? a : b;
  int k = face_a ? extreme(b, ss_scale(-1, s->normal)) : extreme(a, s->normal), i = face_a ? s->face_a : s->face_b;
  ss_vec3 x = ss_sub(corner(face_a ? b : a, k), face->center);
  for (int j = 0; j < 3; j++)
    if (j != i && fabs(component(x, face, j)) > face->half[j] + patch->same) return true;
  return false;
}

// Boxes that overlap: the corner that is deepest behind the face, or the crossing of the edges
static void add_deepest(ss_patch* patch, const box* a, const box* b, const split* s)
{
  ss_near near;
  if (s->edge_a >= 0) {
    split_crossing(patch, a, b, s, &near);
  } else {
    bool face_a = s->face_a >= 0;
    ss_vec3 n = s->normal;
    int k = face_a ? extreme(b, ss_scale(-1, n)) : extreme(a, n);
    ss_vec3 x = corner(face_a ? b : a, k), y = ss_add(x, ss_scale(face_a ? -s->gap : s->gap, n));
    near = (ss_near){.normal = n, .core_a = face_a ? y : x, .core_b = face_a ? x : y, .gap = s->gap,
                     .side_a = face_a ? SS_SIDE_FACE : SS_SIDE_POINT, .side_b = face_a ? SS_SIDE_POINT : SS_SIDE_FACE,
                     .tangent = face_a ? a->axis[(s->face_a + 1)%3] : b->axis[(s->face_b + 1)%3]};
    near.feature = face_a ? ss_corner_of_b(patch, k) : ss_corner_of_a(patch, k);
  }
  ss_patch_put(patch, &near);
}

// Boxes that are apart: either the edges cross, or a corner of one is nearest to the other
static void add_nearest(ss_patch* patch, const box* a, const box* b, const split* s)
{
  ss_near best = {.gap = INFINITY}, near;
  if (s->edge_a >= 0 && split_crossing(patch, a, b, s, &near)) best = near;
  for (int k = 0; k < 8; k++) {
    near = box_and_point(a, corner(b, k), 0);
    near.feature = ss_corner_of_b(patch, k);
    if (near.gap < best.gap - patch->exact) best = near;
  }
  for (int k = 0; k < 8; k++) {
    near = box_and_point(b, corner(a, k), 0);
    ss_near_turn(&near);
    near.feature = ss_corner_of_a(patch, k);
    if (near.gap < best.gap - patch->exact) best = near;
  }
  ss_patch_put(patch, &best);
}

// The nearest or deepest point is among those of the outlines; almost parallel edges of faces that lie on one another
// are there with the normal of a face, which is as good where they touch
static bool is_covered(const ss_patch* patch, const box* a, const box* b, const split* s)
{
  ss_near near;
  if (ss_patch_has_gap(patch, s->gap)) return true;
  if (s->edge_a < 0 || fabs(s->gap) > 1e3*patch->same) return false;
  return split_crossing(patch, a, b, s, &near) && ss_patch_has(patch, near.feature);
}

int ss_touch_box_box(const ss_placed* pa, const ss_placed* pb, double margin, ss_near* near)
{
  box a = box_at(pa, pa->center), b = box_at(pb, pa->center);
  split s = split_boxes(&a, &b, pa->bound + pb->bound);
  if (!(s.gap < margin)) return 0;
  ss_patch patch;
  ss_outline one, two;
  ss_patch_begin(&patch, pa, pb, s.gap, margin);
  patch.vertices_a = patch.vertices_b = 8;
  patch.edges_b = 12;
  outline(&a, s.normal, &one);
  outline(&b, ss_scale(-1, s.normal), &two);
  ss_patch_outlines(&patch, &one, &two, s.normal);
  if (!is_covered(&patch, &a, &b, &s)) {
    if (s.gap > patch.exact) add_nearest(&patch, &a, &b, &s);
    else if (!is_beside(&patch, &a, &b, &s)) add_deepest(&patch, &a, &b, &s);
  }
  return ss_patch_finish(&patch, pa->center, near);
}

// ---- capsules ------------------------------------------------------------------------------------------------------

static split split_segment(const box* a, ss_vec3 center, ss_vec3 u, double half, double size)
{
  split s = {.gap = -INFINITY};
  for (int i = 0; i < 3; i++) {
    double far = component(center, a, i);
    ss_vec3 n = ss_scale(far < 0 ? -1 : 1, a->axis[i]);
    offer(&s, fabs(far) - a->half[i] - half*fabs(component(u, a, i)), 0, n, i, -1, -1, -1);
  }
  for (int i = 0; i < 3; i++) {  // across the edge i and the axis
    double sine;
    ss_vec3 n = ss_direction(ss_cross(a->axis[i], u), &sine);
    if (!(sine > PARALLEL)) continue;
    double far = ss_dot3(n, center);
    if (far < 0) n = ss_scale(-1, n);
    offer(&s, fabs(far) - half_along(a, n), edge_error(size, sine), n, -1, -1, i, 0);
  }
  return s;
}

// A corner of the box against the side of the capsule
static bool corner_and_axis(const box* a, int k, ss_vec3 center, ss_vec3 u, double half, ss_near* near)
{
  ss_vec3 x = corner(a, k);
  double s = ss_dot3(u, ss_sub(x, center)), length;
  if (!(fabs(s) < half)) return false;
  *near = (ss_near){.core_a = x, .core_b = ss_add(center, ss_scale(s, u)), .side_a = SS_SIDE_POINT,
                    .side_b = SS_SIDE_LINE, .axis_b = u};
  near->normal = ss_direction(ss_sub(near->core_b, x), &length);
  near->gap = length;
  return length > 0;
}

// Without its radius, the capsule is a segment. Its ends are spheres, which always count.
typedef struct bar {
  ss_vec3 center, axis, end[2];
  double half, radius;
} bar;

// The edge along the box's axis i that is farthest along n; false if the axis does not cross it
static bool edge_and_axis(const ss_patch* patch, const box* a, int i, const bar* c, ss_vec3 n, ss_near* near)
{
  int k = extreme(a, n) & ~(1 << i);
  double x, y, slack = patch->exact;
  if (!ss_crossing(corner(a, k), a->axis[i], c->end[0], c->axis, n, PARALLEL, &x, &y, near)) return false;
  near->feature = ss_crossing_of(patch, edge_number(i, k), 0);
  return x >= -slack && x <= 2*a->half[i] + slack && y >= -slack && y <= 2*c->half + slack;
}

static void add_rounded(ss_patch* patch, ss_near near, const bar* c)
{
  near.radius_b = c->radius;
  near.gap -= c->radius;
  ss_patch_add(patch, &near);
}

// The axis goes through the box: both ends by the face that is nearest on the whole, or the crossing
static void add_pierced(ss_patch* patch, const box* a, const bar* c, const split* s)
{
  ss_near near;
  if (s->edge_a >= 0 && edge_and_axis(patch, a, s->edge_a, c, s->normal, &near)) add_rounded(patch, near, c);
  for (int k = 0; s->face_a >= 0 && k < 2; k++) {
    double height = ss_dot3(s->normal, c->end[k]) - a->half[s->face_a];
    near = (ss_near){.normal = s->normal, .core_a = ss_sub(c->end[k], ss_scale(height, s->normal)),
                     .core_b = c->end[k], .gap = height, .side_a = SS_SIDE_FACE, .feature = k,
                     .tangent = a->axis[(s->face_a + 1)%3]};
    add_rounded(patch, near, c);
  }
}

// Some of the axis is over the face across the box's axis i
static bool is_over(const box* a, const bar* c, int i)
{
  double from = -c->half, to = c->half;
  for (int k = 0; k < 3; k++) {
    if (k == i) continue;
    double at = component(c->center, a, k), rate = component(c->axis, a, k);
    if (rate == 0 && fabs(at) > a->half[k]) return false;
    if (rate == 0) continue;
    double one = (-a->half[k] - at)/rate, two = (a->half[k] - at)/rate;
    from = fmax(from, fmin(one, two));
    to = fmin(to, fmax(one, two));
  }
  return from <= to;
}

// The axis is outside: the ends, and the nearest point if it is none of them. Returns the normal there. Over a face
// that is the face's: where a level axis lies across it, no end and no corner need be near.
static ss_vec3 add_outside(ss_patch* patch, const box* a, const bar* c, const split* s)
{
  ss_near best = {.gap = INFINITY}, near;
  for (int k = 0; k < 2 && (k == 0 || c->half > 0); k++) {
    near = box_and_point(a, c->end[k], c->radius);
    near.feature = k;
    ss_patch_add(patch, &near);
    near.gap += c->radius;
    if (near.gap < best.gap) best = near;
  }
  int ends = best.feature;
  for (int k = 0; k < 8; k++) {
    if (!corner_and_axis(a, k, c->center, c->axis, c->half, &near)) continue;
    near.feature = ss_corner_of_a(patch, k);
    if (near.gap < best.gap - patch->exact) best = near;
  }
  for (int i = 0; s->edge_a >= 0 && i < 3; i++) {  // of an axis that is almost level, round-off has chosen edge_a
    ss_vec3 n = ss_cross(a->axis[i], c->axis);
    if (ss_dot3(n, c->center) < 0) n = ss_scale(-1, n);
    if (edge_and_axis(patch, a, i, c, n, &near) && near.gap > 0 && near.gap < best.gap - patch->exact) best = near;
  }
  bool over = s->face_a >= 0 && is_over(a, c, s->face_a);
  if (best.feature != ends && !(over && best.gap > s->gap + patch->same)) add_rounded(patch, best, c);
  return over ? s->normal : best.normal;
}

int ss_touch_capsule_box(const ss_placed* capsule, const ss_placed* solid, double margin, ss_near* near)
{
  box a = box_at(solid, solid->center);
  bar c = {.center = ss_sub(capsule->center, solid->center), .axis = capsule->axis, .half = capsule->half_length,
           .radius = capsule->radius};
  for (int k = 0; k < 2; k++) c.end[k] = ss_add(c.center, ss_scale(k ? c.half : -c.half, c.axis));
  split s = split_segment(&a, c.center, c.axis, c.half, solid->bound + capsule->bound);
  if (!(s.gap - c.radius < margin)) return 0;
  ss_patch patch;
  ss_patch_begin(&patch, solid, capsule, s.gap, margin);
  patch.vertices_a = 8;
  patch.vertices_b = 2;
  patch.edges_b = 1;
  ss_vec3 n = s.normal;
  if (s.gap > patch.exact) n = add_outside(&patch, &a, &c, &s);
  else add_pierced(&patch, &a, &c, &s);
  ss_outline one, two = {.n = fabs(ss_dot3(n, c.axis)) < LEVEL ? 2 : 1, .vertex = {0, 1}, .radius = c.radius,
                         .round = true};
  if (two.n == 2) {
    outline(&a, n, &one);
    for (int k = 0; k < 2; k++) two.point[k] = c.end[k];
    two.axis_from = c.end[0];
    two.axis_radius = c.radius;
    ss_outline_measure(&two);
    ss_patch_outlines(&patch, &one, &two, n);
  }
  int count = ss_patch_finish(&patch, solid->center, near);
  for (int i = 0; i < count; i++) ss_near_turn(near + i);
  return count;
}
