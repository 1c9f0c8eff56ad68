// The operational-space matrix G = J M^-1 J^T of nodes, without M.
//
// Forces on bodies are handed to the root through the articulated bodies, g' = Psi g; Upsilon(b), a 6 x 6 matrix per
// body, is the acceleration of body b per force on it, found from the root to the tips [Jain 2011, chapter 10; Jain
// 2014; referred to by Mylapilli & Jain 2017, section 2.4.2]:
//   Upsilon(b) = Psi^T Upsilon(parent) Psi + sum of S S^T/D.
// Two forces meet at their nearest common body k, and G = g_i . Upsilon(k) g_j there. Only bodies where forces start
// or meet (stations) matter: between two of them more than six forces go by one 6 x 6 matrix. So the whole is
// O(bodies) + O(rows^2), and every pair of forces is looked at once.
#include <string.h>
#include "base/arena.h"
#include "multibody/node.h"
#include "multibody/tree.h"

// A force of unit size in a row, on its way from the body that it acts on to the root
typedef struct end {
  ss_spatial g;  ///< at the centre of mass of the station where it is
  int row;
  int next;      ///< in the list of its station, -1 at the end
} end;

typedef struct stage {
  ss_tree_work* work;
  int m;              ///< rows
  double* G;          ///< m x m
  end* ends;          ///< 2 m
  int* first;         ///< n_body: list of forces at a station, -1 if none
  int* station;       ///< n_body: the station nearest to the tips that b's forces come from, -1 if none passes
  int* slot;          ///< m: the entry of a row in the merged list, -1
  bool* is_station;   ///< n_body
  ss_spatial_matrix* Y;  ///< n_body: Upsilon
} stage;

// ---- Upsilon -------------------------------------------------------------------------------------------------------

// Upsilon through one velocity: (X - S K^T) Y (X - S K^T)^T + S S^T/D = X Y X^T - (S z^T + z S^T)
// with z = X y - S (1/D + K . y)/2,  y = Y K. X is the shift to the body's centre of mass, d further, for the velocity
// next to the parent, where K is at the parent; for the others of a body d = 0.
SS_INLINE void open_joint(const ss_spatial* S, const ss_spatial* K, double D_inv, ss_vec3 d, const ss_spatial_matrix* Y,
                          ss_spatial_matrix* to)
{
  ss_spatial y;
  ss_spatial_apply(Y, K, &y);
  double s = -0.5*(D_inv + ss_spatial_dot(K, &y));
  ss_spatial z = ss_motion_shifted(&y, d);
  ss_spatial_axpy(s, S, &z);
  ss_mobility_shift(Y, d, to);
  ss_spatial_rank_two(-1, S, &z, to);
}

// In bodies that forces pass
SS_CLONES static void upsilon(const stage* st)
{
  const ss_tree_work* w = st->work;
  const ss_tree* tree = w->tree;
  memset(st->Y, 0, sizeof *st->Y);
  for (int b = 1; b < tree->n_body; b++) {
    const ss_tree_body* body = tree->body + b;
    if (st->station[b] < 0) continue;
    const ss_spatial_matrix* from = st->Y + body->parent;
    if (body->nv == 0) ss_mobility_shift(from, w->d[b], st->Y + b);
    for (int i = body->iv; i < body->iv + body->nv; i++) {
      bool next_to_parent = i == body->iv;
      open_joint(w->S + i, w->K + i, w->D_inv[i], next_to_parent ? w->d[b] : (ss_vec3){0, 0, 0},
                 next_to_parent ? from : st->Y + b, st->Y + b);
    }
  }
}

// ---- forces on their way -------------------------------------------------------------------------------------------

// Psi: through the joints of body b, then to the centre of mass of its parent
SS_INLINE void hand_down(const ss_tree_work* w, int b, ss_spatial* g)
{
  const ss_tree_body* body = w->tree->body + b;
  if (body->nv == 0) g->w = ss_add(g->w, ss_cross(w->d[b], g->v));
  for (int i = body->iv + body->nv - 1; i >= body->iv; i--) {
    double e = ss_spatial_dot(w->S + i, g);
    if (i == body->iv) g->w = ss_add(g->w, ss_cross(w->d[b], g->v));
    ss_spatial_axpy(-e, w->K + i, g);
  }
}

static void hand_down_all(const ss_tree_work* w, int from, int to, int n, ss_spatial* g)
{
  for (int b = from; b != to; b = w->tree->body[b].parent)
    for (int k = 0; k < n; k++) hand_down(w, b, g + k);
}

// A list of forces from its station to the body `to` below. Many forces over more than one body: by the images of the
// six unit forces.
SS_CLONES static void carry(const stage* st, int from, int to)
{
  const ss_tree_work* w = st->work;
  int n = 0;
  for (int e = st->first[from]; e >= 0 && n <= 6; e = st->ends[e].next) n++;
  if (n <= 6 || w->tree->body[from].parent == to) {
    for (int e = st->first[from]; e >= 0; e = st->ends[e].next) hand_down_all(w, from, to, 1, &st->ends[e].g);
    return;
  }
  ss_spatial_matrix unit = {{{.w = {1, 0, 0}}, {.w = {0, 1, 0}}, {.w = {0, 0, 1}},
                             {.v = {1, 0, 0}}, {.v = {0, 1, 0}}, {.v = {0, 0, 1}}}};
  hand_down_all(w, from, to, 6, unit.row);
  for (int e = st->first[from]; e >= 0; e = st->ends[e].next) {
    ss_spatial g = st->ends[e].g;
    ss_spatial_apply(&unit, &g, &st->ends[e].g);
  }
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

// Two different forces meet: once for two rows, twice for one
SS_INLINE void add_pair(const stage* st, int i, int j, double value)
{
  if (i == j) value *= 2;
  if (i < j)
    st->G[(size_t)j*(size_t)st->m + (size_t)i] += value;
  else
    st->G[(size_t)i*(size_t)st->m + (size_t)j] += value;
}

// The forces of list `more` meet those of `list`, and, where they start at this body, each other
SS_CLONES static void meet(const stage* st, int b, int list, int more, bool each_other)
{
  const end* ends = st->ends;
  for (int e = more; e >= 0; e = ends[e].next) {
    ss_spatial y;
    ss_spatial_apply(st->Y + b, &ends[e].g, &y);
    for (int o = list; o >= 0; o = ends[o].next) add_pair(st, ends[e].row, ends[o].row, ss_spatial_dot(&y, &ends[o].g));
    if (!each_other) continue;
    add_pair(st, ends[e].row, ends[e].row, 0.5*ss_spatial_dot(&y, &ends[e].g));
    for (int o = ends[e].next; o >= 0; o = ends[o].next)
      add_pair(st, ends[e].row, ends[o].row, ss_spatial_dot(&y, &ends[o].g));
  }
}

// One list of two: both forces of a row become their sum
static int merge(const stage* st, int list, int more)
{
  end* ends = st->ends;
  if (list < 0) return more;
  for (int e = list; e >= 0; e = ends[e].next) st->slot[ends[e].row] = e;
  int merged = list;
  for (int e = more, next; e >= 0; e = next) {
    next = ends[e].next;
    int other = st->slot[ends[e].row];
    if (other >= 0) {
      ss_spatial_axpy(1, &ends[e].g, &ends[other].g);
    } else {
      ends[e].next = merged;
      merged = e;
    }
  }
  for (int e = merged; e >= 0; e = ends[e].next) st->slot[ends[e].row] = -1;
  return merged;
}

// ---- the whole -----------------------------------------------------------------------------------------------------

static void start_forces(const stage* st, int n, const ss_tree_node* node)
{
  int e = 0, row = 0;
  for (int k = 0; k < n; k++)
    for (int r = 0; r < node[k].rows; r++, row++)
      for (int at_b = 0; at_b < 2; at_b++) {
        int body = (at_b ? node[k].body_b : node[k].body_a) + 1;
        if (body == 0) continue;
        st->ends[e] = (end){.g = ss_tree_wrench(st->work, node + k, r, at_b), .row = row, .next = st->first[body]};
        st->first[body] = e++;
      }
}

// A station: forces start there, or come from more than one child
static void find_stations(const stage* st)
{
  const ss_tree* tree = st->work->tree;
  for (int b = tree->n_body - 1; b > 0; b--) {
    int p = tree->body[b].parent;
    if (st->first[b] >= 0 || st->is_station[b]) {
      st->is_station[b] = true;
      st->station[b] = b;
    }
    if (st->station[b] < 0) continue;
    if (st->station[p] >= 0) st->is_station[p] = true;  // the second child with forces
    st->station[p] = st->station[b];
  }
}

// Bodies from the tips to the root: the list of a station goes on to the next station, and meets what is there
static void gather(const stage* st)
{
  const ss_tree* tree = st->work->tree;
  for (int b = tree->n_body - 1; b > 0; b--) {
    if (!st->is_station[b]) continue;
    int p = tree->body[b].parent;
    while (p > 0 && !st->is_station[p]) p = tree->body[p].parent;
    if (p == 0) continue;
    carry(st, b, p);
    meet(st, p, st->first[p], st->first[b], false);
    st->first[p] = merge(st, st->first[p], st->first[b]);
  }
}

static void recursion(const stage* st, int n, const ss_tree_node* node)
{
  const ss_tree* tree = st->work->tree;
  for (int b = 0; b < tree->n_body; b++) {
    st->first[b] = st->station[b] = -1;
    st->is_station[b] = false;
  }
  for (int i = 0; i < st->m; i++) st->slot[i] = -1;
  start_forces(st, n, node);
  find_stations(st);
  upsilon(st);
  for (int b = 1; b < tree->n_body; b++)
    if (st->first[b] >= 0) meet(st, b, -1, st->first[b], true);
  gather(st);
}

// By the factors: z = D^-1/2 (1 + H phi K)^-1 J^T, G = z^T z
static void by_factor(const stage* st, int n, const ss_tree_node* node, double* z)
{
  int nv = st->work->tree->nv;
  ss_tree_span all = {.n = nv, .size = nv};
  memset(z, 0, sizeof(double)*(size_t)nv*(size_t)st->m);
  ss_tree_factor_alone(st->work);
  for (int k = 0; k < n; z += (size_t)nv*(size_t)node[k++].rows)
    ss_tree_add_half_rows(st->work, node + k, 0, node[k].rows, &all, nv, z);
}

SS_CLONES static void products(int m, int nv, const double* z, double* G)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++) G[(size_t)i*(size_t)m + (size_t)j] =
      ss_v4_dot(nv, z + (size_t)i*(size_t)nv, z + (size_t)j*(size_t)nv);
}

// Nanoseconds that either way takes, fitted to chains of 1 to 1000 links with 1 to 64 contacts (bench/bench_tree.c):
// right to a third or so. The factors win with few rows, the recursion with many rows or long chains.
static bool factor_is_cheaper(const ss_tree* tree, int n, const ss_tree_node* node, int m)
{
  double forces = 0, passed = 0, ends = 0;  // velocities passed by all rows, bodies passed, ends on bodies
  bool one_body = true;
  int first = n ? node[0].body_b : 0;
  for (int k = 0; k < n; k++) {
    if (node[k].terms) return true;
    int a = ss_tree_chain_length(tree, node[k].body_a), b = ss_tree_chain_length(tree, node[k].body_b);
    forces += node[k].rows*(double)(a + b);
    passed += a + b;
    ends += (a > 0) + (b > 0);
    one_body = one_body && a == 0 && node[k].body_b == first;
  }
  passed = fmin(passed, tree->n_body - 1);
  double pairs = 0.5*m*(double)m, rows = m;
  double factor = 8.5*forces + pairs*(4 + 0.2*tree->nv);
  double recursion = 40*passed + 1.8*pairs;
  if (!one_body) recursion += 6*fmin(6, rows)*passed + 3*pairs + 5*rows*fmin(ends, passed);
  return factor < recursion;
}

size_t ss_tree_delassus_size(const ss_tree* tree, int rows)
{
  size_t m = rows > 0 ? (size_t)rows : 0, bodies = (size_t)tree->n_body;
  size_t recursive = ss_arena_bytes(sizeof(end)*2*m) + ss_arena_bytes(sizeof(int)*m) +
                     2*ss_arena_bytes(sizeof(int)*bodies) + ss_arena_bytes(sizeof(bool)*bodies) +
                     ss_arena_bytes(sizeof(ss_spatial_matrix)*bodies);
  size_t direct = ss_arena_bytes(sizeof(double)*m*(size_t)tree->nv);
  return recursive > direct ? recursive : direct;
}

ss_status ss_tree_delassus(ss_tree_work* work, ss_tree_delassus_method method, int n, const ss_tree_node* node,
                           ss_arena* arena, double* G)
{
  const ss_tree* tree = work->tree;
  stage st = {.work = work, .m = ss_tree_node_rows(tree, n, node), .G = G};
  if (st.m < 0) return SS_ERR_ARGUMENT;
  size_t m = (size_t)st.m, mark = ss_arena_mark(arena);
  for (int k = 0; k < n && method == SS_DELASSUS_RECURSION; k++)
    if (node[k].terms) return SS_ERR_ARGUMENT;
  memset(G, 0, sizeof(double)*m*m);
  bool direct = method == SS_DELASSUS_FACTOR || (method == SS_DELASSUS_AUTO && factor_is_cheaper(tree, n, node, st.m));
  if (direct) {
    double* z = ss_arena_array(arena, double, m*(size_t)tree->nv);
    if (z) by_factor(&st, n, node, z);
    if (z) products(st.m, tree->nv, z, G);
    ss_arena_release(arena, mark);
    if (!z) return SS_ERR_CAPACITY;
  } else {
    st.ends = ss_arena_array(arena, end, 2*m);
    st.slot = ss_arena_array(arena, int, m);
    st.first = ss_arena_array(arena, int, tree->n_body);
    st.station = ss_arena_array(arena, int, tree->n_body);
    st.is_station = ss_arena_array(arena, bool, tree->n_body);
    st.Y = ss_arena_array(arena, ss_spatial_matrix, tree->n_body);
    bool enough = st.ends && st.slot && st.first && st.station && st.is_station && st.Y;
    ss_tree_factor_alone(work);
    if (enough) recursion(&st, n, node);
    ss_arena_release(arena, mark);
    if (!enough) return SS_ERR_CAPACITY;
  }
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < i; j++) G[j*m + i] = G[i*m + j];
  return SS_OK;
}
