// Friction whose limit is zero at the start, at an event, or for a while: it comes back. Event-driven, against
// time-stepping with short steps and an ODE.
#include <math.h>
#include <stdio.h>

#include "../less.h"
#include "text_run.h"

typedef struct end {
  double x, loss;
} end;

static end run_by(const char* text, const char* how, double until)
{
  char all[2000];
  snprintf(all, sizeof all, "%srun: {%s}\n", text, how);
  run r = start(all);
  go(&r, until);
  end e = {r.s->q[0], ss_ledger_energy(r.ledger)->loss_friction};
  stop(&r);
  return e;
}

// A mass on a spring with a brake (friction element, or pressed by its weight), started at rest or not
static void oscillator(char* text, size_t room, bool weight, const char* limit, double x, double v)
{
  if (weight)
    snprintf(text, room, "coordinates: [x, y]\nkinetic: (x'^2 + y'^2)/2\npotential: 50*x^2 + 10*y\n"
             "contacts: {brake: {gap: y, slide: x', mu: \"0.3*%s\"}}\ninitial: {x: %g, x': %g}\n", limit, x, v);
  else
    snprintf(text, room, "coordinates: [x]\nkinetic: x'^2/2\npotential: 50*x^2\n"
             "contacts: {brake: {slide: x', bound: \"3*%s\"}}\ninitial: {x: %g, x': %g}\n", limit, x, v);
}

static const char* const limits[] = {
  "max(0, sin(3*t))", "max(0, -sin(3*t))", "abs(sin(2*t))", "max(0, x)*20", "max(0, -x)*20", "max(0, x')", "t",
  "max(0, sin(3*t))*max(0, cos(2*t))", "max(0, t - 1)", "max(0, 0.5 - t)", "max(0, x*x')*5", "if(t < 1, 0, 1)",
  "x^2*20",
};

static void test_limits(void** state)
{
  (void)state;
  static const double from[][2] = {{0.3, 0}, {0, 2}, {-0.2, 1}};
  for (size_t i = 0; i < sizeof limits/sizeof *limits; i += LESS > 1 ? 4 : 1)
    for (int k = 0; k < 3; k++) {
      char text[1000];
      oscillator(text, sizeof text, k%2, limits[i], from[k][0], from[k][1]);
      end exact = run_by(text, "dt: 0.01, integrator: event", 3), steps = run_by(text, "dt: 1e-4", 3);
      if (!(fabs(exact.x - steps.x) < 2e-3 && fabs(exact.loss - steps.loss) < 2e-2*steps.loss + 1e-3))
        fail_msg("%s: x %.6g, lost %.6g J; by steps %.6g, %.6g J", limits[i], exact.x, exact.loss, steps.x, steps.loss);
      assert_true(exact.loss > 1e-3);
    }
}

// At rest and without a limit: a force that grows faster than the limit moves it, one that grows slower does not
static void test_from_rest(void** state)
{
  (void)state;
  for (int faster = 0; faster < 2; faster++) {
    char text[500];
    snprintf(text, sizeof text, "coordinates: [x]\nkinetic: x'^2/2\nforces: {x: %d*t}\n"
             "contacts: {c: {slide: x', bound: 2*t}}\n", faster ? 3 : 1);
    end e = run_by(text, "dt: 0.1, integrator: event", 1);
    assert_true(fabs(e.x - (faster ? 1/6.0 : 0)) < 1e-9);  // x'' = t
  }
}

// ---- a pad that couples two modes and lifts off [after Hoffmann's minimal model of brake squeal] ----

#define MU 1.2
static const char pad[] =
  "coordinates: [x, y]\n"
  "kinetic: (x'^2 + y'^2)/2\n"
  "potential: 6*x^2 - 5*x*y + 4*y^2 + 3*max(0, 0.3 - y)^2\n"
  "damping: 0.02*(x'^2 + y'^2)\n"
  "contacts: {pad: {slide: x' - 8, bound: \"1.2*6*max(0, 0.3 - y)\"}}\n"
  "initial: {x: 0.2, y': 0.1}\n";

static void rate(const double* s, double* d)
{
  double N = 6*fmax(0, 0.3 - s[1]);
  d[0] = s[2];
  d[1] = s[3];
  d[2] = -12*s[0] + 5*s[1] - 0.04*s[2] + MU*N;  // the belt is always faster
  d[3] = 5*s[0] - 8*s[1] - 0.04*s[3] + N;
}

// The classical method of order 4
static void integrate(double* s, double until, int n)
{
  double h = until/n, k[4][4], x[4];
  static const double at[4] = {0, 0.5, 0.5, 1};
  for (int i = 0; i < n; i++) {
    for (int stage = 0; stage < 4; stage++) {
      for (int j = 0; j < 4; j++) x[j] = s[j] + (stage ? at[stage]*h*k[stage - 1][j] : 0);
      rate(x, k[stage]);
    }
    for (int j = 0; j < 4; j++) s[j] += h*(k[0][j] + 2*k[1][j] + 2*k[2][j] + k[3][j])/6;
  }
}

static void test_pad(void** state)
{
  (void)state;
  char text[1000];
  snprintf(text, sizeof text, "%srun: {dt: 0.1, integrator: event}\n", pad);
  run r = start(text);
  double s[4] = {0.2, 0, 0, 0.1}, until = 20, highest = 0;
  for (double t = 0.5; t <= until; t += 0.5) {
    go(&r, t);
    highest = fmax(highest, r.s->q[1]);
  }
  integrate(s, until, 200000);  // kinks on the way: it needs short steps
  assert_true(highest > 0.4);  // it lifts off
  for (int j = 0; j < 2; j++)
    if (!(fabs(r.s->q[j] - s[j]) < 1e-6)) fail_msg("coordinate %d: %.9g instead of %.9g", j, r.s->q[j], s[j]);
  stop(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits), cmocka_unit_test(test_from_rest),
                                     cmocka_unit_test(test_pad)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
