// A height field has two triangles per cell (the diagonal goes from (x, y) to (x + dx, y + dy)) and is solid below. A
// solid is looked at by sampled points of its surface, each against the triangles around the place above it, and by the
// columns of the field, which no part of the solid may hold.
#include <math.h>
#include <string.h>

#include "verify_heights.h"

#define MOST_POINTS 512  // vertices of a mesh that are looked at

typedef struct grid {
  const ss_scene_hfield* field;
  double step[2];
} grid;

static double dot(const double a[3], const double b[3]) { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]; }

static void corner(const grid* g, int row, int col, double p[3])
{
  p[0] = -g->field->half[0] + col*g->step[0];
  p[1] = -g->field->half[1] + row*g->step[1];
  p[2] = g->field->height[row*g->field->n_col + col];
}

static void to_field(const cli_solid* place, const double x[3], double out[3])
{
  double d[3];
  for (int k = 0; k < 3; k++) d[k] = x[k] - place->center[k];
  for (int k = 0; k < 3; k++)
    out[k] = place->matrix[k]*d[0] + place->matrix[3 + k]*d[1] + place->matrix[6 + k]*d[2];
}

// The triangle over (x, y), and the height there; false beside the field
static bool height_at(const grid* g, const double x[3], double* height)
{
  double u = (x[0] + g->field->half[0])/g->step[0], v = (x[1] + g->field->half[1])/g->step[1], p[3][3];
  if (!(u >= 0 && v >= 0 && u <= g->field->n_col - 1 && v <= g->field->n_row - 1)) return false;
  int col = (int)fmin(floor(u), g->field->n_col - 2), row = (int)fmin(floor(v), g->field->n_row - 2);
  bool right = u - col >= v - row;
  corner(g, row, col, p[0]);
  corner(g, row + !right, col + right, p[1]);
  corner(g, row + 1, col + 1, p[2]);
  double first = right ? u - col : v - row, second = right ? v - row : u - col;
  *height = p[0][2] + first*(p[1][2] - p[0][2]) + second*(p[2][2] - p[1][2]);
  return true;
}

// The distance of x from the plane of a triangle of the field, above zero below it
static double below_plane(const double p[3][3], const double x[3])
{
  double e[3], f[3], d[3], n[3];
  for (int k = 0; k < 3; k++) {
    e[k] = p[1][k] - p[0][k];
    f[k] = p[2][k] - p[0][k];
    d[k] = p[0][k] - x[k];
  }
  n[0] = e[1]*f[2] - e[2]*f[1];
  n[1] = e[2]*f[0] - e[0]*f[2];
  n[2] = e[0]*f[1] - e[1]*f[0];
  return dot(d, n)/sqrt(dot(n, n))*(n[2] < 0 ? -1 : 1);
}

// How deep a point that is below the surface is: no deeper than below the planes of the triangles within that way, nor
// than from the border
static double point_depth(const grid* g, const double x[3])
{
  double height, p[3][3];
  if (!height_at(g, x, &height) || !(height > x[2])) return 0;
  double depth = height - x[2];
  for (int k = 0; k < 2; k++) depth = fmin(depth, g->field->half[k] - fabs(x[k]));
  int low[2], high[2], most[2] = {g->field->n_col - 2, g->field->n_row - 2};
  for (int k = 0; k < 2; k++) {
    low[k] = (int)fmax(0, floor((x[k] - depth + g->field->half[k])/g->step[k]));
    high[k] = (int)fmin(most[k], floor((x[k] + depth + g->field->half[k])/g->step[k]));
  }
  for (int row = low[1]; row <= high[1]; row++)
    for (int col = low[0]; col <= high[0]; col++)
      for (int right = 0; right < 2; right++) {
        corner(g, row, col, p[0]);
        corner(g, row + !right, col + right, p[1]);
        corner(g, row + 1, col + 1, p[2]);
        double below = below_plane((const double(*)[3])p, x);
        if (below > 0) depth = fmin(depth, below);
      }
  return depth;
}

// The point of the solid farthest along a direction of the field's frame
static double sample(const grid* g, const cli_solid* place, const cli_solid* solid, const double d[3])
{
  double n[3], x[3], length = sqrt(dot(d, d));
  for (int k = 0; k < 3; k++) n[k] = dot(place->matrix + 3*k, d)/length;
  double w[3], away[3];
  const cli_solid origin = {.shape = SS_SCENE_SPHERE, .matrix = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  cli_overlap_along(solid, &origin, n, w);
  for (int k = 0; k < 3; k++) away[k] = w[k] + solid->radius*n[k];
  to_field(place, away, x);
  return point_depth(g, x);
}

static double depth_of_points(const grid* g, const cli_solid* place, const cli_solid* solid)
{
  double depth = 0;
  for (int i = 0; i < 125; i++) {
    double d[3] = {i%5 - 2, i/5%5 - 2, i/25 - 2};
    if (i != 62 && d[2] <= 0) depth = fmax(depth, sample(g, place, solid, d));
  }
  for (int i = 0; i < solid->n_vertex && solid->n_vertex <= MOST_POINTS; i++) {
    double x[3], world[3];
    for (int k = 0; k < 3; k++)
      world[k] = solid->center[k] + dot(solid->matrix + 3*k, solid->vertex + 3*i);
    to_field(place, world, x);
    depth = fmax(depth, point_depth(g, x));
  }
  return depth;
}

// Columns of the field from its points downwards, as segments that must not be in the solid
static double depth_of_columns(const grid* g, const cli_solid* place, const cli_solid* solid, const double at[3],
                               double reach)
{
  double middle[3], depth = 0, best[3];
  to_field(place, at, middle);
  cli_solid post = {.shape = SS_SCENE_CAPSULE};
  memcpy(post.matrix, place->matrix, sizeof post.matrix);
  post.half[1] = 2*reach;
  int low[2], high[2], most[2] = {g->field->n_col - 1, g->field->n_row - 1};
  for (int k = 0; k < 2; k++) {
    low[k] = (int)fmax(0, ceil((middle[k] - reach + g->field->half[k])/g->step[k]));
    high[k] = (int)fmin(most[k], floor((middle[k] + reach + g->field->half[k])/g->step[k]));
  }
  for (int row = low[1]; row <= high[1]; row++)
    for (int col = low[0]; col <= high[0]; col++) {
      double p[3];
      corner(g, row, col, p);
      if (p[2] < middle[2] - reach) continue;
      p[2] -= 2*reach;
      for (int k = 0; k < 3; k++) post.center[k] = place->center[k] + dot(place->matrix + 3*k, p);
      depth = fmax(depth, cli_overlap(solid, &post, 0, 0, NULL, best));
    }
  return depth;
}

double cli_field_depth(const cli_solid* place, const ss_scene_hfield* field, const cli_solid* solid,
                       const double at[3], double reach)
{
  grid g = {field, {2*field->half[0]/(field->n_col - 1), 2*field->half[1]/(field->n_row - 1)}};
  return fmax(depth_of_points(&g, place, solid), depth_of_columns(&g, place, solid, at, reach));
}
