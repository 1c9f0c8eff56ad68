// Rows as operators: each is a row of a tree node. Some of the rows make nodes with some of the directions.
#include <math.h>
#include <string.h>
#include "machine/machine.h"
#include "multibody/node.h"

// The nodes of m rows, in their order: rows of one node that follow one another stay together. All rows: the nodes as
// they are.
static const ss_tree_node* choose(ss_machine_work* w, int m, const int* row)
{
  int last = -1, same = 0;
  while (same < m && row[same] == same) same++;
  if (same == m && m == w->n_row) {
    w->n_chosen = w->n_node;
    return w->node;
  }
  w->n_chosen = 0;
  for (int i = 0; i < m; i++) {
    int k = w->row_node[row[i]], part = w->row_part[row[i]];
    const ss_tree_node* from = w->node + k;
    if (k != last || w->chosen[w->n_chosen - 1].rows == 3) {
      w->chosen[w->n_chosen] = *from;
      w->chosen[w->n_chosen++].rows = 0;
      last = k;
    }
    ss_tree_node* to = w->chosen + w->n_chosen - 1;
    if (to->rows != part) memcpy(to->frame + 3*to->rows, from->frame + 3*part, sizeof(double[3]));
    to->rows++;
  }
  return w->chosen;
}

void ss_machine_row_velocity(const ss_at* at, const double* v, double* gamma, double* size)
{
  ss_machine_work* w = at->scratch;
  ss_tree_node_rates(w->tree, v, w->n_node, w->node, gamma, size);
}

void ss_machine_row_sides(const ss_at* at, const double* v, double* along, double* size)
{
  ss_machine_work* w = at->scratch;
  ss_tree_node_sides(w->tree, v, w->n_node, w->node, along, size);
}

void ss_machine_row_force(const ss_at* at, int m, const int* row, const double* Lambda, double* tau)
{
  ss_machine_work* w = at->scratch;
  const ss_tree_node* node = choose(w, m, row);
  ss_tree_node_force(w->tree, w->n_chosen, node, Lambda, tau);
}

// Directions in which a node cannot move (across a planar mechanism) have rows of round-off, about 1e-16 of its others:
// G about 1e-32. They are made zero, since a solver takes each row in its own unit and would believe them.
#define CANNOT_MOVE 1e-24

static void clear_round_off(int n, const ss_tree_node* node, int m, double* G)
{
  for (int i = 0, r = 0; i < n; r += node[i++].rows) {
    int rows = node[i].rows;
    double most = 0;
    for (int k = r; k < r + rows; k++) most = fmax(most, G[k*m + k]);
    for (int k = r; k < r + rows; k++) {
      if (G[k*m + k] > CANNOT_MOVE*most) continue;
      for (int j = 0; j < m; j++) G[k*m + j] = G[j*m + k] = 0;
    }
  }
}

// Rows in joint space need factors of bodies alone, here, before ss_machine_row_half() may run in several threads
void ss_machine_row_parts(const ss_at* at, int m, const int* row, int* part)
{
  const ss_machine_work* w = at->scratch;
  const ss_machine* machine = w->machine;
  for (int i = 0; i < m; i++, part += 2) {
    const ss_tree_node* node = w->node + w->row_node[row[i]];
    if (node->terms) {  // of one joint, or a coupling of two
      ss_tree_factor_alone(w->tree);
      part[0] = machine->part_moved[node->velocity[0]];
      part[1] = machine->part_moved[node->velocity[node->terms - 1]];
    } else {
      part[0] = node->body_a == SS_WORLD ? -1 : machine->part_of[node->body_a];
      part[1] = node->body_b == SS_WORLD ? -1 : machine->part_of[node->body_b];
    }
  }
}

int ss_machine_part_size(const void* user, int part) { return ((const ss_machine*)user)->span[part].size; }

void ss_machine_row_half(const ss_at* at, int row, int rows, int part, int stride, double* J)
{
  const ss_machine_work* w = at->scratch;
  const ss_machine* m = w->machine;
  ss_tree_half_rows(w->tree, w->node + w->row_node[row], w->row_part[row], rows, m->span + part, stride, J);
}

uint64_t ss_machine_row_reach(const ss_at* at, int row, int part)
{
  const ss_machine_work* w = at->scratch;
  const ss_machine* m = w->machine;
  const ss_tree_node* node = w->node + w->row_node[row];
  const int body[2] = {node->body_a, node->body_b};
  uint64_t reach = 0;
  for (int j = 0; j < node->terms; j++)
    if (m->part_moved[node->velocity[j]] == part) reach |= m->reach[m->body_moved[node->velocity[j]]];
  for (int side = 0; side < 2 && !node->terms; side++)
    if (body[side] != SS_WORLD && m->part_of[body[side]] == part) reach |= m->reach[body[side]];
  return reach;
}

ss_status ss_machine_delassus(const ss_at* at, int m, const int* row, double* G)
{
  ss_machine_work* w = at->scratch;
  if (!w->arena || m > w->arena_rows) {
    int rows = m + m/2 + 16;
    ss_arena* arena = ss_arena_create(ss_tree_delassus_size(w->machine->tree, rows));
    if (!arena) return SS_ERR_MEMORY;
    ss_arena_destroy(w->arena);
    w->arena = arena;
    w->arena_rows = rows;
  }
  const ss_tree_node* node = choose(w, m, row);
  ss_status st = ss_tree_delassus(w->tree, SS_DELASSUS_AUTO, w->n_chosen, node, w->arena, G);
  if (st >= 0) clear_round_off(w->n_chosen, node, m, G);
  return st;
}
