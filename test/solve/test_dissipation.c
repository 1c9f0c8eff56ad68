// Maximal dissipation over disks, ellipses and polygons: closed forms, the law itself, and methods against each other.
#include "cone_families.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stickslip/dissipation.h>

static ss_arena* arena;
static const double square[8] = {1, 0, 0, 1, -1, 0, 0, -1}, kite[8] = {2, 0.2, 0, 1, -0.7, 0, 0.1, -0.5};

static ss_status solve(const contacts* c, const ss_friction_set* set, ss_dissipation_method method, double* Lambda,
                       double* xi)
{
  ss_dissipation_def def = ss_dissipation_def_default();
  ss_dissipation_solution s = {.Lambda = Lambda, .xi = xi};
  def.method = method;
  def.tol = 1e-12;
  return ss_dissipation_solve(&c->p, set, &def, arena, &s);
}

// A particle of unit mass at a plane, pushed together with velocity `down` and sliding with (v1, v2)
static void make_particle(contacts* c, double mu, double down, double v1, double v2)
{
  *c = (contacts){.G = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .b = {-down, v1, v2}, .mu = {mu}, .kind = {SS_CONTACT_SPATIAL}};
  c->p = (ss_contact_problem){.n_contact = 1, .m = 3, .G = c->G, .b = c->b, .kind = c->kind, .mu = c->mu,
                              .bound = c->bound};
}

static void assert_close(double a, double b, double tol, const char* what)
{
  if (!(fabs(a - b) <= tol)) fail_msg("%s: %.15g and %.15g", what, a, b);
}

// ---- sets ----

// max d.c over psi(c) <= 1, by going around the border
static void test_gauge_and_support(void** state)
{
  (void)state;
  const ss_friction_set sets[] = {{.shape = SS_SET_DISK},
                                  {.shape = SS_SET_ELLIPSE, .a = {3, 0.5}, .angle = 0.7},
                                  {.shape = SS_SET_POLYGON, .n = 4, .vertex = square},
                                  {.shape = SS_SET_POLYGON, .n = 4, .vertex = kite}};
  for (int s = 0; s < 4; s++) {
    assert_int_equal(ss_friction_set_check(&sets[s], NULL), SS_OK);
    for (int i = 0; i < 20; i++) {
      double d[2] = {cos(i), sin(i)}, most = 0;
      for (int j = 0; j < 20000; j++) {
        double u[2] = {cos(j*3.14159265358979e-4), sin(j*3.14159265358979e-4)};
        most = fmax(most, (d[0]*u[0] + d[1]*u[1])/ss_friction_set_psi(&sets[s], u));
      }
      assert_close(ss_friction_set_support(&sets[s], d), most, 1e-3*most, "support");
    }
  }
}

static void test_facets(void** state)
{
  (void)state;
  const double normal[] = {1, 1, -1, 1, -1, -1, 1, -1, 1, 0}, distance[] = {1, 1, 1, 1, 5};  // the last one is far away
  const double strip[] = {1, 0, -1, 0, 0, 1, 1, 1}, ones[] = {1, 1, 1, 1};
  double vertex[10];
  int count;
  ss_error error;
  assert_int_equal(ss_friction_set_facets(5, normal, distance, vertex, &count, NULL), SS_OK);
  assert_int_equal(count, 4);
  for (int j = 0; j < 4; j++) assert_close(fabs(vertex[2*j]) + fabs(vertex[2*j + 1]), 1, 1e-14, "a corner");
  assert_int_equal(ss_friction_set_facets(4, strip, ones, vertex, &count, &error), SS_ERR_INPUT);  // open below
  assert_int_equal(ss_friction_set_facets(4, normal, (double[]){1, 1, 0, 1}, vertex, &count, &error), SS_ERR_INPUT);
}

static void test_bad_sets(void** state)
{
  (void)state;
  const double clockwise[] = {1, 0, 0, -1, -1, 0, 0, 1}, aside[] = {2, 1, 3, 1, 3, 2};
  const double dent[] = {1, 0, 0.1, 0.1, 0, 1, -1, -1}, star[] = {1, 0, -0.8, 0.6, 0.3, -0.95, 0.3, 0.95, -0.8, -0.6};
  const ss_friction_set sets[] = {{.shape = SS_SET_ELLIPSE, .a = {1, 0}}, {.shape = SS_SET_ELLIPSE, .a = {1, NAN}},
                                  {.shape = SS_SET_POLYGON, .n = 4, .vertex = clockwise},
                                  {.shape = SS_SET_POLYGON, .n = 3, .vertex = aside},
                                  {.shape = SS_SET_POLYGON, .n = 4, .vertex = dent},
                                  {.shape = SS_SET_POLYGON, .n = 5, .vertex = star},
                                  {.shape = SS_SET_POLYGON, .n = 2, .vertex = square}, {.shape = (ss_set_shape)9}};
  contacts c;
  make_particle(&c, 0.5, 1, 1, 0);
  for (int i = 0; i < 8; i++) {
    ss_error error = {0};
    double Lambda[3];
    assert_int_equal(ss_friction_set_check(&sets[i], &error), SS_ERR_INPUT);
    assert_true(error.text[0] != 0);
    assert_int_equal(solve(&c, &sets[i], SS_DISSIPATION_AUTO, Lambda, NULL), SS_ERR_ARGUMENT);
  }
}

// ---- closed forms ----

// -xi_T is a normal of the ellipse at the impulse: Lambda_T = -mu E E^T xi_T/|E^T xi_T|
static void test_elliptic_sliding(void** state)
{
  (void)state;
  for (int i = 0; i < 12; i++) {
    ss_friction_set set = {.shape = SS_SET_ELLIPSE, .a = {2, 0.5}, .angle = 0.4};
    contacts c;
    make_particle(&c, 0.1, 1, 3*cos(i), 3*sin(i));
    double Lambda[3], xi[3], e1[2] = {cos(0.4), sin(0.4)}, e2[2] = {-sin(0.4), cos(0.4)};
    for (int m = 1; m < SS_DISSIPATION_METHODS; m++) {
      assert_int_equal(solve(&c, &set, (ss_dissipation_method)m, Lambda, xi), SS_OK);
      double s1 = 2*(xi[1]*e1[0] + xi[2]*e1[1]), s2 = 0.5*(xi[1]*e2[0] + xi[2]*e2[1]), size = hypot(s1, s2);
      assert_close(Lambda[0], 1, 1e-11, "Lambda_N");
      for (int a = 0; a < 2; a++)
        assert_close(Lambda[1 + a], -0.1*(2*s1*e1[a] + 0.5*s2*e2[a])/size, 1e-11, "Lambda_T");
    }
  }
}

// Lambda_N = 0: Lambda_T is 0 whatever the velocity, and 0 = Lambda_N xi_T + 2 lambda Lambda_T holds
static void test_no_normal_impulse(void** state)
{
  (void)state;
  const ss_friction_set sets[] = {{.shape = SS_SET_DISK}, {.shape = SS_SET_ELLIPSE, .a = {3, 0.5}, .angle = 0.7},
                                  {.shape = SS_SET_POLYGON, .n = 4, .vertex = kite}};
  for (int s = 0; s < 3; s++)
    for (int graze = 0; graze < 2; graze++) {
      contacts c;
      make_particle(&c, 0.5, graze ? 0 : -1, 2, -1);  // grazes, or moves away
      const double none[3] = {0, 0, 0}, some[3] = {0, 0.1, 0};
      assert_true(ss_dissipation_residual(&c.p, &sets[s], none) == 0);
      assert_true(ss_dissipation_residual(&c.p, &sets[s], some) > 0.01);
      for (int m = 1; m < SS_DISSIPATION_METHODS; m++) {
        double Lambda[3], xi[3];
        assert_int_equal(solve(&c, &sets[s], (ss_dissipation_method)m, Lambda, xi), SS_OK);
        for (int i = 0; i < 3; i++) assert_close(Lambda[i], 0, 1e-11, "an impulse");
      }
    }
}

// ---- several contacts ----

// The conditions (2.2): psi(Lambda_T) <= r, and no other impulse of r S dissipates more
static void check_law(const contacts* c, const ss_friction_set* set, const double* Lambda, const double* xi)
{
  int row = c->p.n_bilateral;
  for (int i = 0; i < row; i++) assert_close(xi[i], 0, 1e-10, "a bilateral velocity");
  for (int k = 0; k < c->p.n_contact; k++) {
    const double *L = Lambda + row, *v = xi + row, r = c->mu[k]*L[0] + c->bound[k], back[2] = {-v[1], -v[2]};
    row += ss_contact_rows(c->kind[k]);
    if (c->kind[k] != SS_CONTACT_SPATIAL) continue;
    assert_true(L[0] >= -1e-10 && v[0] >= -1e-10);
    assert_close(fmin(L[0], v[0]), 0, 1e-10, "Lambda_N or xi_N");
    assert_true(ss_friction_set_psi(&set[k], L + 1) <= r + 1e-9);
    assert_close(back[0]*L[1] + back[1]*L[2], r*ss_friction_set_support(&set[k], back), 1e-9, "dissipation");
  }
}

static void test_mixed_sets(void** state)
{
  (void)state;
  contacts c;
  ss_friction_set set[CONE_CONTACTS];
  uint64_t seed = 11;
  int solved[SS_DISSIPATION_METHODS] = {0}, n = 200;
  double Lambda[CONE_ROWS], xi[CONE_ROWS];
  for (int i = 0; i < n; i++) {
    make_contacts(&c, i%3 ? 1u << SS_CONTACT_SPATIAL : 0xfu, i%2, i%5 ? 1.5 : 0.7, 0.5, &seed);
    for (int k = 0; k < c.p.n_contact; k++) {
      set[k] = (ss_friction_set){.shape = (ss_set_shape)((i + k)%3), .a = {1 + 0.9*uniform(&seed), 1}, .angle = i,
                                 .n = 4, .vertex = kite};
      c.bound[k] += i%7 == 0 ? 0.05 : 0;
    }
    for (int m = 1; m < SS_DISSIPATION_METHODS; m++) {
      if (solve(&c, set, (ss_dissipation_method)m, Lambda, xi) != SS_OK) continue;
      solved[m]++;
      check_law(&c, set, Lambda, xi);
    }
    assert_int_equal(solve(&c, set, SS_DISSIPATION_AUTO, Lambda, xi), SS_OK);
  }
  for (int m = 1; m < SS_DISSIPATION_METHODS; m++)
    if (solved[m] < n - 2)
      fail_msg("%s solved %d of %d", ss_dissipation_method_name((ss_dissipation_method)m), solved[m], n);
}

// Regular G and little friction, so that there is one solution: an ellipse with equal axes a is the disk with a mu
static void test_equal_axes_are_a_disk(void** state)
{
  (void)state;
  contacts c;
  ss_friction_set set[CONE_CONTACTS];
  uint64_t seed = 13;
  double Lambda[CONE_ROWS], other[CONE_ROWS];
  for (int i = 0; i < 40; i++) {
    make_contacts(&c, 1u << SS_CONTACT_SPATIAL, i%2, 6, 0.05, &seed);
    for (int k = 0; k < c.p.n_contact; k++)
      set[k] = (ss_friction_set){.shape = SS_SET_ELLIPSE, .a = {2, 2}, .angle = i};
    assert_int_equal(solve(&c, set, SS_DISSIPATION_AUTO, Lambda, NULL), SS_OK);
    for (int k = 0; k < c.p.n_contact; k++) c.mu[k] *= 2;
    assert_int_equal(solve(&c, NULL, SS_DISSIPATION_AUTO, other, NULL), SS_OK);
    for (int r = 0; r < c.p.m; r++) assert_close(Lambda[r], other[r], 1e-9, "an impulse");
  }
}

// The equations with a square as set, which know no facets, and the polyhedral MLCP
static void test_polygon_is_the_polyhedral_cone(void** state)
{
  (void)state;
  contacts c;
  ss_friction_set set[CONE_CONTACTS];
  uint64_t seed = 17;
  double Lambda[CONE_ROWS], other[CONE_ROWS];
  for (int k = 0; k < CONE_CONTACTS; k++) set[k] = (ss_friction_set){.shape = SS_SET_POLYGON, .n = 4, .vertex = square};
  for (int i = 0; i < 40; i++) {
    make_contacts(&c, 1u << SS_CONTACT_SPATIAL, i%2, 6, 0.1, &seed);
    assert_int_equal(solve(&c, set, SS_DISSIPATION_MLCP_PATH, Lambda, NULL), SS_OK);
    assert_int_equal(solve(&c, set, SS_DISSIPATION_MNCP_PLM, other, NULL), SS_OK);
    for (int r = 0; r < c.p.m; r++) assert_close(Lambda[r], other[r], 1e-9, "an impulse");
  }
}

// Other units of mass, length and time for each contact: the residual stays, and so do the numbers of the solution
static void test_units(void** state)
{
  (void)state;
  contacts c;
  ss_friction_set set[CONE_CONTACTS];
  uint64_t seed = 19;
  double Lambda[CONE_ROWS], wrong[CONE_ROWS], unit[CONE_ROWS];
  for (int i = 0; i < 30; i++) {
    make_contacts(&c, 0xf, i%2, 1.5, 0.5, &seed);
    for (int k = 0, row = c.p.n_bilateral; k < c.p.n_contact; k++) {
      set[k] = (ss_friction_set){.shape = (ss_set_shape)((i + k)%3), .a = {2, 1}, .angle = i, .n = 4, .vertex = kite};
      double u = exp2(10*uniform(&seed));
      for (int r = ss_contact_rows(c.kind[k]); r > 0; r--) unit[row++] = u;
    }
    for (int r = 0; r < c.p.n_bilateral; r++) unit[r] = exp2(10*uniform(&seed));
    assert_int_equal(solve(&c, set, SS_DISSIPATION_AUTO, Lambda, NULL), SS_OK);
    for (int r = 0; r < c.p.m; r++) wrong[r] = Lambda[r]*(1 + 0.01*uniform(&seed));
    double before = ss_dissipation_residual(&c.p, set, wrong);
    for (int r = 0; r < c.p.m; r++) {
      wrong[r] *= 1e7/unit[r];
      Lambda[r] *= 1e7/unit[r];
      c.b[r] *= 1e-3*unit[r];
      for (int s = 0; s < c.p.m; s++) c.G[r*c.p.m + s] *= 1e-10*unit[r]*unit[s];
    }
    for (int k = 0, row = c.p.n_bilateral; k < c.p.n_contact; k++) {
      c.bound[k] *= 1e7/unit[row];
      row += ss_contact_rows(c.kind[k]);
    }
    assert_close(ss_dissipation_residual(&c.p, set, wrong)/before, 1, 1e-9, "residual");
    assert_true(ss_dissipation_residual(&c.p, set, Lambda) < 1e-11);
    assert_int_equal(solve(&c, set, SS_DISSIPATION_MNCP_RLM, wrong, NULL), SS_OK);
  }
}

// ---- options ----

static void test_plain_polyhedral(void** state)
{
  (void)state;
  contacts c;
  make_particle(&c, 0.5, 1, 3, 4);
  double Lambda[3];
  ss_dissipation_def def = ss_dissipation_def_default();
  ss_dissipation_solution s = {.Lambda = Lambda};
  def.polyhedral = true;
  def.method = SS_DISSIPATION_MNCP_RLM;
  assert_int_equal(ss_dissipation_solve(&c.p, NULL, &def, arena, &s), SS_ERR_ARGUMENT);
  def.method = SS_DISSIPATION_AUTO;
  assert_int_equal(ss_dissipation_solve(&c.p, NULL, &def, arena, &s), SS_OK);
  assert_int_equal(s.alignments, 1);
  assert_true(s.mlcp_residual < 1e-14);
  def.facets = 5;
  assert_int_equal(ss_dissipation_solve(&c.p, NULL, &def, arena, &s), SS_ERR_ARGUMENT);
  assert_null(ss_dissipation_method_name(SS_DISSIPATION_METHODS));
}

static void test_bad_problems(void** state)
{
  (void)state;
  double Lambda[3];
  contacts c;
  make_particle(&c, 0.5, 1, 3, 4);
  c.mu[0] = -1;
  assert_int_equal(solve(&c, NULL, SS_DISSIPATION_AUTO, Lambda, NULL), SS_ERR_ARGUMENT);
  c.mu[0] = 0.5;
  c.b[1] = NAN;
  assert_int_equal(solve(&c, NULL, SS_DISSIPATION_AUTO, Lambda, NULL), SS_ERR_NUMERIC);
  c.b[1] = 0;
  c.p.m = 4;
  assert_int_equal(solve(&c, NULL, SS_DISSIPATION_AUTO, Lambda, NULL), SS_ERR_ARGUMENT);
  ss_contact_problem nothing = {0};
  ss_dissipation_def def = ss_dissipation_def_default();
  ss_dissipation_solution s = {0};
  assert_int_equal(ss_dissipation_solve(&nothing, NULL, &def, arena, &s), SS_OK);
}

// ---- frame ----

static int set_up(void** state)
{
  (void)state;
  arena = ss_arena_create((size_t)1 << 24);
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
    cmocka_unit_test(test_gauge_and_support),
    cmocka_unit_test(test_facets),
    cmocka_unit_test(test_bad_sets),
    cmocka_unit_test(test_elliptic_sliding),
    cmocka_unit_test(test_no_normal_impulse),
    cmocka_unit_test(test_mixed_sets),
    cmocka_unit_test(test_equal_axes_are_a_disk),
    cmocka_unit_test(test_polygon_is_the_polyhedral_cone),
    cmocka_unit_test(test_units),
    cmocka_unit_test(test_plain_polyhedral),
    cmocka_unit_test(test_bad_problems),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
