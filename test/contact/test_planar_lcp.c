// Planar contact problems with known answers.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

#define MOST 16

typedef struct answer {
  double Lambda[MOST], xi[MOST];
  ss_contact_state state[MOST];
  ss_contact_solution s;
  ss_status status;
} answer;

static void solve(const ss_contact_problem* p, answer* a)
{
  ss_lcp_def def = ss_lcp_def_default();
  ss_arena* arena = ss_arena_create(ss_contact_solve_size(p->n_bilateral, p->n_contact));
  assert_non_null(arena);
  memset(a, 0, sizeof *a);
  a->s = (ss_contact_solution){.Lambda = a->Lambda, .xi = a->xi, .state = a->state};
  a->status = ss_contact_solve(p, &def, arena, &a->s);
  assert_int_equal(ss_arena_mark(arena), 0);
  ss_arena_destroy(arena);
}

static void near(const char* what, double value, double expected)
{
  if (!(fabs(value - expected) <= 1e-14*fmax(1, fabs(expected)))) fail_msg("%s = %.16g, expected %.16g", what, value,
                                                                           expected);
}

// One contact with diag G: the four states in closed form
static void test_one_contact(void** state)
{
  (void)state;
  const double G[] = {2, 0, 0, 4}, mu = 0.5, bound = 0;
  ss_contact_kind kind = SS_CONTACT_PLANAR;
  const struct {
    double b[2], Lambda[2], xi[2];
    ss_contact_state state;
  } cases[] = {
    {{0.3, 1}, {0, 0}, {0.3, 1}, SS_OPEN},                // separates
    {{-2, 1}, {1, -0.25}, {0, 0}, SS_STICK},              // sticks: Lambda_T = -1/4, limit 1/2
    {{-2, 5}, {1, -0.5}, {0, 3}, SS_SLIP_POS},            // slides forward: xi_T = 5 - 4/2
    {{-2, -7}, {1, 0.5}, {0, -5}, SS_SLIP_NEG},           // slides backward
    {{-2, 0}, {1, 0}, {0, 0}, SS_STICK},                  // no tangential load
  };
  for (size_t i = 0; i < sizeof cases/sizeof *cases; i++) {
    ss_contact_problem p = {.n_contact = 1, .m = 2, .G = G, .b = cases[i].b, .kind = &kind, .mu = &mu, .bound = &bound};
    answer a;
    solve(&p, &a);
    assert_int_equal(a.status, SS_OK);
    assert_int_equal(a.state[0], cases[i].state);
    for (int k = 0; k < 2; k++) {
      near("Lambda", a.Lambda[k], cases[i].Lambda[k]);
      near("xi", a.xi[k], cases[i].xi[k]);
    }
    assert_true(a.s.residual <= 1e-15);
  }
}

// Coupled G (a rod): sliding reduces the normal impulse to -b_N/(G_NN - s mu G_NT), s the sense of sliding
static void test_coupled_slip(void** state)
{
  (void)state;
  const double G[] = {3, 1, 1, 2}, b[] = {-1, 4}, mu = 0.4, bound = 0;
  ss_contact_kind kind = SS_CONTACT_PLANAR;
  ss_contact_problem p = {.n_contact = 1, .m = 2, .G = G, .b = b, .kind = &kind, .mu = &mu, .bound = &bound};
  answer a;
  solve(&p, &a);
  assert_int_equal(a.status, SS_OK);
  assert_int_equal(a.state[0], SS_SLIP_POS);
  near("Lambda_N", a.Lambda[0], 1/(3 - 0.4));
  near("Lambda_T", a.Lambda[1], -0.4/(3 - 0.4));
}

// Painleve: G_NN < mu G_NT and approaching while sliding: no solution with Lambda_N from sliding; stick is found
// instead
static void test_painleve_sticks(void** state)
{
  (void)state;
  const double G[] = {1, 2, 2, 5}, b[] = {-1, 0.1}, mu = 0.9, bound = 0;
  ss_contact_kind kind = SS_CONTACT_PLANAR;
  ss_contact_problem p = {.n_contact = 1, .m = 2, .G = G, .b = b, .kind = &kind, .mu = &mu, .bound = &bound};
  answer a;
  solve(&p, &a);
  assert_int_equal(a.status, SS_OK);
  assert_int_equal(a.state[0], SS_STICK);  // Lambda = -G^-1 b = (5.2, -2.1), inside the cone
  near("Lambda_N", a.Lambda[0], 5.2);
  near("Lambda_T", a.Lambda[1], -2.1);
}

// Friction that does not depend on the normal load, without a gap and with one
static void test_bound(void** state)
{
  (void)state;
  const double G1[] = {2}, mu[] = {0, 0}, bound[] = {0.3, 0.3};
  ss_contact_kind friction = SS_CONTACT_FRICTION, planar = SS_CONTACT_PLANAR;
  answer a;
  for (int sign = -1; sign <= 1; sign += 2) {
    double b = sign*1.0;
    ss_contact_problem p = {.n_contact = 1, .m = 1, .G = G1, .b = &b, .kind = &friction, .mu = mu, .bound = bound};
    solve(&p, &a);
    assert_int_equal(a.status, SS_OK);
    near("sliding", a.Lambda[0], -0.3*sign);
    assert_int_equal(a.state[0], sign > 0 ? SS_SLIP_POS : SS_SLIP_NEG);
    b = sign*0.5;
    solve(&p, &a);
    near("sticking", a.Lambda[0], -0.25*sign);
    assert_int_equal(a.state[0], SS_STICK);
  }
  const double G2[] = {2, 0, 0, 2}, b[] = {-1, 5};
  ss_contact_problem p = {.n_contact = 1, .m = 2, .G = G2, .b = b, .kind = &planar, .mu = mu, .bound = bound};
  solve(&p, &a);
  assert_int_equal(a.state[0], SS_SLIP_POS);
  near("Lambda_N", a.Lambda[0], 0.5);
  near("Lambda_T", a.Lambda[1], -0.3);
}

// Frictionless kinds; mu = 0 leaves the tangential row free of impulse
static void test_frictionless(void** state)
{
  (void)state;
  const double G[] = {1, 0.5, 0, 0.5, 1, 0, 0, 0, 1}, b[] = {-1, 0.2, 3}, mu[] = {0, 0}, bound[] = {0, 0};
  const ss_contact_kind kind[] = {SS_CONTACT_NORMAL, SS_CONTACT_PLANAR};
  ss_contact_problem p = {.n_contact = 2, .m = 3, .G = G, .b = b, .kind = kind, .mu = mu, .bound = bound};
  answer a;
  solve(&p, &a);
  assert_int_equal(a.status, SS_OK);
  assert_int_equal(a.state[0], SS_CLOSED);
  assert_int_equal(a.state[1], SS_OPEN);
  near("Lambda", a.Lambda[0], 1);
  near("xi_N of the open one", a.xi[1], 0.7);
  near("Lambda_T", a.Lambda[2], 0);
}

// A bilateral row given twice: redundant, consistent; a contact beside it
static void test_bilateral(void** state)
{
  (void)state;
  // velocities (v1, v2), unit masses; v1 = 0 (twice), contact normal along v1 + v2, tangent v2 - v1
  const double W[4][2] = {{1, 0}, {1, 0}, {1, 1}, {-1, 1}}, v[2] = {0.5, -2};
  double G[16], b[4];
  for (int i = 0; i < 4; i++) {
    b[i] = W[i][0]*v[0] + W[i][1]*v[1];
    for (int j = 0; j < 4; j++) G[4*i + j] = W[i][0]*W[j][0] + W[i][1]*W[j][1];
  }
  const double mu = 0.25, bound = 0;
  ss_contact_kind kind = SS_CONTACT_PLANAR;
  ss_contact_problem p = {.n_bilateral = 2, .n_contact = 1, .m = 4, .G = G, .b = b, .kind = &kind, .mu = &mu,
                          .bound = &bound};
  answer a;
  solve(&p, &a);
  assert_int_equal(a.status, SS_OK);
  // with v1 = 0 both contact rows are v2: it must not fall, so v2 = 0 by normal impulse, and then nothing slides
  double v1 = v[0], v2 = v[1];
  for (int r = 0; r < 4; r++) {
    v1 += W[r][0]*a.Lambda[r];
    v2 += W[r][1]*a.Lambda[r];
  }
  near("v1", v1, 0);
  near("v2", v2, 0);
  assert_int_equal(a.state[0], SS_STICK);
}

static double random_number(unsigned* seed)
{
  *seed = *seed*1664525u + 1013904223u;
  return (*seed >> 8)/8388608.0 - 1;
}

// Random systems with k contacts and bilateral rows, more rows than degrees of freedom included
static void test_random(void** state)
{
  (void)state;
  unsigned seed = 7;
  for (int trial = 0; trial < 20000; trial++) {
    int nv = 2 + trial%5, nb = trial%3 == 0, k = 1 + trial%4, m = nb + 2*k;
    double W[MOST][8], v[8], G[MOST*MOST], b[MOST], mu[4], bound[4];
    ss_contact_kind kind[4];
    for (int j = 0; j < nv; j++) v[j] = random_number(&seed);
    for (int i = 0; i < m; i++) {
      b[i] = 0;
      for (int j = 0; j < nv; j++) {
        W[i][j] = random_number(&seed);
        b[i] += W[i][j]*v[j];
      }
    }
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) {
        G[i*m + j] = 0;
        for (int l = 0; l < nv; l++) G[i*m + j] += W[i][l]*W[j][l];
      }
    for (int i = 0; i < k; i++) {
      kind[i] = SS_CONTACT_PLANAR;
      mu[i] = 0.5*(1 + random_number(&seed));
      bound[i] = trial%7 == 0 ? 0.1 : 0;
    }
    ss_contact_problem p = {.n_bilateral = nb, .n_contact = k, .m = m, .G = G, .b = b, .kind = kind, .mu = mu,
                            .bound = bound};
    answer a;
    solve(&p, &a);
    if (a.status != SS_OK || a.s.residual > 1e-10)
      fail_msg("trial %d (nv %d, nb %d, k %d): %s, residual %g", trial, nv, nb, k, ss_status_text(a.status),
               a.s.residual);
  }
}

// Friction that could hold many times of what there is to hold, beside a contact that is about to part: the impulses
// are exact to the tolerance. (Below 1e-11 of a limit states are round-off.)
static void test_idle_friction(void** state)
{
  (void)state;
  unsigned seed = 5;
  const ss_contact_kind kind[] = {SS_CONTACT_NORMAL, SS_CONTACT_FRICTION, SS_CONTACT_PLANAR};
  const double mu[] = {0, 0, 0.5};
  for (int trial = 0; trial < 2000; trial++) {
    double W[4][4], G[16], b[4], bound[] = {0, pow(10, 2*random_number(&seed)), 0}, load = pow(10, -(trial % 8));
    for (int i = 0; i < 4; i++) {
      b[i] = load*random_number(&seed);
      for (int j = 0; j < 4; j++) W[i][j] = random_number(&seed) + (i == j ? 2 : 0);
    }
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        G[4*i + j] = 0;
        for (int l = 0; l < 4; l++) G[4*i + j] += W[i][l]*W[j][l];
      }
    ss_contact_problem p = {.n_contact = 3, .m = 4, .G = G, .b = b, .kind = kind, .mu = mu, .bound = bound};
    answer a;
    solve(&p, &a);
    if (a.status != SS_OK || !(a.s.residual <= 1e-8))
      fail_msg("trial %d: load %g, limit %g, %s, residual %g", trial, load, bound[1], ss_status_text(a.status),
               a.s.residual);
  }
}

static void test_bad_data(void** state)
{
  (void)state;
  const double G[] = {1, 0, 0, NAN}, b[] = {-1, 0}, mu = 0.1, bound = 0;
  ss_contact_kind kind = SS_CONTACT_PLANAR;
  ss_contact_problem p = {.n_contact = 1, .m = 2, .G = G, .b = b, .kind = &kind, .mu = &mu, .bound = &bound};
  answer a;
  solve(&p, &a);
  assert_int_equal(a.status, SS_ERR_NUMERIC);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_one_contact), cmocka_unit_test(test_coupled_slip), cmocka_unit_test(test_painleve_sticks),
    cmocka_unit_test(test_bound), cmocka_unit_test(test_frictionless), cmocka_unit_test(test_bilateral),
    cmocka_unit_test(test_random), cmocka_unit_test(test_idle_friction),
    cmocka_unit_test(test_bad_data)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
