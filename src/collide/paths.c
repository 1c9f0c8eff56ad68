// Pairs that need not be asked: how far each geom has moved at most since the run began, and for each listed pair the
// sum of both paths at which the two might be so near as to touch. As the gap cannot shrink by more than both paths
// grow, a pair is asked again only when they, and what both reach beyond themselves, have used up what was between the
// two when it was asked last. This holds however the geoms moved between the calls: a path is what has been seen of it,
// straight from place to place.
#include "collide/work.h"

// Paths begin anew after so many calls: till then their round-off, 2^16 times 2^-53 of them, stays below PATH_ERROR
#define PATH_CALLS 65536
#define PATH_ERROR 1e-11
// Round-off of a gap relative to the numbers that it comes from
#define GAP_ERROR 1e-13

void ss_forget_limits(ss_collider_work* w)
{
  for (size_t k = 0; k < w->n_pair; k++) w->limit[k] = -INFINITY;
}

static void begin(ss_collider_work* w)
{
  for (int g = 0; g < w->collider->n_geom; g++) {
    w->path[g] = 0;
    w->seen[g] = w->placed[g];
  }
  w->paths_end = w->info.calls + PATH_CALLS;
  ss_forget_limits(w);
}

bool ss_plane_stays(const ss_placed* p, const ss_placed* q)
{
  return p->center.x == q->center.x && p->center.y == q->center.y && p->center.z == q->center.z &&
         p->axis.x == q->axis.x && p->axis.y == q->axis.y && p->axis.z == q->axis.z;
}

// The way of the centre, and how far any point of the core moves about it at most; *seen follows. Of a capsule that is
// the way of its ends. Else, with y = z x x, |dR| <= (|dx|^2 + |dz|^2 + (|dx| + |dz|)^2)^1/2 < 3/2 (|dx| + |dz|).
static double follow(const ss_placed* p, ss_placed* seen)
{
  double way = ss_norm(ss_sub(p->center, seen->center));
  seen->center = p->center;
  if (p->bound == 0) return way;
  double turn = ss_norm(ss_sub(p->axis, seen->axis));
  seen->axis = p->axis;
  if (p->shape) {
    turn = 1.5*(turn + ss_norm(ss_sub(p->side, seen->side)));
    seen->side = p->side;
  }
  return way + p->bound*turn;
}

// Planes that belong to the world, fixed to it or not, stay where they are; if not, everything is new. Others have no
// path: their pairs are always asked.
static bool planes_stay(const ss_collider_work* w)
{
  const ss_collider* s = w->collider;
  for (int i = 0; i < s->n_plane; i++) {
    int g = s->plane[i];
    if (s->filter[g].group == SS_WORLD && !ss_plane_stays(w->placed + g, w->seen + g)) return false;
  }
  return true;
}

bool ss_follow_paths(ss_collider_work* w)
{
  const ss_collider* s = w->collider;
  double sum = 0;
  if (w->info.calls >= w->paths_end || !planes_stay(w)) begin(w);
  for (int k = 0; k < s->n_finite; k++) {
    int g = s->finite[k];
    w->path[g] += follow(w->placed + g, w->seen + g);
    w->radius[g] = w->path[g] + w->spread[g];
    sum += w->radius[g];
  }
  for (int i = 0; i < s->n_plane; i++) {
    int g = s->plane[i];
    const ss_placed* p = w->placed + g;
    w->radius[g] = w->spread[g];
    sum += w->radius[g] + fabs(p->center.x) + fabs(p->center.y) + fabs(p->center.z);
  }
  if (sum < INFINITY) return true;
  w->paths_end = 0;  // what is not finite is not followed any further
  return false;
}

// ---- gaps from below -----------------------------------------------------------------------------------------------

// n . (center - o) less what the shape has below its centre at most
static double above_plane(const ss_placed* plane, const ss_placed* b)
{
  double height = ss_dot3(plane->axis, ss_sub(b->center, plane->center)) - b->radius;
  return height - (b->shape ? b->bound : b->half_length*fabs(ss_dot3(plane->axis, b->axis)));
}

// By the spheres about the shapes or, unless they are spheres, their boxes, whichever tells more
static double between(const ss_placed* a, const ss_placed* b)
{
  ss_vec3 d = ss_sub(b->center, a->center);
  double far = ss_norm(d) - (a->bound + a->radius) - (b->bound + b->radius);
  if (a->bound + b->bound == 0) return far;
  ss_vec3 e = ss_add(ss_shape_extent(a), ss_shape_extent(b));
  return fmax(fmax(far, fabs(d.x) - e.x), fmax(fabs(d.y) - e.y, fabs(d.z) - e.z));
}

static double size_of(const ss_placed* p)
{
  return fabs(p->center.x) + fabs(p->center.y) + fabs(p->center.z) + p->bound + p->radius;
}

double ss_keep_limit(ss_collider_work* w, size_t k)
{
  const ss_collider* s = w->collider;
  int ia = w->pair[k].a, ib = w->pair[k].b;
  const ss_placed *a = w->placed + ia, *b = w->placed + ib;
  bool flat_a = s->kind[ia] == SS_SHAPE_PLANE, flat_b = s->kind[ib] == SS_SHAPE_PLANE;
  double gap = flat_a ? above_plane(a, b) : flat_b ? above_plane(b, a) : between(a, b);
  double path = w->path[ia] + w->path[ib];
  gap -= GAP_ERROR*(size_of(a) + size_of(b)) + PATH_ERROR*path;
  bool moving = (flat_a && s->filter[ia].group != SS_WORLD) || (flat_b && s->filter[ib].group != SS_WORLD);
  w->limit[k] = moving ? -INFINITY : gap + path;
  return gap;
}
