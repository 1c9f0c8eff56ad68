// Frictional contact with the exact cone: closed forms of one contact, units, compliance, checks of the problem.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <stickslip/friction.h>
#include <string.h>
#include <cmocka.h>

#include "solve/friction_cone.h"

static double uniform(uint64_t* seed)
{
  *seed = *seed*6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11)/9007199254740992.0;
}

// A local problem on arrays of the caller; free G afterwards
static ss_friction_problem problem_of(int dim, int k, const double* G, const double* b, const double* mu)
{
  ss_friction_problem p = {.dim = dim, .n_contact = k, .mu = mu, .b = b};
  assert_int_equal(ss_sparse_from_dense(dim*k, dim*k, G, &p.G, NULL), SS_OK);
  return p;
}

static ss_status solve(const ss_friction_problem* p, ss_friction_method method, double* Lambda, double* residual)
{
  ss_friction_def def = ss_friction_def_default();
  def.method = method;
  def.tol = 1e-12;
  ss_friction_solver* solver = ss_friction_solver_create(p, NULL);
  assert_non_null(solver);
  ss_friction_solution s = {.Lambda = Lambda};
  ss_status status = ss_friction_solve(solver, &def, &s);
  ss_friction_solver_destroy(solver);
  assert_int_equal(ss_friction_residual(p, Lambda, NULL, residual, NULL), SS_OK);
  return status;
}

// A point mass (G = 1/m) that hits with velocity b: by hand
static void point_mass_by_every_method(void** state)
{
  (void)state;
  const struct { double b[3], mu, Lambda[3]; } row[] = {
    {{1, 3, -4}, 0.5, {0, 0, 0}},            // leaves: open
    {{-2, 0.3, -0.4}, 0.5, {4, -0.6, 0.8}},  // |b_T| < mu |b_N|: sticks, Lambda = -m b
    {{-2, 3, -4}, 0.5, {4, -1.2, 1.6}},      // slides: Lambda_T = -mu Lambda_N b_T/|b_T|
    {{-2, 3, -4}, 0, {4, 0, 0}},             // frictionless
  };
  double G[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
  for (size_t i = 0; i < sizeof row/sizeof *row; i++)
    for (int method = 0; method < SS_FRICTION_METHODS; method++) {
      ss_friction_problem p = problem_of(3, 1, G, row[i].b, &row[i].mu);
      double Lambda[3], residual;
      assert_int_equal(solve(&p, (ss_friction_method)method, Lambda, &residual), SS_OK);
      assert_true(residual <= 1e-12);
      for (int c = 0; c < 3; c++) assert_true(fabs(Lambda[c] - row[i].Lambda[c]) < 1e-10);
      ss_sparse_free(&p.G);
    }
}

// The residual of a wrong answer, by hand: Lambda = 0 for an approaching point mass violates by the whole velocity
static void residual_of_wrong_answers(void** state)
{
  (void)state;
  double G[4] = {1, 0, 0, 1}, b[2] = {-3, 0}, mu = 0.5, zero[2] = {0}, outside[2] = {3, 2}, residual;
  ss_friction_problem p = problem_of(2, 1, G, b, &mu);
  assert_int_equal(ss_friction_residual(&p, zero, NULL, &residual, NULL), SS_OK);
  assert_true(fabs(residual - 1) < 1e-15);
  assert_int_equal(ss_friction_residual(&p, outside, NULL, &residual, NULL), SS_OK);  // 0.5 outside the cone
  assert_true(residual >= 2*0.5/sqrt(1.25)/3);  // at least the distance over rho |b|
  ss_sparse_free(&p.G);
}

// One contact with a full random block, planar and spatial: the law holds to round-off, whatever the state
static void one_contact_is_exact(void** state)
{
  (void)state;
  uint64_t seed = 1;
  int slid = 0, stuck = 0, open = 0;
  for (int n = 0; n < 20000; n++) {
    int dim = 2 + n%2;
    double A[9], G[9] = {0}, q[3], Lambda[3], xi[3], alpha = 0, mu = 1.5*uniform(&seed), size = 0, trace = 0;
    for (int i = 0; i < dim*dim; i++) A[i] = uniform(&seed) - 0.5;
    for (int i = 0; i < dim; i++)
      for (int j = 0; j < dim; j++)
        for (int c = 0; c < dim; c++) G[i*dim + j] += A[i*dim + c]*A[j*dim + c] + (i == j)*0.01;
    for (int i = 0; i < dim; i++) {
      q[i] = uniform(&seed) - 0.7;
      size = fmax(size, fabs(q[i]));
      trace += G[i*dim + i];
    }
    assert_true(ss_solve_one_contact(dim, G, q, mu, 0, &alpha, Lambda));
    for (int i = 0; i < dim; i++) {
      xi[i] = q[i];
      for (int j = 0; j < dim; j++) xi[i] += G[i*dim + j]*Lambda[j];
    }
    double r = ss_contact_violation(dim, mu, 0, trace, 1, Lambda, xi)/size;
    if (!(r <= 1e-12)) fail_msg("contact %d: %g", n, r);
    if (Lambda[0] == 0) open++;
    else if (ss_tangential(dim, xi) < 1e-12) stuck++;
    else slid++;
  }
  assert_true(open > 1000 && stuck > 1000 && slid > 1000);
}

// M of a chain of 30 velocities and five pairs, shuffled: G is never formed, yet the residual is that of the local form
static void residual_of_the_global_form(void** state)
{
  (void)state;
  enum { N = 40, CHAIN = 30, K = 4, B = 2, ROWS = B + 3*K };
  static double M[N*N], H[N*ROWS], G[ROWS*ROWS];
  double f[N], w[ROWS], b[ROWS], Lambda[ROWS], xi[2][ROWS], residual[2], mu[K] = {0.3, 0.5, 0, 1};
  for (int i = 0; i < N; i++) {
    int at = 7*i%N, next = 7*(i + 1)%N;
    bool joined = i < CHAIN ? i + 1 < CHAIN : i%2 == 0;
    M[at*N + at] = 3 + i%4;
    if (joined) M[at*N + next] = M[next*N + at] = -1;
    f[i] = sin(i);
    for (int j = 0; j < ROWS; j++)
      if ((i*5 + j*3)%7 == 0) H[i*ROWS + j] = cos(i + 2*j);
  }
  M[7%N] += 0.5;  // not symmetric
  for (int j = 0; j < ROWS; j++) {
    w[j] = 0.1*j - 0.5;
    Lambda[j] = sin(3*j);
  }
  ss_friction_problem p = {.dim = 3, .n_bilateral = B, .n_contact = K, .mu = mu, .global = true, .f = f, .w = w,
                           .kappa = 0.1};
  assert_int_equal(ss_sparse_from_dense(N, N, M, &p.M, NULL), SS_OK);
  assert_int_equal(ss_sparse_from_dense(N, ROWS, H, &p.H, NULL), SS_OK);
  assert_int_equal(ss_friction_dense(&p, G, b, NULL), SS_OK);
  ss_friction_problem q = {.dim = 3, .n_bilateral = B, .n_contact = K, .mu = mu, .b = b};
  assert_int_equal(ss_sparse_from_dense(ROWS, ROWS, G, &q.G, NULL), SS_OK);
  assert_int_equal(ss_friction_residual(&p, Lambda, xi[0], &residual[0], NULL), SS_OK);
  assert_int_equal(ss_friction_residual(&q, Lambda, xi[1], &residual[1], NULL), SS_OK);
  assert_true(fabs(residual[0] - residual[1]) <= 1e-13*residual[1]);
  for (int j = 0; j < ROWS; j++) assert_true(fabs(xi[0][j] - xi[1][j]) <= 1e-13*fmax(1, fabs(xi[1][j])));
  ss_error error = {0};
  double* entry = (double*)p.M.value;  // a pair that is singular
  for (int i = 0; i < N; i++)
    for (int e = p.M.start[i]; e < p.M.start[i + 1]; e++)
      if (i == 7*30%N || i == 7*31%N) entry[e] = 1;
  assert_int_equal(ss_friction_residual(&p, Lambda, NULL, &residual[0], &error), SS_ERR_NUMERIC);
  assert_non_null(strstr(error.text, "M is singular"));
  Lambda[3] = NAN;
  assert_int_equal(ss_friction_residual(&q, Lambda, NULL, &residual[0], NULL), SS_ERR_NUMERIC);
  ss_sparse_free(&p.M);
  ss_sparse_free(&p.H);
  ss_sparse_free(&q.G);
}

// Other units of mass, length and time leave the residual as it is
static void residual_has_no_units(void** state)
{
  (void)state;
  uint64_t seed = 7;
  double G[81], H[81], b[9], c[9], Lambda[9], Mu[9], mu[3] = {0.3, 0.7, 0}, r, s;
  for (int i = 0; i < 9; i++) {
    b[i] = uniform(&seed) - 0.5;
    Lambda[i] = uniform(&seed);
    for (int j = 0; j < 9; j++) G[i*9 + j] = (i == j)*4 + uniform(&seed);
  }
  const double scales[][2] = {{1e6, 1}, {1e-6, 1}, {1, 1e6}, {1, 1e-6}, {1e6, 1e6}, {1e-6, 1e6}};  // mass, velocity
  ss_friction_problem p = problem_of(3, 3, G, b, mu);
  assert_int_equal(ss_friction_residual(&p, Lambda, NULL, &r, NULL), SS_OK);
  for (size_t n = 0; n < sizeof scales/sizeof *scales; n++) {
    for (int i = 0; i < 81; i++) H[i] = G[i]/scales[n][0];
    for (int i = 0; i < 9; i++) {
      c[i] = b[i]*scales[n][1];
      Mu[i] = Lambda[i]*scales[n][0]*scales[n][1];
    }
    ss_friction_problem q = problem_of(3, 3, H, c, mu);
    assert_int_equal(ss_friction_residual(&q, Mu, NULL, &s, NULL), SS_OK);
    assert_true(fabs(r - s) <= 1e-13*r);
    ss_sparse_free(&q.G);
  }
  ss_sparse_free(&p.G);
}

// kappa trace(G) on the diagonal: a point mass pressed down moves on by kappa trace/(1 + kappa trace) of its velocity
static void compliance_is_what_it_says(void** state)
{
  (void)state;
  double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1, 0.1, 0}, mu = 0.5, Lambda[3], residual, dense[9], free_b[3];
  ss_friction_problem p = problem_of(3, 1, G, b, &mu);
  p.kappa = 0.1;
  for (int method = 0; method < SS_FRICTION_METHODS; method++) {
    assert_int_equal(solve(&p, (ss_friction_method)method, Lambda, &residual), SS_OK);
    assert_true(fabs(Lambda[0] - 1/1.3) < 1e-10 && fabs(Lambda[1] + 0.1/1.3) < 1e-10);
  }
  assert_int_equal(ss_friction_dense(&p, dense, free_b, NULL), SS_OK);
  assert_true(fabs(dense[0] - 1.3) < 1e-15 && dense[1] == 0 && free_b[1] == 0.1);
  ss_sparse_free(&p.G);
}

// Two bodies of mass 2 and 3 that meet at one contact, as bodies and condensed: the same impulses
static void global_form_agrees_with_local(void** state)
{
  (void)state;
  double M[144] = {0}, H[36] = {0}, f[12] = {0}, w[3] = {-1, 0.2, 0.1}, mu = 0.4, G[9], b[3], Lambda[3], other[3], r;
  uint64_t seed = 3;
  for (int i = 0; i < 12; i++) {
    M[i*12 + i] = i < 6 ? 2 : 3;
    f[i] = uniform(&seed) - 0.5;
    for (int c = 0; c < 3; c++) H[i*3 + c] = uniform(&seed) - 0.5;
  }
  ss_friction_problem p = {.dim = 3, .n_contact = 1, .mu = &mu, .global = true, .f = f, .w = w};
  assert_int_equal(ss_sparse_from_dense(12, 12, M, &p.M, NULL), SS_OK);
  assert_int_equal(ss_sparse_from_dense(12, 3, H, &p.H, NULL), SS_OK);
  assert_int_equal(ss_friction_dense(&p, G, b, NULL), SS_OK);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int c = 0; c < 12; c++) sum += H[c*3 + i]*H[c*3 + j]/M[c*12 + c];
      assert_true(fabs(sum - G[i*3 + j]) < 1e-14);
    }
  ss_friction_problem q = problem_of(3, 1, G, b, &mu);
  for (int method = 0; method < SS_FRICTION_METHODS; method++) {
    assert_int_equal(solve(&p, (ss_friction_method)method, Lambda, &r), SS_OK);
    assert_int_equal(solve(&q, (ss_friction_method)method, other, &r), SS_OK);
    for (int c = 0; c < 3; c++) assert_true(fabs(Lambda[c] - other[c]) < 1e-10);
  }
  M[0] = 0;  // the first row is empty now: M is singular
  ss_sparse_free(&p.M);
  ss_error error;
  assert_int_equal(ss_sparse_from_dense(12, 12, M, &p.M, NULL), SS_OK);
  assert_null(ss_friction_solver_create(&p, &error));
  assert_int_equal(error.status, SS_ERR_NUMERIC);
  ss_sparse_free(&p.M);
  ss_sparse_free(&p.H);
  ss_sparse_free(&q.G);
}

static void wrong_problems_are_refused(void** state)
{
  (void)state;
  double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1, 0, 0}, mu = 0.5, wrong_mu = -0.1, wrong_b[3] = {0, NAN, 0};
  ss_friction_problem good = problem_of(3, 1, G, b, &mu), p = good;
  ss_error error;
  assert_int_equal(ss_friction_validate(&p, &error), SS_OK);
  p.dim = 4;
  assert_int_equal(ss_friction_validate(&p, &error), SS_ERR_INPUT);
  p = good;
  p.n_contact = 2;
  p.mu = (double[]){1, 1};
  assert_int_equal(ss_friction_validate(&p, &error), SS_ERR_INPUT);
  assert_non_null(strstr(error.text, "3 x 3; it must be 6 x 6"));
  p = good;
  p.mu = &wrong_mu;
  assert_int_equal(ss_friction_validate(&p, &error), SS_ERR_INPUT);
  p = good;
  p.b = wrong_b;
  assert_int_equal(ss_friction_validate(&p, &error), SS_ERR_NUMERIC);
  p = good;
  p.kappa = -1;
  assert_int_equal(ss_friction_validate(&p, &error), SS_ERR_INPUT);
  assert_true(ss_friction_asymmetry(&good) == 0);
  G[1] = 0.25;
  ss_friction_problem q = problem_of(3, 1, G, b, &mu);
  assert_true(ss_friction_asymmetry(&q) == 0.25);
  ss_sparse_free(&q.G);
  ss_sparse_free(&good.G);
}

// The answer of one solve is the start of the next: nothing is left to do
static void warm_start(void** state)
{
  (void)state;
  double G[9] = {1, 0.1, 0, 0.1, 1, 0, 0, 0, 1}, b[3] = {-1, 2, 0}, mu = 0.5, Lambda[3];
  ss_friction_problem p = problem_of(3, 1, G, b, &mu);
  ss_friction_solver* solver = ss_friction_solver_create(&p, NULL);
  ss_friction_def def = ss_friction_def_default();
  ss_friction_solution s = {.Lambda = Lambda};
  assert_int_equal(ss_friction_solve(solver, &def, &s), SS_OK);
  assert_true(s.sweeps + s.newton + s.ipm + s.admm > 0);
  def.warm_start = true;
  assert_int_equal(ss_friction_solve(solver, &def, &s), SS_OK);
  assert_int_equal(s.sweeps + s.newton + s.ipm + s.admm, 0);
  Lambda[1] = INFINITY;
  assert_int_equal(ss_friction_solve(solver, &def, &s), SS_ERR_NUMERIC);
  ss_friction_solver_destroy(solver);
  ss_sparse_free(&p.G);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(point_mass_by_every_method),    cmocka_unit_test(residual_of_wrong_answers),
    cmocka_unit_test(residual_of_the_global_form),
    cmocka_unit_test(one_contact_is_exact),          cmocka_unit_test(residual_has_no_units),
    cmocka_unit_test(compliance_is_what_it_says),    cmocka_unit_test(global_form_agrees_with_local),
    cmocka_unit_test(wrong_problems_are_refused),    cmocka_unit_test(warm_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
