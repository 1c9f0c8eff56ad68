// Residuals with twice the digits: the true ones where double precision is wrong, the same ones where it is right.
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/stickslip.h>
#include <string.h>
#include <cmocka.h>

#include "solve/twofold.h"

static void near(const char* what, double value, double expected, double relative)
{
  if (!(fabs(value - expected) <= relative*fabs(expected)))
    fail_msg("%s = %.17g, expected %.17g", what, value, expected);
}

// (1/3 + 2/7) 21 = 13 and sqrt(2)^2 = 2, to more digits than a double has
static void arithmetic(void** state)
{
  (void)state;
  ss_twofold third = ss_tw_div(ss_tw(1), ss_tw(3)), part = ss_tw_div(ss_tw(2), ss_tw(7));
  ss_twofold rest = ss_tw_sub(ss_tw_mul(ss_tw_add(third, part), ss_tw(21)), ss_tw(13));
  assert_true(fabs(ss_tw_double(rest)) < 1e-29);
  ss_twofold root = ss_tw_sqrt(ss_tw(2));
  assert_true(fabs(ss_tw_double(ss_tw_sub(ss_tw_mul(root, root), ss_tw(2)))) < 1e-30);
  assert_true(ss_tw_double(ss_tw_sub(ss_tw_add(ss_tw(1e16), ss_tw(1)), ss_tw(1e16))) == 1);
  assert_true(ss_tw_less(ss_tw(1), ss_tw_add(ss_tw(1), ss_tw(1e-25))));
  assert_true(ss_tw_double(ss_tw_sqrt(ss_tw(0))) == 0);
}

// y_0 = 1e16 + 1 - 1e16 = 1, which a sum of doubles loses: the residual is 1/(2e16 + 1), not 0
static void lost_in_double(void** state)
{
  (void)state;
  const double A[] = {1, 1, -1, 0, 0, 0, 0, 0, 0}, b[3] = {0}, x[] = {1e16, 1, 1e16};
  const double lower[3] = {0}, upper[] = {INFINITY, INFINITY, INFINITY};
  ss_lcp lcp = {.n = 3, .A = A, .b = b};
  ss_mlcp mlcp = {.n = 3, .A = A, .b = b, .lower = lower, .upper = upper};
  assert_true(ss_lcp_residual(&lcp, x) == 0);
  near("LCP", ss_lcp_certify(&lcp, x), 1/2e16, 1e-15);
  near("MLCP", ss_mlcp_certify(&mlcp, x), 1/2e16, 1e-15);
  ss_sparse S;
  assert_int_equal(ss_sparse_from_dense(3, 3, A, &S, NULL), SS_OK);
  ss_lcp sparse = {.n = 3, .b = b, .S = &S};
  near("sparse LCP", ss_lcp_certify(&sparse, x), 1/2e16, 1e-15);
  ss_sparse_free(&S);
}

// Two frictionless contacts pressed against each other by 1e16: xi_0 = 1e16 - (1e16 - 2) - 1 = 1, xi_1 = 0 exactly
static void large_impulses(void** state)
{
  (void)state;
  const double G[] = {1, -1, -1, 1}, b[] = {-1, 2}, Lambda[] = {1e16, 1e16 - 2}, zero[2] = {0};
  const ss_contact_kind kind[] = {SS_CONTACT_NORMAL, SS_CONTACT_NORMAL};
  ss_contact_problem planar = {.n_contact = 2, .m = 2, .G = G, .b = b, .kind = kind, .mu = zero, .bound = zero};
  assert_true(fabs(ss_contact_residual(&planar, Lambda) - 0.5) > 0.1);
  near("planar", ss_contact_certify(&planar, Lambda), 0.5, 1e-15);
  ss_friction_problem p = {.dim = 2, .n_contact = 2, .kind = kind, .mu = zero, .b = b};
  assert_int_equal(ss_sparse_from_dense(2, 2, G, &p.G, NULL), SS_OK);
  double r;
  assert_int_equal(ss_friction_certify(&p, Lambda, &r, NULL), SS_OK);
  near("cone", r, 0.5, 1e-15);
  ss_sparse_free(&p.G);
}

static double choose(int n, int k)
{
  double c = 1;
  for (int i = 1; i <= k; i++) c = c*(n - k + i)/i;
  return round(c);
}

// M is the inverse of the Hilbert matrix, whole numbers with a condition of 1e10 (n = 8); so xi_i = sum_j 1/(i + j + 1)
// + w_i, and w makes it vanish up to its own rounding. Double precision sees about 1e-7.
static void ill_conditioned_mass(void** state)
{
  (void)state;
  enum { N = 8 };
  double M[N*N], H[N*N] = {0}, f[N] = {0}, w[N], mu[N] = {0}, Lambda[N];
  ss_contact_kind kind[N];
  for (int i = 0; i < N; i++) {
    long double sum = 0;
    for (int j = 0; j < N; j++) {
      M[i*N + j] = ((i + j)%2 ? -1 : 1)*(i + j + 1)*choose(N + i, N - j - 1)*choose(N + j, N - i - 1)*
                   choose(i + j, i)*choose(i + j, i);
      sum += 1.0L/(i + j + 1);
    }
    H[i*N + i] = Lambda[i] = 1;
    w[i] = (double)-sum;
    kind[i] = SS_CONTACT_NORMAL;
  }
  ss_friction_problem p = {.dim = 2, .n_contact = N, .kind = kind, .mu = mu, .global = true, .f = f, .w = w};
  assert_int_equal(ss_sparse_from_dense(N, N, M, &p.M, NULL), SS_OK);
  assert_int_equal(ss_sparse_from_dense(N, N, H, &p.H, NULL), SS_OK);
  double r = 0, in_double = 0;
  ss_error error;
  if (ss_friction_certify(&p, Lambda, &r, &error) < 0) fail_msg("%s", error.text);
  assert_int_equal(ss_friction_residual(&p, Lambda, NULL, &in_double, NULL), SS_OK);
  if (!(r < 2e-16 && in_double > 1e-11)) fail_msg("certified %g, in double %g", r, in_double);
  ss_sparse_free(&p.M);
  const double singular[] = {1, 1, 1, 1}, H2[] = {1, 0, 0, 1};
  p.n_contact = 2;
  ss_sparse_free(&p.H);
  assert_int_equal(ss_sparse_from_dense(2, 2, singular, &p.M, NULL), SS_OK);
  assert_int_equal(ss_sparse_from_dense(2, 2, H2, &p.H, NULL), SS_OK);
  assert_int_equal(ss_friction_certify(&p, Lambda, &r, &error), SS_ERR_NUMERIC);
  ss_sparse_free(&p.M);
  ss_sparse_free(&p.H);
}

// ---- agreement ----

static double uniform(uint64_t* seed)
{
  *seed = *seed*6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11)*0x1p-53;
}

// Points of all sorts: random ones, with zeros, negative ones
static void make_point(double* x, int n, int sort, uint64_t* seed)
{
  for (int i = 0; i < n; i++) {
    x[i] = uniform(seed)*(i%3 ? 1 : 1e-6);
    if (sort == 1 && uniform(seed) < 0.5) x[i] = 0;
    if (sort == 2 && uniform(seed) < 0.2) x[i] = -x[i];
  }
}

static void compare(const char* name, double found, double expected)
{
  if (isinf(found) && isinf(expected)) return;
  near(name, found, expected, 1e-9);
}

static void compare_contact(const char* name, ss_friction_problem* p, const double* Lambda, double kappa)
{
  double r, expected;
  p->kappa = kappa;
  assert_int_equal(ss_friction_certify(p, Lambda, &r, NULL), SS_OK);
  assert_int_equal(ss_friction_residual(p, Lambda, NULL, &expected, NULL), SS_OK);
  compare(name, r, expected);
}

static void check_file(const char* path, const char* name)
{
  ss_problem* p = ss_problem_load(path, NULL);
  if (!p) return;  // the answers
  int n = p->type == SS_PROBLEM_LCP ? p->lcp.n : p->type == SS_PROBLEM_MLCP ? p->mlcp.n : ss_friction_rows(&p->contact);
  double* x = malloc(((size_t)n + 1)*sizeof *x);
  uint64_t seed = 7;
  for (int sort = 0; sort < 3; sort++) {
    make_point(x, n, sort, &seed);
    if (p->type == SS_PROBLEM_LCP) compare(name, ss_lcp_certify(&p->lcp, x), ss_lcp_residual(&p->lcp, x));
    else if (p->type == SS_PROBLEM_MLCP) compare(name, ss_mlcp_certify(&p->mlcp, x), ss_mlcp_residual(&p->mlcp, x));
    else {
      compare_contact(name, &p->contact, x, 0);
      compare_contact(name, &p->contact, x, 0.1);
    }
  }
  free(x);
  ss_problem_destroy(p);
}

static void data_set(void** state)
{
  (void)state;
  const char* const folders[] = {"lcp", "mlcp", "contact"};
  int files = 0;
  for (int k = 0; k < 3; k++) {
    char folder[512], path[1024];
    snprintf(folder, sizeof folder, "%s/test/data/%s", SS_SOURCE_DIR, folders[k]);
    DIR* list = opendir(folder);
    assert_non_null(list);
    for (struct dirent* e; (e = readdir(list));) {
      if (e->d_name[0] == '.') continue;
      snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
      check_file(path, e->d_name);
      files++;
    }
    closedir(list);
  }
  assert_true(files > 50);
}

// All kinds, bounds, bilateral rows, rows that nothing moves
static void all_kinds(void** state)
{
  (void)state;
  enum { K = 4, M = 2 + 1 + 2 + 1 + 3 };
  const ss_contact_kind kind[K] = {SS_CONTACT_NORMAL, SS_CONTACT_PLANAR, SS_CONTACT_FRICTION, SS_CONTACT_SPATIAL};
  const double mu[K] = {0, 0.4, 0, 0.7}, bound[K] = {0, 0.1, 0.3, 0.2};
  uint64_t seed = 3;
  for (int trial = 0; trial < 200; trial++) {
    double L[M*M], G[M*M], b[M], Lambda[M];
    for (int i = 0; i < M*M; i++) L[i] = uniform(&seed) - 0.5;
    for (int i = 0; i < M; i++) {
      for (int j = 0; j < M; j++) {
        G[i*M + j] = 0;
        for (int k = 0; k < M; k++) G[i*M + j] += L[i*M + k]*L[j*M + k];
      }
      b[i] = uniform(&seed) - 0.5;
      Lambda[i] = trial%3 ? uniform(&seed) - 0.2 : uniform(&seed);
    }
    for (int j = 0; trial%5 == 0 && j < M; j++) G[2*M + j] = G[j*M + 2] = G[5*M + j] = G[j*M + 5] = 0;
    ss_friction_problem p = {.dim = 3, .n_bilateral = 2, .n_contact = K, .kind = kind, .mu = mu,
                             .bound = bound, .b = b};
    assert_int_equal(ss_sparse_from_dense(M, M, G, &p.G, NULL), SS_OK);
    compare_contact("all kinds", &p, Lambda, trial%2 ? 0.01 : 0);
    ss_sparse_free(&p.G);
    int planar = M - 3;  // without the spatial contact
    double G2[M*M];
    for (int i = 0; i < planar; i++) memcpy(G2 + i*planar, G + i*M, sizeof(double)*(size_t)planar);
    const int slide[3] = {0, 1, -1};
    ss_contact_problem q = {.n_bilateral = 2, .n_contact = 3, .m = planar, .G = G2, .b = b, .kind = kind, .mu = mu,
                            .bound = bound, .slide = trial%4 ? NULL : slide};
    compare("planar", ss_contact_certify(&q, Lambda), ss_contact_residual(&q, Lambda));
  }
}

static void what_is_not_finite(void** state)
{
  (void)state;
  const double A[] = {1e308, 1e308, 1, 1}, b[] = {-1, -1}, x[] = {2, 2}, nan_x[] = {NAN, 1};
  ss_lcp lcp = {.n = 2, .A = A, .b = b};
  assert_true(isinf(ss_lcp_certify(&lcp, x)));
  assert_true(isinf(ss_lcp_certify(&lcp, nan_x)));
  const ss_contact_kind kind[] = {SS_CONTACT_PLANAR};
  const double mu[] = {1}, bound[] = {0};
  ss_contact_problem p = {.n_contact = 1, .m = 2, .G = A, .b = b, .kind = kind, .mu = mu, .bound = bound};
  assert_true(isinf(ss_contact_certify(&p, x)) && isinf(ss_contact_certify(&p, nan_x)));
  ss_lcp empty = {.n = 0};
  assert_true(ss_lcp_certify(&empty, x) == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(arithmetic), cmocka_unit_test(lost_in_double), cmocka_unit_test(large_impulses),
    cmocka_unit_test(ill_conditioned_mass), cmocka_unit_test(data_set), cmocka_unit_test(all_kinds),
    cmocka_unit_test(what_is_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
