// Contacts by their keys, wherever they are, and M, W and the bias as matrices: what the event-driven integrator asks
// for. Only contacts whose gap is a smooth function of the position can be followed:
//   plane    spheres; ends of capsules, corners of boxes and of meshes with up to eight of them, each by itself
//            cylinders, as long as they lean: the lowest point of either rim; upright: four points fixed to a rim
//   sphere   spheres, capsules, boxes, cylinders, ellipsoids, meshes: the nearest point, which passes smoothly from
//            side to end, from face to edge
//   ellipsoid  all of these, planes and ellipsoids: likewise
//   box      capsules: the ends of the axis, its nearest points to edges and corners
//   capsule  capsules: likewise the nearest point, as long as they do not lie side by side
// Second derivatives of the latter jump where the nearest point passes from one feature to the next.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "collide/hull.h"
#include "machine/machine.h"

// Two points of a pair of capsules, both nearer than this part of their radii, touch side by side
#define SIDE_BY_SIDE 1e-6

// Contacts of smooth pairs that are followed: boxes, ellipsoids, cylinders in heaps would take for ever
#define MOST_SMOOTH 100

// Of the terms of its gap: a contact is near its end
#define NEARLY 1e-6

// Rows below this part of the longest row of their contact are round-off: nothing can move there (planar mechanisms)
#define CANNOT_MOVE 1e-12

static bool is_capsules(const ss_machine* m, uint64_t key)
{
  const unsigned char* kind = m->collider->kind;
  return kind[ss_key_geom_a(key)] == SS_SHAPE_CAPSULE && kind[ss_key_geom_b(key)] == SS_SHAPE_CAPSULE;
}

static bool is_smooth(const ss_machine* m, uint64_t key)
{
  const unsigned char* kind = m->collider->kind;
  return ss_touch_is_smooth((ss_shape_kind)kind[ss_key_geom_a(key)], (ss_shape_kind)kind[ss_key_geom_b(key)]);
}

uint64_t ss_machine_watch(const ss_at* at, uint64_t key)
{
  const ss_machine* m = at->user;
  const ss_machine_work* w = at->scratch;
  int a = ss_key_geom_a(key), b = ss_key_geom_b(key);
  if (key & (SS_KEY_LIMIT | SS_KEY_SPIN | SS_KEY_ROLL)) return key;
  if (is_capsules(m, key)) return ss_touch_key(a, b, 0);
  if (!is_smooth(m, key)) return key;
  const unsigned char* kind = m->collider->kind;
  const ss_placed* placed = ss_collider_placed(w->collider);
  int feature = ss_smooth_feature((ss_shape_kind)kind[a], placed + a, (ss_shape_kind)kind[b], placed + b,
                                  ss_key_feature(key));
  return ss_touch_key(a, b, feature);
}

// That of a key whose pair is smooth, where the shapes were placed last
static bool smooth_touch(const ss_machine_work* w, uint64_t key, ss_touch* touch, ss_border* border)
{
  const unsigned char* kind = w->machine->collider->kind;
  const ss_placed* placed = ss_collider_placed(w->collider);
  int a = ss_key_geom_a(key), b = ss_key_geom_b(key);
  return ss_touch_smooth((ss_shape_kind)kind[a], placed + a, (ss_shape_kind)kind[b], placed + b, ss_key_feature(key),
                         touch, border) == 1;
}

uint64_t ss_machine_next(const ss_at* at, uint64_t key)
{
  const ss_machine_work* w = at->scratch;
  ss_touch touch;
  ss_border border;
  if (key & SS_KEY_LIMIT || !w->collider || !is_smooth(w->machine, key)) return 0;
  if (!smooth_touch(w, key, &touch, &border) || border.next < 0) return 0;
  return ss_touch_key(ss_key_geom_a(key), ss_key_geom_b(key), border.next);
}

// ---- one contact ---------------------------------------------------------------------------------------------------

static bool can_follow(const ss_machine_work* w, int a, int b)
{
  const ss_collider* c = w->machine->collider;
  ss_shape_kind low = (ss_shape_kind)c->kind[a], high = (ss_shape_kind)c->kind[b];
  int solid = low > high ? a : b;
  if (low > high) {
    ss_shape_kind k = low;
    low = high;
    high = k;
  }
  if (low == SS_SHAPE_PLANE && high == SS_SHAPE_MESH)
    return c->geom[solid].shape.hull && c->geom[solid].shape.hull->n_vertex <= SS_TOUCH_MOST;
  if (ss_touch_is_smooth(low, high)) return true;
  if (low == SS_SHAPE_PLANE || low == SS_SHAPE_SPHERE) return high <= SS_SHAPE_BOX;
  return low == SS_SHAPE_CAPSULE && high == SS_SHAPE_CAPSULE;
}

static ss_status refuse(const ss_machine_work* w, const ss_at* at, int a, int b, const char* why)
{
  const ss_machine* m = w->machine;
  snprintf(at->message, SS_AT_MESSAGE, "'%.30s' (%s) and '%.30s' (%s) %s", m->geom_name[a],
           ss_shape_name((ss_shape_kind)m->collider->kind[a]), m->geom_name[b],
           ss_shape_name((ss_shape_kind)m->collider->kind[b]), why);
  return SS_ERR_ARGUMENT;
}

// The nearest of n points
static int nearest(int n, const ss_touch* touch)
{
  int best = 0;
  for (int i = 1; i < n; i++)
    if (touch[i].gap < touch[best].gap) best = i;
  return best;
}

static bool side_by_side(int n, const ss_touch* touch)
{
  int near = 0;
  for (int i = 0; i < n; i++) near += touch[i].gap < SIDE_BY_SIDE*(touch[i].radius_a + touch[i].radius_b);
  return near > 1;
}

// A contact of a smooth pair; those that take the place of rims that end cannot be followed
static ss_status find_smooth(ss_machine_work* w, const ss_at* at, uint64_t key, ss_touch* out, ss_border* border)
{
  const unsigned char* kind = w->machine->collider->kind;
  int a = ss_key_geom_a(key), b = ss_key_geom_b(key), feature = ss_key_feature(key);
  bool rim = (kind[a] == SS_SHAPE_PLANE || kind[b] == SS_SHAPE_PLANE) && feature >= SS_RIM_FLAT;
  if (rim && feature == SS_RIM_FLAT)
    return refuse(w, at, a, b, "come to lie flat: 'event' cannot follow a rim there");
  if (rim) return refuse(w, at, a, b, "tip: 'event' cannot follow an upright cylinder there");
  return smooth_touch(w, key, out, border) ? SS_OK : refuse(w, at, a, b, "have no distance");
}

// The contact of this key, one of the pair's, into touch; SS_ERR_ARGUMENT if it cannot be followed
static ss_status find_touch(ss_machine_work* w, const ss_at* at, uint64_t key, ss_touch* out, ss_border* border)
{
  const ss_collider* c = w->machine->collider;
  int a = ss_key_geom_a(key), b = ss_key_geom_b(key), k = 0, feature = ss_key_feature(key);
  if (!can_follow(w, a, b))
    return refuse(w, at, a, b, "come near: their contact points jump, 'event' cannot follow them");
  const ss_placed* placed = ss_collider_placed(w->collider);
  ss_touch touch[SS_TOUCH_MOST];
  ss_shape_kind kind_a = (ss_shape_kind)c->kind[a], kind_b = (ss_shape_kind)c->kind[b];
  if (is_smooth(w->machine, key)) return find_smooth(w, at, key, out, border);
  int n = ss_touch_placed(kind_a, placed + a, kind_b, placed + b, INFINITY, touch);
  if (is_capsules(w->machine, key)) {
    if (side_by_side(n, touch))
      return refuse(w, at, a, b, "touch side by side; 'event' follows only their nearest point");
    k = n ? nearest(n, touch) : 0;
  } else {
    while (k < n && touch[k].feature != feature) k++;
  }
  if (k >= n) return refuse(w, at, a, b, "have no distance");
  *out = touch[k];
  return SS_OK;
}

static double room_rate(ss_machine_work* w, const ss_at* at, const ss_touch* touch, const ss_border* border)
{
  ss_machine_set_velocity(w, at->u);
  ss_vec3 a = ss_machine_velocity_at(w, touch->body_a, border->at);
  return ss_dot3(border->way, ss_sub(ss_machine_velocity_at(w, touch->body_b, border->at), a));
}

static ss_status follow_touch(ss_machine_work* w, const ss_at* at, uint64_t key)
{
  const ss_collider* c = w->machine->collider;
  int a = ss_key_geom_a(key), b = ss_key_geom_b(key);
  ss_border border = {.room = INFINITY, .next = -1};
  ss_touch touch;
  if (!w->collider || a >= c->n_geom || b >= c->n_geom) return SS_ERR_ARGUMENT;  // not one that this scene has listed
  ss_status st = find_touch(w, at, key, &touch, &border);
  if (st < 0) return st;
  touch.key = key;
  touch.geom_a = a;
  touch.geom_b = b;
  touch.body_a = c->geom[a].body;
  touch.body_b = c->geom[b].body;
  if (!ss_machine_add_touch(w, &touch)) return SS_ERR_MEMORY;
  w->touch[w->n_item - 1] = touch;
  ss_contact_item* item = w->item + w->n_item - 1;
  item->room = border.room;
  item->room_rate = at->u && border.room <= NEARLY*item->size ? room_rate(w, at, &touch, &border) : 0;
  return SS_OK;
}

// Heaps
static ss_status count_smooth(const ss_machine_work* w, const ss_at* at, int n, const uint64_t* key)
{
  int count = 0;
  for (int i = 0; i < n && w->collider; i++) {
    int a = ss_key_geom_a(key[i]), b = ss_key_geom_b(key[i]);
    if (key[i] & SS_KEY_LIMIT || a >= w->machine->n_geom || b >= w->machine->n_geom) continue;
    count += is_smooth(w->machine, key[i]);
    if (count > MOST_SMOOTH)
      return refuse(w, at, a, b, "are among more than 100 contacts of such shapes, too many for 'event'");
  }
  return SS_OK;
}

// ---- all of them ---------------------------------------------------------------------------------------------------

ss_status ss_machine_follow(const ss_at* at, int n, const uint64_t* key, const ss_contact_item** item)
{
  ss_machine_work* w = at->scratch;
  ss_machine_place_bodies(w);
  if (!ss_machine_place_loops(w)) return SS_ERR_MEMORY;
  w->n_item = 0;
  w->n_node = w->n_loop_node;
  w->n_row = w->machine->n_bilateral;
  if (w->collider) ss_machine_place_shapes(w);
  ss_status many = count_smooth(w, at, n, key);
  if (many < 0) return many;
  for (int i = 0; i < n; i++) {
    ss_status st = SS_OK;
    if (!(key[i] & SS_KEY_LIMIT)) st = follow_touch(w, at, key[i]);
    else if (!ss_machine_follow_joint(w, at, key[i])) st = SS_ERR_MEMORY;
    if (st < 0) return st;
    if (key[i] & SS_KEY_LIMIT) w->item[w->n_item - 1].room = INFINITY;
  }
  *item = w->item;
  return SS_OK;
}

ss_status ss_machine_mass(const ss_at* at, double* M)
{
  ss_machine_work* w = at->scratch;
  if (!w->mass) w->mass = ss_tree_mass_create(w->machine->tree, NULL);
  if (!w->mass) return SS_ERR_MEMORY;
  ss_tree_mass_update(w->mass, w->tree);
  ss_tree_mass_dense(w->mass, M);
  return SS_OK;
}

// The rows of one node; those that nothing moves are cleared
static void fill_rows(const ss_machine_work* w, const ss_tree_node* node, double* W)
{
  int nv = w->machine->nv, *col = w->col;
  double length[3] = {0, 0, 0}, most = 0;
  memset(W, 0, sizeof(double)*(size_t)(node->rows*nv));
  for (int r = 0; r < node->rows; r++) {
    int n = ss_tree_node_row(w->tree, node, r, col, w->value);
    for (int i = 0; i < n; i++) {
      W[r*nv + col[i]] = w->value[i];
      length[r] = fmax(length[r], fabs(w->value[i]));
    }
    most = fmax(most, length[r]);
  }
  for (int r = 0; r < node->rows; r++)
    if (length[r] <= CANNOT_MOVE*most) memset(W + r*nv, 0, sizeof(double)*(size_t)nv);
}

void ss_machine_row_matrix(const ss_at* at, double* W)
{
  const ss_machine_work* w = at->scratch;
  for (int k = 0, row = 0; k < w->n_node; row += w->node[k++].rows) fill_rows(w, w->node + k, W + row*w->machine->nv);
}

void ss_machine_row_bias(const ss_at* at, double* w_bar)
{
  ss_machine_work* w = at->scratch;
  ss_machine_set_velocity(w, at->u);
  ss_tree_node_velocity(w->tree, w->n_node, w->node, NULL, w_bar);
  ss_machine_add_loop_bias(w, w_bar);
  for (int i = 0, row = w->machine->n_bilateral; i < w->n_item; row += ss_contact_rows(w->item[i++].law->kind)) {
    const ss_contact_item* item = w->item + i;
    if (item->key & SS_KEY_LIMIT) {
      w_bar[row] += ss_machine_joint_bias(w->machine, at, item->key);
      continue;
    }
    ss_point_motion a, b;
    ss_touch_change change;
    ss_tree_point_velocity(w->tree, item->body_a, item->point, a.angular, a.linear);
    ss_tree_point_velocity(w->tree, item->body_b, item->point, b.angular, b.linear);
    ss_touch_rate(w->touch + i, &a, &b, &change);
    if (((const ss_touch_law*)item->law)->directed) ss_machine_direct_bias(w, item, w->touch + i, &change);
    for (int k = 0; k < ss_contact_rows(item->law->kind); k++) w_bar[row + k] += change.w_bar[k];
  }
}
