// Boxes thrown into a room, at random: whatever happens, gaps stay closed or open and the energy balance closes. And
// the two kinds of integrators agree.
#include "run.h"

static double uniform(unsigned* seed, double low, double high)
{
  *seed = *seed*1664525u + 1013904223u;
  return low + (high - low)*(*seed >> 8)/16777216.0;
}

static double pick(unsigned* seed, int n, const double* list)
{
  int i = (int)uniform(seed, 0, n);
  return list[i < n ? i : n - 1];
}

// A box of 2 b x 2 h between a floor and two walls: twelve contacts
static void write_box(unsigned seed, char* text, size_t size)
{
  static const double mus[] = {0, 0.1, 0.3, 0.6, 1}, eps[] = {0, 0, 0.3, 0.6, 0.8};
  double b = uniform(&seed, 0.1, 0.5), h = uniform(&seed, 0.1, 0.5);
  double mu = pick(&seed, 5, mus), e = pick(&seed, 5, eps);
  int used = snprintf(text, size, "parameters: {b: %.3f, h: %.3f}\ncoordinates: {x: m, y: m, p: rad}\n"
                      "kinetic: (x'^2 + y'^2 + (b^2 + h^2)/3*p'^2)/2\npotential: 9.81*y\ncontacts:\n", b, h);
  for (int i = 0; i < 4; i++) {
    const char *X = i%2 ? "b" : "-b", *Y = i/2 ? "h" : "-h";
    char law[64], x[96], y[96], u[96], v[96];
    snprintf(law, sizeof law, "mu: %g, eps_n: %g", mu, e);
    snprintf(x, sizeof x, "x + (%s)*cos(p) - (%s)*sin(p)", X, Y);
    snprintf(y, sizeof y, "y + (%s)*sin(p) + (%s)*cos(p)", X, Y);
    snprintf(u, sizeof u, "x' - p'*((%s)*sin(p) + (%s)*cos(p))", X, Y);
    snprintf(v, sizeof v, "y' + p'*((%s)*cos(p) - (%s)*sin(p))", X, Y);
    used += snprintf(text + used, size - (size_t)used, "  f%d: {gap: %s, slide: %s, %s}\n  l%d: {gap: 1.5 + %s, slide: "
                     "%s, %s}\n  r%d: {gap: 1.5 - (%s), slide: %s, %s}\n", i, y, u, law, i, x, v, law, i, x, v, law);
  }
  snprintf(text + used, size - (size_t)used, "initial: {y: %.3f, p: %.3f, x': %.3f, y': %.3f, p': %.3f}\n",
           uniform(&seed, 0.8, 2), uniform(&seed, -3, 3), uniform(&seed, -3, 3), uniform(&seed, -2, 2),
           uniform(&seed, -8, 8));
}

static void throw_box(unsigned seed, ss_impact_law law)
{
  char text[4096];
  write_box(seed, text, sizeof text);
  run r = run_parse(text, 0.1);
  r.step.integrator = SS_EVENT_DRIVEN;
  r.step.impact = law;
  ss_energy start = {0};
  while (r.state->step < 20) {
    const ss_step_info* info = run_step(&r);
    if (start.potential == 0) start = info->before;
    for (int i = 0; i < info->n_contact; i++) expect_between("gap", info->contact[i].gap, -1e-13, 10);
    expect_between("gap of closed contacts", info->penetration, 0, 1e-13);
  }
  const ss_energy_ledger* e = ss_ledger_energy(r.ledger);
  expect_near("defect", e->defect, 0, 1e-9*(start.kinetic + start.potential));
  if (law == SS_IMPACT_POISSON) expect_between("losses", e->loss_normal + e->loss_friction, 0, 100);
  run_close(&r);
}

static void test_boxes(void** state)
{
  (void)state;
  for (unsigned seed = 1; seed <= 20; seed++) throw_box(seed, seed%2 ? SS_IMPACT_POISSON : SS_IMPACT_NEWTON);
}

// Time-stepping with small steps comes to the same place.
static void test_agreement(void** state)
{
  (void)state;
  static const struct { const char* name; double t, tol; } model[] = {
    {"double-pendulum-wall", 2, 1e-3}, {"rocking-block", 1.5, 1e-4}, {"impact-oscillator", 1, 1e-3},
    {"woodpecker", 0.3, 2e-3}, {"stickslip-oscillator", 2, 1e-4}, {"painleve", 0.5, 1e-3},
  };
  for (int i = 0; i < 6; i++) {
    run a = run_open(model[i].name, 0.1, NULL), b = run_open(model[i].name, 1e-5, NULL);
    a.step.integrator = SS_EVENT_DRIVEN;
    b.step.account = false;
    run_until(&a, model[i].t);
    run_until(&b, model[i].t);
    for (int k = 0; k < a.state->nv; k++) expect_near(model[i].name, a.state->q[k], b.state->q[k], model[i].tol);
    run_close(&a);
    run_close(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes), cmocka_unit_test(test_agreement)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
