// The polyhedral friction cone as an MLCP: its size, its directions, and what it must give where that is known.
#include "cone_families.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stickslip/polyhedral.h>

enum { MAX = 200 };

static double A[MAX*MAX], b[MAX], lower[MAX], upper[MAX], z[MAX], w[MAX];

// Solves the MLCP and reads the impulses
static double solve(const ss_polyhedral* p, double* Lambda)
{
  int n = ss_polyhedral_unknowns(p);
  ss_mlcp mlcp = {.n = n, .A = A, .b = b, .lower = lower, .upper = upper};
  ss_mlcp_def def = ss_mlcp_def_default();
  ss_mlcp_solution s = {.z = z, .w = w};
  ss_arena* arena = ss_arena_create(ss_mlcp_solve_size(n));
  assert_true(n <= MAX);
  ss_polyhedral_write(p, A, b, lower, upper);
  assert_int_equal(ss_mlcp_solve(&mlcp, &def, arena, &s), SS_OK);
  ss_arena_destroy(arena);
  ss_polyhedral_read(p, z, Lambda);
  return s.residual;
}

// A unit mass that hits a plane with normal velocity -1 and tangential velocity v: G = 1
static ss_contact_problem particle(double mu, double v1, double v2)
{
  static const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const ss_contact_kind kind[1] = {SS_CONTACT_SPATIAL};
  static double velocity[3], friction[1], bound[1];
  friction[0] = mu;
  velocity[0] = -1;
  velocity[1] = v1;
  velocity[2] = v2;
  return (ss_contact_problem){.n_contact = 1, .m = 3, .G = G, .b = velocity, .kind = kind, .mu = friction,
                              .bound = bound};
}

static void test_size(void** state)
{
  (void)state;
  contacts c;
  uint64_t seed = 1;
  for (int i = 0; i < 50; i++) {
    make_contacts(&c, 0xf, i%2, 1, 0.5, &seed);
    int facets = 4 + 2*(i%5), n = c.p.n_bilateral;
    for (int k = 0; k < c.p.n_contact; k++) {
      ss_contact_kind kind = c.kind[k];
      n += kind == SS_CONTACT_SPATIAL ? facets + 2 : kind == SS_CONTACT_PLANAR ? 4 : 1;
    }
    ss_polyhedral p = {.problem = &c.p, .facets = facets};
    assert_int_equal(ss_polyhedral_unknowns(&p), n);
    assert_int_equal(ss_polyhedral_first(&p, 0), c.p.n_bilateral);
  }
}

// A direction along -v: Lambda_T = -mu v/|v|, as the round cone has it. At 45 degrees from it the impulse is that of
// the middle of an edge, shorter by sqrt 2: a sliding sphere takes sqrt 2 times as long to stop.
static void test_aligned_or_not(void** state)
{
  (void)state;
  double v[2] = {3, 4}, Lambda[3], angle = ss_polyhedral_angle(NULL, v), half = angle + 0.7853981633974483;
  ss_contact_problem problem = particle(0.5, v[0], v[1]);
  solve(&(ss_polyhedral){.problem = &problem, .facets = 4, .angle = &angle}, Lambda);
  assert_true(fabs(Lambda[0] - 1) + fabs(Lambda[1] + 0.3) + fabs(Lambda[2] + 0.4) < 1e-14);
  solve(&(ss_polyhedral){.problem = &problem, .facets = 4, .angle = &half}, Lambda);
  assert_true(fabs(hypot(Lambda[1], Lambda[2]) - 0.5/sqrt(2)) < 1e-14);
}

// The law of an ellipse E(disk): the impulse of sliding is E E^T(-v)/|E^T v| mu, to which -v is normal
static void test_ellipse_aligned(void** state)
{
  (void)state;
  ss_friction_set set = {.shape = SS_SET_ELLIPSE, .a = {2, 0.5}, .angle = 0.3};
  double v[2] = {3, -1}, e1[2] = {cos(0.3), sin(0.3)}, e2[2] = {-sin(0.3), cos(0.3)}, Lambda[3];
  double c1 = -4*(v[0]*e1[0] + v[1]*e1[1]), c2 = -0.25*(v[0]*e2[0] + v[1]*e2[1]), size = hypot(c1/2, c2/0.5);
  double angle = ss_polyhedral_angle(&set, v);
  ss_contact_problem problem = particle(0.1, v[0], v[1]);
  double mass[9] = {1, 0, 0, 0, 1e-9, 0, 0, 0, 1e-9};  // so heavy in the plane that v stays
  problem.G = mass;
  solve(&(ss_polyhedral){.problem = &problem, .facets = 6, .angle = &angle, .set = &set}, Lambda);
  for (int i = 0; i < 2; i++) {
    double want = 0.1*(c1*e1[i] + c2*e2[i])/size;
    if (fabs(Lambda[1 + i] - want) > 1e-9) fail_msg("Lambda_T%d is %g, not %g", i + 1, Lambda[1 + i], want);
  }
}

// In the plane the cone is exact: the MLCP solves the contact problem, with bilateral rows and friction elements
static void test_planar_is_exact(void** state)
{
  (void)state;
  unsigned kinds = 1u << SS_CONTACT_NORMAL | 1u << SS_CONTACT_PLANAR | 1u << SS_CONTACT_FRICTION;
  contacts c;
  uint64_t seed = 7;
  double Lambda[CONE_ROWS];
  for (int i = 0; i < 200; i++) {
    make_contacts(&c, kinds, i%2, i%3 ? 1.5 : 0.6, 0.6, &seed);
    for (int k = 0; k < c.p.n_contact; k++) c.bound[k] += 0.1*(i%4 == 0);
    solve(&(ss_polyhedral){.problem = &c.p, .facets = 4}, Lambda);
    double r = ss_contact_residual(&c.p, Lambda);
    if (!(r < 1e-9)) fail_msg("problem %d: residual %g", i, r);
  }
}

// More facets, closer to the round cone: the sliding impulse is at least mu cos(pi/n_f)
static void test_facets_close_in(void** state)
{
  (void)state;
  double Lambda[3];
  ss_contact_problem problem = particle(1, 5, 1);
  for (int facets = 4; facets <= 64; facets *= 2) {
    solve(&(ss_polyhedral){.problem = &problem, .facets = facets}, Lambda);
    double size = hypot(Lambda[1], Lambda[2]);
    assert_true(size <= 1 + 1e-12 && size >= cos(3.14159265358979/facets) - 1e-12);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_size),            cmocka_unit_test(test_aligned_or_not),
    cmocka_unit_test(test_ellipse_aligned), cmocka_unit_test(test_planar_is_exact),
    cmocka_unit_test(test_facets_close_in),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
