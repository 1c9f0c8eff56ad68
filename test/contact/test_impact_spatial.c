// Impacts in space by Newton's and Poisson's law: spheres and blocks in closed form, the plane, energies.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <stickslip/impact.h>

enum { MOST = 16, K = 5 };

typedef struct fixture {
  ss_impact p;
  double G[MOST*MOST], before[MOST], mu[K], eps_n[K], eps_t[K], nu[K];
  ss_contact_kind kind[K];
  double Lambda[MOST], after[MOST], Lambda_C[MOST], gamma_C[MOST], Lambda_E[MOST];
  ss_contact_state state[K];
  ss_impact_solution s;
} fixture;

static ss_impact_def law(ss_impact_law l)
{
  ss_impact_def def = ss_impact_def_default();
  def.law = l;
  return def;
}

static ss_status solve(fixture* f, const ss_impact_def* def)
{
  ss_impact* p = &f->p;
  p->G = f->G;
  p->gamma = f->before;
  p->kind = f->kind;
  p->mu = f->mu;
  p->eps_n = f->eps_n;
  p->eps_t = f->eps_t;
  p->nu = f->nu;
  f->s = (ss_impact_solution){.Lambda = f->Lambda, .gamma_after = f->after, .Lambda_C = f->Lambda_C,
                              .gamma_C = f->gamma_C, .Lambda_E = f->Lambda_E, .state = f->state};
  ss_arena* arena = ss_arena_create(ss_impact_solve_size(p->n_bilateral, p->n_contact));
  assert_non_null(arena);
  ss_status st = ss_impact_solve(p, def, arena, &f->s);
  assert_int_equal(ss_arena_mark(arena), 0);
  ss_arena_destroy(arena);
  return st;
}

static void near(const double* value, double x, double y, double z)
{
  const double wanted[3] = {x, y, z};
  for (int i = 0; i < 3; i++)
    if (!(fabs(value[i] - wanted[i]) <= 1e-9)) fail_msg("[%d] is %.12g instead of %.12g", i, value[i], wanted[i]);
}

// A homogeneous sphere with the mass 2: G = diag(1, 7/2, 7/2)/m
static fixture sphere(double mu, double eps_n, double eps_t, double N, double T1, double T2)
{
  fixture f = {.p = {.n_contact = 1, .m = 3}, .kind = {SS_CONTACT_SPATIAL}, .mu = {mu}, .eps_n = {eps_n},
               .eps_t = {eps_t}, .before = {N, T1, T2}};
  f.G[0] = 0.5;
  f.G[4] = f.G[8] = 1.75;
  return f;
}

static void test_newton(void** state)
{
  (void)state;
  ss_impact_def def = law(SS_IMPACT_NEWTON);
  fixture f = sphere(0.1, 0.5, 0, -1, 3, -4);  // slides: |Lambda_T| = mu (1 + eps) m v
  assert_int_equal(solve(&f, &def), SS_OK);
  near(f.Lambda, 3, -0.3*0.6, 0.3*0.8);
  near(f.after, 0.5, 3 - 1.75*0.18, -4 + 1.75*0.24);
  f = sphere(5, 0.5, 0.3, -1, 3, -4);  // sticks, and is thrown back
  assert_int_equal(solve(&f, &def), SS_OK);
  near(f.after, 0.5, -0.9, 1.2);
  f = sphere(0.1, 0, 0, -1, 3, -4);
  assert_int_equal(solve(&f, &def), SS_OK);
  assert_int_equal(f.state[0], SS_SLIP);
  f = sphere(5, 0, 0, -1, 3, -4);
  assert_int_equal(solve(&f, &def), SS_OK);
  assert_int_equal(f.state[0], SS_STICK);
}

static void test_poisson(void** state)
{
  (void)state;
  ss_impact_def def = law(SS_IMPACT_POISSON);
  fixture f = sphere(0.1, 0.5, 0, -1, 3, -4);  // slides in both phases
  assert_int_equal(solve(&f, &def), SS_OK);
  near(f.Lambda_C, 2, -0.2*0.6, 0.2*0.8);
  near(f.Lambda_E, 1, -0.1*0.6, 0.1*0.8);
  near(f.after, 0.5, 3 - 1.75*0.18, -4 + 1.75*0.24);
  f = sphere(2, 0.5, 0, -1, 3, -4);  // sticks at once: the expansion has nothing to brake
  assert_int_equal(solve(&f, &def), SS_OK);
  near(f.gamma_C, 0, 0, 0);
  near(f.Lambda_E, 1, 0, 0);
  near(f.after, 0.5, 0, 0);
  f = sphere(1, 0.5, 0, -1, 3, -4);  // slides in the compression (5 - 3.5), stops in the expansion (1.5 < 1.75)
  assert_int_equal(solve(&f, &def), SS_OK);
  near(f.gamma_C, 0, 0.9, -1.2);
  near(f.after, 0.5, 0, 0);
  assert_true(f.s.energy < 0 && f.s.residual <= 1e-8);
}

// A cube with the mass 4, half edges 1 and inertia 8/3 falls flat on four feet: twelve rows, rank six. All feet share
// the load alike, by symmetry, and so does the solution of least norm.
static void test_redundant_feet(void** state)
{
  (void)state;
  ss_impact_def def = law(SS_IMPACT_POISSON);
  fixture f = {.p = {.n_contact = 4, .m = 12}};
  double W[12][6] = {{0}};
  for (int c = 0; c < 4; c++) {
    double x = c%2 ? 1 : -1, y = c/2 ? 1 : -1, z = -1, J = 1/sqrt(8.0/3);
    const double rows[3][6] = {{0, 0, 0.5, y*J, -x*J, 0}, {0.5, 0, 0, 0, z*J, -y*J}, {0, 0.5, 0, -z*J, 0, x*J}};
    memcpy(W[3*c], rows, sizeof rows);
    f.kind[c] = SS_CONTACT_SPATIAL;
    f.mu[c] = 0.5;
    f.eps_n[c] = 0.5;
    f.before[3*c] = -1;
  }
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++)
      for (int d = 0; d < 6; d++) f.G[i*12 + j] += W[i][d]*W[j][d];
  assert_int_equal(solve(&f, &def), SS_OK);
  assert_false(f.s.unique);
  for (int c = 0; c < 4; c++) {
    near(f.Lambda_C + 3*c, 1, 0, 0);
    near(f.after + 3*c, 0.5, 0, 0);
  }
  for (int c = 0; c < 4; c++) f.before[3*c + 1] = 10;  // sliding: friction tilts, and the front feet press more
  assert_int_equal(solve(&f, &def), SS_OK);
  assert_true(f.s.residual <= 1e-8 && f.s.energy < 0);
}

// ---- random impacts ----

static double random_number(void)  // in [-1, 1), the same on every machine
{
  static uint64_t x = 88172645463325252u;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return (double)(x >> 11)*0x1p-52 - 1;
}

// k spatial contacts and nb bilateral rows of dof unit masses, fewer than rows: redundant. Bilateral rows need not hold
// before. planar: T2 rows are empty. One eps_n for all.
static void draw(fixture* f, int dof, int nb, int k, bool planar)
{
  double W[MOST][MOST], u[MOST], eps = fabs(random_number());
  *f = (fixture){.p = {.n_bilateral = nb, .n_contact = k, .m = nb + 3*k}};
  for (int d = 0; d < dof; d++) u[d] = random_number();
  for (int i = 0; i < f->p.m; i++) {
    bool empty = planar && i >= nb && (i - nb)%3 == 2;
    for (int d = 0; d < dof; d++) {
      W[i][d] = empty ? 0 : random_number();
      f->before[i] += W[i][d]*u[d];
    }
  }
  for (int i = 0; i < f->p.m; i++)
    for (int j = 0; j < f->p.m; j++)
      for (int d = 0; d < dof; d++) f->G[i*f->p.m + j] += W[i][d]*W[j][d];
  for (int c = 0; c < k; c++) {
    f->kind[c] = SS_CONTACT_SPATIAL;
    f->mu[c] = fabs(random_number());
    f->eps_n[c] = eps;
    f->eps_t[c] = fabs(random_number());
  }
}

// Lambda_E.gamma_E <= eps Lambda_C.gamma_E (docs/impacts.md): with one eps_n Poisson's law never gains energy, nor does
// Newton's with one eps for both directions
static void test_dissipation(void** state)
{
  (void)state;
  fixture f;
  for (int n = 0; n < 2000; n++) {
    ss_impact_def def = law(n%2 ? SS_IMPACT_POISSON : SS_IMPACT_NEWTON);
    draw(&f, n%2 ? 9 : 14, n%3, 1 + n%4, false);
    for (int c = 0; c < f.p.n_contact && !(n%2); c++) f.eps_t[c] = f.eps_n[c];
    ss_status st = solve(&f, &def);
    if (st != SS_OK) fail_msg("impact %d: status %d, residual %g", n, st, f.s.residual);
    bool approaching = true;  // Newton's claim is about contacts that all hit: b = (1 + eps) gamma
    for (int c = 0; c < f.p.n_contact; c++) approaching = approaching && f.before[f.p.n_bilateral + 3*c] <= 0;
    if ((n%2 || approaching) && !(f.s.energy <= 1e-8)) fail_msg("impact %d gains %g J", n, f.s.energy);
    for (int c = 0; c < f.p.n_contact; c++) assert_true(f.after[f.p.n_bilateral + 3*c] >= -1e-6);
  }
}

// Rows T2 that nothing moves: the impact in the plane
static void test_plane(void** state)
{
  (void)state;
  for (int n = 0; n < 300; n++) {
    ss_impact_def def = law(n%2 ? SS_IMPACT_POISSON : SS_IMPACT_NEWTON);
    fixture f, g;
    draw(&f, 9, 0, 1, true);
    g = f;
    assert_int_equal(solve(&f, &def), SS_OK);
    g.p.m = 2;
    g.kind[0] = SS_CONTACT_PLANAR;
    g.G[2] = f.G[3];
    g.G[3] = f.G[4];
    assert_int_equal(solve(&g, &def), SS_OK);
    near(f.Lambda, g.Lambda[0], g.Lambda[1], 0);
    near(f.after, g.after[0], g.after[1], 0);
    assert_true(fabs(f.s.energy - g.s.energy) <= 1e-8);
  }
}

static void test_refused(void** state)
{
  (void)state;
  ss_impact_def def = law(SS_IMPACT_POISSON);
  ss_contact_solutions* all;
  fixture f = sphere(1, 0.5, 0.5, -1, 3, -4);
  f.nu[0] = 0.5;
  assert_int_equal(solve(&f, &def), SS_ERR_ARGUMENT);  // reversibility is a law of the plane
  def.recoil = SS_RECOIL_NONE;
  assert_int_equal(solve(&f, &def), SS_OK);
  assert_int_equal(ss_impact_enumerate(&f.p, &def, &all), SS_ERR_ARGUMENT);
  def = law(SS_IMPACT_NEWTON);
  assert_int_equal(solve(&f, &def), SS_OK);
  f.mu[0] = -1;
  assert_int_equal(solve(&f, &def), SS_ERR_ARGUMENT);
  f.mu[0] = 1;
  def.friction.tol = 0;
  assert_int_equal(solve(&f, &def), SS_ERR_ARGUMENT);
}

// Wrong impulses are seen
static void test_residual(void** state)
{
  (void)state;
  ss_impact_def def = law(SS_IMPACT_POISSON);
  fixture f = sphere(0.1, 0.5, 0, -1, 3, -4);
  assert_int_equal(solve(&f, &def), SS_OK);
  for (int i = 0; i < 3; i++) {
    f.Lambda_E[i] += 0.01;
    assert_true(ss_impact_residual(&f.p, &def, 1, f.Lambda_C, f.Lambda_E) > 1e-4);
    f.Lambda_E[i] -= 0.01;
    f.Lambda_C[i] += 0.01;
    assert_true(ss_impact_residual(&f.p, &def, 1, f.Lambda_C, f.Lambda_E) > 1e-4);
    f.Lambda_C[i] -= 0.01;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_newton),
    cmocka_unit_test(test_poisson),
    cmocka_unit_test(test_redundant_feet),
    cmocka_unit_test(test_dissipation),
    cmocka_unit_test(test_plane),
    cmocka_unit_test(test_refused),
    cmocka_unit_test(test_residual),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
