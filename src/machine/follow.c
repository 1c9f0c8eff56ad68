// Contacts by their keys, wherever they are, and M, W and the bias as matrices: what the event-driven integrator asks
// for. Only contacts whose gap is a smooth function of the position can be followed:
//   plane    spheres; ends of capsules, corners of boxes and of meshes with up to eight of them, each by itself
//   sphere   spheres, capsules, boxes: the nearest point, which passes smoothly from side to end, from face to edge
//   capsule  capsules: likewise the nearest point, as long as they do not lie side by side
// Second derivatives of the latter jump where the nearest point passes from one feature to the next.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "collide/hull.h"
#include "machine/machine.h"

// Two points of a pair of capsules, both nearer than this part of their radii, touch side by side
#define SIDE_BY_SIDE 1e-6

// Rows below this part of the longest row of their contact are round-off: nothing can move there (planar mechanisms)
#define CANNOT_MOVE 1e-12

static bool is_capsules(const ss_machine* m, uint64_t key)
{
  const unsigned char* kind = m->collider->kind;
  return kind[ss_key_geom_a(key)] == SS_SHAPE_CAPSULE && kind[ss_key_geom_b(key)] == SS_SHAPE_CAPSULE;
}

uint64_t ss_machine_watch(const ss_at* at, uint64_t key)
{
  if (key & (SS_KEY_LIMIT | SS_KEY_SPIN | SS_KEY_ROLL) || !is_capsules(at->user, key)) return key;
  return ss_touch_key(ss_key_geom_a(key), ss_key_geom_b(key), 0);
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

static ss_status follow_touch(ss_machine_work* w, const ss_at* at, uint64_t key)
{
  const ss_collider* c = w->machine->collider;
  int a = ss_key_geom_a(key), b = ss_key_geom_b(key), k = 0;
  if (!w->collider || a >= c->n_geom || b >= c->n_geom) return SS_ERR_ARGUMENT;  // not one that this scene has listed
  if (!can_follow(w, a, b))
    return refuse(w, at, a, b, "come near: their contact points jump, 'event' cannot follow them");
  const ss_placed* placed = ss_collider_placed(w->collider);
  ss_touch touch[SS_TOUCH_MOST];
  ss_shape_kind kind_a = (ss_shape_kind)c->kind[a], kind_b = (ss_shape_kind)c->kind[b];
  int n = ss_touch_placed(kind_a, placed + a, kind_b, placed + b, INFINITY, touch);
  if (is_capsules(w->machine, key)) {
    if (side_by_side(n, touch))
      return refuse(w, at, a, b, "touch side by side; 'event' follows only their nearest point");
    k = n ? nearest(n, touch) : 0;
  } else {
    while (k < n && touch[k].feature != ss_key_feature(key)) k++;
  }
  if (k >= n) return refuse(w, at, a, b, "have no distance");
  touch[k].key = key;
  touch[k].geom_a = a;
  touch[k].geom_b = b;
  touch[k].body_a = c->geom[a].body;
  touch[k].body_b = c->geom[b].body;
  if (!ss_machine_add_touch(w, touch + k)) return SS_ERR_MEMORY;
  w->touch[w->n_item - 1] = touch[k];
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
  for (int i = 0; i < n; i++) {
    ss_status st = SS_OK;
    if (!(key[i] & SS_KEY_LIMIT)) st = follow_touch(w, at, key[i]);
    else if (!ss_machine_follow_joint(w, at, key[i])) st = SS_ERR_MEMORY;
    if (st < 0) return st;
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
