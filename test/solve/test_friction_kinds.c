// Contacts of several kinds, bounds of friction, and bilateral rows: closed forms, an independent solver, both forms,
// every method, units.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/contact.h>
#include <stickslip/friction.h>
#include <string.h>
#include <cmocka.h>

enum { ROWS = 60, BODIES = 4, CONTACTS = 12 };

static double uniform(uint64_t* seed)
{
  *seed = *seed*6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11)/9007199254740992.0;
}

static double symmetric(uint64_t* seed) { return 2*uniform(seed) - 1; }

static ss_status solve(const ss_friction_problem* p, ss_friction_method method, double tol, double* Lambda, double* xi,
                       double* residual)
{
  ss_friction_def def = ss_friction_def_default();
  def.method = method;
  def.tol = tol;
  ss_error error;
  ss_friction_solver* solver = ss_friction_solver_create(p, &error);
  if (!solver) fail_msg("%s", error.text);
  ss_friction_solution s = {.Lambda = Lambda};
  ss_status status = ss_friction_solve(solver, &def, &s);
  ss_friction_solver_destroy(solver);
  assert_int_equal(ss_friction_residual(p, Lambda, xi, residual, NULL), SS_OK);
  if ((status == SS_OK) != (s.residual <= tol)) fail_msg("the status is not what the residual says");
  if (!(fabs(s.residual - *residual) <= 1e-9 + 1e-6**residual))  // their xi differ by round-off
    fail_msg("residual %g, claimed %g", *residual, s.residual);
  return status;
}

// ---- by hand ----

static void one_of_each_by_hand(void** state)
{
  (void)state;
  enum { N = SS_CONTACT_NORMAL, P = SS_CONTACT_PLANAR, F = SS_CONTACT_FRICTION, S = SS_CONTACT_SPATIAL };
  const struct { int kind, rows; double mu, bound, b[3], Lambda[3]; } row[] = {
    {N, 1, 0.7, 9, {-2}, {4}},                          // m = 2: stops, mu and bound mean nothing
    {N, 1, 0, 0, {2}, {0}},                             // leaves
    {F, 1, 0.7, 0.5, {2}, {-0.5}},                      // slides against its bound
    {F, 1, 0, 0.5, {-2}, {0.5}},                        //
    {F, 1, 0, 0.5, {0.2}, {-0.4}},                      // held
    {F, 1, 0.5, 0, {2}, {0}},                           // no friction at all
    {P, 2, 0.5, 0, {-2, 3}, {4, -2}},                   // slides
    {P, 2, 0.5, 0.3, {-2, 3}, {4, -2.3}},               // slides against mu Lambda_N + bound
    {P, 2, 0.5, 0.3, {-2, 1.1}, {4, -2.2}},             // sticks only because of the bound
    {P, 2, 0.5, 0.3, {1, 3}, {0, -0.3}},                // open, still held back by the bound
    {P, 2, 0, 0.3, {-2, 3}, {4, -0.3}},                 // bound alone
    {S, 3, 0.5, 0, {-2, 3, -4}, {4, -1.2, 1.6}},        // slides
    {S, 3, 0.5, 1, {-2, 3, -4}, {4, -1.8, 2.4}},        // slides against 0.5*4 + 1
    {S, 3, 0.5, 1, {1, 3, -4}, {0, -0.6, 0.8}},         // open
    {S, 3, 0.5, 1, {-2, 0.9, -1.2}, {4, -1.8, 2.4}},    // just sticks
  };
  double G[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
  for (size_t i = 0; i < sizeof row/sizeof *row; i++)
    for (int method = 0; method < SS_FRICTION_METHODS; method++)
      for (int dim = row[i].rows == 3 ? 3 : 2; dim <= 3; dim++) {
        int n = row[i].rows;
        ss_contact_kind kind = (ss_contact_kind)row[i].kind;
        double small[9], Lambda[3], residual;
        for (int r = 0; r < n; r++)
          for (int c = 0; c < n; c++) small[r*n + c] = G[r*3 + c];
        ss_friction_problem p = {.dim = dim, .n_contact = 1, .kind = &kind, .mu = &row[i].mu, .bound = &row[i].bound,
                                 .b = row[i].b};
        assert_int_equal(ss_sparse_from_dense(n, n, small, &p.G, NULL), SS_OK);
        assert_int_equal(ss_friction_rows(&p), n);
        ss_status status = solve(&p, (ss_friction_method)method, 1e-10, Lambda, NULL, &residual);
        if (status != SS_OK) fail_msg("row %zu by %s: %g", i, ss_friction_method_name((ss_friction_method)method),
                                      residual);
        for (int c = 0; c < n; c++) assert_true(fabs(Lambda[c] - row[i].Lambda[c]) < 1e-8);
        ss_sparse_free(&p.G);
      }
}

// A bead of mass 2 on a rod (bilateral row along y), pushed against a wall in x, twice held: the rows share the load
static void bilateral_by_hand(void** state)
{
  (void)state;
  double G[9] = {0.5, 0.5, 0, 0.5, 0.5, 0, 0, 0, 0.5}, b[3] = {3, 3, -1}, Lambda[3], xi[3], residual, mu = 0;
  ss_contact_kind kind = SS_CONTACT_NORMAL;
  ss_friction_problem p = {.n_bilateral = 2, .n_contact = 1, .kind = &kind, .mu = &mu, .b = b};
  assert_int_equal(ss_sparse_from_dense(3, 3, G, &p.G, NULL), SS_OK);
  for (int method = 0; method < SS_FRICTION_METHODS; method++) {
    assert_int_equal(solve(&p, (ss_friction_method)method, 1e-10, Lambda, xi, &residual), SS_OK);
    assert_true(fabs(Lambda[0] + Lambda[1] + 6) < 1e-8 && fabs(Lambda[2] - 2) < 1e-8);
    assert_true(fabs(xi[0]) < 1e-9 && fabs(xi[1]) < 1e-9);
  }
  double contradiction[3] = {3, 2, -1};  // the same row cannot be 3 and 2
  p.b = contradiction;
  for (int method = 0; method < SS_FRICTION_METHODS; method++) {
    assert_int_equal(solve(&p, (ss_friction_method)method, 1e-10, Lambda, xi, &residual), SS_NOT_CONVERGED);
    assert_true(residual >= 0.5/3 - 1e-12);  // the best that can be done
    assert_true(fabs(residual - fmax(fabs(xi[0]), fabs(xi[1]))/3) < 1e-9 || residual > 0.5/3);
  }
  ss_sparse_free(&p.G);
}

// ---- random problems ----

typedef struct random_problem {
  int rows, dofs;
  ss_contact_kind kind[CONTACTS];
  double mu[CONTACTS], bound[CONTACTS];
  double M[6*BODIES*6*BODIES], H[6*BODIES*ROWS], f[6*BODIES], w[ROWS];
  double G[ROWS*ROWS], b[ROWS];
  ss_friction_problem global, local;
} random_problem;

static void free_random(random_problem* r)
{
  ss_sparse_free(&r->global.M);
  ss_sparse_free(&r->global.H);
  ss_sparse_free(&r->local.G);
}

// Each row couples one or two bodies
static void random_row(random_problem* r, int row, int a, int b, int body, uint64_t* seed)
{
  for (int c = 0; c < body; c++) {
    r->H[(a*body + c)*r->rows + row] = symmetric(seed);
    if (b != a) r->H[(b*body + c)*r->rows + row] = symmetric(seed);
  }
}

// Bodies with random masses, `joint` bilateral rows (the last one twice, if redundant), contacts of random kinds; the
// free motion satisfies the bilateral rows, so that they agree with each other
static void make_random(random_problem* r, int dim, int joints, bool redundant, int contacts, double mu, uint64_t seed)
{
  int body = dim == 3 ? 6 : 3, n = body*BODIES, kinds = dim == 3 ? 4 : 3;
  memset(r, 0, sizeof *r);
  ss_friction_problem p = {.dim = dim, .n_bilateral = joints + redundant, .n_contact = contacts, .kind = r->kind,
                           .mu = r->mu, .bound = r->bound};
  for (int i = 0; i < contacts; i++) {
    r->kind[i] = (ss_contact_kind)(uniform(&seed)*kinds);
    r->mu[i] = uniform(&seed) < 0.2 ? 0 : mu*uniform(&seed);
    r->bound[i] = uniform(&seed) < 0.5 ? 0 : 0.5*uniform(&seed);
  }
  r->rows = ss_friction_rows(&p);
  r->dofs = n;
  assert_true(r->rows <= ROWS);
  for (int i = 0; i < n; i++) {
    r->M[i*n + i] = 0.5 + uniform(&seed);
    r->f[i] = symmetric(&seed);
  }
  int row = 0;
  for (; row < joints; row++) random_row(r, row, row%BODIES, (row + 1)%BODIES, body, &seed);
  if (redundant) {
    for (int i = 0; i < n; i++) r->H[i*r->rows + row] = 2*r->H[i*r->rows + row - 1];
    row++;
  }
  for (int i = 0; i < contacts; i++) {
    int a = (int)(uniform(&seed)*BODIES), b = (int)(uniform(&seed)*BODIES);
    for (int c = 0; c < ss_contact_rows(r->kind[i]); c++, row++) {
      random_row(r, row, a, b, body, &seed);
      r->w[row] = 0.3*symmetric(&seed);
    }
  }
  p.global = true;
  p.f = r->f;
  p.w = r->w;
  assert_int_equal(ss_sparse_from_dense(n, n, r->M, &p.M, NULL), SS_OK);
  assert_int_equal(ss_sparse_from_dense(n, r->rows, r->H, &p.H, NULL), SS_OK);
  r->global = p;
  assert_int_equal(ss_friction_dense(&p, r->G, r->b, NULL), SS_OK);
  r->local = p;
  r->local.global = false;
  r->local.b = r->b;
  assert_int_equal(ss_sparse_from_dense(r->rows, r->rows, r->G, &r->local.G, NULL), SS_OK);
}

// Lemke's method on the same planar problem
static ss_status by_lemke(const random_problem* r, double* xi)
{
  double Lambda[ROWS];
  ss_contact_state states[CONTACTS];
  ss_contact_problem p = {.n_bilateral = r->global.n_bilateral, .n_contact = r->global.n_contact, .m = r->rows,
                          .G = r->G, .b = r->b, .kind = r->kind, .mu = r->mu, .bound = r->bound};
  ss_contact_solution s = {.Lambda = Lambda, .xi = xi, .state = states};
  ss_lcp_def def = ss_lcp_def_default();
  def.tol = 1e-10;
  size_t bytes = ss_contact_solve_size(p.n_bilateral, p.n_contact);
  ss_arena* arena = ss_arena_create(bytes);
  ss_status status = ss_contact_solve(&p, &def, arena, &s);
  ss_arena_destroy(arena);
  return status;
}

static double difference(int n, const double* a, const double* b)
{
  double worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
  return worst;
}

static void planar_problems_agree_with_lemke(void** state)
{
  (void)state;
  static random_problem r;
  int compared = 0;
  for (uint64_t seed = 0; seed < 60; seed++) {
    double Lambda[ROWS], xi[ROWS], other[ROWS], residual;
    make_random(&r, 2, (int)(seed%5), seed%3 == 0 && seed%5 > 0, 1 + (int)(seed%CONTACTS), 0.4, seed + 1);
    if (by_lemke(&r, other) == SS_OK) {
      compared++;
      for (int form = 0; form < 2; form++) {
        const ss_friction_problem* p = form ? &r.global : &r.local;
        if (solve(p, SS_FRICTION_AUTO, 1e-10, Lambda, xi, &residual) != SS_OK)
          fail_msg("seed %d, form %d: %g", (int)seed, form, residual);
        if (!(difference(r.rows, xi, other) <= 1e-7))
          fail_msg("seed %d, form %d: xi differs by %g", (int)seed, form, difference(r.rows, xi, other));
      }
    }
    free_random(&r);
  }
  printf("  %d problems compared\n", compared);
  assert_true(compared > 50);
}

static void every_method_solves_every_kind(void** state)
{
  (void)state;
  static random_problem r;
  int solved[SS_FRICTION_METHODS] = {0}, count = 0;
  for (uint64_t seed = 0; seed < 40; seed++)
    for (int dim = 2; dim <= 3; dim++) {
      double Lambda[ROWS], first[ROWS], xi[ROWS], residual;
      make_random(&r, dim, (int)(seed%5), seed%3 == 0 && seed%5 > 0, (int)(seed%8), 0.3, seed + 100);
      for (int method = 0; method < SS_FRICTION_METHODS; method++)
        for (int form = 0; form < 2; form++, count += method == 0) {
          const ss_friction_problem* p = form ? &r.global : &r.local;
          ss_status status = solve(p, (ss_friction_method)method, 1e-9, Lambda, xi, &residual);
          if (status != SS_OK && method == SS_FRICTION_AUTO) fail_msg("dim %d, seed %d: %g", dim, (int)seed, residual);
          if (status != SS_OK) continue;
          solved[method]++;
          if (method == 0 && form == 0) memcpy(first, xi, sizeof xi);
          if (!(difference(r.rows, xi, first) <= 1e-6))
            fail_msg("dim %d, seed %d by %s: xi differs by %g", dim, (int)seed,
                     ss_friction_method_name((ss_friction_method)method), difference(r.rows, xi, first));
        }
      free_random(&r);
    }
  for (int method = 0; method < SS_FRICTION_METHODS; method++)
    printf("  %-7s %d of %d solved to 1e-9\n", ss_friction_method_name((ss_friction_method)method), solved[method],
           count);
  for (int method = 0; method < SS_FRICTION_METHODS; method++) assert_true(solved[method] >= count*9/10);
}

// Body 0 is held by a row for each of its coordinates, twice; contacts between it and the others, and contacts on it
// alone, which can neither move nor break
static void contacts_on_held_bodies(void** state)
{
  (void)state;
  static random_problem r;
  for (uint64_t seed = 0; seed < 20; seed++)
    for (int dim = 2; dim <= 3; dim++) {
      int body = dim == 3 ? 6 : 3, joints = 2*body, held = joints;  // rows that cannot move
      double Lambda[ROWS], xi[ROWS], residual;
      make_random(&r, dim, joints, false, 6, 0.3, seed + 500);
      for (int i = 0; i < 2; i++) held += ss_contact_rows(r.kind[i]);
      ss_sparse_free(&r.global.H);
      for (int i = 0; i < r.dofs; i++)
        for (int row = 0; row < r.rows; row++) {
          if (row < joints) r.H[i*r.rows + row] = i == row%body;
          else if (row < held && i >= body) r.H[i*r.rows + row] = 0;
          r.w[row] = 0;
        }
      assert_int_equal(ss_sparse_from_dense(r.dofs, r.rows, r.H, &r.global.H, NULL), SS_OK);
      for (int method = 0; method < SS_FRICTION_METHODS; method++) {
        ss_status status = solve(&r.global, (ss_friction_method)method, 1e-8, Lambda, xi, &residual);
        if (status != SS_OK)
          fail_msg("dim %d, seed %d by %s: %g", dim, (int)seed, ss_friction_method_name((ss_friction_method)method),
                   residual);
      }
      free_random(&r);
    }
}

// Other units of mass, length and time: M -> m M, f -> m l/t f, w -> l/t w, bounds as impulses
static void units_do_not_matter(void** state)
{
  (void)state;
  static random_problem r;
  const double factor[][3] = {{1e6, 1, 1}, {1e-6, 1, 1}, {1, 1e6, 1}, {1, 1e-6, 1}, {1, 1, 1e6}, {1, 1, 1e-6}};
  for (size_t n = 0; n < sizeof factor/sizeof *factor; n++)
    for (int dim = 2; dim <= 3; dim++) {
      double Lambda[ROWS], residual, mass = factor[n][0], speed = factor[n][1]/factor[n][2];
      make_random(&r, dim, 4, true, 6, 0.5, 77);
      for (int i = 0; i < r.global.M.start[r.dofs]; i++) ((double*)r.global.M.value)[i] *= mass;
      for (int i = 0; i < r.dofs; i++) r.f[i] *= mass*speed;
      for (int i = 0; i < r.rows; i++) r.w[i] *= speed;
      for (int i = 0; i < r.global.n_contact; i++) r.bound[i] *= mass*speed;
      for (int method = 0; method < SS_FRICTION_METHODS; method++)
        assert_int_equal(solve(&r.global, (ss_friction_method)method, 1e-9, Lambda, NULL, &residual), SS_OK);
      free_random(&r);
    }
}

static void wrong_kinds_are_refused(void** state)
{
  (void)state;
  double G[4] = {1, 0, 0, 1}, b[2] = {0}, mu = 0, bound = -1;
  ss_contact_kind kind = (ss_contact_kind)7;
  ss_error error;
  ss_friction_problem p = {.n_bilateral = 1, .n_contact = 1, .kind = &kind, .mu = &mu, .b = b};
  assert_int_equal(ss_sparse_from_dense(2, 2, G, &p.G, NULL), SS_OK);
  assert_int_equal(ss_friction_validate(&p, &error), SS_ERR_INPUT);
  kind = SS_CONTACT_NORMAL;
  assert_int_equal(ss_friction_validate(&p, &error), SS_OK);
  p.bound = &bound;
  assert_int_equal(ss_friction_validate(&p, &error), SS_ERR_INPUT);
  p.bound = NULL;
  p.n_bilateral = -1;
  assert_int_equal(ss_friction_validate(&p, &error), SS_ERR_INPUT);
  p.n_bilateral = 2;
  assert_int_equal(ss_friction_validate(&p, &error), SS_ERR_INPUT);
  ss_sparse_free(&p.G);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_of_each_by_hand),
    cmocka_unit_test(bilateral_by_hand),
    cmocka_unit_test(planar_problems_agree_with_lemke),
    cmocka_unit_test(every_method_solves_every_kind),
    cmocka_unit_test(contacts_on_held_bodies),
    cmocka_unit_test(units_do_not_matter),
    cmocka_unit_test(wrong_kinds_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
