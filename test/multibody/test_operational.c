// link: -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=aligned_alloc
// The operational-space matrix by recursion against J M^-1 J^T from the rows of J and the factor of M; forces and
// velocities of nodes against the same rows; nothing of this allocates.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "count_allocations.h"
#include "trees.h"

static int random_body_of(const tree_case* c) { return (int)((uniform() + 1)/2*(c->def.n_body + 1)) - 1; }

// Contacts among bodies and with the world, loops with two points, relative rotations
static void random_node(const tree_case* c, ss_tree_node* node)
{
  *node = (ss_tree_node){.body_a = random_body_of(c), .body_b = random_body_of(c)};
  node->rows = 1 + (int)((uniform() + 1)*1.5);
  double kind = uniform();
  for (int i = 0; i < 9; i++) node->frame[i] = uniform();
  for (int i = 0; i < 3; i++) {
    node->point_a[i] = 2*uniform();
    node->point_b[i] = kind < 0.3 ? node->point_a[i] : 2*uniform();
  }
  node->rotation = kind > 0.7;
}

// J as a dense matrix, m x nv, by its sparse rows
static double* dense_rows(const tree_case* c, int n, const ss_tree_node* node)
{
  size_t nv = (size_t)c->nv;
  double* J = calloc((size_t)ss_tree_node_rows(c->tree, n, node)*nv + 1, sizeof *J);
  double* value = calloc(nv + 1, sizeof *value);
  int *col = calloc(nv + 1, sizeof *col), i = 0;
  for (int k = 0; k < n; k++)
    for (int r = 0; r < node[k].rows; r++, i++) {
      int count = ss_tree_node_row(c->work, node + k, r, col, value);
      for (int e = 0; e < count; e++) {
        assert_true(e == 0 || col[e] > col[e - 1]);
        J[(size_t)i*nv + (size_t)col[e]] = value[e];
      }
    }
  free(col), free(value);
  return J;
}

// J M^-1 J^T, by M and its own factor
static double* by_definition(const tree_case* c, int m, const double* J)
{
  size_t nv = (size_t)c->nv;
  double *G = calloc((size_t)(m*m) + 1, sizeof *G), *x = calloc(nv + 1, sizeof *x);
  ss_tree_mass* mass = ss_tree_mass_create(c->tree, NULL);
  ss_tree_mass_update(mass, c->work);
  assert_int_equal(ss_tree_mass_factor(mass), SS_OK);
  for (int i = 0; i < m; i++) {
    ss_tree_mass_solve(mass, J + (size_t)i*nv, x);
    for (int j = 0; j < m; j++)
      for (size_t k = 0; k < nv; k++) G[j*m + i] += J[(size_t)j*nv + k]*x[k];
  }
  ss_tree_mass_destroy(mass);
  free(x);
  return G;
}

static void check_case(tree_case* c, int n, const ss_tree_node* node)
{
  int m = ss_tree_node_rows(c->tree, n, node);
  assert_true(m >= 0);
  double *J = dense_rows(c, n, node), *G = by_definition(c, m, J), *value = calloc((size_t)(m*m) + 1, sizeof *value);
  ss_arena* arena = ss_arena_create(ss_tree_delassus_size(c->tree, m));
  assert_int_equal(ss_tree_factor(c->work), SS_OK);
  for (int method = SS_DELASSUS_AUTO; method <= SS_DELASSUS_FACTOR; method++) {
    assert_int_equal(ss_tree_delassus(c->work, (ss_tree_delassus_method)method, n, node, arena, value), SS_OK);
    NEAR(m*m, value, G, 1e-11, method == SS_DELASSUS_RECURSION ? "G by recursion and J M^-1 J^T" : "G by the factors");
  }
  ss_arena_destroy(arena);
  free(J), free(G), free(value);
}

static void check_recursions(tree_case* c, int n, const ss_tree_node* node)
{
  int m = ss_tree_node_rows(c->tree, n, node);
  double *G = calloc((size_t)(m*m), sizeof *G), *value = calloc((size_t)(m*m), sizeof *value);
  ss_arena* arena = ss_arena_create(ss_tree_delassus_size(c->tree, m));
  assert_int_equal(ss_tree_factor(c->work), SS_OK);
  assert_int_equal(ss_tree_delassus(c->work, SS_DELASSUS_FACTOR, n, node, arena, G), SS_OK);
  assert_int_equal(ss_tree_delassus(c->work, SS_DELASSUS_RECURSION, n, node, arena, value), SS_OK);
  NEAR(m*m, value, G, 1e-11, "G by recursion and by the factors");
  ss_arena_destroy(arena);
  free(G), free(value);
}

static void test_matrix(void** state)
{
  (void)state;
  const int sizes[] = {1, 2, 6, 30, 250}, numbers[] = {0, 1, 4, 15, 15};
  ss_tree_node node[15];
  for (int s = 0; s < 5; s++)
    for (int k = 0; k < 5; k++) {
      uint64_t seed = 91 + (uint64_t)(7*s + k);
      tree_case* c = k == 4 ? random_crowd(seed, sizes[s]) : random_tree(seed, sizes[s], k == 1);
      finish_case(c);
      random_state(c);
      for (int i = 0; i < 15; i++) random_node(c, node + i);
      check_case(c, numbers[k], node);
      destroy_case(c);
    }
}

// A chain with a contact at every few bodies, then with all contacts at the last one. In a long chain M is
// ill-conditioned, and G found through M loses digits accordingly; there the two ways without M check each other.
static void check_chain(int n, bool against_mass)
{
  ss_tree_node node[20];
  tree_case* c = chain(n, false);
  finish_case(c);
  for (int i = 0; i < c->nv; i++) c->q[i] = 0.3*uniform();
  ss_tree_set_position(c->work, c->q);
  for (int i = 0; i < 20; i++) {
    random_node(c, node + i);
    node[i].body_a = SS_WORLD;
    node[i].body_b = n*(i + 1)/20 - 1;
  }
  for (int all_at_tip = 0; all_at_tip < 2; all_at_tip++) {
    for (int i = 0; all_at_tip && i < 20; i++) node[i].body_b = n - 1;
    if (against_mass)
      check_case(c, 20, node);
    else
      check_recursions(c, 20, node);
  }
  destroy_case(c);
}

static void test_chain(void** state)
{
  (void)state;
  check_chain(20, true);
  check_chain(40, true);
  check_chain(300, false);
}

// gamma = J u, tau = J^T Lambda; w_bar by differences of gamma with points that move along
static void test_rows(void** state)
{
  (void)state;
  tree_case* c = random_tree(5, 60, false);
  finish_case(c);
  random_state(c);
  ss_tree_node node[10];
  double gamma[30], Lambda[30];
  for (int i = 0; i < 10; i++) random_node(c, node + i);
  int m = ss_tree_node_rows(c->tree, 10, node);
  size_t nv = (size_t)c->nv;
  double *J = dense_rows(c, 10, node), *tau = calloc(nv, sizeof *tau), *expected = calloc(nv, sizeof *tau);
  double Ju[30] = {0};
  for (int i = 0; i < m; i++) Lambda[i] = uniform();
  for (int i = 0; i < m; i++)
    for (size_t j = 0; j < nv; j++) Ju[i] += J[(size_t)i*nv + j]*c->u[j], expected[j] += J[(size_t)i*nv + j]*Lambda[i];
  ss_tree_node_velocity(c->work, 10, node, gamma, NULL);
  ss_tree_node_force(c->work, 10, node, Lambda, tau);
  NEAR(m, gamma, Ju, 1e-13, "gamma and J u");
  NEAR(c->nv, tau, expected, 1e-13, "tau and J^T Lambda");
  free(J), free(tau), free(expected);
  destroy_case(c);
}

static void test_bias(void** state)
{
  (void)state;
  tree_case* c = random_tree(8, 40, true);
  finish_case(c);
  random_state(c);
  ss_tree_node node, moved;
  double w_bar[3], gamma[2][3], h = 1e-6, *q = calloc((size_t)c->nq, sizeof *q);
  for (int k = 0; k < 10; k++) {
    random_node(c, &node);
    ss_tree_set_position(c->work, c->q);
    ss_tree_set_velocity(c->work, c->u);
    ss_tree_node_velocity(c->work, 1, &node, NULL, w_bar);
    double v[2][3], a[2][3];
    ss_tree_point_velocity(c->work, node.body_a, node.point_a, NULL, v[0]);
    ss_tree_point_velocity(c->work, node.body_b, node.point_b, NULL, v[1]);
    ss_tree_point_bias(c->work, node.body_a, node.point_a, NULL, a[0]);
    ss_tree_point_bias(c->work, node.body_b, node.point_b, NULL, a[1]);
    for (int s = 0; s < 2; s++) {
      double dt = s ? h : -h;
      moved = node;
      for (int i = 0; i < 3; i++) {  // material points
        moved.point_a[i] += dt*(v[0][i] + 0.5*dt*a[0][i]);
        moved.point_b[i] += dt*(v[1][i] + 0.5*dt*a[1][i]);
      }
      ss_tree_advance(c->tree, c->q, c->u, dt, q);
      ss_tree_set_position(c->work, q);
      ss_tree_set_velocity(c->work, c->u);
      ss_tree_node_velocity(c->work, 1, &moved, gamma[s], NULL);
    }
    for (int r = 0; r < node.rows; r++) {
      double rate = (gamma[1][r] - gamma[0][r])/(2*h);
      if (!(fabs(rate - w_bar[r]) <= 1e-6*fmax(100, fabs(rate))))
        fail_msg("w_bar %g, by differences %g", w_bar[r], rate);
    }
  }
  free(q);
  destroy_case(c);
}

static void test_no_allocation(void** state)
{
  (void)state;
  tree_case* c = random_tree(3, 80, false);
  finish_case(c);
  random_state(c);
  ss_tree_node node[6];
  for (int i = 0; i < 6; i++) random_node(c, node + i);
  int m = ss_tree_node_rows(c->tree, 6, node);
  double *x = calloc((size_t)c->nv, sizeof *x), G[18*18], gamma[18], Lambda[18] = {1};
  ss_arena* arena = ss_arena_create(ss_tree_delassus_size(c->tree, m));
  ss_tree_mass* mass = ss_tree_mass_create(c->tree, NULL);
  long before = calls;
  for (int k = 0; k < 5; k++) {
    ss_tree_advance(c->tree, c->q, c->u, 0.01, c->q);
    ss_tree_set_position(c->work, c->q);
    ss_tree_set_velocity(c->work, c->u);
    assert_int_equal(ss_tree_forward(c->work, NULL, x), SS_OK);
    ss_tree_inverse(c->work, x, x);
    ss_tree_mass_update(mass, c->work);
    assert_int_equal(ss_tree_mass_factor(mass), SS_OK);
    ss_tree_mass_solve(mass, x, x);
    ss_tree_node_velocity(c->work, 6, node, gamma, NULL);
    ss_tree_node_force(c->work, 6, node, Lambda, x);
    for (int method = 0; method <= SS_DELASSUS_FACTOR; method++)
      assert_int_equal(ss_tree_delassus(c->work, (ss_tree_delassus_method)method, 6, node, arena, G), SS_OK);
  }
  assert_int_equal(calls - before, 0);
  ss_arena_destroy(arena);
  ss_tree_mass_destroy(mass);
  free(x);
  destroy_case(c);
}

// Rows in joint space among others: one to three terms, on all kinds of joints
static void random_terms(const tree_case* c, int terms, ss_tree_node* node)
{
  *node = (ss_tree_node){.rows = 1, .terms = terms, .body_a = 1 << 20};
  for (int i = 0; i < terms; i++) {
    bool taken = true;
    while (taken) {
      node->velocity[i] = (int)((uniform() + 1)/2*(c->nv - 1e-9));
      taken = false;
      for (int j = 0; j < i; j++) taken = taken || node->velocity[j] == node->velocity[i];
    }
    node->coefficient[i] = uniform();
  }
}

static void test_joint_space(void** state)
{
  (void)state;
  for (int k = 0; k < 6; k++) {
    tree_case* c = random_tree(17 + (uint64_t)k, 4 + 9*k, k == 1);
    finish_case(c);
    random_state(c);
    ss_tree_node node[10];
    double gamma[30], size[30], Lambda[30], Jv[30] = {0}, G[900];
    for (int i = 0; i < 10; i++) random_node(c, node + i);
    for (int i = 0; i < 9; i += 2) random_terms(c, 1 + i%3, node + i);
    int m = ss_tree_node_rows(c->tree, 10, node), nv = c->nv;
    double *J = dense_rows(c, 10, node), *expected = by_definition(c, m, J), *v = calloc((size_t)nv, sizeof *v);
    double *tau = calloc((size_t)nv, sizeof *tau), *sum = calloc((size_t)nv, sizeof *sum);
    ss_arena* arena = ss_arena_create(ss_tree_delassus_size(c->tree, m));
    assert_int_equal(ss_tree_factor(c->work), SS_OK);
    assert_int_equal(ss_tree_delassus(c->work, SS_DELASSUS_AUTO, 10, node, arena, G), SS_OK);
    NEAR(m*m, G, expected, 1e-11, "G with rows in joint space");
    assert_int_equal(ss_tree_delassus(c->work, SS_DELASSUS_RECURSION, 10, node, arena, G), SS_ERR_ARGUMENT);
    for (int i = 0; i < m; i++) Lambda[i] = uniform();
    for (int j = 0; j < nv; j++) v[j] = uniform();
    for (int i = 0; i < m; i++)
      for (int j = 0; j < nv; j++) Jv[i] += J[i*nv + j]*v[j], sum[j] += J[i*nv + j]*Lambda[i];
    ss_tree_node_rates(c->work, v, 10, node, gamma, size);
    ss_tree_node_force(c->work, 10, node, Lambda, tau);
    NEAR(m, gamma, Jv, 1e-13, "gamma and J v");
    NEAR(nv, tau, sum, 1e-13, "tau and J^T Lambda");
    for (int i = 0; i < m; i++) assert_true(size[i] >= fabs(gamma[i])/3);  // directions here are up to sqrt(3) long
    ss_arena_destroy(arena);
    free(J), free(expected), free(v), free(tau), free(sum);
    destroy_case(c);
  }
}

// Twists of any v, and the velocity that is set stays
static void test_twists(void** state)
{
  (void)state;
  tree_case* c = random_tree(23, 30, true);
  finish_case(c);
  random_state(c);
  double twist[30*6], at[3], expected[6], T = ss_tree_kinetic(c->work), *v = calloc((size_t)c->nv, sizeof *v);
  for (int i = 0; i < c->nv; i++) v[i] = uniform();
  ss_tree_twists(c->work, v, twist);
  assert_true(T == ss_tree_kinetic(c->work));
  ss_tree_set_velocity(c->work, v);
  for (int b = 0; b < 30; b++) {
    ss_tree_pose(c->work, b, at, NULL, NULL);
    ss_tree_point_velocity(c->work, b, at, expected, expected + 3);
    NEAR(6, twist + 6*b, expected, 1e-13, "twist of a body");
  }
  free(v);
  destroy_case(c);
}

static void test_refusals(void** state)
{
  (void)state;
  tree_case* c = chain(3, true);
  finish_case(c);
  ss_tree_set_position(c->work, c->q);
  assert_int_equal(ss_tree_factor(c->work), SS_OK);
  ss_tree_node good = {.body_a = SS_WORLD, .body_b = 2, .frame = {1, 0, 0}, .rows = 1}, bad = good;
  double G[1];
  ss_arena *arena = ss_arena_create(ss_tree_delassus_size(c->tree, 1)), *small = ss_arena_create(1);
  bad.body_b = 3;
  assert_int_equal(ss_tree_delassus(c->work, SS_DELASSUS_AUTO, 1, &bad, arena, G), SS_ERR_ARGUMENT);
  bad = good;
  bad.rows = 4;
  assert_int_equal(ss_tree_delassus(c->work, SS_DELASSUS_AUTO, 1, &bad, arena, G), SS_ERR_ARGUMENT);
  bad = (ss_tree_node){.rows = 1, .terms = 1, .velocity = {3}};
  assert_int_equal(ss_tree_delassus(c->work, SS_DELASSUS_AUTO, 1, &bad, arena, G), SS_ERR_ARGUMENT);
  bad = (ss_tree_node){.rows = 2, .terms = 1, .velocity = {2}};
  assert_int_equal(ss_tree_delassus(c->work, SS_DELASSUS_AUTO, 1, &bad, arena, G), SS_ERR_ARGUMENT);
  assert_int_equal(ss_tree_delassus(c->work, SS_DELASSUS_RECURSION, 1, &good, small, G), SS_ERR_CAPACITY);
  assert_int_equal(ss_tree_delassus(c->work, SS_DELASSUS_AUTO, 1, &good, arena, G), SS_OK);
  ss_arena_destroy(arena);
  ss_arena_destroy(small);
  destroy_case(c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_matrix), cmocka_unit_test(test_chain),         cmocka_unit_test(test_rows),
    cmocka_unit_test(test_bias),   cmocka_unit_test(test_no_allocation), cmocka_unit_test(test_joint_space),
    cmocka_unit_test(test_twists), cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
