// The overlap of two outlines as an area. An outline is the sum of the triangles from one of its points to its edges,
// each with the sign of its area; so the area that two of them have in common is the sum over pairs of triangles,
//   |A and B| = sum_ij sign_i sign_j |T_i and T_j|,
// each found by cutting one triangle with the sides of the other. Nothing is decided on: corners on corners, edges on
// edges and bodies that coincide are cases like all others.
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "verify_area.h"

typedef long double number;

#define MOST_CORNERS 8  // of a triangle cut by three lines, and one more

// As numbers are: the library's fminl() and fmaxl() are calls
static number least(number a, number b) { return b < a ? b : a; }
static number most(number a, number b) { return b > a ? b : a; }

// Twice the area of the triangle a b c, with its sign
static number doubled(const number a[2], const number b[2], const number c[2])
{
  return (b[0] - a[0])*(c[1] - a[1]) - (b[1] - a[1])*(c[0] - a[0]);
}

// Keeps what is left of the line a b: the points p of `n` corners into out. Returns how many.
static int cut(int n, const number* p, const number a[2], const number b[2], number* out)
{
  int m = 0;
  for (int i = 0; i < n; i++) {
    const number *x = p + 2*i, *y = p + 2*((i + 1)%n);
    number dx = doubled(a, b, x), dy = doubled(a, b, y);
    if (dx >= 0) {
      out[2*m] = x[0];
      out[2*m++ + 1] = x[1];
    }
    if ((dx > 0 && dy < 0) || (dx < 0 && dy > 0)) {
      number part = dx/(dx - dy);
      out[2*m] = x[0] + part*(y[0] - x[0]);
      out[2*m++ + 1] = x[1] + part*(y[1] - x[1]);
    }
  }
  return m;
}

static number area_of(int n, const number* p)
{
  number sum = 0;
  for (int i = 1; i + 1 < n; i++) sum += doubled(p, p + 2*i, p + 2*i + 2);
  return sum/2;
}

// Of two triangles, both counter-clockwise
static number common_area(const number a[6], const number b[6])
{
  number p[2*MOST_CORNERS], q[2*MOST_CORNERS];
  int n = 3;
  memcpy(p, a, 6*sizeof *a);
  for (int i = 0; i < 3 && n > 2; i++) {
    n = cut(n, p, b + 2*i, b + 2*((i + 1)%3), q);
    memcpy(p, q, 2*(size_t)n*sizeof *p);
  }
  return n > 2 ? area_of(n, p) : 0;
}

// A triangle counter-clockwise; its sign as given is returned, 0: it has no area
static int turn(const number* a, const number* b, const number* c, number t[6])
{
  number size = doubled(a, b, c);
  const number *second = size < 0 ? c : b, *third = size < 0 ? b : c;
  for (int k = 0; k < 2; k++) {
    t[k] = a[k];
    t[2 + k] = second[k];
    t[4 + k] = third[k];
  }
  return (size > 0) - (size < 0);
}

static bool are_apart(const number a[6], const number b[6])
{
  for (int k = 0; k < 2; k++) {
    number low_a = least(least(a[k], a[2 + k]), a[4 + k]), high_a = most(most(a[k], a[2 + k]), a[4 + k]);
    number low_b = least(least(b[k], b[2 + k]), b[4 + k]), high_b = most(most(b[k], b[2 + k]), b[4 + k]);
    if (low_a > high_b || low_b > high_a) return true;
  }
  return false;
}

static number sum_triangles(int n, const number* p, int m, const number* q)
{
  number sum = 0, a[6], b[6];
  for (int i = 1; i + 1 < n; i++) {
    int sign = turn(p, p + 2*i, p + 2*i + 2, a);
    for (int j = 1; sign && j + 1 < m; j++) {
      int other = turn(q, q + 2*j, q + 2*j + 2, b);
      if (other && !are_apart(a, b)) sum += sign*other*common_area(a, b);
    }
  }
  return sum;
}

// What of an outline is in a box, low to high; edges along its sides may be passed to and fro. Returns the points.
static int cut_box(int n, const number* p, const number low[2], const number high[2], number* out, number* spare)
{
  const number corner[4][2] = {{low[0], low[1]}, {high[0], low[1]}, {high[0], high[1]}, {low[0], high[1]}};
  memcpy(out, p, 2*(size_t)n*sizeof *p);
  for (int i = 0; i < 4 && n > 2; i++) {
    n = cut(n, out, corner[i], corner[(i + 1)%4], spare);
    memcpy(out, spare, 2*(size_t)n*sizeof *p);
  }
  return n;
}

static void widen(int n, const number* p, number low[2], number high[2])
{
  for (int i = 0; i < 2*n; i++) {
    low[i%2] = least(low[i%2], p[i]);
    high[i%2] = most(high[i%2], p[i]);
  }
}

long double cli_overlap_area(int n, const long double* p, int m, const long double* q, long double* wide)
{
  number low[2][2] = {{INFINITY, INFINITY}, {INFINITY, INFINITY}};
  number high[2][2] = {{-INFINITY, -INFINITY}, {-INFINITY, -INFINITY}};
  size_t room = 16*(size_t)(n + m) + 64;  // each of four cuts adds at most one point for two
  widen(n, p, low[0], high[0]);
  widen(m, q, low[1], high[1]);
  for (int k = 0; k < 2; k++) {
    low[0][k] = most(low[0][k], low[1][k]);
    high[0][k] = least(high[0][k], high[1][k]);
    if (!(high[0][k] > low[0][k])) return 0;
  }
  number* x = malloc(3*room*sizeof *x);
  if (!x) return -1;
  int in_a = cut_box(n, p, low[0], high[0], x, x + 2*room);
  int in_b = cut_box(m, q, low[0], high[0], x + room, x + 2*room);
  number area = in_a > 2 && in_b > 2 ? sum_triangles(in_a, x, in_b, x + room) : 0;
  *wide = hypotl(high[0][0] - low[0][0], high[0][1] - low[0][1]);
  free(x);
  return most(0, area);
}
