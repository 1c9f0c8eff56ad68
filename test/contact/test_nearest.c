// The admissible point of a plane that is nearest to the origin: no admissible point of the plane is nearer. Random
// planes through a point of the sets, corners of the sets among them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/base.h>
#include "contact/nearest.h"
#include "less.h"
#include "math/row_space.h"
#include "draw.h"

enum { CONTACTS = 4, N = 1 + 3 + 2 + 2 };

static const ss_near_set sets[CONTACTS] = {{SS_FROM, 0, 1, .low = 0.1},
                                             {SS_CONE, 1, 3, .mu = 0.4},
                                             {SS_CONE, 4, 2, .mu = 0.7, .bound = 0.2},
                                             {SS_DISK, 6, 2, .bound = 0.3}};

// How far x is outside
static double outside(const double* x)
{
  double off = fmax(0, sets[0].low - x[0]);
  off = fmax(off, fmax(-x[1], hypot(x[2], x[3]) - sets[1].mu*x[1]));
  off = fmax(off, fmax(-x[4], fabs(x[5]) - sets[2].mu*x[4] - sets[2].bound));
  return fmax(off, hypot(x[6], x[7]) - sets[3].bound);
}

static void random_point(double* x, bool on_edges)
{
  double angle = uniform(0, 6), part = on_edges ? 1 : uniform(0, 1);
  x[0] = on_edges ? sets[0].low : uniform(sets[0].low, 2);
  x[1] = uniform(0, 2);
  x[2] = part*sets[1].mu*x[1]*cos(angle);
  x[3] = part*sets[1].mu*x[1]*sin(angle);
  x[4] = on_edges ? 0 : uniform(0, 2);
  x[5] = part*(sets[2].mu*x[4] + sets[2].bound);
  x[6] = part*sets[3].bound*cos(2*angle);
  x[7] = part*sets[3].bound*sin(2*angle);
}

// Points of the plane near x, towards other admissible ones: none is nearer to the origin
static void test_random(void** state)
{
  (void)state;
  int edges = 0;
  ss_arena* arena = ss_arena_create(ss_nearest_size(N));
  assert_non_null(arena);
  for (int k = 0; k < 2000; k += LESS) {
    seed = (unsigned long)k + 1;
    double A[N*N], c[N] = {0}, R[N*N], g[N], p[N], x[N], length = 0;
    int rows = 1 + k%(N - 1);
    random_point(p, k%3 == 0);
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < N; j++) {
        A[i*N + j] = uniform(-1, 1);
        c[i] += A[i*N + j]*p[j];
      }
    int rank = ss_row_space(rows, N, A, c, 1e-9, R, g);
    assert_int_equal(rank, rows);
    bool found = ss_nearest(rank, N, R, g, CONTACTS, sets, false, arena, NULL, x);
    if (k%3) assert_true(found);
    if (!found) continue;
    edges += k%3 == 0;
    assert_true(outside(x) < 1e-10);
    for (int i = 0; i < rank; i++) {
      double off = -g[i];
      for (int j = 0; j < N; j++) off += R[i*N + j]*x[j];
      assert_true(fabs(off) < 1e-10);
    }
    for (int j = 0; j < N; j++) length += x[j]*(p[j] - x[j]);  // the plane holds p, and sets are convex
    assert_true(length > -1e-9);
  }
  assert_true(edges > 600/LESS/2);  // a plane that does no more than touch the sets may be missed
  ss_arena_destroy(arena);
}

// Nothing admissible in the plane x_0 = 0
static void test_none(void** state)
{
  (void)state;
  double R[N] = {1}, g[1] = {0}, x[N] = {7};
  ss_arena* arena = ss_arena_create(ss_nearest_size(N));
  assert_non_null(arena);
  assert_false(ss_nearest(1, N, R, g, CONTACTS, sets, false, arena, NULL, x));
  assert_true(x[0] == 7);
  ss_arena_destroy(arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
