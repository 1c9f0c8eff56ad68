// Finds the contacts of a scene: places the shapes, keeps the list of near pairs, asks the pairs of it (ask.c).
#include <stdlib.h>
#include "base/text.h"
#include "collide/work.h"

// So few pairs are all listed once and for all (bench_collide)
#define ALL_PAIRS 300

// ---- life ----------------------------------------------------------------------------------------------------------

static bool allocate(ss_collider_work* w)
{
  const ss_collider* s = w->collider;
  size_t n = (size_t)s->n_geom + 1, f = (size_t)s->n_finite + 1, p = (size_t)s->n_plane + 1;
  w->n_leaf = 1;
  while ((size_t)w->n_leaf*SS_LEAF < f) w->n_leaf *= 2;
  w->placed = calloc(n, sizeof *w->placed);
  w->spread = calloc(n, sizeof *w->spread);
  w->seen = calloc(n, sizeof *w->seen);
  w->path = calloc(n, sizeof *w->path);
  w->radius = calloc(n, sizeof *w->radius);
  w->box = calloc(n, sizeof *w->box);
  w->fat = calloc(n, sizeof *w->fat);
  w->renewed_at = calloc(n, sizeof *w->renewed_at);
  w->plane_at = calloc(p, sizeof *w->plane_at);
  w->plane_spread = calloc(p, sizeof *w->plane_spread);
  w->node = calloc(2*(size_t)w->n_leaf, sizeof *w->node);
  w->leaf_box = calloc(f, sizeof *w->leaf_box);
  w->coded = calloc(f, sizeof *w->coded);
  w->coded_scratch = calloc(f, sizeof *w->coded_scratch);
  w->count = calloc(n + 1, sizeof *w->count);
  w->touch_room = 4*f + SS_TOUCH_MOST;
  w->touch = calloc(w->touch_room, sizeof *w->touch);
  return w->placed && w->spread && w->seen && w->path && w->radius && w->box && w->fat && w->renewed_at &&
         w->plane_at && w->plane_spread && w->node && w->leaf_box && w->coded && w->coded_scratch && w->count &&
         w->touch && ss_pairs_reserve(w, 8*f);
}

// Sizes, and the geoms of the world for good
static void place_sizes(ss_collider_work* w)
{
  const ss_collider* s = w->collider;
  for (int k = 0; k < s->n_finite + s->n_plane; k++) {
    int g = k < s->n_finite ? s->finite[k] : s->plane[k - s->n_finite];
    const ss_geom* geom = s->geom + g;
    w->placed[g] = ss_shape_place(&geom->shape, geom->position, geom->turn);
  }
}

ss_collider_work* ss_collider_work_create(const ss_collider* collider, ss_error* error)
{
  if (!collider) {
    ss_error_null(error, "the collider");
    return NULL;
  }
  ss_collider_work* w = calloc(1, sizeof *w);
  if (w) w->collider = collider;
  if (!w || !allocate(w)) {
    ss_error_set(error, SS_ERR_MEMORY, "scene: no memory for the work of %d geoms", collider->n_geom);
    ss_collider_work_destroy(w);
    return NULL;
  }
  place_sizes(w);
  w->last_renewal = -1;
  w->info.all_pairs = ss_list_all_pairs(w, ALL_PAIRS);
  w->info.grown = 0;
  return w;
}

void ss_collider_work_destroy(ss_collider_work* w)
{
  if (!w) return;
  void* const all[] = {w->placed, w->spread,   w->box,   w->fat,           w->renewed_at, w->plane_at, w->plane_spread,
                       w->node,   w->leaf_box, w->coded, w->coded_scratch, w->count,      w->pair,     w->pair_scratch,
                       w->touch,  w->seen,     w->path,  w->radius,        w->limit,      w->asked,    w->asked_touch};
  for (size_t i = 0; i < sizeof all/sizeof *all; i++) free(all[i]);
  free(w);
}

ss_collider_counts ss_collider_info(const ss_collider_work* w) { return w ? w->info : (ss_collider_counts){0}; }

// ---- stages --------------------------------------------------------------------------------------------------------

static bool valid(const ss_collider* s, const ss_pose* body, double margin, const double* reach)
{
  if (!(margin >= 0 && margin <= 1e100)) return false;
  for (int b = 0; b < s->n_body; b++)
    if (!ss_pose_valid(body + b) || (reach && !(reach[b] >= 0 && reach[b] <= 1e100))) return false;
  return true;
}

// How far a geom reaches beyond itself
static void set_spread(ss_collider_work* w, double margin, const double* reach, int g)
{
  const ss_geom* geom = w->collider->geom + g;
  w->spread[g] = 0.5*margin + geom->margin;
  if (reach && geom->body != SS_WORLD) w->spread[g] += reach[geom->body];
}

static void place(ss_collider_work* w, const ss_pose* body, int g)
{
  const ss_geom* geom = w->collider->geom + g;
  if (geom->body == SS_WORLD) return;  // it stays where it is
  if (geom->central) {
    w->placed[g].center = ss_vec3_from(body[geom->body].position);
    return;
  }
  ss_quat turn = ss_pose_turn(body + geom->body);
  ss_vec3 at = ss_add(ss_vec3_from(body[geom->body].position), ss_quat_rotate(turn, geom->position));
  if (geom->shape.kind == SS_SHAPE_SPHERE)
    w->placed[g].center = at;
  else
    w->placed[g] = ss_shape_place(&geom->shape, at, ss_quat_mul(turn, geom->turn));
}

// The box of a finite geom; false if it has left its fat box
static bool enclose(ss_collider_work* w, int g)
{
  const ss_placed* p = w->placed + g;
  bool round = p->bound == 0;
  ss_vec3 half = round ? (ss_vec3){p->radius, p->radius, p->radius} : ss_shape_extent(p);
  const double c[3] = {p->center.x, p->center.y, p->center.z}, e[3] = {half.x, half.y, half.z};
  ss_box *box = w->box + g, *fat = w->fat + g;
  bool inside = true;
  for (int i = 0; i < 3; i++) {
    double h = (e[i] + w->spread[g])*(1 + 1e-14) + 1e-15*fabs(c[i]);  // outwards by more than round-off
    box->lo[i] = c[i] - h;
    box->hi[i] = c[i] + h;
    inside &= box->lo[i] >= fat->lo[i] && box->hi[i] <= fat->hi[i];
  }
  return inside;
}

// The list says nothing of planes elsewhere than they were, unless they are listed with everything
static bool plane_holds(const ss_collider_work* w, int i)
{
  int g = w->collider->plane[i];
  if (w->collider->filter[g].group != SS_WORLD) return true;
  return ss_plane_stays(w->placed + g, w->plane_at + i) && w->spread[g] <= w->plane_spread[i];
}

// False if the list of near pairs must be made anew
static bool list_holds(ss_collider_work* w)
{
  const ss_collider* s = w->collider;
  bool holds = w->last_renewal >= 0;
  if (w->info.all_pairs) return true;
  for (int k = 0; k < s->n_finite; k++) holds &= enclose(w, s->finite[k]);
  for (int i = 0; i < s->n_plane; i++) holds &= plane_holds(w, i);
  return holds;
}

static ss_status find(ss_collider_work* w, double margin, const double* reach, ss_pool* pool, const ss_touch** touch,
                      int* n)
{
  const ss_collider* s = w->collider;
  for (int k = 0; k < s->n_finite; k++) set_spread(w, margin, reach, s->finite[k]);
  for (int i = 0; i < s->n_plane; i++) set_spread(w, margin, reach, s->plane[i]);
  w->info.calls++;
  if (!ss_follow_paths(w)) return SS_ERR_ARGUMENT;
  if (!list_holds(w) && !ss_renew_pairs(w)) return SS_ERR_MEMORY;
  if (!ss_ask_pairs(w, pool)) return SS_ERR_MEMORY;
  if (w->n_touch > (size_t)1 << 30) return SS_ERR_CAPACITY;
  w->info.listed = (int)w->n_pair;
  w->info.touches = (int)w->n_touch;
  *touch = w->touch;
  *n = (int)w->n_touch;
  return SS_OK;
}

ss_status ss_collider_find(ss_collider_work* w, const ss_pose* body, double margin, const double* reach,
                        const ss_touch** touch, int* n)
{
  if (!w || (!body && w->collider->n_body) || !touch || !n) return SS_ERR_ARGUMENT;
  const ss_collider* s = w->collider;
  if (!valid(s, body, margin, reach)) return SS_ERR_ARGUMENT;
  for (int k = 0; k < s->n_finite; k++) place(w, body, s->finite[k]);
  for (int i = 0; i < s->n_plane; i++) place(w, body, s->plane[i]);
  return find(w, margin, reach, NULL, touch, n);
}

ss_placed* ss_collider_placed(ss_collider_work* w) { return w->placed; }

ss_status ss_collider_find_placed(ss_collider_work* w, double margin, const double* reach, ss_pool* pool,
                                  const ss_touch** touch, int* n)
{
  if (!(margin >= 0 && margin <= 1e100)) return SS_ERR_ARGUMENT;
  return find(w, margin, reach, pool, touch, n);
}

// ---- reach ---------------------------------------------------------------------------------------------------------

// How far the geoms of the scene are from a point, at most
static double farthest(const ss_collider* s, const ss_pose* body, ss_vec3 from)
{
  double most = 0;
  for (int k = 0; k < s->n_finite; k++) {
    const ss_geom* g = s->geom + s->finite[k];
    double arm = g->body == SS_WORLD ? ss_norm(g->position) + ss_shape_bound(&g->shape) : s->arm[g->body];
    ss_vec3 at = g->body == SS_WORLD ? (ss_vec3){0, 0, 0} : ss_vec3_from(body[g->body].position);
    double radius = g->shape.kind <= SS_SHAPE_CAPSULE ? g->shape.radius : 0;
    most = fmax(most, ss_norm(ss_sub(at, from)) + arm + radius);
  }
  return most;
}

void ss_collider_reach(const ss_collider* s, const ss_pose* body, const ss_twist* twist, double dt, double* reach)
{
  if (!s || !body || !twist || !reach) return;
  for (int b = 0; b < s->n_body; b++) {
    ss_vec3 v = ss_vec3_from(twist[b].linear), w = ss_vec3_from(twist[b].angular);
    reach[b] = fabs(dt)*(ss_norm(v) + ss_norm(w)*s->arm[b]);
  }
  for (int i = 0; i < s->n_plane; i++) {
    int b = s->geom[s->plane[i]].body;
    if (b == SS_WORLD) continue;
    double w = ss_norm(ss_vec3_from(twist[b].angular)), v = ss_norm(ss_vec3_from(twist[b].linear));
    if (w > 0) reach[b] = fmax(reach[b], fabs(dt)*(v + w*farthest(s, body, ss_vec3_from(body[b].position))));
  }
}
