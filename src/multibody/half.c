// Rows of nodes in velocities for which the mass matrix is one: J L^-T with M = L L^T, so that G = J M^-1 J^T is the
// product of such rows. L is the articulated factor, z = D^-1/2 (1 + H phi K)^-1 J^T; a body alone, free to move, has
// the one of its centre of mass and principal axes.
#include "multibody/node.h"
#include <string.h>

// A force g on body b, where its velocities above `i` are already passed, handed to the root: what it leaves at the
// velocities, in units of their sqrt(D), at z[i - first]
static void pass_down(const ss_tree_work* w, int b, int i, ss_spatial* g, int first, double* z)
{
  const ss_tree* tree = w->tree;
  for (; b > 0; b = tree->body[b].parent, i = tree->body[b].iv + tree->body[b].nv - 1) {
    const ss_tree_body* body = tree->body + b;
    if (body->nv == 0) g->w = ss_add(g->w, ss_cross(w->d[b], g->v));
    for (; i >= body->iv; i--) {
      double e = ss_spatial_dot(w->S + i, g);
      z[i - first] += e*sqrt(w->D_inv[i]);
      if (i == body->iv) g->w = ss_add(g->w, ss_cross(w->d[b], g->v));
      ss_spatial_axpy(-e, w->K + i, g);
    }
  }
}

// A force on velocity i itself: the first e is given, the rest goes on as -K e
static void pass_down_term(const ss_tree_work* w, int i, double e, int first, double* z)
{
  const ss_tree* tree = w->tree;
  const ss_tree_body* body = tree->body + tree->body_of[i];
  ss_spatial g = {.w = {0, 0, 0}};
  z[i - first] += e*sqrt(w->D_inv[i]);
  ss_spatial_axpy(-e, w->K + i, &g);
  if (i > body->iv) {
    pass_down(w, tree->body_of[i], i - 1, &g, first, z);
  } else {  // K is at the parent's centre of mass
    const ss_tree_body* parent = tree->body + body->parent;
    pass_down(w, body->parent, parent->iv + parent->nv - 1, &g, first, z);
  }
}

// The velocity that a force on body b meets first is one of those from `first` on; so are all that it meets then
static bool is_in(const ss_tree* tree, int b, int first, int n)
{
  int last = ss_tree_last_velocity(tree, b);
  return last >= first && last < first + n;
}

void ss_tree_add_half_row(const ss_tree_work* w, const ss_tree_node* node, int row, int first, int n, double* z)
{
  const ss_tree_body* body = w->tree->body;
  for (int j = 0; j < node->terms; j++)
    if (node->velocity[j] >= first && node->velocity[j] < first + n)
      pass_down_term(w, node->velocity[j], node->coefficient[j], first, z);
  for (int at_b = 0; at_b < 2 && !node->terms; at_b++) {
    int b = (at_b ? node->body_b : node->body_a) + 1;
    if (!is_in(w->tree, b, first, n)) continue;
    ss_spatial g = ss_tree_wrench(w, node, row, at_b);
    pass_down(w, b, body[b].iv + body[b].nv - 1, &g, first, z);
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

void ss_tree_half_rows(const ss_tree_work* w, const ss_tree_node* node, int row, int rows, int first, int n, int stride,
                       double* z)
{
  const ss_tree* tree = w->tree;
  const ss_tree_body* body = tree->body + tree->body_of[first];
  int b = tree->body_of[first] - 1;
  if (body->alone && !node->terms && node->body_a != node->body_b) {
    half_alone(w, node, row, rows, node->body_b == b, stride, z);
    return;
  }
  for (int k = row; k < row + rows; k++, z += stride) {
    memset(z, 0, sizeof(double)*(size_t)n);
    ss_tree_add_half_row(w, node, k, first, n, z);
  }
}
