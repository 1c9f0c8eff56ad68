// Seams: where boxes of one body lie flush with one another, their edges and the faces between them are inside of what
// they make up together. A contact at a place of a box counts only along a normal N for which that is the highest place
// around, N . (neighbour - place) <= 0, as on height fields (heights_touch.c). The place is that of all points of the
// box which are equally high along N: a corner, an edge or a face; looked at a little way into it, so that a box that
// stands on another one keeps the contacts at its foot.
#include <stdlib.h>
#include "collide/work.h"

// Part of a size by which a neighbour may be higher, or beside the place; sine below which an axis is across the normal
#define LEVEL 1e-6
// How far into an edge or a face it is looked at, as a part of half of its length
#define INTO 0.01

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

typedef struct item { double low; int geom; ss_placed placed; } item;

static int by_low(const void* a, const void* b)
{
  const item *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  return p->geom - q->geom;
}

static bool is_neighbour(const ss_collider* s, const item* a, const item* b)
{
  if (s->geom[a->geom].body != s->geom[b->geom].body) return false;
  return !is_apart(&a->placed, &b->placed) && !is_apart(&b->placed, &a->placed);
}

// Goes over all pairs of neighbours, along x; counts them, or lists them where count is known
static void each_pair(ss_collider* s, const item* list, int n, bool lists)
{
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n && list[k].low <= list[i].placed.center.x + (1 + LEVEL)*list[i].placed.bound; k++) {
      if (!is_neighbour(s, list + i, list + k)) continue;
      int a = list[i].geom, b = list[k].geom;
      if (lists) s->seam[s->seam_end[a]] = b;
      if (lists) s->seam[s->seam_end[b]] = a;
      s->seam_end[a]++;
      s->seam_end[b]++;
    }
}

bool ss_find_seams(ss_collider* s)
{
  item* list = calloc((size_t)s->n_finite + 1, sizeof *list);
  int n = 0, sum = 0;
  s->seam_first = calloc((size_t)s->n_geom + 1, sizeof *s->seam_first);
  s->seam_end = calloc((size_t)s->n_geom + 1, sizeof *s->seam_end);
  for (int k = 0; list && k < s->n_finite; k++) {
    const ss_geom* geom = s->geom + s->finite[k];
    if (geom->shape.kind != SS_SHAPE_BOX) continue;
    item* x = list + n++;
    x->geom = s->finite[k];
    x->placed = ss_shape_place(&geom->shape, geom->position, geom->turn);
    x->low = x->placed.center.x - (1 + LEVEL)*x->placed.bound;
  }
  bool good = list && s->seam_first && s->seam_end;
  if (good && n) qsort(list, (size_t)n, sizeof *list, by_low);
  if (good) each_pair(s, list, n, false);
  for (int g = 0; good && g < s->n_geom; g++) {
    s->seam_first[g] = sum;
    sum += s->seam_end[g];
    s->seam_end[g] = s->seam_first[g];
  }
  s->seam = good ? calloc((size_t)sum + 1, sizeof *s->seam) : NULL;
  if (s->seam) each_pair(s, list, n, true);
  free(list);
  return s->seam != NULL;
}

// ---- contacts ------------------------------------------------------------------------------------------------------

// The place on box p that a contact stands for, a little way into its edge or face
static ss_vec3 place_of(const ss_placed* p, ss_vec3 point, ss_vec3 normal)
{
  ss_vec3 x = ss_to_local(p, ss_sub(point, p->center)), n = ss_to_local(p, normal);
  const double* half = p->shape->half;
  double at[] = {x.x, x.y, x.z}, along[] = {n.x, n.y, n.z};
  for (int i = 0; i < 3; i++)
    if (fabs(along[i]) < LEVEL && fabs(at[i]) > (1 - INTO)*half[i]) at[i] = copysign((1 - INTO)*half[i], at[i]);
  return ss_add(p->center, ss_to_world(p, (ss_vec3){at[0], at[1], at[2]}));
}

// Box b holds the place and goes on beyond it along the normal
static bool rises(const ss_placed* b, ss_vec3 place, ss_vec3 normal, double slack)
{
  ss_vec3 x = ss_to_local(b, ss_sub(place, b->center)), n = ss_to_local(b, normal);
  const double *half = b->shape->half, at[] = {x.x, x.y, x.z}, along[] = {n.x, n.y, n.z};
  double higher = 0;
  for (int i = 0; i < 3; i++) {
    if (fabs(at[i]) > half[i] + slack) return false;
    higher += half[i]*fabs(along[i]) - at[i]*along[i];
  }
  return higher > 2*slack + LEVEL*b->bound;
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
