// Impacts with known outcomes: rods, balls and blocks in closed form, Newton's and Poisson's law, energies.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

#define MOST 8

typedef struct outcome {
  double Lambda[MOST], gamma[MOST], Lambda_C[MOST], gamma_C[MOST], Lambda_E[MOST];
  ss_contact_state state[MOST];
  ss_impact_solution s;
  ss_status status;
} outcome;

static void solve(const ss_impact* p, const ss_impact_def* def, outcome* o)
{
  ss_arena* arena = ss_arena_create(ss_impact_solve_size(p->n_bilateral, p->n_contact));
  assert_non_null(arena);
  memset(o, 0, sizeof *o);
  o->s = (ss_impact_solution){.Lambda = o->Lambda, .gamma_after = o->gamma, .Lambda_C = o->Lambda_C,
                              .gamma_C = o->gamma_C, .Lambda_E = o->Lambda_E, .state = o->state};
  o->status = ss_impact_solve(p, def, arena, &o->s);
  assert_int_equal(ss_arena_mark(arena), 0);
  ss_arena_destroy(arena);
}

static ss_impact_def law(ss_impact_law l)
{
  ss_impact_def def = ss_impact_def_default();
  def.law = l;
  return def;
}

static void near(const char* what, int k, double value, double expected)
{
  if (!(fabs(value - expected) <= 1e-9)) fail_msg("%s[%d] = %.12g, expected %.12g", what, k, value, expected);
}

static void all_near(const char* what, int n, const double* value, const double* expected)
{
  for (int k = 0; k < n; k++) near(what, k, value[k], expected[k]);
}

// G of a rod with m = 1, J = 1/3 that touches a floor at (-0.6, -0.8) from its centre, and of a ball with m = R = 1
static const double G_rod[] = {2.08, -1.44, -1.44, 2.92}, G_ball[] = {1, 0, 0, 3.5};

// One planar contact
static ss_impact one(const double* G, const double* gamma, const double* mu, const double* eps_n, const double* eps_t,
                     const double* nu)
{
  static const ss_contact_kind kind = SS_CONTACT_PLANAR;
  return (ss_impact){.n_contact = 1, .m = 2, .G = G, .gamma = gamma, .kind = &kind, .mu = mu, .eps_n = eps_n,
                     .eps_t = eps_t, .nu = nu};
}

// NAN: not stated
typedef struct single {
  const char* name;
  const double* G;
  double gamma[2], mu, eps_n, eps_t, nu;
  double Lambda_C[2], gamma_C[2], Lambda_E[2], gamma_E[2], energy_P;  // Poisson
  double Lambda[2], gamma_N[2], energy_N;                             // Newton
} single;

#define ANY {NAN, NAN}

static const single singles[] = {
  {"ball, sticks, superball", G_ball, {-2, 1}, 0.5, 0.9, 0.8, 1,
   {2, -0.2857142857142857}, {0, 0}, {1.8, -0.2057142857142857}, {1.8, -0.72}, -0.4488,
   {3.8, -0.5142857142857143}, {1.8, -0.8}, -0.4314285714285714},
  {"ball, slides, then recoils", G_ball, {-2, 1}, 0.1, 0.9, 0.8, 1,
   {2, -0.2}, {0, 0.3}, {1.8, -0.144}, {1.8, -0.204}, -0.516912, {3.8, -0.38}, {1.8, -0.33}, NAN},
  {"the same without reversibility", G_ball, {-2, 1}, 0.1, 0.9, 0.8, 0,
   {2, -0.2}, {0, 0.3}, {1.8, -0.0857142857142857}, {1.8, 0}, NAN, {3.8, -0.38}, {1.8, -0.33}, NAN},
  {"rod, slides on", G_rod, {-1, 2}, 0.3, 0.5, 0, 0,
   ANY, ANY, ANY, {0.5, 0.617038216560510}, -0.3836917192,
   {0.597133757961783, -0.179140127388535}, {0.5, 0.617038216560510}, -0.3836917192},
  {"rod, sticks", G_rod, {-1, -0.5}, 1, 0.8, 0, 0,
   {0.91, 0.62}, {0, 0}, {0.728, 0.359013698630137}, {0.997260273972603, 0}, -0.2469972603,
   {1.494, 0.908}, {0.8, 0}, -0.3764},
  {"rod, slides, sticks, slides back", G_rod, {-1, 0.5}, 0.2, 0.8, 0, 0,
   {0.55, 0.1}, {0, 0}, {0.44, 0.088}, {0.78848, -0.37664}, -0.09310656,
   {1.004464285714286, 0.200892857142857}, {0.8, -0.359821428571429}, NAN},
  {"rod, Kane's energy", G_rod, {-1, 0.6}, 0.5, 0.9, 0, 0,
   ANY, {0, 0}, {0.4626, 0.228131506849315}, {0.633698630136986, 0}, -0.0960255068,
   {1.171, 0.372}, {0.9, 0}, 0.05305},
  {"rod, turns round in compression", G_rod, {-1, 0.2}, 0.2, 0.8, 0, 0,
   ANY, {0, -0.277678571428571}, ANY, {0.8, -0.659821428571429}, -0.1466338489,
   {1.004464285714286, 0.200892857142857}, {0.8, -0.659821428571429}, -0.1466338489},
};

static void stated(const char* row, const char* what, const double* value, const double* expected)
{
  for (int k = 0; k < 2; k++)
    if (!isnan(expected[k]) && !(fabs(value[k] - expected[k]) <= 1e-9))
      fail_msg("%s: %s[%d] = %.12g, expected %.12g", row, what, k, value[k], expected[k]);
}

static void energy_near(const char* row, double value, double expected)
{
  if (!isnan(expected) && !(fabs(value - expected) <= 1e-9))
    fail_msg("%s: energy %.12g, expected %.12g", row, value, expected);
}

static void test_single_contact(void** state)
{
  (void)state;
  for (size_t i = 0; i < sizeof singles/sizeof *singles; i++) {
    const single* c = &singles[i];
    ss_impact p = one(c->G, c->gamma, &c->mu, &c->eps_n, &c->eps_t, &c->nu);
    ss_impact_def poisson = law(SS_IMPACT_POISSON), newton = law(SS_IMPACT_NEWTON);
    outcome o;
    solve(&p, &poisson, &o);
    assert_int_equal(o.status, SS_OK);
    stated(c->name, "Lambda_C", o.Lambda_C, c->Lambda_C);
    stated(c->name, "gamma_C", o.gamma_C, c->gamma_C);
    stated(c->name, "Lambda_E", o.Lambda_E, c->Lambda_E);
    stated(c->name, "gamma_E", o.gamma, c->gamma_E);
    energy_near(c->name, o.s.energy, c->energy_P);
    assert_true(o.s.residual <= 1e-14 && o.s.unique && o.s.sigma == 1);
    assert_int_equal(o.state[0], SS_OPEN);  // it leaves
    solve(&p, &newton, &o);
    assert_int_equal(o.status, SS_OK);
    stated(c->name, "Lambda", o.Lambda, c->Lambda);
    stated(c->name, "gamma+", o.gamma, c->gamma_N);
    energy_near(c->name, o.s.energy, c->energy_N);
  }
}

// Around the tangential velocity that compression stops without friction, 9/13, `free` jumps, `local` does not
static void test_recoil_is_continuous(void** state)
{
  (void)state;
  const double mu = 0.8, eps_n = 0.8, eps_t = 0.5, nu = 1;
  const double free_E[2][2] = {{0.7999997005, -0.5538463465}, {0.5268707844, 0}};
  const double local_E[2][2] = {{0.5268702949, -0.0000006074}, {0.5268707844, 0}};
  for (int side = 0; side < 2; side++) {
    const double gamma[] = {-1, 9.0/13 + (side == 0 ? 1e-6 : -1e-6)};
    ss_impact p = one(G_rod, gamma, &mu, &eps_n, &eps_t, &nu);
    ss_impact_def def = law(SS_IMPACT_POISSON);
    outcome o;
    solve(&p, &def, &o);
    assert_int_equal(o.status, SS_OK);
    all_near("local", 2, o.gamma, local_E[side]);
    def.recoil = SS_RECOIL_FREE;
    solve(&p, &def, &o);
    assert_int_equal(o.status, SS_OK);
    all_near("free", 2, o.gamma, free_E[side]);
    def.recoil = SS_RECOIL_NONE;
    solve(&p, &def, &o);
    assert_int_equal(o.status, SS_OK);
    near("none", 1, o.gamma[1], 0);
  }
}

// A flat rod, m = 1, J = 1/3, on its ends: several contacts at once without friction
static void test_flat_rod(void** state)
{
  (void)state;
  const double G[] = {4, -2, -2, 4}, zero[3] = {0};
  const ss_contact_kind kind[] = {SS_CONTACT_NORMAL, SS_CONTACT_NORMAL};
  const struct {
    double gamma[2], eps[2], gamma_P[2], energy_P, gamma_N[2], energy_N;
  } cases[] = {
    {{-1.4, -0.6}, {0.5, 0.5}, {0.7, 0.3}, -0.395, {0.7, 0.3}, -0.395},
    {{-1.4, -0.6}, {1, 0}, {1.7, 0}, -0.045, {1.4, 0}, -0.2},
    {{0, -1}, {1, 0}, {0.5, 0}, -0.125, {0, 0}, -1.0/6},  // one end rests
  };
  for (int i = 0; i < 3; i++) {
    ss_impact p = {.n_contact = 2, .m = 2, .G = G, .gamma = cases[i].gamma, .kind = kind, .mu = zero,
                   .eps_n = cases[i].eps, .eps_t = zero};
    ss_impact_def poisson = law(SS_IMPACT_POISSON), newton = law(SS_IMPACT_NEWTON);
    outcome o;
    solve(&p, &poisson, &o);
    assert_int_equal(o.status, SS_OK);
    all_near("Poisson gamma+", 2, o.gamma, cases[i].gamma_P);
    near("Poisson energy", i, o.s.energy, cases[i].energy_P);
    assert_int_equal(o.state[0], SS_OPEN);
    assert_int_equal(o.state[1], i == 0 ? SS_OPEN : SS_CLOSED);
    solve(&p, &newton, &o);
    assert_int_equal(o.status, SS_OK);
    all_near("Newton gamma+", 2, o.gamma, cases[i].gamma_N);
    near("Newton energy", i, o.s.energy, cases[i].energy_N);
  }
}

// Two frictional contacts with M = 1 whose coefficients of restitution differ: Poisson's law gains energy, from 2.5 to
// 10 (rows of W^T: N1 (0,-2,0,-1), T1 (0,1,-1,-2), N2 (-1,0,1,0), T2 (1,1,0,2); u = (0,2,-1,0))
static const double G_gain[] = {5, 0, 0, -4, 0, 6, -1, -3, 0, -1, 2, -1, -4, -3, -1, 6};
static const double gamma_gain[] = {-4, 3, -1, 2}, mu_gain[] = {0.5, 1.2};
static const ss_contact_kind two_planar[] = {SS_CONTACT_PLANAR, SS_CONTACT_PLANAR};

static ss_impact gaining(const double* eps_n)
{
  static const double zero[2];
  return (ss_impact){.n_contact = 2, .m = 4, .G = G_gain, .gamma = gamma_gain, .kind = two_planar, .mu = mu_gain,
                     .eps_n = eps_n, .eps_t = zero};
}

static void test_poisson_gains_energy(void** state)
{
  (void)state;
  const double different[] = {1, 0}, equal[] = {1, 1};
  ss_impact p = gaining(different), q = gaining(equal);
  ss_impact_def def = law(SS_IMPACT_POISSON);
  outcome o;
  solve(&p, &def, &o);
  assert_int_equal(o.status, SS_OK);
  all_near("Lambda_C", 4, o.Lambda_C, (const double[]){2, 0.5, 1.5, 1.5});
  all_near("gamma_C", 4, o.gamma_C, (const double[]){0, 0, 0, 0});
  all_near("Lambda_E", 4, o.Lambda_E, (const double[]){2, 0, 0, 0});
  all_near("gamma_E", 4, o.gamma, (const double[]){10, 0, 0, -8});
  near("energy", 0, o.s.energy, 7.5);

  def.energy_limited = true;
  solve(&p, &def, &o);
  assert_int_equal(o.status, SS_OK);
  near("sigma", 0, o.s.sigma, 0.5);
  all_near("limited Lambda_E", 4, o.Lambda_E, (const double[]){1, 0, 0, 0});
  near("limited energy", 0, o.s.energy, 0);

  solve(&q, &def, &o);
  assert_int_equal(o.status, SS_OK);
  all_near("equal Lambda_E", 4, o.Lambda_E, (const double[]){2, 1, 1.5, 1.8});
  near("equal energy", 0, o.s.energy, -1.53);
  near("equal sigma", 0, o.s.sigma, 1);

  def = law(SS_IMPACT_NEWTON);
  solve(&p, &def, &o);
  assert_int_equal(o.status, SS_OK);
  all_near("Newton Lambda", 4, o.Lambda, (const double[]){7, 3.5, 5.625, 6.75});
  all_near("Newton gamma+", 4, o.gamma, (const double[]){4, -1.875, 0, -1.625});
  near("Newton energy", 0, o.s.energy, 0.421875);
  def.energy_limited = true;
  solve(&p, &def, &o);
  assert_int_equal(o.status, SS_OK);
  assert_true(o.s.energy <= 0 && o.s.sigma > 0 && o.s.sigma < 1);
}

// States that no solver has reached do not tell how much restitution is harmless
static void test_limit_by_unsolved_states(void** state)
{
  (void)state;
  const double different[] = {1, 0};
  ss_impact p = gaining(different);
  outcome o;
  int missed = 0;
  for (int iterations = 50; iterations < 160; iterations += 10) {
    ss_impact_def def = law(SS_IMPACT_NEWTON);
    def.energy_limited = true;
    def.solver.solver = SS_LCP_PGS;
    def.solver.max_iter = iterations;
    solve(&p, &def, &o);
    if (o.status != SS_NOT_CONVERGED || o.s.sigma == 1) continue;
    missed++;
    if (o.s.sigma != 0) fail_msg("%d: sigma = %g of a state with residual %g", iterations, o.s.sigma, o.s.residual);
  }
  assert_true(missed > 0);
}

// Contacts at -1, 0, 1 under a flat rod: Lambda_C = (q, 1 - 2q, q), and q = 1/3 has the least norm
static void test_redundant_contacts(void** state)
{
  (void)state;
  const double G[] = {4, 1, -2, 1, 1, 1, -2, 1, 4}, gamma[] = {-1, -1, -1}, zero[3] = {0}, eps[] = {1, 0, 1};
  const ss_contact_kind kind[] = {SS_CONTACT_NORMAL, SS_CONTACT_NORMAL, SS_CONTACT_NORMAL};
  ss_impact p = {.n_contact = 3, .m = 3, .G = G, .gamma = gamma, .kind = kind, .mu = zero, .eps_n = eps, .eps_t = zero};
  ss_impact_def def = law(SS_IMPACT_POISSON);
  outcome o;
  solve(&p, &def, &o);
  assert_int_equal(o.status, SS_OK);
  assert_false(o.s.unique);
  all_near("Lambda_C", 3, o.Lambda_C, (const double[]){1.0/3, 1.0/3, 1.0/3});
  all_near("gamma_E", 3, o.gamma, (const double[]){2.0/3, 2.0/3, 2.0/3});
  def.law = SS_IMPACT_NEWTON;
  solve(&p, &def, &o);
  assert_int_equal(o.status, SS_OK);
  all_near("Newton gamma+", 3, o.gamma, (const double[]){1, 1, 1});
}

// Painleve's rod, mu = 2, slides backward and jams: an impact without collision is the limit of a slow one
static void test_impact_without_collision(void** state)
{
  (void)state;
  const double gamma[] = {-1e-10, -1}, mu = 2, eps_n = 0.5, zero = 0;
  ss_impact p = one(G_rod, gamma, &mu, &eps_n, &zero, NULL);
  ss_impact_def def = law(SS_IMPACT_POISSON);
  outcome o;
  solve(&p, &def, &o);
  assert_int_equal(o.status, SS_OK);
  all_near("Lambda_C", 2, o.Lambda_C, (const double[]){0.36, 0.52});
  all_near("Lambda_E", 2, o.Lambda_E, (const double[]){0.18, 0.0887671233});
  all_near("gamma_E", 2, o.gamma, (const double[]){0.2465753425, 0});
}

// ---- random impacts ----

static uint64_t seed = 7;

// Uniform in (-1, 1)
static double uniform(void)
{
  seed = seed*6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)seed/9223372036854775808.0;
}

typedef struct drawn {
  double G[16], gamma[4], mu[2], eps_n[2], eps_t[2], nu[2];
  ss_impact p;
} drawn;

// One or two planar contacts of six unit masses; all gamma_N < 0 where `hits`
static void draw(drawn* o, int k, bool hits)
{
  double W[4][6], u[6];
  int m = 2*k;
  memset(o, 0, sizeof *o);
  for (int j = 0; j < 6; j++) u[j] = uniform();
  for (int r = 0; r < m; r++) {
    for (int j = 0; j < 6; j++) {
      W[r][j] = uniform();
      o->gamma[r] += W[r][j]*u[j];
    }
    if (hits && r%2 == 0 && o->gamma[r] > 0) {
      for (int j = 0; j < 6; j++) W[r][j] = -W[r][j];
      o->gamma[r] = -o->gamma[r];
    }
  }
  for (int r = 0; r < m; r++)
    for (int s = 0; s < m; s++)
      for (int j = 0; j < 6; j++) o->G[r*m + s] += W[r][j]*W[s][j];
  for (int i = 0; i < k; i++) {
    o->mu[i] = 1.5*fabs(uniform());
    o->eps_n[i] = fabs(uniform());
    o->eps_t[i] = fabs(uniform());
    o->nu[i] = fabs(uniform());
  }
  o->p = (ss_impact){.n_contact = k, .m = m, .G = o->G, .gamma = o->gamma, .kind = two_planar, .mu = o->mu,
                     .eps_n = o->eps_n, .eps_t = o->eps_t, .nu = o->nu};
}

static void solved(const drawn* o, const ss_impact_def* def, outcome* out)
{
  solve(&o->p, def, out);
  if (out->status != SS_OK) fail_msg("status %d, residual %g", out->status, out->s.residual);
}

// Poisson's law never gains energy without friction, nor with one common eps_n, whatever eps_t, nu and the recoil
static void test_poisson_is_dissipative(void** state)
{
  (void)state;
  ss_impact_def def = law(SS_IMPACT_POISSON);
  drawn o;
  outcome out;
  for (int i = 0; i < 10000; i++) {
    draw(&o, 1 + i%2, true);
    def.recoil = (ss_recoil)(i%3);
    if (i%5 == 0) o.mu[0] = o.mu[1] = 0;
    else o.eps_n[1] = o.eps_n[0];
    solved(&o, &def, &out);
    if (!(out.s.energy <= 1e-12)) fail_msg("case %d gains %g", i, out.s.energy);
    for (int k = 0; k < o.p.n_contact; k++) assert_true(out.gamma[2*k] >= -1e-12);
  }
}

// With different eps_n it may, and so may Newton's law with friction (Kane); the limit stops both
static void test_energy_limit(void** state)
{
  (void)state;
  int gains[2] = {0, 0};
  drawn o;
  outcome out;
  for (int i = 0; i < 10000; i++) {
    ss_impact_def def = law(i%2 ? SS_IMPACT_POISSON : SS_IMPACT_NEWTON);
    draw(&o, 2, true);
    o.mu[0] *= 2;
    o.mu[1] *= 2;
    if (i%2 == 0) o.eps_t[0] = o.eps_t[1] = 0;
    else {
      o.eps_n[0] = 1;  // as different as can be
      o.eps_n[1] = o.nu[0] = o.nu[1] = 0;
    }
    solved(&o, &def, &out);
    if (out.s.energy <= 1e-12) continue;
    gains[i%2]++;
    def.energy_limited = true;
    solved(&o, &def, &out);
    assert_true(out.s.energy <= 0 && out.s.sigma >= 0 && out.s.sigma < 1);
  }
  assert_true(gains[0] > 50 && gains[1] > 0);
}

// Newton's law dissipates if all coefficients of restitution are one number, or without friction
static void test_newton_is_dissipative(void** state)
{
  (void)state;
  ss_impact_def def = law(SS_IMPACT_NEWTON);
  drawn o;
  outcome out;
  for (int i = 0; i < 5000; i++) {
    draw(&o, 1 + i%2, true);
    if (i%3 == 0) o.mu[0] = o.mu[1] = 0;
    else o.eps_n[1] = o.eps_t[0] = o.eps_t[1] = o.eps_n[0];
    solved(&o, &def, &out);
    assert_true(out.s.energy <= 1e-12);
  }
}

// One contact that slides in the same sense throughout, or no coupling of N and T: the laws agree
static void test_laws_agree(void** state)
{
  (void)state;
  ss_impact_def poisson = law(SS_IMPACT_POISSON), newton = law(SS_IMPACT_NEWTON);
  drawn o;
  outcome a, b;
  int slides = 0;
  for (int i = 0; i < 2000; i++) {
    draw(&o, 1, true);
    o.eps_t[0] = 0;
    if (i%2) o.G[1] = o.G[2] = 0;
    solved(&o, &poisson, &a);
    solved(&o, &newton, &b);
    bool slid = a.gamma_C[1]*a.gamma[1] > 1e-9 && fabs(fabs(a.Lambda_C[1]) - o.mu[0]*a.Lambda_C[0]) < 1e-12;
    slides += slid;
    bool unique = o.mu[0]*fabs(o.G[1]) < o.G[0];
    if (unique && (i%2 || slid)) all_near("gamma+", 2, a.gamma, b.gamma);
  }
  assert_true(slides > 100);
}

// The residual knows the law, not the solver: it sees every change of an impulse
static void test_residual_sees_changes(void** state)
{
  (void)state;
  drawn o;
  outcome out;
  for (int i = 0; i < 3000; i++) {
    ss_impact_def def = law(i%2 ? SS_IMPACT_POISSON : SS_IMPACT_NEWTON);
    def.recoil = (ss_recoil)(i/2%3);
    draw(&o, 1 + i/6%2, i%5 > 0);
    solved(&o, &def, &out);
    assert_true(ss_impact_residual(&o.p, &def, 1, out.Lambda_C, out.Lambda_E) == out.s.residual);
    int r = i%o.p.m;
    double* changed = i%2 && i%4 == 1 ? out.Lambda_E : out.Lambda_C;
    changed[r] += 1e-4;
    assert_true(ss_impact_residual(&o.p, &def, 1, out.Lambda_C, out.Lambda_E) > 1e-8);
  }
}

// A contact that touches but separates neither pulls nor is let through
static void test_separating_contact(void** state)
{
  (void)state;
  const double gamma[] = {0.5, 1}, mu = 0.5, eps = 0.9, zero = 0;
  ss_impact p = one(G_rod, gamma, &mu, &eps, &zero, NULL);
  for (int l = 0; l < SS_IMPACT_LAWS; l++) {
    ss_impact_def def = law((ss_impact_law)l);
    outcome o;
    solve(&p, &def, &o);
    assert_int_equal(o.status, SS_OK);
    all_near("gamma+", 2, o.gamma, gamma);
    assert_true(o.Lambda[0] == 0 && o.Lambda[1] == 0 && o.s.energy == 0);
    assert_int_equal(o.state[0], SS_OPEN);
  }
}

// The ball of the first table hangs on a joint that holds it sideways: as if it had no tangential direction at all
static void test_bilateral_rows(void** state)
{
  (void)state;
  const double G[] = {3.5, 0, 3.5, 0, 1, 0, 3.5, 0, 3.5}, gamma[] = {0, -2, 0}, mu = 0.5, eps = 0.9, zero = 0, nu = 1;
  const ss_contact_kind kind = SS_CONTACT_PLANAR;
  ss_impact p = {.n_bilateral = 1, .n_contact = 1, .m = 3, .G = G, .gamma = gamma, .kind = &kind, .mu = &mu,
                 .eps_n = &eps, .eps_t = &zero, .nu = &nu};
  for (int l = 0; l < SS_IMPACT_LAWS; l++) {
    ss_impact_def def = law((ss_impact_law)l);
    outcome o;
    solve(&p, &def, &o);
    assert_int_equal(o.status, SS_OK);
    all_near("gamma+", 3, o.gamma, (const double[]){0, 1.8, 0});
    near("Lambda_N", 1, o.Lambda[1], 3.8);
    near("sideways", 0, o.Lambda[0] + o.Lambda[2], 0);
  }
}

// A block falls flat on two rough feet and slides: friction is shared in the way of least norm, symmetric
static void test_redundant_friction(void** state)
{
  (void)state;
  // feet at (-+1, -0.5), J = 1/3: rows N1, T1, N2, T2
  const double G[] = {4, -1.5, -2, -1.5, -1.5, 1.75, 1.5, 1.75, -2, 1.5, 4, 1.5, -1.5, 1.75, 1.5, 1.75};
  const double gamma[] = {-1, 0.1, -1, 0.1}, mu[] = {0.5, 0.5}, eps[] = {0.5, 0.5}, zero[2] = {0};
  ss_impact p = {.n_contact = 2, .m = 4, .G = G, .gamma = gamma, .kind = two_planar, .mu = mu, .eps_n = eps,
                 .eps_t = zero};
  ss_impact_def def = law(SS_IMPACT_POISSON);
  outcome o;
  solve(&p, &def, &o);
  assert_int_equal(o.status, SS_OK);
  assert_false(o.s.unique);
  all_near("gamma_C", 4, o.gamma_C, (const double[]){0, 0, 0, 0});
  near("friction 1", 1, o.Lambda_C[1], -0.05);  // -m v shared alike: that is the least norm
  near("friction 2", 3, o.Lambda_C[3], -0.05);
  near("sum of loads", 0, o.Lambda_C[0] + o.Lambda_C[2], 1);
}

// A ball that hits a light one which touches a third: the velocity of the light one is a small difference of impulses
// over its mass, known to their round-off. That is as good as solved, and the heavy ones move as the law says:
//   Lambda = (1 + eps) v/(1/(a b) + 1/(a c) + 1/(b c)) (1/b + 1/c, 1/b),  v' = v - Lambda_1/a,  Lambda_2/c
static void test_light_between_heavy(void** state)
{
  (void)state;
  const ss_contact_kind kind[] = {SS_CONTACT_NORMAL, SS_CONTACT_NORMAL};
  const double mu[2] = {0};
  int rough = 0;
  for (int k = 0; k < 3000; k++) {
    double a = pow(10, uniform()), b = pow(10, 5*uniform() - 5), c = pow(10, uniform()), v = pow(10, 2*uniform());
    double e = 0.5 + 0.5*uniform(), eps[2] = {e, e}, gamma[2] = {-v, 0}, out[2];
    double G[4] = {1/a + 1/b, -1/b, -1/b, 1/b + 1/c}, sum = (1 + e)*v/(1/(a*b) + 1/(a*c) + 1/(b*c));
    ss_impact p = {.n_contact = 2, .m = 2, .G = G, .gamma = gamma, .kind = kind, .mu = mu, .eps_n = eps, .eps_t = mu};
    ss_impact_def def = law(SS_IMPACT_NEWTON);
    outcome o;
    solve(&p, &def, &o);
    out[0] = v - o.Lambda[0]/a - (v - sum*(1/b + 1/c)/a);
    out[1] = o.Lambda[1]/c - sum/(b*c);
    // G itself knows 1/a + 1/b to an eps of 1/b: relative to 1/a, 1/c that is eps times 10 to 20 over b
    double tol = 1e-14*v*(1 + 20/b);
    if (o.status != SS_OK || !(fabs(out[0]) < tol && fabs(out[1]) < tol))
      fail_msg("masses %g, %g, %g: %s, residual %g; velocities off by %g, %g of %g", a, b, c, ss_status_text(o.status),
               o.s.residual, out[0], out[1], v);
    rough += o.s.residual > def.solver.tol;
  }
  assert_true(rough > 100);
}

static void test_refusals(void** state)
{
  (void)state;
  const double gamma[] = {-1, 0}, mu = 0.5, good = 0.5, bad = 1.5, nan_gamma[] = {NAN, 0}, negative = -1;
  ss_impact_def def = law(SS_IMPACT_POISSON);
  outcome o;
  ss_impact p = one(G_rod, gamma, &mu, &bad, &good, NULL);
  solve(&p, &def, &o);
  assert_int_equal(o.status, SS_ERR_ARGUMENT);
  p = one(G_rod, gamma, &negative, &good, &good, NULL);
  solve(&p, &def, &o);
  assert_int_equal(o.status, SS_ERR_ARGUMENT);
  p = one(G_rod, nan_gamma, &mu, &good, &good, NULL);
  solve(&p, &def, &o);
  assert_int_equal(o.status, SS_ERR_NUMERIC);
  ss_impact_law l;
  assert_true(ss_impact_law_find("poisson", &l) && l == SS_IMPACT_POISSON);
  assert_false(ss_impact_law_find("hertz", &l));
  assert_null(ss_impact_law_name(SS_IMPACT_LAWS));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_single_contact),
    cmocka_unit_test(test_recoil_is_continuous),
    cmocka_unit_test(test_flat_rod),
    cmocka_unit_test(test_poisson_gains_energy),
    cmocka_unit_test(test_limit_by_unsolved_states),
    cmocka_unit_test(test_redundant_contacts),
    cmocka_unit_test(test_impact_without_collision),
    cmocka_unit_test(test_poisson_is_dissipative),
    cmocka_unit_test(test_energy_limit),
    cmocka_unit_test(test_newton_is_dissipative),
    cmocka_unit_test(test_laws_agree),
    cmocka_unit_test(test_residual_sees_changes),
    cmocka_unit_test(test_separating_contact),
    cmocka_unit_test(test_bilateral_rows),
    cmocka_unit_test(test_redundant_friction),
    cmocka_unit_test(test_light_between_heavy),
    cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
