// The models of the catalogue against formulas. Tolerances follow from the step: a contact is noticed up to one step
// late, so that times are wrong by O(dt) and positions by the speed times that.
#include "run.h"

static const double pi = 3.14159265358979323846;

// ---- ball ----

// A bounce of Moreau's rule at a floor, to first order in dt. If the ball crosses the floor with speed v and the
// midpoint of the step that notices it comes delta in [0, dt) later, then the next crossing is later than 2 e v/g by
//   delta (1 + 2 e - 1/e) + (1 - e) dt,      and its speed is e v + g delta (e - 1/e) + g (1 - e) dt/2.
// Errors are linear in the delta's: time[k] and speed[k] are the factors of delta_k; [0] that of dt. Bounds follow.
typedef struct bounce_errors {
  int n;
  double time[8], speed[8];
} bounce_errors;

static void next_bounce(bounce_errors* b, double e, double g)
{
  for (int k = 0; k <= b->n; k++) {
    b->time[k] += 2*e/g*b->speed[k];
    b->speed[k] *= e;
  }
  b->time[0] += 1 - e;
  b->speed[0] += g*(1 - e)/2;
  b->n++;
  b->time[b->n] = 1 + 2*e - 1/e;
  b->speed[b->n] = g*(e - 1/e);
}

// Sum of the factors times delta in [0, dt], each at its worst
static void bounds(const double* factor, int n, double dt, double* low, double* high)
{
  *low = *high = factor[0]*dt;
  for (int k = 1; k <= n; k++) *(factor[k] > 0 ? high : low) += factor[k]*dt;
}

// The event carries the time at the end of the step: later than the crossing by delta + dt/2.
static void test_ball_bounce_times(void** state)
{
  (void)state;
  const double g = 9.81, e = 0.8, t1 = sqrt(2/g), steps[] = {1e-3, 1e-4, 1e-5};
  for (int s = 0; s < 3; s++) {
    double dt = steps[s];
    run r = run_open("ball", dt, NULL);
    run_until(&r, 2.3);
    bounce_errors b = {0};
    for (int n = 1; n <= 4; n++) {
      double exact = t1*(1 + 2*e*(1 - pow(e, n - 1))/(1 - e)), low, high;
      bounds(b.time, b.n, dt, &low, &high);
      double late = run_event_time(&r, 0, SS_EVENT_IMPACT, n - 1) - exact;
      expect_between("lateness of a bounce, in steps", late/dt, low/dt + 0.49, high/dt + 1.51);
      next_bounce(&b, e, g);
    }
    run_close(&r);
  }
}

// After n bounces the ball rises to h e^(2n), as its speed at the next crossing says.
static void test_ball_apex_heights(void** state)
{
  (void)state;
  const double g = 9.81, e = 0.8, t1 = sqrt(2/g), v1 = sqrt(2*g), dt = 1e-4;
  run r = run_open("ball", dt, NULL);
  bounce_errors b = {0};
  double start = t1;
  for (int n = 1; n <= 4; n++) {
    double flight = 2*t1*pow(e, n), top = 0, low, high;
    run_until(&r, start + 0.1*flight);
    for (long end = lround((start + 0.9*flight)/dt); r.state->step < end;) {
      run_step(&r);
      top = fmax(top, r.state->q[1]);
    }
    next_bounce(&b, e, g);
    bounds(b.speed, b.n, dt, &low, &high);
    expect_between("error of sqrt(2 g apex), in g dt", (sqrt(2*g*top) - pow(e, n)*v1)/(g*dt), low/(g*dt) - 0.01,
                   high/(g*dt) + 0.01);
    start += flight;
  }
  assert_int_equal(ss_ledger_get_counts(r.ledger)->impacts, 4);
  run_close(&r);
}

// euler takes in a contact that the free motion would close within the step, so that a bounce is not noticed late.
static void test_ball_bounce_times_euler(void** state)
{
  (void)state;
  const double g = 9.81, e = 0.8, t1 = sqrt(2/g), dt = 1e-4;
  run r = run_open("ball", dt, NULL);
  r.step.integrator = SS_EULER;
  run_until(&r, 2.3);
  for (int n = 1; n <= 4; n++)
    expect_near("bounce", run_event_time(&r, 0, SS_EVENT_IMPACT, n - 1), t1*(1 + 2*e*(1 - pow(e, n - 1))/(1 - e)), dt);
  run_close(&r);
}

// A bounce takes min(x', mu (1 + e) v) from x'.
static void test_ball_friction(void** state)
{
  (void)state;
  const double v1 = sqrt(2*9.81), dt = 1e-5;
  run r = run_open("ball", dt, (const ss_override[]){{"initial.x'", "2"}, {0}});
  run_until(&r, 0.6);
  expect_near("x' after a sliding bounce", r.state->u[0], 2 - 0.2*1.8*v1, 9.81*dt);
  assert_int_equal(run_event(&r, 0, SS_EVENT_IMPACT, 0)->event.state, SS_SLIP_POS);
  run_until(&r, 1.3);
  expect_near("x' after a sticking bounce", r.state->u[0], 0, 1e-15);
  assert_int_equal(run_event(&r, 0, SS_EVENT_IMPACT, 1)->event.state, SS_STICK);
  run_close(&r);
}

// e = 1, no friction: the rule conserves energy in each flight and each bounce, up to round-off.
static void test_ball_elastic_energy(void** state)
{
  (void)state;
  run r = run_open("ball", 1e-3, (const ss_override[]){{"e", "1"}, {"mu", "0"}, {0}});
  while (ss_ledger_get_counts(r.ledger)->impacts < 100) run_step(&r);
  const ss_energy_ledger* energy = ss_ledger_energy(r.ledger);
  double start = 9.81 + 0.5*0.25;
  expect_near("energy after 100 bounces", (energy->kinetic + energy->potential)/start, 1, 1e-12);
  expect_near("loss", energy->loss_normal/start, 0, 1e-12);
  expect_near("friction loss", energy->loss_friction, 0, 0);
  expect_near("defect", energy->defect/start, 0, 1e-12);
  run_close(&r);
}

// After infinitely many bounces, at t1 (1 + e)/(1 - e) = 4.06 s, the ball lies still.
static void test_ball_comes_to_rest(void** state)
{
  (void)state;
  run r = run_open("ball", 1e-4, NULL);
  run_until(&r, 4.2);
  long events = r.n;
  double y = r.state->q[1];
  expect_near("height at rest", y, 0, 1e-6);
  run_until(&r, 5);
  assert_int_equal(r.n, events);
  expect_near("drift at rest", r.state->q[1], y, 1e-15);
  run_close(&r);
}

// ---- brick ----

// Stops after t = v0/(g (mu cos - sin)) at x = v0 t/2, and then does not move in a million steps, 1000 s.
static void test_brick_stops_and_stays(void** state)
{
  (void)state;
  const double g = 9.81, a = 20*pi/180, dt = 1e-3, stop = 2/(g*(0.5*cos(a) - sin(a)));
  run r = run_open("brick", dt, NULL);
  run_until(&r, 2);
  expect_between("stop", run_event_time(&r, 0, SS_EVENT_STICK, 0), stop, stop + dt);
  expect_near("stopping distance", r.state->q[0], stop, 2*dt*dt);
  double x = r.state->q[0];
  r.step.account = false;  // faster
  run_until(&r, 1002);
  expect_near("creep along the ramp in 1000 s", r.state->q[0], x, 1e-12);
  expect_near("creep normal to the ramp", r.state->q[1], 0, 1e-12);
  assert_int_equal(r.n, 1);
  run_close(&r);
}

// On the way its energy goes into friction, exactly: m g x (sin) + m v0^2/2 = mu m g cos x
static void test_brick_energy(void** state)
{
  (void)state;
  run r = run_open("brick", 1e-3, NULL);
  run_until(&r, 3);
  const ss_energy_ledger* energy = ss_ledger_energy(r.ledger);
  expect_near("friction loss", energy->loss_friction, 2 + 9.81*sin(20*pi/180)*r.state->q[0], 1e-12);
  expect_near("normal loss", energy->loss_normal, 0, 1e-14);
  expect_near("defect", energy->defect, 0, 1e-11);
  run_close(&r);
}

// ---- the mass on a belt ----

// From x = 0.1 at rest: circle around +x_s, circle around -x_s (faster than the belt), stick, circle of radius v/omega.
static void test_belt_phases(void** state)
{
  (void)state;
  const double v = 0.2, x_s = 0.03, omega = 10, A = 0.07, dt = 1e-4;
  double t1 = (pi + asin(v/(A*omega)))/omega, x1 = x_s + A*cos(omega*t1);  // x' = v, and k |x| > mu N
  double a = x1 + x_s, t2 = t1 + 2*atan(-a*omega/v)/omega;                  // x' = v again
  double x2 = -x_s + a*cos(omega*(t2 - t1)) + v/omega*sin(omega*(t2 - t1)), t3 = t2 + (x_s - x2)/v;
  run r = run_open("stickslip-oscillator", dt, NULL);
  run_until(&r, t3 + 0.5);
  double slip = run_event_time(&r, 0, SS_EVENT_SLIP, 0);  // one step of sticking may lie between the two circles
  expect_between("faster than the belt", slip, t1, t1 + 2.5*dt);
  int k = r.list[0].event.kind == SS_EVENT_STICK && r.list[0].event.t < slip ? 1 : 0;
  expect_near("stick", run_event_time(&r, 0, SS_EVENT_STICK, k), t2, 3*dt);
  expect_near("slip", run_event_time(&r, 0, SS_EVENT_SLIP, 1), t3, 3*dt);
  expect_near("x at the end", r.state->q[0], x_s + v/omega*sin(omega*(r.state->t - t3)), v*3*dt);
  run_close(&r);
}

// On the belt from the start: x = v t until k x = mu N, then x = x_s + v/omega sin(omega (t - t0)), tangent to the
// belt's speed once per period, for ever.
static void test_belt_sticks_then_circles(void** state)
{
  (void)state;
  const double v = 0.2, x_s = 0.03, omega = 10, t0 = x_s/v, dt = 1e-4;
  run r = run_open("stickslip-oscillator", dt, (const ss_override[]){{"initial.x", "0"}, {"initial.x'", "v"}, {0}});
  run_until(&r, 0.1);
  expect_near("x on the belt", r.state->q[0], v*0.1, 1e-14);
  run_until(&r, t0 + 0.6);
  expect_between("slip", run_event_time(&r, 0, SS_EVENT_SLIP, 0), t0, t0 + 2*dt);
  expect_near("x on the circle", r.state->q[0], x_s + v/omega*sin(omega*(r.state->t - t0)), 2*v*dt);
  run_until(&r, 20);
  double low = 1, high = -1;
  for (long n = r.state->step + lround(2*pi/omega/dt); r.state->step < n;) {
    run_step(&r);
    low = fmin(low, r.state->q[0]);
    high = fmax(high, r.state->q[0]);
  }
  expect_near("lowest x after 20 s", low, x_s - v/omega, v*dt);
  expect_near("highest x after 20 s", high, x_s + v/omega, v*dt);
  run_close(&r);
}

// ---- driven oscillator with a stop ----

// The motion with one impact per period: x = a cos + b sin + B cos(omega t + psi) from one impact to the next, with
// b = -V (1 + e)/(2 omega_0), a = b cot(pi omega_0/omega), B cos(psi) = -a, B omega sin(psi) = -V (1 - e)/2.
static void test_impact_oscillator(void** state)
{
  (void)state;
  const double omega_0 = 10, omega = 24, e = 0.8, B = 10/(100 - omega*omega), dt = 1e-4;
  double c = 1/tan(pi*omega_0/omega);
  double V = fabs(B)/sqrt(pow((1 + e)/(2*omega_0)*c, 2) + pow((1 - e)/(2*omega), 2));
  double a = -V*(1 + e)/(2*omega_0)*c, psi = atan2(-V*(1 - e)/2/(B*omega), -a/B);
  run r = run_open("impact-oscillator", dt, NULL);
  run_until(&r, 15);
  long first = r.n;
  double sum = 0, phase = 0;
  int n = 0;
  run_until(&r, 15 + 50*2*pi/omega);
  for (long i = first; i < r.n; i++) {
    const ss_event* event = &r.list[i].event;
    if (event->kind != SS_EVENT_IMPACT) continue;
    sum -= event->gamma_before[0];
    phase += remainder(omega*event->t - psi, 2*pi);
    n++;
  }
  assert_int_equal(n, 50);
  expect_near("mean impact speed", sum/n, V, 3*10*dt);  // three steps: F/m = 10 m/s^2 changes it by 10 dt in one
  expect_near("mean impact phase", phase/n, 0, 3*omega*dt);
  run_close(&r);
}

// ---- three masses ----

static void test_three_masses(void** state)
{
  (void)state;
  const char* const e_text[] = {"0", "0.5", "1"};
  for (int i = 0; i < 3; i++) {
    double e = 0.5*i;
    run r = run_open("three-masses", 1e-3, (const ss_override[]){{"e", e_text[i]}, {0}});
    run_until(&r, 0.6);
    expect_near("v1", r.state->u[0], 1 - 2*(1 + e)/3, 1e-14);
    expect_near("v2", r.state->u[1], (1 + e)/3, 1e-14);
    expect_near("v3", r.state->u[2], (1 + e)/3, 1e-14);
    run_close(&r);
  }
  run r = run_open("three-masses", 1e-3, (const ss_override[]){{"play", "1e-3"}, {0}});
  run_until(&r, 1);
  expect_near("v1, with play", r.state->u[0], 0, 1e-14);
  expect_near("v2, with play", r.state->u[1], 0, 1e-14);
  expect_near("v3, with play", r.state->u[2], 1, 1e-14);
  run_close(&r);
}

// ---- rods on rough ground ----

// mu = 2 > 4/3: no sliding motion exists, and the impulse (0.3, 0.4) m v0 stops the end at once, plus g dt of the step.
static void test_painleve_jams(void** state)
{
  (void)state;
  const double dt = 1e-6, g = 9.81;
  run r = run_open("painleve", dt, NULL);
  const ss_step_info* info = run_step(&r);
  assert_int_equal(info->contact[0].state, SS_STICK);
  // Lambda = G^-1 (g dt, v0) with m G = [1.6, -1.2; -1.2, 3.4]
  expect_near("normal impulse", info->contact[0].Lambda[0], 0.3 + 0.85*g*dt, 1e-12);
  expect_near("friction impulse", info->contact[0].Lambda[1], 0.4 + 0.3*g*dt, 1e-12);
  expect_near("theta'", r.state->u[2], 0.6*sqrt(5), 10*g*dt);
  run_close(&r);
}

// mu = 0.5 = cot(theta): the contact force points through the centre, so the rod slides like a brick and stops.
static void test_painleve_slides(void** state)
{
  (void)state;
  const double dt = 1e-4, stop = 1/(0.5*9.81);
  run r = run_open("painleve", dt, (const ss_override[]){{"mu", "0.5"}, {"run.project", "false"}, {0}});
  run_until(&r, 0.2);
  expect_near("x'", r.state->u[0], -1 + 0.5*9.81*0.2, 1e-10);
  expect_near("theta", r.state->q[2], atan(2), 1e-10);
  run_until(&r, 0.21);
  expect_between("stop", run_event_time(&r, 0, SS_EVENT_STICK, 0), stop, stop + dt);
  run_close(&r);
}

// Ma et al. 2016, (1), at theta = 45 degrees: F_N = -5/8 F_y - 3/8 F_x, F_T = -3/8 F_y - 5/8 F_x while the end sticks.
static void test_pendulum_stop_forces(void** state)
{
  (void)state;
  const double dt = 1e-4;
  run r = run_open("pendulum-stop", dt, (const ss_override[]){{"F_y", "-8"}, {"F_x", "1"}, {0}});
  const ss_step_info* info = run_step(&r);
  assert_int_equal(info->contact[0].state, SS_STICK);
  expect_near("F_N", info->contact[0].Lambda[0]/dt, 5 - 0.375, 1e-11);
  expect_near("F_T", info->contact[0].Lambda[1]/dt, 3 - 0.625, 1e-11);
  run_close(&r);
  const char* const mu[] = {"0.601", "0.599"};
  const ss_contact_state expected[] = {SS_STICK, SS_SLIP_NEG};
  for (int i = 0; i < 2; i++) {
    r = run_open("pendulum-stop", dt, (const ss_override[]){{"F_y", "-8"}, {"mu", mu[i]}, {0}});
    assert_int_equal(run_step(&r)->contact[0].state, expected[i]);
    run_close(&r);
  }
}

// The paper's own case: the rod lifts off and does not turn.
static void test_pendulum_stop_lifts_off(void** state)
{
  (void)state;
  run r = run_open("pendulum-stop", 1e-4, NULL);
  run_until(&r, 0.5);
  expect_near("y", r.state->q[1], 0.5*sqrt(0.5) + 0.125, 1e-12);
  expect_near("x", r.state->q[0], 0.5*sqrt(0.5), 1e-14);
  expect_near("theta", r.state->q[2], pi/4, 1e-14);
  assert_int_equal(ss_ledger_get_counts(r.ledger)->impacts, 0);
  run_close(&r);
}

// ---- rocking block ----

// Time from theta0 to 0 of theta'' = -p^2 sin(alpha - theta) from rest, by Simpson's rule with theta = theta0 - s^2.
static double rocking_time(double theta0, double alpha, double p)
{
  const int n = 2000;
  double sum = 0, end = sqrt(theta0), h = end/n;
  for (int i = 0; i <= n; i++) {
    double s = i*h, z = s*s;
    // 2 s/theta' with theta'^2 = 2 p^2 (cos(alpha - theta0) - cos(alpha - theta0 + z)), without cancellation
    double x = z > 0 ? sin(z/2)/(z/2) : 1;
    double f = 2/(p*sqrt(2*x*sin(alpha - theta0 + z/2)));
    sum += (i == 0 || i == n ? 1 : i%2 ? 4 : 2)*f;
  }
  return sum*h/3;
}

static void test_rocking_block_first_impact(void** state)
{
  (void)state;
  const double b = 0.1, h = 0.4, g = 9.81, theta0 = 0.12, dt = 1e-5;
  double R = hypot(b, h), alpha = atan2(b, h), p = sqrt(3*g/(4*R)), t1 = rocking_time(theta0, alpha, p);
  double omega = p*sqrt(2*(cos(alpha - theta0) - cos(alpha))), ratio = 1 - 1.5*pow(sin(alpha), 2);
  expect_near("Housner's linear time", acosh(1/(1 - theta0/alpha))/p, t1, 0.0025*t1);
  run r = run_open("rocking-block", dt, NULL);
  run_until(&r, t1 + 5*dt);
  const seen* impact = run_event(&r, 1, SS_EVENT_IMPACT, 0);
  expect_near("first impact", impact->event.t, t1, 5*dt);
  expect_near("theta' after it", impact->u[2], -ratio*omega, 20*omega*dt);
  assert_int_equal(impact->event.state, SS_STICK);
  run_close(&r);
}

// It comes to rest on both corners, a step's penetration below them, where it stood before.
static void test_rocking_block_comes_to_rest(void** state)
{
  (void)state;
  run r = run_open("rocking-block", 1e-3, (const ss_override[]){{"run.project", "false"}, {0}});
  run_until(&r, 20);
  expect_near("theta", r.state->q[2], 0, 1e-4);
  expect_near("y", r.state->q[1], 0.4, 1e-5);
  expect_near("x", r.state->q[0], 0.1, 1e-4);
  expect_near("theta'", r.state->u[2], 0, 1e-12);
  run_close(&r);
}

// Two weights on one another rest in `euler` from the first step on, however small the unit of a third coordinate is
static void test_units(void** state)
{
  (void)state;
  run r = run_parse("coordinates: [y, z, s]\nkinetic: 1/2*y'^2 + 1/2*z'^2 + 1/2*1e-14*s'^2\n"
                    "potential: 9.81*(y + z) + 9.81e-7*s\ncontacts:\n  floor: {gap: y}\n  between: {gap: z - y}\n"
                    "run: {dt: 1e-3}\n", 1e-3);
  r.step.integrator = SS_EULER;
  assert_int_equal(ss_step(r.system, &r.step, r.state, r.work), SS_OK);
  assert_int_equal(ss_work_info(r.work)->n_active, 2);
  expect_near("y'", r.state->u[0], 0, 1e-15);
  expect_near("z'", r.state->u[1], 0, 1e-15);
  run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ball_bounce_times),
    cmocka_unit_test(test_ball_apex_heights),
    cmocka_unit_test(test_ball_bounce_times_euler),
    cmocka_unit_test(test_ball_friction),
    cmocka_unit_test(test_ball_elastic_energy),
    cmocka_unit_test(test_ball_comes_to_rest),
    cmocka_unit_test(test_brick_stops_and_stays),
    cmocka_unit_test(test_brick_energy),
    cmocka_unit_test(test_belt_phases),
    cmocka_unit_test(test_belt_sticks_then_circles),
    cmocka_unit_test(test_impact_oscillator),
    cmocka_unit_test(test_three_masses),
    cmocka_unit_test(test_painleve_jams),
    cmocka_unit_test(test_painleve_slides),
    cmocka_unit_test(test_pendulum_stop_forces),
    cmocka_unit_test(test_pendulum_stop_lifts_off),
    cmocka_unit_test(test_rocking_block_first_impact),
    cmocka_unit_test(test_rocking_block_comes_to_rest),
    cmocka_unit_test(test_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
