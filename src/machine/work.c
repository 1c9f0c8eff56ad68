// The workspace of a machine: lists that grow, poses where they are needed.
#include <stdlib.h>
#include <string.h>
#include "machine/machine.h"

ss_status ss_machine_open(const void* user, void* scratch, ss_error* error)
{
  const ss_machine* m = user;
  ss_machine_work* w = scratch;
  memset(w, 0, sizeof *w);
  w->machine = m;
  w->tree = ss_tree_work_create(m->tree, error);
  if (w->tree && m->collider) w->collider = ss_collider_work_create(m->collider, error);
  if (w->tree && m->n_sensor) w->now = ss_tree_work_create(m->tree, error);
  if (w->now) w->before = ss_tree_work_create(m->tree, error);
  if (!w->tree || (m->collider && !w->collider) || (m->n_sensor && !w->before)) {
    ss_machine_close(w);
    return SS_ERR_MEMORY;
  }
  w->q = SS_MACHINE_ARRAY(m->nq, double);
  w->u = SS_MACHINE_ARRAY(m->nv, double);
  w->bound = SS_MACHINE_ARRAY(m->n_body + 1, double);
  w->tau = SS_MACHINE_ARRAY(m->nv, double);
  w->implicit = SS_MACHINE_ARRAY(m->nv, double);
  w->pose = SS_MACHINE_ARRAY(m->n_body, ss_pose);
  w->twist = SS_MACHINE_ARRAY(m->n_body, ss_twist);
  w->reach = SS_MACHINE_ARRAY(m->n_body, double);
  w->speed = SS_MACHINE_ARRAY(m->n_body, ss_speed);
  w->trial = SS_MACHINE_ARRAY(m->nq, double);
  w->way = SS_MACHINE_ARRAY(m->n_part, double);
  w->next = SS_MACHINE_ARRAY(m->n_part, double);
  w->has_met = SS_MACHINE_ARRAY(m->n_part, bool);
  w->will_meet = SS_MACHINE_ARRAY(m->n_part, bool);
  w->error = SS_MACHINE_ARRAY(m->n_bilateral, double);
  w->size = SS_MACHINE_ARRAY(m->n_bilateral, double);
  w->col = SS_MACHINE_ARRAY(m->nv, int);
  w->value = SS_MACHINE_ARRAY(m->nv, double);
  bool way = w->speed && w->trial && w->way && w->next && w->has_met && w->will_meet;
  bool motion = w->q && w->u && w->tau && w->bound && w->implicit && w->pose && w->twist && w->reach && way;
  if (motion && w->error && w->size && w->col && w->value) return SS_OK;
  ss_machine_close(w);
  return ss_machine_no_memory(error);
}

void ss_machine_close(void* scratch)
{
  ss_machine_work* w = scratch;
  ss_tree_work_destroy(w->tree);
  ss_tree_work_destroy(w->now);
  ss_tree_work_destroy(w->before);
  ss_collider_work_destroy(w->collider);
  ss_arena_destroy(w->arena);
  ss_tree_mass_destroy(w->mass);
  void* const all[] = {w->implicit, w->tau, w->bound,
                       w->q,    w->u,        w->pose,     w->twist, w->reach,   w->error,     w->trial, w->way, w->next,
                       w->size, w->row_node, w->row_part, w->node,  w->item,    w->chosen,    w->touch, w->col,
                       w->value, w->has_met, w->will_meet, w->speed};
  for (size_t i = 0; i < sizeof all/sizeof *all; i++) free(all[i]);
  memset(w, 0, sizeof *w);
}

// Room for n of some size; false if memory is short
static bool reserve(void** array, int* room, int n, size_t size)
{
  if (n <= *room) return true;
  int more = n + n/2 + 16;
  void* bigger = realloc(*array, (size_t)more*size);
  if (!bigger) return false;
  *array = bigger;
  *room = more;
  return true;
}

ss_tree_node* ss_machine_add_node(ss_machine_work* w, int rows)
{
  int room = w->row_room;
  if (!reserve((void**)&w->node, &w->node_room, w->n_node + 1, sizeof *w->node) ||
      !reserve((void**)&w->row_node, &room, w->n_row + rows, sizeof *w->row_node) ||
      !reserve((void**)&w->row_part, &w->row_room, w->n_row + rows, sizeof *w->row_part) ||
      !reserve((void**)&w->chosen, &w->chosen_room, w->n_row + rows, sizeof *w->chosen))
    return NULL;
  ss_tree_node* node = w->node + w->n_node;
  *node = (ss_tree_node){.rows = rows};
  for (int r = 0; r < rows; r++, w->n_row++) {
    w->row_node[w->n_row] = w->n_node;
    w->row_part[w->n_row] = r;
  }
  w->n_node++;
  return node;
}

ss_contact_item* ss_machine_add_item(ss_machine_work* w)
{
  int room = w->item_room;
  if (!reserve((void**)&w->touch, &room, w->n_item + 1, sizeof *w->touch) ||
      !reserve((void**)&w->item, &w->item_room, w->n_item + 1, sizeof *w->item))
    return NULL;
  w->item[w->n_item] = (ss_contact_item){0};
  return w->item + w->n_item++;
}

void ss_machine_place_bodies(ss_machine_work* w)
{
  const ss_machine* m = w->machine;
  if (w->has_pose) return;
  for (int b = 0; b < m->n_body; b++)
    if (m->posed[b]) ss_tree_pose(w->tree, b, w->pose[b].position, w->pose[b].rotation, NULL);
  w->has_pose = true;
}

ss_quat ss_machine_turn(const ss_machine_work* w, int body)
{
  return body == SS_WORLD ? (ss_quat){1, 0, 0, 0} : ss_quat_from(w->pose[body].rotation);
}

ss_vec3 ss_machine_point(const ss_machine_work* w, int body, ss_vec3 point)
{
  if (body == SS_WORLD) return point;
  return ss_add(ss_vec3_from(w->pose[body].position), ss_quat_rotate(ss_machine_turn(w, body), point));
}
