// Contacts of a convex body and a height field: of its corners (points of its core) with faces, and of the body with
// ridges. A contact at an edge or a point of the field counts only along a normal for which that is the highest place
// around: N . (neighbour - place) <= 0. Distances to a surface are least where this holds, and nothing that slides
// catches on what does not hold it. Everything is done in the frame of the field.
#include <stdlib.h>
#include "collide/convex.h"
#include "collide/heights.h"
#include "collide/patch.h"

// Part of a length by which a neighbour may be higher
#define LEVEL 1e-6
// Normals of one direction (their cosine less than 1 by this): a corner over an edge counts once
#define SAME_NORMAL 1e-9

typedef struct search {
  const ss_heights* field;
  ss_placed body;             // in the frame of the field
  ss_shape_kind kind;
  double margin, same;
  double lowest;              // of the body, its radius included
  int r0, r1, c0, c1;         // cells in reach
  int triangle[SS_PATCH_MOST];  // of contacts with faces, else -1
  int corner[SS_PATCH_MOST];    // of the body, likewise
  ss_patch patch;
} search;

// ---- what is near --------------------------------------------------------------------------------------------------

static int cell_of(double x, double half, double step, int cells)
{
  double k = floor((x + half)/step);
  return k < 0 ? 0 : k > cells - 1 ? cells - 1 : (int)k;
}

// False if the body is beside the field
static bool begin(search* s, const ss_placed* body, const ss_placed* place, double margin)
{
  const ss_heights* f = s->field = place->shape->heights;
  s->body = *body;
  s->body.center = ss_to_local(place, ss_sub(body->center, place->center));
  s->body.axis = ss_to_local(place, body->axis);
  s->body.side = ss_to_local(place, body->side);
  s->kind = ss_placed_kind(body);
  s->margin = margin;
  ss_vec3 c = s->body.center, e = ss_shape_extent(&s->body);
  double x = e.x + margin, y = e.y + margin;
  s->lowest = c.z - e.z;
  if (fabs(c.x) - x >= f->half[0] || fabs(c.y) - y >= f->half[1]) return false;
  s->c0 = cell_of(c.x - x, f->half[0], f->dx, f->cols - 1);
  s->c1 = cell_of(c.x + x, f->half[0], f->dx, f->cols - 1);
  s->r0 = cell_of(c.y - y, f->half[1], f->dy, f->rows - 1);
  s->r1 = cell_of(c.y + y, f->half[1], f->dy, f->rows - 1);
  ss_patch_begin(&s->patch, &s->body, &s->body, 0, margin);
  s->same = s->patch.same;
  return true;
}

// One more; what cannot be kept for want of room is farther than what is
static void add(search* s, const ss_near* near, int triangle, int corner)
{
  ss_patch* p = &s->patch;
  int at = p->n;
  if (!(near->gap < s->margin)) return;
  if (at == SS_PATCH_MOST) {
    at = 0;
    for (int i = 1; i < p->n; i++)
      if (p->near[i].gap > p->near[at].gap) at = i;
    if (near->gap >= p->near[at].gap) return;
  } else {
    p->n++;
  }
  p->near[at] = *near;
  s->triangle[at] = triangle;
  s->corner[at] = corner;
}

// A number of the pair of features that fits into a key [a multiplicative hash, Knuth 1998, section 6.4]
static int name_of(int field_feature, int body_feature)
{
  uint64_t h = ((uint64_t)(unsigned)field_feature << 32 | (unsigned)body_feature)*0x9e3779b97f4a7c15u;
  return (int)((h >> 40)%(SS_MOST_FEATURES - SS_PATCH_MOST));
}

// ---- faces ---------------------------------------------------------------------------------------------------------

typedef struct face {
  int name;
  ss_vec3 point[3], normal;
} face;

static face face_of(const ss_heights* f, int r, int c, int which)
{
  face t = {.name = 2*(r*f->cols + c) + which, .point = {ss_heights_point(f, r, c)}};
  double length;
  t.point[1] = which ? ss_heights_point(f, r + 1, c + 1) : ss_heights_point(f, r, c + 1);
  t.point[2] = which ? ss_heights_point(f, r + 1, c) : ss_heights_point(f, r + 1, c + 1);
  t.normal = ss_direction(ss_cross(ss_sub(t.point[1], t.point[0]), ss_sub(t.point[2], t.point[0])), &length);
  return t;
}

// No side of the triangle has the point beyond it, along the direction d
static bool is_over(const face* t, ss_vec3 x, ss_vec3 d, double slack)
{
  for (int i = 0; i < 3; i++) {
    ss_vec3 m = ss_cross(ss_sub(t->point[(i + 1)%3], t->point[i]), d);
    if (ss_dot3(m, ss_sub(x, t->point[i])) > slack*ss_norm(m)) return false;
  }
  return true;
}

// How deep the point is below the triangle that is straight above it; < 0: it is not within the solid
static double depth_of(const ss_heights* f, ss_vec3 x)
{
  if (!(fabs(x.x) < f->half[0] && fabs(x.y) < f->half[1])) return -1;
  int r = cell_of(x.y, f->half[1], f->dy, f->rows - 1), c = cell_of(x.x, f->half[0], f->dx, f->cols - 1);
  face t = face_of(f, r, c, 0);
  if (x.y - t.point[0].y > (x.x - t.point[0].x)*f->dy/f->dx) t = face_of(f, r, c, 1);
  return ss_dot3(t.normal, ss_sub(t.point[0], x));
}

// A corner that is below the surface near a crease has its foot beyond it on either side: it counts as over both, up to
// twice its depth, and over the face that is straight above it in any case. Faces that it is deeper below than below
// that one are on the other side of the hill.
static bool counts(const search* s, const face* t, ss_vec3 x, double height)
{
  if (height > -s->same) return is_over(t, x, t->normal, s->same);
  double depth = depth_of(s->field, x);
  if (depth < 0 || -height > depth*(1 + LEVEL) + s->same) return false;
  return is_over(t, x, t->normal, s->same + 2*depth) || is_over(t, x, (ss_vec3){0, 0, 1}, s->same);
}

static bool is_known(const search* s, ss_vec3 normal, int corner)
{
  for (int i = 0; i < s->patch.n; i++)
    if (s->corner[i] == corner && ss_dot3(s->patch.near[i].normal, normal) > 1 - SAME_NORMAL) return true;
  return false;
}

static ss_near over_face(const search* s, const face* t, ss_vec3 x)
{
  double height = ss_dot3(t->normal, ss_sub(x, t->point[0])), length;
  ss_vec3 side = ss_sub((ss_vec3){1, 0, 0}, ss_scale(t->normal.x, t->normal));
  return (ss_near){.normal = t->normal, .core_a = ss_sub(x, ss_scale(height, t->normal)), .core_b = x,
                   .side_a = SS_SIDE_FACE, .radius_b = s->body.radius, .gap = height - s->body.radius,
                   .tangent = ss_direction(side, &length)};
}

static void touch_corner(search* s, const face* t, ss_vec3 x, int corner)
{
  double height = ss_dot3(t->normal, ss_sub(x, t->point[0]));
  if (!(height - s->body.radius < s->margin) || !counts(s, t, x, height)) return;
  if (is_known(s, t->normal, corner)) return;
  ss_near near = over_face(s, t, x);
  near.feature = name_of(t->name, corner);
  add(s, &near, t->name, corner);
}

// What the body turns towards the face, and its lowest corner, which need not be among that
static void touch_face(search* s, const face* t)
{
  int corner;
  ss_outline out;
  ss_vec3 down = ss_scale(-1, t->normal), lowest = ss_support(&s->body, down, &corner);
  if (!(ss_dot3(t->normal, ss_sub(lowest, t->point[0])) - s->body.radius < s->margin)) return;
  ss_outline_of(&s->body, down, down, &out);
  for (int i = 0; i < out.n; i++) touch_corner(s, t, out.point[i], out.vertex[i]);
  if (corner >= 0) touch_corner(s, t, lowest, corner);
}

static ss_vec3 middle_of(const ss_heights* f, int name)
{
  face t = face_of(f, name/2/f->cols, name/2%f->cols, name%2);
  return ss_scale(1.0/3, ss_add(t.point[0], ss_add(t.point[1], t.point[2])));
}

// Two faces of which each is below the other one: what is within both is within the solid, and leaves it the short way
static bool is_hill(const search* s, int i, int j)
{
  const ss_near *a = s->patch.near + i, *b = s->patch.near + j;
  ss_vec3 p = middle_of(s->field, s->triangle[i]), q = middle_of(s->field, s->triangle[j]);
  return ss_dot3(a->normal, ss_sub(q, a->core_a)) < 0 && ss_dot3(b->normal, ss_sub(p, b->core_a)) < 0;
}

// Of a corner that is below several faces of a hill the least deep contact stays
static void drop_deep(search* s)
{
  bool drop[SS_PATCH_MOST] = {false};
  ss_patch* p = &s->patch;
  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < p->n; j++) {
      double di = p->near[i].gap + p->near[i].radius_b, dj = p->near[j].gap + p->near[j].radius_b;
      if (s->corner[i] != s->corner[j] || !(di < dj && dj < 0)) continue;
      if (is_hill(s, i, j)) drop[i] = true;
    }
  int n = 0;
  for (int i = 0; i < p->n; i++) {
    if (drop[i]) continue;
    p->near[n] = p->near[i];
    s->triangle[n] = s->triangle[i];
    s->corner[n++] = s->corner[i];
  }
  p->n = n;
}

static void touch_faces(search* s)
{
  const ss_heights* f = s->field;
  for (int r = s->r0; r <= s->r1; r++)
    for (int c = s->c0; c <= s->c1; c++) {
      const double *low = f->z + r*f->cols + c, *high = low + f->cols;
      for (int which = 0; which < 2; which++) {
        double top = fmax(fmax(low[0], high[1]), which ? high[0] : low[1]);
        if (s->lowest - top >= s->margin) continue;
        face t = face_of(f, r, c, which);
        touch_face(s, &t);
      }
    }
  drop_deep(s);
}

// ---- ridges --------------------------------------------------------------------------------------------------------

// The neighbour is not above the place, seen along n; beyond the border the field falls straight down
static bool is_below(const ss_heights* f, int r, int c, ss_vec3 place, ss_vec3 n)
{
  if (!ss_heights_has(f, r, c)) return n.z >= -LEVEL;
  ss_vec3 d = ss_sub(ss_heights_point(f, r, c), place);
  return ss_dot3(n, d) <= LEVEL*ss_norm(d);
}

static bool is_peak(const ss_heights* f, int r, int c, ss_vec3 n)
{
  static const int around[6][2] = {{0, 1}, {1, 1}, {1, 0}, {0, -1}, {-1, -1}, {-1, 0}};
  ss_vec3 place = ss_heights_point(f, r, c);
  for (int i = 0; i < 6; i++)
    if (!is_below(f, r + around[i][0], c + around[i][1], place, n)) return false;
  return true;
}

// Contacts of a segment, as the first shape, and the body
static int touch_segment(const search* s, const ss_placed* segment, ss_near* near)
{
  bool first = s->kind == SS_SHAPE_SPHERE;
  ss_pair_function* pair =
    first ? ss_pair_lookup(s->kind, SS_SHAPE_CAPSULE) : ss_pair_lookup(SS_SHAPE_CAPSULE, s->kind);
  int n = first ? pair(&s->body, segment, s->margin, near) : pair(segment, &s->body, s->margin, near);
  for (int i = 0; first && i < n; i++) ss_near_turn(near + i);
  return n;
}

// The same place and direction, of an edge that ends there too, or of a face that ends there
static bool is_there(const search* s, const ss_near* near)
{
  for (int i = 0; i < s->patch.n; i++) {
    const ss_near* other = s->patch.near + i;
    if (ss_norm(ss_sub(other->core_a, near->core_a)) > 2*s->same) continue;
    if (ss_norm(ss_sub(other->core_b, near->core_b)) <= 2*s->same) return true;
  }
  return false;
}

static void touch_edge(search* s, int r, int c, int e)
{
  const ss_heights* f = s->field;
  const ss_heights_steps* k = ss_heights_step + e;
  ss_vec3 from = ss_heights_point(f, r, c), to = ss_heights_point(f, r + k->to[0], c + k->to[1]);
  if (s->lowest - fmax(from.z, to.z) >= s->margin) return;
  double length;
  ss_placed segment = {.center = ss_scale(0.5, ss_add(from, to)), .axis = ss_direction(ss_sub(to, from), &length)};
  segment.half_length = segment.bound = 0.5*length;
  ss_near near[SS_TOUCH_MOST];
  int n = touch_segment(s, &segment, near);
  for (int i = 0; i < n; i++) {
    double at = ss_dot3(segment.axis, ss_sub(near[i].core_a, from));
    ss_vec3 N = near[i].normal;
    bool holds = at < s->same            ? is_peak(f, r, c, N)
                 : at > length - s->same ? is_peak(f, r + k->to[0], c + k->to[1], N)
                                         : is_below(f, r + k->left[0], c + k->left[1], from, N) &&
                                             is_below(f, r + k->right[0], c + k->right[1], from, N);
    if (!holds || is_there(s, near + i)) continue;
    near[i].feature = name_of(-1 - (SS_HEIGHTS_EDGES*(r*f->cols + c) + e), near[i].feature);
    add(s, near + i, -1, -1);
  }
}

static void touch_ridges(search* s)
{
  const ss_heights* f = s->field;
  for (int r = s->r0; r <= s->r1 + 1; r++)
    for (int c = s->c0; c <= s->c1 + 1; c++) {
      int own = f->convex[r*f->cols + c];
      for (int e = 0; own && e < SS_HEIGHTS_EDGES; e++)
        if (own & 1 << e) touch_edge(s, r, c, e);
    }
}

// ---- all -----------------------------------------------------------------------------------------------------------

static int by_gap(const void* p, const void* q)
{
  const ss_near *a = p, *b = q;
  if (a->gap != b->gap) return a->gap < b->gap ? -1 : 1;
  return (a->feature > b->feature) - (a->feature < b->feature);
}

// More than a pair may have: those that touch, spread out; then those that are nearest
static void thin(search* s)
{
  ss_patch* p = &s->patch;
  if (p->n <= SS_TOUCH_MOST) return;
  qsort(p->near, (size_t)p->n, sizeof *p->near, by_gap);
  int touching = 0;
  while (touching < p->n && p->near[touching].gap < fmax(p->near[0].gap, 0) + s->same) touching++;
  p->n = touching > SS_TOUCH_MOST ? touching : SS_TOUCH_MOST;
}

static void make_names_differ(ss_patch* p)
{
  for (int i = 0; i < p->n; i++)
    for (int j = 0; j < i; j++)
      if (p->near[j].feature == p->near[i].feature) {
        p->near[i].feature++;
        j = -1;  // once more from the first
      }
}

int ss_touch_heights(const ss_placed* body, const ss_placed* place, double margin, ss_near* near)
{
  search s;
  if (!begin(&s, body, place, margin)) return 0;
  touch_faces(&s);
  touch_ridges(&s);
  thin(&s);
  make_names_differ(&s.patch);
  s.patch.apart = INFINITY;
  for (int i = 0; i < s.patch.n; i++)
    s.patch.apart = fmin(s.patch.apart, s.patch.near[i].gap + s.patch.near[i].radius_b);
  int n = ss_patch_finish(&s.patch, (ss_vec3){0, 0, 0}, near);
  for (int i = 0; i < n; i++) {
    ss_near* k = near + i;
    ss_vec3* const turned[] = {&k->normal, &k->core_a, &k->core_b, &k->axis_a, &k->axis_b, &k->tangent};
    for (size_t j = 0; j < sizeof turned/sizeof *turned; j++) *turned[j] = ss_to_world(place, *turned[j]);
    k->core_a = ss_add(k->core_a, place->center);
    k->core_b = ss_add(k->core_b, place->center);
    ss_near_turn(k);
  }
  return n;
}
