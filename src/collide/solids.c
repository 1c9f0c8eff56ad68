// Contacts of cylinders, ellipsoids and meshes with one another and with everything else: nearest or deepest points by
// convex.c, made exact where faces or edges meet, and the corners of what two outlines have in common (patch.c).
#include "collide/convex.h"
#include "collide/hull.h"
#include "collide/patch.h"

// cos, sin 30 degrees: a face or edge that is turned away by more is no outline
#define FACING 0.8660254037844387
#define LEVEL 0.5
// Corners of the outline of a cylinder's end
#define RIM 8

static ss_vec3 hull_point(const ss_placed* p, int i)
{
  return ss_add(p->center, ss_to_world(p, p->shape->hull->vertex[i]));
}

// ---- faces and edges -----------------------------------------------------------------------------------------------

// The normal of the face that is turned most towards d, and a direction in it; false if the shape has no faces
static bool face_along(const ss_placed* p, ss_vec3 d, ss_vec3* normal, ss_vec3* tangent)
{
  ss_vec3 l = ss_to_local(p, d), n = {0, 0, l.z < 0 ? -1 : 1}, t = {1, 0, 0};
  switch (ss_placed_kind(p)) {
  case SS_SHAPE_BOX:
    if (fabs(l.x) >= fabs(l.y) && fabs(l.x) >= fabs(l.z)) {
      n = (ss_vec3){l.x < 0 ? -1 : 1, 0, 0};
      t = (ss_vec3){0, 1, 0};
    } else if (fabs(l.y) >= fabs(l.z)) {
      n = (ss_vec3){0, l.y < 0 ? -1 : 1, 0};
    }
    break;
  case SS_SHAPE_MESH: {
    const ss_hull* h = p->shape->hull;
    int f = ss_hull_face(h, l);
    double length;
    n = h->normal[f];
    t = ss_sub(h->vertex[h->loop[h->first[f] + 1]], h->vertex[h->loop[h->first[f]]]);
    t = ss_direction(ss_sub(t, ss_scale(ss_dot3(t, n), n)), &length);
    break;
  }
  case SS_SHAPE_CYLINDER: break;
  default: return false;
  }
  *normal = ss_to_world(p, n);
  *tangent = ss_to_world(p, t);
  return true;
}

static int box_edge(int from, int to)
{
  int axis = (from ^ to) >> 1;  // 1, 2, 4 -> 0, 1, 2
  if ((from ^ to) != 1 << axis) return -1;
  return 4*axis + (from >> (axis + 1)%3 & 1) + 2*(from >> (axis + 2)%3 & 1);
}

// The edge between two corners, or -1
static int edge_between(const ss_placed* p, int from, int to)
{
  if (ss_placed_kind(p) == SS_SHAPE_CAPSULE) return 0;
  if (ss_placed_kind(p) == SS_SHAPE_BOX) return box_edge(from, to);
  if (ss_placed_kind(p) != SS_SHAPE_MESH) return -1;
  return ss_hull_edge_between(p->shape->hull, from, to);
}

static void count(const ss_placed* p, int* vertices, int* edges)
{
  static const int v[SS_SHAPE_COUNT] = {0, 1, 2, 8, 4*RIM + 3, 1, 0, 0};
  static const int e[SS_SHAPE_COUNT] = {0, 1, 1, 12, 4*RIM + 1, 1, 0, 0};
  bool mesh = ss_placed_kind(p) == SS_SHAPE_MESH;
  *vertices = mesh ? p->shape->hull->n_vertex : v[ss_placed_kind(p)];
  *edges = mesh ? p->shape->hull->n_edge : e[ss_placed_kind(p)];
}

// ---- outlines ------------------------------------------------------------------------------------------------------

static void hull_outline(const ss_placed* p, ss_vec3 d, ss_outline* out)
{
  const ss_hull* h = p->shape->hull;
  ss_vec3 l = ss_to_local(p, d);
  int f = ss_hull_face(h, l), begin = h->first[f], n = h->first[f + 1] - begin, corner;
  if (ss_dot3(h->normal[f], l) > FACING && n <= SS_OUTLINE_MOST) {
    out->n = n;
    out->normal = ss_to_world(p, h->normal[f]);
    for (int i = 0; i < n; i++) {
      int e = h->loop_edge[begin + i], other = h->edge[e].left == f ? h->edge[e].right : h->edge[e].left;
      out->vertex[i] = h->loop[begin + i];
      out->point[i] = hull_point(p, out->vertex[i]);
      out->edge[i] = e;
      out->beyond[i] = ss_to_world(p, h->normal[other]);
    }
    return;
  }
  ss_support(p, d, &corner);
  int best = -1;
  double least = LEVEL, length;
  for (int i = h->around[corner]; i < h->around[corner + 1]; i++) {
    int e = h->ring[i];
    ss_vec3 u = ss_direction(ss_sub(h->vertex[h->edge[e].to], h->vertex[h->edge[e].from]), &length);
    if (fabs(ss_dot3(u, l)) < least) least = fabs(ss_dot3(u, l)), best = e;
  }
  out->n = best < 0 ? 1 : 2;
  out->vertex[0] = best < 0 ? corner : h->edge[best].from;
  out->vertex[1] = best < 0 ? corner : h->edge[best].to;
  out->edge[0] = best;
  for (int i = 0; i < out->n; i++) out->point[i] = hull_point(p, out->vertex[i]);
  if (best < 0) return;
  out->normal = ss_to_world(p, h->normal[h->edge[best].left]);
  out->beyond[0] = ss_to_world(p, h->normal[h->edge[best].right]);
}

// An end: points of its rim, from the one that is farthest along `low` on; fixed ones if there is none. The side: the
// line that is farthest along d.
static void cylinder_outline(const ss_placed* p, ss_vec3 d, ss_vec3 low, ss_outline* out)
{
  double r = p->shape->radius, h = p->shape->half_length, lean;
  ss_vec3 l = ss_to_local(p, d), m = ss_direction((ss_vec3){l.x, l.y, 0}, &lean);
  if (fabs(l.z) > FACING) {
    ss_vec3 k = ss_to_local(p, low);
    m = ss_direction((ss_vec3){k.x, k.y, 0}, &lean);
    bool upright = lean < SS_UPRIGHT;
    double up = l.z < 0 ? -1 : 1;
    ss_vec3 x = upright ? (ss_vec3){1, 0, 0} : m, y = {-up*x.y, up*x.x, 0};
    out->n = RIM;
    out->normal = ss_scale(up, p->axis);
    for (int i = 0; i < RIM; i++) {
      double angle = 2*3.141592653589793/RIM*i, next = angle + 3.141592653589793/RIM;
      ss_vec3 e = ss_add(ss_scale(cos(angle), x), ss_scale(sin(angle), y));
      out->point[i] = ss_add(p->center, ss_to_world(p, (ss_vec3){r*e.x, r*e.y, up*h}));
      out->beyond[i] = ss_to_world(p, ss_add(ss_scale(cos(next), x), ss_scale(sin(next), y)));
      out->vertex[i] = out->edge[i] = i + (upright ? RIM : 0) + (up > 0 ? 2*RIM : 0);
    }
    return;
  }
  out->n = fabs(l.z) < LEVEL ? 2 : 1;
  out->round = true;
  out->axis_from = ss_sub(p->center, ss_scale(h, p->axis));
  out->axis_radius = r;
  for (int i = 0; i < out->n; i++) {
    double z = out->n == 1 ? (l.z < 0 ? -h : h) : i ? h : -h;
    out->point[i] = ss_add(p->center, ss_to_world(p, (ss_vec3){r*m.x, r*m.y, z}));
    out->vertex[i] = 4*RIM + (out->n == 1 ? 2 : i);
    out->edge[i] = 4*RIM;
  }
}

void ss_outline_of(const ss_placed* p, ss_vec3 d, ss_vec3 low, ss_outline* out)
{
  out->round = false;
  out->radius = p->radius;
  switch (ss_placed_kind(p)) {
  case SS_SHAPE_BOX: ss_box_outline(p, d, out); return;
  case SS_SHAPE_MESH: hull_outline(p, d, out); return;
  case SS_SHAPE_CYLINDER: cylinder_outline(p, d, low, out); return;
  case SS_SHAPE_CAPSULE: out->n = fabs(ss_dot3(d, p->axis)) < LEVEL ? 2 : 1; break;
  default: out->n = 1;
  }
  out->round = true;
  out->edge[0] = 0;
  for (int i = 0; i < out->n; i++) {
    int corner = i;
    if (out->n == 1) out->point[i] = ss_support(p, d, &corner);
    else out->point[i] = ss_add(p->center, ss_scale(i ? p->half_length : -p->half_length, p->axis));
    out->vertex[i] = corner < 0 ? 0 : corner;
  }
  out->axis_from = out->point[0];
  out->axis_radius = p->radius;
}

// ---- the nearest point ---------------------------------------------------------------------------------------------

// Where they are apart along a face as far as at all, the face's normal holds. What iterations found of round shapes
// may be a little more than that, but its direction is then the face's.
static bool snap(const ss_placed* a, const ss_placed* b, bool of_a, double size, ss_apart* s, ss_near* near)
{
  ss_vec3 n, tangent;
  if (!face_along(of_a ? a : b, of_a ? s->normal : ss_scale(-1, s->normal), &n, &tangent)) return false;
  if (!of_a) n = ss_scale(-1, n);
  double cosine = ss_dot3(n, s->normal), gap = ss_apart_along(a, b, n);
  bool round = s->corner_a[0] < 0 || s->corner_b[0] < 0;
  bool exact = cosine > 0.9 && gap >= s->gap - 2e-12*size, close = cosine > 1 - 1e-6 && gap >= s->gap - 2*SS_SHARP*size;
  if (!exact && !(round && close)) return false;
  int corner;
  s->gap = near->gap = gap;
  s->normal = near->normal = n;
  near->tangent = tangent;
  *(of_a ? &near->side_a : &near->side_b) = SS_SIDE_FACE;
  ss_vec3 x = of_a ? ss_support(b, ss_scale(-1, n), &corner) : ss_support(a, n, &corner);
  if (corner >= 0) s->a = s->b = x;
  return true;
}

static int distinct(int n, const int* corner, int out[3])
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    bool known = false;
    for (int k = 0; k < count; k++) known = known || out[k] == corner[i];
    if (!known) out[count++] = corner[i];
  }
  return count;
}

static ss_vec3 corner_at(const ss_placed* p, int k)
{
  if (!p->shape) return ss_add(p->center, ss_scale(k ? p->half_length : -p->half_length, p->axis));
  if (p->shape->kind == SS_SHAPE_MESH) return hull_point(p, k);
  const double* h = p->shape->half;
  return ss_add(p->center, ss_to_world(p, (ss_vec3){k & 1 ? h[0] : -h[0], k & 2 ? h[1] : -h[1], k & 4 ? h[2] : -h[2]}));
}

static ss_vec3 edge_direction(const ss_placed* p, const int corner[2])
{
  double length;
  return ss_direction(ss_sub(corner_at(p, corner[1]), corner_at(p, corner[0])), &length);
}

// Two edges that cross; false if it is not that
static bool cross_edges(const ss_patch* patch, const ss_placed* a, const ss_placed* b, ss_apart* s, ss_near* near)
{
  int ca[3], cb[3];
  double length, x, y;
  if (distinct(s->n, s->corner_a, ca) != 2 || distinct(s->n, s->corner_b, cb) != 2) return false;
  int edge_a = edge_between(a, ca[0], ca[1]), edge_b = edge_between(b, cb[0], cb[1]);
  if (edge_a < 0 || edge_b < 0) return false;
  ss_vec3 p = corner_at(a, ca[0]), q = corner_at(b, cb[0]);
  ss_vec3 u = ss_direction(ss_sub(corner_at(a, ca[1]), p), &length);
  ss_vec3 v = ss_direction(ss_sub(corner_at(b, cb[1]), q), &length);
  ss_near crossing;
  if (!ss_crossing(p, u, q, v, s->normal, 1e-6, &x, &y, &crossing)) return false;
  if (ss_dot3(crossing.normal, s->normal) < 1 - 1e-6) return false;
  *near = crossing;
  near->feature = ss_crossing_of(patch, edge_a, edge_b);
  s->gap = near->gap;
  s->normal = near->normal;
  return true;
}

// The nearest or deepest point as a contact of the cores
static ss_near nearest(const ss_patch* patch, const ss_placed* a, const ss_placed* b, ss_apart* s)
{
  ss_near near = {.normal = s->normal, .gap = s->gap};
  double size = a->bound + b->bound;
  int ca[3] = {0}, cb[3] = {0}, na = distinct(s->n, s->corner_a, ca), nb = distinct(s->n, s->corner_b, cb);
  bool corners = na > 0 && nb > 0 && ca[0] >= 0 && cb[0] >= 0;
  near.feature = ss_nearest_of(patch);
  bool face_a = snap(a, b, true, size, s, &near), face_b = !face_a && snap(a, b, false, size, s, &near);
  if (!face_a && !face_b && corners && cross_edges(patch, a, b, s, &near)) return near;
  ss_vec3 n = s->normal, middle = ss_scale(0.5, ss_add(s->a, s->b));
  if (face_a || face_b) {  // from the corner over the face
    int k;
    ss_vec3 x = face_a ? ss_support(b, ss_scale(-1, n), &k) : ss_support(a, n, &k);
    if (k >= 0) {
      middle = ss_add(x, ss_scale(face_a ? -0.5*s->gap : 0.5*s->gap, n));
      near.feature = face_a ? ss_corner_of_b(patch, k) : ss_corner_of_a(patch, k);
    }
  } else if (corners) {
    near.feature = nb == 1 ? ss_corner_of_b(patch, cb[0]) : ss_corner_of_a(patch, ca[0]);
    if (na == 2) near.side_a = SS_SIDE_LINE, near.axis_a = edge_direction(a, ca);
    if (nb == 2) near.side_b = SS_SIDE_LINE, near.axis_b = edge_direction(b, cb);
  }
  near.core_a = ss_sub(middle, ss_scale(0.5*s->gap, n));
  near.core_b = ss_add(middle, ss_scale(0.5*s->gap, n));
  return near;
}

// The axis and radius of a round side; false if the shape has none
static bool has_side(const ss_placed* p, double* half, double* radius, int* edge)
{
  bool cylinder = ss_placed_kind(p) == SS_SHAPE_CYLINDER;
  *half = cylinder ? p->shape->half_length : p->half_length;
  *radius = cylinder ? p->shape->radius : p->radius;
  *edge = cylinder ? 4*RIM : 0;  // as the outlines have it
  return cylinder || ss_placed_kind(p) == SS_SHAPE_CAPSULE;
}

// Along the faces that are turned most towards the other shape they are not apart by more than this
static double apart_by_faces(const ss_placed* a, const ss_placed* b, ss_vec3 n)
{
  ss_vec3 face, tangent;
  double most = -INFINITY;
  if (face_along(a, n, &face, &tangent)) most = ss_apart_along(a, b, face);
  if (face_along(b, ss_scale(-1, n), &face, &tangent)) most = fmax(most, ss_apart_along(a, b, ss_scale(-1, face)));
  return most;
}

// Corner k of polyhedron p against the axis of cylinder c
static bool corner_and_side(const ss_placed* p, int k, const ss_placed* c, ss_near* near)
{
  double length;
  ss_vec3 x = corner_at(p, k), d = ss_sub(c->center, x);
  double t = ss_dot3(d, c->axis);
  *near = (ss_near){.normal = ss_direction(ss_sub(d, ss_scale(t, c->axis)), &length), .core_a = x,
                    .side_b = SS_SIDE_LINE, .axis_b = c->axis};
  near->core_b = ss_add(x, ss_scale(length, near->normal));
  near->gap = length;
  return fabs(t) <= c->shape->half_length;
}

// The edge between corners k and other likewise; n points out of p
static bool edge_and_side(const ss_placed* p, int k, int other, const ss_placed* c, ss_vec3 n, ss_near* near)
{
  double s, t, length;
  ss_vec3 x = corner_at(p, k), u = ss_direction(ss_sub(corner_at(p, other), x), &length);
  if (!ss_crossing(x, u, c->center, c->axis, n, 1e-6, &s, &t, near)) return false;
  return s >= 0 && s <= length && fabs(t) <= c->shape->half_length;
}

// A distance of axes that the plane across its normal proves; near: from the polyhedron p to the cylinder c
static bool is_proved(const ss_patch* patch, const ss_placed* p, const ss_placed* c, ss_vec3 n, ss_near* near)
{
  near->radius_b = c->shape->radius;
  near->gap -= near->radius_b;
  return ss_dot3(near->normal, n) > 1 - 1e-6 && ss_apart_along(p, c, near->normal) >= near->gap - 2*patch->exact;
}

// Edge e of a polyhedron: its corners. Of boxes as box_edge() numbers them.
static void edge_ends(const ss_placed* p, int e, int* from, int* to)
{
  if (ss_placed_kind(p) == SS_SHAPE_MESH) {
    *from = p->shape->hull->edge[e].from;
    *to = p->shape->hull->edge[e].to;
  } else {
    *from = (e & 1) << (e/4 + 1)%3 | (e >> 1 & 1) << (e/4 + 2)%3;
    *to = *from | 1 << e/4;
  }
}

// What p has farthest along n, a corner or an edge, and the side of c. edge: its number, or -1. The normal holds within
// 1e-3, so that corners which are almost as far may be the ones.
static bool polyhedron_and_side(const ss_patch* patch, const ss_placed* p, const ss_placed* c, ss_vec3 n,
                                ss_near* near, int* corner, int* edge)
{
  int vertices, edges, end[2];
  double least = ss_dot3(n, ss_support(p, n, corner)) - 4e-3*p->bound;
  count(p, &vertices, &edges);
  *edge = -1;
  if (corner_and_side(p, *corner, c, near) && is_proved(patch, p, c, n, near)) return true;
  for (int e = 0; e < edges; e++) {
    edge_ends(p, e, end, end + 1);
    if (ss_dot3(n, corner_at(p, end[0])) < least || ss_dot3(n, corner_at(p, end[1])) < least) continue;
    for (int k = 0; k < 2; k++) {
      *corner = end[k];
      if (corner_and_side(p, end[k], c, near) && is_proved(patch, p, c, n, near)) return true;
    }
    *edge = e;
    if (edge_and_side(p, end[0], end[1], c, n, near) && is_proved(patch, p, c, n, near)) return true;
    *edge = -1;
  }
  return false;
}

// The side of a cylinder on an edge or a corner of a polyhedron, which iterations find to SS_SHARP only. False if it
// is something else, or a face.
static bool touch_side(const ss_patch* patch, const ss_placed* a, const ss_placed* b, ss_apart* s, ss_near* near)
{
  bool turned = ss_placed_kind(a) == SS_SHAPE_CYLINDER;
  const ss_placed *p = turned ? b : a, *c = turned ? a : b;
  int corner, edge;
  if (ss_placed_kind(c) != SS_SHAPE_CYLINDER) return false;
  if (ss_placed_kind(p) != SS_SHAPE_BOX && ss_placed_kind(p) != SS_SHAPE_MESH) return false;
  ss_vec3 n = turned ? ss_scale(-1, s->normal) : s->normal;
  if (!polyhedron_and_side(patch, p, c, n, near, &corner, &edge)) return false;
  if (turned) ss_near_turn(near);
  if (near->gap <= apart_by_faces(a, b, s->normal) + 2e-12*(a->bound + b->bound)) return false;
  near->feature = edge < 0 ? (turned ? ss_corner_of_b(patch, corner) : ss_corner_of_a(patch, corner))
                           : (turned ? ss_crossing_of(patch, 4*RIM, edge) : ss_crossing_of(patch, edge, 4*RIM));
  s->gap = near->gap;
  s->normal = near->normal;
  return true;
}

// Sides of cylinders and capsules whose axes cross within both lengths: gap = N.(q_B - q_A) - r_A - r_B exactly, which
// iterations find to SS_SHARP only. False if they found something nearer, or less deep.
static bool cross_sides(const ss_patch* patch, const ss_placed* a, const ss_placed* b, ss_apart* s, ss_near* near)
{
  double half_a, half_b, radius_a, radius_b, x, y, size = a->bound + b->bound, radii = a->radius + b->radius;
  int edge_a, edge_b;
  if (!has_side(a, &half_a, &radius_a, &edge_a) || !has_side(b, &half_b, &radius_b, &edge_b)) return false;
  if (!ss_crossing(a->center, a->axis, b->center, b->axis, s->normal, 1e-6, &x, &y, near)) return false;
  double gap = near->gap - radius_a - radius_b;
  if (fabs(x) > half_a || fabs(y) > half_b || ss_dot3(near->normal, s->normal) < 1 - 1e-6) return false;
  if (gap + radii < s->gap - 2*SS_SHARP*size) return false;
  near->radius_a = radius_a;
  near->radius_b = radius_b;
  near->gap = gap;
  near->feature = ss_crossing_of(patch, edge_a, edge_b);
  s->gap = gap + radii;
  s->normal = near->normal;
  return true;
}

// The normal of the face that p turns towards d, or d. Rims have their points from where that face is nearest: the
// normal of a corner that comes over a rim leans as little as it may, and turns about as round-off has it.
static ss_vec3 facing(const ss_placed* p, ss_vec3 d)
{
  ss_vec3 n, tangent;
  return face_along(p, d, &n, &tangent) && ss_dot3(n, d) > FACING ? n : d;
}

static bool ends_beside(const ss_placed* p, const ss_outline* face, ss_vec3 x, double same)
{
  if (ss_placed_kind(p) != SS_SHAPE_CYLINDER) return ss_outline_ends_beside(face, x, same);
  ss_vec3 d = ss_sub(x, p->center);
  return ss_norm(ss_sub(d, ss_scale(ss_dot3(d, p->axis), p->axis))) > p->shape->radius + same;
}

// The point that is deepest behind a face may be beside it where faces are almost parallel: the gaps are the same along
// directions that differ by little. What both faces have in common, which the outlines know, is as deep but for that.
static bool is_beside(const ss_patch* patch, const ss_placed* a, const ss_placed* b, const ss_outline* one,
                      const ss_outline* two, const ss_near* near)
{
  if (patch->n == 0) return false;
  if (near->side_a == SS_SIDE_FACE) return ends_beside(a, one, near->core_b, patch->same);
  return near->side_b == SS_SIDE_FACE && ends_beside(b, two, near->core_a, patch->same);
}

int ss_touch_convex(const ss_placed* pa, const ss_placed* pb, double margin, ss_near* near)
{
  double radii = pa->radius + pb->radius;
  ss_apart s = ss_convex_apart(pa, pb, margin + radii);
  if (!(s.gap - radii < margin) || s.n == 0) return 0;
  ss_placed a = *pa, b = *pb;
  a.center = (ss_vec3){0, 0, 0};
  b.center = ss_sub(pb->center, pa->center);
  ss_patch patch;
  ss_outline one, two;
  int edges;
  ss_patch_begin(&patch, pa, pb, s.gap, margin);
  count(&a, &patch.vertices_a, &edges);
  count(&b, &patch.vertices_b, &patch.edges_b);
  ss_near best;
  bool sides = cross_sides(&patch, &a, &b, &s, &best) || touch_side(&patch, &a, &b, &s, &best);
  if (!sides) {
    best = nearest(&patch, &a, &b, &s);
    best.radius_a = a.radius;
    best.radius_b = b.radius;
    best.gap = s.gap - radii;
  }
  patch.apart = s.gap;  // exact by now where faces or sides meet
  ss_vec3 back = ss_scale(-1, s.normal);
  ss_outline_of(&a, s.normal, ss_scale(-1, facing(&b, back)), &one);
  ss_outline_of(&b, back, ss_scale(-1, facing(&a, s.normal)), &two);
  ss_outline_measure(&one);
  ss_outline_measure(&two);
  ss_patch_outlines(&patch, &one, &two, s.normal);
  bool told = ss_patch_has_near(&patch, &best) || is_beside(&patch, &a, &b, &one, &two, &best);
  if (!told) ss_patch_put(&patch, &best);
  return ss_patch_finish(&patch, pa->center, near);
}

// ---- planes --------------------------------------------------------------------------------------------------------

static void over_plane(const ss_placed* plane, ss_vec3 x, int feature, ss_patch* patch)
{
  double gap = ss_dot3(plane->axis, x);
  ss_near near = {.normal = plane->axis, .core_a = ss_sub(x, ss_scale(gap, plane->axis)), .core_b = x, .gap = gap,
                  .side_a = SS_SIDE_FACE, .tangent = plane->side, .feature = feature};
  ss_patch_add(patch, &near);
}

static int finish_plane(const ss_placed* plane, ss_patch* patch, ss_near* near)
{
  patch->apart = INFINITY;
  for (int i = 0; i < patch->n; i++) patch->apart = fmin(patch->apart, patch->near[i].gap);
  return ss_patch_finish(patch, plane->center, near);
}

int ss_touch_plane_mesh(const ss_placed* plane, const ss_placed* solid, double margin, ss_near* near)
{
  const ss_hull* h = solid->shape->hull;
  ss_patch patch;
  ss_placed b = *solid;
  int lowest;
  ss_patch_begin(&patch, plane, solid, 0, margin);
  b.center = ss_sub(solid->center, plane->center);
  double height = ss_dot3(plane->axis, ss_support(&b, ss_scale(-1, plane->axis), &lowest));
  if (!(height < margin)) return 0;
  for (int i = 0; i < h->n_vertex; i++) {
    int k = i == 0 ? lowest : i <= lowest ? i - 1 : i;  // the lowest one first
    ss_vec3 x = hull_point(&b, k);
    if (ss_dot3(plane->axis, x) < margin) over_plane(plane, x, k, &patch);
  }
  return finish_plane(plane, &patch, near);
}

// Of each end the lowest point of the rim and three more, a quarter apart; fixed ones if the end is level
int ss_touch_plane_cylinder(const ss_placed* plane, const ss_placed* solid, double margin, ss_near* near)
{
  double r = solid->shape->radius, h = solid->shape->half_length, lean;
  ss_patch patch;
  ss_vec3 l = ss_to_local(solid, plane->axis), m = ss_direction((ss_vec3){-l.x, -l.y, 0}, &lean);
  bool level = lean < SS_UPRIGHT;
  ss_placed b = *solid;
  ss_patch_begin(&patch, plane, solid, 0, margin);
  b.center = ss_sub(solid->center, plane->center);
  if (level) m = (ss_vec3){1, 0, 0};
  for (int k = 0; k < 8; k++) {
    static const double c[4] = {1, 0, -1, 0}, s[4] = {0, 1, 0, -1};
    ss_vec3 x = {r*(c[k%4]*m.x - s[k%4]*m.y), r*(c[k%4]*m.y + s[k%4]*m.x), k < 4 ? -h : h};
    over_plane(plane, ss_add(b.center, ss_to_world(&b, x)), level ? k + 8 : k, &patch);
  }
  return finish_plane(plane, &patch, near);
}

int ss_touch_plane_ellipsoid(const ss_placed* plane, const ss_placed* solid, double margin, ss_near* near)
{
  ss_patch patch;
  int corner;
  ss_placed b = *solid;
  ss_patch_begin(&patch, plane, solid, 0, margin);
  b.center = ss_sub(solid->center, plane->center);
  over_plane(plane, ss_support(&b, ss_scale(-1, plane->axis), &corner), 0, &patch);
  return finish_plane(plane, &patch, near);
}
