// Order of elimination by minimum degree: the node with the fewest neighbours goes next, and its neighbours become
// neighbours of each other. The lists of neighbours are kept explicitly, which costs time and memory like the fill.
#include "math/block_lu.h"
#include <stdlib.h>
#include <string.h>

typedef struct node_list {
  int* item;
  int count, room;
} node_list;

typedef struct graph {
  int n;
  node_list* near;         // n: neighbours not yet eliminated
  int *head, *next, *prev;  // nodes by degree: doubly linked lists
  int* mark;               // n: stamp of the last set that a node was seen in
  int stamp;
} graph;

static bool append(node_list* list, int item)
{
  if (list->count == list->room) {
    int room = 2*list->room + 8;
    int* grown = realloc(list->item, (size_t)room*sizeof *grown);
    if (!grown) return false;
    list->item = grown;
    list->room = room;
  }
  list->item[list->count++] = item;
  return true;
}

static void link_node(graph* g, int i)
{
  int degree = g->near[i].count;
  g->prev[i] = -1;
  g->next[i] = g->head[degree];
  if (g->next[i] >= 0) g->prev[g->next[i]] = i;
  g->head[degree] = i;
}

static void unlink_node(graph* g, int i, int degree)
{
  if (g->prev[i] >= 0) g->next[g->prev[i]] = g->next[i];
  else g->head[degree] = g->next[i];
  if (g->next[i] >= 0) g->prev[g->next[i]] = g->prev[i];
}

// Neighbours in both directions, each once
static bool fill_graph(graph* g, const int* start, const int* col)
{
  for (int i = 0; i < g->n; i++)
    for (int e = start[i]; e < start[i + 1]; e++)
      if (col[e] != i && (!append(&g->near[i], col[e]) || !append(&g->near[col[e]], i))) return false;
  for (int i = 0; i < g->n; i++) {
    node_list* list = &g->near[i];
    int count = 0;
    g->stamp++;
    for (int k = 0; k < list->count; k++)
      if (g->mark[list->item[k]] != g->stamp) {
        g->mark[list->item[k]] = g->stamp;
        list->item[count++] = list->item[k];
      }
    list->count = count;
    link_node(g, i);
  }
  return true;
}

static bool open_graph(graph* g, int n)
{
  size_t size = (size_t)n + 1;
  *g = (graph){.n = n, .near = calloc(size, sizeof *g->near), .head = malloc(size*sizeof(int)),
               .next = malloc(size*sizeof(int)), .prev = malloc(size*sizeof(int)), .mark = calloc(size, sizeof(int))};
  if (!g->near || !g->head || !g->next || !g->prev || !g->mark) return false;
  for (int i = 0; i <= n; i++) g->head[i] = -1;
  return true;
}

static void close_graph(graph* g)
{
  for (int i = 0; g->near && i < g->n; i++) free(g->near[i].item);
  free(g->near);
  free(g->head);
  free(g->next);
  free(g->prev);
  free(g->mark);
}

// v goes; its neighbours are joined to each other
static bool eliminate(graph* g, int v)
{
  node_list* gone = &g->near[v];
  for (int k = 0; k < gone->count; k++) {
    int u = gone->item[k];
    node_list* list = &g->near[u];
    unlink_node(g, u, list->count);
    g->stamp++;
    g->mark[u] = g->stamp;
    int count = 0;
    for (int l = 0; l < list->count; l++)
      if (list->item[l] != v) {
        g->mark[list->item[l]] = g->stamp;
        list->item[count++] = list->item[l];
      }
    list->count = count;
    for (int l = 0; l < gone->count; l++)
      if (g->mark[gone->item[l]] != g->stamp && !append(list, gone->item[l])) return false;
    link_node(g, u);
  }
  return true;
}

static int by_value(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

// The lists that elimination left behind, in the new order
static bool write_rows(const graph* g, const int* order, const int* place, size_t total, int** row_start, int** row_col)
{
  *row_start = malloc(((size_t)g->n + 1)*sizeof(int));
  *row_col = malloc((total + 1)*sizeof(int));
  if (!*row_start || !*row_col) {
    free(*row_start);
    free(*row_col);
    *row_start = *row_col = NULL;
    return false;
  }
  int at = 0;
  for (int step = 0; step < g->n; step++) {
    const node_list* list = &g->near[order[step]];
    (*row_start)[step] = at;
    for (int k = 0; k < list->count; k++) (*row_col)[at + k] = place[list->item[k]];
    qsort(*row_col + at, (size_t)list->count, sizeof(int), by_value);
    at += list->count;
  }
  (*row_start)[g->n] = at;
  return true;
}

// A complete graph that is left needs no more decisions: row k of it is joined to all later ones
static bool finish_clique(graph* g, int* order, int* place, int step, int first)
{
  node_list* rest = &g->near[first];
  order[step++] = first;
  for (int k = 0; k < rest->count; k++) order[step + k] = rest->item[k];
  for (int k = 0; k < rest->count; k++) {
    node_list* list = &g->near[order[step + k]];
    list->count = 0;
    for (int l = k + 1; l < rest->count; l++)
      if (!append(list, order[step + l])) return false;
  }
  for (int k = step - 1; k < g->n; k++) place[order[k]] = k;
  return true;
}

bool ss_minimum_degree(int n, const int* start, const int* col, size_t limit, double* products, int* place,
                       int** row_start, int** row_col)
{
  graph g = {0};
  int* order = malloc(((size_t)n + 1)*sizeof *order);
  bool good = order && open_graph(&g, n) && fill_graph(&g, start, col);
  size_t total = 0;
  double most = *products;
  int degree = 0;
  *products = 0;
  for (int step = 0; good && step < n; step++) {
    while (degree < n && g.head[degree] < 0) degree++;
    int v = g.head[degree];
    size_t rest = (size_t)(n - step - 1);
    if (degree == (int)rest) {
      total += rest*(rest + 1)/2;
      *products += (double)rest*(double)(rest + 1)*(double)(rest + 2)/3;
      good = total <= limit && *products <= most && finish_clique(&g, order, place, step, v);
      break;
    }
    unlink_node(&g, v, degree);
    order[step] = v;
    place[v] = step;
    total += (size_t)degree;
    *products += (double)degree*(degree + 1);
    good = total <= limit && *products <= most && eliminate(&g, v);
    degree = degree > 0 ? degree - 1 : 0;  // a neighbour may have lost v and gained nothing
  }
  good = good && write_rows(&g, order, place, total, row_start, row_col);
  close_graph(&g);
  free(order);
  return good;
}
