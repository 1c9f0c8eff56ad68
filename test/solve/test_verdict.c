// What must never be called solved: wrong impulses at any coefficient of friction, numbers at the ends of the range of
// a double, impulses that are not finite. By the residuals and by the certificates of all contact problems.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stickslip/stickslip.h>
#include <string.h>
#include <cmocka.h>

static ss_friction_problem problem_of(int dim, int k, const double* G, const double* b, const double* mu)
{
  ss_friction_problem p = {.dim = dim, .n_contact = k, .mu = mu, .b = b};
  assert_int_equal(ss_sparse_from_dense(dim*k, dim*k, G, &p.G, NULL), SS_OK);
  return p;
}

// Both judges; NaN if they refuse
static void judge(const ss_friction_problem* p, const double* Lambda, double* residual, double* certified)
{
  *residual = *certified = NAN;
  ss_friction_residual(p, Lambda, NULL, residual, NULL);
  ss_friction_certify(p, Lambda, certified, NULL);
}

static void is_about(const char* what, double size, double value, double expected)
{
  if (!(fabs(value - expected) <= 1e-12*expected)) fail_msg("%s %g: %.17g, not %.17g", what, size, value, expected);
}

// A point mass that falls with 1 and glides with 0.3: no impulse leaves xi_N = -1, whatever mu. A third of what is
// needed leaves 2/3; friction where none is allowed counts by itself.
static void any_friction_coefficient(void** state)
{
  (void)state;
  const double mu[] = {0, 1e-9, 0.3, 1, 7, 1e3, 1e6, 1e9, 1e12, 1e100, 1e154, 1e160, 1e300, 1e308};
  for (int dim = 2; dim <= 3; dim++)
    for (size_t i = 0; i < sizeof mu/sizeof *mu; i++) {
      double G[9] = {0}, b[3] = {-1, 0.3, 0}, zero[3] = {0}, third[3] = {1.0/3, 0, 0}, r, c;
      for (int j = 0; j < dim; j++) G[j*dim + j] = 1;
      ss_friction_problem p = problem_of(dim, 1, G, b, &mu[i]);
      judge(&p, zero, &r, &c);
      is_about("mu", mu[i], r, 1);
      is_about("certified, mu", mu[i], c, 1);
      judge(&p, third, &r, &c);
      if (!(r >= 0.666 && c >= 0.666)) fail_msg("mu %g: %g, certified %g", mu[i], r, c);
      const double alone[3] = {0, 0.5, 0};
      judge(&p, alone, &r, &c);
      if (!(r >= 0.5 && c >= 0.5)) fail_msg("mu %g: friction without load is %g, certified %g", mu[i], r, c);
      ss_sparse_free(&p.G);
    }
}

// The answers, sticking and sliding, are answers for every mu too
static void answers_at_any_coefficient(void** state)
{
  (void)state;
  for (double mu = 1e-3; mu < 1e15; mu *= 10) {
    double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {-1, 3*mu, -4*mu}, slides[3] = {1, -0.6*mu, 0.8*mu}, r, c;
    ss_friction_problem p = problem_of(3, 1, G, b, &mu);
    judge(&p, slides, &r, &c);
    if (!(r <= 1e-15*(1 + mu) && c <= 1e-15*(1 + mu))) fail_msg("mu %g: %g, certified %g", mu, r, c);
    b[1] = 0.1*mu;
    b[2] = 0;
    const double sticks[3] = {1, -0.1*mu, 0};
    judge(&p, sticks, &r, &c);
    if (!(r <= 1e-15*(1 + mu) && c <= 1e-15*(1 + mu))) fail_msg("mu %g: %g, certified %g", mu, r, c);
    ss_sparse_free(&p.G);
  }
}

// G and b from 1e-300 to 1e300: no impulse violates by all of b
static void any_size(void** state)
{
  (void)state;
  for (int g = -300; g <= 300; g += 50)
    for (int s = -300; s <= 300; s += 50) {
      double a = pow(10, g), size = pow(10, s), mu = 0.5, r, c, zero[3] = {0};
      double G[9] = {a, 0, 0, 0, a, 0, 0, 0, a}, b[3] = {-size, 0.3*size, 0}, bound = 0;
      ss_friction_problem p = problem_of(3, 1, G, b, &mu);
      judge(&p, zero, &r, &c);
      is_about("G", a, r, 1);
      is_about("certified, G", a, c, 1);
      ss_sparse_free(&p.G);
      const ss_contact_kind normal = SS_CONTACT_NORMAL, spatial = SS_CONTACT_SPATIAL;
      ss_contact_problem q = {.n_contact = 1, .m = 1, .G = G, .b = b, .kind = &normal, .mu = &mu, .bound = &bound};
      is_about("contact G", a, ss_contact_residual(&q, zero), 1);
      is_about("contact, certified, G", a, ss_contact_certify(&q, zero), 1);
      is_about("dissipation G", a, ss_dissipation_residual(&q, NULL, zero), 1);
      q.m = 3;
      q.kind = &spatial;
      is_about("dissipation G", a, ss_dissipation_residual(&q, NULL, zero), 1);
      const double eps = 0;
      ss_impact impact = {.n_contact = 1, .m = 1, .G = G, .gamma = b, .kind = &normal, .mu = &mu, .eps_n = &eps,
                          .eps_t = &eps};
      ss_impact_def def = ss_impact_def_default();
      is_about("impact G", a, ss_impact_residual(&impact, &def, 1, zero, zero), 1);
    }
}

static bool is_no_number(double x) { return isnan(x) || isinf(x); }

// One impulse that is not finite, also where G does not see it
static void impulses_that_are_not_finite(void** state)
{
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY}, mu[2] = {0.5, 0.5}, bound[2] = {0.1, 0.1}, eps[2] = {0, 0};
  const ss_contact_kind kind[2] = {SS_CONTACT_PLANAR, SS_CONTACT_PLANAR};
  for (int zeros = 0; zeros < 2; zeros++)
    for (int at = 0; at < 5; at++)
      for (int k = 0; k < 3; k++) {
        double G[25] = {0}, b[5] = {0, 0, 0, 0, 0}, Lambda[5] = {0}, r, c;
        for (int i = 0; i < 5; i++) G[i*6] = zeros && i == at ? 0 : 1;
        b[(at + 1)%5] = at == 4 ? 0 : 1e-3;
        Lambda[at] = bad[k];
        ss_friction_problem p = {.dim = 2, .n_bilateral = 1, .n_contact = 2, .mu = mu, .b = b, .bound = bound};
        assert_int_equal(ss_sparse_from_dense(5, 5, G, &p.G, NULL), SS_OK);
        judge(&p, Lambda, &r, &c);
        if (!is_no_number(r) || !is_no_number(c)) fail_msg("impulse %d, %g: %g, certified %g", at, bad[k], r, c);
        ss_contact_problem q = {.n_bilateral = 1, .n_contact = 2, .m = 5, .G = G, .b = b, .kind = kind, .mu = mu,
                                .bound = bound};
        assert_true(is_no_number(ss_contact_residual(&q, Lambda)) && is_no_number(ss_contact_certify(&q, Lambda)));
        assert_true(is_no_number(ss_dissipation_residual(&q, NULL, Lambda)));
        ss_impact impact = {.n_bilateral = 1, .n_contact = 2, .m = 5, .G = G, .gamma = b, .kind = kind, .mu = mu,
                            .eps_n = eps, .eps_t = eps};
        ss_impact_def def = ss_impact_def_default();
        const double none[5] = {0};
        assert_true(is_no_number(ss_impact_residual(&impact, &def, 1, Lambda, none)));
        def.law = SS_IMPACT_POISSON;
        assert_true(is_no_number(ss_impact_residual(&impact, &def, 1, Lambda, none)));
        assert_true(is_no_number(ss_impact_residual(&impact, &def, 1, none, Lambda)));
        ss_sparse_free(&p.G);
      }
}

// Contacts whose b/sqrt(G_ii) lie beyond the range of a double, side by side with ordinary ones
static void references_that_overflow(void** state)
{
  (void)state;
  const ss_contact_kind kind[2] = {SS_CONTACT_NORMAL, SS_CONTACT_FRICTION};
  const double G[4] = {1e-220, 0, 0, 1e-220}, b[2] = {-1e200, 1}, mu[2] = {0, 0}, bound[2] = {0, 1}, zero[2] = {0};
  ss_contact_problem p = {.n_contact = 2, .m = 2, .G = G, .b = b, .kind = kind, .mu = mu, .bound = bound};
  is_about("contact", 1, ss_contact_residual(&p, zero), 1);
  is_about("certified", 1, ss_contact_certify(&p, zero), 1);
  is_about("dissipation", 1, ss_dissipation_residual(&p, NULL, zero), 1);
  const ss_contact_kind planar = SS_CONTACT_PLANAR;  // it slides: the limit of friction takes the place of b
  const double one[4] = {1e300, 0, 0, 1e300}, velocity[2] = {1, 0}, huge = 1e300;
  const int slide = 1;
  ss_contact_problem q = {.n_contact = 1, .m = 2, .G = one, .b = velocity, .kind = &planar, .mu = mu, .bound = &huge,
                          .slide = &slide};
  assert_false(ss_contact_residual(&q, zero) <= 0.5);
  assert_false(ss_contact_certify(&q, zero) <= 0.5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(any_friction_coefficient), cmocka_unit_test(answers_at_any_coefficient),
    cmocka_unit_test(any_size), cmocka_unit_test(impulses_that_are_not_finite),
    cmocka_unit_test(references_that_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
