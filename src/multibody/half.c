// Rows of nodes in velocities for which the mass matrix is one: J L^-T with M = L L^T, so that G = J M^-1 J^T is the
// product of such rows. L is the articulated factor, z = D^-1/2 (1 + H phi K)^-1 J^T; a body alone, free to move, has
// the one of its centre of mass and principal axes.
#include "multibody/node.h"
#include <string.h>

// Forces on a body, one in each lane: those of up to three rows of a node
typedef struct forces {
  ss_v4 w[3], v[3];
} forces;

// Where the rows go
typedef struct half_rows {
  const ss_tree_span* span;
  int rows, stride;
  double* z;
} half_rows;

// What the forces leave at velocity i, in units of its sqrt(D)
SS_INLINE void leave(const half_rows* to, const ss_tree_work* w, int i, const ss_v4* e)
{
  double left[4], *z = to->z + (to->span->place ? to->span->place[i] : i - to->span->first);
  SS_V4(left) = *e*sqrt(w->D_inv[i]);
  for (int k = 0; k < to->rows; k++) z[k*to->stride] += left[k];
}

// To the parent's centre of mass: g.w += d x g.v
SS_INLINE void shift(forces* g, ss_vec3 d)
{
  g->w[0] += d.y*g->v[2] - d.z*g->v[1];
  g->w[1] += d.z*g->v[0] - d.x*g->v[2];
  g->w[2] += d.x*g->v[1] - d.y*g->v[0];
}

// g -= e K
SS_INLINE void hand_on(forces* g, const ss_v4* e, const ss_spatial* K)
{
  g->w[0] -= *e*K->w.x;
  g->w[1] -= *e*K->w.y;
  g->w[2] -= *e*K->w.z;
  g->v[0] -= *e*K->v.x;
  g->v[1] -= *e*K->v.y;
  g->v[2] -= *e*K->v.z;
}

// Forces g on body b, where its velocities above `i` are already passed, handed to the root
SS_INLINE void pass_down(const ss_tree_work* w, int b, int i, forces* g, const half_rows* to)
{
  const ss_tree* tree = w->tree;
  for (; b > 0; b = tree->body[b].parent, i = tree->body[b].iv + tree->body[b].nv - 1) {
    const ss_tree_body* body = tree->body + b;
    if (body->nv == 0) shift(g, w->d[b]);
    for (; i >= body->iv; i--) {
      const ss_spatial* S = w->S + i;
      ss_v4 turn = S->w.x*g->w[0] + S->w.y*g->w[1] + S->w.z*g->w[2];
      ss_v4 e = turn + (S->v.x*g->v[0] + S->v.y*g->v[1] + S->v.z*g->v[2]);
      leave(to, w, i, &e);
      if (i == body->iv) shift(g, w->d[b]);
      hand_on(g, &e, w->K + i);
    }
  }
}

SS_CLONES static void pass_wrench(const ss_tree_work* w, const ss_tree_node* node, int row, bool at_b,
                                  const half_rows* to)
{
  int b = (at_b ? node->body_b : node->body_a) + 1;
  const ss_tree_body* body = w->tree->body + b;
  forces g = {{{0}, {0}, {0}}, {{0}, {0}, {0}}};
  for (int k = 0; k < to->rows; k++) {
    ss_spatial f = ss_tree_wrench(w, node, row + k, at_b);
    g.w[0][k] = f.w.x;
    g.w[1][k] = f.w.y;
    g.w[2][k] = f.w.z;
    g.v[0][k] = f.v.x;
    g.v[1][k] = f.v.y;
    g.v[2][k] = f.v.z;
  }
  pass_down(w, b, body->iv + body->nv - 1, &g, to);
}

// A force on velocity i itself: the first e is given, the rest goes on as -K e
SS_CLONES static void pass_term(const ss_tree_work* w, int i, double coefficient, const half_rows* to)
{
  const ss_tree* tree = w->tree;
  const ss_tree_body *body = tree->body + tree->body_of[i], *parent = tree->body + body->parent;
  forces g = {{{0}, {0}, {0}}, {{0}, {0}, {0}}};
  ss_v4 e = {coefficient};
  leave(to, w, i, &e);
  hand_on(&g, &e, w->K + i);
  if (i > body->iv) pass_down(w, tree->body_of[i], i - 1, &g, to);
  else pass_down(w, body->parent, parent->iv + parent->nv - 1, &g, to);  // K is at the parent's centre of mass
}

static bool is_in(const ss_tree_span* span, int i) { return i >= span->first && i < span->first + span->n; }

void ss_tree_add_half_rows(const ss_tree_work* w, const ss_tree_node* node, int row, int rows,
                           const ss_tree_span* span, int stride, double* z)
{
  half_rows to = {.span = span, .rows = rows, .stride = stride, .z = z};
  for (int j = 0; j < node->terms; j++)
    if (is_in(span, node->velocity[j])) pass_term(w, node->velocity[j], node->coefficient[j], &to);
  for (int at_b = 0; at_b < 2 && !node->terms; at_b++) {
    int b = (at_b ? node->body_b : node->body_a) + 1;
    // with the velocity that a force on the body meets first, all that it meets then are in the span
    if (is_in(span, ss_tree_last_velocity(w->tree, b))) pass_wrench(w, node, row, at_b, &to);
  }
}

// A force on a body alone: by its mass and its principal moments of inertia. Lanes are the principal axes e_c:
//   e_c . (r x d) = d . (e_c x r) = d.x g_x + d.y g_y + d.z g_z.
SS_CLONES static void half_alone(const ss_tree_work* w, const ss_tree_node* node, int row, int rows, bool at_b,
                                 int stride, double* z)
{
  int b = (at_b ? node->body_b : node->body_a) + 1;
  const ss_tree_body* body = w->tree->body + b;
  const ss_mat3* R = w->R + b;
  ss_vec3 r = ss_sub(ss_vec3_from(at_b ? node->point_b : node->point_a), w->com[b]), i = body->inertia_root;
  double sign = at_b ? 1 : -1, mass = node->rotation ? 0 : sign*body->mass_root;
  ss_v4 m = sign*SS_V4_FROM3(i);
  ss_v4 x = m*SS_V4_3(R->x.x, R->y.x, R->z.x), y = m*SS_V4_3(R->x.y, R->y.y, R->z.y);
  ss_v4 g_z = m*SS_V4_3(R->x.z, R->y.z, R->z.z), g_x = x, g_y = y;
  if (!node->rotation) {
    g_x = y*r.z - g_z*r.y;
    g_y = g_z*r.x - x*r.z;
    g_z = x*r.y - y*r.x;
  }
  for (int k = row; k < row + rows; k++, z += stride) {
    const double* d = node->frame + 3*k;
    ss_v4 turn = d[0]*g_x + d[1]*g_y + d[2]*g_z;
    for (int c = 0; c < 3; c++) {
      z[c] = mass*d[c];
      z[3 + c] = turn[c];
    }
  }
}

void ss_tree_half_rows(const ss_tree_work* w, const ss_tree_node* node, int row, int rows, const ss_tree_span* span,
                       int stride, double* z)
{
  const ss_tree* tree = w->tree;
  const ss_tree_body* body = tree->body + tree->body_of[span->first];
  int b = tree->body_of[span->first] - 1;
  if (body->alone && !node->terms && node->body_a != node->body_b) {
    half_alone(w, node, row, rows, node->body_b == b, stride, z);
    return;
  }
  for (int k = 0; k < rows; k++) memset(z + k*stride, 0, sizeof(double)*(size_t)span->size);
  ss_tree_add_half_rows(w, node, row, rows, span, stride, z);
}

void ss_tree_place_limbs(const ss_tree* tree, int block, int* place, ss_tree_span* span)
{
  int end = span->first + span->n, at = 0, length;
  for (int i = span->first; i < end; i += length) {
    for (length = 1; i + length < end && tree->parent_of[i + length] == i + length - 1;) length++;
    int used = at%block;
    if ((used + length + block - 1)/block > (length + block - 1)/block) at += block - used;
    for (int k = 0; k < length; k++) place[i + k] = at++;
  }
  span->size = at;
  span->place = place;
}
