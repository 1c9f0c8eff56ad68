// Bodies that touch in a row and fly together are one impact when they hit, whatever round-off makes of their gaps.
#include <math.h>
#include <stdio.h>

#include "text_run.h"

enum { BALLS = 5 };

// Balls of radius r in a row from x on, in an order of their own
static run row_of(double x, double r, const double* u, double wall, const int* order, const char* integrator)
{
  char text[4096];
  int n = sprintf(text, "coordinates: [x%d, x%d, x%d, x%d, x%d]\nkinetic: (x0'^2 + x1'^2 + x2'^2 + x3'^2 + x4'^2)/2\n"
                  "contacts:\n  wall: {gap: %.17g - x4, eps_n: 1}\n",
                  order[0], order[1], order[2], order[3], order[4], wall - r);
  for (int i = 0; i + 1 < BALLS; i++)
    n += sprintf(text + n, "  c%d: {gap: x%d - x%d - %.17g, eps_n: 1}\n", i, i + 1, i, 2*r);
  n += sprintf(text + n, "initial: {");
  for (int i = 0; i < BALLS; i++)
    n += sprintf(text + n, "%sx%d: %.17g, x%d': %.17g", i ? ", " : "", i, x + 2*r*i, i, u[i]);
  sprintf(text + n, "}\nrun: {dt: 1e-3, integrator: %s}\n", integrator);
  return start(text);
}

static void assert_velocities(double x, double r, const double* u, double wall, const double* expected)
{
  static const int order[][BALLS] = {{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 4, 0, 3, 1}};
  static const char* const integrator[] = {"moreau", "jean"};
  for (int k = 0; k < 6; k++) {
    run s = row_of(x, r, u, wall, order[k%3], integrator[k/3]);
    go(&s, 0.3);
    for (int i = 0; i < BALLS; i++) assert_true(fabs(s.s->u[i] - expected[order[k%3][i]]) < 1e-12);
    stop(&s);
  }
}

// Thrown against a wall they all come back; two of them that hit three hand on what one impact of all does
static void test_rows(void** state)
{
  (void)state;
  static const double r[] = {0.1, 0.07, 1.0/3, 0.05}, x[] = {-0.7436, 0.31415, 0.0123, -3.7};
  for (int i = 0; i < 4; i++) {
    double all[BALLS] = {1, 1, 1, 1, 1}, back[BALLS] = {-1, -1, -1, -1, -1};
    assert_velocities(x[i], r[i], all, x[i] + 9*r[i] + 0.1, back);
    double first[BALLS] = {1}, after[BALLS] = {-0.6, 0.4, 0.4, 0.4, 0.4};
    assert_velocities(x[i], r[i], first, x[i] + 9*r[i] + 10, after);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
