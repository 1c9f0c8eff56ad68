// The recursions against each other and against definitions: mass matrix, articulated bodies, Newton-Euler, Jacobians.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "trees.h"

static const int sizes[] = {1, 2, 3, 7, 30, 250};
#define SIZES ((int)(sizeof sizes/sizeof *sizes))

// Calls a check for trees of several sizes, rooted, floating and scattered, at random states
static void for_trees(void (*check)(tree_case* c))
{
  for (int i = 0; i < SIZES; i++)
    for (int k = 0; k < 5; k++) {
      uint64_t seed = 17 + (uint64_t)(10*i + k);
      tree_case* c = k == 4 ? random_crowd(seed, sizes[i]) : random_tree(seed, sizes[i], k == 3);
      finish_case(c);
      random_state(c);
      check(c);
      destroy_case(c);
    }
}

static double* array(size_t n)
{
  double* a = calloc(n + 1, sizeof *a);
  assert_non_null(a);
  return a;
}

static double* dense_mass(tree_case* c)
{
  ss_tree_mass* mass = ss_tree_mass_create(c->tree, NULL);
  double* M = array((size_t)c->nv*(size_t)c->nv);
  ss_tree_mass_update(mass, c->work);
  ss_tree_mass_dense(mass, M);
  ss_tree_mass_destroy(mass);
  return M;
}

// The largest sum of |M_ij y_j|: what round-off in M y is relative to, however ill-conditioned M is
static double forces_behind(int nv, const double* M, const double* y)
{
  double most = 0;
  for (int i = 0; i < nv; i++) {
    double sum = 0;
    for (int j = 0; j < nv; j++) sum += fabs(M[i*nv + j]*y[j]);
    most = fmax(most, sum);
  }
  return most;
}

// M^-1 x by articulated bodies and by the factor of the composite bodies' M, and M times it is x
static void solve_check(tree_case* c)
{
  size_t n = (size_t)c->nv;
  double *M = dense_mass(c), *x = array(n), *y = array(n), *z = array(n), *back = array(n);
  ss_tree_mass* mass = ss_tree_mass_create(c->tree, NULL);
  ss_tree_mass_update(mass, c->work);
  assert_int_equal(ss_tree_mass_factor(mass), SS_OK);
  assert_int_equal(ss_tree_factor(c->work), SS_OK);
  for (size_t i = 0; i < n; i++) x[i] = uniform();
  ss_tree_solve(c->work, x, y);
  ss_tree_mass_solve(mass, x, z);
  NEAR(c->nv, y, z, 1e-11, "articulated bodies and mass matrix");
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) back[i] += M[i*n + j]*y[j];
  double size = forces_behind(c->nv, M, y);
  for (size_t i = 0; i < n; i++)
    if (!(fabs(back[i] - x[i]) <= 1e-12*size)) fail_msg("M M^-1 x - x = %g, terms %g", back[i] - x[i], size);
  ss_tree_solve(c->work, x, x);
  NEAR(c->nv, x, y, 0, "solved in place");
  ss_tree_mass_destroy(mass);
  free(M), free(x), free(y), free(z), free(back);
}

static void test_solve(void** state)
{
  (void)state;
  for_trees(solve_check);
}

static bool is_refused(tree_case* c, int velocity, double value)
{
  double* added = array((size_t)c->nv);
  added[velocity] = value;
  bool refused = ss_tree_set_implicit(c->work, added) < 0;
  assert_true(refused || ss_tree_set_implicit(c->work, NULL) == SS_OK);
  free(added);
  return refused;
}

// What is added to the diagonal: (M + diag) y is x, or it is refused, where factors are closed forms
static void implicit_check(tree_case* c)
{
  size_t n = (size_t)c->nv;
  double *M = dense_mass(c), *x = array(n), *y = array(n), *added = array(n);
  for (int i = 0; i < c->nv; i++) {
    x[i] = uniform();
    added[i] = is_refused(c, i, 1) ? 0 : 1 + uniform();
    M[(size_t)i*n + (size_t)i] += added[i];
    assert_true(is_refused(c, i, -1) && is_refused(c, i, NAN) && is_refused(c, i, INFINITY));
  }
  assert_int_equal(ss_tree_set_implicit(c->work, added), SS_OK);
  assert_int_equal(ss_tree_factor(c->work), SS_OK);
  ss_tree_solve(c->work, x, y);
  double size = forces_behind(c->nv, M, y);
  for (size_t i = 0; i < n; i++) {
    double sum = -x[i];
    for (size_t j = 0; j < n; j++) sum += M[i*n + j]*y[j];
    if (!(fabs(sum) <= 1e-12*size)) fail_msg("force %zu is off by %.3g of %.3g", i, sum, size);
  }
  free(M);
  free(x);
  free(y);
  free(added);
}

static void test_implicit(void** state)
{
  (void)state;
  for_trees(implicit_check);
  tree_case* c = random_crowd(5, 3);  // bodies that fly alone: refused, but for zeros
  finish_case(c);
  int refused = 0;
  for (int i = 0; i < c->nv; i++) refused += is_refused(c, i, 1);
  assert_true(refused > 0);
  destroy_case(c);
}

// Forward dynamics, then inverse dynamics
static void inverse_check(tree_case* c)
{
  size_t n = (size_t)c->nv;
  double *tau = array(n), *du = array(n), *back = array(n);
  for (size_t i = 0; i < n; i++) tau[i] = 10*uniform();
  assert_int_equal(ss_tree_forward(c->work, tau, du), SS_OK);
  ss_tree_inverse(c->work, du, back);
  double *M = dense_mass(c), size = forces_behind(c->nv, M, du);
  for (size_t i = 0; i < n; i++)
    if (!(fabs(back[i] - tau[i]) <= 1e-12*size))
      fail_msg("tau comes back as %g more, terms %g", back[i] - tau[i], size);
  free(M), free(tau), free(du), free(back);
}

static void test_inverse(void** state)
{
  (void)state;
  for_trees(inverse_check);
}

// T = u M u/2; and M by differences of T, which is a quadratic form: exact but for round-off
static void kinetic_check(tree_case* c)
{
  size_t n = (size_t)c->nv;
  double *M = dense_mass(c), *u = array(n), T = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) T += 0.5*c->u[i]*M[i*n + j]*c->u[j];
  double value = ss_tree_kinetic(c->work);
  NEAR(1, &value, &T, 1e-12, "kinetic energy and u M u/2");
  for (int k = 0; k < 20; k++) {
    size_t i = (size_t)((uniform() + 1)/2*(double)n), j = (size_t)((uniform() + 1)/2*(double)n);
    double E[4], largest = 0;
    for (int s = 0; s < 4; s++) {
      memset(u, 0, n*sizeof *u);
      u[i] += s & 1;
      u[j] += s >> 1;
      ss_tree_set_velocity(c->work, u);
      E[s] = ss_tree_kinetic(c->work);
      largest = fmax(largest, E[s]);
    }
    if (!(fabs(E[3] - E[1] - E[2] + E[0] - M[i*n + j]) <= 1e-13*largest)) fail_msg("M by energies differs");
  }
  free(M), free(u);
}

static void test_kinetic(void** state)
{
  (void)state;
  for_trees(kinetic_check);
}

// The power of all forces is the rate of the energies, by differences along the motion (no springs here)
static void power_check(tree_case* c)
{
  size_t n = (size_t)c->nv;
  double *du = array(n), *u = array(n), *q = array((size_t)c->nq), E[2], h = 1e-5, size = 0;
  assert_int_equal(ss_tree_forward(c->work, NULL, du), SS_OK);
  // the step must be small for the fastest of the accelerations
  for (size_t i = 0; i < n; i++) size = fmax(size, fabs(du[i]));
  h /= fmax(1, sqrt(size)/10);
  double T = ss_tree_kinetic(c->work);
  for (int k = 0; k < 2; k++) {
    double dt = k ? h : -h;
    for (size_t i = 0; i < n; i++) u[i] = c->u[i] + dt*du[i];
    for (size_t i = 0; i < n; i++) du[i] = c->u[i] + 0.5*dt*du[i];  // mean velocity: second order
    ss_tree_advance(c->tree, c->q, du, dt, q);
    for (size_t i = 0; i < n; i++) du[i] = (du[i] - c->u[i])/(0.5*dt);
    ss_tree_set_position(c->work, q);
    ss_tree_set_velocity(c->work, u);
    E[k] = ss_tree_kinetic(c->work) + ss_tree_potential(c->work);
  }
  double power = (E[1] - E[0])/(2*h), scale = 0;
  for (size_t i = 0; i < n; i++) scale += fabs(c->u[i]*du[i]);
  if (!(fabs(power) <= 1e-5*(scale + T)))
    fail_msg("%d bodies: energy changes by %g W of %g", c->def.n_body, power, scale);
  free(du), free(u), free(q);
}

static void test_power(void** state)
{
  (void)state;
  for_trees(power_check);
}

// Newton and Euler for each body, projected by Jacobians: tau = sum of J_v^T m (a - g) + J_w^T (I w' + w x I w)
static void project_body(tree_case* c, int b, const double* J_v, const double* J_w, const int* chain_, int n,
                         double* tau)
{
  const ss_body_def* body = c->def.body + b;
  double x[3], R[9], com[3], w[3], v[3], alpha[3], a[3], I[9], Iw[3] = {0}, Ia[3] = {0};
  ss_tree_pose(c->work, b, x, NULL, R);
  for (int i = 0; i < 3; i++) com[i] = x[i] + R[3*i]*body->com[0] + R[3*i + 1]*body->com[1] + R[3*i + 2]*body->com[2];
  ss_tree_point_velocity(c->work, b, com, w, v);
  ss_tree_point_bias(c->work, b, com, alpha, a);
  const double* s = body->inertia;
  const double local[9] = {s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2]};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      I[3*i + j] = 0;
      for (int k = 0; k < 9; k++) I[3*i + j] += R[3*i + k/3]*local[k]*R[3*j + k%3];
      Iw[i] += I[3*i + j]*w[j];
      Ia[i] += I[3*i + j]*alpha[j];
    }
  double moment[3] = {Ia[0] + w[1]*Iw[2] - w[2]*Iw[1], Ia[1] + w[2]*Iw[0] - w[0]*Iw[2],
                      Ia[2] + w[0]*Iw[1] - w[1]*Iw[0]};
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 3; i++)
      tau[chain_[k]] += J_v[i*n + k]*body->mass*(a[i] - c->def.gravity[i]) + J_w[i*n + k]*moment[i];
}

static void bias_check(tree_case* c)
{
  size_t n = (size_t)c->nv;
  double *tau = array(n), *value = array(n), *J_v = array(3*n), *J_w = array(3*n);
  int* chain_ = calloc(n + 1, sizeof *chain_);
  for (int b = 0; b < c->def.n_body; b++) {
    const double* com = c->def.body[b].com;
    double x[3], R[9], at[3];
    ss_tree_pose(c->work, b, x, NULL, R);
    for (int i = 0; i < 3; i++) at[i] = x[i] + R[3*i]*com[0] + R[3*i + 1]*com[1] + R[3*i + 2]*com[2];
    int k = ss_tree_chain(c->tree, b, chain_);
    assert_int_equal(ss_tree_jacobian(c->work, b, at, J_v, J_w), k);
    project_body(c, b, J_v, J_w, chain_, k, tau);
  }
  ss_tree_bias(c->work, value);
  NEAR(c->nv, value, tau, 1e-12, "bias by recursion and by Jacobians");
  free(tau), free(value), free(J_v), free(J_w), free(chain_);
}

static void test_bias(void** state)
{
  (void)state;
  for_trees(bias_check);
}

// J u is the velocity; the pose moves with it, and J' u is its rate at constant u. By differences of second order.
static void differences_check(tree_case* c)
{
  int b = (int)((uniform() + 1)/2*c->def.n_body), n = c->nv;
  double *q = array((size_t)c->nq), *J = array(3*(size_t)n), *J_w = array(3*(size_t)n);
  int* chain_ = calloc((size_t)n + 1, sizeof *chain_);
  double local[3] = {uniform(), uniform(), uniform()}, x[3][3], v[3][3], w[3][3], a[3], alpha[3], h = 1e-5;
  for (int s = 2; s >= 0; s--) {  // forward, backward, here
    const double dt[] = {0, -h, h};
    double R[9], o[3];
    ss_tree_advance(c->tree, c->q, c->u, dt[s], q);
    ss_tree_set_position(c->work, q);
    ss_tree_set_velocity(c->work, c->u);
    ss_tree_pose(c->work, b, o, NULL, R);
    for (int i = 0; i < 3; i++) x[s][i] = o[i] + R[3*i]*local[0] + R[3*i + 1]*local[1] + R[3*i + 2]*local[2];
    ss_tree_point_velocity(c->work, b, x[s], w[s], v[s]);
  }
  ss_tree_point_bias(c->work, b, x[0], alpha, a);
  int k = ss_tree_chain(c->tree, b, chain_);
  ss_tree_jacobian(c->work, b, x[0], J, J_w);
  double speed = 1, fast = 1;
  for (int i = 0; i < 3; i++) speed = fmax(speed, fabs(v[0][i])), fast = fmax(fast, fmax(fabs(a[i]), fabs(alpha[i])));
  for (int i = 0; i < 3; i++) {
    double Ju = 0, Jw = 0;
    for (int j = 0; j < k; j++) Ju += J[i*k + j]*c->u[chain_[j]], Jw += J_w[i*k + j]*c->u[chain_[j]];
    if (!(fabs(Ju - v[0][i]) <= 1e-12*speed) || !(fabs(Jw - w[0][i]) <= 1e-12*speed))
      fail_msg("J u is not the velocity");
    if (!(fabs((x[2][i] - x[1][i])/(2*h) - v[0][i]) <= 1e-6*fast)) fail_msg("velocity and differences");
    if (!(fabs((v[2][i] - v[1][i])/(2*h) - a[i]) <= 1e-5*fast)) fail_msg("J' u %g, by differences %g", a[i],
                                                                      (v[2][i] - v[1][i])/(2*h));
    if (!(fabs((w[2][i] - w[1][i])/(2*h) - alpha[i]) <= 1e-5*fast)) fail_msg("J_w' u and differences");
  }
  free(q), free(J), free(J_w), free(chain_);
}

static void test_differences(void** state)
{
  (void)state;
  for (int k = 0; k < 5; k++) for_trees(differences_check);
}

// q1 = q0 moved by the difference, and the other way round
static void motion_check(tree_case* c)
{
  double *q = array((size_t)c->nq), *u = array((size_t)c->nv);
  for (int i = 0; i < c->nv; i++) c->u[i] = 1.5*uniform();
  ss_tree_advance(c->tree, c->q, c->u, 1, q);
  ss_tree_difference(c->tree, c->q, q, u);
  NEAR(c->nv, u, c->u, 1e-13, "velocity and the difference that it makes");
  ss_tree_advance(c->tree, q, c->u, -1, q);
  ss_tree_difference(c->tree, c->q, q, u);
  for (int i = 0; i < c->nv; i++) assert_true(fabs(u[i]) < 1e-13);
  free(q), free(u);
}

static void test_motion(void** state)
{
  (void)state;
  for_trees(motion_check);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_solve), cmocka_unit_test(test_implicit), cmocka_unit_test(test_inverse),
    cmocka_unit_test(test_kinetic), cmocka_unit_test(test_power), cmocka_unit_test(test_bias),
    cmocka_unit_test(test_differences), cmocka_unit_test(test_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
