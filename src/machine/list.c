// The list of contacts: shapes by the collider, limits and friction of joints behind them. Sorted by key.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "machine/machine.h"
#include "multibody/node.h"

// Resting contacts may be apart by round-off, and are found nevertheless: within so much of the scene's size
#define NEAR 1e-9

// Directions in which joints let nothing move, as across the plane of an arm that lies on a table, are round-off. They
// are zero: in its own unit such a row could carry any load, and rub with it.
static void clear_round_off(const ss_machine_work* w, ss_tree_node* node)
{
  for (int r = 0; r < node->rows; r++)
    if (!ss_tree_node_can_move(w->tree, node, r)) memset(node->frame + 3*r, 0, sizeof(double[3]));
}

bool ss_machine_add_touch(ss_machine_work* w, const ss_touch* t)
{
  ss_contact_item* item = ss_machine_add_item(w);
  if (!item) return false;
  item->key = t->key;
  const ss_touch_law* law = ss_machine_law(w->machine, t->geom_a, t->geom_b);
  item->law = &law->law;
  item->gap = t->gap;
  item->size = t->radius_a + t->radius_b;
  for (int i = 0; i < 3; i++) item->size += fabs(t->frame[i]*t->point[i]);
  for (int side = 0; side < 2; side++) {  // terms may cancel: ways to the bodies and from there
    int body = side ? t->body_b : t->body_a;
    if (body < 0) continue;
    double o[3];
    ss_vec3_to(ss_tree_origin(w->tree, body), o);
    for (int i = 0; i < 3; i++) item->size += fabs(t->frame[i]*o[i]) + fabs(t->frame[i]*(t->point[i] - o[i]));
  }
  double thick = fmin(w->machine->thin[t->geom_a], w->machine->thin[t->geom_b]);
  item->thick = thick < INFINITY ? thick : 0;
  item->body_a = t->body_a;
  item->body_b = t->body_b;
  memcpy(item->point, t->point, sizeof item->point);
  memcpy(item->frame, t->frame, sizeof item->frame);
  ss_tree_node* node = ss_machine_add_node(w, ss_contact_rows(item->law->kind));
  if (!node) return false;
  node->body_a = t->body_a;
  node->body_b = t->body_b;
  memcpy(node->point_a, t->point, sizeof node->point_a);
  memcpy(node->point_b, t->point, sizeof node->point_b);
  if (law->directed) ss_machine_direct(w, law, item->frame);
  memcpy(node->frame, item->frame, sizeof node->frame);
  if (law->stretch != 1) {
    item->stretch[0] = 1;
    item->stretch[1] = law->stretch;
    for (int i = 6; i < 9; i++) node->frame[i] *= law->stretch;
  }
  clear_round_off(w, node);
  return true;
}

// Within what the bodies move in dt, and the little that gravity may add
static ss_status list_touches(ss_machine_work* w, const ss_at* at, double dt)
{
  const ss_machine* m = w->machine;
  const ss_touch* touch = NULL;
  int n = 0;
  bool moves = dt != 0 && at->u;
  double margin = m->gravity*dt*dt + NEAR*m->length;
  if (moves) ss_machine_reach(w, at->u, dt);
  ss_machine_place_shapes(w);
  ss_status st = ss_collider_find_placed(w->collider, margin, moves ? w->reach : NULL, at->pool, &touch, &n);
  if (st == SS_ERR_ARGUMENT)
    snprintf(at->message, SS_AT_MESSAGE, "the pose or the velocity of a body is not finite");
  if (st < 0) return st == SS_ERR_ARGUMENT ? SS_ERR_NUMERIC : st;
  bool predicts = moves && at->predicts;
  ss_passed passed = {.geom_a = -1};
  if (predicts) ss_machine_set_velocity(w, at->u);
  for (int i = 0; i < n; i++) {
    if (predicts && ss_machine_misses(w, touch + i, dt, &passed)) continue;
    if (!ss_machine_add_touch(w, touch + i)) return SS_ERR_MEMORY;
  }
  return SS_OK;
}

ss_status ss_machine_list(const ss_at* at, double dt, int* n, const ss_contact_item** item)
{
  ss_machine_work* w = at->scratch;
  ss_machine_place_bodies(w);
  if (!ss_machine_place_loops(w)) return SS_ERR_MEMORY;
  w->n_item = 0;
  w->n_node = w->n_loop_node;
  w->n_row = w->machine->n_bilateral;
  ss_status st = w->collider ? list_touches(w, at, dt) : SS_OK;
  if (st >= 0 && !ss_machine_list_resistance(w, w->n_item)) st = SS_ERR_MEMORY;
  if (st >= 0 && !ss_machine_list_joints(w, at, dt)) st = SS_ERR_MEMORY;
  if (st < 0) return st;
  *n = w->n_item;
  *item = w->item;
  return SS_OK;
}
