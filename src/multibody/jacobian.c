// Jacobians of points and of nodes, as rows along the chains of velocities that move a body; forces by the way back.
#include "multibody/alone.h"
#include "multibody/node.h"
#include "multibody/tree.h"

int ss_tree_last_velocity(const ss_tree* tree, int b)
{
  while (b > 0 && tree->body[b].nv == 0) b = tree->body[b].parent;
  return b > 0 ? tree->body[b].iv + tree->body[b].nv - 1 : -1;
}

int ss_tree_chain_length(const ss_tree* tree, int body)
{
  int last = ss_tree_last_velocity(tree, body + 1);
  return last < 0 ? 0 : tree->depth[last] + 1;
}

int ss_tree_chain(const ss_tree* tree, int body, int* chain)
{
  int i = ss_tree_last_velocity(tree, body + 1), n = ss_tree_chain_length(tree, body);
  for (; i >= 0; i = tree->parent_of[i]) chain[tree->depth[i]] = i;
  return n;
}

// The velocity at a point per unit of velocity i
static ss_vec3 velocity_at(const ss_tree_work* w, int i, ss_vec3 x)
{
  return ss_add(w->S[i].v, ss_cross(w->S[i].w, ss_sub(x, w->com[w->tree->body_of[i]])));
}

int ss_tree_jacobian(const ss_tree_work* work, int body, const double point[3], double* position, double* rotation)
{
  const ss_tree* tree = work->tree;
  ss_vec3 x = ss_vec3_from(point);
  int last = ss_tree_last_velocity(tree, body + 1), n = last < 0 ? 0 : tree->depth[last] + 1;
  for (int i = last; i >= 0; i = tree->parent_of[i]) {
    ss_vec3 column[2] = {velocity_at(work, i, x), work->S[i].w};
    double* rows[2] = {position, rotation};
    for (int k = 0; k < 2; k++) {
      if (!rows[k]) continue;
      double* at = rows[k] + tree->depth[i];
      at[0] = column[k].x;
      at[n] = column[k].y;
      at[2*n] = column[k].z;
    }
  }
  return n;
}

// ---- nodes ---------------------------------------------------------------------------------------------------------

static bool node_valid(const ss_tree* tree, const ss_tree_node* at)
{
  int bodies = tree->n_body - 1;
  if (at->terms == 0)
    return at->rows >= 1 && at->rows <= 3 && at->body_a >= SS_WORLD && at->body_a < bodies && at->body_b >= SS_WORLD &&
           at->body_b < bodies;
  if (at->terms < 0 || at->terms > 3 || at->rows != 1) return false;
  for (int i = 0; i < at->terms; i++)
    if (at->velocity[i] < 0 || at->velocity[i] >= tree->nv) return false;
  return true;
}

int ss_tree_node_rows(const ss_tree* tree, int n, const ss_tree_node* node)
{
  int rows = 0;
  for (int k = 0; k < n; k++) {
    if (rows > (1 << 30) || !node_valid(tree, node + k)) return -1;
    rows += node[k].rows;
  }
  return rows;
}

// Joints and normals that are square to each other are so to round-off of a chain of frames
#define SQUARE 1e-12

// Whether velocity i moves a body (of the tree's own numbers)
static bool moves(const ss_tree* tree, int i, int b)
{
  int j = ss_tree_last_velocity(tree, b);
  while (j > i) j = tree->parent_of[j];
  return j == i;
}

// d . v of a body's point, or of its rotation, per unit of velocity i; *size: of its terms
static double row_entry(const ss_tree_work* w, const ss_tree_node* node, int row, bool at_b, int i, double* size)
{
  ss_vec3 d = ss_vec3_from(node->frame + 3*row), x = ss_vec3_from(at_b ? node->point_b : node->point_a);
  if (node->rotation) {
    *size += ss_norm(w->S[i].w);
    return ss_dot3(d, w->S[i].w);
  }
  *size += ss_norm(w->S[i].v) + ss_norm(w->S[i].w)*ss_norm(ss_sub(x, w->com[w->tree->body_of[i]]));
  return ss_dot3(d, velocity_at(w, i, x));
}

// A tree that hangs on nothing goes everywhere, against all that is not in it
static bool is_free_against(const ss_tree* tree, int body, int other)
{
  int k = tree->turn_of[body];
  return body > 0 && k >= 0 && tree->turn[k].free_from >= 0 && tree->turn_of[other] != k;
}

static bool side_moves(const ss_tree_work* w, const ss_tree_node* node, int row, bool at_b)
{
  const ss_tree* tree = w->tree;
  int body = (at_b ? node->body_b : node->body_a) + 1, other = (at_b ? node->body_a : node->body_b) + 1;
  double length = ss_norm(ss_vec3_from(node->frame + 3*row));
  if (body > 0 && tree->body[body].alone) return true;
  if (length > 0 && is_free_against(tree, body, other)) return true;
  for (int i = ss_tree_last_velocity(tree, body); i >= 0; i = tree->parent_of[i]) {
    double size = 0, sum = row_entry(w, node, row, at_b, i, &size);
    if (moves(tree, i, other)) sum -= row_entry(w, node, row, !at_b, i, &size);
    if (fabs(sum) > SQUARE*length*size) return true;
  }
  return false;
}

bool ss_tree_node_can_move(const ss_tree_work* work, const ss_tree_node* node, int row)
{
  return side_moves(work, node, row, false) || side_moves(work, node, row, true);
}

ss_spatial ss_tree_wrench(const ss_tree_work* work, const ss_tree_node* node, int row, bool at_b)
{
  int body = at_b ? node->body_b : node->body_a;
  ss_vec3 direction = ss_scale(at_b ? 1 : -1, ss_vec3_from(node->frame + 3*row));
  if (node->rotation) return (ss_spatial){.w = direction};
  ss_vec3 r = ss_sub(ss_vec3_from(at_b ? node->point_b : node->point_a), work->com[body + 1]);
  return (ss_spatial){.w = ss_cross(r, direction), .v = direction};
}

// A row in joint space
static double sum_of_terms(const ss_tree_node* node, const double* v)
{
  double sum = 0;
  for (int i = 0; i < node->terms; i++) sum += node->coefficient[i]*v[node->velocity[i]];
  return sum;
}

void ss_tree_node_velocity(const ss_tree_work* work, int n, const ss_tree_node* node, double* gamma, double* w_bar)
{
  for (int k = 0, i = 0; k < n; k++) {
    double v[2][3], w[2][3], a[2][3], e[2][3];
    const ss_tree_node* at = node + k;
    if (at->terms) {
      if (gamma) gamma[i] = sum_of_terms(at, work->u);
      if (w_bar) w_bar[i] = 0;
      i++;
      continue;
    }
    ss_tree_point_velocity(work, at->body_a, at->point_a, w[0], v[0]);
    ss_tree_point_velocity(work, at->body_b, at->point_b, w[1], v[1]);
    ss_tree_point_bias(work, at->body_a, at->point_a, e[0], a[0]);
    ss_tree_point_bias(work, at->body_b, at->point_b, e[1], a[1]);
    for (int r = 0; r < at->rows; r++, i++) {
      const double* d = at->frame + 3*r;
      double(*v_of)[3] = at->rotation ? w : v, (*a_of)[3] = at->rotation ? e : a;
      double sum_v = 0, sum_a = 0;
      for (int j = 0; j < 3; j++) {
        sum_v += d[j]*(v_of[1][j] - v_of[0][j]);
        sum_a += d[j]*(a_of[1][j] - a_of[0][j]);
      }
      if (gamma) gamma[i] = sum_v;
      if (w_bar) w_bar[i] = sum_a;
    }
  }
}

// Of the point of a body, or its angular velocity
SS_INLINE ss_vec3 rate_at(const ss_tree_work* w, const ss_tree_node* node, int body, const double* point)
{
  const ss_spatial* T = w->T + body + 1;
  if (node->rotation) return T->w;
  return ss_add(T->v, ss_cross(T->w, ss_sub(ss_vec3_from(point), w->com[body + 1])));
}

static double size_of_terms(const ss_tree_node* node, const double* v)
{
  double sum = 0;
  for (int j = 0; j < node->terms; j++) sum += fabs(node->coefficient[j]*v[node->velocity[j]]);
  return sum;
}

SS_CLONES static void node_rates(const ss_tree_work* work, const double* v, int n, const ss_tree_node* node,
                                 double* gamma, double* size)
{
  for (int k = 0, i = 0; k < n; k++) {
    const ss_tree_node* at = node + k;
    if (at->terms) {
      if (size) size[i] = size_of_terms(at, v);
      gamma[i++] = sum_of_terms(at, v);
      continue;
    }
    ss_vec3 a = rate_at(work, at, at->body_a, at->point_a), b = rate_at(work, at, at->body_b, at->point_b);
    ss_vec3 difference = ss_sub(b, a);
    double magnitude = size ? ss_norm(a) + ss_norm(b) : 0;
    for (int r = 0; r < 3; r++) {  // a constant number of turns, else the compiler makes more of it than there is
      if (r == at->rows) break;
      gamma[i] = ss_dot3(ss_vec3_from(at->frame + 3*r), difference);
      if (size) size[i] = magnitude;
      i++;
    }
  }
}

void ss_tree_node_rates(ss_tree_work* work, const double* v, int n, const ss_tree_node* node, double* gamma,
                        double* size)
{
  ss_tree_move(work, v);
  node_rates(work, v, n, node, gamma, size);
}

void ss_tree_node_sides(ss_tree_work* work, const double* v, int n, const ss_tree_node* node, double* along,
                        double* size)
{
  ss_tree_move(work, v);
  for (int k = 0, i = 0; k < n; k++) {
    const ss_tree_node* at = node + k;
    if (at->terms) {
      along[i] = size[i] = size_of_terms(at, v);
      i++;
      continue;
    }
    ss_vec3 a = rate_at(work, at, at->body_a, at->point_a), b = rate_at(work, at, at->body_b, at->point_b);
    double both = ss_norm(a) + ss_norm(b);
    for (int r = 0; r < at->rows; r++, i++) {
      ss_vec3 d = ss_vec3_from(at->frame + 3*r);
      along[i] = fabs(ss_dot3(d, a)) + fabs(ss_dot3(d, b));
      size[i] = both;
    }
  }
}

// Rows in joint space come last: the sweep sets tau
static void add_terms(int n, const ss_tree_node* node, const double* Lambda, double* tau)
{
  for (int k = 0, i = 0; k < n; i += node[k].rows, k++)
    for (int j = 0; j < node[k].terms; j++) tau[node[k].velocity[j]] += node[k].coefficient[j]*Lambda[i];
}

// The forces on both bodies of a node
SS_INLINE void add_forces(const ss_tree_work* w, const ss_tree_node* node, const double* Lambda, ss_spatial* f)
{
  ss_vec3 sum = {0, 0, 0};
  ss_spatial *a = f + node->body_a + 1, *b = f + node->body_b + 1;
  for (int r = 0; r < node->rows; r++) sum = ss_add(sum, ss_scale(Lambda[r], ss_vec3_from(node->frame + 3*r)));
  if (node->rotation) {
    a->w = ss_sub(a->w, sum);
    b->w = ss_add(b->w, sum);
    return;
  }
  ss_vec3 ra = ss_sub(ss_vec3_from(node->point_a), w->com[node->body_a + 1]);
  ss_vec3 rb = ss_sub(ss_vec3_from(node->point_b), w->com[node->body_b + 1]);
  a->v = ss_sub(a->v, sum);
  b->v = ss_add(b->v, sum);
  a->w = ss_sub(a->w, ss_cross(ra, sum));
  b->w = ss_add(b->w, ss_cross(rb, sum));
}

SS_CLONES static void node_force(ss_tree_work* work, int n, const ss_tree_node* node, const double* Lambda, double* tau)
{
  const ss_tree* tree = work->tree;
  ss_spatial* f = work->f;
  for (int b = 0; b < tree->n_body; b++) f[b] = (ss_spatial){.w = {0, 0, 0}};
  for (int k = 0, i = 0; k < n; i += node[k++].rows)
    if (!node[k].terms) add_forces(work, node + k, Lambda + i, f);
  for (int b = tree->n_body - 1; b > 0; b--) {
    const ss_tree_body* body = tree->body + b;
    if (body->alone) {
      ss_alone_force(work, b, f + b, tau + body->iv);
      continue;
    }
    for (int i = body->iv; i < body->iv + body->nv; i++) tau[i] = ss_spatial_dot(work->S + i, f + b);
    ss_force_add_shifted(f + b, work->d[b], f + body->parent);
  }
}

void ss_tree_node_force(ss_tree_work* work, int n, const ss_tree_node* node, const double* Lambda, double* tau)
{
  node_force(work, n, node, Lambda, tau);
  add_terms(n, node, Lambda, tau);
}

// The terms of a row in joint space, sorted
static int sorted_terms(const ss_tree_node* node, int* col, double* value)
{
  for (int i = 0; i < node->terms; i++) {
    int k = i;
    for (; k > 0 && col[k - 1] > node->velocity[i]; k--) {
      col[k] = col[k - 1];
      value[k] = value[k - 1];
    }
    col[k] = node->velocity[i];
    value[k] = node->coefficient[i];
  }
  return node->terms;
}

// The entry of a row for velocity i: what it moves at b less what it moves at a
static double entry(const ss_tree_work* w, const ss_tree_node* node, int row, int i, bool moves_a, bool moves_b)
{
  ss_vec3 direction = ss_vec3_from(node->frame + 3*row), difference = {0, 0, 0};
  if (node->rotation) return ((moves_b ? 1 : 0) - (moves_a ? 1 : 0))*ss_dot3(direction, w->S[i].w);
  if (moves_b) difference = velocity_at(w, i, ss_vec3_from(node->point_b));
  if (moves_a) difference = ss_sub(difference, velocity_at(w, i, ss_vec3_from(node->point_a)));
  return ss_dot3(direction, difference);
}

int ss_tree_node_row(const ss_tree_work* work, const ss_tree_node* node, int row, int* col, double* value)
{
  const ss_tree* tree = work->tree;
  if (node->terms) return sorted_terms(node, col, value);
  int a = ss_tree_last_velocity(tree, node->body_a + 1), b = ss_tree_last_velocity(tree, node->body_b + 1), n = 0;
  while (a >= 0 || b >= 0) {  // the greater number first: it cannot be an ancestor of the other
    int i = a > b ? a : b;
    bool moves_a = i == a, moves_b = i == b;
    col[n] = i;
    value[n++] = entry(work, node, row, i, moves_a, moves_b);
    if (moves_a) a = tree->parent_of[a];
    if (moves_b) b = tree->parent_of[b];
  }
  for (int i = 0; i < n/2; i++) {
    int c = col[i];
    double v = value[i];
    col[i] = col[n - 1 - i];
    value[i] = value[n - 1 - i];
    col[n - 1 - i] = c;
    value[n - 1 - i] = v;
  }
  return n;
}
