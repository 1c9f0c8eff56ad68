// What `auto` says it has tried on contact problems.
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stickslip/stickslip.h>
#include <string.h>
#include <sys/time.h>
#include <cmocka.h>

// A point mass between two walls that close on it (no solution), or above one of them (trivial)
static const double squeeze_G[16] = {1, 0, -1, 0, 0, 1, 0, -1, -1, 0, 1, 0, 0, -1, 0, 1};
static const double squeeze_b[4] = {-1, 0.1, -1, 0};
static const double mu[2] = {0.3, 0.3};

static volatile sig_atomic_t stop;

static ss_status solve(const double* b, ss_friction_method method, int max_iter, ss_friction_solution* s)
{
  ss_friction_problem p = {.dim = 2, .n_contact = 2, .mu = mu, .b = b};
  assert_int_equal(ss_sparse_from_dense(4, 4, squeeze_G, &p.G, NULL), SS_OK);
  ss_friction_solver* solver = ss_friction_solver_create(&p, NULL);
  ss_friction_def def = ss_friction_def_default();
  def.method = method;
  def.max_iter = max_iter;
  def.stop = &stop;
  ss_status status = ss_friction_solve(solver, &def, s);
  ss_friction_solver_destroy(solver);
  ss_sparse_free(&p.G);
  return status;
}

// The counts of all attempts add up, none comes nearer than what is returned, and one comes as near
static void auto_tells_what_it_tried(void** state)
{
  (void)state;
  double Lambda[4];
  ss_friction_solution s = {.Lambda = Lambda};
  assert_int_equal(solve(squeeze_b, SS_FRICTION_AUTO, 0, &s), SS_NOT_CONVERGED);
  assert_int_equal(s.log.count, 12);
  assert_int_equal(ss_attempts_listed(&s.log), 12);
  assert_string_equal(s.log.attempt[0].solver, "nsgs");
  assert_string_equal(s.log.attempt[2].solver, "ipm");
  int sum = 0;
  for (int k = 0; k < s.log.count; k++) {
    const ss_attempt* a = &s.log.attempt[k];
    assert_true(a->status == SS_NOT_CONVERGED && a->why && a->iterations > 0 && a->residual >= s.residual);
    sum += a->iterations;
  }
  assert_int_equal(sum, s.sweeps + s.newton + s.ipm + s.admm);
}

static void one_attempt(void** state)
{
  (void)state;
  double Lambda[4];
  const double apart[4] = {-1, 0.1, 3, 0};
  ss_friction_solution s = {.Lambda = Lambda};
  for (int m = 0; m < SS_FRICTION_METHODS; m++) {
    assert_int_equal(solve(apart, (ss_friction_method)m, 0, &s), SS_OK);
    assert_int_equal(s.log.count, 1);
    assert_int_equal(s.log.attempt[0].status, SS_OK);
    assert_true(s.log.attempt[0].residual == s.residual);
    const char* name = ss_friction_method_name((ss_friction_method)m);
    if (m != SS_FRICTION_AUTO) assert_string_equal(s.log.attempt[0].solver, name);
  }
}

static void check_limits(int max_iter)
{
  double Lambda[4];
  ss_friction_solution s = {.Lambda = Lambda};
  assert_int_equal(solve(squeeze_b, SS_FRICTION_AUTO, max_iter, &s), SS_NOT_CONVERGED);
  assert_int_equal(s.log.count, 12);
  assert_true(s.sweeps <= 12*max_iter && s.newton <= 11*max_iter && s.ipm <= 4*max_iter && s.admm <= 2*max_iter);
  for (int k = 0; k < 12; k++)  // no attempt has more than three kinds
    assert_true(s.log.attempt[k].iterations <= (k == 0 ? 1 : 3)*max_iter);
}

// Of 12 attempts the first has sweeps only; Newton is in all others, with sweeps where it does not get on. Three are
// interior point methods, one goes along the central paths, which share its limit, and two are ADMM.
static void limits_hold_in_every_attempt(void** state)
{
  (void)state;
  double Lambda[4];
  ss_friction_solution s = {.Lambda = Lambda};
  check_limits(1);
  check_limits(5);
  check_limits(40);
  assert_int_equal(solve(squeeze_b, SS_FRICTION_IPM, 1, &s), SS_NOT_CONVERGED);
  assert_true(s.sweeps <= 1 && s.newton <= 1 && s.ipm <= 1);
}

static void on_alarm(int number)
{
  (void)number;
  stop = 1;
}

// There is no solution, and the limits are years away: only the flag ends it
static void flag_ends_solves(void** state)
{
  (void)state;
  const ss_friction_method method[] = {SS_FRICTION_NSGS, SS_FRICTION_NEWTON, SS_FRICTION_ADMM};
  const struct sigaction act = {.sa_handler = on_alarm};
  const struct itimerval soon = {.it_value = {.tv_usec = 20000}};
  double Lambda[4];
  ss_friction_solution s = {.Lambda = Lambda};
  assert_int_equal(sigaction(SIGALRM, &act, NULL), 0);
  for (int i = 0; i < 3; i++) {
    stop = 0;
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    assert_int_equal(solve(squeeze_b, method[i], INT_MAX, &s), SS_NOT_CONVERGED);
    assert_true(stop == 1 && isfinite(s.residual));
  }
  assert_int_equal(solve(squeeze_b, SS_FRICTION_AUTO, 0, &s), SS_NOT_CONVERGED);  // not begun
  assert_int_equal(s.log.count, 0);
  stop = 0;
}

static void dissipation_tells_too(void** state)
{
  (void)state;
  const ss_contact_kind kind[2] = {SS_CONTACT_PLANAR, SS_CONTACT_PLANAR};
  const double bound[2] = {0, 0};
  ss_contact_problem p = {.n_contact = 2, .m = 4, .G = squeeze_G, .b = squeeze_b, .kind = kind, .mu = mu,
                          .bound = bound};
  ss_dissipation_def def = ss_dissipation_def_default();
  double Lambda[4];
  ss_dissipation_solution s = {.Lambda = Lambda};
  ss_arena* arena = ss_arena_create(ss_dissipation_solve_size(&p, NULL, &def));
  assert_int_equal(ss_dissipation_solve(&p, NULL, &def, arena, &s), SS_NOT_CONVERGED);
  assert_int_equal(s.log.count, 5);
  int sum = 0;
  double best = INFINITY;
  for (int k = 0; k < 5; k++) {
    const ss_attempt* a = &s.log.attempt[k];
    assert_string_equal(a->solver, ss_dissipation_method_name((ss_dissipation_method)(k + 1)));
    assert_true(a->status != SS_OK && a->residual >= s.residual);
    best = fmin(best, a->residual);
    sum += a->iterations;
  }
  assert_true(best == s.residual && sum == s.iterations);
  ss_arena_destroy(arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(auto_tells_what_it_tried), cmocka_unit_test(one_attempt),
    cmocka_unit_test(limits_hold_in_every_attempt), cmocka_unit_test(flag_ends_solves),
    cmocka_unit_test(dissipation_tells_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
