// Orders of convergence: 2 for moreau between impacts, 1 across them, 1 for euler; each measured by refining the step.
#include "run.h"

static const double pi = 3.14159265358979323846;

static double order(double coarse, double fine, double ratio) { return log(coarse/fine)/log(ratio); }

// ---- between impacts ----

// The pendulum phi'' = -sin(phi) by the classical Runge-Kutta method: an independent reference.
static void pendulum_reference(double t, double* phi, double* omega)
{
  const int n = 4000;
  double h = t/n, a = *phi, b = *omega;
  for (int i = 0; i < n; i++) {
    double k1 = b, l1 = -sin(a);
    double k2 = b + h/2*l1, l2 = -sin(a + h/2*k1);
    double k3 = b + h/2*l2, l3 = -sin(a + h/2*k2);
    double k4 = b + h*l3, l4 = -sin(a + h*k3);
    a += h/6*(k1 + 2*k2 + 2*k3 + k4);
    b += h/6*(l1 + 2*l2 + 2*l3 + l4);
  }
  *phi = a;
  *omega = b;
}

static const char* const pendulum =
  "coordinates: [phi]\nkinetic: phi'^2/2\npotential: -cos(phi)\ninitial: {phi: 2, phi': 0.3}\n";

static double pendulum_error(ss_integrator integrator, int n)
{
  const double t = 4;
  double phi = 2, omega = 0.3;
  pendulum_reference(t, &phi, &omega);
  run r = run_parse(pendulum, t/n);
  r.step.integrator = integrator;
  run_until(&r, t);
  double error = hypot(r.state->q[0] - phi, r.state->u[0] - omega);
  run_close(&r);
  return error;
}

static void test_smooth_order(void** state)
{
  (void)state;
  for (int n = 200; n <= 1600; n *= 2) {
    expect_between("order of moreau", order(pendulum_error(SS_MOREAU, n), pendulum_error(SS_MOREAU, 2*n), 2), 1.9, 2.1);
    expect_between("order of euler", order(pendulum_error(SS_EULER, n), pendulum_error(SS_EULER, 2*n), 2), 0.9, 1.1);
  }
}

// Forces that depend on the velocity are taken at the start of a step, u_A [Glocker & Studer 2005, section 5, step 3a]:
// there moreau is of first order. The double pendulum's energy before its first impact shows it.
static double double_pendulum_drift(double dt)
{
  run r = run_open("double-pendulum-wall", dt, NULL);
  run_until(&r, 0.9);  // the first impact is at 0.943 s
  assert_int_equal(r.n, 0);
  const ss_energy_ledger* energy = ss_ledger_energy(r.ledger);
  double drift = energy->kinetic + energy->potential;  // 0 at the start: both rods are horizontal
  expect_near("defect", energy->defect, drift, 1e-11);
  run_close(&r);
  return fabs(drift);
}

static void test_double_pendulum_energy(void** state)
{
  (void)state;
  double drift[3] = {double_pendulum_drift(1e-3), double_pendulum_drift(5e-4), double_pendulum_drift(2.5e-4)};
  expect_between("relative drift of the energy", drift[0]/(3*9.81), 0, 2e-3);
  for (int i = 0; i < 2; i++) expect_between("order", order(drift[i], drift[i + 1], 2), 0.9, 1.1);
}

// ---- across impacts ----

// Height of a ball with restitution e, dropped from h, at time t: its speed is e times smaller after each bounce.
static double ball_height(double h, double e, double t)
{
  const double g = 9.81;
  double flight = sqrt(2*h/g), v = g*flight;
  if (t <= flight) return h - g*t*t/2;
  t -= flight;
  for (v *= e; t > 2*v/g; v *= e) t -= 2*v/g;
  return v*t - g*t*t/2;
}

// Where in its step a bounce falls is chance, and so is the error of one run; the mean over 40 heights is not.
static double ball_error(ss_integrator integrator, int n)
{
  const double t = 1.5;
  double sum = 0;
  for (int k = 0; k < 40; k++) {
    double h = 1 + 0.01*k;
    char text[32];
    snprintf(text, sizeof text, "%.2f", h);
    run r = run_open("ball", t/n, (const ss_override[]){{"initial.y", text}, {0}});
    r.step.integrator = integrator;
    run_until(&r, t);
    sum += fabs(r.state->q[1] - ball_height(h, 0.8, t));
    run_close(&r);
  }
  return sum/40;
}

static void test_impact_order(void** state)
{
  (void)state;
  const ss_integrator both[] = {SS_MOREAU, SS_EULER};
  for (int i = 0; i < 2; i++) {
    double coarse = ball_error(both[i], 250), fine = ball_error(both[i], 4000);
    expect_between("order across impacts", order(coarse, fine, 16), 0.85, 1.15);
  }
}

// The mass on a belt: where sliding becomes sticking or changes its sign the velocity is continuous, the acceleration
// is not, and the step that sees the change of sign ends with x' = v exactly.
static double belt_error(int n)
{
  const double v = 0.2, x_s = 0.03, omega = 10, A = 0.07;
  double t1 = (pi + asin(v/(A*omega)))/omega, a = x_s + A*cos(omega*t1) + x_s, t2 = t1 + 2*atan(-a*omega/v)/omega;
  double x2 = -x_s + a*cos(omega*(t2 - t1)) + v/omega*sin(omega*(t2 - t1)), t3 = t2 + (x_s - x2)/v;
  double sum = 0;
  for (int k = 0; k < 20; k++) {  // as above: the mean over 20 nearby step sizes
    run r = run_open("stickslip-oscillator", 1.0/(n + k), NULL);
    run_until(&r, 1);
    sum += fabs(r.state->q[0] - (x_s + v/omega*sin(omega*(1 - t3))));
    run_close(&r);
  }
  return sum/20;
}

static void test_stick_slip_order(void** state)
{
  (void)state;
  expect_between("order across stick and slip", order(belt_error(500), belt_error(8000), 16), 0.8, 1.2);
}

// Painleve's rod jams by the impulses (0.3, 0.4) m v0 in one instant; a step adds the weight during it.
static void jam_errors(ss_integrator integrator, double dt, double* normal, double* tangential)
{
  run r = run_open("painleve", dt, NULL);
  r.step.integrator = integrator;
  const ss_step_info* info = run_step(&r);
  *normal = fabs(info->contact[0].Lambda[0] - 0.3);
  *tangential = fabs(info->contact[0].Lambda[1] - 0.4);
  run_close(&r);
}

static void test_jam_order(void** state)
{
  (void)state;
  for (int integrator = SS_MOREAU; integrator <= SS_EULER; integrator++)
    for (double dt = 4e-4; dt > 1e-5; dt /= 2) {
      double N[2], T[2];
      jam_errors((ss_integrator)integrator, dt, &N[0], &T[0]);
      jam_errors((ss_integrator)integrator, dt/2, &N[1], &T[1]);
      expect_between("order of the normal impulse", order(N[0], N[1], 2), 0.95, 1.05);
      expect_between("order of the tangential impulse", order(T[0], T[1], 2), 0.95, 1.05);
      expect_between("error of the normal impulse", N[0]/dt, 0, 20);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_smooth_order),
    cmocka_unit_test(test_double_pendulum_energy),
    cmocka_unit_test(test_impact_order),
    cmocka_unit_test(test_stick_slip_order),
    cmocka_unit_test(test_jam_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
