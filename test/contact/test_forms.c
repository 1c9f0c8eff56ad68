// The forms of the planar problem: the same impulses, and slacks that mean nothing only where they should.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

static uint64_t seed = 1;

// Uniform in (-1, 1)
static double uniform(void)
{
  seed = seed*6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)seed/9223372036854775808.0;
}

enum { K = 3, M = 2*K, NV = 4 };

typedef struct problem {
  double G[M*M], b[M], mu[K], bound[K];
  ss_contact_kind kind[K];
  int slide[K];
  ss_contact_problem p;
} problem;

// k planar contacts of a system with nv unit masses: G = W^T W, b = W^T u or any
static void draw(problem* o, int k, int nv, double mu, bool impact)
{
  double W[M][NV], u[NV];
  int m = 2*k;
  memset(o, 0, sizeof *o);
  for (int j = 0; j < nv; j++) u[j] = uniform();
  for (int r = 0; r < m; r++) {
    o->b[r] = impact ? 0 : uniform();
    for (int j = 0; j < nv; j++) {
      W[r][j] = uniform();
      if (impact) o->b[r] += W[r][j]*u[j];
    }
  }
  for (int r = 0; r < m; r++)
    for (int s = 0; s < m; s++)
      for (int j = 0; j < nv; j++) o->G[r*m + s] += W[r][j]*W[s][j];
  for (int i = 0; i < k; i++) {
    o->kind[i] = SS_CONTACT_PLANAR;
    o->mu[i] = mu*fabs(uniform());
  }
  o->p = (ss_contact_problem){.n_contact = k, .m = m, .G = o->G, .b = o->b, .kind = o->kind, .mu = o->mu,
                              .bound = o->bound, .slide = o->slide};
}

static ss_lcp_solutions* list(const ss_contact_problem* p, ss_planar_form form)
{
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solutions* all = NULL;
  assert_int_equal(ss_planar_enumerate(p, form, &def, &all), SS_OK);
  return all;
}

static ss_contact_solutions* states(const ss_contact_problem* p)
{
  ss_lcp_def def = ss_lcp_def_default();
  ss_contact_solutions* all = NULL;
  assert_int_equal(ss_contact_enumerate(p, &def, &all), SS_OK);
  return all;
}

static bool near(int n, const double* a, const double* b)
{
  double size = 1;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i]));
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= 1e-6*size)) return false;
  return true;
}

// Ma's pendulum, theta = 45 degrees, mu = 1, lifted by F_y = m: separates without sliding
static void ma(problem* o)
{
  const double G[] = {2.5, -1.5, -1.5, 2.5};  // inverse of (1 + 3/2, 3/2; 3/2, 1 + 3/2)/4
  memset(o, 0, sizeof *o);
  memcpy(o->G, G, sizeof G);
  o->b[0] = 1;
  o->mu[0] = 1;
  o->kind[0] = SS_CONTACT_PLANAR;
  o->p = (ss_contact_problem){.n_contact = 1, .m = 2, .G = o->G, .b = o->b, .kind = o->kind, .mu = o->mu,
                              .bound = o->bound};
}

// In their variables x = (xi_N, xi_R, xi_L), y = (Lambda_N, Lambda_R, Lambda_L), halves of friction: infinitely many
// solutions (1, a, a), of which only a = 0 has xi_R xi_L = 0
static void test_ma(void** state)
{
  (void)state;
  const double A[] = {0.625, 0.375, -0.375, 0.5, 0.5, -0.5, 0.125, -0.125, 0.125}, b[] = {-0.625, -0.5, -0.125};
  ss_lcp lcp = {.n = 3, .A = A, .b = b};
  ss_lcp_def def = ss_lcp_def_default();
  ss_lcp_solutions* all = NULL;
  assert_int_equal(ss_lcp_enumerate(&lcp, &def, &all), SS_OK);
  assert_int_equal(all->count, SS_LCP_INFINITE);
  assert_int_equal(all->n_pieces, 1);
  assert_true(near(3, all->pieces[0].vertices, (const double[]){1, 0, 0}));
  assert_int_equal(all->pieces[0].n_rays, 1);
  assert_true(near(3, all->pieces[0].rays, (const double[]){0, 1, 1}));
  ss_lcp_solutions_destroy(all);

  problem o;
  ma(&o);
  all = list(&o.p, SS_PLANAR_SHORT);
  assert_int_equal(all->count, SS_LCP_INFINITE);  // x = (Lambda_N, Lambda_R, xi_L) = (0, 0, a)
  assert_int_equal(all->n_pieces, 1);
  assert_true(near(3, all->pieces[0].vertices, (const double[]){0, 0, 0}));
  assert_true(near(3, all->pieces[0].rays, (const double[]){0, 0, 1}));
  ss_lcp_solutions_destroy(all);

  all = list(&o.p, SS_PLANAR_ENHANCED);
  assert_int_equal(all->count, SS_LCP_FINITE);
  assert_int_equal(all->n_pieces, 1);
  assert_true(near(3, all->pieces[0].vertices, (const double[]){0, 0, 0}));
  ss_lcp_solutions_destroy(all);

  all = list(&o.p, SS_PLANAR_LONG);
  assert_int_equal(all->count, SS_LCP_INFINITE);  // k+ and k- are free
  ss_lcp_solutions_destroy(all);
}

static void test_names(void** state)
{
  (void)state;
  problem o;
  int contact, n;
  const char *x, *y;
  ma(&o);
  assert_int_equal(ss_planar_lcp(&o.p, SS_PLANAR_LONG, &n, NULL, NULL), SS_OK);
  assert_int_equal(n, 5);
  assert_int_equal(ss_planar_unknown(&o.p, SS_PLANAR_SHORT, 1, &contact, &x, &y), SS_OK);
  assert_int_equal(contact, 0);
  assert_string_equal(x, "Lambda_R");
  assert_string_equal(y, "xi_R");
  assert_int_equal(ss_planar_unknown(&o.p, SS_PLANAR_LONG, 4, &contact, &x, &y), SS_OK);
  assert_string_equal(x, "k-");
  assert_int_equal(ss_planar_unknown(&o.p, SS_PLANAR_SHORT, 3, &contact, &x, &y), SS_ERR_ARGUMENT);
  ss_planar_form form;
  assert_true(ss_planar_form_find("enhanced", &form) && form == SS_PLANAR_ENHANCED);
  assert_false(ss_planar_form_find("none", &form));
  assert_null(ss_planar_form_name(SS_PLANAR_FORMS));
}

// Lambda is an isolated solution of the list, or one of its families
static bool is_listed(const ss_contact_solutions* all, const double* Lambda)
{
  for (int k = 0; k < all->n_pieces; k++)
    for (int v = 0; v < all->pieces[k].n_vertices; v++)
      if (near(all->m, all->pieces[k].vertices + v*all->m, Lambda)) return true;
  return false;
}

// Every solution of the LCP is one by states and the other way round; G regular, so that all are isolated
static void agree(const problem* o, ss_planar_form form, long* solutions)
{
  ss_lcp_solutions* lcp = list(&o->p, form);
  ss_contact_solutions* all = states(&o->p);
  double Lambda[M];
  int m = o->p.m, n = lcp->n;
  assert_int_equal(lcp->count == SS_LCP_NONE, all->count == SS_LCP_NONE);
  for (int k = 0; k < lcp->n_pieces; k++)
    for (int v = 0; v < lcp->pieces[k].n_vertices; v++) {
      assert_int_equal(ss_planar_impulses(&o->p, form, lcp->pieces[k].vertices + v*n, Lambda), SS_OK);
      assert_true(is_listed(all, Lambda));
    }
  for (int k = 0; k < all->n_pieces; k++) {
    bool found = false;
    assert_int_equal(all->pieces[k].n_vertices, 1);
    for (int i = 0; i < lcp->n_pieces && !found; i++)
      for (int v = 0; v < lcp->pieces[i].n_vertices && !found; v++) {
        assert_int_equal(ss_planar_impulses(&o->p, form, lcp->pieces[i].vertices + v*n, Lambda), SS_OK);
        found = near(m, Lambda, all->pieces[k].vertices);
      }
    assert_true(found);
  }
  solutions[all->n_pieces < 5 ? all->n_pieces : 5]++;
  ss_lcp_solutions_destroy(lcp);
  ss_contact_solutions_destroy(all);
}

static void test_forms_agree_with_states(void** state)
{
  (void)state;
  problem o;
  long solutions[6] = {0};
  for (int i = 0; i < 1500; i++) {
    draw(&o, 1 + i%2, 4, 3, i%3 == 0);
    agree(&o, SS_PLANAR_SHORT, solutions);
    if (i%20 == 0) agree(&o, SS_PLANAR_ENHANCED, solutions);
    if (i%50 == 0 || o.p.n_contact == 1) agree(&o, SS_PLANAR_LONG, solutions);
  }
  assert_true(solutions[1] > 1000 && solutions[3] > 5 && solutions[2] + solutions[4] <= 5);  // odd, as a rule
  memset(solutions, 0, sizeof solutions);
  for (int i = 0; i < 500; i++) {
    draw(&o, 2, 4, 3, false);
    o.slide[0] = i%2 ? 1 : -1;
    if (i%3 == 0) o.slide[1] = 1;
    agree(&o, SS_PLANAR_SHORT, solutions);
  }
  assert_true(solutions[0] > 5 && solutions[1] > 100 && solutions[2] > 5);  // Painleve: none or two
}

// What the solver finds is in the list; in impacts both forms always find something
static void test_solvers_find_listed(void** state)
{
  (void)state;
  problem o;
  double Lambda[M], xi[M];
  ss_contact_state found[K];
  ss_contact_solution s = {.Lambda = Lambda, .xi = xi, .state = found};
  ss_lcp_def def = ss_lcp_def_default();
  ss_arena* arena = ss_arena_create(ss_contact_solve_size(0, K));
  for (int i = 0; i < 1000; i++) {
    draw(&o, 2, 4, 3, true);
    ss_contact_solutions* all = states(&o.p);
    assert_int_equal(ss_contact_solve(&o.p, &def, arena, &s), SS_OK);
    assert_true(is_listed(all, Lambda));
    assert_int_equal(ss_contact_solve_form(&o.p, SS_PLANAR_LONG, &def, arena, &s), SS_OK);
    assert_true(is_listed(all, Lambda));
    ss_contact_solutions_destroy(all);
  }
  // the textbook method, one covering vector and no second look: the short form may end on rays, the long one never
  def.attempts = 1;
  def.solver = SS_LCP_LEMKE;
  int rays = 0;
  for (int i = 0; i < 20000; i++) {
    draw(&o, 2, 4, 3, true);
    rays += ss_contact_solve_form(&o.p, SS_PLANAR_SHORT, &def, arena, &s) == SS_RAY;
    assert_int_equal(ss_contact_solve_form(&o.p, SS_PLANAR_LONG, &def, arena, &s), SS_OK);
    assert_int_equal(ss_contact_solve(&o.p, &def, arena, &s), SS_OK);
  }
  assert_true(rays > 0);
  // every solver of the table that says so has solved it
  for (int solver = 0; solver < SS_LCP_SOLVER_COUNT; solver++) {
    def = ss_lcp_def_default();
    def.solver = (ss_lcp_solver)solver;
    draw(&o, 2, 4, 0.5, true);
    if (ss_contact_solve(&o.p, &def, arena, &s) == SS_OK) assert_true(ss_contact_residual(&o.p, Lambda) <= def.tol);
    else assert_true(solver == SS_LCP_BLOCK_PIVOT || solver == SS_LCP_PGS);
  }
  ss_arena_destroy(arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ma),
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_forms_agree_with_states),
    cmocka_unit_test(test_solvers_find_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
