// The residual of contact problems: a block on a plane in every state, units, rows that nothing moves, broken data.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stickslip/contact.h>
#include <cmocka.h>

// A block of mass 2 on a plane: G = 1/2, one contact (N, T) with mu = 0.5. b is the velocity without impulses.
static const ss_contact_kind planar = SS_CONTACT_PLANAR;
static const double block_G[4] = {0.5, 0, 0, 0.5}, half = 0.5, no_bound = 0;

static double block(double bN, double bT, double LambdaN, double LambdaT)
{
  const double b[2] = {bN, bT}, Lambda[2] = {LambdaN, LambdaT};
  ss_contact_problem p = {
    .n_contact = 1, .m = 2, .G = block_G, .b = b, .kind = &planar, .mu = &half, .bound = &no_bound};
  return ss_contact_residual(&p, Lambda);
}

static void test_states_of_a_block(void** state)
{
  (void)state;
  assert_true(block(1, 0.3, 0, 0) == 0);         // leaves
  assert_true(block(-1, 0.25, 2, -0.5) == 0);    // stops and sticks: |Lambda_T| < mu Lambda_N = 1
  assert_true(block(-1, 0.5, 2, -1) == 0);       // just sticks
  assert_true(block(-1, 2, 2, -1) == 0);         // slips forward: xi_T = 1.5
  assert_true(block(-1, -2, 2, 1) == 0);         // slips backward
}

// Each wrong answer by the velocity it misses, relative to the largest b
static void test_violations(void** state)
{
  (void)state;
  assert_true(block(-1, 0, 0, 0) == 1);          // penetrates with all of b
  assert_true(block(-1, 0, 1, 0) == 0.5);        // with half of it
  assert_true(block(1, 0, 0.5, 0) == 0.25);      // pushed although it leaves
  assert_true(block(1, 0, -0.5, 0) == 0.25);     // pulled
  assert_true(block(-1, 0.25, 2, 0) == 0.25);    // should stick, glides
  assert_true(block(-1, 2, 2, -2)/0.25 == 1);    // friction beyond mu Lambda_N: by 1, worth 0.5 of 2
  assert_true(block(-1, 2, 2, 1) == 0.5);        // friction that pushes: 2 beyond, worth 1 of 2
}

static void test_friction_without_load(void** state)
{
  (void)state;
  const ss_contact_kind kind = SS_CONTACT_FRICTION;
  const double G = 4, bound = 0.5, mu = NAN;  // mu is not read
  double b = 1, Lambda = -0.25;
  ss_contact_problem p = {.n_contact = 1, .m = 1, .G = &G, .b = &b, .kind = &kind, .mu = &mu, .bound = &bound};
  assert_true(ss_contact_residual(&p, &Lambda) == 0);  // sticks
  b = 3;
  Lambda = -0.5;
  assert_true(ss_contact_residual(&p, &Lambda) == 0);  // slips: 3 - 2 = 1
  Lambda = -0.25;
  assert_true(fabs(ss_contact_residual(&p, &Lambda) - 1.0/3) < 1e-15);
}

static void test_bilateral_and_frictionless(void** state)
{
  (void)state;
  const ss_contact_kind kind = SS_CONTACT_NORMAL;
  const double G[4] = {2, 1, 1, 2}, b[2] = {-3, -3}, mu = NAN, bound = NAN;  // neither is read
  const double solved[2] = {1, 1}, off[2] = {1.5, 0};
  ss_contact_problem p = {
    .n_bilateral = 1, .n_contact = 1, .m = 2, .G = G, .b = b, .kind = &kind, .mu = &mu, .bound = &bound};
  assert_true(ss_contact_residual(&p, solved) == 0);
  assert_true(ss_contact_residual(&p, off) == 0.5);  // xi_N = -1.5 of 3
  const double negative[2] = {2, -1};
  assert_true(fabs(ss_contact_residual(&p, negative) - 1) < 1e-15);  // xi_N = -3
}

// Other units for a row: G -> D G D, b -> D b, Lambda -> D^-1 Lambda
static void test_units_do_not_matter(void** state)
{
  (void)state;
  const ss_contact_kind kinds[2] = {SS_CONTACT_PLANAR, SS_CONTACT_FRICTION};
  const double G[16] = {3, 1, 0, 0.5, 1, 2, 0.25, 0, 0, 0.25, 4, 1, 0.5, 0, 1, 2}, b[4] = {1, -2, 0.5, 1};
  const double Lambda[4] = {0.1, 0.7, 0.3, -0.2}, mu[2] = {0.4, 0}, bound[2] = {0, 0.1};
  ss_contact_problem p = {
    .n_bilateral = 1, .n_contact = 2, .m = 4, .G = G, .b = b, .kind = kinds, .mu = mu, .bound = bound};
  double before = ss_contact_residual(&p, Lambda);
  assert_true(before > 0.01);
  const double unit[4] = {1e6, 1e-3, 1e-3, 1e4};  // N and T of a contact share one unit; bound is a T impulse
  double G2[16], b2[4], L2[4], bound2[2] = {0, 0.1/1e4};
  for (int i = 0; i < 4; i++) {
    b2[i] = b[i]*unit[i];
    L2[i] = Lambda[i]/unit[i];
    for (int j = 0; j < 4; j++) G2[i*4 + j] = unit[i]*G[i*4 + j]*unit[j];
  }
  ss_contact_problem q = {
    .n_bilateral = 1, .n_contact = 2, .m = 4, .G = G2, .b = b2, .kind = kinds, .mu = mu, .bound = bound2};
  assert_true(fabs(ss_contact_residual(&q, L2)/before - 1) < 1e-13);
}

// A row with G_ii = 0 keeps xi = b whatever happens
static double unreachable(int n_bilateral, ss_contact_kind kind, double b0, double bound, double Lambda0)
{
  const ss_contact_kind kinds[2] = {kind, SS_CONTACT_NORMAL};
  const double G[4] = {0, 0, 0, 1}, b[2] = {b0, -1}, Lambda[2] = {Lambda0, 1}, mu[2] = {0, 0}, bounds[2] = {bound, 0};
  ss_contact_problem p = {.n_bilateral = n_bilateral, .n_contact = 2 - n_bilateral, .m = 2, .G = G, .b = b,
    .kind = kinds + n_bilateral, .mu = mu, .bound = bounds + n_bilateral};
  return ss_contact_residual(&p, Lambda);
}

static void test_rows_that_nothing_moves(void** state)
{
  (void)state;
  assert_true(unreachable(1, SS_CONTACT_NORMAL, 0, 0, 5) == 0);
  assert_true(unreachable(1, SS_CONTACT_NORMAL, 1e-9, 0, 0) == INFINITY);
  assert_true(unreachable(0, SS_CONTACT_NORMAL, 0, 0, 5) == 0);
  assert_true(unreachable(0, SS_CONTACT_NORMAL, 1, 0, 0) == 0);
  assert_true(unreachable(0, SS_CONTACT_NORMAL, 1, 0, 0.1) == 1);
  assert_true(unreachable(0, SS_CONTACT_NORMAL, 1, 0, -0.1) == 1);
  assert_true(unreachable(0, SS_CONTACT_NORMAL, -1e-9, 0, 3) == INFINITY);
  assert_true(unreachable(0, SS_CONTACT_FRICTION, 0, 2, 1) == 0);
  assert_true(unreachable(0, SS_CONTACT_FRICTION, 1, 2, -2) == 0);
  assert_true(unreachable(0, SS_CONTACT_FRICTION, 1, 2, -1) == 0.5);
  assert_true(unreachable(0, SS_CONTACT_FRICTION, 0, 2, 4) == 0.5);
  assert_true(unreachable(0, SS_CONTACT_FRICTION, 1, 0, 0) == 0);
}

static void test_nothing_to_do(void** state)
{
  (void)state;
  ss_contact_problem none = {0};
  assert_true(ss_contact_residual(&none, NULL) == 0);
  assert_true(block(0, 0, 0, 0) == 0);
  assert_true(block(0, 0, 1, 0) == INFINITY);  // an impulse out of nothing
}

static void test_broken_data_is_infinitely_wrong(void** state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int c = 0; c < 3; c++)
    for (int place = 0; place < 4 + 2 + 2 + 2; place++) {
      double G[4] = {0.5, 0.1, 0.1, 0.5}, b[2] = {-1, 0.5}, Lambda[2] = {2, -1}, limits[2] = {0.5, 0};
      double* all[] = {G, G + 1, G + 2, G + 3, b, b + 1, Lambda, Lambda + 1, limits, limits + 1};
      *all[place] = bad[c];
      ss_contact_problem p = {
        .n_contact = 1, .m = 2, .G = G, .b = b, .kind = &planar, .mu = limits, .bound = limits + 1};
      bool no_limit = place >= 8 && bad[c] == INFINITY;  // infinite friction is a law like any other
      if (!no_limit && ss_contact_residual(&p, Lambda) != INFINITY) fail_msg("place %d, %g: not seen", place, bad[c]);
    }
  const double G[4] = {0.5, 0, 0, -0.5}, b[2] = {-1, 0}, Lambda[2] = {2, 0};  // not semidefinite
  ss_contact_problem p = {.n_contact = 1, .m = 2, .G = G, .b = b, .kind = &planar, .mu = &half, .bound = &no_bound};
  assert_true(ss_contact_residual(&p, Lambda) == INFINITY);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_states_of_a_block),
    cmocka_unit_test(test_violations),
    cmocka_unit_test(test_friction_without_load),
    cmocka_unit_test(test_bilateral_and_frictionless),
    cmocka_unit_test(test_units_do_not_matter),
    cmocka_unit_test(test_rows_that_nothing_moves),
    cmocka_unit_test(test_nothing_to_do),
    cmocka_unit_test(test_broken_data_is_infinitely_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
