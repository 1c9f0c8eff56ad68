// Pairs of shapes that have one contact, the place of which is a smooth function of their poses as long as it stays on
// one feature of each: what the event-driven integrator follows beside spheres and corners. A sphere or an ellipsoid
// has one nearest point on any convex shape, since its surface is strictly convex; it passes from face to edge to
// corner, from side to rim, without a jump of place or normal. A rim has one lowest point over a plane, as long as it
// is tilted. What turns with the normal tells the radii of curvature, ss_touch.bend_a.
#include "collide/convex.h"
#include "collide/hull.h"

// |n . u| below this: the normal is across an edge or an axis, to round-off
#define ACROSS 1e-11
// |n x m| below this: it is that of a face
#define ALONG 1e-11

// ---- rims over a plane ---------------------------------------------------------------------------------------------

double ss_rim_lean(const ss_placed* plane, const ss_placed* solid)
{
  ss_vec3 l = ss_to_local(solid, plane->axis);
  return hypot(l.x, l.y);
}

// Of an upright cylinder point k of four on the rim of either end, fixed to it; of one that leans its lowest points
static ss_vec3 rim_point(const ss_placed* plane, const ss_placed* solid, int feature)
{
  static const double c[4] = {1, 0, -1, 0}, s[4] = {0, 1, 0, -1};
  double r = solid->shape->radius, h = solid->shape->half_length, lean;
  ss_vec3 l = ss_to_local(solid, plane->axis), m = {1, 0, 0};
  int k = feature - SS_RIM_LEVEL;
  if (k >= 0) return (ss_vec3){r*c[k%4], r*s[k%4], k < 4 ? -h : h};
  ss_vec3 low = ss_direction((ss_vec3){-l.x, -l.y, 0}, &lean);
  if (lean > 0) m = low;
  return (ss_vec3){r*m.x, r*m.y, feature < 4 ? -h : h};
}

static int plane_rim(const ss_placed* plane, const ss_placed* solid, int feature, ss_near* near)
{
  if (feature < 0 || feature >= SS_RIM_LEVEL + 8) return 0;
  ss_vec3 x = ss_add(solid->center, ss_to_world(solid, rim_point(plane, solid, feature)));
  double gap = ss_dot3(plane->axis, ss_sub(x, plane->center));
  *near = (ss_near){.normal = plane->axis, .core_a = ss_sub(x, ss_scale(gap, plane->axis)), .core_b = x, .gap = gap,
                    .side_a = SS_SIDE_FACE, .tangent = plane->side, .feature = feature};
  return 1;
}

static void rim_border(const ss_placed* plane, const ss_placed* solid, int feature, ss_border* border)
{
  double beyond = solid->shape->radius*(ss_rim_lean(plane, solid) - SS_UPRIGHT);
  bool leans = feature < SS_RIM_LEVEL;
  *border = (ss_border){.room = leans ? beyond : -beyond, .next = leans ? SS_RIM_FLAT : SS_RIM_TIPS};
}

// ---- features ------------------------------------------------------------------------------------------------------

// What a shape has where its outward normal is n
typedef struct faced {
  ss_touch_side kind;
  ss_vec3 axis;     // of a line
  double radius;    // of the cylinder about that
  ss_vec3 normal, tangent;  // of a face
} faced;

static bool is_across(ss_vec3 n, ss_vec3 u) { return fabs(ss_dot3(n, u)) < ACROSS; }

static faced face(ss_vec3 n, ss_vec3 normal, ss_vec3 tangent)
{
  if (ss_dot3(n, normal) < 0) normal = ss_scale(-1, normal);
  return (faced){.kind = SS_SIDE_FACE, .normal = normal, .tangent = tangent};
}

static faced line(ss_vec3 axis, double radius)
{
  return (faced){.kind = SS_SIDE_LINE, .axis = axis, .radius = radius};
}

static faced box_feature(const ss_placed* p, ss_vec3 n)
{
  const ss_vec3 axis[3] = {p->side, ss_cross(p->axis, p->side), p->axis};
  int count = 0, one = 0;
  for (int i = 0; i < 3; i++)
    if (!is_across(n, axis[i])) count++, one = i;
  if (count == 1) return face(n, axis[one], axis[(one + 1)%3]);
  for (int i = 0; i < 3; i++)
    if (count == 2 && is_across(n, axis[i])) return line(axis[i], 0);
  return (faced){.kind = SS_SIDE_POINT};
}

static faced hull_feature(const ss_placed* p, ss_vec3 n)
{
  const ss_hull* h = p->shape->hull;
  ss_vec3 l = ss_to_local(p, n);
  double length;
  int f = ss_hull_face(h, l), corner = ss_hull_corner(h, l);
  if (ss_norm(ss_cross(h->normal[f], l)) < ALONG) {
    ss_vec3 t = ss_sub(h->vertex[h->loop[h->first[f] + 1]], h->vertex[h->loop[h->first[f]]]);
    t = ss_direction(ss_sub(t, ss_scale(ss_dot3(t, h->normal[f]), h->normal[f])), &length);
    return face(n, ss_to_world(p, h->normal[f]), ss_to_world(p, t));
  }
  for (int i = h->around[corner]; i < h->around[corner + 1]; i++) {
    const ss_hull_edge* e = h->edge + h->ring[i];
    ss_vec3 u = ss_direction(ss_sub(h->vertex[e->to], h->vertex[e->from]), &length);
    if (is_across(l, u)) return line(ss_to_world(p, u), 0);
  }
  return (faced){.kind = SS_SIDE_POINT};
}

static faced feature_at(const ss_placed* p, ss_vec3 n)
{
  switch (ss_placed_kind(p)) {
  case SS_SHAPE_BOX: return box_feature(p, n);
  case SS_SHAPE_MESH: return hull_feature(p, n);
  case SS_SHAPE_CAPSULE:
    if (is_across(n, p->axis)) return line(p->axis, p->radius);
    break;
  case SS_SHAPE_CYLINDER:
    if (is_across(n, p->axis)) return line(p->axis, p->shape->radius);
    if (ss_norm(ss_cross(n, p->axis)) < ALONG) return face(n, p->axis, p->side);
    break;
  default: break;
  }
  return (faced){.kind = SS_SIDE_POINT, .radius = p->radius};
}

// ---- the nearest point of a round shape ----------------------------------------------------------------------------

// Iterations that end by their gap leave the normal, of which that depends by its square, to half the digits. Newton's
// method on the normal has all of them.
static ss_apart sharpened(const ss_placed* a, const ss_placed* b)
{
  ss_apart s = ss_convex_apart(a, b, INFINITY), exact;
  ss_placed one = *a, two = *b;
  bool round = false;
  for (int i = 0; i < 2; i++) {
    ss_shape_kind kind = ss_placed_kind(i ? b : a);
    round = round || kind == SS_SHAPE_ELLIPSOID || kind == SS_SHAPE_CYLINDER;
  }
  one.center = (ss_vec3){0, 0, 0};
  two.center = ss_sub(b->center, a->center);
  if (round && s.n > 0 && ss_polish(&one, &two, s.normal, a->bound + b->bound, &exact) != SS_NO_PROOF) return exact;
  return s;
}

static int nearest_point(const ss_placed* a, const ss_placed* b, ss_near* near)
{
  ss_apart s = sharpened(a, b);
  if (s.n == 0 || !isfinite(s.gap)) return 0;
  ss_vec3 n = s.normal, middle = ss_add(a->center, ss_scale(0.5, ss_add(s.a, s.b)));
  faced fa = feature_at(a, n), fb = feature_at(b, ss_scale(-1, n));
  if (fa.kind == SS_SIDE_FACE && fb.kind != SS_SIDE_FACE) n = fa.normal;
  if (fb.kind == SS_SIDE_FACE && fa.kind != SS_SIDE_FACE) n = ss_scale(-1, fb.normal);
  double inner_a = fa.radius - a->radius, inner_b = fb.radius - b->radius;  // from the core of the shape to the axis
  *near = (ss_near){.normal = n, .gap = s.gap - a->radius - b->radius, .feature = 0, .side_a = fa.kind,
                    .side_b = fb.kind, .axis_a = fa.axis, .axis_b = fb.axis, .radius_a = fa.radius,
                    .radius_b = fb.radius, .tangent = fa.kind == SS_SIDE_FACE ? fa.tangent : fb.tangent};
  near->core_a = ss_sub(middle, ss_scale(0.5*s.gap + inner_a, n));
  near->core_b = ss_add(middle, ss_scale(0.5*s.gap + inner_b, n));
  return 1;
}

// ---- curvature -----------------------------------------------------------------------------------------------------

// Of the surface at x, where its outward normal is n, beside the radius that the contact tells
static void fill_bend(const ss_placed* p, ss_touch_side side, ss_vec3 n, ss_vec3 x, const ss_touch* t, double bend[3])
{
  ss_shape_kind kind = ss_placed_kind(p);
  if (side != SS_SIDE_POINT || (kind != SS_SHAPE_ELLIPSOID && kind != SS_SHAPE_CYLINDER)) return;
  ss_vec3 one = ss_vec3_from(t->frame + 3), two = ss_vec3_from(t->frame + 6), at = ss_sub(x, p->center);
  bend[0] = ss_support_bend(p, n, at, one, one);
  bend[1] = ss_support_bend(p, n, at, one, two);
  bend[2] = ss_support_bend(p, n, at, two, two);
}

// ---- all -----------------------------------------------------------------------------------------------------------

bool ss_touch_is_smooth(ss_shape_kind kind_a, ss_shape_kind kind_b)
{
  ss_shape_kind low = kind_a < kind_b ? kind_a : kind_b, high = kind_a < kind_b ? kind_b : kind_a;
  if (low == SS_SHAPE_PLANE) return high == SS_SHAPE_CYLINDER || high == SS_SHAPE_ELLIPSOID;
  if (low == SS_SHAPE_SPHERE) return high >= SS_SHAPE_CYLINDER && high <= SS_SHAPE_MESH;
  if (low == SS_SHAPE_CAPSULE && high == SS_SHAPE_BOX) return true;
  return (low == SS_SHAPE_ELLIPSOID || high == SS_SHAPE_ELLIPSOID) && high <= SS_SHAPE_MESH;
}

// The lower kind first
typedef struct ordered {
  bool turned;
  ss_shape_kind low, high;
  const ss_placed *one, *two;
} ordered;

static ordered put_in_order(ss_shape_kind kind_a, const ss_placed* a, ss_shape_kind kind_b, const ss_placed* b)
{
  if (kind_a > kind_b) return (ordered){true, kind_b, kind_a, b, a};
  return (ordered){false, kind_a, kind_b, a, b};
}

int ss_smooth_feature(ss_shape_kind kind_a, const ss_placed* a, ss_shape_kind kind_b, const ss_placed* b, int feature)
{
  ordered o = put_in_order(kind_a, a, kind_b, b);
  if (o.low == SS_SHAPE_CAPSULE && o.high == SS_SHAPE_BOX) return ss_bar_feature(o.one, o.two, feature);
  if (o.low != SS_SHAPE_PLANE || o.high != SS_SHAPE_CYLINDER) return 0;
  return feature < SS_RIM_LEVEL ? feature/4*4 : feature;
}

int ss_touch_smooth(ss_shape_kind kind_a, const ss_placed* a, ss_shape_kind kind_b, const ss_placed* b, int feature,
                    ss_touch* touch, ss_border* border)
{
  ss_near near;
  ordered o = put_in_order(kind_a, a, kind_b, b);
  bool rim = o.low == SS_SHAPE_PLANE && o.high == SS_SHAPE_CYLINDER, fixed = rim && feature >= SS_RIM_LEVEL;
  *border = (ss_border){.room = INFINITY, .next = -1};
  int n = o.low == SS_SHAPE_CAPSULE && o.high == SS_SHAPE_BOX ? ss_bar_touch(o.one, o.two, feature, &near, border)
          : o.low != SS_SHAPE_PLANE                           ? nearest_point(o.one, o.two, &near)
          : rim                                               ? plane_rim(o.one, o.two, feature, &near)
                                                   : ss_touch_plane_ellipsoid(o.one, o.two, INFINITY, &near);
  if (n != 1) return 0;
  if (rim) rim_border(o.one, o.two, feature, border);
  if (o.turned) ss_near_turn(&near);
  if (o.turned) border->way = ss_scale(-1, border->way);
  ss_near_fill(&near, touch);
  ss_vec3 normal = near.normal;
  if (kind_a != SS_SHAPE_PLANE && !fixed)
    fill_bend(a, near.side_a, normal, ss_vec3_from(touch->point_a), touch, touch->bend_a);
  if (kind_b != SS_SHAPE_PLANE && !fixed)
    fill_bend(b, near.side_b, ss_scale(-1, normal), ss_vec3_from(touch->point_b), touch, touch->bend_b);
  return 1;
}
