// The methods on dense arrays as methods for contact problems: kinds and bilateral rows, both forms of the cone, warm.
#include "cone_families.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <stickslip/dissipation.h>
#include <stickslip/friction.h>

static const ss_friction_method methods[] = {SS_FRICTION_MLCP_PATH, SS_FRICTION_MLCP_PFB_RLM, SS_FRICTION_MLCP_PFB_PLM,
                                             SS_FRICTION_MNCP_RLM, SS_FRICTION_MNCP_PLM};
enum { METHODS = 5 };

static ss_friction_problem as_friction(const contacts* c)
{
  ss_friction_problem p = {.dim = 3, .n_bilateral = c->p.n_bilateral, .n_contact = c->p.n_contact, .kind = c->kind,
                           .mu = c->mu, .bound = c->bound, .b = c->b};
  assert_int_equal(ss_sparse_from_dense(c->p.m, c->p.m, c->G, &p.G, NULL), SS_OK);
  return p;
}

// Regular G and little friction: one solution, and every method finds it, with the residual of all methods
static void test_every_method(void** state)
{
  (void)state;
  contacts c;
  uint64_t seed = 21;
  for (int i = 0; i < 60; i++) {
    make_contacts(&c, 0xf, i%2, 6, 0.1, &seed);
    ss_friction_problem p = as_friction(&c);
    ss_friction_solver* solver = ss_friction_solver_create(&p, NULL);
    double first[CONE_ROWS], Lambda[CONE_ROWS], residual;
    ss_friction_def def = ss_friction_def_default();
    ss_friction_solution s = {.Lambda = first};
    def.tol = 1e-12;
    assert_non_null(solver);
    def.method = SS_FRICTION_NEWTON;
    assert_int_equal(ss_friction_solve(solver, &def, &s), SS_OK);
    s.Lambda = Lambda;
    for (int k = 0; k < METHODS; k++) {
      def.method = methods[k];
      assert_int_equal(ss_friction_solve(solver, &def, &s), SS_OK);
      assert_int_equal(s.method, methods[k]);
      assert_int_equal(ss_friction_residual(&p, Lambda, NULL, &residual, NULL), SS_OK);
      assert_true(residual < 1e-11);
      for (int r = 0; r < c.p.m; r++)
        if (fabs(Lambda[r] - first[r]) > 1e-8)
          fail_msg("%s: Lambda[%d] is %g, not %g", ss_friction_method_name(methods[k]), r, Lambda[r], first[r]);
    }
    ss_friction_solver_destroy(solver);
    ss_sparse_free(&p.G);
  }
}

// From the solution nothing is left to do
static void test_warm_start(void** state)
{
  (void)state;
  contacts c;
  uint64_t seed = 23;
  make_contacts(&c, 1u << SS_CONTACT_SPATIAL, true, 2, 0.5, &seed);
  ss_friction_problem p = as_friction(&c);
  ss_friction_solver* solver = ss_friction_solver_create(&p, NULL);
  double Lambda[CONE_ROWS];
  ss_friction_def def = ss_friction_def_default();
  ss_friction_solution s = {.Lambda = Lambda};
  for (int k = 0; k < METHODS; k++) {
    def.method = methods[k];
    def.warm_start = false;
    assert_int_equal(ss_friction_solve(solver, &def, &s), SS_OK);
    int cold = s.forms;
    def.warm_start = true;
    def.tol = 1e-7;
    assert_int_equal(ss_friction_solve(solver, &def, &s), SS_OK);
    if (k < 3) assert_int_equal(s.alignments, 1);
    else assert_true(s.forms == 0 && cold > 0);
    def.tol = 1e-8;
  }
  ss_friction_solver_destroy(solver);
  ss_sparse_free(&p.G);
}

// The plain polyhedral cone: solved as an MLCP, not as the exact cone; closer to it with more facets
static void test_plain_polyhedral(void** state)
{
  (void)state;
  const double G[9] = {1, 0, 0, 0, 2, 0, 0, 0, 1}, b[3] = {-1, 3, 4}, mu[1] = {0.5};
  ss_friction_problem p = {.dim = 3, .n_contact = 1, .mu = mu, .b = b};
  assert_int_equal(ss_sparse_from_dense(3, 3, G, &p.G, NULL), SS_OK);
  ss_friction_solver* solver = ss_friction_solver_create(&p, NULL);
  double Lambda[3], before = INFINITY;
  ss_friction_def def = ss_friction_def_default();
  ss_friction_solution s = {.Lambda = Lambda};
  def.polyhedral = true;
  for (def.facets = 4; def.facets <= 256; def.facets *= 4) {
    assert_int_equal(ss_friction_solve(solver, &def, &s), SS_OK);
    assert_int_equal(s.method, SS_FRICTION_MLCP_PATH);
    assert_int_equal(s.alignments, 1);
    assert_true(s.mlcp_residual < 1e-13 && s.residual > 1e-8 && s.residual <= before);
    before = s.residual;
  }
  def.facets = 6;
  def.method = SS_FRICTION_NSGS;
  assert_int_equal(ss_friction_solve(solver, &def, &s), SS_ERR_ARGUMENT);
  def.method = SS_FRICTION_MLCP_PATH;
  def.facets = 7;
  assert_int_equal(ss_friction_solve(solver, &def, &s), SS_ERR_ARGUMENT);
  ss_friction_solver_destroy(solver);
  ss_sparse_free(&p.G);
}

// Where the MLCP cannot be solved there is no verdict, and nothing that was left over takes its place
// Directions that are not aligned with sliding: four at 30 degrees from T1. A sphere that slides along T1 is braked
// along the nearest of them, at 210 degrees, and so is pushed aside [Mylapilli & Jain 2017, section 6.1, case 2]. At
// 45 degrees two directions brake alike, and at 0 one is right.
static void test_misaligned_facets(void** state)
{
  (void)state;
  const double G[9] = {0.5, 0, 0, 0, 1.75, 0, 0, 0, 1.75}, b[3] = {-1, 5, 0}, mu[1] = {0.1};
  const double pi = 3.14159265358979323846, limit = 0.1*2;
  ss_friction_problem p = {.dim = 3, .n_contact = 1, .mu = mu, .b = b};
  assert_int_equal(ss_sparse_from_dense(3, 3, G, &p.G, NULL), SS_OK);
  ss_friction_solver* solver = ss_friction_solver_create(&p, NULL);
  double Lambda[3];
  ss_friction_def def = ss_friction_def_default();
  ss_friction_solution s = {.Lambda = Lambda};
  def.polyhedral = def.cone_fixed = true;
  for (int turn = -1; turn <= 1; turn++) {
    def.cone_angle = pi/6 + turn*pi/2;
    assert_int_equal(ss_friction_solve(solver, &def, &s), SS_OK);
    assert_float_equal(Lambda[0], 2, 1e-13);
    assert_float_equal(Lambda[1], limit*cos(210*pi/180), 1e-13);
    assert_float_equal(Lambda[2], limit*sin(210*pi/180), 1e-13);
    assert_true(s.residual > 1e-3);
  }
  def.cone_angle = pi/4;
  assert_int_equal(ss_friction_solve(solver, &def, &s), SS_OK);
  assert_float_equal(Lambda[1], -limit*sqrt(0.5), 1e-13);
  def.cone_angle = 0;
  assert_int_equal(ss_friction_solve(solver, &def, &s), SS_OK);
  assert_float_equal(Lambda[1], -limit, 1e-13);
  assert_float_equal(Lambda[2], 0, 1e-13);
  def.cone_angle = NAN;
  assert_int_equal(ss_friction_solve(solver, &def, &s), SS_ERR_ARGUMENT);
  def.cone_fixed = false;
  def.cone_angle = 1;  // not read
  assert_int_equal(ss_friction_solve(solver, &def, &s), SS_OK);
  assert_float_equal(Lambda[1], -limit, 1e-13);
  ss_friction_solver_destroy(solver);
  ss_sparse_free(&p.G);
}

static void test_polyhedral_that_fails(void** state)
{
  (void)state;
  const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const struct { double b[3], mu, bound; } row[] = {{{-1e-300, 1e-301, 0}, 0.5, 1e10}};
  for (size_t i = 0; i < sizeof row/sizeof *row; i++)
    for (int method = 0; method < 4; method++) {
      ss_friction_problem p = {.dim = 3, .n_contact = 1, .mu = &row[i].mu, .bound = &row[i].bound, .b = row[i].b};
      assert_int_equal(ss_sparse_from_dense(3, 3, G, &p.G, NULL), SS_OK);
      ss_friction_solver* solver = ss_friction_solver_create(&p, NULL);
      double Lambda[3] = {0};
      ss_friction_def def = ss_friction_def_default();
      ss_friction_solution s = {.Lambda = Lambda};
      def.polyhedral = true;
      def.method = method == 0 ? SS_FRICTION_AUTO : methods[method - 1];
      ss_status status = ss_friction_solve(solver, &def, &s);
      if (status == SS_OK) assert_true(s.alignments == 1 && s.mlcp_residual <= def.tol);
      else if (status > 0) assert_true(s.mlcp_residual > def.tol);
      const ss_contact_kind kind = SS_CONTACT_SPATIAL;
      ss_contact_problem q = {.n_contact = 1, .m = 3, .G = G, .b = row[i].b, .kind = &kind, .mu = &row[i].mu,
                              .bound = &row[i].bound};
      ss_dissipation_def own = ss_dissipation_def_default();
      own.polyhedral = true;
      ss_arena* arena = ss_arena_create(ss_dissipation_solve_size(&q, NULL, &own));
      ss_dissipation_solution d = {.Lambda = Lambda};
      status = ss_dissipation_solve(&q, NULL, &own, arena, &d);
      if (status == SS_OK) assert_true(d.alignments > 0 && d.mlcp_residual <= own.tol);
      ss_arena_destroy(arena);
      ss_friction_solver_destroy(solver);
      ss_sparse_free(&p.G);
    }
}

// Dense arrays have their limits
static void test_too_large(void** state)
{
  (void)state;
  enum { K = 700, M = 2*K };
  double *b = calloc(M, sizeof(double)), *one = malloc(M*sizeof(double)), *mu = calloc(K, sizeof(double));
  int* index = malloc(M*sizeof(int));
  for (int i = 0; i < M; i++) {
    index[i] = i;
    one[i] = 1;
  }
  ss_friction_problem p = {.dim = 2, .n_contact = K, .mu = mu, .b = b};
  assert_int_equal(ss_sparse_from_triplets(M, M, M, index, index, one, &p.G, NULL), SS_OK);
  ss_friction_solver* solver = ss_friction_solver_create(&p, NULL);
  ss_friction_def def = ss_friction_def_default();
  double* Lambda = calloc(M, sizeof(double));
  ss_friction_solution s = {.Lambda = Lambda};
  for (int k = 0; k < METHODS; k++) {
    def.method = methods[k];
    assert_int_equal(ss_friction_solve(solver, &def, &s), SS_ERR_CAPACITY);
  }
  ss_friction_solver_destroy(solver);
  ss_sparse_free(&p.G);
  free(b);
  free(one);
  free(mu);
  free(index);
  free(Lambda);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_method),
    cmocka_unit_test(test_warm_start),
    cmocka_unit_test(test_plain_polyhedral),
    cmocka_unit_test(test_misaligned_facets),
    cmocka_unit_test(test_polyhedral_that_fails),
    cmocka_unit_test(test_too_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
