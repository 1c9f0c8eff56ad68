// Lagrange's equations derived from text against equations derived by hand.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <stickslip/stickslip.h>

typedef struct bench {
  ss_model* model;
  const ss_system_def* def;
  void* scratch;
  ss_at at;
} bench;

static bench load(const char* text, const double* q, const double* u, double t)
{
  ss_error error = {0};
  bench b = {.model = ss_model_parse(text, strlen(text), "test", NULL, &error)};
  if (!b.model) fail_msg("line %d: %s", error.line, error.text);
  b.def = ss_system_get(ss_model_system(b.model));
  b.scratch = calloc(1, b.def->scratch_size);
  b.at = (ss_at){.user = b.def->user, .scratch = b.scratch, .t = t, .q = q, .u = u};
  assert_int_equal(b.def->update(&b.at), SS_OK);
  return b;
}

static void unload(bench* b)
{
  free(b->scratch);
  ss_model_destroy(b->model);
}

static void near(const char* what, double value, double expected)
{
  if (!(fabs(value - expected) <= 1e-13*fmax(1, fabs(expected)))) fail_msg("%s = %.16g, expected %.16g", what, value,
                                                                           expected);
}

// Double pendulum of point masses, angles to the vertical: the textbook equations
static void test_double_pendulum(void** state)
{
  (void)state;
  const char* text =
    "parameters: {m1: 1.3, m2: 0.7, l1: 0.9, l2: 1.1, g: 9.81}\n"
    "coordinates: [a, b]\n"
    "definitions: {x1: l1*sin(a), y1: -l1*cos(a), x2: x1 + l2*sin(b), y2: y1 - l2*cos(b)}\n"
    "kinetic: m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2)\n"
    "potential: m1*g*y1 + m2*g*y2\n"
    "contacts: {wall: {gap: 3 - x2, slide: y2', mu: 0.1}}\n";
  const double q[] = {0.8, -0.5}, u[] = {1.7, -2.9}, m1 = 1.3, m2 = 0.7, l1 = 0.9, l2 = 1.1, g = 9.81;
  bench b = load(text, q, u, 0);
  double M[4], h[2], gap, W[4], w_hat[2], w_bar[2], d = q[0] - q[1];
  ss_energy energy;
  b.def->mass(&b.at, M);
  b.def->force(&b.at, h);
  b.def->contacts(&b.at, &gap, W, w_hat);
  b.def->contact_bias(&b.at, w_bar);
  b.def->energy(&b.at, &energy);
  near("M11", M[0], (m1 + m2)*l1*l1);
  near("M12", M[1], m2*l1*l2*cos(d));
  near("M21", M[2], M[1]);
  near("M22", M[3], m2*l2*l2);
  near("h1", h[0], -m2*l1*l2*sin(d)*u[1]*u[1] - (m1 + m2)*g*l1*sin(q[0]));
  near("h2", h[1], m2*l1*l2*sin(d)*u[0]*u[0] - m2*g*l2*sin(q[1]));
  near("gap", gap, 3 - l1*sin(q[0]) - l2*sin(q[1]));
  near("W_N1", W[0], -l1*cos(q[0]));
  near("W_N2", W[1], -l2*cos(q[1]));
  near("W_T1", W[2], l1*sin(q[0]));
  near("W_T2", W[3], l2*sin(q[1]));
  near("w_hat", fabs(w_hat[0]) + fabs(w_hat[1]), 0);
  near("w_bar_N", w_bar[0], l1*sin(q[0])*u[0]*u[0] + l2*sin(q[1])*u[1]*u[1]);
  near("w_bar_T", w_bar[1], l1*cos(q[0])*u[0]*u[0] + l2*cos(q[1])*u[1]*u[1]);
  near("T", energy.kinetic, 0.5*(M[0]*u[0]*u[0] + 2*M[1]*u[0]*u[1] + M[3]*u[1]*u[1]));
  near("transport", energy.transport, 0);
  assert_false(b.def->mass_is_constant);
  assert_false(b.def->has_power);
  unload(&b);
}

// A bead on a rod that turns at angle phi(t) = w t^2/2, a moving wall at r = c t, damping and drive:
// m r'' = m r phi'^2 - d r' + F cos(t);  T = m/2 (r'^2 + r^2 phi'^2)
static void test_rheonomic(void** state)
{
  (void)state;
  const char* text =
    "parameters: {m: 2, w: 3, c: 0.25, d: 0.6, F: 5}\n"
    "coordinates: [r]\n"
    "definitions: {x: r*cos(w*t^2/2), y: r*sin(w*t^2/2)}\n"
    "kinetic: m/2*(x'^2 + y'^2)\n"
    "damping: d/2*r'^2\n"
    "forces: {r: F*cos(t)}\n"
    "contacts:\n"
    "  wall: {gap: r - c*t^3, slide: r*sin(t) + 2*r' - t^2, mu: 0.1}\n"
    "constraints: {fixed: r^2 - t}\n";
  const double q[] = {1.4}, u[] = {-0.8}, t = 0.6, m = 2, w = 3, c = 0.25, d = 0.6, F = 5, rate = w*t;
  bench b = load(text, q, u, t);
  double M, h, gap, W[2], w_hat[2], w_bar[2], error, Wb, w_hat_b, w_bar_b;
  ss_energy energy;
  ss_power power;
  b.def->mass(&b.at, &M);
  b.def->force(&b.at, &h);
  b.def->contacts(&b.at, &gap, W, w_hat);
  b.def->contact_bias(&b.at, w_bar);
  b.def->bilateral(&b.at, &error, &Wb, &w_hat_b);
  b.def->bilateral_bias(&b.at, &w_bar_b);
  b.def->energy(&b.at, &energy);
  b.def->power(&b.at, &power);
  near("M", M, m);
  near("h", h, m*q[0]*rate*rate - d*u[0] + F*cos(t));
  near("gap", gap, q[0] - c*t*t*t);
  near("W_N", W[0], 1);
  near("w_hat_N", w_hat[0], -3*c*t*t);
  near("w_bar_N", w_bar[0], -6*c*t);
  near("W_T", W[1], 2);
  near("w_hat_T", w_hat[1], q[0]*sin(t) - t*t);
  near("w_bar_T", w_bar[1], u[0]*sin(t) + q[0]*cos(t) - 2*t);
  near("c", error, q[0]*q[0] - t);
  near("W_b", Wb, 2*q[0]);
  near("w_hat_b", w_hat_b, -1);
  near("w_bar_b", w_bar_b, 2*u[0]*u[0]);
  near("T", energy.kinetic, m/2*(u[0]*u[0] + q[0]*q[0]*rate*rate));
  near("transport", energy.transport, m*q[0]*q[0]*rate*rate);
  near("power of forces", power.forces, (F*cos(t) - d*u[0])*u[0]);
  near("drive", power.drive, -m*q[0]*q[0]*rate*w);
  assert_true(b.def->has_power);
  unload(&b);
}

// The woodpecker of the catalogue has the matrices that Glocker & Studer 2005 print: (14), (15), (16)
static void test_woodpecker(void** state)
{
  (void)state;
  ss_error error = {0};
  ss_model* model = ss_model_load("woodpecker", NULL, &error);
  if (!model) fail_msg("%s", error.text);
  const ss_system_def* def = ss_system_get(ss_model_system(model));
  const double mS = 0.0045, mM = 0.0003, lM = 0.010, lG = 0.015, JM = 5e-9, JS = 7e-7, c = 0.0056, g = 9.81;
  const double lS = 0.0201, rO = 0.0025, rM = 0.0031, hM = 0.0058, hS = 0.02;
  const double q[] = {0.01, -0.05, 0.2}, u[] = {-0.3, 1, -7};
  void* scratch = calloc(1, def->scratch_size);
  ss_at at = {.user = def->user, .scratch = scratch, .q = q, .u = u};
  def->update(&at);
  double M[9], h[3], gap[3], W[18], w_hat[6];
  def->mass(&at, M);
  def->force(&at, h);
  def->contacts(&at, gap, W, w_hat);
  const double M_paper[] = {mS + mM, mS*lM, mS*lG, mS*lM, JM + mS*lM*lM, mS*lM*lG, mS*lG, mS*lM*lG, JS + mS*lG*lG};
  const double h_paper[] = {-(mS + mM)*g, -c*(q[1] - q[2]) - mS*lM*g, -c*(q[2] - q[1]) - mS*lG*g};
  const double gap_paper[] = {(lM + lG - lS - rO) - hS*q[2], (rM - rO) + hM*q[1], (rM - rO) - hM*q[1]};
  const double W_paper[] = {0, 0, -hS, 1, lM, lG - lS, 0, hM, 0, 1, rM, 0, 0, -hM, 0, 1, rM, 0};
  for (int i = 0; i < 9; i++) near("M", M[i]*1e6, M_paper[i]*1e6);
  for (int i = 0; i < 3; i++) near("h", h[i]*1e3, h_paper[i]*1e3);
  for (int i = 0; i < 3; i++) near("gap", gap[i]*1e3, gap_paper[i]*1e3);
  for (int i = 0; i < 18; i++) near("W", W[i]*1e3, W_paper[i]*1e3);
  assert_true(def->mass_is_constant);
  free(scratch);
  ss_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_double_pendulum), cmocka_unit_test(test_rheonomic),
                                     cmocka_unit_test(test_woodpecker)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
