// Todorov's parametrisation: impulses and velocities fulfil the law whatever z is; the Jacobian against differences.
#include "solve/mncp.h"
#include "cone_families.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const double triangle[6] = {1, -0.5, 0, 1, -1, -0.7};
static ss_friction_set sets[CONE_CONTACTS];
static contacts c;
static ss_arena* arena;
static const ss_dissipation_def def = {.tol = 1e-10, .facets = 4};

// A problem in its own units, with disks, or with disks, ellipses and triangles
static ss_cone_run prepare(int turn, uint64_t* seed)
{
  make_contacts(&c, 0xf, turn%2, 1.2, 0.8, seed);
  for (int i = 0; i < c.p.n_contact; i++) {
    sets[i] = (ss_friction_set){.shape = (ss_set_shape)((i + turn)%3), .a = {2, 0.7}, .angle = 1, .n = 3,
                                .vertex = triangle};
    c.bound[i] += turn%5 == 0 ? 0.1 : 0;
  }
  ss_cone_run run = {.problem = &c.p, .set = turn%4 < 2 ? sets : NULL, .def = &def, .arena = arena};
  assert_int_equal(ss_cone_prepare(&run), SS_OK);
  return run;
}

static void test_law_holds_for_every_z(void** state)
{
  (void)state;
  uint64_t seed = 3;
  double z[CONE_ROWS], F[CONE_ROWS], own[CONE_ROWS*CONE_ROWS], b[CONE_ROWS];
  for (int turn = 0; turn < 100; turn++) {
    size_t mark = ss_arena_mark(arena);
    ss_cone_run run = prepare(turn, &seed);
    fill_uniform(run.p.m, z, &seed);
    ss_mncp_impulses(&run, z, F);
    // the problem with G = 1 whose velocities are v = z + F: b = z, and 0 in bilateral rows
    ss_contact_problem p = run.p;
    p.G = own;
    p.b = b;
    for (int i = 0; i < p.m; i++) {
      b[i] = i < p.n_bilateral ? -F[i] : z[i];
      for (int j = 0; j < p.m; j++) own[i*p.m + j] = i == j;
    }
    double r = ss_dissipation_residual(&p, run.shape, F);
    if (!(r < 1e-14)) fail_msg("turn %d: the law is violated by %g", turn, r);
    ss_arena_release(arena, mark);
  }
}

static void test_jacobian_is_the_derivative(void** state)
{
  (void)state;
  uint64_t seed = 5;
  double z[CONE_ROWS], F[CONE_ROWS], plus[CONE_ROWS], minus[CONE_ROWS], J[CONE_ROWS*CONE_ROWS];
  for (int turn = 0; turn < 100; turn++) {
    size_t mark = ss_arena_mark(arena);
    ss_cone_run run = prepare(turn, &seed);
    int m = run.p.m;
    fill_uniform(m, z, &seed);
    ss_mncp_jacobian(&run, z, J);
    for (int j = 0; j < m; j++) {
      double middle = z[j], h = 1e-6;
      z[j] = middle + h;
      ss_mncp_phi(&run, z, F, plus);
      z[j] = middle - h;
      ss_mncp_phi(&run, z, F, minus);
      z[j] = middle;
      for (int i = 0; i < m; i++) {
        double slope = (plus[i] - minus[i])/(2*h);
        if (fabs(slope - J[i*m + j]) > 1e-7) fail_msg("dPhi_%d/dz_%d is %g, not %g", i, j, slope, J[i*m + j]);
      }
    }
    ss_arena_release(arena, mark);
  }
}

static int set_up(void** state)
{
  (void)state;
  arena = ss_arena_create(1 << 20);
  return arena ? 0 : -1;
}

static int tear_down(void** state)
{
  (void)state;
  ss_arena_destroy(arena);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_law_holds_for_every_z),
    cmocka_unit_test(test_jacobian_is_the_derivative),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
