// Newton's method with factors of an earlier step: the same step if nothing has changed, fewer factors where contacts
// stick, and none saved where they slide.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../math/matrices.h"
#include "solve/friction_space.h"

enum { CONTACTS = 10, ROWS = 3*CONTACTS, DOFS = 20 };

// Contacts that press on a system with fewer degrees of freedom than rows, and are pulled sideways
typedef struct press {
  ss_friction_problem p;
  ss_contact_kind kind[CONTACTS];
  double mu[CONTACTS], bound[CONTACTS], b[ROWS], Lambda[ROWS];
  double J[ROWS*DOFS], u[DOFS];  // G = J J^T, b = J u
} press;

static void set_b(press* c)
{
  for (int i = 0; i < ROWS; i++) {
    c->b[i] = 0;
    for (int l = 0; l < DOFS; l++) c->b[i] += c->J[i*DOFS + l]*c->u[l];
  }
}

static void make_press(press* c, double mu, uint64_t* seed)
{
  static double G[ROWS*ROWS];
  const double* J = c->J;
  *c = (press){0};
  fill_uniform(ROWS*DOFS, c->J, seed);
  for (int i = 0; i < CONTACTS; i++) {
    c->kind[i] = SS_CONTACT_SPATIAL;
    c->mu[i] = mu;
    for (int l = 0; l < DOFS; l++) c->u[l] += 0.1*uniform(seed) - J[3*i*DOFS + l];  // normal impulses of 1, and more
  }
  set_b(c);
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < ROWS; j++) {
      G[i*ROWS + j] = 0;
      for (int l = 0; l < DOFS; l++) G[i*ROWS + j] += J[i*DOFS + l]*J[j*DOFS + l];
    }
  c->p = (ss_friction_problem){.dim = 3, .n_contact = CONTACTS, .kind = c->kind, .mu = c->mu, .bound = c->bound,
                               .b = c->b};
  assert_int_equal(ss_sparse_from_dense(ROWS, ROWS, G, &c->p.G, NULL), SS_OK);
}

// The problem, and once more from its solution with velocities a little different
static ss_friction_solution solve_twice(press* c, uint64_t* seed)
{
  ss_error error = {0};
  ss_friction_def def = ss_friction_def_default();
  ss_friction_solution s = {.Lambda = c->Lambda};
  ss_friction_solver* solver = ss_friction_solver_create(&c->p, &error);
  assert_non_null(solver);
  assert_int_equal(ss_friction_solve(solver, &def, &s), SS_OK);
  for (int l = 0; l < DOFS; l++) c->u[l] *= 1 + 1e-3*uniform(seed);
  set_b(c);
  assert_int_equal(ss_friction_solver_update(solver, &c->p, &error), SS_OK);
  def.warm_start = true;
  def.tol = 1e-11;
  assert_int_equal(ss_friction_solve(solver, &def, &s), SS_OK);
  assert_true(s.residual <= def.tol);
  ss_friction_solver_destroy(solver);
  ss_sparse_free((ss_sparse*)&c->p.G);
  return s;
}

static void test_sticking(void** state)
{
  (void)state;
  uint64_t seed = 1;
  int newton = 0, factors = 0;
  for (int n = 0; n < 50; n++) {
    press c;
    make_press(&c, 100, &seed);
    ss_friction_solution s = solve_twice(&c, &seed);
    newton += s.newton;
    factors += s.factors;
  }
  assert_true(newton >= 100 && factors <= 0.7*newton);
}

static void test_sliding(void** state)
{
  (void)state;
  uint64_t seed = 2;
  for (int n = 0; n < 50; n++) {
    press c;
    make_press(&c, 1e-3, &seed);
    ss_friction_solution s = solve_twice(&c, &seed);
    if (s.ipm == 0 && s.admm == 0) assert_true(s.factors >= s.newton);
  }
}

// With the K of the factors the chord is the tangent, bit by bit
static void test_same_step(void** state)
{
  (void)state;
  uint64_t seed = 3;
  ss_error error = {0};
  press c;
  make_press(&c, 0.5, &seed);
  double K[3*ROWS] = {0}, Lambda[ROWS], xi[ROWS], Lambda0[ROWS], one[ROWS], two[ROWS];
  for (int i = 0; i < ROWS; i++) K[3*i + i%3] = 1 + uniform(&seed);
  fill_uniform(ROWS, Lambda, &seed);
  fill_uniform(ROWS, Lambda0, &seed);
  ss_friction_space* s = ss_friction_space_create(&c.p, &error);
  assert_non_null(s);
  ss_friction_xi(s, Lambda, xi);
  assert_true(ss_friction_factor(s, K));
  ss_friction_step(s, Lambda, xi, Lambda0, one);
  ss_friction_chord(s, K, Lambda, xi, Lambda0, two);
  assert_memory_equal(one, two, sizeof one);
  ss_friction_space_destroy(s);
  ss_sparse_free((ss_sparse*)&c.p.G);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sticking),
    cmocka_unit_test(test_sliding),
    cmocka_unit_test(test_same_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
