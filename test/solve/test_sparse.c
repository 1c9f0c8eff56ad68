// LCPs with a sparse A: the same answers as dense ones, also where dense ones would not fit; clear refusals.
#include "families.h"
#include "obstacle.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stickslip/lcp.h>
#include <stickslip/mlcp.h>
#include <cmocka.h>

static ss_status solve(const ss_lcp* lcp, ss_lcp_solver solver, double* x, double* y, ss_lcp_solution* s)
{
  ss_lcp_def def = ss_lcp_def_default();
  def.solver = solver;
  *s = (ss_lcp_solution){.x = x, .y = y};
  ss_arena* arena = ss_arena_create(ss_lcp_size(lcp));
  ss_status status = ss_lcp_solve(lcp, &def, arena, s);
  assert_true(ss_arena_peak(arena) <= ss_lcp_size(lcp));
  assert_true(ss_arena_mark(arena) == 0);
  ss_arena_destroy(arena);
  return status;
}

static double A[FAMILY_MAX*FAMILY_MAX], b[FAMILY_MAX];

// The residual of a sparse problem is that of the dense one, also for bad x
static void test_residual(void** state)
{
  (void)state;
  uint64_t seed = 1;
  for (int n = 3; n <= FAMILY_MAX; n += 31) {
    double x[FAMILY_MAX];
    make_friction(n/3, n, 0.8, 3, &seed, A, b);
    n = n/3*3;
    ss_sparse S;
    assert_int_equal(ss_sparse_from_dense(n, n, A, &S, NULL), SS_OK);
    ss_lcp dense = {.n = n, .A = A, .b = b}, sparse = {.n = n, .S = &S, .b = b};
    for (int c = 0; c < 50; c++) {
      for (int i = 0; i < n; i++) x[i] = c%3 == 0 ? uniform(&seed) : fmax(0, uniform(&seed));
      double r = ss_lcp_residual(&dense, x), q = ss_lcp_residual(&sparse, x);
      assert_true(fabs(r - q) <= 1e-12*r);
    }
    ss_sparse_free(&S);
  }
}

// Every solver on sparse versions of dense problems: solved alike
static void test_agrees_with_dense(void** state)
{
  (void)state;
  uint64_t seed = 2;
  for (int kind = 0; kind < 2; kind++)
    for (int n = 3; n <= 48; n *= 2) {
      double x[FAMILY_MAX], y[FAMILY_MAX], wanted[FAMILY_MAX];
      ss_lcp_solution s;
      if (kind) make_friction(n/3, n, 0.5, 3, &seed, A, b);
      else make_spd(n, &seed, A, b);
      ss_sparse S;
      assert_int_equal(ss_sparse_from_dense(n, n, A, &S, NULL), SS_OK);
      ss_lcp dense = {.n = n, .A = A, .b = b}, sparse = {.n = n, .S = &S, .b = b};
      assert_int_equal(solve(&dense, SS_LCP_LEMKE, wanted, y, &s), SS_OK);
      for (ss_lcp_solver k = SS_LCP_AUTO; k < SS_LCP_SOLVER_COUNT; k++) {
        ss_status status = solve(&dense, k, x, y, &s), as_sparse = solve(&sparse, k, x, y, &s);
        if (status == SS_OK && as_sparse != SS_OK)
          fail_msg("%s, n %d: %s", ss_lcp_solver_name(k), n, ss_status_text(as_sparse));
        if (as_sparse != SS_OK) continue;
        assert_true(ss_lcp_residual(&dense, x) <= 1e-10);
        for (int i = 0; i < n && kind == 0; i++) assert_true(fabs(x[i] - wanted[i]) < 1e-6*(1 + wanted[i]));
      }
      ss_sparse_free(&S);
    }
}

// 144 unknowns by Lemke's method; the obstacle problem has one solution
static void test_small_obstacle(void** state)
{
  (void)state;
  obstacle o = make_obstacle(12);
  ss_lcp lcp = obstacle_lcp(&o);
  double wanted[144], x[144], y[144];
  ss_lcp_solution s;
  assert_int_equal(solve(&lcp, SS_LCP_LEMKE, wanted, y, &s), SS_OK);
  for (ss_lcp_solver k = SS_LCP_AUTO; k < SS_LCP_SOLVER_COUNT; k++) {
    ss_status status = solve(&lcp, k, x, y, &s);
    if (status != SS_OK) fail_msg("%s: %s", ss_lcp_solver_name(k), ss_status_text(status));
    for (int i = 0; i < 144; i++)
      if (fabs(x[i] - wanted[i]) > 1e-8) fail_msg("%s: x_%d is %g, not %g", ss_lcp_solver_name(k), i, x[i], wanted[i]);
  }
  free_obstacle(&o);
}

// 10000 unknowns: what a dense matrix would take 0.8 GB for. Contact somewhere, but not everywhere.
static void test_obstacle(void** state)
{
  (void)state;
  enum { M = 100, N = M*M };
  obstacle o = make_obstacle(M);
  ss_lcp lcp = obstacle_lcp(&o);
  double *x = malloc(sizeof(double)*N), *y = malloc(sizeof(double)*N);
  ss_lcp_solution s;
  assert_true(ss_lcp_size(&lcp) < 10000000);
  assert_int_equal(solve(&lcp, SS_LCP_AUTO, x, y, &s), SS_OK);
  assert_int_equal(s.solver, SS_LCP_NEWTON_MIN);
  assert_true(s.residual <= 1e-14 && ss_lcp_residual(&lcp, x) == s.residual);
  assert_true(s.iterations <= 20);
  int touching = 0;
  for (int i = 0; i < N; i++) {
    touching += x[i] == 0;
    assert_true(x[i] >= 0 && y[i] >= -1e-14 && x[i]*y[i] <= 1e-14);
  }
  assert_in_range(touching, N/50, N/5);
  assert_int_equal(solve(&lcp, SS_LCP_LEMKE, x, y, &s), SS_ERR_CAPACITY);
  assert_int_equal(solve(&lcp, SS_LCP_BLOCK_PIVOT, x, y, &s), SS_ERR_CAPACITY);
  free(x);
  free(y);
  free_obstacle(&o);
}

// Chains of blocks on each other with friction, 100 contacts in a row that share bodies: zero diagonal entries, so that
// elimination without pivoting meets zeros
static void test_chain_with_friction(void** state)
{
  (void)state;
  enum { K = 100, N = 3*K };
  static double G[4*K*K], g[2*K], mu[K], F[N*N], f[N], x[N], y[N];
  uint64_t seed = 3;
  for (int i = 0; i < K; i++)
    for (int j = 0; j < K; j++) {
      double a = i == j ? 2 : abs(i - j) == 1 ? -1 : 0;
      G[i*2*K + j] = G[(K + i)*2*K + K + j] = a;
      G[i*2*K + K + j] = G[(K + i)*2*K + j] = 0;
    }
  for (int i = 0; i < K; i++) {
    g[i] = uniform(&seed) - 0.5;
    g[K + i] = uniform(&seed);
    mu[i] = 0.4;
  }
  make_friction_lcp(K, G, g, mu, F, f);
  ss_sparse S;
  assert_int_equal(ss_sparse_from_dense(N, N, F, &S, NULL), SS_OK);
  ss_lcp lcp = {.n = N, .S = &S, .b = f};
  ss_lcp_solution s;
  assert_int_equal(solve(&lcp, SS_LCP_AUTO, x, y, &s), SS_OK);
  print_message("chain: %s after %d attempts\n", ss_lcp_solver_name(s.solver), s.log.count);
  ss_sparse_free(&S);
}

// A mixed problem: equations, boxes, complementary unknowns; sparse as dense
static void test_mixed(void** state)
{
  (void)state;
  enum { N = 40 };
  uint64_t seed = 4;
  double lower[N], upper[N], z[N], w[N], wanted[N];
  make_spd(N, &seed, A, b);
  for (int i = 0; i < N*N; i++) A[i] = i%(N + 1) && fabs(A[i]) < 0.08 ? 0 : A[i];
  for (int i = 0; i < N; i++) {
    A[i*N + i] += 1;
    lower[i] = i%3 == 0 ? -INFINITY : 0;
    upper[i] = i%3 == 2 ? 0.05 : INFINITY;
  }
  ss_sparse S;
  assert_int_equal(ss_sparse_from_dense(N, N, A, &S, NULL), SS_OK);
  ss_mlcp dense = {.n = N, .A = A, .b = b, .lower = lower, .upper = upper};
  ss_mlcp sparse = {.n = N, .S = &S, .b = b, .lower = lower, .upper = upper};
  ss_arena* arena = ss_arena_create(ss_mlcp_size(&sparse));
  ss_mlcp_def def = ss_mlcp_def_default();
  ss_mlcp_solution s = {.z = wanted, .w = w};
  assert_int_equal(ss_mlcp_solve(&dense, &def, arena, &s), SS_OK);
  s.z = z;
  assert_int_equal(ss_mlcp_solve(&sparse, &def, arena, &s), SS_OK);
  assert_memory_equal(z, wanted, sizeof z);
  for (int c = 0; c < 50; c++) {
    for (int i = 0; i < N; i++) z[i] = 0.1*uniform(&seed);
    assert_true(fabs(ss_mlcp_residual(&sparse, z) - ss_mlcp_residual(&dense, z)) <= 1e-12*ss_mlcp_residual(&dense, z));
  }
  sparse.n = N - 1;
  assert_int_equal(ss_mlcp_solve(&sparse, &def, arena, &s), SS_ERR_ARGUMENT);
  ss_arena_destroy(arena);
  ss_sparse_free(&S);
}

// Beyond SS_MLCP_DENSE_MAX: refused, not tried
static void test_mixed_too_large(void** state)
{
  (void)state;
  enum { N = SS_MLCP_DENSE_MAX + 1 };
  static int start[N + 1], col[N];
  static double value[N], q[N], lower[N], upper[N], z[N], w[N];
  for (int i = 0; i < N; i++) {
    start[i + 1] = i + 1;
    col[i] = i;
    value[i] = upper[i] = 1;
    q[i] = -1;
  }
  ss_sparse S = {N, N, start, col, value};
  ss_mlcp mlcp = {.n = N, .S = &S, .b = q, .lower = lower, .upper = upper};
  ss_arena* arena = ss_arena_create(1 << 16);
  ss_mlcp_def def = ss_mlcp_def_default();
  ss_mlcp_solution s = {.z = z, .w = w};
  assert_int_equal(ss_mlcp_solve(&mlcp, &def, arena, &s), SS_ERR_CAPACITY);
  assert_int_equal(ss_mlcp_size(&mlcp), 0);
  ss_arena_destroy(arena);
}

static void test_broken(void** state)
{
  (void)state;
  const int start[] = {0, 1, 2}, col[] = {0, 1}, bad_start[] = {0, 2, 1}, bad_col[] = {0, 2};
  const double value[] = {1, 1}, nan[] = {1, NAN}, q[] = {-1, -1};
  double x[2], y[2];
  ss_sparse good = {2, 2, start, col, value}, fall = {2, 2, bad_start, col, value}, out = {2, 2, start, bad_col, value},
            not_finite = {2, 2, start, col, nan}, wide = {2, 3, start, col, value};
  ss_lcp_solution s = {.x = x, .y = y};
  ss_arena *arena = ss_arena_create(1 << 16), *tiny = ss_arena_create(128);
  for (ss_lcp_solver k = SS_LCP_AUTO; k < SS_LCP_SOLVER_COUNT; k++) {
    ss_lcp_def def = ss_lcp_def_default();
    def.solver = k;
    assert_int_equal(ss_lcp_solve(&(ss_lcp){.n = 2, .S = &good, .b = q}, &def, arena, &s), SS_OK);
    assert_true(fabs(x[0] - 1) < 1e-9 && fabs(x[1] - 1) < 1e-9);
    assert_int_equal(ss_lcp_solve(&(ss_lcp){.n = 2, .S = &good, .b = q}, &def, tiny, &s), SS_ERR_CAPACITY);
    assert_int_equal(ss_lcp_solve(&(ss_lcp){.n = 2, .S = &fall, .b = q}, &def, arena, &s), SS_ERR_ARGUMENT);
    assert_int_equal(ss_lcp_solve(&(ss_lcp){.n = 2, .S = &out, .b = q}, &def, arena, &s), SS_ERR_ARGUMENT);
    assert_int_equal(ss_lcp_solve(&(ss_lcp){.n = 2, .S = &wide, .b = q}, &def, arena, &s), SS_ERR_ARGUMENT);
    assert_int_equal(ss_lcp_solve(&(ss_lcp){.n = 2, .S = &not_finite, .b = q}, &def, arena, &s), SS_ERR_NUMERIC);
    assert_int_equal(ss_lcp_solve(&(ss_lcp){.n = 2, .S = &good}, &def, arena, &s), SS_ERR_ARGUMENT);
    assert_true(ss_arena_mark(arena) == 0);
  }
  ss_lcp_def def = ss_lcp_def_default();
  assert_int_equal(ss_lcp_lemke(&(ss_lcp){.n = 2, .S = &good, .b = q}, &def, arena, &s), SS_ERR_ARGUMENT);
  ss_arena_destroy(arena);
  ss_arena_destroy(tiny);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_residual),       cmocka_unit_test(test_agrees_with_dense),
    cmocka_unit_test(test_small_obstacle), cmocka_unit_test(test_obstacle),
    cmocka_unit_test(test_mixed),          cmocka_unit_test(test_mixed_too_large),
    cmocka_unit_test(test_broken),         cmocka_unit_test(test_chain_with_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
