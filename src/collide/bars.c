// Contacts of a capsule and a box that are followed along an arc. Each is the distance of two features, with a gap that
// is smooth also where others are nearer: an end of the axis and a face, an edge or a corner; the axis and an edge or a
// corner. One ends where another is as near, with the same normal, and goes on nearer:
//   end, face    at the border of the face: the edge there, with the end or, where the axis does not rise, with that
//   end, edge    over a face: that; at the end of the edge: the corner; where the distance falls along the axis: the
//   axis end, corner  likewise
//   axis, edge   at an end of the axis: that; at the end of the edge: the corner
//   axis, corner at an end of the axis: that; where the distance falls along an edge: that edge
#include "collide/shape.h"

// Numbers of faces, edges and corners of a box among each other; contacts: those of one end, of the other, of the axis
enum { FACE = 0, EDGE = 6, CORNER = 18, OWN = 26, AXIS = 2*OWN - EDGE, FEATURES = AXIS + OWN };
// Features of ss_touch_capsule_box()
enum { TOLD_CORNER = 2, TOLD_NEAREST = 10 };

// Of the radius: an axis that rises by less is level
#define LEVEL 1e-9

// The box as a frame about its center
typedef struct frame {
  ss_vec3 axis[3];
  const double* half;
} frame;

// The axis of the capsule against the center of the box
typedef struct bar {
  ss_vec3 center, axis;
  double half, radius;
} bar;

static frame frame_of(const ss_placed* p)
{
  return (frame){.axis = {p->side, ss_cross(p->axis, p->side), p->axis}, .half = p->shape->half};
}

static bar bar_of(const ss_placed* capsule, const ss_placed* box)
{
  return (bar){.center = ss_sub(capsule->center, box->center), .axis = capsule->axis, .half = capsule->half_length,
               .radius = capsule->radius};
}

static ss_vec3 end_of(const bar* c, int k) { return ss_add(c->center, ss_scale(k ? c->half : -c->half, c->axis)); }

// The way from an end to the other one
static ss_vec3 inward(const bar* c, int k) { return ss_scale(k ? -1 : 1, c->axis); }

// Corner k of a box has the sign + along axis i where bit i is set; edges as boxes.c numbers them
static double sign_of(int k, int i) { return k >> i & 1 ? 1 : -1; }

static ss_vec3 corner_at(const frame* f, int k)
{
  ss_vec3 x = {0, 0, 0};
  for (int i = 0; i < 3; i++) x = ss_add(x, ss_scale(sign_of(k, i)*f->half[i], f->axis[i]));
  return x;
}

static int face_across(int axis, int k) { return FACE + 2*axis + (k >> axis & 1); }

static int edge_at(int axis, int k) { return EDGE + 4*axis + (k >> (axis + 1)%3 & 1) + 2*(k >> (axis + 2)%3 & 1); }

// One of its corners: that with the sign - along it
static int corner_on(int edge)
{
  int axis = (edge - EDGE)/4;
  return (edge & 1) << (axis + 1)%3 | ((edge - EDGE) >> 1 & 1) << (axis + 2)%3;
}

static int of_end(int k, int feature) { return k*OWN + feature; }
static int of_axis(int feature) { return AXIS + feature; }

// A border that is nearer takes the place of one that is farther. Its rate: see ss_border, the box is b.
static void limit(ss_border* border, double room, int next, ss_vec3 at, ss_vec3 way)
{
  if (!(room < border->room)) return;
  *border = (ss_border){.room = room, .next = next, .at = at, .way = way};
}

// ---- ends ----------------------------------------------------------------------------------------------------------

// How far from x, a point of the axis, the other end is raised over the point p of the box
static double rise(const bar* c, int k, ss_vec3 x, ss_vec3 p) { return ss_dot3(ss_sub(x, p), inward(c, k)); }

static void end_and_face(const bar* c, const frame* f, int k, int face, ss_near* near, ss_border* border)
{
  int axis = face/2;
  double sign = face & 1 ? 1 : -1, at[3];
  ss_vec3 x = end_of(c, k), n = ss_scale(sign, f->axis[axis]);
  int corner = 0;
  for (int i = 0; i < 3; i++) {
    at[i] = ss_dot3(f->axis[i], x);
    corner |= (at[i] > 0) << i;
  }
  corner = (corner & ~(1 << axis)) | (face & 1) << axis;
  double height = sign*at[axis] - f->half[axis];
  *near = (ss_near){.normal = ss_scale(-1, n), .core_a = x, .core_b = ss_sub(x, ss_scale(height, n)),
                    .radius_a = c->radius, .gap = height - c->radius, .side_b = SS_SIDE_FACE,
                    .tangent = f->axis[(axis + 1)%3]};
  for (int j = 0; j < 3; j++) {
    if (j == axis) continue;
    int edge = edge_at(3 - axis - j, corner);
    double leads = sign_of(corner, j)*ss_dot3(f->axis[j], inward(c, k)), rises = ss_dot3(n, inward(c, k));
    bool axis_is_nearer = rises < -LEVEL || (rises <= LEVEL && leads < -LEVEL);
    limit(border, f->half[j] - fabs(at[j]), axis_is_nearer ? of_axis(edge) : of_end(k, edge), x,
          ss_scale(sign_of(corner, j), f->axis[j]));
  }
}

static void end_and_point(const bar* c, int k, ss_vec3 p, ss_near* near)
{
  double length;
  ss_vec3 x = end_of(c, k);
  *near = (ss_near){.normal = ss_direction(ss_sub(p, x), &length), .core_a = x, .core_b = p, .radius_a = c->radius};
  if (length == 0) near->normal = ss_across(c->axis);
  near->gap = length - c->radius;
}

static void end_and_edge(const bar* c, const frame* f, int k, int edge, ss_near* near, ss_border* border)
{
  int axis = (edge - EDGE)/4, corner = corner_on(edge);
  ss_vec3 x = end_of(c, k), v = f->axis[axis];
  double t = ss_dot3(x, v);
  ss_vec3 p = ss_add(corner_at(f, corner), ss_scale(f->half[axis] + t, v));
  end_and_point(c, k, p, near);
  near->side_b = SS_SIDE_LINE;
  near->axis_b = v;
  limit(border, f->half[axis] - t, of_end(k, CORNER + (corner | 1 << axis)), x, v);
  limit(border, f->half[axis] + t, of_end(k, CORNER + corner), x, ss_scale(-1, v));
  for (int j = 0; j < 3; j++)
    if (j != axis)
      limit(border, sign_of(corner, j)*ss_dot3(f->axis[j], x) - f->half[j],
            of_end(k, face_across(3 - axis - j, corner)), x, ss_scale(-sign_of(corner, j), f->axis[j]));
  limit(border, rise(c, k, x, p), of_axis(edge), x, (ss_vec3){0, 0, 0});
}

static void end_and_corner(const bar* c, const frame* f, int k, int corner, ss_near* near, ss_border* border)
{
  ss_vec3 x = end_of(c, k), p = corner_at(f, corner);
  end_and_point(c, k, p, near);
  for (int j = 0; j < 3; j++)
    limit(border, sign_of(corner, j)*ss_dot3(f->axis[j], x) - f->half[j], of_end(k, edge_at(j, corner)), x,
          ss_scale(-sign_of(corner, j), f->axis[j]));
  limit(border, rise(c, k, x, p), of_axis(CORNER + corner), x, (ss_vec3){0, 0, 0});
}

// Which feature of the box a point is nearest to
static int region_of(const frame* f, ss_vec3 x)
{
  int beyond = 0, corner = 0, within = 0, deepest = 0;
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    double at = ss_dot3(f->axis[i], x), over = fabs(at) - f->half[i];
    corner |= (at > 0) << i;
    if (over > 0) beyond++;
    else within = i;
    if (-over < least) least = -over, deepest = i;
  }
  return beyond == 3 ? CORNER + corner : beyond == 2 ? edge_at(within, corner) : face_across(deepest, corner);
}

// ---- the axis ------------------------------------------------------------------------------------------------------

// From the point s along the axis to the point x of the box. At the end that goes on which the end is nearest to.
// slides: x is no point of the box.
static void axis_and_point(const bar* c, const frame* f, double s, ss_vec3 x, bool slides, ss_near* near,
                           ss_border* border)
{
  double length;
  ss_vec3 core = ss_add(c->center, ss_scale(s, c->axis));
  *near = (ss_near){.normal = ss_direction(ss_sub(x, core), &length), .core_a = core, .core_b = x,
                    .radius_a = c->radius, .side_a = SS_SIDE_LINE, .axis_a = c->axis};
  if (length == 0) near->normal = ss_across(c->axis);
  near->gap = length - c->radius;
  for (int k = 0; k < 2; k++) {  // the end as it is when it comes there: a little within what it may have left
    ss_vec3 end = end_of(c, k), back = ss_scale(LEVEL*c->radius, inward(c, k));
    ss_vec3 way = slides ? (ss_vec3){0, 0, 0} : inward(c, k);
    limit(border, k ? c->half - s : c->half + s, of_end(k, region_of(f, ss_add(end, back))), x, way);
  }
}

static void axis_and_corner(const bar* c, const frame* f, int corner, ss_near* near, ss_border* border)
{
  ss_vec3 x = corner_at(f, corner);
  axis_and_point(c, f, ss_dot3(c->axis, ss_sub(x, c->center)), x, false, near, border);
  ss_vec3 d = ss_sub(near->core_b, near->core_a);
  for (int i = 0; i < 3; i++)
    limit(border, -sign_of(corner, i)*ss_dot3(d, f->axis[i]), of_axis(edge_at(i, corner)), x, (ss_vec3){0, 0, 0});
}

// The nearest points of two lines: d = x - (center + s axis), stationary in s and along the edge
static void axis_and_edge(const bar* c, const frame* f, int edge, ss_near* near, ss_border* border)
{
  int i = (edge - EDGE)/4, corner = corner_on(edge);
  ss_vec3 v = f->axis[i], from = ss_add(corner_at(f, corner), ss_scale(f->half[i], v)), d = ss_sub(from, c->center);
  ss_vec3 m = ss_cross(c->axis, v);
  double cosine = ss_dot3(c->axis, v), along = ss_dot3(d, c->axis), across = ss_dot3(d, v), sine2 = ss_dot3(m, m);
  if (!(sine2 > 0)) {  // parallel: nothing crosses
    axis_and_point(c, f, along, from, true, near, border);
    border->room = -1;
  } else {
    double s = (along - cosine*across)/sine2, t = (cosine*along - across)/sine2;
    ss_vec3 x = ss_add(from, ss_scale(t, v)), none = {0, 0, 0};
    axis_and_point(c, f, s, x, true, near, border);
    limit(border, f->half[i] - t, of_axis(CORNER + (corner | 1 << i)), x, none);
    limit(border, f->half[i] + t, of_axis(CORNER + corner), x, none);
  }
  near->side_b = SS_SIDE_LINE;
  near->axis_b = v;
}

// ---- all -----------------------------------------------------------------------------------------------------------

int ss_bar_touch(const ss_placed* capsule, const ss_placed* box, int feature, ss_near* near, ss_border* border)
{
  frame f = frame_of(box);
  bar c = bar_of(capsule, box);
  *border = (ss_border){.room = INFINITY, .next = -1};
  if (feature < 0 || feature >= FEATURES) return 0;
  bool axis = feature >= 2*OWN;
  int k = feature/OWN, own = axis ? feature - AXIS : feature%OWN;
  if (axis && own < CORNER) axis_and_edge(&c, &f, own, near, border);
  else if (axis) axis_and_corner(&c, &f, own - CORNER, near, border);
  else if (own < EDGE) end_and_face(&c, &f, k, own, near, border);
  else if (own < CORNER) end_and_edge(&c, &f, k, own, near, border);
  else end_and_corner(&c, &f, k, own - CORNER, near, border);
  near->core_a = ss_add(near->core_a, box->center);
  near->core_b = ss_add(near->core_b, box->center);
  border->at = ss_add(border->at, box->center);
  near->feature = feature;
  return 1;
}

int ss_bar_feature(const ss_placed* capsule, const ss_placed* box, int feature)
{
  frame f = frame_of(box);
  bar c = bar_of(capsule, box);
  if (feature < TOLD_CORNER) return of_end(feature, region_of(&f, end_of(&c, feature)));
  int told = feature < TOLD_NEAREST ? CORNER + feature - TOLD_CORNER : EDGE + feature - TOLD_NEAREST - 1;
  ss_near near;
  ss_border border;
  if (feature != TOLD_NEAREST && ss_bar_touch(capsule, box, of_axis(told), &near, &border) && border.room >= 0)
    return of_axis(told);
  double least = INFINITY;
  int own[2] = {of_end(0, region_of(&f, end_of(&c, 0))), of_end(1, region_of(&f, end_of(&c, 1)))}, best = own[0];
  for (int k = 0; k < FEATURES; k++) {
    if (k < 2*OWN && k != own[0] && k != own[1]) continue;  // faces are planes, which have a back
    if (!ss_bar_touch(capsule, box, k, &near, &border) || !(border.room >= 0) || !(near.gap < least)) continue;
    least = near.gap;
    best = k;
  }
  return best;
}
