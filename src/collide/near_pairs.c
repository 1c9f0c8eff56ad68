// The list of near pairs, kept for several steps [the neighbour lists of Verlet 1967]: each finite geom has a fat box
// around its box. As long as all boxes stay within their fat ones, boxes that overlap are a subset of the list.
#include "collide/work.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Slack of a fat box: so many steps of motion, within bounds in units of the geom's half size. Small slack means
// frequent renewals, large slack many pairs that are tested in vain.
#define STEPS 16
#define SLACK_LEAST 0.06
#define SLACK_FIRST 0.1
#define SLACK_MOST 0.3

bool ss_pairs_reserve(ss_collider_work* w, size_t n)
{
  if (n <= w->pair_room) return true;
  size_t room = w->pair_room + w->pair_room/2 + 64;
  if (room < n) room = n;
  if (room > SIZE_MAX/sizeof *w->pair/2) return false;
  ss_geom_pair* pair = realloc(w->pair, room*sizeof *pair);
  if (pair) w->pair = pair;
  ss_geom_pair* scratch = realloc(w->pair_scratch, room*sizeof *scratch);
  if (scratch) w->pair_scratch = scratch;
  double* limit = realloc(w->limit, room*sizeof *limit);
  if (limit) w->limit = limit;
  if (!pair || !scratch || !limit) return false;
  w->pair_room = room;
  w->info.grown++;
  return true;
}

// One pass of a stable counting sort by b or by a, from `from` to `to`
static void sort_pass(ss_collider_work* w, const ss_geom_pair* from, ss_geom_pair* to, bool by_a)
{
  int n = w->collider->n_geom;
  memset(w->count, 0, sizeof(int)*((size_t)n + 1));
  for (size_t k = 0; k < w->n_pair; k++) w->count[(by_a ? from[k].a : from[k].b) + 1]++;
  for (int g = 0; g < n; g++) w->count[g + 1] += w->count[g];
  for (size_t k = 0; k < w->n_pair; k++) to[w->count[by_a ? from[k].a : from[k].b]++] = from[k];
}

static void sort_pairs(ss_collider_work* w)
{
  sort_pass(w, w->pair, w->pair_scratch, false);
  sort_pass(w, w->pair_scratch, w->pair, true);
}

static bool append(ss_collider_work* w, int a, int b)
{
  if (!ss_geoms_can_meet(w->collider, a, b)) return true;
  if (!ss_pairs_reserve(w, w->n_pair + 1)) return false;
  w->pair[w->n_pair++] = a < b ? (ss_geom_pair){a, b} : (ss_geom_pair){b, a};
  return true;
}

// ---- slack ---------------------------------------------------------------------------------------------------------

static ss_vec3 center_of(const ss_box* b)
{
  return (ss_vec3){0.5*b->lo[0] + 0.5*b->hi[0], 0.5*b->lo[1] + 0.5*b->hi[1], 0.5*b->lo[2] + 0.5*b->hi[2]};
}

static void fatten(ss_collider_work* w, int g)
{
  const ss_box* box = w->box + g;
  const ss_placed* p = w->placed + g;
  ss_vec3 c = center_of(box), d = ss_sub(c, w->renewed_at[g]);
  double size = p->radius + p->bound, slack = SLACK_FIRST*size;
  if (w->last_renewal >= 0) {
    double step = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)))/(double)(w->info.calls - w->last_renewal);
    slack = fmin(fmax(STEPS*step, SLACK_LEAST*size), SLACK_MOST*size);
  }
  for (int i = 0; i < 3; i++) {
    w->fat[g].lo[i] = box->lo[i] - slack;
    w->fat[g].hi[i] = box->hi[i] + slack;
  }
  w->renewed_at[g] = c;
}

// ---- planes --------------------------------------------------------------------------------------------------------

// How far the lowest corner of a box is above a plane, less what round-off may have added
static double above(const ss_placed* plane, const ss_box* b)
{
  ss_vec3 n = plane->axis;
  ss_vec3 corner = {n.x > 0 ? b->lo[0] : b->hi[0], n.y > 0 ? b->lo[1] : b->hi[1], n.z > 0 ? b->lo[2] : b->hi[2]};
  ss_vec3 d = ss_sub(corner, plane->center);
  return ss_dot3(n, d) - 1e-14*(ss_norm(d) + ss_norm(corner));
}

// Planes of the world against what is near them, planes that can move against everything. Spread may double.
static bool plane_pairs(ss_collider_work* w)
{
  const ss_collider* s = w->collider;
  for (int i = 0; i < s->n_plane; i++) {
    int g = s->plane[i];
    const ss_placed* plane = w->placed + g;
    w->plane_at[i] = *plane;
    w->plane_spread[i] = 2*w->spread[g];
    for (int k = 0; k < s->n_finite; k++) {
      if (s->filter[g].group == SS_WORLD && above(plane, w->fat + s->finite[k]) > w->plane_spread[i]) continue;
      if (!append(w, g, s->finite[k])) return false;
    }
  }
  return true;
}

// ---- the list ------------------------------------------------------------------------------------------------------

bool ss_renew_pairs(ss_collider_work* w)
{
  const ss_collider* s = w->collider;
  w->n_pair = 0;
  for (int k = 0; k < s->n_finite; k++) fatten(w, s->finite[k]);
  if (!ss_tree_pairs(w) || !plane_pairs(w)) {
    w->last_renewal = -1;
    return false;
  }
  sort_pairs(w);
  ss_forget_limits(w);
  w->last_renewal = w->info.calls;
  w->info.renewals++;
  return true;
}

bool ss_list_all_pairs(ss_collider_work* w, size_t most)
{
  const ss_collider* s = w->collider;
  size_t n = (size_t)s->n_finite;
  w->n_pair = 0;
  if (n*n > 64*most) return false;
  for (size_t k = 0; k < n; k++)
    for (size_t l = k + 1; l < n; l++)
      if (!append(w, s->finite[k], s->finite[l])) return false;
  if (w->n_pair > most) return false;
  for (int i = 0; i < s->n_plane; i++)
    for (size_t k = 0; k < n; k++)
      if (!append(w, s->plane[i], s->finite[k])) return false;
  sort_pairs(w);
  return true;
}
