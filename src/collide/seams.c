// Seams: where boxes and meshes that are fixed to one another lie flush, their edges and the faces between them are
// inside of what they make up together. A contact at a place of a solid counts only along a normal N for which that is
// the highest place around, N . (neighbour - place) <= 0, as on height fields (heights_touch.c). The place is that of
// all points of the solid which are equally high along N: a corner, an edge or a face; looked at a little way into it,
// so that a box that stands on another one keeps the contacts at its foot.
#include <stdlib.h>
#include "collide/convex.h"
#include "collide/hull.h"
#include "collide/work.h"

// Part of a size by which a neighbour may be higher, or beside the place; sine below which an axis is across the normal
#define LEVEL 1e-6
// How far into an edge or a face it is looked at, as a part of half of its length
#define INTO 0.01
// Part of a size by which a mesh may be inside of its neighbours: what is deeper is another part, no tile
#define FLUSH 1e-3

// ---- neighbours ----------------------------------------------------------------------------------------------------

// Some face of a has all of b beyond it
static bool is_apart(const ss_placed* a, const ss_placed* b)
{
  ss_vec3 d = ss_to_local(a, ss_sub(b->center, a->center)), x = ss_to_local(a, b->side), z = ss_to_local(a, b->axis);
  ss_vec3 y = ss_cross(z, x);
  const double *half = a->shape->half, *other = b->shape->half, at[] = {d.x, d.y, d.z};
  const double part[3][3] = {{x.x, x.y, x.z}, {y.x, y.y, y.z}, {z.x, z.y, z.z}};
  for (int i = 0; i < 3; i++) {
    double reach = half[i] + LEVEL*(a->bound + b->bound);
    for (int k = 0; k < 3; k++) reach += other[k]*fabs(part[k][i]);
    if (fabs(at[i]) > reach) return true;
  }
  return false;
}

bool ss_is_seam(const ss_collider_work* w, int a, int b)
{
  const ss_collider* s = w->collider;
  const ss_placed *p = w->placed + a, *q = w->placed + b;
  if (s->geom[a].root != s->geom[b].root) return false;
  if (s->kind[a] == SS_SHAPE_BOX && s->kind[b] == SS_SHAPE_BOX) return !is_apart(p, q) && !is_apart(q, p);
  double size = p->bound + q->bound, gap = ss_convex_apart(p, q, LEVEL*size).gap;
  return gap <= LEVEL*size && gap >= -FLUSH*size;
}

static bool is_solid(const ss_collider* s, int g)
{
  return s->kind[g] == SS_SHAPE_BOX || s->kind[g] == SS_SHAPE_MESH;
}

// Geoms of bodies that are fixed to one another in the frame of the first of them
static void place_in_roots(const ss_collider_def* def, ss_collider* s, ss_collider_work* w)
{
  for (int k = 0; k < s->n_finite; k++) {
    ss_geom* geom = s->geom + s->finite[k];
    ss_vec3 at = geom->position;
    ss_quat turn = geom->turn;
    int b = geom->body;
    for (; b != SS_WORLD && def->body && def->body[b].fixed; b = def->body[b].parent) {
      const ss_pose* pose = &def->body[b].pose;
      const double* r = pose->rotation;
      if (!ss_pose_valid(pose) || r[0]*r[0] + r[1]*r[1] + r[2]*r[2] + r[3]*r[3] == 0) break;
      ss_quat q = ss_pose_turn(pose);
      at = ss_add(ss_vec3_from(pose->position), ss_quat_rotate(q, at));
      turn = ss_quat_mul(q, turn);
    }
    geom->root = b;
    w->placed[s->finite[k]] = ss_shape_place(&geom->shape, at, turn);
  }
}

// Boxes about boxes and meshes, in the frames of their roots, which are laid side by side so that they do not overlap;
// nothing about the others
static void lay_out(ss_collider_work* w)
{
  const ss_collider* s = w->collider;
  double most = 0;
  for (int k = 0; k < s->n_finite; k++) {
    const ss_placed* p = w->placed + s->finite[k];
    if (is_solid(s, s->finite[k])) most = fmax(most, ss_norm(p->center) + 2*p->bound);
  }
  for (int k = 0; k < s->n_finite; k++) {
    int g = s->finite[k];
    const ss_placed* p = w->placed + g;
    const double c[3] = {p->center.x + 2*most*(s->geom[g].root + 1), p->center.y, p->center.z};
    ss_vec3 half = ss_shape_extent(p);
    const double h[3] = {half.x, half.y, half.z};
    for (int i = 0; i < 3; i++) {
      double slack = LEVEL*p->bound + 1e-15*fabs(c[i]);
      w->fat[g].lo[i] = is_solid(s, g) ? c[i] - h[i] - slack : INFINITY;
      w->fat[g].hi[i] = is_solid(s, g) ? c[i] + h[i] + slack : -INFINITY;
    }
  }
}

// The neighbours of every solid, from pairs
static bool list_seams(ss_collider* s, size_t n, const ss_geom_pair* pair)
{
  int sum = 0;
  for (size_t k = 0; k < n; k++) {
    s->seam_end[pair[k].a]++;
    s->seam_end[pair[k].b]++;
  }
  for (int g = 0; g < s->n_geom; g++) {
    s->seam_first[g] = sum;
    sum += s->seam_end[g];
    s->seam_end[g] = s->seam_first[g];
  }
  s->seam = calloc((size_t)sum + 1, sizeof *s->seam);
  for (size_t k = 0; s->seam && k < n; k++) {
    s->seam[s->seam_end[pair[k].a]++] = pair[k].b;
    s->seam[s->seam_end[pair[k].b]++] = pair[k].a;
  }
  return s->seam != NULL;
}

bool ss_find_seams(const ss_collider_def* def, ss_collider* s)
{
  ss_collider_work* w = ss_collider_work_create(s, NULL);
  s->seam_first = calloc((size_t)s->n_geom + 1, sizeof *s->seam_first);
  s->seam_end = calloc((size_t)s->n_geom + 1, sizeof *s->seam_end);
  bool good = w && s->seam_first && s->seam_end;
  if (good) {
    w->n_pair = 0;
    w->seams = true;
    place_in_roots(def, s, w);
    lay_out(w);
    good = ss_tree_pairs(w) && list_seams(s, w->n_pair, w->pair);
  }
  ss_collider_work_destroy(w);
  return good;
}

// ---- contacts ------------------------------------------------------------------------------------------------------

// The same of a mesh: some way towards the middle of its corners that are as high as the point, if none is higher
static ss_vec3 place_on_hull(const ss_hull* h, ss_vec3 x, ss_vec3 n)
{
  ss_vec3 middle;
  if (!ss_hull_top(h, n, ss_dot3(n, x), 2*LEVEL*h->bound, &middle)) return x;
  return ss_add(x, ss_scale(INTO, ss_sub(middle, x)));
}

// The place on solid p that a contact stands for, a little way into its edge or face
static ss_vec3 place_of(const ss_placed* p, ss_vec3 point, ss_vec3 normal)
{
  ss_vec3 x = ss_to_local(p, ss_sub(point, p->center)), n = ss_to_local(p, normal);
  if (p->shape->kind == SS_SHAPE_MESH) return ss_add(p->center, ss_to_world(p, place_on_hull(p->shape->hull, x, n)));
  const double* half = p->shape->half;
  double at[] = {x.x, x.y, x.z}, along[] = {n.x, n.y, n.z};
  for (int i = 0; i < 3; i++)
    if (fabs(along[i]) < LEVEL && fabs(at[i]) > (1 - INTO)*half[i]) at[i] = copysign((1 - INTO)*half[i], at[i]);
  return ss_add(p->center, ss_to_world(p, (ss_vec3){at[0], at[1], at[2]}));
}

// A mesh holds x, and how much higher it is along n; -1 if it does not
static double rise_of_hull(const ss_hull* h, ss_vec3 x, ss_vec3 n, double slack)
{
  if (!ss_hull_holds(h, x, slack)) return -1;
  return fmax(0, ss_dot3(n, ss_sub(h->vertex[ss_hull_corner(h, n)], x)));
}

// Solid b holds the place and goes on beyond it along the normal
static bool rises(const ss_placed* b, ss_vec3 place, ss_vec3 normal, double slack)
{
  ss_vec3 x = ss_to_local(b, ss_sub(place, b->center)), n = ss_to_local(b, normal);
  double higher = 0, least = 2*slack + LEVEL*b->bound;
  if (b->shape->kind == SS_SHAPE_MESH) return rise_of_hull(b->shape->hull, x, n, slack) > least;
  const double *half = b->shape->half, at[] = {x.x, x.y, x.z}, along[] = {n.x, n.y, n.z};
  for (int i = 0; i < 3; i++) {
    if (fabs(at[i]) > half[i] + slack) return false;
    higher += half[i]*fabs(along[i]) - at[i]*along[i];
  }
  return higher > least;
}

// One side of a contact: geom a, met by geom `other` along the normal that points out of a
static bool is_inside(const ss_collider_work* w, int a, int other, const double point[3], ss_vec3 normal)
{
  const ss_collider* s = w->collider;
  const ss_placed* box = w->placed + a;
  if (s->seam_first[a] == s->seam_end[a]) return false;
  ss_vec3 place = place_of(box, ss_vec3_from(point), normal);
  // a corner beside a capsule that lies on the face
  if (s->kind[other] <= SS_SHAPE_CAPSULE && rises(box, place, normal, LEVEL*box->bound)) return true;
  for (int k = s->seam_first[a]; k < s->seam_end[a]; k++) {
    const ss_placed* b = w->placed + s->seam[k];
    if (rises(b, place, normal, LEVEL*(box->bound + b->bound)) && ss_geoms_can_meet(s, s->seam[k], other)) return true;
  }
  return false;
}

int ss_drop_seams(const ss_collider_work* w, int a, int b, int n, ss_touch* touch)
{
  const ss_collider* s = w->collider;
  if (s->seam_first[a] == s->seam_end[a] && s->seam_first[b] == s->seam_end[b]) return n;
  int kept = 0;
  for (int i = 0; i < n; i++) {
    ss_vec3 normal = ss_vec3_from(touch[i].frame);
    if (is_inside(w, a, b, touch[i].point_a, normal)) continue;
    if (is_inside(w, b, a, touch[i].point_b, ss_scale(-1, normal))) continue;
    touch[kept++] = touch[i];
  }
  return kept;
}
