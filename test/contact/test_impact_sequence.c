// Contacts that hit together, resolved one by one (SS_IMPACTS_SEQUENTIAL).
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

enum { MOST = 8, ROWS = 3*MOST };

typedef struct hit {
  ss_impact impact;
  double G[ROWS*ROWS], gamma[ROWS], mu[MOST], eps_n[MOST], eps_t[MOST];
  ss_contact_kind kind[MOST];
  double Lambda[ROWS], after[ROWS], Lambda_C[ROWS], Lambda_E[ROWS], gamma_C[ROWS];
  ss_contact_state state[MOST];
  ss_impact_solution s;
} hit;

static void near(double value, double expected, double tol)
{
  if (!(fabs(value - expected) <= tol)) fail_msg("%.15g, expected %.15g within %.3g", value, expected, tol);
}

static ss_status solve(hit* h, ss_impact_law law, bool limited)
{
  ss_impact_def def = ss_impact_def_default();
  def.law = law;
  def.order = SS_IMPACTS_SEQUENTIAL;
  def.energy_limited = limited;
  h->impact.G = h->G;
  h->impact.gamma = h->gamma;
  h->impact.mu = h->mu;
  h->impact.eps_n = h->eps_n;
  h->impact.eps_t = h->eps_t;
  h->impact.kind = h->kind;
  h->s = (ss_impact_solution){.Lambda = h->Lambda, .gamma_after = h->after, .Lambda_C = h->Lambda_C,
                              .Lambda_E = h->Lambda_E, .gamma_C = h->gamma_C, .state = h->state};
  ss_arena* arena = ss_arena_create(ss_impact_solve_size(h->impact.n_bilateral, h->impact.n_contact));
  assert_non_null(arena);
  ss_status st = ss_impact_solve(&h->impact, &def, arena, &h->s);
  ss_arena_destroy(arena);
  return st;
}

// n + 1 equal balls in a row that touch, the first with speed 1: gap i is x_i+1 - x_i
static hit row(int n, double e)
{
  hit h = {.impact = {.n_contact = n, .m = n}};
  for (int i = 0; i < n; i++) {
    h.kind[i] = SS_CONTACT_NORMAL;
    h.eps_n[i] = e;
    h.G[i*n + i] = 2;
    if (i > 0) h.G[i*n + i - 1] = h.G[(i - 1)*n + i] = -1;
  }
  h.gamma[0] = -1;
  return h;
}

// Newton's cradle: each ball hands its speed on
static void test_cradle(void** state)
{
  (void)state;
  for (int law = 0; law < SS_IMPACT_LAWS; law++) {
    hit h = row(5, 1);
    assert_int_equal(solve(&h, (ss_impact_law)law, false), SS_OK);
    for (int i = 0; i < 5; i++) near(h.after[i], i == 4 ? 1 : 0, 1e-14);
    for (int i = 0; i < 5; i++) near(h.Lambda[i], 1, 1e-14);
    assert_int_equal(h.s.hits, 5);
    near(h.s.energy, 0, 1e-14);
  }
}

// e = 0: hits never end, each takes half of what is left. The rest is one impact; all balls go on together.
static void test_endless(void** state)
{
  (void)state;
  hit h = row(5, 0);
  assert_int_equal(solve(&h, SS_IMPACT_NEWTON, false), SS_OK);
  for (int i = 0; i < 5; i++) near(h.after[i], 0, 1e-11);
  near(h.Lambda[0], 5.0/6, 1e-11);
  assert_true(h.s.hits <= 5001);
}

static uint64_t seed = 88172645463325252u;

static double random_number(void)  // in [-1, 1) [Marsaglia 2003]
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (double)(seed >> 11)/4503599627370496.0 - 1;
}

// Up to three contacts in the plane or in space, five velocities
static hit any(bool spatial)
{
  enum { DOF = 9 };
  int k = 1 + (int)(1.5*(random_number() + 1)), per = spatial ? 3 : 2, m = per*k;
  hit h = {.impact = {.n_contact = k, .m = m}};
  double W[ROWS][DOF], u[DOF];
  for (int d = 0; d < DOF; d++) u[d] = random_number();
  for (int r = 0; r < m; r++) {
    for (int d = 0; d < DOF; d++) W[r][d] = random_number();
    for (int d = 0; d < DOF; d++) h.gamma[r] += W[r][d]*u[d];
  }
  for (int r = 0; r < m; r++)
    for (int c = 0; c < m; c++)
      for (int d = 0; d < DOF; d++) h.G[r*m + c] += W[r][d]*W[c][d];
  for (int i = 0; i < k; i++) {
    h.kind[i] = spatial ? SS_CONTACT_SPATIAL : SS_CONTACT_PLANAR;
    h.mu[i] = fabs(random_number());
    h.eps_n[i] = fabs(random_number());
    h.eps_t[i] = fabs(random_number());
  }
  return h;
}

// Nothing approaches any more, the parts add up, and Poisson's law gains no energy whatever the coefficients: each hit
// is that of a single contact. Newton's law with the limit gains none either, and without it now and then.
static void test_random(void** state)
{
  (void)state;
  int gains = 0;
  for (int n = 0; n < 6000; n++) {
    hit h = any(n%4 == 3);
    ss_impact_law law = n%2 ? SS_IMPACT_POISSON : SS_IMPACT_NEWTON;
    bool limited = law == SS_IMPACT_NEWTON && n%8 > 3;
    ss_status st = solve(&h, law, limited);
    assert_int_equal(st, SS_OK);
    int m = h.impact.m, rows = m/h.impact.n_contact;
    for (int r = 0; r < m; r++) {
      double after = h.gamma[r];
      for (int c = 0; c < m; c++) after += h.G[r*m + c]*h.Lambda[c];
      near(h.after[r], after, 1e-12);
      near(h.Lambda[r], h.Lambda_C[r] + h.Lambda_E[r], 1e-12);
      if (r%rows == 0) assert_true(h.after[r] >= -1e-10 && h.Lambda[r] >= 0);
    }
    if (law == SS_IMPACT_POISSON || limited) assert_true(h.s.energy <= 1e-9);
    else gains += h.s.energy > 1e-6;
  }
  assert_true(gains > 0);
}

static void test_names(void** state)
{
  ss_impact_order order = SS_IMPACTS_SIMULTANEOUS;
  (void)state;
  assert_true(ss_impact_order_find("sequential", &order) && order == SS_IMPACTS_SEQUENTIAL);
  assert_false(ss_impact_order_find("both", &order));
  assert_false(ss_impact_order_find(NULL, &order));
  assert_string_equal(ss_impact_order_name(SS_IMPACTS_SIMULTANEOUS), "simultaneous");
  assert_null(ss_impact_order_name(SS_IMPACT_ORDERS));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cradle), cmocka_unit_test(test_endless),
                                     cmocka_unit_test(test_random), cmocka_unit_test(test_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
